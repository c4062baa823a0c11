"""A client of the table's socket, whose every wait has a deadline."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.harness.waiting import DEADLINE

Message = dict[str, Any]


class Client:
    """A connection to the table, and the latest that it told."""

    def __init__(self, path: Path) -> None:
        self._socket = connect(path)
        self._buffer = b""
        self._numbers = count(1)
        self.layout: Message = {}
        self.snapshot: Message = {}
        self.frame = ""

    def send(self, *messages: object) -> None:
        """Send messages in one write."""
        self.send_bytes(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def send_bytes(self, content: bytes) -> None:
        self._socket.sendall(content)

    def send_until_closed(self, content: bytes) -> None:
        """Send as much as the table takes until it hangs up."""
        with suppress(OSError):
            self.send_bytes(content)

    def read(self, seconds: float = DEADLINE) -> Message:
        """The next message; raises EOFError where the table hung up, TimeoutError when nothing comes."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                more = self._socket.recv(65_536)
            except ConnectionError:
                more = b""
            if not more:
                raise EOFError("the table hung up")
            self._buffer += more
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: Message = json.loads(line)
        self.layout = message.get("layout", self.layout)
        self.snapshot = message.get("snapshot", self.snapshot)
        self.frame = message.get("colours", self.frame)
        return message

    def read_to_end(self) -> list[Message]:
        """Everything that comes until the table hangs up; a line that it did not finish is left out."""
        messages = []
        try:
            while True:
                messages.append(self.read())
        except EOFError:
            return messages

    def answer(self) -> Message:
        """The next message that answers something; news in between is noted."""
        while True:
            message = self.read()
            if message["type"] in ("answer", "error"):
                return message

    def answers(self, number: int) -> list[Message]:
        return [self.answer() for _ in range(number)]

    def press(self, button: str) -> Message:
        """Press a button; the answer."""
        number = next(self._numbers)
        self.send({"type": "press", "button": button, "id": number})
        answer = self.answer()
        assert answer.get("id") == number, answer
        return answer

    def take(self, *buttons: str) -> None:
        """Press buttons that must all be taken."""
        for button in buttons:
            answer = self.press(button)
            assert answer["taken"], answer

    def subscribe(self, *, frames: bool = False) -> Message:
        """Ask for news; the first snapshot."""
        self.send({"type": "subscribe", "frames": frames})
        return self.until(bool)

    def until(self, wanted: Callable[[Message], bool], seconds: float = DEADLINE) -> Message:
        """The first snapshot, the one known included, that is as wanted."""
        deadline = time.monotonic() + seconds
        while not (self.snapshot and wanted(self.snapshot)):
            assert time.monotonic() < deadline, f"no such snapshot came; the last is {self.snapshot}"
            self.read(max(0.001, deadline - time.monotonic()))
        return self.snapshot

    def drain(self) -> None:
        """Read what has come already."""
        with suppress(TimeoutError):
            while True:
                self.read(0.0)

    def next_frame(self) -> str:
        while self.read()["type"] != "frame":
            continue
        return self.frame

    def end_writing(self) -> None:
        """Close the half that sends."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Vanish; whoever still sends in another thread is woken."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()


def connect(path: Path) -> socket.socket:
    """Connect to a Unix socket; its folder may have a longer path than a socket's address can hold."""
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
    """The latest snapshot, told to a new client."""
    with Client(path) as client:
        return client.subscribe()
