"""The command `match`: its output, its files, and the end of all its processes."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device.commands.cli import azul_table
from device.records.record import Record, read
from tests.bots.test_program import BAD, number
from tests.harness.running import COMMAND, children, is_running
from tests.harness.waiting import DEADLINE, until

TRACKER = BAD.with_name("tracker.py")
FOR_EVER = "86400000"
"""Milliseconds that no game here uses up."""


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(azul_table, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def records(file: Path) -> list[Record]:
    return list(read(file.read_bytes().splitlines(keepends=True)))


@pytest.mark.system
def test_match_prints_tables_and_keeps_the_records(tmp_path: Path) -> None:
    file = tmp_path / "new" / "result.jsonl"
    names = "greedy", f"bad={sys.executable} {BAD} leaves"
    result = run("match", *names, "--games", 3, "--seed", 7, "--file", file)
    assert result.exit_code == 0
    first, *games, _, _, greedy, bad_line = result.stdout.splitlines()
    assert first.split() == ["game", "seed", "starts", "greedy", "bad", "rounds", "winner"]
    assert [line.split()[:3] for line in games] == [
        ["1", "7", "greedy"],
        ["2", "7", "bad"],
        ["3", "8", "greedy"],
    ]
    assert all(line.endswith("greedy  bad: it ended by itself with status 0") for line in games)
    assert greedy.split()[:5] == ["greedy", "6", "3", "0", "0"]
    assert bad_line.split()[:5] == ["bad", "0", "0", "0", "3"]
    assert "-150" in bad_line
    assert result.stderr == f"records: {file}\n"
    assert [record.setup.first for record in records(file)] == [0, 1, 0]
    assert run("replay", file).exit_code == 0
    assert not (tmp_path / "new" / "result.jsonl.logs").exists()


@pytest.mark.system
def test_match_into_the_same_file_removes_the_logs_of_the_match_before(tmp_path: Path) -> None:
    file, logs = tmp_path / "result", tmp_path / "result.logs"
    run("match", "greedy", f"bad={sys.executable} {BAD} crashes", "--games", 2, "--file", file)
    assert sorted(log.name for log in logs.iterdir()) == ["0001-2-bad.err", "0002-2-bad.err"]
    (logs / "notes.txt").touch()
    run("match", "greedy", "random", "--file", file)
    assert [log.name for log in logs.iterdir()] == ["notes.txt"]


@pytest.mark.system
def test_match_several_games_at_once_are_the_same_games(tmp_path: Path) -> None:
    programs = [f"{seed}={sys.executable} -I -S {TRACKER} both {seed}" for seed in (1, 2)]
    files = [tmp_path / "one", tmp_path / "two"]
    for jobs, file in enumerate(files, start=1):
        result = run("match", *programs, "--games", 3, "--seed", 3, "--jobs", jobs, "--file", file)
        assert (result.exit_code, result.stderr) == (0, f"records: {file}\n")
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.system
def test_match_as_json(tmp_path: Path) -> None:
    result = run("match", "greedy", "random", "--seed", 7, "--json", "--file", tmp_path / "result")
    printed = json.loads(result.stdout)
    (game,) = printed["games"]
    assert (game["players"], game["seed"], game["first"]) == (["greedy", "random"], 7, 0)
    assert [line["points"] for line in printed["standings"]] == [2, 0]


@pytest.mark.system
def test_match_keeps_the_records_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    result = run("match", "greedy", "random@5")
    (file,) = tmp_path.glob("azul-table/matches/*-greedy-random@5.jsonl")
    assert result.stderr == f"records: {file}\n"
    assert len(records(file)) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["greedy"],
        ["greedy", "deep"],
        ["greedy", ""],
        ["greedy", "random", "random"],
        ["greedy", "random", "--games", "0"],
        ["greedy", "random", "--time", "0"],
        ["greedy", "random", "--seed", "-1"],
        ["greedy", "random", "--jobs", "0"],
    ],
)
def test_match_wrong_usage_has_status_2(arguments: list[str]) -> None:
    result = run("match", *arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


def test_match_reports_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("match", "greedy", "random", "--file", tmp_path / "file" / "result")
    assert result.exit_code == 1
    assert "can't be written" in result.stderr


@pytest.mark.system
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number_of_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_match_stopped_by_a_signal_leaves_nothing_behind(
    number_of_signal: signal.Signals, jobs: str, tmp_path: Path
) -> None:
    parent = f"parent={sys.executable} -I -S {BAD} starts_children {tmp_path}"
    silent = f"silent={sys.executable} -I -S {BAD} stops_answering"
    file = tmp_path / "result"
    arguments = [parent, silent, "--games", "4", "--time", FOR_EVER, "--jobs", jobs, "--file", str(file)]
    with subprocess.Popen(
        [COMMAND, "match", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        started = [number(tmp_path, kind) for kind in ("bot", "child", "session", "orphan")]
        started += descendants(process.pid)
        process.send_signal(number_of_signal)
        _, errors = process.communicate(timeout=DEADLINE)
    until(lambda: not any(map(is_running, started)), "the end of everything")
    if number_of_signal is signal.SIGINT:
        assert process.returncode == 1
        assert errors.decode() == f"interrupted after 0 of 4 games; they are in {file}\n"


def descendants(process: int) -> list[int]:
    """Return every process below one."""
    return [each for child in children(process) for each in (child, *descendants(child))]
