"""The options that several commands share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from device.data_folder import default_data

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

layout_option: Final[Decorator] = click.option(
    "--layout", default="full", show_default=True, metavar="NAME|FILE", help="The table's layout."
)


def data_option(what: str) -> Decorator:
    """The folder of a table; `what` it is to the command."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        default=default_data,
        help=f"{what}  [default: ~/.local/share/azul-table]",
    )


def json_option(what: str = "Print one JSON object.") -> Decorator:
    """Whether programs are to read what is printed."""
    return click.option("--json", "as_json", is_flag=True, help=what)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line wants of the table, beside its layout and its folder."""

    host: str
    port: int
    resin: bool
    phones: str | None
    simulate: str | None
