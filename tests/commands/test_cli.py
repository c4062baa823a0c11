"""The command line: what it prints, where, and with which exit status."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from device.commands.cli import COMMANDS, azul_table
from device.records.record import read
from tests.harness.waiting import until

PROJECT = Path(__file__).parents[2]
GOLDEN = PROJECT / "tests" / "golden"


def run(*arguments: str | Path, given: bytes | None = None) -> Result:
    """Run a command in this process."""
    result = CliRunner().invoke(azul_table, [str(each) for each in arguments], input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def command_line(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "device", *map(str, arguments)]


def run_apart(*arguments: str | Path, stdout: int | None = subprocess.PIPE, **more: str) -> tuple[int, str]:
    """Run a command in a process of its own; the exit status and what it wrote to standard error."""
    done = subprocess.run(
        command_line(*arguments),
        cwd=PROJECT,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | more,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr.decode()


# --- Help and usage --------------------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    result = run("--help")
    assert result.exit_code == 0
    output = " ".join(result.output.split())
    assert all(f"{name} {line}" in output for name, line in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_the_line_that_the_help_shows_and_a_help_of_its_own(name: str) -> None:
    command = import_module(f"device.commands.{name}").command
    assert command.get_short_help_str(limit=100) == COMMANDS[name]
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


@pytest.mark.system
def test_the_help_is_written_without_importing_a_command() -> None:
    code = (
        "import sys; from device.commands import cli; cli.azul_table(['--help'], standalone_mode=False); "
        "sys.exit(any(f'device.commands.{name}' in sys.modules for name in cli.COMMANDS))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=False).returncode == 0


def test_the_version() -> None:
    result = run("--version")
    assert result.output.startswith("azul-table ")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["replay"],
        ["replay", "a", "b"],
        ["replay", "--xml", "a"],
        ["selfplay", "--mode", "chess"],
        ["selfplay", "--players", "1"],
        ["selfplay", "--players", "5"],
        ["selfplay", "--mode", "dtc", "--players", "3"],
        ["selfplay", "--mode", "solo", "--players", "2"],
        ["selfplay", "--level", "easy"],
        ["selfplay", "--bot", "deep"],
        ["selfplay", "--bot", "random,greedy,random", "--players", "2"],
        ["selfplay", "--bot", "random,"],
        ["selfplay", "--first", "0"],
        ["selfplay", "--first", "3"],
        ["selfplay", "--first", "last"],
        ["selfplay", "--games", "0"],
        ["selfplay", "--rounds", "0"],
        ["selfplay", "--seed", "x"],
        ["bench", "rules", "--seconds", "0"],
    ],
)
def test_wrong_usage_has_status_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


# --- replay ----------------------------------------------------------------------------------------------


def test_replay_prints_one_line_a_game() -> None:
    result = run("replay", GOLDEN / "standard-2.jsonl")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "game 1 (line 1): standard, 5 rounds: random 1 6, greedy 2 31; greedy 2 wins",
        "game 2 (line 69): standard, 5 rounds: random 1 3, greedy 2 56; greedy 2 wins",
    ]


@pytest.mark.parametrize(
    ("name", "end"),
    [
        (
            "standard-stopped",
            "standard, 3 rounds: random 1 0, random 2 0; stopped by its limit of rounds; "
            "random 1 and random 2 share the victory",
        ),
        ("forfeit", "random 2 0; greedy 1 forfeits (time); random 2 wins"),
        ("solo-easy-coloured", "solo (easy, coloured wall), 4 rounds: greedy 1 14; loss"),
        ("gray-4", "random 1, random 2, random 3 and random 4 share the victory"),
    ],
)
def test_replay_says_how_a_game_ended(name: str, end: str) -> None:
    first = run("replay", GOLDEN / f"{name}.jsonl").output.splitlines()[0]
    assert first.endswith(end)


def test_replay_as_json() -> None:
    lines = run("replay", "--json", GOLDEN / "forfeit.jsonl").output.splitlines()
    assert json.loads(lines[0]) == {
        "game": 1,
        "line": 1,
        "mode": "dtc",
        "players": ["greedy 1", "random 2"],
        "rounds": 4,
        "scores": [-50, 0],
        "winners": [1],
        "forfeit": {"seat": 0, "why": "time"},
        "ended": "forfeit",
    }
    assert json.loads(lines[1])["line"] == 46
    finished, _ = map(json.loads, run("replay", "--json", GOLDEN / "standard-2.jsonl").output.splitlines())
    assert (finished["ended"], finished["scores"], finished["winners"]) == ("finished", [6, 31], [1])
    (solo,) = map(json.loads, run("replay", "--json", GOLDEN / "solo-easy-gray.jsonl").output.splitlines())
    assert (solo["score"], solo["victory"], solo["level"], solo["wall"]) == (35, "loss", "easy", "gray")
    (stopped,) = map(json.loads, run("replay", "--json", GOLDEN / "gray-4.jsonl").output.splitlines())
    assert (stopped["ended"], stopped["rounds"]) == ("stopped", 6)


def test_replay_names_the_first_fault_after_the_games_before_it(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    data = (GOLDEN / "standard-2.jsonl").read_bytes().splitlines(keepends=True)
    damaged.write_bytes(b"".join([*data[:-1], b'{"result":{"scores":[3,57],"winners":[1]}}\n']))
    result = run("replay", damaged)
    assert result.exit_code == 1
    assert result.stdout.startswith("game 1 (line 1): ")
    assert "game 2" not in result.stdout
    assert result.stderr == (f"{damaged}:{len(data)}: the result's scores should be [3, 56], not [3, 57]\n")


@pytest.mark.parametrize(
    ("file", "what"),
    [("missing.jsonl", "No such file or directory"), (".", "Is a directory"), ("", "No such")],
)
def test_replay_of_what_can_not_be_read(tmp_path: Path, file: str, what: str) -> None:
    result = run("replay", f"{tmp_path}/{file}" if file else "")
    assert result.exit_code == 1
    assert what in result.stderr


def test_replay_of_standard_input() -> None:
    result = run("replay", "-", given=(GOLDEN / "dtc-2.jsonl").read_bytes())
    assert result.exit_code == 0
    assert run("replay", "-", given=b"").stderr == "-:1: there is no game in the file\n"


def test_replay_of_a_file_without_line_feeds_holds_little_of_it(tmp_path: Path) -> None:
    endless = tmp_path / "endless"
    with endless.open("wb") as file:
        file.truncate(2**40)
    result = run("replay", endless)
    assert result.exit_code == 1
    assert result.stderr == f"{endless}:1: the line is longer than 65536 bytes\n"


def test_names_leave_the_terminal_alone(tmp_path: Path) -> None:
    header, rest = (GOLDEN / "standard-stopped.jsonl").read_text(encoding="utf-8").split("\n", 1)
    record = tmp_path / "names.jsonl"
    names = {"players": ["A\x1b[31m\n", "Zoë"]}
    record.write_text(json.dumps(json.loads(header) | names) + "\n" + rest, encoding="utf-8")
    assert "A\ufffd[31m\ufffd 0, Zoë 0" in run("replay", record).output


@pytest.mark.system
def test_names_that_the_terminal_can_not_show(tmp_path: Path) -> None:
    header, rest = (GOLDEN / "standard-stopped.jsonl").read_text(encoding="utf-8").split("\n", 1)
    record = tmp_path / "names.jsonl"
    record.write_text(
        json.dumps(json.loads(header) | {"players": ["李", "Zoë"]}) + "\n" + rest, encoding="utf-8"
    )
    assert run_apart("replay", record, PYTHONIOENCODING="ascii") == (0, "")


# --- selfplay --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ["--mode", "standard", "--players", "3", "--bot", "greedy,random,random"],
        ["--mode", "gray", "--bot", "random", "--rounds", "5"],
        ["--mode", "dtc", "--bot", "greedy"],
        ["--mode", "solo", "--level", "expert", "--wall", "gray"],
        ["--bot", "random,random,random,random"],
    ],
)
def test_the_same_seed_gives_the_same_verified_bytes(options: list[str], tmp_path: Path) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "other.jsonl"]
    for file in files:
        result = run("selfplay", *options, "--games", "2", "--seed", "5", "--out", file)
        assert result.exit_code == 0
        assert result.stdout == ""
    one, other = (file.read_bytes() for file in files)
    assert one == other
    assert len(list(read(one.splitlines(keepends=True)))) == 2
    assert run("selfplay", *options, "--games", "2", "--seed", "5").stdout_bytes == one
    assert run("selfplay", *options, "--games", "1", "--seed", "6").stdout_bytes != one


def test_fewer_games_are_the_beginning_of_more() -> None:
    some = run("selfplay", "--games", "2", "--seed", "1").stdout_bytes
    assert run("selfplay", "--games", "4", "--seed", "1").stdout_bytes.startswith(some)


def test_without_a_seed_one_is_drawn_and_told(tmp_path: Path) -> None:
    first = run("selfplay", "--out", tmp_path / "first.jsonl")
    seed = first.stderr.rsplit("seed ", 1)[1].rstrip(")\n")
    run("selfplay", "--seed", seed, "--out", tmp_path / "again.jsonl")
    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()


@pytest.mark.parametrize("first", [1, 3])
def test_r3_the_first_player_can_be_named(first: int) -> None:
    result = run("selfplay", "--players", "3", "--first", str(first), "--games", "3", "--seed", "1")
    assert [each.setup.first for each in read(result.stdout_bytes.splitlines(keepends=True))] == [
        first - 1
    ] * 3


def test_r3_the_first_player_is_drawn_if_asked_to() -> None:
    result = run("selfplay", "--first", "random", "--games", "12", "--seed", "1")
    assert {each.setup.first for each in read(result.stdout_bytes.splitlines(keepends=True))} == {0, 1}


def test_r17_selfplay_stops_at_its_limit_of_rounds() -> None:
    result = run("selfplay", "--bot", "random", "--rounds", "2", "--games", "4", "--seed", "1")
    for each in read(result.stdout_bytes.splitlines(keepends=True)):
        assert (each.rounds, each.stopped) == (2, True)


def test_a_solo_game_is_not_cut_short_by_the_limit_of_rounds() -> None:
    result = run("selfplay", "--mode", "solo", "--rounds", "1", "--bot", "greedy", "--seed", "21")
    assert result.exit_code == 0
    (record,) = read(result.stdout_bytes.splitlines(keepends=True))
    assert (record.rounds > 1, record.stopped) == (True, False)


@pytest.mark.parametrize("out", ["missing/games.jsonl", "."])
def test_selfplay_to_what_can_not_be_written(tmp_path: Path, out: str) -> None:
    result = run("selfplay", "--out", f"{tmp_path}/{out}")
    assert result.exit_code == 1
    assert "can't be written" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_selfplay_replaces_a_file_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("old")
    file.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    assert run("selfplay", "--seed", "1", "--out", link).exit_code == 0
    assert file.read_bytes().startswith(b'{"record"')
    assert file.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [file, link]


@pytest.mark.system
def test_a_full_disk(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    with full.open("wb") as stdout:
        for arguments in (["selfplay"], ["replay", str(GOLDEN / "dtc-2.jsonl")], ["--help"]):
            assert run_apart(*arguments, stdout=stdout.fileno()) == (
                1,
                "standard output can't be written: No space left on device\n",
            )
    assert run("selfplay", "--out", full).stderr == "/dev/full: can't be written: No space left on device\n"


@pytest.mark.system
def test_a_file_that_is_not_there_is_not_called_standard_output(tmp_path: Path) -> None:
    """A compiler that compiles nothing: what nobody thought of was taken for a full disk."""
    source = tmp_path / "ceiling.c"
    source.touch()
    status, output = run_apart("bench", "core", "--seconds", "0.1", "--ceiling", source, CC="true")
    assert status == 1
    assert output.endswith("/ceiling: No such file or directory\n"), output


@pytest.mark.system
def test_a_reader_that_goes_away_is_no_fault_worth_a_word() -> None:
    for arguments in (["selfplay", "--games", "500"], ["replay", "/dev/stdin"]):
        playing = subprocess.Popen(
            command_line(*arguments),
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert playing.stdin
        assert playing.stdout
        assert playing.stderr
        with playing, playing.stdin:
            if arguments[0] == "replay":
                playing.stdin.write((GOLDEN / "dtc-2.jsonl").read_bytes())
                playing.stdin.flush()
            playing.stdout.read(1)
            playing.stdout.close()
            if arguments[0] == "replay":
                playing.stdin.write((GOLDEN / "dtc-2.jsonl").read_bytes())
                playing.stdin.close()
            assert playing.stderr.read() == b""
        assert playing.returncode == 1


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A selfplay of more games than anybody waits for, at work."""
    selfplay = command_line("selfplay", "--games", "1000000", "--out", tmp_path / "games.jsonl")
    with subprocess.Popen(selfplay, cwd=PROJECT, stderr=subprocess.PIPE) as process:
        until(lambda: any(file.stat().st_size for file in tmp_path.iterdir()), "the first games")
        yield process
        process.kill()


