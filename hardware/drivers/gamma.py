"""From a frame to the values that lights are sent: gamma and brightness are applied here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from hardware.api import DARK, HardwareError, LightFrame, Rgb
from hardware.layout.model import Chain, Layout
from hardware.power import FULL

WRONG_CHANNEL: Final = "a frame holds a channel beyond 0 to 255; keep colours inside it"
HAIR: Final = 1e-9
"""What the arithmetic may put on top of a whole number."""


def unknown_light(light: str, layout: str) -> HardwareError:
    """Return the fault of a frame that names a light which the layout of this name has not."""
    return HardwareError(
        f"a frame names the light {light!r}, which layout {layout!r} has not; "
        "build frames from the layout's own names"
    )


def levels(chain: Chain) -> bytes:
    """Return what each value of a channel becomes on this chain.

    Values are rounded up, so that what is lit stays lit; none is ever above what it was, which the limit of
    the current counts on.
    """
    exact = (FULL * chain.brightness * (value / FULL) ** chain.gamma for value in range(1, FULL + 1))
    return bytes((0, *(max(1, ceil(value - HAIR)) for value in exact)))


class ChainColours:
    """Makes the colours of one chain's pixels out of frames, in the order red, green, blue."""

    def __init__(self, layout: Layout, chain: Chain) -> None:
        self._layout = layout.name
        self._names = frozenset(light.name for light in layout.lights)
        self._pixels = {light.name: light.pixel for light in layout.lights if light.chain == chain.name}
        self._count = chain.pixels
        self._levels = levels(chain)

    def of(self, frame: LightFrame) -> list[Rgb]:
        """Return the colour of every pixel; raises HardwareError for what is no frame of this layout."""
        colours: list[Rgb] = [DARK] * self._count
        for light, channels in frame.lit.items():
            pixel = self._pixels.get(light)
            if pixel is not None:
                colours[pixel] = self._sent(channels)
            elif light not in self._names:
                raise unknown_light(light, self._layout)
        return colours

    def _sent(self, channels: Sequence[int]) -> Rgb:
        try:
            red, green, blue = bytes(channels).translate(self._levels)
        except ValueError:
            raise HardwareError(WRONG_CHANNEL) from None
        return red, green, blue
