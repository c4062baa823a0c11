"""Stand-ins for what MicroPython for WebAssembly lacks: the USB line, timers and parts of `sys`."""

import builtins
import os
import sys
import time
from io import IOBase
from time import ticks_diff, ticks_ms

import pico
import ubinascii
from uctypes import addressof

POLL = 3
READABLE = 1
NO_FILE, NO_FILE_HERE = 2, 44
SLICE = 0.5
"""The longest wait in milliseconds."""

timers = []


class CollectGarbage(BaseException):
    """Leaves the firmware for a moment, so that the interpreter can collect garbage."""


def tick_with(period, do):
    """Register a function to be called every `period` milliseconds during waits."""
    entry = [ticks_ms(), period, do]
    timers.append(entry)
    return entry


def wait():
    pico.wait(SLICE)
    for entry in timers:
        if ticks_diff(ticks_ms(), entry[0]) >= entry[1]:
            entry[0] = ticks_ms()
            entry[2]()


class Input(IOBase):
    """Standard input: `readline` waits for the end of the line, as on the chip."""

    def __init__(self):
        super().__init__()
        self.buffer = self
        self._line = bytearray(4096)

    def ioctl(self, request, flags):
        if request != POLL:
            return -1
        if not pico.ready():
            wait()
        return READABLE & flags if pico.ready() else 0

    def readline(self, most):
        count = pico.line(addressof(self._line), most)
        while not count:
            wait()
            count = pico.line(addressof(self._line), most)
        return bytes(self._line[:count])

    def readinto(self, view):
        start, left = addressof(view), len(view)
        while left:
            count = pico.take(start, left)
            start += count
            left -= count
            if not count:
                wait()
        return len(view)


class Output:
    def __init__(self):
        self.buffer = self

    def write(self, data):
        pico.write(addressof(data), len(data))
        return len(data)


class Written:
    """A file that is saved to the flash folder when it is closed."""

    def __init__(self, file):
        self._file = file
        self.write = file.write

    def close(self):
        self._file.close()
        pico.save()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()


def open_kept(name, mode="r", *options):
    file = open_file(name, mode, *options)
    return Written(file) if "w" in mode else file


def as_on_chip(do):
    """Wrap a function so that the errno of a missing file is the chip's, not WebAssembly's."""

    def translated(*arguments):
        try:
            return do(*arguments)
        except OSError as error:
            raise OSError(NO_FILE if error.errno == NO_FILE_HERE else error.errno)

    return translated


class Implementation:
    name = sys.implementation.name
    version = sys.implementation.version
    _machine = pico.board
    _mpy = sys.implementation._mpy


class System:
    """`sys` as it is on the chip."""


for name in dir(sys):
    if not name.startswith("__"):
        setattr(System, name, getattr(sys, name))
System.print_exception = staticmethod(sys.print_exception)
System.exit = staticmethod(sys.exit)
System.implementation = Implementation
System.stdin = Input()
System.stdout = Output()

open_file = as_on_chip(builtins.open)
builtins.open = open_kept
sys.modules["sys"] = System
sys.modules["binascii"] = ubinascii  # the chip's own, in C; the other is Python and far slower
for name in ("stat", "remove", "mkdir", "rmdir", "ilistdir", "listdir"):
    setattr(os, name, as_on_chip(getattr(os, name)))
time.ticks_us = pico.microseconds  # that of WebAssembly counts in steps of a millisecond
os.urandom = lambda count: bytes([pico.random() for _ in range(count)])
