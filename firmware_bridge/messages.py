"""The messages of the serial protocol as types, for the host, the dump and the tests.

The tag of a type is the kind of its frames. `encode` and `decode` convert messages to and from payloads.
PROTOCOL.md describes each message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import astuple

from firmware_bridge import payload as p
from firmware_bridge.wire import END, MAX_LINE, WireError
from firmware_bridge.wire import pack as pack_frame
from firmware_bridge.wire import unpack as unpack_frame


class Hello(Struct, frozen=True, tag=p.HELLO):
    """The host's greeting: its protocol version, its session id, its name and version."""

    protocol: int
    session: int
    name: str


class Configure(Struct, frozen=True, tag=p.CONFIGURE):
    """The wiring, encoded by `Wiring.encode`."""

    wiring: bytes


class Lights(Struct, frozen=True, tag=p.LIGHTS):
    """Bytes for the strips, which become visible with Show.

    `raw` is the whole frame, or, if there are `runs`, a table (where each starts and where each ends, counted
    through all chains), then their bytes. It follows the line of the frame as it is.
    """

    raw: bytes
    runs: int = 0


class Show(Struct, frozen=True, tag=p.SHOW):
    """Bytes as those of Lights, or none; then show frame `number` if all its bytes have this CRC-32."""

    number: int
    check: int
    raw: bytes = b""
    runs: int = 0


class Acknowledge(Struct, frozen=True, tag=p.ACKNOWLEDGE):
    """Acknowledges all events below `following`."""

    following: int


class QueryInputs(Struct, frozen=True, tag=p.QUERY_INPUTS):
    """Requests the closed switches."""


class Heartbeat(Struct, frozen=True, tag=p.HEARTBEAT):
    """A heartbeat of the host; the reply repeats `count`."""

    count: int


class Identity(Struct, frozen=True, tag=p.IDENTITY):
    """The Pico's introduction.

    The oldest and newest protocol it supports, its boot id, its session id (0: none), the CRC-32 of its
    wiring (0: none) and of its files, how many state machines and UARTs it has, the firmware's version, the
    board's name.
    """

    oldest: int
    newest: int
    boot: int
    session: int
    wiring: int
    files: int
    machines: int
    uarts: int
    version: str
    board: str


class Configured(Struct, frozen=True, tag=p.CONFIGURED):
    """The CRC-32 of the wiring in use, and its fault (empty: none)."""

    wiring: int
    fault: str


class Shown(Struct, frozen=True, tag=p.SHOWN):
    """The reply to Show: frame `number` is on the strips, or its CRC-32 differs."""

    number: int
    differs: bool


class InputEvent(Struct, frozen=True):
    """One input event: its kind (see `payload`), its age in ms, and the switch, or the reader and a tag."""

    kind: int
    age: int
    data: bytes


class Events(Struct, frozen=True, tag=p.EVENTS):
    """All unacknowledged events of this boot, numbered `first`, `first` + 1, ..."""

    boot: int
    first: int
    events: tuple[InputEvent, ...]


