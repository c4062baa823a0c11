"""Settings that a maker may write into `settings.toml` beside the saved games; each has a default."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from device.palettes import BOX, PALETTES, Palette, Shade

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
    confirm_columns: bool = True  # ask for a gray wall's column even where only one is legal


class SettingsError(ValueError):
    """A fault in a settings file, with the file and the place in it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a maker settled."""

    palette: Palette = BOX
    confirm_columns: bool = True


def read_settings(directory: Path) -> Settings:
    """The settings of a directory, each with its default where it is not written; raises SettingsError."""
    path = directory / FILE
    try:
        written = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        settings = msgspec.convert(written, SettingsFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: can't be read: {error}") from error
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {error}") from error
    if settings.palette == "own" and settings.own is None:
        raise SettingsError(f'{path}: palette is "own", so a section [own] must give its five colours')
    palette = _palette(settings.own) if settings.palette == "own" else PALETTES[settings.palette]
    return Settings(palette, settings.confirm_columns)


def _palette(own: OwnPalette | None) -> Palette:
    assert own is not None
    lights = {"blue": own.blue, "yellow": own.yellow, "red": own.red, "black": own.black, "white": own.white}
    blue, yellow, red, black, white = (Shade(word, light) for word, light in lights.items())
    return Palette((blue, yellow, red, black, white), own.marker)
