"""What the lights say during a turn: what lies, what can be chosen, what is chosen, what moves."""

from __future__ import annotations

import pytest

from device.lights.animation import FAINT, FLASH
from device.lights.palettes import BOX
from device.lights.view import CREST, LONGEST_SWEEP, REFUSED
from device.table.update import FLASH_APART
from tests.table.hands import FULL, Hands, at_table, dealt, rhythm_of

DEAL = "bbyr kkww rryy bykw bbbb"
SETTLED = LONGEST_SWEEP + 0.1
"""Seconds after which nothing moves any more."""


def hue(hands: Hands, light: str) -> int | None:
    """Which of the palette's shades a light shows, dimmed or not; None where it is dark or none of them."""
    red, green, blue = hands.colour(light)
    peak = max(red, green, blue)
    for at, shade in enumerate(BOX.shades):
        want = [channel * peak / max(shade.light) for channel in shade.light]
        if peak > 8 and all(
            abs(a - b) <= 255 / peak + 2 for a, b in zip((red, green, blue), want, strict=True)
        ):
            return at
    return None


def spelt(hands: Hands, *lights: str) -> str:
    """The colours of some lights as letters, '.' where a light shows none."""
    shades = [hue(hands, light) for light in lights]
    return "".join("." if shade is None else "byrkw"[shade] for shade in shades)


def places(stem: str, number: int) -> list[str]:
    """The lights of a line, a floor or a source by their stem."""
    return [f"{stem}.{at}" for at in range(1, number + 1)]


# --- Tiles lie ------------------------------------------------------------------------------------------


def test_tiles_lie_on_their_displays_in_wall_order() -> None:
    hands = dealt("rybb kkww rryy wkyb bbbb").wait(SETTLED)
    rows = [spelt(hands, *places(f"display.{display}", 4)) for display in range(1, 6)]
    assert rows == ["bbyr", "kkww", "yyrr", "bykw", "bbbb"]
    assert hands.rhythm("display.6.1") == "dark"


def test_all_tiles_can_be_chosen_and_the_marker_lies() -> None:
    hands = dealt(DEAL).wait(SETTLED)
    assert {hands.rhythm(light) for light in places("display.3", 4)} == {"slow"}
    assert hands.rhythm("centre.1") == "steady", "the marker, which nobody can choose"
    assert hands.rhythm("centre.2") == "dark"
    assert [hands.rhythm(f"seat.{place}.turn") for place in (1, 2, 3)] == ["steady", "dark", "dark"]


def test_the_chosen_colour_pulses_fast_and_the_others_go_on_slowly() -> None:
    hands = dealt(DEAL).press("display.1", "display.1")
    assert [hands.rhythm(light) for light in places("display.1", 4)] == ["slow", "slow", "fast", "slow"]
    assert hands.rhythm("display.3.1") == "slow"


def test_taken_tiles_lie_on_the_line_from_the_right() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.3").wait(SETTLED)
    assert spelt(hands, *places("seat.1.line.3", 3)) == ".bb"
    assert {hands.rhythm(f"seat.1.line.3.{at}") for at in (2, 3)} == {"steady"}
    assert spelt(hands, *places("centre", 4)) == ".yr."
    assert hands.colour("centre.1") != (0, 0, 0)
    assert hands.rhythm("seat.2.turn") == "steady"
    assert hands.rhythm("seat.1.turn") == "dark"


def test_the_marker_lies_on_the_floor_of_who_took_it() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.3", "centre", "seat.2.line.1").wait(SETTLED)
    assert spelt(hands, *places("centre", 3)) == "r.."
    marker = hands.colour("seat.2.floor.1")
    assert marker == tuple(int(channel * 0.7) for channel in BOX.marker)


def test_score_lights_show_tens_and_units() -> None:
    hands = dealt(DEAL).wait(SETTLED)
    for place in (1, 2):
        assert hands.rhythm(f"seat.{place}.tens.0") == "steady"
        assert hands.rhythm(f"seat.{place}.units.0") == "steady"
        assert {hands.rhythm(f"seat.{place}.units.{digit}") for digit in range(1, 10)} == {"dark"}
    assert hands.rhythm("seat.3.units.0") == "dark"


# --- Where tiles can go ---------------------------------------------------------------------------------


def test_the_spaces_that_the_tiles_would_fill_pulse_dimmed_on_every_legal_line_and_the_floor() -> None:
    hands = dealt(DEAL).press("display.4", "seat.1.line.2", "display.2", "seat.2.floor").wait(SETTLED)
    hands.press("display.5")
    filled = {line: spelt(hands, *places(f"seat.1.line.{line}", line)) for line in range(1, 6)}
    assert filled == {1: "b", 2: "bb", 3: "bbb", 4: "bbbb", 5: ".bbbb"}
    assert spelt(hands, *places("seat.1.floor", 7)) == "bbbb..."
    for light in ("seat.1.line.1.1", "seat.1.line.2.1", "seat.1.line.5.2", "seat.1.floor.4"):
        levels = hands.levels(light)[light]
        assert rhythm_of(levels) == "slow"
        assert 0 < min(levels) <= max(levels) <= 255 * 2 * FAINT, "dimmed: no tile lies there yet"
    assert hands.rhythm("seat.1.line.2.2") == "steady", "a tile that lies there already"
    assert hands.rhythm("seat.2.line.1.1") == "dark", "only on the board of who chooses"


