"""Hints: requested by `ok` and `undo` together or from a page, and shown until a button is pressed."""

from __future__ import annotations

from random import Random

import pytest

from device.lights.palettes import BOX
from device.rules.events import Draft, Event, Tile
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.state import BotReply, HintRequested, Question, Stage, Tick
from device.table.update import TOGETHER, update
from tests.harness.sampling import some
from tests.table.opponents import begin_with, random_choice, reply_to_all
from tests.table.simulator import Simulator, dealt, empty_table, midway, playing, with_game
from tests.table.walks import SETUPS

DEAL = "bbyr kkww rryy bykw bbbb"


def asked(sim: Simulator) -> Simulator:
    """Request a hint with the two buttons together."""
    return sim.press("ok", "undo", after=0.1)


def advise(sim: Simulator, choice: Event, gain: float | None = 2.53, other: Event | None = None) -> Simulator:
    """Reply to the open request for a hint."""
    (question,) = sim.hint_requests
    return sim.reply(BotReply(question.number, choice, sim.now, gain=gain, next_best=other))


def ask_by_page(sim: Simulator, place: int | None) -> Simulator:
    sim.table = update(sim.table, HintRequested(place, sim.now))
    return sim


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_ok_and_undo_together_request_a_hint_and_do_nothing_else(buttons: tuple[str, str]) -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2")
    before = sim.play
    sim.press(*buttons, after=TOGETHER * 0.9)
    assert sim.play == before
    assert sim.game.question is None
    assert len(sim.hint_requests) == 1


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_ok_and_undo_together_keep_the_colour_in_hand(buttons: tuple[str, str]) -> None:
    sim = dealt(DEAL).report_letter("b").press(*buttons)
    assert sim.game.colour_in_hand is Colour.BLUE
    assert len(sim.hint_requests) == 1


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_ok_and_undo_one_after_the_other_request_no_hint(buttons: tuple[str, str]) -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2")
    sim.press(*buttons, after=TOGETHER * 1.1)
    assert sim.play.moves == ()
    assert sim.hint_requests == ()


def test_ok_and_undo_together_do_not_stop_the_game_at_the_start_of_a_round() -> None:
    """`undo` asks whether to stop, and `ok` would say yes."""
    sim = playing().press("undo", "ok", after=0.2)
    assert sim.table.stage is Stage.OFFER
    assert sim.game.question is None
    assert sim.hint_requests != ()


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_ok_and_undo_together_are_refused_where_hints_are_off(buttons: tuple[str, str]) -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok", "display.5", "seat.1.floor")
    sim.press("display.1", "seat.1.line.5")
    before = sim.play
    sim.press(buttons[0]).press(buttons[1])
    assert sim.play == before
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "no_hints"
    assert snapshot(sim.table, BOX)["phones"]["hint"] is False


def test_an_advised_choice_swells() -> None:
    sim = advise(asked(dealt(DEAL)), Draft(3, 2, 2), other=Draft(3, 2, 3))  # type: ignore[arg-type]
    sim.wait(1.0)
    assert [sim.rhythm(light) for light in ("display.3.3", "display.3.4")] == ["2 rises"] * 2
    assert [sim.rhythm(f"seat.1.line.2.{at}") for at in (1, 2)] == ["2 rises"] * 2
    shown_json = snapshot(sim.table, BOX)["hint"]["shown"]
    choice = {"seat": 1, "kind": "draft", "source": 3, "colour": "r", "count": 2, "line": 2}
    assert shown_json == [{"seat": 1, "choice": choice, "gain": 2.5, "next": {**choice, "line": 3}}]
    assert sim.press("display.1").game.hints == ()


def test_a_second_request_for_a_hint_while_one_is_open_is_ignored() -> None:
    sim = asked(asked(dealt(DEAL)).wait(1.0))
    (question,) = sim.hint_requests
    assert asked(sim.wait(1.0)).hint_requests == (question,)


def test_undo_closes_the_request_for_a_hint() -> None:
    sim = asked(dealt(DEAL).press("display.1", "seat.1.line.2").wait(1.0))
    (question,) = sim.hint_requests
    sim.press("undo", after=1.0)
    assert sim.hint_requests == ()
    sim.reply(BotReply(question.number, Draft(2, 3, 1), sim.now))  # type: ignore[arg-type]
    assert sim.game.hints == ()


