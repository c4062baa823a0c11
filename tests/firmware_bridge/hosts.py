"""A host for tests: a link, and the events that it delivers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from firmware_bridge.link import Link, Lost
from firmware_bridge.protocol import Connection, Event
from firmware_bridge.wiring import Wiring
from tests.firmware_bridge.wirings import SMALL

T = TypeVar("T")
WAIT_TIMEOUT = 60
"""A timeout in seconds that is long enough for a busy machine."""


class Host:
    """A link and the events that it delivers; it waits long for a silent Pico."""

    def __init__(self, port: str, wiring: Wiring = SMALL, silence: float = WAIT_TIMEOUT) -> None:
        self.connection = Connection(wiring, int.from_bytes(os.urandom(4)) or 1, silence)
        self.events: list[Event | Lost] = []
        self.tries = 0  # how often it looked for the port
        self._port = port
        self._changed = threading.Condition()
        self.link = Link(self.connection, self._try, self._put)
        self.link.start()

    def _try(self) -> str:
        with self._changed:
            self.tries += 1
            self._changed.notify_all()
        return self._port

    def _put(self, event: Event | Lost) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait_until(self, true: Callable[[], bool], seconds: float = WAIT_TIMEOUT) -> bool:
        end = monotonic() + seconds
        with self._changed:
            while not true():
                if not self._changed.wait(end - monotonic()) and monotonic() >= end:
                    return true()
            return True

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]

    def wait_for(self, kind: type[object], count: int = 1, seconds: float = WAIT_TIMEOUT) -> None:
        assert self.wait_until(lambda: len(self.of(kind)) >= count, seconds), self.events
