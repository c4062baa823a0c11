"""What a phone shows of its hands: what phones may press, of its own seat; and whose phone it is."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import shown
from tests.web_ui.fake_daemon import FakeDaemon, Message
from tests.web_ui.test_sentences import formatter
from web_ui.app import create_app
from web_ui.table_link import TableLink
from web_ui.views import controls, phone
from web_ui.views.phone import Viewer

PHONE = {"REMOTE_ADDR": "192.168.1.20"}
SEATS_ONLY = [f"seat.{seat}.{part}" for seat in range(1, 5) for part in (*scenes.LINES, "floor")]


def on_phone(seat: int = 0) -> Viewer:
    """A phone in the network, at a seat or at none."""
    return Viewer(phone.PHONE, at_table=False, seat=seat)


@pytest.fixture
def client(link: TableLink) -> FlaskClient:
    """Asks the pages in this process, with the cookies of each request alone."""
    return create_app(link).test_client(use_cookies=False)


def lets(scene: Message, press: list[str] | None = None) -> Message:
    """The same moment of a table that lets phones press these buttons, else all."""
    allowed = [*SEATS_ONLY, *scene["live"]] if press is None else press
    return {**scene, "phones": {"press": allowed, "tell": False, "hint": False, "learn": False}}


def buttons(scene: Message, seat: int = 0) -> list[str]:
    return [
        hand.button for group in controls.groups(formatter(scene), on_phone(seat)) for hand in group.buttons
    ]


def page(client: FlaskClient, cookie: str = "", host: str = "192.168.1.5:8080") -> TestResponse:
    headers = {"Host": host, **({"Cookie": cookie} if cookie else {})}
    return client.get("/", headers=headers, environ_overrides=PHONE)


# --- Hands -----------------------------------------------------------------------------------------------


def test_a_phone_that_may_press_nothing_has_no_hands() -> None:
    assert buttons(scenes.chosen()) == []
    assert controls.seat_choice(formatter(scenes.chosen()), on_phone()) is None


def test_a_phone_that_is_nobodys_is_everybodys_hands() -> None:
    scene = lets(scenes.chosen())
    assert set(buttons(scene)) == set(scene["live"])


def test_a_phone_presses_what_the_table_lacks_and_nothing_else() -> None:
    scene = lets(scenes.chosen(), SEATS_ONLY)
    assert buttons(scene) == ["seat.1.line.3", "seat.1.line.4", "seat.1.floor"]


def test_a_players_phone_shows_their_own_lines_in_their_own_turn() -> None:
    scene = lets(scenes.chosen())
    assert set(buttons(scene, 1)) == set(scene["live"])
    assert buttons(scene, 2) == ["undo"]


def test_anybody_may_say_who_starts() -> None:
    scene = lets(scenes.choosing())
    starts = [name for name in buttons(scene, 2) if name.startswith("seat.")]
    assert [name.split(".")[1] for name in starts] == ["1", "2", "3"]


def test_a_player_sits_down_at_their_own_seat() -> None:
    scene = lets(scenes.snapshot())
    assert [name.split(".")[1] for name in buttons(scene, 3)] == ["3"]
    assert [name.split(".")[1] for name in buttons(scene)] == ["1", "2", "3", "4"]


def test_on_gray_walls_a_player_chooses_for_their_own_board() -> None:
    scene = lets(real_tables.at_columns())
    seats = {each["seat"] for each in scene["choosing"]}
    assert len(seats) > 1
    for seat in seats:
        chosen = {name for name in buttons(scene, seat) if name.startswith("seat.")}
        assert chosen == {each["button"] for each in scene["choosing"] if each["seat"] == seat}


def test_who_plays_alone_has_both_boards_on_their_phone() -> None:
    scene = lets(real_tables.until(real_tables.solo(), "choose_square"))
    square = {each["button"] for each in scene["choosing"]}
    assert all(name.startswith("seat.2.") for name in square)
    assert square < set(buttons(scene, 1))
    assert controls.seat_choice(formatter(scene), on_phone(1)) is None


def test_no_phone_plays_at_an_opponents_seat() -> None:
    """A phone could say that it did, and was shown the opponent's board as its player's own."""
    scene = lets(scenes.chosen())
    first, *others = scene["seats"]
    choice = controls.seat_choice(
        formatter({**scene, "seats": [first, {**others[0], "bot": "greedy"}, *others[1:]]}), on_phone(1)
    )
    assert choice is not None
    assert others[0]["seat"] not in [option.seat for option in choice.options]
    assert first["seat"] in [option.seat for option in choice.options]


def test_in_a_game_nobody_plays_at_a_seat_that_is_free() -> None:
    scene = lets(scenes.chosen())
    scene["seats"] = [*scene["seats"][:3], scenes.seat(4)]
    numbers = [
        [option.seat for option in choice.options]
        for seat in (0, 4)
        if (choice := controls.seat_choice(formatter(scene), on_phone(seat))) is not None
    ]
    assert numbers == [[1, 2, 3, 0], [1, 2, 3, 4, 0]], "whose phone it was is still shown"


def test_names_are_given_where_the_phone_is_the_players_hands() -> None:
    scene = lets(scenes.seating())
    given = [controls.names(formatter(scene), on_phone(seat)) for seat in (0, 2, 4)]
    assert [[field.seat for field in form.fields] if form else None for form in given] == [
        [1, 2, 3],
        [2],
        None,
    ]
    assert controls.names(formatter(lets(scenes.seating(), ["ok"])), on_phone(2)) is None


@pytest.mark.parametrize("may", [True, False])
def test_tiles_are_told_by_a_phone_where_the_table_lets_it(may: bool) -> None:  # noqa: FBT001
    scene = real_tables.telling("bb", 1)
    scene = {**scene, "phones": {"press": [], "tell": may, "hint": False, "learn": False}}
    form = controls.report(formatter(scene), on_phone())
    assert (form is not None) == may
    assert form is None or not form.can_take_back, "undo has a switch at the table"
    at_table = controls.report(formatter(scene), Viewer(phone.PHONE))
    assert at_table is not None
    assert at_table.can_take_back


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("scene", [scenes.snapshot(), scenes.choosing(), scenes.chosen()])
def test_who_says_what_stands_on_a_button_is_understood(scene: Message, language: str) -> None:
    """Speech control listens for the visible text; in German the floor was once called two names."""
    told = formatter(lets(scene), language)
    for group in controls.groups(told, on_phone()):
        for hand in group.buttons:
            assert hand.text.lower() in hand.spoken.lower(), hand


# --- Whose phone it is -----------------------------------------------------------------------------------


def test_a_players_own_board_comes_first_and_their_turn_is_theirs(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    shown(daemon, link, lets(scenes.chosen()))
    mine = str(Text(page(client, "seat=1").text))
    assert "Your turn" in mine
    other = str(Text(page(client, "seat=2").text))
    assert "Ana's turn" in other
    assert other.index("Rui you") < other.index("Ana to play")
    nobodys = str(Text(page(client).text))
    assert nobodys.index("Ana to play") < nobodys.index("Rui 9")
    assert " you " not in nobodys


@pytest.mark.parametrize("cookie", ["seat=0", "seat=5", "seat=-1", "seat=one", "seat=²", "seat", "seat=\x01"])
def test_a_seat_that_is_none_is_nobodys(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, cookie: str
) -> None:
    shown(daemon, link, lets(scenes.chosen()))
    assert page(client, cookie).data == page(client).data


def test_pages_of_two_seats_are_told_apart_by_caches(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    shown(daemon, link, lets(scenes.chosen()))
    tags = [page(client, cookie).headers["ETag"] for cookie in ("", "seat=1", "seat=2")]
    assert len(set(tags)) == 3
    assert "Cookie" in page(client).headers["Vary"]


def test_a_page_is_told_of_the_seat_that_it_was_made_for(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    shown(daemon, link, lets(scenes.chosen()))
    assert 'data-seat="2"' in page(client, "seat=2").text
    answer = client.get("/regions?page=phone", headers={"Cookie": "seat=2"}, environ_overrides=PHONE)
    assert answer.get_json()["hello"]["seat"] == "2"


def test_a_page_by_a_name_that_a_web_site_may_have_shows_no_hands(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    shown(daemon, link, lets(scenes.chosen()))
    assert "data-button" in page(client).text
    assert "data-button" not in page(client, host="table.example").text
