"""A stand-in for MicroPython's `machine`: the parts that the firmware uses."""

import pico
from stand_in_for_pico import CollectGarbage, tick_with, timers
from uctypes import addressof

PINS_IN = 0xD0000004
WATCHDOG_CONTROLS = (0x40058000, 0x400D8000)
WATCHDOG_ENABLE = 1 << 30
ROUNDS = 500
"""Watchdog feeds between two garbage collections."""


class Pin:
    IN, OUT, OPEN_DRAIN, ALT = 0, 1, 2, 3
    PULL_UP, PULL_DOWN = 1, 2

    def __init__(self, number, mode=-1, pull=-1, *, value=-1):
        if not 0 <= number < 30:
            raise ValueError("invalid pin")
        self.number = number
        if mode == Pin.OPEN_DRAIN and value < 0:
            value = 1
        pico.pin(number, mode, pull, value)

    def low(self):
        pico.pin(self.number, -1, -1, 0)

    def high(self):
        pico.pin(self.number, -1, -1, 1)


class Registers:
    def __getitem__(self, address):
        if address == PINS_IN:
            return pico.pins_in()
        if address in WATCHDOG_CONTROLS:
            return WATCHDOG_ENABLE if pico.watched() else 0
        raise OSError("no register at " + hex(address))

    def __setitem__(self, address, value):
        if address not in WATCHDOG_CONTROLS or value & WATCHDOG_ENABLE:
            raise OSError("no register at " + hex(address))
        pico.watchdog(0)


mem32 = Registers()


class UART:
    SENDS = (0, 4)
    """The default TX pins of the UARTs."""

    def __init__(self, number, *, baudrate, rx, rxbuf):
        if rx.number % 4 != 1 or (rx.number + 4 & 8) >> 3 != number:
            raise ValueError("bad RX pin")
        Pin(self.SENDS[number], Pin.OUT, value=1)
        self._pin = rx.number
        self._most = rxbuf

    def any(self):
        return min(pico.waiting(self._pin), self._most)

    def read(self, count):
        data = bytearray(count)
        count = pico.received(self._pin, addressof(data), count)
        return bytes(data[:count]) or None


class WDT:
    def __init__(self, timeout):
        if timeout > 8388:
            raise ValueError("timeout too large")
        self._rounds = 0
        pico.watchdog(timeout)

    def feed(self):
        pico.feed()
        self._rounds += 1
        if self._rounds >= ROUNDS:
            self._rounds = 0
            raise CollectGarbage


class Timer:
    ONE_SHOT, PERIODIC = 0, 1

    def __init__(self, *, period, mode, callback):
        self._entry = tick_with(period, lambda: callback(self))

    def deinit(self):
        timers.remove(self._entry)


def reset():
    pico.reset("restart")
