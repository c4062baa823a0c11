"""A store of schema 1, made by the program of that time, opens with its game in progress, tags and all."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from device.rules.notation import text_of
from device.rules.tiles import COLOURS, Colour, letter
from device.store.schema import SCHEMA
from device.store.store import Store, StoreError
from device.table.game import Selection
from device.table.state import Question, Table, new_table
from device.table.tags import TileTag
from tests.harness.fixtures import StartTable
from tests.harness.waiting import DEADLINE
from tests.store.test_store import press, rows

SCHEMA_1 = Path(__file__).resolve().parents[1] / "golden" / "store-schema-1.db"
"""Made by commit 0a94ce4: a game stopped in its first round, one with two drafts and the tiles of a third
chosen, and the 100 tags of the simulated table."""

STATEMENTS = 60
"""More than are executed while a store is opened."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(SCHEMA_1, tmp_path / "azul-table.db"))


def left_there(path: Path) -> Table:
    """The table that a store holds."""
    with closing(Store.open(path)) as store:
        return store.load(new_table(4, 9), 0.0)


def columns(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Each table's columns: name, type, whether it must be, default, place in the key."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: sorted(row[1:] for row in connection.execute(f"PRAGMA table_info({name})"))
            for (name,) in tables
        }


def test_the_game_in_progress_comes_back(path: Path) -> None:
    kept = rows(path, "SELECT event FROM events WHERE game = 2 ORDER BY number")
    table = left_there(path)
    assert table.names == ("Ana", "", "Rui", "")
    assert table.question is Question.YOUR_BOARD
    assert table.selection == Selection(5, Colour.YELLOW)
    assert table.play is not None
    assert [text_of(event) for event in table.play.events] == [text for (text,) in kept]
    assert len(kept) == 3


def test_it_goes_on_and_is_saved_as_any_other(path: Path) -> None:
    with closing(Store.open(path)) as store:
        table = press(store.load(new_table(4, 9), 0.0), "ok", "seat.1.line.5")
        store.save(table)
    assert left_there(path).play == table.play
    assert rows(path, "SELECT id, hints FROM games ORDER BY id") == [(1, 0), (2, 0)]
    assert set(rows(path, "SELECT bot FROM game_players")) == {(None,)}


def test_its_tags_are_tiles(path: Path) -> None:
    with closing(Store.open(path)) as store:
        assert store.tags() == {
            f"tile-{letter(colour)}-{number:02}": TileTag(colour)
            for colour in COLOURS
            for number in range(1, 21)
        }


def test_it_has_the_same_tables_as_a_new_one(path: Path, tmp_path: Path) -> None:
    left_there(path)
    new = tmp_path / "new.db"
    left_there(new)
    assert columns(path) == columns(new)
    assert rows(path, "PRAGMA user_version") == rows(new, "PRAGMA user_version") == [(SCHEMA,)]


def test_a_draft_taken_back_takes_its_grade_along(path: Path) -> None:
    with closing(Store.open(path)) as store:
        table = store.load(new_table(4, 9), 0.0)
        store._connection.executemany(
            "INSERT INTO grades VALUES (2, ?, ?, ?)", [(1, 0.5, "3y4"), (2, 1.5, "1b2")]
        )
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
def test_a_program_that_dies_on_the_way_leaves_schema_1(path: Path) -> None:
    """Killed before each statement in turn, until there is none left to be killed before."""
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
    assert left_there(path).selection == Selection(5, Colour.YELLOW)


def test_a_full_disk_leaves_schema_1(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert left_there(path).selection == Selection(5, Colour.YELLOW)


def test_tags_that_cant_be_leave_schema_1(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tags SET tag = char(7) WHERE tag = 'tile-b-01'")
        connection.commit()
    with pytest.raises(StoreError, match=r"damaged: .* is no tag") as caught:
        Store.open(path)
    assert caught.value.why == "damaged"
    assert rows(path, "PRAGMA user_version") == [(1,)]


def test_a_newer_store_stays_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        connection.commit()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="newer azul-table"):
        Store.open(path)
    assert path.read_bytes() == content


def test_the_command_goes_on_with_it(data: Path, start: StartTable) -> None:
    data.mkdir()
    shutil.copy(SCHEMA_1, data / "azul-table.db")
    table = start()
    snapshot = table.snapshot()
    assert snapshot["ask"]["say"] == "your_board"
    assert snapshot["choice"] is not None
    table.end()
    assert rows(data / "azul-table.db", "PRAGMA user_version") == [(SCHEMA,)]
