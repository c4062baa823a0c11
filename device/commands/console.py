"""What the commands share: how they name a fault, and files and players in a message."""

from typing import IO, Any

import click


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
