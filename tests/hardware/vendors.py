"""Adafruit's libraries on a machine without pins."""

from __future__ import annotations

import os
import time
from typing import Any
from unittest.mock import patch


def blinka() -> tuple[Any, Any]:
    """Return the modules `board` and `neopixel`; Blinka detects the board once, when it is imported.

    BLINKA_FORCEBOARD alone leaves Blinka 10 without digital pins.
    """
    with patch.dict(os.environ, {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}):
        import board
        import neopixel
    return board, neopixel


def pin(number: int) -> Any:
    """Return a pin with this number; the generic board itself has only a few."""
    blinka()
    from adafruit_blinka.microcontroller.generic_agnostic_board.pin import Pin

    return Pin(number)


class PollingTime:
    """The module `time` for a library that polls: time passes only while it sleeps.

    So a timeout does not expire because the machine is busy.
    """

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        time.sleep(seconds)
