"""Random games of every mode, from sensible to perverse, for the laws that hold at every step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from device.records.record import write
from device.rules import game
from device.rules.events import Draft, Event
from device.rules.game import Setup, State
from device.rules.solo.game import LEVELS, WALLS

ROUNDS = 12
"""Games between players who never finish are stopped here (R17)."""

Style = Callable[[State, list[Event], Random], Event]


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
        return self.last.outcome() is None

    def written(self) -> bytes:
        return write(self.setup, self.events, stopped=self.stopped)

    def lines(self) -> list[bytes]:
        return self.written().splitlines(keepends=True)


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


STYLES: tuple[Style, ...] = (any_choice, mostly_floor, never_full, builder)


def play(chosen: Setup, style: Style, chance: Random) -> Iterator[Step]:
    """Play one game, all seats in one style; where several seats choose, in any order."""
    state = game.setup(chosen)
    while not state.over:
        if state.chance_due and state.round == ROUNDS:
            return
        event = state.chance(chance.randrange) if state.chance_due else style(state, state.legal(), chance)
        before, state = state, state.apply(event)
        yield Step(before, event, state)


@st.composite
def setups(draw: st.DrawFn, mode: str) -> Setup:
    """How a game of a mode can be set up."""
    if mode == game.SOLO:
        return Setup(
            mode, ("Ana",), 0, draw(st.sampled_from(list(LEVELS))), draw(st.sampled_from(list(WALLS)))
        )
    players = 2 if mode == "dtc" else draw(st.integers(2, 4))
    return Setup(mode, ("Ana", "Rui", "Zoë", "李")[:players], draw(st.integers(0, players - 1)))


@st.composite
def games(draw: st.DrawFn, mode: str) -> Game:
    """A whole game of a mode."""
    chosen = draw(setups(mode))
    style = draw(st.sampled_from(STYLES))
    seed = draw(st.integers(0, 2**32 - 1))
    return Game(chosen, tuple(play(chosen, style, Random(seed))))
