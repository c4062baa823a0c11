"""The pages over HTTP: complete without scripts, with ETags and security headers."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show, until_frame, until_presence
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.latest import Frame, Presence
from web_ui.messages import SCHEMA
from web_ui.table_link import TableLink


@pytest.mark.parametrize(
    ("scene", "sentences"),
    [
        (scenes.seating(), ["Everybody here?", "Ana Seat 1 Rui Seat 2", "free Seat 4"]),
        (
            scenes.offer(),
            [
                "Ana's turn take tiles Round 2 Ana, take tiles from a display or the centre.",
                "Rui took 1 black and the starting marker from the centre to line 4.",
            ],
        ),
        (scenes.refused(), ["That line is full."]),
        (scenes.scoring(), ["Rui: 11 Red in row 4: 2 down = 2. +2"]),
        (scenes.over(), ["Ana wins with 57 points", "A Ana 1 57 2 rows", "Row 1 is complete: 2"]),
    ],
)  # fmt: skip
def test_the_phone_page_is_complete_without_scripts(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, scene: Message, sentences: list[str]
) -> None:
    show(daemon, link, scene)
    page = client.get("/").text
    for sentence in sentences:
        assert sentence in str(Text(page))
    assert '<noscript><meta http-equiv="refresh"' in page


def test_boards_and_displays_have_labels_for_screen_readers(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    labels = Text(client.get("/").text).values("aria-label")
    for sentence in [
        "Display 1: 2 blue, 1 yellow and 1 red",
        "Display 3: 2 black and 2 white; black chosen",
        "Display 2: empty",
        "Line 4: black, 3 of 4",
        "Row 1 of the wall: blue and yellow",
        "Floor: 1 blue, 1 yellow and the starting marker; costs 4 points",
        "101 points",
    ]:
        assert sentence in labels


def test_names_are_escaped(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    nasty = "<script>alert('\"')</script>"
    seats = [scenes.seat(1, taken=True, name=nasty, acting=True)]
    show(daemon, link, scenes.offer(seats=seats, ask={"say": "draft", "seat": 1, "name": nasty}))
    for path in ("/", "/table"):
        page = client.get(path).text
        assert nasty not in page
        assert nasty in str(Text(page)) or nasty in " ".join(Text(page).values("aria-label"))


def test_no_page_loads_from_another_host_or_has_inline_code(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    for path in ("/", "/table", "/nothing"):
        page = Text(client.get(path).text)
        for address in page.values("src") + page.values("href"):
            assert address.startswith(("/", "#")), address
            assert not address.startswith("//")
        assert not page.values("style")
        assert not [name for _, given in page.elements for name in given if name.startswith("on")]
        assert not [tag for tag, _ in page.elements if tag == "style"]


def test_the_only_inline_script_is_the_one_that_the_security_policy_names(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    for path, number in {"/": 1, "/table": 1, "/wall": 1, "/nothing": 0, "/rules": 0}.items():
        response = client.get(path)
        scripts: list[str] = re.findall(r"<script>(.*?)</script>", response.text, re.DOTALL)
        assert len(scripts) == number, path
        for script in scripts:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in response.headers["Content-Security-Policy"]


def test_every_response_has_security_headers(client: FlaskClient) -> None:
    for path in ("/", "/table", "/state", "/regions", "/nothing", "/static/style.css"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "worker-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Accept-Language" in headers["Vary"]


@pytest.mark.parametrize(
    "path", ["/", "/table", "/regions", "/regions?page=table", "/state", "/static/live.js"]
)
def test_unchanged_pages_are_not_sent_again(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, path: str
) -> None:
    show(daemon, link, scenes.offer(3))
    link.latest.want_frames(TIMEOUT)
    until_frame(link, Frame())  # one between two requests would be a change
    first = client.get(path)
    assert first.status_code == 200
    etag = first.headers["ETag"]
    again = client.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")
    if not path.startswith("/static"):
        show(daemon, link, scenes.refused(4))
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 200
        german = client.get(path, headers={"If-None-Match": first.headers["ETag"], "Accept-Language": "de"})
        assert german.status_code == 200


def test_pages_of_different_views_have_different_etags(
    daemon: FakeDaemon,
    link: TableLink,
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page rendered while the table came had newer regions than its layout, and an ETag of both."""
    before = link.latest.view
    show(daemon, link, scenes.offer())
    link.latest.want_frames(TIMEOUT)
    for path in ("/", "/table", "/regions", "/regions?page=table"):
        client.get(path)
        with monkeypatch.context() as overtaken:
            overtaken.setattr(link.latest, "view", before)
            stale = client.get(path)
        again = client.get(path, headers={"If-None-Match": stale.headers["ETag"]})
        assert again.status_code == 200, path
        assert again.data != stale.data


