"""`azul-table bench`: the figures that the project promises, measured here and now."""

import random
import time
from collections.abc import Iterable

import click

from device.bench.figure import Figure
from device.rules import game


@click.group()
def command() -> None:
    """Measure how fast this machine is, and compare it with the goals."""


def show(figures: Iterable[Figure], *, as_json: bool) -> None:
    """Print figures, one a line."""
    for figure in figures:
        click.echo(figure.in_json() if as_json else figure.in_words())


@command.command()
@click.option("--mode", type=click.Choice(game.MODES), default="standard", show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True, metavar="S")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each figure.")
def rules(mode: str, seconds: float, *, as_json: bool) -> None:
    """Random games of two, or of one in solo, and the verifying of records.

    Drafts a second count finding what is legal, applying it, deals and scoring. Half the time goes to each.
    """
    from device.bench.rules import drafting, verifying

    chance = random.Random(1)
    solo = game.Setup(mode, ("Ana",), level="normal", wall="coloured")
    chosen = solo if mode == game.SOLO else game.Setup(mode, ("Ana", "Rui"))
    for measure in (drafting, verifying):
        figure = measure(chosen, seconds / 2, time.perf_counter, lambda number: int(chance.random() * number))
        show([figure], as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each figure.")
def lights(seconds: float, *, as_json: bool) -> None:
    """Milliseconds for a frame of all lights of the full table, in random games of four."""
    from device.bench.lights import measure
    from hardware.layout import read_layout

    figure = measure(read_layout("full"), seconds, time.perf_counter, random.Random(1).randrange)
    show([figure], as_json=as_json)


@command.command()
@click.option("--seconds", type=click.FloatRange(min=1), default=10.0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each figure.")
def table(seconds: float, *, as_json: bool) -> None:
    """The whole appliance: press to light, press to phone, start, memory, and the processor while idle."""
    from device.bench.table import measure

    show(measure(seconds), as_json=as_json)
