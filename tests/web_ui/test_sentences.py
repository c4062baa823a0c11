"""Texts built from snapshots, in English and partly in German."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.web_ui import real_tables, scenes
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
    assert re.search("a page|einer Seite", without) and not re.search("line 1|Reihe 1|board|Tableau", without)


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


def test_the_drawn_table_speaks_of_its_buttons_and_the_other_pages_of_tapping() -> None:
    """Bug fixed: the Hardware face spoke of tapping, too."""
    at_columns = real_tables.at_columns()
    formatter, view = make_formatter(at_columns), real_tables.view_of(at_columns)
    asks = [
        phone.turn(view, formatter.words, each, controls.hands(formatter, each)).ask
        for each in (TWIN, Viewer(phone.PLAY))
    ]
    assert ["Tap" in ask for ask in asks] == [False, True], asks


def test_the_legend_of_colours_is_shown_during_a_game() -> None:
    assert phone.legend(make_formatter(scenes.seating())) is None
    legend = phone.legend(make_formatter(scenes.offer()))
    assert legend is not None
    assert legend.colours[3] == ("k", "Black")
    assert "violet" in legend.note, "its light can't be black"


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


def test_tiles_and_lines_say_what_they_do() -> None:
    """The buttons of the board name what is taken from where, and what it would bring."""
    target = {"line": 4, "token": "3k4", "placed": 1, "floor": 1, "fills": True, "points": 2, "cost": 1}
    chosen = scenes.chosen()
    formatter = make_formatter({**chosen, "choice": {**chosen["choice"], "targets": [target]}})
    hands = controls.hands(formatter, TWIN)
    offer = phone.whole_offer(formatter, hands)
    assert offer is not None
    assert (offer.hand, offer.keys) == ("3k", "bbyyrrkkww")
    third, centre = offer.sources[2], offer.sources[-1]
    assert third.spoken == "Display 3: 2 black and 2 white; black chosen"
    assert [(take.name, take.lifted) for take in third.takes] == [
        ("Take 2 black from display 3", True),
        ("Take 2 white from display 3", False),
    ]
    assert [(take.letter, take.count) for take in centre.takes] == list(
        zip("byrkw", (1, 2, 1, 2, 1), strict=True)
    )
    board = boards.board(formatter, 1, hands=hands)
    assert board is not None
    puts = [line.put for line in board.lines]
    assert [put is not None and put.live for put in puts] == [False, False, True, True, False]
    assert [put.spoken for put in puts if put is not None][2:4] == [
        "Line 3: put 2 black here",
        "Line 4: put 2 black here, 1 falls, for 2 points",
    ]
    other = boards.board(formatter, 2, hands=hands)
    assert other is not None
    assert {line.put for line in other.lines} == {None}


def test_equal_targets_are_sent_once() -> None:
    """A phone gets at most 3 kB a press; most displays have the same targets."""
    target = {"line": 2, "token": "1b2", "placed": 2, "fills": True, "points": None, "sends": "b"}
    offers = {"1b": [target], "3b": [{**target, "token": "3b2"}], "0b": []}
    found = json.loads(phone.targets_json(make_formatter(scenes.offer(offers=offers))))
    assert found == {"of": {"1b": 0, "3b": 0, "0b": 1}, "sets": [[[2, 2, 0, 1, None, 0, "b"]], []]}


def test_what_a_hint_advises_is_marked() -> None:
    choice = {"kind": "draft", "seat": 1, "source": 3, "colour": "k", "line": 4, "count": 2, "token": "3k4"}
    formatter = make_formatter(scenes.offer(hint={"shown": [{"seat": 1, "choice": choice}]}))
    offer, board = phone.whole_offer(formatter), boards.board(formatter, 1)
    assert offer is not None and board is not None
    marked = [(each.number, take.letter) for each in offer.sources for take in each.takes if take.advised]
    assert marked == [(3, "k")]
    assert [line.number for line in board.lines if line.advised] == [4]


def test_links_of_the_twin_lead_back_to_it() -> None:
    formatter = make_formatter(scenes.offer())
    links = phone.LinksView("/rules/standard", "/history", "/statistics", any_mode=False)
    assert phone.links(formatter, "phone") == links
    assert phone.links(formatter, "table").history == "/history?from=table"


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
