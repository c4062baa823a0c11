"""Undo: one choice at a time to the start of the round and never past its deal; what the table asks."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from device.rules.events import Chance, Choice, Deal, Event
from device.rules.game import Setup
from device.runtime.loop import seeded_draw
from device.table.game import Play
from device.table.prompts import live_buttons, prompt
from device.table.state import Question, Stage
from tests.table.hands import (
    Hands,
    at_table,
    dealt,
    game_of,
    midway,
    playing,
    sat_down,
    some_choice,
    to_end,
    to_end_of_round,
    with_game,
)

DEAL = "bbyr kkww rryy bykw bbbb"

EVERY_GAME = [
    Setup("standard", ("Ana", "Rui")),
    Setup("standard", ("Ana", "Rui", "Eva", "Tom")),
    Setup("gray", ("Ana", "Rui", "Eva")),
    Setup("dtc", ("Ana", "Rui")),
    Setup("solo", ("Ana",), 0, "normal", "coloured"),
    Setup("solo", ("Ana",), 0, "expert", "gray"),
]


def this_round(play: Play) -> tuple[Event, ...]:
    """The events since the last deal."""
    last = max(at for at, event in enumerate(play.events) if isinstance(event, Deal))
    return play.events[last + 1 :]


# --- One choice at a time --------------------------------------------------------------------------------


def test_a_chosen_source_is_let_go_first() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2", "display.2", "display.2")
    drafted = hands.play
    hands.press("undo")
    assert hands.game.selection is None
    assert hands.play is drafted
    hands.press("undo")
    assert hands.play.moves == ()
    assert hands.table.acting_place == 1


def test_each_draft_goes_back_exactly() -> None:
    hands = dealt(DEAL)
    stood: list[Play] = []
    for display in range(1, 6):
        stood.append(hands.play)
        hands.press(f"display.{display}", f"seat.{hands.table.acting_place}.line.5")
        if hands.refusals:  # the line of the draft before holds another colour
            hands.press(f"seat.{hands.table.acting_place}.floor")
            hands.table = replace(hands.table, refusal=None)
    assert len(hands.play.moves) == 5
    for before in reversed(stood):
        assert hands.press("undo").play == before


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_the_whole_round_can_be_undone_and_made_again(setup: Setup) -> None:
    hands = midway(setup, 5, 0)
    dealt_play = hands.play
    to_end_of_round(hands, Random(1))
    made = this_round(hands.play) if hands.table.stage in (Stage.SCORING, Stage.OVER) else ()
    assert made, "the ceremony or the end is on, so that no new deal stands yet"
    ended = hands.play
    choices = [event for event in made if isinstance(event, Choice)]
    for _ in choices:
        assert hands.game.question is None
        hands.press("undo")
    assert hands.play == dealt_play
    for event in choices:
        hands.make(event)
    assert hands.play == ended


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_undo_from_the_ceremony(setup: Setup) -> None:
    hands = to_end_of_round(midway(setup, 6, 0), Random(1))
    assert hands.table.stage is Stage.SCORING
    hands.wait(3.0)
    before = len(hands.play.events)
    back = hands.press("undo")
    assert game_of(back.table).animation is None
    assert back.table.stage in (Stage.OFFER, Stage.CHOICE)
    assert len(back.play.events) < before


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_undo_after_the_end_of_the_game(setup: Setup) -> None:
    hands = to_end(midway(setup, 7, 0), Random(1))
    ended = hands.play
    last = [event for event in ended.events if isinstance(event, Choice)][-1]
    hands.press("undo")
    assert hands.table.stage in (Stage.OFFER, Stage.CHOICE)
    assert not hands.play.over
    assert hands.make(last).play == ended


# --- Never past the deal ---------------------------------------------------------------------------------


def test_undo_stops_at_the_deal() -> None:
    hands = dealt(DEAL)
    for display in range(1, 6):
        hands.press(f"display.{display}", f"seat.{hands.table.acting_place}.floor")
    while hands.table.stage is Stage.OFFER:
        hands.press("centre", f"seat.{hands.table.acting_place}.floor")
    assert hands.skip().play.state.round == 2
    second = hands.play
    hands.press("undo")
    assert hands.play is second, "the round before is closed"
    assert hands.game.question is Question.STOP_GAME


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_undo_gets_past_a_deal(setup: Setup, seed: int) -> None:
    """Nobody fishes for another deal: however often undo is pressed, this round's deal stands."""
    hands = midway(setup, seed, 30 + 7 * seed)
    deals = [event for event in hands.play.events if isinstance(event, Deal)]
    for _ in range(60):
        hands.press("undo")
    assert [event for event in hands.play.events if isinstance(event, Deal)] == deals
    assert not [event for event in this_round(hands.play) if isinstance(event, Choice)]


