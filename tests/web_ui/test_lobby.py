"""The lobby, the questions of the table, a first game that is explained, and the end of a game."""

from __future__ import annotations

import re

import msgspec
import pytest

from device.bots.simple import SIMPLE_BOTS
from device.rules.game import MODES
from device.table.lessons import Step
from device.table.state import OPPONENTS, Question
from tests.table.simulator import dealt, empty_table
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Text
from tests.web_ui.fake_daemon import Message
from web_ui.latest import Presence, View
from web_ui.messages import read_snapshot
from web_ui.render import Renderer
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import read_all_words
from web_ui.views import ending, lobby
from web_ui.views.phone import PHONE, TABLE, Viewer

ALL_WORDS = read_all_words()
AT_TABLE = Viewer(PHONE, at_table=True)
SEATS = [f"seat.{seat}.floor" for seat in range(1, 5)]
ALL = {"press": [*SEATS, "ok", "undo"], "hint": True}
each_language = pytest.mark.parametrize("language", sorted(ALL_WORDS))


def formatter(scene: Message, language: str = "en") -> SnapshotFormatter:
    """Return the formatter of a scene."""
    return SnapshotFormatter(ALL_WORDS[language], read_snapshot(msgspec.json.encode(scene)))


def lobby_of(scene: Message, viewer: Viewer = AT_TABLE) -> lobby.LobbyView:
    """Return the lobby of a scene."""
    view = lobby.lobby(formatter(scene), viewer)
    assert view is not None
    return view


def region(name: str, scene: Message, viewer: Viewer = AT_TABLE, language: str = "en") -> Text:
    """Return a region of a page as it is rendered."""
    snapshot = read_snapshot(msgspec.json.encode(scene))
    view = View(1, Presence.HERE, None, snapshot, b"{}")
    return Text(Renderer().rendering(viewer, ALL_WORDS[language], view).html[name])


def sitting(*players: tuple[int, str, str], modes: tuple[str, ...] = (), **given: object) -> Message:
    """Return a lobby in which some sit: place, name and opponent (empty for a person)."""
    seats = [scenes.seat(place) for place in range(1, 5)]
    for place, name, bot in players:
        seats[place - 1] = scenes.seat(place, taken=True, name=name, bot=bot or None)
    return scenes.snapshot(1, seats=seats, lobby=scenes.lobby(*modes), **given)


# --- Seats -----------------------------------------------------------------------------------------------


def test_the_seats_are_round_the_table_clockwise_with_the_viewers_own_at_the_bottom() -> None:
    scene = sitting((1, "Ana", ""), (3, "Rui", ""), modes=("standard",))
    assert "".join(spot.side for spot in lobby_of(scene).spots) == "swne"
    own = lobby_of(scene, Viewer(PHONE, at_table=True, seat=3))
    assert "".join(spot.side for spot in own.spots) == "nesw"
    assert [spot.mine for spot in own.spots] == [False, False, True, False]


def test_a_phone_is_offered_only_the_seats_that_it_may_change() -> None:
    """What a phone may not do is not shown as a choice."""
    phone = Viewer(PHONE, at_table=False)
    scene = sitting((1, "Ana", ""), phones={"press": ["seat.2.floor"]})
    view = lobby_of(scene, phone)
    assert [spot.open for spot in view.spots] == [False, True, False, False]
    assert not view.may_table
    html = region("lobby", scene, phone)
    assert html.values("data-shows") == ["seat.2"]
    assert not html.actions
    looking = region("lobby", sitting((1, "Ana", "")), phone)
    assert not [tag for tag, _ in looking.elements if tag in ("button", "input", "form")]
    assert "Ana" in looking.words


def test_seats_of_other_phones_are_not_offered() -> None:
    scene = sitting((1, "Ana", ""), (2, "Rui", ""), modes=("standard",), phones=ALL)
    scene["seats"][0]["claimed"] = True
    own = lobby_of(scene, Viewer(PHONE, at_table=False, seat=1))
    other = lobby_of(scene, Viewer(PHONE, at_table=False))
    assert [spot.open for spot in own.spots] == [True] * 4
    assert [spot.open for spot in other.spots] == [False, True, True, True]
    assert other.may_table, "it may be the phone that Rui plays with"
    scene["seats"][1]["claimed"] = True
    watching = lobby_of(scene, Viewer(PHONE, at_table=False))
    assert not watching.may_table
    assert not watching.start


