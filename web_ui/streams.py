"""Server-sent events: one stream a viewer, as many as there are slots.

A stream sends what changed, in the words of the viewer's language, and nothing while nothing changes but a
sign of life. It sleeps until there is news, or its sign of life is due; and whoever takes a slot wakes those
whose viewer has left, so that no thread is kept for nobody when it gets tight.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from web_ui.latest import Frame, Latest, View
from web_ui.render import Renderer
from web_ui.text.words import Words
from web_ui.views.phone import TABLE, Onlooker

SIGN_OF_LIFE = 10.0
"""Seconds of silence after which a stream says that it lives."""

FRAMES_LEASE = 10.0
"""Seconds for which a viewer of the twin keeps the light frames coming, on a busy machine too."""

LEASE_AGAIN = 1.0
"""Seconds after which it asks for them again."""

KEPT_DIFFERENCES = 100
"""How many differences between frames are kept for other viewers."""


class Slots:
    """The places for streams; each takes a thread of the server. `wake` wakes those whose viewer has left."""

    def __init__(self, count: int, wake: Callable[[], None] = lambda: None) -> None:
        self.count = count
        self._wake = wake
        self._lock = threading.Lock()
        self._taken: dict[object, Callable[[], bool]] = {}

    @property
    def taken(self) -> int:
        """How many streams there are."""
        return len(self._taken)

    def take(self, gone: Callable[[], bool]) -> Callable[[], None] | None:
        """A place for a viewer, as the function that gives it back, once or often; None when all are taken.

        `gone` says that the viewer has left: their place is free at once, and their stream ends.
        """
        slot = object()
        with self._lock:
            staying = {other: left for other, left in self._taken.items() if not left()}
            some_left = len(staying) < len(self._taken)
            self._taken = staying
            if len(staying) < self.count:
                staying[slot] = gone
        if some_left:
            self._wake()
        return (lambda: self._give_back(slot)) if slot in staying else None

    def _give_back(self, slot: object) -> None:
        with self._lock:
            self._taken.pop(slot, None)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who looks on, in which language, as far as which view; gone says that they left."""

    onlooker: Onlooker
    words: Words
    since: int
    gone: Callable[[], bool]


class LightNews:
    """The differences between frames as JSON, each made once for all viewers that are as far."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bytes] = {}

    def between(self, old: Frame, new: Frame) -> bytes:
        """What changed from the old frame to the new one; all of it where that is shorter to say."""
        key = old.number, new.number
        news = self._known.get(key)
        if news is None:
            if len(self._known) >= KEPT_DIFFERENCES:
                self._known = {}
            news = self._known[key] = _light_news(old, new)
        return news


def _light_news(old: Frame, new: Frame) -> bytes:
    if old.names == new.names:
        before, after = old.colours, new.colours
        some = {
            place // 6: after[place : place + 6]
            for place in range(0, len(after), 6)
            if before[place : place + 6] != after[place : place + 6]
        }
        if 2 * len(some) < len(new.names):
            return json.dumps({"some": some}, separators=(",", ":")).encode()
    return json.dumps({"all": new.colours}, separators=(",", ":")).encode()


class Streams:
    """Makes the streams; `greeting` says what a page must be made from to be current."""

    def __init__(
        self,
        latest: Latest,
        renderer: Renderer,
        greeting: Callable[[View, Onlooker], dict[str, str]],
        epoch: str,
    ) -> None:
        self._latest = latest
        self._renderer = renderer
        self._greeting = greeting
        self._epoch = epoch
        self._light_news = LightNews()

    def events(self, viewer: Viewer) -> Iterator[bytes]:
        """The events for a viewer, until they are gone or the process ends."""
        greeted: dict[str, str] | None = None
        number, frame = viewer.since, Frame()
        waited_for = -1, -1
        last_word = time.monotonic()
        while not self._latest.closed and not viewer.gone():
            due = last_word + SIGN_OF_LIFE - time.monotonic()
            view, newest = self._wait(viewer, *waited_for, due)
            waited_for = view.number, newest.number
            parts = []
            greeting = self._greeting(view, viewer.onlooker)
            if greeting != greeted:
                greeted = greeting
                parts.append(b"retry: 1000\n" + _event("hello", json.dumps(greeting).encode()))
            if view.number != number:
                rendering = self._renderer.rendering(viewer.onlooker, viewer.words, view)
                news, number = rendering.news(number), rendering.number
                parts.append(_event("news", news, f"{self._epoch}.{number}"))
            if newest.number != frame.number and (newest or frame):
                parts.append(_event("lights", self._light_news.between(frame, newest)))
                frame = newest
            if not parts and time.monotonic() - last_word >= SIGN_OF_LIFE:
                parts.append(b": keep-alive\n" + _event("beat", b"."))
            if parts:
                yield b"".join(parts)
                last_word = time.monotonic()

    def _wait(self, viewer: Viewer, view: int, frame: int, seconds: float) -> tuple[View, Frame]:
        if viewer.onlooker.page == TABLE:
            self._latest.want_frames(FRAMES_LEASE)
            return self._latest.wait_for_frame(view, frame, min(seconds, LEASE_AGAIN))
        return self._latest.wait_for_view(view, seconds, viewer.gone), Frame()


def _event(name: str, data: bytes, stamp: str = "") -> bytes:
    head = f"id: {stamp}\nevent: {name}\n" if stamp else f"event: {name}\n"
    return head.encode() + b"data: " + data + b"\n\n"
