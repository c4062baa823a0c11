"""Faults of simulated hardware: which ones a layout can have, and which of them are on.

The simulated drivers act on them and report what real hardware would report: PartLost, PartBack and presses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from hardware.api import (
    BUTTONS,
    LIGHTS,
    PICO,
    POWER,
    ButtonPressed,
    HardwareEvent,
    Loss,
    PartBack,
    PartLost,
    button_part,
    reader_part,
)
from hardware.drivers.debounce import Muted, Pressed, initial, observe
from hardware.drivers.gpio import chattering
from hardware.drivers.health import FAULTS
from hardware.layout.model import Layout

BUTTON: Final = "button"
"""In a list of possible faults: every single button."""
BOUNCE_EVERY: Final = 0.02
"""Seconds between two changes of a bouncing contact."""
REPEATS: Final = 3
"""How often a reader that repeats reports a tag that was laid on it once."""


class Kind(StrEnum):
    """What can be wrong with a part."""

    UNPLUG = "unplug"  # its cable is pulled
    BOUNCE = "bounce"  # its contact closes and opens all the time
    HANG = "hang"  # it stays pressed
    REPEAT = "repeat"  # it reports a tag several times
    BROWNOUT = "brownout"  # the voltage is too low
    FREEZE = "freeze"  # it does nothing any more
    RESTART = "restart"  # it starts anew, once


class Fault(Struct, frozen=True):
    """A fault of a part, by its name in `hardware.api`."""

    part: str
    kind: Kind


Possible = Mapping[str, tuple[Kind, ...]]
"""The kinds of faults by part; `BUTTON` stands for every single button."""


def possible_faults(layout: Layout, *, lights: bool, buttons: bool, readers: bool, pico: bool) -> Possible:
    """Return the faults that the simulated parts of a layout can have."""
    kinds: dict[str, tuple[Kind, ...]] = {}
    if lights:
        kinds[LIGHTS] = (Kind.UNPLUG,)
    if buttons:
        kinds[BUTTONS] = (Kind.UNPLUG,)
        kinds[BUTTON] = (Kind.BOUNCE, Kind.HANG)
    if readers:
        kinds |= {reader_part(reader.name): (Kind.UNPLUG, Kind.REPEAT) for reader in layout.readers}
    if pico:
        kinds[PICO] = (Kind.UNPLUG, Kind.FREEZE, Kind.RESTART)
    if kinds:
        kinds[POWER] = (Kind.BROWNOUT,)
    return kinds


class FaultSwitches:
    """The faults that are on, of those that are possible. Not thread-safe: for one thread, or with a lock."""

    def __init__(self, layout: Layout, possible: Possible) -> None:
        self.possible = possible
        self._buttons = frozenset(button_part(button.name) for button in layout.buttons)
        self.on: tuple[Fault, ...] = ()

    def knows(self, fault: Fault) -> bool:
        """Return whether this fault is possible."""
        part = BUTTON if fault.part in self._buttons else fault.part
        return (part != BUTTON or fault.part != BUTTON) and fault.kind in self.possible.get(part, ())

    def switch(self, fault: Fault, *, on: bool) -> bool:
        """Switch a fault on or off; return whether that changes anything."""
        if (fault in self.on) is on:
            return False
        self.on = (*self.on, fault) if on else tuple(each for each in self.on if each != fault)
        return True

    def has(self, part: str, kind: Kind = Kind.UNPLUG) -> bool:
        """Return whether a fault is on."""
        return Fault(part, kind) in self.on

    def button_dead(self, button: str) -> bool:
        """Return whether a press of this button does not reach the table."""
        part = button_part(button)
        return self.has(BUTTONS) or self.has(part, Kind.BOUNCE) or self.has(part, Kind.HANG)


UNPLUGGED: Final = "was unplugged; plug it in again"


def events_of(fault: Fault, *, on: bool, at: float) -> Iterator[HardwareEvent]:
    """Yield what the drivers report when this fault begins or ends at this time in seconds."""
    button = fault.part.removeprefix(f"{BUTTON}.")
    match fault.kind:
        case Kind.UNPLUG if on:
            yield PartLost(fault.part, Loss.UNPLUGGED, f"{fault.part} {UNPLUGGED}", at)
        case Kind.BROWNOUT if on:
            yield PartLost(POWER, *FAULTS[POWER], at)
        case Kind.BOUNCE if on:
            yield from bounced(button, at)
        case Kind.HANG if on:
            yield ButtonPressed(button, at)
        case Kind.UNPLUG | Kind.BROWNOUT | Kind.BOUNCE:
            yield PartBack(fault.part, at)


def bounced(button: str, at: float) -> Iterator[HardwareEvent]:
    """Yield what debouncing reports of a contact that bounces until it is ignored, all with the time `at`."""
    switch, closed, moment = initial(closed=False), False, at
    while not switch.muted:
        closed = not closed
        switch, events = observe(switch, closed=closed, at=moment)
        moment += BOUNCE_EVERY
        for event in events:
            match event:
                case Pressed():
                    yield ButtonPressed(button, at)
                case Muted():
                    yield chattering(button, at)
