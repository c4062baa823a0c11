"""The end of solo games: losses, and the final scoring step by step (S7, S10, S12 to S14)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from device.bots.simple import play_greedy
from device.lights.palettes import BOX
from device.rules.events import (
    Draft,
)
from device.rules.game import Setup
from device.rules.solo.scoring import Ending, SoloOutcome
from device.socket.snapshot import snapshot
from device.table.state import Stage
from tests.table.simulator import (
    Simulator,
    midway,
)

SOLO = Setup("solo", ("Ana",), 0, "easy", "coloured")


def recklessly(seed: int) -> Simulator:
    """Play without care for the penalty row."""
    sim = midway(replace(SOLO, level="expert"), seed, 0)
    random = Random(seed)
    while sim.table.stage is not Stage.OVER:
        if sim.table.stage is Stage.SCORING:
            sim.wait(300)
        else:
            sim.make(random.choice(sim.play.state.legal()))
    return sim


def greedily(seed: int) -> Simulator:
    """Play as a bot that looks one move ahead."""
    sim = midway(SOLO, seed, 0)
    random = Random(seed)
    while sim.table.stage is not Stage.OVER:
        if sim.table.stage is Stage.SCORING:
            sim.skip()
        else:
            sim.make(play_greedy(sim.play.state, random.randrange))
    return sim


def ended_by(ending: Ending) -> Simulator:
    """Return a game with such an end."""
    for seed in range(300):
        sim = recklessly(seed) if seed % 2 else greedily(seed)
        outcome = sim.play.state.outcome()
        assert isinstance(outcome, SoloOutcome)
        if outcome.ending is ending:
            return sim
    pytest.fail(f"no game ended by {ending}")


def test_an_eighth_penalty_tile_loses_at_once() -> None:
    sim = ended_by(Ending.EIGHTH_TILE)
    assert isinstance(sim.play.events[-1], Draft)
    result = snapshot(sim.table, BOX)["result"]
    assert (result["victory"], result["rule"], result["ending"]) == ("loss", "S7", "eighth_tile")
    assert sim.press("undo").table.stage is Stage.OFFER


@pytest.mark.slow
def test_a_score_of_0_loses_after_its_score_animation() -> None:
    sim = ended_by(Ending.NO_POINTS)
    result = snapshot(sim.table, BOX)["result"]
    assert (result["score"], result["victory"], result["rule"]) == (0, "loss", "S10")
    account = sim.play.state.account
    assert account is not None
    assert type(account.steps[-1].item).__name__ == "PenaltyCharged"


def test_the_end_is_scored_step_by_step() -> None:
    sim = ended_by(Ending.ROW_COMPLETE)
    shown = snapshot(sim.table, BOX)
    steps = [step["step"] for step in shown["account"]["steps"]]
    assert "penalty_row_counted" in steps
    assert shown["account"]["steps"][-1]["score"] == shown["result"]["score"]
    assert shown["result"]["ending"] == "row_complete"
    assert (shown["result"]["rule"] == "S14") == (shown["result"]["victory"] == "loss")
