"""The command `azul-table history`: list the games of a table, or print the record of one."""

import json
from pathlib import Path

import click

from device.commands.console import CommandError, columns, data_option, json_option, printable
from device.rules.errors import RulesError
from device.socket import history
from device.socket.snapshot import Json
from device.store import archive, store

AT_ONCE = 50  # games in one query


@click.command()
@click.argument("number", type=click.IntRange(min=1), required=False, metavar="[N]")
@data_option("The table's folder of saved games.")
@json_option("Print one JSON object for each game.")
def command(number: int | None, data: Path, *, as_json: bool) -> None:
    """List the games of a table, the newest first; with N, print the record of game N.

    The table may be running. The commands replay and review read the record of a finished game.
    """
    try:
        path = store.newest_file(data)
        if number is not None:
            click.echo(_record(path, number), nl=False)
        elif as_json:
            for past in _all_games(path):
                click.echo(json.dumps(past, ensure_ascii=False, separators=(",", ":")))
        else:
            click.echo(_table(_all_games(path)), nl=False)
    except archive.ArchiveError as error:
        raise CommandError(str(error)) from None
    except FileNotFoundError:
        raise CommandError(
            f"{data}: there are no games of a table here; "
            "name its folder with --data (`make play`'s is play-data)"
        ) from None
    except OSError as error:
        raise CommandError(f"{error.filename or data}: can't be read: {error.strerror}") from None


def _all_games(path: Path) -> list[Json]:
    games: list[Json] = []
    while more := archive.list_games(path, games[-1]["number"] if games else None, AT_ONCE):
        games += more
    return games


def _record(path: Path, number: int) -> str:
    """Return the record of a game. Raises CommandError if it has none, ArchiveError if it can't be read."""
    past = archive.read_game(path, number)
    if past is None:
        raise CommandError(f"{path}: there is no game {number}")
    try:
        written = history.record_of(past)
    except RulesError as error:
        raise CommandError(f"{path}: game {number} can't be read: {error}") from None
    if written is None:
        raise CommandError(f"{path}: game {number} was not played to its end, so it has no record")
    return written.decode()


_STATUS = {"finished": "", "in_play": "in play", "stopped": "stopped", "unreadable": "can't be read"}


def _table(games: list[Json]) -> str:
    """Return one line for each game; times are UTC."""
    if not games:
        return "no game was played at this table yet\n"
    rows = [["game", "started (UTC)", "mode", "", "rounds", "players"]]
    for game in games:
        players = ", ".join(_player(each) for each in game["players"])
        rounds = "" if game["rounds"] is None else str(game["rounds"])
        started = printable(game["started"])
        rows.append(
            [str(game["number"]), started, game["mode"] or "", _STATUS[game["status"]], rounds, players]
        )
    return columns(rows, left=(1, 2, 3, 5))


def _player(player: Json) -> str:
    name = printable(player["name"] or f"Seat {player['seat']}")
    score = "" if player["score"] is None else f" {player['score']}"
    return f"{name}{score}{' (winner)' if player['winner'] else ''}"
