"""The frame cache: frames of a table at rest repeat, are made once, and are the same as new ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import FRAMES_A_SECOND, SLOW, frame_time
from device.lights.palettes import BOX, DISTINCT
from device.lights.view import FrameCache, repeats_after, view
from device.rules.game import Setup
from device.runtime.loop import equipment_of
from device.table.score_animation import OPENING
from device.table.state import Question
from hardware.api import LightFrame
from hardware.layout.model import Layout, read_layout
from hardware.power import limit
from tests.table.opponents import begin_with, random_choice, reply_to_all
from tests.table.simulator import FULL, Simulator, empty_table, playing, with_game, with_settings
from tests.table.walks import SETUPS, Start, Walk, moments, walks

INDICATORS = read_layout("indicators")
layouts = st.sampled_from([FULL, INDICATORS])
SETTLED = 8.0
"""Seconds after which no movement is shown any more, with physical tiles, too."""


def at(layout: Layout, sim: Simulator) -> Simulator:
    """Give a simulated table the equipment of a layout."""
    sim.table = with_settings(sim.table, equipment=equipment_of(layout))
    return sim


def frame_cache(layout: Layout) -> FrameCache:
    """Return a frame cache for a layout."""
    return FrameCache([light.name for light in layout.lights], lambda frame: limit(frame, layout.supply))


def new_frame(layout: Layout, sim: Simulator, now: float) -> LightFrame:
    """Return a frame that does not come from a cache."""
    names = {light.name for light in layout.lights}
    lit = view(sim.table, now, BOX).lit
    return limit(LightFrame({name: light for name, light in lit.items() if name in names}), layout.supply)


@given(walks, layouts, st.floats(0, 3), st.integers(1, 1000))
def test_the_frames_of_a_table_at_rest_repeat(walk: Walk, layout: Layout, late: float, times: int) -> None:
    for sim in moments(walk):
        at(layout, sim)
        now = frame_time(sim.now + late)
        period = repeats_after(sim.table, now)
        if period is not None:
            assert view(sim.table, now + times * period, BOX) == view(sim.table, now, BOX)


@given(walks, layouts)
def test_cached_frames_equal_new_frames(walk: Walk, layout: Layout) -> None:
    frames = frame_cache(layout)
    for sim in moments(walk):
        at(layout, sim)
        for late in (0.0, 0.3, SLOW, SLOW + 0.3, SETTLED, SETTLED + SLOW):
            now = sim.now + late
            assert frames.at(sim.table, now, BOX) == new_frame(layout, sim, now)


@pytest.mark.parametrize("setup", [SETUPS[0], SETUPS[3]], ids=str)
def test_frames_of_a_score_animation_that_waits_are_not_cached(setup: Setup) -> None:
    """The animation of a step begins once, though the step stays on show while the table asks a question."""
    sim = Start(setup, 2, 30, to="scoring").simulator().wait(OPENING + 0.01)
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD, movement=None)
    frames = frame_cache(FULL)
    seen = []
    for step in range(int(2 * SLOW * FRAMES_A_SECOND)):
        now = sim.now + step / FRAMES_A_SECOND
        assert frames.at(sim.table, now, BOX) == new_frame(FULL, sim, now)
        seen.append(frames.at(sim.table, now, BOX).lit)
    assert seen[: len(seen) // 2] != seen[len(seen) // 2 :], "the second period differs from the first"


@pytest.mark.parametrize("mode", ["", "standard", "gray", "dtc", "solo"])
@pytest.mark.parametrize("pressed", [(), ("display.1",), ("ok",)])
def test_a_table_without_presses_comes_to_rest(mode: str, pressed: tuple[str, ...]) -> None:
    """An idle table once made 16 frames a second for ever."""
    sim = (playing(mode) if mode else empty_table()).press(*pressed).wait(SETTLED)
    frames = frame_cache(FULL)
    for step in range(int(SLOW * FRAMES_A_SECOND)):
        now = sim.now + step / FRAMES_A_SECOND
        assert frames.at(sim.table, now, BOX) is frames.at(sim.table, now + SLOW, BOX)


def test_another_palette_makes_other_frames() -> None:
    sim = playing().wait(SETTLED)
    frames = frame_cache(FULL)
    assert frames.at(sim.table, sim.now, BOX) != frames.at(sim.table, sim.now, DISTINCT)


def test_moves_of_physical_tiles_are_shown_until_ok() -> None:
    """People move an opponent's tiles, for as long as they like."""
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
