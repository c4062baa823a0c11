"""Adafruit's libraries, as they run on a machine without pins."""

from __future__ import annotations

import os
import time
from typing import Any
from unittest.mock import patch


def blinka() -> tuple[Any, Any]:
    """Return the modules `board` and `neopixel`; Blinka looks once, when it is imported, where it runs.

    BLINKA_FORCEBOARD alone leaves Blinka 10 without digital pins.
    """
    with patch.dict(os.environ, {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}):
        import board
        import neopixel
    return board, neopixel


def pin(number: int) -> Any:
    """Return a pin of this number; the board without pins has only a few, in places of its own."""
    blinka()
    from adafruit_blinka.microcontroller.generic_agnostic_board.pin import Pin

    return Pin(number)


class Looks:
    """The time of a library that looks again and again: it passes by its looks alone.

    So what it waits for has the time, however long the machine does something else meanwhile.
    """

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        time.sleep(seconds)
