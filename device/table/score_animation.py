"""The scoring ceremony: how long each step of an account is shown, and which one is shown now."""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.scoring import Account, BonusGiven, FloorCharged, Step, TilePlaced
from device.rules.solo.scoring import FloorCleared, PenaltyCharged

OPENING: Final = 1.0
"""Seconds between the last draft and the first step."""
_SECONDS: Final = 1.2
"""Of a step of most kinds; the runs of a placed tile and the bonuses take longer to see."""
CLOSING: Final = 0.8
"""Seconds after the last step."""


@dataclass(frozen=True, slots=True)
class ScoreAnimation:
    """How far an account has been shown: `shown` steps, the last of them since `since` (seconds)."""

    shown: int
    since: float


def seconds(step: Step) -> float:
    """How long a step is shown; an empty floor has nothing to show."""
    match step.item:
        case FloorCharged(tiles=0) | FloorCleared(tiles=0) | PenaltyCharged(tiles=0):
            return 0.0
        case TilePlaced():
            return 1.6
        case BonusGiven():
            return 1.8
        case _:
            return _SECONDS


def pass_time(ceremony: ScoreAnimation, account: Account | None, now: float) -> ScoreAnimation | None:
    """The ceremony at `now`; None once all has been shown."""
    steps = account.steps if account else ()
    while (until := end_of_step(ceremony, account)) <= now:
        if ceremony.shown == len(steps):
            return None
        ceremony = ScoreAnimation(ceremony.shown + 1, until)
    return ceremony


def next_step(ceremony: ScoreAnimation, account: Account | None, now: float) -> ScoreAnimation | None:
    """The ceremony at its next step that has anything to show; None after the last."""
    steps = account.steps if account else ()
    for shown in range(ceremony.shown + 1, len(steps) + 1):
        if seconds(steps[shown - 1]):
            return ScoreAnimation(shown, now)
    return None


def restart_step(ceremony: ScoreAnimation | None, now: float) -> ScoreAnimation | None:
    """The ceremony after something that it waited for: the step on show begins again."""
    return replace(ceremony, since=now) if ceremony is not None else None


def end_of_step(ceremony: ScoreAnimation, account: Account | None) -> float:
    """When what is shown now has been shown long enough, in the seconds of the events."""
    steps = account.steps if account else ()
    on_show = seconds(steps[ceremony.shown - 1]) if ceremony.shown else OPENING
    return ceremony.since + on_show + (CLOSING if ceremony.shown == len(steps) else 0.0)