class Inputs(Struct, frozen=True, tag=p.INPUTS):
    """The closed switches as a bit field: bit 0 of the first byte is switch 0."""

    bits: bytes

    @property
    def closed(self) -> frozenset[int]:
        """The numbers of the closed switches."""
        every = range(8 * len(self.bits))
        return frozenset(switch for switch in every if self.bits[switch // 8] >> switch % 8 & 1)


class Alive(Struct, frozen=True, tag=p.ALIVE):
    """The reply to Heartbeat: uptime in ms, free memory in bytes, counts of damaged lines and lost frames."""

    count: int
    uptime: int
    free: int
    damaged: int
    lost: int


class Log(Struct, frozen=True, tag=p.LOG):
    """A log line of the firmware and its level (`payload.INFO` to `payload.ERROR`)."""

    level: int
    text: str


class Unknown(Struct, frozen=True):
    """A message of a kind that this version does not know."""

    kind: int
    payload: bytes


Message = (
    Hello | Configure | Lights | Show | Acknowledge | QueryInputs | Heartbeat
    | Identity | Configured | Shown | Events | Inputs | Alive | Log | Unknown
)  # fmt: skip


_CLASSES: Final[dict[int, Callable[..., Message]]] = {
    message.__struct_config__.tag: message for message in get_args(Message) if message is not Unknown
}
_KINDS: Final = {message: kind for kind, message in _CLASSES.items()}


def frame(message: Message, number: int) -> bytes:
    """Return the frame of a message with a sequence number, and the bytes that follow it."""
    kind, payload = encode(message)
    line = pack_frame(kind, number, payload)
    if not isinstance(message, Lights | Show):
        return line
    other = stand_in(message.raw)
    return line + (message.raw.replace(CONTROL_C, bytes((other,))) if other else message.raw)


CONTROL_C: Final = bytes((p.CONTROL_C,))


def stand_in(raw: bytes) -> int:
    """Return a byte that does not occur, to stand for CONTROL_C; 0 if that does not occur either.

    Raises ValueError if every byte occurs.
    """
    if CONTROL_C not in raw:
        return 0
    for other in range(255, p.CONTROL_C, -1):
        if other not in raw:
            return other
    raise ValueError("no byte is left to stand for Ctrl-C")


def encode(message: Message) -> tuple[int, bytes]:
    """Return the kind and the payload of a message."""
    if isinstance(message, Unknown):
        return message.kind, message.payload
    kind = _KINDS[type(message)]
    match message:
        case Configure(data) | Inputs(data):
            return kind, data
        case QueryInputs():
            return kind, b""
        case Lights(raw, runs):
            return kind, p.build(kind, len(raw), stand_in(raw), runs)
        case Show(number, check, raw, runs):
            return kind, p.build(kind, len(raw), stand_in(raw), runs, number, check)
        case Events(boot, first, events):
            items = [p.event(it.kind, it.age, it.data) for it in events]
            return kind, p.build(kind, boot, first) + b"".join(items)
    values = astuple(message)
    texts = [value.encode() for value in values if isinstance(value, str)]
    if kind == p.IDENTITY:
        texts = [p.short_text(text) for text in texts]
    return kind, p.build(kind, *values[: len(values) - len(texts)]) + b"".join(texts)


def decode(kind: int, payload: bytes, raw: bytes = b"") -> Message:
    """Decode a payload and the bytes that followed it. Raises WireError if it is too short for its kind."""
    match kind:
        case p.CONFIGURE | p.INPUTS:
            return _CLASSES[kind](payload)
        case p.QUERY_INPUTS:
            return QueryInputs()
        case p.IDENTITY:
            return _read_identity(payload)
    if kind not in p.FORMATS:
        return Unknown(kind, payload)
    numbers, rest = p.parse(kind, payload)
    match kind:
        case p.LIGHTS | p.SHOW:
            _, other, runs, *rest_of_show = numbers
            if other:
                raw = raw.replace(bytes((other,)), CONTROL_C)
            return _CLASSES[kind](*rest_of_show, raw, runs)
        case p.HELLO | p.CONFIGURED | p.LOG:
            return _CLASSES[kind](*numbers, _text(rest))
        case p.SHOWN:
            return Shown(numbers[0], numbers[1] != p.SHOWS)
        case p.EVENTS:
            return Events(numbers[0], numbers[1], _read_events(rest))
    return _CLASSES[kind](*numbers)


def _read_identity(payload: bytes) -> Message:
    """Decode an Identity; for an unsupported protocol only the fields that never change."""
    try:
        numbers, rest = p.parse(p.IDENTITY, payload)
        version, end = _read_short_text(payload, len(payload) - len(rest))
        board, _ = _read_short_text(payload, end)
    except WireError:
        if len(payload) < 10:
            raise
        oldest, newest, boot, session = unpack_from("<BBII", payload)
        if oldest <= p.PROTOCOL and newest >= p.OLDEST_PROTOCOL:
            raise
        return Identity(oldest, newest, boot, session, 0, 0, 0, 0, "?", "Pico")
    return _CLASSES[p.IDENTITY](*numbers, version, board)


def _read_short_text(payload: bytes, start: int) -> tuple[str, int]:
    """Read a text after its length byte; return it and the offset of its end."""
    p.check_size(payload, start + 1)
    end = start + 1 + payload[start]
    p.check_size(payload, end)
    return _text(payload[start + 1 : end]), end


def _read_events(rest: bytes) -> tuple[InputEvent, ...]:
    events = []
    while rest:
        p.check_size(rest, 4)
        kind, length, age = unpack_from("<BBH", rest)
        p.check_size(rest, 4 + length)
        events.append(InputEvent(kind, age, rest[4 : 4 + length]))
        rest = rest[4 + length :]
    return tuple(events)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


# --- A stream of frames -----------------------------------------------------------------------------------


def raw_size(line: bytes) -> int:
    """Return how many bytes follow a line of the host."""
    try:
        kind, _, payload = unpack_frame(line)
        return p.raw_size(kind, payload)
    except WireError:
        return 0


class FrameSplitter:
    """Split a stream into lines, each with the bytes that follow it; `raw_size` returns their number.

    A line longer than any frame is returned in pieces, as the Pico reads it.
    """

    def __init__(self, raw_size: Callable[[bytes], int] = raw_size) -> None:
        self._raw_size = raw_size
        self._rest = b""
        self._line: bytes | None = None
        self._size = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Add bytes; yield what is complete."""
        self._rest += data
        while True:
            if self._line is None:
                end = self._rest.find(END, 0, MAX_LINE) + 1 or MAX_LINE
                if len(self._rest) < end:
                    return
                self._line, self._rest = self._rest[:end], self._rest[end:]
                self._size = self._raw_size(self._line)
            if len(self._rest) < self._size:
                return
            line, self._line = self._line, None
            raw, self._rest = self._rest[: self._size], self._rest[self._size :]
            yield line, raw
