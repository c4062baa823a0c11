"""Scoring: runs, the floor, the bonuses, the winners, and the account of a round (R10 to R15).

An account lists every item of the scoring in order, each with the board after it, so that an animation can
show them one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, Final

from device.rules.board import (
    LINES,
    Board,
    Wall,
    clear_line,
    drop,
    legal_columns,
    next_full_line,
    printed_column,
    set_tile,
)
from device.rules.errors import IllegalEventError
from device.rules.tiles import COLOURS, NO_TILES, Colour, Counts, add, of_colour

FLOOR_COSTS: Final = (0, 1, 2, 4, 6, 8, 11, 14)
"""Points lost for 0 to 7 tiles on the floor: the running sums of 1 1 2 2 2 3 3 (R12)."""


# --- The account of a round ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """One item of an account, with the board after it.

    The subclasses say what was scored; each has a field `points`: the change of the score.
    """

    at_end: ClassVar[bool] = False  # whether it belongs to the end of the game: a bonus (R14, S13)

    board: Board


@dataclass(frozen=True, slots=True)
class TilePlaced(Item):
    """A tile moved to the wall; `across` and `down` are the lengths of the runs through it (R11)."""

    row: int
    column: int
    colour: Colour
    across: int
    down: int
    points: int


@dataclass(frozen=True, slots=True)
class LineFell(Item):
    """A full line without a legal column: all its tiles fell (G2)."""

    line: int
    colour: Colour
    points: int = 0


@dataclass(frozen=True, slots=True)
class FloorCharged(Item):
    """The floor was charged: its tiles (the marker counts), their cost, and the points lost (R12)."""

    tiles: int
    cost: int
    points: int  # 0 or less: a score never drops below 0


class BonusKind(Enum):
    """What a bonus is given for."""

    ROW = "row"
    COLUMN = "column"
    COLOUR = "colour"

    __repr__ = Enum.__str__


BONUS_POINTS: Final = {BonusKind.ROW: 2, BonusKind.COLUMN: 7, BonusKind.COLOUR: 10}  # R14


@dataclass(frozen=True, slots=True)
class BonusGiven(Item):
    """A bonus at the end of the game; `which` is the row, the column or the colour (R14)."""

    at_end: ClassVar[bool] = True

    kind: BonusKind
    which: int | Colour
    points: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a seat's scoring."""

    seat: int
    item: Item


@dataclass(frozen=True, slots=True)
class Account:
    """The scoring of a round: the boards when its offer ended, then every step; bonuses come last."""

    round: int
    boards: tuple[Board, ...]
    steps: tuple[Step, ...] = ()

    def boards_after(self, shown: int) -> tuple[Board, ...]:
        """Return the boards after the first `shown` steps."""
        boards = list(self.boards)
        for step in self.steps[:shown]:
            boards[step.seat] = step.item.board
        return tuple(boards)

    @property
    def totals(self) -> tuple[int, ...]:
        """The scores of all boards before the items of the game's end."""
        before_end = sum(not step.item.at_end for step in self.steps)
        return tuple(board.score for board in self.boards_after(before_end))


# --- Points ----------------------------------------------------------------------------------------------


def runs(wall: Wall, row: int, column: int) -> tuple[range, range]:
    """Return the columns of the unbroken run across through a square, and the rows of the one down (R11)."""
    return _run(wall[row - 1], column - 1), _run([each[column - 1] for each in wall], row - 1)


def _run(squares: Sequence[Colour | None], at: int) -> range:
    start = end = at
    while start > 0 and squares[start - 1] is not None:
        start -= 1
    while end < 4 and squares[end + 1] is not None:
        end += 1
    return range(start + 1, end + 2)


def tile_points(across: int, down: int) -> int:
    """Return the points for a placed tile from the lengths of its two runs (R11)."""
    return ((across if across > 1 else 0) + (down if down > 1 else 0)) or 1


def tile_line(board: Board, line: int, column: int) -> TilePlaced:
    """Move a full line's tile to the wall, clear the line, and score at once (R10, R11).

    Raises IllegalEventError if the line is not full.
    """
    colour = board.colours[line - 1]
    if colour is None or not board.line_is_full(line):
        raise IllegalEventError("line_not_full", f"line {line} is not full")
    after = set_tile(board, line, column)
    across, down = (len(run) for run in runs(after.wall, line, column))
    points = tile_points(across, down)
    return TilePlaced(replace(after, score=after.score + points), line, column, colour, across, down, points)


def let_line_fall(board: Board, line: int) -> tuple[LineFell, Counts]:
    """Let all tiles of a full line fall to the floor; the second value is the tiles that did not fit (G2).

    Raises IllegalEventError if the line is empty.
    """
    colour = board.colours[line - 1]
    if colour is None:
        raise IllegalEventError("line_not_full", f"line {line} is empty")
    after, over = drop(clear_line(board, line), (colour,) * line)
    return LineFell(after, line, colour), over


def tile_full_lines(board: Board, *, gray: bool) -> tuple[list[TilePlaced | LineFell], Counts]:
    """Tile full lines from the top until a gray wall leaves a choice (R10, G2).

    Return the items of the account, whose last one has the board, and the discarded tiles.
    """
    items: list[TilePlaced | LineFell] = []
    discarded = NO_TILES
    while (line := next_full_line(board)) is not None:
        colour = board.colours[line - 1]
        assert colour is not None
        if not gray:
            items.append(tile_line(board, line, printed_column(colour, line)))
            over = of_colour(colour, line - 1)
        elif not legal_columns(board, line):
            fell, over = let_line_fall(board, line)
            items.append(fell)
        else:
            break
        board = items[-1].board
        discarded = add(discarded, over)
    return items, discarded


def charge_floor(board: Board) -> FloorCharged:
    """Subtract the cost of the floor from the score, never below 0, and clear the floor (R12)."""
    cost = FLOOR_COSTS[len(board.floor)]
    score = max(0, board.score - cost)
    return FloorCharged(replace(board, floor=(), score=score), len(board.floor), cost, score - board.score)


def complete_rows(wall: Wall) -> list[int]:
    """Return the rows that hold five tiles (R13)."""
    return [row for row in LINES if None not in wall[row - 1]]


def complete_columns(wall: Wall) -> list[int]:
    """Return the columns that hold five tiles (R14)."""
    return [column for column in LINES if all(row[column - 1] is not None for row in wall)]


def complete_colours(wall: Wall) -> list[Colour]:
    """Return the colours with all five tiles on the wall (R14)."""
    return [colour for colour in COLOURS if all(colour in row for row in wall)]


def bonuses(board: Board) -> list[BonusGiven]:
    """Return every bonus of a board in order: rows, columns, colours (R14)."""
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


# --- The winners -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: final scores, complete rows, and the seats that share the victory (R15)."""

    scores: tuple[int, ...]
    rows: tuple[int, ...]
    winners: tuple[int, ...]


def outcome(boards: Sequence[Board]) -> Outcome:
    """Return the winners: most points, then most complete rows, else shared (R15)."""
    scores = tuple(board.score for board in boards)
    rows = tuple(len(complete_rows(board.wall)) for board in boards)
    ranks = list(zip(scores, rows, strict=True))
    return Outcome(scores, rows, tuple(seat for seat, rank in enumerate(ranks) if rank == max(ranks)))
