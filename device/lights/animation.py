"""Rhythms of light: a state is told by hue and by rhythm, never by hue alone.

Nothing here flashes more than 3 times a second.
"""

import math
from typing import Final

from hardware.api import Rgb

SLOW: Final = 2.0
"""Seconds of a slow pulse: can be chosen."""
FAST: Final = 0.5
"""Seconds of a fast pulse: chosen."""
SWELL: Final = 1.0
"""Seconds in which a light swells up and falls: advised."""
FLASH: Final = 0.25
"""Seconds of the one short flash: refused."""
BEATS: Final = ((0.0, 0.25), (0.5, 0.75))
"""Seconds in each slow pulse in which a fault is shown: two beats, then a pause."""
FRAMES_A_SECOND: Final = 16
"""How often moving light changes: smooth to the eye, and next to nothing to compute."""

STEADY: Final = 0.7
"""How bright a tile that just lies there is; a pulse goes above and below it."""
FAINT: Final = 0.15
"""How bright a space is that tiles would fill."""


def dimmed(light: Rgb, level: float) -> Rgb:
    """A light at a level from 0 (dark) to 1."""
    return (int(light[0] * level), int(light[1] * level), int(light[2] * level))


def pulse(now: float, seconds: float, low: float, high: float) -> float:
    """The level of a pulse at `now`, between `low` and `high`; exactly the same in each."""
    swing = 0.5 - 0.5 * math.cos(math.tau * (now % seconds) / seconds)
    return low + (high - low) * swing


def slow(now: float) -> float:
    """The level of what can be chosen."""
    return pulse(now, SLOW, 0.25, 1.0)


def fast(now: float) -> float:
    """The level of what is chosen."""
    return pulse(now, FAST, 0.1, 1.0)


def beats(now: float) -> bool:
    """Whether a fault is shown at `now`; between its beats a light shows what it would show without."""
    return any(start <= now % SLOW < end for start, end in BEATS)


def swell(now: float) -> float:
    """The level of what is advised: it grows, and falls at once."""
    return FAINT + (1.0 - FAINT) * min(1.0, now % SWELL / (0.8 * SWELL))


def frame_time(now: float) -> float:
    """The moment that the frame shown at `now` is drawn for: all of a step look the same."""
    return math.floor(now * FRAMES_A_SECOND) / FRAMES_A_SECOND


def next_frame_time(now: float) -> float:
    """When moving light changes next."""
    return (math.floor(now * FRAMES_A_SECOND) + 1) / FRAMES_A_SECOND
