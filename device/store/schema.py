"""The database schema of the store, the migration of older files, and reading a game's rows."""

import sqlite3
from typing import Final

import msgspec

from device.rules.events import Event
from device.rules.game import Setup
from device.rules.notation import event_of
from device.table.tags import normalize_tag

SCHEMA: Final = 3
APPLICATION: Final = 0x417A756C  # SQLite's application id of our files: 'Azul' in ASCII

DAMAGE: Final = (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, msgspec.MsgspecError)
"""What reading and replaying damaged content raises."""

_TAGS: Final = """
CREATE TABLE tags (                -- with row ids: the order in which they were taught
    tag TEXT PRIMARY KEY NOT NULL, -- normalized
    kind TEXT NOT NULL,            -- tile, player or action
    value TEXT NOT NULL            -- a colour's letter, a player's name, what an action card does
)
"""
_BOT: Final = "bot TEXT"  # the name of the opponent or program; null for a person
_HINTS: Final = "hints INTEGER NOT NULL DEFAULT 0"  # whether hints are allowed
_GRADES: Final = """
CREATE TABLE grades (
    game INTEGER NOT NULL,
    number INTEGER NOT NULL,       -- of the event, with which it is deleted
    lost REAL NOT NULL,            -- points less than the best choice
    best TEXT NOT NULL,            -- the best choice's notation
    PRIMARY KEY (game, number),
    FOREIGN KEY (game, number) REFERENCES events (game, number) ON DELETE CASCADE
) WITHOUT ROWID
"""
_PRACTICE: Final = "practice INTEGER"  # of a game for practice, the number of events at its beginning
_SUMMARIES: Final = """
CREATE TABLE summaries (           -- of finished games, without those for practice
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    player INTEGER NOT NULL,       -- in players; 0 for an opponent, and for a person without a name
    bot TEXT NOT NULL,             -- empty for a person
    mode TEXT NOT NULL,
    players INTEGER NOT NULL,      -- how many play
    score INTEGER NOT NULL,
    winner INTEGER NOT NULL,       -- 1 also for a victory that is shared, and in solo for any but a loss
    placing INTEGER NOT NULL,      -- where the points of the score come from
    row_points INTEGER NOT NULL,
    column_points INTEGER NOT NULL,
    colour_points INTEGER NOT NULL,
    floor_points INTEGER NOT NULL, -- 0 or less
    other INTEGER NOT NULL,
    lost REAL,                     -- points that the choices lost; null until all are graded
    choices INTEGER,
    PRIMARY KEY (player, bot, mode, players, game, seat) -- in the order in which they are added up
) WITHOUT ROWID
"""
_SUMMARIES_OF_GAME: Final = "CREATE INDEX summaries_of_game ON summaries (game, seat, player, score, winner)"
_TABLES: Final = f"""
CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    setup TEXT NOT NULL,           -- JSON: mode, players, first
    places TEXT NOT NULL,          -- JSON: the place of each player
    seed TEXT NOT NULL,            -- of the chance events
    started TEXT NOT NULL DEFAULT (datetime('now')),
    ended TEXT, {_HINTS}, {_PRACTICE}
);
CREATE TABLE game_players (
    game INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    player INTEGER REFERENCES players, {_BOT},
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,           -- the notation
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
{_TAGS};
{_GRADES};
{_SUMMARIES};
{_SUMMARIES_OF_GAME};
CREATE TABLE situation (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    game INTEGER REFERENCES games, -- the current game
    situation TEXT NOT NULL        -- JSON: device.store.saved_table
);
"""


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables of a new file, or migrate an older file; to be called within a transaction.

    Raises ValueError if an older file has impossible content.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
    if version == 1:
        _migrate_1_to_2(connection)
    if version in (1, 2):
        _migrate_2_to_3(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _migrate_1_to_2(connection: sqlite3.Connection) -> None:
    """Add bots, hints and grades, and tags of all kinds: schema 1 had only those of tiles."""
    tiles = connection.execute("SELECT tag, colour FROM tags ORDER BY tag").fetchall()
    connection.execute("DROP TABLE tags")
    connection.execute(_TAGS)
    connection.executemany(
        "INSERT OR REPLACE INTO tags (tag, kind, value) VALUES (?, 'tile', ?)",
        [(normalize_tag(str(tag)), colour) for tag, colour in tiles],
    )
    connection.execute(f"ALTER TABLE game_players ADD COLUMN {_BOT}")
    connection.execute(f"ALTER TABLE games ADD COLUMN {_HINTS}")
    connection.execute(_GRADES)


def _migrate_2_to_3(connection: sqlite3.Connection) -> None:
    """Add games for practice, and summaries, which are filled later."""
    connection.execute(f"ALTER TABLE games ADD COLUMN {_PRACTICE}")
    connection.execute(_SUMMARIES)
    connection.execute(_SUMMARIES_OF_GAME)


EventRows = tuple[tuple[int, str], ...]
"""The events of a game as they are stored: number and notation, in order."""


def read_game(
    connection: sqlite3.Connection, game: int, setup: str, places: str
) -> tuple[Setup, tuple[int, ...], tuple[Event, ...]]:
    """Parse the columns `setup` and `places` of a game and return them with its events.

    Raises one of `DAMAGE`, also if an event is missing; whether the events are legal is not checked.
    """
    return parse_game(game, setup, places, event_rows(connection, game))


def event_rows(connection: sqlite3.Connection, game: int) -> EventRows:
    """Return the events of a game. Raises sqlite3.Error."""
    query = "SELECT number, event FROM events WHERE game = ? ORDER BY number"
    return tuple(connection.execute(query, (game,)))


def parse_game(
    game: int, setup: str, places: str, rows: EventRows
) -> tuple[Setup, tuple[int, ...], tuple[Event, ...]]:
    """Parse the stored texts of a game; raises as `read_game` does."""
    if any(number != at for at, (number, _) in enumerate(rows)):
        raise ValueError(f"game {game} lacks an event")
    events = tuple(event_of(text) for _, text in rows)
    players = msgspec.json.decode(setup, type=Setup)
    return players, msgspec.json.decode(places, type=tuple[int, ...]), events