def test_the_twin_changes_the_lobby_on_the_tables_machine_only() -> None:
    assert lobby_of(sitting(), Viewer(TABLE, at_table=True)).may_table
    assert not lobby_of(sitting(), Viewer(TABLE, at_table=False)).may_table


def test_names_are_escaped() -> None:
    assert "<i>x</i>" in region("lobby", sitting((1, "<i>x</i>", ""))).words


# --- Two taps to a game ----------------------------------------------------------------------------------


def test_an_empty_table_offers_a_game_against_an_opponent_opposite() -> None:
    view = lobby_of(sitting())
    assert (view.me, view.rival, view.seated) == (1, 3, False)
    html = region("lobby", sitting())
    assert "opponents" in html.values("data-shows")
    assert html.values("data-bot")[:4] == list(OPPONENTS)


def test_who_sits_keeps_their_seat_in_a_quick_game() -> None:
    view = lobby_of(sitting((2, "Ana", ""), modes=("solo",)))
    assert (view.me, view.rival, view.seated) == (2, 4, True)
    own = lobby_of(sitting(), Viewer(PHONE, at_table=True, seat=4))
    assert (own.me, own.rival) == (4, 2)


def test_there_is_no_quick_game_once_two_sit() -> None:
    view = lobby_of(sitting((1, "Ana", ""), (2, "Rui", ""), modes=("standard", "gray")))
    assert (view.me, view.rival) == (0, 0)
    assert view.start == "start"
    assert view.starters == ((1, "Ana"), (2, "Rui"))


@each_language
def test_every_opponent_has_an_honest_sentence(language: str) -> None:
    words = ALL_WORDS[language]
    assert all(f"opponent_says.{bot}" in words for bot in (*OPPONENTS, "program"))
    assert set(OPPONENTS) >= set(SIMPLE_BOTS) - {"random"}
    scene = sitting()
    scene["lobby"]["opponents"] = [*OPPONENTS, "First <bot>"]
    found = lobby.lobby(formatter(scene, language), AT_TABLE)
    assert found is not None
    assert [each.strength for each in found.opponents] == [1, 2, 3, 4, 0]


# --- Modes -----------------------------------------------------------------------------------------------


@each_language
def test_every_mode_has_a_picture_and_a_line(language: str) -> None:
    html = region("lobby", sitting(), language=language)
    assert sum(attributes.get("class") == "picture" for _, attributes in html.elements) == len(MODES)
    assert {f"lobby.{kind}_{mode}" for kind in ("mode", "name") for mode in MODES} <= set(
        ALL_WORDS[language].sentences
    )


def test_modes_that_need_another_player_open_the_list_of_opponents() -> None:
    modes = {mode.mode: mode for mode in lobby_of(sitting((1, "Ana", ""), modes=("solo",))).modes}
    assert modes["standard"].opens == modes["gray"].opens == modes["dtc"].opens == "opponents"
    assert (modes["solo"].opens, modes["solo"].chosen) == ("solo", True)


def test_modes_that_the_players_can_not_play_say_why() -> None:
    players = ((1, "Ana", ""), (2, "Rui", ""), (3, "Eva", ""))
    modes = {mode.mode: mode for mode in lobby_of(sitting(*players, modes=("standard", "gray"))).modes}
    assert modes["standard"].chosen
    assert not modes["solo"].legal
    assert modes["solo"].why
    assert not modes["dtc"].legal


def test_what_the_tables_buttons_chose_is_shown() -> None:
    scene = sitting((1, "Ana", ""), (2, "Rui", ""), modes=("standard", "gray"))
    scene["stage"] = "choosing"
    scene["lobby"]["options"] |= {"mode": "gray", "hints": False}
    view = lobby_of(scene)
    assert [mode.mode for mode in view.modes if mode.chosen] == ["gray"]
    assert not view.hints


def test_a_table_without_players_says_what_to_do() -> None:
    assert lobby_of(sitting()).wait == "Tap a seat to sit down."
    assert lobby_of(sitting(), Viewer(PHONE, at_table=False)).wait == "Waiting for players."


def test_the_lobby_of_a_real_table_is_drawn() -> None:
    view = lobby_of(real_tables.snapshot_json(empty_table().table))
    assert len(view.spots) == 4
    assert {mode.mode for mode in view.modes} == set(MODES)
    assert [each.bot for each in view.opponents] == list(OPPONENTS)


