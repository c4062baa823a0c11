"""Laws of the solo game over random games, from reckless ones to careful ones."""

from collections.abc import Iterator
from dataclasses import fields
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.rules.errors import IllegalEventError
from device.rules.events import (
    Chance,
    Choice,
    Deal,
    Draft,
    Draw,
    Event,
    Remove,
    Scoring,
    ScoringColour,
    Swap,
    Tile,
)
from device.rules.notation import event_of, text_of
from device.rules.scoring import FLOOR_COSTS, Step
from device.rules.solo import game as solo
from device.rules.solo import penalty_row
from device.rules.solo.game import LEVELS, WALLS, Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.solo.scoring import Ending, SoloOutcome
from device.rules.tiles import ALL_TILES, COLOURS, Counts, without
from tests.rules.positions import all_tiles
from tests.rules.solo_positions import account, play

MOST_ROUNDS = 9
"""A first bag of 100 and a second of less deal at most so many rounds; S12 then ends the game."""

games = st.builds(
    lambda level, wall, seed, care: list(play(level, wall, Random(seed), care)),
    st.sampled_from(list(LEVELS)),
    st.sampled_from(WALLS),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)

Steps = list[tuple[SoloState, Event, SoloState]]

EVERY_CHOICE: list[Choice] = [
    *(Draft(source, colour, line) for source in range(7) for colour in COLOURS for line in range(6)),
    *(Tile(seat, row, column) for seat in (0, 1) for row in range(1, 6) for column in range(1, 6)),
    *(Scoring(row, column) for row in range(1, 6) for column in range(1, 6)),
    *(Swap(position) for position in range(8)),
    *(Remove(position) for position in (None, *range(9))),
]
"""Every choice that can be written down, and a few that can't."""


@given(games)
def test_100_tiles_at_every_step(steps: Steps) -> None:
    for _, _, state in steps:
        assert all_tiles(state) == ALL_TILES
        assert min(map(min, (state.bag, state.lid, *state.sources))) >= 0


@given(games)
def test_s7_penalty_row_never_passes_7_without_ending_the_game(steps: Steps) -> None:
    for before, event, state in steps:
        assert len(state.boards[ACTION].floor) <= 7
        if isinstance(event, Draft):
            pick = solo.preview(before, event)
            row = len(before.boards[ACTION].floor) + len(pick.sent)
            assert (row > 7) == pick.loses == (state.ending is Ending.EIGHTH_TILE)


@given(games)
def test_preview_tells_what_the_pick_then_does(steps: Steps) -> None:
    for before, event, state in steps:
        if not isinstance(event, Draft):
            continue
        pick = solo.preview(before, event)
        row = (*penalty_row.tiles_in(before.boards[ACTION]), *pick.sent)
        assert penalty_row.tiles_in(pick.boards[ACTION]) == row[:7]
        scored = state.account is not None and state.account.round == state.round
        assert pick.boards == (account(state).boards if scored else state.boards)


@given(games, st.randoms())
def test_legal_choices_apply_and_all_others_are_refused(steps: Steps, rng: Random) -> None:
    for state, _, _ in rng.sample(steps, min(6, len(steps))):
        spelt = repr(state)
        taken = [choice for choice in EVERY_CHOICE if applies(state, choice)]
        assert sorted(taken, key=repr) == sorted(state.legal(), key=repr)
        assert repr(state) == spelt


def applies(state: SoloState, event: Event) -> bool:
    try:
        state.apply(event)
    except IllegalEventError:
        return False
    return True


@given(games)
def test_somebody_is_to_act_until_the_game_is_over(steps: Steps) -> None:
    for before, event, state in steps:
        assert before.chance_due is (type(event) if isinstance(event, Chance) else None)
        assert (before.to_act() == (PLAYER,)) == isinstance(event, Choice) == bool(before.legal())
        assert (state.over) == (state.outcome() is not None)


