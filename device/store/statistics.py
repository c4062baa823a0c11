"""Statistics of finished games: a summary of each game and player, and the sums of all of them.

The table's store writes the summary of a game when it ends. `save_summary` writes it for a game of an earlier
version of the program, and again when the last of its choices was graded. Games for practice have none.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from device.records.review import real_choices
from device.records.summary import summarize
from device.rules.errors import RulesError
from device.rules.events import Chance, Event
from device.rules.game import Setup
from device.socket.history import PastGame
from device.socket.snapshot import Json
from device.store import archive
from device.store.archive import ArchiveError
from device.table.game import default_name

BUCKETS: Final = 24  # points of a curve of costs at most
MOST_NAMES: Final = 60  # players that are listed
MOST_PAIRS: Final = 6  # players who are compared with each other

_INSERT: Final = """
INSERT INTO summaries
SELECT ?, ?, coalesce((SELECT id FROM players WHERE name = ?), 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
"""
_MISSING: Final = """
SELECT id FROM games WHERE ended IS NOT NULL AND practice IS NULL AND (
    NOT EXISTS (SELECT 1 FROM summaries WHERE game = games.id)
    OR (EXISTS (SELECT 1 FROM summaries WHERE game = games.id AND lost IS NULL)
        AND EXISTS (SELECT 1 FROM grades WHERE game = games.id))
) ORDER BY id DESC
"""
_SUMS: Final = """
count(*), sum(winner), sum(score), max(score), sum(placing), sum(row_points), sum(column_points),
sum(colour_points), sum(floor_points), sum(other), sum(lost), sum(CASE WHEN lost IS NOT NULL THEN choices END)
"""


# --- Summaries -------------------------------------------------------------------------------------------


def write_summary(
    connection: sqlite3.Connection,
    number: int,
    setup: Setup,
    places: Sequence[int],
    events: Sequence[Event],
    bots: Mapping[int, str],
    grades: Mapping[int, tuple[float, Event]],
) -> None:
    """Write the summaries of a finished game, within a transaction of the caller.

    The points that a player's choices lost are written once all choices of the game are graded. Raises
    sqlite3.Error, RulesError.
    """
    lost, choices = _costs(setup, events, grades)
    connection.execute("DELETE FROM summaries WHERE game = ?", (number,))
    for each in summarize(setup, events) or ():
        name, points, seat = setup.players[each.seat], each.points, each.seat
        named = seat not in bots and name != default_name(places[seat])
        sources = (points.placing, points.rows, points.columns, points.colours, points.floor, points.other)
        what = (setup.mode, len(setup.players), each.score, each.winner)
        row = (number, seat, name if named else None, bots.get(seat, ""), *what, *sources)
        connection.execute(_INSERT, (*row, lost.get(seat), choices.get(seat)))


def _costs(
    setup: Setup, events: Sequence[Event], grades: Mapping[int, tuple[float, Event]]
) -> tuple[dict[int, float], dict[int, int]]:
    """Return the points lost and the number of real choices by seat; nothing until all are graded."""
    if any(number not in grades for number, event in enumerate(events) if not isinstance(event, Chance)):
        return {}, {}
    lost = dict.fromkeys(range(len(setup.players)), 0.0)
    choices = dict.fromkeys(lost, 0)
    for choice in real_choices(setup, events):
        lost[choice.seat] += grades[choice.number][0]
        choices[choice.seat] += 1
    return lost, choices


def games_without_summary(path: Path) -> list[int]:
    """Return the numbers of finished games whose summary is missing or not complete, the newest first.

    Raises ArchiveError.
    """
    with archive.reading(path) as connection:
        return [number for (number,) in connection.execute(_MISSING)]


def save_summary(path: Path, number: int) -> bool:
    """Write the summary of a finished game anew; return False if it has none. Raises ArchiveError."""
    game = archive.read_game(path, number)
    if game is None or game.status != "finished" or game.practice is not None or game.too_long:
        return False
    try:
        with closing(archive.writing(path)) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            if not _is_unchanged(connection, game):
                return False
            write_summary(connection, number, game.setup, game.places, game.events, game.bots, game.grades)
    except (sqlite3.Error, RulesError) as error:
        raise ArchiveError(f"{path}: the summary of game {number} can't be saved: {error}") from error
    return True


def _is_unchanged(connection: sqlite3.Connection, game: PastGame) -> bool:
    """Return whether a game has not gone on since it was read."""
    query = "SELECT ended, (SELECT count(*) FROM events WHERE game = games.id) FROM games WHERE id = ?"
    found: tuple[str | None, int] | None = connection.execute(query, (game.number,)).fetchone()
    return found == (game.ended, len(game.events))


# --- Sums ------------------------------------------------------------------------------------------------


def revision(path: Path) -> tuple[object, ...]:
    """Return values that change when `house_statistics` does; they cost a tenth of it. Raises ArchiveError.

    Counts change when a game is finished, summarized, graded or removed; the score and the time when the end
    of a game was taken back and it ended in another way.
    """
    with archive.reading(path) as connection:
        summaries = connection.execute("SELECT count(*), count(lost), sum(score) FROM summaries").fetchone()
        ended = "SELECT count(*), max(ended) FROM games WHERE ended IS NOT NULL AND practice IS NULL"
        games = connection.execute("SELECT min(id), max(id) FROM games").fetchone()
        return *summaries, *connection.execute(ended).fetchone(), *games


def house_statistics(path: Path) -> Json:
    """Describe all finished games: by mode, by player and opponent, costs over time, head to head.

    Raises ArchiveError.
    """
    with archive.reading(path) as connection:
        rows = connection.execute(
            f"SELECT player, bot, mode, players, {_SUMS} FROM summaries GROUP BY player, bot, mode, players"
        ).fetchall()
        names = dict(connection.execute("SELECT id, name FROM players"))
        people = _by(rows, lambda row: row[0])  # 0, for nobody, is left out, and so is an empty name of a bot
        listed = sorted(people, key=lambda player: -people[player]["games"])[:MOST_NAMES]
        opponents = _by(rows, lambda row: row[1])
        return {
            "games": sum(each["games"] // each["players"] for each in _groups(rows)),
            "missing": _missing(connection),
            "groups": [{**each, "games": each["games"] // each["players"]} for each in _groups(rows)],
            "people": [{"name": names[player], **people[player]} for player in listed],
            "opponents": [{"bot": bot, **opponents[bot]} for bot in sorted(opponents)],
            "costs": _costs_of_house(connection),
            "pairs": _pairs(connection, listed[:MOST_PAIRS], names),
        }


def player_statistics(path: Path, name: str) -> Json | None:
    """Describe the finished games of the person with a name; None if there are none. Raises ArchiveError."""
    with archive.reading(path) as connection:
        found = connection.execute("SELECT id FROM players WHERE name = ?", (name,)).fetchone()
        player: int = found[0] if found is not None else 0
        rows = connection.execute(
            f"SELECT player, bot, mode, players, {_SUMS} FROM summaries WHERE player = ? "
            "GROUP BY mode, players",
            (player,),
        ).fetchall()
        if not rows:
            return None
        return {
            "name": name,
            "missing": _missing(connection),
            **_by(rows, lambda row: row[0])[player],
            "groups": _groups(rows),
            "costs": _costs_of_player(connection, player),
            "against": _against(connection, player),
        }


_Row = tuple[Any, ...]


def _missing(connection: sqlite3.Connection) -> int:
    """Return how many finished games have no summary yet."""
    query = """
        SELECT count(*) - (SELECT count(*) FROM summaries WHERE seat = 0)
        FROM games WHERE ended IS NOT NULL AND practice IS NULL
    """
    return max(0, int(connection.execute(query).fetchone()[0]))


def _sums(rows: Iterable[_Row]) -> Json:
    """Add up rows of `_SUMS`, which begin at the fifth column."""
    columns = list(zip(*(row[4:] for row in rows), strict=True))
    games, wins, score = (sum(column) for column in columns[:3])
    sources = ("placing", "rows", "columns", "colours", "floor", "other")
    return {
        "games": games,
        "wins": wins,
        "mean": round(score / games, 2),
        "best": max(columns[3]),
        "points": {
            name: round(sum(column) / games, 2) for name, column in zip(sources, columns[4:10], strict=True)
        },
        "lost": round(sum(lost or 0.0 for lost in columns[10]), 2),
        "choices": sum(choices or 0 for choices in columns[11]),
    }


def _by(rows: Sequence[_Row], key: Any) -> dict[Any, Json]:
    """Add up rows by a key; rows without one are left out."""
    found: dict[Any, list[_Row]] = {}
    for row in rows:
        if key(row):
            found.setdefault(key(row), []).append(row)
    return {value: _sums(some) for value, some in found.items()}


def _groups(rows: Sequence[_Row]) -> list[Json]:
    """Add up rows by mode and number of players; the games of all players are counted."""
    found = _by(rows, lambda row: (row[2], row[3]))
    return [{"mode": mode, "players": players, **found[mode, players]} for mode, players in sorted(found)]


_COSTS: Final = """
SELECT min(started), max(started), choices, lost FROM (
    SELECT min(game) AS first, max(game) AS last, sum(choices) AS choices, sum(lost) AS lost
    FROM ({}) GROUP BY bucket
) JOIN games ON games.id IN (first, last) GROUP BY first ORDER BY first
"""


def _costs_of_house(connection: sqlite3.Connection) -> list[Json]:
    """Describe what choices of people cost on average, in groups of successive games."""
    first, last = connection.execute("SELECT min(id), max(id) FROM games").fetchone()
    if first is None:
        return []
    inner = (
        "SELECT game, choices, lost, (game - ?) * ? / ? AS bucket FROM summaries "
        "WHERE bot = '' AND lost IS NOT NULL"
    )
    return _cost_rows(connection, inner, (first, BUCKETS, last - first + 1))


def _costs_of_player(connection: sqlite3.Connection, player: int) -> list[Json]:
    """Describe what a player's choices cost on average, in groups of equally many successive games."""
    inner = (
        f"SELECT game, choices, lost, ntile({BUCKETS}) OVER (ORDER BY game) AS bucket FROM summaries "
        "WHERE player = ? AND lost IS NOT NULL"
    )
    return _cost_rows(connection, inner, (player,))


def _cost_rows(connection: sqlite3.Connection, inner: str, given: tuple[int, ...]) -> list[Json]:
    return [
        {"from": first, "to": last, "choices": choices, "lost": round(lost, 2)}
        for first, last, choices, lost in connection.execute(_COSTS.format(inner), given)
        if choices
    ]


_AHEAD: Final = "(one.score, one.winner) > (other.score, other.winner)"
_BEHIND: Final = "(one.score, one.winner) < (other.score, other.winner)"


def _pairs(connection: sqlite3.Connection, players: Sequence[int], names: Mapping[int, str]) -> list[Json]:
    """Describe how often some players were ahead of and behind each other."""
    marks = ",".join("?" * len(players))
    rows = connection.execute(
        f"SELECT one.player, other.player, count(*), sum({_AHEAD}), sum({_BEHIND}) FROM summaries AS one "
        f"JOIN summaries AS other ON other.game = one.game AND other.player > one.player "
        f"WHERE one.player IN ({marks}) AND other.player IN ({marks}) GROUP BY one.player, other.player",
        (*players, *players),
    )
    return [
        {"one": names[one], "other": names[other], "games": games, "ahead": ahead, "behind": behind}
        for one, other, games, ahead, behind in rows
    ]


def _against(connection: sqlite3.Connection, player: int) -> list[Json]:
    """Describe how often a player was ahead of and behind each other player and opponent."""
    rows = connection.execute(
        f"SELECT players.name, other.bot, count(*), sum({_AHEAD}), sum({_BEHIND}) FROM summaries AS one "
        "JOIN summaries AS other ON other.game = one.game AND other.seat != one.seat "
        "LEFT JOIN players ON players.id = other.player "
        "WHERE one.player = ? AND (other.player OR other.bot != '') "
        "GROUP BY other.player, other.bot ORDER BY count(*) DESC, 1, 2 LIMIT ?",
        (player, MOST_NAMES),
    )
    return [
        {"name": name, "bot": bot or None, "games": games, "ahead": ahead, "behind": behind}
        for name, bot, games, ahead, behind in rows
    ]
