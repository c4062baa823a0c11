"""Score lights during a score animation: one ten and one unit for each player, changed at their time."""

from __future__ import annotations

import pytest

from device.lights.palettes import BOX
from device.lights.view import view
from device.rules.scoring import TilePlaced
from device.table import score_animation
from device.table.score_animation import OPENING
from device.table.state import Stage
from hardware import api
from tests.table.simulator import Simulator
from tests.table.walks import SETUPS, Start

SCORING = [Start(setup, 2, 30, to="scoring") for setup in SETUPS[:3]]


def score_at(sim: Simulator, place: int, at: float) -> int:
    """Return the score that a place's lights show at a time; exactly one ten and one unit must be lit."""
    lit = view(sim.table, at, BOX).lit
    (ten,) = [digit for digit in range(10) if api.tens_light(place, digit) in lit]
    (unit,) = [digit for digit in range(10) if api.units_light(place, digit) in lit]
    return 10 * ten + unit


@pytest.mark.parametrize("start", SCORING, ids=lambda start: f"{len(start.setup.players)} players")
def test_every_score_is_always_one_ten_and_one_unit(start: Start) -> None:
    sim = start.simulator()
    for _ in range(2000):
        if sim.table.stage is not Stage.SCORING:
            break
        for place in sim.play.places:
            assert score_at(sim, place, sim.now) >= 0
        sim.wait(1 / 8)
    assert sim.table.stage is not Stage.SCORING


def test_the_points_of_a_tile_come_in_the_last_quarter_of_its_step() -> None:
    """People first see what counts."""
    sim = SCORING[0].simulator().wait(OPENING)
    while sim.table.stage is Stage.SCORING:
        animation, account = sim.game.animation, sim.play.state.account
        assert animation is not None and account is not None
        step = account.steps[animation.shown - 1]
        if animation.shown and isinstance(step.item, TilePlaced):
            place, seconds = sim.play.places[step.seat], score_animation.seconds(step)
            before = account.boards_after(animation.shown - 1)[step.seat].score
            assert before < step.item.board.score
            assert score_at(sim, place, animation.since + 0.7 * seconds) == before
            assert score_at(sim, place, animation.since + 0.8 * seconds) == step.item.board.score
        sim.press("ok")
