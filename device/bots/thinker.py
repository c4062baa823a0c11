"""A bot in a process of its own, which the table asks without waiting.

Questions and answers are pickled, each behind its length. The process ends with its parent: a thread of it
does nothing but read, and the end of the questions is the end of the process, in mid-thought too.
"""

import os
import pickle
import random
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, Final, Literal

from device.bots.mind import QUICK, STRENGTHS, Grade, Hint, Mind
from device.rules.events import Event
from device.rules.game import State

ENDED: Final = "the thinking process ended"
NOT_STARTED: Final = "the thinking process can't be started"
_LENGTH: Final = 4
_LONG_AFTER: Final = 1e6
"""Seconds: more than any search may take."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to think about, for how long, and who: a searching strength, or for `think` any bot by its name.

    `event` is the choice to grade; `seat` is whose choice it is where several have one.

    `prepare` is answered with None: what games like `state` need is loaded, so that the first thought of one
    is not late; those that do not search need nothing.
    """

    number: int
    kind: Literal["prepare", "think", "hint", "grade"]
    strength: str
    state: State
    seconds: float
    event: Event | None = None
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Nobody waits for the answer to a question any more."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question; None with `error` where the process failed, or where nothing was asked."""

    number: int
    result: Event | Hint | Grade | None
    error: str | None = None


class Thinker:
    """Asks a process that thinks; its one thread only puts the answers where it is told to.

    The process is handed one question at a time: so its pipe never fills, and asking never waits for one that
    hangs.

    `politeness` is how much the process yields to all others, at most 19. One that keeps to a time does not
    yield: it would wait for the processor when its time is up.
    """

    def __init__(self, put: Callable[[Answer], None], politeness: int = 0) -> None:
        self._put = put
        self._politeness = politeness
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._open: set[int] = set()
        self._waiting: deque[Question] = deque()
        self._in_work: int | None = None  # the number of the question that the process has
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process if there is none, so that the first question does not wait for that."""
        with suppress(OSError):  # the question will tell
            self._running()

    def ask(self, question: Question) -> None:
        """Ask; the answer is put when it is there, at once where no process can be started for it."""
        try:
            process = self._running()
        except OSError as error:  # memory is short, for one
            self._put(Answer(question.number, None, f"{NOT_STARTED}: {error.strerror}"))
            return
        with self._lock:
            self._open.add(question.number)
            self._waiting.append(question)
        self._hand_over(process)

    def _hand_over(self, process: "subprocess.Popen[bytes]") -> None:
        """Give the process the next question, if it has none."""
        while (unsent := self._send_next(process)) is not None:
            process.kill()
            self._answered(Answer(unsent, None, ENDED))

    def _send_next(self, process: "subprocess.Popen[bytes]") -> int | None:
        """Send the next question that anybody waits for; its number where the process has ended."""
        assert process.stdin is not None
        with self._lock:
            while self._waiting and self._in_work is None:
                question = self._waiting.popleft()
                if question.number not in self._open:
                    continue
                try:
                    _send(process.stdin, question)
                except (OSError, ValueError):  # its reader may have looked for open questions before
                    return question.number
                self._in_work = question.number
        return None

    def forget(self, number: int) -> None:
        """Put no answer to a question any more; a search for it that is under way ends at once."""
        process = self._process
        with self._lock:
            self._open.discard(number)
            if number != self._in_work or process is None or process.stdin is None:
                return
            with suppress(OSError, ValueError):  # it has just ended: so has the search
                _send(process.stdin, Forgotten(number))

    def close(self) -> None:
        """End the process and what it thinks about; answers to it are not put any more."""
        with self._lock:
            self._open.clear()
            self._waiting.clear()
        if self._process is not None:
            self._process.kill()
        if self._reader is not None and self._reader.is_alive():  # Ctrl-C may come before it has started
            self._reader.join()

    def _running(self) -> "subprocess.Popen[bytes]":
        """The process, started if there is none; raises OSError."""
        process = self._process
        return self._start() if process is None or process.poll() is not None else process

    def _start(self) -> "subprocess.Popen[bytes]":
        root = Path(__file__).parents[2]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from device.bots.thinker import main; main({self._politeness})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(root)},
            # Ctrl-C is for the process that started this one. And Linux shares the processor out among
            # sessions first (autogroup): the table's lights must not wait because of what is thought here.
            start_new_session=True,
        )
        if self._reader is not None:
            self._reader.join()
        self._process = process
        self._reader = threading.Thread(target=self._read, args=(process,), name="thinker", daemon=True)
        self._reader.start()
        return process

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        """Put the answers of a process until it ends; then tell which questions it left open."""
        assert process.stdin is not None and process.stdout is not None
        with process.stdout, suppress(OSError, EOFError, pickle.UnpicklingError):
            while (answer := _receive(process.stdout)) is not None:
                self._answered(answer)
                self._hand_over(process)
        process.kill()
        process.wait()
        with suppress(OSError):  # what was on its way to it is lost
            process.stdin.close()
        with self._lock:
            self._in_work = None
            lost = sorted(self._open)
        for number in lost:
            self._answered(Answer(number, None, ENDED))

    def _answered(self, answer: Answer) -> None:
        with self._lock:
            wanted = answer.number in self._open
            self._open.discard(answer.number)
            if self._in_work == answer.number:
                self._in_work = None
        if wanted:
            self._put(answer)


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream."""
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    data = stream.read(int.from_bytes(length, "little"))
    return pickle.loads(data)  # from our own process at the other end


