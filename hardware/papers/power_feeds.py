"""Power feeds of the lights: where 5 V enters the chains, with fuses and wire sizes, from the layout.

Feeds are computed for all lights at full white, although the current limit in `hardware.power` prevents that:
fuses protect the wires against faults that no program can prevent.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

from msgspec import Struct

from hardware.api import HardwareError
from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Chain, Layout, Output

MAX_LIGHTS: Final = 36
"""Lights on one feed: with more of them the far ones would look reddish."""
MAX_FUSE: Final = 3.0
"""The largest fuse of a feed, in amperes: the wires of a chain have 0.2 mm², and a short circuit at the far
end draws 6 to 8 A. A fuse of 3 A blows at once, one of 5 A would not."""
FUSES: Final = {1.0: 0.5, 2.0: 0.5, 3.0: 0.5, 5.0: 0.75, 7.5: 1.0, 10.0: 1.5, 15.0: 2.5, 20.0: 4.0, 30.0: 6.0}
"""Blade fuses in amperes, each with the thinnest wire in square millimetres that it protects."""
FUSE_LOAD: Final = 0.75
"""The fraction of its rated current that a fuse carries for hours."""
SUPPLY_LOAD: Final = 0.8
"""The fraction of its rated current that a power supply has to deliver, so that it stays cool and quiet."""
SUPPLIES: Final = (3, 5, 7, 10, 14, 18, 24, 30, 40, 60)
"""Rated currents in amperes of 5 V power supplies that shops sell."""
COPPER: Final = 0.0178
"""Resistivity of copper: ohms of a metre with one square millimetre."""
MAX_DROP: Final = 0.25
"""The highest voltage drop in volts to a feed and back."""
PI_PIN_AMPERES: Final = 1.0
"""Amperes that the 5 V pins of a Raspberry Pi can deliver."""
SHIFTER_FUSE: Final = 1.0
LOGIC_VOLTS: Final = 5.0
"""Supply voltage of the level shifters and of WS2812-like lights."""


class Feed(Struct, frozen=True):
    """A power feed: enters a chain at a pixel (from 0), named `light`, and feeds `lights` lights from there.

    `amperes` is the current of its lights at full white; `fuse` is in amperes, `wire` in square millimetres.
    """

    chain: str
    pixel: int
    light: str
    lights: int
    amperes: float
    fuse: float
    wire: float


def feeds(layout: Layout) -> tuple[Feed, ...]:
    """Return the feeds of all chains, in order. Raises HardwareError if the lights are not for 5 V."""
    if layout.supply.volts != LOGIC_VOLTS:
        raise HardwareError(
            f"{layout.name}: supply.volts: only lights for {LOGIC_VOLTS:g} V are supported, "
            f"not for {layout.supply.volts:g} V"
        )
    return tuple(feed for chain in layout.chains for feed in _chain_feeds(layout, chain))


def _chain_feeds(layout: Layout, chain: Chain) -> Iterator[Feed]:
    names = {light.pixel: light.name for light in layout.lights if light.chain == chain.name}
    most = min(MAX_LIGHTS, int(MAX_FUSE * FUSE_LOAD / light_amperes(layout, chain)))
    number = ceil(chain.pixels / most)
    first = 0
    for place in range(number):
        end = ceil((place + 1) * chain.pixels / number)
        lights = end - first
        amperes = lights * light_amperes(layout, chain)
        fuse = next(fuse for fuse in FUSES if fuse * FUSE_LOAD >= amperes)
        wire = wire_size(fuse, amperes, wire_length(layout))
        yield Feed(chain.name, first, names[first], lights, amperes, fuse, wire)
        first = end


def light_amperes(layout: Layout, chain: Chain) -> float:
    """Return the current in amperes of a light of a chain with all its channels at their brightest."""
    supply = layout.supply
    return (supply.idle_milliamperes + chain.channels * supply.channel_milliamperes) / 1000


def full_white_amperes(layout: Layout) -> float:
    """Return the current in amperes of all lights with all channels at their brightest."""
    return sum(chain.pixels * light_amperes(layout, chain) for chain in layout.chains)


def wire_length(layout: Layout) -> float:
    """Return the metres of wire from the middle of the table to its farthest light, along the edges."""
    return (layout.width + layout.height) / 2000


def voltage_drop(amperes: float, metres: float, square: float) -> float:
    """Return the voltage drop over so many metres and back, in copper of `square` square millimetres."""
    return amperes * 2 * metres * COPPER / square


def wire_size(fuse: float, amperes: float, metres: float) -> float:
    """Return the thinnest wire in square millimetres for this fuse and voltage drop."""
    return next(
        square
        for square in sorted(set(FUSES.values()))
        if square >= FUSES[fuse] and voltage_drop(amperes, metres, square) <= MAX_DROP
    )


def fed_by_pi(layout: Layout) -> bool:
    """Return whether the lights are so few that the Pi's 5 V pin feeds them, through the main fuse alone."""
    near = not any(isinstance(chain.wire, Output) for chain in layout.chains)
    return near and layout.controller == "pi" and layout.supply.amperes <= PI_PIN_AMPERES


def data_source(layout: Layout, chain: Chain) -> str:
    """Return the name of the pin that sends to a chain, or the host of its controller in the network."""
    if isinstance(chain.wire, Output):
        return chain.wire.host
    return CONTROLLERS[layout.controller].name(chain.wire)


def supply_amperes(layout: Layout) -> float:
    """Return the lowest rated current in amperes of a suitable power supply."""
    return next(size for size in SUPPLIES if size * SUPPLY_LOAD >= layout.supply.amperes)


def main_fuse(layout: Layout) -> float:
    """Return the rated current in amperes of the fuse after the power supply."""
    return next(fuse for fuse in FUSES if fuse * FUSE_LOAD >= layout.supply.amperes)


def shifters(layout: Layout) -> int:
    """Return the number of chips with four level shifters that the chains need."""
    return ceil(len(layout.chains) / 4)
