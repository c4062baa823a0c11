"""Choices without buttons: selecting tiles, and making a choice by one message."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from device.rules.events import Draft, Event, Scoring, Swap, Tile
from device.rules.game import Setup
from device.rules.tiles import Colour
from device.table.game import Selection
from device.table.prompts import live_buttons
from device.table.state import ChoiceMade, Question, Stage, TableSettings, TilesSelected, new_table
from tests.table.simulator import Simulator, dealt, empty_table, midway, playing, with_game
from tests.table.walks import Walk, moments, walks

DEAL = "bbyr kkww rryy bykw bbbb"
GRAY = Setup("gray", ("Ana", "Rui"))


def select(sim: Simulator, source: int | None = None, colour: Colour = Colour.BLUE) -> str | None:
    """Select tiles, or put them back; return why that was refused."""
    before = sim.refusals
    sim.take(TilesSelected(None if source is None else (source, colour), sim.now))
    return last_refusal(sim, before)


def choose(sim: Simulator, choice: Event) -> str | None:
    """Make a choice; return why it was refused."""
    before = sim.refusals
    sim.take(ChoiceMade(choice, sim.now))  # type: ignore[arg-type]
    return last_refusal(sim, before)


def last_refusal(sim: Simulator, before: int) -> str | None:
    refusal = sim.table.refusal
    return None if refusal is None or refusal.number == before else refusal.why


# --- Selecting ---


def test_the_same_tiles_selected_again_stay_selected() -> None:
    """Presses go through the colours of a display; this does not."""
    sim = dealt(DEAL)
    for _ in range(2):
        assert select(sim, 1, Colour.RED) is None
        assert sim.game.selection == Selection(1, Colour.RED)
    assert select(sim, 2, Colour.WHITE) is None
    assert sim.game.selection == Selection(2, Colour.WHITE)
    for _ in range(2):
        assert select(sim) is None
        assert sim.game.selection is None


@pytest.mark.parametrize(
    ("source", "colour", "why"),
    [
        (0, Colour.RED, "source_empty"),
        (9, Colour.RED, "source_empty"),
        (1, Colour.BLACK, "colour_not_there"),
    ],
)
def test_tiles_that_are_not_there_are_not_selected(source: int, colour: Colour, why: str) -> None:
    sim = dealt(DEAL)
    assert select(sim, source, colour) == why
    assert sim.game.selection is None


def test_solo_selects_from_the_display_that_is_worked() -> None:
    sim = playing("solo")
    sim.make(sim.play.state.legal()[0])
    colour = next(each for each in Colour if sim.play.state.sources[2][each])
    assert select(sim, 2, colour) == "not_this_display"


def test_selecting_answers_an_open_question_with_playing_on() -> None:
    sim = dealt(DEAL).press("undo")
    assert select(sim, 1, Colour.RED) is None
    assert sim.game.question is None
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    assert choose(sim, Draft(1, Colour.RED, 2)) is None
    assert sim.game.question is None


def test_a_refused_choice_leaves_the_question_open() -> None:
    sim = dealt(DEAL).press("undo")
    assert select(sim, 0) == "source_empty"
    assert sim.game.question is Question.STOP_GAME


# --- Choosing ---


def test_a_draft_needs_no_selection_and_drops_another() -> None:
    sim = dealt(DEAL)
    select(sim, 1, Colour.RED)
    assert choose(sim, Draft(2, Colour.BLACK, 2)) is None
    assert sim.play.events[-1] == Draft(2, Colour.BLACK, 2)
    assert sim.game.selection is None


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (Draft(1, Colour.BLACK, 2), "source_empty"),
        (Draft(9, Colour.BLACK, 2), "source_empty"),
        (Draft(2, Colour.WHITE, 3), "line_other_colour"),
        (Draft(2, Colour.WHITE, 1), "line_full"),
        (Tile(0, 1, 1), "not_now"),
        (Swap(1), "not_now"),
    ],
)
def test_an_illegal_choice_is_refused_by_the_rules(choice: Event, why: str) -> None:
    sim = dealt(DEAL)
    for draft in (Draft(1, Colour.BLUE, 3), Draft(3, Colour.YELLOW, 3), Draft(0, Colour.YELLOW, 1)):
        sim.make(draft)
    sim.make(Draft(0, Colour.RED, 4))
    before = sim.play
    assert choose(sim, choice) == why
    assert sim.play is before


def test_a_refused_draft_flashes_its_line() -> None:
    sim = dealt(DEAL).make(Draft(1, Colour.BLUE, 3)).make(Draft(3, Colour.YELLOW, 3))
    assert choose(sim, Draft(2, Colour.WHITE, 3)) == "line_other_colour"
    assert sim.table.refusal is not None
    assert sim.table.refusal.button == "seat.1.line.3"


def test_a_draft_of_solo_is_made_at_once() -> None:
    """The buttons only try a line that sends penalty tiles; the pages show before what it sends."""
    sim = playing("solo")
    sim.make(sim.play.state.legal()[0])
    sending = next(
        each
        for each in sim.play.state.legal()
        if isinstance(each, Draft) and sim.play.state.sent_to_penalty_row(each)
    )
    assert choose(sim, sending) is None
    assert sending in sim.play.events


def test_nobody_chooses_for_an_opponent() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "seat.2.line.2", "ok", "seat.2.floor")
    legal = sim.play.state.legal()[0]
    assert isinstance(legal, Draft)
    assert choose(sim, legal) == "bots_turn"
    assert select(sim, legal.source, legal.colour) == "bots_turn"
    assert sim.play.events[-1] != legal


def test_nobody_chooses_a_column_for_an_opponent() -> None:
    for seed in range(200):
        sim = midway(GRAY, seed, 24)
        if sim.table.stage is Stage.CHOICE and len(sim.play.state.to_act()) == 2:
            break
    sim.table = replace(sim.table, seats=sim.table.seats.with_bot(2, "calm"))
    mine, other = (
        next(each for each in sim.play.state.legal() if isinstance(each, Tile) and each.seat == seat)
        for seat in (0, 1)
    )
    assert choose(sim, other) == "bots_turn"
    assert choose(sim, mine) is None
    assert choose(sim, mine) == "not_now" or mine not in sim.play.state.legal()


def test_nothing_is_chosen_where_no_game_is_played() -> None:
    sim = Simulator(new_table(TableSettings(4, 9)))
    assert choose(sim, Draft(1, Colour.RED, 2)) == "not_now"
    assert select(sim) == "not_now"
    assert choose(playing("solo"), Scoring(1, 1)) == "wrong_square"


@given(walks)
def test_a_choice_is_taken_where_its_buttons_are_live(walk: Walk) -> None:
    """Buttons and messages are two ways to the same: what is legal for people is taken, all else refused."""
    for sim in moments(walk):
        play, table = sim.play if sim.table.play is not None else None, sim.table
        if play is None or table.stage not in (Stage.OFFER, Stage.CHOICE):
            continue
        for choice in play.state.legal()[:5]:
            by_message = Simulator(table, sim.draw, now=sim.now)
            assert choose(by_message, choice) is None
            assert choice in by_message.play.events[len(play.events) :]
            assert set(live_buttons(by_message.table)), "the table goes on"
