"""The score animation: its steps in time and in light, skipping, and questions during it."""

from __future__ import annotations

from random import Random

import pytest

from device.lights.palettes import BOX
from device.lights.view import CREST
from device.rules.game import Setup
from device.rules.scoring import FloorCharged, TilePlaced
from device.socket.snapshot import Json, snapshot
from device.store.saved_table import from_saved_table, to_saved_table
from device.table import score_animation
from device.table.prompts import live_buttons, prompt
from device.table.score_animation import CLOSING, OPENING
from device.table.state import Question, Stage, TableSettings, new_table
from device.table.tag_input import new_game
from tests.table.simulator import (
    Simulator,
    dealt,
    midway,
    to_end_of_round,
)

PLACED = 1.6
FLOOR = 1.2
"""Seconds of a placed tile and of a charged floor."""


def scoring() -> Simulator:
    """Return a game of two whose first round has just been drafted.

    Ana places r in row 1, b in row 2, w in row 3 below it, b in row 4, and pays 2 for her floor; Rui places
    b, k and y, each alone, and pays 2 for the marker and a tile.
    """
    sim = dealt("bbyr kkww rryy bykw bbbb")
    sim.press("display.1", "seat.1.line.2", "display.2", "seat.2.line.2")
    sim.choose("display.3", "r").press("seat.1.line.1", "display.4", "seat.2.line.1")
    sim.press("display.5", "seat.1.line.4")
    sim.choose("centre", "y").press("seat.2.line.3").choose("centre", "r").press("seat.1.floor")
    sim.choose("centre", "k").press("seat.2.line.4").choose("centre", "w").press("seat.1.line.3")
    assert sim.table.stage is Stage.SCORING
    return sim


def scores(sim: Simulator) -> list[int]:
    """Return the scores of the first two seats in the snapshot."""
    return [seat["score"] for seat in snapshot(sim.table, BOX)["seats"][:2]]


def steps(sim: Simulator) -> list[Json]:
    """Return the steps of the account in the snapshot."""
    shown: list[Json] = snapshot(sim.table, BOX)["account"]["steps"]
    return shown


# --- In time ---


def test_nothing_is_scored_during_the_opening() -> None:
    sim = scoring().wait(OPENING - 0.05)
    assert prompt(sim.table).key == "scoring_begins"
    assert steps(sim) == []
    assert scores(sim) == [0, 0]


def test_one_step_after_another_each_in_its_time() -> None:
    sim = scoring()
    seen = [(0.0, scores(sim))]
    start = sim.now
    while sim.game.animation is not None:
        sim.wait(0.05)
        if scores(sim) != seen[-1][1]:
            seen.append((round(sim.now - start, 1), scores(sim)))
    begins = [0.0, OPENING, *[OPENING + PLACED * done for done in (1, 2, 3, 4)]]
    rui = OPENING + 4 * PLACED + FLOOR
    begins += [rui, rui + PLACED, rui + 2 * PLACED, rui + 3 * PLACED]
    assert [at for at, _ in seen] == pytest.approx(begins, abs=0.1)
    expected = [[0, 0], [1, 0], [2, 0], [4, 0], [5, 0], [3, 0], [3, 1], [3, 2], [3, 3], [3, 1]]
    assert [shown for _, shown in seen] == expected
    assert sim.now - start == pytest.approx(rui + 3 * PLACED + FLOOR + CLOSING, abs=0.1)
    assert sim.play.state.round == 2


