"""Undo: one choice at a time to the start of the round, never past its deal; and the two questions."""

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
from tests.harness.sampling import some
from tests.table.simulator import (
    Simulator,
    begin_game,
    dealt,
    empty_table,
    game_of,
    midway,
    playing,
    random_event,
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
    """Return the events since the last deal."""
    last = max(at for at, event in enumerate(play.events) if isinstance(event, Deal))
    return play.events[last + 1 :]


# --- One choice at a time ---


def test_a_selected_source_is_dropped_first() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2", "display.2", "display.2")
    drafted = sim.play
    sim.press("undo")
    assert sim.game.selection is None
    assert sim.play is drafted
    sim.press("undo")
    assert sim.play.moves == ()
    assert sim.table.acting_place == 1


def test_each_draft_is_undone_exactly() -> None:
    sim = dealt(DEAL)
    stood: list[Play] = []
    for display in range(1, 6):
        stood.append(sim.play)
        sim.press(f"display.{display}", f"seat.{sim.table.acting_place}.line.5")
        if sim.refusals:  # the line of the draft before holds another colour
            sim.press(f"seat.{sim.table.acting_place}.floor")
            sim.table = replace(sim.table, refusal=None)
    assert len(sim.play.moves) == 5
    for before in reversed(stood):
        assert sim.press("undo").play == before


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_the_whole_round_can_be_undone_and_made_again(setup: Setup) -> None:
    sim = midway(setup, 5, 0)
    dealt_play = sim.play
    to_end_of_round(sim, Random(1))
    made = this_round(sim.play) if sim.table.stage in (Stage.SCORING, Stage.OVER) else ()
    assert made, "the ceremony or the end is on, so that no new deal stands yet"
    ended = sim.play
    choices = [event for event in made if isinstance(event, Choice)]
    for _ in choices:
        assert sim.game.question is None
        sim.press("undo")
    assert sim.play == dealt_play
    for event in choices:
        sim.make(event)
    assert sim.play == ended


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_undo_in_a_score_animation(setup: Setup) -> None:
    sim = to_end_of_round(midway(setup, 6, 0), Random(1))
    assert sim.table.stage is Stage.SCORING
    sim.wait(3.0)
    before = len(sim.play.events)
    back = sim.press("undo")
    assert game_of(back.table).animation is None
    assert back.table.stage in (Stage.OFFER, Stage.CHOICE)
    assert len(back.play.events) < before


@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_undo_after_the_end_of_the_game(setup: Setup) -> None:
    sim = to_end(midway(setup, 7, 0), Random(1))
    ended = sim.play
    last = [event for event in ended.events if isinstance(event, Choice)][-1]
    sim.press("undo")
    assert sim.table.stage in (Stage.OFFER, Stage.CHOICE)
    assert not sim.play.over
    assert sim.make(last).play == ended


# --- Never past the deal ---


def test_undo_stops_at_the_deal() -> None:
    sim = dealt(DEAL)
    for display in range(1, 6):
        sim.press(f"display.{display}", f"seat.{sim.table.acting_place}.floor")
    while sim.table.stage is Stage.OFFER:
        sim.press("centre", f"seat.{sim.table.acting_place}.floor")
    assert sim.skip().play.state.round == 2
    second = sim.play
    sim.press("undo")
    assert sim.play is second, "the round before is closed"
    assert sim.game.question is Question.STOP_GAME


@pytest.mark.parametrize("setup", some(EVERY_GAME), ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_undo_gets_past_a_deal(setup: Setup, seed: int) -> None:
    """Nobody can get another deal: however often undo is pressed, the deal of the round stays."""
    sim = midway(setup, seed, 30 + 7 * seed)
    deals = [event for event in sim.play.events if isinstance(event, Deal)]
    for _ in range(60):
        sim.press("undo")
    assert [event for event in sim.play.events if isinstance(event, Deal)] == deals
    assert not [event for event in this_round(sim.play) if isinstance(event, Choice)]


def drawn_by_seed(seed: str) -> Simulator:
    """Return a table with the seeded draws of the loop."""
    return empty_table(draw=lambda play: seeded_draw(play, seed))


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("setup", EVERY_GAME, ids=str)
def test_what_is_undone_and_drawn_again_is_the_same(setup: Setup, steps: int) -> None:
    """After choices are undone and made again, the next deal and the draws of solo are the same."""
    sim = begin_game(drawn_by_seed("a seed"), setup, range(1, len(setup.players) + 1))
    to_end_of_round(sim, Random(3))
    again = Simulator(sim.table, sim.draw, now=sim.now)
    choices = [event for event in again.play.events if isinstance(event, Choice)]
    for _ in range(steps):
        again.press("undo")
    for event in choices[-steps:]:
        again.make(event)
    assert again.skip().play.state.round == 2
    assert again.play == sim.skip().play


def test_the_next_deal_does_not_depend_on_how_the_round_was_played() -> None:
    """Nobody can get another deal by playing a round in another number of choices."""
    deals = set()
    lengths = set()
    for seed in range(6):
        sim = begin_game(drawn_by_seed("a seed"), EVERY_GAME[0], (1, 2))
        to_end_of_round(sim, Random(seed))
        lengths.add(len(sim.play.events))
        deals.add(sim.skip().play.events[-1])
    assert len(lengths) > 1
    assert len(deals) == 1


def test_another_seed_deals_another_game() -> None:
    setup = EVERY_GAME[0]
    first = begin_game(drawn_by_seed("a seed"), setup, (1, 2)).play.events
    second = begin_game(drawn_by_seed("another"), setup, (1, 2)).play.events
    assert first != second


def test_solo_draws_the_same_tile_again_after_an_undo() -> None:
    """Action line 1 draws a tile (S8); the draft before it, undone and made again, draws no other."""
    sim = midway(Setup("solo", ("Ana",), 0, "easy", "coloured"), 3, 0)
    random = Random(4)
    for _ in range(200):
        before = len(sim.play.events)
        if sim.table.stage is Stage.SCORING:
            sim.skip()
            continue
        event = random_event(sim.play, random)
        sim.make(event)
        drawn = [each for each in sim.play.events[before + 1 :] if isinstance(each, Chance)]
        if drawn and not isinstance(drawn[0], Deal):
            break
    else:
        pytest.fail("no tile was drawn in 200 choices")
    made = sim.play
    assert sim.press("undo").play.events == made.events[:before]
    assert sim.make(event).play == made


# --- Questions ---


def test_undo_at_the_start_of_a_round_asks_whether_to_stop_the_game() -> None:
    sim = playing().press("undo")
    assert prompt(sim.table).key == "stop_game"
    assert "ok" in live_buttons(sim.table)
    assert sim.rhythm("status") == "slow"


def test_ok_stops_the_game_and_the_same_players_choose_the_next() -> None:
    sim = playing("gray", 3).press("undo", "ok", after=1.0)
    assert sim.table.stage is Stage.CHOOSING
    assert sim.table.seats.taken == (1, 2, 3)
    assert sim.table.play is None
    assert sim.press("seat.2.floor").table.acting_place == 2
    assert sim.play.setup.mode == "gray"
    assert sim.play.moves == ()


def test_undo_at_that_question_plays_on() -> None:
    """The page says so: "or undo to play on"."""
    sim = playing().press("undo", "undo")
    assert sim.game.question is None
    assert sim.table.stage is Stage.OFFER
    assert sim.refused("ok") == "nothing_to_confirm"


def test_playing_on_answers_that_question_with_no() -> None:
    sim = playing().press("undo", "display.1")
    assert sim.game.question is None
    assert sim.game.selection is not None


def test_a_refused_press_leaves_the_question_open() -> None:
    sim = playing().press("undo")
    assert sim.refused("display.9") == "source_empty"
    assert sim.game.question is Question.STOP_GAME


def test_your_board_is_asked_once_and_ok_says_yes() -> None:
    sim = midway(EVERY_GAME[0], 1, 4)
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    assert prompt(sim.table).key == "your_board"
    before = sim.play
    sim.press("ok")
    assert sim.game.question is None
    assert sim.play is before


@pytest.mark.parametrize("button", ["undo", "display.1"])
def test_playing_on_confirms_your_board(button: str) -> None:
    sim = dealt(DEAL, DEAL).press("display.5", "seat.1.floor")
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    sim.press(button)
    assert sim.game.question is None
    if button == "undo":
        assert sim.play.moves == ()
    else:
        assert sim.game.selection is not None


def test_in_a_score_animation_the_first_ok_answers_your_board() -> None:
    sim = to_end_of_round(midway(EVERY_GAME[0], 6, 0), Random(1))
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    sim.press("ok")
    assert sim.table.stage is Stage.SCORING
    sim.press("ok")
    assert sim.table.stage is not Stage.SCORING
