"""The latest snapshot and light frame of the table, and waiting for newer ones (long poll).

Two threads publish, many wait. Nothing is queued: a slow waiter finds only the newest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from web_ui.messages import Layout, Snapshot


class Presence(StrEnum):
    """Whether the table can be seen, and if not, why; the values are keys of the pages' words.

    A table that hangs is connected and sends nothing, not even heartbeats.
    """

    HERE = "here"
    HUNG = "hung"
    AWAY = "away"
    NEWER = "newer"
    UNREADABLE = "unreadable"


class View(Struct, frozen=True):
    """What is known of the table; `number` grows with every change, `raw` is the snapshot as JSON."""

    number: int = 0
    presence: Presence = Presence.AWAY
    layout: Layout | None = None
    snapshot: Snapshot | None = None
    raw: bytes = b""


class Frame(Struct, frozen=True):
    """A light frame: six hex digits for each light, in the order of the names; empty if none is known."""

    number: int = 0
    names: tuple[str, ...] = ()
    colours: str = ""

    def __bool__(self) -> bool:
        return bool(self.colours)


class Latest:
    """The newest view and the newest frame, shared between threads; only its methods change them.

    The frame is empty while nobody wants frames.
    """

    def __init__(self) -> None:
        lock = threading.Lock()
        self._lock = lock
        self._view_changed = threading.Condition(lock)
        self._frame_changed = threading.Condition(lock)
        self._frames_wanted = threading.Condition(lock)
        self.view = View()
        self.frame = Frame()
        self._wanted_until = float("-inf")
        self.closed = False

    def publish(
        self,
        presence: Presence,
        *,
        layout: Layout | None = None,
        snapshot: Snapshot | None = None,
        raw: bytes = b"",
    ) -> None:
        """Set the newest view and wake all waiters; arguments that are left out keep their values."""
        with self._lock:
            old = self.view
            known = layout or old.layout, snapshot or old.snapshot, raw or old.raw
            new = View(old.number, presence, *known)
            if new != old:
                self.view = replace(new, number=old.number + 1)
                self._view_changed.notify_all()
                self._frame_changed.notify_all()

    def publish_frame(self, names: tuple[str, ...], colours: str) -> None:
        """Set the newest frame and wake those that wait for it; an empty string means that none is known."""
        with self._lock:
            old = self.frame
            if (old.colours, old.names) != (colours, names):
                self.frame = Frame(old.number + 1, names, colours)
                self._frame_changed.notify_all()

    def wait_for_view(self, after: int, seconds: float, gone: Callable[[], bool] = lambda: False) -> View:
        """Wait at most so many seconds for a view with a number above `after`; return the newest view.

        `wake` ends the wait if `gone` returns true: the viewer has left.
        """
        with self._lock:
            self._view_changed.wait_for(lambda: self.closed or self.view.number > after or gone(), seconds)
            return self.view

    def wake(self) -> None:
        """Make all that wait for a view check whether their viewer has left."""
        with self._lock:
            self._view_changed.notify_all()

    def wait_for_frame(self, after_view: int, after_frame: int, seconds: float) -> tuple[View, Frame]:
        """Wait at most so many seconds until the view or the frame is newer; return the newest of both."""
        with self._lock:
            self._frame_changed.wait_for(
                lambda: self.closed or self.view.number > after_view or self.frame.number > after_frame,
                seconds,
            )
            return self.view, self.frame

    def want_frames(self, seconds: float) -> None:
        """Ask for frames for so many seconds from now (a lease)."""
        with self._lock:
            self._wanted_until = max(self._wanted_until, time.monotonic() + seconds)
            self._frames_wanted.notify_all()

    def frames_wanted(self) -> bool:
        """Return whether the lease for frames lasts."""
        return not self.closed and time.monotonic() < self._wanted_until

    def wait_until_frames_wanted(self) -> bool:
        """Wait until frames are wanted; return False when the process is about to end."""
        with self._lock:
            self._frames_wanted.wait_for(lambda: self.closed or self.frames_wanted())
            return not self.closed

    def close(self) -> None:
        """End all waiting, now and from now on."""
        with self._lock:
            self.closed = True
            self._view_changed.notify_all()
            self._frame_changed.notify_all()
            self._frames_wanted.notify_all()
