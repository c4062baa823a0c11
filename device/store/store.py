"""The store: the SQLite file that holds players, games, events, tags and the saved table.

The table's loop saves every change before anybody sees it. The file is in WAL mode with synchronous=FULL:
what `Store.save` has returned from survives a power cut.
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
from device.rules.notation import text_of
from device.store import schema, statistics
from device.store.saved_table import LargerTableError, SavedTable, from_saved_table, to_saved_table
from device.store.schema import APPLICATION, DAMAGE, SCHEMA
from device.table.game import Play, resume
from device.table.state import Table, TagState
from device.table.tags import Meaning, Tags, normalize_tag, parse_meaning, serialize_meaning

PATIENCE: Final = 1.0
"""Seconds that a save waits for another program's lock; 0 after a failed save, until one succeeds.

The table's loop stands still while it waits: so it must not wait for every press.
"""


class StoreError(Exception):
    """The store can't be used; `why` is `damaged`, `newer`, `unreadable` or `larger_table`."""

    def __init__(self, path: Path, why: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.why = why


@dataclass(frozen=True, slots=True)
class _Saved:
    """The content of the file as of the last save: `save` writes only the differences."""

    game: int | None = None
    events: tuple[Event, ...] = ()
    table: SavedTable | None = None
    tags: Tags = field(default_factory=dict)
    over: bool = False  # whether the game is


class Store:
    """An open store, used by one process at a time.

    `path` is its file, which changes if that was removed; `seed` is that of the current game's chance events.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, patience: float) -> None:
        """Prepare the database of a connection, which is closed if that fails. Raises sqlite3.Error."""
        self.path = path
        self._connection = connection
        self._patience = patience
        self._saved = _Saved()
        self._waits = True  # whether a save waits for the lock of another program
        self.seed = ""
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        self._files = _files(path)

    @classmethod
    def open(cls, path: Path, patience: float = PATIENCE) -> Self:
        """Open a store, or make a new one; `patience` is the time to wait for another program's lock.

        Raises StoreError; a file that can't be used is left unchanged.
        """
        try:
            if path.exists():
                _check_file(path)
            return cls(path, _connected(path, patience), patience)
        except (OSError, sqlite3.OperationalError) as error:
            raise StoreError(path, "unreadable", f"the file can't be opened: {error}") from error
        except (sqlite3.DatabaseError, ValueError) as error:
            raise StoreError(path, "damaged", f"the file is damaged: {error}") from error

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if self._connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
            with self._transaction():
                schema.prepare(self._connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself rolls back on a full disk
                self._connection.execute("ROLLBACK")
            raise

    def load(self, blank: Table, now: float) -> Table:
        """Return the saved table, else the blank one; `now` is the time in seconds. Raises StoreError."""
        try:
            row = self._connection.execute("SELECT game, situation FROM situation").fetchone()
            saved = msgspec.json.decode(row[1], type=SavedTable) if row else SavedTable()
            game = row[0] if row else None
            play, seed = self._load_game(game) if game is not None else (None, "")
            last_game = self._last_game() if play is None else None
            tags = self.tags()
            table = from_saved_table(saved, play, blank, now)
            table = replace(table, tags=TagState(tags), last_game=last_game)
        except LargerTableError as error:
            raise StoreError(self.path, "larger_table", str(error)) from error
        except DAMAGE as error:
            raise StoreError(self.path, "damaged", f"its content is damaged: {error}") from error
        events = play.events if play is not None else ()
        over = play is not None and play.over
        self._saved, self.seed = _Saved(game, events, saved if row else None, tags, over), seed
        return table

    def _load_game(self, game: int) -> tuple[Play, str]:
        """Return a game, and the seed of its chance events. Raises one of `DAMAGE`."""
        row = self._connection.execute(
            "SELECT setup, places, seed, practice FROM games WHERE id = ?", (game,)
        ).fetchone()
        if row is None:
            raise ValueError(f"game {game} is missing")
        setup, places, events = schema.read_game(self._connection, game, row[0], row[1])
        play = replace(resume(setup, places, events), practice=row[3])
        if len(places) != len(play.state.boards) or list(places) != sorted(set(places)):
            raise ValueError(f"game {game} has impossible seats")
        return play, str(row[2])

    def _last_game(self) -> Play | None:
        """Return the newest game if it was finished and can be read: its result is shown until the next."""
        query = "SELECT id FROM games WHERE ended IS NOT NULL AND id = (SELECT max(id) FROM games)"
        try:
            ended = self._connection.execute(query).fetchone()
            return self._load_game(*ended)[0] if ended is not None else None
        except DAMAGE:
            return None

    def save(self, table: Table) -> bool:
        """Commit a table if it differs from the saved one.

        Returns whether the whole content was written to a new file, because somebody had removed or replaced
        the old one. Raises StoreError; then nothing was saved, and the next save tries again.
        """
        play, current = table.play, to_saved_table(table)
        events = play.events if play is not None else ()
        saved = self._saved
        same_game = (play is None) == (saved.game is None) and events == saved.events
        if same_game and current == saved.table and table.tags.known == saved.tags:
            return False
        try:
            seed = secrets.token_hex(16)
            removed = self._is_file_removed()
            if removed and not self._copy_to_new_file():
                seed = self.seed  # the same game, begun anew in the new file
            self._write(table, play, events, current, seed)
        except (sqlite3.Error, OSError) as error:
            self._wait_for_lock(wait=False)
            raise StoreError(self.path, "unreadable", f"the game can't be saved: {error}") from error
        self._wait_for_lock(wait=True)
        self._files = _files(self.path)
        return removed

    def _write(
        self, table: Table, play: Play | None, events: tuple[Event, ...], current: SavedTable, new_seed: str
    ) -> None:
        """Write the differences from the last save in one transaction; a new game gets the new seed."""
        saved, game, seed = self._saved, self._saved.game, self.seed
        with self._transaction():
            if play is None:
                game = None
            elif game is None:
                seed = new_seed
                game = self._begin_game(table, play, seed)
            if game is not None and play is not None:
                self._write_events(game, saved.events, events)
                self._write_end(game, play)
                if play.over != saved.over:
                    self._write_summary(game, play)
            self._connection.execute(
                "INSERT OR REPLACE INTO situation (only, game, situation) VALUES (1, ?, ?)",
                (game, msgspec.json.encode(current).decode()),
            )
            self._write_tags(saved.tags, table.tags.known)
        over = play is not None and play.over
        self._saved, self.seed = _Saved(game, events, current, table.tags.known, over), seed

    def _is_file_removed(self) -> bool:
        """Return whether somebody has removed or replaced the file or its WAL: writes to it are lost."""
        now = _files(self.path)
        return any(before not in (None, after) for before, after in zip(self._files, now, strict=True))

    def _copy_to_new_file(self) -> bool:
        """Copy the content, from the removed file that is still open, to a new file, and go on there.

        Returns whether the current game was copied too: a program that opens a replaced file may write the
        old WAL into it, and so damage the old file as well. Raises sqlite3.Error, OSError.
        """
        free = not any(self.path.parent.glob(f"{self.path.name}*"))
        path = self.path if free else next_file(newest_file(self.path.parent))
        try:
            copy = Store(path, _copied(self._connection, path, self._patience), self._patience)
            try:
                tags, complete = copy.tags(), copy._holds(self._saved)
            except BaseException:
                copy.close()
                raise
        except BaseException:
            _remove(path)  # half a copy: the next save makes another
            raise
        self.close()
        self.path, self._connection, self._waits = path, copy._connection, True
        self._files = copy._files
        self._saved = replace(self._saved, tags=tags) if complete else _Saved(tags=tags)
        return complete

    def _holds(self, saved: _Saved) -> bool:
        """Return whether the file has the game of the last save, with all its events."""
        if saved.game is None:
            return True
        games = self._connection.execute("SELECT count(*) FROM games WHERE id = ?", (saved.game,)).fetchone()
        query = "SELECT event FROM events WHERE game = ? ORDER BY number"
        texts = [text for (text,) in self._connection.execute(query, (saved.game,))]
        return games == (1,) and texts == [text_of(event) for event in saved.events]

    def _wait_for_lock(self, *, wait: bool) -> None:
        """Set whether the next save waits for the lock of another program."""
        if wait != self._waits:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._patience) if wait else 0}")
            self._waits = wait

    def _begin_game(self, table: Table, play: Play, seed: str) -> int:
        """Insert a game with its players; return its number."""
        setup, places = (msgspec.json.encode(each).decode() for each in (play.setup, play.places))
        cursor = self._connection.execute(
            "INSERT INTO games (setup, places, seed, hints, practice) VALUES (?, ?, ?, ?, ?)",
            (setup, places, seed, table.next_game.options.hints, play.practice),
        )
        game = cursor.lastrowid
        assert game is not None
        for seat, name in enumerate(play.setup.players):
            bot = table.bot_of(seat) or None
            if bot is None:  # a bot's name in the setup is not a person's
                self._connection.execute("INSERT OR IGNORE INTO players (name) VALUES (?)", (name,))
            self._connection.execute(
                "INSERT INTO game_players VALUES (?, ?, (SELECT id FROM players WHERE name = ?), ?)",
                (game, seat, name if bot is None else None, bot),
            )
        return game

    def _write_events(self, game: int, saved: tuple[Event, ...], events: tuple[Event, ...]) -> None:
        """Delete the events that were taken back, and insert the new ones."""
        same = 0
        while same < min(len(saved), len(events)) and saved[same] == events[same]:
            same += 1
        if same < len(saved):
            self._connection.execute("DELETE FROM events WHERE game = ? AND number >= ?", (game, same))
        self._connection.executemany(
            "INSERT INTO events (game, number, event) VALUES (?, ?, ?)",
            [(game, number, text_of(events[number])) for number in range(same, len(events))],
        )

    def _write_end(self, game: int, play: Play) -> None:
        """Set the end time of a game that is over, once; clear that of one that goes on."""
        self._connection.execute(
            "UPDATE games SET ended = CASE WHEN ? THEN coalesce(ended, datetime('now')) END WHERE id = ?",
            (play.over, game),
        )

    def _write_summary(self, game: int, play: Play) -> None:
        """Write the summary of a game that has ended just now; delete that of one that goes on."""
        if not play.over:
            self._connection.execute("DELETE FROM summaries WHERE game = ?", (game,))
        elif play.practice is None:
            bots = self._connection.execute(
                "SELECT seat, bot FROM game_players WHERE game = ? AND bot IS NOT NULL", (game,)
            )
            statistics.write_summary(
                self._connection, game, play.setup, play.places, play.events, dict(bots), {}
            )

    def tags(self) -> dict[str, Meaning]:
        """Return the meanings of all known tags, in the order of teaching. Raises StoreError."""
        try:
            rows = self._connection.execute("SELECT tag, kind, value FROM tags ORDER BY rowid").fetchall()
            return {normalize_tag(tag): parse_meaning(kind, value) for tag, kind, value in rows}
        except DAMAGE as error:
            raise StoreError(self.path, "damaged", f"its tags are damaged: {error}") from error

    def save_tags(self, before: Tags, after: Tags) -> None:
        """Commit a change of the tags alone, from `before` to `after`. Raises StoreError."""
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
        """Close the file."""
        self._connection.close()


def _connected(path: Path, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=patience, isolation_level=None)


_NO_ROOM: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)  # of the file that is written


def _copied(connection: sqlite3.Connection, path: Path, patience: float) -> sqlite3.Connection:
    """Return a connection to a new file with the content of another; an empty file if that is damaged.

    Raises sqlite3.Error if there is no room for it.
    """
    copy = _connected(path, patience)
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
    return _connected(path, patience)


def _remove(path: Path) -> None:
    """Remove a database that is not open, with its journal files."""
    for end in ("", "-journal", "-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


_Files = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""Device and inode of a database and of its WAL; None for a missing file."""


def _files(path: Path) -> _Files:
    return _file(path), _file(path.with_name(f"{path.name}-wal"))


def _file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_file(path: Path) -> None:
    """Check a file without changing it. Raises StoreError if it is not a sound store of this version."""
    log = path.with_name(f"{path.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    with path.open("rb") as file:
        head = file.read(16)
    if not head and not has_log:
        return  # a new file, never written to
    if head != b"SQLite format 3\0":
        raise StoreError(path, "damaged", "the file is damaged: it is not a database")
    mode = "mode=ro" if has_log else "immutable=1"  # immutable: SQLite makes no files of its own
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == application == tables == 0:
            return  # a new file whose first transaction was not committed
        if application != APPLICATION:
            raise StoreError(path, "damaged", "the file is a database of another program")
        if version > SCHEMA:
            raise StoreError(path, "newer", "the file was written by a newer azul-table")
        if version < 1:
            raise StoreError(path, "damaged", f"the file is damaged: its version is {version}")
        faults = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
        if faults != ["ok"]:
            raise StoreError(path, "damaged", f"the file is damaged: {faults[0].splitlines()[-1]}")


# --- File names ------------------------------------------------------------------------------------------

_FILE: Final = re.compile(r"azul-table(?:-(\d{1,4}))?\.db")


def newest_file(directory: Path) -> Path:
    """Return the store file to use in a directory: that with the highest number, else `azul-table.db`."""
    numbers = [int(found[1] or 1) for each in directory.iterdir() if (found := _FILE.fullmatch(each.name))]
    return directory / _name(max(numbers, default=1))


def next_file(path: Path) -> Path:
    """Return the path of a new store file next to one that can't be used: with the next number."""
    found = _FILE.fullmatch(path.name)
    return path.with_name(_name(int(found[1] or 1) + 1 if found else 2))


def _name(number: int) -> str:
    return "azul-table.db" if number == 1 else f"azul-table-{number}.db"
