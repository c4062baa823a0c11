"""Learning in light: the displays' first 20 lights are the tiles of the colour that is learned now."""

from typing import Final

from device.appliance import Table
from device.lessons import due, tile_counts
from device.painting import Painting, source_lights
from device.palettes import Palette
from device.rhythm import STEADY, dimmed, fast
from device.rules.dealing import DISPLAY_TILES
from device.rules.tiles import TILES_OF_A_COLOUR
from device.tags import TileTag
from hardware import api
from hardware.api import Rgb

LEARNING: Final[Rgb] = (90, 120, 255)


def paint_learning(painting: Painting, table: Table, palette: Palette, now: float) -> None:
    """Each tile that is known lights one more; the status light pulses fast while a tag is waited for."""
    assert table.lesson is not None
    meaning = due(table.lesson, table.tags)
    painting[api.STATUS] = dimmed(LEARNING, fast(now) if meaning is not None else STEADY)
    if not isinstance(meaning, TileTag):
        return
    known = tile_counts(table.tags)[meaning.colour]
    light = palette.shades[meaning.colour].light
    for number in range(min(known + 1, TILES_OF_A_COLOUR)):
        display, at = divmod(number, DISPLAY_TILES)
        if display + 1 in table.fittings.single:  # its one light is steady when its four tiles are known
            level = STEADY if known >= (display + 1) * DISPLAY_TILES else fast(now)
            painting[source_lights(display + 1)[0]] = dimmed(light, level)
        else:
            name = source_lights(display + 1)[at]
            painting[name] = dimmed(light, STEADY if number < known else fast(now))
