"""From the last draft of a solo round to the next deal, or to the end of the game (S8 to S13).

The action board acts line by line, the penalty row is charged, the player board is tiled.
"""

from dataclasses import replace

from device.rules import penalty_row, scoring, solo_scoring
from device.rules.board import legal_columns, next_full_line, printed_column, set_tile, tiles_on_floor
from device.rules.errors import IllegalEventError
from device.rules.events import Draw, Remove, Swap, Tile
from device.rules.penalty_row import ACTION, PLAYER
from device.rules.scoring import Account
from device.rules.solo_scoring import Ending
from device.rules.solo_state import State, check_in_bag, display_sizes, noted
from device.rules.solo_steps import (
    ActionTilePlaced,
    FifthTileDue,
    FloorCleared,
    PenaltyDrawn,
    PenaltyKept,
    PenaltyRemoved,
    PenaltySwapped,
)
from device.rules.standard import Phase
from device.rules.tiles import NO_TILES, Colour, add, of_colour, without


def start(state: State) -> State:
    """The displays are worked: resolve the action board from line 1 as far as nothing is asked (S8)."""
    return _next_action_line(replace(state, account=Account(state.round, state.boards)))


def _next_action_line(state: State) -> State:
    """Place the tile of the action board's next full line and let the line act; with none, go on to S10."""
    action = state.boards[ACTION]
    line = next_full_line(action)
    if line is None:
        return _charge_penalty_row(state)
    colour = action.colours[line - 1]
    assert colour is not None
    column = printed_column(colour, line)
    covers = state.scoring_tile == (line, column)
    placed = ActionTilePlaced(set_tile(action, line, column), line, column, colour, covers)
    after = noted(
        state,
        ACTION,
        placed,
        acting=placed,
        scoring_tile=None if covers else state.scoring_tile,
        lid=add(state.lid, of_colour(colour, line - 1)),
    )
    if line == 1:
        return replace(after, phase=Phase.DRAW) if after.bag != NO_TILES else _redraw(after, None)
    if line == 2:
        if len(action.floor) >= 2:
            return replace(after, phase=Phase.SWAP)
        return _acted(noted(after, ACTION, FifthTileDue(placed.board), fifth_tile=True))
    return replace(after, phase=Phase.REMOVE) if removable(after) else _acted(after)


def draw_penalty_tile(state: State, event: Draw) -> State:
    """Action line 1, with the drawn tile (S8)."""
    check_in_bag(state, event.colour)
    return _redraw(state, event.colour)


def _redraw(state: State, drawn: Colour | None) -> State:
    """Action line 1, with the drawn tile; None where the bag holds none."""
    action = state.boards[ACTION]
    tiles = penalty_row.tiles_in(action)
    aside = tiles[0] if tiles else None
    bag = state.bag
    if drawn is not None:
        bag = without(bag, of_colour(drawn, 1))
    if aside is not None:
        bag = add(bag, of_colour(aside, 1))
    return _acted(
        noted(state, ACTION, PenaltyDrawn(penalty_row.redraw(action, drawn), aside, drawn), bag=bag)
    )


def swap(state: State, event: Swap) -> State:
    """Action line 2 (S8)."""
    action = state.boards[ACTION]
    if not 1 <= event.position < len(action.floor):
        raise IllegalEventError(
            "no_such_tile", f"the penalty row has {len(action.floor)} tiles: {event.position} has no next one"
        )
    return _acted(
        noted(state, ACTION, PenaltySwapped(penalty_row.swap(action, event.position), event.position))
    )


def removable(state: State) -> list[int]:
    """The positions in the penalty row, from 1, of the tiles that the acting line may remove (S8)."""
    if state.acting is None or state.acting.row < 3:
        return []
    return penalty_row.removable(state.boards[ACTION], state.acting.row, state.acting.colour)


