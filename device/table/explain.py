"""Explanation of a choice: the reasons for it that follow from the rules, strongest first.

A reason is a key of the pages' words with values; it is true of the position in which the choice is made. A
value `seat` is a seat of the game.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from device.rules import game as rules
from device.rules.board import FLOOR, Board
from device.rules.events import CENTRE, Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.scoring import (
    FLOOR_COSTS,
    TilePlaced,
    complete_colours,
    complete_columns,
    complete_rows,
    tile_full_lines,
    tile_line,
)
from device.rules.solo.game import SoloState, preview
from device.rules.solo.penalty_row import ACTION, PLAYER, removable, swap, tiles_in
from device.rules.standard import StandardState
from device.rules.tiles import letter
from device.table.game import move_of

MOST_REASONS: Final = 2  # reasons that fit into a sentence


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: a key of the pages' words, and its values."""

    key: str
    values: dict[str, int | str] = field(default_factory=dict)


def reasons_for(state: rules.State, choice: Event) -> tuple[Reason, ...]:
    """Return the strongest reasons for a legal choice; it may have none."""
    match choice:
        case Draft() if isinstance(state, SoloState):
            found = _of_pick(state, choice)
        case Draft() if isinstance(state, StandardState):
            found = _of_draft(state, choice)
        case Tile():
            found = _of_column(state, choice)
        case Scoring():
            found = _of_square(state, choice)
        case Swap(position):
            found = iter((_of_swap(state.boards[ACTION], position),))
        case Remove(position) if position is not None:
            left = len(state.boards[state.turn].floor) - 1
            found = iter((Reason("fewer_penalties", {"count": left}),))
        case _:
            found = iter(())
    return tuple(reason for reason, _ in zip(found, range(MOST_REASONS), strict=False))


# --- Drafts ---


def _of_draft(state: StandardState, draft: Draft) -> Iterator[Reason]:
    before = state.boards[state.turn]
    after = state.board_after(draft)[0]
    yield from _of_filled_line(before, after, draft.line, gray=state.ruleset.gray)
    following = (state.turn + 1) % len(state.boards)
    yield from _of_next_player(state, draft, following)
    yield from _of_floor(state, draft)
    if draft.source == CENTRE and state.marker is None:
        yield Reason("marker")
    yield from _of_growing_line(after, draft.line)


def _of_filled_line(before: Board, after: Board, line: int, *, gray: bool) -> Iterator[Reason]:
    """Yield what a line that is full now scores; tiles placed later can only lengthen its runs (R11)."""
    if line == FLOOR or not after.line_is_full(line):
        return
    if gray:
        yield Reason("fills", {"line": line})
        return
    without, _ = _tiled(before)
    wall, points = _tiled(after)
    for row in set(complete_rows(wall.wall)) - set(complete_rows(without.wall)):
        yield Reason("ends_game", {"row": row})
    for column in set(complete_columns(wall.wall)) - set(complete_columns(without.wall)):
        yield Reason("completes_column", {"column": column})
    for colour in set(complete_colours(wall.wall)) - set(complete_colours(without.wall)):
        yield Reason("completes_colour", {"colour": letter(colour)})
    yield Reason("fills_for", {"line": line, "points": points[line]})


def _tiled(board: Board) -> tuple[Board, dict[int, int]]:
    """Return a coloured wall after tiling, and the points of each full line (R10)."""
    items, _ = tile_full_lines(board, gray=False)
    points = {item.row: item.points for item in items if isinstance(item, TilePlaced)}
    return (items[-1].board if items else board), points


def _of_growing_line(after: Board, line: int) -> Iterator[Reason]:
    if line != FLOOR and not after.line_is_full(line):
        yield Reason("grows", {"line": line, "count": after.held[line - 1]})


