"""The bot service: its thinking process is started and prepared early, and requests are asked once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from device.bots.bot_process import Answer, BotProcess, Question
from device.rules import game
from device.runtime.bot_service import BotService
from device.runtime.settings import Settings
from device.table.state import BotReply
from tests.table.opponents import begin_with, play_until, random_choice
from tests.table.simulator import Simulator, empty_table, playing


class IdleBotProcess(BotProcess):
    """A thinking process that only remembers what it is asked; `answer` is the callback for answers."""

    answer: Callable[[Answer], None]

    def __init__(self) -> None:
        self.started = 0
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
        self.asked.clear()

    def prepared(self) -> list[tuple[str, str, int]]:
        """Return opponent, mode and boards of the preparations since the last call."""
        asked, self.asked = self.asked, []
        assert all(each.kind == "prepare" for each in asked)
        return [(each.bot, *kind_of(each.state)) for each in asked]


def kind_of(state: game.State) -> tuple[str, int]:
    """Return mode and number of boards: what the weights depend on."""
    return getattr(getattr(state, "ruleset", None), "name", "solo"), len(state.boards)


class Served:
    """A table that the bot service observes after each press."""

    def __init__(self, sim: Simulator, folder: Path) -> None:
        self.process = IdleBotProcess()
        self.put: list[BotReply] = []
        self.service = BotService(Settings(), folder, self.put.append, make_process=self.process.make)
        self.hands = sim
        self.service.observe(sim.table)

    def press(self, *buttons: str) -> IdleBotProcess:
        for button in buttons:
            self.hands.press(button)
            self.service.observe(self.hands.table)
        return self.process


def test_the_process_starts_when_an_opponent_sits_down(tmp_path: Path) -> None:
    served = Served(empty_table(), tmp_path)
    assert not served.press("seat.1.floor", "seat.2.floor").started
    assert served.press("seat.2.line.4").started
    assert not served.process.asked, "nobody knows yet what is played"


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