def drawn_by_seed(seed: str) -> Hands:
    """Hands at a table that draws as the daemon does."""
    return at_table(draw=lambda play: seeded_draw(play, seed))


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_what_is_undone_and_drawn_again_is_the_same(setup: Setup, steps: int) -> None:
    """A round's last choices are undone and made again: the next deal, and what solo draws, is the same."""
    hands = sat_down(drawn_by_seed("a seed"), setup, range(1, len(setup.players) + 1))
    to_end_of_round(hands, Random(3))
    again = Hands(hands.table, hands.draw, now=hands.now)
    choices = [event for event in again.play.events if isinstance(event, Choice)]
    for _ in range(steps):
        again.press("undo")
    for event in choices[-steps:]:
        again.make(event)
    assert again.skip().play.state.round == 2
    assert again.play == hands.skip().play


def test_the_next_deal_does_not_depend_on_how_the_round_was_played() -> None:
    """Nobody undoes a round and plays it in another number of choices to get another deal."""
    deals = set()
    lengths = set()
    for seed in range(6):
        hands = sat_down(drawn_by_seed("a seed"), EVERY_GAME[0], (1, 2))
        to_end_of_round(hands, Random(seed))
        lengths.add(len(hands.play.events))
        deals.add(hands.skip().play.events[-1])
    assert len(lengths) > 1
    assert len(deals) == 1


def test_another_seed_deals_another_game() -> None:
    setup = EVERY_GAME[0]
    first = sat_down(drawn_by_seed("a seed"), setup, (1, 2)).play.events
    second = sat_down(drawn_by_seed("another"), setup, (1, 2)).play.events
    assert first != second


def test_solo_draws_the_same_tile_again_after_an_undo() -> None:
    """Action line 1 draws a tile (S8); the draft before it, undone and made again, draws no other."""
    hands = midway(Setup("solo", ("Ana",), 0, "easy", "coloured"), 3, 0)
    random = Random(4)
    for _ in range(200):
        before = len(hands.play.events)
        if hands.table.stage is Stage.SCORING:
            hands.skip()
            continue
        event = some_choice(hands.play, random)
        hands.make(event)
        drawn = [each for each in hands.play.events[before + 1 :] if isinstance(each, Chance)]
        if drawn and not isinstance(drawn[0], Deal):
            break
    else:
        pytest.fail("no tile was drawn in 200 choices")
    made = hands.play
    assert hands.press("undo").play.events == made.events[:before]
    assert hands.make(event).play == made


# --- What the table asks ---------------------------------------------------------------------------------


def test_undo_at_the_start_of_a_round_asks_whether_to_stop_the_game() -> None:
    hands = playing().press("undo")
    assert prompt(hands.table).say == "stop_game"
    assert "ok" in live_buttons(hands.table)
    assert hands.rhythm("status") == "slow"


def test_ok_stops_the_game_and_the_same_players_choose_again() -> None:
    hands = playing("gray", 3).press("undo", "ok", after=1.0)
    assert hands.table.stage is Stage.CHOOSING
    assert hands.table.seats.taken == (1, 2, 3)
    assert hands.table.play is None
    assert hands.press("seat.2.floor").table.acting_place == 2
    assert hands.play.setup.mode == "gray"
    assert hands.play.moves == ()


def test_undo_at_that_question_plays_on() -> None:
    """The page says so: "or undo to play on"."""
    hands = playing().press("undo", "undo")
    assert hands.game.question is None
    assert hands.table.stage is Stage.OFFER
    assert hands.refused("ok") == "nothing_to_confirm"


def test_playing_on_answers_that_question_with_no() -> None:
    hands = playing().press("undo", "display.1")
    assert hands.game.question is None
    assert hands.game.selection is not None


def test_a_refused_press_leaves_the_question_open() -> None:
    hands = playing().press("undo")
    assert hands.refused("display.9") == "source_empty"
    assert hands.game.question is Question.STOP_GAME


def test_your_board_is_asked_once_and_ok_says_yes() -> None:
    hands = midway(EVERY_GAME[0], 1, 4)
    hands.table = with_game(hands.table, question=Question.YOUR_BOARD)
    assert prompt(hands.table).say == "your_board"
    before = hands.play
    hands.press("ok")
    assert hands.game.question is None
    assert hands.play is before


@pytest.mark.parametrize("button", ["undo", "display.1"])
def test_playing_on_says_that_it_is_your_board(button: str) -> None:
    hands = dealt(DEAL, DEAL).press("display.5", "seat.1.floor")
    hands.table = with_game(hands.table, question=Question.YOUR_BOARD)
    hands.press(button)
    assert hands.game.question is None
    if button == "undo":
        assert hands.play.moves == ()
    else:
        assert hands.game.selection is not None


def test_your_board_during_a_ceremony_is_answered_before_it_is_skipped() -> None:
    hands = to_end_of_round(midway(EVERY_GAME[0], 6, 0), Random(1))
    hands.table = with_game(hands.table, question=Question.YOUR_BOARD)
    hands.press("ok")
    assert hands.table.stage is Stage.SCORING
    hands.press("ok")
    assert hands.table.stage is not Stage.SCORING
