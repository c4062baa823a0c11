"""Before a game: seats, names, the mode, and the starting player (R3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights.palettes import BOX
from device.rules.game import Setup
from device.socket.snapshot import snapshot
from device.table.game import LONGEST_NAME
from device.table.prompts import prompt
from device.table.seating import menu
from device.table.state import GameOptions, NeededDraw, Stage, Table, needed_draw
from device.table.update import update
from hardware.api import ButtonPressed
from tests.table.simulator import LEVEL_BUTTONS, MODE_BUTTONS, WALL_BUTTONS, empty_table, playing

SEAT_BUTTONS = ["line.1", "line.2", "line.3", "line.4", "line.5", "floor"]


def chosen(table: Table) -> dict[str, str]:
    """Return the chosen value of each group of the menu."""
    return {item.group: item.value for item in menu(table) if item.chosen}


# --- Seats ---


@pytest.mark.parametrize("button", SEAT_BUTTONS)
def test_any_button_of_a_seat_takes_it(button: str) -> None:
    sim = empty_table().press(f"seat.3.{button}")
    assert sim.table.seats.taken == (3,)
    assert sim.table.stage is Stage.SEATING


def test_seats_are_taken_in_any_order() -> None:
    assert empty_table().press("seat.4.floor", "seat.1.line.2", "seat.2.line.5").table.seats.taken == (
        4,
        1,
        2,
    )


@pytest.mark.parametrize("button", ["line.5", "floor"])
def test_a_taken_seat_is_refused(button: str) -> None:
    """Lines 1 to 4 give it to an opponent, the fifth to a program, where the settings have one."""
    sim = empty_table().press("seat.2.floor")
    assert sim.refused(f"seat.2.{button}") == "seat_taken"
    assert sim.table.seats.taken == (2,)


def test_undo_frees_the_seat_taken_last() -> None:
    sim = empty_table().press("seat.4.floor", "seat.1.floor", "undo")
    assert sim.table.seats.taken == (4,)
    assert sim.press("undo").table.seats.taken == ()
    assert sim.refused("undo") == "nothing_to_undo"


def test_a_game_needs_a_player() -> None:
    sim = empty_table()
    assert sim.refused("ok") == "too_few_seats"
    assert prompt(sim.table).key == "take_seat"
    assert prompt(sim.press("seat.1.floor").table).key == "seats_ready"


def test_one_player_needs_a_second_board_for_solo() -> None:
    assert empty_table(places=1).press("seat.1.floor").refused("ok") == "too_few_seats"
    assert empty_table(places=2).press("seat.1.floor").refused("ok") is None


@pytest.mark.parametrize(("players", "displays"), [(1, 5), (2, 5), (3, 7), (4, 9)])
def test_a_game_needs_its_displays(players: int, displays: int) -> None:
    """R1: with one display too few there is no game, and with just enough there is."""
    seats = [f"seat.{place}.floor" for place in range(1, players + 1)]
    scarce = empty_table(displays=displays - 1).press(*seats)
    assert scarce.refused("ok") == "not_enough_displays"
    assert scarce.table.stage is Stage.SEATING
    assert empty_table(displays=displays).press(*seats, "ok").table.stage is Stage.CHOOSING


@pytest.mark.parametrize("button", ["display.1", "centre"])
def test_sources_are_refused_while_people_take_seats(button: str) -> None:
    assert empty_table().press("seat.1.floor").refused(button) == "not_now"


@pytest.mark.parametrize(
    "button",
    ["seat.3.floor", "seat.5.line.1", "seat.1.line.6", "display.6", "display.10", "display.0", "", "OK"],
)
def test_a_button_that_the_table_does_not_have_is_unknown(button: str) -> None:
    assert empty_table(places=2, displays=5).refused(button) == "unknown_button"


# --- Names ---


def test_a_name_is_normalized() -> None:
    sim = empty_table().name(2, "  Ana   Lúcia ")
    assert sim.table.seats.names == ("", "Ana Lúcia", "", "")
    assert sim.name(2, "").table.seats.names[1] == ""


def test_a_name_may_have_twenty_characters_and_no_more() -> None:
    sim = empty_table().name(1, "x" * LONGEST_NAME)
    assert sim.table.seats.names[0] == "x" * LONGEST_NAME
    sim.name(1, "x" * (LONGEST_NAME + 1))
    assert sim.table.seats.names[0] == "x" * LONGEST_NAME
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "name_too_long"


@pytest.mark.parametrize("name", ["\x1b[2J", "A\x00na", "A\u202ena", "A\u200bna", "\ud800"])
def test_control_characters_are_refused_in_a_name(name: str) -> None:
    sim = empty_table().name(1, "Ana").name(1, name)
    assert sim.table.seats.names[0] == "Ana"
    assert sim.refusals == 1


def test_a_line_feed_in_a_name_is_a_space() -> None:
    assert empty_table().name(1, "Ana\nRui").table.seats.names[0] == "Ana Rui"


@pytest.mark.parametrize("place", [0, -1, 5, 9, 10, 2**70])
def test_a_name_for_an_unknown_seat_is_refused(place: int) -> None:
    """A name for seat 5 to 9 once stopped the table: the flash looked for lights of that seat."""
    sim = empty_table().name(place, "Ana")
    assert sim.table.seats.names == ("",) * 4
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "seat_empty"
    assert sim.frame.colour("status") != (0, 0, 0)


def test_a_name_is_refused_during_a_game() -> None:
    """A game keeps the names that it began with."""
    sim = playing().name(1, "Zoe")
    assert sim.table.seats.names[0] == "Ana"
    assert sim.play.setup.players == ("Ana", "Rui")
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "not_now"


def test_a_freed_seat_has_no_name() -> None:
    """The name once stayed with the seat, and the next player there had it in the records."""
    sim = empty_table().press("seat.2.floor", "seat.1.floor").name(1, "Ana").name(2, "Rui")
    assert sim.press("undo").table.seats.names == ("", "Rui", "", "")
    assert sim.press("seat.1.line.3").table.seats.name_at(1) is None


def test_after_a_game_names_stay_until_a_seat_is_freed() -> None:
    sim = playing(players=3).press("undo").press("ok", after=1.0)
    assert sim.table.stage is Stage.CHOOSING
    assert sim.press("undo").table.seats.names == ("Ana", "Rui", "Eva", "")
    assert sim.press("undo", "seat.3.floor").table.seats.names == ("Ana", "Rui", "", "")


def test_a_seat_given_to_an_opponent_by_mistake_keeps_its_players_name() -> None:
    sim = empty_table().press("seat.1.floor").name(1, "Ana")
    for back in ("undo", "seat.1.floor"):
        assert sim.press("seat.1.line.1").table.seats.name_at(1) == "Calm"
        assert sim.press(back).table.seats.name_at(1) == "Ana"


def test_after_an_opponents_game_its_seat_has_no_name() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor").name(1, "Ana").name(2, "Rui")
    sim.press("seat.1.line.1", "ok", "seat.2.floor")
    assert sim.play.setup.players == ("Calm", "Rui")
    sim.press("undo").press("ok", "undo", "seat.1.floor", after=1.0)
    assert not sim.table.seats.bot_at(1)
    assert [sim.table.seats.name_at(place) for place in (1, 2)] == [None, "Rui"]


def test_a_player_without_a_name_is_called_by_the_seat() -> None:
    sim = empty_table().name(4, "Tom").press("seat.4.floor", "seat.2.floor", "ok", "seat.4.floor")
    assert sim.play.setup.players == ("Seat 2", "Tom")
    assert [seat["name"] for seat in snapshot(sim.table, BOX)["seats"]] == [None, None, None, "Tom"]


# --- The mode ---


@pytest.mark.parametrize(
    ("players", "modes"),
    [(2, ["standard", "gray", "dtc"]), (3, ["standard", "gray"]), (4, ["standard", "gray"])],
)
def test_the_displays_offer_the_modes_for_so_many_players(players: int, modes: list[str]) -> None:
    sim = empty_table().press(*[f"seat.{place}.floor" for place in range(1, players + 1)], "ok")
    offered = {item.value: item.button for item in menu(sim.table) if item.group == "mode"}
    assert offered == {mode: MODE_BUTTONS[mode] for mode in modes}
    for mode in modes:
        assert sim.press(offered[mode]).table.next_game.options.mode == mode
        assert chosen(sim.table) == {"mode": mode, "hints": "on"}
    assert sim.refused(f"display.{len(modes) + 1}") == "no_such_mode"


def test_for_one_player_the_displays_offer_the_level_and_the_wall() -> None:
    sim = empty_table().press("seat.1.floor", "ok")
    assert chosen(sim.table) == {"level": "easy", "wall": "coloured", "hints": "on"}
    for level, button in LEVEL_BUTTONS.items():
        assert chosen(sim.press(button).table)["level"] == level
    for wall, button in WALL_BUTTONS.items():
        assert chosen(sim.press(button).table) == {"level": "expert", "wall": wall, "hints": "on"}
    assert sim.refused("display.6") == "no_such_mode"
    assert prompt(sim.table).key == "solo_start"


@pytest.mark.parametrize(("players", "button"), [(1, "centre"), (2, "display.5"), (4, "display.5")])
def test_a_button_switches_hints(players: int, button: str) -> None:
    seats = [f"seat.{place}.floor" for place in range(1, players + 1)]
    sim = empty_table().press(*seats, "ok")
    assert sim.table.next_game.options.hints
    light = "centre.1" if button == "centre" else "display.5.1"
    assert sim.rhythm(light) == "fast"
    assert not sim.press(button).table.next_game.options.hints
    assert sim.rhythm(light) == "slow"
    assert sim.press(button).table.next_game.options.hints
    assert sim.table.stage is Stage.CHOOSING


def test_a_mode_that_the_next_players_can_not_play_is_not_kept() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok", MODE_BUTTONS["dtc"], "undo")
    assert sim.table.stage is Stage.SEATING
    assert sim.press("seat.3.floor", "ok").table.next_game.options.mode == "standard"


def test_a_mode_chosen_before_is_kept() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok", MODE_BUTTONS["gray"], "undo")
    assert sim.press("seat.3.floor", "ok").table.next_game.options.mode == "gray"


# --- The starting player (R3) ---


@pytest.mark.parametrize("button", SEAT_BUTTONS)
def test_any_button_of_a_seat_starts_the_game_with_that_player(button: str) -> None:
    sim = empty_table().press("seat.2.floor", "seat.4.floor", "seat.1.floor", "ok", f"seat.4.{button}")
    assert sim.play.places == (1, 2, 4)
    assert sim.play.setup == Setup("standard", ("Seat 1", "Seat 2", "Seat 4"), 2)
    assert sim.table.acting_place == 4


def test_an_empty_seat_can_not_start() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok")
    assert sim.refused("seat.3.line.1") == "seat_empty"
    assert sim.table.stage is Stage.CHOOSING


@pytest.mark.parametrize("first", [2, 3])
def test_the_centre_draws_the_starting_player(first: int) -> None:
    sim = empty_table()
    sim.first = first
    sim.press("seat.3.floor", "seat.2.floor", "ok")
    assert needed_draw(sim.table) is None, "the table never chooses by itself who starts"
    sim.press("centre")
    assert sim.table.acting_place == first


def test_the_starting_player_is_drawn_only_on_request() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok")
    asked = replace(sim.table, next_game=replace(sim.table.next_game, drawing_first=True))
    assert needed_draw(asked) is NeededDraw.FIRST
    assert needed_draw(sim.table) is None


def test_undo_cancels_the_draw_of_the_starting_player() -> None:
    """The game once began while people took seats."""
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok")
    asked = replace(sim.table, next_game=replace(sim.table.next_game, drawing_first=True))
    undone = update(asked, ButtonPressed("undo", sim.now))
    assert undone.stage is Stage.SEATING
    assert needed_draw(undone) is None


def test_players_draft_clockwise_from_the_first() -> None:
    sim = empty_table().press("seat.1.floor", "seat.3.floor", "seat.4.floor", "ok", "seat.3.floor")
    order = []
    for display in range(1, 5):
        place = sim.table.acting_place
        order.append(place)
        sim.press(f"display.{display}", f"seat.{place}.floor")
    assert order == [3, 4, 1, 3]


def test_a_solo_player_moves_to_the_first_seat_with_the_name() -> None:
    sim = empty_table().name(1, "Rui").name(3, "Ana").press("seat.3.floor", "ok", "seat.3.floor")
    assert sim.play.setup == Setup("solo", ("Ana",), 0, "easy", "coloured")
    assert sim.play.places == (1, 2)
    assert sim.table.seats.taken == (1,)
    assert sim.table.seats.names == ("Ana", "", "", "")


def test_ok_starts_no_game() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok")
    assert sim.refused("ok") == "nothing_to_confirm"


# --- Lights ---


def test_free_seats_pulse_and_taken_ones_are_steady() -> None:
    sim = empty_table().press("seat.2.floor")
    assert [sim.rhythm(f"seat.{place}.turn") for place in range(1, 5)] == ["slow", "steady", "slow", "slow"]


def test_the_chosen_mode_pulses_fast_and_the_others_slowly() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok", "display.2")
    displays = [sim.rhythm(f"display.{display}.1") for display in range(1, 5)]
    assert displays == ["slow", "fast", "slow", "dark"]
    assert sim.rhythm("centre.1") == "slow"
    assert [sim.rhythm(f"seat.{place}.turn") for place in range(1, 4)] == ["slow", "slow", "dark"]


def test_the_status_light_pulses_while_ok_would_do_something() -> None:
    sim = empty_table()
    assert sim.rhythm("status") == "steady"
    assert sim.press("seat.1.floor").rhythm("status") == "slow"


def test_the_standard_game_is_the_default() -> None:
    assert GameOptions().mode == "standard"
