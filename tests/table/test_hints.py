"""Hints: asked for by two buttons together or from a page, shown until something is pressed, always legal."""

from __future__ import annotations

from random import Random

import pytest

from device.lights.palettes import BOX
from device.rules.events import Draft, Event, Tile
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.state import BotReply, HintRequested, Question, Stage, Tick
from device.table.update import TOGETHER, update
from tests.table.hands import Hands, at_table, dealt, midway, playing, with_game
from tests.table.opponents import answer_all, any_choice, seated
from tests.table.walks import SETUPS

DEAL = "bbyr kkww rryy bykw bbbb"


def asked(hands: Hands) -> Hands:
    """A hint was asked for, by the two buttons together."""
    return hands.press("ok", "undo", after=0.1)


def advise(hands: Hands, choice: Event, gain: float | None = 2.53, other: Event | None = None) -> Hands:
    """The answer to the hint that is asked for."""
    (question,) = hands.hint_requests
    return hands.hear(BotReply(question.number, choice, hands.now, gain=gain, next_best=other))


def ask_by_page(hands: Hands, place: int | None) -> Hands:
    hands.table = update(hands.table, HintRequested(place, hands.now))
    return hands


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_two_buttons_together_ask_and_neither_does_its_own_thing(buttons: tuple[str, str]) -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2")
    before = hands.play
    hands.press(*buttons, after=TOGETHER * 0.9)
    assert hands.play == before
    assert hands.game.question is None
    assert len(hands.hint_requests) == 1


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_together_they_leave_a_tile_in_hand(buttons: tuple[str, str]) -> None:
    hands = dealt(DEAL).tell_letter("b").press(*buttons)
    assert hands.game.colour_in_hand is Colour.BLUE
    assert len(hands.hint_requests) == 1


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_apart_they_do_what_they_do(buttons: tuple[str, str]) -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2")
    hands.press(*buttons, after=TOGETHER * 1.1)
    assert hands.play.moves == ()
    assert hands.hint_requests == ()


def test_at_the_start_of_a_round_they_stop_no_game() -> None:
    """`undo` asks whether to stop, and `ok` would say yes."""
    hands = playing().press("undo", "ok", after=0.2)
    assert hands.table.stage is Stage.OFFER
    assert hands.game.question is None
    assert hands.hint_requests != ()


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_without_hints_they_still_do_nothing_else(buttons: tuple[str, str]) -> None:
    hands = at_table().press("seat.1.floor", "seat.2.floor", "ok", "display.5", "seat.1.floor")
    hands.press("display.1", "seat.1.line.5")
    before = hands.play
    hands.press(buttons[0]).press(buttons[1])
    assert hands.play == before
    assert hands.table.refusal is not None
    assert hands.table.refusal.why == "no_hints"
    assert snapshot(hands.table, BOX)["phones"]["hint"] is False


def test_what_is_advised_swells_in_a_rhythm_of_its_own() -> None:
    hands = advise(asked(dealt(DEAL)), Draft(3, 2, 2), other=Draft(3, 2, 3))  # type: ignore[arg-type]
    hands.wait(1.0)
    assert [hands.rhythm(light) for light in ("display.3.3", "display.3.4")] == ["2 rises"] * 2
    assert [hands.rhythm(f"seat.1.line.2.{at}") for at in (1, 2)] == ["2 rises"] * 2
    told = snapshot(hands.table, BOX)["hint"]["shown"]
    choice = {"seat": 1, "kind": "draft", "source": 3, "colour": "r", "count": 2, "line": 2}
    assert told == [{"seat": 1, "choice": choice, "gain": 2.5, "next": {**choice, "line": 3}}]
    assert hands.press("display.1").game.hints == ()


def test_asked_twice_it_is_thought_about_once() -> None:
    hands = asked(asked(dealt(DEAL)).wait(1.0))
    (question,) = hands.hint_requests
    assert asked(hands.wait(1.0)).hint_requests == (question,)


def test_undo_while_it_thinks_drops_the_answer() -> None:
    hands = asked(dealt(DEAL).press("display.1", "seat.1.line.2").wait(1.0))
    (question,) = hands.hint_requests
    hands.press("undo", after=1.0)
    assert hands.hint_requests == ()
    hands.hear(BotReply(question.number, Draft(2, 3, 1), hands.now))  # type: ignore[arg-type]
    assert hands.game.hints == ()


