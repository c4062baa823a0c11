"""The connections of the pages to the table's socket: two subscriptions, and a short one for each question.

One thread keeps a subscription to the snapshots for as long as the process lives. The table sends something
at least every second, a heartbeat if nothing else; after `SILENCE` without a line the table is published as
hung, until the next one. Another thread keeps a subscription with light frames, only while somebody looks at
the twin. Both reconnect with a growing pause (backoff).
"""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from web_ui.latest import Latest, Presence
from web_ui.messages import (
    Action,
    ActionBase,
    Answer,
    ErrorMessage,
    FrameMessage,
    Layout,
    LayoutMessage,
    Lines,
    MessageError,
    NewerSchemaError,
    Question,
    SnapshotMessage,
    Subscribe,
    encode,
    read_message,
    read_snapshot,
)

log = logging.getLogger(__name__)

SHORTEST_PAUSE = 0.1
"""Seconds before the first attempt to reconnect; each further pause is twice as long."""

LONGEST_PAUSE = 1.0
"""Seconds of the longest pause between two attempts."""

ANSWER_TIME = 5.0
"""Seconds that the table has to answer a question."""

ANSWER_MARGIN = 0.4
"""Seconds by which the answer to an action may come later than the action may be done."""

SILENCE = 3.5
"""Seconds without a line from the table after which it counts as hung; its heartbeat is 1 s."""

CLOSING_TIME = 2.0
"""Seconds that each thread has to end in."""

LEASE_CHECK = 1.0
"""Seconds after which the frames' thread checks again whether frames are still wanted."""

_HEX = re.compile("[0-9a-fA-F]*")


class TableAwayError(OSError):
    """The table can't be reached, or does not answer in time."""


class TableSilentError(TableAwayError):
    """The table is there and does not answer in time."""


