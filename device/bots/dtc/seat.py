"""A bot program at the table: asked without waiting, and restarted if the game is not the one it knows.

The protocol has no undo (D3), so a program is restarted when its game was taken back or when it joins a game
in progress. One that subscribes to the state only continues from there. One that subscribes to updates must
know its own moves: its turns are replayed, and it must answer with the moves of the game; where it does not,
the state block corrects it, if it subscribes to both.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from device.bots.dtc.match import BotSeat
from device.bots.dtc.process import BotError, Program
from device.rules import game
from device.rules.events import Draft, Event
from device.rules.game import Setup
from device.rules.standard import StandardState


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A request for a move: the seat (from 0) in a game up to now."""

    number: int
    setup: Setup
    seat: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class MoveReply:
    """The move; or None, `why` not (one of the record's forfeits), and a sentence about 'it'."""

    number: int
    choice: Draft | None
    why: str = ""
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """How to start a program: command, folder, a function that returns a log file, thinking time in ms."""

    command: Sequence[str]
    folder: Path
    log: Callable[[], Path]
    milliseconds: int


class ProgramSeat:
    """One program in one game; only its thread talks to it, and calls `put` with the replies."""

    def __init__(self, name: str, terms: ProgramSettings, put: Callable[[MoveReply], None]) -> None:
        self._terms = terms
        self._put = put
        self._requests: SimpleQueue[MoveRequest | None] = SimpleQueue()
        self._cancelled: set[int] = set()
        self._program: Program | None = None
        self._seat: BotSeat | None = None
        self._replays = False
        self._known: tuple[Event, ...] = ()  # the events that the program knows, its last move included
        self._now = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"program {name}", daemon=True)
        self._thread.start()

    def ask(self, request: MoveRequest) -> None:
        """Ask for a move; the reply is put when it is there."""
        self._requests.put(request)

    def cancel(self, number: int) -> None:
        """Put no reply to a request any more; kill a program that thinks about it."""
        with self._lock:
            self._cancelled.add(number)
            if self._now == number and self._program is not None:
                self._program.kill()

    def stop(self) -> None:
        """Kill the program and all that it has started, without waiting for that."""
        with self._lock:
            self._cancelled.add(self._now)
            self._requests.put(None)
            if self._program is not None:
                self._program.kill()

    @property
    def ended(self) -> bool:
        """Whether the thread and the program have ended."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Kill the program and all that it has started, and wait for that."""
        self.stop()
        self._thread.join()

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            with self._lock:
                self._now = request.number
                cancelled = request.number in self._cancelled
            if not cancelled:
                self._answer(request)
            with self._lock:
                self._now = 0
        self._end()

    def _answer(self, request: MoveRequest) -> None:
        try:
            reply = MoveReply(request.number, self._choice(request))
        except BotError as error:
            self._end()
            reply = MoveReply(request.number, None, error.why, error.sentence)
        except OSError as error:
            self._end()
            reply = MoveReply(request.number, None, "crash", f"it could not be started: {error.strerror}")
        with self._lock:
            if request.number in self._cancelled:
                return
        self._put(reply)

    def _choice(self, request: MoveRequest) -> Draft:
        """Return its move. Raises BotError, and OSError if this machine can't start it."""
        if self._seat is None or request.events[: len(self._known)] != self._known:
            self._end()
            self._start(request)
        assert self._seat is not None
        state = game.setup(request.setup)
        assert isinstance(state, StandardState)
        for at, event in enumerate(request.events):
            if at >= len(self._known):
                if self._replays and isinstance(event, Draft) and state.turn == request.seat:
                    self._replay_move(state, event)
                self._seat.record_event(state, event)
            state = state.apply(event)
        choice = self._seat.choose(state)
        self._replays = False
        self._seat.record_event(state, choice)
        self._known = (*request.events, choice)
        return choice

    def _replay_move(self, state: StandardState, event: Draft) -> None:
        assert self._seat is not None
        if self._seat.choose(state) == event:
            return
        self._replays = False
        if not self._seat.subscription.view:
            reply = "it subscribes to updates only, and does not repeat its own moves when they are replayed"
            raise BotError("illegal", reply)

    def _start(self, request: MoveRequest) -> None:
        terms = self._terms
        program = Program(terms.command, terms.log(), folder=terms.folder)
        with self._lock:
            self._program = program
            if request.number in self._cancelled:
                program.kill()
        self._seat = BotSeat(request.seat, program, terms.milliseconds)
        self._seat.begin()
        self._replays = self._seat.subscription.updates

    def _end(self) -> None:
        with self._lock:
            program, self._program = self._program, None
        self._seat, self._known = None, ()
        if program is not None:
            with suppress(OSError):
                program.close(at_once=True)
