"""Drawing tiles from the bag: deals and their checks (R4, S1, S15), and the solo game's first penalty row.

Functions that draw take `below`: a function that returns a random integer from 0 to n - 1. Each has a check
that accepts exactly what it could have drawn.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Penalty
from device.rules.tiles import (
    COLOURS,
    NO_TILES,
    Colour,
    Counts,
    add,
    count,
    holds,
    letter,
    letters,
    of_colour,
    without,
)

DISPLAY_TILES: Final = 4  # tiles on a display after a deal
_wrong_deal: Final = partial(IllegalEventError, "wrong_deal")
_wrong_penalty: Final = partial(IllegalEventError, "wrong_penalty")


def draw(bag: Counts, number: int, below: Callable[[int], int]) -> list[Colour]:
    """Draw `number` tiles from a bag, or all of them if it holds fewer, in the order drawn."""
    tiles = [colour for colour in COLOURS for _ in range(bag[colour])]
    drawn = []
    for _ in range(min(number, len(tiles))):
        at = below(len(tiles))
        drawn.append(tiles[at])
        tiles[at] = tiles[-1]
        tiles.pop()
    return drawn


# --- Two to four players ---------------------------------------------------------------------------------


def deal(bag: Counts, lid: Counts, displays: int, below: Callable[[int], int]) -> Deal:
    """Fill the displays from the bag, and from the lid once the bag is empty (R4)."""
    drawn = draw(bag, displays * DISPLAY_TILES, below)
    if len(drawn) < displays * DISPLAY_TILES:
        drawn += draw(lid, displays * DISPLAY_TILES - len(drawn), below)
    starts = range(0, displays * DISPLAY_TILES, DISPLAY_TILES)
    return Deal(tuple(count(drawn[start : start + DISPLAY_TILES]) for start in starts))


def check_deal(event: Deal, bag: Counts, lid: Counts, displays: int) -> tuple[Counts, Counts]:
    """Return the bag and the lid after a deal; raises IllegalEventError if it can't have been drawn (R4)."""
    _check_number_of_displays(event, displays)
    due = min(displays * DISPLAY_TILES, sum(bag) + sum(lid))
    refilled = False
    for number, tiles in enumerate(event.displays, start=1):
        want = min(DISPLAY_TILES, due)
        due -= want
        _check_number_of_tiles(number, tiles, want)
        first = NO_TILES
        if sum(bag) < want and not refilled:
            # The bag's last tiles all lie in this display; the others came out of the lid.
            first, bag, lid, refilled = bag, lid, NO_TILES, True
        rest = without(tiles, first)
        if min(rest) < 0:
            raise _wrong_deal(f"display {number} must hold the bag's last tiles {letters(first)!r}")
        if not holds(bag, rest):
            raise _wrong_deal(
                f"display {number} can't hold {letters(tiles)!r}: only {letters(bag)!r} is left"
            )
        bag = without(bag, rest)
    return bag, lid


def _check_number_of_displays(event: Deal, displays: int) -> None:
    if len(event.displays) != displays:
        raise _wrong_deal(f"the deal must fill {displays} displays, not {len(event.displays)}")


def _check_number_of_tiles(number: int, tiles: Counts, want: int) -> None:
    if min(tiles) < 0 or sum(tiles) != want:
        raise _wrong_deal(f"display {number} must get {want} tiles, not {letters(tiles)!r}")


# --- Solo ------------------------------------------------------------------------------------------------

MOST_OF_A_COLOUR: Final = 2
"""Tiles of one colour in the penalty row at the start; a third one is set aside and another drawn (S1)."""


def deal_two_colours(bag: Counts, sizes: Sequence[int], below: Callable[[int], int]) -> Deal:
    """Fill displays of these sizes, each with at least two colours if the bag holds them (S1, S15).

    If a display is all of one colour, one of its tiles goes back and a tile of another colour is drawn.
    """
    displays = []
    for size in sizes:
        tiles = count(draw(bag, size, below))
        if _lacks_second_colour(tiles, bag):
            only = Colour(tiles.index(size))
            others = without(bag, of_colour(only, bag[only]))
            tiles = add(of_colour(only, size - 1), count(draw(others, 1, below)))
        displays.append(tiles)
        bag = without(bag, tiles)
    return Deal(tuple(displays))


def check_deal_two_colours(event: Deal, bag: Counts, sizes: Sequence[int]) -> Counts:
    """Return the bag after such a deal; raises IllegalEventError if it can't have been drawn (S1, S15)."""
    _check_number_of_displays(event, len(sizes))
    for number, (tiles, size) in enumerate(zip(event.displays, sizes, strict=True), start=1):
        _check_number_of_tiles(number, tiles, size)
        if not holds(bag, tiles):
            raise _wrong_deal(f"display {number} can't be {letters(tiles)!r}: the bag holds {letters(bag)!r}")
        if _lacks_second_colour(tiles, bag):
            raise _wrong_deal(
                f"display {number} can't be {letters(tiles)!r}: the bag holds another colour for it"
            )
        bag = without(bag, tiles)
    return bag


def _lacks_second_colour(tiles: Counts, bag: Counts) -> bool:
    """Return whether a display is of one colour although the bag, from which it was drawn, held another."""
    colours = sum(number > 0 for number in tiles)
    return colours == 1 and sum(number > 0 for number in bag) > 1


def draw_penalty_row(bag: Counts, number: int, below: Callable[[int], int]) -> Penalty:
    """Draw the penalty row of the start, with at most two tiles of each colour (S1)."""
    row: list[Colour] = []
    while len(row) < number:
        drawn = draw(bag, 1, below)[0]
        bag = without(bag, of_colour(drawn, 1))
        if row.count(drawn) < MOST_OF_A_COLOUR:
            row.append(drawn)
    return Penalty(tuple(row))


def check_penalty_row(event: Penalty, bag: Counts, number: int) -> Counts:
    """Return the bag after the penalty row is drawn; raises IllegalEventError if it can't have been (S1)."""
    tiles = count(event.tiles)
    if len(event.tiles) != number:
        raise _wrong_penalty(f"the penalty row must start with {number} tiles, not {len(event.tiles)}")
    for colour in COLOURS:
        if tiles[colour] > MOST_OF_A_COLOUR:
            raise _wrong_penalty(
                f"the penalty row must start with at most two {letter(colour)}, not {letters(tiles)!r}"
            )
    if not holds(bag, tiles):
        raise _wrong_penalty(f"the penalty row can't hold {letters(tiles)!r}: the bag holds {letters(bag)!r}")
    return without(bag, tiles)


def check_in_bag(bag: Counts, colour: Colour) -> None:
    """Raise IllegalEventError if the bag holds no tile of a colour."""
    if not bag[colour]:
        raise IllegalEventError("wrong_draw", f"{letter(colour)} can't be drawn: the bag holds none")
