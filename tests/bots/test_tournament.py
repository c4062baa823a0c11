"""Tournaments: schedule, standings, ratings, the results folder and the command."""

import json
import math
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device.bots.dtc import match, tournament
from device.bots.dtc.match import Fault, MatchError, Player, Terms, own_core, parse_players, play_all
from device.bots.dtc.tournament import (
    SCALE,
    ResultsError,
    ResultsFolder,
    folder_name,
    ratings,
    schedule,
    standings,
    tournament_settings,
    win_share,
)
from device.bots.workers import cores
from device.commands.cli import azul_table
from device.records.json_form import Forfeit
from device.records.record import read, write
from device.rules.game import Setup
from tests.bots.test_match import PATIENT
from tests.bots.test_program import BAD
from tests.commands.test_match_command import FOR_EVER
from tests.harness.running import COMMAND
from tests.harness.waiting import DEADLINE, until

TERMS = Terms(1000)
PLAYERS = parse_players(["greedy", "random", "greedy@5"])
FLOOR_BOT = f"floor={sys.executable} -I -S {BAD} behaves"
CRASHER = f"crasher={sys.executable} -I -S {BAD} ends_at_once"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(azul_table, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def settings(players: tuple[Player, ...] = PLAYERS, seeds: tuple[int, ...] = (1, 2)) -> dict[str, object]:
    return tournament_settings(players, seeds, TERMS, "test")


def result(number: int, names: tuple[str, str] = ("one", "two"), loser: int = 0) -> match.Result:
    """Return a game that ended with a crash before its first move."""
    written = write(Setup("dtc", names), [], forfeit=Forfeit(loser, "crash"))
    scores = (-50, 0) if loser == 0 else (0, -50)
    fault = Fault(loser, "crash", "it ended")
    return match.Result(number, names, 7, 0, 0, scores, (1 - loser,), (5, 6), written, fault=fault)


def scored(names: tuple[str, str], scores: tuple[int, int]) -> match.Result:
    winners = tuple(seat for seat in range(2) if scores[seat] == max(scores))
    return match.Result(1, names, 1, 0, 5, scores, winners, (10, 20), b"")


# --- Schedule and table ----------------------------------------------------------------------------------


def test_every_pair_plays_every_seed_and_each_starts_once() -> None:
    games = schedule(PLAYERS, range(4, 7), TERMS)
    assert [game.number for game in games] == list(range(1, 19))
    played = {(*(player.name for player in game.players), game.seed, game.first) for game in games}
    names = [player.name for player in PLAYERS]
    assert played == {
        (*pair, seed, first) for pair in combinations(names, 2) for seed in (4, 5, 6) for first in (0, 1)
    }
    assert [game.seed for game in games] == sorted(game.seed for game in games)
    assert all(game.terms is TERMS for game in games)


def test_a_win_gives_2_points_a_tie_1_and_game_points_break_ties() -> None:
    table = standings(
        ["one", "two", "three"],
        [
            scored(("one", "two"), (30, 30)),
            scored(("one", "three"), (20, 10)),
            scored(("two", "three"), (40, 10)),
        ],
    )
    assert [(line.place, line.name, line.points, line.game_points) for line in table] == [
        (1, "two", 3, 70),
        (2, "one", 3, 50),
        (3, "three", 0, 20),
    ]
    assert [(line.won, line.tied, line.lost, line.games) for line in table] == [
        (1, 1, 0, 2),
        (1, 1, 0, 2),
        (0, 0, 2, 2),
    ]
    assert [line.thinking for line in table] == [30, 20, 40]


def test_equal_points_and_game_points_share_a_place() -> None:
    table = standings(["one", "two", "three"], [scored(("one", "two"), (30, 30))])
    assert [(line.place, line.name) for line in table] == [(1, "one"), (1, "two"), (3, "three")]


def test_faults_are_counted_and_cost_50() -> None:
    table = standings(["one", "two"], [result(1), result(2, loser=1), result(3)])
    assert [(line.name, line.points, line.game_points, line.faults) for line in table] == [
        ("two", 4, -50, 1),
        ("one", 2, -100, 2),
    ]


# --- Ratings ---------------------------------------------------------------------------------------------


def test_the_rating_difference_of_two_bots_is_the_logarithm_of_the_odds() -> None:
    one, two = ratings(2, [(0, 1, 1.0)] * 750 + [(0, 1, 0.0)] * 250)
    assert one.points == pytest.approx(-two.points)
    assert one.points - two.points == pytest.approx(400 * math.log10(3), abs=1)
    assert one.error == pytest.approx(1.96 * SCALE / math.sqrt(1000 * 0.75 * 0.25) / 2, rel=0.02)


def test_a_tie_is_half_a_win_and_the_order_of_names_does_not_matter() -> None:
    ties = ratings(2, [(0, 1, 0.5)] * 10)
    assert [each.points for each in ties] == pytest.approx([0, 0], abs=1e-9)
    one, two = ratings(2, [(0, 1, 1.0), (1, 0, 0.0), (0, 1, 0.0)])
    assert (one.points, two.points) == pytest.approx((-two.points, -one.points))
    assert one.points > 0


def test_a_bot_that_won_everything_has_a_finite_rating_with_a_wide_error() -> None:
    few, _ = ratings(2, [(0, 1, 1.0)] * 4)
    many, _ = ratings(2, [(0, 1, 1.0)] * 4000)
    assert 0 < few.points < many.points < 2000
    assert few.error > 150


def test_without_games_ratings_are_0_with_a_wide_error() -> None:
    one, _ = ratings(2, [])
    assert (one.points, ratings(0, [])) == (0, [])
    assert one.error > 400


def test_95_percent_of_the_intervals_contain_the_true_rating() -> None:
    chance = random.Random(5)
    truth = [-1.0, -0.3, 0.2, 1.1]
    held = 0
    for _ in range(100):
        games = [
            (one, other, float(chance.random() < 1 / (1 + math.exp(truth[other] - truth[one]))))
            for one, other in combinations(range(4), 2)
            for _ in range(20)
        ]
        found = ratings(4, games)
        held += sum(
            abs(rating.points - SCALE * (strength - sum(truth) / 4)) < rating.error
            for rating, strength in zip(found, truth, strict=True)
        )
    assert 0.92 < held / 400 < 0.98


def test_wilson_interval_of_the_share_of_wins() -> None:
    assert win_share(20, 20) == pytest.approx((0.8389, 1.0), abs=1e-4)
    assert win_share(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)


# --- The folder ------------------------------------------------------------------------------------------


def test_added_games_are_read_again(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path / "t", settings()) as kept:
        kept.add(result(3))
        kept.add(result(1, loser=1))
    with ResultsFolder(tmp_path / "t", settings()) as found:
        assert found.results == [result(3), result(1, loser=1)]
        found.add(result(2))
    assert len(records(tmp_path / "t")) == 3


def records(folder: Path) -> list[object]:
    return list(read((folder / tournament.RECORDS).read_bytes().splitlines(keepends=True)))


@pytest.mark.parametrize("cut", [1, 20, 150])
def test_an_incomplete_line_is_truncated(tmp_path: Path, cut: int) -> None:
    with ResultsFolder(tmp_path, settings()) as kept:
        kept.add(result(1))
        kept.add(result(2))
    results = tmp_path / tournament.RESULTS
    whole = results.read_bytes()
    results.write_bytes(whole[:-cut])
    with ResultsFolder(tmp_path, settings()) as found:
        assert [each.number for each in found.results] == [1]
        found.add(result(2))
    assert results.read_bytes() == whole
    assert len(records(tmp_path)) == 2


def test_a_record_without_its_line_is_truncated(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path, settings()) as kept:
        kept.add(result(1))
    with (tmp_path / tournament.RECORDS).open("ab") as stream:
        stream.write(result(2).written[:70])
    with ResultsFolder(tmp_path, settings()) as found:
        found.add(result(2))
    assert len(records(tmp_path)) == 2


def test_a_line_without_its_record_is_truncated(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path, settings()) as kept:
        kept.add(result(1))
        kept.add(result(2))
    path = tmp_path / tournament.RECORDS
    path.write_bytes(path.read_bytes()[:-10])
    with ResultsFolder(tmp_path, settings()) as found:
        assert [each.number for each in found.results] == [1]
    assert len(records(tmp_path)) == 1


def test_damage_is_reported(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path, settings()) as kept:
        kept.add(result(1))
    path = tmp_path / tournament.RECORDS
    path.write_bytes(path.read_bytes().replace(b'"winners":[1]', b'"winners":[0]'))
    with pytest.raises(ResultsError, match="game 1 is damaged: "):
        ResultsFolder(tmp_path, settings())
    (tmp_path / tournament.SETTINGS).write_bytes(b"{")
    with pytest.raises(ResultsError, match="is damaged"):
        ResultsFolder(tmp_path, settings())
    (tmp_path / tournament.SETTINGS).unlink()
    with pytest.raises(ResultsError, match="results of an unknown tournament"):
        ResultsFolder(tmp_path, settings())


def test_a_damaged_line_does_not_lose_the_games_after_it(tmp_path: Path) -> None:
    """They were truncated without a message; only the last line can be incomplete."""
    with ResultsFolder(tmp_path, settings()) as kept:
        for number in (1, 2, 3):
            kept.add(result(number))
    results, recorded = tmp_path / tournament.RESULTS, tmp_path / tournament.RECORDS
    written = recorded.read_bytes()
    lines = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(lines[0] + lines[1].replace(b'"end"', b'"and"') + lines[2])
    with pytest.raises(ResultsError, match="line 2 is damaged"):
        ResultsFolder(tmp_path, settings())
    recorded.write_bytes(written[: len(written) // 2])
    results.write_bytes(b"".join(lines))
    with pytest.raises(ResultsError, match="line 2 is damaged"):
        ResultsFolder(tmp_path, settings())
    recorded.write_bytes(written)
    with ResultsFolder(tmp_path, settings()) as found:
        assert [each.number for each in found.results] == [1, 2, 3]


def test_another_tournament_needs_another_folder(tmp_path: Path) -> None:
    ResultsFolder(tmp_path, settings()).__exit__()
    with pytest.raises(ResultsError, match="holds a tournament with other bots; choose another folder"):
        ResultsFolder(tmp_path, settings(parse_players(["random", "greedy"])))
    with pytest.raises(ResultsError, match="with other seeds"):
        ResultsFolder(tmp_path, settings(seeds=(1, 2, 3)))


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path, settings()), pytest.raises(ResultsError, match="another process"):
        ResultsFolder(tmp_path, settings())


def test_the_folder_name_identifies_the_tournament(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    names = []
    for text in ("one", "two", "one"):
        bot.write_text(text)
        names.append(folder_name(settings(parse_players(["greedy", f"python3 {bot}"]))))
    assert names[0] == names[2] != names[1]
    assert all(name.startswith("greedy-bot.py-") for name in names)
    assert folder_name(settings(seeds=(1,))) != folder_name(settings())


# --- Games at once ---------------------------------------------------------------------------------------


def test_matches_run_on_different_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # no other match of this user is known there
    with own_core() as one, own_core() as other:
        assert one != other or cores() == 1


@pytest.mark.system
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_machine_is_no_bots_fault(jobs: int, tmp_path: Path) -> None:
    games = schedule(PLAYERS[:2], [1], TERMS)
    with pytest.raises(MatchError, match=r"game \d can't be played here: .*No such file"):
        list(play_all(games, tmp_path / "nowhere", jobs))


@pytest.mark.system
def test_games_run_in_any_executor(tmp_path: Path) -> None:
    games = schedule(parse_players([FLOOR_BOT, FLOOR_BOT]), [1, 2], replace(PATIENT, rounds=1))
    results = list(play_all(games, tmp_path, 2, ThreadPoolExecutor(2)))
    assert sorted(result.number for result in results) == [1, 2, 3, 4]
    assert all(result.fault is None for result in results)


# --- The command -----------------------------------------------------------------------------------------


@pytest.mark.system
def test_tournament_prints_the_standings_and_prints_them_again(tmp_path: Path) -> None:
    arguments = ["tournament", "greedy", FLOOR_BOT, CRASHER, "--seeds", 1, "--folder", tmp_path / "t"]
    result = run(*arguments)
    assert result.exit_code == 0
    head, *lines = result.stdout.splitlines()
    assert " ".join(head.split()) == (
        "bot points game points games won tied lost faults rating thinking a game"
    )
    place, name, points, _, *rest = lines[0].split()
    assert (place, name, points, rest[:5]) == ("1", "greedy", "8", ["4", "4", "0", "0", "0"])
    assert lines[1].split()[:9] == ["2", "floor", "4", "0", "4", "2", "0", "2", "0"]
    assert lines[2].split()[:9] == ["3", "crasher", "0", "-200", "4", "0", "0", "4", "4"]
    assert result.stderr == f"games: {tmp_path / 't'}\n"
    assert run("replay", tmp_path / "t" / "records.jsonl").stdout.count("\n") == 6
    data = json.loads((tmp_path / "t" / "standings.json").read_text())
    assert [line["bot"] for line in data["standings"]] == ["greedy", "floor", "crasher"]
    assert json.loads(run(*arguments, "--json").stdout) == data


@pytest.mark.system
def test_tournament_resumes_after_it_was_killed(tmp_path: Path) -> None:
    """Two games of six are played before; the others wait for a file."""
    folder = tmp_path / "t"
    waits = f"waits={sys.executable} -I -S {BAD} waits_to_play {tmp_path}"
    options = ["--seeds", "1", "--time", FOR_EVER, "--jobs", "2", "--folder", str(folder)]
    arguments = [str(COMMAND), "tournament", "greedy", "random", waits, *options]
    results = folder / tournament.RESULTS
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        until(lambda: results.exists() and results.read_bytes().count(b"\n") == 2, "two games")
        process.send_signal(signal.SIGKILL)
    kept = results.read_bytes()
    with ResultsFolder(folder, json.loads((folder / tournament.SETTINGS).read_bytes())) as stopped:
        assert len(stopped.results) == 2
    (tmp_path / "go").touch()
    done = subprocess.run(arguments, capture_output=True, check=False)
    assert done.returncode == 0
    assert results.read_bytes().startswith(kept)
    numbers = [json.loads(line)["game"] for line in results.read_bytes().splitlines()]
    assert sorted(numbers) == list(range(1, 7))
    assert len(records(folder)) == 6


@pytest.mark.system
def test_an_interrupted_tournament_reports_the_games_that_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    silent = f"silent={sys.executable} -I -S {BAD} stops_answering"
    options = ["--seeds", "1", "--time", FOR_EVER, "--jobs", "1", "--folder", str(folder)]
    arguments = [str(COMMAND), "tournament", CRASHER, "greedy", silent, *options]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: list(folder.glob(f"{tournament.LOGS}/0005-*")), "the fifth game, which never ends")
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out) == (1, b"")
    assert errors == b"interrupted; 4 of 6 games are kept; the same command resumes\n"


def test_tournament_keeps_its_games_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    chosen = tournament_settings(PLAYERS[:2], (1, 2, 3), Terms(), version("azul-table"))
    folder = tmp_path / "azul-table" / "tournaments" / folder_name(chosen)
    with ResultsFolder(folder, chosen):
        result = run("tournament", "greedy", "random")
    assert result.exit_code == 1
    assert result.stderr == f"{folder}: another process plays this tournament now\n"


def test_tournament_refuses_the_folder_of_another(tmp_path: Path) -> None:
    ResultsFolder(tmp_path, settings()).__exit__()
    result = run("tournament", "greedy", "random", "--folder", tmp_path)
    assert result.exit_code == 1
    assert "holds a tournament with other" in result.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["greedy"], ["greedy", "deep"], ["greedy", "random", "--seeds", "0"]]
)
def test_tournament_wrong_usage_has_status_2(arguments: list[str]) -> None:
    result = run("tournament", *arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr
