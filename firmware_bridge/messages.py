"""The messages of the bridge as values: what `payload` packs, for the host, for dumps and for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from firmware_bridge import payload as p


@dataclass(frozen=True, slots=True)
class Hello:
    """The host introduces itself: its protocol, the number of its session, its name and version."""

    protocol: int
    session: int
    name: str


@dataclass(frozen=True, slots=True)
class Configure:
    """The wiring, as `payload.wiring` packs it."""

    wiring: bytes


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes for the strips, from `offset` of all chains one after another."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Lights:
    """What differs from the frame before; nothing is seen of it until Show."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """Show frame `number`, if all its bytes have this CRC-32."""

    number: int
    check: int


@dataclass(frozen=True, slots=True)
class Taken:
    """All events below `following` arrived."""

    following: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Tell which switches are closed."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The host lives; `count` comes back."""

    count: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers.

    The protocols spoken, the number of the boot, the session it is in (0: none), the checks of its wiring
    (0: none) and of its files, what the chip has, the version of the firmware, the name of the board.
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
    """The check of the wiring in use, and what is wrong with it (empty: nothing)."""

    wiring: int
    fault: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Frame `number` is on the strips, or differs from what was sent."""

    number: int
    differs: bool


@dataclass(frozen=True, slots=True)
class Happened:
    """One event: a kind of `payload`, its age in milliseconds, the switch or the reader with what it read."""

    kind: int
    age: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Events:
    """Everything that waits for Taken: events `first`, `first` + 1, ... of this boot."""

    boot: int
    first: int
    events: tuple[Happened, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Which switches are closed: bit 0 of the first byte is switch 0."""

    bits: bytes

    @property
    def closed(self) -> frozenset[int]:
        """The numbers of the closed switches."""
        every = range(8 * len(self.bits))
        return frozenset(switch for switch in every if self.bits[switch // 8] >> switch % 8 & 1)


@dataclass(frozen=True, slots=True)
class Alive:
    """The answer to Heartbeat: milliseconds since the start, free memory, damaged lines, lost frames."""

    count: int
    uptime: int
    free: int
    damaged: int
    lost: int


@dataclass(frozen=True, slots=True)
class Log:
    """What the firmware has to say, and how grave it is (`payload.INFO` to `payload.ERROR`)."""

    grade: int
    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A kind of message that only a newer peer knows."""

    kind: int
    payload: bytes


Message = (
    Hello | Configure | Lights | Show | Taken | Ask | Heartbeat
    | Identity | Configured | Shown | Events | Inputs | Alive | Log | Unknown
)  # fmt: skip


def encode(message: Message) -> tuple[int, bytes]:
    """Return a message's kind and payload."""
    if isinstance(message, Unknown):
        return message.kind, message.payload
    kind, build = _BUILD[type(message)]
    return kind, build(message)


def decode(kind: int, payload: bytes) -> Message:
    """Return the message of a kind and a payload; raises WireError if they don't fit."""
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
    return Events(boot, first, tuple(Happened(*item) for item in items))


def _read_log(payload: bytes) -> Log:
    grade, text = p.read_log(payload)
    return Log(grade, _text(text))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_BUILD: Final[dict[type, tuple[int, Callable[..., bytes]]]] = {
    Hello: (p.HELLO, _hello),
    Configure: (p.CONFIGURE, lambda message: bytes(message.wiring)),
    Lights: (p.LIGHTS, lambda message: b"".join(p.run(run.offset, run.data) for run in message.runs)),
    Show: (p.SHOW, lambda message: p.show(message.number, message.check)),
    Taken: (p.TAKEN, lambda message: p.taken(message.following)),
    Ask: (p.ASK, lambda _message: b""),
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
    Log: (p.LOG, lambda message: p.log(message.grade, message.text.encode())),
}

_READ: Final[dict[int, Callable[[bytes], Message]]] = {
    p.HELLO: _read_hello,
    p.CONFIGURE: Configure,
    p.LIGHTS: _read_lights,
    p.SHOW: lambda payload: Show(*p.read_show(payload)),
    p.TAKEN: lambda payload: Taken(p.read_taken(payload)),
    p.ASK: lambda _payload: Ask(),
    p.HEARTBEAT: lambda payload: Heartbeat(p.read_heartbeat(payload)),
    p.IDENTITY: _read_identity,
    p.CONFIGURED: _read_configured,
    p.SHOWN: _read_shown,
    p.EVENTS: _read_events,
    p.INPUTS: Inputs,
    p.ALIVE: lambda payload: Alive(*p.read_alive(payload)),
    p.LOG: _read_log,
}
