"""Current limit of the lights: estimates the current of a frame, and dims frames to the supply's budget.

The estimate is for WS2812-like lights: each takes an idle current even when it is dark, and each of its
channels takes current in proportion to the level that is sent to it, after gamma correction and brightness.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from hardware.api import LightFrame, Rgb
from hardware.drivers.pixels import FULL, Converter, converter
from hardware.layout.model import Layout

Colours = Counter[tuple[int, Rgb]]
"""How many lights have each colour, by the number of their converter."""


class CurrentLimiter:
    """The current limit of a layout's lights."""

    def __init__(self, layout: Layout) -> None:
        self._supply: Final = layout.supply
        chains = {chain.name: converter(chain) for chain in layout.chains}
        self._converters: list[Converter] = list({id(each): each for each in chains.values()}.values())
        self._converter_of = {
            light.name: next(at for at, each in enumerate(self._converters) if each is chains[light.chain])
            for light in layout.lights
        }
        self._allowed = self._allowed_sum()

    def milliamperes(self, frame: LightFrame) -> float:
        """Estimate the current of a frame in milliamperes: an upper bound, whatever the phase of dithering.

        Raises KeyError if it names a light that the layout does not have.
        """
        return self._estimate(self._channel_sum(self._colours(frame)))

    def limit(self, frame: LightFrame) -> LightFrame:
        """Return the frame, dimmed as a whole if its estimate exceeds the supply's budget.

        A frame within the budget is returned itself, not a copy. All channels are multiplied by the largest
        256th with which the estimate stays within the budget, and rounded down. Raises KeyError if it names a
        light that the layout does not have.
        """
        colours = self._colours(frame)
        if self._channel_sum(colours) <= self._allowed:
            return frame
        low, high = 0, FULL  # dimmed to `low` the frame is within the budget, to `high` it is not
        while high - low > 1:
            middle = (low + high) // 2
            if self._channel_sum(_dimmed_colours(colours, middle)) <= self._allowed:
                low = middle
            else:
                high = middle
        return LightFrame({light: _dimmed(colour, low) for light, colour in frame.lit.items()})

    def _colours(self, frame: LightFrame) -> Colours:
        converter_of = self._converter_of
        return Counter([(converter_of[light], colour) for light, colour in frame.lit.items()])

    def _channel_sum(self, colours: Colours) -> int:
        """Return the sum of all channels that are sent."""
        converters = self._converters
        return sum(number * converters[at][colour].most for (at, colour), number in colours.items())

    def _estimate(self, channel_sum: int) -> float:
        return self._supply.dark + channel_sum * self._supply.channel_milliamperes / FULL

    def _allowed_sum(self) -> int:
        """Return the largest sum of channels whose estimate is within the budget, 0 if there is none."""
        supply = self._supply
        allowed = max(0, int((supply.budget - supply.dark) * FULL / supply.channel_milliamperes) + 1)
        while allowed > 0 and self._estimate(allowed) > supply.budget:
            allowed -= 1
        return allowed


def _dimmed(colour: Rgb, level: int) -> Rgb:
    """Return a colour with every channel multiplied by `level` 255ths, rounded down."""
    red, green, blue = colour
    return red * level // FULL, green * level // FULL, blue * level // FULL


def _dimmed_colours(colours: Colours, level: int) -> Colours:
    dimmed: Colours = Counter()
    for (at, colour), number in colours.items():
        dimmed[at, _dimmed(colour, level)] += number
    return dimmed
