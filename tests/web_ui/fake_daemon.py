"""A fake daemon: a Unix socket that sends what a test tells it to, and records the messages it receives."""

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
"""Seconds after which a waiting test fails."""

QUESTIONS = ("games", "game", "record", "position", "statistics", "tags")

BEAT = 0.5
"""Seconds between two heartbeats."""


def take_all(_message: Message) -> Message:
    """Answer that a message was taken."""
    return {"taken": True}


@dataclass(slots=True, eq=False)
class _Client:
    connection: socket.socket
    frames: bool | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def say(self, line: bytes) -> None:
        with self.lock:
            try:
                self.connection.sendall(line)
            except OSError:
                return  # the client has left


class FakeDaemon:
    """Listens at a path, sends layouts, snapshots and frames to subscribers, and answers other messages."""

    def __init__(self, path: Path, layout: Message) -> None:
        self.path = path
        self.layout = layout
        self.snapshot: Message | None = None
        self.colours: str | None = None
        self.answer: Callable[[Message], Message] = take_all
        self.deadlines: list[float] = []  # the `before` of actions, which `asked` has without it
        self.asked: queue.Queue[Message] = queue.Queue()
        self.subscribed: queue.Queue[bool] = queue.Queue()
        self.left: queue.Queue[bool] = queue.Queue()
        self.beating = True
        self._clients: list[_Client] = []
        self._lock = threading.Lock()
        self._stopped = False
        self._threads: list[threading.Thread] = []
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(path))
        path.chmod(0o666)
        self._listening.listen()
        self._ended = threading.Event()
        self._start(self._accept)
        self._start(self._beat)

    def play(self, snapshot: Message) -> None:
        """Send a snapshot to every subscriber, also to later ones."""
        self.snapshot = snapshot
        self.say_raw(json.dumps({"type": "snapshot", "snapshot": snapshot}).encode() + b"\n")

    def shine(self, colours: str) -> None:
        """Send a light frame to every subscriber of frames, also to later ones."""
        self.colours = colours
        self.say_raw(json.dumps({"type": "frame", "colours": colours}).encode() + b"\n", only_frames=True)

    def say_raw(self, line: bytes, *, only_frames: bool = False) -> None:
        """Send bytes to every subscriber as they are."""
        with self._lock:
            clients = [client for client in self._clients if client.frames is not None]
        for client in clients:
            if client.frames or not only_frames:
                client.say(line)

    def stop(self) -> None:
        """Close all connections and the socket."""
        self.path.unlink(missing_ok=True)
        self._ended.set()
        with self._lock:
            self._stopped = True
            sockets = [self._listening, *(client.connection for client in self._clients)]
        for open_socket in sockets:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the client has left
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
            client = _Client(connection)
            with self._lock:
                if self._stopped:  # it connected during `stop`
                    connection.close()
                    return
                self._clients.append(client)
            self._start(self._serve, client)

    def _beat(self) -> None:
        """Send heartbeats, as the table's loop does, until a test sets `beating` to false."""
        while not self._ended.wait(BEAT):
            if self.beating:
                self.say_raw(b'{"type":"beat"}\n')

    def _serve(self, client: _Client) -> None:
        with client.connection, client.connection.makefile("rb") as lines:
            try:
                for line in lines:
                    self._hear(client, json.loads(line))
            except OSError:
                pass
        with self._lock:
            self._clients.remove(client)
        if client.frames is not None:
            self.left.put(client.frames)

    def _hear(self, client: _Client, message: Message) -> None:
        if message["type"] != "subscribe":
            if message["type"] not in QUESTIONS:
                self.deadlines.append(message.pop("before"))
                if message.get("by", 0) is None:
                    message.pop("by")
                if message.get("asked") is None:
                    message.pop("asked", None)
            answer = self.answer(message)  # before `asked` is filled: a test may then set another answer
            self.asked.put(message)
            client.say(json.dumps({"type": "answer", **answer}).encode() + b"\n")
            return
        wants_frames = bool(message["frames"])
        with client.lock:  # later messages are sent after these
            client.frames = wants_frames
            first: list[Message] = [{"type": "layout", "layout": self.layout}]
            if self.snapshot is not None:
                first.append({"type": "snapshot", "snapshot": self.snapshot})
            if wants_frames and self.colours is not None:
                first.append({"type": "frame", "colours": self.colours})
            client.say(b"".join(json.dumps(part).encode() + b"\n" for part in first))
        self.subscribed.put(wants_frames)
