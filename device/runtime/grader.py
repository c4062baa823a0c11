"""Grades the games of this table in the background: while nobody plays, one choice after another.

Everything that is found is saved at once, so an end at any moment loses one choice's thinking. A game that
begins, or goes on, ends it until the table is free again.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from device.bots.mind import MASTER, Grade
from device.bots.thinker import Answer, Question, Thinker
from device.records.review import Choice, real_choices
from device.rules.errors import RulesError
from device.rules.events import Chance, Event
from device.rules.notation import text_of
from device.socket.history import PastGame
from device.store import archive
from device.store.archive import ArchiveError
from device.table.state import Table

SECONDS: Final = 0.5
"""To think about each choice."""
POLITENESS: Final = 19
"""The process that thinks gets what all others leave."""


class Grader:
    """Grades in a thread and a process of its own; `path` says which file the store uses now."""

    def __init__(self, path: Callable[[], Path], seconds: float = SECONDS) -> None:
        self._path = path
        self._seconds = seconds
        self._free = False  # whether nobody plays
        self._turns = 0  # how often that has changed
        self._ending = False
        self._asked = 0
        self._changed = threading.Condition()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()  # None: nothing is to be waited for
        self._given_up: set[tuple[Path, int]] = set()
        self._thread = threading.Thread(target=self._run, name="grading", daemon=True)

    def start(self) -> None:
        """Grade from the first `look` on that finds the table free, until `close`."""
        self._thread.start()

    def look(self, table: Table) -> None:
        """See whether somebody plays; never waits for what is thought or saved."""
        play = table.play
        free = play is None or (play.over and table.ceremony is None)
        if free != self._free:
            self._tell(free=free)

    def close(self) -> None:
        """End the thread and its process; what it thinks about now is thought about again another time."""
        self._tell(free=False, ending=True)
        if self._thread.is_alive():
            self._thread.join()

    def _tell(self, *, free: bool, ending: bool = False) -> None:
        with self._changed:
            self._free, self._ending = free, ending
            self._turns += 1
            self._answers.put(None)  # before the thread goes on: it would take it for its next answer
            self._changed.notify()

    # --- In the thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        while (turn := self._wait_until_free()) is not None:
            with closing(Thinker(self._answers.put, POLITENESS)) as thinker:  # its process starts when asked
                while self._turns == turn and (found := self._next_game()) is not None:
                    path, game = found
                    if not self._grade(thinker, path, game) and self._turns == turn:
                        self._given_up.add((path, game.number))
            self._rest(turn)

    def _wait_until_free(self) -> int | None:
        """Wait until nobody plays, and say which turn that is; None when all ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._free or self._ending)
            return None if self._ending else self._turns

    def _rest(self, turn: int) -> None:
        """Wait for the next turn: before another game was played there is nothing new to grade."""
        with self._changed:
            self._changed.wait_for(lambda: self._turns != turn)

    def _next_game(self) -> tuple[Path, PastGame] | None:
        """The newest game that is not graded to its end; what can't be is given up until the next start."""
        try:
            path = self._path()
            for number in archive.not_graded(path):
                game = self._readable(path, number)
                if game is not None and not game.too_long:
                    return path, game
        except (ArchiveError, OSError):
            return None  # the table itself says what is wrong with its file
        return None

    def _readable(self, path: Path, number: int) -> PastGame | None:
        """A game that was not given up; one that can't be read is, and keeps none of the others waiting."""
        if (path, number) in self._given_up:
            return None
        try:
            return archive.game_of(path, number)
        except ArchiveError:
            self._given_up.add((path, number))
            return None

    def _grade(self, thinker: Thinker, path: Path, game: PastGame) -> bool:
        """Grade what is left of a game, as long as nobody plays; whether that came to its end."""
        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA synchronous = NORMAL")  # nobody shall wait for a disk for this
                grades = [self._save_next(connection, thinker, game, each) for each in _left(game)]
        except (sqlite3.Error, RulesError):
            return False
        return all(grades)

    def _save_next(
        self, connection: sqlite3.Connection, thinker: Thinker, game: PastGame, left: "_Left"
    ) -> bool:
        """Grade one choice and save that; False where it can't be graded, or somebody plays."""
        grade = Grade(0.0, left.event) if left.choice is None else self._think(thinker, left.choice)
        if grade is None or not self._free:
            return False
        saved = connection.execute(
            "INSERT OR REPLACE INTO grades SELECT game, number, ?, ? FROM events "
            "WHERE game = ? AND number = ? AND event = ?",  # it may have been taken back meanwhile
            (grade.lost, text_of(grade.best), game.number, left.number, text_of(left.event)),
        )
        return saved.rowcount == 1

    def _think(self, thinker: Thinker, choice: Choice) -> Grade | None:
        """The grade of a choice; None where it can't be had, or somebody plays."""
        while not self._answers.empty():
            self._answers.get()
        if not self._free:
            return None
        self._asked += 1
        asked = self._asked
        thinker.ask(Question(asked, "grade", MASTER.name, choice.state, self._seconds, choice.to_grade))
        while (answer := self._answers.get()) is not None:
            if answer.number == asked:
                return answer.result if isinstance(answer.result, Grade) else None
        return None


@dataclass(frozen=True, slots=True)
class _Left:
    """A choice that has no grade yet; what is no real choice needs no thinking."""

    number: int
    event: Event
    choice: Choice | None


def _left(game: PastGame) -> Iterator[_Left]:
    real = {choice.number: choice for choice in real_choices(game.setup, game.events)}
    for number, event in enumerate(game.events):
        if not isinstance(event, Chance) and number not in game.grades:
            yield _Left(number, event, real.get(number))
