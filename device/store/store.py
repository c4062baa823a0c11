"""The store: players, games and events in SQLite, and where the table stands; committed before it is lit.

WAL with synchronous=FULL: what `save` returned from is still there after a pulled plug.
"""

import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

import msgspec

from device.rules.events import Event
from device.rules.game import Setup
from device.rules.notation import event_of, text_of
from device.store import schema
from device.store.saved_table import LargerTableError, SavedTable, from_saved_table, to_saved_table
from device.store.schema import APPLICATION, SCHEMA
from device.table.game import Play, resume
from device.table.state import StoreFault, Table
from device.table.tags import Meaning, Tags, normalize_tag, parse_meaning, serialize_meaning

PATIENCE: Final = 1.0
"""Seconds that the table waits for another program that holds the file; after once in vain, no more."""


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
    situation: SavedTable | None = None
    tags: Tags = field(default_factory=dict)


class Store:
    """An open store; one process at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._saved = _Saved()
        self._files: _Files = (None, None)
        self._patient = True
        self.seed = ""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store, or make one; raises StoreError, and a file that can't be used stays as it is."""
        try:
            if path.exists():
                _check_file(path)
            store = cls(path, _connected(path))
            try:
                store._prepare()
            except BaseException:
                store.close()
                raise
        except (OSError, sqlite3.OperationalError) as error:
            raise StoreError(path, "unreadable", f"the file can't be opened: {error}") from error
        except (sqlite3.DatabaseError, ValueError) as error:
            raise StoreError(path, "damaged", f"the file is damaged: {error}") from error
        return store

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if self._connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
            with self._transaction():
                schema.prepare(self._connection)
        self._files = _files(self.path)

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
            situation = msgspec.json.decode(row[1], type=SavedTable) if row else SavedTable()
            game = row[0] if row else None
            play, seed = self._load_game(game) if game is not None else (None, "")
            last_game = self._last_game() if play is None else None
            tags = self.tags()
            table = replace(from_saved_table(situation, play, blank, now), tags=tags, last_game=last_game)
        except LargerTableError as error:
            raise StoreError(self.path, "larger_table", str(error)) from error
        except (sqlite3.DatabaseError, ValueError, TypeError, msgspec.MsgspecError) as error:
            raise StoreError(self.path, "damaged", f"what it holds is damaged: {error}") from error
        events = play.events if play is not None else ()
        self._saved, self.seed = _Saved(game, events, situation if row else None, tags), seed
        return table

    def _load_game(self, game: int) -> tuple[Play, str]:
        """A game, and the seed of its draws."""
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
        return play, str(row[2])

    def _last_game(self) -> Play | None:
        """The newest game, where it was played to its end and can be read: only its result is asked for."""
        query = "SELECT id FROM games WHERE ended IS NOT NULL AND id = (SELECT max(id) FROM games)"
        try:
            ended = self._connection.execute(query).fetchone()
            return self._load_game(*ended)[0] if ended is not None else None
        except (sqlite3.DatabaseError, ValueError, TypeError, msgspec.MsgspecError):
            return None

    def save(self, table: Table) -> bool:
        """Commit where the table stands, if that has changed; raises StoreError, and then nothing is lost.

        Returns whether everything else had to be written anew, too: somebody had taken the file away.
        """
        play, situation = table.play, to_saved_table(table)
        events = play.events if play is not None else ()
        saved = self._saved
        same_game = (play is None) == (saved.game is None) and events == saved.events
        if same_game and situation == saved.situation and table.tags == saved.tags:
            return False
        try:
            spoilt = False
            if taken_away := self._is_taken_away():
                spoilt = not self._write_anew()
            self._write(table, play, events, situation, self.seed if spoilt else secrets.token_hex(16))
        except (sqlite3.Error, OSError) as error:
            self._wait_for_others(patient=False)
            raise StoreError(self.path, "unreadable", f"the game can't be saved: {error}") from error
        self._wait_for_others(patient=True)
        self._files = _files(self.path)
        return taken_away

    def _write(
        self, table: Table, play: Play | None, events: tuple[Event, ...], now: SavedTable, new_seed: str
    ) -> None:
        """Write what differs from what the file holds; a game that it does not hold gets the new seed."""
        saved, game, seed = self._saved, self._saved.game, self.seed
        with self._transaction():
            if play is None:
                game = None
            elif game is None:
                seed = new_seed
                game = self._begin_game(table, play, seed)
            if game is not None:
                self._write_events(game, saved.events, events)
                self._write_end(game, play)
            self._write_situation(game, now)
            self._write_tags(saved.tags, table.tags)
        self._saved, self.seed = _Saved(game, events, now, table.tags), seed

    def _is_taken_away(self) -> bool:
        """Whether somebody has deleted or replaced the file or its log, so that what is saved is lost."""
        now = _files(self.path)
        return any(before not in (None, after) for before, after in zip(self._files, now, strict=True))

    def _write_anew(self) -> bool:
        """Copy all that the file held, which is still open here, to one that lasts.

        Returns whether the game that is played came along: who opens a file that was put in its place spoils
        the old one.
        """
        free = not any(self.path.parent.glob(f"{self.path.name}*"))
        path = self.path if free else next_file(newest_file(self.path.parent))
        try:
            copy = Store(path, _copied(self._connection, path))
            try:
                copy._prepare()
                tags, held = copy.tags(), copy._holds(self._saved)
            except BaseException:
                copy.close()
                raise
        except BaseException:
            _remove(path)  # half a copy: the next attempt makes another
            raise
        self.close()
        self.path, self._connection, self._patient = path, copy._connection, True
        self._files = copy._files
        self._saved = replace(self._saved, tags=tags) if held else _Saved(tags=tags)
        return held

    def _holds(self, saved: _Saved) -> bool:
        """Whether the file has the game that was saved."""
        if saved.game is None:
            return True
        games = self._connection.execute("SELECT count(*) FROM games WHERE id = ?", (saved.game,)).fetchone()
        query = "SELECT event FROM events WHERE game = ? ORDER BY number"
        kept = [text for (text,) in self._connection.execute(query, (saved.game,))]
        return games == (1,) and kept == [text_of(event) for event in saved.events]

    def _wait_for_others(self, *, patient: bool) -> None:
        """Whether the next save waits for whoever holds the file: the table's loop stands still so long."""
        if patient != self._patient:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE) if patient else 0}")
            self._patient = patient

    def _begin_game(self, table: Table, play: Play, seed: str) -> int:
        cursor = self._connection.execute(
            "INSERT INTO games (setup, places, seed, hints) VALUES (?, ?, ?, ?)",
            (
                msgspec.json.encode(play.setup).decode(),
                msgspec.json.encode(play.places).decode(),
                seed,
                table.wishes.hints,
            ),
        )
        game = cursor.lastrowid
        assert game is not None
        for seat, name in enumerate(play.setup.players):
            if bot := table.bot_of(seat):  # the game's setup names it, and no person is called so
                bot_row = (game, seat, bot)
                self._connection.execute(
                    "INSERT INTO game_players (game, seat, bot) VALUES (?, ?, ?)", bot_row
                )
                continue
            self._connection.execute("INSERT OR IGNORE INTO players (name) VALUES (?)", (name,))
            self._connection.execute(
                "INSERT INTO game_players (game, seat, player) SELECT ?, ?, id FROM players WHERE name = ?",
                (game, seat, name),
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

    def _write_situation(self, game: int | None, situation: SavedTable) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO situation (only, game, situation) VALUES (1, ?, ?)",
            (game, msgspec.json.encode(situation).decode()),
        )

    def tags(self) -> dict[str, Meaning]:
        """Every known tag with what it means, in the order in which they were learned; raises StoreError."""
        try:
            rows = self._connection.execute("SELECT tag, kind, value FROM tags ORDER BY rowid").fetchall()
            return {normalize_tag(tag): parse_meaning(kind, value) for tag, kind, value in rows}
        except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError) as error:
            raise StoreError(self.path, "damaged", f"its tags are damaged: {error}") from error

    def save_tags(self, before: Tags, after: Tags) -> None:
        """Commit a change of the tags alone; raises StoreError."""
        if before == after:
            return
        try:
            with self._transaction():
                self._write_tags(before, after)
        except sqlite3.Error as error:
            raise StoreError(self.path, "unreadable", f"the tags can't be saved: {error}") from error

    def _write_tags(self, before: Tags, after: Tags) -> None:
        gone = [(tag,) for tag, meaning in before.items() if after.get(tag) != meaning]
        new = [
            (tag, *serialize_meaning(meaning)) for tag, meaning in after.items() if before.get(tag) != meaning
        ]
        self._connection.executemany("DELETE FROM tags WHERE tag = ?", gone)
        self._connection.executemany("INSERT INTO tags (tag, kind, value) VALUES (?, ?, ?)", new)

    def close(self) -> None:
        """Close the file; everything is saved already."""
        self._connection.close()


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)


