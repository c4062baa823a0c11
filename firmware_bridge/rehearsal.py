"""Both sides of the bridge in one process, on a line that does damage, in a time of their own.

The host's Connection talks with the Pico's Session; between them every frame may be lost, cut, flipped, said
twice or drowned in noise, as chance decides. Tests and the benchmark look at what arrives.
"""

from __future__ import annotations

import random
from binascii import crc32
from collections.abc import Callable
from typing import Final

from firmware_bridge import payload
from firmware_bridge.firmware.session import TICKS, Session, Table
from firmware_bridge.protocol import Connection, Event, Silent
from firmware_bridge.wire import Lines
from firmware_bridge.wiring import Wiring

Damage = Callable[[bytes], bytes]
"""What becomes of a frame on its way."""

ROUND: Final = 0.001
"""Seconds of a round of the firmware's loop."""


def unharmed(frame: bytes) -> bytes:
    """Let a frame arrive as it was sent."""
    return frame


class RandomDamage:
    """Damages one frame in `rarely`: lost, cut, flipped, said twice, or with noise before it; counts them."""

    def __init__(self, chance: random.Random, rarely: int) -> None:
        self._chance = chance
        self._rarely = rarely
        self._before = b""
        self.frames = 0
        self.damaged = 0

    def __call__(self, frame: bytes) -> bytes:
        """Return what is left of a frame."""
        self.frames += 1
        before, self._before = self._before, frame
        if self._chance.random() * self._rarely >= 1:
            return frame
        self.damaged += 1
        match self._chance.randrange(6):
            case 0:
                return b""
            case 1:
                return frame[: self._chance.randrange(len(frame))]
            case 2:
                bit = self._chance.randrange(8 * len(frame))
                flipped = bytearray(frame)
                flipped[bit // 8] ^= 1 << bit % 8
                return bytes(flipped)
            case 3:
                return frame + frame
            case 4:
                return frame + before  # one that is late, and a copy
            case _:
                return self._chance.randbytes(self._chance.randrange(1, 40)) + frame


class PaperTable(Table):
    """A table whose strips are a list of what was shown, and whose switches are a set of numbers."""

    board = "paper"
    machines = 8
    uarts = 2

    def __init__(self, to_host: Callable[[bytes], None]) -> None:
        super().__init__()
        self.write_frame = to_host
        self.shown: list[bytes] = []
        self.held: set[int] = set()
        self.switches = 0
        self.lost = 0
        self.kept = b""

    def write(self, frame: bytes) -> None:
        """Send a frame to the host."""
        self.write_frame(frame)

    def configure(self, wiring: bytes) -> None:
        """Use this wiring from now on."""
        chains, rows, columns, buttons, _, _ = payload.read_wiring(wiring)
        self.kept = wiring
        self.wiring = crc32(wiring) or 1
        self.switches = len(rows) * len(columns) + len(buttons)
        self.lights = bytearray(sum(3 * lights for _, lights in chains))

    def show(self) -> bool:
        """Put `lights` on the strips."""
        self.shown.append(bytes(self.lights))
        return True

    def closed(self) -> bytes:
        """The closed switches."""
        bits = sum(1 << switch for switch in self.held)
        return bits.to_bytes((self.switches + 7) // 8, "little")

    def free(self) -> int:
        """Bytes of free memory."""
        return 100_000

    def host_lost(self) -> None:
        """The host is gone."""
        self.lost += 1


class Rehearsal:
    """A host and a Pico on one line; `now` is the time of both, in seconds.

    `down` and `up` are what the line does to frames from the host and to frames from the Pico. `start` is
    where the Pico's clock of milliseconds begins.
    """

    def __init__(
        self, wiring: Wiring, *, down: Damage = unharmed, up: Damage = unharmed, start: int = 0
    ) -> None:
        self.now = 0.0
        self.connection = Connection(wiring, session=1)
        self.events: list[Event] = []
        self._down, self._up = down, up
        self._start = start
        self._lines = Lines()
        self._to_host = b""
        self.plugged = True
        self.boots = 0
        self.table = PaperTable(self._hear_pico)
        self.boot()
        self.connection.opened(self.now)

    def boot(self, wiring: bytes = b"") -> None:
        """Start the Pico anew, with the wiring that it kept."""
        self.boots += 1
        self._lines.clear()
        self.table = PaperTable(self._hear_pico)
        if wiring:
            self.table.configure(wiring)
        self.session = Session(self.table, self.boots)
        self.session.begin(self.ticks)

    @property
    def ticks(self) -> int:
        """The Pico's clock."""
        return (self._start + round(self.now * 1000)) % TICKS

    def press(self, switch: int, *, closed: bool = True) -> None:
        """Let the Pico see a switch close or open."""
        (self.table.held.add if closed else self.table.held.discard)(switch)
        kind = payload.CLOSED if closed else payload.OPENED
        self.session.happened(kind, bytes((switch,)), self.ticks, self.ticks)

    def step(self, seconds: float = ROUND) -> None:
        """Let some time pass, and both sides do what they have to do."""
        self.now += seconds
        self.send(self.connection.data_to_send(self.now))
        self.session.step(self.ticks)
        data, self._to_host = self._to_host, b""
        if data:
            self.connection.receive_data(data, self.now)
        while (event := self.connection.next_event()) is not None:
            self.events.append(event)
            if isinstance(event, Silent):
                self.connection.opened(self.now)

    def run(self, seconds: float) -> None:
        """Let some time pass in steps."""
        for _ in range(round(seconds / ROUND)):
            self.step()

    def send(self, data: bytes) -> None:
        """Put what the host writes on the line."""
        if not data or not self.plugged:
            return
        for frame in data.splitlines(keepends=True):
            for line in self._lines.feed(self._down(frame)):
                self.session.receive(line, self.ticks)

    def _hear_pico(self, frame: bytes) -> None:
        if self.plugged:
            self._to_host += self._up(frame)
