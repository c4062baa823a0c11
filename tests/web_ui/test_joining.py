"""Joining with a phone: the page `/join`, seats that belong to phones, the PIN, the QR code, and attacks."""

from __future__ import annotations

import json
import re
from html import unescape
from http.cookies import SimpleCookie
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
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
from web_ui.text.sentences import SnapshotFormatter
from web_ui.views import controls, joining
from web_ui.views.phone import JOIN, PHONE, TABLE, Viewer, is_locked, seated

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


def test_a_form_that_comes_twice_claims_a_seat_once(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    """Bug fixed: the second claim was refused, and its answer left the phone without the seat's secret."""
    show(daemon, link, claimed(scenes.seating()))
    fields = {"seat": "4", "name": "Zoë", "id": "0123", "made": get(client, "/beat").text}
    first, again = form(client, fields), form(client, fields)
    assert set_cookies(first) == set_cookies(again) != {}
    assert again.status_code == 303
    assert asked(daemon)["type"] == "claim"
    assert daemon.asked.empty()
    assert set_cookies(form(client, fields, "192.168.1.21")) != set_cookies(first), "another machine"


@pytest.mark.parametrize(("made", "status"), [("late", 409), ("yesterday", 400)])
def test_a_form_that_comes_late_claims_no_seat(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, made: str, status: int
) -> None:
    """Bug fixed: a seat could be taken by a phone that had given up waiting for it."""
    show(daemon, link, claimed(scenes.seating()))
    epoch, _, now = get(client, "/beat").text.partition(".")
    made = f"{epoch}.{int(now) - 5000}" if made == "late" else made
    response = form(client, {"seat": "4", "name": "Zoë", "id": "0123", "made": made})
    assert response.status_code == status
    assert set_cookies(response) == {}
    assert daemon.asked.empty()
    assert ("came too late" in response.text) == (status == 409)


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


def test_the_page_works_without_a_table(client: FlaskClient) -> None:
    assert get(client, "/join").status_code == 200
    assert form(client, {"seat": "1"}).status_code == 503


# --- Who a phone is ---


def test_an_action_says_which_phone_does_it(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, 2))
    press = {"type": "press", "button": "seat.1.line.3"}
    for headers, by in ((cookie(2), 2), (cookie(1), 1), (cookie(3), 0), ({}, 0)):
        act(client, press, **headers)
        assert asked(daemon) == {**press, "by": by}


def test_somebody_at_the_table_is_not_named(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, 2))
    for action in ({"type": "press", "button": "seat.1.line.3"}, {"type": "release", "seat": 1}):
        act(client, action, "127.0.0.1", Host="127.0.0.1:8080", **cookie(2))
        assert asked(daemon) == action


@pytest.mark.parametrize(
    "action",
    [
        {"type": "press", "button": "ok", "by": 1},
        {"type": "press", "button": "ok", "by": None, "before": 1.0},
        {"type": "release", "seat": 1, "by": 1},
        {"type": "claim", "seat": 4, "claim": "a" * 64},
        {"type": "claim", "seat": 4, "by": 1},
        {"type": "claim", "seat": 0},
        {"type": "claim", "seat": "4"},
    ],
)
def test_a_browser_does_not_say_who_it_is(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, action: Message
) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, 2))
    assert act(client, action, **cookie(2)).status_code == 400
    assert daemon.asked.empty()


def test_through_a_proxy_everybody_is_a_phone(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, 2))
    headers = {"Host": "127.0.0.1:8080", "X-Forwarded-For": "203.0.113.7"}
    act(client, {"type": "press", "button": "ok"}, "127.0.0.1", **headers)
    assert asked(daemon)["by"] == 0


def test_the_claim_of_a_seat_is_its_own_phones_only() -> None:
    snapshot = read_snapshot(json.dumps(claimed(scenes.offer(), 1, 2)).encode())
    viewer = Viewer(PHONE, at_table=False)
    assert seated(viewer, claim_of(SECRETS[2]), snapshot).seat == 2
    assert seated(viewer, claim_of(SECRETS[3]), snapshot).seat == 0
    assert seated(viewer, "", snapshot).seat == 0, "a seat without a claim belongs to no phone without one"
    assert seated(viewer, claim_of(SECRETS[2]), None).seat == 0


@given(st.text(max_size=60))
def test_only_secrets_of_ours_have_a_claim(text: str) -> None:
    assert claim_of(text) == ""


def test_pages_show_no_claim_and_no_pin(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, 2, join=PIN))
    pages = (
        "/",
        "/table",
        "/join",
        "/state",
        *(f"/regions?page={page}" for page in ("phone", "table", "join")),
    )
    for path in pages:
        for headers in ({}, cookie(1)):
            text = get(client, path, **headers).text
            for hidden in (claim_of(SECRETS[1]), SECRETS[1], PIN["pin"], PIN["secret"]):
                assert str(hidden) not in text, path
    state = get(client, "/state").get_json()
    assert [seat["claimed"] for seat in state["seats"]][:2] == [True, True]
    assert state["join"] == {"addresses": PIN["addresses"], "here_only": False}


