"""The Pico's side of the conversation: lines of the host in, frames out; no port, no pins, no clock.

Times are `ticks` in milliseconds that wrap round at 2 ** 30, as `time.ticks_ms` gives them.

What hands do is kept, numbered, until the host has taken it, and sent again until then. When the host falls
silent for longer than LOST, what waits is thrown away: a press that nobody was there to see is no press.
"""

from binascii import crc32

from firmware_bridge import payload, wire
from firmware_bridge.firmware import VERSION

TICKS = 1 << 30
LOST = 2000
"""Milliseconds without a frame after which the host is lost."""
RESEND = 100
"""Milliseconds until what nobody took is sent again."""
MOST_EVENTS = 64
"""Events that wait; what happens beyond is told in the log and lost."""


def since(now: int, then: int) -> int:
    """Return the milliseconds from `then` to `now`."""
    return (now - then) & (TICKS - 1)


class Table:
    """What the conversation is about; `app` has the real one, tests have theirs.

    `lights` are the bytes of all chains one after another, `wiring` is the check of the wiring in use (0:
    none) and `fault` what is wrong with it, `files` the check of the firmware's files; `machines` and `uarts`
    are what the chip has of them.
    """

    board = ""
    files = 0
    machines = 0
    uarts = 0

    def __init__(self) -> None:
        self.lights = bytearray()
        self.wiring = 0
        self.fault = ""

    def write(self, frame: bytes) -> None:
        """Send a frame to the host."""
        raise NotImplementedError

    def configure(self, wiring: bytes) -> None:
        """Use this wiring from now on; what is wrong with it is in `fault` afterwards."""
        raise NotImplementedError

    def show(self) -> bool:
        """Put `lights` on the strips; False while these are still busy with the frame before."""
        raise NotImplementedError

    def closed(self) -> bytes:
        """The closed switches: bit 0 of the first byte is switch 0."""
        raise NotImplementedError

    def free(self) -> int:
        """Bytes of free memory."""
        raise NotImplementedError

    def host_found(self) -> None:
        """The host is there."""

    def host_lost(self) -> None:
        """The host is gone."""


