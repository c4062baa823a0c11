"""A client of a running table: sends messages to its socket, one after another, and reads the answers."""

import os
import socket
from collections import deque
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from device.socket import messages
from device.socket.messages import (
    LONGEST_LINE,
    Answer,
    ErrorMessage,
    HistoryQuestion,
    Message,
    MessageError,
    ServerMessage,
    SnapshotMessage,
    Subscribe,
    TableMessage,
)

ANSWER_SECONDS: Final = 10.0
"""Seconds that a running table may take to answer: it may have to wait for a slow SD card."""

Json = dict[str, Any]


class TableAwayError(OSError):
    """No table runs at the socket, it has ended, or it does not answer."""


class TableClient:
    """A connection to a table's socket; an answer may take `answer_seconds`."""

    def __init__(self, path: Path, answer_seconds: float = ANSWER_SECONDS) -> None:
        """Connect. Raises TableAwayError if no table runs, PermissionError if it is another user's."""
        self._answer_seconds = answer_seconds
        self._snapshots: deque[Json] = deque()  # came while an answer was awaited
        self._numbers = count(1)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
            try:  # the folder's own path may be longer than a socket's address can be
                self._socket.connect(f"/proc/self/fd/{folder}/{path.name}")
            finally:
                os.close(folder)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as error:
            self._socket.close()
            raise TableAwayError(f"{path}: no table runs there") from error
        except BaseException:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")

    def ask(self, message: TableMessage | HistoryQuestion) -> Answer:
        """Send a message and return the answer to it, whatever else comes before. Raises TableAwayError."""
        number = next(self._numbers)
        self._send(msgspec.structs.replace(message, id=number))
        while True:
            match self._read(self._answer_seconds):
                case ErrorMessage(error):
                    raise TableAwayError(f"the table can't answer: {error}")
                case Answer(id=answered) as answer if answered == number:
                    return answer
                case SnapshotMessage(snapshot):
                    self._snapshots.append(snapshot)

    def subscribe(self) -> None:
        """Subscribe to snapshots."""
        self._send(Subscribe())

    def next_snapshot(self) -> Json:
        """Return the next snapshot, however long it takes. Raises TableAwayError when the table ends."""
        while not self._snapshots:
            message = self._read(None)
            if isinstance(message, SnapshotMessage):
                return message.snapshot
        return self._snapshots.popleft()

    def close(self) -> None:
        """Disconnect."""
        self._lines.close()
        self._socket.close()

    def _send(self, message: Message) -> None:
        line = messages.encode(message)
        assert len(line) <= LONGEST_LINE
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise TableAwayError("the table has ended") from error

    def _read(self, seconds: float | None) -> ServerMessage:
        """Return the next message; wait so many seconds at most for each part of it."""
        self._socket.settimeout(seconds)
        try:
            line = self._lines.readline()
        except OSError as error:
            raise TableAwayError("the table does not answer") from error
        if not line.endswith(b"\n"):
            raise TableAwayError("the table has ended")
        try:
            return messages.decode_server_message(line)
        except MessageError as error:
            raise TableAwayError(
                "the table's message can't be read by this program: is it of another version?"
            ) from error
