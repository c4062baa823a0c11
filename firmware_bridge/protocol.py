"""The host's side of the bridge without a port and without a clock: bytes and times in, events and bytes out.

    connection.opened(now)                          a port was opened
    connection.receive_data(data, now)              bytes came out of it
    connection.next_event()                         what they meant, until None
    port.write(connection.data_to_send(now))        what is due now: answers, resends, heartbeats, lights
    connection.next_time()                          when to come back at the latest

The Pico is known by its boot id. A boot id that was not seen before is a Pico that remembers nothing: it is
configured, asked which switches are closed, and gets the whole frame. What was pressed before, or is found
pressed then, is no press. Within one boot every event has a number and is taken once.
"""

from __future__ import annotations

from binascii import crc32
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_bridge import payload, wire
from firmware_bridge.messages import (
    Alive,
    Ask,
    Configure,
    Configured,
    Events,
    Happened,
    Heartbeat,
    Hello,
    Identity,
    Inputs,
    Lights,
    Log,
    Message,
    Run,
    Show,
    Shown,
    Taken,
    Unknown,
    decode,
    encode,
)
from firmware_bridge.payload import RUN_HEADER
from firmware_bridge.wire import MOST_PAYLOAD
from firmware_bridge.wiring import BYTES_A_LIGHT, Wiring

# --- What a conversation with a Pico comes to, for the host ----------------------------------------------


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


# --- Which bytes of light are on their way to the Pico: differences, one frame at a time ---
# What the Pico holds is never taken on trust: every Show carries the check of the whole frame, and when the
# Pico's bytes have another one, all of them are sent again. So a lost or repeated difference can't be seen.

RETRY: Final = 0.12
"""Seconds until a frame that was not answered is asked for again."""
TRIES: Final = 3
"""Times that is done before all bytes are sent again."""
REFRESH: Final = 1.0
"""Seconds after which a frame that stays is checked again."""
CHEAPER: Final = 12
"""Equal bytes between two differences that are sent along: a run of its own costs the Pico more."""

LATER: Final = float("inf")


class LightSender:
    """Decides what to send so that the strips show the frame wanted last."""

    def __init__(self) -> None:
        self._wanted: bytes | None = None
        self._held: bytes | None = None
        self._shown: bytes | None = None
        self._waiting: bytes | None = None
        self._number = 0
        self._tries = 0
        self._next = 0.0

    def want(self, frame: bytes) -> None:
        """Name the bytes that the strips should show; it replaces what was wanted before."""
        self._wanted = frame

    def restart(self) -> None:
        """Take nothing for granted any more: the peer or the port is a new one."""
        self._held = self._shown = self._waiting = None

    def due(self, now: float) -> list[Message]:
        """Return what is to be sent now."""
        if now < self.next_time():
            return []
        if self._waiting is not None:
            self._tries += 1
            self._next = now + RETRY
            if self._tries < TRIES:
                return [Show(self._number, crc32(self._waiting))]
            self._held = None
        frame = self._wanted
        assert frame is not None
        messages = lights(self._held, frame)
        self._held = self._waiting = frame
        self._number = (self._number + 1) & 0xFFFF
        self._tries = 0
        self._next = now + RETRY
        return [*messages, Show(self._number, crc32(frame))]

    def next_time(self) -> float:
        """When something is to be sent, if nothing happens before."""
        if self._wanted is None:
            return LATER
        if self._waiting is None and self._wanted != self._shown:
            return -LATER
        return self._next

    def answered(self, answer: Shown, now: float) -> bool:
        """Take in an answer; True if by it a frame is on the strips that was not before."""
        if self._waiting is None or answer.number != self._number:
            return False
        frame, self._waiting = self._waiting, None
        if answer.differs:
            self._held = self._shown = None
            return False
        fresh = frame != self._shown
        self._shown = frame
        self._next = now + REFRESH
        return fresh


def lights(held: bytes | None, frame: bytes) -> list[Message]:
    """Return the messages that make the bytes `held` (None: unknown) those of the frame."""
    messages: list[Message] = []
    runs: list[Run] = []
    room = MOST_PAYLOAD
    for start, end in differences(held, frame):
        at = start
        while at < end:
            if room <= RUN_HEADER:
                messages.append(Lights(tuple(runs)))
                runs, room = [], MOST_PAYLOAD
            cut = min(end, at + room - RUN_HEADER)
            runs.append(Run(at, frame[at:cut]))
            room -= RUN_HEADER + cut - at
            at = cut
    if runs:
        messages.append(Lights(tuple(runs)))
    return messages


def differences(held: bytes | None, frame: bytes) -> list[tuple[int, int]]:
    """Return where the frame differs, from and to which byte; stretches that nearly touch are one."""
    if held is None or len(held) != len(frame):
        return [(0, len(frame))]
    found: list[tuple[int, int]] = []
    for at in range(0, len(frame), BYTES_A_LIGHT):
        end = at + BYTES_A_LIGHT
        if held[at:end] != frame[at:end]:
            if found and at - found[-1][1] < CHEAPER:
                found[-1] = found[-1][0], end
            else:
                found.append((at, end))
    return found


