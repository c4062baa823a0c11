"""Single lights: a table with one light for each source and no boards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import SLOW
from device.lights.palettes import BOX
from device.lights.view import REFUSED, view
from device.rules.tiles import NO_TILES, Colour
from device.runtime.loop import equipment_of
from device.table.state import LessonBegun, TagState
from device.table.tags import Tiles, TileTag
from hardware.api import LightFrame, Rgb
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import read_layout
from tests.lights.test_light_laws import Flashes, in_turn, watched
from tests.lights.test_turn_lights import DEAL, SETTLED
from tests.table.simulator import DUO, FULL, Simulator, dealt, empty_table, with_settings
from tests.table.walks import Walk, moments, walks

INDICATORS = read_layout("indicators")
LIGHTS = frozenset(light.name for light in INDICATORS.lights)


def small(sim: Simulator) -> Simulator:
    """Give the table the equipment of the smallest layout."""
    sim.table = with_settings(sim.table, equipment=equipment_of(INDICATORS))
    return sim


def shades(sim: Simulator, light: str, seconds: float = 12.0) -> set[str]:
    """Return the letters of the colours that a light shows without presses; m is the marker."""
    known = {**dict(zip("byrkw", (shade.light for shade in BOX.shades), strict=True)), "m": BOX.marker}
    seen = set()
    for at in range(int(seconds * 16)):
        shown = view(sim.table, sim.now + at / 16, BOX).colour(light)
        seen |= {letter for letter, rgb in known.items() if like(shown, rgb)}
    return seen


def like(shown: Rgb, light: Rgb) -> bool:
    """Return whether a light shows this colour, dimmed or not."""
    peak = max(shown)
    want = [channel * peak / max(light) for channel in light]
    return peak > 40 and all(abs(a - b) <= 4 for a, b in zip(shown, want, strict=True))


def test_the_equipment_follows_from_the_layout() -> None:
    assert equipment_of(FULL).single == equipment_of(DUO).single == ()
    assert equipment_of(FULL).boards
    mine = equipment_of(INDICATORS)
    assert mine.single == tuple(range(10))
    assert not mine.boards
    assert mine.buttons == frozenset(
        {*(f"display.{number}" for number in range(1, 10)), "centre", "ok", "undo"}
    )


@pytest.mark.slow
def test_a_display_shows_each_of_its_colours_in_turn_and_pulses_slowly() -> None:
    sim = small(dealt(DEAL).wait(SETTLED))
    found = [shades(sim, f"display.{display}.1") for display in range(1, 7)]
    assert found == [set("byr"), set("kw"), set("ry"), set("bykw"), set("b"), set()]
    sim.now = 200.0  # where a pulse begins
    assert {sim.rhythm(f"display.{display}.1") for display in (1, 2, 3, 4, 5)} == {"slow"}
    assert sim.rhythm("display.6.1") == "dark"


def test_each_colour_is_shown_for_one_slow_pulse() -> None:
    sim = small(dealt(DEAL).wait(SETTLED))
    start = (sim.now // SLOW + 1) * SLOW
    turns = [view(sim.table, start + SLOW * (at + 0.5), BOX).colour("display.1.1") for at in range(6)]
    assert turns[:3] == turns[3:]
    assert len(set(turns)) == 3
    edges = [view(sim.table, start + SLOW * at, BOX).colour("display.1.1") for at in range(6)]
    assert max(map(max, edges)) < min(map(max, turns)), "the colour changes where the pulse is lowest"


def test_only_the_selected_colour_is_shown_and_pulses_fast() -> None:
    sim = small(dealt(DEAL)).press("display.1", "display.1").wait(SETTLED)
    assert sim.rhythm("display.1.1") == "fast"
    assert shades(sim, "display.1.1") == {"y"}
    assert sim.press("display.4").rhythm("display.4.1") == "fast"
    assert sim.rhythm("display.1.1") == "slow"


def test_only_the_selected_colour_of_a_centre_without_marker_is_shown() -> None:
    sim = dealt(DEAL).choose("display.1", "b").press("seat.1.line.2")
    sim.choose("centre", "y").press("seat.2.line.1").choose("display.2", "k").press("seat.1.line.3")
    small(sim.choose("centre", "r").wait(SETTLED))
    assert shades(sim, "centre.1") == {"r"}


def test_the_centre_shows_the_marker_until_it_is_taken() -> None:
    sim = small(dealt(DEAL).wait(SETTLED))
    assert shades(sim, "centre.1") == {"m"}
    assert sim.rhythm("centre.1") == "steady", "the marker can't be drafted"
    sim.press("display.1", "seat.1.line.3").wait(SETTLED)
    assert shades(sim, "centre.1") == set("myr")
    sim.press("centre", "seat.2.line.1").wait(SETTLED)
    assert shades(sim, "centre.1") == {"r"}


@pytest.mark.parametrize(
    ("button", "light"),
    [("display.7", "display.7.1"), ("seat.2.line.3", "status"), ("seat.2.floor", "status"), ("ok", "status")],
)
def test_a_refused_press_flashes_where_it_was_made_or_at_the_status_light(button: str, light: str) -> None:
    sim = small(dealt(DEAL).wait(SETTLED))
    sim.now = 200.0
    sim.press(button, after=0.0)
    assert sim.colour(light) == REFUSED
    assert [name for name in LIGHTS if sim.colour(name) == REFUSED] == [light]


def test_a_sweep_is_seen_at_the_display_that_the_tiles_leave() -> None:
    sim = small(dealt(DEAL).wait(SETTLED)).press("display.5", "seat.1.line.4", after=0.0)
    seen = [sim.wait(1 / 16).colour("display.5.1") for _ in range(24)]
    assert any(min(light) > 200 for light in seen), "the crest of the sweep is white"
    assert seen[-1] == (0, 0, 0)


def test_the_display_of_the_next_physical_tile_pulses_fast() -> None:
    sim = empty_table()
    sim.table = with_settings(sim.table, physical_tiles=True)
    small(sim).press("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor").wait(SETTLED)
    assert sim.rhythm("display.1.1") == "fast"
    assert sim.rhythm("display.2.1") == "dark"


@pytest.mark.parametrize(("known", "first", "second"), [(3, "fast", "dark"), (4, "steady", "fast")])
def test_a_display_is_steady_when_four_tiles_of_the_colour_are_known(
    known: int, first: str, second: str
) -> None:
    sim = small(empty_table())
    tags = {f"{number:02X}": TileTag(Colour.RED) for number in range(known)}
    sim.table = replace(sim.table, tags=TagState(tags))
    sim.take(LessonBegun(Tiles(Colour.RED), sim.now))
    assert [sim.rhythm(f"display.{display}.1") for display in (1, 2)] == [first, second]


@given(walks, st.floats(0, 3))
def test_sources_light_only_their_single_light_whatever_is_pressed(walk: Walk, late: float) -> None:
    """Every source with tiles is lit in an offer."""
    table = SimulatedTable(INDICATORS)
    for sim in moments(walk):
        small(sim)
        frame = view(sim.table, sim.now + late, BOX)
        table.show(LightFrame({name: light for name, light in frame.lit.items() if name in LIGHTS}))
        assert not {name for name in frame.lit if name.startswith(("display", "centre"))} - LIGHTS
        if sim.table.stage == "offer" and sim.game.movement is None:
            for source, tiles in enumerate(sim.play.state.sources):
                light = f"display.{source}.1" if source else "centre.1"
                if tiles != NO_TILES and frame.colour(light) != REFUSED:
                    assert max(frame.colour(light)) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "buttons",
    [
        ("display.1",),
        ("display.1", "display.2"),
        ("display.7",),
        ("display.1", "seat.1.floor", "undo", "undo"),
    ],
)
def test_nothing_flashes_more_than_three_times_a_second(buttons: tuple[str, ...]) -> None:
    for every in (1, 2, 5):
        flashes: Flashes = watched(small(dealt(DEAL)), in_turn(every, *buttons), seconds=4)
        assert 1 <= flashes.worst <= 3, (buttons, every, flashes.light)
