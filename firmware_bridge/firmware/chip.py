"""The chip and its serial line over USB: everything of MicroPython's that is not a pin."""

import gc
import os
import select
import sys
from time import sleep_ms, ticks_ms  # type: ignore[attr-defined]

import machine

from firmware_bridge.wire import LONGEST_LINE

WATCHDOG = 8000
"""Milliseconds without a round of the loop until the chip starts anew; it can't wait longer than 8388."""
WATCHDOG_CONTROL = 0x40058000
WATCHDOG_CONTROL_RP2350 = 0x400D8000
WATCHDOG_ENABLE = 1 << 30
UARTS = 2
ALL_MACHINES = (1, 27)
"""Since this MicroPython all state machines of a Pico 2 run: before, those of its third block did nothing."""

__all__ = ["sleep_ms", "ticks_ms"]


def board() -> str:
    """Return the name of the board, such as `Raspberry Pi Pico with RP2040`."""
    return str(sys.implementation._machine)


def is_rp2350() -> bool:
    """Tell whether this is a Pico 2."""
    return "RP2350" in board()


def machines() -> int:
    """Return how many state machines there are to be used."""
    return 12 if is_rp2350() and sys.implementation.version[:2] >= ALL_MACHINES else 8


def boot_id() -> int:
    """Return a number that no other start has, not 0."""
    return int.from_bytes(os.urandom(4), "little") or 1


def free() -> int:
    """Return the bytes of free memory."""
    return int(gc.mem_free())  # type: ignore[attr-defined]


def restart() -> None:
    """Start the chip anew."""
    machine.reset()


def watchdog() -> machine.WDT:
    """Start the watchdog."""
    return machine.WDT(timeout=WATCHDOG)


def stop_watchdog() -> None:
    """Stop the watchdog, which MicroPython itself can't: a person or mpremote is at the prompt."""
    control = WATCHDOG_CONTROL_RP2350 if is_rp2350() else WATCHDOG_CONTROL
    machine.mem32[control] = machine.mem32[control] & ~WATCHDOG_ENABLE


def every(milliseconds: int, do) -> machine.Timer:  # type: ignore[no-untyped-def]
    """Call a function again and again, even while the loop waits for the rest of a line."""
    return machine.Timer(period=milliseconds, mode=machine.Timer.PERIODIC, callback=do)


class Usb:
    """The serial line over USB.

    MicroPython can't read what is there of more than one byte without waiting for the rest; it can read a
    line. So a line that has begun is waited for: the host sends it in one go, or is gone.
    """

    def __init__(self) -> None:
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def wait(self, milliseconds: int) -> bool:
        """Wait for a line to begin, for some milliseconds at most; tell whether one has."""
        return any(True for _ in self._poll.ipoll(milliseconds))  # type: ignore[attr-defined]

    def read_line(self) -> bytes:
        """Return the line that has begun."""
        return bytes(self._in.readline(LONGEST_LINE))

    def write(self, frame: bytes) -> None:
        """Send a frame; without a host it is forgotten."""
        self._out.write(frame)
