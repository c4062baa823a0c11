"""How the commands speak: faults, files and players in a message, a progress bar, tables in plain text."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import click

from device.runtime.data_folder import default_data_folder

# --- The options that several commands share -------------------------------------------------------------

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
        default=default_data_folder,
        help=f"{what}  [default: ~/.local/share/azul-table]",
    )


def json_option(what: str = "Print one JSON object.") -> Decorator:
    """Whether programs are to read what is printed."""
    return click.option("--json", "as_json", is_flag=True, help=what)


# ----------------------------------------------------------------------------------------------------------

T = TypeVar("T")


class CommandError(click.ClickException):
    """A fault in what was given: its message on standard error, and exit status 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, nothing before it."""
        click.echo(self.message, file=file, err=True)


def file_error(file: str, doing: str, error: OSError) -> CommandError:
    """The fault that a file can't be read or written."""
    return CommandError(f"{printable_file(file)}: can't be {doing}: {error.strerror or error}")


def printable_file(file: str) -> str:
    """A file's name for a message; `-` is standard input or output."""
    return click.format_filename(file) or "''"


def printable(name: str) -> str:
    """A name as one line that leaves the terminal alone."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name
    )


def log(sentence: str) -> None:
    """Write a line to standard error; do nothing where that fails (a full disk, a closed pipe)."""
    with suppress(OSError, ValueError):
        click.echo(printable(sentence), err=True)


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
