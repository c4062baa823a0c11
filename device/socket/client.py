"""A client of a table that runs: says one thing after another at its socket, and hears what becomes of it."""

import json
import os
import socket
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

from device.socket.messages import LONGEST_LINE

ANSWER_SECONDS: Final = 10.0
"""How long a table that lives may take to answer: a slow card may keep it waiting for some."""

Json = dict[str, Any]


class TableAwayError(OSError):
    """Nobody serves at the socket, or no more."""


class TableClient:
    """A connection to a table's socket."""

    def __init__(self, path: Path) -> None:
        """Connect; raises TableAwayError where no table runs, PermissionError where another user's does."""
        self._rest = b""
        self._news: list[Json] = []
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

    def ask(self, **message: object) -> Json:
        """Say something; the answer to this, not to what was said before. Raises TableAwayError."""
        number = next(self._numbers)
        self._send({**message, "id": number})
        while True:
            heard = self._read(ANSWER_SECONDS)
            if "error" in heard:
                raise TableAwayError(f"the table can't answer: {heard['error']}")
            if heard.get("id") == number:
                return heard
            if "snapshot" in heard:
                self._news.append(heard)

    def subscribe(self) -> None:
        """Ask to be told every snapshot from now on."""
        self._send({"subscribe": {}})

    def next_snapshot(self) -> Json:
        """The next snapshot, however long it takes; raises TableAwayError when the table ends."""
        while True:
            heard = self._news.pop(0) if self._news else self._read(None)
            if "snapshot" in heard:
                snapshot: Json = heard["snapshot"]
                return snapshot

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def _send(self, message: object) -> None:
        line = json.dumps(message).encode() + b"\n"
        assert len(line) <= LONGEST_LINE
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise TableAwayError("the table has ended") from error

    def _read(self, seconds: float | None) -> Json:
        self._socket.settimeout(seconds)
        while b"\n" not in self._rest:
            try:
                data = self._socket.recv(65_536)
            except OSError as error:
                raise TableAwayError("the table does not answer") from error
            if not data:
                raise TableAwayError("the table has ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            heard = json.loads(line)
        except (ValueError, RecursionError):
            heard = None
        if not isinstance(heard, dict):
            raise TableAwayError("the table says what this program can't read: is it of another version?")
        return heard
