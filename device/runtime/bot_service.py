"""Who thinks for the opponents at the table: a process for those that come with it, each program for itself.

Nothing here waits: questions are handed over, and what comes of them is put into the loop's inbox.
"""

import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, Literal

from device.bots.dtc.seat import ProgramSeat, Terms, Told, Turn
from device.bots.mind import FIRST_PART, Hint
from device.bots.simple import play_greedy
from device.bots.thinker import Answer, Question, Thinker
from device.rules import game as rules
from device.rules.events import Choice
from device.rules.game import Setup
from device.runtime.settings import Settings
from device.table import seating
from device.table.game import Play
from device.table.opponents import ATTEMPTS
from device.table.state import OPPONENTS, BotReply, BotRequest, OpponentSettings, Table

LOGS: Final = "programs"
"""The folder, in that of the saved games, of what programs wrote to their standard error."""
LOGS_KEPT: Final = 40


def manners(settings: Settings) -> OpponentSettings:
    """What the table must know of the settings of its opponents."""
    thinking = settings.thinking
    longest = max(thinking.strong, thinking.master)
    return OpponentSettings(tuple(settings.programs), settings.pace, longest, thinking.program)


class BotService:
    """Answers the table's questions to its opponents."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        put: Callable[[BotReply], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._seconds = {"strong": settings.thinking.strong, "master": settings.thinking.master}
        self._folder = folder
        self._put = put
        self._clock = clock
        self._thinker = Thinker(self._thought)
        self._programs: dict[int, ProgramSeat] = {}  # by place
        self._leaving: list[ProgramSeat] = []  # of games that are over
        self._asked: dict[int, BotRequest] = {}
        self._ready_for: tuple[frozenset[str], Setup | None] = frozenset(), None
        self._preparations = 0

    def observe(self, table: Table) -> None:
        """Hand over the questions that are new, and forget those that are not asked any more."""
        self._make_ready(table)
        wanted = {asked.number: asked for asked in table.opponents.requests}
        for number in self._asked.keys() - wanted.keys():
            self._forget(self._asked[number])
        play = table.play
        if play is not None:
            for asked in self._to_ask(wanted):
                self._ask(asked, play)
        self._asked = wanted
        if self._programs and (play is None or play.over):
            self._let_programs_go()

    def _to_ask(self, wanted: Mapping[int, BotRequest]) -> list[BotRequest]:
        """The questions that are new; where the process is ended for one, all that it had in hand, too."""
        new = [asked for asked in wanted.values() if asked.number not in self._asked]
        if not any(asked.opponent in OPPONENTS and 1 < asked.attempt <= ATTEMPTS for asked in new):
            return new
        self._thinker.close()  # it may hang: the next question starts another
        return [asked for asked in wanted.values() if asked in new or asked.opponent in OPPONENTS]

    def close(self) -> None:
        """End the process that thinks, and every program; waits until they are gone."""
        self._thinker.close()
        self._let_programs_go()
        for program in self._leaving:
            program.close()

    def _make_ready(self, table: Table) -> None:
        """Start the process once an opponent sits, and have it load what the game that is chosen needs."""
        opponents = frozenset(map(table.seats.bot_at, table.seats.taken)).intersection(OPPONENTS)
        setup = table.play.setup if table.play is not None else seating.chosen_game(table)
        if not opponents or (opponents, setup) == self._ready_for:
            return
        self._ready_for = opponents, setup
        self._thinker.start()
        if setup is not None:
            state = rules.setup(setup)
            for name in sorted(opponents):
                self._preparations += 1  # their numbers are below 0: nobody waits for the answers
                self._thinker.ask(Question(-self._preparations, "prepare", name, state, 0.0))

    def _let_programs_go(self) -> None:
        for program in self._programs.values():
            program.leave()
        self._leaving = [each for each in (*self._leaving, *self._programs.values()) if not each.ended]
        self._programs.clear()

    def _ask(self, asked: BotRequest, play: Play) -> None:
        if asked.opponent not in OPPONENTS:
            self._ask_program(asked, play)
        elif asked.attempt > ATTEMPTS:  # nothing else answers: this one choice is made in the loop
            choice = play_greedy(play.state.for_seat(asked.seat), secrets.randbelow)
            self._put(BotReply(asked.number, choice, self._clock()))
        else:
            seconds = self._seconds.get(asked.opponent, 0.0)
            if asked.hint:
                seconds /= FIRST_PART  # and then it thinks about the next best as thoroughly
            kind: Literal["hint", "think"] = "hint" if asked.hint else "think"
            self._thinker.ask(
                Question(asked.number, kind, asked.opponent, play.state, seconds, seat=asked.seat)
            )

    def _ask_program(self, asked: BotRequest, play: Play) -> None:
        command = self._settings.programs.get(asked.opponent)
        if command is None:
            why = "it is not in the settings any more"
            self._put(BotReply(asked.number, None, self._clock(), "settings", why))
            return
        place = play.places[asked.seat]
        if place not in self._programs:
            milliseconds = round(1000 * self._settings.thinking.program)
            terms = Terms(command, self._folder, partial(self._log, asked.opponent), milliseconds)
            self._programs[place] = ProgramSeat(asked.opponent, terms, self._told)
        self._programs[place].ask(Turn(asked.number, play.setup, asked.seat, play.events))

    def _forget(self, asked: BotRequest) -> None:
        self._thinker.forget(asked.number)
        for program in self._programs.values():
            program.forget(asked.number)

    def _thought(self, answer: Answer) -> None:
        """Put what the process came to; called by the thread that reads it."""
        if answer.number < 0:
            return
        result, at = answer.result, self._clock()
        if isinstance(result, Hint):
            told = BotReply(answer.number, result.event, at, gain=result.gain, next_best=result.next_best)
            self._put(told)
            return
        choice = result if isinstance(result, Choice) else None
        self._put(BotReply(answer.number, choice, at, "lost", answer.error or ""))

    def _told(self, told: Told) -> None:
        """Put what a program said; called by its thread."""
        self._put(BotReply(told.number, told.choice, self._clock(), told.why, told.sentence))

    def _log(self, name: str) -> Path:
        """A new file for a program's standard error; the oldest make room."""
        folder = self._folder / LOGS
        folder.mkdir(exist_ok=True)
        kept = sorted(folder.glob("*.err"))  # their names begin with the time
        for old in kept[: max(0, len(kept) - LOGS_KEPT + 1)]:
            old.unlink(missing_ok=True)
        plain = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
        return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{plain}-{secrets.token_hex(2)}.err"
