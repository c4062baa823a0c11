"""Past games: lists of them, their events and grades, read by a connection of their own.

Reading never makes the table's loop wait: SQLite's WAL lets readers go on beside its writer. Grades are
written here too, one short transaction each.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from device.rules.events import Event
from device.rules.notation import event_of, text_of
from device.socket import history
from device.socket.history import PastGame
from device.socket.snapshot import Json
from device.store import schema
from device.store.schema import APPLICATION, DAMAGE, SCHEMA, EventRows

_GAMES: Final = """
SELECT id, setup, places, started, ended, id IS (SELECT game FROM situation), practice FROM games
"""

_UNGRADED: Final = """
SELECT id FROM games WHERE ended IS NOT NULL AND practice IS NULL AND NOT EXISTS (
    SELECT 1 FROM summaries WHERE summaries.game = games.id AND lost IS NOT NULL
) AND EXISTS (
    SELECT 1 FROM events WHERE events.game = games.id
    AND (event GLOB '[0-9]*' OR substr(event, 1, 4) IN ('tile', 'scor', 'swap', 'remo'))
    AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.game = events.game AND grades.number = events.number)
) ORDER BY id DESC
"""


class ArchiveError(Exception):
    """A file of games, or a game in it, can't be read or written; the message names the file."""


def list_games(path: Path, before: int | None, count: int) -> list[Json]:
    """Return list entries of at most `count` games with numbers below `before`, the newest first.

    A game that can't be read has an entry that says so. Raises ArchiveError.
    """
    with reading(path) as connection:
        rows = connection.execute(
            f"{_GAMES} WHERE id < ? ORDER BY id DESC LIMIT ?", (before or 1 << 62, count)
        ).fetchall()
        return [_entry(connection, row) for row in rows]


def read_game(path: Path, number: int) -> PastGame | None:
    """Return a game by its number, or None if there is no such game. Raises ArchiveError."""
    with reading(path) as connection:
        row = connection.execute(f"{_GAMES} WHERE id = ?", (number,)).fetchone()
        try:
            return _past_game(connection, row) if row is not None else None
        except DAMAGE as error:
            raise ArchiveError(f"{path}: game {number} can't be read: {error}") from error


def ungraded_games(path: Path) -> list[int]:
    """Return the numbers of the finished games that lack a grade, the newest first. Raises ArchiveError."""
    with reading(path) as connection:
        return [number for (number,) in connection.execute(_UNGRADED)]


def save_grade(path: Path, game: int, number: int, event: Event, lost: float, best: Event) -> bool:
    """Save the grade of the event `number` of a game: the points that it lost, and the best choice.

    Returns False, and saves nothing, if that event was taken back meanwhile. Raises ArchiveError.
    """
    try:
        with closing(writing(path)) as connection:
            saved = connection.execute(
                "INSERT OR REPLACE INTO grades SELECT game, number, ?, ? FROM events "
                "WHERE game = ? AND number = ? AND event = ?",
                (lost, text_of(best), game, number, text_of(event)),
            )
            return saved.rowcount == 1
    except sqlite3.Error as error:
        raise ArchiveError(f"{path}: a grade of game {game} can't be saved: {error}") from error


def writing(path: Path) -> sqlite3.Connection:
    """Open a file for grades and summaries, in autocommit mode. Raises sqlite3.Error."""
    uri = f"{path.absolute().as_uri()}?mode=rw"  # which makes no new file where this one was removed
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")  # what is lost is only computed again
    return connection


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file read-only, in one transaction; a missing or empty file reads as a store without games.

    Raises ArchiveError, also for damage that is found while the connection is used.
    """
    try:
        with closing(_connected(path)) as connection:
            # Damage to the text of one game must not hide the others.
            connection.text_factory = lambda raw: raw.decode(errors="replace")
            connection.execute("BEGIN")  # all queries see the same state of the file
            yield connection
    except DAMAGE as error:
        raise ArchiveError(f"{path}: its games can't be read: {error}") from error


def _connected(path: Path) -> sqlite3.Connection:
    if path.exists():
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if (version, application) == (SCHEMA, APPLICATION):
            return connection
        connection.close()
        if not version == application == 0:
            raise ArchiveError(f"{path}: the file is of another version or program")
    empty = sqlite3.connect(":memory:")
    schema.prepare(empty)
    return empty


_Row = tuple[int, str, str, str, str | None, int, int | None]


def _entry(connection: sqlite3.Connection, row: _Row) -> Json:
    number, _, _, started, *_ = row
    try:
        _grades(connection, number)  # which can be damaged, too
        return _entry_of(row, schema.event_rows(connection, number), _bots(connection, number))
    except DAMAGE:
        return history.unreadable_json(number, started)


@lru_cache(maxsize=400)
def _entry_of(row: _Row, events: EventRows, bots: tuple[tuple[int, str], ...]) -> Json:
    """Describe a game for the list; kept, because the game has to be replayed. Raises one of `DAMAGE`."""
    return history.entry_json(_game_of(row, events, bots, {}))


def _bots(connection: sqlite3.Connection, number: int) -> tuple[tuple[int, str], ...]:
    query = "SELECT seat, bot FROM game_players WHERE game = ? AND bot IS NOT NULL"
    return tuple(connection.execute(query, (number,)))


def _past_game(connection: sqlite3.Connection, row: _Row) -> PastGame:
    """Return the game of a row of `_GAMES`. Raises one of `DAMAGE`."""
    number = row[0]
    events, bots = schema.event_rows(connection, number), _bots(connection, number)
    return _game_of(row, events, bots, _grades(connection, number))


def _grades(connection: sqlite3.Connection, number: int) -> dict[int, tuple[float, Event]]:
    """Return the grades of a game. Raises one of `DAMAGE`."""
    grades = connection.execute("SELECT number, lost, best FROM grades WHERE game = ?", (number,))
    return {at: (lost, event_of(best)) for at, lost, best in grades}


def _game_of(
    row: _Row, stored: EventRows, bots: tuple[tuple[int, str], ...], grades: dict[int, tuple[float, Event]]
) -> PastGame:
    number, setup, places, started, ended, on_table, practice = row
    chosen, seats, events = schema.parse_game(number, setup, places, stored)
    return PastGame(
        number, chosen, seats, started, ended, bool(on_table), events, dict(bots), grades, practice
    )
