"""Past games through the socket: lists, single games, records and damaged stores, without a table's loop."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.lights.palettes import BOT_GAMES, BOX, PALETTES, Palette
from device.records.record import read
from device.records.review import real_choices
from device.rules.events import Chance, Draft
from device.rules.game import MODES, Setup
from device.rules.notation import event_of
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome
from device.runtime.historian import MOST_WAITING, Historian
from device.socket.history import MOST_EVENTS, PastGame, entry_json, game_with_review_json
from device.socket.messages import Answer, ListGames, ReadGame, ReadRecord
from device.socket.server import Request, SocketServer
from device.socket.snapshot import palette_json
from device.table.game import Play
from device.table.state import Preferences, TableSettings, new_table
from tests.harness.client import Client, Message
from tests.harness.stored_games import (
    DTC,
    PLACES,
    SOLO,
    STANDARD,
    damage_game_2,
    execute,
    game_of_dropped_tiles,
    greedy_game,
    store_games,
    store_grades,
)
from tests.harness.waiting import DEADLINE

ALL_MODES = pytest.mark.parametrize(
    "chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}-{chosen.wall}"
)


@pytest.fixture
def path(short: Path) -> Path:
    return short / "azul-table.db"


@pytest.fixture
def logged() -> list[str]:
    """The sentences that the history thread logs."""
    return []


@pytest.fixture
def historian(path: Path, logged: list[str]) -> Iterator[Historian]:
    historian = Historian(lambda: path, BOX, logged.append)
    historian.start()
    yield historian
    historian.close()


@pytest.fixture
def client(historian: Historian, socket_path: Path) -> Iterator[Client]:
    """A client of a server without a table's loop."""
    server = SocketServer(socket_path, {}, SimpleQueue[Request]().put, historian.put)
    server.start()
    with Client(socket_path) as client:
        yield client
    server.close()


def ask(client: Client, question: Message) -> Any:
    """Return the result of a question; fail if it is refused."""
    client.send({**question, "id": 7})
    answer = client.answer()
    assert answer == {"type": "answer", "id": 7, "taken": True, "result": answer.get("result")}, answer
    return answer["result"]


def why(client: Client, question: Message) -> str:
    """Return why a question is refused."""
    client.send(question)
    answer = client.answer()
    assert answer["taken"] is False
    reason: str = answer["why"]
    return reason


# --- Lists ---


def test_a_table_where_nobody_played_has_no_games(client: Client, path: Path) -> None:
    assert ask(client, {"type": "games"}) == {"games": [], "more": False}
    assert not path.exists()
    store_games(path, [])
    assert ask(client, {"type": "games"}) == {"games": [], "more": False}
    assert why(client, {"type": "game", "number": 1}) == "no_such_game"
    assert why(client, {"type": "record", "number": 1}) == "no_such_game"


def test_tiles_have_the_colours_that_were_chosen_at_the_table(
    client: Client, path: Path, historian: Historian
) -> None:
    """Bug fixed: past games kept the palette of the settings file until the next start."""
    store_games(path, [greedy_game(STANDARD, most=3)])
    question: Message = {"type": "game", "number": 1}
    assert ask(client, question)["position"]["palette"] == palette_json(BOX)
    table = new_table(TableSettings(4, 9))
    historian.observe(replace(table, preferences=Preferences(palette="distinct")))
    assert ask(client, question)["position"]["palette"] == palette_json(PALETTES["distinct"])
    historian.observe(table)
    assert ask(client, question)["position"]["palette"] == palette_json(BOX)


def test_an_empty_file_has_no_games(client: Client, path: Path) -> None:
    sqlite3.connect(path).close()
    path.touch()
    assert ask(client, {"type": "games"}) == {"games": [], "more": False}


def test_games_are_listed_in_pages_newest_first(client: Client, path: Path) -> None:
    play = greedy_game(STANDARD, most=3)
    store_games(path, [play] * 23)
    found: list[int] = []
    question: Message = {"count": 10}
    while True:
        result = ask(client, {"type": "games", **question})
        assert len(result["games"]) <= 10
        found += [game["number"] for game in result["games"]]
        if not result["more"]:
            break
        question = {"count": 10, "before": found[-1]}
    assert found == list(range(23, 0, -1))
    assert ask(client, {"type": "games", "before": 1}) == {"games": [], "more": False}
    last_page = ask(client, {"type": "games", "count": 10, "before": 11})
    assert (len(last_page["games"]), last_page["more"]) == (10, False)


