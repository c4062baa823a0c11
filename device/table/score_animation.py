"""Score animation: which step of the scoring is shown at a moment, and for how long."""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.scoring import BonusGiven, FloorCharged, Step, TilePlaced
from device.rules.solo.scoring import FloorCleared, PenaltyCharged
from device.table.game import Play

OPENING: Final = 1.0  # seconds between the last draft and the first step
CLOSING: Final = 0.8  # seconds after the last step


@dataclass(frozen=True, slots=True)
class ScoreAnimation:
    """How much of an account is shown: `shown` steps, the last of them since `since` (seconds)."""

    shown: int
    since: float


def seconds(step: Step) -> float:
    """Return how many seconds a step is shown; an empty floor takes no time."""
    match step.item:
        case FloorCharged(tiles=0) | FloorCleared(tiles=0) | PenaltyCharged(tiles=0):
            return 0.0
        case TilePlaced():
            return 1.6
        case BonusGiven():
            return 1.8
        case _:
            return 1.2


def pass_time(animation: ScoreAnimation, play: Play, now: float, opening: float) -> ScoreAnimation | None:
    """Return the animation at `now`, None when it is over; its first step comes after `opening` seconds."""
    steps = _steps(play)
    while True:
        at_end = animation.shown == len(steps)
        until = animation.since + (seconds(steps[animation.shown - 1]) if animation.shown else opening)
        if now < until + (CLOSING if at_end else 0.0):
            return animation
        if at_end:
            return None
        animation = ScoreAnimation(animation.shown + 1, until)


def next_step(animation: ScoreAnimation, play: Play, now: float) -> ScoreAnimation | None:
    """Return the animation at its next step that takes time; None after the last."""
    for shown, step in enumerate(_steps(play)[animation.shown :], start=animation.shown + 1):
        if seconds(step):
            return ScoreAnimation(shown, now)
    return None


def _steps(play: Play) -> tuple[Step, ...]:
    assert play.state.account is not None
    return play.state.account.steps


def restart_step(animation: ScoreAnimation | None, now: float) -> ScoreAnimation | None:
    """Return the animation with the step on show begun again, after an interruption."""
    return replace(animation, since=now) if animation is not None else None
