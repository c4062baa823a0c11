"""Stores that can't be used: each raises an error and is left unchanged; the table starts with a new file."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from device.lights.palettes import PALETTES
from device.lights.view import view
from device.socket.snapshot import snapshot
from device.store import store
from device.store.store import Store, StoreError
from device.table.state import Table, TableSettings, new_table
from tests.harness.fixtures import StartTable
from tests.harness.local_table import LocalTable
from tests.harness.waiting import DEADLINE
from tests.store.test_store import press, whole_game
from tests.table.simulator import game_of

NAME = "azul-table.db"
Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a finished game and a game in play, in which tiles are selected."""
    path = tmp_path_factory.mktemp("sound") / NAME
    kept = Store.open(path)
    for table in whole_game():
        kept.save(table)
    again = table
    for button in (
        "ok",
        "seat.1.floor",
        "display.1",
        "seat.1.line.5",
        "display.2",
        "seat.3.line.5",
        "display.3",
    ):
        again = press(again, button)
        kept.save(again)
    kept.close()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path))


def sql(*statements: str) -> Damage:
    """Return damage by SQL statements."""

    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return damage


def content(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def zero_page(number: int) -> Damage:
    return content(lambda whole: whole[: 4096 * (number - 1)] + bytes(4096) + whole[4096 * number :])


def flip_page(number: int) -> Damage:
    """Return damage that flips all bits of a page's header."""
    start = 4096 * (number - 1)
    return content(
        lambda whole: (
            whole[:start] + bytes(255 - byte for byte in whole[start : start + 64]) + whole[start + 64 :]
        )
    )


def another_database(path: Path) -> None:
    path.unlink()
    sql("CREATE TABLE recipes (name TEXT)", "INSERT INTO recipes VALUES ('caldo verde')")(path)


def another_application(path: Path) -> None:
    another_database(path)
    sql("PRAGMA application_id = 42", "PRAGMA user_version = 1")(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def situation(**changes: object) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            known = json.loads(connection.execute("SELECT situation FROM situation").fetchone()[0])
            connection.execute("UPDATE situation SET situation = ?", (json.dumps(known | changes),))
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return damage


EVENTS = "UPDATE events SET event = {} WHERE game = 2 AND number = 1"
DAMAGED: dict[str, Damage] = {
    "garbage": content(lambda whole: random.Random(1).randbytes(len(whole))),
    "text": content(lambda whole: b"This was a photo of a cat.\n"),
    "zeros": content(lambda whole: bytes(len(whole))),
    "a head of sixteen bytes": content(lambda whole: whole[:16]),
    "half of it": content(lambda whole: whole[: len(whole) // 2]),
    "cut off in a page": content(lambda whole: whole[:-1000]),
    "the last page missing": content(lambda whole: whole[:-4096]),
    "garbage after the head": content(
        lambda whole: whole[:100] + random.Random(1).randbytes(len(whole) - 100)
    ),
    **{f"page {number} zero": zero_page(number) for number in range(2, 7)},
    **{f"page {number} flipped": flip_page(number) for number in range(2, 7)},
    "a database of another program": another_database,
    "a database of another application": another_application,
    "no version": sql("PRAGMA user_version = 0"),
    "a version below 0": sql("PRAGMA user_version = -1"),
    "a table missing": sql("DROP TABLE situation"),
    "a column missing": sql("ALTER TABLE events RENAME COLUMN event TO said"),
    "no event": sql(EVENTS.format("'3z9'")),
    "an empty event": sql(EVENTS.format("''")),
    "a number for an event": sql(EVENTS.format("7")),
    "bytes for an event": sql(EVENTS.format("x'ff00'")),
    "text that is no UTF-8": sql(EVENTS.format("CAST(x'ff00' AS TEXT)")),
    "an illegal event": sql(EVENTS.format("'0b1'")),
    "another deal": sql("UPDATE events SET event = 'deal bbbb bbbb bbbb bbbb bbbb bbbb' WHERE number = 0"),
    "an event missing": sql("DELETE FROM events WHERE game = 2 AND number = 1"),
    "the deal missing": sql("DELETE FROM events WHERE game = 2 AND number = 0"),
    "the game missing": sql("PRAGMA foreign_keys = OFF", "DELETE FROM games WHERE id = 2"),
    "an unknown mode": sql("""UPDATE games SET setup = replace(setup, 'standard', 'chess')"""),
    "no such first player": sql("""UPDATE games SET setup = replace(setup, '"first":0', '"first":7')"""),
    "a negative first player": sql("""UPDATE games SET setup = replace(setup, '"first":0', '"first":-1')"""),
    "no setup": sql("UPDATE games SET setup = ''"),
    "one seat too few": sql("UPDATE games SET places = '[1]'"),
    "twice the same seat": sql("UPDATE games SET places = '[1,1]'"),
    "seats beyond numbers": sql("UPDATE games SET places = '[0,1]'"),
    "no seats": sql("UPDATE games SET places = '{}'"),
    "a situation cut off": sql("UPDATE situation SET situation = substr(situation, 1, 20)"),
    "a situation of bytes": sql("UPDATE situation SET situation = x'00'"),
    "a situation with more": situation(weather="rain"),
    "a situation of another kind": situation(taken="1,2"),
    "names beyond length": situation(names=["A" * 500]),
    "seats taken twice": situation(taken=[1, 1]),
    "an unknown wish": situation(wishes={"mode": "chess"}),
    "a source that is none": situation(selection="9bf"),
    "a source without that colour": situation(selection="1bf"),
    "a selection that is none": situation(selection="tile 0 1 1"),
    "a line tried that is none": situation(tried=7),
    "a scoring that is none": situation(steps_shown=1),
    "a scoring before the first": situation(steps_shown=-1),
}
OTHER: dict[str, tuple[str, Damage]] = {
    "a newer file": ("newer", sql("PRAGMA user_version = 4")),
    "a much newer file": ("newer", sql("DROP TABLE events", "PRAGMA user_version = 2147483647")),
    "a folder": ("unreadable", folder),
    "a player beyond the seats": ("larger_table", situation(taken=[1, 3, 5])),
    "a game beyond the seats": ("larger_table", sql("UPDATE games SET places = '[1,7]'")),
}
KINDS = {name: ("damaged", damage) for name, damage in DAMAGED.items()} | OTHER


def files(folder: Path) -> dict[str, bytes | None]:
    return {file.name: file.read_bytes() if file.is_file() else None for file in folder.iterdir()}


def load(path: Path) -> Table:
    kept = Store.open(path)
    try:
        return kept.load(new_table(TableSettings(4, 9)), 0.0)
    finally:
        kept.close()


def test_the_sound_store_is_sound(path: Path) -> None:
    table = load(path)
    selection = game_of(table).selection
    assert selection is not None
    assert selection.source == 3
    assert table.play is not None
    assert len(table.play.moves) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_store_that_cant_be_used_raises_an_error_and_is_left_unchanged(path: Path, kind: str) -> None:
    why, damage = KINDS[kind]
    damage(path)
    before = files(path.parent)
    with pytest.raises(StoreError) as caught:
        load(path)
    assert caught.value.why == why, caught.value
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value).removeprefix(f"{path}: ").split()) >= 4, "a sentence"
    assert files(path.parent) == before


def test_a_folder_that_cant_be_read_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path / "file" / NAME)
    assert caught.value.why == "unreadable"


OPEN_AS_NOBODY = """
import os, pwd, sys
from pathlib import Path
from device.store.store import Store, StoreError
if os.geteuid() == 0:
    os.setresuid(*[pwd.getpwnam("nobody").pw_uid] * 3)
try:
    Store.open(Path(sys.argv[1]))
except StoreError as error:
    print(error.why, error)
"""


@pytest.mark.system
@pytest.mark.parametrize(("folder", "file"), [(0o555, 0o000), (0o555, 0o444), (0o000, 0o644)])
def test_a_file_without_permission_raises_an_error(sound: Path, short: Path, folder: int, file: int) -> None:
    path = Path(shutil.copy(sound, short))
    before = path.read_bytes()
    path.chmod(file)
    short.chmod(folder)
    command = [sys.executable, "-c", OPEN_AS_NOBODY, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=DEADLINE).stdout
    short.chmod(0o755)
    assert said.startswith(f"unreadable {path}: ")
    path.chmod(0o644)
    assert files(short) == {NAME: before}


def test_a_newer_store_and_its_wal_are_left_unchanged(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA user_version = 9")
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for file in tmp_path.glob(f"{NAME}*"):
            shutil.copy(file, elsewhere)
    before = files(elsewhere)
    assert before[f"{NAME}-wal"]
    with pytest.raises(StoreError) as caught:
        load(elsewhere / NAME)
    assert caught.value.why == "newer"
    after = files(elsewhere)
    assert {name: after[name] for name in (NAME, f"{NAME}-wal")} == {
        name: before[name] for name in (NAME, f"{NAME}-wal")
    }


def test_an_empty_file_with_a_wal_is_damaged(path: Path) -> None:
    """SQLite would delete the WAL, which may have the saved games."""
    path.write_bytes(b"")
    log = path.with_name(f"{NAME}-wal")
    log.write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))
    before = files(path.parent)
    with pytest.raises(StoreError) as caught:
        load(path)
    assert caught.value.why == "damaged"
    assert files(path.parent) == before


