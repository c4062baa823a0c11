"""The latest that is known of the table, and the waiting for something newer.

One thread publishes, many wait. A waiter that is slow finds only the newest; nothing is queued.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from web_ui.messages import Layout, Snapshot


class Presence(StrEnum):
    """Whether the table can be seen, and if not, why; each has a sentence in the words."""

    HERE = "here"
    AWAY = "away"
    NEWER = "newer"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class View:
    """What is known of the table; number grows with every change, raw is the snapshot as it came."""

    number: int = 0
    presence: Presence = Presence.AWAY
    layout: Layout | None = None
    snapshot: Snapshot | None = None
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class Frame:
    """The colours of all lights as one string of hex digits, six a light, in the order of the names."""

    number: int = 0
    names: tuple[str, ...] = ()
    colours: str = ""

    def __bool__(self) -> bool:
        return bool(self.colours)


class Latest:
    """The newest view and the newest frame, shared by the thread that publishes and all that wait."""

    def __init__(self) -> None:
        lock = threading.Lock()
        self._lock = lock
        self._view_changed = threading.Condition(lock)
        self._frame_changed = threading.Condition(lock)
        self._frames_wanted = threading.Condition(lock)
        self._view = View()
        self._frame = Frame()
        self._wanted_until = float("-inf")
        self._closed = False

    @property
    def view(self) -> View:
        """The newest view."""
        return self._view

    @property
    def frame(self) -> Frame:
        """The newest frame; an empty one while nobody asks for frames."""
        return self._frame

    @property
    def closed(self) -> bool:
        """Whether the process is about to end."""
        return self._closed

    def publish(
        self,
        presence: Presence,
        *,
        layout: Layout | None = None,
        snapshot: Snapshot | None = None,
        raw: bytes = b"",
    ) -> None:
        """Tell all that wait what is new; what is not given stays as it was."""
        with self._lock:
            old = self._view
            new = replace(
                old,
                presence=presence,
                layout=layout or old.layout,
                snapshot=snapshot or old.snapshot,
                raw=raw or old.raw,
            )
            if new != old:
                self._view = replace(new, number=old.number + 1)
                self._view_changed.notify_all()
                self._frame_changed.notify_all()

    def publish_frame(self, names: tuple[str, ...], colours: str) -> None:
        """Tell those that wait for frames; an empty string says that no frame is known any more."""
        with self._lock:
            old = self._frame
            if (old.colours, old.names) != (colours, names):
                self._frame = Frame(old.number + 1, names, colours)
                self._frame_changed.notify_all()

    def wait_for_view(self, after: int, seconds: float, gone: Callable[[], bool] = lambda: False) -> View:
        """The newest view, waited for while its number is not greater than after, so many seconds at most.

        `wake` ends the waiting where `gone` says that there is nobody to wait for any more.
        """
        with self._lock:
            self._view_changed.wait_for(lambda: self._closed or self._view.number > after or gone(), seconds)
            return self._view

    def wake(self) -> None:
        """Have all that wait for a view look whether there is still somebody to wait for."""
        with self._lock:
            self._view_changed.notify_all()

    def wait_for_frame(self, after_view: int, after_frame: int, seconds: float) -> tuple[View, Frame]:
        """The newest view and frame, waited for while neither is newer, so many seconds at most."""
        with self._lock:
            self._frame_changed.wait_for(
                lambda: self._closed or self._view.number > after_view or self._frame.number > after_frame,
                seconds,
            )
            return self._view, self._frame

    def want_frames(self, seconds: float) -> None:
        """Somebody looks at the lights for so many seconds from now."""
        with self._lock:
            self._wanted_until = max(self._wanted_until, time.monotonic() + seconds)
            self._frames_wanted.notify_all()

    def frames_wanted(self) -> bool:
        """Whether somebody looks at the lights."""
        return not self._closed and time.monotonic() < self._wanted_until

    def wait_until_frames_wanted(self) -> bool:
        """Wait until somebody looks at the lights; False when the process is about to end."""
        with self._lock:
            self._frames_wanted.wait_for(lambda: self._closed or time.monotonic() < self._wanted_until)
            return not self._closed

    def close(self) -> None:
        """Wake everybody up for good."""
        with self._lock:
            self._closed = True
            self._view_changed.notify_all()
            self._frame_changed.notify_all()
            self._frames_wanted.notify_all()
