"""How the lights of a table are fed: its feeds, fuses and cross-sections, computed from the layout.

What is computed is for the worst case, all lights at full white, though `hardware.power` never lets it come
to that: a fuse guards a wire against what no program can keep from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from hardware.api import HardwareError, LightFrame
from hardware.layout.model import Layout
from hardware.power import FULL, milliamperes

MOST_LIGHTS: Final = 36
"""Lights that one feed carries, so that a fuse of 3 A does for them: chains are strung with 0.2 mm², and a
short at the far end lets 6 to 8 A through. 3 A blow at once, 5 A would hold; and with more lights on a feed
the far ones would be reddish."""
FUSES: Final = {1.0: 0.5, 2.0: 0.5, 3.0: 0.5, 5.0: 0.75, 7.5: 1.0, 10.0: 1.5, 15.0: 2.5, 20.0: 4.0, 30.0: 6.0}
"""Blade fuses in amperes, each with the thinnest copper in square millimetres that it guards."""
FUSE_LOAD: Final = 0.75
"""How much of what is printed on it a fuse carries for hours."""
SUPPLY_LOAD: Final = 0.8
"""How much of what is printed on it a power supply is asked for: it stays cool, and quiet."""
SUPPLIES: Final = (3, 5, 7, 10, 14, 18, 24, 30, 40, 60)
"""Power supplies for 5 V that shops have, in amperes."""
COPPER: Final = 0.0178
"""Ohms of a metre of copper of one square millimetre."""
MOST_DROP: Final = 0.25
"""Volts that may be lost on the way to a feed and back."""
PI_PIN: Final = 1.0
"""Amperes that the 5 V pins of a Raspberry Pi give to others."""
SHIFTER_FUSE: Final = 1.0
LOGIC_VOLTS: Final = 5.0
"""What the level shifters, and lights of the WS2812 kind, are made for."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Where power enters a chain: at a pixel (from 0) and its light, for so many lights from there on.

    `amperes` are those of its lights at full white; `fuse` is in amperes, `wire` in square millimetres.
    """

    chain: str
    pixel: int
    light: str
    lights: int
    amperes: float
    fuse: float
    wire: float


def feeds(layout: Layout) -> tuple[Feed, ...]:
    """Return the feeds of all chains, in their order; raises HardwareError for lights that take no 5 V."""
    if layout.supply.volts != LOGIC_VOLTS:
        raise HardwareError(
            f"{layout.name}: supply.volts: the papers are for lights that take {LOGIC_VOLTS:g} V, "
            f"not {layout.supply.volts:g}"
        )
    return tuple(feed for chain in layout.chains for feed in _chain_feeds(layout, chain.name, chain.pixels))


def _chain_feeds(layout: Layout, chain: str, pixels: int) -> Iterator[Feed]:
    names = {light.pixel: light.name for light in layout.lights if light.chain == chain}
    number = ceil(pixels / MOST_LIGHTS)
    first = 0
    for place in range(number):
        end = ceil((place + 1) * pixels / number)
        lights = end - first
        amperes = lights * amperes_of_light(layout)
        fuse = next(fuse for fuse in FUSES if fuse * FUSE_LOAD >= amperes)
        yield Feed(chain, first, names[first], lights, amperes, fuse, wire(fuse, amperes, reach(layout)))
        first = end


def amperes_of_light(layout: Layout) -> float:
    """Return what one light takes at full white."""
    return all_white(layout) / len(layout.lights)


def all_white(layout: Layout) -> float:
    """Return the amperes that all lights take at full white, by the table's own estimate."""
    white = LightFrame({light.name: (FULL, FULL, FULL) for light in layout.lights})
    return milliamperes(white, layout.supply) / 1000


def reach(layout: Layout) -> float:
    """Return the metres of wire from the middle of the table to its farthest light, along the edges."""
    return (layout.width + layout.height) / 2000


def drop(amperes: float, metres: float, square: float) -> float:
    """Return the volts lost on a way of so many metres and back, in copper of so many square millimetres."""
    return amperes * 2 * metres * COPPER / square


def wire(fuse: float, amperes: float, metres: float) -> float:
    """Return the thinnest cross-section that this fuse guards and on which little enough is lost."""
    return next(
        square
        for square in sorted(set(FUSES.values()))
        if square >= FUSES[fuse] and drop(amperes, metres, square) <= MOST_DROP
    )


def on_the_pi(layout: Layout) -> bool:
    """Tell whether the lights are so few that the Pi's 5 V pin feeds them, through the main fuse alone."""
    return layout.controller == "pi" and layout.supply.amperes <= PI_PIN


def supply_amperes(layout: Layout) -> float:
    """Return what is to be printed on the power supply, at least."""
    return next(size for size in SUPPLIES if size * SUPPLY_LOAD >= layout.supply.amperes)


def main_fuse(layout: Layout) -> float:
    """Return the fuse right behind the power supply: it carries for hours what the table asks for."""
    return next(fuse for fuse in FUSES if fuse * FUSE_LOAD >= layout.supply.amperes)


def shifters(layout: Layout) -> int:
    """Return how many chips of four level shifters the chains need."""
    return ceil(len(layout.chains) / 4)
