"""Turns by buttons: selecting sources and colours, legal lines, refused presses."""

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
from tests.table.simulator import BUTTONS, Simulator, dealt, playing

DEAL = "bbyr kkww rryy bykw bbbb"


def chosen(sim: Simulator) -> tuple[int, str] | None:
    """Return the selected source and colour."""
    selection = sim.game.selection
    return None if selection is None else (selection.source, "byrkw"[selection.colour])


# --- Selecting ---


def test_a_press_of_a_source_selects_its_first_colour_and_another_its_next() -> None:
    sim = dealt(DEAL)
    seen = [chosen(sim.press("display.4")) for _ in range(5)]
    assert seen == [(4, "b"), (4, "y"), (4, "k"), (4, "w"), (4, "b")]


def test_another_source_starts_with_its_first_colour() -> None:
    sim = dealt(DEAL).press("display.4", "display.4", "display.4", "display.2")
    assert chosen(sim) == (2, "k")
    assert chosen(sim.press("display.4")) == (4, "b")


def test_a_source_of_one_colour_keeps_it() -> None:
    assert chosen(dealt(DEAL).press("display.5", "display.5")) == (5, "b")


def test_selecting_moves_no_tile() -> None:
    sim = dealt(DEAL)
    before = sim.play
    assert sim.press("display.1", "display.1", "display.3").play is before


def test_the_centre_can_be_selected_when_tiles_lie_there() -> None:
    sim = dealt(DEAL)
    assert sim.refused("centre") == "source_empty"
    sim.press("display.1", "seat.1.line.2")
    assert chosen(sim.press("centre")) == (0, "y")
    assert chosen(sim.press("centre")) == (0, "r")


def test_an_empty_display_is_refused() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2")
    assert sim.refused("display.1") == "source_empty"
    assert sim.refused("display.6") == "source_empty", "a display that two players do not use"
    assert chosen(sim) is None


# --- Drafting to a line ---


def test_a_line_takes_the_tiles_and_the_rest_goes_to_the_centre() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.3")
    assert sim.play.events[-1] == event_of("1b3")
    draft = event_of("1b3")
    assert isinstance(draft, Draft)
    assert sim.play.moves == (Move(seat=0, draft=draft, tiles=2, fell=0, marker=False),)
    board = sim.play.state.boards[0]
    assert board.held == (0, 0, 2, 0, 0)
    assert letters(sim.play.state.sources[0]) == "yr"
    assert letters(sim.play.state.sources[1]) == ""
    assert sim.table.acting_place == 2
    assert sim.game.selection is None


def test_tiles_that_do_not_fit_fall_and_the_floor_takes_any_number() -> None:
    sim = dealt(DEAL).press("display.5", "seat.1.line.2", "display.2", "seat.2.floor")
    assert len(sim.play.state.boards[0].floor) == 2
    assert len(sim.play.state.boards[1].floor) == 2
    assert [move.fell for move in sim.play.moves] == [2, 2]


