"""Waiting for what other threads do, no longer than it takes."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import TypeVar

from hardware.api import HardwareEvent

Inbox = SimpleQueue[HardwareEvent]
Item = TypeVar("Item")
PATIENCE = 60.0


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def until(happened: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not happened():
        assert monotonic() < end, "it never happened"
        sleep(0.002)


def next_of(queue: SimpleQueue[Item]) -> Item:
    try:
        return queue.get(timeout=PATIENCE)
    except Empty:
        raise AssertionError("nothing came") from None


def waiting_in(queue: SimpleQueue[Item]) -> list[Item]:
    """Take out what is there by now."""
    items = []
    while not queue.empty():
        items.append(queue.get_nowait())
    return items
