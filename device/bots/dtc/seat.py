"""A bot program at the table: asked without waiting, and started anew when a game is not the one it knows.

The protocol knows no undo (D3). So a program whose game was taken back, or that comes to a game that is on,
is started anew. One that asks for the state alone finds its way from there. One that asks for updates must
know its own moves: it is given its turns once more, and must answer what it played; where it does not, the
state tells it, if it asked for both.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from device.bots.dtc.match import Seat
from device.bots.dtc.process import BotError, Program
from device.rules import game
from device.rules.events import Draft, Event
from device.rules.game import Setup
from device.rules.standard import StandardState


@dataclass(frozen=True, slots=True)
class Turn:
    """What a program is asked: its seat (from 0) in a game as far as it has come."""

    number: int
    setup: Setup
    seat: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What it chose; or None, why not (one of the record's forfeits), and a sentence, where it is 'it'."""

    number: int
    choice: Draft | None
    why: str = ""
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a program is started: its command, in which folder, where its logs go, its thinking time (ms)."""

    command: Sequence[str]
    folder: Path
    log: Callable[[], Path]
    milliseconds: int


class ProgramSeat:
    """One program in one game; its thread alone speaks to it, and puts what it says where it is told to."""

    def __init__(self, name: str, terms: Terms, put: Callable[[Told], None]) -> None:
        self._terms = terms
        self._put = put
        self._turns: SimpleQueue[Turn | None] = SimpleQueue()
        self._forgotten: set[int] = set()
        self._program: Program | None = None
        self._seat: Seat | None = None
        self._plays_again = False
        self._known: tuple[Event, ...] = ()  # the game as it knows it, its last answer included
        self._now = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"program {name}", daemon=True)
        self._thread.start()

    def ask(self, turn: Turn) -> None:
        """Ask; what it says is put when it is there."""
        self._turns.put(turn)

    def forget(self, number: int) -> None:
        """Put nothing for a turn any more; a program that thinks about it is ended."""
        with self._lock:
            self._forgotten.add(number)
            if self._now == number and self._program is not None:
                self._program.interrupt()

    def leave(self) -> None:
        """Have the program ended, and all that it has started; does not wait for that."""
        with self._lock:
            self._forgotten.add(self._now)
            self._turns.put(None)
            if self._program is not None:
                self._program.interrupt()

    @property
    def ended(self) -> bool:
        """Whether nothing is left of it."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """End the program and all that it has started, and wait for that."""
        self.leave()
        self._thread.join()

    def _run(self) -> None:
        while (turn := self._turns.get()) is not None:
            with self._lock:
                self._now = turn.number
                gone = turn.number in self._forgotten
            if not gone:
                self._take(turn)
            with self._lock:
                self._now = 0
        self._end()

    def _take(self, turn: Turn) -> None:
        try:
            told = Told(turn.number, self._choice(turn))
        except BotError as error:
            self._end()
            told = Told(turn.number, None, error.why, error.sentence)
        except OSError as error:
            self._end()
            told = Told(turn.number, None, "crash", f"it could not be started: {error.strerror}")
        with self._lock:
            if turn.number in self._forgotten:
                return
        self._put(told)

    def _choice(self, turn: Turn) -> Draft:
        """Its move in a game; raises BotError, and OSError where this machine can't start it."""
        if self._seat is None or turn.events[: len(self._known)] != self._known:
            self._end()
            self._start(turn)
        assert self._seat is not None
        state = game.setup(turn.setup)
        for at, event in enumerate(turn.events):
            assert isinstance(state, StandardState)
            if at >= len(self._known):
                if self._plays_again and isinstance(event, Draft) and state.turn == turn.seat:
                    self._play_again(state, event)
                self._seat.saw(state, event)
            state = state.apply(event)
        assert isinstance(state, StandardState)
        choice = self._seat.choose(state)
        self._plays_again = False
        self._seat.saw(state, choice)
        self._known = (*turn.events, choice)
        return choice

    def _play_again(self, state: StandardState, event: Draft) -> None:
        assert self._seat is not None
        if self._seat.choose(state) == event:
            return
        self._plays_again = False
        if not self._seat.wish.view:
            told = "it wants updates alone, and plays its own moves otherwise when it is given them again"
            raise BotError("illegal", told)

    def _start(self, turn: Turn) -> None:
        terms = self._terms
        program = Program(terms.command, terms.log(), folder=terms.folder)
        with self._lock:
            self._program = program
            if turn.number in self._forgotten:
                program.interrupt()
        self._seat = Seat(turn.seat, program, terms.milliseconds)
        self._seat.begin()
        self._plays_again = self._seat.wish.updates

    def _end(self) -> None:
        with self._lock:
            program, self._program = self._program, None
        self._seat, self._known = None, ()
        if program is not None:
            with suppress(OSError):
                program.close(at_once=True)
