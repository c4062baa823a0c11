"""What the columns of a gray wall are worth: this round's points, and parts of the bonuses.

The learned worths come from games that filled their walls from the left, so they know little of other walls.
A wall and its mirror image are worth the same (G1), and choices by this rule win as often.
"""

from typing import Final

from device.bots.simple import promise_of_wall
from device.rules.board import Board, legal_columns, next_full_line
from device.rules.events import Tile
from device.rules.game import State
from device.rules.scoring import FLOOR_COSTS, let_line_fall, tile_line
from device.rules.standard import State as TableState

AHEAD: Final = 2
"""How many further full lines are tried in all their columns; more would take too long."""


def column_worths(state: State, seat: int) -> dict[Tile, float]:
    """What each column is worth, in points, that a seat may choose for its topmost full line."""
    board = state.boards[seat]
    line = next_full_line(board)
    assert line is not None, "there is no tile to place"
    charged = isinstance(state, TableState)  # in solo the floor costs nothing (S11)
    return {
        Tile(seat, line, column): _worth(tile_line(board, line, column).board, AHEAD, charged=charged)
        for column in legal_columns(board, line)
    }


def _worth(board: Board, ahead: int, *, charged: bool) -> float:
    """The most that so many other full lines can make of a board."""
    line = next_full_line(board)
    if line is None or not ahead:
        return board.score - FLOOR_COSTS[len(board.floor) * charged] + promise_of_wall(board.wall)
    columns = legal_columns(board, line)
    if not columns:  # G2
        return _worth(let_line_fall(board, line)[0].board, ahead, charged=charged)
    return max(_worth(tile_line(board, line, column).board, ahead - 1, charged=charged) for column in columns)
