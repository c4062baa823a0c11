"""`calm`, a beginner: weighs a few choices only, likes to complete lines, forgets the floor."""

from typing import Final

from device.bots.simple import Below, choices
from device.rules.board import FLOOR
from device.rules.events import Draft, Event, Remove
from device.rules.game import State
from device.rules.solo_state import State as SoloState

LOOKED_AT: Final = 5
"""How many of the choices a beginner weighs."""


def play_calm(state: State, below: Below) -> Event:
    """The nicest of a few choices."""
    allowed = choices(state)
    sensible = [event for event in allowed if not isinstance(event, Draft) or event.line != FLOOR] or allowed
    looked_at = [sensible[below(len(sensible))] for _ in range(LOOKED_AT)]
    return max(looked_at, key=lambda event: _liking(state, event))


def _liking(state: State, event: Event) -> float:
    if isinstance(event, Remove):
        return 0 if event.position is None else 1
    if not isinstance(event, Draft):
        return 0  # all columns, squares and swaps look alike
    number = state.sources[event.source][event.colour]
    if event.line == FLOOR:
        return -number
    held = state.boards[state.turn].held[event.line - 1]
    fit = min(number, event.line - held)
    completes = held + fit == event.line
    carelessness = 0.2 if isinstance(state, SoloState) else 0.5
    return fit + 2 * completes - carelessness * (number - fit)
