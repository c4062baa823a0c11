"""Everything that can happen in a game: chance outcomes and choices, as values.

Their text forms are in `notation.py`.
"""

from dataclasses import dataclass
from typing import Final

from device.rules.tiles import Colour, Counts

CENTRE: Final = 0
"""The source number of the centre of the table; displays are 1..n."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Chance: the tiles that fill displays 1..n (R4)."""

    displays: tuple[Counts, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A choice: all tiles of a colour from a source to a line, or to the floor as line 0 (R5, R7)."""

    source: int
    colour: Colour
    line: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A choice on a gray wall: where a seat's full line puts its tile; rows and columns from 1 (G1)."""

    seat: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Penalty:
    """Chance, solo: the tiles of the penalty row from the left (S1)."""

    tiles: tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class ScoringColour:
    """Chance, solo: the colour drawn for the scoring tile (S1)."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Draw:
    """Chance, solo: the tile that action line 1 draws into the penalty row (S8)."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Scoring:
    """A choice, solo: the inner square of the action wall that takes the scoring tile (S1)."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Swap:
    """A choice, solo: action line 2 swaps the k-th penalty tile from the left with the next (S8)."""

    position: int


@dataclass(frozen=True, slots=True)
class Remove:
    """A choice, solo: action lines 3 to 5 remove the k-th penalty tile, or none of them (S8)."""

    position: int | None


Chance = Deal | Penalty | ScoringColour | Draw
Choice = Draft | Tile | Scoring | Swap | Remove
Event = Chance | Choice
