"""Simulated table: a driver for lights, buttons and readers that exist in memory only, chosen by name.

The twin in the browser and the tests use it. `press` and `show_tag` do what people do to a table; `colour`,
`frame` and `frames_shown` return what they see; `set_fault` breaks a part of it. It never blocks and starts
no thread: `press` passes the event to the listener before it returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import chain
from time import monotonic
from typing import Final

from hardware.api import (
    LIGHTS,
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    LightFrame,
    Rgb,
    TagArrived,
    TagLeft,
    reader_part,
)
from hardware.drivers.simulated_faults import REPEATS, Fault, FaultSwitches, Kind, events_of, possible_faults
from hardware.layout.model import Layout
from hardware.pixels import INVALID_CHANNEL, unknown_light

SIMULATED: Final = "simulated"
"""The name of this driver in a layout."""


class SimulatedTable:
    """The lights, buttons and readers of a layout without hardware (drivers `Lights` and `Inputs` in one).

    `frame` is the latest frame, all dark before the first and while the lights are unplugged; `frames_shown`
    is the number of frames shown so far. `faults` are those of the simulated parts. Every method may be
    called from any thread.
    """

    def __init__(self, layout: Layout, clock: Callable[[], float] = monotonic) -> None:
        self.layout = layout
        self._clock = clock
        self._light_names = frozenset(light.name for light in layout.lights)
        self._button_names = frozenset(button.name for button in layout.buttons)
        self._reader_names = frozenset(reader.name for reader in layout.readers)
        self._lock = threading.Lock()
        self.frame = LightFrame({})
        self.frames_shown = 0
        self._put: Callable[[HardwareEvent], None] | None = None
        named = layout.drivers
        self.faults = FaultSwitches(
            layout,
            possible_faults(
                layout,
                lights=named.lights == SIMULATED,
                buttons=named.buttons == SIMULATED,
                readers=named.readers == SIMULATED,
                pico=False,
            ),
        )

    # --- Driver ---

    def show(self, frame: LightFrame) -> None:
        """Show a frame.

        Raises HardwareError, and leaves the lights as they were, if the frame names an unknown light or has a
        channel outside of 0 to 255.
        """
        changes = frame.changes(self.frame)
        if not changes.keys() <= self._light_names:
            raise unknown_light(min(changes.keys() - self._light_names), self.layout.name)
        try:
            bytes(chain.from_iterable(changes.values()))
        except ValueError:
            raise HardwareError(INVALID_CHANNEL) from None
        with self._lock:
            if not self.faults.has(LIGHTS):
                self.frame = frame
                self.frames_shown += 1

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Pass every press and tag from now on to `put`, in the thread of the caller of `press`."""
        self._put = put

    def close(self) -> None:
        """Stop the events; the lights stay as they are, as those of a real strip do.

        May be called more than once: as the lights and as the inputs of a table.
        """
        self._put = None

    # --- Simulation ---

    def press(self, button: str) -> None:
        """Press a button; nothing happens while it is dead.

        Raises HardwareError if there is no such button, or before `start`.
        """
        self._check("button", button, self._button_names)
        put = self._listener("button", button)
        if not self.button_dead(button):
            put(ButtonPressed(button, self._clock()))

    def show_tag(self, reader: str, tag: str) -> None:
        """Lay a tag on a reader and take it off. Raises HardwareError as `press` does."""
        self._check("reader", reader, self._reader_names)
        put = self._listener("reader", reader)
        if self.reader_dead(reader):
            return
        for _ in range(REPEATS if self.reader_repeats(reader) else 1):
            put(TagArrived(reader, tag, self._clock()))
            put(TagLeft(reader, tag, self._clock()))

    def set_fault(self, fault: Fault, *, on: bool) -> bool:
        """Begin or end a fault, and report what real drivers would; return False if it is impossible here."""
        put = self._put
        if put is None or not self.faults.knows(fault):
            return False
        with self._lock:
            changed = self.faults.switch(fault, on=on)
            if fault.part == LIGHTS and on:
                self.frame = LightFrame({})
        for event in events_of(fault, on=on, at=self._clock()) if changed else ():
            put(event)
        return True

    def button_dead(self, button: str) -> bool:
        """Return whether a press of this button does not reach the table, because of a fault."""
        return self.faults.button_dead(button)

    def reader_dead(self, reader: str) -> bool:
        """Return whether a tag on this reader does not reach the table."""
        return self.faults.has(reader_part(reader))

    def reader_repeats(self, reader: str) -> bool:
        """Return whether this reader reports a tag several times."""
        return self.faults.has(reader_part(reader), Kind.REPEAT)

    def colour(self, light: str) -> Rgb:
        """Return the colour of a light. Raises HardwareError if there is no such light."""
        self._check("light", light, self._light_names)
        return self.frame.colour(light)

    def _check(self, kind: str, name: str, names: frozenset[str]) -> None:
        if name not in names:
            raise HardwareError(f"there is no {kind} {name!r} on layout {self.layout.name!r}")

    def _listener(self, kind: str, name: str) -> Callable[[HardwareEvent], None]:
        if self._put is None:
            raise HardwareError(f"{kind} {name!r} has no listener; start the table's inputs first")
        return self._put
