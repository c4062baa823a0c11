"""Boards: placing tiles on lines and the floor, and the legal places on the wall (R2, R6 to R8, G1)."""

import pytest

from device.rules.board import (
    WALL_PATTERN,
    Board,
    check_line,
    drop,
    legal_columns,
    next_full_line,
    open_lines,
    place,
    printed_column,
    set_tile,
)
from device.rules.errors import IllegalEventError
from device.rules.tiles import LETTERS, MARKER, NO_TILES, Colour, counts_of
from tests.rules.positions import board, tiles_on

BLUE, YELLOW, RED, BLACK, WHITE = Colour


def test_r2_each_row_of_the_coloured_wall_is_the_one_above_rotated_to_the_right() -> None:
    rows = ["".join(LETTERS[colour] for colour in row) for row in WALL_PATTERN]
    assert rows == ["byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb"]
    for row in range(1, 6):
        for colour in Colour:
            assert WALL_PATTERN[row - 1][printed_column(colour, row) - 1] is colour


def test_r7_a_line_takes_only_what_fits_its_colour_and_its_wall_row() -> None:
    position = board({1: "r", 2: "y", 3: "bb"}, wall=(".....", ".....", ".....", ".k...", "....."))
    assert open_lines(position, BLUE) == (3, 4, 5)
    assert open_lines(position, YELLOW) == (2, 4, 5)
    assert open_lines(position, RED) == (4, 5)
    assert open_lines(position, BLACK) == (5,)


@pytest.mark.parametrize(
    ("line", "colour", "why"),
    [
        (1, RED, "line_full"),
        (1, BLUE, "line_full"),
        (2, BLUE, "line_other_colour"),
        (4, BLACK, "wall_has_colour"),
        (0, BLUE, "no_such_line"),
        (6, BLUE, "no_such_line"),
        (-1, BLUE, "no_such_line"),
    ],
)
def test_r7_a_refusal_has_a_reason(line: int, colour: Colour, why: str) -> None:
    position = board({1: "r", 2: "y"}, wall=(".....", ".....", ".....", ".k...", "....."))
    with pytest.raises(IllegalEventError) as caught:
        check_line(position, line, colour)
    assert caught.value.why == why


def test_r8_tiles_that_do_not_fit_the_line_fall_to_the_floor() -> None:
    after, over = place(board({2: "y"}), YELLOW, 3, 2)
    assert after == board({2: "yy"}, floor="yy")
    assert over == NO_TILES


def test_r8_tiles_that_do_not_fit_the_floor_are_returned() -> None:
    after, over = place(board(floor="mbbbb"), YELLOW, 4, 1)
    assert after == board({1: "y"}, floor="mbbbbyy")
    assert over == counts_of("y")


def test_r7_the_floor_takes_all_tiles() -> None:
    after, over = place(board(), WHITE, 3, 0)
    assert after == board(floor="www")
    assert over == NO_TILES


def test_r6_a_full_floor_takes_no_marker() -> None:
    full = board(floor="bbbbbbb")
    assert drop(full, (MARKER,)) == (full, NO_TILES)


def test_r10_the_topmost_full_line_is_next() -> None:
    assert next_full_line(board({1: "", 2: "yy", 3: "bb", 4: "kkkk"})) == 2
    assert next_full_line(board({3: "bb"})) is None


def test_r10_a_tile_leaves_its_line_for_the_wall() -> None:
    after = set_tile(board({3: "rrr", 4: "k"}, score=5), 3, 5)
    assert after == board({4: "k"}, wall=(".....", ".....", "....r", ".....", "....."), score=5)


def test_g1_a_gray_wall_takes_a_colour_once_in_each_row_and_column() -> None:
    position = board({2: "bb"}, wall=("b....", ".y...", "..b..", ".....", "....."))
    assert legal_columns(position, 2) == (4, 5)


def test_g1_no_column_for_a_colour_that_the_row_has() -> None:
    assert legal_columns(board({2: "bb"}, wall=(".....", "...b.", ".....", ".....", ".....")), 2) == ()
    assert legal_columns(Board(), 2) == ()


def test_the_helper_tiles_on_counts_all_tiles_of_a_board() -> None:
    position = board({3: "kk"}, wall=("b....", "..y..", ".....", ".....", "....."), floor="mwb")
    assert tiles_on(position) == counts_of("bbykkw")
