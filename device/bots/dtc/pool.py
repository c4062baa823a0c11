"""Many games at once, each on a processor core of its own, in processes that end with this one."""

import fcntl
import multiprocessing
import os
import random
import signal
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from device.bots.dtc import supervisor
from device.bots.dtc.match import Game, Result, play


class PoolError(Exception):
    """A game could not be played for a reason that is no bot's fault."""


def cores() -> int:
    """How many games can be played at once without sharing a core."""
    return len(os.sched_getaffinity(0))


def play_all(games: Iterable[Game], logs: Path, jobs: int) -> Generator[Result, None, None]:
    """Play games, so many at once; the results come as the games end. Raises PoolError.

    Closing the generator ends all games in play. It is for the main thread: the games end with the thread
    that began them.
    """
    waiting = list(games)
    jobs = min(jobs, len(waiting))
    if jobs <= 1:
        with own_core() as core:
            for game in waiting:
                yield _played(game, logs, core)
        return
    waiting.reverse()
    with ExitStack() as started:
        workers = [started.enter_context(_worker(logs)) for _ in range(jobs)]
        for worker in workers:
            _send(worker.connection, waiting.pop())
        busy = {worker.connection: worker for worker in workers}
        while busy:
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                result = _received(connection)
                if waiting:
                    _send(connection, waiting.pop())
                else:
                    del busy[connection]
                yield result


def _played(game: Game, logs: Path, core: int | None) -> Result:
    try:
        return play(game, logs, core)
    except OSError as error:
        raise PoolError(f"game {game.number} can't be played here: {error}") from None


# --- Workers ---------------------------------------------------------------------------------------------

_SPAWN: Final = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class _Worker:
    process: SpawnProcess
    connection: "Connection[Game, Result | PoolError]"


@contextmanager
def _worker(logs: Path) -> Iterator[_Worker]:
    """A process that plays the games it is sent; it is killed at the end, and its bots with it."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_work, args=(theirs, logs, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    try:
        yield _Worker(process, ours)
    finally:
        ours.close()
        process.kill()
        process.join()


_KILLED: Final = "a process that plays games was killed"


def _send(connection: "Connection[Game, Result | PoolError]", game: Game) -> None:
    try:
        connection.send(game)
    except OSError:
        raise PoolError(_KILLED) from None


def _received(connection: "Connection[Game, Result | PoolError]") -> Result:
    try:
        result = connection.recv()
    except (EOFError, OSError):  # the latter where its next game was on its way to it
        raise PoolError(_KILLED) from None
    if isinstance(result, PoolError):
        raise result
    return result


def _work(connection: "Connection[Result | PoolError, Game]", logs: Path, parent: int) -> None:
    """In a worker: play what comes, until there is nobody to play for."""
    supervisor.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    if os.getppid() != parent:
        return
    with own_core() as core, suppress(EOFError, OSError):
        while True:
            game = connection.recv()
            try:
                answer: Result | PoolError = _played(game, logs, core)
            except PoolError as error:
                answer = error
            connection.send(answer)


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
