"""The console of the commands: options that several share, errors, the log, progress bars and text tables."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import click

from device.runtime.data_folder import default_data_folder

# --- Options ---------------------------------------------------------------------------------------------

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

SERVICE: Final = Path("/etc/azul-table/service.conf")  # it names the layout of this machine's service


def installed_layout(service: Path = SERVICE) -> str:
    """Return the layout of this machine's service, or `full` if there is no service."""
    try:
        found = re.search(r"^LAYOUT=(\S+)", service.read_text("utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return "full"
    return found[1].strip("\"'") if found else "full"


def layout_option(text: str = "The table's layout.") -> Decorator:
    """Return the option --layout; `text` is its help."""
    text += "  [default: that of this machine's service, else full]"
    return click.option("--layout", default=installed_layout, metavar="NAME|FILE", help=text)


def data_option(text: str) -> Decorator:
    """Return the option --data, the data folder of a table; `text` is its help."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        default=default_data_folder,
        help=f"{text}  [default: ~/.local/share/azul-table]",
    )


def json_option(text: str = "Print one JSON object.") -> Decorator:
    """Return the option --json; `text` is its help."""
    return click.option("--json", "as_json", is_flag=True, help=text)


# --- Errors and messages ---------------------------------------------------------------------------------


class CommandError(click.ClickException):
    """A fault in the input: its message goes to standard error, and the exit status is 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, without click's prefix."""
        click.echo(self.message, file=file, err=True)


@contextmanager
def reported(*errors: type[Exception]) -> Iterator[None]:
    """Catch errors of these types. Raises CommandError with their messages."""
    try:
        yield
    except errors as error:
        raise CommandError(str(error)) from error


def file_error(file: str, access: str, error: OSError) -> CommandError:
    """Return the error that a file can't be `read`, `written` or `used`."""
    return CommandError(f"{printable_file(file)}: can't be {access}: {error.strerror or error}")


def printable_file(file: str) -> str:
    """Return the name of a file for a message; `-` is standard input or output."""
    return click.format_filename(file) or "''"


def printable(name: str) -> str:
    """Replace control characters, so that a name can't send line breaks or escape codes to the terminal."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 game` or `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def log(sentence: str) -> None:
    """Write a line to standard error; do nothing where that fails (a full disk, a closed pipe)."""
    with suppress(OSError, ValueError):
        click.echo(printable(sentence), err=True)


# --- Progress and tables ---------------------------------------------------------------------------------

T = TypeVar("T")


@contextmanager
def progress(
    results: Iterable[T], length: int, done: int = 0, label: str = "Playing"
) -> Iterator[Iterable[T]]:
    """Iterate over results as they come, with a progress bar if standard error is a terminal.

    `length` is how many there are in all, `done` how many of them are there already.
    """
    if not sys.stderr or not sys.stderr.isatty():
        yield results
        return
    with click.progressbar(results, length=length, label=label, file=sys.stderr, show_pos=True) as bar:
        bar.update(done)
        yield bar


def columns(table: Iterable[Iterable[object]], left: Iterable[int]) -> str:
    """Return rows as lines of text with aligned columns: to the left if in `left`, else to the right."""
    rows = [list(map(str, row)) for row in table]
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
