"""Current limit of the lights: estimates the current of a frame, and dims frames to the supply's budget.

The estimate is for WS2812-like lights: each takes an idle current even when it is dark, and each of its
channels takes current in proportion to the level that is sent to it, after gamma correction and brightness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hardware.api import LightFrame, Rgb
from hardware.layout.model import Layout
from hardware.pixels import FULL, converter


class CurrentLimiter:
    """The current limit of a layout's lights."""

    def __init__(self, layout: Layout) -> None:
        self._supply: Final = layout.supply
        chains = {chain.name: converter(chain) for chain in layout.chains}
        self._converters = {light.name: chains[light.chain] for light in layout.lights}
        self._allowed = self._allowed_sum()
        self._steady: Mapping[str, Rgb] = {}  # of the last frame, and the sum of its channels
        self._steady_sum = 0

    def milliamperes(self, frame: LightFrame) -> float:
        """Estimate the current of a frame in milliamperes: an upper bound, whatever the phase of dithering.

        Raises KeyError if it names a light that the layout does not have.
        """
        return self._estimate(self._channel_sum(frame.lit))

    def limit(self, frame: LightFrame) -> LightFrame:
        """Return the frame, dimmed as a whole if its estimate exceeds the supply's budget.

        A frame within the budget is returned itself, not a copy. Otherwise all channels are multiplied by the
        largest number of 255ths with which the estimate stays within the budget, and rounded down. Raises
        KeyError if it names a light that the layout does not have.
        """
        if self._steady is not frame.steady:
            self._steady, self._steady_sum = frame.steady, self._channel_sum(frame.steady)
        if self._steady_sum + self._channel_sum(frame.moving) <= self._allowed:
            return frame
        lit = frame.lit
        low, high = 0, FULL  # dimmed to `low` the frame is within the budget, to `high` it is not
        while high - low > 1:
            middle = (low + high) // 2
            if self._channel_sum(_dimmed(lit, middle)) <= self._allowed:
                low = middle
            else:
                high = middle
        return LightFrame(_dimmed(lit, low))

    def _channel_sum(self, lit: Mapping[str, Rgb]) -> int:
        """Return the sum of all channels that are sent."""
        converters = self._converters
        return sum([converters[light][colour].most for light, colour in lit.items()])

    def _estimate(self, channel_sum: int) -> float:
        return self._supply.dark + channel_sum * self._supply.channel_milliamperes / FULL

    def _allowed_sum(self) -> int:
        """Return the largest sum of channels whose estimate is within the budget, 0 if there is none."""
        supply = self._supply
        allowed = max(0, int((supply.budget - supply.dark) * FULL / supply.channel_milliamperes) + 1)
        while allowed > 0 and self._estimate(allowed) > supply.budget:
            allowed -= 1
        return allowed


def _dimmed(lit: Mapping[str, Rgb], level: int) -> dict[str, Rgb]:
    """Return lights with every channel multiplied by `level` 255ths, rounded down."""
    dimmed = [channel * level // FULL for channel in range(FULL + 1)]
    return {light: (dimmed[red], dimmed[green], dimmed[blue]) for light, (red, green, blue) in lit.items()}
