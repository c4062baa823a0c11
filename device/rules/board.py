"""Boards: pattern lines, wall and floor of a player, and placing tiles on them (R6 to R8, R10, G1).

Rows, columns and lines are numbered from 1 in every function; line 0 is the floor.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from device.rules.errors import IllegalEventError
from device.rules.tiles import COLOURS, MARKER, NO_TILES, Colour, Counts, Marker, count, letter

LINES: Final = (1, 2, 3, 4, 5)
FLOOR: Final = 0  # the number of the floor as the line of a draft
FLOOR_SPACES: Final = 7

Row = tuple[Colour | None, ...]
Wall = tuple[Row, ...]
Floor = tuple[Colour | Marker, ...]

WALL_PATTERN: Final[tuple[tuple[Colour, ...], ...]] = tuple(
    tuple(COLOURS[(column - row) % 5] for column in range(5)) for row in range(5)
)
"""The colours printed on the coloured wall: each row is the one above, rotated one to the right (R2)."""


@dataclass(frozen=True, slots=True)
class Board:
    """A player's board at one moment; the tuples are indexed from 0."""

    colours: tuple[Colour | None, ...] = (None,) * 5  # of each line; None while the line is empty
    held: tuple[int, ...] = (0,) * 5  # tiles in each line
    wall: Wall = ((None,) * 5,) * 5
    floor: Floor = ()
    score: int = 0

    def line_is_full(self, line: int) -> bool:
        """Return whether a line holds all its tiles."""
        return self.held[line - 1] == line


def open_lines(board: Board, colour: Colour) -> tuple[int, ...]:
    """Return the lines that accept tiles of a colour, from the top, without the floor (R7)."""
    return tuple(lines_by_colour(board)[colour])


def lines_by_colour(board: Board) -> list[list[int]]:
    """Return for each colour, in wall order, the lines that accept its tiles, from the top (R7).

    A line accepts a colour if it is not full, holds no other colour, and its wall row lacks the colour.
    """
    lines: list[list[int]] = [[], [], [], [], []]
    for line in LINES:
        held = board.colours[line - 1]
        if held is None:
            for colour in _missing(board.wall[line - 1]):
                lines[colour].append(line)
        elif board.held[line - 1] < line:
            lines[held].append(line)
    return lines


@cache
def _missing(row: Row) -> tuple[Colour, ...]:
    """Return the colours that a wall row lacks."""
    return tuple(colour for colour in COLOURS if colour not in row)


def check_line(board: Board, line: int, colour: Colour) -> None:
    """Raise IllegalEventError, with the reason, unless the line accepts tiles of a colour (R7)."""
    if line not in LINES:
        raise IllegalEventError("no_such_line", f"there is no line {line}")
    row = line - 1
    held = board.colours[row]
    if board.line_is_full(line):
        raise IllegalEventError("line_full", f"line {line} is full")
    if held is not None and held != colour:
        raise IllegalEventError(
            "line_other_colour", f"line {line} holds {letter(held)}, not {letter(colour)}"
        )
    if colour in board.wall[row]:
        raise IllegalEventError("wall_has_colour", f"row {line} of the wall holds {letter(colour)} already")


def drop(board: Board, tiles: Floor) -> tuple[Board, Counts]:
    """Let tiles fall to the floor, filled from the left; also return the tiles that did not fit (R8)."""
    room = FLOOR_SPACES - len(board.floor)
    over = NO_TILES
    if len(tiles) > room:
        over = count([tile for tile in tiles[room:] if tile is not MARKER])
    return Board(board.colours, board.held, board.wall, board.floor + tiles[:room], board.score), over


def fill(board: Board, colour: Colour, number: int, line: int) -> tuple[Board, int]:
    """Put tiles on a line that accepts them (see `check_line`); also return how many did not fit (R7)."""
    row = line - 1
    fit = min(number, line - board.held[row])
    held = (*board.held[:row], board.held[row] + fit, *board.held[line:])
    colours = (*board.colours[:row], colour, *board.colours[line:])
    return Board(colours, held, board.wall, board.floor, board.score), number - fit


def place(board: Board, colour: Colour, number: int, line: int) -> tuple[Board, Counts]:
    """Put tiles on a line that accepts them, or on the floor; what does not fit the line falls.

    The second value is the tiles that did not fit the floor either (R7, R8).
    """
    falling = number
    if line:
        board, falling = fill(board, colour, number, line)
    return drop(board, (colour,) * falling) if falling else (board, NO_TILES)


def legal_columns(board: Board, line: int) -> tuple[int, ...]:
    """Return the columns of a gray wall that are legal for a full line's tile (G1)."""
    colour = board.colours[line - 1]
    row = board.wall[line - 1]
    if colour is None or colour in row:
        return ()
    return tuple(
        column
        for column in LINES
        if row[column - 1] is None and all(each[column - 1] != colour for each in board.wall)
    )


def printed_column(colour: Colour, row: int) -> int:
    """Return the column of a colour in a row of the coloured wall (R2)."""
    return (colour + row - 1) % 5 + 1


def set_tile(board: Board, line: int, column: int) -> Board:
    """Move a full line's tile to the wall and clear the line, without scoring."""
    row = line - 1
    colour = board.colours[row]
    across = board.wall[row]
    wall = (*board.wall[:row], (*across[: column - 1], colour, *across[column:]), *board.wall[line:])
    cleared = clear_line(board, line)
    return Board(cleared.colours, cleared.held, wall, board.floor, board.score)


def clear_line(board: Board, line: int) -> Board:
    """Take all tiles off a line."""
    row = line - 1
    colours = (*board.colours[:row], None, *board.colours[line:])
    held = (*board.held[:row], 0, *board.held[line:])
    return Board(colours, held, board.wall, board.floor, board.score)


def next_full_line(board: Board) -> int | None:
    """Return the topmost full line, the next to move its tile to the wall; None without one (R10)."""
    return next((line for line in LINES if board.line_is_full(line)), None)


def tiles_on_wall(board: Board) -> Iterator[tuple[int, int, Colour]]:
    """Yield row, column and colour of each tile on the wall."""
    for row, tiles in enumerate(board.wall, start=1):
        yield from ((row, column, tile) for column, tile in enumerate(tiles, start=1) if tile is not None)


def tiles_on_floor(board: Board) -> Counts:
    """Return the tiles on the floor without the marker."""
    return count([tile for tile in board.floor if tile is not MARKER])
