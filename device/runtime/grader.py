"""Background grading of this table's finished games, while nobody plays.

One choice after another is evaluated by the `master` bot in a process of its own, and each grade is saved at
once. A game that begins, or goes on, ends the process until the table is free again.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.search import MASTER, Grade
from device.records.review import Choice, real_choices
from device.rules.errors import RulesError
from device.rules.events import Chance
from device.socket.history import PastGame
from device.store import archive, statistics
from device.store.archive import ArchiveError
from device.table.state import Table

SECONDS: Final = 0.5  # to think about each choice
NICENESS: Final = 19  # the nice value of the grading process: the lowest priority


class Grader:
    """A thread that has the games of the newest store file graded.

    `path` returns that file; `seconds` is the time for each choice; `make_process` takes the callback for
    answers and a nice value.
    """

    def __init__(
        self,
        path: Callable[[], Path],
        seconds: float = SECONDS,
        make_process: Callable[[Callable[[Answer], None], int], BotProcess] = BotProcess,
    ) -> None:
        self._path = path
        self._seconds = seconds
        self._make_process = make_process
        self._free = False  # whether nobody plays
        self._turns = 0  # how often that has changed
        self._ending = False
        self._asked = 0  # the number of the last question
        self._changed = threading.Condition()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()  # None: stop waiting for an answer
        self._given_up: set[tuple[Path, int]] = set()
        self._thread = threading.Thread(target=self._run, name="grading", daemon=True)

    def start(self) -> None:
        """Start the thread; it grades from the first free table that `observe` is given, until `close`."""
        self._thread.start()

    def observe(self, table: Table) -> None:
        """Start or stop grading, depending on whether somebody plays. Never waits."""
        game = table.game
        free = game is None or (game.play.over and game.animation is None)
        if free != self._free:
            self._set(free=free)

    def close(self) -> None:
        """End the thread and its process; the grade that is being computed is lost."""
        self._set(free=False, ending=True)
        if self._thread.is_alive():
            self._thread.join()

    def _set(self, *, free: bool, ending: bool = False) -> None:
        with self._changed:
            self._free, self._ending = free, ending
            self._turns += 1
            self._answers.put(None)  # before `notify`: later, it would end the next question
            self._changed.notify()

    # --- In the thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._free or self._ending)
                if self._ending:
                    return
                turn = self._turns
            with closing(self._make_process(self._answers.put, NICENESS)) as process:
                while self._turns == turn and (found := self._next_game()) is not None:
                    path, game = found
                    if not self._grade(process, path, game) and self._turns == turn:
                        self._given_up.add((path, game.number))
            with self._changed:  # there is nothing new to grade before another game was played
                while self._turns == turn:
                    self._changed.wait()

    def _next_game(self) -> tuple[Path, PastGame] | None:
        """Return the newest game that lacks grades and was not given up, with its file."""
        try:
            path = self._path()
            for number in archive.ungraded_games(path):
                if (path, number) in self._given_up:
                    continue
                try:
                    game = archive.read_game(path, number)
                except ArchiveError:
                    self._given_up.add((path, number))
                else:
                    if game is not None and not game.too_long:
                        return path, game
        except (ArchiveError, OSError):
            pass  # the table itself reports what is wrong with its file
        return None

    def _grade(self, process: BotProcess, path: Path, game: PastGame) -> bool:
        """Grade the choices of a game that have no grade; return whether all of them were graded."""
        complete = True
        try:
            real = {choice.number: choice for choice in real_choices(game.setup, game.events)}
            for number, event in enumerate(game.events):
                if isinstance(event, Chance) or number in game.grades:
                    continue
                # without an alternative nothing can be lost
                grade = self._think(process, real[number]) if number in real else Grade(0.0, event)
                if grade is None or not self._free:
                    complete = False  # it can't be graded, or somebody plays
                elif not archive.save_grade(path, game.number, number, event, grade.lost, grade.best):
                    complete = False
            if complete:
                statistics.save_summary(path, game.number)
        except (ArchiveError, RulesError):
            return False
        return complete

    def _think(self, process: BotProcess, choice: Choice) -> Grade | None:
        """Return the grade of a choice, or None if the process failed, or somebody plays."""
        while not self._answers.empty():
            self._answers.get()
        if not self._free:
            return None
        self._asked += 1
        asked = self._asked
        process.ask(Question(asked, "grade", MASTER, choice.state, self._seconds, choice.representative))
        while (answer := self._answers.get()) is not None:
            if answer.number == asked:
                return answer.result if isinstance(answer.result, Grade) else None
        return None
