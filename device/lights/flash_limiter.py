"""Calm lights: none flashes more than 3 times in any second, however people press.

That is for people with photosensitive epilepsy. The rhythms keep to it by themselves, but presses make lights
jump from one to another, and a flood of presses does so often. So each light's way up and down is followed;
one that has flashed often enough stays as dark as it was, until it may flash again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hardware.api import LightFrame, Rgb

MOST_FLASHES: Final = 3
WITHIN: Final = 1.0
"""Seconds in which a light may flash so often."""
STEP: Final = 64
HALF: Final = 128
"""A light flashes when its brightest channel rises by a STEP since it was darkest, or from below HALF."""


class Swing(NamedTuple):
    """How a light goes up and down: the level where it will have turned, and when it rose of late."""

    up: bool = False
    turn: int = 0  # the highest level since it rose; the lowest since it fell
    rises: tuple[float, ...] = ()


_RESTING: Final = Swing()


@dataclass(frozen=True, slots=True)
class FlashLimiter:
    """The frame shown last, and the swings of its lights."""

    frame: LightFrame = field(default_factory=lambda: LightFrame({}))
    swings: Mapping[str, Swing] = field(default_factory=dict)


def limit_flashes(past: FlashLimiter, frame: LightFrame, now: float) -> FlashLimiter:
    """What may be shown at `now` (seconds) of a frame, after all that was shown before.

    No channel is ever brighter than the frame asks for.
    """
    lit, before = frame.lit, past.frame.lit
    changed = [name for name, light in lit.items() if before.get(name) != light]
    changed += before.keys() - lit.keys()
    if not changed:
        return past
    swings = dict(past.swings)
    held: dict[str, Rgb] = {}
    followed: dict[tuple[Swing, Rgb], tuple[Swing, Rgb]] = {}  # most swing as others do
    for name in changed:
        step = swings.get(name, _RESTING), frame.colour(name)
        if step not in followed:
            followed[step] = _follow(*step, now)
        swings[name], shown = followed[step]
        if shown != step[1]:
            held[name] = shown
    return FlashLimiter(LightFrame({**lit, **held}) if held else frame, swings)


def _follow(swing: Swing, light: Rgb, now: float) -> tuple[Swing, Rgb]:
    """A light's swing with its next colour, and the colour, held back where it would flash too often."""
    level = max(light)
    if swing.up:
        if _is_turn(level, swing.turn):
            return Swing(up=False, turn=level, rises=swing.rises), light
        rises = (*swing.rises[:-1], now) if level > swing.turn else swing.rises  # it is still rising
        return Swing(up=True, turn=max(swing.turn, level), rises=rises), light
    if not _is_turn(swing.turn, level):
        return Swing(up=False, turn=min(swing.turn, level), rises=swing.rises), light
    if len(swing.rises) == MOST_FLASHES and now - swing.rises[0] < WITHIN:
        red, green, blue = (channel * swing.turn // level for channel in light)
        return swing, (red, green, blue)
    return Swing(up=True, turn=level, rises=(*swing.rises, now)[-MOST_FLASHES:]), light


def _is_turn(low: int, high: int) -> bool:
    """Whether two levels are so far apart that a light has turned between them."""
    return high - low >= STEP or low < HALF <= high
