"""The chip and its USB serial line: the parts of MicroPython's `machine` and `sys` other than pins."""

import gc
import os
import select
import sys
from time import sleep_ms, ticks_ms, ticks_us  # type: ignore[attr-defined]

import machine

WATCHDOG = 8000
"""Milliseconds without a round until the watchdog resets the chip; the hardware's maximum is 8388."""
WATCHDOG_CONTROL = 0x40058000
WATCHDOG_CONTROL_RP2350 = 0x400D8000
WATCHDOG_ENABLE = 1 << 30
UARTS = 2
ALL_MACHINES = (1, 27)
"""The first MicroPython that supports the third PIO block of a Pico 2."""

__all__ = ["sleep_ms", "ticks_ms", "ticks_us"]


def board() -> str:
    """Return the name of the board, such as `Raspberry Pi Pico with RP2040`."""
    return str(sys.implementation._machine)


def is_rp2350() -> bool:
    """Return whether this is a Pico 2."""
    return "RP2350" in board()


def machines() -> int:
    """Return the number of usable state machines."""
    return 12 if is_rp2350() and sys.implementation.version[:2] >= ALL_MACHINES else 8


def boot_id() -> int:
    """Return a random number that identifies this boot, not 0."""
    return int.from_bytes(os.urandom(4), "little") or 1


def free() -> int:
    """Return the free memory in bytes."""
    return int(gc.mem_free())  # type: ignore[attr-defined]


def restart() -> None:
    """Reset the chip."""
    machine.reset()


def watchdog() -> machine.WDT:
    """Start the watchdog."""
    return machine.WDT(timeout=WATCHDOG)


def stop_watchdog() -> None:
    """Disable the watchdog through its register: MicroPython has no function for it."""
    control = WATCHDOG_CONTROL_RP2350 if is_rp2350() else WATCHDOG_CONTROL
    machine.mem32[control] = machine.mem32[control] & ~WATCHDOG_ENABLE


def every(milliseconds: int, do) -> machine.Timer:  # type: ignore[no-untyped-def]
    """Call a function periodically, also while the loop is blocked reading a line."""
    return machine.Timer(period=milliseconds, mode=machine.Timer.PERIODIC, callback=do)


class Usb:
    """The serial line over USB.

    MicroPython has no non-blocking read of several bytes. So reading blocks until a line that has begun is
    complete, or until the given number of bytes has arrived; the host writes each frame at once. What the
    host does not read is discarded when no host has the port open.
    """

    def __init__(self) -> None:
        self.read_line = sys.stdin.buffer.readline
        self.read_into = sys.stdin.buffer.readinto  # type: ignore[union-attr]
        self.write = sys.stdout.buffer.write
        poll = select.poll()
        poll.register(sys.stdin, select.POLLIN)
        self._ipoll = poll.ipoll  # type: ignore[attr-defined]

    def ready(self) -> bool:
        """Return whether there is input, without waiting."""
        for _ in self._ipoll(0):
            return True
        return False
