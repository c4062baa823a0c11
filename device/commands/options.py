"""The options that several commands share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from device.data_folder import default_data

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

SERVICE: Final = Path("/etc/azul-table/service.conf")


def installed_layout() -> str:
    """The layout that the service of this machine plays; `full` where there is none."""
    try:
        found = re.search(r"^LAYOUT=(\S+)", SERVICE.read_text("utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return "full"
    return found[1].strip("\"'") if found else "full"


def layout_option(what: str = "The table's layout.") -> Decorator:
    """Which table it is."""
    told = f"{what}  [default: that of this machine's service, else full]"
    return click.option("--layout", default=installed_layout, metavar="NAME|FILE", help=told)


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
