"""The settings of a table, read from `settings.toml` in the data folder; each has a default."""

import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, get_args, get_origin

import msgspec

from device.lights.palettes import BOX, PALETTES, Palette, Shade
from device.runtime.pin import AUTO, WRITTEN
from device.table.game import LONGEST_NAME
from device.table.state import LEAST_BRIGHTNESS, OPPONENTS

FILE: Final = "settings.toml"
MOST_PROGRAMS: Final = 5  # a program is chosen on the fifth line of a board, which has so many lights

Channel = Annotated[int, msgspec.Meta(ge=0, le=255)]
Light = tuple[Channel, Channel, Channel]


class OwnPalette(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section [own], a palette: red, green and blue of each light, 0 to 255."""

    blue: Light
    yellow: Light
    red: Light
    black: Light
    white: Light
    marker: Light = BOX.marker


Seconds = Annotated[float, msgspec.Meta(ge=0.02, le=60)]


class BotsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section [bots]: seconds of thinking for each choice, and for a program those of a whole game."""

    strong: Seconds = 0.1
    master: Seconds = 1.0
    program: Annotated[float, msgspec.Meta(ge=1, le=3600)] = 30.0


class SettingsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `settings.toml` as it is written."""

    palette: Literal["box", "distinct", "own"] = "box"
    own: OwnPalette | None = None
    confirm_columns: bool = True  # ask for a gray wall's column even where only one is legal
    phones: Literal["auto", "look", "play"] = "auto"  # whether phones may press buttons of the table, too
    pin: str = ""  # what phones enter before they may do more than look: "auto", digits, or nothing
    pace: Literal["slow", "normal", "fast"] = "normal"
    brightness: Annotated[float, msgspec.Meta(ge=LEAST_BRIGHTNESS, le=1)] = 1.0  # of the lights
    bots: BotsFile = BotsFile()
    programs: dict[str, str] = {}  # command lines by name


class SettingsError(ValueError):
    """A settings file is invalid; the message names the file and the setting."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The validated settings."""

    palette: Palette = BOX
    confirm_columns: bool = True
    phones: str = "auto"
    pin: str = ""
    pace: str = "normal"
    thinking: BotsFile = field(default_factory=BotsFile)
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    palette_name: str = "box"
    palettes: Mapping[str, Palette] = field(default_factory=lambda: PALETTES)  # that can be chosen
    brightness: float = 1.0


def read_settings(directory: Path) -> Settings:
    """Read the settings of a data folder; without a file, all are the defaults. Raises SettingsError."""
    path = directory / FILE
    try:
        written = tomllib.loads(path.read_text("utf-8-sig")) if path.exists() else {}
    except (OSError, ValueError, RecursionError) as error:  # a number of 5,000 digits raises ValueError
        raise SettingsError(f"{path}: can't be read: {error}") from error
    _check_choices(path, written)
    try:
        settings = msgspec.convert(written, SettingsFile)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {error}") from error
    palettes = PALETTES if settings.own is None else {**PALETTES, "own": _palette(settings.own)}
    if settings.palette not in palettes:
        raise SettingsError(f'{path}: palette is "own", so a section [own] must give its five colours')
    if settings.pin not in ("", AUTO) and not WRITTEN.fullmatch(settings.pin):
        raise SettingsError(f'{path}: pin = {json.dumps(settings.pin)}: must be "auto" or 4 to 12 digits')
    return Settings(
        palettes[settings.palette],
        settings.confirm_columns,
        settings.phones,
        settings.pin,
        settings.pace,
        settings.bots,
        _programs(path, settings.programs),
        settings.palette,
        palettes,
        settings.brightness,
    )


def _check_choices(path: Path, written: Mapping[str, object]) -> None:
    """Check the settings that take one of a few words. Raises SettingsError, which lists the words."""
    for setting in msgspec.structs.fields(SettingsFile):
        if get_origin(setting.type) is not Literal or setting.name not in written:
            continue
        allowed, value = get_args(setting.type), written[setting.name]
        if value not in allowed:
            words = " or ".join(f'"{word}"' for word in allowed)
            raise SettingsError(f"{path}: {setting.name} = {json.dumps(value, default=str)}: must be {words}")


def _programs(path: Path, written: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the command of each program, split into words. Raises SettingsError."""
    found = {}
    for name, command in written.items():
        if not name.isprintable() or name != name.strip() or not 0 < len(name) <= LONGEST_NAME:
            raise SettingsError(f"{path}: programs: {name!r} is not a name of 1 to {LONGEST_NAME} characters")
        if name.lower() in OPPONENTS:
            raise SettingsError(f"{path}: programs: {name} is the name of one of the table's own opponents")
        try:
            found[name] = tuple(shlex.split(command))
        except ValueError as error:
            raise SettingsError(f"{path}: programs.{name}: is not a command: {error}") from error
        if "\0" in command:
            raise SettingsError(f"{path}: programs.{name}: is not a command: it contains a NUL character")
        if not found[name]:
            raise SettingsError(f"{path}: programs.{name}: is empty")
    if len(found) > MOST_PROGRAMS:
        raise SettingsError(
            f"{path}: programs: {len(found)} programs, but a seat has lights for {MOST_PROGRAMS}"
        )
    return found


def _palette(own: OwnPalette) -> Palette:
    lights = {"blue": own.blue, "yellow": own.yellow, "red": own.red, "black": own.black, "white": own.white}
    blue, yellow, red, black, white = (Shade(word, light) for word, light in lights.items())
    return Palette((blue, yellow, red, black, white), own.marker)
