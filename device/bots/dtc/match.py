"""Matches: games between two bot programs under the competition's terms (D1 to D3), and their results.

    result = play(Game(1, parse_players(["greedy", "python3 bot.py"]), seed=7, first=0), logs)

`play_all` plays many games.
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

import msgspec
from msgspec import Struct

from device.bots.dtc.process import BotError, Limits, Program
from device.bots.dtc.protocol import (
    ProtocolError,
    Subscription,
    TurnBuilder,
    explain_illegal,
    format_turn,
    parse_draft,
    parse_subscription,
)
from device.bots.search import BOT_NAMES
from device.bots.selfplay import ROUNDS
from device.bots.workers import InlineExecutor, WorkerPool, run_all
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

# --- Players -----------------------------------------------------------------------------------------------


class PlayerError(ValueError):
    """A text that names neither a built-in bot nor a program."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot as a program to start; a built-in one takes its random numbers from the game's seed."""

    name: str
    command: tuple[str, ...]
    built_in: bool = False

    def command_for(self, seed: str) -> tuple[str, ...]:
        """Return the command that plays one game."""
        return (*self.command, "--seed", seed) if self.built_in else self.command

    @property
    def fingerprint(self) -> str:
        """A hash that changes with the command and with the files that it names."""
        digest = hashlib.sha256()
        for word in self.command:
            digest.update(word.encode(errors="surrogateescape") + b"\0")
            if not self.built_in and (program := _file(word)) is not None:
                with suppress(OSError):  # the bot can't read it either
                    digest.update(hashlib.sha256(program.read_bytes()).digest())
        return digest.hexdigest()[:16]


_NAMED: Final = re.compile(r"([^\s/=.'\"-][^\s/='\"]*)=(.*)", re.DOTALL)
_BUILT_IN: Final = re.compile(rf"({'|'.join(BOT_NAMES)})(?:@([1-9][0-9]{{0,6}}))?")


def parse_players(texts: Iterable[str]) -> tuple[Player, ...]:
    """Parse players, and make their names unique. Raises PlayerError."""
    found: list[Player] = []
    for each in map(parse_player, texts):
        taken = {other.name for other in found}
        names = [each.name, *(f"{each.name} {number}" for number in range(2, len(found) + 2))]
        found.append(replace(each, name=next(name for name in names if name not in taken)))
    return tuple(found)


def parse_player(text: str) -> Player:
    """Parse a player: `greedy`, `strong@100` (milliseconds a move), or a command line.

    `NAME=` before any of them names it. Raises PlayerError.
    """
    name, command = None, text
    if named := _NAMED.fullmatch(text):
        name, command = named.groups()
    if built_in := _BUILT_IN.fullmatch(command):
        bot, milliseconds = built_in.groups()
        limit = ("--move-time", milliseconds) if milliseconds else ()
        program = (sys.executable, "-P", "-m", "device", "bot", bot, *limit)
        return Player(name or command, program, built_in=True)
    words = _split_command(command)
    if shutil.which(words[0]) is None:
        bots = ", ".join(BOT_NAMES)
        why = "may not be executed" if _file(words[0]) else "is neither a built-in bot nor a program"
        raise PlayerError(f"{words[0]!r} {why}; the bots are {bots}")
    return Player(name or _program_name(words), words)


