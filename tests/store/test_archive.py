"""Past games in the store's file: lists, games and grades, beside the table that uses the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from device.rules.events import Draft, Event
from device.rules.notation import text_of
from device.store import archive
from device.store.archive import ArchiveError
from device.store.schema import SCHEMA
from device.store.store import Store
from device.table.game import Play, resume
from device.table.state import CurrentGame, TableSettings, new_table
from tests.harness.stored_games import STANDARD, greedy_game, store_games
from tests.store.test_store import rows

GRADES = "SELECT game, number, lost, best FROM grades ORDER BY game, number"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


@pytest.fixture
def play(path: Path) -> Play:
    """A finished game, the only one in the store."""
    play = greedy_game(STANDARD)
    store_games(path, [play])
    return play


def first_draft(play: Play) -> tuple[int, Event]:
    return next((number, event) for number, event in enumerate(play.events) if isinstance(event, Draft))


def test_a_missing_or_empty_file_has_no_games(path: Path) -> None:
    for _ in range(2):
        assert archive.list_games(path, None, 10) == []
        assert archive.read_game(path, 1) is None
        assert archive.ungraded_games(path) == []
        path.touch()
    assert path.read_bytes() == b""


def test_games_are_listed_from_the_newest_in_pages(path: Path) -> None:
    store_games(path, [greedy_game(STANDARD, seed=seed, most=5) for seed in range(5)])
    assert [each["number"] for each in archive.list_games(path, None, 2)] == [5, 4]
    assert [each["number"] for each in archive.list_games(path, 4, 2)] == [3, 2]
    assert [each["number"] for each in archive.list_games(path, 2, 2)] == [1]
    assert archive.list_games(path, 1, 2) == []


@pytest.mark.parametrize("statement", [f"PRAGMA user_version = {SCHEMA + 1}", "PRAGMA application_id = 1"])
def test_a_file_of_another_version_or_program_is_refused(path: Path, play: Play, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    for read in (lambda: archive.list_games(path, None, 1), lambda: archive.ungraded_games(path)):
        with pytest.raises(ArchiveError, match="of another version or program"):
            read()
    with pytest.raises(ArchiveError, match="of another version or program"):
        archive.read_game(path, 1)


def test_a_grade_is_saved_and_replaced(path: Path, play: Play) -> None:
    number, event = first_draft(play)
    for lost in (0.25, 1.5):
        assert archive.save_grade(path, 1, number, event, lost, event)
        assert rows(path, GRADES) == [(1, number, lost, text_of(event))]
    game = archive.read_game(path, 1)
    assert game is not None
    assert game.grades == {number: (1.5, event)}


def test_no_grade_is_saved_for_an_event_that_is_not_there(path: Path, play: Play) -> None:
    number, event = first_draft(play)
    assert not archive.save_grade(path, 2, number, event, 1.0, event)
    assert not archive.save_grade(path, 1, len(play.events), event, 1.0, event)
    assert not archive.save_grade(path, 1, number, play.events[number + 1], 1.0, event)
    assert rows(path, GRADES) == []


def test_grades_are_saved_while_a_table_uses_the_file(path: Path, play: Play) -> None:
    number, event = first_draft(play)
    with closing(Store.open(path)) as store:
        table = replace(store.load(new_table(TableSettings(4, 9)), 0.0), game=CurrentGame(play))
        store.save(table)
        assert archive.save_grade(path, 2, number, event, 1.0, event)
        store.save(replace(table, game=CurrentGame(resume(play.setup, play.places, play.events[:number]))))
        assert not archive.save_grade(path, 2, number, event, 1.0, event), "it was taken back"
    assert rows(path, GRADES) == []


def test_a_grade_for_a_removed_file_makes_no_new_file(path: Path, play: Play) -> None:
    number, event = first_draft(play)
    path.unlink()
    with pytest.raises(ArchiveError, match=r"azul-table\.db: a grade of game 1 can't be saved"):
        archive.save_grade(path, 1, number, event, 1.0, event)
    assert list(path.parent.iterdir()) == []
