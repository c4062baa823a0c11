"""Random games of every mode, in styles from careful to perverse, for the laws that hold at every step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from hypothesis import settings
from hypothesis import strategies as st

from device.records.record import write
from device.rules import game
from device.rules.events import Draft, Event, Remove
from device.rules.game import Setup, State
from device.rules.solo.game import LEVELS, WALLS, SoloState, preview
from device.rules.solo.penalty_row import PLAYER

ROUNDS = 12
"""Games whose players never finish are stopped here (R17)."""
SAMPLE = max(10, settings().max_examples // 5)
"""How many games of a mode `sample` plays: in proportion to the examples of the Hypothesis profile."""
SOLO_SAMPLE = 3 * SAMPLE
"""Solo games are short, and few of them last for many rounds."""

Style = Callable[[State, list[Event], Random], Event]
"""Chooses one of the legal choices."""


@dataclass(frozen=True, slots=True)
class Step:
    """An event with the states on both sides of it."""

    before: State
    event: Event
    after: State


@dataclass(frozen=True, slots=True)
class Game:
    """A game played at random."""

    setup: Setup
    steps: tuple[Step, ...]

    @property
    def events(self) -> list[Event]:
        return [step.event for step in self.steps]

    @property
    def last(self) -> State:
        return self.steps[-1].after

    @property
    def stopped(self) -> bool:
        return not self.last.over

    def written(self) -> bytes:
        return write(self.setup, self.events, stopped=self.stopped)

    def lines(self) -> list[bytes]:
        return self.written().splitlines(keepends=True)


# --- Styles ----------------------------------------------------------------------------------------------


def any_choice(_: State, choices: list[Event], chance: Random) -> Event:
    return chance.choice(choices)


def mostly_floor(_: State, choices: list[Event], chance: Random) -> Event:
    """Full floors, and a lid that fills quickly."""
    floors = [event for event in choices if isinstance(event, Draft) and event.line == 0]
    return chance.choice(floors if floors and chance.random() < 0.7 else choices)


def never_full(state: State, choices: list[Event], chance: Random) -> Event:
    """Lines that stay almost full, so that tiles lie on the boards and the bag runs dry."""

    def leaves_room(event: Event) -> bool:
        if not isinstance(event, Draft) or not event.line:
            return False
        held = state.boards[state.turn].held[event.line - 1]
        return held + state.sources[event.source][event.colour] < event.line

    return chance.choice([event for event in choices if leaves_room(event)] or choices)


def builder(state: State, choices: list[Event], chance: Random) -> Event:
    """Whole lines wherever one can be had, so that walls fill up."""

    def waste(event: Event) -> int:
        if not isinstance(event, Draft):
            return 0
        if not event.line:
            return 9
        held = state.boards[state.turn].held[event.line - 1]
        return abs(event.line - held - state.sources[event.source][event.colour])

    least = min(map(waste, choices))
    return chance.choice([event for event in choices if waste(event) == least])


def careful(state: State, choices: list[Event], chance: Random) -> Event:
    """Solo: a short penalty row, so that the game goes on for more rounds than a random one."""
    assert isinstance(state, SoloState)
    if isinstance(choices[0], Remove):
        return choices[0]
    if not isinstance(choices[0], Draft):
        return chance.choice(choices)
    return min(choices, key=lambda choice: (_cost(state, choice), chance.random()))


def _cost(state: SoloState, choice: Event) -> tuple[int, int]:
    assert isinstance(choice, Draft)
    pick = preview(state, choice)
    before, now = state.boards[state.turn], pick.boards[state.turn]
    fills = choice.line > 0 and now.line_is_full(choice.line)
    goes_on = choice.line > 0 and before.held[choice.line - 1] > 0
    return len(pick.sent), -2 * fills - goes_on + len(pick.boards[PLAYER].floor)


def mostly_careful(state: State, choices: list[Event], chance: Random) -> Event:
    return (careful if chance.random() < 0.9 else any_choice)(state, choices, chance)


STYLES: tuple[Style, ...] = (any_choice, mostly_floor, never_full, builder)
SOLO_STYLES: tuple[Style, ...] = (careful, careful, careful, mostly_careful, any_choice)


# --- Games -----------------------------------------------------------------------------------------------


def play(chosen: Setup, style: Style, chance: Random) -> Iterator[Step]:
    """Play one game, all seats in one style; where several seats choose, in any order."""
    state = game.setup(chosen)
    while not state.over:
        if state.chance_due and state.round == ROUNDS:
            return
        event = state.chance(chance.randrange) if state.chance_due else style(state, state.legal(), chance)
        before, state = state, state.apply(event)
        yield Step(before, event, state)


def setups(mode: str) -> list[Setup]:
    """Every way to set up a game of a mode."""
    if mode == game.SOLO:
        return [Setup(mode, ("Ana",), 0, level, wall) for wall, level in product(WALLS, LEVELS)]
    most = game.RULESETS[mode].most_players
    names = ("Ana", "Rui", "Zoë", "李")
    return [Setup(mode, names[:n], first) for n in range(2, most + 1) for first in range(n)]


@cache
def sample(mode: str) -> tuple[Game, ...]:
    """Games of a mode in all styles and setups in turn; the same games in every run."""
    styles, size = (SOLO_STYLES, SOLO_SAMPLE) if mode == game.SOLO else (STYLES, SAMPLE)
    found = []
    for number in range(size):
        chosen = setups(mode)[number % len(setups(mode))]
        chance = Random(f"{mode} {number}")
        found.append(Game(chosen, tuple(play(chosen, styles[number % len(styles)], chance))))
    return tuple(found)


@st.composite
def games(draw: st.DrawFn, mode: str) -> Game:
    """A whole game of a mode."""
    chosen = draw(st.sampled_from(setups(mode)))
    style = draw(st.sampled_from(STYLES))
    seed = draw(st.integers(0, 2**32 - 1))
    return Game(chosen, tuple(play(chosen, style, Random(seed))))
