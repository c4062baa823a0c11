"""Palettes: the light and the name of each tile colour."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware.api import Rgb


@dataclass(frozen=True, slots=True)
class Shade:
    """The light of a tile colour, and the key of its word on the pages."""

    word: str
    light: Rgb


@dataclass(frozen=True, slots=True)
class Palette:
    """The shades of the five colours in wall order, and the light of the first-player marker."""

    shades: tuple[Shade, Shade, Shade, Shade, Shade]
    marker: Rgb = (70, 255, 190)


_VIOLET: Final = (150, 0, 255)  # a light can't show black

BOX: Final = Palette(
    (
        Shade("blue", (0, 70, 255)),
        Shade("yellow", (255, 150, 0)),
        Shade("red", (255, 10, 10)),
        Shade("black", _VIOLET),
        Shade("white", (210, 210, 190)),
    )
)
"""The colours of the box's tiles."""

DISTINCT: Final = Palette(
    (
        Shade("blue", (0, 60, 200)),
        Shade("yellow", (255, 220, 40)),
        Shade("red", (230, 70, 0)),
        Shade("black", (60, 0, 90)),
        Shade("white", (200, 235, 255)),
    ),
    marker=(0, 200, 120),
)
"""Shades that differ in lightness, too, for colour-blind players."""

BOT_GAMES: Final = Palette(
    (
        Shade("green", (0, 200, 40)),
        Shade("orange", (255, 80, 0)),
        Shade("blue", (0, 70, 255)),
        Shade("yellow", (255, 190, 0)),
        Shade("red", (255, 0, 20)),
    )
)
"""The colours of the bot ruleset, in its wall order (D2)."""

PALETTES: Final[Mapping[str, Palette]] = {"box": BOX, "distinct": DISTINCT}


def palette_for(mode: str, chosen: Palette) -> Palette:
    """Return the palette of a game of a mode: the bot ruleset has colours of its own (D2)."""
    return BOT_GAMES if mode == "dtc" else chosen
