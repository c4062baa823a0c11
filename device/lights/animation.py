"""Pulses, flashes and frame times: how a light's brightness changes with time.

A state has a rhythm as well as a hue, so that nobody has to tell hues apart. No rhythm flashes more than 3
times a second. The period of every rhythm divides SLOW, after which `view.FrameCache` repeats its frames.
"""

import math
from typing import Final

from hardware.api import Rgb

SLOW: Final = 2.0  # seconds of a slow pulse: can be chosen
FAST: Final = 0.5  # seconds of a fast pulse: chosen
SWELL: Final = 1.0  # seconds in which a light grows bright and falls dark: advised
FLASH: Final = 0.25  # seconds of one short flash: refused
BEATS: Final = ((0.0, 0.25), (0.5, 0.75))
"""Seconds within a slow pulse in which a fault is shown: two beats, then a pause."""
FRAMES_A_SECOND: Final = 16  # how often moving light changes: smooth to the eye, and cheap to compute

STEADY: Final = 0.7  # level of a tile that lies there; pulses go above and below it
FAINT: Final = 0.15  # level of a space that tiles would fill


def dimmed(light: Rgb, level: float) -> Rgb:
    """Return a light at a level from 0 (dark) to 1."""
    return (int(light[0] * level), int(light[1] * level), int(light[2] * level))


def pulse(now: float, seconds: float, low: float, high: float) -> float:
    """Return the level of a cosine pulse with a period of some seconds, between `low` and `high`."""
    swing = 0.5 - 0.5 * math.cos(math.tau * (now % seconds) / seconds)
    return low + (high - low) * swing


def swell(now: float) -> float:
    """Return the level of what is advised: it grows, stays, and falls at once."""
    return FAINT + (1.0 - FAINT) * min(1.0, now % SWELL / (0.8 * SWELL))


def beats(now: float) -> bool:
    """Return whether a fault is shown at `now`; between its beats a light shows something else."""
    return any(start <= now % SLOW < end for start, end in BEATS)


def frame_time(now: float) -> float:
    """Return the time of the frame shown at `now`."""
    return math.floor(now * FRAMES_A_SECOND) / FRAMES_A_SECOND


def next_frame_time(now: float) -> float:
    """Return the time of the frame after the one shown at `now`."""
    return (math.floor(now * FRAMES_A_SECOND) + 1) / FRAMES_A_SECOND