def test_there_is_no_lobby_during_a_game() -> None:
    scene = real_tables.snapshot_json(dealt("bbyr kkww bbbb rryy wkyr").table)
    assert lobby.lobby(formatter(scene), AT_TABLE) is None


# --- Questions -------------------------------------------------------------------------------------------


@each_language
@pytest.mark.parametrize("key", [each.value for each in Question])
def test_every_question_has_its_texts_and_two_answers(key: str, language: str) -> None:
    asked = lobby.question(formatter(scenes.offer(ask={"say": key, "seat": 1}), language), AT_TABLE)
    assert asked is not None
    assert [button for button, _ in asked.answers] == ["ok", "undo"]
    words = ALL_WORDS[language]
    assert {f"question.{key}{part}" for part in ("", "_ok", "_undo")} <= set(words.sentences)


def test_a_store_that_can_not_be_used_has_one_answer() -> None:
    ask = {"say": "start_beside", "why": "damaged", "path": "/a", "new_path": "/b"}
    asked = lobby.question(formatter(scenes.snapshot(1, stage="unusable", ask=ask)), AT_TABLE)
    assert asked is not None
    assert [button for button, _ in asked.answers] == ["ok"]
    assert "/a" in asked.says


def test_a_phone_that_may_not_answer_gets_a_note() -> None:
    scene = scenes.offer(ask={"say": "stop_game"})
    asked = lobby.question(formatter(scene), Viewer(PHONE, at_table=False))
    assert asked is not None
    assert asked.answers == ()
    assert not region("question", scene, Viewer(PHONE, at_table=False)).values("data-button")


def test_only_the_player_of_the_choice_answers_an_undo() -> None:
    scene = scenes.offer(
        ask={"say": "undo_asked", "seat": 2, "name": "Rui", "by": 1, "by_name": "Ana"}, phones=ALL
    )
    answers = {}
    for seat in (1, 2):
        asked = lobby.question(formatter(scene), Viewer(PHONE, at_table=False, seat=seat))
        assert asked is not None
        assert "Ana" in asked.says
        assert "Rui" in asked.says
        answers[seat] = [button for button, _ in asked.answers]
    assert answers == {1: [], 2: ["ok", "undo"]}


def test_other_prompts_are_no_questions() -> None:
    assert lobby.question(formatter(scenes.offer()), AT_TABLE) is None


# --- A first game ----------------------------------------------------------------------------------------


SOLO_STEPS = [step for step in Step if step.startswith("solo_")]
OF_ANY_GAME = [Step.STUCK, Step.COLUMN, Step.ROUND, Step.ROW, Step.FULL, Step.BEGUN, Step.BONUS]


@each_language
@pytest.mark.parametrize("steps", [set(Step) - set(SOLO_STEPS), {*SOLO_STEPS, *OF_ANY_GAME}])
def test_a_whole_game_is_explained_in_at_most_20_sentences(language: str, steps: set[Step]) -> None:
    words = ALL_WORDS[language]
    texts = [words.text(f"first_game.{step}", line=2, colour="-", count=2) for step in steps]
    assert all(f"first_game.{step}" in words for step in Step)
    assert sum(len(re.findall(r"[.!?](?= |$)", text)) for text in texts) <= 20


def test_the_card_of_a_first_game_does_not_cover_what_it_explains() -> None:
    draft = lobby.lesson_step(formatter(scenes.offer(lesson_step={"key": "draft"})), AT_TABLE)
    place = lobby.lesson_step(formatter(scenes.offer(lesson_step={"key": "place"})), AT_TABLE)
    assert draft is not None
    assert place is not None
    assert (draft.over, place.over) == ("boards", "offer")


def test_a_step_names_its_line_and_colour() -> None:
    scene = scenes.offer(lesson_step={"key": "begun", "line": 3, "colour": "r", "count": 2})
    shown = lobby.lesson_step(formatter(scene), AT_TABLE)
    assert shown is not None
    assert shown.says == "Line 3 still needs 2 of red: only full lines count."
    assert region("lesson_step", scene).actions == [
        {"type": "teach_game", "on": False},
        {"type": "lesson_seen"},
    ]