@pytest.mark.slow
def test_random_damage_raises_an_error_or_is_harmless(sound: Path, tmp_path: Path) -> None:
    """Either StoreError is raised, or the loaded table can be shown."""
    dice = random.Random(1)
    whole = sound.read_bytes()
    refused = 0
    for number in range(400):
        path = tmp_path / f"{number}" / NAME
        path.parent.mkdir()
        path.write_bytes(damaged(whole, dice))
        before = path.read_bytes()
        try:
            table = load(path)
        except StoreError as error:
            refused += 1
            assert path.read_bytes() == before, error
        else:
            assert snapshot(table, PALETTES["box"])
            assert view(table, 0.0, PALETTES["box"]).lit
        shutil.rmtree(path.parent)
    assert refused > 100


def damaged(whole: bytes, dice: random.Random) -> bytes:
    at, length = dice.randrange(len(whole)), 2 ** dice.randrange(13)
    match dice.randrange(4):
        case 0:
            return whole[:at]
        case 1:
            return whole[:at] + bytes(length) + whole[at + length :]
        case 2:
            return whole[:at] + dice.randbytes(length) + whole[at + length :]
        case _:
            flipped = whole[at] ^ 1 << dice.randrange(8)
            return whole[:at] + bytes([flipped]) + whole[at + 1 :]