def _of_next_player(state: StandardState, draft: Draft, following: int) -> Iterator[Reason]:
    """Yield the tiles that must fall for the next player, and the line that the draft takes tiles from."""
    later = state.apply(draft)
    if later.in_offer:
        falling = min(move_of(later, event).fell for event in later.legal() if isinstance(event, Draft))
        if falling:
            yield Reason("leaves", {"seat": following, "count": falling})
    number = state.sources[draft.source][draft.colour]
    theirs = state.boards[following]
    for line in (5, 4, 3):
        held = theirs.held[line - 1]
        if theirs.colours[line - 1] == draft.colour and 0 < line - held <= number:
            yield Reason("takes_from", {"seat": following, "line": line})
            return


def _of_floor(state: StandardState, draft: Draft) -> Iterator[Reason]:
    """Yield how the cost on the floor compares with that of the other drafts."""
    costs = {event: _cost(state, event) for event in state.legal() if isinstance(event, Draft)}
    own = costs[draft]
    if own and own == min(costs.values()):
        yield Reason("costs_least", {"points": own})
    same = (draft.source, draft.colour)
    others = [cost for event, cost in costs.items() if (event.source, event.colour) != same]
    if not own and others and min(others):
        yield Reason("costs_nothing")


def _cost(state: StandardState, draft: Draft) -> int:
    before, after = state.boards[state.turn], state.board_after(draft)[0]
    return FLOOR_COSTS[len(after.floor)] - FLOOR_COSTS[len(before.floor)]


# --- Solo drafts and other choices ---


def _of_pick(state: SoloState, draft: Draft) -> Iterator[Reason]:
    pick = preview(state, draft)
    before, after = state.boards[state.turn], pick.boards[state.turn]
    if state.turn == PLAYER:
        yield from _of_filled_line(before, after, draft.line, gray=state.gray)
    elif draft.line != FLOOR and after.line_is_full(draft.line):
        yield Reason("fills", {"line": draft.line})
    sent = {event: len(preview(state, event).sent) for event in state.legal() if isinstance(event, Draft)}
    if not sent[draft]:
        yield Reason("sends_nothing")
    elif sent[draft] == min(sent.values()):
        yield Reason("sends_least", {"count": sent[draft]})
    yield from _of_growing_line(after, draft.line)


def _of_square(state: rules.State, square: Scoring) -> Iterator[Reason]:
    """Yield how many tiles fill the lines of the four spaces beside the scoring tile's square (S9).

    One space is in the row above, two are in its own and one is below: four times the row's number.
    """
    rows = [event.row for event in state.legal() if isinstance(event, Scoring)]
    key = "beside_fewest" if square.row == min(rows) < max(rows) else "beside"
    yield Reason(key, {"count": 4 * square.row})


def _of_swap(action: Board, position: int) -> Reason:
    """Return the full line that can remove penalty tiles after a swap (S8), else the swapped colours."""
    after = swap(action, position)
    for line in (3, 4):
        colour = action.colours[line - 1]
        if colour is None or not action.line_is_full(line) or removable(action, line, colour):
            continue
        if removable(after, line, colour):
            return Reason("brings_in_reach", {"line": line, "colour": letter(colour)})
    left, right = tiles_in(action)[position - 1 : position + 1]
    if left == right:
        return Reason("swaps_alike", {"colour": letter(left)})
    return Reason("brings_forward", {"colour": letter(right), "position": position})


def _of_column(state: rules.State, tile: Tile) -> Iterator[Reason]:
    """Yield what a gray wall's column scores, and whether another would score more (G1, R11)."""
    board = state.boards[tile.seat]
    tiles = (event for event in state.legal() if isinstance(event, Tile))
    columns = [event.column for event in tiles if (event.seat, event.row) == (tile.seat, tile.row)]
    placed = tile_line(board, tile.row, tile.column)
    if tile.column in complete_columns(placed.board.wall):
        yield Reason("completes_column", {"column": tile.column})
    best = placed.points == max(tile_line(board, tile.row, column).points for column in columns)
    colour = board.colours[tile.row - 1]
    assert colour is not None
    where: dict[str, int | str] = {"colour": letter(colour), "row": tile.row, "column": tile.column}
    yield Reason("column_best" if best else "column", {**where, "points": placed.points})
