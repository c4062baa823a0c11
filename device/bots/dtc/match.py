"""One game between two bot programs, as the competition plays it (D1 to D3), and what came of it.

result = play(Game(1, contestants(["greedy", "python3 bot.py"]), seed=7, first=0), logs)
"""

import fcntl
import hashlib
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from device.bots.dtc.process import BotError, Limits, Program
from device.bots.dtc.protocol import ProtocolError, Teller, Wish, draft_of, text_of, why_illegal, wish_of
from device.bots.search import BOT_NAMES
from device.bots.selfplay import ROUNDS
from device.bots.workers import run_all
from device.records import record
from device.records.json_form import Forfeit
from device.rules import game as rules
from device.rules import standard
from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Draft, Event
from device.rules.game import Setup
from device.rules.scoring import Outcome
from device.rules.standard import StandardState
from device.rules.tiles import COLOURS, TILES_OF_A_COLOUR, Counts, count

# --- Who plays in a match: a built-in bot by its name, or any program by its command line ----------------


class ContestantError(ValueError):
    """A text that names nobody who could play."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot as a program to start; a built-in one takes its random numbers from the game's seed."""

    name: str
    command: tuple[str, ...]
    built_in: bool = False

    def command_for(self, seed: str) -> tuple[str, ...]:
        """The command that plays one game."""
        return (*self.command, "--seed", seed) if self.built_in else self.command

    @property
    def fingerprint(self) -> str:
        """Changes when the command does, or a file that it names."""
        digest = hashlib.sha256()
        for word in self.command:
            digest.update(word.encode(errors="surrogateescape") + b"\0")
            if not self.built_in and (program := _file(word)) is not None:
                with suppress(OSError):  # what nobody may read can't have been read by the bot either
                    digest.update(hashlib.sha256(program.read_bytes()).digest())
        return digest.hexdigest()[:16]


_NAMED: Final = re.compile(r"([^\s/=.'\"-][^\s/='\"]*)=(.*)", re.DOTALL)
_BUILT_IN: Final = re.compile(rf"({'|'.join(BOT_NAMES)})(?:@([1-9][0-9]{{0,6}}))?")


def contestants(texts: Iterable[str]) -> tuple[Contestant, ...]:
    """Everybody who plays, each with a name of their own; raises ContestantError."""
    found: list[Contestant] = []
    for each in map(contestant, texts):
        taken = {other.name for other in found}
        names = [each.name, *(f"{each.name} {number}" for number in range(2, len(found) + 2))]
        found.append(replace(each, name=next(name for name in names if name not in taken)))
    return tuple(found)


def contestant(text: str) -> Contestant:
    """Who plays: `greedy`, `strong@100` (milliseconds a move), `python3 bot.py`, `NAME=` and any of them."""
    name, command = None, text
    if named := _NAMED.fullmatch(text):
        name, command = named.groups()
    if built_in := _BUILT_IN.fullmatch(command):
        return Contestant(name or command, _command_of(*built_in.groups()), built_in=True)
    words = _words(command)
    if shutil.which(words[0]) is None:
        bots = ", ".join(BOT_NAMES)
        why = "may not be executed" if _file(words[0]) else "is neither a built-in bot nor a program"
        raise ContestantError(f"{words[0]!r} {why}; the bots are {bots}")
    return Contestant(name or _name_of(words), words)


def _command_of(name: str, milliseconds: str | None) -> tuple[str, ...]:
    command = (sys.executable, "-P", "-m", "device", "bot", name)
    return (*command, "--move-time", milliseconds) if milliseconds else command


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ContestantError(f"{command!r} is no command: {error}") from None
    if not words or not words[0]:
        raise ContestantError("a bot is a name or a command, not an empty text")
    return words


def _name_of(words: tuple[str, ...]) -> str:
    """The file that a command runs, as far as one can tell: its last word that is one."""
    files = [word for word in words if _file(word) is not None]
    name = Path(files[-1] if files else words[0]).name
    return name.encode(errors="replace").decode()


def _file(word: str) -> Path | None:
    try:
        return Path(word) if Path(word).is_file() else None
    except (OSError, ValueError):
        return None


# ----------------------------------------------------------------------------------------------------------

MODE: Final = standard.DTC.name
MILLISECONDS: Final = 30_000
WIN_POINTS: Final = 2
TIE_POINTS: Final = 1


@dataclass(frozen=True, slots=True)
class Terms:
    """What a game is played under; the defaults are the competition's."""

    milliseconds: int = MILLISECONDS  # of thinking for each bot, on its own turns
    limits: Limits = field(default_factory=Limits)
    rounds: int = ROUNDS


