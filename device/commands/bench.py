"""`azul-table bench`: measurements of this machine against the project's goals."""

import random
import time
from collections.abc import Iterable
from pathlib import Path

import click

from device.bench.figure import Figure
from device.commands.console import CommandError, json_option
from device.rules import game

_json = json_option("Print one JSON object for each figure.")


@click.group()
def command() -> None:
    """Measure how fast this machine is, and compare it with the goals."""


def show(figures: Iterable[Figure], *, as_json: bool) -> None:
    """Print figures as they are measured, one a line. Raises CommandError if a measurement fails."""
    from device.bench.figure import BenchError
    from hardware.api import HardwareError

    try:
        for figure in figures:
            click.echo(figure.in_json() if as_json else figure.in_words())
    except (HardwareError, BenchError) as error:
        raise CommandError(str(error)) from None


@command.command()
@click.option("--mode", type=click.Choice(game.MODES), default="standard", show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True, metavar="S")
@_json
def rules(mode: str, seconds: float, *, as_json: bool) -> None:
    """Random games of two players, or of one in solo, and the verification of records.

    Drafts a second include finding the legal drafts, applying one, deals and scoring. Half the time for each.
    """
    from device.bench.rules import drafting, verifying

    chance = random.Random(1)
    solo = game.Setup(mode, ("Ana",), level="normal", wall="coloured")
    chosen = solo if mode == game.SOLO else game.Setup(mode, ("Ana", "Rui"))
    terms = chosen, seconds / 2, time.perf_counter, lambda number: int(chance.random() * number)
    show((measure(*terms) for measure in (drafting, verifying)), as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True)
@_json
def lights(seconds: float, *, as_json: bool) -> None:
    """The time to compute a frame of the full table, and how smoothly its lights move, at which cost.

    Frames a second and processor time are measured while a game waits for a draft: on the simulated table, by
    SPI to a device without lights, and on a simulated Pico.
    """
    from device.bench.lights import measure

    show(measure(seconds, random.Random(1).randrange), as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(min=1), default=10.0, show_default=True)
@_json
def table(seconds: float, *, as_json: bool) -> None:
    """The whole appliance: press to light, press to phone, start, memory, and the processor meanwhile."""
    from device.bench.table import measure

    show(measure(seconds), as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(min=1), default=20.0, show_default=True, metavar="S")
@click.option(
    "--axe",
    type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path),
    metavar="FILE",
    help="axe.min.js of axe-core: look for barriers on every page, theme and size, too.",
)
@_json
def pages(seconds: float, axe: Path | None, *, as_json: bool) -> None:
    """The pages in Chromium: layout shifts, latency, bytes, the first view, and silence that is noticed.

    Needs Chromium and Playwright, which come with the test tools (`make test-setup`). Games are played for
    S seconds at each size of the pages, and to measure each latency.
    """
    from device.bench.pages import measure

    show(measure(seconds, axe), as_json=as_json)


@command.command("input")
@click.option("--presses", type=click.IntRange(1, 100_000), default=200, show_default=True)
@_json
def input_(presses: int, *, as_json: bool) -> None:
    """From a button of the simulated Pico to the bytes on its strips, with all 338 lights.

    The firmware runs in a real MicroPython; the time on the strips' wire is in it.
    """
    from device.bench.bridge import input_to_light

    show(map(input_to_light, [presses]), as_json=as_json)


@command.command()
@click.option(
    "--before",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The source tree of an earlier version: `git worktree add FOLDER COMMIT`.",
)
@click.option("--turns", type=click.IntRange(1, 1000), default=5, show_default=True)
@_json
def firmware(before: Path | None, turns: int, *, as_json: bool) -> None:
    """How long the Pico's firmware computes, in MicroPython under Node.js: no figures of a chip.

    For frames that change all 338 lights or 60 of them, and for a round of its loop without input. With
    --before it is compared, in the same MicroPython, with an earlier firmware and what its host sends.
    """
    from device.bench.firmware import HERE, measure

    show(measure((before, HERE) if before else (HERE,), turns), as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True, metavar="S")
@click.option("--frames", type=click.IntRange(1, 100_000_000), default=1_000_000, show_default=True)
@_json
def bridge(seconds: float, frames: int, *, as_json: bool) -> None:
    """The line to the Pico: frames of light a second, its return, and a line that damages frames.

    The first two are taken on a simulated Pico. For the last both sides of the protocol talk over a line that
    damages one frame in a thousand, in a time of their own; a million frames take some minutes.
    """
    from device.bench.bridge import measure

    show(measure(seconds, frames), as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=10.0, show_default=True, metavar="S")
@click.option(
    "--ceiling",
    type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path),
    metavar="FILE.c",
    help="A program in plain C to compare with: called with a number of games and of players, it prints"
    " `N games/s`. It is compiled here and measured in turn with the core, on the same processor.",
)
@click.option("--uncompiled", is_flag=True, help="Measure the core as Python, even if it is compiled.")
@_json
def core(seconds: float, ceiling: Path | None, *, uncompiled: bool, as_json: bool) -> None:
    """Random games a second of the bots' core, for two and for four players."""
    from device.bots.compiled_core import use_sources

    if uncompiled:
        use_sources()
    from device.bench.core import measure

    show(measure(seconds, time.perf_counter, ceiling), as_json=as_json)


def _matches(_: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    from device.bench.bots import MATCHES

    for name in names:
        if name not in MATCHES:
            known = ", ".join(MATCHES)
            raise click.BadParameter(f"there is no figure {name!r}; there are {known}.", param=parameter)
    return names


@command.command()
@click.argument("names", nargs=-1, metavar="[FIGURE]...", callback=_matches)
@click.option(
    "--part",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Part of the games that the figures need to be exact; 1 takes hours.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the deals.")
@_json
def bots(names: tuple[str, ...], part: float, seed: int, *, as_json: bool) -> None:
    """Strength of the opponents: all figures, or only those of these names.

    greedy (against random), strong (against greedy), master (against strong), gray (strong against greedy),
    three and four (master against greedies), solo (master, 1 s a choice), solo-0.1 and solo-10. The time of a
    move is the processor's, so that other programs on this machine do not weaken a bot.
    """
    from device.bench.bots import measure

    show(measure(time.process_time, part, names, seed), as_json=as_json)
