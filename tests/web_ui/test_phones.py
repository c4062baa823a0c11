"""Access of phones: allowed actions only, CSRF and DNS rebinding checks, rate limit."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from tests.web_ui import scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.security import MAX_TRACKED, PRESS_BURST, PRESSES_PER_SECOND, RateLimiter, is_lan_host
from web_ui.table_link import TableLink

PHONE = "192.168.1.20"
ALLOWED = {"press": ["seat.1.line.3", "seat.1.floor", "ok"], "tell": True, "hint": False, "learn": False}


def ask(client: FlaskClient, body: object, address: str = PHONE, **headers: str) -> TestResponse:
    given = {"Host": "192.168.1.5:8080", "Content-Type": "application/json", **headers}
    data = body if isinstance(body, bytes) else json.dumps(body)
    return client.post("/action", data=data, headers=given, environ_overrides={"REMOTE_ADDR": address})


@pytest.fixture
def phones_allowed(daemon: FakeDaemon, link: TableLink) -> None:
    """A table that allows phones a few buttons."""
    show(daemon, link, scenes.chosen(phones=ALLOWED))


@pytest.mark.usefixtures("phones_allowed")
@pytest.mark.parametrize(
    "action",
    [
        {"type": "press", "button": "seat.1.line.3"},
        {"type": "name", "seat": 1, "name": "Ana"},
        {"type": "tile", "colour": "b"},
    ],
)
def test_a_phone_may_do_what_the_table_allows(
    daemon: FakeDaemon, client: FlaskClient, action: Message
) -> None:
    answer = ask(client, action, Origin="http://192.168.1.5:8080")
    assert (answer.status_code, answer.get_json()) == (200, {"taken": True})
    assert daemon.asked.get(timeout=TIMEOUT) == {**action, "by": 0}


def test_a_phone_may_press_buttons_that_the_table_is_built_without(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    """A table without buttons at the seats is played by phones."""
    daemon.layout = {**daemon.layout, "buttons": []}
    show(daemon, link, scenes.chosen(phones=ALLOWED))
    assert ask(client, {"type": "press", "button": "seat.1.line.3"}).get_json() == {"taken": True}
    assert ask(client, {"type": "press", "button": "seat.1.line.4"}).status_code == 403


def test_a_phone_may_ask_for_hints_where_the_table_allows_it(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen(phones={"hint": True}))
    assert ask(client, {"type": "hint", "seat": 2}).get_json() == {"taken": True}
    assert daemon.asked.get(timeout=TIMEOUT) == {"type": "hint", "seat": 2, "by": 0}


@pytest.mark.usefixtures("phones_allowed")
@pytest.mark.parametrize(
    "action",
    [
        {"type": "press", "button": "display.3"},
        {"type": "press", "button": "seat.2.line.3"},
        {"type": "press", "button": "lever"},
        {"type": "name", "seat": 2, "name": "Ana"},
        {"type": "tag", "tag": "tile-b-07"},
        {"type": "hint"},
        {"type": "teach_tiles", "colour": "all"},
        {"type": "teach_player", "name": "Ana"},
        {"type": "teach_action", "action": "ok"},
        {"type": "forget_last"},
        {"type": "end_lesson"},
        {"type": "forget", "tags": ["04A21B7C"]},
        {"type": "forget_tiles", "colour": "b"},
        {"type": "plug", "plugged": False},
    ],
)
def test_a_phone_may_do_nothing_else(daemon: FakeDaemon, client: FlaskClient, action: Message) -> None:
    answer = ask(client, action)
    assert answer.status_code == 403
    assert answer.get_json()["error"].endswith(".")
    assert daemon.asked.empty()


def test_phones_may_do_nothing_before_the_first_snapshot(daemon: FakeDaemon, client: FlaskClient) -> None:
    assert ask(client, {"type": "press", "button": "ok"}).status_code == 503
    assert daemon.asked.empty()


@pytest.mark.usefixtures("phones_allowed")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "azul"}, 200),
        ({"Host": "azul.local:8080", "Origin": "http://azul.local:8080"}, 200),
        ({"Host": "[fd00::5]:8080", "Origin": "http://[fd00::5]:8080"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Host": "evil.example:8080", "Origin": "http://evil.example:8080"}, 403),
        ({"Host": "192.168.1.5.evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://192.168.1.5:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_requests_from_other_web_sites_are_refused(
    daemon: FakeDaemon, client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    answer = ask(client, {"type": "press", "button": "ok"}, **headers)
    assert answer.status_code == status
    assert daemon.asked.qsize() == (status == 200)


@pytest.mark.usefixtures("phones_allowed")
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 4000, b'{"type":"press","button":7}'])
def test_an_invalid_body_is_refused_with_a_sentence(
    daemon: FakeDaemon, client: FlaskClient, body: bytes
) -> None:
    answer = ask(client, body)
    assert answer.status_code == 400
    assert answer.get_json()["error"]
    assert daemon.asked.empty()


@pytest.mark.usefixtures("phones_allowed")
def test_a_flood_from_one_phone_is_refused_and_others_play_on(
    daemon: FakeDaemon, client_without_time: FlaskClient
) -> None:
    client = client_without_time
    answers = [ask(client, {"type": "press", "button": "ok"}) for _ in range(60)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert [answer.status_code for answer in answers] == [200] * PRESS_BURST + [429] * len(refused)
    assert refused[0].get_json()["error"] == "That was too fast. Slowly, please."
    assert refused[0].headers["Retry-After"]
    assert daemon.asked.qsize() == PRESS_BURST
    assert ask(client, {"type": "press", "button": "ok"}, address="192.168.1.21").status_code == 200


OWN_NAMES = (
    "192.168.1.5",
    "8.8.8.8:80",
    "[::1]:8080",
    "[fe80::1%25eth0]:8080",
    "localhost:8080",
    "Table",
    "azul-table:80",
    "azul.local",
    "azul.LOCAL.:8080",
    "azul.fritz.lan",
    "azul.home.arpa",
    "azul.internal",
    "local",
    ".local",
    "a/b",
)
STRANGE_NAMES = (
    "azul.example",
    "azul.local.example",
    "azullocal.com",
    "",
    ":8080",
    "[nonsense",
    "a b",
    "töpfer",
)


@pytest.mark.parametrize("host", OWN_NAMES)
def test_addresses_and_private_names_are_lan_hosts(host: str) -> None:
    """Of an invalid header like `a/b` only the part before the slash counts; no page has that host."""
    assert is_lan_host(host)


@pytest.mark.parametrize("host", STRANGE_NAMES)
def test_public_names_are_no_lan_hosts(host: str) -> None:
    assert not is_lan_host(host)


@given(st.text(max_size=60))
def test_any_host_header_is_judged(host: str) -> None:
    assert is_lan_host(f"{host}.example") in (False, is_lan_host(host))


def test_a_phone_may_press_ten_times_a_second_for_ever() -> None:
    now = 0.0
    rate_limiter = RateLimiter(lambda: now)
    for _ in range(100):
        assert rate_limiter.allows(PHONE)
        now += 1 / PRESSES_PER_SECOND
    taken = sum(rate_limiter.allows(PHONE) for _ in range(100))
    now += 1.0
    assert taken <= PRESSES_PER_SECOND
    assert sum(rate_limiter.allows(PHONE) for _ in range(100)) == PRESSES_PER_SECOND


def test_a_phone_does_not_save_presses_up_during_a_pause() -> None:
    now = 0.0
    rate_limiter = RateLimiter(lambda: now)
    assert rate_limiter.allows(PHONE)
    now = 3600.0
    assert sum(rate_limiter.allows(PHONE) for _ in range(100)) == PRESS_BURST


def test_the_rate_limiter_tracks_a_bounded_number_of_addresses() -> None:
    rate_limiter = RateLimiter(lambda: 0.0)
    while rate_limiter.allows(PHONE):
        continue
    for number in range(MAX_TRACKED - 1):
        assert rate_limiter.allows(f"phone {number}")
    assert not rate_limiter.allows(PHONE)
    assert rate_limiter.allows("one too many")
    assert rate_limiter.allows(PHONE), "all addresses were dropped"


def test_the_rate_limiter_drops_full_buckets_first() -> None:
    now = 0.0
    rate_limiter = RateLimiter(lambda: now)
    for number in range(MAX_TRACKED - 1):
        assert rate_limiter.allows(f"phone {number}")
    now = 1.0
    while rate_limiter.allows(PHONE):
        continue
    assert rate_limiter.allows("one too many")
    assert not rate_limiter.allows(PHONE), "its empty bucket is kept"
