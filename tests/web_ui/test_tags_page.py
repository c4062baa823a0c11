"""The page of tags and cards: lessons, known tiles, cards, and who may teach."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.table_link import TableLink
from web_ui.views import tags as teaching
from web_ui.views.phone import TAGS, Viewer

AT_TABLE, ON_PHONE = Viewer(TAGS), Viewer(TAGS, at_table=False)
TILES = {"b": 20, "y": 17, "r": 0, "k": 0, "w": 0}
CARDS = [
    {"tag": "AA", "kind": "player", "value": "Ana <b>"},
    {"tag": "BB", "kind": "action", "value": "new_game"},
]
ALLOWED = {"press": [], "tell": False, "hint": False, "learn": True}


def known(**given: Any) -> Message:
    return scenes.snapshot(**{"tags": {"tiles": TILES, "cards": CARDS}, **given})


def lesson(verdict: str | None = None, **given: Any) -> Message:
    """Return a moment of a lesson on yellow tiles."""
    last = {"tag": "CC", "verdict": verdict, "kind": "tile", "value": "b", "number": 7, **given}
    return known(
        stage="learning",
        ask={"say": "learn_tiles", "colour": "y", "count": 17},
        learning={
            "lesson": "tiles",
            "next": {"kind": "tile", "value": "y"},
            "learned": 3,
            "last": last if verdict else None,
        },
        live=["ok", "undo"],
    )


def page(client: FlaskClient, address: str = "127.0.0.1", host: str = "localhost") -> str:
    return client.get("/tags", headers={"Host": host}, environ_overrides={"REMOTE_ADDR": address}).text


# --- What is shown ---------------------------------------------------------------------------------------


def test_each_colour_has_a_bar_with_the_number_of_missing_tiles() -> None:
    view = teaching.bars(make_formatter(known()), AT_TABLE)
    assert [(bar.letter, bar.count, bar.to_go) for bar in view.bars] == [
        ("b", 20, ""),
        ("y", 17, "3 to go"),
        ("r", 0, ""),
        ("k", 0, ""),
        ("w", 0, ""),
    ]
    assert (view.count, view.text, view.learn) == (37, "37 of 100 tiles are known", "Go on learning")


@pytest.mark.parametrize(
    ("verdict", "last", "sentence"),
    [
        ("learned", {}, "Learned: Blue, tile 7."),
        ("known", {}, "That tag is known already: Blue, tile 7."),
        ("known", {"kind": "player", "value": "Rui"}, "That tag is known already: it is the card of Rui."),
        ("learned", {"kind": "action", "value": "new_game"}, "Learned: the card for “new game”."),
        ("over", {"kind": None, "value": None}, "All of this is learned. That tag means nothing yet."),
    ],
)
def test_the_outcome_of_a_tag_has_a_sentence(verdict: str, last: Message, sentence: str) -> None:
    view = teaching.lesson(make_formatter(lesson(verdict, **last)), AT_TABLE)
    assert view is not None
    assert view.last == sentence
    assert view.refused == (verdict != "learned")
    assert view.known == ("CC" if verdict == "known" else "")


def test_a_known_tag_is_reported_once(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    refusal = {"say": "tag_known", "button": "shared", "number": 1}
    show(daemon, link, {**lesson("known"), "refusal": refusal})
    assert page(client).count("known already") == 1


def test_the_page_in_a_lesson(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, lesson("learned"))
    read = Text(page(client))
    assert "Yellow: 17 of 20 tiles are known. Lay the next one on a reader." in str(read)
    assert read.actions == [{"type": "forget_last"}, {"type": "end_lesson"}]
    assert str(read).count("to go") == 1


def test_the_page_outside_of_a_lesson(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, known())
    read = Text(page(client))
    assert read.actions == [
        {"type": "teach_tiles", "colour": "all"},
        {"type": "forget", "tags": ["AA"]},
        {"type": "teach_player"},
        {"type": "forget", "tags": ["BB"]},
        {"type": "teach_action", "action": "undo"},
        {"type": "teach_action", "action": "ok"},
        {"type": "forget_tiles", "colour": "b"},
        {"type": "forget_tiles", "colour": "y"},
    ]
    assert "Ana <b>" in str(read), "a name is text"


def test_a_snapshot_without_tags_shows_none(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, scenes.snapshot())
    assert "0 of 100 tiles are known" in str(Text(page(client)))


def test_while_the_table_is_away_nothing_can_be_taught(client: FlaskClient) -> None:
    read = Text(page(client))
    assert "The table is not running" in str(read)
    assert not read.actions


def test_the_page_in_german(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, lesson("known"))
    read = client.get("/tags", headers={"Accept-Language": "de"}).text
    assert "schon bekannt: Blau, Fliese 7." in read
    assert "noch 3" in read


def test_the_page_is_polled_like_any_other(daemon: FakeDaemon, link: TableLink, client: FlaskClient) -> None:
    show(daemon, link, lesson("learned"))
    regions = json.loads(client.get("/regions?page=tags").text)["news"]["regions"]
    assert "Learned: Blue, tile 7." in regions["lesson"]
    assert list(regions) == ["tiles", "turn", "lesson", "bars", "deck", "drawer", "cards", "forgetting"]


# --- Who may teach ---------------------------------------------------------------------------------------


def test_a_phone_that_may_not_teach_has_no_buttons(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, known())
    read = Text(page(client, "192.168.1.20", "192.168.1.5"))
    assert not read.actions
    assert "37 of 100" in str(read)
    assert "on this same page at the table's own computer" in str(read)
    assert "start the table with --phones play" in str(read), "and what lets phones teach"
    assert teaching.lesson(make_formatter(lesson()), ON_PHONE).may is False  # type: ignore[union-attr]


def test_a_phone_that_may_teach_has_all_buttons(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, known(phones=ALLOWED))
    read = Text(page(client, "192.168.1.20", "192.168.1.5"))
    assert {"type": "teach_tiles", "colour": "all"} in read.actions
    phone = client.get(
        "/", headers={"Host": "192.168.1.5"}, environ_overrides={"REMOTE_ADDR": "192.168.1.20"}
    )
    assert 'href="/tags"' in phone.text


def post(client: FlaskClient, body: object) -> tuple[int, Message]:
    answer = client.post(
        "/action",
        data=json.dumps(body),
        headers={"Host": "192.168.1.5:8080", "Content-Type": "application/json"},
        environ_overrides={"REMOTE_ADDR": "192.168.1.20"},
    )
    return answer.status_code, answer.get_json()


@pytest.mark.parametrize(
    "body",
    [
        {"type": "teach_tiles", "colour": "all"},
        {"type": "teach_tiles", "colour": "r"},
        {"type": "teach_player", "name": "Ana"},
        {"type": "teach_action", "action": "ok"},
        {"type": "forget_last"},
        {"type": "end_lesson"},
        {"type": "forget", "tags": ["BB"]},
        {"type": "forget_tiles", "colour": "r"},
    ],
)
def test_a_teaching_action_is_sent_to_the_table(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, body: Message
) -> None:
    show(daemon, link, known(phones=ALLOWED))
    assert post(client, body) == (200, {"taken": True})
    assert daemon.asked.get(timeout=TIMEOUT) == {**body, "by": 0}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "teach_tiles", "colour": "green"},
        {"type": "teach_player", "name": 7},
        {"type": "teach_player", "name": "x" * 201},
        {"type": "teach"},
        [],
        {"type": "forget", "tags": [""]},
        {"type": "forget_tiles", "colour": "all"},
        "AA",
    ],
)
def test_an_invalid_teaching_action_is_refused(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, body: object
) -> None:
    show(daemon, link, known(phones=ALLOWED))
    status, answer = post(client, body)
    assert (status, answer["error"].startswith("That message is not understood")) == (400, True)
    assert daemon.asked.empty()
