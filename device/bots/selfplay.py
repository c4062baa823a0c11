"""Self-play: games between bots, each verified by reading its own record back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from device.bots.simple import Below, Bot
from device.records import record
from device.records.json_form import RecordError
from device.rules import game
from device.rules.events import Event
from device.rules.game import Setup, State

ROUNDS: Final = 200  # limit of rounds in an automatic game (R17)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A verified game between bots: its record, and the record's bytes."""

    record: record.Record
    written: bytes


class SelfplayError(Exception):
    """The record of a game does not reproduce the game: an error in this program."""


def play(chosen: Setup, bots: Sequence[Bot], below: Below, rounds: int = ROUNDS) -> PlayedGame:
    """Play one game, a bot for each seat, and verify its record; `below(n)` draws from 0 to n - 1.

    A game ends after so many rounds, except for solo, which always ends by itself (S12). Raises
    SelfplayError.
    """
    limited = chosen.mode != game.SOLO
    events: list[Event] = []
    state = game.setup(chosen)
    while not state.over:
        if limited and state.chance_due and state.round == rounds:
            break
        event = state.chance(below) if state.chance_due else bots[state.to_act()[0]](state, below)
        events.append(event)
        state = state.apply(event)
    return _verified(chosen, events, state)


def _verified(chosen: Setup, events: list[Event], state: State) -> PlayedGame:
    stopped = state.outcome() is None
    written = record.write(chosen, events, stopped=stopped)
    try:
        (verified,) = record.read(written.splitlines(keepends=True))
    except RecordError as error:
        raise SelfplayError(f"the record of a game is refused: {error}") from error
    if verified.events != tuple(events) or verified.state != (state.stop() if stopped else state):
        raise SelfplayError("the record of a game does not reproduce the game")
    return PlayedGame(verified, written)