def _split_command(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise PlayerError(f"{command!r} is no command: {error}") from None
    if not words or not words[0]:
        raise PlayerError("a bot is a name or a command, not an empty text")
    return words


def _program_name(words: tuple[str, ...]) -> str:
    """Return the name of the file that a command runs, as far as known: its last word that is a file."""
    files = [word for word in words if _file(word) is not None]
    name = Path(files[-1] if files else words[0]).name
    return name.encode(errors="replace").decode()


def _file(word: str) -> Path | None:
    try:
        return Path(word) if Path(word).is_file() else None
    except (OSError, ValueError):
        return None


# --- Games and results -------------------------------------------------------------------------------------

MILLISECONDS: Final = 30_000
POINTS: Final = 2  # for a win in a tournament; in a tie each bot has one of them


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a game; the defaults are the competition's."""

    milliseconds: int = MILLISECONDS  # of thinking for each bot, on its own turns
    limits: Limits = field(default_factory=Limits)
    rounds: int = ROUNDS


@dataclass(frozen=True, slots=True)
class Game:
    """A game to play; seats and `first` count from 0, `number` from 1."""

    number: int
    players: tuple[Player, ...]
    seed: int
    first: int
    terms: Terms = field(default_factory=Terms)


class Fault(Struct, frozen=True):
    """The fault that ended a game: `why` is one of the record's forfeits, the sentence describes it."""

    seat: int
    why: str
    sentence: str


class Result(
    Struct, frozen=True, omit_defaults=True, rename={"number": "game", "names": "players", "fault": "forfeit"}
):
    """The result of a game, with its verified record."""

    number: int
    names: tuple[str, ...]
    seed: int
    first: int
    rounds: int
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    thinking: tuple[int, ...]  # milliseconds that each bot used
    written: bytes = b""
    stopped: bool = False  # by the limit of rounds (R17)
    fault: Fault | None = None

    def points(self, seat: int) -> int:
        """Return the tournament points of a seat."""
        return POINTS // len(self.winners) if seat in self.winners else 0

    def in_json(self) -> dict[str, Any]:
        """Return everything but the record as a JSON object, which `result_from_json` reads."""
        data: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self, written=b""))
        return data


def result_from_json(data: dict[str, Any], written: bytes) -> Result:
    """Return a result from its JSON object and its record. Raises ValidationError of msgspec."""
    return msgspec.structs.replace(msgspec.convert(data, Result), written=written)


# --- Playing a game ----------------------------------------------------------------------------------------


class BotSeat:
    """One bot in one game: its program, its clock, and its turns."""

    def __init__(self, seat: int, program: Program, milliseconds: int) -> None:
        self._seat = seat
        self._program = program
        self.subscription = Subscription.BOTH  # known once it has begun
        self._builder: TurnBuilder | None = None
        self._given = milliseconds
        self._left: float = milliseconds

    @property
    def used(self) -> int:
        """Milliseconds of thinking so far."""
        return round(self._given - self._left)

    def begin(self) -> None:
        """Read its subscription. Raises BotError."""
        with _bot_errors():
            self.subscription = parse_subscription(self._program.first_line())
        self._builder = TurnBuilder(self._seat, self.subscription)

    def record_event(self, state: StandardState, event: Event) -> None:
        """Add an event to the updates of its next turn."""
        assert self._builder is not None
        self._builder.record_event(state, event)

    def choose(self, state: StandardState) -> Draft:
        """Return its move. Raises BotError."""
        assert self._builder is not None
        turn = self._builder.turn(state, int(self._left))
        try:
            line, used = self._program.ask(format_turn(turn), self._left)
        except BotError as error:
            if error.why == "time":
                self._left = 0
            raise
        self._left -= used
        with _bot_errors():
            draft = parse_draft(line)
        try:
            state.check_draft(draft)
        except IllegalEventError as error:
            why = explain_illegal(state, draft, error)
            raise BotError("illegal", f"its move {line!r} is not allowed: {why}") from None
        return draft


@contextmanager
def _bot_errors() -> Iterator[None]:
    """Raise the protocol errors of a bot's lines as BotErrors."""
    try:
        yield
    except ProtocolError as error:
        raise BotError("illegal", error.message) from None


