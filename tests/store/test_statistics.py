"""Statistics of finished games, against counting them one by one."""

from __future__ import annotations

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from device.lights.palettes import BOX
from device.records.review import real_choices
from device.records.summary import PlayerSummary, summarize
from device.rules.events import Chance, Event
from device.rules.game import Setup
from device.runtime.historian import Historian
from device.store import archive, statistics
from device.store.archive import ArchiveError
from device.store.store import Store
from device.table.game import Play, resume
from device.table.state import CurrentGame, Seats, Table, TableSettings, new_table
from tests.harness.stored_games import (
    PLACES,
    SOLO,
    SOLO_GRAY,
    STANDARD,
    greedy_game,
    store_games,
    store_grades,
)
from tests.harness.waiting import until
from tests.store.test_store import rows
from tests.store.test_store_schema import SCHEMA_1, SCHEMA_2

NAMES = ("Ana", "Rui", "Eva", "Zoë")
SUMMARIES = "SELECT * FROM summaries ORDER BY game, seat"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def games(number: int, seed: int = 1) -> list[tuple[Play, dict[int, str]]]:
    """Return finished games of all modes, by persons in any order, opponents and people without a name."""
    chance = Random(seed)
    found = []
    for at in range(number):
        chosen = chance.choice(list(PLACES))
        play = greedy_game(chosen, at % 5)
        names = chance.sample(NAMES, len(chosen.players))
        bots: dict[int, str] = {}
        for seat, place in enumerate(play.places[: len(names)]):
            kind = chance.random()
            if kind < 0.2 and chosen.mode != "solo":
                bots[seat] = chance.choice(("calm", "master"))
                names[seat] = bots[seat].capitalize()
            elif kind < 0.3:
                names[seat] = f"Seat {place}"
        setup = Setup(chosen.mode, tuple(names), chosen.first, chosen.level, chosen.wall)
        found.append((replace(play, setup=setup), bots))
    return found


def store_all(path: Path, played: list[tuple[Play, dict[int, str]]]) -> None:
    """Store games as the table does, one after another."""
    with closing(Store.open(path)) as store:
        blank = new_table(TableSettings(4, 9))
        store.load(blank, 0.0)
        for play, bots in played:
            names = tuple(bots.get(seat, "") for seat in range(len(play.places)))
            by_place = dict(zip(play.places, names, strict=True))
            seats = Seats(("",) * 4, tuple(by_place.get(place, "") for place in range(1, 5)), play.places)
            store.save(blank)
            store.save(replace(blank, seats=seats, game=CurrentGame(play)))
        store.save(blank)


def grade(path: Path, number: int, play: Play, cost: float) -> dict[int, float]:
    """Grade all choices of a game; return the points lost by seat: `cost` for every real choice."""
    lost: dict[int, float] = defaultdict(float)
    real = {choice.number: choice for choice in real_choices(play.setup, play.events)}
    grades: dict[int, tuple[float, Event]] = {}
    for at, event in enumerate(play.events):
        if not isinstance(event, Chance):
            grades[at] = (cost if at in real else 0.0, event)
    for choice in real.values():
        lost[choice.seat] += cost
    store_grades(path, number, grades)
    return lost


def brute_force(played: list[tuple[Play, dict[int, str]]]) -> dict[Any, list[tuple[Play, PlayerSummary]]]:
    """Return the summaries of every person by name, and of every opponent by ("bot", name)."""
    found: dict[Any, list[tuple[Play, PlayerSummary]]] = defaultdict(list)
    for play, bots in played:
        for each in summarize(play.setup, play.events) or ():
            name = play.setup.players[each.seat]
            if each.seat in bots:
                found["bot", bots[each.seat]].append((play, each))
            elif name != f"Seat {play.places[each.seat]}":
                found[name].append((play, each))
    return found


