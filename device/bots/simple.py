"""Bots without search: `random`, `calm` (a beginner) and `greedy` (the best choice one ply deep).

A bot is a function of the state and of `below`, where `below(n)` returns a random integer from 0 to n - 1. It
chooses for the first seat that has to act.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from device.rules.board import FLOOR, LINES, Board, Wall, legal_columns, next_full_line, printed_column
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

LINE_FACTOR: Final = 0.7
"""Value of a full line's tile that an incomplete line counts for, times the part of it that is full."""


def choices(state: State, seat: int | None = None) -> list[Event]:
    """Return the legal choices of a seat, by default of the first one that has to act (G3)."""
    allowed = state.legal()
    first = allowed[0]
    if not isinstance(first, Tile):
        return allowed
    asked = first.seat if seat is None else seat
    return [event for event in allowed if isinstance(event, Tile) and event.seat == asked]  # G3


def play_random(state: State, below: Below) -> Event:
    """Return a random choice, uniformly distributed."""
    allowed = choices(state)
    return allowed[below(len(allowed))]


def play_greedy(state: State, below: Below) -> Event:
    """Return a choice with the best value of the own board if the round were tiled at once."""
    allowed = choices(state)
    known: dict[tuple[object, ...], float] = {}
    values = [_value_after(state, event, known) for event in allowed]
    best = max(values)
    equals = [event for event, value in zip(allowed, values, strict=True) if value == best]
    return equals[below(len(equals))]


def _value_after(state: State, event: Event, known: dict[tuple[object, ...], float]) -> float:
    """Return the value after a choice; `known` caches equal drafts from different displays."""
    match event:
        case Draft():
            if isinstance(state, SoloState):
                return _pick_value(state, event)
            assert isinstance(state, StandardState)
            return _draft_value(state, event, known)
        case Tile(seat, row, column):  # asked on gray walls only
            return _board_value(tile_line(state.boards[seat], row, column).board, gray=True)
        case Remove(position):
            return position is not None
    return 0  # the scoring tile and the swaps of a solo game


def _draft_value(state: StandardState, draft: Draft, known: dict[tuple[object, ...], float]) -> float:
    number = state.sources[draft.source][draft.colour]
    takes_marker = draft.source == CENTRE and state.marker is None
    same = (draft.colour, draft.line, number, takes_marker)
    if same not in known:
        board, _ = state.board_after(draft)
        known[same] = _board_value(board, gray=state.ruleset.gray)
    return known[same]


def _pick_value(state: SoloState, draft: Draft) -> float:
    """Return the value of both boards of a solo game once the display of a pick is empty."""
    pick = solo.preview(state, draft)
    if pick.loses or pick.rest == NO_TILES:
        return _solo_value(pick, gray=state.gray)
    cleared = state.apply(draft)
    return max(
        _solo_value(solo.preview(cleared, event), gray=state.gray)
        for event in cleared.legal()
        if isinstance(event, Draft)
    )


def _solo_value(pick: Pick, *, gray: bool) -> float:
    """Return the value after a pick in a solo game; the penalty row costs points, the floor does not."""
    if pick.loses:
        return -math.inf
    player, action = pick.boards
    penalty = len(action.floor)
    acting = sum(held / line for line, held in zip(LINES, action.held, strict=True))
    return (
        _board_value(replace(player, floor=()), gray=gray)
        + PENALTY_TILE_POINTS * penalty
        - FLOOR_COSTS[penalty]
        + acting
    )


def _board_value(board: Board, *, gray: bool) -> float:
    """Return the points if the round were tiled now, plus the potential of wall and lines."""
    while (line := next_full_line(board)) is not None:
        colour = board.colours[line - 1]
        assert colour is not None
        column = _best_column(board, line, colour, gray=gray)
        board = tile_line(board, line, column).board if column else let_line_fall(board, line)[0].board
    return (
        board.score
        - FLOOR_COSTS[len(board.floor)]
        + wall_potential(board.wall)
        + sum(_line_potential(board, line, gray=gray) for line in LINES if board.held[line - 1])
    )


def _best_column(board: Board, line: int, colour: Colour, *, gray: bool) -> int | None:
    """Return the column where a full line's tile scores most; None if a gray wall has none (G2)."""
    if not gray:
        return printed_column(colour, line)
    columns = legal_columns(board, line)
    return max(columns, key=lambda column: _points(board.wall, line, column), default=None)


def _points(wall: Wall, row: int, column: int) -> int:
    """Return the points for a tile on a free square (R11)."""
    across, down = runs(wall, row, column)
    return tile_points(len(across), len(down))


def _line_potential(board: Board, line: int, *, gray: bool) -> float:
    """Return the value of the tiles in an incomplete line."""
    colour = board.colours[line - 1]
    assert colour is not None
    column = _best_column(board, line, colour, gray=gray)
    if column is None:
        return 0
    return LINE_FACTOR * _points(board.wall, line, column) * board.held[line - 1] / line


@lru_cache(maxsize=1024)  # most choices of a turn leave the same wall
def wall_potential(wall: Wall) -> float:
    """Return parts of the bonuses 2, 7 and 10, growing with the square of the tiles present (R14)."""
    rows = [5 - row.count(None) for row in wall]
    columns = [5 - column.count(None) for column in zip(*wall, strict=True)]
    colours = [sum(colour in row for row in wall) for colour in COLOURS]
    return sum(
        points * sum(number * number for number in numbers) / 25
        for points, numbers in ((2, rows), (7, columns), (10, colours))
    )


# --- `calm`, a beginner: compares few choices, likes to complete lines, neglects the floor ---------------

SAMPLED: Final = 5  # number of choices that `calm` compares


def play_calm(state: State, below: Below) -> Event:
    """Return the preferred one of a few random choices."""
    allowed = choices(state)
    sensible = [event for event in allowed if not isinstance(event, Draft) or event.line != FLOOR] or allowed
    sampled = [sensible[below(len(sensible))] for _ in range(SAMPLED)]
    return max(sampled, key=lambda event: _preference(state, event))


def _preference(state: State, event: Event) -> float:
    if not isinstance(event, Draft):
        return isinstance(event, Remove) and event.position is not None
    number = state.sources[event.source][event.colour]
    if event.line == FLOOR:
        return -number
    held = state.boards[state.turn].held[event.line - 1]
    fit = min(number, event.line - held)
    completes = held + fit == event.line
    carelessness = 0.2 if isinstance(state, SoloState) else 0.5
    return fit + 2 * completes - carelessness * (number - fit)


SIMPLE_BOTS: Final[dict[str, Bot]] = {"random": play_random, "calm": play_calm, "greedy": play_greedy}
"""The bots without search by name, from the weakest to the strongest."""
