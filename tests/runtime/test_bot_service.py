"""Who thinks for the opponents is ready before it is asked: an opponent's first move once came late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from device.bots.thinker import Answer, Question
from device.rules import game
from device.runtime import bot_service
from device.runtime.bot_service import BotService
from device.runtime.settings import Settings
from device.table.state import BotReply
from tests.table.hands import Hands, at_table, playing
from tests.table.opponents import any_choice, play_on, seated


class Desk:
    """Takes down what the thinking process is told to do; `answer` is what it would do with an answer."""

    answer: Callable[[Answer], None]

    def __init__(self) -> None:
        self.started = 0
        self.asked: list[Question] = []

    def of(self, answer: Callable[[Answer], None]) -> Desk:
        self.answer = answer
        return self

    def start(self) -> None:
        self.started += 1

    def ask(self, question: Question) -> None:
        self.asked.append(question)

    def forget(self, number: int) -> None:
        self.asked = [question for question in self.asked if question.number != number]

    def close(self) -> None:
        """Every question that is open is lost."""
        self.asked.clear()

    def prepared(self) -> list[tuple[str, str, int]]:
        """Who is made ready for which game of how many, since this was asked last."""
        asked, self.asked = self.asked, []
        assert all(each.kind == "prepare" for each in asked)
        return [(each.strength, *kind_of(each.state)) for each in asked]


def kind_of(state: game.State) -> tuple[str, int]:
    """What of a game the weights hang on."""
    return getattr(getattr(state, "ruleset", None), "name", "solo"), len(state.boards)


class Watched:
    """A table that the thinking looks at after each press."""

    def __init__(self, hands: Hands, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.desk = Desk()
        monkeypatch.setattr(bot_service, "Thinker", self.desk.of)
        self.put: list[BotReply] = []
        self.thinking = BotService(Settings(), folder, self.put.append)
        self.hands = hands
        self.thinking.observe(hands.table)

    def press(self, *buttons: str) -> Desk:
        for button in buttons:
            self.hands.press(button)
            self.thinking.observe(self.hands.table)
        return self.desk


def test_the_process_starts_when_an_opponent_sits_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watched = Watched(at_table(), monkeypatch, tmp_path)
    assert not watched.press("seat.1.floor", "seat.2.floor").started
    assert watched.press("seat.2.line.4").started
    assert not watched.desk.asked, "nobody knows yet what is played"


def test_what_the_chosen_game_needs_is_loaded_before_it_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watched = Watched(at_table(), monkeypatch, tmp_path)
    watched.press("seat.1.floor", "seat.2.floor", "seat.2.line.4", "seat.3.floor", "seat.3.line.3")
    assert watched.press("ok").prepared() == [("master", "standard", 3), ("strong", "standard", 3)]
    assert watched.press("display.2").prepared() == [("master", "gray", 3), ("strong", "gray", 3)]
    assert watched.press("display.5").prepared() == []


def test_one_who_plays_alone_is_ready_for_solo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    watched = Watched(at_table(), monkeypatch, tmp_path)
    assert watched.press("seat.3.floor", "seat.3.line.4", "ok").prepared() == [("master", "solo", 2)]


def test_a_game_that_goes_on_after_a_power_cut_is_prepared_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hands = at_table().press("seat.1.floor", "seat.2.floor", "seat.2.line.3", "ok", "seat.1.floor")
    assert Watched(hands, monkeypatch, tmp_path).desk.prepared() == [("strong", "standard", 2)]


def test_persons_alone_need_nobody_who_thinks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    watched = Watched(playing(), monkeypatch, tmp_path)
    assert not watched.desk.started
    assert not watched.press("display.1", "seat.1.line.1").asked


def test_that_it_is_ready_is_no_answer_to_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    watched = Watched(at_table(), monkeypatch, tmp_path)
    asked = watched.press("seat.1.floor", "seat.1.line.4", "seat.2.floor", "ok").asked
    for question in asked:
        watched.desk.answer(Answer(question.number, None))
    assert asked
    assert not watched.put


@pytest.mark.parametrize("lost", [1, 2])
def test_who_is_asked_again_takes_nobody_elses_question_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lost: int
) -> None:
    """On gray walls several choose at once: the process that began anew for one was ended for the next."""
    both = seated("strong", "master", mode="gray")
    hands = play_on(both, any_choice(1), lambda hands: len(hands.table.opponents.requests) == 2)
    watched = Watched(hands, monkeypatch, tmp_path)
    for asked in hands.table.opponents.requests[:lost]:
        hands.hear(BotReply(asked.number, None, hands.now))
    watched.thinking.observe(hands.table)
    open_questions = {question.number for question in watched.desk.asked if question.kind == "think"}
    assert open_questions == {asked.number for asked in hands.table.opponents.requests}
