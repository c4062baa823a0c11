"""The host's side of the serial protocol, sans I/O: bytes and times in, events and bytes out.

    connection.opened(now)                      the port was opened
    connection.receive_data(data, now)          bytes were read from the port
    connection.next_event()                     the next decoded event, None when the queue is empty
    port.write(connection.data_to_send(now))    bytes due now: replies, heartbeats, retransmissions, lights
    connection.next_time()                      the latest time of the next call of `data_to_send`

`Connection` does the handshake (greet, configure, query inputs), sends heartbeats and detects a silent peer.
`LightSender` sends frames of light as differences and checks them by CRC-32.

A Pico is identified by its boot id. An unknown boot id means that the Pico has restarted: the host configures
it, queries which switches are closed, and sends the whole frame. Presses made before that, and switches found
closed at that time, do not count as presses. Within one boot events are numbered, and each is delivered once.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections import deque
from collections.abc import Iterator
from enum import Enum
from struct import pack
from typing import Final

from msgspec import Struct

from firmware_bridge import payload, wire
from firmware_bridge.messages import (
    Acknowledge,
    Alive,
    Configure,
    Configured,
    Events,
    Heartbeat,
    Hello,
    Identity,
    InputEvent,
    Inputs,
    Lights,
    Log,
    Message,
    QueryInputs,
    Show,
    Shown,
    decode,
    frame,
    stand_in,
)
from firmware_bridge.payload import RUN_HEADER
from firmware_bridge.wiring import Wiring

# --- Events ----------------------------------------------------------------------------------------------


class Refusal(Enum):
    """The reason why the handshake failed for good."""

    OLDER = "older"
    """The firmware's protocol is older than the oldest that this host supports."""
    NEWER = "newer"
    """The firmware no longer supports this host's protocol."""
    WIRING = "wiring"
    """The firmware rejects the wiring."""


class Ready(Struct, frozen=True):
    """The handshake is complete; `closed` are the numbers of the switches that are closed now.

    `resumed`: the Pico has not restarted since the last Ready and has kept its unacknowledged events.
    """

    identity: Identity
    resumed: bool
    closed: frozenset[int]


class Restarted(Struct, frozen=True):
    """The Pico has restarted."""


class Refused(Struct, frozen=True):
    """The handshake failed and will not succeed without a change; `detail` is the Pico's own message."""

    reason: Refusal
    detail: str = ""


class SwitchChanged(Struct, frozen=True):
    """A switch was closed or opened, at `at` seconds of the caller's clock."""

    switch: int
    closed: bool
    at: float


class SwitchMuted(Struct, frozen=True):
    """A chattering switch is ignored from now on (`muted`), or is watched again."""

    switch: int
    muted: bool
    at: float


class TagSeen(Struct, frozen=True):
    """A reader sent a tag: the bytes between its start byte 2 and its end byte 3."""

    reader: int
    data: bytes
    at: float


class EventsDropped(Struct, frozen=True):
    """The Pico discarded this many events because no host acknowledged them in time."""

    count: int


class Noise(Struct, frozen=True):
    """A line that is no frame: a prompt, a traceback or garbage."""

    text: str


class HealthReport(Struct, frozen=True):
    """The reply to a heartbeat, with the Pico's statistics; twice a second."""

    health: Alive
    at: float


class Silent(Struct, frozen=True):
    """No frame arrived for the silence timeout; the caller should reopen the port."""


Event = (
    Ready | Restarted | Refused | SwitchChanged | SwitchMuted | TagSeen | EventsDropped
    | Log | Noise | HealthReport | Silent
)  # fmt: skip


def decode_event(received: InputEvent, now: float) -> Event | None:
    """Decode an input event of the Pico received at `now`; return None for an unknown or damaged kind."""
    at = now - received.age / 1000
    if not received.data:
        return None
    first = received.data[0]
    match received.kind:
        case payload.CLOSED | payload.OPENED:
            return SwitchChanged(first, received.kind == payload.CLOSED, at)
        case payload.MUTED | payload.UNMUTED:
            return SwitchMuted(first, received.kind == payload.MUTED, at)
        case payload.TAG:
            return TagSeen(first, received.data[1:], at)
    return None


# --- Lights: frames as differences, one frame in flight at a time -----------------------------------------
# Every Show carries the CRC-32 of the whole frame. When the Pico's bytes have another CRC, the host sends all
# bytes again, so that a lost or repeated difference is never visible.