@dataclass(frozen=True, slots=True)
class Game:
    """A game to play; seats and `first` count from 0, `number` from 1."""

    number: int
    players: tuple[Contestant, ...]
    seed: int
    first: int
    terms: Terms = field(default_factory=Terms)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a game ended where it stood: `why` is one of the record's forfeits, the sentence says it."""

    seat: int
    why: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Result:
    """A game that was played, with its verified record."""

    number: int
    names: tuple[str, ...]
    seed: int
    first: int
    rounds: int
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    thinking: tuple[int, ...]  # milliseconds that each bot used
    written: bytes = field(repr=False)
    fault: Fault | None = None
    stopped: bool = False  # by the limit of rounds (R17)

    def points(self, seat: int) -> int:
        """What the game is worth to a seat in a tournament."""
        if seat not in self.winners:
            return 0
        return WIN_POINTS if len(self.winners) == 1 else TIE_POINTS

    def in_json(self) -> dict[str, Any]:
        """Everything but the record; `result_of` reads it back."""
        told: dict[str, Any] = {
            "game": self.number,
            "players": self.names,
            "seed": self.seed,
            "first": self.first,
            "rounds": self.rounds,
            "scores": self.scores,
            "winners": self.winners,
            "thinking": self.thinking,
        }
        if self.stopped:
            told["stopped"] = True
        if self.fault is not None:
            fault = self.fault
            told["forfeit"] = {"seat": fault.seat, "why": fault.why, "sentence": fault.sentence}
        return told


def result_of(told: dict[str, Any], written: bytes) -> Result:
    """A result from its JSON and its record; raises KeyError, TypeError or ValueError for another object."""
    forfeit = told.get("forfeit")
    return Result(
        int(told["game"]),
        tuple(told["players"]),
        int(told["seed"]),
        int(told["first"]),
        int(told["rounds"]),
        tuple(told["scores"]),
        tuple(told["winners"]),
        tuple(told["thinking"]),
        written,
        None if forfeit is None else Fault(**forfeit),
        told.get("stopped", False),
    )


class Seat:
    """One bot in one game: its program, its clock, and what it has been told."""

    def __init__(self, seat: int, program: Program, milliseconds: int) -> None:
        self._seat = seat
        self._program = program
        self.wish = Wish.BOTH  # known once it has begun
        self._teller: Teller | None = None
        self._given = milliseconds
        self._left: float = milliseconds

    @property
    def used(self) -> int:
        """Milliseconds of thinking so far."""
        return round(self._given - self._left)

    def begin(self) -> None:
        """Read what it wants to be told; raises BotError."""
        with _told_by_bot():
            self.wish = wish_of(self._program.first_line())
        self._teller = Teller(self._seat, self.wish)

    def saw(self, state: StandardState, event: Event) -> None:
        """Take note of an event, to tell it on its next turn."""
        assert self._teller is not None
        self._teller.saw(state, event)

    def choose(self, state: StandardState) -> Draft:
        """Its move; raises BotError."""
        assert self._teller is not None
        turn = self._teller.turn(state, int(self._left))
        try:
            line, used = self._program.ask(text_of(turn), self._left)
        except BotError as error:
            if error.why == "time":
                self._left = 0
            raise
        self._left -= used
        with _told_by_bot():
            draft = draft_of(line)
        try:
            state.check_draft(draft)
        except IllegalEventError as error:
            why = why_illegal(state, draft, error)
            raise BotError("illegal", f"its move {line!r} is not allowed: {why}") from None
        return draft


@contextmanager
def _told_by_bot() -> Iterator[None]:
    """A line that is not the protocol is the fault of the bot that wrote it."""
    try:
        yield
    except ProtocolError as error:
        raise BotError("illegal", error.message) from None


def play(game: Game, logs: Path, core: int | None = None) -> Result:
    """Play a game to its end, or to the first fault of a bot; what a bot writes to its log is kept in `logs`.

    `core` is the processor that both run on, in turns; None: any.
    """
    names = tuple(player.name for player in game.players)
    chosen = Setup(MODE, names, game.first)
    with ExitStack() as running:
        programs = [
            running.enter_context(_started(game, seat, logs, core)) for seat in range(len(game.players))
        ]
        seats = [Seat(seat, program, game.terms.milliseconds) for seat, program in enumerate(programs)]
        events, fault = _played(chosen, game, seats)
        for seat, program in enumerate(programs):
            if fault is not None and seat == fault.seat:
                program.close(at_once=True)
            else:
                program.hang_up()
    for seat in range(len(seats)):
        log = log_of(game, seat, logs)
        if not log.stat().st_size:
            log.unlink()
    thinking = tuple(seat.used for seat in seats)
    return _result(game, chosen, events, fault, thinking)


