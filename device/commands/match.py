"""`azul-table match`: games between two bots, built-in or programs, under the competition's terms."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from device.bots.dtc.match import (
    MILLISECONDS,
    Game,
    MatchError,
    Player,
    PlayerError,
    Result,
    Terms,
    parse_players,
    play_all,
)
from device.bots.dtc.tournament import standings, win_share
from device.bots.workers import cores
from device.commands import console
from device.commands.console import CommandError, Decorator, columns, file_error, printable, progress
from device.runtime.data_folder import default_data_folder

# --- Shared with `tournament`: options and columns ------------------------------------------------------

time_option: Final[Decorator] = click.option(
    "--time",
    "milliseconds",
    type=click.IntRange(1, 86_400_000),
    metavar="MS",
    default=MILLISECONDS,
    show_default=True,
    help="Thinking time of each bot in a game, on its own turns only.",
)
json_option: Final = console.json_option("Print one JSON object, no table.")


def jobs_option(
    default: int | None, text: str = "Games played at once; more games than cores distort the clocks."
) -> Decorator:
    """Return the option --jobs; `text` is its help. None as default: one for each core."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 1000),
        metavar="N",
        default=default or cores,
        show_default="one for each core" if default is None else True,
        help=text,
    )


def players_of(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[Player, ...]:
    """Parse the players of a command line. Raises BadParameter."""
    try:
        return parse_players(texts)
    except PlayerError as error:
        raise click.BadParameter(f"{error}.", param=parameter) from None


def fault_in_words(result: Result) -> str:
    """Return which bot's fault ended a game, and the fault."""
    fault = result.fault
    if fault is None:
        return "stopped by the limit of rounds" if result.stopped else ""
    return f"{printable(result.names[fault.seat])}: {fault.sentence}"


def seconds(milliseconds: float) -> str:
    """Format milliseconds as seconds."""
    return f"{milliseconds / 1000:.2f} s"


# --- The command -------------------------------------------------------------------------------------------

FOLDER: Final = "matches"


@click.command()
@click.argument("players", nargs=2, metavar="A B", callback=players_of)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="S",
    help="Seed of the deals: two games each, both bots starting once; then S+1.  [default: drawn]",
)
@time_option
@click.option("--games", type=click.IntRange(min=1), metavar="N", default=1, show_default=True)
@click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="RESULT",
    help="File for the records of all games; it is replaced if it exists.  [default: in the data folder]",
)
@jobs_option(1)
@json_option
def command(
    players: tuple[Player, ...],
    seed: int | None,
    milliseconds: int,
    games: int,
    file: Path | None,
    jobs: int,
    *,
    as_json: bool,
) -> None:
    """Play games of the bot ruleset between A and B.

    Each is a built-in bot, such as greedy, or strong@100 to think 100 ms a move, or the command line of a
    program that speaks the competition's protocol, such as "python3 bot.py"; NAME= before it names it. A
    time-out, an illegal move or a crash loses the game with -50 points. The bots' standard error
    is kept beside RESULT.
    """
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    terms = Terms(milliseconds)
    to_play = [Game(game + 1, players, seed + game // 2, game % 2, terms) for game in range(games)]
    file = file or _default_file(players)
    results: list[Result] = []
    try:
        _play(to_play, file, jobs, results)
    except KeyboardInterrupt:
        raise CommandError(f"interrupted after {len(results)} of {games} games; they are in {file}") from None
    names = [player.name for player in players]
    click.echo(in_json(names, results) if as_json else in_words(names, results), nl=as_json)
    click.echo(f"records: {click.format_filename(file)}", err=True)


def _default_file(players: Sequence[Player]) -> Path:
    names = "-".join(re.sub(r"[^\w.@]+", "_", player.name, flags=re.ASCII)[:40] for player in players)
    return default_data_folder() / FOLDER / f"{datetime.now():%Y-%m-%d-%H%M%S}-{names}.jsonl"


def _play(games: list[Game], file: Path, jobs: int, results: list[Result]) -> None:
    """Play the games, and write each record as soon as those before it are written."""
    logs = file.with_name(f"{file.name}.logs")
    try:
        logs.mkdir(parents=True, exist_ok=True)
        with (
            file.open("wb") as stream,
            closing(play_all(games, logs, jobs)) as played,
            progress(_in_order(played), len(games)) as counted,
        ):
            for log in logs.glob("*.err"):  # of the match whose records are replaced
                log.unlink()
            for result in counted:
                stream.write(result.written)
                stream.flush()
                results.append(result)
    except OSError as error:
        raise file_error(str(file), "written", error) from None
    except MatchError as error:
        raise CommandError(f"{error}; {len(results)} games are in {file}") from None
    finally:
        with suppress(OSError):
            logs.rmdir()  # if no bot wrote a log


def _in_order(results: Iterable[Result]) -> Iterator[Result]:
    """Yield results in the order of their game numbers, as far as none is missing."""
    early: dict[int, Result] = {}
    due = 1
    for result in results:
        early[result.number] = result
        while due in early:
            yield early.pop(due)
            due += 1


def in_json(names: Sequence[str], results: Sequence[Result]) -> str:
    """Return the match as a JSON object in one line."""
    data = {
        "games": [result.in_json() for result in results],
        "standings": [line.in_json() for line in standings(names, results)],
    }
    return json.dumps(data, separators=(",", ":"))


def in_words(names: Sequence[str], results: Sequence[Result]) -> str:
    """Return the match as two tables: all games, and the totals of both bots."""
    shown = [printable(name) for name in names]
    games: list[list[object]] = [["game", "seed", "starts", *shown, "rounds", "winner", ""]]
    for result in results:
        winner = shown[result.winners[0]] if len(result.winners) == 1 else "tie"
        head = result.number, result.seed, shown[result.first]
        games.append([*head, *result.scores, result.rounds, winner, fault_in_words(result)])
    totals: list[list[object]] = [
        ["", "points", "won", "tied", "lost", "of all points", "game points", "faults", "thinking a game"]
    ]
    for line in sorted(standings(names, results), key=lambda line: names.index(line.name)):
        least, most = win_share(line.points / 2, line.games)
        counts = printable(line.name), line.points, line.won, line.tied, line.lost
        share = f"{line.points / 2 / line.games:.1%} ({least:.1%} to {most:.1%})"
        totals.append([*counts, share, line.game_points, line.faults, seconds(line.thinking / line.games)])
    return f"{columns(games, left=(2, 6, 7))}\n{columns(totals, left=(0,))}"
