"""The frames of a table at rest come again and again: they are made once, and are what would be made anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import FRAMES_A_SECOND, SLOW, frame_time
from device.lights.palettes import BOX, DISTINCT
from device.lights.view import FrameCache, repeats_after, view
from device.runtime.loop import Options, fittings
from hardware.api import LightFrame
from hardware.layout.model import Layout, read_layout
from hardware.power import limit
from tests.table.opponents import begin_with, random_choice, reply_to_all
from tests.table.simulator import FULL, Simulator, empty_table, playing, with_settings
from tests.table.walks import Walk, moments, walks

INDICATORS = read_layout("indicators")
layouts = st.sampled_from([FULL, INDICATORS])
SETTLED = 8.0
"""Seconds after which nothing is on its way any more, tiles of resin included."""


def at(layout: Layout, sim: Simulator) -> Simulator:
    """The same hands at the table of a layout."""
    sim.table = with_settings(sim.table, equipment=fittings(layout, Options()))
    return sim


def frames_of(layout: Layout) -> FrameCache:
    """What makes a layout's frames."""
    return FrameCache([light.name for light in layout.lights], lambda frame: limit(frame, layout.supply))


def made(layout: Layout, sim: Simulator, now: float) -> LightFrame:
    """A frame, without any that were made before."""
    names = {light.name for light in layout.lights}
    lit = view(sim.table, now, BOX).lit
    return limit(LightFrame({name: light for name, light in lit.items() if name in names}), layout.supply)


@given(walks, layouts, st.floats(0, 3), st.integers(1, 1000))
def test_a_table_at_rest_looks_the_same_again_and_again(
    walk: Walk, layout: Layout, late: float, times: int
) -> None:
    for sim in moments(walk):
        at(layout, sim)
        now = frame_time(sim.now + late)
        period = repeats_after(sim.table, now)
        if period is not None:
            assert view(sim.table, now + times * period, BOX) == view(sim.table, now, BOX)


@given(walks, layouts)
def test_frames_that_are_kept_are_those_that_would_be_made(walk: Walk, layout: Layout) -> None:
    frames = frames_of(layout)
    for sim in moments(walk):
        at(layout, sim)
        for late in (0.0, 0.3, SLOW, SLOW + 0.3, SETTLED, SETTLED + SLOW):
            now = sim.now + late
            assert frames.at(sim.table, now, BOX) == made(layout, sim, now)


@pytest.mark.parametrize("mode", ["", "standard", "gray", "dtc", "solo"])
@pytest.mark.parametrize("pressed", [(), ("display.1",), ("ok",)])
def test_a_table_that_nobody_touches_comes_to_rest(mode: str, pressed: tuple[str, ...]) -> None:
    """An idle table once painted all its lights 16 times a second, for ever."""
    sim = (playing(mode) if mode else empty_table()).press(*pressed).wait(SETTLED)
    frames = frames_of(FULL)
    for step in range(int(SLOW * FRAMES_A_SECOND)):
        now = sim.now + step / FRAMES_A_SECOND
        assert frames.at(sim.table, now, BOX) is frames.at(sim.table, now + SLOW, BOX)


def test_another_palette_is_other_frames() -> None:
    sim = playing().wait(SETTLED)
    frames = frames_of(FULL)
    assert frames.at(sim.table, sim.now, BOX) != frames.at(sim.table, sim.now, DISTINCT)


def test_hands_that_are_shown_what_to_move_may_take_their_time() -> None:
    """With tiles of resin the table guides them until they say that it is done."""
    sim = begin_with("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        sim.report_letter(letter)
    reply_to_all(sim, random_choice(1)).wait(30)
    assert sim.game.tiles_to_move
    assert repeats_after(sim.table, sim.now) == SLOW
    now = frame_time(sim.now)
    pulse = [
        view(sim.table, now + step / FRAMES_A_SECOND, BOX) for step in range(int(SLOW * FRAMES_A_SECOND))
    ]
    assert len({tuple(frame.lit.values()) for frame in pulse}) > 1
    for step, frame in enumerate(pulse):
        assert view(sim.table, now + 60 + step / FRAMES_A_SECOND, BOX) == frame
