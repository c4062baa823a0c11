"""A table's wires as the Pico needs to know them, and as the bytes that tell it."""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass
from typing import Final

from firmware_bridge import payload

READER_BAUD: Final = 9600
"""What RDM6300 and ID-12LA readers send at."""
BYTES_A_LIGHT: Final = 3
MOST_BYTES: Final = 0xFFFF
"""Of lights: what an offset in a run can reach."""


@dataclass(frozen=True, slots=True)
class WiredChain:
    """The pin of a chain of lights, and how many there are."""

    pin: int
    lights: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """Pins by their GP numbers; `status` is the light (counted over all chains) that shows how the table is.

    Switches are numbered from 0: those of the matrix row by row, then the buttons with a pin of their own.
    """

    chains: tuple[WiredChain, ...]
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    buttons: tuple[int, ...] = ()
    readers: tuple[int, ...] = ()
    status: int | None = None

    def encoded(self) -> bytes:
        """The bytes of Configure; raises ValueError for more lights than a frame can address."""
        if self.light_bytes > MOST_BYTES:
            most = MOST_BYTES // BYTES_A_LIGHT
            raise ValueError(f"{self.light_bytes // BYTES_A_LIGHT} lights are more than the {most} possible")
        return payload.wiring(
            [(chain.pin, chain.lights) for chain in self.chains],
            list(self.rows),
            list(self.columns),
            list(self.buttons),
            [(pin, READER_BAUD) for pin in self.readers],
            payload.NO_STATUS if self.status is None else self.status * BYTES_A_LIGHT,
        )

    @property
    def check(self) -> int:
        """The number by which both sides know this wiring; never 0."""
        return crc32(self.encoded()) or 1

    @property
    def light_bytes(self) -> int:
        """How many bytes a frame of all lights has."""
        return BYTES_A_LIGHT * sum(chain.lights for chain in self.chains)

    @property
    def switches(self) -> int:
        """How many switches there may be."""
        return len(self.rows) * len(self.columns) + len(self.buttons)

    def crossing(self, row: int, column: int) -> int:
        """The number of the switch at a crossing of the matrix, both counted from 0."""
        return row * len(self.columns) + column

    def button(self, pin: int) -> int:
        """The number of the switch with this pin of its own."""
        return len(self.rows) * len(self.columns) + self.buttons.index(pin)
