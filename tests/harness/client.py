"""Client of the table's socket for tests; every wait has a deadline."""

from __future__ import annotations

import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.harness.waiting import DEADLINE

Message = dict[str, Any]


class Client:
    """A connection to the table, with the latest layout, snapshot and frame that it sent."""

    def __init__(self, path: Path) -> None:
        self._socket = connect(path)
        self._buffer = b""
        self._numbers = count(1)
        self.layout: Message = {}
        self.snapshot: Message = {}
        self.frame = ""
        self.beats = 0
        self.frames: deque[str] = deque(maxlen=480)  # the latest

    def send(self, *messages: object) -> None:
        """Send messages as JSON lines in one write."""
        self.send_bytes(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def send_bytes(self, content: bytes) -> None:
        self._socket.sendall(content)

    def send_until_closed(self, content: bytes) -> None:
        """Send bytes until the table closes the connection."""
        with suppress(OSError):
            self.send_bytes(content)

    def read(self, seconds: float = DEADLINE) -> Message:
        """Return the next message that is no beat.

        Raises EOFError if the table closed the connection, TimeoutError if no message comes.
        """
        deadline = time.monotonic() + seconds
        while (message := self._read(deadline))["type"] == "beat":
            self.beats += 1
        return message

    def _read(self, deadline: float) -> Message:
        while b"\n" not in self._buffer:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                more = self._socket.recv(65_536)
            except ConnectionError:
                more = b""
            if not more:
                raise EOFError("the table closed the connection")
            self._buffer += more
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: Message = json.loads(line)
        self.layout = message.get("layout", self.layout)
        self.snapshot = message.get("snapshot", self.snapshot)
        if message["type"] == "frame":
            self.frame = message["colours"]
            self.frames.append(self.frame)
        return message

    def read_to_end(self) -> list[Message]:
        """Return all messages until the table closes the connection, without an incomplete last line."""
        messages = []
        try:
            while True:
                messages.append(self.read())
        except EOFError:
            return messages

    def answer(self) -> Message:
        """Return the next answer or error; snapshots and frames before it are kept."""
        while True:
            message = self.read()
            if message["type"] in ("answer", "error"):
                return message

    def answers(self, number: int) -> list[Message]:
        return [self.answer() for _ in range(number)]

    def press(self, button: str) -> Message:
        """Press a button and return the answer."""
        number = next(self._numbers)
        self.send({"type": "press", "button": button, "id": number})
        answer = self.answer()
        assert answer.get("id") == number, answer
        return answer

    def take(self, *buttons: str) -> None:
        """Press buttons; fail unless the table takes each."""
        for button in buttons:
            answer = self.press(button)
            assert answer["taken"], answer

    def subscribe(self, *, frames: bool = False) -> Message:
        """Subscribe, and return the first snapshot."""
        self.send({"type": "subscribe", "frames": frames})
        return self.until(bool)

    def until(self, wanted: Callable[[Message], bool], seconds: float = DEADLINE) -> Message:
        """Return the first snapshot that satisfies `wanted`, beginning with the latest one."""
        deadline = time.monotonic() + seconds
        while not (self.snapshot and wanted(self.snapshot)):
            assert time.monotonic() < deadline, f"no such snapshot came; the last is {self.snapshot}"
            self.read(max(0.001, deadline - time.monotonic()))
        return self.snapshot

    def drain(self) -> None:
        """Read the messages that have arrived."""
        with suppress(TimeoutError):
            while True:
                self.read(0.0)

    def next_frame(self) -> str:
        while self.read()["type"] != "frame":
            continue
        return self.frame

    def end_writing(self) -> None:
        """Shut down the sending half of the connection."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the connection; a thread that is blocked in sending is woken."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()


def connect(path: Path) -> socket.socket:
    """Connect to a Unix socket, whose path may be longer than a socket address can hold."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(f"/proc/self/fd/{folder}/{path.name}")
    except BaseException:
        connection.close()
        raise
    finally:
        os.close(folder)
    return connection


def snapshot_now(path: Path) -> Message:
    """Return the latest snapshot, as a new client gets it."""
    with Client(path) as client:
        return client.subscribe()
