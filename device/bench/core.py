"""Speed of the bots' core: random games a second, also in comparison with a program in C."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from device.bench.figure import BenchError, Figure
from device.bots.compiled_core import is_compiled
from device.bots.core import position
from device.bots.core.position import Position

GOAL: Final = 2_000  # games a second, uncompiled as well
CEILING_GOAL: Final = 0.7  # part of the speed of plain C that the compiled core should reach
PLAYERS: Final = (2, 4)
ROUNDS: Final = 5
"""Measurements of each side, in turn; the best counts, because other programs use the machine, too."""


def measure(seconds: float, clock: Callable[[], float], ceiling: Path | None = None) -> Iterator[Figure]:
    """Yield random standard games a second; with the source `ceiling` in C, also as a part of its speed.

    Both are measured in turn on the same processor core. The program is called with a number of games and of
    players and prints `N games/s`. Raises BenchError if it can't be compiled or does not print that.
    """
    compiled = is_compiled(position)
    kind = "compiled" if compiled else "uncompiled"
    with _one_processor(), tempfile.TemporaryDirectory() as folder:
        program = None if ceiling is None else _built(ceiling, Path(folder))
        part = seconds / ROUNDS / len(PLAYERS) / (1 if program is None else 2)
        for players in PLAYERS:
            ours = theirs = 0.0
            for _ in range(ROUNDS):
                ours = max(ours, _rate(players, part, clock))
                if program is not None:
                    theirs = max(theirs, _ceiling_rate(program, players, part))
            name = f"core, {kind}, random standard games of {players}"
            yield Figure(name, ours, "games a second", GOAL)
            if theirs and compiled:
                name = f"{name}, against plain C"
                yield Figure(name, ours / theirs, "times as fast", CEILING_GOAL)


def _rate(players: int, seconds: float, clock: Callable[[], float]) -> float:
    game = Position(players, seed=players)
    games = 0
    start = clock()
    while (spent := clock() - start) < seconds:
        for _ in range(20):
            game.clear(games % players)
            game.random_game()
            games += 1
    return games / spent


def _built(ceiling: Path, folder: Path) -> Path:
    program = folder / "ceiling"
    compiler = os.environ.get("CC", "cc")
    try:
        command = [compiler, "-O3", "-march=native", "-o", str(program), str(ceiling)]
        subprocess.run(command, check=True, capture_output=True, text=True)
    except OSError as error:
        raise BenchError(f"{compiler}, the C compiler: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise BenchError(f"{ceiling} is not compiled: {error.stderr.strip()}") from None
    return program


def _ceiling_rate(program: Path, players: int, seconds: float) -> float:
    """Return the speed that the program reports when it runs for about so many seconds."""
    games = max(1000, int(seconds * 100_000))
    ran = subprocess.run([program, str(games), str(players)], check=False, capture_output=True, text=True)
    found = re.search(r"(\d+) games/s", ran.stdout)
    if ran.returncode or found is None:
        raise BenchError(f"the ceiling program prints no games/s: {ran.stdout.strip() or ran.returncode}")
    return float(found[1])


@contextmanager
def _one_processor() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
