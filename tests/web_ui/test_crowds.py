"""Many clients and greedy clients: limits on connections, threads and queries."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.conftest import StartPages
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.pages import QUERY_BURST
from web_ui.server import MAX_FROM_NETWORK, MAX_PER_ADDRESS, may_connect

THREADS = 9
"""Threads of pages that are started with one stream."""


@pytest.fixture
def greedy() -> Iterator[ExitStack]:
    """Keeps connections open until the test ends."""
    with ExitStack() as connections:
        yield connections


def received(connection: socket.socket) -> int:
    """Return the number of bytes that a connection still brings until the other side closes it."""
    number = 0
    with suppress(ConnectionResetError):
        while data := connection.recv(65_536):
            number += len(data)
    return number


def test_a_client_that_reads_no_responses_blocks_no_thread(
    daemon: FakeDaemon, start_pages: StartPages, greedy: ExitStack
) -> None:
    """As many such clients as threads once blocked all pages for 20 seconds, or for good.

    They are disconnected.
    """
    browser = start_pages("--port", "0", "--streams", "1").address()
    daemon.play(scenes.offer())
    asking = b"GET /table?face=hardware HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 5
    connections = []
    for _ in range(THREADS + 3):
        connection = greedy.enter_context(socket.socket())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(TIMEOUT)
        connection.connect(("127.0.0.1", browser.port))
        connection.sendall(asking)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        connections.append(connection)
    assert browser.ask("/rules").status == 200
    page = len(browser.ask("/table?face=hardware").body)
    assert received(connections[0]) < 2 * page  # of five


def test_a_client_behind_a_proxy_on_this_machine_is_a_phone(browser: Browser) -> None:
    """Anybody who knew the address of a tunnel to the pages could once press every button."""
    for header in (
        {"X-Forwarded-For": "203.0.113.5"},
        {"Forwarded": "for=203.0.113.5"},
        {"Via": "1.1 proxy"},
    ):
        headers = {"Content-Type": "application/json", **header}
        for body in (
            b'{"type":"press","button":"ok"}',
            b'{"type":"tag","tag":"AA"}',
            b'{"type":"fault","part":"pico","fault":"unplug","on":true}',
        ):
            assert browser.ask("/action", method="POST", body=body, headers=headers).status in (403, 503)
        assert browser.ask("/", headers=header).status == 200


def test_connections_of_one_machine_are_limited() -> None:
    """520 idle connections of one machine once blocked the pages for all others."""
    phone, other = "192.168.1.20", "192.168.1.21"
    held: list[str] = []
    while may_connect(phone, held):
        held.append(phone)
    assert len(held) == MAX_PER_ADDRESS
    assert may_connect(other, held)


def test_connections_are_reserved_for_this_machine() -> None:
    held = [f"fe80::{number:x}" for number in range(MAX_FROM_NETWORK)]
    assert not may_connect("fe80::ffff", held)
    assert may_connect("127.0.0.1", held)
    assert may_connect("::ffff:127.0.0.1", held)
    many_here = ["127.0.0.1"] * MAX_FROM_NETWORK
    assert may_connect("127.0.0.1", many_here)
    assert may_connect("192.168.1.20", many_here)


def test_queries_of_a_phone_for_past_games_are_rate_limited(client_without_time: FlaskClient) -> None:
    """For each query the table replays a whole game."""
    client = client_without_time
    phone = {"REMOTE_ADDR": "192.168.1.20"}
    asked = [client.get("/history/1", environ_base=phone).status_code for _ in range(QUERY_BURST + 3)]
    assert asked.count(429) == 3
    assert asked[-3:] == [429] * 3
    assert client.get("/history/1", environ_base={"REMOTE_ADDR": "192.168.1.21"}).status_code != 429
    here = [client.get("/history/1").status_code for _ in range(QUERY_BURST + 3)]
    assert 429 not in here, "this machine's own pages may"
