"""What `match` and `tournament` share: their options, a progress bar, and tables in plain text."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import click

from device.bots.contestants import Contestant, ContestantError, contestants
from device.bots.match import MILLISECONDS, Result
from device.bots.pool import cores
from device.commands.console import printable

T = TypeVar("T")
Decorator = Callable[[Callable[..., None]], Callable[..., None]]

time_option: Final[Decorator] = click.option(
    "--time",
    "milliseconds",
    type=click.IntRange(1, 86_400_000),
    metavar="MS",
    default=MILLISECONDS,
    show_default=True,
    help="What each bot may think in a game; only its own turns count.",
)
json_option: Final[Decorator] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object, no table."
)


def jobs_option(default: int | None) -> Decorator:
    """How many games are played at once; None: as many as there are cores."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 1000),
        metavar="N",
        default=default or cores,
        show_default="one for each core" if default is None else True,
        help="Games played at once; more than there are cores falsifies the clocks.",
    )


def players_of(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[Contestant, ...]:
    """The contestants that the words of a command line name."""
    try:
        return contestants(texts)
    except ContestantError as error:
        raise click.BadParameter(f"{error}.", param=parameter) from None


@contextmanager
def progress(found: Iterable[T], length: int, done: int = 0, label: str = "Playing") -> Iterator[Iterable[T]]:
    """Go through results as they come, with a bar where somebody looks on."""
    if not sys.stderr or not sys.stderr.isatty():
        yield found
        return
    with click.progressbar(found, length=length, label=label, file=sys.stderr, show_pos=True) as bar:
        bar.update(done)
        yield bar


def columns(rows: Sequence[Sequence[str]], left: Iterable[int]) -> str:
    """Rows as lines with their columns under one another: those in `left` begin, the others end, in line."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    at_left = set(left)
    return "".join(
        "  ".join(
            cell.ljust(width) if number in at_left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )


def fault_in_words(result: Result) -> str:
    """Whose fault ended a game, and what it was."""
    fault = result.fault
    if fault is None:
        return "stopped by the limit of rounds" if result.stopped else ""
    return f"{printable(result.names[fault.seat])}: {fault.sentence}"


def seconds(milliseconds: float) -> str:
    """A time for a table."""
    return f"{milliseconds / 1000:.2f} s"


def default_folder(kind: str) -> Path:
    """Where results are kept unless the command says otherwise."""
    from device.commands.play import default_data

    return default_data() / kind
