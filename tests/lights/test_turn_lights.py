"""What the lights say during a turn: what lies, what can be chosen, what is chosen, what moves."""

from __future__ import annotations

import pytest

from device.lights.animation import FAINT, FLASH, dimmed
from device.lights.palettes import BOX
from device.lights.view import LONGEST_SWEEP, LOST, OFFERED, REFUSED
from device.rules.events import Draft
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.state import BotReply, HintRequested
from device.table.update import FLASH_APART, update
from hardware.api import Loss, PartBack, PartLost
from tests.table.simulator import FULL, Simulator, dealt, empty_table, rhythm_of

DEAL = "bbyr kkww rryy bykw bbbb"
SETTLED = LONGEST_SWEEP + 0.1
"""Seconds after which nothing moves any more."""


def hue(sim: Simulator, light: str) -> int | None:
    """Which of the palette's shades a light shows, dimmed or not; None where it is dark or none of them."""
    red, green, blue = sim.colour(light)
    peak = max(red, green, blue)
    for at, shade in enumerate(BOX.shades):
        want = [channel * peak / max(shade.light) for channel in shade.light]
        if peak > 8 and all(
            abs(a - b) <= 255 / peak + 2 for a, b in zip((red, green, blue), want, strict=True)
        ):
            return at
    return None


def spelt(sim: Simulator, *lights: str) -> str:
    """The colours of some lights as letters, '.' where a light shows none."""
    shades = [hue(sim, light) for light in lights]
    return "".join("." if shade is None else "byrkw"[shade] for shade in shades)


def places(stem: str, number: int) -> list[str]:
    """The lights of a line, a floor or a source by their stem."""
    return [f"{stem}.{at}" for at in range(1, number + 1)]


# --- Tiles lie ---


def test_tiles_lie_on_their_displays_in_wall_order() -> None:
    sim = dealt("rybb kkww rryy wkyb bbbb").wait(SETTLED)
    rows = [spelt(sim, *places(f"display.{display}", 4)) for display in range(1, 6)]
    assert rows == ["bbyr", "kkww", "yyrr", "bykw", "bbbb"]
    assert sim.rhythm("display.6.1") == "dark"


def test_all_tiles_can_be_chosen_and_the_marker_lies() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    assert {sim.rhythm(light) for light in places("display.3", 4)} == {"slow"}
    assert sim.rhythm("centre.1") == "steady", "the marker, which nobody can choose"
    assert sim.rhythm("centre.2") == "dark"
    assert [sim.rhythm(f"seat.{place}.turn") for place in (1, 2, 3)] == ["steady", "dark", "dark"]


def test_the_chosen_colour_pulses_fast_and_the_others_go_on_slowly() -> None:
    sim = dealt(DEAL).press("display.1", "display.1")
    assert [sim.rhythm(light) for light in places("display.1", 4)] == ["slow", "slow", "fast", "slow"]
    assert sim.rhythm("display.3.1") == "slow"


def test_taken_tiles_lie_on_the_line_from_the_right() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.3").wait(SETTLED)
    assert spelt(sim, *places("seat.1.line.3", 3)) == ".bb"
    assert {sim.rhythm(f"seat.1.line.3.{at}") for at in (2, 3)} == {"steady"}
    assert spelt(sim, *places("centre", 4)) == ".yr."
    assert sim.colour("centre.1") != (0, 0, 0)
    assert sim.rhythm("seat.2.turn") == "steady"
    assert sim.rhythm("seat.1.turn") == "dark"


def test_the_marker_lies_on_the_floor_of_who_took_it() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.3", "centre", "seat.2.line.1").wait(SETTLED)
    assert spelt(sim, *places("centre", 3)) == "r.."
    marker = sim.colour("seat.2.floor.1")
    assert marker == tuple(int(channel * 0.7) for channel in BOX.marker)


def test_score_lights_show_tens_and_units() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    for place in (1, 2):
        assert sim.rhythm(f"seat.{place}.tens.0") == "steady"
        assert sim.rhythm(f"seat.{place}.units.0") == "steady"
        assert {sim.rhythm(f"seat.{place}.units.{digit}") for digit in range(1, 10)} == {"dark"}
    assert sim.rhythm("seat.3.units.0") == "dark"


