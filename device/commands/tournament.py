"""`azul-table tournament`: a full round robin of bots that can be resumed."""

import json
from collections.abc import Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Final

import click

from device.bots.dtc.match import Game, MatchError, Player, Terms, play_all
from device.bots.dtc.tournament import (
    SEEDS,
    ResultsError,
    ResultsFolder,
    Standing,
    folder_name,
    schedule,
    standings,
    tournament_settings,
)
from device.commands.console import CommandError, columns, file_error, printable, progress
from device.commands.match import jobs_option, json_option, players_of, seconds, time_option
from device.runtime.data_folder import default_data_folder

FOLDER: Final = "tournaments"


@click.command()
@click.argument("players", nargs=-1, required=True, metavar="BOT...", callback=players_of)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    metavar="N",
    default=SEEDS,
    show_default=True,
    help="Deals for each pair, with two games each.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="S", default=1, show_default=True, help="The first seed."
)
@time_option
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the games.  [default: one for this tournament, in the data folder]",
)
@jobs_option(None)
@json_option
def command(
    players: tuple[Player, ...],
    seeds: int,
    seed: int,
    milliseconds: int,
    folder: Path | None,
    jobs: int,
    *,
    as_json: bool,
) -> None:
    """Play a full round robin of the bot ruleset: each pair, each seed, each bot starting once.

    A BOT is a built-in bot or the command line of a program, as in `match`. A win is worth 2 points, a tie 1;
    equal points go by game points. The same command resumes after an interruption, and shows the standings
    when all games are played.
    """
    if len(players) < 2:
        raise click.UsageError("a tournament needs two bots at least.")
    numbers = range(seed, seed + seeds)
    terms = Terms(milliseconds)
    settings = tournament_settings(players, numbers, terms, version("azul-table"))
    folder = folder or default_data_folder() / FOLDER / folder_name(settings)
    games = schedule(players, numbers, terms)
    try:
        with ResultsFolder(folder, settings) as kept:
            _play(games, kept, jobs)
            table = standings([player.name for player in players], kept.results)
            data = {"games": len(games), "standings": [line.in_json() for line in table]}
            kept.finish(data)
    except ResultsError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise file_error(str(folder), "used", error) from None
    click.echo(json.dumps(data, separators=(",", ":")) if as_json else in_words(table), nl=as_json)
    click.echo(f"games: {click.format_filename(folder)}", err=True)


def _play(games: list[Game], kept: ResultsFolder, jobs: int) -> None:
    """Play the games that the folder does not have yet."""
    done = {result.number for result in kept.results}
    left = [game for game in games if game.number not in done]
    try:
        with (
            closing(play_all(left, kept.logs, jobs)) as played,
            progress(played, len(games), len(done)) as counted,
        ):
            for result in counted:
                kept.add(result)
    except (KeyboardInterrupt, MatchError) as stopped:
        why = str(stopped) or "interrupted"
        done_now = f"{len(kept.results)} of {len(games)} games are kept; the same command resumes"
        raise CommandError(f"{why}; {done_now}") from None


def in_words(table: Sequence[Standing]) -> str:
    """Return the standings as a table, the best first."""
    counts = ["points", "game points", "games", "won", "tied", "lost", "faults"]
    return columns([["", "bot", *counts, "rating", "thinking a game"], *map(_row, table)], left=(1,))


def _row(line: Standing) -> list[object]:
    counts = line.points, line.game_points, line.games, line.won, line.tied, line.lost, line.faults
    rating = f"{line.rating.points:+.0f} \N{PLUS-MINUS SIGN} {line.rating.error:.0f}"
    return [line.place, printable(line.name), *counts, rating, seconds(line.thinking / max(1, line.games))]
