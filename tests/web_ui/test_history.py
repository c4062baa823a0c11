"""The pages of past games, for every mode and in every language."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product

import pytest
from flask.testing import FlaskClient

from device.lights.palettes import BOX
from device.records.review import real_choices
from device.rules.events import Chance, Draft, Event
from device.rules.game import Setup
from device.socket.history import (
    PastGame,
    entry_json,
    game_with_review_json,
    positions_json,
    record_of,
    unreadable_json,
)
from tests.harness.sampling import some
from tests.harness.stored_games import GRAY, PLACES, SOLO, SOLO_GRAY, STANDARD, greedy_game
from tests.web_ui.browsing import Text
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.text.words import read_all_words

ALL_WORDS = read_all_words()


def past(chosen: Setup = STANDARD, number: int = 7, *, ended: bool = True, most: int = 10_000) -> PastGame:
    play = greedy_game(chosen, most=most)
    return PastGame(
        number,
        chosen,
        PLACES[chosen],
        "2026-03-05 09:07:11",
        "2026-03-05 10:00:00" if ended else None,
        on_table=False,
        events=play.events,
    )


def graded(game: PastGame, costly: Mapping[int, float] | None = None) -> PastGame:
    """Return a game in which only some choices lost points."""
    grades: dict[int, tuple[float, Event]] = {
        at: (0.0, event) for at, event in enumerate(game.events) if not isinstance(event, Chance)
    }
    for at, lost in (costly or {}).items():
        grades[at] = (lost, game.events[at])
    fields = {name: getattr(game, name) for name in PastGame.__slots__}
    return PastGame(**{**fields, "grades": grades})


def answers_of(*games: PastGame, more: bool = False) -> Callable[[Message], Message]:
    """Return the answers of a table with these past games."""
    known = {game.number: game for game in games}

    def answer(question: Message) -> Message:
        if question["type"] == "games":
            return {"taken": True, "result": {"games": [entry_json(game) for game in games], "more": more}}
        game = known.get(question["number"])
        if game is None:
            return {"taken": False, "why": "no_such_game"}
        if question["type"] == "position":
            found = positions_json(game, BOX, question["step"], question["count"])
            return {"taken": True, "result": found}
        written = record_of(game)
        if question["type"] == "game":
            return {"taken": True, "result": game_with_review_json(game, BOX)}
        return (
            {"taken": True, "result": written.decode()}
            if written
            else {"taken": False, "why": "not_finished"}
        )

    return answer


def read(client: FlaskClient, path: str, language: str = "en") -> str:
    answer = client.get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return str(Text(answer.text))


# --- The list --------------------------------------------------------------------------------------------


def test_an_empty_list_has_a_text(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of()
    assert "The first one will be listed here, with all its moves." in read(client, "/history")
    assert "Das erste Spiel wird hier stehen, mit allen Zügen." in read(client, "/history", "de")
    assert "There are no older games." in read(client, "/history?before=3")


def test_the_list_names_players_scores_and_winners(daemon: FakeDaemon, client: FlaskClient) -> None:
    finished, stopped = past(number=2), past(GRAY, 1, ended=False, most=12)
    daemon.answer = answers_of(finished, stopped)
    text = read(client, "/history")
    winners = [player for player in entry_json(finished)["players"] if player["winner"]]
    assert f"{winners[0]['name']} winner {winners[0]['score']}" in text
    assert "Gray walls stopped" in text
    assert "5 March 2026" in text
    assert "5. März 2026" in read(client, "/history", "de")
    page = Text(client.get("/history").text)
    assert "/history/2" in page.values("href")
    assert not any("before" in address for address in page.values("href"))


def test_an_unreadable_game_is_marked_in_the_list(daemon: FakeDaemon, client: FlaskClient) -> None:
    games = [
        entry_json(past(number=3)),
        unreadable_json(2, "2026-03-05 08:00:00"),
        entry_json(past(number=1)),
    ]
    daemon.answer = lambda _: {"taken": True, "result": {"games": games, "more": True}}
    text = read(client, "/history")
    assert "Game 2 This game can't be read: what was saved of it is damaged." in text
    assert "Spiel 2 Dieses Spiel ist nicht zu lesen" in read(client, "/history", "de")
    addresses = Text(client.get("/history").text).values("href")
    assert {"/history/3", "/history/1", "/history?before=1"} <= set(addresses)
    assert "/history/2" not in addresses


def test_pages_of_the_list_link_to_older_and_newest_games(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(past(number=31), past(number=30), more=True)
    assert "/history?before=30" in Text(client.get("/history").text).values("href")
    second = Text(client.get("/history?before=30").text).values("href")
    assert second.count("/history") == 1
    asked = [daemon.asked.get(timeout=TIMEOUT) for _ in range(2)]
    assert asked == [{"type": "games", "count": 20, "before": before} for before in (None, 30)]


@pytest.mark.parametrize("before", ["", "0", "-1", "x", "1e9", "٣", "9" * 40])
def test_an_invalid_query_shows_the_newest_games(
    daemon: FakeDaemon, client: FlaskClient, before: str
) -> None:
    daemon.answer = answers_of(past())
    assert client.get("/history", query_string={"before": before}).status_code == 200
    assert daemon.asked.get(timeout=TIMEOUT)["before"] is None or before == "9" * 40


# --- Single games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chosen", "language"), some([*product(PLACES, sorted(ALL_WORDS))]))
def test_every_choice_of_a_game_has_a_text(
    daemon: FakeDaemon, client: FlaskClient, chosen: Setup, language: str
) -> None:
    """Each choice is also shown as a costly one."""
    game = past(chosen)
    kinds: dict[type[Event], int] = {}
    for choice in real_choices(chosen, game.events):
        kinds.setdefault(type(choice.event), choice.number)
    for number in kinds.values():
        daemon.answer = answers_of(graded(game, {number: 6.6}))
        text = read(client, "/history/7", language)
        assert "\N{EN DASH}" not in text
        assert ALL_WORDS[language].text("review.title") in text
        assert "\N{MINUS SIGN}7" in text
        for player in game_with_review_json(game, BOX)["players"]:
            assert player["name"] is None or player["name"] in text
    assert Draft in kinds


def test_the_costliest_moves_name_the_better_one(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    number = next(at for at, event in enumerate(game.events) if isinstance(event, Draft))
    daemon.answer = answers_of(graded(game, {number: 12.2}))
    text = read(client, "/history/7")
    game_json = game_with_review_json(game, BOX)["moves"][0]
    who = next(player["name"] for player in players_json(game) if player["seat"] == game_json["seat"])
    assert f"{who}: 12 points lost in " in text
    assert "Round 1: 12 points" in text
    assert f"{who} took {game_json['count']} " in text
    assert "Better: " in text
    assert "as much as a point" in text


def players_json(game: PastGame) -> list[Message]:
    players: list[Message] = entry_json(game)["players"]
    return players


def test_a_game_that_is_not_graded_yet_shows_the_progress(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    daemon.answer = answers_of(game)
    assert "The table will go through this game while nobody plays" in read(client, "/history/7")
    fields = {name: getattr(game, name) for name in PastGame.__slots__}
    first = next(real_choices(STANDARD, game.events))
    daemon.answer = answers_of(PastGame(**{**fields, "grades": {first.number: (0.0, first.event)}}))
    assert f": 1 of {len(list(real_choices(STANDARD, game.events)))} choices so far" in read(
        client, "/history/7"
    )


def test_a_stopped_game_shows_its_boards_and_no_record(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(past(ended=False, most=20))
    text = read(client, "/history/7")
    assert "This game was stopped before its end." in text
    assert "go through" not in text
    assert "/history/7/record" not in Text(client.get("/history/7").text).values("href")
    assert client.get("/history/7/record").status_code == 404


def test_a_game_too_long_to_show_has_a_record(daemon: FakeDaemon, client: FlaskClient) -> None:
    too_long = {
        **game_with_review_json(past(), BOX),
        "moves": None,
        "scores": None,
        "reviews": None,
        "position": None,
    }
    daemon.answer = lambda _: {"taken": True, "result": too_long}
    assert "This game is too long to be shown here." in read(client, "/history/7")
    assert "/history/7/record" in Text(client.get("/history/7").text).values("href")


def test_the_review_of_a_solo_game_names_the_player(daemon: FakeDaemon, client: FlaskClient) -> None:
    """It once named the player board."""
    game = past(SOLO_GRAY)
    daemon.answer = answers_of(graded(game))
    assert "Seat 1: none of " in read(client, "/history/7")
    daemon.answer = answers_of(graded(past(SOLO)))
    assert "Ana: none of " in read(client, "/history/7")


def test_the_record_is_downloaded_as_a_file(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    daemon.answer = answers_of(game)
    answer = client.get("/history/7/record")
    assert answer.data == record_of(game)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="azul-game-7.jsonl"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_past_games_need_no_scripts_and_no_other_host(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(graded(past(), {3: 4.0}))
    for path in ("/history", "/history/7"):
        page = Text(client.get(path).text)
        scripts = [more.get("src") or "" for tag, more in page.elements if tag == "script"]
        assert all(script.startswith("/static/") for script in scripts)
        assert not page.values("style")
        ids = page.values("id")
        assert len(ids) == len(set(ids))
        for address in page.values("src") + page.values("href"):
            assert address.startswith(("/", "#", "?"))
            assert not address.startswith("//")


def test_names_are_escaped_on_pages_of_past_games(daemon: FakeDaemon, client: FlaskClient) -> None:
    nasty = "<script>alert('\"')</script>"
    game_json = game_with_review_json(graded(past(), {3: 4.0}), BOX)
    nasty_game = json.loads(json.dumps(game_json).replace('"Ana"', json.dumps(nasty)))
    nasty_positions = {"steps": 57, "positions": [{"step": 57, "position": nasty_game["position"]}]}
    results = {"game": nasty_game, "position": nasty_positions}
    daemon.answer = lambda question: {"taken": True, "result": results[question["type"]]}
    page = client.get("/history/7").text
    assert nasty not in page
    assert nasty in str(Text(page))


def test_unchanged_pages_are_not_sent_again(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(past())
    for path in ("/history", "/history/7"):
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


# --- What goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "status", "sentence"),
    [
        ("no_such_game", 404, "There is no such game at this table."),
        ("too_many_questions", 503, "Many people are looking at old games just now. Please try again."),
        ("unreadable", 503, "The saved games can't be read just now."),
        ("unreadable_game", 503, "This game can't be read. The table's log says why."),
        ("not_now", 503, "The table does not show its games just now."),
    ],
)
def test_a_refusal_has_a_status_and_a_sentence(
    daemon: FakeDaemon, client: FlaskClient, why: str, status: int, sentence: str
) -> None:
    daemon.answer = lambda _: {"taken": False, "why": why}
    answer = client.get("/history/7")
    assert (answer.status_code, sentence in str(Text(answer.text))) == (status, True)


@pytest.mark.parametrize(
    "path", ["/history/0", "/history/99999999999999999999", "/history/x", "/history/7/x"]
)
def test_an_impossible_number_is_not_found(daemon: FakeDaemon, client: FlaskClient, path: str) -> None:
    daemon.answer = answers_of()
    assert client.get(path).status_code == 404


def test_an_absent_or_unreadable_table_is_reported(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = lambda _: {"taken": True, "result": {"games": "what"}}
    answer = client.get("/history")
    assert answer.status_code == 503
    assert "something that these pages can't read" in str(Text(answer.text))
    daemon.stop()
    assert client.get("/history").status_code == 503