# --- Where tiles can go ---


def test_the_spaces_that_the_tiles_would_fill_pulse_dimmed_on_every_legal_line_and_the_floor() -> None:
    sim = dealt(DEAL).press("display.4", "seat.1.line.2", "display.2", "seat.2.floor").wait(SETTLED)
    sim.press("display.5")
    filled = {line: spelt(sim, *places(f"seat.1.line.{line}", line)) for line in range(1, 6)}
    assert filled == {1: "b", 2: "bb", 3: "bbb", 4: "bbbb", 5: ".bbbb"}
    assert spelt(sim, *places("seat.1.floor", 7)) == "bbbb..."
    for light in ("seat.1.line.1.1", "seat.1.line.2.1", "seat.1.line.5.2", "seat.1.floor.4"):
        levels = sim.levels(light)[light]
        assert rhythm_of(levels) == "slow"
        assert 0 < min(levels) <= max(levels) <= 255 * 2 * FAINT, "dimmed: no tile lies there yet"
    assert sim.rhythm("seat.1.line.2.2") == "steady", "a tile that lies there already"
    assert sim.rhythm("seat.2.line.1.1") == "dark", "only on the board of who chooses"


def test_lines_that_do_not_take_the_tiles_stay_as_they_are() -> None:
    sim = dealt(DEAL).press("display.5", "seat.1.line.5", "display.2", "seat.2.floor").wait(SETTLED)
    sim.press("display.3")
    assert spelt(sim, *places("seat.1.line.5", 5)) == ".bbbb"
    assert sim.rhythm("seat.1.line.5.1") == "dark"
    assert spelt(sim, *places("seat.1.line.4", 4)) == "..yy"


def test_the_marker_costs_a_floor_space_before_the_tiles() -> None:
    """R6: it goes to the leftmost free space, and the tiles would fall behind it."""
    sim = dealt(DEAL).press("display.1", "seat.1.line.2", "centre").wait(0.0)
    assert spelt(sim, *places("seat.2.floor", 3)) == ".y."
    first = sim.colour("seat.2.floor.1")
    assert max(first) > 0
    assert sim.rhythm("seat.2.floor.1") == "slow"
    red, green, blue = BOX.marker
    assert first[1] > first[2] > first[0], "the marker's own hue"
    assert green > blue > red


def test_no_more_floor_spaces_than_there_are() -> None:
    sim = dealt("bbbb kkkk kkkk kkkk rrrr")
    sim.press("display.1", "seat.1.floor", "display.2", "seat.2.floor", "display.3", "seat.1.floor")
    sim.wait(SETTLED).press("display.4", "seat.2.floor").wait(SETTLED)
    sim.press("display.5")
    assert len(sim.play.state.boards[0].floor) == 7
    assert {sim.rhythm(light) for light in places("seat.1.floor", 7)} == {"steady"}


# --- Refused and moving ---


@pytest.mark.parametrize(
    ("button", "lights"),
    [
        ("seat.2.line.3", places("seat.2.line.3", 3)),
        ("seat.2.floor", places("seat.2.floor", 7)),
        ("seat.4.line.1", places("seat.4.line.1", 1)),
        ("display.7", places("display.7", 4)),
        ("ok", ["status"]),
        ("nonsense", ["status"]),
    ],
)
def test_a_refused_press_flashes_once_where_it_was_made(button: str, lights: list[str]) -> None:
    sim = dealt(DEAL).wait(SETTLED)
    before = sim.frame
    sim.now = 200.0
    sim.press(button, after=0.0)
    red = {light for light, colour in sim.frame.lit.items() if colour == REFUSED}
    assert red == set(lights)
    sim.wait(FLASH)
    assert REFUSED not in sim.frame.lit.values()
    flashes = [max(sim.wait(1 / 16).colour(lights[0])) > 200 for _ in range(32)]
    assert not any(flashes), "one short flash"
    assert before.lit.keys() == sim.frame.lit.keys()


