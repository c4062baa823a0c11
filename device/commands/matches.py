"""What `match` and `tournament` share: their options, and words for their tables."""

from pathlib import Path
from typing import Final

import click

from device.bots.contestants import Contestant, ContestantError, contestants
from device.bots.match import MILLISECONDS, Result
from device.bots.pool import cores
from device.commands import options
from device.commands.console import printable
from device.commands.options import Decorator
from device.data_folder import default_data

time_option: Final[Decorator] = click.option(
    "--time",
    "milliseconds",
    type=click.IntRange(1, 86_400_000),
    metavar="MS",
    default=MILLISECONDS,
    show_default=True,
    help="What each bot may think in a game; only its own turns count.",
)
json_option: Final = options.json_option("Print one JSON object, no table.")


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
    return default_data() / kind
