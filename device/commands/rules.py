"""The command `azul-table rules`: print the rules of a mode for players."""

import textwrap
import tomllib
from importlib.resources import files
from typing import Final

import click

from device.rules import game
from device.rules.standard import STANDARD

WIDTH: Final = 88


@click.command()
@click.argument("mode", type=click.Choice(game.MODES, case_sensitive=False))
def command(mode: str) -> None:
    """Print the rules of a MODE for players, each with its number and an example."""
    text = files("web_ui.text").joinpath("rules", "en", f"{mode}.toml").read_text("utf-8")
    page = tomllib.loads(text)
    click.echo(page["title"] + "\n")
    click.echo(textwrap.fill(page["intro"], WIDTH))
    if mode in game.RULESETS and mode != STANDARD.name:
        click.echo(f"All other rules: azul-table rules {STANDARD.name}")
    for rule in page["rule"]:
        click.echo()
        click.echo(_indented(f"{rule['number']:<4} {rule['says']}"))
        click.echo(_indented(f"     For example: {rule['example']}"))


def _indented(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * 5)
