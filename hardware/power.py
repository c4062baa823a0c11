"""Current limit of the lights: estimates the current of a frame, and dims frames to the supply's budget.

The estimate is for WS2812-like lights: each takes an idle current even when it is dark, and each of its three
channels takes current in proportion to its value. It is made before gamma correction and brightness, which
only ever lower a channel, so that it is an upper bound.
"""

from __future__ import annotations

from msgspec import Struct

from hardware.api import LightFrame

FULL = 255
"""The highest value of a channel."""


class Supply(Struct, frozen=True):
    """The power supply of the lights: its volts and amperes, and the milliamperes that lights take."""

    volts: float
    amperes: float
    lights: int
    channel_milliamperes: float = 20.0
    idle_milliamperes: float = 1.0

    @property
    def budget(self) -> float:
        """The milliamperes that all lights together may take."""
        return self.amperes * 1000.0

    @property
    def dark(self) -> float:
        """The milliamperes that the lights take when all of them are dark."""
        return self.lights * self.idle_milliamperes


def milliamperes(frame: LightFrame, supply: Supply) -> float:
    """Estimate the current of a frame in milliamperes: an upper bound."""
    return _estimate(_channel_sum(frame), supply)


def limit(frame: LightFrame, supply: Supply) -> LightFrame:
    """Return the frame, dimmed as a whole if its estimate exceeds the supply's budget.

    A frame within the budget is returned itself, not a copy. Channels are rounded down, so that hues may
    change slightly, but the estimate of the result never exceeds the budget.
    """
    channel_sum = _channel_sum(frame)
    if channel_sum == 0 or _estimate(channel_sum, supply) <= supply.budget:
        return frame
    allowed = _allowed_sum(supply)
    dimmed = [value * allowed // channel_sum for value in range(FULL + 1)]
    return LightFrame(
        {light: (dimmed[red], dimmed[green], dimmed[blue]) for light, (red, green, blue) in frame.lit.items()}
    )


def _channel_sum(frame: LightFrame) -> int:
    """Return the sum of all channels of all lights."""
    return sum(map(sum, frame.lit.values()))


def _estimate(channel_sum: int, supply: Supply) -> float:
    return supply.dark + channel_sum * supply.channel_milliamperes / FULL


def _allowed_sum(supply: Supply) -> int:
    """Return the largest sum of channels whose estimate is within the budget, 0 if there is none."""
    allowed = max(0, int((supply.budget - supply.dark) * FULL / supply.channel_milliamperes))
    while allowed > 0 and _estimate(allowed, supply) > supply.budget:
        allowed -= 1  # the division above may have been rounded up
    return allowed