def test_what_does_not_come_is_asked_for_once_more_and_then_let_go() -> None:
    hands = asked(dealt(DEAL))
    first = hands.hint_requests[0]
    hands.hear(BotReply(first.number, None, hands.now))
    second = hands.hint_requests[0]
    assert second.number > first.number
    assert hands.wait(60).hint_requests == ()
    assert hands.game.hints == ()


def test_an_opponents_turn_has_no_hint() -> None:
    hands = asked(seated("calm", ""))
    assert hands.table.refusal is not None
    assert hands.table.refusal.why == "bots_turn"
    assert len(hands.table.opponents.requests) == 1
    answer_all(hands, any_choice(1)).wait(9)
    assert len(hands.play.moves) == 1, "it is asked anew, and plays"


def test_a_page_asks_for_its_own_seat() -> None:
    hands = ask_by_page(dealt(DEAL), 2)
    assert hands.table.refusal is not None
    assert hands.table.refusal.why == "no_hint_now"
    assert snapshot(hands.table, BOX)["hint"]["seats"] == [1]
    assert snapshot(ask_by_page(hands, 1).table, BOX)["hint"]["asked"] == [1]


def test_on_gray_walls_each_seat_has_its_own() -> None:
    hands = next(
        each
        for seed in range(50)
        if len(((each := midway(SETUPS[3], seed, 24)).play.state).to_act()) > 1
        and each.table.stage is Stage.CHOICE
    )
    ask_by_page(hands.wait(3.0), None)
    assert {each.seat for each in hands.hint_requests} == set(hands.play.state.to_act())
    for question in hands.hint_requests:
        choice = any_choice(1)(hands.play.state, question.seat)
        hands.hear(BotReply(question.number, choice, hands.now, gain=0.0))
        assert isinstance(choice, Tile)
        place = hands.play.places[choice.seat]
        assert hands.rhythm(f"seat.{place}.wall.{choice.row}.{choice.column}") == "2 rises"
    assert len(hands.game.hints) == len(set(hands.play.state.to_act()))


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_choice_of_every_game_can_be_advised_and_shown(setup: object) -> None:
    random = Random(3)
    hands = midway(setup, 3, 0)  # type: ignore[arg-type]
    for _ in range(40):
        if hands.table.stage is Stage.SCORING:
            hands.skip()
        if hands.table.stage is Stage.OVER:
            break
        ask_by_page(hands, None)
        for question in hands.hint_requests:
            hands.hear(BotReply(question.number, any_choice(1)(hands.play.state, question.seat), hands.now))
        assert hands.game.hints
        assert snapshot(hands.table, BOX)["hint"]["shown"]
        assert hands.frame.lit
        allowed = hands.play.state.legal()
        hands.make(allowed[random.randrange(len(allowed))])
        assert hands.game.hints == () or len(hands.play.state.to_act()) > 0


def test_a_hint_that_nobody_answers_is_told() -> None:
    hands = ask_by_page(dealt(DEAL), 1)
    for _ in range(2):
        (question,) = hands.hint_requests
        hands.hear(BotReply(question.number, None, hands.now))
    assert hands.hint_requests == ()
    assert snapshot(hands.table, BOX)["hint"]["missed"] == [{"seat": 1, "why": "silent"}]
    assert snapshot(hands.press("display.1").table, BOX)["hint"]["missed"] == []


def test_a_hint_for_a_game_that_has_gone_on_is_told_and_may_be_asked_for_again() -> None:
    hands = ask_by_page(dealt(DEAL), 1).press("display.1", "seat.1.line.2")
    assert hands.hint_requests == ()
    assert snapshot(hands.table, BOX)["hint"]["missed"] == [{"seat": 1, "why": "gone_on"}]
    assert snapshot(ask_by_page(hands, 2).table, BOX)["hint"]["missed"] == []
    assert snapshot(asked(hands.wait(1.0)).table, BOX)["hint"]["missed"] == []


def test_while_the_table_asks_something_there_is_no_hint() -> None:
    hands = playing()
    table = with_game(hands.table, question=Question.STOP_GAME)
    after = update(update(table, HintRequested(None, hands.now)), Tick(hands.now))
    assert after.opponents.requests == ()
