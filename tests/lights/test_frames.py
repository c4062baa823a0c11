"""Successive frames: a table at rest is painted once, moves smoothly, and shows what the view shows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import FRAMES_A_SECOND, SLOW, frame_time
from device.lights.palettes import BOX, DISTINCT
from device.lights.view import REFUSED, SWEEP, FrameMaker, is_passing, view
from device.rules.game import Setup
from device.runtime.loop import equipment_of
from device.table.score_animation import OPENING
from device.table.state import Question
from hardware.api import LightFrame
from hardware.layout.model import Layout, read_layout
from hardware.power import CurrentLimiter
from tests.table.opponents import begin_with, random_choice, reply_to_all
from tests.table.simulator import FULL, Simulator, empty_table, playing, with_game, with_settings
from tests.table.walks import SETUPS, Start, Walk, moments, walks

INDICATORS = read_layout("indicators")
layouts = st.sampled_from([FULL, INDICATORS])
LIMITERS = {layout.name: CurrentLimiter(layout) for layout in (FULL, INDICATORS)}
SETTLED = 8.0
"""Seconds after which no movement is shown any more, with physical tiles, too."""


def at(layout: Layout, sim: Simulator) -> Simulator:
    """Give a simulated table the equipment of a layout."""
    sim.table = with_settings(sim.table, equipment=equipment_of(layout))
    return sim


def frame_maker(layout: Layout) -> FrameMaker:
    return FrameMaker([light.name for light in layout.lights], LIMITERS[layout.name].limit)


def new_frame(layout: Layout, sim: Simulator, now: float) -> LightFrame:
    """Return a frame that is painted anew."""
    names = {light.name for light in layout.lights}
    lit = view(sim.table, now, BOX).lit
    frame = LightFrame({name: light for name, light in lit.items() if name in names})
    return LIMITERS[layout.name].limit(frame)


@given(walks, layouts)
def test_successive_frames_equal_new_frames(walk: Walk, layout: Layout) -> None:
    frames = frame_maker(layout)
    for sim in moments(walk):
        at(layout, sim)
        for late in (0.0, 0.01, 0.3, SLOW, SLOW + 0.3, SETTLED, SETTLED + SLOW):
            now = sim.now + late
            shown_at = now if is_passing(sim.table, now) else frame_time(now)
            assert frames.at(sim.table, now, BOX) == new_frame(layout, sim, shown_at)


@given(walks, st.floats(0, 0.999))
def test_rhythms_change_at_frame_times_only(walk: Walk, part: float) -> None:
    """Between two frame times the frame is the same, however often the loop turns."""
    frames = frame_maker(FULL)
    for sim in moments(walk):
        step = frame_time(sim.now + SETTLED)
        if not is_passing(sim.table, step):
            shown = frames.at(sim.table, step, BOX)
            assert frames.at(sim.table, step + part / (FRAMES_A_SECOND + 1), BOX) == shown


@pytest.mark.parametrize("setup", [SETUPS[0], SETUPS[3]], ids=str)
def test_a_score_animation_that_waits_is_painted_anew(setup: Setup) -> None:
    """The animation of a step begins once, though the step stays on show while the table asks a question."""
    sim = Start(setup, 2, 30, to="scoring").simulator().wait(OPENING + 0.01)
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD, movement=None)
    frames = frame_maker(FULL)
    seen = []
    for step in range(int(2 * SLOW * FRAMES_A_SECOND)):
        now = sim.now + step / FRAMES_A_SECOND
        assert frames.at(sim.table, now, BOX) == new_frame(FULL, sim, now)
        seen.append(frames.at(sim.table, now, BOX).lit)
    assert seen[: len(seen) // 2] != seen[len(seen) // 2 :], "the second period differs from the first"


@pytest.mark.parametrize("mode", ["", "standard", "gray", "dtc", "solo"])
@pytest.mark.parametrize("pressed", [(), ("display.1",), ("ok",)])
def test_a_table_without_presses_comes_to_rest(mode: str, pressed: tuple[str, ...]) -> None:
    """An idle table was once painted for every frame."""
    sim = (playing(mode) if mode else empty_table()).press(*pressed).wait(SETTLED)
    assert not is_passing(sim.table, sim.now)


def test_a_refusal_flashes_in_the_frame_after_the_press() -> None:
    """It once began at the next frame time, up to 62 ms later."""
    sim = playing().wait(SETTLED)
    frames = frame_maker(FULL)
    sim.press("seat.1.floor")
    assert sim.table.refusal is not None
    flash = frames.at(sim.table, sim.table.refusal.at, BOX)
    assert {flash.colour(f"seat.1.floor.{at}") for at in range(1, 8)} == {REFUSED}


def test_moving_lights_have_a_new_colour_in_every_frame() -> None:
    """At least 40 a second: below that the eye sees steps."""
    sim = playing().wait(SETTLED)
    frames = frame_maker(FULL)
    seen = [frames.at(sim.table, sim.now + step / 480, BOX) for step in range(480)]
    assert sum(one != next_one for one, next_one in pairwise(seen)) >= 40
    assert frames.next_time(sim.now) - sim.now <= 1 / 40


def test_a_sweep_passes_evenly_from_light_to_light() -> None:
    """Its crest once jumped from light to light, 16 times a second at the most."""
    sim = playing().wait(SETTLED).press("display.1", "seat.1.line.5")
    assert sim.game.movement is not None
    frames = frame_maker(FULL)
    seen = []
    for step in range(int(SWEEP * 2 * FRAMES_A_SECOND)):
        frame = frames.at(sim.table, sim.game.movement.at + step / FRAMES_A_SECOND, BOX)
        seen.append(tuple(frame.lit.items()))
    assert len(set(seen)) == len(seen)


def test_a_sweep_looked_at_before_its_press_shows_its_beginning() -> None:
    """Clocks of driver threads are read apart from the loop's."""
    sim = playing().wait(SETTLED).press("display.1", "seat.1.line.5")
    assert sim.game.movement is not None
    at = sim.game.movement.at
    assert view(sim.table, at - 0.01, BOX).lit == view(sim.table, at, BOX).lit


def test_another_palette_makes_other_frames() -> None:
    sim = playing().wait(SETTLED)
    frames = frame_maker(FULL)
    assert frames.at(sim.table, sim.now, BOX) != frames.at(sim.table, sim.now, DISTINCT)


def test_moves_of_physical_tiles_are_shown_until_ok() -> None:
    """People move an opponent's tiles, for as long as they like."""
    sim = begin_with("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        sim.report_letter(letter)
    reply_to_all(sim, random_choice(1)).wait(30)
    assert sim.game.tiles_to_move
    assert not is_passing(sim.table, sim.now)
    now = frame_time(sim.now)
    pulse = [
        view(sim.table, now + step / FRAMES_A_SECOND, BOX) for step in range(int(SLOW * FRAMES_A_SECOND))
    ]
    assert len({tuple(frame.lit.values()) for frame in pulse}) > 1
    for step, frame in enumerate(pulse):
        assert view(sim.table, now + 60 + step / FRAMES_A_SECOND, BOX) == frame
