"""The bot service: answers the table's requests for choices and hints of its opponents.

One bot process plays the built-in opponents; every bot program has a process of its own. No call waits for a
reply: it is put into the loop's inbox when it is there.
"""

import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, Literal

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.dtc.seat import MoveReply, MoveRequest, ProgramSeat, ProgramSettings
from device.bots.search import FIRST_PART, Hint
from device.bots.simple import play_greedy
from device.rules import game as rules
from device.rules.events import Choice
from device.rules.game import Setup
from device.runtime.settings import Settings
from device.table import seating
from device.table.game import Play
from device.table.opponents import ATTEMPTS
from device.table.state import OPPONENTS, BotReply, BotRequest, OpponentSettings, Table

LOGS: Final = "programs"  # the folder, in the data folder, of files with the standard error of bot programs
LOGS_KEPT: Final = 40  # files that stay there at most


def opponent_settings(settings: Settings) -> OpponentSettings:
    """Return the settings that the table itself needs for its opponents."""
    thinking = settings.thinking
    longest = max(thinking.strong, thinking.master)
    return OpponentSettings(tuple(settings.programs), settings.pace, longest, thinking.program)


class BotService:
    """The bots of the opponents at the table.

    `folder` is the data folder; `put` takes the replies, from any thread; `make_process` takes the callback
    for answers of the bot process, `make_seat` a program's name, its settings and the callback for replies.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        put: Callable[[BotReply], None],
        clock: Callable[[], float] = time.monotonic,
        make_process: Callable[[Callable[[Answer], None]], BotProcess] = BotProcess,
        make_seat: Callable[[str, ProgramSettings, Callable[[MoveReply], None]], ProgramSeat] = ProgramSeat,
    ) -> None:
        self._settings = settings
        self._seconds = {"strong": settings.thinking.strong, "master": settings.thinking.master}
        self._folder = folder
        self._put = put
        self._clock = clock
        self._process = make_process(self._take_answer)
        self._make_seat = make_seat
        self._programs: dict[int, ProgramSeat] = {}  # by place
        self._leaving: list[ProgramSeat] = []  # of games that are over, until their processes have ended
        self._asked: dict[int, BotRequest] = {}
        self._prepared_for: tuple[frozenset[str], Setup | None] = frozenset(), None
        self._preparations = 0

    def observe(self, table: Table) -> None:
        """Ask the bots for the new requests of a table, and drop those that it has no longer."""
        self._prepare(table)
        wanted = {asked.number: asked for asked in table.opponents.requests}
        for number in self._asked.keys() - wanted.keys():
            self._process.cancel(number)
            for program in self._programs.values():
                program.cancel(number)
        play = table.play
        if play is not None:
            for asked in self._to_ask(wanted):
                self._ask(asked, play)
        self._asked = wanted
        if self._programs and (play is None or play.over):
            self._end_programs()

    def _to_ask(self, wanted: Mapping[int, BotRequest]) -> list[BotRequest]:
        """Return the requests to ask; with those that the bot process had, if it is restarted."""
        new = [asked for asked in wanted.values() if asked.number not in self._asked]
        if not any(asked.opponent in OPPONENTS and 1 < asked.attempt <= ATTEMPTS for asked in new):
            return new
        self._process.close()  # it may hang; the next question starts another process
        return [asked for asked in wanted.values() if asked in new or asked.opponent in OPPONENTS]

    def close(self) -> None:
        """End the bot process and every program, and wait for them."""
        self._process.close()
        self._end_programs()
        for program in self._leaving:
            program.close()

    def _prepare(self, table: Table) -> None:
        """Start the bot process once an opponent has a seat, and have it load what the chosen game needs."""
        opponents = frozenset(map(table.seats.bot_at, table.seats.taken)).intersection(OPPONENTS)
        setup = table.play.setup if table.play is not None else seating.chosen_game(table)
        if not opponents or (opponents, setup) == self._prepared_for:
            return
        self._prepared_for = opponents, setup
        self._process.start()
        if setup is not None:
            state = rules.setup(setup)
            for name in sorted(opponents):
                self._preparations += 1  # numbers below 0: their answers are ignored
                self._process.ask(Question(-self._preparations, "prepare", name, state, 0.0))

    def _end_programs(self) -> None:
        """Ask the programs of a finished game to end, without waiting for them."""
        for program in self._programs.values():
            program.stop()
        self._leaving = [each for each in (*self._leaving, *self._programs.values()) if not each.ended]
        self._programs.clear()

    def _ask(self, asked: BotRequest, play: Play) -> None:
        if asked.opponent not in OPPONENTS:
            self._ask_program(asked, play)
        elif asked.attempt > ATTEMPTS:  # the bot process failed: choose at once, here
            choice = play_greedy(play.state.for_seat(asked.seat), secrets.randbelow)
            self._put(BotReply(asked.number, choice, self._clock()))
        else:
            seconds = self._seconds.get(asked.opponent, 0.0)
            if asked.hint:
                seconds /= FIRST_PART  # so that the next best choice gets as much time
            kind: Literal["hint", "choose"] = "hint" if asked.hint else "choose"
            self._process.ask(
                Question(asked.number, kind, asked.opponent, play.state, seconds, seat=asked.seat)
            )

    def _ask_program(self, asked: BotRequest, play: Play) -> None:
        command = self._settings.programs.get(asked.opponent)
        if command is None:
            self._put(BotReply(asked.number, None, self._clock(), "settings", "it is not in the settings"))
            return
        place = play.places[asked.seat]
        if place not in self._programs:
            milliseconds = round(1000 * self._settings.thinking.program)
            terms = ProgramSettings(
                command, self._folder, partial(self._log_file, asked.opponent), milliseconds
            )
            self._programs[place] = self._make_seat(asked.opponent, terms, self._take_program_reply)
        self._programs[place].ask(MoveRequest(asked.number, play.setup, asked.seat, play.events))

    def _take_answer(self, answer: Answer) -> None:
        """Put the reply of the bot process; called by the thread that reads it."""
        if answer.number < 0:
            return
        result, at = answer.result, self._clock()
        if isinstance(result, Hint):
            reply = BotReply(answer.number, result.event, at, gain=result.gain, next_best=result.next_best)
        else:
            choice = result if isinstance(result, Choice) else None
            reply = BotReply(answer.number, choice, at, "lost", answer.error or "")
        self._put(reply)

    def _take_program_reply(self, reply: MoveReply) -> None:
        """Put the reply of a program; called by its thread."""
        self._put(BotReply(reply.number, reply.choice, self._clock(), reply.why, reply.sentence))

    def _log_file(self, name: str) -> Path:
        """Return a new file for a program's standard error, after deleting the oldest ones."""
        folder = self._folder / LOGS
        folder.mkdir(exist_ok=True)
        kept = sorted(folder.glob("*.err"))  # by time: the names begin with it
        for old in kept[: max(0, len(kept) - LOGS_KEPT + 1)]:
            old.unlink(missing_ok=True)
        plain = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
        return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{plain}-{secrets.token_hex(2)}.err"
