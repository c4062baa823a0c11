"""The command `azul-table history`: lists of games, records, and files that can't be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device.records.record import read
from tests.harness.running import run
from tests.harness.stored_games import SOLO, STANDARD, damage_game_2, greedy_game, store_games

pytestmark = pytest.mark.system


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


@pytest.fixture
def history(path: Path) -> Callable[..., Any]:
    return lambda *arguments: run(["history", "--data", str(path.parent), *arguments])


def test_the_command_lists_games_and_prints_records(path: Path, history: Callable[..., Any]) -> None:
    assert history().stdout == "no game was played at this table yet\n"
    store_games(path, [greedy_game(STANDARD), greedy_game(SOLO), greedy_game(STANDARD, most=9)])
    head, *rows = history().stdout.splitlines()
    assert head.split() == ["game", "started", "(UTC)", "mode", "rounds", "players"]
    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert " stopped " in rows[0]
    assert " Ana " in rows[2]
    assert " (winner)" in rows[2]
    listed = [json.loads(line) for line in history("--json").stdout.splitlines()]
    assert [game["number"] for game in listed] == [3, 2, 1]
    (record,) = read(history("1").stdout.encode().splitlines(keepends=True))
    assert record.setup == STANDARD
    assert history("3").stderr == f"{path}: game 3 was not played to its end, so it has no record\n"
    missing = history("4")
    assert (missing.returncode, missing.stderr) == (1, f"{path}: there is no game 4\n")


@pytest.mark.parametrize("event", ["9k5", "what"])
def test_the_command_lists_what_can_be_read(path: Path, history: Callable[..., Any], event: str) -> None:
    damage_game_2(path, f"UPDATE events SET event = '{event}' WHERE number = 4")
    listed = history()
    assert listed.returncode == 0
    rows = listed.stdout.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert ["can't be read" in row for row in rows] == [False, True, False]
    statuses = [json.loads(line)["status"] for line in history("--json").stdout.splitlines()]
    assert statuses == ["finished", "unreadable", "finished"]
    alone = history("2")
    assert (alone.returncode, alone.stdout) == (1, "")
    assert alone.stderr.startswith(f"{path}: game 2 can't be read: ")


def test_the_command_names_what_it_can_not_read(path: Path, history: Callable[..., Any]) -> None:
    path.write_text("no database")
    done = history()
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}: its games can't be read: ")


def test_the_command_says_which_folder_to_name_where_there_is_none() -> None:
    elsewhere = run(["history", "--data", "/nowhere/at/all"])
    assert elsewhere.returncode == 1
    assert elsewhere.stderr.startswith("/nowhere/at/all: there are no games of a table here; ")
    assert "--data" in elsewhere.stderr