class TableLink:
    """Keeps `latest` up to date from the table's socket, and sends actions and questions to it.

    A subscription to frames looks every `lease_check` seconds whether they are still wanted. The table counts
    as hung after `silence` seconds without a line.
    """

    def __init__(
        self,
        path: Path,
        latest: Latest,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
        lease_check: float = LEASE_CHECK,
        silence: float = SILENCE,
    ) -> None:
        self.path = path
        self._silence = silence
        self._before_silence = Presence.AWAY
        self._lease_check = lease_check
        self.latest = latest
        self._pause = pause
        self._closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads = [
            threading.Thread(target=self._keep_snapshots, name="table-snapshots", daemon=True),
            threading.Thread(target=self._keep_frames, name="table-frames", daemon=True),
        ]

    def start(self) -> None:
        """Start both threads; they return when `close` is called."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End both threads and wake everything that waits for `latest`."""
        self._closing.set()
        self.latest.close()
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):  # it is gone already
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=CLOSING_TIME)

    def ask(self, message: Action | Question, latest: float | None = None) -> Answer:
        """Send an action or a question, and return the table's answer.

        The table refuses an action after `latest`, in seconds of the monotonic clock, and has a little longer
        to answer; without it, `ANSWER_TIME` from now. Raises TableAwayError if the table does not answer,
        MessageError if it can't read the message.
        """
        if latest is None:
            latest = time.monotonic() + ANSWER_TIME - ANSWER_MARGIN
        if isinstance(message, ActionBase):
            message = replace(message, before=latest)
        answer = self._exchange(message, latest + ANSWER_MARGIN)
        if isinstance(answer, ErrorMessage):
            raise MessageError(answer.error)
        return answer

    def _exchange(self, message: Action | Question, deadline: float) -> Answer | ErrorMessage:
        lines = Lines()
        try:
            with _connect(self.path, _time_until(deadline)) as connection:
                connection.settimeout(_time_until(deadline))
                connection.sendall(encode(message))
                while True:
                    connection.settimeout(_time_until(deadline))
                    data = connection.recv(65_536)
                    if not data:
                        break
                    for line in lines.feed(data):
                        answer = read_message(line)
                        if isinstance(answer, Answer | ErrorMessage):
                            return answer
        except TimeoutError as fault:
            raise TableSilentError("the table did not answer in time") from fault
        except (OSError, MessageError) as fault:
            raise TableAwayError(f"no answer from the table: {fault}") from fault
        raise TableAwayError("the table closed the connection before it answered")

    def _keep_snapshots(self) -> None:
        pause = SHORTEST_PAUSE
        while not self._closing.is_set():
            if self._follow(frames=False):
                pause = SHORTEST_PAUSE
            self.latest.publish(Presence.AWAY)
            self._pause(self._closing, pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    def _keep_frames(self) -> None:
        pause = SHORTEST_PAUSE
        while self.latest.wait_until_frames_wanted():
            if self._follow(frames=True):
                pause = SHORTEST_PAUSE
            self.latest.publish_frame((), "")
            if self.latest.frames_wanted():
                self._pause(self._closing, pause)
                pause = min(LONGEST_PAUSE, 2 * pause)

    def _follow(self, *, frames: bool) -> bool:
        """Publish the frames or the snapshots of one subscription; return whether any arrived."""
        layout: Layout | None = None
        any_arrived = logged = False
        for line in self._lines(frames=frames):
            try:
                match read_message(line):
                    case LayoutMessage(layout):
                        pass
                    case SnapshotMessage(raw) if not frames:
                        any_arrived = True
                        self._publish_snapshot(layout, bytes(raw))
                    case FrameMessage(colours) if frames:
                        any_arrived = True
                        self._publish_frame(layout, colours)
            except MessageError as fault:
                if not logged:
                    log.warning("the table's socket %s: %s", self.path, fault)
                    logged = True
        return any_arrived

    def _lines(self, *, frames: bool) -> Iterator[bytes]:
        """Subscribe and yield every line, until the connection ends or no frames are wanted.

        The subscription to snapshots notices here when the table is silent, and when it is not any more.
        """
        lines = Lines()
        with (
            contextlib.suppress(OSError),  # no table, or gone: the caller tries again
            _connect(self.path, ANSWER_TIME) as connection,
        ):
            connection.settimeout(self._lease_check if frames else self._silence)
            self._open.add(connection)
            try:
                connection.sendall(encode(Subscribe(frames)))
                while not self._closing.is_set() and (not frames or self.latest.frames_wanted()):
                    try:
                        data = connection.recv(65_536)
                    except TimeoutError:
                        if not frames:
                            self._note_silence()
                        continue
                    if not data:
                        return
                    if not frames:
                        self._note_line()
                    yield from lines.feed(data)
            finally:
                self._open.discard(connection)

    def _note_silence(self) -> None:
        presence = self.latest.view.presence
        if presence is not Presence.HUNG:
            self._before_silence = presence
            self.latest.publish(Presence.HUNG)

    def _note_line(self) -> None:
        if self.latest.view.presence is Presence.HUNG:
            self.latest.publish(self._before_silence)

    def _publish_snapshot(self, layout: Layout | None, raw: bytes) -> None:
        try:
            snapshot = read_snapshot(raw)
        except MessageError as fault:
            newer = isinstance(fault, NewerSchemaError)
            self.latest.publish(Presence.NEWER if newer else Presence.UNREADABLE)
            raise
        self.latest.publish(Presence.HERE, layout=layout, snapshot=snapshot, raw=raw)

    def _publish_frame(self, layout: Layout | None, colours: str) -> None:
        names = tuple(light.name for light in layout.lights) if layout is not None else ()
        if not names or len(colours) != 6 * len(names):
            raise MessageError("a light frame does not fit the layout")
        if _HEX.fullmatch(colours) is None:
            raise MessageError("a light frame is not made of hex digits")
        self.latest.publish_frame(names, colours.lower())


def _connect(path: Path, seconds: float) -> socket.socket:
    """Connect to the table, in at most so many seconds."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(str(path))
    except BaseException:
        connection.close()
        raise
    return connection


def _time_until(deadline: float) -> float:
    """Return the seconds until a time of the monotonic clock. Raises TimeoutError when it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
