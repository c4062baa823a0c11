"""The command line `azul-table`; each of its commands is a module of `device.commands`, imported on demand.

Exit status: 0 for success, 1 for a fault in the input, 2 for wrong usage.
"""

import io
import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Final

import click

COMMANDS: Final = {
    "play": "Start the table with the hardware that its layout names, and its pages.",
    "join": "Show the QR code, the address and the PIN with which phones join the table.",
    "rules": "Print the rules of a MODE for players, each with its number and an example.",
    "replay": "Verify every game of a record FILE (- is standard input).",
    "review": "Grade every choice of a record FILE (- is standard input).",
    "history": "List the games of a table, the newest first; with N, print the record of game N.",
    "selfplay": "Play games between bots and write their records.",
    "bot": "Run the bot NAME on standard input and output, with the competition's protocol.",
    "match": "Play games of the bot ruleset between A and B.",
    "tournament": "Play a full round robin of the bot ruleset: each pair, each seed, each bot starting once.",
    "firmware": "Install the firmware on the Pico, or show which one runs there.",
    "tags": "Teach, list and forget tags: tiles, players' cards, action cards.",
    "doctor": "Check the table's hardware on this machine, and print how to fix each fault.",
    "selftest": "Test every light, button and reader of the table, one after another.",
    "bench": "Measure how fast this machine is, and compare it with the goals.",
}
"""The commands in the order of the help, with their line there; each is `command` in its own module."""


class Commands(click.Group):
    """A group that imports a command only when it is used: start-up stays short."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"device.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands to the help, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("azul-table"), "--version", message="azul-table %(version)s")
def azul_table() -> None:
    """A table of lights that deals, plays and scores Azul."""


def main() -> None:
    """Run the command line; a fault of the system is reported in one line, without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names may have characters that the terminal can't encode
            stream.reconfigure(errors="backslashreplace")
    try:
        azul_table()
    except OSError as error:
        if error.filename is not None:
            message = f"{error.filename}: {error.strerror}"
        elif error.strerror is not None:  # an error of standard output, such as a full disk
            message = f"standard output can't be written: {error.strerror}"
        else:
            message = str(error)
        click.echo(message, err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes to it again at exit
        sys.exit(1)
