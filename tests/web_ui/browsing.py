"""A minimal browser on `http.client`: requests pages, reads event streams, posts actions."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from tests.web_ui.fake_daemon import TIMEOUT


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a request."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream; `stamp` is its id, from which a stream can be resumed."""

    name: str
    data: Any
    stamp: str = ""


class Stream:
    """An open stream of events."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status

    def next(self, *names: str) -> Event:
        """Return the next event with one of these names (any if none are given); skip others."""
        while True:
            event = self._read()
            if not names or event.name in names:
                return event

    def _read(self) -> Event:
        fields: dict[str, str] = {}
        while line := self._response.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        if not fields:
            raise EOFError("the stream has ended")
        data = fields.get("data", "null")
        return Event(fields.get("event", ""), json.loads(data), fields.get("id", ""))

    def at_end(self) -> bool:
        """Read on until the server ends the stream."""
        with suppress(http.client.IncompleteRead, ConnectionError):  # closed in the middle of an event
            while self._response.readline():
                continue
        return True

    def close(self) -> None:
        self._response.close()
        self._connection.close()


class Browser:
    """Sends requests to a server on this machine."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.port = port
        self.address = address
        self.origin = f"http://{address}:{port}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=TIMEOUT)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def post(self, path: str, message: object) -> Reply:
        headers = {"Content-Type": "application/json", "Origin": self.origin}
        return self.ask(path, method="POST", body=json.dumps(message).encode(), headers=headers)

    def press(self, button: str) -> Reply:
        """Press a button, as a page does."""
        return self.post("/action", {"type": "press", "button": button})

    def open_stream(self, page: str = "phone", have: str = "", language: str = "en") -> Stream:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=TIMEOUT)
        connection.request("GET", f"/events?page={page}&have={have}", headers={"Accept-Language": language})
        return Stream(connection, connection.getresponse())

    @contextmanager
    def stream(self, page: str = "phone", have: str = "", language: str = "en") -> Iterator[Stream]:
        stream = self.open_stream(page, have, language)
        try:
            yield stream
        finally:
            stream.close()

    def until_version(self, version: int) -> None:
        """Wait until the pages have the snapshot of a version; fail after TIMEOUT."""
        deadline = time.monotonic() + TIMEOUT
        with self.stream() as stream:
            while self.ask("/state").json.get("version") != version:
                assert time.monotonic() < deadline, "the pages do not have the snapshot"
                stream.next()


class Text(HTMLParser):
    """Collects the text of a page and the attributes of its elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_data(self, data: str) -> None:
        self.words.extend(data.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def actions(self) -> list[dict[str, object]]:
        """The actions of all buttons and forms, in their order."""
        return [json.loads(action) for action in self.values("data-action")]

    def values(self, attribute: str) -> list[str]:
        return [value for _, attributes in self.elements if (value := attributes.get(attribute))]
