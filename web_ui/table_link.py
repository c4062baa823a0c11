"""The line to the table: two threads that listen, and a connection of its own for each press.

The first thread keeps a subscription to the snapshots for as long as the process lives. The second one keeps
a subscription with light frames, only while somebody looks at the twin.
"""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from web_ui.latest import Latest, Presence
from web_ui.messages import (
    Answer,
    Layout,
    Lines,
    MessageError,
    NewerSchemaError,
    read_answer,
    read_frame,
    read_message,
    read_snapshot,
)

log = logging.getLogger(__name__)

SHORTEST_PAUSE = 0.1
"""Seconds before the first new attempt to reach the table; each further pause is twice as long."""

LONGEST_PAUSE = 1.0
"""Seconds of the longest pause between two attempts."""

ANSWER_TIME = 10.0
"""Seconds that the table has to answer a press: a slow card may keep it waiting for some."""

CLOSING_TIME = 2.0
"""Seconds that each thread has to end in."""

_HEX = re.compile("[0-9a-fA-F]*")

LEASE_CHECK = 1.0
"""Seconds after which the frames' thread looks again whether they are still wanted."""


class TableAwayError(OSError):
    """The table can't be reached, or does not answer in time."""


class TableLink:
    """Keeps `latest` up to date from the table's socket, and carries to it what hands do."""

    def __init__(self, path: Path, latest: Latest) -> None:
        self.path = path
        self.latest = latest
        self._ending = threading.Event()
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
        """End both threads and everything that waits for news."""
        self._ending.set()
        self.latest.close()
        for connection in tuple(self._open):
            _shut(connection)
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=CLOSING_TIME)

    def press(self, button: str) -> Answer:
        """Press a button of the table; raises TableAwayError."""
        return self._ask({"press": button, "id": 1})

    def name(self, seat: int, name: str) -> Answer:
        """Give the player at a seat, counted from 1, a name; raises TableAwayError."""
        return self._ask({"name": {"seat": seat, "name": name}, "id": 1})

    def tile(self, letter: str) -> Answer:
        """Tell the table a tile of resin that was drawn; raises TableAwayError."""
        return self._ask({"tile": letter, "id": 1})

    def hint(self, seat: int) -> Answer:
        """Ask for a hint for a seat, or, with 0, for all who are to choose; raises TableAwayError."""
        return self._ask({"hint": {"seat": seat} if seat else {}, "id": 1})

    def tag(self, reader: str, tag: str) -> Answer:
        """Show a tag to a reader of the table; raises TableAwayError."""
        return self._ask({"tag": {"reader": reader, "tag": tag}, "id": 1})

    def past(self, question: dict[str, object]) -> Answer:
        """Ask about games that were played; raises TableAwayError."""
        return self._ask({**question, "id": 1})

    def learn(self, what: dict[str, object]) -> Answer:
        """Begin or end a lesson about tags; raises TableAwayError."""
        return self._ask({"learn": what, "id": 1})

    def forget(self, tags: list[str]) -> Answer:
        """Forget what tags mean; raises TableAwayError."""
        return self._ask({"forget": tags, "id": 1})

    def known_tags(self) -> Answer:
        """Every tag that is known; raises TableAwayError."""
        return self._ask({"tags": "list", "id": 1})

    def plug(self, *, plugged: bool) -> Answer:
        """Plug the simulated Pico in, or pull it out; raises TableAwayError."""
        return self._ask({"plug": plugged, "id": 1})

    def _ask(self, question: dict[str, object]) -> Answer:
        lines = Lines()
        try:
            with _connect(self.path, ANSWER_TIME) as connection:
                connection.sendall(_line(question))
                while data := connection.recv(65_536):
                    for line in lines.feed(data):
                        answer = read_answer(line)
                        if answer.taken is not None or answer.error is not None:
                            return answer
        except (OSError, MessageError) as fault:
            raise TableAwayError(f"no answer from the table: {fault}") from fault
        raise TableAwayError("the table hung up before it answered")

    def _keep_snapshots(self) -> None:
        pauses = _Pauses()
        while not self._ending.is_set():
            self._listen(frames=False, hear=_SnapshotListener(self.latest, pauses).hear)
            self.latest.publish(Presence.AWAY)
            self._ending.wait(pauses.next())

    def _keep_frames(self) -> None:
        pauses = _Pauses()
        while self.latest.wait_until_frames_wanted():
            self._listen(frames=True, hear=_FrameListener(self.latest, pauses).hear)
            self.latest.publish_frame((), "")
            if self.latest.frames_wanted():
                self._ending.wait(pauses.next())

    def _listen(self, *, frames: bool, hear: Callable[[bytes], None]) -> None:
        """Subscribe and hear every line, until the table hangs up, all ends or no frames are wanted."""
        lines = Lines()
        try:
            with _connect(self.path, LEASE_CHECK if frames else None) as connection:
                self._open.add(connection)
                try:
                    connection.sendall(_line({"subscribe": {"frames": frames}}))
                    self._hear_all(connection, lines, hear, frames=frames)
                finally:
                    self._open.discard(connection)
        except OSError:
            return  # not there, or gone: the caller tries again

    def _hear_all(
        self, connection: socket.socket, lines: Lines, hear: Callable[[bytes], None], *, frames: bool
    ) -> None:
        complained = False
        while not self._ending.is_set() and (not frames or self.latest.frames_wanted()):
            try:
                data = connection.recv(65_536)
            except TimeoutError:
                continue
            if not data:
                return
            for line in lines.feed(data):
                try:
                    hear(line)
                except MessageError as fault:
                    if not complained:
                        log.warning("the table's socket %s: %s", self.path, fault)
                        complained = True


@dataclass(slots=True)
class _Pauses:
    """Pauses between attempts, each twice as long as the one before; back to the shortest on success."""

    seconds: float = SHORTEST_PAUSE

    def next(self) -> float:
        now = self.seconds
        self.seconds = min(LONGEST_PAUSE, now * 2)
        return now

    def reset(self) -> None:
        self.seconds = SHORTEST_PAUSE


@dataclass(slots=True)
class _SnapshotListener:
    latest: Latest
    pauses: _Pauses
    layout: Layout | None = field(default=None)

    def hear(self, line: bytes) -> None:
        message = read_message(line)
        if message.layout is not None:
            self.layout = message.layout
        raw = bytes(message.snapshot)
        if not raw:
            return
        self.pauses.reset()
        try:
            snapshot = read_snapshot(raw)
        except NewerSchemaError:
            self.latest.publish(Presence.NEWER)
            raise
        except MessageError:
            self.latest.publish(Presence.UNREADABLE)
            raise
        self.latest.publish(Presence.HERE, layout=self.layout, snapshot=snapshot, raw=raw)


@dataclass(slots=True)
class _FrameListener:
    latest: Latest
    pauses: _Pauses
    names: tuple[str, ...] = ()

    def hear(self, line: bytes) -> None:
        message = read_frame(line)
        if message.layout is not None:
            self.names = tuple(light.name for light in message.layout.lights)
        if message.frame is None:
            return
        self.pauses.reset()
        if not self.names or len(message.frame) != 6 * len(self.names):
            raise MessageError("a light frame does not fit the layout")
        if _HEX.fullmatch(message.frame) is None:
            raise MessageError("a light frame is not made of hex digits")
        self.latest.publish_frame(self.names, message.frame.lower())


def _connect(path: Path, seconds: float | None) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(ANSWER_TIME)
        connection.connect(str(path))
        connection.settimeout(seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _line(message: dict[str, object]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is gone already
