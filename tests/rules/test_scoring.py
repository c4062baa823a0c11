"""Scoring: placed tiles, the floor, bonuses, and the winners (R11, R12, R14, R15)."""

import pytest

from device.rules.board import Board
from device.rules.scoring import (
    BonusKind,
    bonuses,
    charge_floor,
    complete_columns,
    complete_rows,
    let_line_fall,
    outcome,
    tile_line,
)
from device.rules.tiles import Colour, counts_of
from tests.rules.positions import board


@pytest.mark.parametrize(
    ("wall", "across", "down", "points"),
    [
        ((".....", ".....", ".....", ".....", "....."), 1, 1, 1),
        ((".....", ".....", ".y...", ".....", "....."), 2, 1, 2),
        ((".....", ".....", "by.y.", ".....", "....."), 4, 1, 4),
        ((".....", ".....", "b..y.", ".....", "....."), 2, 1, 2),
        (("..b..", "..y..", ".....", ".....", "....."), 1, 3, 3),
        (("..b..", ".....", ".....", "..y..", "....."), 1, 2, 2),
        ((".....", "..y..", "...b.", ".....", "....."), 2, 2, 4),
        (("..b..", "..y..", "by.yk", "..k..", "..w.."), 5, 5, 10),
        (("..b..", "..y..", ".....", "..k..", "..w.."), 1, 5, 5),
        ((".b.b.", ".y.y.", ".....", ".k.k.", ".w.w."), 1, 1, 1),
    ],
)
def test_r11_a_placed_tile_scores_its_two_runs(
    wall: tuple[str, ...], across: int, down: int, points: int
) -> None:
    placed = tile_line(board({3: "rrr"}, wall, score=7), 3, 3)
    assert (placed.across, placed.down, placed.points) == (across, down, points)
    assert placed.board.score == 7 + points


@pytest.mark.parametrize(
    ("floor", "cost"),
    [("", 0), ("b", 1), ("bb", 2), ("mbb", 4), ("bbbm", 6), ("bbbbb", 8), ("mbbbbb", 11), ("bbbbbbm", 14)],
)
def test_r12_floor_spaces_cost_1_1_2_2_2_3_3_the_marker_too(floor: str, cost: int) -> None:
    charged = charge_floor(board(floor=floor, score=50))
    assert (charged.tiles, charged.cost, charged.points) == (len(floor), cost, -cost)
    assert charged.board == board(score=50 - cost)


def test_r12_the_score_never_drops_below_0() -> None:
    charged = charge_floor(board(floor="bbbb", score=5))
    assert (charged.cost, charged.points, charged.board.score) == (6, -5, 0)


ROW_1_AND_COLUMN_2 = ("byrkw", ".b...", ".w...", ".k...", ".r...")
ALL_BLUE = ("b....", ".b...", "..b..", "...b.", "....b")


@pytest.mark.parametrize(
    ("wall", "given"),
    [
        ((".....",) * 5, []),
        (ROW_1_AND_COLUMN_2, [(BonusKind.ROW, 1, 2), (BonusKind.COLUMN, 2, 7)]),
        (ALL_BLUE, [(BonusKind.COLOUR, Colour.BLUE, 10)]),
    ],
)
def test_r14_bonuses_of_2_7_and_10(wall: tuple[str, ...], given: list[object]) -> None:
    steps = bonuses(board(wall=wall, score=3))
    assert [(step.kind, step.which, step.points) for step in steps] == given
    assert [step.board.score for step in steps[-1:]] in ([], [3 + sum(step.points for step in steps)])


def test_r14_a_whole_wall_earns_5_of_each() -> None:
    whole = ("byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb")
    assert sum(step.points for step in bonuses(board(wall=whole))) == 5 * (2 + 7 + 10)
    assert (
        complete_rows(board(wall=whole).wall) == complete_columns(board(wall=whole).wall) == [1, 2, 3, 4, 5]
    )


def scored(score: int, rows: int) -> Board:
    wall = ["byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb"][:rows] + ["....."] * (5 - rows)
    return board(wall=tuple(wall), score=score)


@pytest.mark.parametrize(
    ("boards", "winners"),
    [
        ([scored(30, 0), scored(31, 0)], (1,)),
        ([scored(30, 5), scored(31, 0)], (1,)),
        ([scored(30, 1), scored(30, 2), scored(29, 3)], (1,)),
        ([scored(30, 2), scored(12, 1), scored(30, 2)], (0, 2)),
        ([scored(0, 0), scored(0, 0)], (0, 1)),
    ],
)
def test_r15_most_points_then_most_rows_then_a_shared_victory(
    boards: list[Board], winners: tuple[int, ...]
) -> None:
    assert outcome(boards).winners == winners


def test_g2_a_line_without_a_column_falls_and_returns_what_does_not_fit() -> None:
    fell, over = let_line_fall(board({4: "kkkk"}, floor="mbbbb", score=9), 4)
    assert fell.board == board(floor="mbbbbkk", score=9)
    assert over == counts_of("kk")