def test_the_snapshot_has_the_steps_shown_so_far() -> None:
    sim = scoring().wait(OPENING + 2.5 * PLACED)
    placed = {"step": "placed", "seat": 1, "name": "Ana"}
    assert steps(sim) == [
        {**placed, "row": 1, "column": 3, "colour": "r", "across": 1, "down": 1, "points": 1, "score": 1},
        {**placed, "row": 2, "column": 2, "colour": "b", "across": 1, "down": 1, "points": 1, "score": 2},
        {**placed, "row": 3, "column": 2, "colour": "w", "across": 1, "down": 2, "points": 2, "score": 4},
    ]
    assert prompt(sim.table).key == "scoring"
    assert prompt(sim.table).values == {"seat": 1, "name": "Ana"}
    shown = snapshot(sim.table, BOX)
    assert shown["account"]["running"]
    assert shown["seats"][0]["lines"][3] == "bbbb", "row 4 is not scored yet"
    assert shown["seats"][0]["wall"] == ["..r..", ".b...", ".w...", ".....", "....."]


def test_the_account_stays_to_be_read_in_the_next_round() -> None:
    sim = scoring().press("ok")
    assert not snapshot(sim.table, BOX)["account"]["running"]
    assert len(steps(sim)) == 9
    assert [step["step"] for step in steps(sim)].count("floor") == 2


def test_time_in_one_leap_does_the_same_as_in_small_steps() -> None:
    leap, small = scoring(), scoring()
    leap.wait(5.0)
    for _ in range(100):
        small.wait(0.05)
    assert steps(leap) == steps(small) != []
    one, other = leap.game.animation, small.game.animation
    assert one is not None
    assert other is not None
    assert one.since == pytest.approx(other.since)
    assert leap.wait(60).play == small.wait(60).play


def test_an_empty_floor_takes_no_time() -> None:
    sim = dealt("bbbb kkkk rrrr yyyy wwww")
    for display, line in zip(range(1, 6), (4, 4, 5, 5, 1), strict=True):
        sim.press(f"display.{display}", f"seat.{sim.table.acting_place}.line.{line}")
    account = sim.play.state.account
    assert account is not None
    empty = [step for step in account.steps if isinstance(step.item, FloorCharged) and not step.item.tiles]
    assert [step.seat for step in empty] == [1]
    assert score_animation.seconds(empty[0]) == 0


def test_ok_skips_the_remaining_steps() -> None:
    sim = scoring().wait(OPENING + PLACED)
    assert sim.refused("ok") is None
    assert sim.game.animation is None
    assert sim.play.state.round == 2
    assert scores(sim) == [3, 1]


def asked(question: Question) -> Simulator:
    """Return a score animation with a question: after a power cut, or after a new-game card."""
    sim = scoring().wait(OPENING + 1.5 * PLACED)
    if question is Question.STOP_GAME:
        sim.table = new_game(sim.table)
    else:
        kept = to_saved_table(sim.table)
        sim.table = from_saved_table(kept, sim.play, new_table(TableSettings(4, 9)), sim.now)
    assert sim.game.question is question
    return sim


@pytest.mark.parametrize("question", [Question.YOUR_BOARD, Question.STOP_GAME])
def test_a_score_animation_waits_for_the_answer(question: Question) -> None:
    """It once went on while the table asked "is this your board?" after a power cut."""
    sim = asked(question)
    shown = steps(sim)
    sim.wait(100.0)
    assert sim.table.stage is Stage.SCORING
    assert steps(sim) == shown
    assert sim.refused("display.1") == "not_now"
    assert sim.game.question is question


@pytest.mark.parametrize(("question", "answer"), [(Question.YOUR_BOARD, "ok"), (Question.STOP_GAME, "undo")])
def test_after_the_answer_the_step_on_show_begins_again(question: Question, answer: str) -> None:
    sim = asked(question).wait(100.0).press(answer)
    shown = steps(sim)
    assert len(shown) == 2
    assert steps(sim.wait(PLACED - 0.05)) == shown
    assert len(steps(sim.wait(0.1))) == 3


def test_undo_answers_a_scoring_and_takes_the_last_draft_back() -> None:
    sim = asked(Question.YOUR_BOARD).wait(100.0).press("undo")
    assert sim.game.question is None
    assert sim.table.stage is Stage.OFFER


