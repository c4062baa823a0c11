"""A loopback of the serial protocol: host and Pico in one process, with simulated time and a lossy line.

The host's `Connection` talks to the Pico's `Session`; between them frames can be lost, cut, corrupted,
repeated, delayed or preceded by noise. Used by the tests and by `azul-table bench bridge`.
"""

from __future__ import annotations

import random
from binascii import crc32
from collections.abc import Callable
from typing import Final

from firmware_bridge import payload
from firmware_bridge.firmware.session import TICKS, Board, Session
from firmware_bridge.messages import FrameSplitter
from firmware_bridge.protocol import Connection, Event, Silent
from firmware_bridge.wiring import Wiring

Damage = Callable[[bytes], bytes]
"""A function from a sent frame to the bytes that arrive."""

ROUND: Final = 0.001
"""Seconds of one round of the firmware's main loop."""


def undamaged(frame: bytes) -> bytes:
    """Return the frame unchanged."""
    return frame


class RandomDamage:
    """Damage one frame in `one_in`: lose, cut, corrupt, repeat, delay it, or add noise."""

    def __init__(self, random_numbers: random.Random, one_in: int) -> None:
        self._random = random_numbers
        self._rarely = one_in
        self._before = b""
        self.frames = 0
        self.damaged = 0

    def __call__(self, frame: bytes) -> bytes:
        """Return the bytes that arrive."""
        self.frames += 1
        before, self._before = self._before, frame
        if self._random.random() * self._rarely >= 1:
            return frame
        self.damaged += 1
        match self._random.randrange(6):
            case 0:
                return b""
            case 1:
                return frame[: self._random.randrange(len(frame))]
            case 2:
                bit = self._random.randrange(8 * len(frame))
                flipped = bytearray(frame)
                flipped[bit // 8] ^= 1 << bit % 8
                return bytes(flipped)
            case 3:
                return frame + frame
            case 4:
                return frame + before  # a late copy of the frame before
            case _:
                return self._random.randbytes(self._random.randrange(1, 40)) + frame


class FakeBoard(Board):
    """A board whose strips are the list `shown` of frames and whose closed switches are the set `held`."""

    board = "paper"
    machines = 8
    uarts = 2

    def __init__(self, to_host: Callable[[bytes], None]) -> None:
        super().__init__()
        self.write_frame = to_host
        self.shown: list[bytes] = []
        self.held: set[int] = set()
        self.switches = 0
        self.stored_wiring = b""

    def write(self, frame: bytes) -> None:
        """Send a frame to the host."""
        self.write_frame(frame)

    def configure(self, wiring: bytes) -> None:
        """Apply a wiring."""
        chains, rows, columns, buttons, _, _ = payload.read_wiring(wiring)
        self.stored_wiring = wiring
        self.wiring = crc32(wiring) or 1
        self.switches = len(rows) * len(columns) + len(buttons)
        self.lights = bytearray(sum(lights * channels for _, lights, channels in chains))

    def show(self) -> bool:
        """Show `lights` on the strips."""
        self.shown.append(bytes(self.lights))
        return True

    def closed(self) -> bytes:
        """Return the closed switches as a bit field."""
        bits = sum(1 << switch for switch in self.held)
        return bits.to_bytes((self.switches + 7) // 8, "little")

    def free(self) -> int:
        """Return the free memory in bytes."""
        return 100_000


class Loopback:
    """A host and a Pico on one line; `now` is the simulated time of both, in seconds.

    `down` and `up` damage the frames from the host and from the Pico. `start` is the first value of the
    Pico's millisecond counter.
    """

    def __init__(
        self, wiring: Wiring, *, down: Damage = undamaged, up: Damage = undamaged, start: int = 0
    ) -> None:
        self.now = 0.0
        self.connection = Connection(wiring, session=1)
        self.events: list[Event] = []
        self._down, self._up = down, up
        self._start = start
        self._to_host = b""
        self.plugged = True
        self.boots = 0
        self.board = FakeBoard(self._transmit_up)
        self.boot()
        self.connection.opened(self.now)

    def boot(self, wiring: bytes = b"") -> None:
        """Restart the Pico with the stored `wiring` (empty: none)."""
        self.boots += 1
        self._line = FrameSplitter(lambda line: self.session.receive(line, self.ticks))
        self.board = FakeBoard(self._transmit_up)
        if wiring:
            self.board.configure(wiring)
        self.session = Session(self.board, self.boots)
        self.session.begin(self.ticks)

    @property
    def ticks(self) -> int:
        """The Pico's millisecond counter, which wraps at TICKS."""
        return (self._start + round(self.now * 1000)) % TICKS

    def press(self, switch: int, *, closed: bool = True) -> None:
        """Close or open a switch."""
        (self.board.held.add if closed else self.board.held.discard)(switch)
        kind = payload.CLOSED if closed else payload.OPENED
        self.session.queue_event(kind, bytes((switch,)), self.ticks, self.ticks)

    def step(self, seconds: float = ROUND) -> None:
        """Advance the time by `seconds` and run both sides once."""
        self.now += seconds
        for frame in self.connection.frames_to_send(self.now):
            self.send(frame)
        self.session.try_show()
        self.session.step(self.ticks)
        data, self._to_host = self._to_host, b""
        if data:
            self.connection.receive_data(data, self.now)
        while (event := self.connection.next_event()) is not None:
            self.events.append(event)
            if isinstance(event, Silent):
                self.connection.opened(self.now)

    def run(self, seconds: float) -> None:
        """Advance the time by `seconds` in steps of ROUND."""
        for _ in range(round(seconds / ROUND)):
            self.step()

    def send(self, frame: bytes) -> None:
        """Transmit a frame of the host."""
        if self.plugged:
            for _, raw in self._line.feed(self._down(frame)):
                if raw:
                    self.session.receive_raw(raw, self.ticks)

    def _transmit_up(self, frame: bytes) -> None:
        if self.plugged:
            self._to_host += self._up(frame)
