"""Interface of the physical table: names of lights, buttons and readers, frames, input events, and errors.

Lights, buttons and readers are known by name; numbers in names count from 1. The layout file
(`hardware/layouts`) maps a name to its wire, and only drivers use that mapping.

    lights   display.D.K   centre.K   seat.S.wall.R.C   seat.S.line.L.K   seat.S.floor.K
             seat.S.tens.N   seat.S.units.N   seat.S.turn   status
    buttons  display.D   centre   seat.S.line.L   seat.S.floor   ok   undo
    readers  display.D   centre   seat.S   shared
    parts    lights   lights.HOST   buttons   pico   power   heat   button.NAME   reader.NAME
             (what can be lost; HOST is a controller of lights in the network)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each, before gamma correction and brightness."""

DARK: Final[Rgb] = (0, 0, 0)

STATUS: Final = "status"  # a light
CENTRE: Final = "centre"  # a button and a reader
OK: Final = "ok"
UNDO: Final = "undo"
SHARED: Final = "shared"  # the reader for all seats where seats have no reader of their own

LIGHTS: Final = "lights"
BUTTONS: Final = "buttons"
PICO: Final = "pico"
POWER: Final = "power"
HEAT: Final = "heat"
"""Parts that can be lost as a whole; `button_part`, `reader_part` and `lights_part` name single ones."""


# --- Errors ----------------------------------------------------------------------------------------------


class HardwareError(Exception):
    """A fault of the physical table; the message says what is wrong and what to do about it."""


class LayoutError(HardwareError, ValueError):
    """A layout file is wrong; `faults` holds every fault found, one sentence each."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults: tuple[str, ...] = tuple(faults)


class Loss(StrEnum):
    """Reason why a part is lost; the pages have a sentence with a remedy for each of these keys."""

    ABSENT = "absent"  # not plugged in, or not switched on in the Pi's config.txt
    DENIED = "denied"  # this user has no permission
    BUSY = "busy"  # used by another program
    LIBRARY = "library"  # a library is missing or does not work on this machine
    UNPLUGGED = "unplugged"  # worked before and is gone
    SILENT = "silent"  # does not answer
    GARBLED = "garbled"  # sends invalid data
    CHATTERING = "chattering"  # a switch closes and opens by itself
    VOLTAGE = "voltage"  # undervoltage of the Pi
    HOT = "hot"  # the Pi is throttled because of its temperature
    FAILED = "failed"  # anything else


class PartError(HardwareError):
    """A part can't be used; drivers raise it, and supervisors report it as PartLost."""

    def __init__(self, reason: Loss, message: str) -> None:
        super().__init__(message)
        self.reason = reason


# --- Events ----------------------------------------------------------------------------------------------
# `at` is in seconds of the monotonic clock, taken where the event was seen.


class ButtonPressed(Struct, frozen=True):
    """A button press."""

    button: str
    at: float


class TagArrived(Struct, frozen=True):
    """A tag was laid on a reader; reported once, however often the reader reads it while it lies there."""

    reader: str
    tag: str
    at: float


class TagLeft(Struct, frozen=True):
    """A tag was taken off a reader."""

    reader: str
    tag: str
    at: float


InputEvent = ButtonPressed | TagArrived | TagLeft
"""Everything that people can do to a table."""


class PartLost(Struct, frozen=True):
    """A part does not work from now on; the latest event about a part holds.

    `message` is an English sentence with details and a remedy, for logs and for `azul-table doctor`.
    """

    part: str
    reason: Loss
    message: str
    at: float


class PartBack(Struct, frozen=True):
    """A part that was lost works again."""

    part: str
    at: float


class PartMessage(Struct, frozen=True):
    """A log message of a part that works."""

    part: str
    message: str
    at: float


HardwareEvent = InputEvent | PartLost | PartBack | PartMessage
"""Everything that drivers put into the inbox."""


# --- Drivers ---------------------------------------------------------------------------------------------


