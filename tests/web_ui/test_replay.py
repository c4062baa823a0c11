"""The replay of a past game and the statistics, as pages without scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient

from device.rules.events import Chance
from device.rules.game import Setup
from tests.harness.sampling import some
from tests.harness.stored_games import FOUR, PLACES, SOLO, STANDARD
from tests.web_ui import scenes
from tests.web_ui.browsing import Text
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from tests.web_ui.test_history import answers_of, graded, past, read
from web_ui.text.words import read_all_words

ALL_WORDS = read_all_words()
LANGUAGES = sorted(ALL_WORDS)


def get(client: FlaskClient, path: str) -> Text:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return Text(answer.text)


def leaps(page: Text) -> dict[str, str | None]:
    """Return the addresses of the links of the bar by name."""
    return {more["data-leap"] or "": more.get("href") for _, more in page.elements if "data-leap" in more}


# --- Steps ---


@pytest.mark.slow
@pytest.mark.parametrize(("chosen", "language"), some([*product(PLACES, LANGUAGES)]))
def test_every_step_has_a_page_with_a_sentence(
    daemon: FakeDaemon, client: FlaskClient, chosen: Setup, language: str
) -> None:
    game = past(chosen)
    daemon.answer = answers_of(graded(game, {3: 4.0}))
    for step in range(0, len(game.events) + 1, 7):
        text = read(client, f"/history/7?step={step}", language)
        assert f"{step} / {len(game.events)}" in text
        assert "\N{EN DASH}" not in text


def test_links_lead_forward_and_back(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    last = len(game.events)
    daemon.answer = answers_of(game)
    assert leaps(get(client, "/history/7?step=12")) == {
        "first": "?step=0#replay",
        "back": "?step=11#replay",
        "forward": "?step=13#replay",
        "last": f"?step={last}#replay",
    }
    start = leaps(get(client, "/history/7?step=0"))
    assert (start["first"], start["back"], start["forward"]) == (None, None, "?step=1#replay")
    end = leaps(get(client, "/history/7"))
    assert (end["back"], end["forward"], end["last"]) == (f"?step={last - 1}#replay", None, None)


def test_links_of_a_replay_lead_back_to_the_twin(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(past())
    page = get(client, "/history/7?step=12&from=table")
    assert leaps(page)["forward"] == "?step=13&from=table#replay"
    assert "/history?from=table" in page.values("href")


@pytest.mark.parametrize("step", ["", "-1", "x", "1e3", "٣", "9" * 40, "999"])
def test_an_invalid_step_shows_the_last_one(daemon: FakeDaemon, client: FlaskClient, step: str) -> None:
    game = past()
    daemon.answer = answers_of(game)
    last = len(game.events)
    answer = client.get("/history/7", query_string={"step": step})
    assert answer.status_code == 200
    assert f"{last} / {last}" in str(Text(answer.text))


def test_a_step_tells_what_it_lost_and_the_points_it_brought(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    number = next(at for at, event in enumerate(game.events) if not isinstance(event, Chance))
    daemon.answer = answers_of(graded(game, {number: 3.2}))
    assert "This lost 3 points." in read(client, f"/history/7?step={number + 1}")
    assert "This lost" not in read(client, f"/history/7?step={number + 2}")
    assert re.search(r"Points: Ana: \d+, Rui: \d+", read(client, f"/history/7?step={len(game.events)}"))


def test_costly_moves_and_all_moves_lead_to_their_steps(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    number = next(at for at, event in enumerate(game.events) if not isinstance(event, Chance))
    daemon.answer = answers_of(graded(game, {number: 12.2}))
    steps = [more["data-step"] for _, more in get(client, "/history/7").elements if "data-step" in more]
    assert steps.count(str(number)) == 1  # the position before the costly move
    choices = [str(at + 1) for at, event in enumerate(game.events) if not isinstance(event, Chance)]
    assert set(choices) <= set(steps)


@pytest.mark.parametrize("chosen", [STANDARD, FOUR, SOLO], ids=lambda chosen: str(len(chosen.players)))
def test_the_curve_is_described_in_words(daemon: FakeDaemon, client: FlaskClient, chosen: Setup) -> None:
    game = past(chosen)
    daemon.answer = answers_of(graded(game))
    html = client.get("/history/7").text
    described = re.search(r"<desc[^>]*>(.*?)</desc>", html)
    assert described is not None
    assert described[1].count("lost 0 points") == len(chosen.players)
    assert html.count('<path class="line p') == 2 * len(chosen.players)  # with the legend


def test_the_script_gets_all_steps_at_once(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    daemon.answer = answers_of(game)
    found: dict[str, Any] = client.get("/history/7/steps").json or {}
    assert len(found["steps"]) == len(game.events) + 1
    assert len(found["parts"]) < len(found["steps"]) * len(found["names"]) / 2  # steps share parts
    for step in (0, 12, len(game.events)):
        html = client.get(f"/history/7?step={step}").text
        shown = found["steps"][step]
        for part in shown["parts"]:
            assert found["parts"][part] in html
        assert shown["text"] in str(Text(html))


def test_a_long_game_is_asked_for_in_parts(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past(FOUR)
    daemon.answer = answers_of(game)
    while not daemon.asked.empty():
        daemon.asked.get(timeout=TIMEOUT)
    client.get("/history/7/steps")
    asked = [daemon.asked.get(timeout=TIMEOUT) for _ in range(2)]
    assert [each["type"] for each in asked] == ["game", "position"]
    assert (asked[1]["step"], asked[1]["count"]) == (0, 100)


# --- At the table ---


def controls(page: Text) -> set[str | None]:
    return {more.get("id") for tag, more in page.elements if tag in ("button", "form")}


def test_only_those_who_may_press_can_show_and_practise(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.play(scenes.seating())
    daemon.answer = answers_of(past())
    assert {"show", "practice"} <= controls(get(client, "/history/7?step=12"))
    phone = client.get("/history/7?step=12", environ_base={"REMOTE_ADDR": "192.168.1.5"})
    assert not {"show", "practice"} & controls(Text(phone.text))


def test_the_seat_whose_turn_it_is_is_chosen(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = answers_of(past())
    page = get(client, "/history/7?step=12")
    options = [more for tag, more in page.elements if tag == "option"]
    assert [each["value"] for each in options] == ["1", "3", "calm", "greedy", "strong", "master"]
    assert sum("selected" in each for each in options) == 2


@pytest.mark.parametrize("action", [{"type": "show"}, {"type": "practice", "number": 7, "step": 12}])
def test_a_phone_that_only_looks_cant_show_or_practise(
    daemon: FakeDaemon, client: FlaskClient, action: Message
) -> None:
    daemon.play(scenes.seating())
    client.get("/state")
    answer = client.post("/action", json=action, environ_base={"REMOTE_ADDR": "192.168.1.5"})
    assert answer.status_code in (403, 503)


def test_a_game_for_practice_is_marked(daemon: FakeDaemon, client: FlaskClient) -> None:
    game = past()
    fields = {name: getattr(game, name) for name in type(game).__slots__}
    daemon.answer = answers_of(type(game)(**{**fields, "practice": 12}))
    assert "Standard game practice" in read(client, "/history")
    text = read(client, "/history/7")
    assert "It is not part of the statistics." in text
    assert "go through this game" not in text


# --- Statistics ---

SUMS: Message = {
    "games": 4,
    "wins": 3,
    "mean": 51.25,
    "best": 77,
    "points": {"placing": 48.5, "rows": 2, "columns": 7, "colours": 0, "floor": -6.25, "other": 0},
    "lost": 30.5,
    "choices": 61,
}
COSTS = [
    {"from": "2026-03-05 09:07:11", "to": "2026-03-06 09:07:11", "choices": 20, "lost": 15.0},
    {"from": "2026-04-05 09:07:11", "to": "2026-04-06 09:07:11", "choices": 41, "lost": 15.5},
]
GROUPS = [{**SUMS, "mode": "standard", "players": 2}, {**SUMS, "mode": "solo", "players": 1}]
HOUSE: Message = {
    "games": 8,
    "missing": 2,
    "groups": GROUPS,
    "people": [{**SUMS, "name": "Ana"}, {**SUMS, "name": "A/B <c>"}],
    "opponents": [{**SUMS, "bot": "strong"}],
    "costs": COSTS,
    "pairs": [{"one": "Ana", "other": "A/B <c>", "games": 4, "ahead": 3, "behind": 1}],
}
PLAYER: Message = {
    **SUMS,
    "name": "Ana",
    "missing": 0,
    "groups": GROUPS,
    "costs": COSTS,
    "against": [
        {"name": "A/B <c>", "bot": None, "games": 4, "ahead": 3, "behind": 1},
        {"name": None, "bot": "strong", "games": 2, "ahead": 0, "behind": 2},
    ],
}


def sums(question: Message) -> Message:
    if question.get("name") is None:
        return {"taken": True, "result": HOUSE}
    if question["name"] == "Nobody":
        return {"taken": False, "why": "no_such_player"}
    return {"taken": True, "result": {**PLAYER, "name": question["name"]}}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["/statistics", "/statistics/Ana"])
def test_statistics_are_tables_and_described_pictures(
    daemon: FakeDaemon, client: FlaskClient, path: str, language: str
) -> None:
    daemon.answer = sums
    answer = client.get(path, headers={"Accept-Language": language})
    page = Text(answer.text)
    text = str(page)
    assert ALL_WORDS[language].text("statistics.costs") in text
    assert "77" in text
    pictures = [more for tag, more in page.elements if tag == "svg" and more.get("role") == "img"]
    assert len(pictures) >= 2
    assert all(picture.get("aria-label") for picture in pictures)
    assert "script" not in {tag for tag, _ in page.elements}
    assert not page.values("style")
    ids = page.values("id")
    assert len(ids) == len(set(ids))


def test_figures_of_the_house(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = sums
    text = read(client, "/statistics")
    assert "8 games were played to their end at this table." in text
    assert "2 older games are still to be counted." in text
    assert "Ana 4 3 (75 %) 51.2 77 0.50" in text or "Ana 4 3 (75 %) 51.3 77 0.50" in text
    assert "Standard game \N{MIDDLE DOT} 2 players" in text
    assert "3 : 1" in text
    assert "1 : 3" in text
    assert "Strong" in text
    assert "0,50" in read(client, "/statistics", "de")


def test_a_players_page_shows_who_was_ahead(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = sums
    page = get(client, "/statistics/Ana")
    labels = page.values("aria-label")
    assert "Against A/B <c>, 4 games: 3 times ahead, 1 times behind." in labels
    assert "Ana: tiles 48.5, rows 2.0, columns 7.0, floor \N{MINUS SIGN}6.2." in labels


@pytest.mark.parametrize("name", ["Ana", "Zoë & Co?", "A/B <c>", "..", "/", "100 %"])
def test_every_name_has_an_address(daemon: FakeDaemon, client: FlaskClient, name: str) -> None:
    house: Mapping[str, Any] = {**HOUSE, "people": [{**SUMS, "name": name}], "pairs": []}
    daemon.answer = lambda question: {
        "taken": True,
        "result": house if question.get("name") is None else {**PLAYER, "name": question["name"]},
    }
    (address,) = {
        each for each in get(client, "/statistics").values("href") if each.startswith("/statistics")
    }
    page = get(client, address)
    assert name in str(page)


def test_statistics_before_the_first_game(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = lambda _: {"taken": True, "result": {"games": 0}}
    assert "No game was played to its end at this table yet." in read(client, "/statistics")


def test_a_player_who_never_finished_a_game_is_not_found(daemon: FakeDaemon, client: FlaskClient) -> None:
    daemon.answer = sums
    answer = client.get("/statistics/Nobody")
    assert answer.status_code == 404
    assert "Nobody of this name" in str(Text(answer.text))