@given(games, st.integers(0, 2**32))
def test_chance_gives_an_event_that_apply_takes(steps: Steps, seed: int) -> None:
    for before, event, _ in steps:
        if isinstance(event, Chance):
            other = before.chance(Random(seed).randrange)
            assert type(other) is type(event)
            before.apply(other)
        else:
            with pytest.raises(IllegalEventError):
                before.chance(Random(seed).randrange)


@given(games)
def test_s1_and_s8_draws_are_taken_exactly_where_the_bag_holds_them(steps: Steps) -> None:
    for before, event, _ in steps:
        if isinstance(event, Draw | ScoringColour):
            for colour in COLOURS:
                assert applies(before, type(event)(colour)) == bool(before.bag[colour])


@given(games)
def test_s15_two_colours_on_every_display_where_the_bag_allows(steps: Steps) -> None:
    for before, event, _ in steps:
        if isinstance(event, Deal):
            bag = before.bag
            for display in event.displays:
                assert colours_in(display) >= 2 or colours_in(bag) == 1
                bag = without(bag, display)


def colours_in(tiles: Counts) -> int:
    return sum(number > 0 for number in tiles)


@given(games)
def test_texts_round_trip(steps: Steps) -> None:
    for _, event, _ in steps:
        assert event_of(text_of(event)) == event


@given(games)
def test_games_end_and_replay_to_the_same(steps: Steps) -> None:
    state, _, _ = steps[0]
    for _, event, _ in steps:
        state = state.apply(event)
    assert state == steps[-1][2]
    assert state.phase is Phase.OVER
    assert state.round <= MOST_ROUNDS


@given(games)
def test_account_says_how_every_point_came_about(steps: Steps) -> None:
    for _, state in closings(steps):
        found = account(state)
        assert found.round == state.round
        assert found.boards_after(len(found.steps)) == state.boards
        score = found.boards[PLAYER].score
        for step in found.steps:
            assert step.item.board.score == (score + points_of(step) if step.seat == PLAYER else 0)
            score += points_of(step)
        assert score == state.boards[PLAYER].score
        scores = state.closing_scores()
        assert scores is not None
        if state.ending is Ending.NO_POINTS:
            assert scores == (0,)


def points_of(step: Step) -> int:
    points = {each.name: getattr(step.item, each.name) for each in fields(step.item)}["points"]
    assert isinstance(points, int)
    return points


def closings(steps: Steps) -> Iterator[tuple[SoloState, SoloState]]:
    """The steps that close a wall-tiling."""
    for before, _, state in steps:
        closes = state.closing_scores() is not None
        lost = state.ending is Ending.EIGHTH_TILE
        assert closes == (state.phase in (Phase.DEAL, Phase.OVER) and not lost)
        if closes:
            yield before, state


@given(games)
def test_score_stays_above_0_while_the_game_goes_on(steps: Steps) -> None:
    for _, _, state in steps[:-1]:
        assert state.boards[PLAYER].score > 0
        assert state.boards[ACTION].score == 0


@given(games)
def test_every_loss_names_its_rule(steps: Steps) -> None:
    state = steps[-1][2]
    outcome = state.outcome()
    assert isinstance(outcome, SoloOutcome)
    rules = {Ending.EIGHTH_TILE: "S7", Ending.NO_POINTS: "S10"}
    assert outcome.why == rules.get(outcome.ending, "S14" if outcome.score < 60 else None)
    assert (outcome.victory.value == "loss") == (outcome.why is not None)


@given(games)
def test_s12_the_tiles_out_of_play_go_back_once(steps: Steps) -> None:
    refills = [state for before, _, state in steps if state.refilled and not before.refilled]
    assert len(refills) <= 1
    for state in refills:
        assert sum(state.lid) == 0
        assert state.phase is Phase.DEAL
        assert sum(state.bag) >= 21


@given(games)
def test_s10_the_charge_is_what_the_row_costs(steps: Steps) -> None:
    for _, state in closings(steps):
        charges = [step.item for step in account(state).steps if hasattr(step.item, "cost")]
        assert [charge.cost for charge in charges] == [FLOOR_COSTS[len(state.boards[ACTION].floor)]]
