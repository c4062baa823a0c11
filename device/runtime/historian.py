"""Answers questions about past games, one after another, in a thread of its own.

The table's loop has no part in it: this thread reads the store's file by a connection of its own.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Full, Queue
from typing import Final

from device.lights.palettes import Palette
from device.socket import history, messages
from device.socket.history import PastGame
from device.socket.messages import Answer, ClientMessage
from device.socket.server import Request
from device.store import archive
from device.store.archive import ArchiveError

MOST_WAITING: Final = 32
"""Questions that may wait, of all clients; more are refused at once."""
LONGEST_RECORD: Final = 1_000_000
"""Bytes of the longest record that is told; no people play so long."""
TURN: Final = 0.0005
"""Seconds after which a thread that computes lets another go on: a press goes through some ten of them."""


class Historian:
    """Takes questions by `put`, from any thread; `path` says which file the store uses now.

    `say` tells whoever runs the table why a question can't be answered, once for each reason in a row.
    """

    def __init__(self, path: Callable[[], Path], palette: Palette, say: Callable[[str], None]) -> None:
        self._path = path
        self._palette = palette
        self._say = say
        self._said = ""
        self._questions: Queue[Request | None] = Queue(MOST_WAITING)
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)

    def start(self) -> None:
        """Answer until `close`; from now on no thread of this process makes another wait for long."""
        sys.setswitchinterval(TURN)
        self._thread.start()

    def close(self) -> None:
        """End the thread; what still waits is not answered."""
        self._ending = True
        with suppress(Full):  # then it wakes by itself
            self._questions.put_nowait(None)
        if self._thread.is_alive():
            self._thread.join()

    def put(self, request: Request) -> None:
        """Take a question; never waits."""
        try:
            self._questions.put_nowait(request)
        except Full:
            request.answer(messages.refusal(request.message, "too_many_questions"))

    def _run(self) -> None:
        while (request := self._questions.get()) is not None and not self._ending:
            request.answer(self._answer(request.message))

    def _answer(self, asked: ClientMessage) -> Answer:
        try:
            return self._found(asked, self._path())
        except ArchiveError as error:
            self._tell(str(error))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a game, the next question is answered
            self._tell(f"game {asked.game or asked.record} can't be told: {error!r}")
        return messages.refusal(asked, "unreadable" if asked.games is not None else "unreadable_game")

    def _found(self, asked: ClientMessage, path: Path) -> Answer:
        if asked.games is not None:
            return messages.taken(asked, self._list(path, asked.games.before, asked.games.count))
        number = asked.game if asked.game is not None else asked.record
        assert number is not None
        past = archive.read_game(path, number)
        if past is None:
            return messages.refusal(asked, "no_such_game")
        return self._told(asked, past) if asked.game is not None else _record(asked, past)

    def _tell(self, fault: str) -> None:
        if fault != self._said:
            self._said = fault
            self._say(f"Past games: {fault}")

    def _list(self, path: Path, before: int | None, count: int) -> object:
        """So many games, and whether there are older ones."""
        found = archive.list_games(path, before, count + 1)
        return {"games": found[:count], "more": len(found) > count}

    def _told(self, asked: ClientMessage, past: PastGame) -> Answer:
        return messages.taken(asked, history.retold(past, self._palette))


def _record(asked: ClientMessage, past: PastGame) -> Answer:
    written = history.record_of(past)
    if written is None:
        return messages.refusal(asked, "not_finished")
    if len(written) > LONGEST_RECORD:
        return messages.refusal(asked, "too_long")
    return messages.taken(asked, written.decode())
