"""Settings that a maker may write into `settings.toml` beside the saved games; each has a default."""

import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, get_args, get_origin

import msgspec

from device.lights.palettes import BOX, PALETTES, Palette, Shade
from device.table.game import LONGEST_NAME
from device.table.state import OPPONENTS

FILE: Final = "settings.toml"
MOST_PROGRAMS: Final = 5
"""As many as the fifth line has lights."""

Channel = Annotated[int, msgspec.Meta(ge=0, le=255)]
Light = tuple[Channel, Channel, Channel]


class OwnPalette(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A palette that a maker defines: red, green and blue of each light, 0 to 255."""

    blue: Light
    yellow: Light
    red: Light
    black: Light
    white: Light
    marker: Light = BOX.marker


Seconds = Annotated[float, msgspec.Meta(ge=0.02, le=60)]


class BotsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long opponents think: seconds a choice; a program's are those of a whole game."""

    strong: Seconds = 0.1
    master: Seconds = 1.0
    program: Annotated[float, msgspec.Meta(ge=1, le=3600)] = 30.0


class SettingsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    palette: Literal["box", "distinct", "own"] = "box"
    own: OwnPalette | None = None
    confirm_columns: bool = True  # ask for a gray wall's column even where only one is legal
    phones: Literal["look", "play"] = "look"  # whether phones may press what the table has switches for
    pace: Literal["slow", "normal", "fast"] = "normal"
    bots: BotsFile = BotsFile()
    programs: dict[str, str] = {}  # command lines by name


class SettingsError(ValueError):
    """A fault in a settings file, with the file and the place in it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a maker settled."""

    palette: Palette = BOX
    confirm_columns: bool = True
    phones_play: bool = False
    pace: str = "normal"
    thinking: BotsFile = field(default_factory=BotsFile)
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_settings(directory: Path) -> Settings:
    """The settings of a directory, each with its default where it is not written; raises SettingsError."""
    path = directory / FILE
    try:
        written = tomllib.loads(path.read_text("utf-8-sig")) if path.exists() else {}
    except (OSError, ValueError, RecursionError) as error:  # a number of 5,000 digits is a mere ValueError
        raise SettingsError(f"{path}: can't be read: {error}") from error
    _check_words(path, written)
    try:
        settings = msgspec.convert(written, SettingsFile)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {error}") from error
    if settings.palette != "own":
        palette = PALETTES[settings.palette]
    elif settings.own is not None:
        palette = _palette(settings.own)
    else:
        raise SettingsError(f'{path}: palette is "own", so a section [own] must give its five colours')
    programs = _programs(path, settings.programs)
    return Settings(
        palette, settings.confirm_columns, settings.phones == "play", settings.pace, settings.bots, programs
    )


def _check_words(path: Path, written: Mapping[str, object]) -> None:
    """Raise SettingsError where a setting that takes one of a few words has another."""
    for setting in msgspec.structs.fields(SettingsFile):
        if get_origin(setting.type) is not Literal or setting.name not in written:
            continue
        allowed, value = get_args(setting.type), written[setting.name]
        if value not in allowed:
            words = " or ".join(f'"{word}"' for word in allowed)
            raise SettingsError(f"{path}: {setting.name} = {json.dumps(value, default=str)}: must be {words}")


def _programs(path: Path, written: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The programs' commands, word by word."""
    found = {}
    for name, command in written.items():
        if not name.isprintable() or name != name.strip() or not 0 < len(name) <= LONGEST_NAME:
            raise SettingsError(f"{path}: programs: {name!r} is no name of 1 to {LONGEST_NAME} characters")
        if name.lower() in OPPONENTS:
            raise SettingsError(f"{path}: programs: {name} is the name of an opponent of the table's own")
        try:
            found[name] = tuple(shlex.split(command))
        except ValueError as error:
            raise SettingsError(f"{path}: programs.{name}: is no command: {error}") from error
        if "\0" in command:
            raise SettingsError(f"{path}: programs.{name}: is no command: it holds a character 0")
        if not found[name]:
            raise SettingsError(f"{path}: programs.{name}: is no command, but empty")
    if len(found) > MOST_PROGRAMS:
        raise SettingsError(
            f"{path}: programs: {len(found)} programs, but a seat has lights for {MOST_PROGRAMS}"
        )
    return found


def _palette(own: OwnPalette) -> Palette:
    lights = {"blue": own.blue, "yellow": own.yellow, "red": own.red, "black": own.black, "white": own.white}
    blue, yellow, red, black, white = (Shade(word, light) for word, light in lights.items())
    return Palette((blue, yellow, red, black, white), own.marker)
