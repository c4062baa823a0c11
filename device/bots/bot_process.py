"""The bots in a worker process, which the table asks without waiting for the answer."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from device.bots.search import STRENGTHS, Grade, Hint, searcher
from device.bots.simple import SIMPLE_BOTS
from device.bots.workers import Answer, Call, Worker
from device.rules.events import Event
from device.rules.game import State

__all__ = ["Answer", "BotProcess", "Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a bot: which one (by name), about which state, with how many seconds to search.

    `kind` is what to answer: `choose` a choice (any bot), `hint` a Hint or `grade` the Grade of `event`
    (searching bots). `prepare` loads what games like `state` need, so that the first choice is not late; its
    answer is None. `seat` is the seat that chooses where several have a choice.
    """

    number: int
    kind: Literal["prepare", "choose", "hint", "grade"]
    bot: str
    state: State
    seconds: float
    event: Event | None = None
    seat: int | None = None


class BotProcess(Worker):
    """A worker process that answers questions one at a time; `put` is called with the answers, in a thread.

    The result of an answer is None with `error` if the process failed. `niceness` lowers its priority.
    """

    def __init__(self, put: Callable[[Answer], None], niceness: int = 0) -> None:
        super().__init__(put, niceness, preload=__name__, name="thinker")

    def ask(self, question: Question) -> None:
        """Ask a question without waiting for the answer."""
        self.run(Call(question.number, answer, (question,)))


def answer(question: Question) -> Event | Hint | Grade | None:
    """Answer a question, in the worker process."""
    if question.kind == "prepare":
        if question.bot in STRENGTHS:
            searcher(question.bot).prepare(question.state)
        return None
    if question.bot in SIMPLE_BOTS:
        state = question.state if question.seat is None else question.state.for_seat(question.seat)
        return SIMPLE_BOTS[question.bot](state, random.SystemRandom().randrange)
    bot = searcher(question.bot)
    if question.kind == "hint":
        return bot.hint(question.state, question.seconds, question.seat)
    if question.kind == "grade":
        assert question.event is not None
        return bot.grade(question.state, question.event, question.seconds)
    return bot.choose(question.state, question.seconds, question.seat)
