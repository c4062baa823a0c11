"""Solo: from the last draft to the next deal; action board, charge, player board (S8 to S12).

In most positions one display is left, and its action pick fills a line of the action board.
"""

from dataclasses import replace

import pytest

from device.rules.board import Board
from device.rules.errors import IllegalEventError
from device.rules.events import Remove, Swap
from device.rules.notation import event_of
from device.rules.scoring import LineFell, TilePlaced
from device.rules.solo.game import Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.solo.scoring import (
    ActionTilePlaced,
    BesideScoringTile,
    Ending,
    FifthTileDue,
    FloorCleared,
    PenaltyCharged,
    PenaltyDrawn,
    PenaltyKept,
    PenaltyRemoved,
    PenaltySwapped,
    SoloOutcome,
)
from device.rules.tiles import ALL_TILES, NO_TILES, Colour, counts_of
from tests.rules.positions import all_tiles, board
from tests.rules.solo_positions import account, after, bag_of, items, offer, penalty

TWENTY = "bbbbyyyyrrrrkkkkwwww"


def filled(line: int, colour: str, row: str, *, score: int = 50, bag: str | None = None) -> SoloState:
    """A round after its last draft; the action board's `line` is full, and `row` is the penalty row."""
    other = "w" if colour != "w" else "b"
    held = {line: colour * (line - 1)}
    state = offer(
        {5: "".join(sorted(colour + other, key="byrkw".index))},
        player=board(score=score),
        action=board(held, floor=row),
    )
    if bag is not None:
        state = bag_of(state, bag)
    return after(state, f"5{colour}{line}", f"5{other}5")


def action_of(state: SoloState) -> Board:
    return state.boards[ACTION]


def refused(state: SoloState, text: str) -> str:
    with pytest.raises(IllegalEventError) as fault:
        state.apply(event_of(text))
    return str(fault.value)


# --- S8 --------------------------------------------------------------------------------------------------


def test_s8_line_1_draws_a_tile_for_the_leftmost() -> None:
    state = filled(1, "k", "rybw")
    assert state.phase is Phase.DRAW
    assert state.chance_due
    bag = state.bag
    state = after(state, "draw r")
    assert penalty(state) == "ybwr"
    assert state.bag == bag  # an r drawn, the r that was set aside put back
    assert action_of(state).wall[0] == (None, None, None, Colour.BLACK, None)


def test_s8_line_1_draws_before_the_tile_set_aside_is_back() -> None:
    state = filled(1, "k", "rybw", bag=TWENTY.replace("r", ""))
    assert refused(state, "draw r") == "r can't be drawn: the bag holds none"
    state = after(state, "draw y")
    assert penalty(state) == "ybwy"
    assert state.bag[Colour.RED] == 1 or state.refilled


def test_s8_line_1_with_an_empty_penalty_row_draws_one_tile() -> None:
    state = after(filled(1, "k", ""), "draw r")
    assert penalty(state) == "r"
    assert items(state)[1] == PenaltyDrawn(action_of(state), None, Colour.RED)


def test_s8_line_1_with_an_empty_bag_only_sets_aside() -> None:
    state = filled(1, "k", "rybw", bag="")
    assert state.phase is Phase.DEAL
    assert penalty(state) == "ybw"
    assert PenaltyDrawn(action_of(state), Colour.RED, None) in items(state)
    assert all_tiles(state) == ALL_TILES


def test_s8_line_2_swaps_two_neighbours() -> None:
    state = filled(2, "k", "rybw")
    assert state.legal() == [Swap(1), Swap(2), Swap(3)]
    assert penalty(after(state, "swap 1")) == "yrbw"
    assert penalty(after(state, "swap 3")) == "rywb"
    assert refused(state, "swap 4") == "the penalty row has 4 tiles: 4 has no next one"


def test_s8_line_2_must_be_done() -> None:
    assert "due is action line 2's swap" in refused(filled(2, "k", "rr"), "remove none")


@pytest.mark.parametrize("row", ["", "r"])
def test_s8_line_2_without_two_tiles_puts_five_on_display_5(row: str) -> None:
    state = filled(2, "k", row)
    assert state.phase is Phase.DEAL
    assert FifthTileDue(action_of(state)) in items(state)
    assert "display 5 must get 5 tiles" in refused(state, "deal byrk byrk byrk byrk byrk")
    assert "display 1 must get 4 tiles" in refused(state, "deal byrkw byrk byrk byrk byrk")
    state = after(state, "deal byrk byrk byrk byrk byrkw")
    assert not state.fifth_tile


