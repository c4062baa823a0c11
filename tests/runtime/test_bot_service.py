"""The bot service: its thinking process is started and prepared early, and requests are asked once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.dtc.seat import MoveReply, MoveRequest, ProgramSeat, ProgramSettings
from device.bots.search import FIRST_PART, Hint
from device.rules import game
from device.rules.events import Draft
from device.runtime.bot_service import LOGS, LOGS_KEPT, BotService
from device.runtime.settings import BotsFile, Settings
from device.table.opponents import ATTEMPTS
from device.table.state import (
    BotReply,
    HintRequested,
    Opponents,
    OpponentSettings,
    Seats,
    TableSettings,
    new_table,
)
from device.table.update import update
from tests.harness.waiting import until
from tests.table.opponents import begin_with, play_until, random_choice
from tests.table.simulator import MODE_BUTTONS, Simulator, empty_table, playing

SETTINGS = Settings(thinking=BotsFile(strong=0.25, master=2.0))
NOW = 1000.0


class IdleBotProcess(BotProcess):
    """A thinking process that only remembers what it is asked; `answer` is the callback for answers."""

    answer: Callable[[Answer], None]

    def __init__(self) -> None:
        self.started = 0
        self.closed = 0
        self.asked: list[Question] = []

    def make(self, answer: Callable[[Answer], None]) -> IdleBotProcess:
        self.answer = answer
        return self

    def start(self) -> None:
        self.started += 1

    def ask(self, question: Question) -> None:
        self.asked.append(question)

    def cancel(self, number: int) -> None:
        self.asked = [question for question in self.asked if question.number != number]

    def close(self) -> None:
        """Drop all open questions."""
        self.closed += 1
        self.asked.clear()

    def prepared(self) -> list[tuple[str, str, int]]:
        """Return opponent, mode and boards of the preparations since the last call."""
        asked, self.asked = self.asked, []
        assert all(each.kind == "prepare" for each in asked)
        return [(each.bot, *kind_of(each.state)) for each in asked]


class IdleSeat(ProgramSeat):
    """A bot program that only remembers what it is asked; it ends when `end` is set, or by `close`."""

    def __init__(self, name: str, terms: ProgramSettings, put: Callable[[MoveReply], None]) -> None:
        self.name, self.terms, self.reply = name, terms, put
        self.asked: list[MoveRequest] = []
        self.cancelled: list[int] = []
        self.stopped = 0
        self.end = False

    def ask(self, request: MoveRequest) -> None:
        self.asked.append(request)

    def cancel(self, number: int) -> None:
        self.cancelled.append(number)

    def stop(self) -> None:
        self.stopped += 1

    @property
    def ended(self) -> bool:
        return self.end

    def close(self) -> None:
        self.end = True


def kind_of(state: game.State) -> tuple[str, int]:
    """Return mode and number of boards: what the weights depend on."""
    return getattr(getattr(state, "ruleset", None), "name", "solo"), len(state.boards)


class Served:
    """A table that the bot service observes after each press."""

    def __init__(self, sim: Simulator, folder: Path, settings: Settings = SETTINGS) -> None:
        self.process = IdleBotProcess()
        self.put: list[BotReply] = []
        self.seats: list[IdleSeat] = []
        self.service = BotService(
            settings,
            folder,
            self.put.append,
            lambda: NOW,
            make_process=self.process.make,
            make_seat=self._make_seat,
        )
        self.sim = sim
        self.service.observe(sim.table)

    def _make_seat(self, name: str, terms: ProgramSettings, put: Callable[[MoveReply], None]) -> ProgramSeat:
        self.seats.append(IdleSeat(name, terms, put))
        return self.seats[-1]

    def press(self, *buttons: str) -> IdleBotProcess:
        for button in buttons:
            self.sim.press(button)
            self.service.observe(self.sim.table)
        return self.process


def test_the_process_starts_when_an_opponent_sits_down(tmp_path: Path) -> None:
    served = Served(empty_table(), tmp_path)
    assert not served.press("seat.1.floor", "seat.2.floor").started
    assert served.press("seat.2.line.4").started
    assert not served.process.asked


def test_the_chosen_game_is_prepared_before_it_begins(tmp_path: Path) -> None:
    served = Served(empty_table(), tmp_path)
    served.press("seat.1.floor", "seat.2.floor", "seat.2.line.4", "seat.3.floor", "seat.3.line.3")
    assert served.press("ok").prepared() == [("master", "standard", 3), ("strong", "standard", 3)]
    assert served.press("display.2").prepared() == [("master", "gray", 3), ("strong", "gray", 3)]
    assert served.press("display.5").prepared() == []


def test_a_solo_opponent_is_prepared(tmp_path: Path) -> None:
    served = Served(empty_table(), tmp_path)
    assert served.press("seat.3.floor", "seat.3.line.4", "ok").prepared() == [("master", "solo", 2)]


def test_a_loaded_game_is_prepared(tmp_path: Path) -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "seat.2.line.3", "ok", "seat.1.floor")
    assert Served(sim, tmp_path).process.prepared() == [("strong", "standard", 2)]


def test_a_game_of_people_starts_no_process(tmp_path: Path) -> None:
    served = Served(playing(), tmp_path)
    assert not served.process.started
    assert not served.press("display.1", "seat.1.line.1").asked


def test_the_answer_to_a_preparation_is_no_reply(tmp_path: Path) -> None:
    served = Served(empty_table(), tmp_path)
    asked = served.press("seat.1.floor", "seat.1.line.4", "seat.2.floor", "ok").asked
    for question in asked:
        served.process.answer(Answer(question.number, None))
    assert asked
    assert not served.put


@pytest.mark.parametrize("lost", [1, 2])
def test_a_restart_of_the_process_asks_all_open_requests_again(tmp_path: Path, lost: int) -> None:
    """On gray walls several choose at once: the process restarted for one was ended for the next."""
    both = begin_with("strong", "master", mode="gray")
    sim = play_until(both, random_choice(1), lambda sim: len(sim.table.opponents.requests) == 2)
    served = Served(sim, tmp_path)
    for asked in sim.table.opponents.requests[:lost]:
        sim.reply(BotReply(asked.number, None, sim.now))
    served.service.observe(sim.table)
    open_questions = {question.number for question in served.process.asked if question.kind == "choose"}
    assert open_questions == {asked.number for asked in sim.table.opponents.requests}


def test_the_process_is_restarted_once_for_a_request_without_a_reply(tmp_path: Path) -> None:
    """It may hang; after the last attempt the choice is made without it."""
    served = Served(choosing("strong", ""), tmp_path)
    assert served.process.closed == 0
    for closed in (1, 1):
        (asked,) = served.sim.table.opponents.requests
        served.sim.reply(BotReply(asked.number, None, served.sim.now))
        served.service.observe(served.sim.table)
        assert served.process.closed == closed


def choosing(*opponents: str, mode: str = "standard") -> Simulator:
    """Return a table where opponents are asked for a choice."""
    sim = begin_with(*opponents, mode=mode)
    return play_until(sim, random_choice(1), lambda sim: bool(sim.table.opponents.requests))


@pytest.mark.parametrize(("opponent", "seconds"), [("strong", 0.25), ("master", 2.0), ("greedy", 0.0)])
def test_an_opponent_is_asked_once_with_its_seconds(tmp_path: Path, opponent: str, seconds: float) -> None:
    sim = choosing(opponent, "")
    served = Served(sim, tmp_path)
    served.service.observe(sim.table)
    (request,) = sim.table.opponents.requests
    (question,) = [each for each in served.process.asked if each.kind == "choose"]
    assert (question.number, question.bot, question.seconds) == (request.number, opponent, seconds)
    assert question.state is sim.play.state
    assert question.seat == request.seat


def test_a_reply_has_the_choice_and_the_time_of_the_answer(tmp_path: Path) -> None:
    sim = choosing("strong", "")
    served = Served(sim, tmp_path)
    (question,) = [each for each in served.process.asked if each.kind == "choose"]
    choice = random_choice(1)(sim.play.state, 0)
    served.process.answer(Answer(question.number, choice))
    served.process.answer(Answer(question.number, None, "it ended"))
    assert served.put == [
        BotReply(question.number, choice, NOW),
        BotReply(question.number, None, NOW, "lost", "it ended"),
    ]


def test_a_request_that_is_gone_is_cancelled(tmp_path: Path) -> None:
    sim = choosing("strong", "")
    served = Served(sim, tmp_path)
    served.service.observe(empty_table().table)
    assert [each.kind for each in served.process.asked] == ["prepare"]


def test_after_the_last_attempt_the_choice_is_made_at_once(tmp_path: Path) -> None:
    sim = choosing("strong", "")
    served = Served(sim, tmp_path)
    while sim.table.opponents.requests[0].attempt <= ATTEMPTS:
        sim.reply(BotReply(sim.table.opponents.requests[0].number, None, sim.now))
    served.service.observe(sim.table)
    (reply,) = served.put
    assert reply.number == sim.table.opponents.requests[0].number
    assert reply.choice in sim.play.state.legal()


def test_a_hint_is_thought_about_longer_and_has_a_gain(tmp_path: Path) -> None:
    sim = begin_with("", "")
    sim.table = update(sim.table, HintRequested(None, sim.now))
    served = Served(sim, tmp_path)
    (question,) = served.process.asked
    assert (question.kind, question.bot) == ("hint", "strong")
    assert question.seconds == pytest.approx(0.25 / FIRST_PART)
    best, next_best = sim.play.state.legal()[:2]
    served.process.answer(Answer(question.number, Hint(best, 12.0, 1.5, next_best)))
    assert served.put == [BotReply(question.number, best, NOW, gain=1.5, next_best=next_best)]


def test_a_program_that_is_not_in_the_settings_is_reported(tmp_path: Path) -> None:
    sim = program_game()
    served = Served(sim, tmp_path)
    (request,) = sim.table.opponents.requests
    assert served.put == [
        BotReply(request.number, None, NOW, "settings", "it is not in the settings"),
    ]


def program_game() -> Simulator:
    """Return a table where the program `My Bot` is to choose."""
    sim = Simulator(new_table(TableSettings(2, 5, opponents=OpponentSettings(programs=("My Bot",)))))
    buttons = ("seat.1.floor", "seat.2.floor", "seat.1.line.5", "ok", MODE_BUTTONS["dtc"], "seat.1.floor")
    return play_until(sim.press(*buttons), random_choice(1), lambda sim: bool(sim.table.opponents.requests))


PROGRAM = Settings(programs={"My Bot": ("my-bot",)})


def test_a_program_is_asked_with_its_thinking_time_and_its_move_is_a_reply(tmp_path: Path) -> None:
    sim = program_game()
    served = Served(sim, tmp_path, PROGRAM)
    (seat,), (request,) = served.seats, sim.table.opponents.requests
    assert (seat.name, seat.terms.command, seat.terms.folder) == ("My Bot", ("my-bot",), tmp_path)
    assert seat.terms.milliseconds == 1000 * PROGRAM.thinking.program
    assert seat.asked == [MoveRequest(request.number, sim.play.setup, request.seat, sim.play.events)]
    move = sim.play.state.legal()[0]
    assert isinstance(move, Draft)
    seat.reply(MoveReply(request.number, move))
    assert served.put == [BotReply(request.number, move, NOW, why="")]


def test_a_request_to_a_program_that_is_gone_is_cancelled(tmp_path: Path) -> None:
    sim = program_game()
    (request,) = sim.table.opponents.requests
    served = Served(sim, tmp_path, PROGRAM)
    served.service.observe(replace(sim.table, opponents=Opponents()))
    assert served.seats[0].cancelled == [request.number]


def test_every_game_starts_its_programs_anew(tmp_path: Path) -> None:
    sim = program_game()
    served = Served(sim, tmp_path, PROGRAM)
    for _ in range(2):
        served.service.observe(empty_table().table)
        served.service.observe(sim.table)
    assert [(seat.stopped, len(seat.asked)) for seat in served.seats] == [(1, 1), (1, 1), (0, 1)]


def test_close_waits_for_the_programs_of_all_games(tmp_path: Path) -> None:
    sim = program_game()
    served = Served(sim, tmp_path, PROGRAM)
    for _ in range(2):
        served.service.observe(empty_table().table)
        served.service.observe(sim.table)
    served.service.close()
    assert [seat.ended for seat in served.seats] == [True] * 3
    assert served.process.closed


def test_an_opponent_that_was_chosen_earlier_for_a_free_seat_starts_no_process(tmp_path: Path) -> None:
    seats = Seats(("",) * 4, ("strong", "", "", ""), (2, 3))
    served = Served(Simulator(replace(new_table(TableSettings(4, 9)), seats=seats)), tmp_path)
    assert not served.process.started


@pytest.mark.system
def test_only_the_newest_logs_of_programs_are_kept(tmp_path: Path) -> None:
    logs = tmp_path / LOGS
    logs.mkdir()
    for number in range(LOGS_KEPT + 5):
        (logs / f"20200101-000{number:03}-old-{number:04}.err").touch()
    settings = Settings(programs={"My Bot": (sys.executable, "-c", "raise SystemExit('out of order')")})
    sim, put = program_game(), list[BotReply]()
    service = BotService(settings, tmp_path, put.append)
    service.observe(sim.table)
    until(lambda: put, "the end of the program")
    service.close()
    *others, newest = sorted(each.name for each in logs.iterdir())
    assert len(others) == LOGS_KEPT - 1
    assert others[0] == "20200101-000006-old-0006.err"
    assert "-My_Bot-" in newest
    assert (logs / newest).read_text() == "out of order\n"
    assert put[0].choice is None
