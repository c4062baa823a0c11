"""Score animation: which step of the scoring is shown at a moment, and for how long."""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.scoring import Account, BonusGiven, FloorCharged, Step, TilePlaced
from device.rules.solo.scoring import FloorCleared, PenaltyCharged

OPENING: Final = 1.0
"""Seconds between the last draft and the first step."""
CLOSING: Final = 0.8
"""Seconds after the last step."""
_SECONDS: Final = 1.2
"""Seconds of most steps."""
_TILE_SECONDS: Final = 1.6
_BONUS_SECONDS: Final = 1.8


@dataclass(frozen=True, slots=True)
class ScoreAnimation:
    """How much of an account is shown: `shown` steps, the last of them since `since` (seconds)."""

    shown: int
    since: float


def seconds(step: Step) -> float:
    """Return how long a step is shown; an empty floor takes no time."""
    match step.item:
        case FloorCharged(tiles=0) | FloorCleared(tiles=0) | PenaltyCharged(tiles=0):
            return 0.0
        case TilePlaced():
            return _TILE_SECONDS
        case BonusGiven():
            return _BONUS_SECONDS
        case _:
            return _SECONDS


def pass_time(animation: ScoreAnimation, account: Account | None, now: float) -> ScoreAnimation | None:
    """Return the animation at `now`; None when it is over."""
    steps = account.steps if account else ()
    while (until := end_of_step(animation, account)) <= now:
        if animation.shown == len(steps):
            return None
        animation = ScoreAnimation(animation.shown + 1, until)
    return animation


def next_step(animation: ScoreAnimation, account: Account | None, now: float) -> ScoreAnimation | None:
    """Return the animation at its next step that takes time; None after the last."""
    steps = account.steps if account else ()
    for shown in range(animation.shown + 1, len(steps) + 1):
        if seconds(steps[shown - 1]):
            return ScoreAnimation(shown, now)
    return None


def restart_step(animation: ScoreAnimation | None, now: float) -> ScoreAnimation | None:
    """Return the animation with the step on show begun again, after an interruption."""
    return replace(animation, since=now) if animation is not None else None


def end_of_step(animation: ScoreAnimation, account: Account | None) -> float:
    """Return when the step on show ends, on the clock of the events."""
    steps = account.steps if account else ()
    on_show = seconds(steps[animation.shown - 1]) if animation.shown else OPENING
    return animation.since + on_show + (CLOSING if animation.shown == len(steps) else 0.0)
