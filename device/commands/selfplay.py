"""`azul-table selfplay`: games between bots, written as verified records."""

import errno
import os
import random
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

import click

from device.bots import selfplay
from device.bots.simple import SIMPLE_BOTS
from device.commands.console import CommandError, counted, file_error
from device.rules import game
from device.rules.errors import SetupError
from device.rules.game import Setup
from device.rules.solo.game import LEVELS, WALLS

RANDOM: Final = "random"
LEVEL: Final = "normal"
WALL: Final = "coloured"


def _bots(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    """Parse names of bots, separated by commas. Raises BadParameter."""
    bots = tuple(value.split(","))
    for bot in bots:
        if bot not in SIMPLE_BOTS:
            raise click.BadParameter(f"there is no bot {bot!r}; the bots are {', '.join(SIMPLE_BOTS)}.")
    return bots


def _first(_: click.Context, __: click.Parameter, value: str) -> int | None:
    """Parse the number of a player; return the seat, or None to draw it. Raises BadParameter."""
    if value == RANDOM:
        return None
    if not re.fullmatch("[1-4]", value):
        raise click.BadParameter(f"{value!r} is neither the number of a player nor {RANDOM!r}.")
    return int(value) - 1


@click.command()
@click.option("--mode", type=click.Choice(game.MODES), default="standard", show_default=True)
@click.option(
    "--players", type=click.IntRange(1, 4), metavar="N", help="Number of players.  [default: 2; in solo 1]"
)
@click.option("--level", type=click.Choice(tuple(LEVELS)), help=f"Solo only.  [default: {LEVEL}]")
@click.option("--wall", type=click.Choice(WALLS), help=f"Solo only: the player wall.  [default: {WALL}]")
@click.option(
    "--games", type=click.IntRange(min=1), metavar="N", default=1, show_default=True, help="Number of games."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="The same seed gives the same bytes.  [default: drawn]",
)
@click.option(
    "--bot",
    "bots",
    metavar="BOT[,BOT...]",
    callback=_bots,
    default="random",
    show_default=True,
    help=f"One for all seats, or one for each: {', '.join(SIMPLE_BOTS)}.",
)
@click.option(
    "--first",
    metavar="1..N|random",
    callback=_first,
    default=RANDOM,
    show_default=True,
    help="The player who starts round 1.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    metavar="N",
    default=selfplay.ROUNDS,
    show_default=True,
    help="A game that is not over by then ends with its bonuses; solo always ends by itself.",
)
@click.option(
    "--out",
    type=click.Path(),
    default="-",
    show_default=True,
    help="The file to write; - is standard output.",
)
def command(
    mode: str,
    players: int | None,
    level: str | None,
    wall: str | None,
    games: int,
    seed: int | None,
    bots: tuple[str, ...],
    first: int | None,
    rounds: int,
    out: str,
) -> None:
    """Play games between bots and write their records.

    Each game is verified by reading its own record back before it counts. A file appears whole or not at all.
    """
    solo = mode == game.SOLO
    seats = players or (1 if solo else max(2, len(bots)))
    if len(bots) not in (1, seats):
        raise click.UsageError(f"--bot names {len(bots)} bots for {seats} players: give one, or {seats}.")
    if first is not None and first >= seats:
        raise click.UsageError(f"--first names player {first + 1} of {seats}.")
    bots = bots if len(bots) == seats else bots * seats
    if solo:
        level, wall = level or LEVEL, wall or WALL
    names = tuple(f"{bot} {seat}" for seat, bot in enumerate(bots, start=1))
    chosen = Setup(mode, names, first or 0, level, wall)
    try:
        game.setup(chosen)
    except SetupError as error:
        raise click.UsageError(f"{error}.") from None
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    chance = random.Random(seed)

    def below(number: int) -> int:
        return int(chance.random() * number)

    try:
        with _written_whole(out) as stream, _counted(games, out) as numbers:
            for _ in numbers:
                each = replace(chosen, first=below(seats)) if first is None else chosen
                stream.write(selfplay.play(each, [SIMPLE_BOTS[name] for name in bots], below, rounds).written)
                stream.flush()
    except selfplay.SelfplayError as error:
        raise CommandError(f"{error} (seed {seed}): a fault of this program, please report it") from None
    if out != "-":
        name, many = click.format_filename(out), counted(games, "game")
        click.echo(f"{many} verified and written to {name} (seed {seed})", err=True)


@contextmanager
def _counted(games: int, out: str) -> Iterator[Iterable[int]]:
    """Yield the numbers of the games, with a progress bar on a terminal."""
    if not sys.stderr or not sys.stderr.isatty() or (out == "-" and sys.stdout.isatty()):
        yield range(games)
        return
    with click.progressbar(range(games), label="Playing", file=sys.stderr) as bar:
        yield bar


@contextmanager
def _written_whole(out: str) -> Iterator[BinaryIO]:
    """Yield a file that gets its name when it is complete. Raises CommandError."""
    if out == "-":
        if sys.stdout is None:
            raise CommandError("standard output is closed")
        yield sys.stdout.buffer
        return
    target = Path(out)
    try:
        if target.exists() and not target.is_file():  # a device or a pipe; a directory fails here
            with target.open("wb") as stream:
                yield stream
        else:
            with _replacing(target.resolve()) as stream:
                yield stream
    except OSError as error:
        raise file_error(out, "written", error) from None


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces the target when it is complete. Raises OSError."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.with_name(f".azul-table-{os.getpid()}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
