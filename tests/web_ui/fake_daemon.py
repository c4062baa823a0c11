"""A table that is only a socket: it says what a test tells it to say, and remembers what it was asked."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]
TIMEOUT = 60.0
"""Seconds after which a test that waits in vain fails."""


def take_all(_message: Message) -> Message:
    """Answer that a message was taken."""
    return {"taken": True}


@dataclass(slots=True, eq=False)
class _Guest:
    connection: socket.socket
    frames: bool | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def say(self, line: bytes) -> None:
        with self.lock:
            try:
                self.connection.sendall(line)
            except OSError:
                return  # the guest has left


class FakeDaemon:
    """Listens at a path, plays layouts, snapshots and frames to its guests, and answers presses."""

    def __init__(self, path: Path, layout: Message) -> None:
        self.path = path
        self.layout = layout
        self.snapshot: Message | None = None
        self.colours: str | None = None
        self.answer: Callable[[Message], Message] = take_all
        self.asked: queue.Queue[Message] = queue.Queue()
        self.subscribed: queue.Queue[bool] = queue.Queue()
        self.left: queue.Queue[bool] = queue.Queue()
        self._guests: list[_Guest] = []
        self._lock = threading.Lock()
        self._stopped = False
        self._threads: list[threading.Thread] = []
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(path))
        path.chmod(0o666)
        self._listening.listen()
        self._start(self._accept)

    def play(self, snapshot: Message) -> None:
        """Tell every subscriber a snapshot, now and when they come."""
        self.snapshot = snapshot
        self.say_raw(json.dumps({"type": "snapshot", "snapshot": snapshot}).encode() + b"\n")

    def shine(self, colours: str) -> None:
        """Tell every subscriber of frames what the lights show."""
        self.colours = colours
        self.say_raw(json.dumps({"type": "frame", "colours": colours}).encode() + b"\n", only_frames=True)

    def say_raw(self, line: bytes, *, only_frames: bool = False) -> None:
        """Send bytes to every subscriber as they are."""
        with self._lock:
            guests = [guest for guest in self._guests if guest.frames is not None]
        for guest in guests:
            if guest.frames or not only_frames:
                guest.say(line)

    def stop(self) -> None:
        """Hang up on everybody and be gone."""
        self.path.unlink(missing_ok=True)
        with self._lock:
            self._stopped = True
            sockets = [self._listening, *(guest.connection for guest in self._guests)]
        for open_socket in sockets:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # its other end is gone
        for thread in self._threads:
            thread.join(TIMEOUT)
        self._listening.close()

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            guest = _Guest(connection)
            with self._lock:
                if self._stopped:  # it came while everybody was hung up on
                    connection.close()
                    return
                self._guests.append(guest)
            self._start(self._serve, guest)

    def _serve(self, guest: _Guest) -> None:
        with guest.connection, guest.connection.makefile("rb") as lines:
            try:
                for line in lines:
                    self._hear(guest, json.loads(line))
            except OSError:
                pass
        with self._lock:
            self._guests.remove(guest)
        if guest.frames is not None:
            self.left.put(guest.frames)

    def _hear(self, guest: _Guest, message: Message) -> None:
        if message["type"] != "subscribe":
            answer = self.answer(message)  # as it is now: once asked, a test may have another given
            self.asked.put(message)
            guest.say(json.dumps({"type": "answer", **answer}).encode() + b"\n")
            return
        wants_frames = bool(message["frames"])
        with guest.lock:  # what comes meanwhile is told after this
            guest.frames = wants_frames
            first: list[Message] = [{"type": "layout", "layout": self.layout}]
            if self.snapshot is not None:
                first.append({"type": "snapshot", "snapshot": self.snapshot})
            if wants_frames and self.colours is not None:
                first.append({"type": "frame", "colours": self.colours})
            guest.say(b"".join(json.dumps(part).encode() + b"\n" for part in first))
        self.subscribed.put(wants_frames)
