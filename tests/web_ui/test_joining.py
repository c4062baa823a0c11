"""Joining with a phone: the page `/join`, seats that belong to phones, the PIN, the QR code, and attacks."""

from __future__ import annotations

import json
import re
from http.cookies import SimpleCookie
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from werkzeug.test import EnvironBuilder, TestResponse
from werkzeug.wrappers import Request

from tests.web_ui import scenes
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.app import create_app
from web_ui.joining import PIN_TRIES, PIN_TRIES_OF_ALL, PinLimiter, qr_code
from web_ui.messages import read_snapshot
from web_ui.security import PIN_COOKIE, SEAT_COOKIE, claim_of, new_secret, pin_pass
from web_ui.table_link import TableLink
from web_ui.views import joining
from web_ui.views.phone import JOIN, Viewer, is_locked

ADDRESS = "192.168.1.20"
HOST = "192.168.1.5:8080"
PIN = {"addresses": [f"http://{HOST}/"], "here_only": False, "pin": "483921", "secret": "ab" * 32}
SECRETS = {seat: new_secret() for seat in range(1, 5)}
SEATS = [f"seat.{seat}.floor" for seat in range(1, 5)]
EVERYTHING = {"press": [*SEATS, *(f"seat.{seat}.line.3" for seat in range(1, 5)), "ok", "undo"], "hint": True}


def cookie(seat: int) -> dict[str, str]:
    """Return the cookie of the phone that has a seat."""
    return {"Cookie": f"{SEAT_COOKIE}={SECRETS[seat]}"}


def claimed(scene: Message, *seats: int, **changes: object) -> Message:
    """Return a scene where phones may play, and some seats belong to phones."""
    mine = [
        {
            **seat,
            "claimed": seat["seat"] in seats,
            "claim": claim_of(SECRETS[seat["seat"]]) if seat["seat"] in seats else "",
        }
        for seat in scene["seats"]
    ]
    return {**scene, "seats": mine, "phones": {**scene.get("phones", {}), **EVERYTHING}, **changes}


def form(client: FlaskClient, fields: dict[str, str], address: str = ADDRESS, **headers: str) -> TestResponse:
    """Post the form of the page, as a browser does."""
    given = {"Host": HOST, "Origin": f"http://{HOST}", **headers}
    return client.post("/join", data=fields, headers=given, environ_overrides={"REMOTE_ADDR": address})


def act(client: FlaskClient, action: Message, address: str = ADDRESS, **headers: str) -> TestResponse:
    given = {"Host": HOST, "Content-Type": "application/json", **headers}
    return client.post(
        "/action", data=json.dumps(action), headers=given, environ_overrides={"REMOTE_ADDR": address}
    )


def get(
    client: FlaskClient, path: str, address: str = ADDRESS, host: str = HOST, **headers: str
) -> TestResponse:
    return client.get(path, headers={"Host": host, **headers}, environ_overrides={"REMOTE_ADDR": address})


def set_cookies(response: TestResponse) -> dict[str, str]:
    """Return the cookies that a response sets, and check how."""
    found: SimpleCookie = SimpleCookie()
    for line in response.headers.getlist("Set-Cookie"):
        assert "HttpOnly" in line
        assert "SameSite=Strict" in line
        assert "Path=/" in line
        assert re.search(r"Max-Age=\d{7,}", line)
        found.load(line)
    return {name: morsel.value for name, morsel in found.items()}


@pytest.fixture
def client(link: TableLink) -> FlaskClient:
    """A client of the pages in this process, without a cookie jar."""
    return create_app(link, clock=lambda: 0.0).test_client(use_cookies=False)


def asked(daemon: FakeDaemon) -> Message:
    """Return the next message that the table got, without its latest time."""
    message = daemon.asked.get(timeout=TIMEOUT)
    message.pop("before", None)
    return message


# --- Picking a seat ---


