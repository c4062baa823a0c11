"""Buttons on the pins of a Raspberry Pi, by gpiozero; each connects its pin with ground.

Pins tell their changes with their times from a thread of the library's; one thread of ours, `buttons`, makes
presses of them (`debounce`). Besides, it looks at all pins now and then, so that a change that was not told
is not missed for long.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final

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
from hardware.drivers.debounce import Muted, Pressed, Switch, SwitchEvent, Unmuted
from hardware.drivers.supervisor import Keeper
from hardware.layout.model import Layout

LOOK: Final = 0.5
"""Seconds between two looks at all pins."""
FRESH: Final = 5.0
"""Seconds that the time of a change may lie back; any other is of another clock than ours."""

PinFactory = Any
"""A gpiozero pin factory: the library has no types."""


def real_pins() -> PinFactory:
    """Return the pin factory of the Pi's own pins; raises PartError on other machines."""
    from gpiozero.exc import PinUnknownPi

    with _folder_of_lgpio():
        from gpiozero.pins.lgpio import LGPIOFactory

    try:
        return LGPIOFactory()
    except PinUnknownPi:
        raise PartError(
            Loss.ABSENT,
            "this machine is no Raspberry Pi, and has no pins for buttons; play with the simulated table",
        ) from None


@contextmanager
def _folder_of_lgpio() -> Iterator[None]:
    """Let lgpio have its pipe in a folder of its own, or it is made wherever we happen to be.

    The library goes to that folder when it is loaded, and takes the whole process along: we come back.
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


class GpioButtons:
    """The buttons of a layout on the pins of a Raspberry Pi (driver `Inputs`); one thread, `buttons`.

    A button whose pin can't be had, or that chatters, is told as lost by itself; the others go on.
    """

    def __init__(
        self,
        layout: Layout,
        pins: Callable[[], PinFactory] = real_pins,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._pins = pins
        self._clock = clock
        self._numbers = {button.name: button.switch for button in layout.buttons}
        self._changes: SimpleQueue[tuple[str, bool, float] | None] = SimpleQueue()
        self._lost: dict[str, str] = {}
        self._keeper: Keeper | None = None

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        """Give every press, and every button lost and back, to `put`, from the thread of the buttons."""
        self._keeper = Keeper(BUTTONS, lambda keeper: self._work(keeper, put), put, self._clock)
        self._keeper.start()

    def close(self) -> None:
        """Give the pins back and end the thread; a second call does nothing."""
        if self._keeper is not None:
            self._keeper.end()
            self._changes.put(None)
            self._keeper.close()

    # --- In the thread of the buttons --------------------------------------------------------------------

    def _work(self, keeper: Keeper, put: Callable[[HardwareEvent], None]) -> None:
        factory = self._pins()
        panel = _Panel(factory, self._numbers, self._lost, self._clock, self._changes.put, put)
        try:
            panel.open()
            if not panel.inputs:
                raise PartError(Loss.BUSY, "no button's pin can be had; end the other program that has them")
            keeper.works()
            while not keeper.ending:
                self._take(panel)
        finally:
            panel.close()
            factory.close()

    def _take(self, panel: _Panel) -> None:
        """Take in the next change, or the time that passed."""
        try:
            change = self._changes.get(timeout=max(0.0, panel.next_look - self._clock()))
            if change is not None:
                panel.changed(*change)
        except Empty:
            pass
        # A look must not overtake changes that were told: they would seem to come at once, and be bounces.
        now = self._clock()
        if now >= panel.next_look and self._changes.empty():
            panel.open()
            found = panel.closed()
            if self._changes.empty():
                panel.look(found, now)


class _Panel:
    """All buttons that could be opened, and how their switches are; `lost` outlives it."""

    def __init__(
        self,
        factory: PinFactory,
        numbers: Mapping[str, Any],
        lost: dict[str, str],
        clock: Callable[[], float],
        note: Callable[[tuple[str, bool, float]], None],
        put: Callable[[HardwareEvent], None],
    ) -> None:
        self.inputs: dict[str, Any] = {}
        self.next_look = clock() + LOOK
        self._factory = factory
        self._numbers = numbers
        self._lost = lost
        self._clock = clock
        self._note = note
        self._put = put
        self._switches: dict[str, Switch] = {}
        self._handlers: list[Callable[[float, int], None]] = []  # gpiozero holds them by weak references

    def open(self) -> None:
        """Begin to listen to the buttons that are not listened to; those whose pin can't be had are lost."""
        from gpiozero import InputDevice

        for name, number in self._numbers.items():
            if name not in self.inputs:
                try:
                    device = InputDevice(number, pull_up=True, pin_factory=self._factory)
                except Exception as error:  # noqa: BLE001 - each pin factory raises errors of its own
                    self._tell(_unusable(name, number, error, self._clock()))
                else:
                    self._listen(name, device)

    def close(self) -> None:
        """Give the pins back."""
        for device in self.inputs.values():
            device.close()

    def _listen(self, name: str, device: Any) -> None:
        self._switches[name] = debounce.begin(closed=bool(device.is_active))

        def changed(ticks: float, state: int) -> None:
            self._note((name, not state, self._time(ticks)))

        self._handlers.append(changed)
        device.pin.edges = "both"
        device.pin.when_changed = changed
        self.inputs[name] = device
        if button_part(name) in self._lost:
            self._tell(PartBack(button_part(name), self._clock()))

    def changed(self, name: str, closed: bool, at: float) -> None:  # noqa: FBT001 - a change as it was noted
        """Take in that a pin changed."""
        self._step(name, debounce.seen(self._switches[name], closed=closed, at=at))

    def closed(self) -> dict[str, bool]:
        """Read which buttons are closed."""
        return {name: bool(device.is_active) for name, device in self.inputs.items()}

    def look(self, found: Mapping[str, bool], at: float) -> None:
        """Take in what all pins were found to be at this time."""
        self.next_look = at + LOOK
        for name, closed in found.items():
            self._step(name, debounce.seen(self._switches[name], closed=closed, at=at))

    def _time(self, ticks: float) -> float:
        """Return the time of a change on our clock: kernels before 5.7 tell it on another one."""
        now = self._clock()
        return ticks if 0 <= now - ticks <= FRESH else now

    def _step(self, name: str, step: debounce.Step) -> None:
        self._switches[name], events = step
        for event in events:
            self._tell(_told(name, event))

    def _tell(self, event: HardwareEvent) -> None:
        """Put an event; what is lost already is not told again for the same reason."""
        match event:
            case PartLost(part, _, told, _):
                if self._lost.get(part) == told:
                    return
                self._lost[part] = told
            case PartBack(part, _):
                del self._lost[part]
        self._put(event)


def _told(button: str, event: SwitchEvent) -> HardwareEvent:
    match event:
        case Pressed(at):
            return ButtonPressed(button, at)
        case Muted(at):
            return chattering(button, at)
        case Unmuted(at):
            return PartBack(button_part(button), at)


def chattering(button: str, at: float) -> PartLost:
    """Return that a button is not listened to, because its switch closes and opens by itself."""
    told = f"button {button} chatters, and is muted until it rests; look at its contact and its wires"
    return PartLost(button_part(button), Loss.CHATTERING, told, at)


def _unusable(button: str, number: Any, error: Exception, at: float) -> PartLost:
    told = " ".join(str(error).split()) or type(error).__name__
    if re.search(r"busy|in use", told, re.IGNORECASE):
        told = f"GPIO{number} of button {button} is taken: {told}; `azul-table doctor` says by what"
        return PartLost(button_part(button), Loss.BUSY, told, at)
    return PartLost(button_part(button), Loss.FAILED, f"GPIO{number} of button {button}: {told}", at)
