"""One player's board: pattern lines, wall and floor; placing tiles (R6 to R8, R10, G1)."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from device.rules.errors import IllegalEventError
from device.rules.tiles import (
    COLOURS,
    MARKER,
    NO_TILES,
    Colour,
    Counts,
    Marker,
    add,
    count,
    letter,
    of_colour,
)

LINES: Final = (1, 2, 3, 4, 5)
FLOOR: Final = 0
"""The line number that stands for the floor in a draft."""
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
    """A player's board at one moment.

    Rows, columns and lines are numbered from 1 in every function, and stored from 0 in the tuples.
    """

    colours: tuple[Colour | None, ...] = (None,) * 5  # of each line; None while the line is empty
    held: tuple[int, ...] = (0,) * 5  # tiles in each line
    wall: Wall = ((None,) * 5,) * 5
    floor: Floor = ()
    score: int = 0

    def line_is_full(self, line: int) -> bool:
        """Whether line 1 to 5 holds all its tiles."""
        return self.held[line - 1] == line


def open_lines(board: Board, colour: Colour) -> tuple[int, ...]:
    """The lines that take tiles of a colour now, from the top; the floor always does (R7)."""
    return tuple(lines_by_colour(board)[colour])


def lines_by_colour(board: Board) -> list[list[int]]:
    """For each colour, in wall order, the lines that take its tiles now, from the top (R7).

    A line does while it is not full, holds no other colour, and its wall row lacks this one.
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
    """The colours that a wall row lacks; worked out once for each row that a game has seen."""
    return tuple(colour for colour in COLOURS if colour not in row)


def check_line(board: Board, line: int, colour: Colour) -> None:
    """Raise IllegalEventError, naming the reason, unless the line takes tiles of a colour now (R7)."""
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
    """Let tiles fall to the floor from the left; the second value is what did not fit (R8)."""
    room = FLOOR_SPACES - len(board.floor)
    over = NO_TILES
    if len(tiles) > room:
        over = count([tile for tile in tiles[room:] if tile is not MARKER])
    return Board(board.colours, board.held, board.wall, board.floor + tiles[:room], board.score), over


def fill(board: Board, colour: Colour, number: int, line: int) -> tuple[Board, int]:
    """Put tiles on a line that takes them (see `check_line`); the second value is how many are left (R7)."""
    row = line - 1
    fit = min(number, line - board.held[row])
    held = (*board.held[:row], board.held[row] + fit, *board.held[line:])
    colours = (*board.colours[:row], colour, *board.colours[line:])
    return Board(colours, held, board.wall, board.floor, board.score), number - fit


def place(board: Board, colour: Colour, number: int, line: int) -> tuple[Board, Counts]:
    """Put tiles on a line that takes them, or on the floor (line 0); what does not fit the line falls.

    The second value is what does not fit the floor either (R7, R8).
    """
    falling = number
    if line:
        board, falling = fill(board, colour, number, line)
    return drop(board, (colour,) * falling) if falling else (board, NO_TILES)


def legal_columns(board: Board, line: int) -> tuple[int, ...]:
    """The columns of a gray wall that may take a full line's tile: free, and without its colour (G1)."""
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
    """The column where the coloured wall shows a colour in a row (R2)."""
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
    """The topmost full line: the next to move its tile to the wall (R10)."""
    return next((line for line in LINES if board.line_is_full(line)), None)


def tiles_on_floor(board: Board) -> Counts:
    """The tiles on the floor, the marker left out."""
    return count([tile for tile in board.floor if tile is not MARKER])


def tiles_on(board: Board) -> Counts:
    """Every tile that lies on the board, the marker left out."""
    on_lines: Counts = NO_TILES
    for colour, number in zip(board.colours, board.held, strict=True):
        if colour is not None:
            on_lines = add(on_lines, of_colour(colour, number))
    on_wall = count([tile for row in board.wall for tile in row if tile is not None])
    return add(add(on_lines, on_wall), tiles_on_floor(board))
