"""The celebration of the winner in light: calm, over in its time, and then at rest."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from device.lights.animation import FRAMES_A_SECOND
from device.lights.celebration import SECONDS, is_celebrating, winners
from device.lights.flash_limiter import FlashLimiter, limit_flashes
from device.lights.palettes import BOX
from device.lights.view import FrameMaker, is_passing, view
from device.rules.game import Setup
from device.rules.solo.game import SoloState
from device.rules.solo.scoring import Ending
from device.table.state import Stage
from hardware.power import CurrentLimiter
from tests.table.simulator import FULL, Simulator, midway, to_end, to_end_of_round

SETUP = Setup("standard", ("Ana", "Rui", "Eva"))
ENDING = to_end(midway(SETUP, 3, 0), Random(3))


def just_over() -> Simulator:
    """Return a table at the moment when the scoring of a game has been shown."""
    return replace(ENDING, pressed=[])


def board_lights(place: int) -> list[str]:
    """Return the lights of a wall."""
    return [f"seat.{place}.wall.{row}.{column}" for row in range(1, 6) for column in range(1, 6)]


def test_the_winners_board_shimmers_and_the_others_are_dim() -> None:
    sim = just_over()
    won = winners(sim.play)
    assert len(won) == 1
    sim.wait(2.0)
    for seat, place in enumerate(sim.play.places):
        levels = sim.levels(*board_lights(place), seconds=2.5)
        moving = sum(max(each) - min(each) > 40 for each in levels.values())
        assert moving == 25 if seat in won else moving == 0
        if seat not in won:
            assert max(map(max, levels.values())) < 0.3 * 255


def test_it_is_over_in_its_time_and_then_the_winner_is_shown_at_rest() -> None:
    sim = just_over()
    assert is_passing(sim.table, sim.now + SECONDS - 0.1)
    assert not is_passing(sim.table, sim.now + SECONDS + 0.1)
    sim.wait(SECONDS + 0.1)
    assert sim.table.stage is Stage.OVER
    won = winners(sim.play)
    for seat, place in enumerate(sim.play.places):
        assert sim.rhythm(f"seat.{place}.turn") == ("steady" if seat in won else "dark")
        assert all(sim.rhythm(light) in ("steady", "dark") for light in board_lights(place))


def test_it_begins_when_the_scoring_was_shown_to_its_end_too() -> None:
    """Not only when `ok` skips the scoring."""
    sim = to_end_of_round(midway(SETUP, 3, 0), Random(3))
    while sim.table.stage is not Stage.OVER:
        sim = to_end_of_round(sim, Random(3))
        while sim.table.stage is Stage.SCORING:
            sim.wait(1.0)
    assert sim.game.over_since is not None
    assert sim.now - sim.game.over_since < 1.0


def test_undo_ends_it() -> None:
    sim = just_over().press("undo")
    assert sim.table.stage is not Stage.OVER
    assert sim.game.over_since is None


def test_it_stays_within_the_flash_limit_without_help() -> None:
    """The limiter has nothing to hold back."""
    sim, limiter = just_over(), FlashLimiter()
    for at in range(int(SECONDS * FRAMES_A_SECOND)):
        now = sim.now + 0.3 + at / FRAMES_A_SECOND
        frame = view(sim.table, now, BOX)
        limiter = limit_flashes(limiter, frame, now)
        assert limiter.frame.lit == frame.lit, now


def test_it_stays_within_the_supply() -> None:
    sim, limiter = just_over(), CurrentLimiter(FULL)
    maker = FrameMaker([light.name for light in FULL.lights], limiter.limit)
    for at in range(int(SECONDS * 4)):
        assert limiter.milliamperes(maker.at(sim.table, sim.now + at / 4, BOX)) <= FULL.supply.budget


def test_a_solo_game_is_celebrated_unless_it_was_lost() -> None:
    lost = to_end(midway(Setup("solo", ("Ana",), 0, "easy", "coloured"), 3, 0), Random(3))
    assert winners(lost.play) == ()
    assert not is_celebrating(lost.play, 100.0, 101.0)
    state = lost.play.state
    assert isinstance(state, SoloState)
    player, action = state.boards
    better = replace(state, boards=(replace(player, score=77), action), ending=Ending.ROW_COMPLETE)
    won = replace(lost.play, state=better)
    assert winners(won) == (0, 1)
    assert is_celebrating(won, 100.0, 101.0)
    assert not is_celebrating(won, 100.0, 100.0 + SECONDS)
    assert not is_celebrating(won, None, 101.0)
