"""Stores made by earlier versions of the program open with their games, tags and the saved table."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.tiles import COLOURS, Colour, letter
from device.store import archive
from device.store.saved_table import SavedTable, to_saved_table
from device.store.schema import SCHEMA
from device.store.store import Store, StoreError
from device.table.game import Selection
from device.table.state import GameOptions, Question, StandIn, Table, TableSettings, new_table
from device.table.tags import Action, ActionCard, PlayerCard, TileTag
from tests.harness.fixtures import StartTable
from tests.harness.waiting import DEADLINE
from tests.store.test_store import press, rows
from tests.table.simulator import game_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SCHEMA_1 = GOLDEN / "store-schema-1.db"
"""Made by commit 0a94ce4: a game stopped in its first round, one with two drafts and the tiles of a third
chosen, and the 100 tags of the simulated table."""
SCHEMA_2 = GOLDEN / "store-schema-2.db"
"""Made by commit 8a5634c: a finished game with grades, a solo game stopped after nine events, and a game of
two people and an opponent whose process has ended, with a red tile in hand; tags of all kinds."""

STATEMENTS = 60
"""More than are executed while a store is opened."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(SCHEMA_1, tmp_path / "azul-table.db"))


def loaded(path: Path) -> Table:
    """Return the table that a store has saved."""
    with closing(Store.open(path)) as store:
        return store.load(new_table(TableSettings(4, 9)), 0.0)


def columns(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the columns of each table: name, type, whether not null, default, position in the key."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: sorted(row[1:] for row in connection.execute(f"PRAGMA table_info({name})"))
            for (name,) in tables
        }


def test_the_game_in_progress_of_schema_1_is_loaded(path: Path) -> None:
    kept = rows(path, "SELECT event FROM events WHERE game = 2 ORDER BY number")
    table = loaded(path)
    assert table.seats.names == ("Ana", "", "Rui", "")
    assert game_of(table).question is Question.YOUR_BOARD
    assert game_of(table).selection == Selection(5, Colour.YELLOW)
    assert table.play is not None
    assert [text_of(event) for event in table.play.events] == [text for (text,) in kept]
    assert len(kept) == 3


def test_a_game_of_schema_1_goes_on(path: Path) -> None:
    with closing(Store.open(path)) as store:
        table = press(store.load(new_table(TableSettings(4, 9)), 0.0), "ok", "seat.1.line.5")
        store.save(table)
    assert loaded(path).play == table.play
    assert rows(path, "SELECT id, hints FROM games ORDER BY id") == [(1, 0), (2, 0)]
    assert set(rows(path, "SELECT bot FROM game_players")) == {(None,)}


def test_the_tags_of_schema_1_are_tiles(path: Path) -> None:
    with closing(Store.open(path)) as store:
        assert store.tags() == {
            f"tile-{letter(colour)}-{number:02}": TileTag(colour)
            for colour in COLOURS
            for number in range(1, 21)
        }


def test_a_migrated_store_has_the_tables_of_a_new_one(path: Path, tmp_path: Path) -> None:
    loaded(path)
    new = tmp_path / "new.db"
    loaded(new)
    assert columns(path) == columns(new)
    assert rows(path, "PRAGMA user_version") == rows(new, "PRAGMA user_version") == [(SCHEMA,)]


def test_the_grade_of_a_draft_is_deleted_with_it(path: Path) -> None:
    with closing(Store.open(path)) as store:
        table = store.load(new_table(TableSettings(4, 9)), 0.0)
        with closing(sqlite3.connect(path)) as other, other:
            other.executemany("INSERT INTO grades VALUES (2, ?, ?, ?)", [(1, 0.5, "3y4"), (2, 1.5, "1b2")])
        store.save(press(table, "ok", "undo", "undo"))
    assert rows(path, "SELECT * FROM grades") == [(2, 1, 0.5, "3y4")]


DIES = """
import os, signal, sqlite3, sys
from pathlib import Path
from device.store.store import Store

class Dies(sqlite3.Connection):
    left = int(sys.argv[2])
    def execute(self, *arguments):
        Dies.left -= 1
        if Dies.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(*arguments)

open_file = sqlite3.connect
sqlite3.connect = lambda *given, **named: open_file(*given, **named, factory=Dies)
Store.open(Path(sys.argv[1]))
"""


