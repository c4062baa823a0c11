"""Adafruit's libraries, as they run on a machine without pins."""

from __future__ import annotations

import os
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
