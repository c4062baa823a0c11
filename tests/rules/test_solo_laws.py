"""Laws of the solo game alone, over the sample of random games; `test_laws.py` has those of all modes."""

from collections.abc import Iterator
from random import Random

import pytest

from device.rules.board import next_full_line
from device.rules.errors import IllegalEventError
from device.rules.events import (
    Chance,
    Deal,
    Draft,
    Draw,
    Event,
    ScoringColour,
)
from device.rules.game import SOLO
from device.rules.scoring import FLOOR_COSTS
from device.rules.solo import game as solo
from device.rules.solo import penalty_row
from device.rules.solo.game import Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.solo.scoring import Ending, SoloOutcome
from device.rules.tiles import COLOURS, Counts, without
from tests.rules.games import sample
from tests.rules.solo_positions import account

MOST_ROUNDS = 9
"""A first bag of 100 and a second of less deal at most so many rounds; S12 then ends the game."""


def steps() -> Iterator[tuple[SoloState, Event, SoloState]]:
    """Each step of the sample: the state before, the event, the state after."""
    for played in sample(SOLO):
        for step in played.steps:
            assert isinstance(step.before, SoloState)
            assert isinstance(step.after, SoloState)
            yield step.before, step.event, step.after


def test_s7_penalty_row_never_passes_7_without_ending_the_game() -> None:
    for before, event, state in steps():
        assert len(state.boards[ACTION].floor) <= 7
        if isinstance(event, Draft):
            pick = solo.preview(before, event)
            row = len(before.boards[ACTION].floor) + len(pick.sent)
            assert (row > 7) == pick.loses == (state.ending is Ending.EIGHTH_TILE)


def test_a_pick_does_what_its_preview_shows() -> None:
    for before, event, state in steps():
        if not isinstance(event, Draft):
            continue
        pick = solo.preview(before, event)
        row = (*penalty_row.tiles_in(before.boards[ACTION]), *pick.sent)
        assert penalty_row.tiles_in(pick.boards[ACTION]) == row[:7]
        scored = state.account is not None and state.account.round == state.round
        assert pick.boards == (account(state).boards if scored else state.boards)


def test_a_drawn_chance_event_can_be_applied() -> None:
    for number, (before, event, _) in enumerate(steps()):
        if isinstance(event, Chance):
            other = before.chance(Random(number).randrange)
            assert type(other) is type(event)
            before.apply(other)
        else:
            with pytest.raises(IllegalEventError):
                before.chance(Random(number).randrange)


def applies(state: SoloState, event: Event) -> bool:
    try:
        state.apply(event)
    except IllegalEventError:
        return False
    return True


def test_s1_s8_exactly_the_colours_in_the_bag_can_be_drawn() -> None:
    for before, event, _ in steps():
        if isinstance(event, Draw | ScoringColour):
            for colour in COLOURS:
                assert applies(before, type(event)(colour)) == bool(before.bag[colour])


def test_s15_two_colours_on_every_display_where_the_bag_allows() -> None:
    for before, event, _ in steps():
        if isinstance(event, Deal):
            bag = before.bag
            for display in event.displays:
                assert colours_in(display) >= 2 or colours_in(bag) == 1
                bag = without(bag, display)


def colours_in(tiles: Counts) -> int:
    return sum(number > 0 for number in tiles)


def closings() -> Iterator[tuple[SoloState, SoloState]]:
    """The steps that close a wall-tiling."""
    for before, _, state in steps():
        closes = state.closing_scores() is not None
        lost = state.ending is Ending.EIGHTH_TILE
        assert closes == (state.phase in (Phase.DEAL, Phase.OVER) and not lost)
        if closes:
            yield before, state


def test_score_stays_above_0_while_the_game_goes_on() -> None:
    for before, _, _ in steps():
        assert before.boards[PLAYER].score > 0
        assert before.boards[ACTION].score == 0


def test_every_loss_has_the_number_of_its_rule() -> None:
    rules = {Ending.EIGHTH_TILE: "S7", Ending.NO_POINTS: "S10"}
    endings = set()
    for played in sample(SOLO):
        outcome = played.last.outcome()
        assert isinstance(outcome, SoloOutcome)
        assert outcome.why == rules.get(outcome.ending, "S14" if outcome.score < 60 else None)
        assert (outcome.victory.value == "loss") == (outcome.why is not None)
        assert played.last.round <= MOST_ROUNDS
        endings.add(outcome.ending)
    assert len(endings) >= 3


def test_s12_the_tiles_out_of_play_go_back_once() -> None:
    refills = [state for before, _, state in steps() if state.refilled and not before.refilled]
    assert refills
    for state in refills:
        assert sum(state.lid) == 0
        assert state.phase is Phase.DEAL
        assert sum(state.bag) >= 21


def test_s10_the_charge_is_the_cost_of_the_row() -> None:
    for _, state in closings():
        charges = [step.item for step in account(state).steps if hasattr(step.item, "cost")]
        assert [charge.cost for charge in charges] == [FLOOR_COSTS[len(state.boards[ACTION].floor)]]


def test_s8_a_tile_is_acting_exactly_while_its_line_asks_for_something() -> None:
    for _, _, state in steps():
        assert (state.acting is not None) == (state.phase in (Phase.DRAW, Phase.SWAP, Phase.REMOVE))
        if state.acting is not None:
            assert next_full_line(state.boards[ACTION]) != state.acting.row
            tile = state.boards[ACTION].wall[state.acting.row - 1][state.acting.column - 1]
            assert tile is state.acting.colour
