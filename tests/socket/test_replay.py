"""Replay of past games: every step, forward and back, is the position that the rules give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.lights.palettes import BOX
from device.rules.board import Board
from device.rules.events import Chance
from device.rules.game import Setup
from device.rules.game import setup as set_up
from device.rules.tiles import letters
from device.socket.history import PastGame, game_with_review_json, play_at, positions_json
from tests.harness.stored_games import GRAY, PLACES, SOLO, STANDARD, greedy_game

CHOSEN = list(PLACES)


@cache
def past(chosen: Setup, bots: tuple[tuple[int, str], ...] = ()) -> PastGame:
    events = greedy_game(chosen).events
    ended = "2026-03-05 10:00:00"
    return PastGame(7, chosen, PLACES[chosen], ended, ended, on_table=False, events=events, bots=dict(bots))


def at(game: PastGame, step: int) -> dict[str, Any]:
    """Return the one position of a step."""
    found = positions_json(game, BOX, step, 1)
    assert found["steps"] == len(game.events)
    (position,) = found["positions"]
    return dict(position)


def walls(position: Mapping[str, Any]) -> dict[int, tuple[list[str], list[str], str, int]]:
    """Return wall, lines, floor and score of each board by place."""
    return {
        seat["seat"]: (seat["wall"], seat["lines"], seat["floor"], seat["score"])
        for seat in position["seats"]
        if seat["taken"]
    }


def board_of(board: Board) -> tuple[list[str], list[str], int]:
    """Return wall, lines and score of a board of the rules, in the letters of the socket."""
    wall = ["".join("." if tile is None else "byrkw"[tile] for tile in row) for row in board.wall]
    lines = [
        "" if colour is None else "byrkw"[colour] * held
        for colour, held in zip(board.colours, board.held, strict=True)
    ]
    return wall, lines, board.score


@pytest.mark.slow
@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_every_step_is_the_position_that_the_rules_give(chosen: Setup) -> None:
    game = past(chosen)
    state = set_up(chosen)
    for step in range(len(game.events) + 1):
        if step:
            state = state.apply(game.events[step - 1])
        found = at(game, step)
        position = found["position"]
        assert found["step"] == step
        assert position["round"] == state.round
        centre, *displays = (letters(tiles) for tiles in state.sources)
        assert (position["centre"], position["displays"]) == (centre, displays)
        for place, board in zip(game.places, state.boards, strict=True):
            wall, lines, _, score = walls(position)[place]
            assert (wall, lines, score) == board_of(board)
    assert (position["result"] is not None) == state.over


@pytest.mark.slow
@settings(deadline=None)
@given(st.sampled_from(CHOSEN), st.lists(st.integers(0, 200), min_size=1, max_size=12), st.integers(1, 100))
def test_steps_in_any_order_and_number_are_the_same(chosen: Setup, steps: list[int], count: int) -> None:
    """Going forward and back gives the same positions as all steps one after another."""
    game = past(chosen)
    everything = positions_json(game, BOX, 0, len(game.events) + 1)["positions"]
    for wanted in steps:
        step = wanted % (len(game.events) + 1)
        assert positions_json(game, BOX, step, count)["positions"] == everything[step : step + count]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_each_step_names_the_event_that_led_to_it(chosen: Setup) -> None:
    game = past(chosen)
    moves = {move["number"]: move for move in game_with_review_json(game, BOX)["moves"]}
    assert at(game, 0)["event"] is None
    for number, event in enumerate(game.events):
        described = at(game, number + 1)["event"]
        if isinstance(event, Chance):
            assert described["kind"] in ("deal", "penalty", "scoring_colour", "draw")
        else:
            assert described.items() <= moves[number].items()


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [STANDARD, GRAY, SOLO], ids=lambda chosen: chosen.mode)
def test_the_curve_has_the_scores_of_every_step(chosen: Setup) -> None:
    game = past(chosen)
    curve = dict(game_with_review_json(game, BOX)["curve"])
    shown = curve[0]
    for step in range(len(game.events) + 1):
        shown = curve.get(step, shown)
        scores = walls(at(game, step)["position"])
        assert shown == [scores[place][3] for place in game.places[: len(chosen.players)]]


def test_a_position_to_play_on_from_has_its_moves_and_no_names_of_opponents() -> None:
    play = play_at(past(STANDARD, ((1, "strong"),)), 12)
    assert play.events == greedy_game(STANDARD).events[:12]
    assert play.setup.players == ("Ana", "Seat 3")
    assert play.moves
