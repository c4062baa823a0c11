"""The client of a running table, against a server that a test writes line by line."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from device.socket.client import TableAwayError, TableClient
from device.socket.messages import ListTags, PressButton
from tests.harness.client import Message
from tests.harness.waiting import DEADLINE


class Server:
    """The other end of a client's connection."""

    def __init__(self, listening: socket.socket) -> None:
        self.connection = listening.accept()[0]
        self.connection.settimeout(DEADLINE)
        self.lines = self.connection.makefile("rb")

    def read(self) -> Message:
        """Return the next message of the client."""
        message: Message = json.loads(self.lines.readline())
        return message

    def send(self, *messages: Message) -> None:
        self.connection.sendall(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def close(self) -> None:
        self.lines.close()
        self.connection.close()


@pytest.fixture
def listening(socket_path: Path) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(socket_path))
        listening.listen()
        listening.settimeout(DEADLINE)
        yield listening


@pytest.fixture
def client(listening: socket.socket, socket_path: Path) -> Iterator[TableClient]:
    with closing(TableClient(socket_path, answer_seconds=0.2)) as client:
        yield client


@pytest.fixture
def server(listening: socket.socket, client: TableClient) -> Iterator[Server]:
    with closing(Server(listening)) as server:
        yield server


def snapshot(version: int) -> Message:
    return {"type": "snapshot", "snapshot": {"version": version}}


def test_an_answer_belongs_to_the_message_with_its_id(client: TableClient, server: Server) -> None:
    server.send({"type": "answer", "id": 77, "taken": False, "why": "not_now"})
    server.send({"type": "answer", "id": 1, "taken": True, "result": []})
    answer = client.ask(ListTags())
    assert (answer.taken, answer.result) == (True, [])
    assert server.read() == {"type": "tags", "id": 1}
    server.send({"type": "answer", "id": 2, "taken": False, "why": "line_full"})
    assert client.ask(PressButton("ok")).why == "line_full"
    assert server.read() == {"type": "press", "button": "ok", "id": 2}


def test_snapshots_that_come_before_an_answer_are_kept_in_their_order(
    client: TableClient, server: Server
) -> None:
    client.subscribe()
    assert server.read() == {"type": "subscribe"}
    server.send({"type": "layout", "layout": {}}, snapshot(1), snapshot(2))
    server.send({"type": "answer", "id": 1, "taken": True}, snapshot(3))
    assert client.ask(PressButton("ok")).taken
    assert [client.next_snapshot()["version"] for _ in range(3)] == [1, 2, 3]


def test_an_error_of_the_table_is_raised(client: TableClient, server: Server) -> None:
    server.send({"type": "error", "error": "64 clients are connected already"})
    with pytest.raises(TableAwayError, match="64 clients are connected already"):
        client.ask(ListTags())


def test_a_table_that_ends_is_an_error(client: TableClient, server: Server) -> None:
    server.close()
    with pytest.raises(TableAwayError, match="the table has ended"):
        client.next_snapshot()


@pytest.mark.usefixtures("server")
def test_a_table_that_does_not_answer_is_an_error(client: TableClient) -> None:
    with pytest.raises(TableAwayError, match="does not answer"):
        client.ask(ListTags())


@pytest.mark.parametrize("line", [b"\xff\n", b"[]\n", b'{"taken":true}\n', b'{"type":"weather"}\n'])
def test_a_line_of_another_version_is_an_error(client: TableClient, server: Server, line: bytes) -> None:
    server.connection.sendall(line)
    with pytest.raises(TableAwayError, match="another version"):
        client.ask(ListTags())


def test_where_no_table_runs_is_an_error(short: Path) -> None:
    for path in (short / "table.sock", short / "missing" / "table.sock"):
        with pytest.raises(TableAwayError, match="no table runs there"):
            TableClient(path)