def test_strange_values_raise_an_error_or_are_harmless(sound: Path, tmp_path: Path) -> None:
    """Each text and number is replaced by values of other kinds."""
    strange: list[object] = [
        "",
        "{}",
        "[]",
        "null",
        "[[]]",
        "-1",
        "1e999",
        0,
        -1,
        2**62,
        1.5,
        b"\0",
        "deal -",
        "🐟",
        None,
    ]
    for column in (
        "games.setup",
        "games.places",
        "games.seed",
        "situation.situation",
        "situation.game",
        "events.event",
    ):
        for value in strange:
            path = Path(shutil.copy(sound, tmp_path))
            table, name = column.split(".")
            with closing(sqlite3.connect(path)) as connection:
                try:
                    connection.execute(f"UPDATE {table} SET {name} = ?", (value,))
                except sqlite3.IntegrityError:
                    continue  # the database itself refuses it
                connection.commit()
            try:
                loaded = load(path)
            except StoreError:
                continue
            assert snapshot(loaded, PALETTES["box"]), (column, value)
            assert view(loaded, 0.0, PALETTES["box"]).lit


# --- At the table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["garbage", "an illegal event", "a newer file", "a folder"])
def test_the_table_offers_to_start_with_a_new_file(path: Path, kind: str) -> None:
    why, damage = KINDS[kind]
    damage(path)
    before = files(path.parent)
    with LocalTable(store.newest_file(path.parent)) as local_table:
        asked = {"say": "start_beside", "why": why, "path": NAME, "new_path": "azul-table-2.db"}
        assert local_table.snapshot["stage"] == "unusable"
        assert local_table.snapshot["ask"] == asked
        assert local_table.snapshot["live"] == ["ok"]
        for button in ("seat.1.floor", "display.1", "centre", "undo"):
            assert local_table.press(button).why == "not_now"
        assert files(path.parent) == before
        assert local_table.press("ok").taken
        assert local_table.snapshot["ask"]["say"] == "take_seat"
        local_table.play(20)
        shown = local_table.snapshot
    after = files(path.parent)
    assert after.pop("azul-table-2.db")
    assert after == before
    with LocalTable(store.newest_file(path.parent)) as local_table:
        assert local_table.press("ok").taken  # this is my board
        assert local_table.snapshot["seats"] == shown["seats"]
        assert local_table.snapshot["moves"] == shown["moves"]


def test_a_second_damaged_file_is_left_unchanged_too(path: Path) -> None:
    path.with_name("azul-table-2.db").write_text("This is no store either.")
    with LocalTable(store.newest_file(path.parent)) as local_table:
        assert local_table.snapshot["ask"]["path"] == "azul-table-2.db"
        assert local_table.snapshot["ask"]["new_path"] == "azul-table-3.db"
        assert local_table.press("ok").taken
        local_table.play(4)
    assert store.newest_file(path.parent).name == "azul-table-3.db"
    assert path.with_name("azul-table-2.db").read_text() == "This is no store either."


def test_the_game_of_a_larger_table_is_left_for_it(path: Path) -> None:
    with LocalTable(path, layout="duo") as local_table:
        assert local_table.snapshot["ask"]["why"] == "larger_table"
    with LocalTable(path) as local_table:
        assert local_table.snapshot["ask"]["say"] == "your_board"
        assert len(local_table.snapshot["moves"]) == 2


def test_a_running_table_leaves_a_damaged_store_unchanged(path: Path, start: StartTable) -> None:
    DAMAGED["half of it"](path)
    before = path.read_bytes()
    table = start(folder=path.parent, logs=path.parent.parent)
    assert table.snapshot()["ask"]["say"] == "start_beside"
    with table.client() as client:
        assert client.press("seat.1.floor")["why"] == "not_now"
        client.take("ok", "seat.2.floor")
        table.kill()
    table = start(folder=path.parent, logs=path.parent.parent)
    assert [seat["taken"] for seat in table.snapshot()["seats"]] == [False, True, False, False]
    assert path.read_bytes() == before
    assert table.err == ""
