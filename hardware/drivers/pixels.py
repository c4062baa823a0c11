"""Pixel bytes of light frames: gamma correction, brightness and colour order of each chain.

A `FrameEncoder` turns a `LightFrame` into the bytes that go over the data lines. Gamma correction and
brightness are applied here and nowhere else.
"""

from __future__ import annotations

from math import ceil
from typing import Final

from hardware.api import HardwareError, LightFrame
from hardware.layout.file import ColourOrder
from hardware.layout.model import Chain, Layout
from hardware.power import FULL

BYTES_PER_PIXEL: Final = 3
INVALID_CHANNEL: Final = "a frame has a channel outside of 0 to 255; use values from 0 to 255"
_ROUNDING: Final = 1e-9
"""Floating point error that must not round a whole number up to the next."""


def unknown_light(light: str, layout: str) -> HardwareError:
    """Return the error for a frame that names a light which the layout does not have."""
    return HardwareError(
        f"a frame names the light {light!r}, which layout {layout!r} does not have; "
        "build frames from the layout's own names"
    )


def gamma_table(chain: Chain) -> bytes:
    """Return the byte that is sent on this chain for each channel value, 0 to 255.

    Values are rounded up, so that a lit light stays lit; none is ever raised, because the current limit
    is computed before gamma correction.
    """
    exact = (FULL * chain.brightness * (value / FULL) ** chain.gamma for value in range(1, FULL + 1))
    return bytes((0, *(max(1, ceil(value - _ROUNDING)) for value in exact)))


def pixel_numbers(layout: Layout) -> dict[str, int]:
    """Return the pixel number of each light, counted from 0 over all chains in the layout's order."""
    firsts: dict[str, int] = {}
    first = 0
    for chain in layout.chains:
        firsts[chain.name] = first
        first += chain.pixels
    return {light.name: firsts[light.chain] + light.pixel for light in layout.lights}


class FrameEncoder:
    """Encoder from light frames to the bytes of all chains of a layout, one chain after another.

    `order` is the colour order of the result; by default each chain has its own.
    """

    def __init__(self, layout: Layout, order: ColourOrder | None = None) -> None:
        self._layout = layout.name
        self._chains: list[tuple[int, int, bytes]] = []
        orders: dict[str, tuple[int, int, int]] = {}
        end = 0
        for chain in layout.chains:
            start, end = end, end + BYTES_PER_PIXEL * chain.pixels
            self._chains.append((start, end, gamma_table(chain)))
            first, second, third = ("RGB".index(colour) for colour in order or chain.order)
            orders[chain.name] = first, second, third
        self._size = end
        pixels = pixel_numbers(layout)
        self._places = {
            light.name: (BYTES_PER_PIXEL * pixels[light.name], *orders[light.chain])
            for light in layout.lights
        }

    def encode(self, frame: LightFrame) -> bytes:
        """Return the bytes of a frame.

        Raises HardwareError if the frame names an unknown light or has a channel outside of 0 to 255.
        """
        data = bytearray(self._size)
        try:
            for light, channels in frame.lit.items():
                offset, first, second, third = self._places[light]
                data[offset : offset + BYTES_PER_PIXEL] = bytes(
                    (channels[first], channels[second], channels[third])
                )
        except KeyError as error:
            raise unknown_light(error.args[0], self._layout) from None
        except ValueError:
            raise HardwareError(INVALID_CHANNEL) from None
        return b"".join(data[start:end].translate(table) for start, end, table in self._chains)
