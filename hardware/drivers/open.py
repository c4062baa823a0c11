"""Opening the drivers that a layout names, all of them, whatever is plugged in.

What can't be opened is told as lost and tried again in the background by its own driver; the rest works.
A simulated table is opened where the layout names it, and never in the place of something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from time import monotonic
from typing import Final, Protocol

from hardware.api import (
    BUTTONS,
    LIGHTS,
    PICO,
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    Inputs,
    LightFrame,
    Lights,
    Loss,
    PartBack,
    PartLost,
    PartSaid,
    TagArrived,
    TagLeft,
    button_part,
)
from hardware.drivers.gpio import GpioButtons, chattering
from hardware.drivers.health import PowerWatch
from hardware.drivers.neopixel import NeoPixelLights
from hardware.drivers.pico import Bridge, BridgeState
from hardware.drivers.rfid import TagReaders
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout

Put = Callable[[HardwareEvent], None]
READERS: Final = "readers"
SIMULATED: Final = "simulated"
OUTDATED: Final = "its firmware is not the one of this program: `azul-table firmware install` renews it"


class Hardware:
    """The open hardware of a table: a driver for its lights (`Lights`) that closes the inputs, too.

    `simulated` is the simulated table if the layout names it for anything, for the hands of the twin.
    """

    def __init__(self, lights: Lights | None, simulated: SimulatedTable | None) -> None:
        self.simulated = simulated
        self._lights = lights
        self._closing: list[Callable[[], None]] = []

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame, if there are any; raises HardwareError for what is no frame."""
        if self._lights is not None:
            self._lights.show(frame)

    def close(self) -> None:
        """Close all drivers, the inputs first; a second call does nothing."""
        closing, self._closing = self._closing, []
        for close in closing:
            close()

    def on_close(self, close: Callable[[], None]) -> None:
        """Note one more thing to close, after those before it."""
        self._closing.append(close)


class Pico(Lights, Inputs, Protocol):
    """What drives a Pico: lights and inputs in one."""


class MakePico(Protocol):
    """Makes the driver of a Pico; `watch` is told of every change of its state."""

    def __call__(
        self, layout: Layout, *, watch: Callable[[BridgeState], None], clock: Callable[[], float]
    ) -> Pico:
        """Return the driver; raises HardwareError."""


def open_hardware(
    layout: Layout, put: Put, clock: Callable[[], float] = monotonic, make_pico: MakePico = Bridge
) -> Hardware:
    """Open the drivers that a layout names; every event of theirs goes to `put`, from their threads.

    `make_pico` makes the driver of a Pico that is plugged in, or of a simulated one; what it raises is raised
    here. Nothing else is: a part that can't be opened is told as PartLost.
    """
    named = layout.drivers
    table = SimulatedTable(layout, clock) if SIMULATED in astuple(named) else None
    pico = _pico(layout, put, clock, make_pico) if PICO in astuple(named) else None
    lights: Lights | None = table
    if named.lights == PICO:
        lights = pico
    elif named.lights != SIMULATED:
        lights = _opened(LIGHTS, lambda: NeoPixelLights(layout, put, clock=clock), put, clock)
    hardware = Hardware(lights, table)
    inputs: dict[str, Inputs | None] = {}
    if named.buttons == "gpio":
        inputs[BUTTONS] = GpioButtons(layout, clock=clock)
    if named.readers not in ("pico", SIMULATED):
        inputs[READERS] = TagReaders(layout, clock=clock)
    inputs[PICO] = pico
    inputs[SIMULATED] = table
    for name, driver in inputs.items():
        if driver is not None:
            _start(name, driver, _only(layout, name, put), put, clock)
            hardware.on_close(driver.close)
    if lights is not None:
        hardware.on_close(lights.close)
    if SIMULATED not in (named.lights, named.buttons):  # a table on the screen has no power that could fail
        hardware.on_close(PowerWatch(put, clock=clock).close)
    return hardware


def _opened(part: str, make: Callable[[], Lights], put: Put, clock: Callable[[], float]) -> Lights | None:
    try:
        return make()
    except HardwareError as error:
        put(PartLost(part, Loss.FAILED, str(error), clock()))
        return None


def _start(part: str, driver: Inputs, put: Put, tell: Put, clock: Callable[[], float]) -> None:
    try:
        driver.start(put)
    except HardwareError as error:
        tell(PartLost(part, Loss.FAILED, str(error), clock()))


def _only(layout: Layout, source: str, put: Put) -> Put:
    """Return `put` for those events alone that the layout expects of this source."""
    if source not in (PICO, SIMULATED):
        return put
    buttons, readers = layout.drivers.buttons == source, layout.drivers.readers == source

    def put_expected(event: HardwareEvent) -> None:
        match event:
            case ButtonPressed():
                expected = buttons
            case TagArrived() | TagLeft():
                expected = readers
            case _:
                expected = True
        if expected:
            put(event)

    return put if buttons and readers else put_expected


def _pico(layout: Layout, put: Put, clock: Callable[[], float], make: MakePico) -> Pico:
    """Return the driver of the Pico, whose states are told as parts lost and back."""
    last = BridgeState(connected=True)

    def watch(state: BridgeState) -> None:
        nonlocal last
        for event in told_of_bridge(last, state, clock()):
            put(event)
        last = state

    return make(layout, watch=watch, clock=clock)


def told_of_bridge(before: BridgeState, after: BridgeState, at: float) -> list[HardwareEvent]:
    """Return what a change of the bridge's state means for the parts of the table, and what is to be said."""
    events: list[HardwareEvent] = []
    if after.connected and not before.connected:
        events.append(PartBack(PICO, at))
    elif not after.connected and (before.connected or before.why != after.why):
        events.append(PartLost(PICO, after.loss or Loss.FAILED, after.why, at))
    if after.outdated and not before.outdated:
        events.append(PartSaid(PICO, OUTDATED, at))
    if after.said and after.said != before.said:
        events.append(PartSaid(PICO, after.said, at))
    events += [chattering(button, at) for button in sorted(after.muted - before.muted)]
    events += [PartBack(button_part(button), at) for button in sorted(before.muted - after.muted)]
    return events
