"""Waiting for the threads of drivers, and a clock for them."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import TypeVar

from hardware.api import HardwareEvent

Inbox = SimpleQueue[HardwareEvent]
Item = TypeVar("Item")
PATIENCE = 60.0
"""Seconds after which a wait fails."""


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def until(happened: Callable[[], bool]) -> None:
    """Wait until a condition is true. Raises AssertionError after PATIENCE."""
    end = monotonic() + PATIENCE
    while not happened():
        assert monotonic() < end, "it never happened"
        sleep(0.002)


def next_of(queue: SimpleQueue[Item]) -> Item:
    """Return the next item of a queue. Raises AssertionError after PATIENCE."""
    try:
        return queue.get(timeout=PATIENCE)
    except Empty:
        raise AssertionError("nothing came") from None


def waiting_in(queue: SimpleQueue[Item]) -> list[Item]:
    """Return all items that are in a queue now."""
    items = []
    while not queue.empty():
        items.append(queue.get_nowait())
    return items