def test_the_status_of_a_game_is_finished_stopped_or_in_play(client: Client, path: Path) -> None:
    store_games(
        path,
        [greedy_game(STANDARD), greedy_game(STANDARD, most=20), greedy_game(STANDARD, most=9)],
        on_table=True,
    )
    newest, stopped, finished = ask(client, {"type": "games"})["games"]
    assert [game["status"] for game in (newest, stopped, finished)] == ["in_play", "stopped", "finished"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", finished["ended"])
    assert newest["ended"] is stopped["ended"] is None
    assert sum(player["winner"] for player in finished["players"]) >= 1
    assert not any(player["winner"] for player in (*newest["players"], *stopped["players"]))
    assert (
        why(client, {"type": "record", "number": 2})
        == why(client, {"type": "record", "number": 3})
        == "not_finished"
    )


# --- Single games ---


@pytest.mark.slow
@ALL_MODES
def test_a_game_has_all_its_choices_and_its_last_position(client: Client, path: Path, chosen: Setup) -> None:
    play = greedy_game(chosen)
    store_games(path, [play])
    result = ask(client, {"type": "game", "number": 1})
    made = [(at, event) for at, event in enumerate(play.events) if not isinstance(event, Chance)]
    assert [(move["number"], event_of(move["token"])) for move in result["moves"]] == made
    assert {move["kind"] == "draft" for move in result["moves"] if len(move["token"]) == 3} == {True}
    assert result["rounds"] == result["moves"][-1]["round"] == play.state.round
    assert result["choices"] == len(list(real_choices(chosen, play.events)))
    assert result["reviews"] == []
    assert [player["seat"] for player in result["players"]] == list(PLACES[chosen][: len(chosen.players)])
    boards = {seat["seat"]: seat for seat in result["position"]["seats"] if seat["taken"]}
    assert sorted(boards) == sorted(PLACES[chosen])
    assert result["position"]["result"] is not None
    outcome = play.state.outcome()
    assert outcome is not None
    if isinstance(outcome, SoloOutcome):
        ending = [(result["players"][0]["score"], result["victory"])]
        assert ending == [(outcome.score, outcome.victory.value.replace(" ", "_"))]
    else:
        assert [player["score"] for player in result["players"]] == list(outcome.scores)
        winners = tuple(seat for seat, player in enumerate(result["players"]) if player["winner"])
        assert winners == outcome.winners
    assert all(set(move) >= {"round", "kind", "seat", "lost"} for move in result["moves"])
    listed = ask(client, {"type": "games"})["games"][0]
    assert listed == {key: result[key] for key in listed}


def test_all_modes_are_tested() -> None:
    assert {chosen.mode for chosen in PLACES} == set(MODES)


@pytest.mark.slow
@ALL_MODES
def test_a_record_can_be_replayed(client: Client, path: Path, chosen: Setup) -> None:
    play = greedy_game(chosen, seed=2)
    store_games(path, [play])
    text = ask(client, {"type": "record", "number": 1})
    (record,) = read(text.encode().splitlines(keepends=True))
    assert record.setup == chosen
    assert record.state.boards == play.state.boards
    assert record.stopped is False


@pytest.mark.slow
def test_each_score_and_winner_is_the_players_own(client: Client, path: Path) -> None:
    """Games that different seats win."""
    seeds = range(1, 7)
    store_games(path, [greedy_game(STANDARD, seed) for seed in seeds])
    winners = set()
    for number, seed in enumerate(seeds, 1):
        players = ask(client, {"type": "game", "number": number})["players"]
        outcome = greedy_game(STANDARD, seed).state.outcome()
        assert isinstance(outcome, Outcome)
        won = tuple(seat for seat, player in enumerate(players) if player["winner"])
        assert won == outcome.winners
        winners.add(won)
    assert len(winners) > 1


def past_game(play: Play, bots: dict[int, str] | None = None) -> PastGame:
    """Return a game as a stored one that was stopped."""
    return PastGame(1, play.setup, play.places, "", None, on_table=False, events=play.events, bots=bots or {})


def test_opponents_are_named() -> None:
    play = greedy_game(STANDARD, most=9)
    past = past_game(play, {1: "calm"})
    assert [player["bot"] for player in entry_json(past)["players"]] == [None, "calm"]


@pytest.mark.parametrize(("setup", "palette"), [(STANDARD, BOX), (DTC, BOT_GAMES)])
def test_a_past_game_has_the_palette_of_its_mode(setup: Setup, palette: Palette) -> None:
    past = game_with_review_json(past_game(greedy_game(setup, most=9)), BOX)
    assert past["position"]["palette"] == palette_json(palette)


def test_a_player_without_a_name_has_null(client: Client, path: Path) -> None:
    store_games(path, [greedy_game(Setup("standard", ("Ana", "Seat 2", "Eva", "Rui"), 2), most=4)])
    assert [player["name"] for player in ask(client, {"type": "game", "number": 1})["players"]] == [
        "Ana",
        None,
        "Eva",
        "Rui",
    ]


def test_a_graded_game_has_its_review(client: Client, path: Path) -> None:
    play = greedy_game(STANDARD)
    choices = [choice for choice in real_choices(STANDARD, play.events) if isinstance(choice.event, Draft)]
    grades = {choice.number: (0.2, choice.event) for choice in choices}
    worst = next(choice for choice in choices[3:] if choice.seat == 1)
    best = next(event for event in _legal(worst) if event != worst.event)
    grades[worst.number] = (12.4, best)
    store_games(path, [play])
    store_grades(path, 1, grades)
    result = ask(client, {"type": "game", "number": 1})
    ana, rui = result["reviews"]
    assert (ana["seat"], rui["seat"]) == (1, 3)
    assert ana["costliest"] == []
    assert ana["choices"] + rui["choices"] == result["choices"]
    (costly,) = rui["costliest"]
    assert costly["lost"] == 12.4
    assert event_of(costly["played"]["token"]) == worst.event
    assert event_of(costly["better"]["token"]) == best
    marked = costly["position"]["choice"]
    assert (marked["source"], marked["lines"]) == (best.source, [best.line])
    assert costly["position"]["seats"][2]["acting"]
    lost = {move["number"]: move["lost"] for move in result["moves"]}
    assert lost[worst.number] == 12.4


def _legal(choice: Any) -> list[Draft]:

    return [event for event in choice.state.legal() if isinstance(event, Draft)]


@pytest.mark.slow
@ALL_MODES
def test_every_choice_can_be_the_costliest(client: Client, path: Path, chosen: Setup) -> None:
    """Each kind of choice, with the position before it."""
    play = greedy_game(chosen, seed=3)
    store_games(path, [play])
    kinds = set()
    for choice in real_choices(chosen, play.events):
        if type(choice.event) in kinds:
            continue
        kinds.add(type(choice.event))
        store_grades(path, 1, {at: (0.0, event) for at, event in enumerate(play.events)})
        store_grades(path, 1, {choice.number: (3.0, choice.event)})
        result = ask(client, {"type": "game", "number": 1})
        (costly,) = [move for review in result["reviews"] for move in review["costliest"]]
        assert costly["number"] == choice.number
        assert costly["position"]["round"] == choice.state.round
        if not isinstance(choice.event, Draft):
            played_choice = {key: value for key, value in costly["played"].items() if key != "token"}
            possible = costly["position"]["choosing"]
            assert any(played_choice.items() <= each.items() for each in possible)
    assert Draft in kinds


@pytest.mark.slow
def test_a_very_long_game_has_no_moves(client: Client, path: Path) -> None:
    play = game_of_dropped_tiles(rounds=330)
    assert len(play.events) > MOST_EVENTS
    store_games(path, [play])
    assert ask(client, {"type": "games"})["games"][0]["rounds"] is None
    result = ask(client, {"type": "game", "number": 1})
    assert (result["moves"], result["position"], result["events"]) == (None, None, len(play.events))


# --- Damage, limits and refusals ---


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET event = '9k5' WHERE number = 4",
        "UPDATE events SET event = 'what' WHERE number = 4",
        "UPDATE events SET event = CAST(x'31ff35' AS TEXT) WHERE number = 4",
        "UPDATE events SET event = x'316b35' WHERE number = 4",
        "DELETE FROM events WHERE number = 4",
        "UPDATE games SET setup = '{}'",
        "UPDATE games SET setup = replace(setup, 'standard', 'chess')",
        "UPDATE games SET places = '[1]'",
        "UPDATE games SET places = 'x'",
        "INSERT INTO grades SELECT id, 1, 0.0, 'what' FROM games",
    ],
)
def test_a_damaged_game_does_not_hide_the_others(client: Client, path: Path, damage: str) -> None:
    damage_game_2(path, damage)
    newest, unreadable, first = ask(client, {"type": "games"})["games"]
    assert [game["status"] for game in (newest, unreadable, first)] == ["finished", "unreadable", "finished"]
    assert (unreadable["number"], unreadable["players"]) == (2, [])
    assert unreadable["started"][:2] == "20"
    assert set(unreadable) == set(first)
    assert why(client, {"type": "game", "number": 2}) == "unreadable_game"
    assert ask(client, {"type": "game", "number": 1})["moves"] != []


