"""Grading many choices at once: a thinking process for each core, and the grades as they come."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from functools import partial
from queue import SimpleQueue
from typing import Final

from device.bots.mind import MASTER, Grade
from device.bots.thinker import Answer, Question, Thinker
from device.rules.events import Event
from device.rules.game import State

Put = Callable[[Answer], None]

POLITENESS: Final = 5
CORES: Final = len(os.sched_getaffinity(0))


class GradingError(Exception):
    """A choice could not be graded; the fault is this program's, or whoever ended its process."""


def grade_all(
    choices: Sequence[tuple[State, Event]], seconds: float, jobs: int = CORES
) -> Generator[tuple[int, Grade], None, None]:
    """Grade choices against `master`'s, with so many seconds each; the index of each comes with its grade.

    They come as they are found. Closing the generator ends all thinking. Raises GradingError.
    """
    answers: SimpleQueue[tuple[int, Answer]] = SimpleQueue()

    def put(worker: int, answer: Answer) -> None:
        answers.put((worker, answer))

    with ExitStack() as closing:
        thinkers = [Thinker(partial(put, worker), POLITENESS) for worker in range(min(jobs, len(choices)))]
        for thinker in thinkers:
            closing.callback(thinker.close)
        due = iter(range(len(choices)))

        def ask(worker: int) -> None:
            if (index := next(due, None)) is not None:
                state, event = choices[index]
                thinkers[worker].ask(Question(index, "grade", MASTER.name, state, seconds, event))

        for worker in range(len(thinkers)):
            ask(worker)
        for _ in choices:
            worker, answer = answers.get()
            if not isinstance(answer.result, Grade):
                raise GradingError(answer.error or "there was no answer")
            ask(worker)
            yield answer.number, answer.result
