"""Server-sent events: one stream for each viewer, limited by slots.

A stream sends the page regions and the light frames that changed, in the viewer's language, and every second
a heartbeat with the server's clock. A page that misses heartbeats shows that it is not up to date. The thread
of a stream sleeps on a condition until there is news or the heartbeat is due. Taking a slot wakes the streams
whose client has disconnected, so that they end and free their threads.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct, field

from web_ui.compression import STREAM_HEADER, WORTH_COMPRESSING, Kept, compress_message
from web_ui.delivery import ServerClock
from web_ui.latest import Frame, Latest, View
from web_ui.render import Renderer
from web_ui.text.words import Words
from web_ui.views.phone import TABLE, Viewer, seated

HEARTBEAT = 1.0
"""Seconds between two heartbeats; static/feed.js counts on them."""

FRAMES_LEASE = 10.0
"""Seconds for which a viewer of the twin keeps the subscription to light frames, also on a busy machine."""

LEASE_RENEWAL = 1.0
"""Seconds after which a stream of the twin renews its lease."""

KEPT_MESSAGES = 32
"""How many compressed messages are kept, for all streams that send the same."""

CACHED_DIFFERENCES = 100
"""How many differences between light frames are cached, for all streams that are at the same frame."""


class Slots:
    """A limit on concurrent streams, each of which occupies a thread of the server.

    `wake` is called when slots are taken back from disconnected clients, so that their streams end.
    """

    def __init__(self, count: int, wake: Callable[[], None] = lambda: None) -> None:
        self.count = count
        self._wake = wake
        self._lock = threading.Lock()
        self._taken: dict[object, Callable[[], bool]] = {}

    def take(self, disconnected: Callable[[], bool]) -> Callable[[], None] | None:
        """Take a slot and return the function that releases it (idempotent); None when all are taken.

        `disconnected` returns whether the client has hung up; a slot whose client has is free at once.
        """
        slot = object()
        with self._lock:
            kept = {other: has_left for other, has_left in self._taken.items() if not has_left()}
            any_left = len(kept) < len(self._taken)
            self._taken = kept
            if len(kept) < self.count:
                kept[slot] = disconnected
        if any_left:
            self._wake()
        return (lambda: self._release(slot)) if slot in kept else None

    def _release(self, slot: object) -> None:
        with self._lock:
            self._taken.pop(slot, None)


class Subscription(Struct, frozen=True):
    """A viewer's request for a stream: the language, and the view number that the page already shows.

    `since` is -1 for a page that shows nothing yet; `disconnected` returns whether the client has hung up;
    `gzip`: the client accepts a compressed stream. `claim` is that of the client's phone: the seat that
    belongs to it may change. `by_hand` is the language that was chosen by hand, empty for none.
    """

    viewer: Viewer
    words: Words
    since: int
    disconnected: Callable[[], bool]
    gzip: bool = False
    claim: str = ""
    by_hand: str = ""


@lru_cache(CACHED_DIFFERENCES)
def _difference(old: Frame, new: Frame) -> bytes:
    """Return the lights that changed, `{"some": {index: colour}}`, or `{"all": colours}` if shorter."""
    if old.names == new.names:
        before, after = old.colours, new.colours
        some = {
            start // 6: after[start : start + 6]
            for start in range(0, len(after), 6)
            if before[start : start + 6] != after[start : start + 6]
        }
        if 2 * len(some) < len(new.names):
            return json.dumps({"some": some}, separators=(",", ":")).encode()
    return json.dumps({"all": new.colours}, separators=(",", ":")).encode()


class Streams(Struct, frozen=True):
    """Generates event streams; `greeting` returns the versions that a page must match to be current."""

    latest: Latest
    renderer: Renderer
    greeting: Callable[[View, Viewer, str], dict[str, str]]
    clock: ServerClock
    heartbeat: float = HEARTBEAT
    _packed: Kept = field(default_factory=lambda: Kept(KEPT_MESSAGES))

    def events(self, subscription: Subscription) -> Iterator[bytes]:
        """Yield the bytes of events until the client disconnects or the process ends.

        `hello`: the greeting, first and whenever it changes. `news`: the regions that changed; its id is the
        stamp from which a client resumes. `lights`: a difference between frames. `beat`: the heartbeat, after
        all that was news by then.
        """
        messages = self._messages(subscription)
        if not subscription.gzip:
            yield from map(b"".join, messages)
            return
        header = STREAM_HEADER
        for parts in messages:
            yield header + b"".join(map(self._pack, parts))
            header = b""

    def _pack(self, message: bytes) -> bytes:
        """Return a message compressed; long ones are compressed once for all streams."""
        if len(message) < WORTH_COMPRESSING:
            return compress_message(message)
        return self._packed.get(message, lambda: compress_message(message))

    def _messages(self, subscription: Subscription) -> Iterator[list[bytes]]:
        greeted: dict[str, str] | None = None
        number, frame = subscription.since, Frame()
        seen = -1, -1
        beat_at = time.monotonic()
        while not self.latest.closed and not subscription.disconnected():
            view, newest = self._wait(subscription, *seen, beat_at - time.monotonic())
            seen = view.number, newest.number
            parts = []
            viewer = seated(subscription.viewer, subscription.claim, view.snapshot)
            greeting = self.greeting(view, viewer, subscription.by_hand)
            if greeting != greeted:
                greeted = greeting
                parts.append(b"retry: 1000\n" + _event("hello", json.dumps(greeting).encode()))
            if view.number != number:
                rendering = self.renderer.rendering(viewer, subscription.words, view)
                news, number = rendering.news(number), rendering.number
                parts.append(_event("news", news, f"{self.clock.epoch}.{number}"))
            if newest.number != frame.number and (newest or frame):
                parts.append(_event("lights", _difference(frame, newest)))
                frame = newest
            if time.monotonic() >= beat_at:
                parts.append(_event("beat", b'"%b"' % self.clock.stamp().encode()))
                beat_at = time.monotonic() + self.heartbeat
            if parts:
                yield parts

    def _wait(self, subscription: Subscription, view: int, frame: int, timeout: float) -> tuple[View, Frame]:
        """Wait until there is a newer view or frame than these numbers; return the newest of both."""
        if subscription.viewer.page == TABLE:
            self.latest.want_frames(FRAMES_LEASE)
            return self.latest.wait_for_frame(view, frame, min(timeout, LEASE_RENEWAL))
        return self.latest.wait_for_view(view, timeout, subscription.disconnected), Frame()


def _event(name: str, data: bytes, stamp: str = "") -> bytes:
    head = f"id: {stamp}\nevent: {name}\n" if stamp else f"event: {name}\n"
    return head.encode() + b"data: " + data + b"\n\n"
