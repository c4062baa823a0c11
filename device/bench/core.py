"""How fast the bots' core is: random games a second, and how that compares with plain C."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from device.bench.figure import Figure
from device.bots.compiled_core import is_compiled
from device.bots.core import position
from device.bots.core.position import Position

GOAL: Final = 2_000
"""Games in a second, uncompiled as well."""
CEILING_GOAL: Final = 0.7
"""The compiled core's part of what plain C reaches."""
PLAYERS: Final = (2, 4)
ROUNDS: Final = 5
"""Each side is measured so often in turn, and the best of each counts: others use the machine, too."""


class CeilingError(RuntimeError):
    """The program to compare with can't be compiled, or does not tell what it reached."""


def measure(seconds: float, clock: Callable[[], float], ceiling: Path | None = None) -> Iterator[Figure]:
    """Random standard games a second; with the source of `ceiling.c`, as a part of what that reaches here.

    Both are measured in turn on one and the same processor. `ceiling.c` is called with a number of games and
    of players and prints `N games/s`. Raises CeilingError.
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
            yield Figure(name, ours, "games a second", GOAL, at_least=True)
            if theirs and compiled:
                name = f"{name}, against plain C"
                yield Figure(name, ours / theirs, "times as fast", CEILING_GOAL, at_least=True)


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
        subprocess.run(
            [compiler, "-O3", "-march=native", "-o", program, ceiling],
            check=True,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise CeilingError(f"{compiler}, the C compiler: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise CeilingError(f"{ceiling} is not compiled: {error.stderr.strip()}") from None
    return program


def _ceiling_rate(program: Path, players: int, seconds: float) -> float:
    """What it reaches in about so many seconds, as it reports itself."""
    games = max(1000, int(seconds * 100_000))
    told = subprocess.run([program, str(games), str(players)], check=False, capture_output=True, text=True)
    found = re.search(r"(\d+) games/s", told.stdout)
    if told.returncode or found is None:
        raise CeilingError(f"the ceiling program tells no games/s: {told.stdout.strip() or told.returncode}")
    return float(found[1])


@contextmanager
def _one_processor() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
