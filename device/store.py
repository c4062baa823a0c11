"""The store: players, games and events in SQLite, and where the table stands; committed before it is lit.

WAL with synchronous=FULL: what `save` returned from is still there after a pulled plug.
"""

import re
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import msgspec

from device.appliance import StoreFault, Table
from device.play import Play, resume
from device.rules.errors import NotationError
from device.rules.events import Event
from device.rules.game import Setup
from device.rules.notation import event_of, text_of
from device.rules.tiles import Colour, colour_of, letter
from device.situation import LargerTableError, Situation, situation_of, table_of

SCHEMA: Final = 1
APPLICATION: Final = 0x417A756C
"""SQLite's application id of our files: 'Azul' in ASCII."""

_TABLES: Final = """
CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    setup TEXT NOT NULL,           -- JSON: mode, players, first
    places TEXT NOT NULL,          -- JSON: the table's seat of each player
    seed TEXT NOT NULL,            -- of every draw, so that what is dealt again is the same
    started TEXT NOT NULL DEFAULT (datetime('now')),
    ended TEXT
);
CREATE TABLE game_players (
    game INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    player INTEGER REFERENCES players,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,           -- the notation
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TABLE tags (
    tag TEXT PRIMARY KEY,
    colour TEXT NOT NULL           -- a letter: the tile that carries it
) WITHOUT ROWID;
CREATE TABLE situation (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    game INTEGER REFERENCES games, -- the one on the table
    situation TEXT NOT NULL        -- JSON
);
"""


