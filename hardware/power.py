"""What a frame of light asks of the power supply, and how it is kept under the supply's budget.

The estimate is for WS2812-like lights: each takes a little even when dark, and each of its three channels
takes current in proportion to its value. It is made before gamma and brightness, which only ever lower a
channel, so that the real current is never above it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.api import LightFrame

FULL = 255
"""The highest value of a channel."""


@dataclass(frozen=True, slots=True)
class Supply:
    """What feeds the lights: volts and amperes of the supply, and milliamperes that the lights take."""

    volts: float
    amperes: float
    lights: int
    channel_milliamperes: float = 20.0
    idle_milliamperes: float = 1.0

    @property
    def budget(self) -> float:
        """What all lights together may take, in milliamperes."""
        return self.amperes * 1000.0

    @property
    def dark(self) -> float:
        """What the lights take when all of them are dark, in milliamperes."""
        return self.lights * self.idle_milliamperes


def milliamperes(frame: LightFrame, supply: Supply) -> float:
    """Estimate what a frame asks of the supply, in milliamperes: an upper bound."""
    return _estimate(_brightness(frame), supply)


def limit(frame: LightFrame, supply: Supply) -> LightFrame:
    """Return the frame, dimmed as a whole if it asks for more than the supply's budget.

    A frame within the budget is returned itself, not a copy. Channels are rounded down, so that hues may
    move by a hair but the estimate of what is returned is never above the budget.
    """
    brightness = _brightness(frame)
    if brightness == 0 or _estimate(brightness, supply) <= supply.budget:
        return frame
    allowed = _most_brightness(supply)
    dimmed = [value * allowed // brightness for value in range(FULL + 1)]
    return LightFrame(
        {light: (dimmed[red], dimmed[green], dimmed[blue]) for light, (red, green, blue) in frame.lit.items()}
    )


def _brightness(frame: LightFrame) -> int:
    """Add up all channels of all lights."""
    return sum(map(sum, frame.lit.values()))


def _estimate(brightness: int, supply: Supply) -> float:
    return supply.dark + brightness * supply.channel_milliamperes / FULL


def _most_brightness(supply: Supply) -> int:
    """Return the largest sum of channels whose estimate is within the budget, 0 if there is none."""
    most = max(0, int((supply.budget - supply.dark) * FULL / supply.channel_milliamperes))
    while most > 0 and _estimate(most, supply) > supply.budget:
        most -= 1  # the division above may have been rounded up by a hair
    return most
