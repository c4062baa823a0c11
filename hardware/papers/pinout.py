"""Where the pins of a Raspberry Pi and of a Pico are: their places on the board, counted as printed there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

POWER_PINS: Final[Mapping[str, Mapping[int, str]]] = {
    "pi": {
        1: "3V3",
        2: "5V",
        4: "5V",
        17: "3V3",
        **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "GND"),
    },
    "pico": {
        30: "RUN",
        33: "AGND",
        35: "ADC_VREF",
        36: "3V3",
        37: "3V3_EN",
        39: "VSYS",
        40: "VBUS",
        **dict.fromkeys((3, 8, 13, 18, 23, 28, 38), "GND"),
    },
}
"""What is no GPIO pin, by its place."""

_PI: Final = dict(
    zip(
        range(28),
        (
            *(27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33),
            *(8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
        ),
        strict=True,
    )
)
_PICO: Final = dict(
    zip(
        (*range(23), 26, 27, 28),
        sorted(set(range(1, 41)) - POWER_PINS["pico"].keys()),
        strict=True,
    )
)
PLACES: Final[Mapping[str, Mapping[int, int]]] = {"pi": _PI, "pico": _PICO}
"""The place of each GPIO pin, by its number."""