def test_a_player_alone_reads_and_closes_the_steps_of_both_boards() -> None:
    scene = real_tables.until(real_tables.solo(), "draft")
    scene["lesson_step"] = {"key": "solo_draft", "seat": 2}
    shown = lobby.lesson_step(formatter(scene), Viewer(PHONE, seat=1))
    assert shown is not None
    assert shown.may_close
    assert not shown.who


def test_an_unknown_step_of_a_newer_table_is_left_out() -> None:
    assert lobby.lesson_step(formatter(scenes.offer(lesson_step={"key": "flying"})), AT_TABLE) is None


# --- The end ---------------------------------------------------------------------------------------------


def counting(scene: Message) -> Message:
    """Return the end of a game while its bonuses are counted."""
    account = {**scene["account"], "running": True}
    return {**scene, "stage": "scoring", "ask": {"say": "scoring"}, "result": None, "account": account}


def test_the_bonuses_come_before_the_winner() -> None:
    view = ending.ending(formatter(counting(scenes.over())), AT_TABLE)
    assert view is not None
    assert view.counting
    assert not any(place.winner for place in view.players)
    first = view.players[0]
    assert [(each.kind, each.points) for each in first.bonuses] == [
        ("row", "+2"),
        ("column", "+7"),
        ("colour", "+10"),
    ]
    assert first.fresh
    assert not region("result", counting(scenes.over())).actions


def test_the_ranking_says_who_won_how_a_tie_was_settled_and_ones_own_place() -> None:
    view = ending.ending(formatter(scenes.over()), Viewer(PHONE, at_table=True, seat=2))
    assert view is not None
    assert view.title == "Ana wins!"
    assert [place.name for place in view.players] == ["Ana", "Rui", "Seat 3", "Maximiliane-Sofia"]
    assert [place.rank for place in view.players] == [1, 2, 3, 4]
    assert view.notes == ("You came 2nd of 4.", "A tie in points: the more complete rows decide.")


def test_players_who_share_the_victory_share_the_rank() -> None:
    scores = [
        {"seat": 1, "name": "Ana", "score": 40, "rows": 1, "winner": True},
        {"seat": 2, "name": "Rui", "score": 40, "rows": 1, "winner": True},
        {"seat": 3, "name": "Eva", "score": 12, "rows": 0, "winner": False},
    ]
    view = ending.ending(formatter(scenes.over(result={"scores": scores, "tie": "shared"})), AT_TABLE)
    assert view is not None
    assert [place.rank for place in view.players] == [1, 1, 3]
    assert view.title == "Ana and Rui share the victory!"


def test_again_and_the_lobby_are_one_tap_away() -> None:
    html = region("result", scenes.over())
    assert {"type": "again"} in html.actions
    assert "ok" in html.values("data-button")
    assert "/history/last" in html.values("href")
    looking = region("result", scenes.over(), Viewer(PHONE, at_table=False))
    assert not looking.actions


@pytest.mark.parametrize(("rule", "lost"), [(None, False), ("S7", True)])
def test_the_end_of_a_solo_game_shows_what_the_score_is_worth(rule: str | None, *, lost: bool) -> None:
    result = {
        "score": 82,
        "victory": "loss" if lost else "journeyman",
        "rule": rule,
        "ending": "row_complete",
    }
    view = ending.ending(formatter(scenes.over(result=result)), AT_TABLE)
    assert view is not None
    assert view.lost == lost
    assert [name for _, name, reached in view.levels if reached] == ([] if lost else ["Journeyman"])


def test_the_twin_shows_the_same_end() -> None:
    assert ending.ending(formatter(scenes.over()), Viewer(TABLE)) is not None


def test_in_the_lobby_the_last_game_is_one_sentence() -> None:
    scene = sitting((1, "Ana", ""), (2, "Rui", ""), modes=("standard",), result=scenes.over()["result"])
    assert ending.ending(formatter(scene), AT_TABLE) is None
    assert "Ana wins with 57 points" in lobby_of(scene).last


def test_on_the_phone_of_another_player_a_step_names_whose_turn_it_explains() -> None:
    """Closing it there must not take it from the player who needs it."""
    scene = scenes.offer(lesson_step={"key": "full", "line": 2, "seat": 2}, phones=ALL)
    own = region("lesson_step", scene, Viewer(PHONE, at_table=False, seat=2))
    other = region("lesson_step", scene, Viewer(PHONE, at_table=False, seat=1))
    assert {"type": "lesson_seen"} in own.actions
    assert not other.actions
    assert "For Rui:" in str(other)
