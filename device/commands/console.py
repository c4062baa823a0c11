"""How the commands speak: faults, files and players in a message, a progress bar, tables in plain text."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

import click

T = TypeVar("T")


class Refused(click.ClickException):
    """A fault in what was given: its message on standard error, and exit status 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, nothing before it."""
        click.echo(self.message, file=file, err=True)


def unusable(file: str, doing: str, error: OSError) -> Refused:
    """The fault that a file can't be read or written."""
    return Refused(f"{shown_file(file)}: can't be {doing}: {error.strerror or error}")


def shown_file(file: str) -> str:
    """A file's name for a message; `-` is standard input or output."""
    return click.format_filename(file) or "''"


def printable(name: str) -> str:
    """A name as one line that leaves the terminal alone."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name
    )


def say(sentence: str) -> None:
    """Tell whoever runs the table; where that can't be written (a full disk, a closed pipe), nobody."""
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
