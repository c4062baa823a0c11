"""Background grading with a process that the test answers for: what is asked, and what is given up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.search import Grade
from device.records.review import real_choices
from device.runtime.grader import NICENESS, Grader
from device.store import archive
from device.table.game import Play
from device.table.score_animation import ScoreAnimation
from device.table.state import CurrentGame, TableSettings, new_table
from tests.harness.stored_games import SOLO_GRAY, STANDARD, greedy_game, store_games
from tests.harness.waiting import DEADLINE, until

FREE = new_table(TableSettings(4, 9))
PLAYED = greedy_game(STANDARD)
BUSY = replace(FREE, game=CurrentGame(greedy_game(STANDARD, most=20)))
GRADE = Grade(1.5, PLAYED.events[1])


class Workers:
    """The grading processes that a grader has started; the test takes their questions and answers them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.questions: SimpleQueue[Question] = SimpleQueue()
        self.running = 0
        self.nicenesses: set[int] = set()
        self.grader = Grader(lambda: self.path, make_process=self._make)
        self.grader.start()

    def _make(self, put: object, niceness: int) -> BotProcess:
        assert callable(put)
        self.put = put
        self.nicenesses.add(niceness)
        self.running += 1
        return Worker(self)

    def next(self) -> Question:
        return self.questions.get(timeout=DEADLINE)

    def answer(self, question: Question, error: str = "") -> None:
        """Answer with a grade, or with an error."""
        self.put(Answer(question.number, error=error) if error else Answer(question.number, GRADE))

    def interrupt(self) -> None:
        """Let a game begin, wait for the end of the process, and let the table be free again."""
        self.grader.observe(BUSY)
        until(lambda: not self.running, "the end of the process")
        self.grader.observe(FREE)


class Worker(BotProcess):
    """A process that passes its questions on."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def ask(self, question: Question) -> None:
        self._workers.questions.put(question)

    def close(self) -> None:
        self._workers.running -= 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


@pytest.fixture
def workers(path: Path) -> Iterator[Workers]:
    workers = Workers(path)
    with closing(workers.grader):
        yield workers


def events_asked(play: Play) -> list[object]:
    """Return the choices of a game that have alternatives, in their order."""
    return [choice.representative for choice in real_choices(play.setup, play.events)]


def test_choices_are_asked_one_after_another_by_a_process_of_the_lowest_priority(
    path: Path, workers: Workers
) -> None:
    store_games(path, [PLAYED])
    workers.grader.observe(FREE)
    for event in events_asked(PLAYED):
        question = workers.next()
        assert question.event == event
        assert workers.questions.empty()
        workers.answer(question)
    until(lambda: not archive.ungraded_games(path) and not workers.running, "the end")
    assert workers.nicenesses == {NICENESS}


def test_a_game_that_begins_ends_the_process_at_once(path: Path, workers: Workers) -> None:
    """The process may be seconds away from its answer."""
    store_games(path, [PLAYED])
    workers.grader.observe(FREE)
    workers.next()
    workers.grader.observe(BUSY)
    until(lambda: not workers.running, "the end of the process")


def test_an_interrupted_game_goes_on_where_it_was(path: Path, workers: Workers) -> None:
    store_games(path, [PLAYED])
    first, second = events_asked(PLAYED)[:2]
    workers.grader.observe(FREE)
    workers.answer(workers.next())
    assert workers.next().event == second
    workers.interrupt()
    assert workers.next().event == second != first


def test_a_late_answer_is_not_taken_for_that_to_a_later_question(path: Path, workers: Workers) -> None:
    store_games(path, [PLAYED])
    workers.grader.observe(FREE)
    late = workers.next()
    workers.interrupt()
    again = workers.next()
    workers.put(Answer(late.number, Grade(99.0, PLAYED.events[1])))
    workers.answer(again)
    workers.next()
    game = archive.read_game(path, 1)
    assert game is not None
    assert {lost for lost, _ in game.grades.values()} == {GRADE.lost}


def test_a_choice_that_cant_be_graded_ends_its_game_only(path: Path, workers: Workers) -> None:
    solo = greedy_game(SOLO_GRAY)
    store_games(path, [solo, PLAYED])
    workers.grader.observe(FREE)
    for _ in events_asked(PLAYED):
        workers.answer(workers.next(), "the process ended")
    assert workers.next().event == events_asked(solo)[0]


def test_a_game_is_given_up_in_its_own_file_only(path: Path, workers: Workers) -> None:
    """A new file of saved games counts its games from 1 again."""
    store_games(path, [PLAYED])
    workers.grader.observe(FREE)
    for _ in events_asked(PLAYED):
        workers.answer(workers.next(), "the process ended")
    until(lambda: not workers.running, "the end of the process")
    workers.path = path.with_name("another.db")
    store_games(workers.path, [PLAYED])
    workers.interrupt()
    assert workers.next().event == events_asked(PLAYED)[0]


def test_nothing_is_graded_while_the_last_score_animation_is_shown(path: Path, workers: Workers) -> None:
    store_games(path, [PLAYED])
    workers.grader.observe(FREE)
    workers.next()
    workers.grader.observe(replace(FREE, game=CurrentGame(PLAYED, animation=ScoreAnimation(1, 0.0))))
    until(lambda: not workers.running, "the end of the process")
    workers.grader.observe(replace(FREE, game=CurrentGame(PLAYED)))
    workers.next()