def test_the_state_is_the_snapshot_unchanged(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    away = client.get("/state")
    assert away.status_code == 503
    assert away.get_json() == {"error": "The table is not running; this page comes back by itself."}
    show(daemon, link, scenes.over())
    assert client.get("/state").get_json() == scenes.over()


def test_polling_returns_the_regions_of_the_page(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    polled = client.get("/regions").get_json()
    page = client.get("/").text
    assert "Ana&#39;s turn" in polled["news"]["regions"]["turn"]
    for name, html in polled["news"]["regions"].items():
        assert f'data-region="{name}"' in page
        assert html in page
    assert polled["stamp"] in page
    assert polled["lights"] is None
    twin = client.get("/regions?page=table").get_json()
    assert twin["news"]["state"]["live"] == scenes.offer()["live"]
    assert twin["news"]["state"]["labels"]["seat.1.line.3"] == "Line 3 of Ana's board"


@pytest.mark.parametrize(
    ("asked", "language", "sentence"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "de", "Ana ist dran"),
        ("it,en;q=0.3", "en", "Ana's turn"),
        ("fr,en;q=0.3", "fr", "À Ana de jouer"),
        ("ja", "en", "Ana's turn"),
        ("*", "en", "Ana's turn"),
        (";;;=", "en", "Ana's turn"),
    ],
)
def test_the_request_chooses_the_language(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, asked: str, language: str, sentence: str
) -> None:
    show(daemon, link, scenes.offer())
    page = Text(client.get("/", headers={"Accept-Language": asked}).text)
    assert page.values("lang")[0] == language
    assert sentence in str(page)


def test_without_a_table_the_pages_say_so(client: FlaskClient) -> None:
    for path in ("/", "/table"):
        assert "The table is not running; this page comes back by itself." in str(Text(client.get(path).text))


def test_a_page_says_which_question_it_shows_and_whether_the_table_is_there(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    def shown() -> tuple[list[str], list[str], bool]:
        page = Text(client.get("/").text)
        notice = next(given for _, given in page.elements if given.get("id") == "lost")
        return page.values("data-asked"), page.values("data-connection"), "hidden" in notice

    assert shown() == ([], ["hung"], False)
    show(daemon, link, scenes.offer(3, asked="q7"))
    assert shown() == (["q7"], ["live"], True)
    news = client.get("/regions").get_json()["news"]
    assert (news["asked"], news["presence"], news["notice"]) == ("q7", "here", "")
    daemon.stop()
    until_presence(link, Presence.AWAY)
    assert shown() == (["q7"], ["hung"], False)
    news = client.get("/regions").get_json()["news"]
    assert news["notice"].startswith("The table is not running")


def test_a_newer_table_is_reported(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    daemon.play({**scenes.offer(), "schema": SCHEMA + 1})
    until_presence(link, Presence.NEWER)
    assert "The table is newer than these pages." in str(Text(client.get("/").text))


def test_unknown_keys_of_a_later_mode_are_shown_plainly(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    strange = scenes.offer(
        stage="ceremony",
        ask={"say": "leave_column", "seat": 1, "columns": [1, 2]},
        account={
            "round": 1,
            "running": False,
            "steps": [{"step": "danced", "seat": 1, "tiles": ["x"], "points": 2}],
        },
        refusal={"say": "gremlins", "number": 1},
        result={"score": 71, "victory": "apprentice"},
        mode="solo",
    )
    show(daemon, link, strange)
    page = str(Text(client.get("/").text))
    assert "The table waits for a button." in page
    assert "2 for Ana." in page
    assert client.get("/table").status_code == 200


def test_the_twin_draws_every_light_and_every_button(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    daemon.shine(scenes.lit(daemon.layout, scenes.offer()))
    show(daemon, link, scenes.offer())
    until_frame(link, Frame())
    page = Text(client.get("/table?face=hardware").text)
    assert page.values("data-light") == [light["name"] for light in daemon.layout["lights"]]
    drawn = [given for tag, given in page.elements if tag == "g" and given.get("data-button")]
    assert [given["data-button"] for given in drawn] == [
        button["name"] for button in daemon.layout["buttons"]
    ]
    for given in drawn:
        assert (given["role"], given.get("tabindex"), given["aria-disabled"]) == ("button", None, "true")
        assert given["aria-label"]
    lit = {given["data-light"]: given["fill"] for _, given in page.elements if given.get("data-light")}
    assert lit["display.1.1"] == scenes.PALETTE["b"]["rgb"]
    assert lit["display.2.1"] == "#000000"


def test_the_twin_has_a_control_for_every_choice(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    page = Text(client.get("/table").text)
    buttons = [given for tag, given in page.elements if tag == "button"]
    lines = [line for given in buttons if (line := given.get("data-line"))]
    assert sorted(lines) == sorted(map(str, range(6))), "of the board whose turn it is"
    takes = {take for given in buttons if (take := given.get("data-take"))}
    live = {name for name in scenes.chosen()["live"] if name.startswith("display.")}
    assert {f"display.{taken[0]}" for taken in takes if taken[0] != "0"} == live


def test_the_printed_wall_and_the_names_reach_the_drawing(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    (data,) = Text(client.get("/table?face=hardware").text).values("data-state")
    state = json.loads(data)
    assert state["patterns"]["1"] == scenes.PATTERN
    assert state["names"] == {"1": "Ana", "2": "Rui", "3": "Seat 3", "4": "Maximiliane-Sofia"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e%2fapp.py", 404),
        ("GET", "/action", 405),
        ("POST", "/", 405),
        ("DELETE", "/state", 405),
    ],
)
def test_requests_without_a_route_have_an_error_page(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    answer = client.open(path, method=method)
    assert answer.status_code == status
    assert answer.text


def test_static_pages_lead_back_to_the_page_one_came_from(client: FlaskClient) -> None:
    """The link always led to the phone page."""
    assert 'class="other-page" href="/table"' in client.get("/rules/standard?from=table").text
    assert 'href="/rules/solo?from=table"' in client.get("/rules/standard?from=table").text
    assert 'class="other-page" href="/"' in client.get("/rules/standard").text
    assert 'class="other-page" href="/"' in client.get("/rules/standard?from=elsewhere").text


@pytest.mark.parametrize(("chosen", "theme"), [("dark", "dark"), ("light", "light"), ("pink", ""), ("", "")])
def test_every_page_comes_in_the_theme_chosen_by_hand(client: FlaskClient, chosen: str, theme: str) -> None:
    if chosen:
        client.set_cookie("theme", chosen)
    for path in ("/", "/table", "/rules"):
        page = client.get(path).text
        assert ("data-theme" in page) == bool(theme)
        assert not theme or f'data-theme="{theme}"' in page
