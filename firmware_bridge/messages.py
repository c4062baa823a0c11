"""The messages of the serial protocol as dataclasses, for the host, the dump and the tests.

`encode` and `decode` convert them to and from the payloads of `payload.py`. PROTOCOL.md describes each
message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from firmware_bridge import payload as p


@dataclass(frozen=True, slots=True)
class Hello:
    """The host's greeting: its protocol version, its session id, its name and version."""

    protocol: int
    session: int
    name: str


@dataclass(frozen=True, slots=True)
class Configure:
    """The wiring, encoded by `payload.wiring`."""

    wiring: bytes


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes for the strips from `offset` on; the offset counts through all chains."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Lights:
    """Changed bytes of the frame; they become visible with Show."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """Show frame `number` if all its bytes have this CRC-32."""

    number: int
    check: int


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Acknowledges all events below `following`."""

    following: int


@dataclass(frozen=True, slots=True)
class QueryInputs:
    """Requests the closed switches."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A heartbeat of the host; the reply repeats `count`."""

    count: int


@dataclass(frozen=True, slots=True)
class Identity:
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


@dataclass(frozen=True, slots=True)
class Configured:
    """The CRC-32 of the wiring in use, and its fault (empty: none)."""

    wiring: int
    fault: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The reply to Show: frame `number` is on the strips, or its CRC-32 differs."""

    number: int
    differs: bool


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One input event: its kind (see `payload`), its age in ms, and the switch, or the reader and a tag."""

    kind: int
    age: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Events:
    """All unacknowledged events of this boot, numbered `first`, `first` + 1, ..."""

    boot: int
    first: int
    events: tuple[InputEvent, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The closed switches as a bit field: bit 0 of the first byte is switch 0."""

    bits: bytes

    @property
    def closed(self) -> frozenset[int]:
        """The numbers of the closed switches."""
        every = range(8 * len(self.bits))
        return frozenset(switch for switch in every if self.bits[switch // 8] >> switch % 8 & 1)


@dataclass(frozen=True, slots=True)
class Alive:
    """The reply to Heartbeat: uptime in ms, free memory in bytes, counts of damaged lines and lost frames."""

    count: int
    uptime: int
    free: int
    damaged: int
    lost: int


@dataclass(frozen=True, slots=True)
class Log:
    """A log line of the firmware and its level (`payload.INFO` to `payload.ERROR`)."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a kind that this version does not know."""

    kind: int
    payload: bytes


Message = (
    Hello | Configure | Lights | Show | Acknowledge | QueryInputs | Heartbeat
    | Identity | Configured | Shown | Events | Inputs | Alive | Log | Unknown
)  # fmt: skip


def encode(message: Message) -> tuple[int, bytes]:
    """Return the kind and the payload of a message."""
    if isinstance(message, Unknown):
        return message.kind, message.payload
    kind, build = _BUILD[type(message)]
    return kind, build(message)


def decode(kind: int, payload: bytes) -> Message:
    """Decode a payload. Raises WireError if it is too short for its kind."""
    read = _READ.get(kind)
    return read(payload) if read else Unknown(kind, payload)


def _hello(message: Hello) -> bytes:
    return p.hello(message.protocol, message.session, message.name.encode())


def _read_hello(payload: bytes) -> Hello:
    protocol, session, name = p.read_hello(payload)
    return Hello(protocol, session, _text(name))


def _identity(message: Identity) -> bytes:
    return p.identity(
        (message.oldest, message.newest),
        message.boot,
        message.session,
        (message.wiring, message.files),
        message.machines,
        message.uarts,
        message.version.encode(),
        message.board.encode(),
    )


def _read_identity(payload: bytes) -> Identity:
    protocols, boot, session, checks, machines, uarts, version, board = p.read_identity(payload)
    return Identity(*protocols, boot, session, *checks, machines, uarts, _text(version), _text(board))


def _read_configured(payload: bytes) -> Configured:
    check, fault = p.read_configured(payload)
    return Configured(check, _text(fault))


def _read_lights(payload: bytes) -> Lights:
    return Lights(tuple(Run(offset, payload[start:end]) for offset, start, end in p.read_runs(payload)))


def _read_shown(payload: bytes) -> Shown:
    number, result = p.read_shown(payload)
    return Shown(number, result != p.SHOWS)


def _events(message: Events) -> bytes:
    items = [p.event(it.kind, it.age, it.data) for it in message.events]
    return p.events(message.boot, message.first, items)


def _read_events(payload: bytes) -> Events:
    boot, first, items = p.read_events(payload)
    return Events(boot, first, tuple(InputEvent(*item) for item in items))


def _read_log(payload: bytes) -> Log:
    level, text = p.read_log(payload)
    return Log(level, _text(text))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_BUILD: Final[dict[type, tuple[int, Callable[..., bytes]]]] = {
    Hello: (p.HELLO, _hello),
    Configure: (p.CONFIGURE, lambda message: bytes(message.wiring)),
    Lights: (p.LIGHTS, lambda message: b"".join(p.run(run.offset, run.data) for run in message.runs)),
    Show: (p.SHOW, lambda message: p.show(message.number, message.check)),
    Acknowledge: (p.ACKNOWLEDGE, lambda message: p.acknowledge(message.following)),
    QueryInputs: (p.QUERY_INPUTS, lambda _message: b""),
    Heartbeat: (p.HEARTBEAT, lambda message: p.heartbeat(message.count)),
    Identity: (p.IDENTITY, _identity),
    Configured: (p.CONFIGURED, lambda message: p.configured(message.wiring, message.fault.encode())),
    Shown: (p.SHOWN, lambda message: p.shown(message.number, p.DIFFERS if message.differs else p.SHOWS)),
    Events: (p.EVENTS, _events),
    Inputs: (p.INPUTS, lambda message: bytes(message.bits)),
    Alive: (
        p.ALIVE,
        lambda message: p.alive(message.count, message.uptime, message.free, message.damaged, message.lost),
    ),
    Log: (p.LOG, lambda message: p.log(message.level, message.text.encode())),
}

_READ: Final[dict[int, Callable[[bytes], Message]]] = {
    p.HELLO: _read_hello,
    p.CONFIGURE: Configure,
    p.LIGHTS: _read_lights,
    p.SHOW: lambda payload: Show(*p.read_show(payload)),
    p.ACKNOWLEDGE: lambda payload: Acknowledge(p.read_acknowledge(payload)),
    p.QUERY_INPUTS: lambda _payload: QueryInputs(),
    p.HEARTBEAT: lambda payload: Heartbeat(p.read_heartbeat(payload)),
    p.IDENTITY: _read_identity,
    p.CONFIGURED: _read_configured,
    p.SHOWN: _read_shown,
    p.EVENTS: _read_events,
    p.INPUTS: Inputs,
    p.ALIVE: lambda payload: Alive(*p.read_alive(payload)),
    p.LOG: _read_log,
}
