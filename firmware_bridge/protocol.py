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

from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_bridge import payload, wire
from firmware_bridge.events import (
    Event,
    EventsDropped,
    FrameShown,
    Noise,
    Pulse,
    Ready,
    Refusal,
    Refused,
    Restarted,
    Silent,
    Told,
    event_of,
)
from firmware_bridge.light_sender import LATER, LightSender
from firmware_bridge.messages import (
    Alive,
    Ask,
    Configure,
    Configured,
    Events,
    Heartbeat,
    Hello,
    Identity,
    Inputs,
    Log,
    Message,
    Shown,
    Taken,
    Unknown,
    decode,
    encode,
)
from firmware_bridge.wiring import Wiring

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
