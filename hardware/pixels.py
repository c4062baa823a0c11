"""Pixel bytes of light frames: gamma correction, brightness, white channels and colour order of each chain.

A `FrameEncoder` turns a `LightFrame` into the bytes that go over the data lines. Gamma correction and
brightness are applied here and nowhere else; `hardware.power` sums up the same bytes.

A channel of a strip has 256 levels. At low levels the steps between them are visible: level 2 is twice as
bright as level 1. So a `DitheringEncoder` lets moving lights alternate between two neighbouring levels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import ceil, floor
from operator import sub
from time import monotonic
from typing import Final, NamedTuple

from hardware.api import HardwareError, LightFrame, Rgb
from hardware.layout.file import ColourOrder
from hardware.layout.model import Chain, Layout

FULL: Final = 255
"""The highest value of a channel."""
INVALID_CHANNEL: Final = "a frame has a channel outside of 0 to 255; use values from 0 to 255"

DITHER: Final = (0, 2, 1, 3)
"""Quarters of a level that are added in turn before rounding down, in the order of the fastest flicker."""
NEIGHBOURS: Final = (-1, 0, 1)
MOVING: Final = 0.5
"""Seconds within which a light must change twice to count as moving, and for which it then does."""


def unknown_light(light: str, layout: str) -> HardwareError:
    """Return the error for a frame that names a light which the layout does not have."""
    return HardwareError(
        f"a frame names the light {light!r}, which layout {layout!r} does not have; "
        "build frames from the layout's own names"
    )


# --- One light -------------------------------------------------------------------------------------------


class Pixel(NamedTuple):
    """The bytes of one light for a colour: `steady`, and one variant for each phase of DITHER.

    `most` is the sum of the channels of the brightest variant.
    """

    steady: bytes
    dithered: tuple[bytes, ...]
    most: int


class Converter(dict[Rgb, Pixel]):
    """Converter from colours to the bytes of one light, which remembers its results.

    A channel of 0 to 1 is sent as `brightness * channel ** gamma`, rounded to the nearest level. For an order
    with W, the part that red, green and blue have in common is sent on the white channel instead. The
    brightest channels of a lit light are never below 1.

    `converter[colour]` raises HardwareError for a channel outside of 0 to 255.
    """

    LARGEST = 4096  # colours that are remembered

    def __init__(self, order: ColourOrder, brightness: float, gamma: float) -> None:
        super().__init__()
        self._order = ["RGBW".index(letter) for letter in order]
        self._quarters = [4 * FULL * brightness * (value / FULL) ** gamma for value in range(FULL + 1)]

    def __missing__(self, colour: Rgb) -> Pixel:
        if len(self) >= self.LARGEST:
            self.clear()
        pixel = self[colour] = self._convert(colour)
        return pixel

    def _convert(self, colour: Rgb) -> Pixel:
        if not all(0 <= channel <= FULL for channel in colour):
            raise HardwareError(INVALID_CHANNEL)
        channels = [self._quarters[channel] for channel in colour]
        if len(self._order) > len(channels):
            white = min(channels)
            channels = [*(channel - white for channel in channels), white]
        brightest = max(channels)
        if any(colour) and brightest < 4:
            channels = [4.0 if channel == brightest else channel for channel in channels]
        quarters = [floor(channels[at] + 0.5) for at in self._order]
        return Pixel(
            steady=bytes(floor(channels[at] / 4 + 0.5) for at in self._order),
            dithered=tuple(bytes((quarter + more) // 4 for quarter in quarters) for more in DITHER),
            most=sum(ceil(quarter / 4) for quarter in quarters),
        )


@cache
def _converter(order: ColourOrder, brightness: float, gamma: float) -> Converter:
    return Converter(order, brightness, gamma)


def converter(chain: Chain) -> Converter:
    """Return the converter of a chain; chains with equal conversions share one."""
    return _converter(chain.order, chain.brightness, chain.gamma)


def is_near(sent: bytes, nearest: bytes) -> bool:
    """Return whether bytes that were sent are a frame of these nearest levels, but for dithering."""
    return len(sent) == len(nearest) and all(map(NEIGHBOURS.__contains__, map(sub, sent, nearest)))


# --- All lights ------------------------------------------------------------------------------------------


def pixel_offsets(layout: Layout) -> dict[str, int]:
    """Return the offset of each light's first byte, counted over all chains in the layout's order."""
    firsts: dict[str, tuple[int, int]] = {}
    first = 0
    for chain in layout.chains:
        firsts[chain.name] = first, chain.channels
        first += chain.channels * chain.pixels
    return {
        light.name: start + channels * light.pixel
        for light in layout.lights
        for start, channels in [firsts[light.chain]]
    }


class FrameEncoder:
    """Encoder from light frames to the bytes of all chains of a layout, one chain after another."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout.name
        self._size = sum(chain.channels * chain.pixels for chain in layout.chains)
        chains = {chain.name: chain for chain in layout.chains}
        offsets = pixel_offsets(layout)
        self._places = {
            light.name: (slice(offsets[light.name], offsets[light.name] + chain.channels), converter(chain))
            for light in layout.lights
            for chain in [chains[light.chain]]
        }

    def encode(self, frame: LightFrame) -> bytes:
        """Return the bytes of a frame.

        Raises HardwareError if the frame names an unknown light or has a channel outside of 0 to 255.
        """
        data = bytearray(self._size)
        for _, place, pixel in self._pixels(frame.lit):
            data[place] = pixel.steady
        return bytes(data)

    def _pixels(self, lit: Mapping[str, Rgb]) -> list[tuple[str, slice, Pixel]]:
        """Return each light with the place of its bytes. Raises HardwareError as `encode` does."""
        places = self._places
        try:
            return [(light, places[light][0], places[light][1][colour]) for light, colour in lit.items()]
        except KeyError as error:
            raise unknown_light(error.args[0], self._layout) from None


class DitheringEncoder(FrameEncoder):
    """Encoder of successive frames that dithers moving lights over time; all others get their nearest level.

    Two bits are gained that way. Neighbouring lights are in different phases, so that they don't flicker
    together. A light that rests is not dithered: its flicker would be visible.
    """

    def __init__(self, layout: Layout, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(layout)
        self._clock = clock
        self._shown = LightFrame({})
        self._data = bytearray(self._size)
        self._changed_at: dict[str, float] = {}
        self._moving: dict[str, tuple[slice, Pixel]] = {}
        self._phase = 0

    def encode(self, frame: LightFrame) -> bytes:
        """Return the bytes of the next frame. Raises HardwareError as `FrameEncoder.encode` does."""
        now = self._clock()
        pixels = self._pixels(frame.changes(self._shown))  # raises before anything is changed
        self._shown = frame
        self._phase += 1
        for light, place, pixel in pixels:
            if now - self._changed_at.get(light, -MOVING) < MOVING:
                self._moving[light] = place, pixel
            else:
                self._moving.pop(light, None)
                self._data[place] = pixel.steady
            self._changed_at[light] = now
        for light, (place, pixel) in list(self._moving.items()):
            if now - self._changed_at[light] < MOVING:
                self._data[place] = pixel.dithered[(self._phase + place.start) % len(DITHER)]
            else:
                self._data[place] = pixel.steady
                del self._moving[light]
        return bytes(self._data)