def test_s8_display_5_has_five_tiles_in_the_next_round_only() -> None:
    state = after(filled(2, "k", ""), "deal byrk byrk byrk byrk byrkw")
    state = after(state, *["1b5", "1y4", "2b5", "2y4", "3b5", "3y4", "4b5", "4y4", "5b5", "5y3"])
    assert state.phase is Phase.DEAL
    assert state.display_sizes == (4,) * 5


def test_s8_line_3_may_remove_the_leftmost_only() -> None:
    state = filled(3, "k", "krkk")
    assert state.legal() == [Remove(1), Remove(None)]
    assert refused(state, "remove 3") == "line 3 can't remove penalty tile 3"
    removed = after(state, "remove 1")
    assert penalty(removed) == "rkk"
    assert removed.lid[Colour.BLACK] == state.lid[Colour.BLACK] + 1


def test_s8_line_4_may_remove_one_of_the_two_leftmost() -> None:
    state = filled(4, "k", "kkrk")
    assert state.legal() == [Remove(1), Remove(2), Remove(None)]
    assert penalty(after(filled(4, "k", "rkbk"), "remove 2")) == "rbk"


def test_s8_line_5_may_remove_any() -> None:
    state = filled(5, "k", "rkrrrrk")
    assert state.legal() == [Remove(2), Remove(7), Remove(None)]
    assert penalty(after(state, "remove 7")) == "rkrrrr"


@pytest.mark.parametrize("line", [3, 4, 5])
def test_s8_a_tile_may_stay(line: int) -> None:
    state = after(filled(line, "k", "kr"), "remove none")
    assert penalty(state) == "kr"
    assert PenaltyKept(action_of(state), line) in items(state)


@pytest.mark.parametrize(("line", "row"), [(3, "rk"), (4, "rrk"), (5, "rrrrrrr"), (3, ""), (5, "")])
def test_s8_no_choice_is_due_if_no_tile_can_be_removed(line: int, row: str) -> None:
    state = filled(line, "k", row)
    assert state.phase is Phase.DEAL
    assert Remove(None) not in state.legal()


def test_s8_lines_act_from_the_top_each_on_the_row_that_the_one_before_left() -> None:
    lines = {1: "b", 2: "yy", 3: "rrr", 4: "kkkk", 5: "wwww"}
    state = offer({5: "bw"}, player=board(score=50), action=board(lines, floor="brkw"))
    state = after(state, "5w5", "5b4")
    state = after(state, "draw r", "swap 3", "remove 1", "remove 1", "remove 2")
    assert penalty(state) == "r"
    assert [type(item) for item in items(state)] == [
        ActionTilePlaced,
        PenaltyDrawn,
        ActionTilePlaced,
        PenaltySwapped,
        ActionTilePlaced,
        PenaltyRemoved,
        ActionTilePlaced,
        PenaltyRemoved,
        ActionTilePlaced,
        PenaltyRemoved,
        PenaltyCharged,
    ]
    assert action_of(state).held == (0,) * 5
    assert all_tiles(state) == ALL_TILES


def test_s8_a_line_that_is_not_full_stays() -> None:
    state = offer({5: "bw"}, player=board(score=50), action=board({5: "www"}, floor="w"))
    state = after(state, "5w5", "5b4")
    assert action_of(state).held == (0, 0, 0, 0, 4)
    assert penalty(state) == "w"


def test_s8_the_other_tiles_of_a_line_go_out_of_play() -> None:
    assert filled(5, "k", "").lid == counts_of("kkkk")


# --- S9 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wall", "nth", "points"),
    [
        ((".....", ".....", ".....", ".....", "....."), 1, 1),
        ((".....", "..y..", ".....", ".....", "....."), 2, 2),
        ((".....", "..y..", ".w...", ".....", "....."), 3, 3),
        ((".....", "..y..", ".w.y.", ".....", "....."), 4, 5),
    ],
)
def test_s9_tiles_beside_the_scoring_tile(wall: tuple[str, ...], nth: int, points: int) -> None:
    action = board({4: "www"}, wall)  # row 4 holds w in column 3
    state = offer({5: "kw"}, player=board(score=20), action=action, scoring_tile=(3, 3))
    state = after(state, "5w4", "5k5")
    assert items(state)[:2] == [
        ActionTilePlaced(action_of(state), 4, 3, Colour.WHITE, covers=False),
        BesideScoringTile(board({5: "k"}, score=20 + points), nth, points),
    ]
    assert state.boards[PLAYER].score == 20 + points


