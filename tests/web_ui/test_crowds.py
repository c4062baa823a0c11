"""Crowds, and machines that want more than their share: the others get their pages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.conftest import StartPages
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.pages import QUERY_BURST
from web_ui.server import MAX_FROM_NETWORK, MAX_PER_ADDRESS, may_connect

THREADS = 9
"""Of pages that are started for one stream."""


@pytest.fixture
def greedy() -> Iterator[ExitStack]:
    """Holds connections until the test ends."""
    with ExitStack() as connections:
        yield connections


def test_who_asks_on_and_reads_no_answer_takes_no_thread(
    daemon: FakeDaemon, start_pages: StartPages, greedy: ExitStack
) -> None:
    """As many as there are threads kept every other page from everybody, for 20 seconds or for good."""
    browser = start_pages("--port", "0", "--streams", "1").address()
    daemon.play(scenes.offer())
    asking = b"GET /table HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 5
    for _ in range(3 * THREADS):
        connection = greedy.enter_context(socket.socket())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(TIMEOUT)
        connection.connect(("127.0.0.1", browser.port))
        connection.sendall(asking)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert browser.ask("/rules").status == 200


@pytest.mark.parametrize(
    "header", [{"X-Forwarded-For": "203.0.113.5"}, {"Forwarded": "for=203.0.113.5"}, {"Via": "1.1 proxy"}]
)
def test_whom_a_proxy_on_this_machine_brings_is_a_phone(browser: Browser, header: dict[str, str]) -> None:
    """A tunnel that was to show the game gave the whole table into the hands of whoever knew its address."""
    told = {"Content-Type": "application/json", **header}
    for body in (
        b'{"type":"press","button":"ok"}',
        b'{"type":"tag","tag":"AA"}',
        b'{"type":"plug","plugged":false}',
    ):
        assert browser.ask("/action", method="POST", body=body, headers=told).status in (403, 503)
    assert browser.ask("/", headers=header).status == 200


def test_one_machine_of_the_network_leaves_room_for_the_others() -> None:
    """520 connections of one machine, all idle, kept everybody from the pages."""
    phone, other = "192.168.1.20", "192.168.1.21"
    held: list[str] = []
    while may_connect(phone, held):
        held.append(phone)
    assert len(held) == MAX_PER_ADDRESS
    assert may_connect(other, held)


def test_the_whole_network_leaves_room_for_this_machine() -> None:
    held = [f"fe80::{number:x}" for number in range(MAX_FROM_NETWORK)]
    assert not may_connect("fe80::ffff", held)
    assert may_connect("127.0.0.1", held)
    assert may_connect("::ffff:127.0.0.1", held)
    many_here = ["127.0.0.1"] * MAX_FROM_NETWORK
    assert may_connect("127.0.0.1", many_here)
    assert may_connect("192.168.1.20", many_here)


@pytest.mark.usefixtures("no_time_passes")
def test_a_phone_that_asks_for_old_games_all_the_time_is_told_to_go_slowly(client: FlaskClient) -> None:
    """For each the table goes through a whole game, beside the one that is played."""
    phone = {"REMOTE_ADDR": "192.168.1.20"}
    asked = [client.get("/history/1", environ_base=phone).status_code for _ in range(QUERY_BURST + 3)]
    assert asked.count(429) == 3
    assert asked[-3:] == [429] * 3
    assert client.get("/history/1", environ_base={"REMOTE_ADDR": "192.168.1.21"}).status_code != 429
    here = [client.get("/history/1").status_code for _ in range(QUERY_BURST + 3)]
    assert 429 not in here, "this machine's own pages may"
