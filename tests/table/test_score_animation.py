"""Scoring aloud in light, step by step in time; `ok` skips ahead."""

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
from device.table.state import Question, Stage, new_table
from device.table.tag_input import new_game
from tests.table.hands import (
    Hands,
    dealt,
    midway,
    to_end_of_round,
)

PLACED = 1.6
FLOOR = 1.2
"""Seconds of a placed tile and of a charged floor."""


def scoring() -> Hands:
    """Two players whose first round has just been drafted.

    Ana places r in row 1, b in row 2, w in row 3 below it, b in row 4, and pays 2 for her floor; Rui places
    b, k and y, each alone, and pays 2 for the marker and a tile.
    """
    hands = dealt("bbyr kkww rryy bykw bbbb")
    hands.press("display.1", "seat.1.line.2", "display.2", "seat.2.line.2")
    hands.choose("display.3", "r").press("seat.1.line.1", "display.4", "seat.2.line.1")
    hands.press("display.5", "seat.1.line.4")
    hands.choose("centre", "y").press("seat.2.line.3").choose("centre", "r").press("seat.1.floor")
    hands.choose("centre", "k").press("seat.2.line.4").choose("centre", "w").press("seat.1.line.3")
    assert hands.table.stage is Stage.SCORING
    return hands


def scores(hands: Hands) -> list[int]:
    """The scores of the first two seats as the pages show them."""
    return [seat["score"] for seat in snapshot(hands.table, BOX)["seats"][:2]]


def steps(hands: Hands) -> list[Json]:
    """The steps of the account that the pages show so far."""
    told: list[Json] = snapshot(hands.table, BOX)["account"]["steps"]
    return told


# --- In time ---------------------------------------------------------------------------------------------


def test_nothing_is_scored_before_the_last_tiles_lay_a_moment() -> None:
    hands = scoring().wait(OPENING - 0.05)
    assert prompt(hands.table).say == "scoring_begins"
    assert steps(hands) == []
    assert scores(hands) == [0, 0]


def test_one_step_after_another_each_in_its_time() -> None:
    hands = scoring()
    seen = [(0.0, scores(hands))]
    start = hands.now
    while hands.game.animation is not None:
        hands.wait(0.05)
        if scores(hands) != seen[-1][1]:
            seen.append((round(hands.now - start, 1), scores(hands)))
    begins = [0.0, OPENING, *[OPENING + PLACED * done for done in (1, 2, 3, 4)]]
    rui = OPENING + 4 * PLACED + FLOOR
    begins += [rui, rui + PLACED, rui + 2 * PLACED, rui + 3 * PLACED]
    assert [at for at, _ in seen] == pytest.approx(begins, abs=0.1)
    expected = [[0, 0], [1, 0], [2, 0], [4, 0], [5, 0], [3, 0], [3, 1], [3, 2], [3, 3], [3, 1]]
    assert [told for _, told in seen] == expected
    assert hands.now - start == pytest.approx(rui + 3 * PLACED + FLOOR + CLOSING, abs=0.1)
    assert hands.play.state.round == 2


def test_the_steps_are_told_as_they_are_shown() -> None:
    hands = scoring().wait(OPENING + 2.5 * PLACED)
    placed = {"step": "placed", "seat": 1, "name": "Ana"}
    assert steps(hands) == [
        {**placed, "row": 1, "column": 3, "colour": "r", "across": 1, "down": 1, "points": 1, "score": 1},
        {**placed, "row": 2, "column": 2, "colour": "b", "across": 1, "down": 1, "points": 1, "score": 2},
        {**placed, "row": 3, "column": 2, "colour": "w", "across": 1, "down": 2, "points": 2, "score": 4},
    ]
    assert prompt(hands.table).say == "scoring"
    assert prompt(hands.table).values == {"seat": 1, "name": "Ana"}
    told = snapshot(hands.table, BOX)
    assert told["account"]["running"]
    assert told["seats"][0]["lines"][3] == "bbbb", "row 4 is not scored yet"
    assert told["seats"][0]["wall"] == ["..r..", ".b...", ".w...", ".....", "....."]


def test_the_account_stays_to_be_read_in_the_next_round() -> None:
    hands = scoring().press("ok")
    assert not snapshot(hands.table, BOX)["account"]["running"]
    assert len(steps(hands)) == 9
    assert [step["step"] for step in steps(hands)].count("floor") == 2


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
    hands = dealt("bbbb kkkk rrrr yyyy wwww")
    for display, line in zip(range(1, 6), (4, 4, 5, 5, 1), strict=True):
        hands.press(f"display.{display}", f"seat.{hands.table.acting_place}.line.{line}")
    account = hands.play.state.account
    assert account is not None
    empty = [step for step in account.steps if isinstance(step.item, FloorCharged) and not step.item.tiles]
    assert [step.seat for step in empty] == [1]
    assert score_animation.seconds(empty[0]) == 0


def test_ok_skips_what_is_left() -> None:
    hands = scoring().wait(OPENING + PLACED)
    assert hands.refused("ok") is None
    assert hands.game.animation is None
    assert hands.play.state.round == 2
    assert scores(hands) == [3, 1]