def _started(game: Game, seat: int, logs: Path, core: int | None) -> Program:
    player = game.players[seat]
    command = player.command_for(f"{game.seed}/{game.first}/{seat}")
    return Program(command, log_of(game, seat, logs), game.terms.limits, core)


def log_of(game: Game, seat: int, logs: Path) -> Path:
    """The file of what a bot wrote to its standard error in a game."""
    name = re.sub(r"[^\w.-]", "_", game.players[seat].name, flags=re.ASCII)[:60]
    return logs / f"{game.number:04}-{seat + 1}-{name}.err"


def _played(chosen: Setup, game: Game, seats: list[Seat]) -> tuple[list[Event], Fault | None]:
    """The events of a game, and the fault that ended it, if one did."""
    events: list[Event] = []
    state = rules.setup(chosen)
    acting = game.first
    try:
        for acting in (game.first, 1 - game.first):
            seats[acting].begin()
        while not state.over:
            assert isinstance(state, StandardState)
            if state.chance_due:
                if state.round == game.terms.rounds:
                    break
                event: Event = deal(game.seed, state.round, state.bag)
            else:
                acting = state.turn
                event = seats[acting].choose(state)
            for seat in seats:
                seat.saw(state, event)
            events.append(event)
            state = state.apply(event)
    except BotError as error:
        return events, Fault(acting, error.why, error.sentence)
    return events, None


def deal(seed: int, number: int, bag: Counts) -> Deal:
    """The deal of a number (from 0) by the seed: as alike as their bags are, whoever has played.

    The same shuffle of all tiles is drawn from in every game of the seed; what is not in the bag is left out.
    """
    tiles = [(colour, copy) for colour in COLOURS for copy in range(TILES_OF_A_COLOUR)]
    random.Random(f"{seed}/{number}").shuffle(tiles)
    drawn = [colour for colour, copy in tiles if copy < bag[colour]]
    displays = standard.DISPLAYS[2]
    return Deal(tuple(count(drawn[4 * display : 4 * display + 4]) for display in range(displays)))


def _result(
    game: Game, chosen: Setup, events: list[Event], fault: Fault | None, thinking: tuple[int, ...]
) -> Result:
    """What came of a game, from its record as it is read back."""
    forfeit = None if fault is None else Forfeit(fault.seat, fault.why)
    written = record.write(chosen, events, stopped=fault is None, forfeit=forfeit)
    (verified,) = record.read(written.splitlines(keepends=True))
    outcome = verified.outcome
    assert isinstance(outcome, Outcome)
    return Result(
        game.number,
        chosen.players,
        game.seed,
        game.first,
        verified.rounds,
        outcome.scores,
        outcome.winners,
        thinking,
        written,
        fault,
        verified.stopped,
    )


# --- Many games, each on a processor core of its own -----------------------------------------------------


class MatchError(Exception):
    """A game could not be played for a reason that is no bot's fault."""


def play_all(
    games: Iterable[Game], logs: Path, executor: Executor, at_once: int
) -> Generator[Result, None, None]:
    """Play games through an executor, so many at once; yield results as games end. Raises MatchError."""
    calls = (partial(play_on_own_core, game, logs) for game in games)
    try:
        for _, result in run_all(executor, calls, at_once):
            yield result
    except BrokenExecutor:
        raise MatchError("a process that plays games was killed") from None


def play_on_own_core(game: Game, logs: Path) -> Result:
    """Play a game on a processor core that no other match of this user has. Raises MatchError."""
    try:
        with own_core() as core:
            return play(game, logs, core)
    except OSError as error:
        raise MatchError(f"game {game.number} can't be played here: {error}") from None


@contextmanager
def own_core() -> Iterator[int]:
    """A core that no other match of this user has, as far as there are enough of them."""
    available = sorted(os.sched_getaffinity(0))
    random.shuffle(available)
    for core in available:
        if (lock := _locked(core)) is not None:
            try:
                yield core
            finally:
                os.close(lock)
            return
    yield available[0]


def _locked(core: int) -> int | None:
    """The descriptor that holds a core; None if somebody has it, or nobody can say."""
    folder = Path(tempfile.gettempdir(), f"azul-table-cores-{os.getuid()}")
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return lock
    return None
