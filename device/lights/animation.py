"""Rhythms, flashes and frame times: how a light's brightness changes with time.

A state has a rhythm as well as a hue, so that nobody has to tell hues apart. No rhythm flashes more than 3
times a second. The period of every rhythm divides SLOW.

A light of a painting is a steady colour or a `Moving` one, from which the colour at any time follows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from hardware.api import Rgb

SLOW: Final = 2.0  # seconds of a slow pulse: can be chosen
FAST: Final = 0.5  # seconds of a fast pulse: chosen
SWELL: Final = 1.0  # seconds in which a light grows bright and falls dark: advised
FLASH: Final = 0.25  # seconds of one short flash: refused
BEATS: Final = ((0.0, 0.25), (0.5, 0.75))
"""Seconds within a slow pulse in which a fault is shown: two beats, then a pause."""
FRAMES_A_SECOND: Final = 48
"""Frames in which light moves: below some 40 the eye sees steps. Every period is a whole number of frames."""
TICKS_A_SECOND: Final = 12
"""How often time passes for a table without events, at every fourth frame."""

ROUNDING: Final = 1e-6  # of a frame: the time of a frame must not count as one before it

STEADY: Final = 0.7  # level of a tile that lies there; pulses go above and below it
FAINT: Final = 0.15  # level of a space that tiles would fill


def dimmed(light: Rgb, level: float) -> Rgb:
    """Return a light at a level from 0 (dark) to 1."""
    return (int(light[0] * level), int(light[1] * level), int(light[2] * level))


def mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a colour between two: the first at a share of 0, the other at a share of 1."""
    red, green, blue = (int(start + (end - start) * share) for start, end in zip(one, other, strict=True))
    return red, green, blue


# --- Waves: from 0 to 1 and back with the time in seconds ------------------------------------------------


def slow_wave(now: float) -> float:
    """Return the height of the cosine wave with the period SLOW."""
    return 0.5 - 0.5 * math.cos(math.tau * (now % SLOW) / SLOW)


def fast_wave(now: float) -> float:
    """Return the height of the cosine wave with the period FAST."""
    return 0.5 - 0.5 * math.cos(math.tau * (now % FAST) / FAST)


def swell(now: float) -> float:
    """Return the height of what is advised: it grows, stays, and falls at once."""
    return min(1.0, now % SWELL / (0.8 * SWELL))


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A level that follows a wave: `low` where the wave is 0, `low + swing` where it is 1.

    It can be multiplied by a number and added to one, as a steady level can.
    """

    wave: Callable[[float], float]
    low: float
    swing: float

    def at(self, now: float) -> float:
        """Return the level at `now`, in seconds on the clock of the events."""
        return self.low + self.swing * self.wave(now)

    def __mul__(self, factor: float) -> "Rhythm":
        return Rhythm(self.wave, self.low * factor, self.swing * factor)

    __rmul__ = __mul__

    def __radd__(self, level: float) -> "Rhythm":
        return Rhythm(self.wave, self.low + level, self.swing)


CAN_BE_CHOSEN: Final = Rhythm(slow_wave, 0.25, 0.75)
CHOSEN: Final = Rhythm(fast_wave, 0.1, 0.9)
ADVISED: Final = Rhythm(swell, FAINT, 1.0 - FAINT)

Level = float | Rhythm


# --- Moving colours --------------------------------------------------------------------------------------


class Moving(Protocol):
    """A colour that changes with time; equal ones are hashed alike."""

    def at(self, now: float) -> Rgb:
        """Return the colour at `now`, in seconds on the clock of the events."""


Shown = Rgb | Moving
"""What a light shows: a steady colour, or a moving one."""


@dataclass(frozen=True, slots=True)
class Pulsing:
    """A light that follows a rhythm."""

    light: Rgb
    rhythm: Rhythm

    def at(self, now: float) -> Rgb:
        """Return the colour at `now`."""
        return dimmed(self.light, self.rhythm.at(now))


@dataclass(frozen=True, slots=True)
class InTurn:
    """Several lights one after another, each for the time of a slow pulse."""

    lights: tuple[Shown, ...]

    def at(self, now: float) -> Rgb:
        """Return the colour at `now`."""
        return colour_at(self.lights[int(now // SLOW) % len(self.lights)], now)


@dataclass(frozen=True, slots=True)
class Beating:
    """A fault: shown in two beats, between which the light shows something else."""

    fault: Rgb
    between: Shown

    def at(self, now: float) -> Rgb:
        """Return the colour at `now`."""
        beats = any(start <= now % SLOW < end for start, end in BEATS)
        return self.fault if beats else colour_at(self.between, now)


def at_level(light: Rgb, level: Level) -> Shown:
    """Return a light at a steady level from 0 (dark) to 1, or in a rhythm."""
    return Pulsing(light, level) if isinstance(level, Rhythm) else dimmed(light, level)


def colour_at(shown: Shown, now: float) -> Rgb:
    """Return the colour of a steady or moving light at `now`."""
    return shown if isinstance(shown, tuple) else shown.at(now)


# --- Frame times -----------------------------------------------------------------------------------------


def frame_time(now: float) -> float:
    """Return the time of the frame shown at `now`."""
    return _times_passed(now, FRAMES_A_SECOND) / FRAMES_A_SECOND


def next_time(now: float, times_a_second: int) -> float:
    """Return the next of the times at which something happens so many times a second."""
    return (_times_passed(now, times_a_second) + 1) / times_a_second


def _times_passed(now: float, times_a_second: int) -> int:
    return math.floor(now * times_a_second + ROUNDING)
