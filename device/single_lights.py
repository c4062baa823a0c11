"""Displays and a centre with a single light each: it stands for all the tiles that lie there.

It goes through their colours, one after another, each as long as a slow pulse, so that what can be chosen
still pulses slowly and what just lies there is still steady. What matters most there goes before: the chosen
colour, the space of the next tile told, tiles on their way.
"""

from collections.abc import Collection
from math import lcm
from typing import Final

from device.painting import Painting, paint_sources, source_lights
from device.palettes import Palette
from device.play import Selection
from device.rhythm import SLOW
from device.rules import game as rules
from device.rules.tiles import COLOURS
from hardware.api import DARK, Rgb

ROUND: Final = SLOW * lcm(*range(1, len(COLOURS) + 2))
"""Seconds after which all begin anew together, however many colours each goes through, up to 6."""


def gather(painting: Painting, sources: Collection[int], foremost: Collection[str], now: float) -> None:
    """Leave each of these sources its first light, showing what the lights that a tile each would have show.

    `foremost` are the lights, by name, of what matters most now.
    """
    for source in sources:
        names = source_lights(source)
        lit = {name: painting.pop(name) for name in names if name in painting}
        lights = [light for light in lit.values() if light != DARK]
        first = [lit[name] for name in foremost if lit.get(name, DARK) != DARK]
        if lights:
            painting[names[0]] = first[0] if first else _in_turn(lights, now)


def _in_turn(lights: list[Rgb], now: float) -> Rgb:
    """One of the different lights, another after each slow pulse."""
    different = list(dict.fromkeys(lights))
    return different[int(now // SLOW) % len(different)]


def lights_of_selection(state: rules.State, selection: Selection, palette: Palette) -> list[str]:
    """The lights of the tiles in hand."""
    painting = Painting()
    chosen = selection.source, selection.colour
    paint_sources(painting, state, palette, lambda *tiles: float(tiles == chosen))
    light = palette.shades[selection.colour].light
    return [name for name in source_lights(selection.source) if painting.get(name) == light]
