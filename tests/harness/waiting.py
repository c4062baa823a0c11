"""Waiting for something to become true, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

Found = TypeVar("Found")

DEADLINE: Final = 60.0
"""Seconds after which a test that waits in vain fails."""
_PAUSE: Final = 0.005


def until(look: Callable[[], Found | None], what: str, seconds: float = DEADLINE) -> Found:
    """What `look` finds, once it is true; fails with `what` was waited for when it does not come."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain for {what}"
        time.sleep(_PAUSE)
    return found