def test_a_refusal_soon_after_another_does_not_flash_again() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    sim.press("display.7").press("ok", after=FLASH_APART - 0.1).wait(1 / 16)
    assert REFUSED not in sim.frame.lit.values()
    assert snapshot(sim.table, BOX)["refusal"]["button"] == "ok"
    sim.press("ok", after=FLASH_APART).wait(1 / 16)
    assert [light for light, colour in sim.frame.lit.items() if colour == REFUSED] == ["status"]


def test_in_a_flood_of_refused_presses_the_flashes_keep_their_distance() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    red = []
    for _ in range(10 * 32):
        sim.press("ok", after=1 / 32)
        red.append(sim.colour("status") == REFUSED)
    assert sim.refusals == 320, "every press is refused"
    flashes = sum(now and not before for before, now in zip([False, *red], red, strict=False))
    assert 10 / FLASH_APART - 2 <= flashes <= 10 / FLASH_APART + 1


def test_taken_tiles_sweep_one_after_another() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    sim.press("display.5", "seat.1.line.4")
    lights = [*places("display.5", 4), *places("seat.1.line.4", 4)]
    seen: list[str] = []
    fronts = []
    while (lit := spelt(sim, *lights)) != "....bbbb":
        seen.append(lit)
        fronts.append(sum(min(sim.frame.colour(light)) > 100 for light in lights))
        sim.wait(1 / 16)
        assert len(seen) < 32
    assert len(set(seen)) >= 4, "not all at once"
    assert set(fronts[1:]) <= {1, 2}, "the sweep has one front, which passes from a light to the next"
    assert seen[0].count("b") >= 3, "it begins as the tiles lay"
    sim.wait(SETTLED)
    assert {sim.rhythm(light) for light in places("seat.1.line.4", 4)} == {"steady"}


def test_a_sweep_is_over_in_its_time() -> None:
    sim = dealt(DEAL).press("display.5", "seat.1.line.4").wait(LONGEST_SWEEP + 0.07)
    later = [sim.wait(2.0).frame for _ in range(3)]
    assert later[0] == later[1] == later[2]


def test_every_light_is_one_of_the_table() -> None:
    names = {light.name for light in FULL.lights}
    sim = dealt(DEAL)
    assert sim.frame.lit.keys() <= names
    assert sim.press("display.1").frame.lit.keys() <= names
    assert empty_table().frame.lit.keys() <= names


# --- Hints and the status light ---


@pytest.mark.parametrize(
    ("line", "lights"), [(4, places("seat.1.line.4", 4)), (0, places("seat.1.floor", 4))], ids=str
)
def test_an_advised_draft_shows_where_its_tiles_would_lie(line: int, lights: list[str]) -> None:
    sim = dealt(DEAL).wait(SETTLED)
    assert spelt(sim, *lights) == "...."
    sim.take(HintRequested(1, sim.now))
    (request,) = sim.hint_requests
    sim.reply(BotReply(request.number, Draft(5, Colour.BLUE, line), sim.now, gain=2.5))
    levels = sim.wait(SETTLED).levels(*lights)
    assert all(max(level) > min(level) for level in levels.values()), "they swell"
    assert spelt(sim, *lights) == "bbbb"


def test_the_status_light_is_faint_while_ok_does_nothing() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    assert sim.rhythm("status") == "steady"
    assert sim.colour("status") == dimmed(OFFERED, FAINT)


def test_the_status_light_beats_while_a_part_is_lost() -> None:
    sim = dealt(DEAL).wait(SETTLED)
    before = sim.colour("status")
    sim.table = update(sim.table, PartLost("reader.shared", Loss.ABSENT, "no reader", sim.now))
    seen = {sim.wait(1 / 16).colour("status") for _ in range(64)}
    assert LOST in seen and len(seen) == 2
    sim.table = update(sim.table, PartBack("reader.shared", sim.now))
    assert {sim.wait(1 / 16).colour("status") for _ in range(64)} == {before}