@pytest.mark.system
def test_a_migration_that_is_killed_leaves_schema_1(path: Path) -> None:
    """It is killed before each of its statements in turn."""
    before = columns(path)
    found = []
    for statement in range(STATEMENTS):
        killed = subprocess.run(
            [sys.executable, "-c", DIES, str(path), str(statement)], timeout=DEADLINE, check=False
        )
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL
        found.append(rows(path, "PRAGMA user_version")[0][0])
        assert found[-1] == SCHEMA or columns(path) == before
    assert killed.returncode == 0
    assert found.count(1) > 10
    assert game_of(loaded(path)).selection == Selection(5, Colour.YELLOW)


def test_a_migration_on_a_full_disk_leaves_schema_1(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(sqlite3.Connection):
        def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
            cursor = super().execute(statement, *arguments)
            if "foreign_keys" in statement:
                super().execute("PRAGMA max_page_count = 1")
            return cursor

    open_file = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *given, **named: open_file(*given, **named, factory=Full))
        with pytest.raises(StoreError, match="full") as caught:
            Store.open(path)
    assert caught.value.why == "unreadable"
    assert rows(path, "PRAGMA user_version") == [(1,)]
    assert game_of(loaded(path)).selection == Selection(5, Colour.YELLOW)


def test_a_migration_of_impossible_tags_leaves_schema_1(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tags SET tag = char(7) WHERE tag = 'tile-b-01'")
        connection.commit()
    with pytest.raises(StoreError, match=r"damaged: .* is no tag") as caught:
        Store.open(path)
    assert caught.value.why == "damaged"
    assert rows(path, "PRAGMA user_version") == [(1,)]


def test_a_newer_store_is_left_unchanged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        connection.commit()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="newer azul-table"):
        Store.open(path)
    assert path.read_bytes() == content


def test_a_store_of_schema_2_is_loaded(tmp_path: Path) -> None:
    path = Path(shutil.copy(SCHEMA_2, tmp_path / "azul-table.db"))
    table = loaded(path)
    assert table.seats.names == ("Ana", "", "Eva", "Inês")
    assert table.seats.taken == (1, 2, 4)
    assert table.seats.bots == ("", "strong", "", "")
    assert table.next_game.options == GameOptions("gray", hints=True)
    assert table.opponents.stand_ins == (StandIn(2, "lost", "the process has ended", for_good=True),)
    assert game_of(table).colour_in_hand is Colour.RED
    assert game_of(table).question is Question.YOUR_BOARD
    assert table.play is not None
    assert table.play.setup == Setup("gray", ("Ana", "Strong", "Inês"), 0)
    assert len(table.play.events) == 3
    assert [type(meaning) for meaning in table.tags.known.values()] == 5 * [PlayerCard] + 3 * [ActionCard] + [
        TileTag
    ]
    assert table.tags.known["A7CB000003"] == ActionCard(Action.NEW_GAME)


def test_the_past_games_of_a_store_of_schema_2_are_read(tmp_path: Path) -> None:
    path = Path(shutil.copy(SCHEMA_2, tmp_path / "azul-table.db"))
    loaded(path)
    entries = archive.list_games(path, None, 10)
    assert [(each["number"], each["status"]) for each in entries] == [
        (3, "in_play"),
        (2, "stopped"),
        (1, "finished"),
    ]
    game = archive.read_game(path, 1)
    assert game is not None
    assert game.ended == "2026-11-01 18:40:00"
    assert len(game.grades) == 52
    assert archive.ungraded_games(path) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"wishes":{"mode":"solo","level":"expert","wall":"gray","hints":false}}',
            GameOptions("solo", "expert", "gray", hints=False),
        ),
        ('{"wishes":{}}', GameOptions()),
    ],
)
def test_the_options_of_a_saved_table_have_the_names_of_today(text: str, expected: GameOptions) -> None:
    assert msgspec.json.decode(text, type=SavedTable).wishes == expected


def test_the_saved_table_is_written_as_today(tmp_path: Path) -> None:
    path = Path(shutil.copy(SCHEMA_2, tmp_path / "azul-table.db"))
    (text,) = rows(path, "SELECT situation FROM situation")[0]
    assert msgspec.json.encode(to_saved_table(loaded(path))).decode() == text
    assert json.loads(msgspec.json.encode(SavedTable())).keys() == {
        *("names", "taken", "choosing", "wishes", "selection", "tried", "in_hand", "told", "steps_shown"),
        *("bots", "stand_ins"),
    }


def test_the_command_goes_on_with_a_store_of_schema_1(data: Path, start: StartTable) -> None:
    data.mkdir()
    shutil.copy(SCHEMA_1, data / "azul-table.db")
    table = start()
    snapshot = table.snapshot()
    assert snapshot["ask"]["say"] == "your_board"
    assert snapshot["choice"] is not None
    table.end()
    assert rows(data / "azul-table.db", "PRAGMA user_version") == [(SCHEMA,)]