RETRY: Final = 0.12
"""Seconds until an unacknowledged Show is retransmitted."""
MAX_RETRIES: Final = 3
"""Retransmissions of Show before all bytes of the frame are sent again."""
PIECE: Final = 128
"""Bytes of a range that are sent together where the whole frame, or all ranges, have each value of a byte."""
REFRESH: Final = 1.0
"""Seconds after which an unchanged frame is verified again."""
MERGE_GAP: Final = 12
"""Changed ranges closer than this (bytes) are sent as one: each range costs the Pico time, and 4 bytes."""
_EQUAL: Final = re.compile(rb"\0{%d,}" % MERGE_GAP)
"""What is equal, and long enough not to be sent, in the differences of two frames."""

NEVER: Final = float("inf")


class LightSender:
    """Send the latest frame as differences, retransmit until acknowledged, and verify it periodically."""

    def __init__(self) -> None:
        self._wanted: bytes | None = None
        self._held: bytes | None = None
        self._shown: bytes | None = None
        self._waiting: bytes | None = None
        self._number = 0
        self._tries = 0
        self._next = 0.0

    def set_frame(self, frame: bytes) -> None:
        """Set the bytes that the strips should show; an unsent frame is replaced."""
        self._wanted = frame

    def restart(self) -> None:
        """Forget what the Pico holds, because it has restarted or the port was reopened."""
        self._held = self._shown = self._waiting = None

    def due(self, now: float) -> list[Message]:
        """Return the messages that are due at `now` seconds."""
        if now < self.next_time():
            return []
        if self._waiting is not None:
            self._tries += 1
            self._next = now + RETRY
            if self._tries < MAX_RETRIES:
                return [Show(self._number, crc32(self._waiting))]
            self._held = None
        frame = self._wanted
        assert frame is not None
        held, self._held = self._held, frame
        self._waiting = frame
        self._number = (self._number + 1) & 0xFFFF
        self._tries = 0
        self._next = now + RETRY
        return light_messages(held, frame, self._number)

    def next_time(self) -> float:
        """Return the time of the next message, NEVER if there is none, -NEVER for at once."""
        if self._wanted is None:
            return NEVER
        if self._waiting is None and self._wanted != self._shown:
            return -NEVER
        return self._next

    def handle_shown(self, answer: Shown, now: float) -> None:
        """Process a reply to Show; a late one to an earlier frame is ignored."""
        if self._waiting is None or answer.number != self._number:
            return
        frame, self._waiting = self._waiting, None
        if answer.differs:
            self._held = self._shown = None
        else:
            self._shown = frame
            self._next = now + REFRESH


def light_messages(held: bytes | None, frame: bytes, number: int) -> list[Message]:
    """Return the messages that turn the bytes `held` (None: unknown) into `frame` and show it as `number`.

    It is one, unless its bytes leave none to stand for Ctrl-C.
    """
    check = crc32(frame)
    ranges = changed_ranges(held, frame)
    if ranges and sum(end - start + RUN_HEADER for start, end in ranges) >= len(frame):
        ranges = [(0, len(frame))]
    if not ranges:
        return [Show(number, check)]
    if ranges == [(0, len(frame))]:
        if is_sendable(frame):
            return [Show(number, check, frame)]
    elif is_sendable(raw := raw_runs(ranges, frame)):
        return [Show(number, check, raw, len(ranges))]
    *parts, last = (raw_runs([part], frame) for part in pieces(ranges))
    return [*(Lights(part, 1) for part in parts), Show(number, check, last, 1)]


def changed_ranges(held: bytes | None, frame: bytes) -> list[tuple[int, int]]:
    """Return the differing byte ranges (start, end), merged where less than MERGE_GAP apart."""
    size = len(frame)
    if held == frame:
        return []
    if held is None or len(held) != size:
        return [(0, size)]
    different = (int.from_bytes(held, "little") ^ int.from_bytes(frame, "little")).to_bytes(size, "little")
    edges = [0, *(edge for equal in _EQUAL.finditer(different) for edge in equal.span()), size]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def raw_runs(ranges: list[tuple[int, int]], frame: bytes) -> bytes:
    """Return a table of ranges, all starts and then all ends, and after it their bytes."""
    starts, ends = zip(*ranges, strict=True)
    return b"".join(
        [pack(f"<{2 * len(ranges)}H", *starts, *ends), *(frame[start:end] for start, end in ranges)]
    )


def is_sendable(raw: bytes) -> bool:
    """Return whether Ctrl-C does not occur, or some byte that does not occur can stand for it."""
    try:
        return stand_in(raw) >= 0
    except ValueError:
        return False


