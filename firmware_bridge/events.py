"""What a conversation with a Pico comes to, for the host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firmware_bridge import payload
from firmware_bridge.messages import Alive, Happened, Identity


class Refusal(Enum):
    """Why there can be no conversation."""

    OLDER = "older"
    """The firmware is older than this host can speak to."""
    NEWER = "newer"
    """The firmware no longer speaks what this host does."""
    WIRING = "wiring"
    """The firmware can't use the wiring."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The lights follow and events come; `closed` are the switches that are closed right now.

    `resumed` says that the Pico is the one of before and has kept what nobody took.
    """

    identity: Identity
    resumed: bool
    closed: frozenset[int]


@dataclass(frozen=True, slots=True)
class Restarted:
    """The Pico started anew."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class Refused:
    """There can be no conversation before somebody does something about it; `told` is the Pico's own word."""

    why: Refusal
    identity: Identity | None
    told: str = ""


@dataclass(frozen=True, slots=True)
class SwitchChanged:
    """A switch was closed or opened; `at` is when, in seconds of the clock that the times come from."""

    switch: int
    closed: bool
    at: float


@dataclass(frozen=True, slots=True)
class SwitchMuted:
    """A switch chatters and is not listened to, or is listened to again."""

    switch: int
    muted: bool
    at: float


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A reader received a tag: the bytes between its start and end marks."""

    reader: int
    data: bytes
    at: float


@dataclass(frozen=True, slots=True)
class EventsDropped:
    """The Pico gave up events that nobody took in time."""

    count: int


@dataclass(frozen=True, slots=True)
class FrameShown:
    """The frame wanted last is on the strips."""

    at: float


@dataclass(frozen=True, slots=True)
class Told:
    """A line of the Pico's log."""

    grade: int
    text: str


@dataclass(frozen=True, slots=True)
class Noise:
    """A line that is no frame: what a prompt or a traceback says, or rubbish."""

    text: str


@dataclass(frozen=True, slots=True)
class Pulse:
    """The Pico lives and says how it is; twice a second."""

    health: Alive
    at: float


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing was heard for SILENCE seconds: open the port anew."""


Event = (
    Ready | Restarted | Refused | SwitchChanged | SwitchMuted | TagSeen | EventsDropped
    | FrameShown | Told | Noise | Pulse | Silent
)  # fmt: skip


def event_of(happened: Happened, now: float) -> Event | None:
    """Return what an event of the Pico's means, None for one that only newer hosts know."""
    at = now - happened.age / 1000
    if not happened.data:
        return None
    first = happened.data[0]
    match happened.kind:
        case payload.CLOSED | payload.OPENED:
            return SwitchChanged(first, happened.kind == payload.CLOSED, at)
        case payload.MUTED | payload.UNMUTED:
            return SwitchMuted(first, happened.kind == payload.MUTED, at)
        case payload.TAG:
            return TagSeen(first, happened.data[1:], at)
    return None