@pytest.mark.parametrize("damage", ["PRAGMA user_version = 99", "DROP TABLE games"])
def test_a_damaged_file_is_refused_and_the_next_question_answered(
    client: Client, path: Path, damage: str
) -> None:
    store_games(path, [greedy_game(STANDARD)])
    execute(path, damage)
    assert why(client, {"type": "game", "number": 1}) == "unreadable_game"
    assert why(client, {"type": "games"}) == "unreadable"
    path.unlink()
    assert ask(client, {"type": "games"})["games"] == []


def test_each_reason_why_games_can_not_be_read_is_logged_once(
    client: Client, path: Path, logged: list[str]
) -> None:
    damage_game_2(path, "UPDATE events SET event = '9k5' WHERE number = 4")
    for _ in range(3):
        why(client, {"type": "game", "number": 2})
    (line,) = logged
    assert line.startswith("Past games: game 2 can't be read: ") and "no display 9" in line
    execute(path, "DROP TABLE games")
    why(client, {"type": "games"})
    assert logged[1].startswith(f"Past games: {path}: ") and "no such table" in logged[1]


def test_a_damaged_letter_of_a_name_becomes_the_replacement_character(client: Client, path: Path) -> None:
    store_games(path, [greedy_game(STANDARD)])
    execute(path, "UPDATE games SET setup = CAST(replace(CAST(setup AS BLOB), 'Ana', x'41ff61') AS TEXT)")
    (game,) = ask(client, {"type": "games"})["games"]
    assert [player["name"] for player in game["players"]] == ["A\N{REPLACEMENT CHARACTER}a", "Rui"]


