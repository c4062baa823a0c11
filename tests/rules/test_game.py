"""The one face of every mode."""

from random import Random

import pytest

from device.rules import game
from device.rules.errors import SetupError
from device.rules.game import Setup


def test_the_docstring_s_loop_plays_a_game() -> None:
    chance = Random(1)
    state = game.setup(Setup("standard", ("Ana", "Rui")))
    while (turn := game.to_act(state)) != game.NOBODY:
        state = game.apply(
            state,
            game.chance(state, chance.randrange) if turn == game.CHANCE else chance.choice(game.legal(state)),
        )
    assert game.outcome(state) is not None


def test_an_unknown_mode() -> None:
    with pytest.raises(SetupError, match="there is no mode 'chess'; the modes are standard, gray, dtc, solo"):
        game.setup(Setup("chess", ("Ana", "Rui")))


def test_only_solo_has_levels_and_walls() -> None:
    with pytest.raises(SetupError, match="only a solo game"):
        game.setup(Setup("gray", ("Ana", "Rui"), level="easy"))


def test_chance_is_asked_first_in_every_mode() -> None:
    for mode in game.MODES:
        solo = Setup(mode, ("Ana",), level="easy", wall="gray")
        state = game.setup(solo if mode == game.SOLO else Setup(mode, ("Ana", "Rui")))
        assert game.to_act(state) == game.CHANCE
        assert game.legal(state) == []
        assert game.outcome(state) is None
