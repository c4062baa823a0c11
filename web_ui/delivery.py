"""Delivery of actions: each is done at most once, and only in time.

A page sends with an action a random id and the time at which it was made, by this server's clock, which the
page knows from the heartbeats of its stream; a page without a stream asks for it (`/beat`). The network may
delay or repeat the request. `ServerClock` tells how old an action is, and `FirstAnswers` gives a repeated id
the answer to the first.

The page gives up after `GIVE_UP` seconds. From `LATEST` on neither this process nor the table does the
action, so that nothing happens after the page has said that it gave up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from msgspec import Struct, field

GIVE_UP = 5.0
"""Seconds after which a page gives up waiting for an answer; static/delivery.js has the same."""

LATEST = 4.5
"""Seconds after which an action is too late; the rest of `GIVE_UP` is for the answer."""

KEPT_SECONDS = 2 * GIVE_UP
"""Seconds for which an answer is kept at least; an action with its time is too late long before."""

MOST_KEPT = 4096
"""Answers that are kept; where all of them are recent, new actions are refused."""

_Answer = TypeVar("_Answer")


class LateError(Exception):
    """An action that is too old, or was made for an earlier process of the pages."""


class TooManyError(Exception):
    """More actions at once than can be kept apart."""


class ServerClock(Struct, frozen=True):
    """The clock that pages see: stamps EPOCH.MILLISECONDS; the epoch identifies this process."""

    epoch: str
    now: Callable[[], float] = time.monotonic

    def stamp(self) -> str:
        """Return the time now as a stamp."""
        return f"{self.epoch}.{int(self.now() * 1000)}"

    def latest_for(self, made: str) -> float:
        """Return the monotonic time in seconds until which an action may be done that was made at a stamp.

        Without a stamp it was made now. Raises ValueError for anything else than a stamp, and LateError.
        """
        now = self.now()
        if not made:
            return now + LATEST
        epoch, _, milliseconds = made.rpartition(".")
        if not (epoch and milliseconds.isascii() and milliseconds.isdecimal() and len(milliseconds) < 16):
            raise ValueError("no time of an action")
        latest = min(int(milliseconds) / 1000, now) + LATEST  # no page may make an action for later
        if epoch != self.epoch or latest <= now:
            raise LateError
        return latest


class _First(Struct, Generic[_Answer]):
    """The first action with an id: when it came, and its answer or exception once it is done."""

    came: float
    done: threading.Event = field(default_factory=threading.Event)
    answer: _Answer | None = None
    fault: Exception | None = None


class FirstAnswers(Generic[_Answer]):
    """The answers to the latest actions, so that none is done twice; thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic, most: int = MOST_KEPT) -> None:
        self._now = now
        self._most = most
        self._lock = threading.Lock()
        self._firsts: dict[Hashable, _First[_Answer]] = {}  # the oldest first

    def answer(self, key: Hashable, do: Callable[[], _Answer]) -> _Answer:
        """Return what `do` returns, or raises, for the first call with a key; later calls get the same.

        A call while the first one is under way waits for it, at most `GIVE_UP` seconds. Raises LateError
        then, and TooManyError.
        """
        with self._lock:
            first = self._firsts.get(key)
            own = first is None
            if first is None:
                self._forget_old()
                first = self._firsts[key] = _First(self._now())
        if own:
            _do(first, do)
        elif not first.done.wait(GIVE_UP):
            raise LateError
        if first.fault is not None:
            raise first.fault
        return first.answer  # type: ignore[return-value]  # it is done, and not by a fault

    def _forget_old(self) -> None:
        """Drop the oldest answers until there is room for one. Raises TooManyError if they are recent."""
        old = self._now() - KEPT_SECONDS
        while len(self._firsts) >= self._most:
            key, first = next(iter(self._firsts.items()))
            if first.came > old or not first.done.is_set():
                raise TooManyError
            del self._firsts[key]


def _do(first: _First[_Answer], do: Callable[[], _Answer]) -> None:
    try:
        first.answer = do()
    except Exception as fault:  # noqa: BLE001 - it is raised again, for this call and for repeated ones
        first.fault = fault
    finally:
        first.done.set()
