"""Games between programs under the competition's terms: clocks, faults, deals and records (D1 to D3)."""

import json
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from device.bots.dtc import match
from device.bots.dtc.match import (
    Game,
    Player,
    PlayerError,
    Terms,
    deal,
    parse_player,
    parse_players,
    play,
    result_from_json,
)
from device.bots.dtc.process import Limits
from device.bots.search import BOT_NAMES
from device.records.record import read
from device.rules.dealing import check_deal
from device.rules.tiles import ALL_TILES, without
from tests.bots.test_program import bad
from tests.harness.running import COMMAND

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
SAMPLES = PROJECT / "device" / "bots" / "samples"
FIRST_BOT = f"{sys.executable} {SAMPLES / 'first_bot.py'}"


def tracker(wish: str, seed: int = 1) -> Player:
    command = (sys.executable, "-I", "-S", str(HERE / "tracker.py"), wish, str(seed))
    return Player(f"{wish} {seed}", command)


def bad_bot(way: str, *more: object) -> Player:
    return Player(way, tuple(bad(way, *more)))


GOOD = bad_bot("behaves")
PATIENT = Terms(milliseconds=600_000, limits=Limits(start=60))
"""A busy machine may be slow; no game here takes a minute."""


def play_one(one: Player, other: Player, logs: Path, first: int = 0, terms: Terms = PATIENT) -> match.Result:
    return play(Game(1, (one, other), 7, first, terms), logs)


CLOCKS = (200, 1000, 5000, 25_000)
"""Milliseconds, tried in turn where only one bot may run out of time; a slow machine needs longer ones."""


def play_out_of_time(one: Player, other: Player, seat: int, logs: Path) -> match.Result:
    """Play a game with the shortest clock that only the bot of a seat overruns, after its first move."""
    for milliseconds in CLOCKS:
        result = play_one(one, other, logs, terms=replace(PATIENT, milliseconds=milliseconds))
        if result.fault is not None and result.fault.seat == seat and result.written.count(b"\n") > 3:
            break
    return result


# --- Whole games -----------------------------------------------------------------------------------------


@pytest.mark.system
@pytest.mark.parametrize(
    ("wishes", "first"), [(("update", "both"), 0), (("both", "update"), 0), (("both", "both"), 1)]
)
def test_d3_bots_that_track_the_updates_play_to_the_end(
    wishes: tuple[str, str], first: int, tmp_path: Path
) -> None:
    one, other = tracker(wishes[0], 1), tracker(wishes[1], 2)
    result = play_one(one, other, tmp_path, first, replace(PATIENT, rounds=20))
    assert result.fault is None
    (verified,) = read(result.written.splitlines(keepends=True))
    assert verified.setup.mode == "dtc"
    assert (verified.setup.players, verified.setup.first) == ((one.name, other.name), first)
    assert verified.rounds == result.rounds > 1
    assert list(tmp_path.iterdir()) == []  # no bot had anything to log


@pytest.mark.system
def test_r17_a_game_is_stopped_at_the_limit_of_rounds(tmp_path: Path) -> None:
    result = play_one(GOOD, GOOD, tmp_path, terms=replace(PATIENT, rounds=3))
    assert (result.stopped, result.rounds, result.fault) == (True, 3, None)
    assert (result.scores, result.winners) == ((0, 0), (0, 1))
    assert [result.points(seat) for seat in range(2)] == [1, 1]


@pytest.mark.system
def test_built_in_bots_play_the_same_game_again(tmp_path: Path) -> None:
    game = Game(1, parse_players(["greedy", "random"]), 7, 0, PATIENT)
    one, again = (play(game, tmp_path) for _ in range(2))
    assert one.written == again.written
    assert one.winners == (0,)
    assert [one.points(seat) for seat in range(2)] == [2, 0]