@pytest.mark.system
def test_ctrl_c_leaves_no_half_of_a_file(playing: subprocess.Popen[bytes], tmp_path: Path) -> None:
    playing.send_signal(signal.SIGINT)
    _, output = playing.communicate(timeout=60)
    assert playing.returncode in (1, 130)
    assert b"Traceback" not in output
    assert list(tmp_path.iterdir()) == []


# --- bench -----------------------------------------------------------------------------------------------


def test_rules_are_printed_by_a_modes_name_in_any_case() -> None:
    output = run("rules", "DTC").output
    assert output == run("rules", "dtc").output
    assert output.startswith("The bot game\n") and "All other rules: azul-table rules standard\n" in output
    assert "All other rules" not in run("rules", "Standard").output


@pytest.mark.system
def test_bench_rules_for_people_and_for_programs() -> None:
    output = run("bench", "rules", "--seconds", "0.1").output.splitlines()
    assert output[0].startswith("rules, random standard games of 2: ")
    assert "drafts a second (goal: at least 36,000" in output[0]
    assert output[1].startswith("records, 1,000 standard games of 2 verified: ")
    figures = [
        json.loads(line)
        for line in run("bench", "rules", "--mode", "solo", "--seconds", "0.1", "--json").output.splitlines()
    ]
    assert [figure["unit"] for figure in figures] == ["drafts a second", "s"]
    assert all(figure["value"] > 0 for figure in figures)


