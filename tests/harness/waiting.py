"""Polling for a condition with a deadline; no test sleeps for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

Found = TypeVar("Found")

DEADLINE: Final = 60.0
"""Seconds after which a wait fails."""
_PAUSE: Final = 0.005


def until(look: Callable[[], Found | None], name: str, seconds: float = DEADLINE) -> Found:
    """Call `look` until it returns a true value, and return that; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {name}"
        time.sleep(_PAUSE)
    return found
