"""Solo: end scoring and victories (S13, S14)."""

import pytest

from device.rules.board import Board
from device.rules.errors import IllegalEventError
from device.rules.notation import event_of
from device.rules.scoring import BonusGiven
from device.rules.solo.game import SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.solo.scoring import ClearBoardAward, PenaltyRowCounted, SoloOutcome, Victory, victory
from tests.rules.positions import board
from tests.rules.solo_positions import after, items, offer

ENDING_ROW = (".....", ".....", ".....", ".....", "yrkw.")


def ended(player: Board, action_floor: str = "", action_lines: dict[int, str] | None = None) -> SoloState:
    """A game that ends by the action wall's row 5."""
    action = board({**(action_lines or {}), 5: "bbbb"}, ENDING_ROW, floor=action_floor)
    return after(offer({5: "bk"}, player=player, action=action), "5b5", "5k1")


def outcome(state: SoloState) -> SoloOutcome:
    result = state.outcome()
    assert isinstance(result, SoloOutcome)
    return result


# --- S13 -------------------------------------------------------------------------------------------------


def test_s13_an_empty_penalty_row_scores_5() -> None:
    state = ended(board({3: "r"}, score=20), action_lines={4: "k"})
    assert [item.points for item in items(state) if isinstance(item, PenaltyRowCounted)] == [5]
    assert outcome(state).score == 20 + 1 + 5


def test_s13_each_penalty_tile_costs_8_and_the_result_may_be_negative() -> None:
    state = ended(board({3: "r"}, score=20), "rrrrrr", {4: "k"})
    counted = [item for item in items(state) if isinstance(item, PenaltyRowCounted)]
    assert [(item.tiles, item.points) for item in counted] == [(6, -48)]
    assert outcome(state).score == 20 - 11 + 1 - 48 == -38
    assert outcome(state).why == "S14"


@pytest.mark.parametrize(
    ("player", "action", "which"),
    [
        ({}, {}, [PLAYER, ACTION]),
        ({3: "r"}, {}, [ACTION]),
        ({}, {3: "r"}, [PLAYER]),
        ({3: "r"}, {3: "r"}, []),
    ],
)
def test_s13_clear_boards(player: dict[int, str], action: dict[int, str], which: list[int]) -> None:
    state = ended(board(player, score=20), "", action)
    awards = [item for item in items(state) if isinstance(item, ClearBoardAward)]
    assert [item.which for item in awards] == which
    assert outcome(state).score == 20 + 1 + 5 + 5 * len(which)


def test_s13_rows_columns_and_colours_of_the_player_board() -> None:
    wall = ("byr.w", "wbyrk", "kwbyr", "rkwby", "yrkwb")  # k1 completes row 1, column 4 and black
    state = ended(board({5: "w"}, wall, score=20), action_lines={4: "k"})
    given = [item for item in items(state) if isinstance(item, BonusGiven)]
    assert sum(item.points for item in given) == 5 * 2 + 5 * 7 + 5 * 10
    assert outcome(state).score == 20 + (5 + 5) + 5 + 95


def test_s13_the_action_board_earns_no_such_bonus() -> None:
    state = ended(board({3: "r"}, score=20), action_lines={4: "k"})  # its row 5 is complete
    assert not [item for item in items(state) if isinstance(item, BonusGiven)]


def test_s13_the_items_come_in_their_order_after_the_round_is_scored() -> None:
    wall = ("byr.w", ".....", ".....", ".....", ".....")
    action = board({5: "bbbb"}, ENDING_ROW)
    before = after(offer({5: "bk"}, player=board(None, wall, score=20), action=action), "5b5")
    state = after(before, "5k1")
    assert state.closing_scores() == (25,)
    assert items(state)[-4:] == [
        PenaltyRowCounted(items(state)[-4].board, 0, 5),
        ClearBoardAward(items(state)[-3].board, PLAYER, 5),
        ClearBoardAward(items(state)[-2].board, ACTION, 5),
        items(state)[-1],
    ]
    assert [item.board.score for item in items(state)[-4:]] == [30, 35, 40, 42]


# --- S14 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "clear", "level"),
    [
        (-8, True, Victory.LOSS),
        (59, True, Victory.LOSS),
        (60, False, Victory.GENERAL_INTEREST),
        (69, True, Victory.GENERAL_INTEREST),
        (70, False, Victory.APPRENTICE),
        (79, True, Victory.APPRENTICE),
        (80, False, Victory.JOURNEYMAN),
        (89, True, Victory.JOURNEYMAN),
        (90, False, Victory.MASTER),
        (99, True, Victory.MASTER),
        (100, False, Victory.MASTER),
        (100, True, Victory.ARTISAN),
        (140, False, Victory.MASTER),
        (140, True, Victory.ARTISAN),
    ],
)
def test_s14_the_victory_of_a_score(*, score: int, clear: bool, level: Victory) -> None:
    assert victory(score, clear=clear) is level


@pytest.mark.parametrize(
    ("score", "player_lines", "action_lines", "word", "why"),
    [
        (53, {3: "r"}, {4: "k"}, "loss", "S14"),  # 53 + 1 + 5
        (54, {3: "r"}, {4: "k"}, "general interest", None),
        (94, {3: "r"}, {4: "k"}, "master", None),  # 100, and no award
        (89, {3: "r"}, {}, "artisan", None),  # 100 with one
    ],
)
def test_s14_in_a_game(
    score: int, player_lines: dict[int, str], action_lines: dict[int, str], word: str, why: str | None
) -> None:
    result = outcome(ended(board(player_lines, score=score), "", action_lines))
    assert (result.victory.value, result.why) == (word, why)


def test_s14_a_game_that_goes_on_has_no_outcome() -> None:
    assert offer({1: "byrk"}).outcome() is None


def test_s14_no_event_is_legal_in_a_game_that_is_over() -> None:
    state = ended(board(score=20))
    assert state.legal() == []
    assert state.over
    for text in ("5b1", "deal byrk byrk byrk byrk byrk", "swap 1", "remove none", "draw b"):
        with pytest.raises(IllegalEventError, match="the game is over"):
            state.apply(event_of(text))
    with pytest.raises(IllegalEventError):
        state.chance(lambda _: 0)