def test_the_first_draft_from_the_centre_takes_the_marker() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2", "centre", "seat.2.line.1")
    shown = snapshot(sim.table, BOX)
    assert [seat["marker"] for seat in shown["seats"]] == [False, True, False, False]
    assert shown["seats"][1]["floor"] == "m"
    assert not shown["marker_in_centre"]
    assert shown["moves"][-1] == {
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


def test_the_live_lines_are_those_that_take_the_selected_tiles() -> None:
    sim = dealt(DEAL).press("display.5", "seat.1.line.2", "display.2", "seat.2.floor", "display.4")
    lines = [button for button in live_buttons(sim.table) if button.startswith("seat")]
    assert lines == [*(f"seat.1.line.{line}" for line in (1, 3, 4, 5)), "seat.1.floor"], "line 2 is full"
    sim.press("display.4")
    assert "seat.1.line.2" not in live_buttons(sim.table), "full for every colour"


def test_no_line_is_live_before_a_source_is_selected() -> None:
    live = live_buttons(dealt(DEAL).table)
    assert live == ("display.1", "display.2", "display.3", "display.4", "display.5", "undo")


def test_the_prompt_follows_the_selection() -> None:
    sim = dealt(DEAL)
    assert prompt(sim.table).key == "draft"
    assert prompt(sim.table).values == {"seat": 1, "name": "Ana"}
    sim.press("display.1", "display.1")
    assert prompt(sim.table).key == "place"
    assert prompt(sim.table).values == {"seat": 1, "name": "Ana", "source": 1, "colour": "y", "count": 1}


# --- Refused presses ---


def near_the_end_of_a_round() -> Simulator:
    """Ana's line 1 is full of blue, her line 3 holds yellow; Rui's wall has nothing yet."""
    sim = dealt(DEAL).press("display.5", "seat.1.line.1", "display.2", "seat.2.line.2")
    return sim.press("display.3", "seat.1.line.3", "display.4", "seat.2.line.5")


def test_a_line_is_refused_without_a_selection() -> None:
    assert dealt(DEAL).refused("seat.1.line.1") == "choose_source_first"
    assert dealt(DEAL).refused("seat.1.floor") == "choose_source_first"


def test_another_players_line_is_refused() -> None:
    sim = dealt(DEAL).press("display.1")
    assert sim.refused("seat.2.line.1") == "not_your_turn"
    assert sim.refused("seat.3.floor") == "not_your_turn"
    assert chosen(sim) == (1, "b")


def test_a_full_line_is_refused() -> None:
    sim = near_the_end_of_a_round().press("display.1")
    assert sim.refused("seat.1.line.1") == "line_full"


def test_a_line_of_another_colour_is_refused() -> None:
    sim = near_the_end_of_a_round().press("display.1")
    assert sim.refused("seat.1.line.3") == "line_other_colour"
    assert sim.press("display.1").refused("seat.1.line.3") is None, "yellow goes to yellow"


def test_a_line_whose_row_has_the_colour_is_refused() -> None:
    sim = dealt("bbbb kkkk kkkk kkkk kkkk", DEAL)
    for display in range(1, 6):
        place = sim.table.acting_place
        sim.press(f"display.{display}", f"seat.{place}.{'line.1' if display == 1 else 'floor'}")
    sim.skip()
    assert sim.play.state.round == 2
    sim.press("display.1")
    assert sim.refused("seat.1.line.1") == "wall_has_colour"


def test_ok_has_nothing_to_confirm_in_an_offer() -> None:
    assert dealt(DEAL).refused("ok") == "nothing_to_confirm"


REFUSED = ["display.6", "centre", "seat.2.line.1", "seat.1.line.2", "ok", "display.17", "nonsense"]


@pytest.mark.parametrize("button", REFUSED)
def test_a_refused_press_changes_only_the_refusal(button: str) -> None:
    sim = dealt(DEAL)
    before = sim.table
    assert sim.refused(button) is not None
    refusal = sim.table.refusal
    assert refusal is not None
    assert (refusal.button, refusal.shown, refusal.number) == (button, True, 1)
    assert replace(sim.table, refusal=None) == before


def test_a_refusal_is_shown_until_a_press_is_accepted() -> None:
    sim = dealt(DEAL)
    sim.press("ok")
    assert snapshot(sim.table, BOX)["refusal"] == {
        "say": "nothing_to_confirm",
        "button": "ok",
        "number": 1,
    }
    sim.wait(60)
    assert snapshot(sim.table, BOX)["refusal"] is not None
    sim.press("display.1")
    assert snapshot(sim.table, BOX)["refusal"] is None
    sim.press("ok")
    assert snapshot(sim.table, BOX)["refusal"]["number"] == 2


def test_presses_in_the_same_millisecond_all_count() -> None:
    sim = dealt(DEAL).press("display.1", "seat.1.line.2", "display.2", "seat.2.line.2", after=0.0)
    assert [text_of(move.draft) for move in sim.play.moves] == ["1b2", "2k2"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_turns_go_clockwise_and_the_player_with_the_marker_starts_the_next_round(players: int) -> None:
    sim = playing(players=players)
    order = []
    while sim.table.stage is Stage.OFFER:
        place = sim.table.acting_place
        order.append(place)
        source = next(b for b in live_buttons(sim.table) if b != "undo")
        sim.press(source, f"seat.{place}.floor")
    assert order == [at % players + 1 for at in range(len(order))]
    (taker,) = [move.seat for move in sim.play.moves if move.marker]
    assert sim.skip().table.acting_place == taker + 1


def test_every_button_is_accepted_or_refused_by_its_name_alone() -> None:
    """Each button is pressed once at the start of a turn."""
    accepted = [button for button in BUTTONS if dealt(DEAL).refused(button) is None]
    assert accepted == [*(f"display.{display}" for display in range(1, 6)), "undo"]