def test_a_request_for_a_hint_is_repeated_once() -> None:
    sim = asked(dealt(DEAL))
    first = sim.hint_requests[0]
    sim.reply(BotReply(first.number, None, sim.now))
    second = sim.hint_requests[0]
    assert second.number > first.number
    assert sim.wait(60).hint_requests == ()
    assert sim.game.hints == ()


def test_no_hint_is_given_in_an_opponents_turn() -> None:
    sim = asked(begin_with("calm", ""))
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "bots_turn"
    assert len(sim.table.opponents.requests) == 1
    reply_to_all(sim, random_choice(1)).wait(9)
    assert len(sim.play.moves) == 1, "its own request stays open"


def test_a_page_requests_a_hint_for_its_own_seat() -> None:
    sim = ask_by_page(dealt(DEAL), 2)
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "no_hint_now"
    assert snapshot(sim.table, BOX)["hint"]["seats"] == [1]
    assert snapshot(ask_by_page(sim, 1).table, BOX)["hint"]["asked"] == [1]


def test_on_gray_walls_each_seat_gets_a_hint() -> None:
    sim = next(
        each
        for seed in range(50)
        if len(((each := midway(SETUPS[3], seed, 24)).play.state).to_act()) > 1
        and each.table.stage is Stage.CHOICE
    )
    ask_by_page(sim.wait(3.0), None)
    assert {each.seat for each in sim.hint_requests} == set(sim.play.state.to_act())
    for question in sim.hint_requests:
        choice = random_choice(1)(sim.play.state, question.seat)
        sim.reply(BotReply(question.number, choice, sim.now, gain=0.0))
        assert isinstance(choice, Tile)
        place = sim.play.places[choice.seat]
        assert sim.rhythm(f"seat.{place}.wall.{choice.row}.{choice.column}") == "2 rises"
    assert len(sim.game.hints) == len(set(sim.play.state.to_act()))


@pytest.mark.parametrize("setup", some(SETUPS), ids=str)
def test_every_choice_of_every_mode_can_be_advised_and_shown(setup: object) -> None:
    random = Random(3)
    sim = midway(setup, 3, 0)  # type: ignore[arg-type]
    for _ in range(40):
        if sim.table.stage is Stage.SCORING:
            sim.skip()
        if sim.table.stage is Stage.OVER:
            break
        ask_by_page(sim, None)
        for question in sim.hint_requests:
            sim.reply(BotReply(question.number, random_choice(1)(sim.play.state, question.seat), sim.now))
        assert sim.game.hints
        assert snapshot(sim.table, BOX)["hint"]["shown"]
        assert sim.frame.lit
        allowed = sim.play.state.legal()
        sim.make(allowed[random.randrange(len(allowed))])
        assert sim.game.hints == () or len(sim.play.state.to_act()) > 0


def test_a_missing_hint_is_in_the_snapshot() -> None:
    sim = ask_by_page(dealt(DEAL), 1)
    for _ in range(2):
        (question,) = sim.hint_requests
        sim.reply(BotReply(question.number, None, sim.now))
    assert sim.hint_requests == ()
    assert snapshot(sim.table, BOX)["hint"]["missed"] == [{"seat": 1, "why": "silent"}]
    assert snapshot(sim.press("display.1").table, BOX)["hint"]["missed"] == []


def test_a_hint_for_an_earlier_position_is_missing_and_may_be_requested_again() -> None:
    sim = ask_by_page(dealt(DEAL), 1).press("display.1", "seat.1.line.2")
    assert sim.hint_requests == ()
    assert snapshot(sim.table, BOX)["hint"]["missed"] == [{"seat": 1, "why": "gone_on"}]
    assert snapshot(ask_by_page(sim, 2).table, BOX)["hint"]["missed"] == []
    assert snapshot(asked(sim.wait(1.0)).table, BOX)["hint"]["missed"] == []


def test_no_hint_is_given_while_a_question_is_open() -> None:
    sim = playing()
    table = with_game(sim.table, question=Question.STOP_GAME)
    after = update(update(table, HintRequested(None, sim.now)), Tick(sim.now))
    assert after.opponents.requests == ()


@pytest.mark.parametrize("buttons", [("ok", "undo"), ("undo", "ok")])
def test_ok_and_undo_together_answer_the_question_after_a_restart(buttons: tuple[str, str]) -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2")
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    before = sim.play
    sim.press(*buttons, after=TOGETHER * 0.9)
    assert sim.play == before
    assert sim.game.question is None
    assert len(sim.hint_requests) == 1
