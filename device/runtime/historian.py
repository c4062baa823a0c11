"""The history thread: answers questions about past games, one after another.

The table's loop has no part in it: this thread reads the store's file through a connection of its own. While
nobody asks, it writes the summaries of games that an earlier version of the program has left without one.
"""

import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Final

from device.lights.palettes import PALETTES, Palette
from device.socket import history, messages
from device.socket.history import FoundPosition, PastGame
from device.socket.messages import (
    Answer,
    BeginPractice,
    HistoryQuestion,
    ListGames,
    ReadGame,
    ReadPositions,
    ReadRecord,
    ReadStatistics,
    ShowPosition,
    TableMessage,
)
from device.socket.server import Request
from device.socket.snapshot import Json
from device.store import archive, statistics
from device.store.archive import ArchiveError
from device.table.state import Table

MOST_WAITING: Final = 32  # questions of all clients; more are refused at once
LONGEST_RECORD: Final = 1_000_000  # bytes of a record that is sent; people play no game so long
SWITCH_INTERVAL: Final = 0.0005
"""Seconds after which a computing thread yields to the others: a press needs about ten such switches."""

FIRST_SUMMARY: Final = 5.0  # seconds after the start in which no summary is written
RESTS: Final = 20  # times as long as the last summary took, before the next one is written


