"""Push buttons on the GPIO pins of a Raspberry Pi, read by gpiozero; each connects its pin to ground.

A thread of gpiozero reports the edges of a pin with their times; a thread of ours, `buttons`, debounces them.
Besides, it polls all pins, so that a change whose edge was missed is found soon.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final

from msgspec import Struct, field

from hardware.api import (
    BUTTONS,
    ButtonPressed,
    HardwareEvent,
    Loss,
    PartBack,
    PartError,
    PartLost,
    button_part,
)
from hardware.drivers import debounce
from hardware.drivers.debounce import Muted, Pressed, Switch, Unmuted
from hardware.drivers.supervisor import Supervisor, one_line
from hardware.layout.model import Layout

POLL: Final = 0.5
"""Seconds between two polls of all pins."""
MAX_AGE: Final = 5.0
"""Seconds that the time of an edge may lie back; a time that lies further off is of another clock."""

PinFactory = Any
"""A gpiozero pin factory: the library has no types."""


# --- Pins ------------------------------------------------------------------------------------------------


def real_pins() -> PinFactory:
    """Return the pin factory of the Pi's own pins. Raises PartError on other machines."""
    from gpiozero.exc import PinUnknownPi

    with _lgpio_folder():
        from gpiozero.pins.lgpio import LGPIOFactory

    try:
        return LGPIOFactory()
    except PinUnknownPi:
        message = "this machine is not a Raspberry Pi and has no pins for buttons"
        raise PartError(Loss.ABSENT, f"{message}; play with the simulated table") from None


