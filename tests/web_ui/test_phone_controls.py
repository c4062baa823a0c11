"""Controls on phones: what the table allows phones, restricted to the phone's own seat."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.conftest import show
from tests.web_ui.fake_daemon import FakeDaemon, Message
from tests.web_ui.test_sentences import make_formatter
from web_ui.app import create_app
from web_ui.security import SEAT_COOKIE, claim_of
from web_ui.table_link import TableLink
from web_ui.views import boards, controls, phone
from web_ui.views.phone import Viewer

PHONE = {"REMOTE_ADDR": "192.168.1.20"}
SEATS_ONLY = [f"seat.{seat}.{part}" for seat in range(1, 5) for part in (*scenes.LINES, "floor")]


def on_phone(seat: int = 0) -> Viewer:
    """Return a phone in the network, at a seat or at none."""
    return Viewer(phone.PHONE, at_table=False, seat=seat)


@pytest.fixture
def client(link: TableLink) -> FlaskClient:
    """A client of the pages in this process, without a cookie jar."""
    return create_app(link).test_client(use_cookies=False)


def allowing(scene: Message, press: list[str] | None = None) -> Message:
    """Return the moment at a table that allows phones these buttons (all by default)."""
    allowed = [*SEATS_ONLY, *scene["live"]] if press is None else press
    return {**scene, "phones": {"press": allowed, "tell": False, "hint": False, "learn": False}}


def of_seat(seat: int) -> str:
    """Return the cookie of the phone to which a seat belongs in `claimed`."""
    return f"{SEAT_COOKIE}={str(seat) * 43}"


def claimed(scene: Message) -> Message:
    """Return the moment with the first two seats given to phones."""
    seats = [
        {**seat, "claim": claim_of(str(seat["seat"]) * 43), "claimed": True} for seat in scene["seats"][:2]
    ]
    return {**scene, "seats": [*seats, *scene["seats"][2:]]}


def page(client: FlaskClient, cookie: str = "", host: str = "192.168.1.5:8080") -> TestResponse:
    headers = {"Host": host, **({"Cookie": cookie} if cookie else {})}
    return client.get("/", headers=headers, environ_overrides=PHONE)


# --- Controls -----------------------------------------------------------------------------------------------


def test_a_phone_that_may_press_nothing_has_no_controls() -> None:
    assert may_press(scenes.chosen()) == set()
    assert controls.seat_choice(make_formatter(scenes.chosen()), on_phone()) == ()


def may_press(scene: Message, seat: int = 0) -> set[str]:
    return set(controls.hands(make_formatter(scene), on_phone(seat)).live)


def seats_pressed(scene: Message, seat: int = 0) -> set[str]:
    """Return the numbers of the seats whose buttons a phone may press."""
    return {name.split(".")[1] for name in may_press(scene, seat) if name.startswith("seat.")}


def test_a_shared_phone_may_do_everything() -> None:
    scene = allowing(scenes.chosen())
    assert may_press(scene) == set(scene["live"])


def test_a_phone_may_do_only_what_the_table_allows() -> None:
    scene = allowing(scenes.chosen(), SEATS_ONLY)
    assert may_press(scene) == {"seat.1.line.3", "seat.1.line.4", "seat.1.floor"}


def test_a_phone_at_a_seat_plays_in_its_turn() -> None:
    scene = allowing(scenes.chosen())
    assert may_press(scene, 1) == set(scene["live"])
    assert may_press(allowing(scenes.offer()), 2) == {"undo"}


def test_tiles_in_hand_are_put_back_by_their_player_only() -> None:
    """Bug fixed: meanwhile the others' phones had an `undo` that the table refused."""
    scene = allowing(claimed(scenes.chosen()))
    bars = [controls.bar(make_formatter(scene), on_phone(seat)) for seat in (0, 1, 2)]
    assert [bar is not None and bar.undo for bar in bars] == [False, True, False]


def test_the_phone_page_of_the_tables_computer_plays() -> None:
    hands = controls.hands(make_formatter(scenes.chosen()), Viewer(phone.PHONE))
    assert hands.live == set(scenes.chosen()["live"])


def test_the_tiles_of_a_phone_that_only_looks_are_no_buttons() -> None:
    formatter = make_formatter(scenes.chosen())
    hands = controls.hands(formatter, on_phone())
    offer = phone.whole_offer(formatter, hands)
    assert offer is not None
    assert not offer.targets
    assert {take.name for source in offer.sources for take in source.takes} == {""}
    board = boards.board(formatter, 1, hands=hands)
    assert board is not None
    assert {line.put for line in board.lines} == {None}
    assert controls.bar(formatter, on_phone()) is None


