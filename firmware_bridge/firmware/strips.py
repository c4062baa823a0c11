"""The light strips: a PIO state machine and a DMA channel for each, without waiting in Python."""

from machine import Pin
from rp2 import DMA, StateMachine

from firmware_bridge.firmware import programs
from firmware_bridge.firmware.session import ticks_since

BYTE_MICROSECONDS = 10
AFTER_MICROSECONDS = 480
"""The bytes still in the FIFO, and the WS2812 reset time after which the lights latch."""
REFRESH = 1000
"""Milliseconds after which an unchanged frame is sent again, in case a strip lost its power."""
PULSE = 50
"""Milliseconds between steps of the pulse that shows a lost host."""
PULSE_PERIOD = 2000
DIMMEST, BRIGHTEST = 6, 90
NO_LIGHT = 0xFFFF


class Strips:
    """All strips; `lights` is the back buffer: the bytes to show next, all chains one after another."""

    def __init__(self, chains: list[tuple[int, int]], status: int) -> None:
        size = sum([3 * lights for _, lights in chains])
        self.lights = bytearray(size)
        self._front = bytearray(size)
        self._senders = []
        firsts = []
        view = memoryview(self._front)
        first = 0
        longest = 0
        for machine, (pin, lights) in enumerate(chains):
            count = 3 * lights
            self._senders.append(Sender(machine, pin, view[first : first + count], count))
            firsts.append(first)
            longest = max(longest, count)
            first += count
        self._busy = (longest * BYTE_MICROSECONDS + AFTER_MICROSECONDS) // 1000 + 2
        self._sent = -1
        self._status_starts = [status] if status != NO_LIGHT else firsts

    def show(self, now: int) -> bool:
        """Send `lights` to the strips; return False while they are busy with the previous frame."""
        if not self.idle(now):
            return False
        self._front[:] = self.lights
        self._send(now)
        return True

    def step(self, now: int) -> None:
        """Send the frame again when REFRESH has passed."""
        if self._sent >= 0 and ticks_since(now, self._sent) >= REFRESH and self.idle(now):
            self._send(now)

    def pulse(self, now: int) -> None:
        """Let the status light pulse over the last frame, because the host is lost."""
        if (self._sent >= 0 and ticks_since(now, self._sent) < PULSE) or not self.idle(now):
            return
        phase = abs(now % PULSE_PERIOD * 2 - PULSE_PERIOD)
        level = DIMMEST + (BRIGHTEST - DIMMEST) * phase // PULSE_PERIOD
        for start in self._status_starts:  # the first two bytes equal: yellow in RGB and GRB order
            self._front[start : start + 3] = bytes((level, level, 0))
        self._send(now)

    def idle(self, now: int) -> bool:
        """Return whether the strips have latched the previous frame."""
        if self._sent >= 0 and ticks_since(now, self._sent) < self._busy:
            return False
        return not any(sender.active() for sender in self._senders)

    def _send(self, now: int) -> None:
        for sender in self._senders:
            sender.send()
        self._sent = now


class Sender:
    """One strip: DMA from memory to a state machine that drives a pin."""

    def __init__(self, machine: int, pin: int, data: memoryview, count: int) -> None:
        self._data = data
        self._count = count
        self._machine = StateMachine(
            machine, programs.strip, freq=programs.STRIP_HZ, sideset_base=Pin(pin, Pin.OUT, value=0)
        )
        self._machine.active(1)
        self._dma = DMA()
        request = (machine // 4 << 3) + machine % 4  # DREQ: the TX FIFO has room
        self._control = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        self.active = self._dma.active

    def send(self) -> None:
        """Start the transfer; `active()` is true until it is done."""
        self._dma.config(
            read=self._data, write=self._machine, count=self._count, ctrl=self._control, trigger=True
        )
