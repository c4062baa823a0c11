"""Dealing: filling the displays from the bag, and from the lid when the bag runs out (R4)."""

from collections.abc import Callable
from typing import Final

from device.rules.errors import IllegalEventError
from device.rules.events import Deal
from device.rules.tiles import COLOURS, NO_TILES, Colour, Counts, count, holds, letters, without

DISPLAY_TILES: Final = 4


def deal(bag: Counts, lid: Counts, displays: int, below: Callable[[int], int]) -> Deal:
    """Fill the displays at random; `below(n)` gives a whole number from 0 to n - 1."""
    drawn = draw(bag, displays * DISPLAY_TILES, below)
    if len(drawn) < displays * DISPLAY_TILES:
        drawn += draw(lid, displays * DISPLAY_TILES - len(drawn), below)
    starts = range(0, displays * DISPLAY_TILES, DISPLAY_TILES)
    return Deal(tuple(count(drawn[start : start + DISPLAY_TILES]) for start in starts))


def draw(bag: Counts, number: int, below: Callable[[int], int]) -> list[Colour]:
    """Up to `number` tiles out of a bag, in the order drawn."""
    tiles = [colour for colour in COLOURS for _ in range(bag[colour])]
    drawn = []
    for _ in range(min(number, len(tiles))):
        at = below(len(tiles))
        drawn.append(tiles[at])
        tiles[at] = tiles[-1]
        tiles.pop()
    return drawn


def check_deal(event: Deal, bag: Counts, lid: Counts, displays: int) -> tuple[Counts, Counts]:
    """Bag and lid after a deal; raises IllegalEventError where it can't have been drawn."""
    if len(event.displays) != displays:
        raise IllegalEventError(
            "wrong_deal", f"{displays} displays are to be filled, not {len(event.displays)}"
        )
    due = min(displays * DISPLAY_TILES, sum(bag) + sum(lid))
    refilled = False
    for number, tiles in enumerate(event.displays, start=1):
        want = min(DISPLAY_TILES, due)
        due -= want
        if min(tiles) < 0 or sum(tiles) != want:
            raise IllegalEventError(
                "wrong_deal", f"display {number} gets {want} tiles, not {letters(tiles)!r}"
            )
        first = NO_TILES
        if sum(bag) < want and not refilled:
            # The bag's last tiles all lie in this display; the others came out of the lid.
            first, bag, lid, refilled = bag, lid, NO_TILES, True
        rest = without(tiles, first)
        if min(rest) < 0:
            raise IllegalEventError(
                "wrong_deal", f"display {number} must hold the bag's last tiles {letters(first)!r}"
            )
        if not holds(bag, rest):
            raise IllegalEventError(
                "wrong_deal", f"display {number} can't hold {letters(tiles)!r}: only {letters(bag)!r} is left"
            )
        bag = without(bag, rest)
    return bag, lid