def test_a_phone_that_only_looks_is_not_asked_to_press_anything() -> None:
    view = real_tables.view_of(scenes.offer())
    formatter = make_formatter(scenes.offer())
    turn = phone.turn(view, formatter.words, on_phone(), controls.hands(formatter, on_phone()))
    assert (turn.ask, turn.short) == ("Ana takes tiles.", "")
    acts = allowing(scenes.offer())
    formatter = make_formatter(acts)
    hands = controls.hands(formatter, on_phone(1))
    turn = phone.turn(real_tables.view_of(acts), formatter.words, on_phone(1), hands)
    assert (turn.head, turn.short) == ("Your turn", "take tiles")


def test_the_bar_keeps_dead_buttons_in_their_places() -> None:
    scene = allowing(scenes.chosen())
    bar = controls.bar(make_formatter(scene), on_phone(1))
    assert bar == controls.BarView(undo=True, hint=None, ok="")
    scoring = controls.bar(make_formatter(allowing(scenes.scoring())), on_phone())
    assert scoring == controls.BarView(undo=True, hint=None, ok="Skip")
    assert controls.bar(make_formatter(allowing(scenes.seating())), on_phone()) is None


QUESTIONS = ("your_board", "stop_game", "undo_asked", "start_beside")


def asking(say: str) -> Message:
    ask = {"say": say, "seat": 1, "by": 2, "why": "damaged", "path": "a", "new_path": "b"}
    return allowing(scenes.offer(ask=ask, live=["ok", "undo"]))


@pytest.mark.parametrize("scene", [*map(asking, QUESTIONS), allowing(scenes.over())])
@pytest.mark.parametrize("viewer", [on_phone(1), Viewer(phone.PLAY)])
def test_the_bar_leaves_ok_to_the_buttons_that_say_what_it_does(scene: Message, viewer: Viewer) -> None:
    """Bug fixed: beside "Play on" and "Change players" stood an "OK" that did one of them."""
    bar = controls.bar(make_formatter(scene), viewer)
    assert bar is not None
    assert (bar.ok, bar.undo) == ("", False)


LANGUAGES = ("en", "de", "fr", "es", "pt-PT")


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_do_not_speak_of_buttons_that_they_lack(language: str) -> None:
    """Bug fixed: readers of screens heard "Press ok" in the lobby and at the end of a game."""
    for scene in (
        *map(asking, QUESTIONS),
        *map(allowing, (scenes.snapshot(), scenes.seating(), scenes.choosing(), scenes.over())),
    ):
        formatter = make_formatter(scene, language)
        asked = [
            phone.turn(
                real_tables.view_of(scene), formatter.words, viewer, controls.hands(formatter, viewer)
            ).ask
            for viewer in (on_phone(1), Viewer(phone.PLAY), Viewer(phone.TABLE))
        ]
        assert re.search(r"\bok\b", asked[0]) is None
        assert asked[0] == asked[1] != asked[2], "the Hardware face has the table's buttons"


@pytest.mark.parametrize(("seat", "shown"), [(0, 1), (1, 1), (2, 2), (4, 4)])
def test_a_phone_shows_its_own_board_large_and_a_shared_one_that_of_the_turn(seat: int, shown: int) -> None:
    front = boards.front_board(make_formatter(scenes.chosen()), seat, boards.NO_HANDS)
    assert front is not None
    assert front.seat == shown


def test_any_phone_may_choose_who_starts() -> None:
    scene = allowing(scenes.choosing())
    assert seats_pressed(scene, 2) == {"1", "2", "3"}


def test_a_phone_at_a_seat_takes_that_seat() -> None:
    scene = allowing(scenes.snapshot())
    assert seats_pressed(scene, 3) == {"3"}
    assert seats_pressed(scene) == {"1", "2", "3", "4"}


def test_a_phone_chooses_columns_for_its_own_board() -> None:
    scene = allowing(real_tables.at_columns())
    seats = {each["seat"] for each in scene["choosing"]}
    assert len(seats) > 1
    for seat in seats:
        chosen = controls.hands(make_formatter(scene), on_phone(seat)).tokens
        assert chosen == {each["token"] for each in scene["choosing"] if each["seat"] == seat}


def test_a_phone_has_both_boards_of_a_solo_game() -> None:
    scene = allowing(real_tables.until(real_tables.solo(), "choose_square"))
    square = {each["button"] for each in scene["choosing"]}
    assert all(name.startswith("seat.2.") for name in square)
    assert square < may_press(scene, 1)
    assert controls.seat_choice(make_formatter(scene), on_phone(1)) == ()


