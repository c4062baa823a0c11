"""Two bots that need no thinking time: `random` picks any choice, `greedy` the best one move deep.

A bot is a function of the state and of chance: `below(n)` gives a whole number from 0 to n - 1. It answers
for the first seat that `to_act` names.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from device.rules.board import (
    FLOOR,
    LINES,
    Board,
    Wall,
    legal_columns,
    next_full_line,
    printed_column,
)
from device.rules.events import CENTRE, Draft, Event, Remove, Tile
from device.rules.game import State
from device.rules.scoring import FLOOR_COSTS, let_line_fall, runs, tile_line, tile_points
from device.rules.solo import game as solo
from device.rules.solo.game import Pick, SoloState
from device.rules.solo.scoring import PENALTY_TILE_POINTS
from device.rules.standard import StandardState
from device.rules.tiles import COLOURS, NO_TILES, Colour

Below = Callable[[int], int]
Bot = Callable[[State, Below], Event]

PART_OF_A_LINE: Final = 0.7
"""What a line that is not full is worth, as a part of what its tile would score, times how full it is."""


def choices(state: State, seat: int | None = None) -> list[Event]:
    """The choices of a seat that has to act; of the first one where none is named."""
    allowed = state.legal()
    first = allowed[0]
    if not isinstance(first, Tile):
        return allowed
    asked = first.seat if seat is None else seat
    return [event for event in allowed if isinstance(event, Tile) and event.seat == asked]  # G3


def play_random(state: State, below: Below) -> Event:
    """Any choice, each as likely as the others."""
    allowed = choices(state)
    return allowed[below(len(allowed))]


def play_greedy(state: State, below: Below) -> Event:
    """A choice after which the own board is worth most, if the round were tiled at once."""
    allowed = choices(state)
    known: dict[tuple[object, ...], float] = {}
    worths = [_worth_after(state, event, known) for event in allowed]
    best = max(worths)
    equal = [event for event, worth in zip(allowed, worths, strict=True) if worth == best]
    return equal[below(len(equal))]


def _worth_after(state: State, event: Event, known: dict[tuple[object, ...], float]) -> float:
    """The worth of the board after a choice; `known` holds those of the choices that come to the same."""
    match event:
        case Draft():
            if isinstance(state, SoloState):
                return _worth_of_pick(state, event)
            assert isinstance(state, StandardState)
            return _worth_of_draft(state, event, known)
        case Tile(seat, row, column):  # asked on gray walls only
            return _worth(tile_line(state.boards[seat], row, column).board, gray=True)
        case Remove(position):
            return position is not None
    return 0  # the scoring tile and the swaps of a solo game: this bot has no opinion


def _worth_of_draft(state: StandardState, draft: Draft, known: dict[tuple[object, ...], float]) -> float:
    number = state.sources[draft.source][draft.colour]
    takes_marker = draft.source == CENTRE and state.marker is None
    same = (draft.colour, draft.line, number, takes_marker)
    if same not in known:
        board, _ = state.board_after(draft)
        known[same] = _worth(board, gray=state.ruleset.gray)
    return known[same]


def _worth_of_pick(state: SoloState, draft: Draft) -> float:
    """The worth of both boards of a solo game once the display of a pick is cleared."""
    pick = solo.preview(state, draft)
    if pick.loses or pick.rest == NO_TILES:
        return _worth_of_boards(pick, gray=state.gray)
    cleared = state.apply(draft)
    return max(
        _worth_of_boards(solo.preview(cleared, event), gray=state.gray)
        for event in cleared.legal()
        if isinstance(event, Draft)
    )


def _worth_of_boards(pick: Pick, *, gray: bool) -> float:
    """The worth after a pick in a solo game: a floor costs nothing there, but the penalty row does."""
    if pick.loses:
        return -math.inf
    player, action = pick.boards
    penalty = len(action.floor)
    acting = sum(held / line for line, held in zip(LINES, action.held, strict=True))
    return (
        _worth(replace(player, floor=()), gray=gray)
        + PENALTY_TILE_POINTS * penalty
        - FLOOR_COSTS[penalty]
        + acting
    )


def _worth(board: Board, *, gray: bool) -> float:
    """Points if the round were tiled now, and a part of what the board promises."""
    while (line := next_full_line(board)) is not None:
        colour = board.colours[line - 1]
        assert colour is not None
        column = _best_column(board, line, colour, gray=gray)
        board = tile_line(board, line, column).board if column else let_line_fall(board, line)[0].board
    return (
        board.score
        - FLOOR_COSTS[len(board.floor)]
        + promise_of_wall(board.wall)
        + sum(_promise_of_line(board, line, gray=gray) for line in LINES if board.held[line - 1])
    )


def _best_column(board: Board, line: int, colour: Colour, *, gray: bool) -> int | None:
    """Where a full line's tile scores most; None where a gray wall has no place for it (G2)."""
    if not gray:
        return printed_column(colour, line)
    columns = legal_columns(board, line)
    return max(columns, key=lambda column: _points(board.wall, line, column), default=None)


def _points(wall: Wall, row: int, column: int) -> int:
    """What a tile on a free square would score (R11)."""
    across, down = runs(wall, row, column)
    return tile_points(len(across), len(down))


def _promise_of_line(board: Board, line: int, *, gray: bool) -> float:
    """What the tiles of a line that is not full are worth."""
    colour = board.colours[line - 1]
    assert colour is not None
    column = _best_column(board, line, colour, gray=gray)
    if column is None:
        return 0
    return PART_OF_A_LINE * _points(board.wall, line, column) * board.held[line - 1] / line


def promise_of_wall(wall: Wall) -> float:
    """Parts of the bonuses: 2, 7 and 10 grow with the square of what is there of five tiles (R14)."""
    rows = [5 - row.count(None) for row in wall]
    columns = [5 - column.count(None) for column in zip(*wall, strict=True)]
    colours = [sum(colour in row for row in wall) for colour in COLOURS]
    return sum(
        points * sum(number * number for number in numbers) / 25
        for points, numbers in ((2, rows), (7, columns), (10, colours))
    )


# --- `calm`, a beginner: weighs a few choices only, likes to complete lines, forgets the floor -----------

LOOKED_AT: Final = 5
"""How many of the choices a beginner weighs."""


def play_calm(state: State, below: Below) -> Event:
    """The nicest of a few choices."""
    allowed = choices(state)
    sensible = [event for event in allowed if not isinstance(event, Draft) or event.line != FLOOR] or allowed
    looked_at = [sensible[below(len(sensible))] for _ in range(LOOKED_AT)]
    return max(looked_at, key=lambda event: _liking(state, event))


def _liking(state: State, event: Event) -> float:
    if isinstance(event, Remove):
        return 0 if event.position is None else 1
    if not isinstance(event, Draft):
        return 0  # all columns, squares and swaps look alike
    number = state.sources[event.source][event.colour]
    if event.line == FLOOR:
        return -number
    held = state.boards[state.turn].held[event.line - 1]
    fit = min(number, event.line - held)
    completes = held + fit == event.line
    carelessness = 0.2 if isinstance(state, SoloState) else 0.5
    return fit + 2 * completes - carelessness * (number - fit)
