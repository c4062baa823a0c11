"""The core against `device.rules`; `core_check` runs with many more games."""

import random
from pathlib import Path

import pytest

from device.bots.convert import to_position
from device.bots.core import constants
from device.bots.core.position import Position
from device.bots.core.solo_position import SoloPosition
from device.records import record
from device.rules import game
from device.rules.game import Setup
from device.rules.standard import StandardState
from tests.bots.core_check import (
    SETUPS,
    check_events,
    check_random_game,
    core_of,
    differences,
    drafts_of,
    events_of,
    figures,
    title,
)
from tests.harness.sampling import some
from tests.rules.positions import board, offer

GOLDEN = sorted(Path(__file__).parents[1].joinpath("golden").glob("*.jsonl"))
SHARED = sorted(Path(__file__).parents[3].joinpath("shared", "records").glob("*.jsonl"))
GAMES, FEW = 100, 8


@pytest.mark.parametrize("chosen", some(SETUPS), ids=title)
def test_random_games_agree_step_by_step(chosen: Setup) -> None:
    chance = random.Random(title(chosen))
    for _ in some(range(GAMES), FEW):
        assert check_random_game(chosen, chance)


@pytest.mark.parametrize("path", some(GOLDEN + SHARED), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_records_agree_step_by_step(path: Path) -> None:
    with path.open("rb") as file:
        for each in some(record.read(file), 30):
            check_events(each.setup, each.events)


def test_differences_between_core_and_rules_are_found() -> None:
    state = offer({1: "kk", 2: "b"}, board({2: "b"}), board())
    core = to_position(state)
    core.play(drafts_of(core)[0])
    assert differences(core, state)


def rounds_of(chosen: Setup, seed: int) -> list[StandardState]:
    """Return the states at the first draft of each round of a random game."""
    chance = random.Random(seed)
    state = game.setup(chosen)
    starts = []
    while not state.over and state.round < 8:
        if state.chance_due:
            state = state.apply(state.chance(chance.randrange))
            assert isinstance(state, StandardState)
            starts.append(state)
        else:
            state = state.apply(chance.choice(state.legal()))
    return starts


@pytest.mark.parametrize("chosen", [each for each in SETUPS if each.mode != "solo"], ids=title)
def test_unmake_restores_every_position_of_a_round(chosen: Setup) -> None:
    chance = random.Random(5)
    for state in rounds_of(chosen, 5):
        core = to_position(state)
        before = []
        while core.phase == constants.OFFER:
            before.append(figures(core))
            core.make(chance.choice(drafts_of(core)))
        for each in reversed(before):
            core.unmake()
            assert figures(core) == each


def test_a_copy_equals_its_original() -> None:
    for chosen in SETUPS:
        state = game.setup(chosen).apply(game.setup(chosen).chance(random.Random(1).randrange))
        core = core_of(state)
        if isinstance(core, SoloPosition):
            solo = SoloPosition()
            solo.copy_from(core)
            assert figures(solo) == figures(core)
        else:
            copy = Position(2)
            copy.copy_from(core)
            assert figures(copy) == figures(core)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_of_the_core_have_the_expected_length(players: int) -> None:
    core = Position(players, seed=3)
    drafts = rounds = 0
    for number in range(50):
        core.clear(number % players)
        drafts += core.random_game()
        rounds += core.round
        assert core.phase == constants.OVER
        assert core.row_complete or not any(core.pool)
        assert events_of(core) == []
    # As far as 50 games may be from the means of a million: 70, 88 and 108 drafts, 6.6 to 6.8 rounds.
    assert {2: 60, 3: 76, 4: 96}[players] < drafts / 50 < {2: 81, 3: 100, 4: 121}[players]
    assert 5.8 < rounds / 50 < 7.6


def test_random_solo_games_of_the_core_end() -> None:
    core = SoloPosition(gray=True, seed=3)
    endings = set()
    for _ in range(300):
        core.clear(5, 20)
        while core.phase != constants.OVER:
            if core.phase in (constants.DEAL, constants.PENALTY, constants.COLOUR, constants.DRAW):
                core.draw_chance()
            else:
                core.play(core.random_choice())
        endings.add(core.ending)
    assert (
        {constants.EIGHTH_TILE, constants.NO_POINTS, constants.ROW_COMPLETE}
        >= endings
        >= {constants.EIGHTH_TILE}
    )


def test_deals_are_fair() -> None:
    core = Position(4, seed=11)
    seen = [0] * 5
    for _ in range(2000):
        core.clear(0)
        core.deal()
        for colour in range(5):
            seen[colour] += core.sources[1] >> 5 * colour & 31
    assert all(1500 < number < 1700 for number in seen), seen
