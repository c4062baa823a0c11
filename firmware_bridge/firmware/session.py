"""The Pico's side of the serial protocol, sans I/O: lines of the host in, frames out.

Times are `ticks` in milliseconds that wrap at 2 ** 30, as `time.ticks_ms` returns them.

Input events are numbered, and retransmitted until the host acknowledges them. When no frame arrives for
longer than HOST_TIMEOUT, unacknowledged events are discarded: a press while no host listens does not count.
"""

from binascii import crc32

from firmware_bridge import payload, wire
from firmware_bridge.firmware import VERSION

TICKS = 1 << 30
HOST_TIMEOUT = 2000
"""Milliseconds without a frame after which the host counts as lost."""
RETRANSMIT = 100
"""Milliseconds until unacknowledged events are retransmitted."""
MAX_EVENTS = 64
"""The capacity of the event queue; further events are dropped and counted in a log line."""


def ticks_since(now: int, then: int) -> int:
    """Return the milliseconds from `then` to `now`, across the wrap."""
    return (now - then) & (TICKS - 1)


class Board:
    """The interface between the protocol and the hardware; `app` has the real one, tests have fakes.

    `lights` are the bytes of all chains one after another, `wiring` is the CRC-32 of the wiring in use (0:
    none) and `fault` its fault, `files` the CRC-32 of the firmware's files, `machines` and `uarts` are the
    numbers of state machines and UARTs.
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
        """Apply a wiring; `fault` describes it afterwards if it is unusable."""
        raise NotImplementedError

    def show(self) -> bool:
        """Show `lights` on the strips; return False while there are none, or they are busy."""
        return False

    def closed(self) -> bytes:
        """Return the closed switches: bit 0 of the first byte is switch 0."""
        raise NotImplementedError

    def free(self) -> int:
        """Return the free memory in bytes."""
        raise NotImplementedError


class Session:
    """The protocol state machine of the Pico; `boot` is the boot id, not 0."""

    def __init__(self, board: Board, boot: int) -> None:
        self._board = board
        self._boot = boot
        self._sequence = wire.SequenceNumbers()
        self._session = 0
        self._last_heard = 0
        self._stepped = 0
        self._uptime = 0
        self._damaged = 0
        self._events: list[tuple[int, bytes, int]] = []
        self._first = 0
        self._sent = 0
        self._dropped = 0
        self._frame_to_show = 0
        self._before_raw = (0, 0, b"")
        self.waits_for_strips = False
        """Whether a frame has arrived that `try_show` shows when the strips are free."""
        self.host = False
        """Whether a host is connected."""
        self.host_lost = True
        """Whether no frame has arrived for longer than HOST_TIMEOUT."""

    # --- In ----------------------------------------------------------------------------------------------

    def receive(self, line: bytes, now: int) -> int:
        """Process a line received at `now`; return how many bytes follow it, for `receive_raw`."""
        try:
            kind, number, body = wire.unpack(line)
            size = payload.raw_size(kind, body)
            if size:
                if size > len(self._board.lights):
                    return 0  # another wiring's
                self._before_raw = (kind, number, body)
                return size
            self._receive_frame(kind, number, body, b"", now)
        except wire.WireError:
            if wire.MARK in line:
                self._damaged += 1
        return 0

    def receive_raw(self, raw: bytes | memoryview, now: int) -> None:
        """Process the bytes that followed the last line; they arrived at `now`."""
        kind, number, body = self._before_raw
        try:
            self._receive_frame(kind, number, body, raw, now)
        except wire.WireError:
            self._damaged += 1

    def _receive_frame(self, kind: int, number: int, body: bytes, raw: bytes | memoryview, now: int) -> None:
        if kind & payload.FROM_PICO:
            return  # our own frame: a port that is not set up yet echoes
        if kind == payload.HELLO:
            self._receive_hello(number, body, now)
        elif not self._session:
            self._identify()
        elif self._sequence.is_new(number):
            self._note_host(now)
            self._receive(kind, body, raw)

    def _note_host(self, now: int) -> None:
        self._last_heard = now
        self.host = True
        self.host_lost = False

    def _receive_hello(self, number: int, body: bytes, now: int) -> None:
        (_, session), _ = payload.parse(payload.HELLO, body)
        if session != self._session:
            self._session = session
            self._sequence.begin(number)
            self._drop_events()
        elif not self._sequence.is_new(number):
            return
        self._note_host(now)
        self._identify()

    def _receive(self, kind: int, body: bytes, raw: bytes | memoryview) -> None:
        if kind == payload.SHOW:
            self._receive_show(body, raw)
        elif kind == payload.LIGHTS:
            (_, stand_in, runs), _ = payload.parse(kind, body)
            self._write_lights(raw, stand_in, runs)
        elif kind == payload.ACKNOWLEDGE:
            self._receive_acknowledge(payload.parse(kind, body)[0][0])
        elif kind == payload.HEARTBEAT:
            self._answer_heartbeat(payload.parse(kind, body)[0][0])
        elif kind == payload.CONFIGURE:
            self._board.configure(body)
            self._send(payload.CONFIGURED, self._board.wiring, rest=self._board.fault.encode())
        elif kind == payload.QUERY_INPUTS:
            self._send(payload.INPUTS, rest=self._board.closed())

    def _write_lights(self, raw: bytes | memoryview, stand_in: int, runs: int) -> None:
        self.waits_for_strips = False
        try:
            payload.write_lights(self._board.lights, raw, stand_in, runs)
        except wire.WireError:  # damaged bytes: the check of all lights differs
            self._damaged += 1

    def _receive_show(self, body: bytes, raw: bytes | memoryview) -> None:
        (_, stand_in, runs, number, check), _ = payload.parse(payload.SHOW, body)
        if raw:
            self._write_lights(raw, stand_in, runs)
        self.waits_for_strips = crc32(self._board.lights) == check
        if self.waits_for_strips:
            self._frame_to_show = number
            self.try_show()
        else:
            self._send(payload.SHOWN, number, payload.DIFFERS)

    def _receive_acknowledge(self, following: int) -> None:
        count = following - self._first
        if 0 < count <= len(self._events):
            self._events = self._events[count:]
            self._first = following

    def _answer_heartbeat(self, count: int) -> None:
        damaged, lost = min(self._damaged, 0xFFFF), min(self._sequence.lost, 0xFFFF)
        self._send(payload.ALIVE, count, self._uptime, self._board.free(), damaged, lost)

    # --- Out ---------------------------------------------------------------------------------------------

    def begin(self, now: int) -> None:
        """Send the identity and wait for a host; it counts as lost after HOST_TIMEOUT without one."""
        self._last_heard = self._stepped = now
        self.host_lost = False
        self._identify()

    def step(self, now: int) -> None:
        """Send due frames: unacknowledged events, the log of dropped events."""
        self._uptime = self._uptime + ticks_since(now, self._stepped) & payload.MAX_UPTIME
        self._stepped = now
        if not self.host_lost and ticks_since(now, self._last_heard) > HOST_TIMEOUT:
            self.host = False
            self.host_lost = True
            self._sequence.forget()
            self._drop_events()
        if self._events and ticks_since(now, self._sent) >= RETRANSMIT:
            self._send_events(now)
        if self._dropped and not self._events:
            self.log(payload.WARNING, str(self._dropped) + " events were too many at once and are lost")
            self._dropped = 0

    def queue_event(self, kind: int, data: bytes, at: int, now: int) -> None:
        """Queue an input event that happened at `at`, and send it; without a host it is discarded."""
        if not self.host:
            return
        if len(self._events) >= MAX_EVENTS:
            self._dropped += 1
            return
        self._events.append((kind, data, at))
        self._send_events(now)

    def is_pending(self, kind: int, data: bytes) -> bool:
        """Return whether an equal event is still unacknowledged."""
        return any(event[0] == kind and event[1] == data for event in self._events)

    def log(self, level: int, text: str) -> None:
        """Send a log line; a long text keeps its end, where a traceback has its error."""
        self._send(payload.LOG, level, rest=text.encode()[1 - wire.MAX_PAYLOAD :])

    def try_show(self) -> None:
        """Show the frame that waits for the strips, if there is one, and reply to Show."""
        if self.waits_for_strips and self._board.show():
            self.waits_for_strips = False
            self._send(payload.SHOWN, self._frame_to_show, payload.SHOWS)

    def _drop_events(self) -> None:
        """Discard unacknowledged events; their numbers are skipped, so that the host sees the gap."""
        self._first += len(self._events)
        self._events = []

    def _send_events(self, now: int) -> None:
        items = []
        room = wire.MAX_PAYLOAD - 8
        for kind, data, at in self._events:
            item = payload.event(kind, ticks_since(now, at), data)
            room -= len(item)
            if room < 0:
                break
            items.append(item)
        self._sent = now
        self._send(payload.EVENTS, self._boot, self._first, rest=b"".join(items))

    def _identify(self) -> None:
        board = self._board
        self._send(
            payload.IDENTITY,
            payload.OLDEST_PROTOCOL,
            payload.PROTOCOL,
            self._boot,
            self._session,
            0 if board.fault else board.wiring,
            board.files,
            board.machines,
            board.uarts,
            rest=payload.short_text(VERSION.encode()) + payload.short_text(board.board.encode()),
        )

    def _send(self, kind: int, *fields: int, rest: bytes = b"") -> None:
        """Send a frame with these fields (none for a kind without a format), and the rest after them."""
        body = payload.build(kind, *fields) + rest if fields else rest
        self._board.write(wire.pack(kind, self._sequence.next(), body))