def pieces(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges in pieces that are too short for every byte to occur."""
    for start, end in ranges:
        for at in range(start, end, PIECE):
            yield at, min(at + PIECE, end)


# --- The connection ---------------------------------------------------------------------------------------

HELLO_INTERVAL: Final = 0.25
"""Seconds between Hello messages until one is answered."""
REPLY_TIMEOUT: Final = 0.5
"""Seconds to wait for a reply before a request is retransmitted."""
HEARTBEAT_INTERVAL: Final = 0.5
"""Seconds between heartbeats."""
SILENCE_TIMEOUT: Final = 2.0
"""Seconds without a frame after which the peer counts as gone."""
PAST_BOOT_IDS: Final = 8
"""Earlier boot ids that are remembered, to discard late frames of an earlier boot."""


class Stage(Enum):
    """The state of the handshake."""

    CLOSED = "closed"
    GREETING = "greeting"
    CONFIGURING = "configuring"
    ASKING = "asking"
    READY = "ready"
    REFUSED = "refused"


class Connection:
    """The protocol state machine of one host and one Pico; it outlives reopening the port.

    `session` is a random number that identifies this run of the host, not 0. The Pico counts as gone after
    `silence` seconds without a frame.
    """

    def __init__(self, wiring: Wiring, session: int, silence: float = SILENCE_TIMEOUT) -> None:
        self._silence = silence
        self._configure = Configure(wiring.encode())
        self._wiring_check = wiring.check
        self._blanks = wire.before_hello(wiring.light_bytes)
        self._before_hello = b""
        self._hello = Hello(payload.PROTOCOL, session, "azul-table")
        self._lines = wire.LineSplitter()
        self._sequence = wire.SequenceNumbers()
        self._lights = LightSender()
        self._events: deque[Event] = deque()
        self._past_boots: deque[int] = deque(maxlen=PAST_BOOT_IDS)
        self._boot = 0
        self._expected: int | None = None
        self._was_ready = False
        self._acknowledge = False
        self._last_heard = 0.0
        self._request_due = NEVER
        self._heartbeat_due = NEVER
        self._heartbeats = 0
        self.stage = Stage.CLOSED
        self.identity: Identity | None = None

    # --- The port ----------------------------------------------------------------------------------------

    def opened(self, now: float) -> None:
        """Start the handshake on a newly opened port, at `now` seconds."""
        self._before_hello = self._blanks
        self._lines.clear()
        self._sequence.forget()
        self._past_boots.clear()
        self._last_heard = now
        self._start_handshake(now)

    def closed(self) -> None:
        """Note that the port was closed or lost; nothing is sent until `opened`."""
        self.stage = Stage.CLOSED
        self._request_due = self._heartbeat_due = NEVER

    # --- In ----------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes, now: float) -> None:
        """Process bytes read at `now` seconds; the results are fetched with `next_event`."""
        if self.stage is Stage.CLOSED:
            return
        for line in self._lines.feed(data):
            self._receive_line(line, now)

    def next_event(self) -> Event | None:
        """Return the oldest event that was not fetched yet, None if there is none."""
        return self._events.popleft() if self._events else None

    def _receive_line(self, line: bytes, now: float) -> None:
        try:
            kind, number, body = wire.unpack(line)
            if not kind & payload.FROM_PICO:
                return  # our own frame: a prompt echoes its input
            message = decode(kind, body)
        except wire.FrameVersionError as error:
            if self.stage is not Stage.REFUSED:
                self._refuse(Refusal.NEWER if error.version > wire.VERSION else Refusal.OLDER)
            return
        except wire.WireError:
            text = line.decode("ascii", "replace").strip()
            if text and wire.MARK not in line:
                self._events.append(Noise(text))
            return
        self._last_heard = now
        if self._is_new(message, number) and self.stage is not Stage.REFUSED:
            self._receive(message, now)

    def _is_new(self, message: Message, number: int) -> bool:
        """Return False for a repeated or late frame; a new boot id starts a new sequence."""
        if isinstance(message, Identity) and message.boot != self._boot:
            if message.boot in self._past_boots:
                return False
            self._sequence.begin(number)
            return True
        return self._sequence.is_new(number)

    def _receive(self, message: Message, now: float) -> None:
        match message:
            case Identity():
                self._receive_identity(message, now)
            case Configured() if self.stage is Stage.CONFIGURING:
                self._receive_configured(message, now)
            case Inputs() if self.stage is Stage.ASKING:
                self._finish_handshake(message)
            case Events():
                self._receive_events(message, now)
            case Shown():
                self._lights.handle_shown(message, now)
            case Alive():
                self._events.append(HealthReport(message, now))
            case Log():
                self._events.append(message)

    def _receive_identity(self, identity: Identity, now: float) -> None:
        if identity.oldest > payload.PROTOCOL:
            self._refuse(Refusal.NEWER)
        elif identity.newest < payload.OLDEST_PROTOCOL:
            self._refuse(Refusal.OLDER)
        elif identity.boot != self._boot:
            self._begin_boot(identity, now)
        self.identity = identity
        if self.stage is Stage.REFUSED:
            return
        if identity.session != self._hello.session:
            if self.stage is not Stage.GREETING:  # it has restarted, or another program opened a session
                self._start_handshake(now)
        elif self.stage is Stage.GREETING:
            wired = identity.wiring == self._wiring_check
            self.stage = Stage.ASKING if wired else Stage.CONFIGURING
            self._request_due = now
            self._heartbeat_due = now + HEARTBEAT_INTERVAL

    def _begin_boot(self, identity: Identity, now: float) -> None:
        """Reset all state of the previous boot: event numbers, lights and switches."""
        if self._boot:
            self._past_boots.append(self._boot)
            self._events.append(Restarted())
        self._boot = identity.boot
        self._expected = None
        self._was_ready = False
        self._acknowledge = False
        if self.stage is not Stage.GREETING:
            self._start_handshake(now)

    def _receive_configured(self, answer: Configured, now: float) -> None:
        if answer.wiring != self._wiring_check:
            return  # the reply to an earlier Configure
        if answer.fault:
            self._refuse(Refusal.WIRING, answer.fault)
            return
        self.stage = Stage.ASKING
        self._request_due = now

    def _finish_handshake(self, inputs: Inputs) -> None:
        assert self.identity is not None
        self.stage = Stage.READY
        self._request_due = NEVER
        self._events.append(Ready(self.identity, self._was_ready, inputs.closed))
        self._was_ready = True

    def _receive_events(self, message: Events, now: float) -> None:
        if message.boot != self._boot or self.stage not in (Stage.ASKING, Stage.READY):
            return
        self._acknowledge = True
        expected = message.first if self._expected is None else self._expected
        if message.first > expected:
            self._events.append(EventsDropped(message.first - expected))
            expected = message.first
        new = message.events[expected - message.first :]
        self._expected = expected + len(new)
        for received in new:
            if (event := decode_event(received, now)) is not None:
                self._events.append(event)

    # --- Out ---------------------------------------------------------------------------------------------

    def show(self, frame: bytes) -> None:
        """Set the bytes for all chains one after another; an unsent frame is replaced."""
        self._lights.set_frame(frame)

    def send(self, message: Message) -> bytes:
        """Encode a message with the next sequence number; the caller must write the bytes."""
        encoded = frame(message, self._sequence.next())
        if isinstance(message, Hello):
            # Once after opening: half a frame is left by a program that has ended, not by this connection.
            encoded = self._before_hello + b"\r" + encoded
            self._before_hello = b""
        return encoded

    def frames_to_send(self, now: float) -> list[bytes]:
        """Return the encoded messages that are due at `now` seconds."""
        return [self.send(message) for message in self._due(now)]

    def data_to_send(self, now: float) -> bytes:
        """Return the encoded messages that are due at `now` seconds, empty if none are."""
        return b"".join(self.frames_to_send(now))

    def next_time(self) -> float:
        """Return the latest time (seconds) to call `data_to_send` again if no bytes arrive before."""
        if self.stage in (Stage.CLOSED, Stage.REFUSED):
            return NEVER
        times = [self._request_due, self._heartbeat_due, self._last_heard + self._silence]
        if self._sends_lights():
            times.append(self._lights.next_time())
        return min(times)

    def _due(self, now: float) -> list[Message]:
        if self.stage in (Stage.CLOSED, Stage.REFUSED):
            return []
        if now >= self._last_heard + self._silence:
            self.closed()
            self._events.append(Silent())
            return []
        due: list[Message] = []
        if self._acknowledge and self._expected is not None:
            self._acknowledge = False
            due.append(Acknowledge(self._expected))
        if now >= self._request_due:
            self._request_due = now + (HELLO_INTERVAL if self.stage is Stage.GREETING else REPLY_TIMEOUT)
            due.append(self._request())
        if now >= self._heartbeat_due:
            self._heartbeat_due = now + HEARTBEAT_INTERVAL
            self._heartbeats = (self._heartbeats + 1) & 0xFFFFFFFF
            due.append(Heartbeat(self._heartbeats))
        if self._sends_lights():
            due.extend(self._lights.due(now))
        return due

    def _request(self) -> Message:
        """Return the request of this stage."""
        if self.stage is Stage.GREETING:
            return self._hello
        return self._configure if self.stage is Stage.CONFIGURING else QueryInputs()

    def _sends_lights(self) -> bool:
        return self.stage in (Stage.ASKING, Stage.READY)

    def _start_handshake(self, now: float) -> None:
        self.stage = Stage.GREETING
        self._request_due = now
        self._heartbeat_due = NEVER
        self._lights.restart()

    def _refuse(self, reason: Refusal, detail: str = "") -> None:
        self.stage = Stage.REFUSED
        self._events.append(Refused(reason, detail))
