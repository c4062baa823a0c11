"""A fake chip: the firmware's main loop on this Python, with pins, strips, readers and USB in memory.

Simulated time passes while the firmware waits for USB input. `test_micropython.py` runs the same firmware in
MicroPython, with stand-ins that also check what a real chip would refuse.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest

from firmware_bridge.installer import copy_firmware, source_path
from firmware_bridge.protocol import Connection, Event
from firmware_bridge.wire import END
from firmware_bridge.wiring import Wiring

PINS = 30
PINS_IN = 0xD0000004
WATCHDOG_CONTROLS = (0x40058000, 0x400D8000)
WATCHDOG_ENABLE = 1 << 30
MODULES = ("programs", "chip", "matrix", "readers", "strips", "app")
"""The firmware's modules that import the Pico's own, in the order of their imports."""


class Restarted(BaseException):
    """The firmware has reset the chip."""


class FakeChip:
    """A Pico with this flash folder; the firmware boots from it with `boot`."""

    def __init__(self, flash: Path, patch: pytest.MonkeyPatch) -> None:
        self.flash = flash
        self.now = 0
        self.closed: set[tuple[int, ...]] = set()
        """Closed contacts: the pins of a row and a column, or the pin of a button outside the matrix."""
        self.at_readers: dict[int, bytes] = {}
        """Bytes that readers have sent and the firmware has not read, by their pin."""
        self.strips: dict[int, bytes] = {}
        """The bytes that every strip shows, by its pin."""
        self.transfers = 0
        self.watched = False
        self.timer: Callable[[], None] | None = None
        self.usb = FakeUsb(self)
        self._low: set[int] = set()
        self._patch = patch
        copy_firmware(flash)
        self._provide_modules()

    def boot(self) -> Any:
        """Return a new App, as after a reset."""
        return self._app.App()

    def run_main(self) -> None:
        """Run main.py, as MicroPython does at boot."""
        runpy.run_path(str(source_path("main.py")))

    def _provide_modules(self) -> None:
        """Import the firmware anew, with this chip as the modules of MicroPython."""
        patch = self._patch
        patch.chdir(self.flash)
        patch.setitem(sys.modules, "machine", self._machine_module())
        patch.setitem(sys.modules, "rp2", self._rp2_module())
        patch.setattr(time, "sleep_ms", lambda _milliseconds: None, raising=False)
        patch.setattr(time, "ticks_ms", lambda: self.now, raising=False)
        patch.setattr(time, "ticks_us", lambda: self.now * 1000, raising=False)
        patch.setattr(gc, "mem_free", lambda: 100_000, raising=False)
        patch.setattr(sys, "print_exception", print_exception, raising=False)
        patch.setattr(sys.implementation, "_machine", "Raspberry Pi Pico with RP2040", raising=False)
        for name in MODULES:
            full = f"firmware_bridge.firmware.{name}"
            patch.delitem(sys.modules, full, raising=False)
            patch.setitem(sys.modules, full, importlib.import_module(full))
        self._app = sys.modules["firmware_bridge.firmware.app"]
        patch.setattr(sys.modules["firmware_bridge.firmware.chip"], "Usb", lambda: self.usb)
        patch.setattr(self._app, "open", self._open, raising=False)

    def _open(self, name: str, mode: str) -> IO[Any]:
        return builtins.open(self.flash / name.removeprefix("/"), mode)  # noqa: PTH123

    # --- The modules of MicroPython ----------------------------------------------------------------------

    def _machine_module(self) -> ModuleType:
        chip = self

        class Pin:
            IN, OUT, OPEN_DRAIN = 0, 1, 2
            PULL_UP = 1

            def __init__(self, number: int, _mode: int = -1, _pull: int = -1, *, value: int = 1) -> None:
                assert 0 <= number < PINS
                self.number = number
                self.set = (self.low, self.high)[value]

            def low(self) -> None:
                chip._low.add(self.number)

            def high(self) -> None:
                chip._low.discard(self.number)

        class Registers:
            def __getitem__(self, address: int) -> int:
                if address == PINS_IN:
                    return chip._levels()
                assert address in WATCHDOG_CONTROLS
                return WATCHDOG_ENABLE if chip.watched else 0

            def __setitem__(self, address: int, value: int) -> None:
                assert address in WATCHDOG_CONTROLS
                chip.watched = bool(value & WATCHDOG_ENABLE)

        return _module("machine", Pin=Pin, mem32=Registers(), **self._peripherals())

    def _peripherals(self) -> dict[str, object]:
        chip = self

        class Uart:
            def __init__(self, _number: int, *, baudrate: int, rx: Any, rxbuf: int) -> None:
                assert (baudrate, rxbuf > 0) == (9600, True)
                self._pin = rx.number

            def any(self) -> int:
                return len(chip.at_readers.get(self._pin, b""))

            def read(self, count: int) -> bytes:
                return chip._take_from_reader(self._pin, count)

        class Watchdog:
            def __init__(self, timeout: int) -> None:
                assert timeout <= 8388
                chip.watched = True

            def feed(self) -> None:
                pass

        class Timer:
            PERIODIC = 1

            def __init__(self, *, period: int, mode: int, callback: Callable[[Timer], None]) -> None:
                assert (period > 0, mode) == (True, Timer.PERIODIC)
                chip.timer = lambda: callback(self)

            def deinit(self) -> None:
                chip.timer = None

        def reset() -> None:
            raise Restarted

        return {"UART": Uart, "WDT": Watchdog, "Timer": Timer, "reset": reset}

    def _rp2_module(self) -> ModuleType:
        chip = self

        class StateMachine:
            def __init__(self, _number: int, _program: object, *, freq: int, **pins: Any) -> None:
                assert freq > 0
                self.pin = next(iter(pins.values())).number

            def active(self, value: int) -> None:
                assert value == 1

        class Dma:
            def __init__(self) -> None:
                self._into = bytearray()
                self._pin = -1
                self._size = self._done = 0

            def pack_ctrl(self, **fields: object) -> object:
                return fields

            def config(
                self, *, read: Any, trigger: bool, write: Any = None, count: int = 0, ctrl: object = None
            ) -> None:
                if ctrl is not None:  # a trigger alone keeps what was set before
                    self._size = count
                    self._pin = (read if isinstance(read, StateMachine) else write).pin
                if isinstance(read, StateMachine):
                    assert trigger
                    self._into, self._done = write, 0
                elif trigger:
                    chip.strips[self._pin] = bytes(read[: self._size])
                    chip.transfers += 1

            def active(self) -> bool:
                return False

            @property
            def count(self) -> int:
                data = chip._take_from_reader(self._pin, len(self._into) - self._done)
                self._into[self._done : self._done + len(data)] = data
                self._done += len(data)
                return len(self._into) - self._done

        class Pio:
            OUT_LOW, SHIFT_LEFT, SHIFT_RIGHT, JOIN_TX, JOIN_RX = range(5)

        def asm_pio(**_options: object) -> Callable[[object], object]:
            return lambda program: program

        return _module("rp2", StateMachine=StateMachine, DMA=Dma, PIO=Pio, asm_pio=asm_pio)

    def _levels(self) -> int:
        """Return the levels of all pins as a word: a pin that is pulled low is 0."""
        word = (1 << PINS) - 1
        for *row, pin in self.closed:
            if not row or row[0] in self._low:
                word &= ~(1 << pin)
        return word

    def _take_from_reader(self, pin: int, count: int) -> bytes:
        data = self.at_readers.get(pin, b"")
        self.at_readers[pin] = data[count:]
        return data[:count]


class FakeUsb:
    """The serial line over USB: bytes of the host in, frames of the firmware out."""

    def __init__(self, chip: FakeChip) -> None:
        self.received = b""
        """Bytes that the firmware has not read."""
        self.sent = b""
        self.fault: BaseException | None = None
        """Raised by the next look for input."""
        self.reads: list[int] = []
        """How many bytes each read has taken."""
        self._chip = chip

    def ready(self) -> bool:
        """A look for input that finds none takes a millisecond."""
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        if not self.received:
            self._chip.now += 1
        return bool(self.received)

    def read_line(self, most: int) -> bytes:
        end = self.received.find(END, 0, most) + 1 or most
        assert len(self.received) >= end, "the chip would block"
        return self._take(end)

    def read_into(self, view: memoryview) -> None:
        assert len(self.received) >= len(view), "the chip would block"
        view[:] = self._take(len(view))

    def _take(self, count: int) -> bytes:
        taken, self.received = self.received[:count], self.received[count:]
        self.reads.append(count)
        return taken

    def write(self, frame: bytes) -> None:
        self.sent += frame


class FakePico:
    """The firmware on a fake chip, and a host that is connected to it."""

    def __init__(self, chip: FakeChip, wiring: Wiring) -> None:
        self.chip = chip
        self.app = chip.boot()
        self.host = Connection(wiring, session=1)
        self.host.opened(chip.now / 1000)
        self.events: list[Event] = []
        self.plugged = True

    def run(self, milliseconds: int) -> None:
        """Let the firmware and the host run for so many milliseconds."""
        end = self.chip.now + milliseconds
        while self.chip.now < end:
            self.app.step()
            self.exchange()

    def exchange(self) -> None:
        """Transmit what the firmware and the host have to send."""
        usb, now = self.chip.usb, self.chip.now / 1000
        received, usb.sent = usb.sent, b""
        if not self.plugged:
            return
        self.host.receive_data(received, now)
        usb.received += self.host.data_to_send(now)
        while (event := self.host.next_event()) is not None:
            self.events.append(event)


def print_exception(error: BaseException, file: IO[str]) -> None:
    """Print a traceback, as `sys.print_exception` of MicroPython does."""
    traceback.print_exception(error, file=file)


def _module(name: str, **contents: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(contents)
    return module