def test_a_phone_picks_a_seat_and_a_name_in_one_step(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    assert 'name="seat" value="4"' in get(client, "/join").text
    response = form(client, {"name": "Zoë", "seat": "4"})
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    secret = set_cookies(response)[SEAT_COOKIE]
    message = asked(daemon)
    assert message == {"type": "claim", "seat": 4, "name": "Zoë", "claim": claim_of(secret), "by": 0}
    assert secret not in response.text


def test_each_claim_has_a_secret_of_its_own_and_none_of_the_browsers(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    """A phone that somebody gave a known secret gets another one (session fixation)."""
    show(daemon, link, claimed(scenes.seating(), 1))
    known = SECRETS[1]
    answers = [form(client, {"seat": "4"}, Cookie=f"{SEAT_COOKIE}={known}") for _ in range(3)]
    secrets = {set_cookies(answer)[SEAT_COOKIE] for answer in answers} | {known}
    assert len(secrets) == 4
    assert all(len(secret) >= 43 for secret in secrets)
    assert [asked(daemon)["by"] for _ in answers] == [1, 1, 1], "the phone gives its first seat up"


def test_a_script_claims_a_seat_and_never_reads_the_secret(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    response = act(client, {"type": "claim", "seat": 4, "name": "Zoë"})
    assert response.get_json() == {"taken": True}
    assert asked(daemon)["claim"] == claim_of(set_cookies(response)[SEAT_COOKIE])


def test_a_repeated_claim_gives_the_same_secret(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    both = [act(client, {"type": "claim", "seat": 4}, **{"Azul-Action": "ab" * 16}) for _ in range(2)]
    first, second = (set_cookies(response) for response in both)
    assert first == second
    assert daemon.asked.qsize() == 1


def test_a_refused_claim_says_why_and_sets_no_cookie(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    daemon.answer = lambda _message: {"taken": False, "why": "seat_claimed"}
    response = form(client, {"seat": "4"})
    assert response.status_code == 409
    assert "That seat belongs to another phone." in response.text
    assert not set_cookies(response)
    assert not set_cookies(act(client, {"type": "claim", "seat": 4}))


@pytest.mark.parametrize("seat", ["", "0", "x", "-1", "9" * 50, "²", "1 "])
def test_a_form_without_a_seat_asks_for_one(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, seat: str
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    response = form(client, {"name": "Zoë", "seat": seat})
    assert response.status_code == 400
    assert "Now tap your seat." in response.text
    assert daemon.asked.empty()


def test_whoever_watches_goes_to_the_phone_page(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    assert form(client, {"watch": "1"}).headers["Location"] == "/"


def test_a_tap_on_ones_own_seat_leads_to_it(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.offer(), 1))
    assert form(client, {"seat": "1"}, **cookie(1)).headers["Location"] == "/"
    assert daemon.asked.empty()


def test_a_table_with_its_own_buttons_offers_no_seats(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    scene = claimed(scenes.seating()) | {"phones": {"press": [], "hint": False}}
    show(daemon, link, scene)
    page = get(client, "/join").text
    assert "phones watch" in page
    assert 'value="4"' not in page
    assert form(client, {"seat": "4"}).status_code == 403
    assert act(client, {"type": "claim", "seat": 4}).status_code == 403
    assert daemon.asked.empty()


def test_the_seats_say_who_sits_there() -> None:
    scene = claimed(scenes.offer(), 1)
    scene["seats"][2] |= {"taken": True, "bot": "greedy", "name": "Greedy"}
    seats = joining.seats(make_formatter(scene), Viewer(JOIN, at_table=False, seat=1)).seats
    assert [(seat.seat, seat.kind) for seat in seats] == [(1, "mine"), (2, "open"), (3, "bot"), (4, "open")]
    others = joining.seats(make_formatter(scene), Viewer(JOIN, at_table=False)).seats
    assert [bool(seat.text) for seat in others] == [False, True, False, True]
    assert others[0].kind == "phone"
    assert answers == [403] * PIN_TRIES + [429] * 3
    assert form(client, {"pin": "483921", "seat": "4"}).status_code == 429, "also the right one, for a minute"
    assert form(client, {"pin": "483921", "seat": "4"}, "192.168.1.21").status_code == 303
    assert daemon.asked.qsize() == 1


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "483921",
        "1",
        pin_pass("483921", ""),
        pin_pass("483921", "cd" * 32),
        pin_pass("1234", "ab" * 32),
        "ä",
    ],
)
def test_a_forged_cookie_is_no_pin(forged: str) -> None:
    snapshot = read_snapshot(json.dumps(claimed(scenes.offer(), join=PIN)).encode())
    for value, locked in ((forged, True), (pin_pass(str(PIN["pin"]), str(PIN["secret"])), False)):
        headers = [("Cookie", f"{PIN_COOKIE}={value}")]
        assert is_locked(Request(EnvironBuilder(headers=headers).get_environ()), snapshot) is locked


def test_the_tables_own_machine_needs_no_pin(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.offer(), join=PIN))
    press = {"type": "press", "button": "ok"}
    assert act(client, press, "127.0.0.1", Host="127.0.0.1:8080").status_code == 200
    assert 'name="pin"' not in get(client, "/join", "127.0.0.1", "127.0.0.1:8080").text


def test_many_addresses_together_guess_slowly() -> None:
    limiter = PinLimiter(lambda: 0.0)
    tries = [limiter.allows(f"192.168.{at // 200}.{at % 200}") for at in range(PIN_TRIES_OF_ALL + 5)]
    assert tries == [True] * PIN_TRIES_OF_ALL + [False] * 5
    one_network = PinLimiter(lambda: 0.0)
    assert sum(one_network.allows(f"2001:db8::{at:x}") for at in range(50)) == PIN_TRIES


# --- The QR code ---


def test_the_qr_code_has_the_address_of_the_page(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.offer(), join=PIN))
    response = get(client, "/join.svg")
    assert response.data == qr_code(f"http://{HOST}/join")
    assert response.content_type.startswith("image/svg+xml")
    again = get(client, "/join.svg", **{"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


def test_without_an_address_there_is_no_qr_code(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(
        daemon,
        link,
        claimed(scenes.offer(), join={"addresses": [], "here_only": True, "pin": "", "secret": ""}),
    )
    assert get(client, "/join.svg").status_code == 404
    assert "--host 0.0.0.0" in get(client, "/table", "127.0.0.1", "127.0.0.1:8080").text


def test_addresses_of_different_tables_have_different_codes() -> None:
    codes = [qr_code(f"http://192.168.1.{host}:8080/join") for host in range(5)]
    assert all(one != other for one, other in pairwise(codes))


# --- The home screen ---


def test_the_manifest_names_icons_that_are_there(client: FlaskClient) -> None:
    page = get(client, "/").text
    found = re.search(r'<link rel="manifest" href="([^"]+)"', page)
    assert found is not None
    manifest = get(client, found[1])
    assert manifest.content_type.startswith("application/manifest+json")
    for icon in json.loads(manifest.data)["icons"]:
        response = get(client, icon["src"])
        assert (response.status_code, response.content_type.partition(";")[0]) == (200, icon["type"])
    assert "manifest-src 'self'" in manifest.headers["Content-Security-Policy"]