class Session:
    """One Pico's conversation with whatever host is at the other end.

    `boot` is a number that no other start has, not 0.
    """

    def __init__(self, table: Table, boot: int) -> None:
        self._table = table
        self._boot = boot
        self._order = wire.Order()
        self._session = 0
        self._heard = 0
        self._stepped = 0
        self._waits = False
        self._uptime = 0
        self._damaged = 0
        self._events: list[tuple[int, bytes, int]] = []
        self._first = 0
        self._sent = 0
        self._dropped = 0
        self._show = -1
        self.host = False
        """Whether a host is there."""

    # --- In ----------------------------------------------------------------------------------------------

    def receive(self, line: bytes, now: int) -> None:
        """Take in a line that came now."""
        try:
            kind, number, body = wire.unpack(line)
            if kind & payload.FROM_PICO:
                return  # our own words: a port that is not set up yet repeats what it is told
            if kind == payload.HELLO:
                self._receive_hello(number, body, now)
                return
            if not self._session:
                self._identify()
                return
            if self._order.is_new(number):
                self._hear(now)
                self._receive(kind, body)
        except wire.WireError:
            if wire.MARK in line:
                self._damaged += 1

    def _hear(self, now: int) -> None:
        self._heard = now
        self._waits = True
        if not self.host:
            self.host = True
            self._table.host_found()

    def _receive_hello(self, number: int, body: bytes, now: int) -> None:
        _, session, _ = payload.read_hello(body)
        if session != self._session:
            self._session = session
            self._order.begin(number)
            self._drop_events()
        elif not self._order.is_new(number):
            return
        self._hear(now)
        self._identify()

    def _receive(self, kind: int, body: bytes) -> None:
        if kind == payload.LIGHTS:
            self._receive_lights(body)
        elif kind == payload.SHOW:
            self._receive_show(body)
        elif kind == payload.TAKEN:
            self._receive_taken(payload.read_taken(body))
        elif kind == payload.HEARTBEAT:
            self._answer_heartbeat(payload.read_heartbeat(body))
        elif kind == payload.CONFIGURE:
            self._table.configure(body)
            self._send(payload.CONFIGURED, payload.configured(self._table.wiring, self._table.fault.encode()))
        elif kind == payload.ASK:
            self._send(payload.INPUTS, self._table.closed())

    def _receive_lights(self, body: bytes) -> None:
        self._show = -1
        lights = self._table.lights
        view = memoryview(body)
        for offset, start, end in payload.read_runs(body):
            if offset + end - start <= len(lights):
                lights[offset : offset + end - start] = view[start:end]

    def _receive_show(self, body: bytes) -> None:
        number, check = payload.read_show(body)
        if crc32(self._table.lights) == check:
            self._show = number
            self._try_show()
        else:
            self._show = -1
            self._send(payload.SHOWN, payload.shown(number, payload.DIFFERS))

    def _receive_taken(self, following: int) -> None:
        count = following - self._first
        if 0 < count <= len(self._events):
            self._events = self._events[count:]
            self._first = following

    def _answer_heartbeat(self, count: int) -> None:
        self._send(
            payload.ALIVE,
            payload.alive(count, self._uptime, self._table.free(), self._damaged, self._order.lost),
        )

    # --- Out ---------------------------------------------------------------------------------------------

    def begin(self, now: int) -> None:
        """Say who is here, and wait for a host; without one, the lights say so after LOST milliseconds."""
        self._heard = self._stepped = now
        self._waits = True
        self._identify()

    def step(self, now: int) -> None:
        """Send what is due."""
        self._uptime = self._uptime + since(now, self._stepped) & payload.LONGEST_UPTIME
        self._stepped = now
        if self._waits and since(now, self._heard) > LOST:
            self._waits = self.host = False
            self._order.forget()
            self._drop_events()
            self._table.host_lost()
        if self._show >= 0:
            self._try_show()
        if self._events and since(now, self._sent) >= RESEND:
            self._send_events(now)
        if self._dropped and not self._events:
            self.log(payload.WARNING, str(self._dropped) + " events were too many at once and are lost")
            self._dropped = 0

    def happened(self, kind: int, data: bytes, at: int, now: int) -> None:
        """Tell the host of an event at `at`; without a host it never was."""
        if not self.host:
            return
        if len(self._events) >= MOST_EVENTS:
            self._dropped += 1
            return
        self._events.append((kind, data, at))
        self._send_events(now)

    def waits(self, kind: int, data: bytes) -> bool:
        """Tell whether just such an event waits to be taken."""
        return any(event[0] == kind and event[1] == data for event in self._events)

    def log(self, grade: int, text: str) -> None:
        """Tell the host something in words; of a long text the end, where a traceback says what was wrong."""
        self._send(payload.LOG, payload.log(grade, text.encode()[1 - wire.MOST_PAYLOAD :]))

    def _try_show(self) -> None:
        if self._table.show():
            self._send(payload.SHOWN, payload.shown(self._show, payload.SHOWS))
            self._show = -1

    def _drop_events(self) -> None:
        """Throw away what waits; the numbers go on, so that the host sees the gap."""
        self._first += len(self._events)
        self._events = []

    def _send_events(self, now: int) -> None:
        items = []
        room = wire.MOST_PAYLOAD - 8
        for kind, data, at in self._events:
            item = payload.event(kind, since(now, at), data)
            room -= len(item)
            if room < 0:
                break
            items.append(item)
        self._sent = now
        self._send(payload.EVENTS, payload.events(self._boot, self._first, items))

    def _identify(self) -> None:
        table = self._table
        self._send(
            payload.IDENTITY,
            payload.identity(
                (payload.OLDEST_PROTOCOL, payload.PROTOCOL),
                self._boot,
                self._session,
                (0 if table.fault else table.wiring, table.files),
                table.machines,
                table.uarts,
                VERSION.encode(),
                table.board.encode(),
            ),
        )

    def _send(self, kind: int, body: bytes) -> None:
        self._table.write(wire.pack(kind, self._order.next(), body))
