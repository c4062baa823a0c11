"""The one face of every mode."""

from random import Random

import pytest

from device.rules import game
from device.rules.errors import SetupError
from device.rules.game import Setup


def test_the_docstring_s_loop_plays_a_game() -> None:
    chance = Random(1)
    state = game.setup(Setup("standard", ("Ana", "Rui")))
    while not state.over:
        state = state.apply(
            state.chance(chance.randrange) if state.chance_due else chance.choice(state.legal())
        )
    assert state.outcome() is not None


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
        assert state.chance_due
        assert state.legal() == []
        assert state.outcome() is None