# ----------------------------------------------------------------------------------------------------------

GREET: Final = 0.25
"""Seconds between greetings, until one is answered."""
ANSWER: Final = 0.5
"""Seconds to wait for an answer before the question is asked again."""
BEAT: Final = 0.5
"""Seconds between heartbeats."""
SILENCE: Final = 2.0
"""Seconds without a frame after which the other side is taken to be gone."""
PAST_BOOTS: Final = 8
"""Boot ids that are remembered, so that a late frame of an earlier boot is known as such."""


class Stage(Enum):
    """How far the conversation has come."""

    CLOSED = "closed"
    GREETING = "greeting"
    CONFIGURING = "configuring"
    ASKING = "asking"
    READY = "ready"
    REFUSED = "refused"


@dataclass(slots=True)
class Counts:
    """What came over the line since the start."""

    lines: int = 0
    damaged: int = 0
    repeated: int = 0
    unknown: int = 0


class Connection:
    """One host's conversation with one Pico, over as many openings of the port as it takes.

    `session` is a number that no other run of a host has, not 0; `name` is for people who read the line.
    """

    def __init__(self, wiring: Wiring, session: int, name: str = "azul-table", sequence: int = 0) -> None:
        self._configure = Configure(wiring.encoded())
        self._wiring_check = wiring.check
        self._hello = Hello(payload.PROTOCOL, session, name)
        self._lines = wire.Lines()
        self._order = wire.Order(sequence)
        self._lights = LightSender()
        self._events: deque[Event] = deque()
        self._past: deque[int] = deque(maxlen=PAST_BOOTS)
        self._boot = 0
        self._expected: int | None = None
        self._resumes = False
        self._take = False
        self._heard = 0.0
        self._question = LATER
        self._beat = LATER
        self._beats = 0
        self.stage = Stage.CLOSED
        self.identity: Identity | None = None
        self.counts = Counts()

    # --- The port ----------------------------------------------------------------------------------------

    def opened(self, now: float) -> None:
        """A port was opened: greet whoever is there."""
        self._lines.clear()
        self._order.forget()
        self._past.clear()
        self._heard = now
        self._greet(now)

    def closed(self) -> None:
        """The port is gone; the conversation waits for the next."""
        self.stage = Stage.CLOSED
        self._question = self._beat = LATER

    @property
    def lost(self) -> int:
        """How many frames of the Pico never came, or came damaged."""
        return self._order.lost

    # --- In ----------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes, now: float) -> None:
        """Take in bytes that came now; `next_event` says what they meant."""
        if self.stage is Stage.CLOSED:
            return
        for line in self._lines.feed(data):
            self._receive_line(line, now)

    def next_event(self) -> Event | None:
        """Return what happened, oldest first, and None when there is no more."""
        return self._events.popleft() if self._events else None

    def _receive_line(self, line: bytes, now: float) -> None:
        self.counts.lines += 1
        try:
            kind, number, body = wire.unpack(line)
            if not kind & payload.FROM_PICO:
                return  # our own words: a prompt repeats what it is told
            message = decode(kind, body)
        except wire.OtherVersionError as error:
            if self.stage is not Stage.REFUSED:
                self._refuse(Refusal.NEWER if error.version > wire.VERSION else Refusal.OLDER, None)
            return
        except wire.WireError:
            self._receive_noise(line)
            return
        self._heard = now
        if not self._is_new(message, number):
            self.counts.repeated += 1
        elif self.stage is not Stage.REFUSED:
            self._receive(message, now)

    def _receive_noise(self, line: bytes) -> None:
        if wire.MARK in line:
            self.counts.damaged += 1
        text = line.decode("ascii", "replace").strip()
        if text and wire.MARK not in line:
            self._events.append(Noise(text))

    def _is_new(self, message: Message, number: int) -> bool:
        """Tell whether this frame comes for the first time; a Pico that starts anew counts anew."""
        if isinstance(message, Identity) and message.boot != self._boot:
            if message.boot in self._past:
                return False
            self._order.begin(number)
            return True
        return self._order.is_new(number)

    def _receive(self, message: Message, now: float) -> None:
        match message:
            case Identity():
                self._receive_identity(message, now)
            case Configured() if self.stage is Stage.CONFIGURING:
                self._receive_configured(message, now)
            case Inputs() if self.stage is Stage.ASKING:
                self._become_ready(message)
            case Events():
                self._receive_events(message, now)
            case Shown():
                if self._lights.answered(message, now):
                    self._events.append(FrameShown(now))
            case Alive():
                self._events.append(Pulse(message, now))
            case Log():
                self._events.append(Told(message.grade, message.text))
            case Unknown():
                self.counts.unknown += 1

    def _receive_identity(self, identity: Identity, now: float) -> None:
        if not identity.oldest <= payload.PROTOCOL:
            self._refuse(Refusal.NEWER, identity)
        elif not identity.newest >= payload.OLDEST_PROTOCOL:
            self._refuse(Refusal.OLDER, identity)
        elif identity.boot != self._boot:
            self._begin_boot(identity, now)
        self.identity = identity
        if self.stage is Stage.REFUSED:
            return
        if identity.session != self._hello.session:
            if self.stage is not Stage.GREETING:  # it has forgotten us, or talks with somebody else
                self._greet(now)
        elif self.stage is Stage.GREETING:
            wired = identity.wiring == self._wiring_check
            self.stage = Stage.ASKING if wired else Stage.CONFIGURING
            self._question = now
            self._beat = now + BEAT

    def _begin_boot(self, identity: Identity, now: float) -> None:
        """Remember nothing of the boot before: its events, its lights, its switches."""
        if self._boot:
            self._past.append(self._boot)
            self._events.append(Restarted(identity))
        self._boot = identity.boot
        self._expected = None
        self._resumes = False
        self._take = False
        if self.stage is not Stage.GREETING:
            self._greet(now)

    def _receive_configured(self, answer: Configured, now: float) -> None:
        if answer.wiring != self._wiring_check:
            return  # of an earlier question
        if answer.fault:
            self._refuse(Refusal.WIRING, self.identity, answer.fault)
            return
        self.stage = Stage.ASKING
        self._question = now

    def _become_ready(self, inputs: Inputs) -> None:
        assert self.identity is not None
        self.stage = Stage.READY
        self._question = LATER
        self._events.append(Ready(self.identity, self._resumes, inputs.closed))
        self._resumes = True

    def _receive_events(self, message: Events, now: float) -> None:
        if message.boot != self._boot or self.stage not in (Stage.ASKING, Stage.READY):
            return
        self._take = True
        expected = message.first if self._expected is None else self._expected
        if message.first > expected:
            self._events.append(EventsDropped(message.first - expected))
            expected = message.first
        new = message.events[expected - message.first :]
        self._expected = expected + len(new)
        for happened in new:
            event = event_of(happened, now)
            if event is None:
                self.counts.unknown += 1
            else:
                self._events.append(event)

    # --- Out ---------------------------------------------------------------------------------------------

    def show(self, frame: bytes) -> None:
        """Name the bytes that the strips should show, all chains one after another; the latest wins."""
        self._lights.want(frame)

    def send(self, message: Message) -> bytes:
        """Return the bytes that say this; whoever writes them says it."""
        kind, body = encode(message)
        line = wire.pack(kind, self._order.next(), body)
        # Where no firmware runs, a prompt answers to the end of a line; the firmware takes no notice of it.
        return b"\r" + line if isinstance(message, Hello) else line

    def data_to_send(self, now: float) -> bytes:
        """Return the bytes that are due now, empty if none are."""
        return b"".join(self.send(message) for message in self._due(now))

    def next_time(self) -> float:
        """When to call `data_to_send` again at the latest, if nothing comes before."""
        if self.stage in (Stage.CLOSED, Stage.REFUSED):
            return LATER
        times = [self._question, self._beat, self._heard + SILENCE]
        if self._lights_flow():
            times.append(self._lights.next_time())
        return min(times)

    def _due(self, now: float) -> list[Message]:
        if self.stage in (Stage.CLOSED, Stage.REFUSED):
            return []
        if now >= self._heard + SILENCE:
            self.closed()
            self._events.append(Silent())
            return []
        due: list[Message] = []
        if self._take and self._expected is not None:
            self._take = False
            due.append(Taken(self._expected))
        if now >= self._question:
            self._question = now + (GREET if self.stage is Stage.GREETING else ANSWER)
            due.append(self._ask())
        if now >= self._beat:
            self._beat = now + BEAT
            self._beats = (self._beats + 1) & 0xFFFFFFFF
            due.append(Heartbeat(self._beats))
        if self._lights_flow():
            due.extend(self._lights.due(now))
        return due

    def _ask(self) -> Message:
        """Return the question of this stage."""
        if self.stage is Stage.GREETING:
            return self._hello
        return self._configure if self.stage is Stage.CONFIGURING else Ask()

    def _lights_flow(self) -> bool:
        return self.stage in (Stage.ASKING, Stage.READY)

    def _greet(self, now: float) -> None:
        self.stage = Stage.GREETING
        self._question = now
        self._beat = LATER
        self._lights.restart()

    def _refuse(self, why: Refusal, identity: Identity | None, told: str = "") -> None:
        self.stage = Stage.REFUSED
        self._events.append(Refused(why, identity, told))
