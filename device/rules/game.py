"""One face for every mode: set up a game, ask who or what is next, apply events, read how it ended.

    state = setup(Setup("standard", ("Ana", "Rui")))
    while (turn := to_act(state)) != NOBODY:
        state = apply(state, chance(state, below) if turn == CHANCE else choose(legal(state)))

Every chance outcome and every choice is an event, so the same events always give the same state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from device.rules import standard
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import Event
from device.rules.scoring import Outcome
from device.rules.solo import game
from device.rules.solo.scoring import SoloOutcome
from device.rules.solo.state import State as SoloState
from device.rules.standard import Phase, Ruleset

CHANCE: Final = "chance"
NOBODY: Final[tuple[int, ...]] = ()

ToAct = tuple[int, ...] | Literal["chance"]
"""CHANCE, or the seats (from 0) that have a choice: one, several at once, or NOBODY when the game is over."""

State: TypeAlias = standard.State | SoloState
"""A game of any mode; `standard.Phase` says what is due in all of them."""

RULESETS: Final = {each.name: each for each in (standard.STANDARD, standard.GRAY, standard.DTC)}
SOLO: Final = "solo"
MODES: Final = (*RULESETS, SOLO)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is decided before the first tile is drawn; `first` is a seat from 0 (R3).

    `level` and `wall` (the player board's) are the solo game's, which needs both (S1).
    """

    mode: str
    players: tuple[str, ...]
    first: int = 0
    level: str | None = None
    wall: str | None = None


def setup(chosen: Setup) -> State:
    """The state before the first chance event (R1, S1); raises SetupError."""
    if chosen.mode == SOLO:
        return game.setup(len(chosen.players), chosen.first, chosen.level, chosen.wall)
    rules = ruleset(chosen.mode)
    if (chosen.level, chosen.wall) != (None, None):
        raise SetupError(f"only a {SOLO} game has a level and a wall to choose, not {chosen.mode}")
    return standard.setup(rules, len(chosen.players), chosen.first)


def ruleset(mode: str) -> Ruleset:
    """The rules of a mode for two or more players by its name; raises SetupError."""
    if mode not in RULESETS:
        raise SetupError(f"there is no mode {mode!r}; the modes are {', '.join(MODES)}")
    return RULESETS[mode]


def to_act(state: State) -> ToAct:
    """Who or what is next."""
    if isinstance(state, SoloState):
        return CHANCE if game.chance_is_due(state) else game.to_act(state)
    return CHANCE if state.phase is Phase.DEAL else standard.to_act(state)


def legal(state: State) -> list[Event]:
    """Every choice that is allowed now, of every seat that has one; empty when it is chance's turn."""
    return game.legal(state) if isinstance(state, SoloState) else standard.legal(state)


def apply(state: State, event: Event) -> State:
    """The state after an event; raises IllegalEventError, with the reason, where the rules forbid it."""
    return game.apply(state, event) if isinstance(state, SoloState) else standard.apply(state, event)


def chance(state: State, below: Callable[[int], int]) -> Event:
    """The chance event that is due, drawn with `below(n)`: a random whole number from 0 to n - 1."""
    return game.chance(state, below) if isinstance(state, SoloState) else standard.chance(state, below)


def outcome(state: State) -> Outcome | SoloOutcome | None:
    """How the game ended; None while it goes on (R15, S14)."""
    return game.outcome(state) if isinstance(state, SoloState) else standard.outcome(state)


def stop(state: State) -> State:
    """End the game between two rounds with its bonuses, as automatic matches do at their limit (R17)."""
    if isinstance(state, SoloState):
        raise IllegalEventError("wrong_mode", "a solo game can't be stopped: S12 alone ends it")
    return standard.stop(state)


def closing_scores(before: State, after: State) -> tuple[int, ...] | None:
    """All seats' totals before the bonuses, if this step closed a wall-tiling (R12, S10)."""
    if isinstance(before, SoloState) and isinstance(after, SoloState):
        return game.closing_scores(before, after)
    assert not isinstance(before, SoloState) and not isinstance(after, SoloState)
    return standard.closing_scores(before, after)