def test_s9_the_line_acts_before_its_tile_scores() -> None:
    action = board({3: "ww"}, floor="w")  # row 3 holds w in column 2
    state = offer({5: "kw"}, player=board(score=20), action=action, scoring_tile=(3, 3))
    state = after(state, "5w3", "5k5", "remove 1")
    assert [type(item) for item in items(state)][:3] == [ActionTilePlaced, PenaltyRemoved, BesideScoringTile]


@pytest.mark.parametrize("square", [(2, 2), (2, 4), (4, 2), (4, 4)])
def test_s9_a_tile_that_is_not_beside_scores_nothing(square: tuple[int, int]) -> None:
    state = offer({5: "bw"}, player=board(score=20), action=board({3: "bb"}), scoring_tile=square)
    state = after(state, "5b3", "5w5")  # on (3, 3), across a corner
    assert state.boards[PLAYER].score == 20


def test_s9_a_tile_on_the_scoring_tile_removes_it_and_scores_nothing() -> None:
    action = board({3: "bb", 4: "wwww"})
    state = offer({5: "bk"}, player=board(score=20), action=action, scoring_tile=(3, 3))
    state = after(state, "5b3", "5k5")
    wall = (".....", ".....", "..b..", ".....", ".....")
    assert items(state)[0] == ActionTilePlaced(board({4: "wwww"}, wall), 3, 3, Colour.BLUE, covers=True)
    assert state.scoring_tile is None
    assert state.boards[PLAYER].score == 20  # though w went to (4, 3) after it


def test_s9_action_tiles_score_nothing_by_their_runs() -> None:
    wall = ("byr.w", ".....", ".....", ".....", ".....")
    state = offer({5: "bw"}, player=board(score=20), action=board({2: "b"}, wall))
    state = after(state, "5b2", "5w5")
    assert state.boards[PLAYER].score == 20


# --- S10 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tiles", "cost"), list(enumerate([0, 1, 2, 4, 6, 8, 11, 14])))
def test_s10_the_penalty_row_is_charged(tiles: int, cost: int) -> None:
    state = offer({5: "bw"}, player=board(score=20), action=board(floor="r" * tiles))
    state = after(state, "5b5", "5w5")
    assert state.boards[PLAYER].score == 20 - cost
    assert penalty(state) == "r" * tiles  # the tiles stay
    assert items(state) == [PenaltyCharged(state.boards[PLAYER], tiles, cost, -cost)]


@pytest.mark.parametrize("score", [8, 14])
def test_s10_a_score_of_0_loses_at_once(score: int) -> None:
    player = board({1: "r"}, score=score)  # a tile that S11 would score
    before = after(offer({5: "bw"}, player=player, action=board(floor="rrrrrrr")), "5b5")
    state = after(before, "5w5")
    assert state.ending is Ending.NO_POINTS
    assert items(state) == [PenaltyCharged(state.boards[PLAYER], 7, 14, -score)]
    outcome = state.outcome()
    assert isinstance(outcome, SoloOutcome)
    assert (outcome.score, outcome.victory.value, outcome.why) == (0, "loss", "S10")
    assert state.closing_scores() == (0,)
    assert all_tiles(state) == ALL_TILES


def test_s10_comes_after_the_points_of_s9() -> None:
    action = board({4: "www"}, floor="rrrrrrr")
    state = offer({5: "kw"}, player=board(score=14), action=action, scoring_tile=(3, 3))
    state = after(state, "5w4", "5k5")
    assert state.ending is None
    assert state.boards[PLAYER].score == 1


# --- S11 -------------------------------------------------------------------------------------------------


def test_s11_the_player_board_is_tiled_by_r10_and_r11() -> None:
    player = board({1: "b", 2: "b"}, score=20)
    state = after(offer({5: "bw"}, player=player), "5w5", "5b2")
    places = [item for item in items(state) if isinstance(item, TilePlaced)]
    assert [(each.row, each.column, each.points) for each in places] == [(1, 1, 1), (2, 2, 1)]
    assert state.boards[PLAYER].score == 22
    assert state.lid == counts_of("b")


def test_s11_the_floor_costs_nothing_and_goes_out_of_play() -> None:
    state = after(offer({5: "bw"}, player=board(floor="rrkk", score=20)), "5w5", "5b2")
    assert state.boards[PLAYER].score == 20
    assert state.boards[PLAYER].floor == ()
    assert state.lid == counts_of("rrkk")
    assert items(state)[-1] == FloorCleared(state.boards[PLAYER], 4)


