"""The bots without search."""

from random import Random

import pytest

from device.bots.selfplay import play
from device.bots.simple import SIMPLE_BOTS, choices, play_greedy, play_random
from device.rules import game
from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.scoring import Outcome
from tests.harness.sampling import some
from tests.rules.positions import after, board, offer


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["standard", "gray", "dtc"])
def test_greedy_beats_random(mode: str) -> None:
    chance = Random(7)
    for number in some(range(30)):
        chosen = Setup(mode, ("greedy", "random"), number % 2)
        played = play(chosen, [play_greedy, play_random], chance.randrange, rounds=30)
        assert isinstance(played.record.outcome, Outcome)
        assert played.record.outcome.winners == (0,)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMPLE_BOTS)
@pytest.mark.parametrize("wall", ["coloured", "gray"])
def test_simple_bots_play_solo_to_its_end(name: str, wall: str) -> None:
    chosen = Setup("solo", (name,), 0, "easy", wall)
    for seed in some(range(5)):
        assert play(chosen, [SIMPLE_BOTS[name]], Random(seed).randrange).record.rounds


def test_a_bot_answers_for_the_first_seat_that_chooses() -> None:
    state = after(offer({1: "kk"}, board({2: "bb"}), board({1: "r"}), mode="gray"), "1kf")
    assert [text_of(choice) for choice in choices(state)] == [f"tile 0 2 {column}" for column in range(1, 6)]
    state = after(state, "tile 0 2 1")
    assert all(text_of(choice).startswith("tile 1 1 ") for choice in choices(state))


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("1b4", offer({1: "bbbb"})),  # a line filled exactly
        (
            "0w1",
            offer({0: "w", 1: "bbbb"}, board(wall=("byrk.", *["....."] * 4), score=30), board(), marker=1),
        ),
        ("1k3", offer({1: "k", 0: "bbbbb"}, board({1: "y", 2: "yy", 3: "kk"}), board())),
    ],
)
def test_greedy_finds_the_obvious_draft(text: str, position: game.State) -> None:
    assert text_of(play_greedy(position, lambda _: 0)) == text


def test_greedy_takes_the_column_that_scores_most() -> None:
    wall = ("yr...", ".....", ".....", ".....", ".....")
    state = after(offer({1: "kk"}, board({1: "b"}, wall), board(), mode="gray"), "1kf")
    assert text_of(play_greedy(state, lambda _: 0)) == "tile 0 1 3"
