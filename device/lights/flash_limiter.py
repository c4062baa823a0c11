"""Flash limiter: keeps every light at no more than 3 flashes in any second, however people press.

It protects people with photosensitive epilepsy. The rhythms keep the limit by themselves, but presses
switch lights from one colour to another, and many presses do so often. The limiter follows each light up
and down; a light that has flashed too often stays as dark as it was until it may flash again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hardware.api import LightFrame, Rgb

MOST_FLASHES: Final = 3
WITHIN: Final = 1.0  # seconds in which a light may flash MOST_FLASHES times
STEP: Final = 64
HALF: Final = 128
"""A light flashes when its brightest channel rises by STEP since it was darkest, or from below HALF to it."""


class Swing(NamedTuple):
    """The direction of a light, its extreme level in that direction, and its last rises."""

    up: bool = False
    turn: int = 0  # the highest level since it rose, or the lowest since it fell
    rises: tuple[float, ...] = ()  # times in seconds


_RESTING: Final = Swing()


@dataclass(frozen=True, slots=True)
class FlashLimiter:
    """The state of the limiter: the frame shown last, and the swings of its lights."""

    frame: LightFrame = field(default_factory=lambda: LightFrame({}))
    swings: Mapping[str, Swing] = field(default_factory=dict)


def limit_flashes(before: FlashLimiter, frame: LightFrame, now: float) -> FlashLimiter:
    """Return the limiter after a frame at `now` (seconds); its `frame` is what may be shown.

    No channel is brighter than the frame asks for.
    """
    changed = frame.changes(before.frame)
    if not changed:
        return before
    swings = dict(before.swings)
    held: dict[str, Rgb] = {}
    followed: dict[tuple[int, Rgb], tuple[Swing, Rgb]] = {}  # most lights swing as others do
    for name, light in changed.items():
        swing = swings.get(name, _RESTING)
        step = id(swing), light  # lights that swing together share a swing
        if step not in followed:
            followed[step] = _follow(swing, light, now)
        swings[name], shown = followed[step]
        if shown != light:
            held[name] = shown
    return FlashLimiter(LightFrame({**frame.lit, **held}) if held else frame, swings)


def _follow(swing: Swing, light: Rgb, now: float) -> tuple[Swing, Rgb]:
    """Return a light's swing after its next colour, and the colour, held dark if it would flash too often."""
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
    """Return whether two levels are so far apart that a light has turned between them."""
    return high - low >= STEP or low < HALF <= high
