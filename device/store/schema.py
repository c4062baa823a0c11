"""The tables of the store's file, and what makes a file of an earlier schema one of this."""

import sqlite3
from typing import Final

from device.table.tags import normalize_tag

SCHEMA: Final = 2
APPLICATION: Final = 0x417A756C
"""SQLite's application id of our files: 'Azul' in ASCII."""

_TAGS: Final = """
CREATE TABLE tags (                -- with row ids: the order in which they were learned
    tag TEXT PRIMARY KEY NOT NULL, -- in its one form
    kind TEXT NOT NULL,            -- tile, player or action
    value TEXT NOT NULL            -- a colour's letter, a player's name, what an action card does
)
"""
_BOT: Final = "bot TEXT"  # the opponent's or program's name; null for a person
_HINTS: Final = "hints INTEGER NOT NULL DEFAULT 0"  # whether hints are allowed
_GRADES: Final = """
CREATE TABLE grades (
    game INTEGER NOT NULL,
    number INTEGER NOT NULL,       -- of the event; taken back, it takes its grade along
    lost REAL NOT NULL,            -- points that the best would have brought more
    best TEXT NOT NULL,            -- the notation
    PRIMARY KEY (game, number),
    FOREIGN KEY (game, number) REFERENCES events (game, number) ON DELETE CASCADE
) WITHOUT ROWID
"""
_TABLES: Final = f"""
CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    setup TEXT NOT NULL,           -- JSON: mode, players, first
    places TEXT NOT NULL,          -- JSON: the table's seat of each player
    seed TEXT NOT NULL,            -- of every draw, so that what is dealt again is the same
    started TEXT NOT NULL DEFAULT (datetime('now')),
    ended TEXT, {_HINTS}
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
CREATE TABLE situation (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    game INTEGER REFERENCES games, -- the one on the table
    situation TEXT NOT NULL        -- JSON
);
"""


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables in a new file, or bring an earlier file up to this schema; within a transaction.

    Raises ValueError where an earlier file holds what can't be.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
    if version == 1:
        _add_what_schema_2_has(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _add_what_schema_2_has(connection: sqlite3.Connection) -> None:
    """Schema 1 knew tags of tiles alone, no bots, no hints and no grades."""
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
