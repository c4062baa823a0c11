"""Scoring: runs, the floor, the bonuses, who wins, and the account of how it came about (R10 to R15).

Each kind of step carries the board after it, so that a ceremony can show them one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from device.rules.board import LINES, Board, Wall, clear_line, drop, set_tile
from device.rules.errors import IllegalEventError
from device.rules.solo.steps import SoloPart
from device.rules.tiles import COLOURS, Colour, Counts

FLOOR_COSTS: Final = (0, 1, 2, 4, 6, 8, 11, 14)
"""Points lost for 0 to 7 tiles on the floor: the running sums of 1 1 2 2 2 3 3 (R12)."""


class BonusKind(Enum):
    """What a bonus is given for."""

    ROW = "row"
    COLUMN = "column"
    COLOUR = "colour"

    __repr__ = Enum.__str__


BONUS_POINTS: Final = {BonusKind.ROW: 2, BonusKind.COLUMN: 7, BonusKind.COLOUR: 10}
"""R14."""


@dataclass(frozen=True, slots=True)
class TilePlaced:
    """A tile moved to the wall: the lengths of the two runs through it, and what they scored (R11)."""

    board: Board
    row: int
    column: int
    colour: Colour
    across: int
    down: int
    points: int


@dataclass(frozen=True, slots=True)
class LineFell:
    """A full line without a legal column: all its tiles fell (G2)."""

    board: Board
    line: int
    colour: Colour
    points: int = 0


@dataclass(frozen=True, slots=True)
class FloorCharged:
    """The floor was charged: its tiles (the marker counts), what they cost, and what was lost (R12)."""

    board: Board
    tiles: int
    cost: int
    points: int  # 0 or less: a score never drops below 0


@dataclass(frozen=True, slots=True)
class BonusGiven:
    """A bonus at the end of the game; `which` is the row, the column or the colour (R14)."""

    board: Board
    kind: BonusKind
    which: int | Colour
    points: int


Part = TilePlaced | LineFell | FloorCharged | BonusGiven | SoloPart


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a seat's scoring."""

    seat: int
    what: Part


@dataclass(frozen=True, slots=True)
class Account:
    """How a round was scored: the boards when its offer ended, then every step; bonuses come last."""

    round: int
    boards: tuple[Board, ...]
    steps: tuple[Step, ...] = ()

    def boards_after(self, shown: int) -> tuple[Board, ...]:
        """The boards as they stand after the first `shown` steps."""
        boards = list(self.boards)
        for step in self.steps[:shown]:
            boards[step.seat] = step.what.board
        return tuple(boards)

    @property
    def totals(self) -> tuple[int, ...]:
        """All seats' scores after the floors, before any bonus."""
        before_bonuses = sum(not isinstance(step.what, BonusGiven) for step in self.steps)
        return tuple(board.score for board in self.boards_after(before_bonuses))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: final scores, complete rows, and the seats that share the victory (R15)."""

    scores: tuple[int, ...]
    rows: tuple[int, ...]
    winners: tuple[int, ...]


def runs(wall: Wall, row: int, column: int) -> tuple[range, range]:
    """The columns of the unbroken run across through a square, and the rows of the one down (R11)."""
    return _run(wall[row - 1], column - 1), _run([each[column - 1] for each in wall], row - 1)


def _run(squares: Sequence[Colour | None], at: int) -> range:
    start = end = at
    while start > 0 and squares[start - 1] is not None:
        start -= 1
    while end < 4 and squares[end + 1] is not None:
        end += 1
    return range(start + 1, end + 2)


def tile_points(across: int, down: int) -> int:
    """What a placed tile scores from its two runs (R11)."""
    return ((across if across > 1 else 0) + (down if down > 1 else 0)) or 1


def tile_line(board: Board, line: int, column: int) -> TilePlaced:
    """Move a full line's tile to the wall, clear the line, and score at once (R10, R11)."""
    colour = board.colours[line - 1]
    if colour is None or not board.line_is_full(line):
        raise IllegalEventError("line_not_full", f"line {line} is not full")
    after = set_tile(board, line, column)
    across, down = (len(run) for run in runs(after.wall, line, column))
    points = tile_points(across, down)
    return TilePlaced(replace(after, score=after.score + points), line, column, colour, across, down, points)


def let_line_fall(board: Board, line: int) -> tuple[LineFell, Counts]:
    """G2: all tiles of a full line fall to the floor; the second value is what did not fit."""
    colour = board.colours[line - 1]
    if colour is None:
        raise IllegalEventError("line_not_full", f"line {line} is empty")
    after, over = drop(clear_line(board, line), (colour,) * line)
    return LineFell(after, line, colour), over


def charge_floor(board: Board) -> FloorCharged:
    """Subtract what the floor costs, never below 0, and clear it (R12)."""
    cost = FLOOR_COSTS[len(board.floor)]
    score = max(0, board.score - cost)
    return FloorCharged(replace(board, floor=(), score=score), len(board.floor), cost, score - board.score)


def complete_rows(wall: Wall) -> list[int]:
    """The rows that hold five tiles (R13)."""
    return [row for row in LINES if None not in wall[row - 1]]


def complete_columns(wall: Wall) -> list[int]:
    """The columns that hold five tiles (R14)."""
    return [column for column in LINES if all(row[column - 1] is not None for row in wall)]


def complete_colours(wall: Wall) -> list[Colour]:
    """The colours with all five tiles on the wall (R14)."""
    return [colour for colour in COLOURS if all(colour in row for row in wall)]


def bonuses(board: Board) -> list[BonusGiven]:
    """Every bonus of a board, one by one: rows, columns, colours (R14)."""
    earned: list[tuple[BonusKind, int | Colour]] = [
        *((BonusKind.ROW, row) for row in complete_rows(board.wall)),
        *((BonusKind.COLUMN, column) for column in complete_columns(board.wall)),
        *((BonusKind.COLOUR, colour) for colour in complete_colours(board.wall)),
    ]
    given = []
    for kind, which in earned:
        points = BONUS_POINTS[kind]
        board = replace(board, score=board.score + points)
        given.append(BonusGiven(board, kind, which, points))
    return given


def outcome(boards: Sequence[Board]) -> Outcome:
    """Who won: most points, then most complete rows, else shared (R15)."""
    scores = tuple(board.score for board in boards)
    rows = tuple(len(complete_rows(board.wall)) for board in boards)
    best = max(zip(scores, rows, strict=True))
    return Outcome(
        scores, rows, tuple(seat for seat, own in enumerate(zip(scores, rows, strict=True)) if own == best)
    )