@pytest.mark.parametrize("prompt", ["draft", "place"])
def test_a_phone_takes_tiles_for_both_boards_of_a_solo_game(prompt: str) -> None:
    """Bug fixed: a solo game that began on a phone could not be played there.

    The displays were dead while tiles were due for the action board.
    """
    scene = allowing(real_tables.until(real_tables.solo(), prompt))
    assert [each["seat"] for each in scene["seats"] if each["acting"]] == [2]
    scene["hint"]["seats"] = [2]
    scene["phones"]["hint"] = True
    assert may_press(scene, 1) == set(scene["live"])
    assert any(name.startswith("display.") for name in scene["live"])
    bar = controls.bar(make_formatter(scene), on_phone(1))
    assert bar is not None
    assert bar.hint == 2


def test_the_boards_of_another_phone_in_a_solo_game_are_dead() -> None:
    scene = allowing(real_tables.until(real_tables.solo(), "draft"))
    mine = claimed(scene)
    mine["seats"] = [mine["seats"][0], *scene["seats"][1:]]
    assert not may_press(mine, 0)


def test_an_opponents_seat_can_not_be_chosen() -> None:
    """A phone could once choose it, and showed the opponent's board as its own."""
    scene = allowing(scenes.chosen())
    first, *others = scene["seats"]
    choice = controls.seat_choice(
        make_formatter({**scene, "seats": [first, {**others[0], "bot": "greedy"}, *others[1:]]}), on_phone(1)
    )
    assert others[0]["seat"] not in [option.seat for option in choice]
    assert first["seat"] in [option.seat for option in choice]


def test_a_free_seat_can_not_be_chosen_during_a_game() -> None:
    scene = allowing(scenes.chosen())
    scene["seats"] = [*scene["seats"][:3], scenes.seat(4)]
    numbers = [
        [option.seat for option in controls.seat_choice(make_formatter(scene), on_phone(seat))]
        for seat in (0, 4)
    ]
    assert numbers == [[1, 2, 3, 0], [1, 2, 3, 4, 0]], "whose phone it was is still shown"


def test_a_phone_names_the_player_of_its_seat() -> None:
    scene = allowing(scenes.seating())
    given = [controls.names(make_formatter(scene), on_phone(seat)) for seat in (0, 2, 4)]
    assert [[field.seat for field in form] for form in given] == [[1, 2, 3], [2], []]
    assert controls.names(make_formatter(allowing(scenes.seating(), ["ok"])), on_phone(2)) == ()


@pytest.mark.parametrize("may", [True, False])
def test_a_phone_reports_tiles_if_the_table_allows_it(may: bool) -> None:  # noqa: FBT001
    scene = real_tables.reporting("bb", 1)
    scene = {**scene, "phones": {"press": [], "tell": may, "hint": False, "learn": False}}
    form = controls.report(make_formatter(scene), on_phone())
    assert (form is not None) == may
    assert form is None or not form.can_take_back, "undo has a switch at the table"
    at_table = controls.report(make_formatter(scene), Viewer(phone.PHONE))
    assert at_table is not None
    assert at_table.can_take_back


# --- Seats -----------------------------------------------------------------------------------


def test_a_phones_own_board_comes_first_and_its_turn_is_yours(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(allowing(scenes.chosen())))
    mine = str(Text(page(client, of_seat(1)).text))
    assert "Your turn" in mine
    other = str(Text(page(client, of_seat(2)).text))
    assert "Ana's turn" in other
    assert other.index("Rui you") < other.index("Ana to play")
    nobodys = str(Text(page(client).text))
    assert nobodys.index("Ana to play") < nobodys.index("Rui 9")
    assert " you " not in nobodys


@pytest.mark.parametrize(
    "cookie", ["seat=1", "azul-seat=1", "azul-seat=", "azul-seat=²", "azul-seat", "azul-seat=\x01"]
)
def test_an_invalid_seat_cookie_means_no_seat(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient, cookie: str
) -> None:
    show(daemon, link, claimed(allowing(scenes.chosen())))
    assert page(client, cookie).data == page(client).data


def test_pages_of_two_seats_have_different_etags(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(allowing(scenes.chosen())))
    tags = [page(client, cookie).headers["ETag"] for cookie in ("", of_seat(1), of_seat(2))]
    assert len(set(tags)) == 3
    assert "Cookie" in page(client).headers["Vary"]


def test_the_greeting_names_the_seat_of_the_page(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, claimed(allowing(scenes.chosen())))
    assert 'data-seat="2"' in page(client, of_seat(2)).text
    answer = client.get("/regions?page=phone", headers={"Cookie": of_seat(2)}, environ_overrides=PHONE)
    assert answer.get_json()["hello"]["seat"] == "2"


def test_a_page_requested_by_a_public_name_has_no_controls(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, allowing(scenes.chosen()))
    assert "data-button" in page(client).text
    assert "data-button" not in page(client, host="table.example").text