def play(game: Game, logs: Path, core: int | None = None) -> Result:
    """Play a game to its end, or to the first fault of a bot; write what bots log to files in `logs`.

    Both bots run on the processor `core` (None: any), in turns. Raises OSError.
    """
    names = tuple(player.name for player in game.players)
    chosen = Setup(standard.DTC.name, names, game.first)
    with ExitStack() as running:
        programs = [
            running.enter_context(_start_program(game, seat, logs, core)) for seat in range(len(game.players))
        ]
        seats = [BotSeat(seat, program, game.terms.milliseconds) for seat, program in enumerate(programs)]
        events, fault = _play_events(chosen, game, seats)
        for seat, program in enumerate(programs):
            if fault is not None and seat == fault.seat:
                program.close(at_once=True)
            else:
                program.close_input()
    for seat in range(len(seats)):
        log = log_path(game, seat, logs)
        if not log.stat().st_size:
            log.unlink()
    thinking = tuple(seat.used for seat in seats)
    return _result(game, chosen, events, fault, thinking)


def _start_program(game: Game, seat: int, logs: Path, core: int | None) -> Program:
    player = game.players[seat]
    command = player.command_for(f"{game.seed}/{game.first}/{seat}")
    return Program(command, log_path(game, seat, logs), game.terms.limits, core)


def log_path(game: Game, seat: int, logs: Path) -> Path:
    """Return the file for the standard error of a bot in a game."""
    name = re.sub(r"[^\w.-]", "_", game.players[seat].name, flags=re.ASCII)[:60]
    return logs / f"{game.number:04}-{seat + 1}-{name}.err"


def _play_events(chosen: Setup, game: Game, seats: list[BotSeat]) -> tuple[list[Event], Fault | None]:
    """Return the events of a game, and the fault that ended it, if there was one."""
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
                seat.record_event(state, event)
            events.append(event)
            state = state.apply(event)
    except BotError as error:
        return events, Fault(acting, error.why, error.sentence)
    return events, None


def deal(seed: int, number: int, bag: Counts) -> Deal:
    """Return the deal of a round (from 0) for a seed: as equal as the bags are, whoever plays.

    Every game of a seed draws from the same shuffle of all tiles; tiles that are not in the bag are left out.
    """
    tiles = [(colour, copy) for colour in COLOURS for copy in range(TILES_OF_A_COLOUR)]
    random.Random(f"{seed}/{number}").shuffle(tiles)
    drawn = [colour for colour, copy in tiles if copy < bag[colour]]
    displays = standard.DISPLAYS[2]
    return Deal(tuple(count(drawn[4 * display : 4 * display + 4]) for display in range(displays)))


def _result(
    game: Game, chosen: Setup, events: list[Event], fault: Fault | None, thinking: tuple[int, ...]
) -> Result:
    """Return the result of a game, taken from its record as it is read back."""
    forfeit = None if fault is None else Forfeit(fault.seat, fault.why)
    written = record.write(chosen, events, stopped=fault is None, forfeit=forfeit)
    (verified,) = record.read(written.splitlines(keepends=True))
    outcome = verified.outcome
    assert isinstance(outcome, Outcome)
    head = game.number, chosen.players, game.seed, game.first, verified.rounds
    return Result(*head, outcome.scores, outcome.winners, thinking, written, verified.stopped, fault)


# --- Many games, each on a processor core of its own -------------------------------------------------------


class MatchError(Exception):
    """A game could not be played for a reason that is no bot's fault."""


def play_all(
    games: Iterable[Game], logs: Path, jobs: int, executor: Executor | None = None
) -> Generator[Result, None, None]:
    """Play `jobs` games at once and yield their results as they end.

    They run in `executor`, which is shut down at the end; by default in worker processes, a single game at a
    time in this process. Close the generator to kill the games that still run. Raises MatchError.
    """
    calls = (partial(play_on_own_core, game, logs) for game in games)
    try:
        with executor or (WorkerPool(jobs) if jobs > 1 else InlineExecutor()) as pool:
            for _, result in run_all(pool, calls, jobs):
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
    """Yield a core that no other match of this user uses, as far as there are enough of them."""
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
    """Return the descriptor of a lock on a core; None if it is locked or can't be."""
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
