"""How fast a phone may press and ask: no faster than hands do, so that none of them floods the table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PRESSES_A_SECOND = 10
PRESSES_AT_ONCE = 10
"""Presses that may come all at once, after a rest."""

MOST_PHONES = 1000
"""Phones whose pace is remembered; beyond, those that rested are forgotten, then all."""


class Pace:
    """Counts presses, or questions, by the address that they come from; any thread may ask."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        a_second: float = PRESSES_A_SECOND,
        at_once: float = PRESSES_AT_ONCE,
    ) -> None:
        self._clock = clock
        self._each = 1 / a_second
        self._most = at_once / a_second
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}

    @property
    def remembered(self) -> int:
        """How many phones' pace is remembered."""
        return len(self._free_at)

    def allows(self, address: str) -> bool:
        """Whether a press that comes now is not too fast; if so it is counted."""
        now = self._clock()
        with self._lock:
            if len(self._free_at) >= MOST_PHONES and address not in self._free_at:
                self._forget(now)
            free_at = max(self._free_at.get(address, now), now) + self._each
            if free_at - now > self._most + 1e-9:
                return False
            self._free_at[address] = free_at
            return True

    def _forget(self, now: float) -> None:
        self._free_at = {address: free_at for address, free_at in self._free_at.items() if free_at > now}
        if len(self._free_at) >= MOST_PHONES:
            self._free_at = {}