def remove(state: State, event: Remove) -> State:
    """Action lines 3 to 5, or leaving it (S8)."""
    assert state.acting is not None
    action = state.boards[ACTION]
    line, colour = state.acting.row, state.acting.colour
    if event.position is None:
        return _acted(noted(state, ACTION, PenaltyKept(action, line)))
    if event.position not in removable(state):
        raise IllegalEventError("no_such_tile", f"line {line} can't remove penalty tile {event.position}")
    removed = PenaltyRemoved(penalty_row.remove(action, event.position), line, event.position, colour)
    return _acted(noted(state, ACTION, removed, lid=add(state.lid, of_colour(colour, 1))))


def _acted(state: State) -> State:
    """Score the placed tile once its line has acted (S9), and go on."""
    assert state.acting is not None
    placed = (state.acting.row, state.acting.column)
    after = replace(state, acting=None)
    beside = solo_scoring.beside(*state.boards, state.scoring_tile, placed)
    return _next_action_line(after if beside is None else noted(after, PLAYER, beside))


def _charge_penalty_row(state: State) -> State:
    charged = solo_scoring.charge_penalty_row(*state.boards)
    after = noted(state, PLAYER, charged)
    if charged.board.score == 0:
        return replace(after, phase=Phase.OVER, ending=Ending.NO_POINTS)
    return _go_on_tiling(after)


# --- The player board, and the end (S11 to S14) ----------------------------------------------------------


def line_to_tile(state: State) -> int:
    """The player board's line whose tile is to be placed now, on a gray wall (S11)."""
    line = next_full_line(state.boards[PLAYER])
    assert line is not None
    return line


def _go_on_tiling(state: State) -> State:
    """Tile the player board's full lines from the top until a gray wall asks for a column (S11)."""
    while (line := next_full_line(state.boards[PLAYER])) is not None:
        player = state.boards[PLAYER]
        colour = player.colours[line - 1]
        assert colour is not None
        if not state.gray:
            state = _tile_line(state, line, printed_column(colour, line))
        elif legal_columns(player, line):
            return replace(state, phase=Phase.TILING)
        else:
            fell, over = scoring.let_line_fall(player, line)
            state = noted(state, PLAYER, fell, lid=add(state.lid, over))
    return _finish_round(state)


def _tile_line(state: State, line: int, column: int) -> State:
    placed = scoring.tile_line(state.boards[PLAYER], line, column)
    return noted(state, PLAYER, placed, lid=add(state.lid, of_colour(placed.colour, line - 1)))


def tile(state: State, event: Tile) -> State:
    """A tile of the player board onto its gray wall (S11)."""
    line = line_to_tile(state)
    if (event.seat, event.row) != (PLAYER, line):
        raise IllegalEventError("not_now", f"the tile to place now is that of row {line}, seat {PLAYER}")
    if event.column not in legal_columns(state.boards[PLAYER], line):
        raise IllegalEventError("column_taken", f"row {line} can't take this tile in column {event.column}")
    return _go_on_tiling(_tile_line(state, line, event.column))


def _finish_round(state: State) -> State:
    """Clear the floor without a charge (S11); then the game ends, or the next deal is due (S12).

    The bag can fill its displays: once in a game the tiles out of play go back for that.
    """
    player = state.boards[PLAYER]
    after = replace(state, phase=Phase.DEAL)
    if player.floor:
        cleared = FloorCleared(replace(player, floor=()), len(player.floor))
        after = noted(after, PLAYER, cleared, lid=add(state.lid, tiles_on_floor(player)))
    if any(scoring.complete_rows(board.wall) for board in after.boards):
        return _end(after, Ending.ROW_COMPLETE)
    if sum(after.bag) >= sum(display_sizes(after)):
        return after
    if after.refilled:
        return _end(after, Ending.BAG_EMPTY)
    return replace(after, bag=add(after.bag, after.lid), lid=NO_TILES, refilled=True)


def _end(state: State, ending: Ending) -> State:
    for step in solo_scoring.end_scoring(state.boards):
        state = noted(state, step.seat, step.what)
    return replace(state, phase=Phase.OVER, ending=ending)
