"""Settings that a maker may write into `settings.toml` beside the saved games; each has a default."""

import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from device.palettes import PALETTES, Palette, Shade

FILE: Final = "settings.toml"

Channel = Annotated[int, msgspec.Meta(ge=0, le=255)]
Light = tuple[Channel, Channel, Channel]


class OwnPalette(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A palette that a maker defines: red, green and blue of each light, 0 to 255."""

    blue: Light
    yellow: Light
    red: Light
    black: Light
    white: Light
    marker: Light = (70, 255, 190)


class SettingsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    palette: Literal["box", "distinct", "own"] = "box"
    own: OwnPalette | None = None


class SettingsError(ValueError):
    """A fault in a settings file, with the file and the place in it."""


def read_palette(directory: Path) -> Palette:
    """The palette that a directory's settings ask for; the box's colours where there are none.

    Raises SettingsError.
    """
    path = directory / FILE
    try:
        written = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        settings = msgspec.convert(written, SettingsFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: can't be read: {error}") from error
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {error}") from error
    if settings.palette != "own":
        return PALETTES[settings.palette]
    if settings.own is None:
        raise SettingsError(f'{path}: palette is "own", so a section [own] must give its five colours')
    return _palette(settings.own)


def _palette(own: OwnPalette) -> Palette:
    lights = {"blue": own.blue, "yellow": own.yellow, "red": own.red, "black": own.black, "white": own.white}
    blue, yellow, red, black, white = (Shade(word, light) for word, light in lights.items())
    return Palette((blue, yellow, red, black, white), own.marker)
