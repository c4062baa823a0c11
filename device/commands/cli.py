"""The command `azul-table`; each of its commands is a module of `device.commands`, imported when wanted.

Exit status 0 when all is well, 1 for a fault in what was given, 2 for wrong usage.
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
    "rules": "Print the rules of a MODE for players, each with its number and an example.",
    "replay": "Verify every game of a record FILE (- is standard input).",
    "review": "Grade every choice of a record FILE (- is standard input).",
    "history": "List the games of a table, the newest first; with N, print the record of game N.",
    "selfplay": "Play games between bots and write their records.",
    "bot": "Be the bot NAME on standard input and output, as the competition's protocol says.",
    "match": "Play games of the bot ruleset between A and B.",
    "tournament": "Play a full round robin of the bot ruleset: each pair, each seed, each bot starting once.",
    "firmware": "Put the firmware on the Pico, or ask what runs there.",
    "tags": "Teach the table what tags mean: tiles, players' cards, action cards.",
    "doctor": "Say what the table's hardware lacks on this machine, and what mends it.",
    "selftest": "Walk through every light, and ask for every button and reader.",
    "bench": "Measure how fast this machine is, and compare it with the goals.",
}
"""In the order of the help, with the line that stands there; each is `command` in the module of its name."""


class Commands(click.Group):
    """A group that imports a command only when it is wanted, so that none pays for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"device.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands to the help, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("azul-table"), "--version", message="azul-table %(version)s")
def azul_table() -> None:
    """A table of lights that deals, plays and scores Azul."""


def main() -> None:
    """Run the command line; no fault of what was given ends in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name may hold what the terminal can't show
            stream.reconfigure(errors="backslashreplace")
    try:
        azul_table()
    except OSError as error:
        if error.filename is not None:
            told = f"{error.filename}: {error.strerror}"
        elif error.strerror is not None:  # standard output took no more: the disk is full, for one
            told = f"standard output can't be written: {error.strerror}"
        else:
            told = str(error)
        click.echo(told, err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python, on leaving, would try the same once more
        sys.exit(1)
