"""Summaries of finished games, against the accounts of their rounds."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from device.records.summary import PointSources, summarize
from device.rules.game import Setup
from device.rules.game import setup as set_up
from device.rules.scoring import BONUS_POINTS, BonusKind, complete_colours, complete_columns, complete_rows
from tests.harness.stored_games import PLACES, SOLO, greedy_game


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_the_sources_of_the_points_add_up_to_the_score(chosen: Setup, seed: int) -> None:
    play = greedy_game(chosen, seed)
    found = summarize(chosen, play.events)
    assert found is not None
    assert [each.seat for each in found] == list(range(len(chosen.players)))
    for each in found:
        board = play.state.boards[each.seat]
        assert sum(astuple(each.points)) == each.score == board.score
        assert each.points.floor <= 0 <= each.points.placing
        if chosen != SOLO and chosen.mode != "solo":
            assert each.points.other == 0


@pytest.mark.parametrize("chosen", [each for each in PLACES if each.mode != "solo"])
def test_bonuses_are_those_of_the_last_walls(chosen: Setup) -> None:
    play = greedy_game(chosen, 2)
    outcome = play.state.outcome()
    for each in summarize(chosen, play.events) or ():
        wall = play.state.boards[each.seat].wall
        assert each.points.rows == BONUS_POINTS[BonusKind.ROW] * len(complete_rows(wall))
        assert each.points.columns == BONUS_POINTS[BonusKind.COLUMN] * len(complete_columns(wall))
        assert each.points.colours == BONUS_POINTS[BonusKind.COLOUR] * len(complete_colours(wall))
        assert each.winner == (each.seat in getattr(outcome, "winners", ()))


def test_a_game_that_is_not_over_has_no_summary() -> None:
    for chosen in PLACES:
        play = greedy_game(chosen)
        assert summarize(chosen, play.events[:-1]) is None
        assert summarize(chosen, ()) is None
        assert set_up(chosen).outcome() is None


def test_nothing_scored_is_nothing() -> None:
    assert sum(astuple(PointSources())) == 0
