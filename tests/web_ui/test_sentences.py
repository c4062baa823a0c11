"""Texts built from snapshots, in English and partly in German."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.web_ui import scenes
from web_ui.latest import Presence, View
from web_ui.messages import Step, read_snapshot
from web_ui.text.sentences import SnapshotFormatter, step_sentence
from web_ui.text.words import read_all_words
from web_ui.views import boards, controls, phone
from web_ui.views.phone import TABLE, Viewer

WORDS = read_all_words()

TWIN = Viewer(TABLE)


def make_formatter(scene: scenes.Message, language: str = "en") -> SnapshotFormatter:
    return SnapshotFormatter(WORDS[language], read_snapshot(json.dumps(scene).encode()))


@pytest.mark.parametrize(
    ("scene", "head", "ask"),
    [
        (scenes.snapshot(), "Welcome! Take a seat", "Press any button on your board to sit down."),
        (scenes.offer(centre=""), "Ana's turn", "Ana, take tiles from a display."),
        (scenes.offer(), "Ana's turn", "Ana, take tiles from a display or the centre."),
        (scenes.offer(displays=[""] * 9), "Ana's turn", "Ana, take tiles from the centre."),
        (scenes.chosen(), "Ana's turn", "Ana, put 2 black on a line or on the floor."),
        (scenes.offer(ask={"say": "dealing"}), "A new round", "The table deals new tiles."),
        (scenes.offer(ask={"say": "leave_column"}), "Azul", "The table waits for a button."),
        (scenes.offer(ask={}), "Azul", "The table waits for a button."),
        (
            scenes.offer(ask={"say": "draft", "seat": 3, "name": None}, centre=""),
            "Seat 3's turn",
            "Seat 3, take tiles from a display.",
        ),
        (
            scenes.over(),
            "Game over: Ana wins with 57 points: a tie, but more complete rows.",
            "Press ok for a new game.",
        ),
    ],
)
def test_the_prompt_has_a_heading_and_an_instruction(scene: scenes.Message, head: str, ask: str) -> None:
    formatter = make_formatter(scene)
    assert (formatter.heading(), formatter.instruction()) == (head, ask)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("say", ["take_seat", "seats_ready", "who_first", "card_seat", "solo_start"])
def test_without_buttons_at_the_seats_the_instruction_refers_to_the_pages(say: str, language: str) -> None:
    scene = scenes.snapshot(ask={"say": say, "name": "Ana"})
    with_buttons, without = (
        make_formatter({**scene, "phones": {"seats": seats}}, language).instruction()
        for seats in (False, True)
    )
    assert with_buttons != without
    assert re.search("pages|Seiten", without) and not re.search("line 1|Reihe 1|board|Tableau", without)


def test_the_instruction_for_tiles_that_fit_on_no_line() -> None:
    choice = {"source": 3, "colour": "k", "count": 2, "lines": [0]}
    formatter = make_formatter(scenes.chosen(choice=choice))
    assert formatter.instruction() == "Ana, no line takes 2 black: press your floor, or take others."


@pytest.mark.parametrize("why", ["damaged", "newer", "unreadable", "never heard of"])
def test_saved_games_that_can_not_be_used(why: str) -> None:
    ask = {"say": "start_beside", "path": "/data/a.db", "new_path": "/data/b.db", "why": why}
    formatter = make_formatter(scenes.snapshot(stage="unusable", ask=ask, live=["ok"]))
    assert "/data/a.db" in formatter.instruction()
    assert "/data/b.db" in formatter.instruction()


def test_moves_in_words() -> None:
    formatter = make_formatter(scenes.offer())
    assert [move.text for move in phone.moves(formatter)] == [
        "Seat 3 took 3 white from display 9 straight to the floor.",
        "Rui took 1 black and the starting marker from the centre to line 4.",
        "Ana took 2 blue from display 3 to line 2; 1 fell to the floor.",
    ]
    assert phone.moves(make_formatter(scenes.offer(), "de"))[2].text == (
        "Ana nahm 2 blaue aus Manufaktur 3 in Reihe 2; 1 fiel auf den Boden."
    )


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"step": "placed", "across": 3, "down": 2, "points": 5}, "Blue in row 3: 3 across + 2 down = 5."),
        ({"step": "placed", "across": 3, "down": 1, "points": 3}, "Blue in row 3: 3 across = 3."),
        ({"step": "placed", "across": 1, "down": 2, "points": 2}, "Blue in row 3: 2 down = 2."),
        ({"step": "placed", "across": 1, "down": 1, "points": 1}, "Blue in row 3: alone = 1."),
        ({"step": "floor", "cost": 4, "points": -4}, "The floor costs Ana 4 points."),
        ({"step": "floor", "cost": 1, "points": -1}, "The floor costs Ana 1 point."),
        (
            {"step": "floor", "cost": 14, "points": -11},
            "The floor would cost Ana 14 points, but a score never falls below 0: 11 lost.",
        ),
        ({"step": "bonus", "kind": "row", "which": 1, "points": 2}, "Row 1 is complete: 2 points."),
        ({"step": "bonus", "kind": "column", "which": 5, "points": 7}, "Column 5 is complete: 7 points."),
        (
            {"step": "bonus", "kind": "colour", "which": "w", "points": 10},
            "All five white tiles are on the wall: 10 points.",
        ),
        ({"step": "fell", "line": 2, "count": 2}, "Blue finds no place in row 2: 2 tiles fall to the floor."),
        ({"step": "bonus", "kind": "diagonal", "points": 3}, "3 for Ana."),
        ({"step": "danced", "points": 1}, "1 for Ana."),
    ],
)
def test_how_a_score_came_about(step: dict[str, Any], text: str) -> None:
    score_step = Step(**{"seat": 1, "name": "Ana", "row": 3, "colour": "b", **step})
    assert step_sentence(make_formatter(scenes.offer()), score_step) == text


def test_accounts_are_listed_player_by_player() -> None:
    account = phone.account(make_formatter(scenes.over()))
    assert account is not None
    assert (account.title, account.running) == ("Round 5 and the bonuses", False)
    assert [player.total for player in account.players] == ["Ana: 57", "Rui: 0"]
    assert [points for _, points in account.players[0].steps] == [
        "+1",
        "+5",
        "\N{MINUS SIGN}4",
        "+2",
        "+7",
        "+10",
    ]


def test_a_shared_victory() -> None:
    ended = scenes.over()
    for score in ended["result"]["scores"][:2]:
        score["winner"] = True
    ended["result"]["tie"] = "shared"
    assert make_formatter(ended).heading() == "Game over: Ana and Rui share the victory with 57 points each."
    ended["result"]["scores"][2].update(winner=True, score=57)
    assert (
        make_formatter(ended).heading()
        == "Game over: Ana, Rui and Seat 3 share the victory with 57 points each."
    )


def test_the_last_result_stays_until_another_game_begins() -> None:
    now, later = (
        phone.last_result(make_formatter({**scenes.over(), "stage": stage})) for stage in ("over", "choosing")
    )
    assert now is not None and later is not None
    assert (now.title, later.title) == ("Result", "The last game")
    assert now.look_back == later.look_back != ""
    assert phone.last_result(make_formatter(scenes.offer())) is None


def test_the_legend_of_colours_is_shown_during_a_game() -> None:
    assert phone.legend(make_formatter(scenes.seating())) == ()
    assert phone.legend(make_formatter(scenes.offer()))[3] == ("k", "Black")


def test_an_unknown_form_of_result_is_no_fault() -> None:
    formatter = make_formatter(scenes.over(result={"score": 71, "medals": 3}))
    assert formatter.heading() == "Game over."


def test_an_unknown_refusal_has_a_plain_sentence() -> None:
    assert make_formatter(scenes.offer()).refusal("gremlins") == "The table did not take that press."


def test_buttons_have_names() -> None:
    formatter = make_formatter(scenes.offer())
    assert formatter.button("seat.1.line.3") == "Line 3 of Ana's board"
    assert formatter.button("seat.3.floor") == "Floor of Seat 3's board"
    assert formatter.button("display.7") == "Display 7"
    assert formatter.button("lever.9") == "lever.9"


def test_unknown_colour_names_are_shown_unchanged() -> None:
    palette = {**scenes.PALETTE, "b": {"name": "teal", "rgb": "#008080"}}
    assert make_formatter(scenes.offer(palette=palette)).tiles("bbr") == "2 teal and 1 red"


def test_seating_has_one_control_per_seat() -> None:
    groups = controls.groups(make_formatter(scenes.seating()), TWIN)
    assert [(group.title, [hand.button for hand in group.buttons]) for group in groups] == [
        ("Sit down", ["seat.4.line.1"]),
        ("Table", ["ok", "undo"]),
    ]


def test_controls_while_choosing_a_game() -> None:
    groups = controls.groups(make_formatter(scenes.choosing()), TWIN)
    assert [(group.title, [hand.text for hand in group.buttons]) for group in groups] == [
        ("Which game", ["Standard game", "Gray walls"]),
        ("Who starts", ["Ana", "Rui", "Seat 3", "Let the table choose"]),
        ("Table", ["undo"]),
    ]


def test_controls_with_tiles_in_hand() -> None:
    groups = controls.groups(make_formatter(scenes.chosen()), TWIN)
    assert [(group.title, [hand.button for hand in group.buttons]) for group in groups] == [
        ("Take from", ["display.3", "display.1", "centre"]),
        ("Put them on", ["seat.1.line.3", "seat.1.line.4", "seat.1.floor"]),
        ("Table", ["undo"]),
    ]
    assert groups[0].buttons[0].spoken == "Display 3: 2 black and 2 white; black chosen"
    assert groups[1].buttons[1].spoken == "Line 4 of Ana's board"


def test_controls_of_several_seats_are_grouped_by_player() -> None:
    live = ["seat.1.line.2", "seat.3.line.1", "seat.3.floor"]
    groups = controls.groups(make_formatter(scenes.offer(ask={"say": "leave_column"}, live=live)), TWIN)
    assert [(group.title, [hand.text for hand in group.buttons]) for group in groups] == [
        ("Ana", ["Line 2"]),
        ("Seat 3", ["Line 1", "Floor"]),
    ]


def test_controls_for_columns_on_gray_walls() -> None:
    column = {"kind": "column", "seat": 1, "row": 2, "colour": "y"}
    choosing = [{**column, "button": f"seat.1.line.{at}", "column": at} for at in (2, 5)]
    formatter = make_formatter(
        scenes.offer(ask={"say": "choose_column"}, choosing=choosing, live=["seat.1.line.2"])
    )
    (group,) = controls.groups(formatter, TWIN)
    assert (group.title, [hand.text for hand in group.buttons]) == (
        "Ana: yellow in row 2",
        ["Column 2", "Column 5"],
    )
    assert group.buttons[0].spoken == "Ana: Column 2"


def test_an_unknown_seat_has_no_controls() -> None:
    assert (
        controls.groups(make_formatter(scenes.offer(live=["seat.9.line.1", "seat.x", "lever"])), TWIN) == ()
    )


def test_a_board_shows_what_it_holds() -> None:
    board = boards.board(make_formatter(scenes.chosen()), 1)
    assert board is not None
    assert board.lines[3].spaces == ("", "k", "k", "k")
    assert [line.number for line in board.lines if line.offered] == [3, 4]
    assert board.floor.offered
    assert board.floor.spoken == "Floor: 1 blue, 1 yellow and the starting marker; costs 4 points"
    assert board.wall[0].spaces[2].printed == "r"
    assert board.wall[0].spoken == "Row 1 of the wall: blue and yellow"


def test_a_gray_wall_has_nothing_printed() -> None:
    seats = [{**seat, "pattern": None} for seat in scenes.players()]
    board = boards.board(make_formatter(scenes.offer(seats=seats)), 1)
    assert board is not None
    assert {space.printed for row in board.wall for space in row.spaces} == {""}


@pytest.mark.parametrize("presence", [Presence.AWAY, Presence.NEWER, Presence.UNREADABLE])
def test_an_absent_table_is_reported(presence: Presence) -> None:
    turn = phone.turn(View(1, presence), WORDS["en"], TWIN)
    assert turn.away
    assert turn.ask == WORDS["en"].text(f"presence.{presence}")
