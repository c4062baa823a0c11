"""Games of all modes: `Setup` and `setup`, which returns the first `State` of a game.

    state = setup(Setup("standard", ("Ana", "Rui")))
    while not state.over:
        state = state.apply(state.chance(below) if state.chance_due else choose(state.legal()))

Every chance outcome and every choice is an event, so the same events always give the same state.
"""

from dataclasses import dataclass
from typing import Final

from device.rules import standard
from device.rules.errors import SetupError
from device.rules.solo import game as solo
from device.rules.state import State

__all__ = ["MODES", "RULESETS", "SOLO", "Setup", "State", "setup"]

RULESETS: Final = {each.name: each for each in (standard.STANDARD, standard.GRAY, standard.DTC)}
SOLO: Final = "solo"
MODES: Final = (*RULESETS, SOLO)


@dataclass(frozen=True, slots=True)
class Setup:
    """The decisions before the first tile is drawn; `first` is the seat that starts (R3).

    `level` and `wall` (of the player board) are the solo game's, which needs both (S1).
    """

    mode: str
    players: tuple[str, ...]
    first: int = 0
    level: str | None = None
    wall: str | None = None


def setup(chosen: Setup) -> State:
    """Return the state before the first chance event (R1, S1).

    Raises SetupError for an unknown mode, a wrong number of players, or choices that the mode does not have.
    """
    if chosen.mode == SOLO:
        return solo.setup(len(chosen.players), chosen.first, chosen.level, chosen.wall)
    if chosen.mode not in RULESETS:
        raise SetupError(f"there is no mode {chosen.mode!r}; the modes are {', '.join(MODES)}")
    if (chosen.level, chosen.wall) != (None, None):
        raise SetupError(f"only a {SOLO} game has a level and a wall to choose, not {chosen.mode}")
    return standard.setup(RULESETS[chosen.mode], len(chosen.players), chosen.first)
