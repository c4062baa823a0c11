"""Events of a game: chance events, which are drawn, and choices, which a player makes.

Their text form is in `notation.py`, their JSON form in `device.records`.
"""

from dataclasses import dataclass
from typing import Final

from device.rules.tiles import Colour, Counts

CENTRE: Final = 0  # the number of the centre of the table as a source; the displays are 1..n


@dataclass(frozen=True, slots=True)
class Deal:
    """A chance event: the tiles that fill displays 1..n (R4)."""

    displays: tuple[Counts, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A choice: all tiles of a colour from a source to a line, or to the floor as line 0 (R5, R7)."""

    source: int
    colour: Colour
    line: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A choice on a gray wall: the column, from 1, for the tile of a seat's full line `row` (G1)."""

    seat: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Penalty:
    """A chance event of solo: the tiles of the penalty row from the left (S1)."""

    tiles: tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class ScoringColour:
    """A chance event of solo: the colour drawn for the scoring tile (S1)."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Draw:
    """A chance event of solo: the tile that action line 1 draws into the penalty row (S8)."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Scoring:
    """A choice of solo: the inner square of the action wall for the scoring tile (S1)."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Swap:
    """A choice of solo: action line 2 swaps the penalty tile at a position, from 1, with the next (S8)."""

    position: int


@dataclass(frozen=True, slots=True)
class Remove:
    """A choice of solo: action lines 3 to 5 remove the penalty tile at a position, or None (S8)."""

    position: int | None


Chance = Deal | Penalty | ScoringColour | Draw
Choice = Draft | Tile | Scoring | Swap | Remove
Event = Chance | Choice