class _Desk:
    """The question that lies before the process; the parent hands over the next one when it has an answer."""

    def __init__(self) -> None:
        self._questions: SimpleQueue[Question] = SimpleQueue()
        self._forgotten: int | None = None  # the number of the last question that was forgotten
        self._now = -1  # the number of the question in work

    def listen(self) -> None:
        """Take in questions until there are no more: then the parent is gone, or wants nothing more."""
        try:
            while (message := _receive(sys.stdin.buffer)) is not None:
                if isinstance(message, Forgotten):
                    self._forgotten = message.number
                else:
                    self._questions.put(message)
        finally:  # also where nobody can say what was asked
            os._exit(0)

    def next(self) -> Question:
        """The next question."""
        question = self._questions.get()
        self._now = question.number
        return question

    @property
    def is_forgotten(self) -> bool:
        """Whether nobody waits for the question in work any more."""
        return self._now == self._forgotten

    def clock(self) -> float:
        """The time that searches keep to: it is up at once when the question in work is forgotten."""
        return time.monotonic() + (_LONG_AFTER if self.is_forgotten else 0.0)


def main(politeness: int = 0) -> None:
    """Answer questions from standard input until it ends."""
    os.nice(politeness)
    desk = _Desk()
    threading.Thread(target=desk.listen, daemon=True).start()
    minds = {name: Mind(strength, desk.clock) for name, strength in STRENGTHS.items()}
    while True:
        question = desk.next()
        try:
            result = None if desk.is_forgotten else _result(minds, question)
            answer = Answer(question.number, result)
        except Exception as error:  # noqa: BLE001 - whatever it is, the table must hear of it
            answer = Answer(question.number, None, f"{type(error).__name__}: {error}")
        _send(sys.stdout.buffer, answer)


def _result(minds: Mapping[str, Mind], question: Question) -> Event | Hint | Grade | None:
    if question.kind == "prepare":
        if question.strength in minds:
            minds[question.strength].prepare(question.state)
        return None
    if question.strength in QUICK:
        state = question.state if question.seat is None else question.state.for_seat(question.seat)
        return QUICK[question.strength](state, random.SystemRandom().randrange)
    mind = minds[question.strength]
    if question.kind == "hint":
        return mind.hint(question.state, question.seconds, question.seat)
    if question.kind == "grade":
        assert question.event is not None
        return mind.grade(question.state, question.event, question.seconds)
    return mind.think(question.state, question.seconds, question.seat)


if __name__ == "__main__":
    main()