def test_a_record_that_is_too_long_is_refused(client: Client, path: Path) -> None:
    store_games(path, [greedy_game(STANDARD)])
    length = len(ask(client, {"type": "record", "number": 1}).encode())
    for longest, refused in ((length, None), (length - 1, "too_long")):
        answers = SimpleQueue[Answer]()
        historian = Historian(lambda: path, BOX, print, longest_record=longest)
        historian.start()
        historian.put(Request(ReadRecord(1), answers.put))
        historian.put(Request(ReadGame(1), answers.put))
        assert answers.get(timeout=DEADLINE).why == refused
        assert answers.get(timeout=DEADLINE).taken
        historian.close()


def test_questions_are_about_the_file_that_the_table_uses_now(path: Path) -> None:
    """A damaged file is left, and the next one begun, while the table runs."""
    used, answers = [path], SimpleQueue[Answer]()
    store_games(path, [greedy_game(STANDARD, most=3)] * 2)
    historian = Historian(lambda: used[-1], BOX, print)
    historian.start()
    for games in (2, 1):
        historian.put(Request(ListGames(), answers.put))
        assert len(answers.get(timeout=DEADLINE).result["games"]) == games
        used.append(path.with_name("next.db"))
        store_games(used[-1], [greedy_game(STANDARD, most=3)])
    historian.close()


def test_too_many_questions_are_refused_at_once(path: Path) -> None:
    """The thread was not started, so no question is answered."""
    historian = Historian(lambda: path, BOX, print)
    answers: SimpleQueue[Answer] = SimpleQueue()
    for _ in range(MOST_WAITING + 3):
        historian.put(Request(ListGames(), answers.put))
    assert [answers.get(timeout=DEADLINE).why for _ in range(3)] == ["too_many_questions"] * 3
    assert answers.empty()
    historian.close()


def test_close_does_not_wait_for_all_questions(path: Path) -> None:
    """Regression: the daemon answered all waiting questions before it ended."""
    turns: SimpleQueue[None] = SimpleQueue()
    answers: SimpleQueue[Answer] = SimpleQueue()

    def one_at_a_time() -> Path:
        turns.get()
        return path

    historian = Historian(one_at_a_time, BOX, print)
    historian.start()
    for _ in range(MOST_WAITING):
        historian.put(Request(ListGames(), answers.put))
    ending = Thread(target=historian.close)
    ending.start()
    while ending.is_alive():
        turns.put(None)
        ending.join(1.0)  # the first turn is enough, unless `close` had not begun
    assert answers.qsize() < MOST_WAITING // 2


@pytest.mark.usefixtures("historian")
def test_the_history_thread_shortens_the_switch_interval() -> None:
    """Python's default is 5 ms, and a press needs about ten switches."""
    assert sys.getswitchinterval() <= 0.001


def test_a_server_without_a_history_refuses_questions(socket_path: Path) -> None:
    server = SocketServer(socket_path, {}, SimpleQueue[Request]().put)
    server.start()
    with Client(socket_path) as client:
        assert why(client, {"type": "game", "number": 1}) == "not_now"
    server.close()


ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
QUESTION = st.fixed_dictionaries(
    {"type": st.sampled_from(["games", "game", "record"])},
    optional={"before": ANY_VALUE, "count": ANY_VALUE, "number": ANY_VALUE},
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=QUESTION)
def test_every_question_gets_an_answer(client: Client, path: Path, question: Message) -> None:
    if not path.exists():
        store_games(path, [greedy_game(SOLO)])
    client.send(question)
    answer = client.answer()
    assert answer["type"] in ("answer", "error")
    assert ask(client, {"type": "games", "count": 1})["games"][0]["number"] == 1
