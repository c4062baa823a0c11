"""A full disk: presses are refused with a reason, nothing is lost, and the game goes on later."""

from __future__ import annotations

import os
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.held_play import HOUR
from tests.harness.local_table import LocalTable
from tests.harness.reference_table import game_part
from tests.harness.stored_games import game_of_dropped_tiles, store_games
from tests.harness.waiting import until


@contextmanager
def refusing(path: Path, table: str, when: str = "1") -> Iterator[None]:
    """Make the database refuse rows of a table, within this context."""

    def execute(statement: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()

    execute(
        f"CREATE TRIGGER full_disk BEFORE INSERT ON {table} WHEN {when} "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    yield
    execute("DROP TRIGGER full_disk")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def test_a_press_that_cant_be_saved_is_refused(path: Path) -> None:
    with LocalTable(path, opening=HOUR) as local_table:
        local_table.play(30)
        while local_table.snapshot["ask"]["say"] != "place":
            local_table.play(1)
        before = local_table.snapshot
        seat, line = before["ask"]["seat"], before["choice"]["lines"][-1]
        button = f"seat.{seat}.line.{line}" if line else f"seat.{seat}.floor"
        with refusing(path, "events"):
            for _ in range(3):
                assert local_table.press(button).why == "not_saved"
            assert game_part(local_table.snapshot) == game_part(before)
            assert local_table.snapshot["refusal"]["say"] == "not_saved"
            assert local_table.snapshot["refusal"]["button"] == button
            assert local_table.press("display.9").why == "source_empty", "the loop goes on"
        assert local_table.press(button).taken
        assert len(local_table.snapshot["moves"]) in (len(before["moves"]) + 1, 8)
        assert local_table.snapshot["refusal"] is None
        after = local_table.snapshot
    with LocalTable(path, opening=HOUR) as local_table:
        assert local_table.press("ok").taken
        assert game_part(local_table.snapshot) == game_part(after)


def test_a_seat_that_cant_be_saved_is_not_taken(path: Path) -> None:
    with LocalTable(path, opening=HOUR) as local_table:
        with refusing(path, "situation"):
            assert local_table.press("seat.1.floor").why == "not_saved"
            assert not local_table.snapshot["seats"][0]["taken"]
        assert local_table.press("seat.1.floor").taken


def test_a_deal_that_cant_be_saved_is_tried_again_without_a_press(path: Path) -> None:
    """No button is live while the table deals."""
    with LocalTable(path, opening=HOUR) as local_table:
        local_table.play(4)
        while local_table.snapshot["stage"] != "scoring":
            local_table.play(1)
        with refusing(path, "events", "NEW.event LIKE 'deal%'"):
            assert local_table.press("ok").taken
            assert local_table.snapshot["ask"]["say"] == "dealing"
            assert local_table.snapshot["displays"] == [""] * 5
        until(lambda: local_table.publisher.snapshot["ask"]["say"] == "draft", "the deal")
        assert all(len(tiles) == 4 for tiles in local_table.snapshot["displays"])


def test_a_score_animation_that_cant_be_saved_waits_and_goes_on(path: Path) -> None:
    passed = 0.0
    with LocalTable(path, opening=HOUR, clock=lambda: time.monotonic() + passed) as local_table:
        local_table.play(4)
        while local_table.snapshot["stage"] != "scoring":
            local_table.play(1)
        with refusing(path, "situation"):
            passed = HOUR
            until(lambda: local_table.publisher.snapshot["refusal"], "a refusal")
            assert local_table.snapshot["refusal"]["say"] == "not_saved"
            assert local_table.snapshot["account"]["steps"] == []
        until(lambda: local_table.publisher.snapshot["account"]["steps"], "the first step")


def test_a_file_that_cant_grow(start: StartTable) -> None:
    """The kernel limits the file size of the running table for a while."""
    table = start()
    process = table.process.pid
    no_limit = resource.prlimit(process, resource.RLIMIT_FSIZE)
    with table.client() as client:
        client.subscribe()
        client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
        before = client.until(lambda shown: shown["ask"]["say"] == "draft")
        size = os.path.getsize(table.data / "azul-table.db-wal")  # noqa: PTH202
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, no_limit[1]))
        assert [client.press("display.1")["why"] for _ in range(5)] == ["not_saved"] * 5
        shown = client.until(lambda shown: shown["refusal"] is not None)
        assert game_part(shown) == game_part(before)
        resource.prlimit(process, resource.RLIMIT_FSIZE, no_limit)
        client.take("display.1", "seat.1.line.5", "display.2")
        shown = client.until(chose_display_2)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, no_limit[1]))
        assert client.press("seat.3.line.5")["why"] == "not_saved"
        table.kill()
    again = start()
    assert game_part(again.snapshot()) == game_part(shown)
    assert table.err == ""


def test_a_file_that_is_removed_while_the_disk_is_full(start: StartTable, data: Path) -> None:
    """The games are deleted to make room.

    Each press that was not saved left another file; and if there was room for the current game, but not for
    all others, those were lost.
    """
    data.mkdir()
    store_games(data / "azul-table.db", [game_of_dropped_tiles(200)] * 3)
    table = start()
    process = table.process.pid
    no_limit = resource.prlimit(process, resource.RLIMIT_FSIZE)
    with table.client() as client:
        client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
        for file in data.glob("azul-table*"):
            file.unlink()
        for room in (0, 8192, 65_536):
            resource.prlimit(process, resource.RLIMIT_FSIZE, (room, no_limit[1]))
            assert [client.press("display.1").get("why") for _ in range(3)] == ["not_saved"] * 3
        resource.prlimit(process, resource.RLIMIT_FSIZE, no_limit)
        client.take("display.1", "seat.1.line.5")
        client.subscribe()
        shown = client.until(lambda shown: len(shown["moves"]) == 1)
    assert [file.name for file in data.glob("azul-table*.db")] == ["azul-table.db"]
    with closing(sqlite3.connect(data / "azul-table.db")) as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchone() == (4,)
    table.kill()
    assert game_part(start().snapshot()) == game_part(shown)


def chose_display_2(shown: Message) -> bool:
    return shown["choice"] is not None and shown["choice"]["source"] == 2
