"""Choices and moves as plain JSON values, for the pages and for the history."""

from enum import Enum
from typing import Any

from device.appliance import Table
from device.play import Move, Play
from device.rules.board import WALL_PATTERN
from device.rules.events import Event, Remove, Scoring, Swap, Tile
from device.rules.notation import text_of
from device.rules.penalty_row import ACTION
from device.rules.tiles import Colour, letter

Json = dict[str, Any]


def told_choice(play: Play, event: Event) -> Json:
    """What a choice that is no draft is about; the tile of a column or a square with its colour."""
    state = play.state
    match event:
        case Tile(seat, row, column):
            colour = state.boards[seat].colours[row - 1]
            told = {"kind": "column", "row": row, "column": column, "colour": plain(colour)}
            return {"seat": play.places[seat], **told}
        case Scoring(row, column):
            colour = WALL_PATTERN[row - 1][column - 1]
            told = {"kind": "square", "row": row, "column": column, "colour": letter(colour)}
        case Remove(position):
            told = {"kind": "remove", "position": position}
        case Swap(position):
            told = {"kind": "swap", "position": position}
        case _:
            raise ValueError(f"{event} is not made by one button")
    return {"seat": play.places[ACTION], **told}


def named(table: Table, play: Play, seat: int) -> Json:
    """A seat of the game as the table's, with who sits there."""
    place = play.places[seat]
    return {"seat": place, "name": table.known_as(place)}


def told_move(table: Table, play: Play, move: Move) -> Json:
    """A draft that was made."""
    return {
        **named(table, play, move.seat),
        "source": move.draft.source,
        "colour": letter(move.draft.colour),
        "count": move.tiles,
        "line": move.draft.line,
        "fell": move.fell,
        "marker": move.marker,
        "token": text_of(move.draft),
    }


def plain(value: object) -> object:
    """A value as JSON has it: colours as letters."""
    match value:
        case Colour():
            return letter(value)
        case Enum():
            return value.value
        case _:
            return value
