"""The two boards of a solo game, and the penalty row (S4 to S8).

The penalty row is the floor of the action board. Functions here let tiles fall into it from a draft, and do
to it what the lines of the action board do.
"""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.board import Board, drop
from device.rules.tiles import COLOURS, MARKER, NO_TILES, Colour, Counts, add, of_colour, without

PLAYER: Final = 0  # the player board, which also keeps the score; the game's first seat
ACTION: Final = 1  # the action board; the game's second seat

Boards = tuple[Board, Board]
Tiles = tuple[Colour, ...]

# How many falling tiles of a colour it takes to send one of them to the penalty row (S4, S5).
ACTION_EXCESS: Final = 1
PLAYER_EXCESS: Final = 2
CLEARING: Final = 2

_REACH: Final = {3: 1, 4: 2, 5: 7}
"""How many penalty tiles, from the left, the action board's lines 3 to 5 reach (S8)."""


@dataclass(frozen=True, slots=True)
class Fall:
    """The result of falling tiles.

    `sent` are the tiles for the penalty row, in order, `out` those out of play. The row holds seven tiles: an
    eighth loses the game, and is in `out` too (S7).
    """

    boards: Boards
    sent: Tiles
    out: Counts
    loses: bool


def fall(boards: Boards, tiles: Counts, least: int) -> Fall:
    """Let tiles fall to the player floor, and some of them to the penalty row instead (S4 to S6).

    One tile of each colour with `least` or more goes to the penalty row; the others go to the floor in wall
    order; if some do not fit there, one of those goes to the penalty row as well.
    """
    sent = tuple([colour for colour in COLOURS if tiles[colour] >= least])
    others = [colour for colour in COLOURS for _ in range(tiles[colour] - (colour in sent))]
    player, out = drop(boards[PLAYER], tuple(others))
    if out != NO_TILES:
        first = next(colour for colour in COLOURS if out[colour])
        sent += (first,)
        out = without(out, of_colour(first, 1))
    action, eighth = drop(boards[ACTION], sent)
    return Fall((player, action), sent, add(out, eighth), loses=eighth != NO_TILES)


def tiles_in(action: Board) -> Tiles:
    """Return the penalty row's tiles, from the left."""
    return tuple([tile for tile in action.floor if tile is not MARKER])


def redraw(action: Board, drawn: Colour | None) -> Board:
    """Line 1: take the leftmost tile off, if any, and append the drawn one, if any (S8)."""
    row = action.floor[1:]
    return replace(action, floor=row if drawn is None else (*row, drawn))


def swap(action: Board, position: int) -> Board:
    """Line 2: swap the tile at `position` (from 1) with the next (S8)."""
    row = list(action.floor)
    row[position - 1 : position + 1] = row[position], row[position - 1]
    return replace(action, floor=tuple(row))


def removable(action: Board, line: int, colour: Colour) -> list[int]:
    """Lines 3 to 5: return the positions (from 1) of the tiles of a colour that the line reaches (S8)."""
    reach = action.floor[: _REACH[line]]
    return [position for position, tile in enumerate(reach, start=1) if tile == colour]


def remove(action: Board, position: int) -> Board:
    """Lines 3 to 5: remove the tile at `position` (from 1); the others slide left (S8)."""
    return replace(action, floor=action.floor[: position - 1] + action.floor[position:])
