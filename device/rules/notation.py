"""Notation: the text form of events in logs, in the database, on the command line and on the pages.

A draft is three characters, such as `3b2`: source, colour, line. Every other event is a word and its values:
`deal bbyr byyw - -`, `tile 0 3 4` (seat, row, column); in solo `penalty rryyw`, `colour y`, `scoring 3 4`
(row, column), `draw b`, `swap 3`, `remove 1`, `remove none`. Formatting and parsing round-trip.
"""

import re
from typing import Final

from device.rules.board import FLOOR
from device.rules.errors import NotationError
from device.rules.events import Deal, Draft, Draw, Event, Penalty, Remove, Scoring, ScoringColour, Swap, Tile
from device.rules.tiles import Counts, colour_of, counts_of, letter, letters

_DRAFT: Final = re.compile(r"([0-9])([byrkw])([1-5f])")
_EMPTY: Final = "-"
_NONE: Final = "none"


def text_of(event: Event) -> str:
    """Format an event as text."""
    match event:
        case Draft(source, colour, line):
            return f"{source}{letter(colour)}{line if line != FLOOR else 'f'}"
        case Deal(displays):
            return " ".join(["deal", *(letters(tiles) or _EMPTY for tiles in displays)])
        case Tile(seat, row, column):
            return f"tile {seat} {row} {column}"
        case Penalty(tiles):
            return "penalty " + "".join(letter(colour) for colour in tiles)
        case ScoringColour(colour):
            return f"colour {letter(colour)}"
        case Draw(colour):
            return f"draw {letter(colour)}"
        case Scoring(row, column):
            return f"scoring {row} {column}"
        case Swap(position):
            return f"swap {position}"
        case Remove(None):
            return f"remove {_NONE}"
        case Remove(position):
            return f"remove {position}"


def event_of(text: str) -> Event:
    """Parse the text of an event; raises NotationError."""
    if draft := _DRAFT.fullmatch(text):
        source, colour, line = draft.groups()
        return Draft(int(source), colour_of(colour), FLOOR if line == "f" else int(line))
    match text.split(" "):
        case ["deal", *displays] if displays:
            return Deal(tuple(_display(each) for each in displays))
        case ["tile", seat, row, column]:
            return Tile(_digit(seat, 0, 3), _digit(row, 1, 5), _digit(column, 1, 5))
        case ["penalty", tiles] if tiles:
            return Penalty(tuple(colour_of(each) for each in tiles))
        case ["colour", colour]:
            return ScoringColour(colour_of(colour))
        case ["draw", colour]:
            return Draw(colour_of(colour))
        case ["scoring", row, column]:
            return Scoring(_digit(row, 1, 5), _digit(column, 1, 5))
        case ["swap", position]:
            return Swap(_digit(position, 1, 6))
        case ["remove", position]:
            return Remove(None if position == _NONE else _digit(position, 1, 7))
    raise NotationError(f"{text!r} is not an event; a draft looks like 3b2 or 0kf")


def _display(text: str) -> Counts:
    if not text:
        raise NotationError(f"a display without tiles is written {_EMPTY}")
    return counts_of("" if text == _EMPTY else text)


def _digit(text: str, least: int, most: int) -> int:
    if len(text) != 1 or text not in "0123456789" or not least <= int(text) <= most:
        raise NotationError(f"{text!r} is not a number from {least} to {most}")
    return int(text)