def asked(question: Question) -> Hands:
    """Hands at a scoring in which the table asks: after a power cut, or for a card of a new game."""
    hands = scoring().wait(OPENING + 1.5 * PLACED)
    if question is Question.STOP_GAME:
        hands.table = new_game(hands.table)
    else:
        kept = to_saved_table(hands.table)
        hands.table = from_saved_table(kept, hands.play, new_table(4, 9), hands.now)
    assert hands.game.question is question
    return hands


@pytest.mark.parametrize("question", Question)
def test_a_scoring_waits_for_the_answer(question: Question) -> None:
    """It once went on by itself while the table asked "is this your board?" after a power cut."""
    hands = asked(question)
    told = steps(hands)
    hands.wait(100.0)
    assert hands.table.stage is Stage.SCORING
    assert steps(hands) == told
    assert hands.refused("display.1") == "not_now"
    assert hands.game.question is question


@pytest.mark.parametrize(("question", "answer"), [(Question.YOUR_BOARD, "ok"), (Question.STOP_GAME, "undo")])
def test_after_the_answer_a_scoring_goes_on_with_the_step_on_show(question: Question, answer: str) -> None:
    hands = asked(question).wait(100.0).press(answer)
    told = steps(hands)
    assert len(told) == 2
    assert steps(hands.wait(PLACED - 0.05)) == told
    assert len(steps(hands.wait(0.1))) == 3


def test_undo_answers_a_scoring_and_takes_the_last_draft_back() -> None:
    hands = asked(Question.YOUR_BOARD).wait(100.0).press("undo")
    assert hands.game.question is None
    assert hands.table.stage is Stage.OFFER


def test_in_a_ceremony_only_ok_and_undo_mean_anything() -> None:
    hands = scoring()
    assert live_buttons(hands.table) == ("ok", "undo")
    assert hands.refused("display.1") == "not_now"
    assert hands.refused("seat.1.line.1") == "not_now"
    assert hands.rhythm("status") == "slow"


# --- In light --------------------------------------------------------------------------------------------


def brightness(hands: Hands, light: str) -> int:
    """The brightest channel of a light."""
    return max(hands.colour(light))


def test_a_placed_tile_then_its_runs_then_the_points() -> None:
    """Row 3's white tile, which is the lower one of two: arrives, across, down, points."""
    hands = scoring().wait(OPENING + 2 * PLACED + 0.1)
    tile, above, other = "seat.1.wall.3.2", "seat.1.wall.2.2", "seat.1.wall.1.3"
    assert brightness(hands, tile) > 200
    assert brightness(hands, above) < 100
    hands.wait(PLACED / 4)
    assert brightness(hands, tile) > 200, "its run across is itself alone"
    assert brightness(hands, above) < 100
    hands.wait(PLACED / 4)
    assert brightness(hands, tile) > 200
    assert brightness(hands, above) > 200, "its run down"
    assert brightness(hands, other) < 100
    assert brightness(hands, "seat.1.units.2") > 0, "the points come last"
    hands.wait(PLACED / 4)
    assert brightness(hands, "seat.1.units.2") == 0
    assert brightness(hands, "seat.1.units.4") > 0
    assert brightness(hands, "seat.2.units.0") < brightness(hands, "seat.1.units.4"), "who only looks on"


def test_the_line_is_empty_once_its_tile_is_on_the_wall() -> None:
    hands = scoring().wait(OPENING + 0.1)
    assert brightness(hands, "seat.1.wall.1.3") > 0
    assert brightness(hands, "seat.1.line.1.1") == 0
    assert brightness(hands, "seat.1.line.2.1") > 0, "the next line still has its tiles"


def test_a_floor_is_shown_before_its_points_go() -> None:
    hands = scoring().wait(OPENING + 4 * PLACED + 0.1)
    seen = [brightness(hands.wait(1 / 16), "seat.1.floor.2") for _ in range(8)]
    assert max(seen) > 200
    assert min(seen) < 100, "it pulses"
    assert brightness(hands, "seat.1.units.5") > 0
    hands.wait(0.4)
    assert brightness(hands, "seat.1.floor.2") == 0
    assert brightness(hands, "seat.1.units.3") > 0


def test_no_sweep_runs_into_the_first_step() -> None:
    """The longest sweep lasts longer than the opening; its white front once shone on in the first step."""
    hands = to_end_of_round(midway(Setup("standard", ("Ana", "Rui", "Eva", "Tom")), 2, 0), Random(2))
    hands.wait(OPENING)
    assert hands.game.animation is not None
    assert hands.game.animation.shown == 1
    for _ in range(4):
        hands.wait(0.05)
        assert CREST not in hands.frame.lit.values()


def test_every_placed_tile_of_a_game_is_shown() -> None:
    hands = midway(Setup("standard", ("Ana", "Rui")), 9, 0)
    shown = 0
    while hands.table.stage is not Stage.OVER:
        to_end_of_round(hands, Random(9))
        account = hands.play.state.account
        assert account is not None
        shown += sum(isinstance(step.item, TilePlaced) for step in account.steps)
        hands.skip()
    on_walls = sum(
        tile is not None for board in hands.play.state.boards for row in board.wall for tile in row
    )
    assert shown == on_walls
