"""A stand-in for MicroPython's `rp2`: the parts that the firmware uses.

State machines are not executed (tests/firmware_bridge/state_machine.py does that); a program is recognized by
its pins. Limits are enforced as on the chip: state machines, program memory, DMA channels.
"""

import pico
from uctypes import addressof

PROGRAM_ROOM = 32
CHANNELS = 12
MACHINES = 12 if "RP2350" in pico.board else 8
BYTE_SECONDS = 10e-6


class PIO:
    IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH = 0, 1, 2, 3
    SHIFT_LEFT, SHIFT_RIGHT = 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2


class Instruction:
    def side(self, _value):
        return self

    def __getitem__(self, _delay):
        return self


class Program:
    """A PIO program: its declaration and its number of instructions."""

    def __init__(self, function, options):
        self.options = options
        self.length = 0
        names = function.__globals__
        before = dict(names)
        names.update({name: name for name in ("x", "not_x", "x_dec", "pins", "pin", "null", "noblock")})
        names.update(dict.fromkeys(("out", "jmp", "nop", "wait", "set", "in_", "push"), self._count))
        names.update(dict.fromkeys(("label", "wrap_target", "wrap"), self._mark))
        function()
        for name in list(names):
            if name not in before:
                del names[name]
        names.update(before)

    def _count(self, *_arguments):
        self.length += 1
        return Instruction()

    def _mark(self, *_arguments):
        pass


def asm_pio(**options):
    return lambda function: Program(function, options)


loaded = {}
"""The programs loaded into each PIO block."""
running = set()


class StateMachine:
    def __init__(self, number, program, *, freq, sideset_base=None, in_base=None, jmp_pin=None):
        if not 0 <= number < MACHINES or number in running:
            raise ValueError("invalid StateMachine")
        running.add(number)
        block = loaded.setdefault(number // 4, set())
        block.add(program)
        if sum([held.length for held in block]) > PROGRAM_ROOM:
            raise OSError(12)
        self.number = number
        self.freq = freq
        self.sends = sideset_base.number if "sideset_init" in program.options else None
        self.receives = in_base.number if in_base else None
        self.on = 0

    def active(self, value):
        self.on = value

    def request(self, receive):
        return (self.number // 4 << 3) + self.number % 4 + (4 if receive else 0)


channels = []


class DMA:
    def __init__(self):
        if len(channels) >= CHANNELS:
            raise OSError(16)
        self._channel = len(channels)
        channels.append(self)
        self._machine = self._buffer = None
        self._count = self._done = 0

    def pack_ctrl(self, *, size, treq_sel, inc_read=True, inc_write=True):
        return (size, treq_sel, inc_read, inc_write)

    def config(self, *, read, write=None, count=None, ctrl=None, trigger):
        """Set registers and start the transfer; those that are not given keep their values."""
        if ctrl is None:
            write, count, ctrl = self._registers
        self._registers = write, count, ctrl
        if not trigger:
            return
        size, request, inc_read, inc_write = ctrl
        receive = isinstance(read, StateMachine)
        machine, buffer = (read, write) if receive else (write, read)
        if (size, inc_read, inc_write) != (0, not receive, receive) or request != machine.request(receive):
            raise ValueError("this transfer would go wrong on a chip")
        if not machine.on or len(buffer) < count:
            raise ValueError("this transfer would not run on a chip")
        self._machine, self._buffer, self._count, self._done = machine, buffer, count, 0
        if not receive:
            pico.transfer(self._channel, machine.sends, addressof(buffer), count, BYTE_SECONDS * count)

    def active(self):
        return pico.busy(self._channel)

    @property
    def count(self):
        """The number of bytes that are still to be received."""
        left = self._count - self._done
        if left:
            start = addressof(self._buffer) + self._done
            self._done += pico.received(self._machine.receives, start, left)
        return self._count - self._done
