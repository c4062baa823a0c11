"""The light strips: a PIO state machine and a DMA channel for each, without waiting in Python."""

from machine import Pin
from rp2 import DMA, StateMachine

from firmware_bridge.firmware import programs
from firmware_bridge.firmware.chip import ticks_us
from firmware_bridge.firmware.session import ticks_since

BYTE_NANOSECONDS = 8 * programs.STRIP_TICKS * 1000 // (programs.STRIP_HZ // 1_000_000)
AFTER_MICROSECONDS = 480
"""The bytes still in the FIFO, and the WS2812 reset time after which the lights latch."""
REFRESH = 1_000_000
"""Microseconds after which an unchanged frame is sent again, in case a strip lost its power."""
PULSE = 50_000
"""Microseconds between steps of the pulse that shows a lost host."""
PULSE_PERIOD = 2000
"""Milliseconds."""
DIMMEST, BRIGHTEST = 6, 90
NO_LIGHT = 0xFFFF


class Strips:
    """All strips; `lights` is the back buffer: the bytes to show next, all chains one after another."""

    def __init__(self, chains: list[tuple[int, int, int]], status: int) -> None:
        size = sum([lights * channels for _, lights, channels in chains])
        self.lights = bytearray(size)
        self._front = bytearray(size)
        self._senders = []
        self._pulsing: list[tuple[int, int]] = []
        view = memoryview(self._front)
        first = 0
        longest = 0
        for machine, (pin, lights, channels) in enumerate(chains):
            count = lights * channels
            self._senders.append(Sender(machine, pin, view[first : first + count], count))
            if status == NO_LIGHT:
                self._pulsing.append((first, channels))
            elif first <= status < first + count:
                self._pulsing.append((status, channels))
            longest = max(longest, count)
            first += count
        self._busy = longest * BYTE_NANOSECONDS // 1000 + AFTER_MICROSECONDS
        self._sent = -1

    def show(self) -> bool:
        """Send `lights` to the strips; return False while they are busy with the previous frame."""
        if not self._is_idle():
            return False
        self._front[:] = self.lights
        self._send()
        return True

    def step(self) -> None:
        """Send the frame again when REFRESH has passed."""
        now = ticks_us()
        if self._sent >= 0 and ticks_since(now, self._sent) >= REFRESH and self._is_idle():
            self._send()

    def pulse(self) -> None:
        """Let the status light pulse over the last frame, because the host is lost."""
        now = ticks_us()
        if (self._sent >= 0 and ticks_since(now, self._sent) < PULSE) or not self._is_idle():
            return
        phase = abs(now // 1000 % PULSE_PERIOD * 2 - PULSE_PERIOD)
        level = DIMMEST + (BRIGHTEST - DIMMEST) * phase // PULSE_PERIOD
        for start, channels in self._pulsing:  # the first two bytes equal: yellow in RGB(W) and GRB(W) order
            self._front[start : start + channels] = bytes((level, level, 0, 0)[:channels])
        self._send()

    def _is_idle(self) -> bool:
        """Return whether the strips have latched the previous frame."""
        if self._sent >= 0 and ticks_since(ticks_us(), self._sent) < self._busy:
            return False
        for sender in self._senders:  # noqa: SIM110 - a generator costs more
            if sender.active():
                return False
        return True

    def _send(self) -> None:
        for sender in self._senders:
            sender.send()
        self._sent = ticks_us()


class Sender:
    """One strip: DMA from memory to a state machine that drives a pin."""

    def __init__(self, machine: int, pin: int, data: memoryview, count: int) -> None:
        self._data = data
        self._machine = StateMachine(
            machine, programs.strip, freq=programs.STRIP_HZ, sideset_base=Pin(pin, Pin.OUT, value=0)
        )
        self._machine.active(1)
        dma = DMA()
        request = (machine // 4 << 3) + machine % 4  # DREQ: the TX FIFO has room
        control = dma.pack_ctrl(size=0, inc_write=False, treq_sel=request)
        dma.config(read=data, write=self._machine, count=count, ctrl=control, trigger=False)
        self._configure = dma.config
        self.active = dma.active

    def send(self) -> None:
        """Start the transfer; `active()` is true until it is done. A trigger reloads the count."""
        self._configure(read=self._data, trigger=True)
