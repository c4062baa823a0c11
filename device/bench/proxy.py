"""A TCP proxy in front of the pages that counts bytes, and freezes as a network that has silently gone."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from queue import Queue

TIMEOUT = 60.0
"""Seconds after which a wait for a response fails."""


class FreezingProxy:
    """Passes connections on to a port of this machine.

    While it is frozen, nothing is closed and nothing passes, as in a network that has silently gone. What was
    sent meanwhile passes after `thaw`, late; after `replace` only new connections do, and the others hear
    nothing for ever. `requests` has the first line of every request that passed, and
    `responses` of every response, also of those that nobody waits for any more.
    """

    def __init__(self, port: int) -> None:
        self._upstream = port
        self._flowing = threading.Event()
        self._flowing.set()
        self._closed = False
        self._age = 0  # grows with each replacement; connections of an earlier age are dead
        self._sockets: list[socket.socket] = []
        self.received = 0  # bytes that clients were sent
        self.requests: Queue[str] = Queue()
        self.responses: Queue[str] = Queue()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def origin(self) -> str:
        """The address of the pages behind the proxy."""
        return f"http://127.0.0.1:{self.port}"

    def freeze(self) -> None:
        """Pass nothing on from now on, and close nothing."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Pass everything on again, first what came meanwhile."""
        self._flowing.set()

    def replace(self) -> None:
        """Pass new connections on again; those that exist stay open and dead."""
        self._age += 1
        self.thaw()

    def response(self, beginning: str) -> str:
        """Wait for a response whose first line begins so."""
        while not (line := self.responses.get(timeout=TIMEOUT)).startswith(beginning):
            continue
        return line

    def streams(self) -> int:
        """Return how many event streams have been requested since the last call."""
        return sum("/events" in self.requests.get() for _ in range(self.requests.qsize()))

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        self._flowing.set()
        for each in [self._listening, *self._sockets]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def __enter__(self) -> FreezingProxy:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
                age = self._age
                self._flowing.wait()
                server = socket.create_connection(("127.0.0.1", self._upstream))
            except OSError:
                if self._closed:
                    return
                client.close()  # nobody listens there now
                continue
            self._sockets += [client, server]
            for source, sink, seen in ((client, server, self.requests), (server, client, self.responses)):
                threading.Thread(target=self._pass, args=(source, sink, seen, age), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, seen: Queue[str], age: int) -> None:
        posted = False
        with suppress(OSError):
            while data := source.recv(65_536):
                posted = data.startswith(b"POST ")
                self._flowing.wait()
                if age != self._age:
                    continue
                if data.startswith((b"GET ", b"POST ", b"HTTP/1.1 ")):
                    seen.put(data.partition(b"\r\n")[0].decode("latin-1"))
                if seen is self.responses:
                    self.received += len(data)
                with suppress(OSError):  # a client that has left; its response is read all the same
                    sink.sendall(data)
        self._flowing.wait()
        if age != self._age or posted:  # an action arrives, although nobody waits for its answer any more
            return
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
