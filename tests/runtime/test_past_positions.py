"""Positions of past games that reach a running table from the history thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.lights.palettes import BOX
from device.rules.notation import text_of
from device.runtime.historian import Historian
from device.socket.messages import Answer, BeginPractice, ShowPosition
from device.socket.server import Request
from device.store import archive
from tests.harness.local_table import LocalTable
from tests.harness.stored_games import STANDARD, greedy_game, store_games
from tests.harness.waiting import DEADLINE
from tests.store.test_store import rows

pytestmark = pytest.mark.system

EVENTS = "SELECT event FROM events WHERE game = 1 ORDER BY number"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose table still has its only game, which is over."""
    store_games(tmp_path / "azul-table.db", [greedy_game(STANDARD)], on_table=True)
    return tmp_path / "azul-table.db"


@pytest.fixture
def table(path: Path) -> Iterator[LocalTable]:
    with LocalTable(path) as table:
        yield table


@pytest.fixture
def historian(path: Path, table: LocalTable) -> Iterator[Historian]:
    historian = Historian(lambda: path, BOX, lambda _: None, table.inbox.put)
    historian.start()
    yield historian
    historian.close()


def ask(historian: Historian, message: ShowPosition | BeginPractice) -> Answer:
    answers: SimpleQueue[Answer] = SimpleQueue()
    historian.put(Request(message, answers.put))
    return answers.get(timeout=DEADLINE)


def test_a_finished_game_makes_room_for_a_shown_position(
    path: Path, table: LocalTable, historian: Historian
) -> None:
    assert table.snapshot["stage"] == "over"
    assert ask(historian, ShowPosition(number=1, step=12, id=7)) == Answer(taken=True, id=7)
    assert table.snapshot["ask"] == {"say": "showing", "game": 1, "step": 12, "steps": 57}
    assert ask(historian, ShowPosition()).taken
    assert table.snapshot["stage"] == "choosing"


def test_a_finished_game_stays_as_it_was_when_practice_begins(
    path: Path, table: LocalTable, historian: Historian
) -> None:
    before = rows(path, EVENTS)
    assert ask(historian, BeginPractice(number=1, step=12, bots={3: "calm"})).taken
    assert table.snapshot["practice"] is True
    assert rows(path, EVENTS) == before == [(text_of(event),) for event in greedy_game(STANDARD).events]
    practice, finished = archive.list_games(path, None, 5)
    assert (finished["status"], finished["practice"]) == ("finished", False)
    assert (practice["status"], practice["practice"]) == ("in_play", True)
    assert rows(path, "SELECT practice FROM games ORDER BY id") == [(None,), (12,)]
    assert ask(historian, ShowPosition(number=1, step=3)) == Answer(taken=False, why="not_now")


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (ShowPosition(number=2, step=0), "no_such_game"),
        (BeginPractice(number=1, step=58), "no_such_step"),
        (BeginPractice(number=1, step=57), "not_now"),
        (ShowPosition(number=1, step=12, before=0.0), "late"),
        (ShowPosition(number=1, step=12, asked="another"), "outdated"),
    ],
)
def test_impossible_positions_are_refused(
    table: LocalTable, historian: Historian, message: ShowPosition | BeginPractice, why: str
) -> None:
    assert ask(historian, message) == Answer(taken=False, why=why)
    assert table.snapshot["stage"] == "over"
