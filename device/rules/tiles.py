"""Tiles: the five colours, their letters, the first-player marker, and counts of tiles by colour."""

from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import Final

from device.rules.errors import NotationError


class Colour(IntEnum):
    """The colour of a tile; the values are the order of row 1 of the wall (R2)."""

    BLUE = 0
    YELLOW = 1
    RED = 2
    BLACK = 3
    WHITE = 4

    __repr__ = Enum.__str__  # a repr is Python that gives the value back


class Marker(Enum):
    """The first-player marker, which may lie among the tiles of a floor (R6)."""

    MARKER = "m"

    __repr__ = Enum.__str__


MARKER: Final = Marker.MARKER
COLOURS: Final = tuple(Colour)
LETTERS: Final = "byrkw"
TILES_OF_A_COLOUR: Final = 20

Counts = tuple[int, int, int, int, int]  # how many tiles of each colour, in wall order

NO_TILES: Final[Counts] = (0, 0, 0, 0, 0)
ALL_TILES: Final[Counts] = (TILES_OF_A_COLOUR,) * 5  # R1


def letter(colour: Colour) -> str:
    """Return the letter of a colour in every text form: b, y, r, k or w."""
    return LETTERS[colour]


def colour_of(text: str) -> Colour:
    """Return the colour of a letter; raises NotationError for any other text."""
    if len(text) != 1 or text not in LETTERS:
        raise NotationError(f"{text!r} is not a colour; the colours are {', '.join(LETTERS)}")
    return COLOURS[LETTERS.index(text)]


def letters(counts: Counts) -> str:
    """Return tiles as letters in wall order, such as 'bbyr'."""
    return "".join(LETTERS[colour] * counts[colour] for colour in range(5))


def counts_of(text: str) -> Counts:
    """Parse letters as counts; raises NotationError unless they are colours in wall order."""
    counts = count(colour_of(character) for character in text)
    if letters(counts) != text:
        raise NotationError(f"{text!r} is not in wall order; write {letters(counts)!r}")
    return counts


def count(tiles: Iterable[Colour]) -> Counts:
    """Count the tiles of each colour."""
    found = [0, 0, 0, 0, 0]
    for colour in tiles:
        found[colour] += 1
    return (found[0], found[1], found[2], found[3], found[4])


def of_colour(colour: Colour, number: int) -> Counts:
    """Return `number` tiles of one colour as counts."""
    found = [0, 0, 0, 0, 0]
    found[colour] = number
    return (found[0], found[1], found[2], found[3], found[4])


def add(these: Counts, those: Counts) -> Counts:
    """Add two counts."""
    return (
        these[0] + those[0],
        these[1] + those[1],
        these[2] + those[2],
        these[3] + those[3],
        these[4] + those[4],
    )


def without(these: Counts, those: Counts) -> Counts:
    """Subtract `those` from `these`; a colour becomes negative if there were too few (see `holds`)."""
    return (
        these[0] - those[0],
        these[1] - those[1],
        these[2] - those[2],
        these[3] - those[3],
        these[4] - those[4],
    )


def holds(these: Counts, those: Counts) -> bool:
    """Return whether `these` contain all of `those`."""
    return all(have >= want for have, want in zip(these, those, strict=True))


def total(counts: Iterable[Counts]) -> Counts:
    """Add several counts."""
    result = NO_TILES
    for each in counts:
        result = add(result, each)
    return result