_NO_ROOM: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)
"""Faults of the file that is written, not of the one that is read."""


def _copied(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """A new file with all that another holds; an empty one where that is spoilt.

    Raises sqlite3.Error where there is no room for it.
    """
    copy = _connected(path)
    try:
        connection.backup(copy)
        if copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
            return copy
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) in _NO_ROOM:
            copy.close()
            raise
    copy.close()
    _remove(path)
    return _connected(path)


def _remove(path: Path) -> None:
    """Remove a database that nobody has open, and what SQLite left beside it."""
    for end in ("", "-journal", "-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


_Files = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""Which files a database and its log are; None for one that is not there."""


def _files(path: Path) -> _Files:
    return _file(path), _file(path.with_name(f"{path.name}-wal"))


def _file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


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


def newest_file(directory: Path) -> Path:
    """The store file to use in a directory: the one with the highest number; the first is `azul-table.db`."""
    numbers = [int(found[1] or 1) for each in directory.iterdir() if (found := _FILE.fullmatch(each.name))]
    return directory / _name(max(numbers, default=1))


def next_file(path: Path) -> Path:
    """The name of a new file beside one that can't be used."""
    found = _FILE.fullmatch(path.name)
    return path.with_name(_name(int(found[1] or 1) + 1 if found else 2))


def _name(number: int) -> str:
    return "azul-table.db" if number == 1 else f"azul-table-{number}.db"


def fault_of(error: StoreError) -> StoreFault:
    """What the table shows of a store that can't be used."""
    return StoreFault(error.why, error.path.name, next_file(error.path).name)