def assert_sums(sums: dict[str, Any], expected: list[tuple[Play, PlayerSummary]]) -> None:
    scores = [each.score for _, each in expected]
    assert sums["games"] == len(expected)
    assert sums["wins"] == sum(each.winner for _, each in expected)
    assert sums["best"] == max(scores)
    assert sums["mean"] == pytest.approx(sum(scores) / len(scores), abs=0.006)
    for at, name in enumerate(("placing", "rows", "columns", "colours", "floor", "other")):
        mean = sum(astuple(each.points)[at] for _, each in expected) / len(expected)
        assert sums["points"][name] == pytest.approx(mean, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_sums_are_those_of_counting_one_by_one(path: Path, seed: int) -> None:
    played = games(30, seed)
    store_all(path, played)
    expected = brute_force(played)
    house = statistics.house_statistics(path)
    assert (house["games"], house["missing"]) == (30, 0)
    assert {each["name"] for each in house["people"]} == {name for name in expected if isinstance(name, str)}
    assert [each["games"] for each in house["people"]] == sorted(
        (each["games"] for each in house["people"]), reverse=True
    )
    for each in house["people"]:
        assert_sums(each, expected[each["name"]])
    for each in house["opponents"]:
        assert_sums(each, expected["bot", each["bot"]])
    for group in house["groups"]:
        alike = [
            (play, each)
            for play, _ in played
            for each in summarize(play.setup, play.events) or ()
            if (play.setup.mode, len(play.setup.players)) == (group["mode"], group["players"])
        ]
        assert group["games"] == len(alike) // group["players"]
        assert group["best"] == max(each.score for _, each in alike)


@pytest.mark.parametrize("name", NAMES)
def test_a_player_is_compared_with_everybody_met(path: Path, name: str) -> None:
    played = games(30)
    store_all(path, played)
    found = statistics.player_statistics(path, name)
    assert found is not None
    assert_sums(found, brute_force(played)[name])
    expected: dict[tuple[str | None, str | None], list[int]] = defaultdict(lambda: [0, 0, 0])
    for play, bots in played:
        summaries = summarize(play.setup, play.events) or ()
        mine = [each for each in summaries if play.setup.players[each.seat] == name]
        for one in mine:
            for other in summaries:
                who = play.setup.players[other.seat]
                if other is one or who == f"Seat {play.places[other.seat]}":
                    continue
                bot = bots.get(other.seat)
                counts = expected[(None, bot) if bot else (who, None)]
                ranks = (one.score, one.winner), (other.score, other.winner)
                counts[0] += 1
                counts[1] += ranks[0] > ranks[1]
                counts[2] += ranks[0] < ranks[1]
    against = {
        (each["name"], each["bot"]): [each["games"], each["ahead"], each["behind"]]
        for each in found["against"]
    }
    assert against == expected
    pairs = statistics.house_statistics(path)["pairs"]
    for pair in pairs:
        if name == pair["one"]:
            assert [pair["games"], pair["ahead"], pair["behind"]] == expected[pair["other"], None]


def test_costs_are_known_once_all_choices_are_graded(path: Path) -> None:
    plays = [greedy_game(STANDARD, seed) for seed in range(3)]
    store_games(path, plays)
    assert statistics.house_statistics(path)["costs"] == []
    lost = grade(path, 1, plays[0], 0.5)
    grade(path, 3, plays[2], 1.5)
    assert statistics.games_without_summary(path) == [3, 1]
    for number in (1, 3):
        assert statistics.save_summary(path, number)
    assert statistics.games_without_summary(path) == []
    assert archive.ungraded_games(path) == [2]
    ana = statistics.player_statistics(path, "Ana")
    assert ana is not None
    first, last = ana["costs"]
    assert first["lost"] == pytest.approx(lost[0])
    assert (first["lost"] / first["choices"], last["lost"] / last["choices"]) == (0.5, 1.5)
    house = statistics.house_statistics(path)["costs"]
    assert [each["lost"] / each["choices"] for each in house] == [0.5, 1.5]


def test_half_graded_games_have_no_costs(path: Path) -> None:
    play = greedy_game(STANDARD)
    store_games(path, [play])
    number, event = next((at, each) for at, each in enumerate(play.events) if not isinstance(each, Chance))
    store_grades(path, 1, {number: (3.0, event)})
    assert statistics.save_summary(path, 1)
    assert rows(path, "SELECT DISTINCT lost, choices FROM summaries") == [(None, None)]


def test_an_end_that_is_taken_back_is_not_counted(path: Path) -> None:
    play = greedy_game(STANDARD)
    before = resume(play.setup, play.places, play.events[:-1])
    with closing(Store.open(path)) as store:
        blank: Table = new_table(TableSettings(4, 9))
        store.load(blank, 0.0)
        for each, counted in ((play, 2), (before, 0), (play, 2)):
            store.save(replace(blank, game=CurrentGame(each)))
            assert len(rows(path, SUMMARIES)) == counted
    with closing(Store.open(path)) as store:  # also after a restart
        table = store.load(blank, 0.0)
        store.save(replace(table, game=CurrentGame(before)))
    assert rows(path, SUMMARIES) == []


def test_games_for_practice_are_not_counted(path: Path) -> None:
    practice = replace(greedy_game(STANDARD), practice=12)
    store_games(path, [practice, greedy_game(SOLO)])
    house = statistics.house_statistics(path)
    assert (house["games"], house["missing"]) == (1, 0)
    assert [each["mode"] for each in house["groups"]] == ["solo"]
    assert statistics.games_without_summary(path) == []
    assert not statistics.save_summary(path, 1)
    assert archive.ungraded_games(path) == [2]
    entries = archive.list_games(path, None, 5)
    assert [each["practice"] for each in entries] == [False, True]


def test_nobody_has_statistics_before_the_first_game(path: Path) -> None:
    empty = statistics.house_statistics(path)
    assert (empty["games"], empty["people"], empty["costs"]) == (0, [], [])
    assert statistics.player_statistics(path, "Ana") is None
    store_games(path, [greedy_game(SOLO_GRAY)])  # by somebody without a name
    assert statistics.house_statistics(path)["games"] == 1
    assert statistics.house_statistics(path)["people"] == []
    assert statistics.player_statistics(path, "Seat 1") is None


def test_the_revision_changes_whenever_the_statistics_do(path: Path) -> None:
    found: dict[tuple[object, ...], Any] = {}

    def note() -> None:
        house = statistics.house_statistics(path)
        assert found.setdefault(statistics.revision(path), house) == house

    play, other = greedy_game(STANDARD), greedy_game(STANDARD, 2)
    note()
    with closing(Store.open(path)) as store:
        blank: Table = new_table(TableSettings(4, 9))
        store.load(blank, 0.0)
        taken_back = resume(play.setup, play.places, play.events[:-1])
        for each in (play, taken_back, play):
            store.save(replace(blank, game=CurrentGame(each)))
            note()
        store.save(blank)
        store.save(replace(blank, game=CurrentGame(other)))
        note()
        store.save(blank)
    grade(path, 1, play, 0.5)
    assert statistics.save_summary(path, 1)
    note()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM summaries WHERE game = 2")
    note()
    assert len(found) == 6  # nothing, game 1, its end taken back, game 2, graded, removed


def test_a_file_of_another_program_is_refused(path: Path) -> None:
    store_games(path, [greedy_game(STANDARD)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 1")
    with pytest.raises(ArchiveError):
        statistics.house_statistics(path)


# --- Games of earlier versions ---


@pytest.mark.parametrize(("older", "finished"), [(SCHEMA_1, 0), (SCHEMA_2, 1)])
def test_games_of_an_earlier_version_are_summarized(path: Path, older: Path, finished: int) -> None:
    shutil.copy(older, path)
    Store.open(path).close()
    missing = statistics.games_without_summary(path)
    assert len(missing) == finished == statistics.house_statistics(path)["missing"]
    assert all(statistics.save_summary(path, number) for number in missing)
    house = statistics.house_statistics(path)
    assert (house["games"], house["missing"]) == (finished, 0)
    assert set(rows(path, "SELECT practice FROM games")) == {(None,)}
    assert len(house["costs"]) == finished  # its choices were graded


@pytest.fixture
def historian(path: Path) -> Iterator[Historian]:
    historian = Historian(lambda: path, BOX, lambda _: None, first_summary=0.0)
    yield historian
    historian.close()


@pytest.mark.system
def test_the_history_thread_writes_missing_summaries_while_nobody_asks(
    path: Path, historian: Historian
) -> None:
    store_all(path, games(12))
    expected = rows(path, SUMMARIES)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM summaries")
        connection.execute("UPDATE events SET event = '9k5' WHERE game = 4 AND number = 4")
    historian.start()
    readable = [row for row in expected if row[0] != 4]
    until(lambda: rows(path, SUMMARIES) == readable, "the summaries of all games that can be read")
    assert statistics.house_statistics(path)["missing"] == 1