class LightFrame(Struct, frozen=True, eq=False):
    """Colours of all lights at one moment; a light that is not named is dark.

    Successive frames may share one mapping `steady`, and differ in the lights of `moving` only: then work on
    a frame is work on these few. No light is in both.
    """

    steady: Mapping[str, Rgb]
    moving: Mapping[str, Rgb] = {}

    @property
    def lit(self) -> Mapping[str, Rgb]:
        """The colours of all lights that are named."""
        return {**self.steady, **self.moving} if self.moving else self.steady

    def colour(self, light: str) -> Rgb:
        """Return the colour of a light."""
        return self.moving.get(light) or self.steady.get(light, DARK)

    def changes(self, before: LightFrame) -> dict[str, Rgb]:
        """Return the lights whose colours differ from those of an earlier frame, with the new ones."""
        new, old = self.moving, before.moving
        if self.steady is not before.steady:
            new, old = self.lit, before.lit
        changed = {light: colour for light, colour in new.items() if old.get(light, DARK) != colour}
        changed |= {light: DARK for light, colour in old.items() if light not in new and colour != DARK}
        return changed

    def __eq__(self, other: object) -> bool:
        return not self.changes(other) if isinstance(other, LightFrame) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Lights(Protocol):
    """A driver for all lights of a table."""

    def show(self, frame: LightFrame) -> None:
        """Show a frame. Raises HardwareError if it names an unknown light or has an invalid channel."""

    def close(self) -> None:
        """Release the lights; a second call does nothing."""


class Inputs(Protocol):
    """A driver for buttons, readers or both."""

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Pass every event from now on to `put`, from any thread. Raises HardwareError if it can't start."""

    def close(self) -> None:
        """Stop the events; a second call does nothing."""


# --- Names -----------------------------------------------------------------------------------------------


def display_light(display: int, place: int) -> str:
    """Return the name of a light of a display: places 1 to 4, clockwise, and 5 in the middle of display 5."""
    return f"display.{display}.{place}"


def centre_light(place: int) -> str:
    """Return the name of a light of the centre, from 1."""
    return f"centre.{place}"


def wall_light(seat: int, row: int, column: int) -> str:
    """Return the name of a light of a wall: row and column 1 to 5 from the top and the left."""
    return f"seat.{seat}.wall.{row}.{column}"


def line_light(seat: int, line: int, place: int) -> str:
    """Return the name of a light of a pattern line: line L has places 1 (leftmost) to L."""
    return f"seat.{seat}.line.{line}.{place}"


def floor_light(seat: int, place: int) -> str:
    """Return the name of a light of a floor line: places 1 to 7 from the left."""
    return f"seat.{seat}.floor.{place}"


def tens_light(seat: int, digit: int) -> str:
    """Return the name of the score light of a tens digit, 0 to 9."""
    return f"seat.{seat}.tens.{digit}"


def units_light(seat: int, digit: int) -> str:
    """Return the name of the score light of a units digit, 0 to 9."""
    return f"seat.{seat}.units.{digit}"


def turn_light(seat: int) -> str:
    """Return the name of the light that is lit when it is this seat's turn."""
    return f"seat.{seat}.turn"


def display_button(display: int) -> str:
    """Return the name of the button (and of the reader) of a display."""
    return f"display.{display}"


def line_button(seat: int, line: int) -> str:
    """Return the name of the button of a pattern line."""
    return f"seat.{seat}.line.{line}"


def floor_button(seat: int) -> str:
    """Return the name of the button of a floor line."""
    return f"seat.{seat}.floor"


def lights_part(host: str) -> str:
    """Return the name of the lights at a controller in the network as a part that can be lost."""
    return f"{LIGHTS}.{host}"


def button_part(button: str) -> str:
    """Return the name of a button as a part that can be lost."""
    return f"button.{button}"


def reader_part(reader: str) -> str:
    """Return the name of a reader as a part that can be lost."""
    return f"reader.{reader}"
