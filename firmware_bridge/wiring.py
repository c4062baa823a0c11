"""The wiring of a table for the Pico: pins of chains, buttons and readers, and its encoding."""

from __future__ import annotations

from binascii import crc32
from struct import pack
from typing import Final

from msgspec import Struct

from firmware_bridge import payload

READER_BAUD: Final = 9600
"""The baud rate of RDM6300 and ID-12LA readers."""
RGB: Final = 3
"""Bytes of a light without a white channel."""
MAX_LIGHT_BYTES: Final = 0xFFFF
"""Bytes of light that a 16-bit offset can address."""


class WiredChain(Struct, frozen=True):
    """The pin of a chain of lights, the number of its lights, and the bytes of each: 3, or 4 with white."""

    pin: int
    lights: int
    channels: int = RGB


class Wiring(Struct, frozen=True):
    """Pins by their GP numbers; `status` is the index of the status light, counted through all chains.

    Switches are numbered from 0: the matrix row by row, then the buttons outside the matrix.
    """

    chains: tuple[WiredChain, ...]
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    buttons: tuple[int, ...] = ()
    readers: tuple[int, ...] = ()
    status: int | None = None

    def encode(self) -> bytes:
        """Encode the wiring for Configure. Raises ValueError for more lights than a frame can address."""
        if self.light_bytes > MAX_LIGHT_BYTES:
            raise ValueError(f"the lights need {self.light_bytes} bytes; {MAX_LIGHT_BYTES} are possible")
        counts = map(len, (self.chains, self.rows, self.columns, self.buttons, self.readers))
        status = payload.NO_STATUS if self.status is None else self.light_offset(self.status)
        return b"".join(
            [
                pack("<BBBBBBH", payload.WIRING_FORMAT, *counts, status),
                *(pack(payload.CHAIN, chain.pin, chain.lights, chain.channels) for chain in self.chains),
                bytes((*self.rows, *self.columns, *self.buttons)),
                *(pack("<BH", pin, READER_BAUD // 100) for pin in self.readers),
            ]
        )

    @property
    def check(self) -> int:
        """The CRC-32 that identifies this wiring; 1 in place of 0."""
        return crc32(self.encode()) or 1

    @property
    def light_bytes(self) -> int:
        """The number of bytes of a frame of all lights."""
        return sum(chain.lights * chain.channels for chain in self.chains)

    def light_offset(self, light: int) -> int:
        """Return the first byte of a light; lights and bytes are counted through all chains from 0.

        Raises ValueError if there is no such light.
        """
        offset = first = 0
        for chain in self.chains:
            if light < first + chain.lights:
                return offset + chain.channels * (light - first)
            offset += chain.channels * chain.lights
            first += chain.lights
        raise ValueError(f"light {light} is on no chain")

    def matrix_switch(self, row: int, column: int) -> int:
        """Return the number of the switch at a row and a column of the matrix, counted from 0."""
        return row * len(self.columns) + column

    def button(self, pin: int) -> int:
        """Return the number of the switch at this pin outside the matrix."""
        return len(self.rows) * len(self.columns) + self.buttons.index(pin)
