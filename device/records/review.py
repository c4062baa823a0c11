"""What the choices of a game were worth: which of them to grade, what was lost, and the costliest moves.

A choice is graded by who thinks (`device.bots`) or read from the store; here grades only become a review.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from device.rules import game
from device.rules.events import CENTRE, Chance, Draft, Event, Tile
from device.rules.game import Setup, State

COSTLIEST: Final = 3
"""How many moves of a player a review names."""
WORTH_NAMING: Final = 0.5
"""Points that a move must have lost to be named: less rounds to nothing, and is within a grade's error."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A real choice: one of several that come to different things.

    `number` is the event's, from 0; `seat` is the player's, from 0; `state` is the game before it.
    """

    number: int
    seat: int
    state: State
    event: Event

    @property
    def to_grade(self) -> Event:
        """The choice that stands for this one: of displays that hold the same, the first."""
        return plainest(self.state, self.event)


@dataclass(frozen=True, slots=True)
class Graded:
    """A real choice, the points it lost, and what was better; the choice itself where nothing was."""

    choice: Choice
    lost: float
    best: Event

    @property
    def better(self) -> Choice:
        """What should have been chosen."""
        return replace(self.choice, event=self.best)


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """What a player's choices lost in all, how many were graded, and the costliest, the worst first."""

    lost: float
    choices: int
    costliest: tuple[Graded, ...]


def real_choices(chosen: Setup, events: Iterable[Event]) -> Iterator[Choice]:
    """Every real choice of a game, in the order of its events."""
    state = game.setup(chosen)
    for number, event in enumerate(events):
        if not isinstance(event, Chance):
            seat = _player(state, event)
            if len(_different(state, seat)) > 1:
                yield Choice(number, seat, state, event)
        state = state.apply(event)


def _player(state: State, event: Event) -> int:
    """Whose choice an event is; the two boards of solo are one player's."""
    return state.player_of(event.seat if isinstance(event, Tile) else state.turn)


def _different(state: State, seat: int) -> set[Event]:
    """The choices of a seat, one of each that come to the same."""
    return {
        plainest(state, event) for event in state.legal() if not isinstance(event, Tile) or event.seat == seat
    }


def plainest(state: State, event: Event) -> Event:
    """The choice that stands for all that come to the same: from the first display that holds the same."""
    if not isinstance(event, Draft) or event.source == CENTRE:
        return event
    tiles = state.sources[event.source]
    first = next(source for source in state.sources_to_draft() if source and state.sources[source] == tiles)
    return Draft(first, event.colour, event.line)


def reviews(graded: Iterable[Graded], players: int) -> list[PlayerReview]:
    """The review of each player, by the game's seats."""
    by_player: list[list[Graded]] = [[] for _ in range(players)]
    for each in graded:
        by_player[each.choice.seat].append(each)
    return [_review(each) for each in by_player]


def _review(graded: list[Graded]) -> PlayerReview:
    worst_first = sorted(graded, key=lambda each: (-each.lost, each.choice.number))
    costliest = [each for each in worst_first[:COSTLIEST] if each.lost >= WORTH_NAMING]
    return PlayerReview(sum(each.lost for each in graded), len(graded), tuple(costliest))
