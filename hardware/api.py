"""What the rest of the house says to a physical table: frames of light out, presses in.

Lights, buttons and readers are known by name, and numbers in names are people's numbers, from 1. Which wire
a name stands for is written in one layout file (`hardware/layouts`); nothing above the drivers knows it.

    lights   display.D.K   centre.K   seat.S.wall.R.C   seat.S.line.L.K   seat.S.floor.K
             seat.S.tens.N   seat.S.units.N   seat.S.turn   status
    buttons  display.D   centre   seat.S.line.L   seat.S.floor   ok   undo
    readers  display.D   centre   seat.S   shared
    parts    lights   buttons   pico   power   heat   button.NAME   reader.NAME     (what may be lost)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each, before gamma and brightness."""

DARK: Final[Rgb] = (0, 0, 0)

CENTRE: Final = "centre"
"""The centre's button and reader."""
STATUS: Final = "status"
"""The table's own light."""
OK: Final = "ok"
UNDO: Final = "undo"
SHARED: Final = "shared"
"""The one reader that stands for all, where a table has no more."""

LIGHTS: Final = "lights"
BUTTONS: Final = "buttons"
PICO: Final = "pico"
POWER: Final = "power"
HEAT: Final = "heat"
"""Parts that may be lost as a whole; single ones are named by `button_part` and `reader_part`."""


class HardwareError(Exception):
    """Something about the physical table is wrong; the message says what, and what to do about it."""


class LayoutError(HardwareError, ValueError):
    """A layout file is wrong; `faults` holds every fault found, one sentence each."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults: tuple[str, ...] = tuple(faults)


@dataclass(frozen=True, slots=True)
class LightFrame:
    """What all lights of a table show at one moment; a light that is not named is dark."""

    lit: Mapping[str, Rgb]

    def colour(self, light: str) -> Rgb:
        """Return what the light of this name shows."""
        return self.lit.get(light, DARK)


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """Somebody pressed a button; `at` is in seconds of the monotonic clock, taken where it was seen."""

    button: str
    at: float


@dataclass(frozen=True, slots=True)
class TagArrived:
    """A tag was laid on a reader; it arrives once, however often the reader reads it while it lies there."""

    reader: str
    tag: str
    at: float


@dataclass(frozen=True, slots=True)
class TagLeft:
    """A tag was taken off a reader."""

    reader: str
    tag: str
    at: float


InputEvent = ButtonPressed | TagArrived | TagLeft
"""Everything that hands can tell the table."""


class Loss(StrEnum):
    """Why a part of the table is lost: keys of the pages' words, which say what to do."""

    ABSENT = "absent"  # it is not there: not plugged in, or not switched on in the Pi's config.txt
    DENIED = "denied"  # this user may not use it
    BUSY = "busy"  # another program has it
    LIBRARY = "library"  # a library that it needs is missing, or can't work here
    UNPLUGGED = "unplugged"  # it worked, and is gone
    SILENT = "silent"  # it is there, but does not answer
    GARBLED = "garbled"  # what it says makes no sense
    CHATTERING = "chattering"  # a switch closes and opens by itself
    VOLTAGE = "voltage"  # the Pi is fed too little
    HOT = "hot"  # the Pi slows down because it is too hot
    FAILED = "failed"  # anything else


@dataclass(frozen=True, slots=True)
class PartLost:
    """A part of the table does not work from now on; the last one of a part holds.

    `told` is a sentence in English with the details and what to do, for logs and for `azul-table doctor`.
    """

    part: str
    why: Loss
    told: str
    at: float


@dataclass(frozen=True, slots=True)
class PartBack:
    """A part that was lost works again."""

    part: str
    at: float


@dataclass(frozen=True, slots=True)
class PartSaid:
    """A part works, and has something to say to whoever looks after the table: for the log only."""

    part: str
    told: str
    at: float


HardwareEvent = InputEvent | PartLost | PartBack | PartSaid
"""Everything that drivers put into the inbox."""


class PartError(HardwareError):
    """A part of the table can't be used, and why; drivers raise it, the table is told as `PartLost`."""

    def __init__(self, why: Loss, told: str) -> None:
        super().__init__(told)
        self.why = why


class Lights(Protocol):
    """A driver for all lights of a table."""

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame; raise HardwareError when they can't."""

    def close(self) -> None:
        """Give the lights back; a second call does nothing."""


class Inputs(Protocol):
    """A driver for everything that hands touch."""

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Give every event from now on to `put`, from any thread; raise HardwareError when that can't be."""

    def close(self) -> None:
        """Put no more events; a second call does nothing."""


def display_light(display: int, place: int) -> str:
    """Name a light of a display: places 1 to 4, clockwise, and 5 in the middle of display 5."""
    return f"display.{display}.{place}"


def centre_light(place: int) -> str:
    """Name a light of the centre, from 1."""
    return f"centre.{place}"


def wall_light(seat: int, row: int, column: int) -> str:
    """Name a light of a wall: row and column 1 to 5 from the top and the left."""
    return f"seat.{seat}.wall.{row}.{column}"


def line_light(seat: int, line: int, place: int) -> str:
    """Name a light of a pattern line: line L has places 1 (leftmost) to L."""
    return f"seat.{seat}.line.{line}.{place}"


def floor_light(seat: int, place: int) -> str:
    """Name a light of a floor: places 1 to 7 from the left."""
    return f"seat.{seat}.floor.{place}"


def tens_light(seat: int, digit: int) -> str:
    """Name the score light of a tens digit, 0 to 9."""
    return f"seat.{seat}.tens.{digit}"


def units_light(seat: int, digit: int) -> str:
    """Name the score light of a units digit, 0 to 9."""
    return f"seat.{seat}.units.{digit}"


def turn_light(seat: int) -> str:
    """Name the light that says whose turn it is."""
    return f"seat.{seat}.turn"


def display_button(display: int) -> str:
    """Name the button (and the reader) of a display."""
    return f"display.{display}"


def line_button(seat: int, line: int) -> str:
    """Name the button of a pattern line."""
    return f"seat.{seat}.line.{line}"


def floor_button(seat: int) -> str:
    """Name the button of a floor."""
    return f"seat.{seat}.floor"


def seat_reader(seat: int) -> str:
    """Name the reader of a seat."""
    return f"seat.{seat}"


def button_part(button: str) -> str:
    """Name a button as a part that may be lost."""
    return f"button.{button}"


def reader_part(reader: str) -> str:
    """Name a reader as a part that may be lost."""
    return f"reader.{reader}"