class Historian:
    """Answers the questions given to `put`; `path` returns the file that the store uses now.

    Tiles have the colours of `palette`, or those of `palettes` that were chosen at the table: see `observe`.
    Messages about a position go on to the table's loop with that position, by `put_to_table`. `log` gets a
    sentence when a question can't be answered, once for each reason in a row.
    """

    def __init__(
        self,
        path: Callable[[], Path],
        palette: Palette,
        log: Callable[[str], None],
        put_to_table: Callable[[Request], None] | None = None,
        longest_record: int = LONGEST_RECORD,
        first_summary: float = FIRST_SUMMARY,
        palettes: Mapping[str, Palette] = PALETTES,
    ) -> None:
        self._path = path
        self._given = palette
        self._palette = palette
        self._palettes = palettes
        self._log = log
        self._put_to_table = put_to_table
        self._longest_record = longest_record
        self._logged = ""
        self._rest: float | None = first_summary  # seconds until the next summary; None: nothing is left
        self._file: Path | None = None  # that the numbers of `_without_summary` are of
        self._without_summary: list[int] = []  # numbers of games, the next one last
        self._house: tuple[tuple[Path, tuple[object, ...]], Json] | None = None  # with its revision
        self._questions: Queue[Request | None] = Queue(MOST_WAITING)
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)

    def start(self) -> None:
        """Answer questions until `close`; also shortens the switch interval of the process."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def close(self) -> None:
        """End the thread; questions that still wait are not answered."""
        self._closing = True
        with suppress(Full):  # the thread is not waiting then
            self._questions.put_nowait(None)
        if self._thread.is_alive():
            self._thread.join()

    def observe(self, table: Table) -> None:
        """Take the palette that was chosen at the table; called by the loop's thread, never waits.

        It is one assignment of a value that does not change: an answer has the old colours or the new ones.
        """
        self._palette = self._palettes.get(table.preferences.palette or "", self._given)

    def put(self, request: Request) -> None:
        """Queue a question, or refuse it if too many wait; never waits."""
        try:
            self._questions.put_nowait(request)
        except Full:
            request.answer(messages.refusal(request.message, "too_many_questions"))

    def _run(self) -> None:
        while not self._closing:
            try:
                request = self._questions.get(timeout=self._rest)
            except Empty:
                self._rest = self._summarize()
            else:
                if request is None:
                    return
                message = request.message
                answer = message if isinstance(message, FoundPosition) else self._answer(message)
                if isinstance(answer, Answer):
                    request.answer(answer)
                elif self._put_to_table is not None:
                    self._put_to_table(Request(answer, request.answer))

    def _summarize(self) -> float | None:
        """Write one summary that is missing; return the seconds to rest, or None if none is missing.

        A game that can't be read is left out until the next start.
        """
        began = time.monotonic()
        try:
            path = self._path()
            if path != self._file:
                self._file, self._without_summary = path, statistics.games_without_summary(path)[::-1]
            if not self._without_summary:
                return None
            statistics.save_summary(path, self._without_summary.pop())
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one game, the thread goes on
            self._log_once(str(error))
        return RESTS * (time.monotonic() - began)

    def _answer(self, question: TableMessage | HistoryQuestion) -> Answer | FoundPosition:
        """Answer a question; whatever is wrong with one game, the thread goes on."""
        try:
            return self._found(question, self._path())
        except ArchiveError as error:
            self._log_once(str(error))
        except Exception as error:  # noqa: BLE001 - see above
            self._log_once(f"game {getattr(question, 'number', '')} can't be read: {error!r}")
        return messages.refusal(
            question, "unreadable" if isinstance(question, ListGames | ReadStatistics) else "unreadable_game"
        )

    def _found(self, question: TableMessage | HistoryQuestion, path: Path) -> Answer | FoundPosition:
        match question:
            case ShowPosition() | BeginPractice():
                return self._position(question, path)
            case ListGames(before, number):
                listed = archive.list_games(path, before, number + 1)
                return messages.taken(question, {"games": listed[:number], "more": len(listed) > number})
            case ReadGame(number) | ReadRecord(number) | ReadPositions(number):
                past = archive.read_game(path, number)
                if past is None:
                    return messages.refusal(question, "no_such_game")
                if isinstance(question, ReadGame):
                    return messages.taken(question, history.game_with_review_json(past, self._palette))
                if isinstance(question, ReadPositions):
                    return self._positions(question, past)
                record = history.record_of(past)
                if record is None:
                    return messages.refusal(question, "not_finished")
                if len(record) > self._longest_record:
                    return messages.refusal(question, "too_long")
                return messages.taken(question, record.decode())
            case ReadStatistics():
                return self._statistics(question, path)
            case _:
                return messages.refusal(question, "not_now")

    def _position(self, message: ShowPosition | BeginPractice, path: Path) -> Answer | FoundPosition:
        """Return the position that a message to the table is about, for the table's loop."""
        if self._put_to_table is None:
            return messages.refusal(message, "not_now")
        if message.number is None:
            return FoundPosition(message, None)
        past = archive.read_game(path, message.number)
        if past is None:
            return messages.refusal(message, "no_such_game")
        if past.too_long or message.step > len(past.events):
            return messages.refusal(message, "too_long" if past.too_long else "no_such_step")
        return FoundPosition(message, history.play_at(past, message.step), len(past.events))

    def _statistics(self, question: ReadStatistics, path: Path) -> Answer:
        if path != self._file and self._rest is None:
            self._rest = 0.0  # the store has moved to another file
        if question.name is None:
            return messages.taken(question, self._house_statistics(path))
        found = statistics.player_statistics(path, question.name)
        if found is None:
            return messages.refusal(question, "no_such_player")
        return messages.taken(question, found)

    def _house_statistics(self, path: Path) -> Json:
        """Return the statistics of all games; they are added up again only after a change."""
        revision = path, statistics.revision(path)
        if self._house is None or self._house[0] != revision:
            self._house = revision, statistics.house_statistics(path)
        return self._house[1]

    def _positions(self, question: ReadPositions, past: PastGame) -> Answer:
        if past.too_long or question.step > len(past.events):
            return messages.refusal(question, "too_long" if past.too_long else "no_such_step")
        found = history.positions_json(past, self._palette, question.step, question.count)
        return messages.taken(question, found)

    def _log_once(self, fault: str) -> None:
        if fault != self._logged:
            self._logged = fault
            self._log(f"Past games: {fault}")
