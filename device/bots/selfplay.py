"""Games between bots, and the proof of each: its record is read back before the game counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from device.bots.simple import Below, Bot
from device.records import record
from device.records.json_form import RecordError
from device.rules import game
from device.rules.events import Event
from device.rules.game import Setup, State

ROUNDS: Final = 200
"""The limit of rounds in an automatic match (R17)."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that bots have played: its record, verified, and the record's bytes."""

    record: record.Record
    written: bytes


class SelfplayError(Exception):
    """A game did not survive being read back: a fault in this program, never in what it was given."""


def play(chosen: Setup, bots: Sequence[Bot], below: Below, rounds: int = ROUNDS) -> Played:
    """Play one game, a bot for each seat, and verify it; `below(n)` gives a number from 0 to n - 1.

    The limit of rounds is not for solo, which always ends by itself (S12).
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


def _verified(chosen: Setup, events: list[Event], state: State) -> Played:
    stopped = state.outcome() is None
    written = record.write(chosen, events, stopped=stopped)
    try:
        (verified,) = record.read(written.splitlines(keepends=True))
    except RecordError as error:
        raise SelfplayError(f"a game that was played is refused by its own record: {error}") from error
    if verified.events != tuple(events) or verified.state != (state.stop() if stopped else state):
        raise SelfplayError("the record of a game tells another game than the one that was played")
    return Played(verified, written)
