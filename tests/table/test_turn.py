"""A turn by buttons, as table.md says it: sources and colours, legal lines, refused presses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights.palettes import BOX
from device.rules.events import Draft
from device.rules.notation import event_of, text_of
from device.rules.tiles import letters
from device.socket.snapshot import snapshot
from device.table.game import Move
from device.table.prompts import live_buttons, prompt
from device.table.state import Stage
from tests.table.hands import BUTTONS, Hands, dealt, playing

DEAL = "bbyr kkww rryy bykw bbbb"


def chosen(hands: Hands) -> tuple[int, str] | None:
    """The source and the colour that are chosen."""
    selection = hands.game.selection
    return None if selection is None else (selection.source, "byrkw"[selection.colour])


# --- Choosing tiles --------------------------------------------------------------------------------------


def test_a_source_gives_its_first_colour_and_pressed_again_its_next() -> None:
    hands = dealt(DEAL)
    seen = [chosen(hands.press("display.4")) for _ in range(5)]
    assert seen == [(4, "b"), (4, "y"), (4, "k"), (4, "w"), (4, "b")]


def test_another_source_starts_with_its_first_colour() -> None:
    hands = dealt(DEAL).press("display.4", "display.4", "display.4", "display.2")
    assert chosen(hands) == (2, "k")
    assert chosen(hands.press("display.4")) == (4, "b")


def test_a_source_of_one_colour_keeps_it() -> None:
    assert chosen(dealt(DEAL).press("display.5", "display.5")) == (5, "b")


def test_choosing_alone_moves_no_tile() -> None:
    hands = dealt(DEAL)
    before = hands.play
    assert hands.press("display.1", "display.1", "display.3").play is before


def test_the_centre_is_a_source_once_tiles_lie_there() -> None:
    hands = dealt(DEAL)
    assert hands.refused("centre") == "source_empty"
    hands.press("display.1", "seat.1.line.2")
    assert chosen(hands.press("centre")) == (0, "y")
    assert chosen(hands.press("centre")) == (0, "r")


def test_an_empty_display_is_refused() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2")
    assert hands.refused("display.1") == "source_empty"
    assert hands.refused("display.6") == "source_empty", "a display that two players do not use"
    assert chosen(hands) is None


# --- Placing them ----------------------------------------------------------------------------------------


def test_a_line_takes_the_tiles_and_the_rest_goes_to_the_centre() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.3")
    assert hands.play.events[-1] == event_of("1b3")
    draft = event_of("1b3")
    assert isinstance(draft, Draft)
    assert hands.play.moves == (Move(seat=0, draft=draft, tiles=2, fell=0, marker=False),)
    board = hands.play.state.boards[0]
    assert board.held == (0, 0, 2, 0, 0)
    assert letters(hands.play.state.sources[0]) == "yr"
    assert letters(hands.play.state.sources[1]) == ""
    assert hands.table.acting_place == 2
    assert hands.game.selection is None


def test_what_does_not_fit_falls_and_the_floor_takes_all() -> None:
    hands = dealt(DEAL).press("display.5", "seat.1.line.2", "display.2", "seat.2.floor")
    assert len(hands.play.state.boards[0].floor) == 2
    assert len(hands.play.state.boards[1].floor) == 2
    assert [move.fell for move in hands.play.moves] == [2, 2]


def test_the_first_from_the_centre_gets_the_marker() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2", "centre", "seat.2.line.1")
    told = snapshot(hands.table, BOX)
    assert [seat["marker"] for seat in told["seats"]] == [False, True, False, False]
    assert told["seats"][1]["floor"] == "m"
    assert not told["marker_in_centre"]
    assert told["moves"][-1] == {
        "seat": 2,
        "name": "Rui",
        "source": 0,
        "colour": "y",
        "count": 1,
        "line": 1,
        "fell": 0,
        "marker": True,
        "token": "0y1",
        "because": [],
    }


def test_the_lines_that_are_live_are_those_that_take_the_tiles() -> None:
    hands = dealt(DEAL).press("display.5", "seat.1.line.2", "display.2", "seat.2.floor", "display.4")
    lines = [button for button in live_buttons(hands.table) if button.startswith("seat")]
    assert lines == [*(f"seat.1.line.{line}" for line in (1, 3, 4, 5)), "seat.1.floor"], "line 2 is full"
    hands.press("display.4")
    assert "seat.1.line.2" not in live_buttons(hands.table), "full for every colour"


def test_before_a_source_is_chosen_no_line_is_live() -> None:
    live = live_buttons(dealt(DEAL).table)
    assert live == ("display.1", "display.2", "display.3", "display.4", "display.5", "undo")


def test_what_is_asked() -> None:
    hands = dealt(DEAL)
    assert prompt(hands.table).say == "draft"
    assert prompt(hands.table).values == {"seat": 1, "name": "Ana"}
    hands.press("display.1", "display.1")
    assert prompt(hands.table).say == "place"
    assert prompt(hands.table).values == {"seat": 1, "name": "Ana", "source": 1, "colour": "y", "count": 1}


# --- Refused presses -------------------------------------------------------------------------------------


def near_the_end_of_a_round() -> Hands:
    """Ana's line 1 is full of blue, her line 3 holds yellow; Rui's wall has nothing yet."""
    hands = dealt(DEAL).press("display.5", "seat.1.line.1", "display.2", "seat.2.line.2")
    return hands.press("display.3", "seat.1.line.3", "display.4", "seat.2.line.5")


def test_no_line_without_a_source() -> None:
    assert dealt(DEAL).refused("seat.1.line.1") == "choose_source_first"
    assert dealt(DEAL).refused("seat.1.floor") == "choose_source_first"


def test_not_on_another_players_board() -> None:
    hands = dealt(DEAL).press("display.1")
    assert hands.refused("seat.2.line.1") == "not_your_turn"
    assert hands.refused("seat.3.floor") == "not_your_turn"
    assert chosen(hands) == (1, "b")


def test_not_on_a_full_line() -> None:
    hands = near_the_end_of_a_round().press("display.1")
    assert hands.refused("seat.1.line.1") == "line_full"


def test_not_on_a_line_of_another_colour() -> None:
    hands = near_the_end_of_a_round().press("display.1")
    assert hands.refused("seat.1.line.3") == "line_other_colour"
    assert hands.press("display.1").refused("seat.1.line.3") is None, "yellow goes to yellow"


def test_not_where_the_wall_has_the_colour() -> None:
    hands = dealt("bbbb kkkk kkkk kkkk kkkk", DEAL)
    for display in range(1, 6):
        place = hands.table.acting_place
        hands.press(f"display.{display}", f"seat.{place}.{'line.1' if display == 1 else 'floor'}")
    hands.skip()
    assert hands.play.state.round == 2
    hands.press("display.1")
    assert hands.refused("seat.1.line.1") == "wall_has_colour"


def test_ok_has_nothing_to_confirm_in_an_offer() -> None:
    assert dealt(DEAL).refused("ok") == "nothing_to_confirm"


REFUSED = ["display.6", "centre", "seat.2.line.1", "seat.1.line.2", "ok", "display.17", "nonsense"]


@pytest.mark.parametrize("button", REFUSED)
def test_a_refused_press_changes_nothing_but_what_is_said(button: str) -> None:
    hands = dealt(DEAL)
    before = hands.table
    assert hands.refused(button) is not None
    refusal = hands.table.refusal
    assert refusal is not None
    assert (refusal.button, refusal.shown, refusal.number) == (button, True, 1)
    assert replace(hands.table, refusal=None) == before


def test_a_refusal_is_said_until_something_is_done() -> None:
    hands = dealt(DEAL)
    hands.press("ok")
    assert snapshot(hands.table, BOX)["refusal"] == {
        "say": "nothing_to_confirm",
        "button": "ok",
        "number": 1,
    }
    hands.wait(60)
    assert snapshot(hands.table, BOX)["refusal"] is not None
    hands.press("display.1")
    assert snapshot(hands.table, BOX)["refusal"] is None
    hands.press("ok")
    assert snapshot(hands.table, BOX)["refusal"]["number"] == 2


def test_presses_in_the_same_millisecond_all_count() -> None:
    hands = dealt(DEAL).press("display.1", "seat.1.line.2", "display.2", "seat.2.line.2", after=0.0)
    assert [text_of(move.draft) for move in hands.play.moves] == ["1b2", "2k2"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_turn_goes_round_and_the_starter_begins_the_next_round(players: int) -> None:
    hands = playing(players=players)
    order = []
    while hands.table.stage is Stage.OFFER:
        place = hands.table.acting_place
        order.append(place)
        source = next(b for b in live_buttons(hands.table) if b != "undo")
        hands.press(source, f"seat.{place}.floor")
    assert order == [at % players + 1 for at in range(len(order))]
    (taker,) = [move.seat for move in hands.play.moves if move.marker]
    assert hands.skip().table.acting_place == taker + 1


def test_every_button_of_the_table_answers_with_its_own_press() -> None:
    """What a press means is found by its name alone: each is tried once at a new turn."""
    accepted = [button for button in BUTTONS if dealt(DEAL).refused(button) is None]
    assert accepted == [*(f"display.{display}" for display in range(1, 6)), "undo"]
