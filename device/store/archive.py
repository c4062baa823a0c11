"""The games in a store's file, read by a connection of their own: who reads never makes who plays wait."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from device.rules.game import Setup
from device.rules.notation import event_of
from device.socket import history
from device.socket.history import PastGame
from device.socket.snapshot import Json
from device.store.schema import APPLICATION, SCHEMA

_GAMES: Final = """
SELECT id, setup, places, started, ended, id IS (SELECT game FROM situation) FROM games
"""

_NOT_GRADED: Final = """
SELECT id FROM games WHERE ended IS NOT NULL AND EXISTS (
    SELECT 1 FROM events WHERE events.game = games.id
    AND (event GLOB '[0-9]*' OR substr(event, 1, 4) IN ('tile', 'scor', 'swap', 'remo'))
    AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.game = events.game AND grades.number = events.number)
) ORDER BY id DESC
"""


_DAMAGE: Final = (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, msgspec.MsgspecError)
"""What reading and replaying a game raises where somebody, or a disk, has changed what was kept of it."""


class ArchiveError(Exception):
    """Games that can't be read; the message names the file."""


def newest_games(path: Path, before: int | None, count: int) -> list[Json]:
    """So many games as a list tells them, the newest first, those before a game's number.

    One that can't be read keeps none of the others away. Raises ArchiveError.
    """
    with _reading(path) as connection:
        rows = connection.execute(
            f"{_GAMES} WHERE id < ? ORDER BY id DESC LIMIT ?", (before or 1 << 62, count)
        ).fetchall()
        return [_entry(connection, row) for row in rows]


def game_of(path: Path, number: int) -> PastGame | None:
    """The game of a number; None where there is none. Raises ArchiveError."""
    with _reading(path) as connection:
        row = connection.execute(f"{_GAMES} WHERE id = ?", (number,)).fetchone()
        try:
            return _past_game(connection, row) if row is not None else None
        except _DAMAGE as error:
            raise ArchiveError(f"{path}: game {number} can't be read: {error}") from error


def not_graded(path: Path) -> list[int]:
    """The numbers of the finished games that lack a grade of some choice, the newest first.

    Raises ArchiveError.
    """
    with _reading(path) as connection:
        return [number for (number,) in connection.execute(_NOT_GRADED)]


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The file opened to read; one that is not there, or that nobody wrote to yet, holds no games."""
    try:
        if not path.exists():
            with closing(sqlite3.connect(":memory:")) as empty:
                yield _nothing_in(empty)
            return
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            if version == application == 0:
                yield _nothing_in(connection)
            elif (version, application) != (SCHEMA, APPLICATION):
                raise ArchiveError(f"{path}: the file is of another version or program")
            else:
                connection.text_factory = lambda raw: raw.decode(errors="replace")  # none stops the others
                connection.execute("BEGIN")  # all of what is read is of one moment
                yield connection
    except _DAMAGE as error:
        raise ArchiveError(f"{path}: its games can't be read: {error}") from error


def _nothing_in(connection: sqlite3.Connection) -> sqlite3.Connection:
    columns = "id, setup, places, started, ended"
    connection.execute(f"CREATE TEMP TABLE games ({columns})")
    connection.execute("CREATE TEMP TABLE events (game, number, event)")
    connection.execute("CREATE TEMP TABLE grades (game, number)")
    connection.execute("CREATE TEMP TABLE situation (game)")
    return connection


_Row = tuple[int, str, str, str, str | None, int]


def _entry(connection: sqlite3.Connection, row: _Row) -> Json:
    try:
        return history.entry(_past_game(connection, row))
    except _DAMAGE:
        number, _, _, started, *_ = row
        return history.unreadable(number, started)


def _past_game(connection: sqlite3.Connection, row: _Row) -> PastGame:
    number, setup, places, started, ended, on_table = row
    events = connection.execute("SELECT event FROM events WHERE game = ? ORDER BY number", (number,))
    bots = connection.execute(
        "SELECT seat, bot FROM game_players WHERE game = ? AND bot IS NOT NULL", (number,)
    )
    grades = connection.execute("SELECT number, lost, best FROM grades WHERE game = ?", (number,))
    return PastGame(
        number,
        msgspec.json.decode(setup, type=Setup),
        msgspec.json.decode(places, type=tuple[int, ...]),
        started,
        ended,
        bool(on_table),
        tuple(event_of(text) for (text,) in events),
        dict(bots),
        {at: (lost, event_of(best)) for at, lost, best in grades},
    )
