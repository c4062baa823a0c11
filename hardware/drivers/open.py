"""Opening of all drivers that a layout names, whatever is plugged in.

A part that can't be opened is reported as lost, its driver tries again in the background, and the other parts
work. The simulated table is opened only where the layout names it, never as a fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, Protocol

from msgspec.structs import astuple

from hardware.api import (
    BUTTONS,
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
    PartMessage,
    TagArrived,
    TagLeft,
    button_part,
)
from hardware.drivers.gpio import GpioButtons, PinFactory, chattering, real_pins
from hardware.drivers.health import PowerMonitor
from hardware.drivers.neopixel import NeoPixelLights
from hardware.drivers.network import NetworkLights
from hardware.drivers.pico import PicoDriver, PicoState
from hardware.drivers.rfid import TagReaders
from hardware.drivers.simulated import SIMULATED, SimulatedTable
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Layout

Put = Callable[[HardwareEvent], None]
Clock = Callable[[], float]
Close = Callable[[], None]
READERS: Final = "readers"
OUTDATED: Final = (
    "the firmware differs from the one of this program: `azul-table firmware install` updates it"
)


class Hardware:
    """The open hardware of a table: a `Lights` driver that closes the inputs, too.

    `simulated` is the simulated table, if the layout names it for anything; the twin acts on it.
    """

    def __init__(
        self, lights: Lights | None, simulated: SimulatedTable | None, closing: Sequence[Close] = ()
    ) -> None:
        self.simulated = simulated
        self._lights = lights
        self._closing = closing

    def show(self, frame: LightFrame) -> None:
        """Show a frame, if there are lights. Raises HardwareError for an invalid frame."""
        if self._lights is not None:
            self._lights.show(frame)

    def close(self) -> None:
        """Call all functions of `closing` in their order; a second call does nothing."""
        closing, self._closing = self._closing, ()
        for close in closing:
            close()


class Pico(Lights, Inputs, Protocol):
    """A driver of a Pico: lights and inputs in one."""


MakePico = Callable[..., Pico]
"""Factory of the driver of a Pico: takes the layout, and `watch` and `clock` as `PicoDriver` does."""


def open_hardware(
    layout: Layout,
    put: Put,
    clock: Clock = monotonic,
    make_pico: MakePico = PicoDriver,
    pins: Callable[[], PinFactory] = real_pins,
) -> Hardware:
    """Open the drivers that a layout names; all their events go to `put`, from their threads.

    `make_pico` makes the driver of a real or a simulated Pico, `pins` the factory of the Raspberry Pi's pins.
    Raises HardwareError if `make_pico` does; any other part that can't be opened is reported as PartLost.
    """
    named = layout.drivers
    table = SimulatedTable(layout, clock) if SIMULATED in astuple(named) else None
    pico = _open_pico(layout, put, clock, make_pico) if PICO in astuple(named) else None
    lights: Lights | None = table
    if named.lights == PICO:
        lights = pico
    elif named.lights in NETWORK_DRIVERS:
        lights = NetworkLights(layout, put, clock=clock)
    elif named.lights != SIMULATED:
        lights = NeoPixelLights(layout, put, clock=clock)
    closing: list[Close] = []  # the inputs first
    inputs: dict[str, Inputs | None] = {}
    if named.buttons == "gpio":
        inputs[BUTTONS] = GpioButtons(layout, pins, clock)
    if named.readers not in (PICO, SIMULATED):
        inputs[READERS] = TagReaders(layout, clock=clock)
    inputs[PICO] = pico
    inputs[SIMULATED] = table
    for name, driver in inputs.items():
        if driver is not None:
            try:
                driver.start(_filtered(layout, name, put))
            except HardwareError as error:
                put(PartLost(name, Loss.FAILED, str(error), clock()))
            closing.append(driver.close)
    if lights is not None:
        closing.append(lights.close)
    if SIMULATED not in (named.lights, named.buttons):  # a table on the screen needs no power supply
        closing.append(PowerMonitor(put, clock=clock).close)
    return Hardware(lights, table, closing)


def _filtered(layout: Layout, source: str, put: Put) -> Put:
    """Return `put` without the presses and tags that the layout expects from another driver."""
    if source not in (PICO, SIMULATED):
        return put
    ignored: tuple[type[HardwareEvent], ...] = ()
    if layout.drivers.buttons != source:
        ignored += (ButtonPressed,)
    if layout.drivers.readers != source:
        ignored += (TagArrived, TagLeft)
    return lambda event: None if isinstance(event, ignored) else put(event)


def _open_pico(layout: Layout, put: Put, clock: Clock, make: MakePico) -> Pico:
    """Return the driver of the Pico; changes of its state go to `put` as parts lost and back."""
    last = PicoState(connected=True)  # so that a Pico that answers at once causes no event

    def watch(state: PicoState) -> None:
        nonlocal last
        for event in part_events(last, state, clock()):
            put(event)
        last = state

    return make(layout, watch=watch, clock=clock)


def part_events(before: PicoState, after: PicoState, at: float) -> list[HardwareEvent]:
    """Return the events of parts that follow from a change of the Pico's state at this time."""
    events: list[HardwareEvent] = []
    if after.connected and not before.connected:
        events.append(PartBack(PICO, at))
    elif not after.connected and (before.connected or before.message != after.message):
        events.append(PartLost(PICO, after.loss or Loss.FAILED, after.message, at))
    if after.outdated and not before.outdated:
        events.append(PartMessage(PICO, OUTDATED, at))
    if after.log and after.log != before.log:
        events.append(PartMessage(PICO, after.log, at))
    events += [chattering(button, at) for button in sorted(after.muted - before.muted)]
    events += [PartBack(button_part(button), at) for button in sorted(before.muted - after.muted)]
    return events
