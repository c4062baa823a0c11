"""Background grading: every finished game gets all its grades in the end, whatever interrupts it."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Condition, Event
from types import FrameType
from typing import Any

import pytest

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.search import Grade
from device.records.review import real_choices
from device.rules.events import Chance
from device.rules.game import Setup
from device.rules.notation import event_of
from device.runtime.grader import Grader
from device.store import archive
from device.store.store import Store
from device.table.game import Play, resume
from device.table.state import CurrentGame, Table, TableSettings, new_table
from tests.harness.fixtures import StartTable
from tests.harness.running import children, command_line, is_running
from tests.harness.stored_games import PLACES, SOLO_GRAY, STANDARD, greedy_game, store_games, store_grades
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

FREE = new_table(TableSettings(4, 9))
LONG = 300.0
"""Seconds for a whole game: the grading process has the lowest priority."""
Rows = dict[int, tuple[float, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


class QuickBotProcess(BotProcess):
    """Grades every choice at once, without a process: each was the best one."""

    def __init__(self, put: Callable[[Answer], None], _niceness: int) -> None:
        self.put = put

    def ask(self, question: Question) -> None:
        assert question.event is not None
        self.put(Answer(question.number, Grade(0.0, question.event)))

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def grader(path: Path) -> Iterator[Grader]:
    """A grader that does not think."""
    with closing(Grader(lambda: path, make_process=QuickBotProcess)) as grader:
        grader.start()
        yield grader


@pytest.fixture
def slow(path: Path) -> Iterator[Grader]:
    """A grader with a process, which takes seconds for a game, so that there is time to interrupt it."""
    with closing(Grader(lambda: path, seconds=0.1)) as grader:
        grader.start()
        yield grader


def playing(play: Play) -> Table:
    return replace(FREE, game=CurrentGame(play))


def rows(path: Path, game: int = 1) -> Rows:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT number, lost, best FROM grades WHERE game = ?", (game,))
        return {number: (lost, best) for number, lost, best in found}


def thinking() -> list[int]:
    """Return the thinking processes among the children of this process."""
    return [child for child in children(os.getpid()) if "workers" in command_line(child)]


def choices(play: Play) -> set[int]:
    return {at for at, event in enumerate(play.events) if not isinstance(event, Chance)}


def all_graded(path: Path) -> bool:
    return not archive.ungraded_games(path)


@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_every_choice_of_a_finished_game_is_graded(path: Path, grader: Grader, chosen: Setup) -> None:
    play = greedy_game(chosen)
    store_games(path, [play])
    grader.observe(FREE)
    until(lambda: all_graded(path), "all grades")
    assert rows(path).keys() == choices(play)


def test_a_process_grades_and_ends_when_nothing_is_left(path: Path) -> None:
    play = greedy_game(SOLO_GRAY)
    store_games(path, [play])
    with closing(Grader(lambda: path, seconds=0.02)) as grader:
        grader.start()
        grader.observe(FREE)
        until(lambda: all_graded(path), "all grades", LONG)
        found = rows(path)
        assert found.keys() == choices(play)
        for lost, best in found.values():
            assert lost >= 0
            event_of(best)
        until(lambda: not thinking(), "the end of the process")


def test_the_newest_game_is_graded_first_and_stopped_games_are_not(path: Path, grader: Grader) -> None:
    store_games(path, [greedy_game(SOLO_GRAY), greedy_game(STANDARD, most=9), greedy_game(SOLO_GRAY, seed=5)])
    assert archive.ungraded_games(path) == [3, 1]
    grader.observe(FREE)
    until(lambda: rows(path, 1), "the older game's first grade")
    assert rows(path, 3).keys() == choices(greedy_game(SOLO_GRAY, seed=5))
    until(lambda: all_graded(path), "all grades")
    assert rows(path, 2) == {}


def test_the_other_games_are_graded_if_one_cant_be_parsed(path: Path, grader: Grader) -> None:
    store_games(path, [greedy_game(SOLO_GRAY), greedy_game(SOLO_GRAY, seed=5)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET event = '9?9' WHERE game = 2 AND number = 4")
    grader.observe(FREE)
    until(lambda: rows(path, 1).keys() == choices(greedy_game(SOLO_GRAY)), "the grades of the other game")


def test_no_choice_is_graded_while_somebody_plays(path: Path, slow: Grader) -> None:
    play = greedy_game(STANDARD)
    store_games(path, [play])
    slow.observe(playing(greedy_game(STANDARD, most=20)))
    assert thinking() == []
    slow.observe(playing(play))  # that one is over
    until(lambda: rows(path), "some grades")
    slow.observe(playing(greedy_game(STANDARD, most=20)))
    until(lambda: not thinking(), "the end of the process")
    before = rows(path)
    assert 0 < len(before) < len(choices(play))
    slow.observe(FREE)
    until(lambda: all_graded(path), "the rest", LONG)
    after = rows(path)
    assert {number: after[number] for number in before} == before


def test_a_game_that_ends_later_is_graded_too(path: Path, grader: Grader) -> None:
    store_games(path, [greedy_game(SOLO_GRAY)])
    grader.observe(FREE)
    until(lambda: all_graded(path), "all grades")
    grader.observe(playing(greedy_game(STANDARD, most=20)))
    store_games(path, [greedy_game(SOLO_GRAY, seed=5)])
    grader.observe(FREE)
    until(lambda: rows(path, 2), "the next game's grades")


def test_undo_deletes_the_grade_of_the_choice(path: Path) -> None:
    play = greedy_game(STANDARD)
    store = Store.open(path)
    store.load(FREE, 0.0)
    store.save(playing(play))
    store_grades(path, 1, {at: (1.0, play.events[at]) for at in choices(play)})
    back = resume(play.setup, play.places, play.events[:-2])
    store.save(playing(back))
    assert rows(path).keys() == choices(back)
    assert archive.ungraded_games(path) == []  # it is not finished any more
    store.save(playing(play))
    assert archive.ungraded_games(path) == [1]
    store.close()


def test_the_other_games_are_graded_if_one_is_illegal(path: Path, grader: Grader) -> None:
    store_games(path, [greedy_game(SOLO_GRAY), greedy_game(STANDARD)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET event = '9k5' WHERE game = 2 AND number = 4")
    grader.observe(FREE)
    until(lambda: archive.ungraded_games(path) == [2], "the other game's grades")


def test_a_killed_process_loses_one_grade_at_most(path: Path, slow: Grader) -> None:
    play = greedy_game(STANDARD)
    store_games(path, [play])
    slow.observe(FREE)
    until(lambda: len(rows(path)) > 3, "some grades")
    (process,) = thinking()
    os.kill(process, signal.SIGKILL)
    until(lambda: len(rows(path)) >= len(choices(play)) - 1, "the others", LONG)


def test_an_answer_is_not_lost_while_the_table_becomes_free(path: Path) -> None:
    """The signal that the table is free came after the first question, and was taken for its answer.

    The choice got no grade, and its game was given up until the next start.
    """
    play = greedy_game(STANDARD)
    choice = next(iter(real_choices(STANDARD, play.events)))
    store_games(path, [play])
    store_grades(path, 1, {at: (0.0, play.events[at]) for at in choices(play) - {choice.number}})
    process = LateBotProcess()
    with closing(Grader(lambda: path, make_process=process.make)) as grader:
        grader.start()
        sys.setprofile(process.hold)
        grader.observe(FREE)
        sys.setprofile(None)
        process.observed.set()
        until(lambda: all_graded(path), "the grade")


class LateBotProcess(BotProcess):
    """Grades a choice, but only after `Grader.observe` has returned.

    `hold` is a profile function for the thread that calls `observe`: once that has notified the grading
    thread, it stops at its next `put` until the grading thread has asked.
    """

    put: Callable[[Answer], None]

    def __init__(self) -> None:
        self.notified = False
        self.asked, self.observed = Event(), Event()

    def make(self, put: Callable[[Answer], None], _niceness: int) -> LateBotProcess:
        self.put = put
        return self

    def hold(self, frame: FrameType, event: str, called: Any) -> None:
        if frame.f_code is Condition.notify.__code__:
            self.notified = True
        elif self.notified and event == "c_call" and called.__name__ == "put":
            assert self.asked.wait(DEADLINE)

    def ask(self, question: Question) -> None:
        self.asked.set()
        assert self.observed.wait(DEADLINE)
        assert question.event is not None
        self.put(Answer(question.number, Grade(0.0, question.event)))

    def close(self) -> None:
        """Do nothing."""


def test_a_file_that_cant_be_read_is_tried_again(path: Path, grader: Grader) -> None:
    path.write_text("no database")
    grader.observe(FREE)
    grader.observe(playing(greedy_game(STANDARD, most=20)))
    path.unlink()
    store_games(path, [greedy_game(SOLO_GRAY)])
    grader.observe(FREE)
    until(lambda: all_graded(path), "all grades")


def test_grading_goes_on_after_a_restart(data: Path, start: StartTable) -> None:
    data.mkdir()
    path = data / "azul-table.db"
    play = greedy_game(SOLO_GRAY, seed=5)
    store_games(path, [play])
    table = start()
    until(lambda: rows(path), "the first grade")
    thinkers = [child for child in children(table.process.pid) if child != table.pages()]
    table.kill()
    until(lambda: not any(map(is_running, thinkers)), "the end of what thinks")
    before = rows(path)
    assert before
    again = start("--port", "0")
    until(lambda: all_graded(path), "the rest", LONG)
    after = rows(path)
    assert {number: after[number] for number in before} == before
    assert after.keys() == choices(play)
    page = again.browser.ask("/history/1").text
    assert "The costliest moves" in page
    assert "while nobody plays" not in page
    until(lambda: len(children(again.process.pid)) == 1, "the pages alone")
    assert again.err == ""