@pytest.mark.system
def test_bench_core_with_a_program_to_compare_with(tmp_path: Path) -> None:
    ceiling = tmp_path / "slow.c"
    ceiling.write_text('#include <stdio.h>\nint main(void) { puts("2p 10 games/s 1.0 M moves/s"); }\n')
    output = run("bench", "core", "--seconds", "0.1", "--ceiling", str(ceiling)).output.splitlines()
    assert "random standard games of 2: " in output[0]
    assert "games a second (goal: at least 2,000" in output[0]
    if "uncompiled" not in output[0]:
        assert "against plain C: " in output[1]
    ceiling.write_text("no C\n")
    refused = run("bench", "core", "--seconds", "0.1", "--ceiling", str(ceiling))
    assert refused.exit_code == 1
    assert "slow.c is not compiled: " in refused.stderr


@pytest.mark.system
def test_bench_core_uncompiled() -> None:
    command = command_line("bench", "core", "--seconds", "0.1", "--uncompiled")
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split(",")[1] for line in output] == [" uncompiled"] * 2


@pytest.mark.system
def test_bench_of_a_table_that_does_not_start_says_so(tmp_path: Path) -> None:
    fault = "import sys\nif 'play' in sys.orig_argv: raise SystemExit('out of order')\n"
    (tmp_path / "sitecustomize.py").write_text(fault)
    status, output = run_apart("bench", "table", "--seconds", "1", PYTHONPATH=str(tmp_path))
    assert status == 1
    assert "out of order" in output
    assert output.splitlines()[-1] == "the table did not start; see the error above"


@pytest.mark.system
def test_bench_of_a_table_in_a_folder_with_a_long_name(tmp_path: Path) -> None:
    """The path is longer than a socket's address can be; the table does with it, and so does its bench."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    assert run_apart("bench", "table", "--seconds", "1", TMPDIR=str(folder)) == (0, "")


def test_bench_of_pages_without_playwright_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright is a test tool; the table itself does without it."""
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    refused = run("bench", "pages")
    assert refused.exit_code == 1
    assert "Playwright, which is not installed here" in refused.output
    assert "make test-setup" in refused.output


def test_bench_bots_plays_the_named_figures() -> None:
    (output,) = run("bench", "bots", "greedy", "--part", "0.01").output.splitlines()
    assert output.startswith("bots, standard, greedy against random, 4 games: ")
    assert "of the games won, " in output
    unknown = run("bench", "bots", "nobody")
    assert unknown.exit_code == 2
    assert "there are greedy, strong, master" in unknown.stderr


def test_every_command_is_a_click_command() -> None:
    assert all(
        isinstance(azul_table.get_command(click.Context(azul_table), name), click.Command)
        for name in COMMANDS
    )
    assert azul_table.get_command(click.Context(azul_table), "nothing") is None