class StoreError(Exception):
    """A store that can't be used; `why` is `damaged`, `newer`, `unreadable` or `larger_table`."""

    def __init__(self, path: Path, why: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.why = why


@dataclass(frozen=True, slots=True)
class _Saved:
    """What the file holds, so that `save` writes differences alone."""

    game: int | None = None
    events: tuple[Event, ...] = ()
    situation: Situation | None = None


class Store:
    """An open store; one process at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._saved = _Saved()
        self.seed = ""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store, or make one; raises StoreError, and a file that can't be used stays as it is."""
        try:
            if path.exists():
                _check_file(path)
            store = cls(path, sqlite3.connect(path, isolation_level=None))
            try:
                store._prepare()
            except BaseException:
                store.close()
                raise
        except (OSError, sqlite3.OperationalError) as error:
            raise StoreError(path, "unreadable", f"the file can't be opened: {error}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(path, "damaged", f"the file is damaged: {error}") from error
        return store

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if self._connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            self._make_tables()

    def _make_tables(self) -> None:
        with self._transaction():
            for statement in _TABLES.split(";\n"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself has taken back what met a full disk
                self._connection.execute("ROLLBACK")
            raise

    def load(self, blank: Table, now: float) -> Table:
        """The table as it was left; the blank one where nothing was saved yet. Raises StoreError."""
        try:
            row = self._connection.execute("SELECT game, situation FROM situation").fetchone()
            situation = msgspec.json.decode(row[1], type=Situation) if row else Situation()
            game = row[0] if row else None
            play = self._load_game(game) if game is not None else None
            table = table_of(situation, play, blank, now)
        except LargerTableError as error:
            raise StoreError(self.path, "larger_table", str(error)) from error
        except (sqlite3.DatabaseError, ValueError, TypeError, msgspec.MsgspecError) as error:
            raise StoreError(self.path, "damaged", f"what it holds is damaged: {error}") from error
        events = play.events if play is not None else ()
        self._saved = _Saved(game, events, situation if row else None)
        return table

    def _load_game(self, game: int) -> Play:
        row = self._connection.execute(
            "SELECT setup, places, seed FROM games WHERE id = ?", (game,)
        ).fetchone()
        if row is None:
            raise ValueError(f"game {game} is missing")
        query = "SELECT number, event FROM events WHERE game = ? ORDER BY number"
        kept = self._connection.execute(query, (game,)).fetchall()
        if any(number != at for at, (number, _) in enumerate(kept)):
            raise ValueError(f"game {game} lacks an event")
        events = [event_of(text) for _, text in kept]
        setup = msgspec.json.decode(row[0], type=Setup)
        places = msgspec.json.decode(row[1], type=tuple[int, ...])
        play = resume(setup, places, events)
        if len(places) != len(play.state.boards) or list(places) != sorted(set(places)):
            raise ValueError(f"game {game} has impossible seats")
        self.seed = str(row[2])
        return play

    def save(self, table: Table) -> None:
        """Commit where the table stands, if that has changed; raises StoreError, and then nothing is lost."""
        play, saved = table.play, self._saved
        situation = situation_of(table)
        events = play.events if play is not None else ()
        if (play is None) == (saved.game is None) and situation == saved.situation and events == saved.events:
            return
        game, seed = saved.game, self.seed
        try:
            with self._transaction():
                if play is None:
                    game = None
                elif game is None:
                    seed = secrets.token_hex(16)
                    game = self._begin_game(play, seed)
                if game is not None:
                    self._write_events(game, saved.events, events)
                    self._write_end(game, play)
                self._write_situation(game, situation)
        except sqlite3.Error as error:
            raise StoreError(self.path, "unreadable", f"the game can't be saved: {error}") from error
        self._saved, self.seed = _Saved(game, events, situation), seed

    def _begin_game(self, play: Play, seed: str) -> int:
        cursor = self._connection.execute(
            "INSERT INTO games (setup, places, seed) VALUES (?, ?, ?)",
            (msgspec.json.encode(play.setup).decode(), msgspec.json.encode(play.places).decode(), seed),
        )
        game = cursor.lastrowid
        assert game is not None
        for seat, name in enumerate(play.setup.players):
            self._connection.execute("INSERT OR IGNORE INTO players (name) VALUES (?)", (name,))
            self._connection.execute(
                "INSERT INTO game_players SELECT ?, ?, id FROM players WHERE name = ?", (game, seat, name)
            )
        return game

    def _write_events(self, game: int, saved: tuple[Event, ...], events: tuple[Event, ...]) -> None:
        same = 0
        while same < min(len(saved), len(events)) and saved[same] == events[same]:
            same += 1
        if same < len(saved):
            self._connection.execute("DELETE FROM events WHERE game = ? AND number >= ?", (game, same))
        self._connection.executemany(
            "INSERT INTO events (game, number, event) VALUES (?, ?, ?)",
            [(game, number, text_of(events[number])) for number in range(same, len(events))],
        )

    def _write_end(self, game: int, play: Play | None) -> None:
        over = play is not None and play.over
        self._connection.execute(
            "UPDATE games SET ended = CASE WHEN ? THEN coalesce(ended, datetime('now')) END WHERE id = ?",
            (over, game),
        )

    def _write_situation(self, game: int | None, situation: Situation) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO situation (only, game, situation) VALUES (1, ?, ?)",
            (game, msgspec.json.encode(situation).decode()),
        )

    def tile_tags(self) -> dict[str, Colour]:
        """Every known tag of a tile, with the tile's colour; raises StoreError."""
        try:
            rows = self._connection.execute("SELECT tag, colour FROM tags").fetchall()
            return {str(tag): colour_of(text) for tag, text in rows}
        except (sqlite3.DatabaseError, NotationError) as error:
            raise StoreError(self.path, "damaged", f"its tags are damaged: {error}") from error

    def learn_tile_tags(self, tags: Mapping[str, Colour]) -> None:
        """Remember which tags tiles carry; raises StoreError."""
        try:
            with self._transaction():
                self._connection.executemany(
                    "INSERT OR REPLACE INTO tags VALUES (?, ?)",
                    [(tag, letter(colour)) for tag, colour in tags.items()],
                )
        except sqlite3.Error as error:
            raise StoreError(self.path, "unreadable", f"the tags can't be saved: {error}") from error

    def close(self) -> None:
        """Close the file; everything is saved already."""
        self._connection.close()


def _check_file(path: Path) -> None:
    """Read a file without changing it; raises StoreError where it is not ours to write to."""
    log = path.with_name(f"{path.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    with path.open("rb") as file:
        head = file.read(16)
    if not head and not has_log:
        return  # made, but nothing was ever written
    if head != b"SQLite format 3\0":
        raise StoreError(path, "damaged", "the file is damaged: it is no database")
    mode = "mode=ro" if has_log else "immutable=1"  # which leaves no files of its own beside it
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == application == tables == 0:
            return  # made, but its first transaction never came through
        if application != APPLICATION:
            raise StoreError(path, "damaged", "the file is a database of another program")
        if version > SCHEMA:
            raise StoreError(path, "newer", "the file was written by a newer azul-table")
        if version < 1:
            raise StoreError(path, "damaged", f"the file is damaged: its version is {version}")
        faults = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
        if faults != ["ok"]:
            raise StoreError(path, "damaged", f"the file is damaged: {faults[0].splitlines()[-1]}")


# --- Which file ------------------------------------------------------------------------------------------

_FILE: Final = re.compile(r"azul-table(?:-(\d{1,4}))?\.db")


def newest(directory: Path) -> Path:
    """The store file to use in a directory: the one with the highest number; the first is `azul-table.db`."""
    numbers = [int(found[1] or 1) for each in directory.iterdir() if (found := _FILE.fullmatch(each.name))]
    return directory / _name(max(numbers, default=1))


def beside(path: Path) -> Path:
    """The name of a new file beside one that can't be used."""
    found = _FILE.fullmatch(path.name)
    return path.with_name(_name(int(found[1] or 1) + 1 if found else 2))


def _name(number: int) -> str:
    return "azul-table.db" if number == 1 else f"azul-table-{number}.db"


def fault_of(error: StoreError) -> StoreFault:
    """What the table shows of a store that can't be used."""
    return StoreFault(error.why, error.path.name, beside(error.path).name)