def test_in_a_score_animation_only_ok_and_undo_are_live() -> None:
    sim = scoring()
    assert live_buttons(sim.table) == ("ok", "undo")
    assert sim.refused("display.1") == "not_now"
    assert sim.refused("seat.1.line.1") == "not_now"
    assert sim.rhythm("status") == "slow"


def test_a_skipped_last_score_animation_leaves_no_sweep() -> None:
    sim = midway(Setup("standard", ("Ana", "Rui")), 3, 0)
    random = Random(3)
    while sim.table.stage is not Stage.OVER:
        to_end_of_round(sim, random).press("ok")
    assert CREST not in sim.wait(1 / 16).frame.lit.values()


# --- In light ---


def brightness(sim: Simulator, light: str) -> int:
    """Return the brightest channel of a light."""
    return max(sim.colour(light))


def test_a_placed_tile_then_its_runs_then_the_points() -> None:
    """Row 3's white tile, which is the lower one of two: arrives, across, down, points."""
    sim = scoring().wait(OPENING + 2 * PLACED + 0.1)
    tile, above, other = "seat.1.wall.3.2", "seat.1.wall.2.2", "seat.1.wall.1.3"
    assert brightness(sim, tile) > 200
    assert brightness(sim, above) < 100
    sim.wait(PLACED / 4)
    assert brightness(sim, tile) > 200, "its run across is itself alone"
    assert brightness(sim, above) < 100
    sim.wait(PLACED / 4)
    assert brightness(sim, tile) > 200
    assert brightness(sim, above) > 200, "its run down"
    assert brightness(sim, other) < 100
    assert brightness(sim, "seat.1.units.2") > 0, "the points come last"
    sim.wait(PLACED / 4)
    assert brightness(sim, "seat.1.units.2") == 0
    assert brightness(sim, "seat.1.units.4") > 0
    assert brightness(sim, "seat.2.units.0") < brightness(sim, "seat.1.units.4"), "who only looks on"


def test_the_line_is_empty_once_its_tile_is_on_the_wall() -> None:
    sim = scoring().wait(OPENING + 0.1)
    assert brightness(sim, "seat.1.wall.1.3") > 0
    assert brightness(sim, "seat.1.line.1.1") == 0
    assert brightness(sim, "seat.1.line.2.1") > 0, "the next line still has its tiles"


def test_a_floor_is_shown_before_its_points_go() -> None:
    sim = scoring().wait(OPENING + 4 * PLACED + 0.1)
    seen = [brightness(sim.wait(1 / 16), "seat.1.floor.2") for _ in range(8)]
    assert max(seen) > 200
    assert min(seen) < 100, "it pulses"
    assert brightness(sim, "seat.1.units.5") > 0
    sim.wait(0.4)
    assert brightness(sim, "seat.1.floor.2") == 0
    assert brightness(sim, "seat.1.units.3") > 0


def test_no_sweep_runs_into_the_first_step() -> None:
    """The longest sweep lasts longer than the opening; its white front once shone on in the first step."""
    sim = to_end_of_round(midway(Setup("standard", ("Ana", "Rui", "Eva", "Tom")), 2, 0), Random(2))
    sim.wait(OPENING)
    assert sim.game.animation is not None
    assert sim.game.animation.shown == 1
    for _ in range(4):
        sim.wait(0.05)
        assert CREST not in sim.frame.lit.values()


def test_every_placed_tile_of_a_game_is_shown() -> None:
    sim = midway(Setup("standard", ("Ana", "Rui")), 9, 0)
    shown = 0
    while sim.table.stage is not Stage.OVER:
        to_end_of_round(sim, Random(9))
        account = sim.play.state.account
        assert account is not None
        shown += sum(isinstance(step.item, TilePlaced) for step in account.steps)
        sim.skip()
    on_walls = sum(tile is not None for board in sim.play.state.boards for row in board.wall for tile in row)
    assert shown == on_walls
