"""Reviews of games: the choices to grade, the points that each lost, and the costliest of each player.

The grades come from `device.bots` or from the store; `reviews` only sums them up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from device.rules import game
from device.rules.events import CENTRE, Chance, Draft, Event, Tile
from device.rules.game import Setup, State

COSTLIEST: Final = 3  # choices of a player that a review names
WORTH_NAMING: Final = 0.5  # points that a named choice has lost at least: less is within a grade's error


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice between several that have different results.

    `number` is the index of the event, `seat` the player's seat, `state` the game before the choice.
    """

    number: int
    seat: int
    state: State
    event: Event

    @property
    def representative(self) -> Event:
        """The representative of all choices with the same result, which is graded for them."""
        return representative(self.state, self.event)


@dataclass(frozen=True, slots=True)
class Graded:
    """A choice, the points that it lost, and the best choice instead; itself if none was better."""

    choice: Choice
    lost: float
    best: Event

    @property
    def better(self) -> Choice:
        """The best choice instead."""
        return replace(self.choice, event=self.best)


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """The points that a player's choices lost in all, their number, and the costliest, the worst first."""

    lost: float
    choices: int
    costliest: tuple[Graded, ...]


def real_choices(chosen: Setup, events: Iterable[Event]) -> Iterator[Choice]:
    """Yield every choice between different results, in order. Raises RulesError if the game is not legal."""
    state = game.setup(chosen)
    for number, event in enumerate(events):
        if not isinstance(event, Chance):
            board = event.seat if isinstance(event, Tile) else state.turn
            seat = state.player_of(board)
            if len(_results(state, seat)) > 1:
                yield Choice(number, seat, state, event)
        state = state.apply(event)


def _results(state: State, seat: int) -> set[Event]:
    """Return the choices of a seat, one for each result."""
    return {
        representative(state, event)
        for event in state.legal()
        if not isinstance(event, Tile) or event.seat == seat
    }


def representative(state: State, event: Event) -> Event:
    """Return the choice with the same result from the first display that holds the same tiles."""
    if not isinstance(event, Draft) or event.source == CENTRE:
        return event
    tiles = state.sources[event.source]
    first = next(source for source in state.sources_to_draft() if source and state.sources[source] == tiles)
    return Draft(first, event.colour, event.line)


def reviews(graded: Iterable[Graded], players: int) -> list[PlayerReview]:
    """Return the review of each player, by seat."""
    by_player: list[list[Graded]] = [[] for _ in range(players)]
    for each in graded:
        by_player[each.choice.seat].append(each)
    return [_review(each) for each in by_player]


def _review(graded: list[Graded]) -> PlayerReview:
    worst_first = sorted(graded, key=lambda each: (-each.lost, each.choice.number))
    costliest = [each for each in worst_first[:COSTLIEST] if each.lost >= WORTH_NAMING]
    return PlayerReview(sum(each.lost for each in graded), len(graded), tuple(costliest))