def test_the_table_shows_the_pin_and_takes_seats_back(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.offer(), 1, join=PIN))
    page = unescape(get(client, "/table", "127.0.0.1", "127.0.0.1:8080").text)
    assert "PIN 483921" in page
    assert HOST in page
    assert '{"type": "release", "seat": 1}' in page
    formatter = make_formatter(claimed(scenes.offer(), 1, join=PIN))
    shown = joining.invitation(formatter, Viewer(TABLE, at_table=False))
    assert shown is not None
    assert (shown.pin, shown.claimed) == ("", ())


# --- What a phone sees of others' seats ---


def live(formatter: SnapshotFormatter, seat: int = 0) -> frozenset[str]:
    """Return the buttons that the phone of a seat, or one without a seat, may press."""
    return controls.hands(formatter, Viewer(PHONE, at_table=False, seat=seat)).live


def test_a_phone_has_no_buttons_of_another_phones_seat() -> None:
    formatter = make_formatter(claimed(scenes.chosen(), 1, 2, 3, 4))
    assert not live(formatter)
    assert not {name for name in live(formatter, 2) if name.startswith("seat")}
    assert "seat.1.line.3" in live(formatter, 1)
    assert "seat.1.line.3" in live(make_formatter(claimed(scenes.chosen(), 2)))


def test_only_the_player_who_is_asked_can_answer() -> None:
    ask = {"say": "undo_asked", "seat": 1, "name": "Ana", "by": 2, "by_name": "Rui"}
    formatter = make_formatter(claimed(scenes.offer(), 1, 2, 3, 4, ask=ask, live=["ok", "undo"]))
    assert [live(formatter, seat) for seat in (0, 1, 2)] == [frozenset(), {"ok", "undo"}, {"undo"}]
    assert formatter.instruction().startswith("Rui would like to take back the last move of Ana.")


def test_a_page_says_when_its_player_is_to_act() -> None:
    formatter = make_formatter(claimed(scenes.chosen(), 1, 2))
    mine, theirs = (joining.own_turn(formatter, Viewer(PHONE, at_table=False, seat=seat)) for seat in (1, 2))
    assert mine is not None
    assert mine.title.startswith("●")
    assert theirs is None
    assert joining.own_turn(formatter, Viewer(PHONE, at_table=False)) is None


# --- Forms of other web sites ---


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://192.168.1.5:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example:8080", "Origin": "http://evil.example:8080"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_a_form_of_another_web_site_takes_no_seat(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    response = form(client, {"seat": "4"}, **headers)
    assert response.status_code == status
    assert daemon.asked.qsize() == (status == 303)
    assert bool(set_cookies(response)) == (status == 303)


def test_a_form_without_an_origin_is_refused(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating()))
    response = client.post("/join", data={"seat": "4"}, headers={"Host": HOST})
    assert response.status_code == 403
    assert daemon.asked.empty()


def test_browsers_send_the_origin_of_the_page_with_its_form(client: FlaskClient) -> None:
    """With the policy of the other pages, `no-referrer`, the origin of a form is `null`."""
    assert get(client, "/join").headers["Referrer-Policy"] == "same-origin"
    assert get(client, "/").headers["Referrer-Policy"] == "no-referrer"


def test_a_flood_of_claims_is_refused(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.seating()))
    answers = [form(client, {"seat": "4"}).status_code for _ in range(15)]
    assert answers == [303] * 10 + [429] * 5
    assert daemon.asked.qsize() == 10


# --- The PIN ---


def test_without_the_pin_a_phone_only_looks(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.offer(), join=PIN))
    for action in ({"type": "press", "button": "ok"}, {"type": "claim", "seat": 1}, {"type": "hint"}):
        refused = act(client, action)
        assert refused.status_code == 403
        assert "PIN" in refused.get_json()["error"]
    assert form(client, {"seat": "1"}).status_code == 403
    assert daemon.asked.empty()
    page = get(client, "/").text
    for pressed in ("data-button", "data-choose", "data-action"):
        assert pressed not in page
    assert 'href="/join"' in page
    assert 'name="pin"' in get(client, "/join").text


def test_the_pin_is_remembered_by_a_cookie(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.seating(), join=PIN))
    response = form(client, {"pin": " 483 921", "name": "Zoë", "seat": "4"})
    assert response.status_code == 303
    cookies = set_cookies(response)
    assert cookies.keys() == {PIN_COOKIE, SEAT_COOKIE}
    assert "483921" not in cookies[PIN_COOKIE]
    asked(daemon)
    headers = {"Cookie": f"{PIN_COOKIE}={cookies[PIN_COOKIE]}"}
    assert act(client, {"type": "press", "button": "ok"}, **headers).status_code == 200
    assert 'name="pin"' not in get(client, "/join", **headers).text


def test_the_pin_alone_leads_back_to_the_seats(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(scenes.seating(), join=PIN))
    response = form(client, {"pin": "483921"})
    assert response.headers["Location"] == "/join"
    assert set_cookies(response).keys() == {PIN_COOKIE}


def test_a_refused_claim_keeps_the_pin(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.seating(), join=PIN))
    daemon.answer = lambda _message: {"taken": False, "why": "seat_claimed"}
    response = form(client, {"pin": "483921", "seat": "4"})
    assert response.status_code == 409
    assert set_cookies(response).keys() == {PIN_COOKIE}


def test_pins_are_not_guessed(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, claimed(scenes.seating(), join=PIN))
    answers = [form(client, {"pin": f"{at:06}", "seat": "4"}).status_code for at in range(PIN_TRIES + 3)]
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
