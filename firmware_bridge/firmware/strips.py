"""The strips of lights: a state machine and a transfer channel each, so that no light waits for Python."""

from machine import Pin
from rp2 import DMA, StateMachine

from firmware_bridge.firmware import programs
from firmware_bridge.firmware.session import since

BYTE_MICROSECONDS = 10
AFTER_MICROSECONDS = 480
"""The bytes still in the state machine, and the rest that tells WS2812 lights to take over what they got."""
REFRESH = 1000
"""Milliseconds after which a frame that stays is sent again: a strip may have lost its power."""
PULSE = 50
"""Milliseconds between steps of the pulse that says that the host is lost."""
PULSE_PERIOD = 2000
DIMMEST, BRIGHTEST = 6, 90
NO_LIGHT = 0xFFFF


class Strips:
    """All strips; `lights` are the bytes to show next, all chains one after another."""

    def __init__(self, chains: list[tuple[int, int]], status: int) -> None:
        size = sum([3 * lights for _, lights in chains])
        self.lights = bytearray(size)
        self._front = bytearray(size)
        self._senders = []
        view = memoryview(self._front)
        first = 0
        longest = 0
        for machine, (pin, lights) in enumerate(chains):
            count = 3 * lights
            self._senders.append(Sender(machine, pin, view[first : first + count], count))
            longest = max(longest, count)
            first += count
        self._busy = (longest * BYTE_MICROSECONDS + AFTER_MICROSECONDS) // 1000 + 2
        self._sent = -1
        self._marks = [status] if status != NO_LIGHT else first_bytes(chains)

    def show(self, now: int) -> bool:
        """Send `lights` to the strips; False while they are still busy with the frame before."""
        if not self.idle(now):
            return False
        self._front[:] = self.lights
        self._send(now)
        return True

    def step(self, now: int) -> None:
        """Send again what has stayed for long."""
        if self._sent >= 0 and since(now, self._sent) >= REFRESH and self.idle(now):
            self._send(now)

    def pulse(self, now: int) -> None:
        """Let the status light breathe over the frame shown last: the host is lost."""
        if (self._sent >= 0 and since(now, self._sent) < PULSE) or not self.idle(now):
            return
        height = abs(now % PULSE_PERIOD * 2 - PULSE_PERIOD)
        level = DIMMEST + (BRIGHTEST - DIMMEST) * height // PULSE_PERIOD
        for mark in self._marks:  # the first two colours alike: yellow on strips of either order
            self._front[mark : mark + 3] = bytes((level, level, 0))
        self._send(now)

    def idle(self, now: int) -> bool:
        """Tell whether the strips have taken over the frame before."""
        if self._sent >= 0 and since(now, self._sent) < self._busy:
            return False
        return not any(sender.active() for sender in self._senders)

    def _send(self, now: int) -> None:
        for sender in self._senders:
            sender.send()
        self._sent = now


def first_bytes(chains: list[tuple[int, int]]) -> list[int]:
    """Return where each chain's first light begins."""
    firsts = []
    first = 0
    for _, lights in chains:
        firsts.append(first)
        first += 3 * lights
    return firsts


class Sender:
    """One strip: bytes in memory on their way out of a pin."""

    def __init__(self, machine: int, pin: int, data: memoryview, count: int) -> None:
        self._data = data
        self._count = count
        self._machine = StateMachine(
            machine, programs.strip, freq=programs.STRIP_HZ, sideset_base=Pin(pin, Pin.OUT, value=0)
        )
        self._machine.active(1)
        self._dma = DMA()
        request = (machine // 4 << 3) + machine % 4  # the machine asks for the next byte
        self._control = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        self.active = self._dma.active

    def send(self) -> None:
        """Begin to send; `active` tells when it is done."""
        self._dma.config(
            read=self._data, write=self._machine, count=self._count, ctrl=self._control, trigger=True
        )