def test_s11_a_gray_player_board_asks_for_columns_after_the_charge() -> None:
    player = board({1: "b", 2: "b"}, (".....", ".....", "b....", ".....", "....."), score=20)
    state = offer({5: "bw"}, player=player, action=board(floor="rr"), gray=True)
    state = after(state, "5w5", "5b2")
    assert state.phase is Phase.TILING
    assert state.to_act() == (PLAYER,)
    assert state.boards[PLAYER].score == 18
    assert [event_of(f"tile 0 1 {column}") for column in (2, 3, 4, 5)] == state.legal()
    assert "column 1" in refused(state, "tile 0 1 1")
    assert "row 1" in refused(state, "tile 0 2 2")
    assert "row 1" in refused(state, "tile 1 1 2")
    state = after(state, "tile 0 1 2")
    assert "column 2" in refused(state, "tile 0 2 2")
    assert after(state, "tile 0 2 3").phase is Phase.DEAL


def test_s11_a_gray_line_without_a_legal_column_falls_and_sends_nothing() -> None:
    wall = ("b....", ".....", ".b...", "..yrk", ".....")
    player = board({4: "bbb", 5: "wwww"}, wall, floor="rrrrr", score=20)
    state = offer({5: "bw"}, player=player, action=board({1: "k"}), gray=True)
    state = after(state, "5w2", "5b4", "draw r")
    fell = [item for item in items(state) if isinstance(item, LineFell)]
    assert [(each.line, each.colour, len(each.board.floor)) for each in fell] == [(4, Colour.BLUE, 7)]
    assert penalty(state) == "r"  # the drawn one alone
    assert state.lid == counts_of("bbbbrrrrr")
    assert state.boards[PLAYER].held == (0, 0, 0, 0, 4)


# --- S12 -------------------------------------------------------------------------------------------------

FOUR_OF_ROW_5 = (".....", ".....", ".....", ".....", "yrkw.")


def test_s12_a_complete_row_of_the_player_wall_ends_the_game() -> None:
    state = offer({5: "bw"}, player=board({5: "bbbb"}, FOUR_OF_ROW_5, score=20))
    state = after(state, "5w5", "5b5")
    assert state.ending is Ending.ROW_COMPLETE
    assert state.phase is Phase.OVER


def test_s12_a_complete_row_of_the_action_wall_ends_the_game() -> None:
    player = board({1: "r"}, score=20)
    before = after(offer({5: "bw"}, player=player, action=board({5: "bbbb"}, FOUR_OF_ROW_5)), "5b5")
    state = after(before, "5w5")
    assert state.ending is Ending.ROW_COMPLETE
    assert state.closing_scores() == (21,)  # the player board is tiled first
    assert state.boards[PLAYER].score == 21 + 5 + 5  # S13: the penalty row and the action board are empty


def short_of_tiles(bag: str, *, action: Board | None = None, refilled: bool = False) -> SoloState:
    state = bag_of(offer({5: "bw"}, player=board(score=20), action=action), bag)
    return after(replace(state, refilled=refilled), "5b5", "5w5")


def test_s12_a_bag_of_twenty_fills_the_displays() -> None:
    state = short_of_tiles(TWENTY)
    assert sum(state.bag) == 20
    assert not state.refilled


def test_s12_the_first_time_all_tiles_out_of_play_go_back_into_the_bag() -> None:
    state = short_of_tiles(TWENTY[1:])
    assert state.phase is Phase.DEAL
    assert state.refilled
    assert state.lid == NO_TILES
    assert sum(state.bag) == 98
    # Any tile may come first now, not the bag's last ones alone.
    assert after(state, "deal bbby bbby bbby bbby bbby").phase is Phase.OFFER


def test_s12_the_second_time_the_game_ends() -> None:
    assert short_of_tiles(TWENTY, refilled=True).phase is Phase.DEAL
    state = short_of_tiles(TWENTY[1:], refilled=True)
    assert state.ending is Ending.BAG_EMPTY
    outcome = state.outcome()
    assert isinstance(outcome, SoloOutcome)
    assert outcome.why == "S14"


def test_s12_a_fifth_tile_on_display_5_needs_a_bag_of_21() -> None:
    action = board({2: "rr"})
    assert short_of_tiles(TWENTY + "b", action=action).refilled is False
    assert short_of_tiles(TWENTY, action=action).refilled
    assert short_of_tiles(TWENTY, action=action, refilled=True).ending is Ending.BAG_EMPTY


def test_the_account_starts_with_the_boards_after_the_last_draft() -> None:
    state = after(offer({5: "bw"}, player=board({1: "r"}, floor="kk", score=20)), "5b5", "5w5")
    assert account(state).boards == (board({1: "r", 5: "w"}, floor="kk", score=20), board({5: "b"}))
    assert account(state).boards_after(len(account(state).steps)) == state.boards
