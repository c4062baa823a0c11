"""The command `azul-table history`: lists of games, records, and files that can't be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device.commands.cli import azul_table
from device.records.record import read
from tests.harness.stored_games import SOLO, STANDARD, damage_game_2, greedy_game, store_games

History = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def run(data: Path, *arguments: str) -> Result:
    """Run `azul-table history` on a data folder, in this process."""
    result = CliRunner().invoke(azul_table, ["history", "--data", str(data), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def history(path: Path) -> History:
    return partial(run, path.parent)


def test_the_command_lists_games_and_prints_records(path: Path, history: History) -> None:
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
    assert (missing.exit_code, missing.stderr) == (1, f"{path}: there is no game 4\n")


@pytest.mark.parametrize("event", ["9k5", "what"])
def test_the_command_lists_what_can_be_read(path: Path, history: History, event: str) -> None:
    damage_game_2(path, f"UPDATE events SET event = '{event}' WHERE number = 4")
    listed = history()
    assert listed.exit_code == 0
    rows = listed.stdout.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert ["can't be read" in row for row in rows] == [False, True, False]
    statuses = [json.loads(line)["status"] for line in history("--json").stdout.splitlines()]
    assert statuses == ["finished", "unreadable", "finished"]
    alone = history("2")
    assert (alone.exit_code, alone.stdout) == (1, "")
    assert alone.stderr.startswith(f"{path}: game 2 can't be read: ")


def test_the_command_names_what_it_can_not_read(path: Path, history: History) -> None:
    path.write_text("no database")
    done = history()
    assert done.exit_code == 1
    assert done.stderr.startswith(f"{path}: its games can't be read: ")


def test_the_command_says_which_folder_to_name_where_there_is_none() -> None:
    elsewhere = run(Path("/nowhere/at/all"))
    assert elsewhere.exit_code == 1
    assert elsewhere.stderr.startswith("/nowhere/at/all: there are no games of a table here; ")
    assert "--data" in elsewhere.stderr
