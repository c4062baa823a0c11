"""Gray walls (G1 to G3)."""

import pytest

from device.rules.board import Board
from device.rules.errors import IllegalEventError
from device.rules.events import Tile
from device.rules.notation import event_of
from device.rules.scoring import LineFell
from device.rules.standard import Phase, StandardState
from device.rules.tiles import counts_of
from tests.rules.positions import after, board, offer, scores, wall


def tiling(*boards: Board) -> StandardState:
    """A gray game whose offer has just ended: seat 0 let two black tiles fall to its floor."""
    return after(offer({1: "kk"}, *boards, mode="gray"), "1kf")


def test_g1_the_player_chooses_among_the_free_columns() -> None:
    state = tiling(board({2: "bb"}, ("b....", "..y..", "...b.", ".....", ".....")), board())
    assert state.to_act() == (0,)
    assert state.legal() == [Tile(0, 2, 2), Tile(0, 2, 5)]


def test_g1_a_placed_tile_scores_where_it_goes() -> None:
    state = tiling(board({2: "bb"}, (".y...", "..r..", ".....", ".....", "....."), score=5), board())
    state = after(state, "tile 0 2 2")
    assert wall(state) == (".y...", ".br..", ".....", ".....", ".....")
    assert scores(state) == [5 + 4 - 2, 0]
    assert state.lid == counts_of("bkk")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tile 0 2 1", "column_taken"),  # the column holds the colour
        ("tile 0 2 3", "column_taken"),  # another tile lies there
        ("tile 0 3 2", "not_now"),  # row 2 is first
        ("tile 1 2 2", "not_now"),  # that seat has nothing to place
        ("1k1", "not_now"),
    ],
)
def test_g1_other_columns_are_refused(text: str, why: str) -> None:
    lines = {2: "bb", 3: "rrr"}
    state = tiling(board(lines, ("b....", "..y..", "...b.", ".....", ".....")), board())
    with pytest.raises(IllegalEventError) as caught:
        state.apply(event_of(text))
    assert caught.value.why == why


def test_g1_a_single_legal_column_is_asked_for_too() -> None:
    state = tiling(board({1: "b"}, ("yrkw.", *["....."] * 4)), board())
    assert state.legal() == [Tile(0, 1, 5)]


def test_g1_lines_are_tiled_from_the_top() -> None:
    state = tiling(board({1: "b", 3: "bbb"}), board())
    state = after(state, "tile 0 1 4")
    assert state.legal() == [Tile(0, 3, column) for column in (1, 2, 3, 5)]


BLOCKED = (".y...", "y....", "...y.", "bkrw.", "....y")
"""Row 4 has its last square in column 5, where row 5 has yellow already."""


def test_g2_without_a_legal_column_all_the_tiles_fall_before_the_floor_is_scored() -> None:
    state = tiling(board({4: "yyyy"}, BLOCKED, score=20), board())
    assert state.phase is Phase.DEAL
    assert scores(state) == [20 - 11, 0]  # two black tiles and four yellow ones
    assert state.boards[0].held == (0, 0, 0, 0, 0)
    assert state.lid == counts_of("yyyykk")


def test_g2_tiles_that_do_not_fit_the_floor_go_to_the_lid() -> None:
    state = tiling(board({4: "yyyy"}, BLOCKED, floor="rrrrr", score=20), board())
    assert scores(state) == [20 - 14, 0]
    assert state.lid == counts_of("yyyyrrrrrkk")
    assert state.account is not None
    (fell,) = [step.item for step in state.account.steps if isinstance(step.item, LineFell)]
    assert (fell.line, len(fell.board.floor)) == (4, 7)


def test_g2_a_choice_above_can_leave_a_line_below_without_a_column() -> None:
    walls = (".....", ".....", ".....", "bkrw.", ".....")
    state = tiling(board({1: "y", 4: "yyyy"}, walls), board())
    assert after(state, "tile 0 1 1").phase is Phase.TILING
    assert after(state, "tile 0 1 5").phase is Phase.DEAL


def test_g3_all_seats_choose_at_the_same_time() -> None:
    state = tiling(board({2: "bb"}), board(), board({1: "b", 5: "bbbbb"}))
    assert state.to_act() == (0, 2)
    one = after(state, "tile 2 1 3", "tile 0 2 1", "tile 2 5 5")
    other = after(state, "tile 0 2 1", "tile 2 1 3", "tile 2 5 5")
    assert one == other
    assert one.phase is Phase.DEAL


def test_g3_the_round_waits_for_the_last_seat() -> None:
    state = after(tiling(board({2: "bb"}), board(), board({1: "b"})), "tile 2 1 3")
    assert state.to_act() == (0,)
    assert state.phase is Phase.TILING