def test_lines_that_do_not_take_the_tiles_stay_as_they_are() -> None:
    hands = dealt(DEAL).press("display.5", "seat.1.line.5", "display.2", "seat.2.floor").wait(SETTLED)
    hands.press("display.3")
    assert spelt(hands, *places("seat.1.line.5", 5)) == ".bbbb"
    assert hands.rhythm("seat.1.line.5.1") == "dark"
    assert spelt(hands, *places("seat.1.line.4", 4)) == "..yy"


def test_the_marker_costs_a_floor_space_before_the_tiles() -> None:
    """R6: it goes to the leftmost free space, and the tiles would fall behind it."""
    hands = dealt(DEAL).press("display.1", "seat.1.line.2", "centre").wait(0.0)
    assert spelt(hands, *places("seat.2.floor", 3)) == ".y."
    first = hands.colour("seat.2.floor.1")
    assert max(first) > 0
    assert hands.rhythm("seat.2.floor.1") == "slow"
    red, green, blue = BOX.marker
    assert first[1] > first[2] > first[0], "the marker's own hue"
    assert green > blue > red


def test_no_more_floor_spaces_than_there_are() -> None:
    hands = dealt("bbbb kkkk kkkk kkkk rrrr")
    hands.press("display.1", "seat.1.floor", "display.2", "seat.2.floor", "display.3", "seat.1.floor")
    hands.wait(SETTLED).press("display.4", "seat.2.floor").wait(SETTLED)
    hands.press("display.5")
    assert len(hands.play.state.boards[0].floor) == 7
    assert {hands.rhythm(light) for light in places("seat.1.floor", 7)} == {"steady"}


# --- Refused and moving ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("button", "lights"),
    [
        ("seat.2.line.3", places("seat.2.line.3", 3)),
        ("seat.2.floor", places("seat.2.floor", 7)),
        ("display.7", places("display.7", 4)),
        ("ok", ["status"]),
        ("nonsense", ["status"]),
    ],
)
def test_a_refused_press_flashes_once_where_it_was_made(button: str, lights: list[str]) -> None:
    hands = dealt(DEAL).wait(SETTLED)
    before = hands.frame
    hands.now = 200.0
    hands.press(button, after=0.0)
    red = {light for light, colour in hands.frame.lit.items() if colour == REFUSED}
    assert red == set(lights)
    hands.wait(FLASH)
    assert REFUSED not in hands.frame.lit.values()
    flashes = [max(hands.wait(1 / 16).colour(lights[0])) > 200 for _ in range(32)]
    assert not any(flashes), "one short flash"
    assert before.lit.keys() == hands.frame.lit.keys()


def test_in_a_flood_of_refused_presses_the_flashes_keep_their_distance() -> None:
    hands = dealt(DEAL).wait(SETTLED)
    red = []
    for _ in range(10 * 32):
        hands.press("ok", after=1 / 32)
        red.append(hands.colour("status") == REFUSED)
    assert hands.refusals == 320, "every press is refused"
    flashes = sum(now and not before for before, now in zip([False, *red], red, strict=False))
    assert flashes <= 10 / FLASH_APART + 1


def test_taken_tiles_sweep_one_after_another() -> None:
    hands = dealt(DEAL).wait(SETTLED)
    hands.press("display.5", "seat.1.line.4")
    lights = [*places("display.5", 4), *places("seat.1.line.4", 4)]
    seen: list[str] = []
    fronts = []
    while (lit := spelt(hands, *lights)) != "....bbbb":
        seen.append(lit)
        fronts.append(sum(colour == CREST for colour in hands.frame.lit.values()))
        hands.wait(1 / 16)
        assert len(seen) < 32
    assert len(set(seen)) >= 4, "not all at once"
    assert set(fronts[1:]) == {1}, "the sweep has one front"
    assert seen[0].count("b") >= 3, "it begins as the tiles lay"
    hands.wait(SETTLED)
    assert {hands.rhythm(light) for light in places("seat.1.line.4", 4)} == {"steady"}


def test_a_sweep_is_over_in_its_time() -> None:
    hands = dealt(DEAL).press("display.5", "seat.1.line.4").wait(LONGEST_SWEEP + 0.07)
    later = [hands.wait(2.0).frame for _ in range(3)]
    assert later[0] == later[1] == later[2]


def test_every_light_is_one_of_the_table() -> None:
    names = {light.name for light in FULL.lights}
    hands = dealt(DEAL)
    assert hands.frame.lit.keys() <= names
    assert hands.press("display.1").frame.lit.keys() <= names
    assert at_table().frame.lit.keys() <= names
