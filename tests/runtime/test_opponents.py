"""Opponents of a running table: the thinking process, bot programs, restarts."""

from __future__ import annotations

import os
import shlex
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.harness.client import Client, Message
from tests.harness.running import COMMAND, HELD, RunningTable, children
from tests.harness.waiting import until

pytestmark = pytest.mark.system

TRACKER: Final = Path(__file__).parents[1] / "bots" / "tracker.py"
FAST: Final = 'pace = "fast"\n[bots]\nstrong = 0.05\nmaster = 0.05\n'


def with_settings(data: Path, text: str, *, held: bool = False) -> RunningTable:
    data.mkdir(exist_ok=True)
    (data / "settings.toml").write_text(text)
    return RunningTable(data, command=HELD if held else (COMMAND,))


def press(client: Client, *buttons: str) -> None:
    client.take(*buttons)


def moves(table: RunningTable) -> int:
    return len(table.snapshot()["moves"])


def seat(table: RunningTable, number: int) -> Message:
    found = table.snapshot()["seats"][number - 1]
    assert isinstance(found, dict)
    return found


def test_two_opponents_play_a_game_to_its_end(tmp_path: Path) -> None:
    """`ok` skips pauses; the game is stored with their names."""
    with with_settings(tmp_path / "data", FAST, held=True) as table, table.ready().client() as client:
        press(client, "seat.1.floor", "seat.1.line.2", "seat.2.floor", "seat.2.line.3", "ok", "seat.1.floor")

        def over() -> bool:
            if table.snapshot()["stage"] != "over":
                client.press("ok")
            return bool(table.snapshot()["stage"] == "over")

        until(over, "the end of the game")
        names = [score["name"] for score in table.snapshot()["result"]["scores"]]
        assert names == ["Greedy", "Strong"]
    kept = sqlite3.connect(tmp_path / "data" / "azul-table.db")
    rows = kept.execute("SELECT bot, player FROM game_players ORDER BY seat").fetchall()
    kept.close()
    assert rows == [("greedy", None), ("strong", None)]


def test_a_game_killed_in_an_opponents_turn_goes_on_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with with_settings(data, FAST, held=True) as table, table.ready().client() as client:
        press(client, "seat.1.floor", "seat.2.floor", "seat.2.line.4", "ok", "seat.2.floor")
        until(lambda: table.snapshot()["ask"]["say"] == "bot_takes", "what the opponent takes")
        table.kill()
    with RunningTable(data) as table, table.ready().client() as client:
        assert table.snapshot()["ask"]["say"] == "your_board"
        assert moves(table) == 0
        press(client, "ok")
        until(lambda: moves(table) == 1, "the opponent's move")
        assert seat(table, 2)["bot"] == "master"


def test_a_killed_thinking_process_is_restarted(tmp_path: Path) -> None:
    settings = 'pace = "fast"\n[bots]\nmaster = 60.0\n'
    with with_settings(tmp_path / "data", settings) as table, table.ready().client() as client:
        known = {table.pages()}
        press(client, "seat.1.floor", "seat.1.line.4", "seat.2.floor", "ok", "seat.1.floor")
        client.subscribe()
        client.until(lambda shown: shown["ask"]["say"] == "bot_thinks")
        for what in ("the thinking process", "another one"):
            (process,) = until(lambda: set(children(table.process.pid)) - known, what)
            known.add(process)
            os.kill(process, signal.SIGKILL)
        until(lambda: moves(table) == 1, "a greedy move in its place")
        assert seat(table, 1)["stand_in"]["why"] == "lost"


def with_program(data: Path, name: str, *command: str) -> RunningTable:
    return with_settings(data, f"pace = 'fast'\n[programs]\n{name} = '''{shlex.join(command)}'''\n")


@pytest.mark.parametrize("wish", ["update", "both"])
def test_a_program_in_the_settings_sits_at_the_table(tmp_path: Path, wish: str) -> None:
    """It plays on after an undo, and still knows the game: this one holds what it knows against the state."""
    command = [sys.executable, str(TRACKER), wish, "1"]
    with with_program(tmp_path / "data", "fast", *command) as table, table.ready().client() as client:
        press(client, "seat.1.floor", "seat.2.floor", "seat.2.line.5", "ok", "seat.2.floor")
        until(lambda: moves(table) == 1, "the program's move")
        assert seat(table, 2)["name"] == "fast"
        press(client, "centre", "seat.1.floor")
        until(lambda: moves(table) == 3, "its second move")
        press(client, "undo")
        until(lambda: moves(table) == 1, "its first move alone")
        press(client, "centre", "centre", "seat.1.floor")
        until(lambda: moves(table) == 3, "its second move, again")
        assert seat(table, 2)["stand_in"] is None
        table.end()


OUCH: Final = """
import sys
print("state", flush=True)
print("ouch", file=sys.stderr)
input()
print("9 x 9", flush=True)
"""


def test_greedy_replaces_a_program_that_breaks_the_rules(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OUCH]
    with with_program(tmp_path / "data", "bad", *command) as table, table.ready().client() as client:
        press(client, "seat.1.floor", "seat.2.floor", "seat.2.line.5", "ok", "seat.2.floor")
        until(lambda: moves(table) == 1, "a move in its place")
        stand_in = seat(table, 2)["stand_in"]
        assert (stand_in["why"], stand_in["by"], stand_in["for_good"]) == ("illegal", "greedy", True)
        assert "9 x 9" in stand_in["detail"]
        table.end()
    logs = list((tmp_path / "data" / "programs").glob("*-bad-*.err"))
    assert [log.read_text() for log in logs] == ["ouch\n"]
