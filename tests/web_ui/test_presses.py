"""Actions posted by pages: who may do what, and refusals with a sentence."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web_ui import scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.messages import Action
from web_ui.table_link import TableLink

JSON = {"Content-Type": "application/json"}
ACTIONS: tuple[Message, ...] = (
    {"type": "press", "button": "ok"},
    {"type": "tile", "colour": "b"},
    {"type": "tag", "tag": "A762000007"},
    {"type": "hint", "seat": 1},
    {"type": "select", "source": 3, "colour": "r"},
    {"type": "choose", "choice": "3r2"},
    {"type": "name", "seat": 1, "name": "Ana"},
    {"type": "sit", "seat": 2, "bot": "strong"},
    {"type": "leave", "seat": 2},
    {"type": "options", "mode": "gray"},
    {"type": "start", "first": None},
    {"type": "again"},
    {"type": "claim", "seat": 2, "name": "Ana"},
    {"type": "release", "seat": 2},
    {"type": "teach_game", "on": True},
    {"type": "lesson_seen"},
    {"type": "teach_tiles", "colour": "all"},
    {"type": "teach_player", "name": "Ana"},
    {"type": "teach_action", "action": "ok"},
    {"type": "forget_last"},
    {"type": "end_lesson"},
    {"type": "forget", "tags": ["AA"]},
    {"type": "forget_tiles", "colour": "b"},
    {"type": "show", "number": 7, "step": 3},
    {"type": "practice", "number": 7, "step": 3},
    {"type": "settings", "palette": "box"},
    {"type": "fault", "part": "pico", "fault": "unplug", "on": False},
)
"""One action of every type."""


def test_there_is_an_example_of_every_action() -> None:
    tags = [action.__struct_config__.tag for action in get_args(Action)]
    assert [action["type"] for action in ACTIONS] == tags


def post(client: FlaskClient, body: object) -> TestResponse:
    return client.post("/action", data=body if isinstance(body, bytes) else json.dumps(body), headers=JSON)


def press(client: FlaskClient, button: str) -> TestResponse:
    return post(client, {"type": "press", "button": button})


def test_pages_for_other_machines_have_no_buttons(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    far = {"environ_base": {"REMOTE_ADDR": "192.168.1.20"}}
    page = client.get("/table?face=hardware", **far).text
    assert "the drawn buttons work on the table" in page
    assert 'role="button"' not in page
    assert set(re.findall("<button ([a-z-]+=)", page)) == {"name="}, "those of the menu of languages"
    assert set(re.findall('<button name="([a-z]+)"', page)) == {"language"}
    assert "Workshop" in page, "but nothing to do there"
    assert "data-action" not in page
    assert 'href="/table"' not in client.get("/", **far).text
    assert 'href="/table"' in client.get("/").text
    assert 'href="/table"' not in client.get("/", headers={"Host": "table.example:8080"}).text


def test_a_press_is_sent_to_the_table(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, scenes.offer())
    answer = press(client, "display.3")
    assert (answer.status_code, answer.get_json()) == (200, {"taken": True})
    assert daemon.asked.get(timeout=TIMEOUT)["button"] == "display.3"


def test_a_refused_press_says_why(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, scenes.offer())
    daemon.answer = lambda question: {"taken": False, "why": "line_full"}
    answer = press(client, "seat.1.line.2")
    assert answer.get_json() == {"taken": False, "why": "line_full", "say": "That line is full."}


@pytest.mark.parametrize(("seat", "name"), [(3, "  Zoë "), (4, "Zoë\n")])
def test_a_name_is_sent_to_the_table(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, seat: int, name: str
) -> None:
    """The table removes the blanks around it; the page lets all four seats of the layout pass."""
    show(daemon, link, scenes.seating())
    action = {"type": "name", "seat": seat, "name": name}
    answer = client.post("/action", data=json.dumps(action), headers=JSON)
    assert answer.get_json() == {"taken": True}
    assert daemon.asked.get(timeout=TIMEOUT) == action


def test_a_press_without_a_table_is_refused(client: FlaskClient) -> None:
    answer = press(client, "ok")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert "not running" in answer.get_json()["error"]


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("127.9.9.9", {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}, 200),
        ("::1", {"Host": "[::1]:8080", "Origin": "http://[::1]:8080"}, 200),
        ("::ffff:127.0.0.1", {"Host": "localhost:1"}, 200),
        ("127.0.0.1", {"Sec-Fetch-Site": "same-origin"}, 200),
        ("192.168.1.20", {}, 403),
        ("::ffff:10.0.0.1", {}, 403),
        ("", {}, 403),
        ("127.0.0.1", {"Host": "table.example"}, 403),
        ("127.0.0.1", {"Host": "127.0.0.1.example:80"}, 403),
        ("127.0.0.1", {"Host": "[nonsense"}, 403),
        ("127.0.0.1", {"Origin": "http://evil.example"}, 403),
        ("127.0.0.1", {"Origin": "http://localhost:9999"}, 403),
        ("127.0.0.1", {"Origin": "https://localhost"}, 403),
        ("127.0.0.1", {"Origin": "null"}, 403),
        ("127.0.0.1", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("127.0.0.1", {"Sec-Fetch-Site": "same-site"}, 403),
        ("127.0.0.1", {"Content-Type": "text/plain"}, 415),
        ("127.0.0.1", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_only_pages_at_this_machine_may_do_everything(
    daemon: FakeDaemon,
    link: TableLink,
    client: FlaskClient,
    address: str,
    headers: dict[str, str],
    status: int,
) -> None:
    show(daemon, link, scenes.offer())
    for action in ACTIONS:
        answer = client.post(
            "/action",
            data=json.dumps(action),
            headers={"Host": "localhost", **JSON, **headers},
            environ_overrides={"REMOTE_ADDR": address},
        )
        assert answer.status_code == status
        assert status == 200 or answer.get_json()["error"]
    assert daemon.asked.qsize() == (len(ACTIONS) if status == 200 else 0)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"\xff\xff", 400),
        (b"[" * 4000, 400),
        (b'{"type":"press","button":7}', 400),
        (b'{"button":"ok"}', 400),
        (b'{"type":"pull","button":"ok"}', 400),
        (b'{"type":"press","button":"ok","id":1}', 400),
        (b'{"type":"press","button":"' + b"x" * 200 + b'"}', 400),
        (b'{"type":"press","button":"lever.1"}', 404),
        (b'{"type":"press","button":"display.10"}', 404),
        (b'{"type":"press","button":""}', 404),
        (b'{"type":"press","button":"' + b"x" * 5000 + b'"}', 413),
    ],
)
def test_an_invalid_press_is_refused_with_a_sentence(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, body: bytes, status: int
) -> None:
    show(daemon, link, scenes.offer())
    answer = post(client, body)
    assert answer.status_code == status
    assert re.search(r"[a-z] .*\.$", answer.get_json()["error"])
    assert daemon.asked.empty()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"seat": 5, "name": "Ana"}, 404),
        ({"seat": 0, "name": "Ana"}, 400),
        ({"seat": 10**30, "name": "Ana"}, 400),
        ({"seat": "1", "name": "Ana"}, 400),
        ({"seat": 1}, 400),
        ({"seat": 1, "name": "A\nB"}, 400),
        ({"seat": 1, "name": "\u202eAna"}, 400),
        ({"seat": 1, "name": "A" * 300}, 400),
    ],
)
def test_an_invalid_name_is_refused_with_a_sentence(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, body: Message, status: int
) -> None:
    show(daemon, link, scenes.seating())
    answer = client.post("/action", data=json.dumps({"type": "name", **body}), headers=JSON)
    assert answer.status_code == status
    assert answer.get_json()["error"].endswith(".")
    assert daemon.asked.empty()


def test_an_unknown_button_and_an_error_of_the_table_are_refused(
    daemon: FakeDaemon, client: FlaskClient
) -> None:
    daemon.answer = lambda question: {"taken": False, "why": "unknown_button"}
    assert press(client, "lever.1").status_code == 404
    daemon.answer = lambda question: {"type": "error", "error": "that was no message"}
    assert press(client, "lever.1").status_code == 400