@contextmanager
def _lgpio_folder() -> Iterator[None]:
    """Give lgpio a temporary folder for its pipe, which it otherwise makes in the working directory.

    When it is loaded, the library changes the working directory of the process; it is restored here.
    """
    if "LG_WD" not in os.environ:
        folder = tempfile.mkdtemp(prefix="azul-table-")
        os.environ["LG_WD"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    here = Path.cwd()
    try:
        yield
    finally:
        os.chdir(here)


def open_button(number: object, pins: PinFactory) -> Any:
    """Open a pin as an input with its internal pull-up resistor; raises what the pin factory raises."""
    from gpiozero import InputDevice

    return InputDevice(number, pull_up=True, pin_factory=pins)


def closed_buttons(layout: Layout, pins: Callable[[], PinFactory]) -> list[tuple[str, int]]:
    """Return the names and pins of the buttons that are closed now; raises what the pin factory raises."""
    closed = []
    factory = pins()
    try:
        for button in layout.buttons:
            if isinstance(button.switch, int):
                device = open_button(button.switch, factory)
                if device.is_active:
                    closed.append((button.name, button.switch))
                device.close()
    finally:
        factory.close()
    return closed


# --- Driver ----------------------------------------------------------------------------------------------


class GpioButtons:
    """The buttons of a layout on the pins of a Raspberry Pi (driver `Inputs`); one thread, `buttons`.

    A button whose pin can't be opened, or that chatters, is lost by itself; the others work. Pins are polled
    every `poll` seconds.
    """

    def __init__(
        self,
        layout: Layout,
        pins: Callable[[], PinFactory] = real_pins,
        clock: Callable[[], float] = monotonic,
        poll: float = POLL,
    ) -> None:
        self._pins = pins
        self._clock = clock
        self._poll = poll
        self._numbers = {button.name: button.switch for button in layout.buttons}
        self._edges: SimpleQueue[tuple[str, bool, float] | None] = SimpleQueue()
        self._lost: dict[str, str] = {}
        self._supervisor: Supervisor | None = None

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Pass every press, and every button lost and back, to `put`, from the thread of the buttons."""
        self._supervisor = Supervisor(BUTTONS, partial(self._work, put), put, self._clock)
        self._supervisor.start()

    def close(self) -> None:
        """Release the pins and end the thread; a second call does nothing."""
        if self._supervisor is not None:
            self._supervisor.stop()
            self._edges.put(None)
            self._supervisor.close()

    # --- In the thread of the buttons ---

    def _work(self, put: Callable[[HardwareEvent], None], supervisor: Supervisor) -> None:
        factory = self._pins()
        panel = _Panel(factory, self._numbers, self._lost, self._clock, self._edges.put, put)
        try:
            panel.open()
            if not panel.inputs:
                raise PartError(Loss.BUSY, "no pin of a button can be opened; end the program that uses them")
            supervisor.working()
            next_poll = self._clock() + self._poll
            while not supervisor.stopping:
                next_poll = self._handle_next(panel, next_poll)
        finally:
            for device in panel.inputs.values():
                device.close()
            factory.close()

    def _handle_next(self, panel: _Panel, next_poll: float) -> float:
        """Handle the next edge, or poll the pins when it is time; return the time of the next poll."""
        try:
            edge = self._edges.get(timeout=max(0.0, next_poll - self._clock()))
            if edge is not None:
                panel.edge(*edge)
        except Empty:
            pass
        # A poll must not overtake edges in the queue: they would seem to come at once, as bounces.
        now = self._clock()
        if now >= next_poll and self._edges.empty():
            panel.open()
            closed = {name: bool(device.is_active) for name, device in panel.inputs.items()}
            if self._edges.empty():
                for name, is_closed in closed.items():
                    panel.edge(name, is_closed, now)
                return now + self._poll
        return next_poll


class _Panel(Struct):
    """All buttons that could be opened, and the states of their switches; `lost` outlives it."""

    factory: PinFactory
    numbers: Mapping[str, Any]
    lost: dict[str, str]
    clock: Callable[[], float]
    queue: Callable[[tuple[str, bool, float]], None]
    put: Callable[[HardwareEvent], None]
    inputs: dict[str, Any] = field(default_factory=dict)
    switches: dict[str, Switch] = field(default_factory=dict)
    handlers: list[Callable[[float, int], None]] = field(default_factory=list)
    """The handlers of edges, to which gpiozero has weak references only."""

    def open(self) -> None:
        """Open the buttons that are not open; those whose pin can't be opened are lost."""
        for name, number in self.numbers.items():
            if name not in self.inputs:
                try:
                    device = open_button(number, self.factory)
                except Exception as error:  # noqa: BLE001 - each pin factory raises errors of its own
                    self._report(_unusable(name, number, error, self.clock()))
                else:
                    self._listen(name, device)

    def _listen(self, name: str, device: Any) -> None:
        self.switches[name] = debounce.initial(closed=bool(device.is_active))

        def changed(ticks: float, state: int) -> None:
            now = self.clock()  # kernels before 5.7 report an edge on the wall clock
            self.queue((name, not state, ticks if 0 <= now - ticks <= MAX_AGE else now))

        self.handlers.append(changed)
        device.pin.edges = "both"
        device.pin.when_changed = changed
        self.inputs[name] = device
        if button_part(name) in self.lost:
            self._report(PartBack(button_part(name), self.clock()))

    def edge(self, name: str, closed: bool, at: float) -> None:  # noqa: FBT001 - an entry of the queue
        """Handle an edge of a pin, or the state that a poll found."""
        self.switches[name], events = debounce.observe(self.switches[name], closed=closed, at=at)
        for event in events:
            match event:
                case Pressed():
                    self._report(ButtonPressed(name, event.at))
                case Muted():
                    self._report(chattering(name, event.at))
                case Unmuted():
                    self._report(PartBack(button_part(name), event.at))

    def _report(self, event: HardwareEvent) -> None:
        """Put an event, except a loss that was reported already with the same message."""
        match event:
            case PartLost(part, _, message, _):
                if self.lost.get(part) == message:
                    return
                self.lost[part] = message
            case PartBack(part, _):
                del self.lost[part]
        self.put(event)


def chattering(button: str, at: float) -> PartLost:
    """Return the loss of a button whose switch closes and opens by itself, and which is therefore ignored."""
    message = f"button {button} chatters and is ignored until it is still; check its contact and its wires"
    return PartLost(button_part(button), Loss.CHATTERING, message, at)


def _unusable(button: str, number: Any, error: Exception, at: float) -> PartLost:
    message = one_line(error)
    if re.search(r"busy|in use", message, re.IGNORECASE):
        message = f"GPIO{number} of button {button} is in use: {message}; `azul-table doctor` says by what"
        return PartLost(button_part(button), Loss.BUSY, message, at)
    return PartLost(button_part(button), Loss.FAILED, f"GPIO{number} of button {button}: {message}", at)