@pytest.mark.system
def test_a_result_round_trips_through_json(tmp_path: Path) -> None:
    for way in ("behaves", "leaves"):
        result = play_one(bad_bot(way), GOOD, tmp_path, terms=replace(PATIENT, rounds=2))
        data = json.loads(json.dumps(result.in_json()))
        assert result_from_json(data, result.written) == result


# --- Faults ----------------------------------------------------------------------------------------------


@pytest.mark.system
@pytest.mark.parametrize(
    ("way", "why", "sentence"),
    [
        ("writes_hello", "illegal", "its first line is 'hello', not update, state or both"),
        ("ends_at_once", "crash", "it ended by itself with status 3"),
        ("answers_in_words", "illegal", "its answer is 'the green ones, please', not a move 'd c l'"),
        ("counts_from_one", "illegal", "its answer is '0 g 6', not a move"),
        ("takes_what_is_not_there", "illegal", " is not allowed: "),
        ("answers_twice", "illegal", "it wrote more than one line at once"),
        ("crashes", "crash", "its last words: RuntimeError: there is no plan B"),
        ("stops_answering", "time", "it did not answer in the "),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_d3_a_fault_ends_the_game_with_minus_50(
    way: str, why: str, sentence: str, seat: int, tmp_path: Path
) -> None:
    one, other = (bad_bot(way), GOOD) if seat == 0 else (GOOD, bad_bot(way))
    result = play_out_of_time(one, other, seat, tmp_path) if why == "time" else play_one(one, other, tmp_path)
    assert result.fault is not None
    assert (result.fault.seat, result.fault.why) == (seat, why)
    assert sentence in result.fault.sentence
    assert (result.scores[seat], result.scores[1 - seat]) == (-50, 0)
    assert result.winners == (1 - seat,)
    (verified,) = read(result.written.splitlines(keepends=True))
    assert verified.forfeit is not None
    assert (verified.forfeit.seat, verified.forfeit.why) == (seat, why)


@pytest.mark.system
def test_d3_the_clock_runs_down_over_the_game(tmp_path: Path) -> None:
    """The clock is for the whole game, not for each move."""
    terms = replace(PATIENT, milliseconds=60_000, rounds=2)
    result = play_one(parse_player(f"one={FIRST_BOT}"), GOOD, tmp_path, terms=terms)
    log = tmp_path / "0001-1-one.err"
    clock = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert clock[0] == 60_000
    assert len(clock) > 5
    assert clock == sorted(clock, reverse=True)
    assert clock[-1] < clock[0]
    assert 60_000 - clock[-1] <= result.thinking[0] + 1 < 60_000


@pytest.mark.system
def test_d3_a_time_out_has_used_the_whole_clock(tmp_path: Path) -> None:
    result = play_out_of_time(bad_bot("stops_answering"), GOOD, 0, tmp_path)
    assert result.thinking[0] in CLOCKS
    assert result.thinking[1] < result.thinking[0]


@pytest.mark.system
def test_limits_are_part_of_the_terms(tmp_path: Path) -> None:
    terms = replace(PATIENT, limits=Limits(start=60, memory=200 * 1024**2))
    result = play_one(GOOD, bad_bot("takes_much_memory"), tmp_path, terms=terms)
    assert result.fault is not None
    assert result.fault.sentence.endswith("its last words: MemoryError")
    assert (tmp_path / "0001-2-takes_much_memory.err").read_text().endswith("MemoryError\n")


# --- Deals -----------------------------------------------------------------------------------------------


@pytest.mark.system
def test_d1_the_first_deal_of_a_seed_is_the_same_whoever_plays(tmp_path: Path) -> None:
    pairs = [(GOOD, tracker("both")), (tracker("update"), GOOD)]
    records = [
        play_one(*pair, tmp_path, first, replace(PATIENT, rounds=2)).written.splitlines()
        for first, pair in enumerate(pairs)
    ]
    assert records[0][1] == records[1][1]
    assert records[0] != records[1]


def test_d1_deals_with_the_same_bag_are_the_same_and_with_another_hardly_differ() -> None:
    chance = random.Random(3)
    for draw in range(100):
        bag = (20 - chance.randrange(8), 20, 17, 20, 12)
        dealt = deal(7, draw, bag)
        assert dealt == deal(7, draw, bag)
        assert dealt != deal(8, draw, bag) != deal(8, draw + 1, bag)
        check_deal(dealt, bag, (0,) * 5, 5)
        less = without(bag, (0, 0, 1, 0, 0))
        tiles, other_tiles = (
            [sum(column) for column in zip(*each.displays, strict=True)]
            for each in (dealt, deal(7, draw, less))
        )
        assert sum(map(abs, without(tuple(tiles), tuple(other_tiles)))) <= 2


def test_d1_every_tile_is_as_likely_in_every_display() -> None:
    counts = [[0] * 5 for _ in range(5)]
    for seed in range(2000):
        for display, tiles in enumerate(deal(seed, 0, ALL_TILES).displays):
            for colour in range(5):
                counts[display][colour] += tiles[colour]
    assert all(1450 < number < 1750 for row in counts for number in row)  # 1600 each


def test_d1_a_small_bag_fills_what_it_can() -> None:
    dealt = deal(7, 3, (1, 0, 4, 0, 0))
    assert [sum(tiles) for tiles in dealt.displays] == [4, 1, 0, 0, 0]


# --- Contestants -----------------------------------------------------------------------------------------


def test_players_are_named_after_their_program() -> None:
    script = SAMPLES / "first_bot.py"
    texts = [
        "greedy",
        "random@250",
        f"python3 {script} --deep",
        str(COMMAND),
        "greedy",
        f"me={script}",
        "me=random",
    ]
    names = ["greedy", "random@250", "first_bot.py", "azul-table", "greedy 2", "me", "me 2"]
    texts[5] = f"me=python3 {script}"
    found = parse_players(texts)
    assert [each.name for each in found] == names
    assert [each.built_in for each in found] == [True, True, False, False, True, False, True]
    assert found[1].command[-3:] == ("random", "--move-time", "250")
    assert found[2].command == ("python3", str(script), "--deep")
    assert found[0].command_for("x")[-2:] == ("--seed", "x")
    assert found[2].command_for("x") == found[2].command


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("deep", f"'deep' is neither a built-in bot nor a program; the bots are {', '.join(BOT_NAMES)}"),
        ("", "a bot is a name or a command, not an empty text"),
        ("me=", "a bot is a name or a command, not an empty text"),
        ("python3 'bot.py", "is no command: No closing quotation"),
        ("greedy@0", "'greedy@0' is neither"),
        (str(SAMPLES / "first_bot.c"), "first_bot.c' may not be executed"),
    ],
)
def test_an_invalid_player_is_refused(text: str, why: str) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_player(text)
    assert why in str(caught.value)


def test_a_fingerprint_changes_with_the_program(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("1")
    one = parse_player(f"python3 {script}").fingerprint
    assert parse_player(f"python3 {script}").fingerprint == one
    script.write_text("2")
    assert parse_player(f"python3 {script}").fingerprint != one
    assert parse_player("greedy").fingerprint != parse_player("greedy@1").fingerprint


# --- Sample bots -----------------------------------------------------------------------------------------


@pytest.mark.system
def test_the_sample_in_python_plays_and_beats_random(tmp_path: Path) -> None:
    random_bot, sample = parse_players(["random", FIRST_BOT])
    result = play(Game(1, (random_bot, sample), 0, 0, PATIENT), tmp_path)
    assert (result.fault, result.winners) == (None, (1,))


@pytest.mark.system
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_sample_in_c_plays_and_beats_random(tmp_path: Path) -> None:
    program = tmp_path / "first_bot"
    source = str(SAMPLES / "first_bot.c")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-o", str(program), source], check=True)
    random_bot, sample = parse_players(["random", str(program)])
    result = play(Game(1, (random_bot, sample), 0, 0, PATIENT), tmp_path)
    assert (result.fault, result.winners) == (None, (1,))
