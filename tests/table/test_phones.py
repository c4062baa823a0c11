"""What phones may press: what the table has no working switch for, or all where the maker says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.table.access import Equipment, may_report_tiles, pressable_by_phones, seats_by_pages
from device.table.buttons import all_buttons
from hardware.api import BUTTONS, PICO, button_part, reader_part

EVERYTHING = all_buttons(4, 9)
SOURCES = frozenset({*(f"display.{number}" for number in range(1, 10)), "centre", "ok", "undo"})

some_buttons = st.frozensets(st.sampled_from(EVERYTHING))


def test_a_table_for_four_has_36_buttons() -> None:
    assert len(EVERYTHING) == len(set(EVERYTHING)) == 36


def test_a_table_that_has_all_its_switches_is_pressed_at_the_table() -> None:
    assert pressable_by_phones(4, 9, Equipment()) == ()
    assert pressable_by_phones(4, 9, Equipment(frozenset(EVERYTHING))) == ()


def test_phones_stand_in_for_switches_that_the_table_lacks() -> None:
    allowed = pressable_by_phones(4, 9, Equipment(SOURCES))
    assert len(allowed) == 24
    assert {name.rpartition(".")[0] or name for name in allowed if "line" not in name} == {
        f"seat.{seat}" for seat in range(1, 5)
    }
    assert "ok" not in allowed


def test_phones_stand_in_for_a_switch_that_chatters() -> None:
    assert pressable_by_phones(2, 5, Equipment(), {button_part("undo")}) == ("undo",)


@pytest.mark.parametrize("fittings", [Equipment(), Equipment(on_pico=True)])
def test_phones_stand_in_for_all_switches_when_they_are_lost(fittings: Equipment) -> None:
    assert pressable_by_phones(4, 9, fittings, {BUTTONS}) == EVERYTHING
    assert pressable_by_phones(4, 9, fittings, {PICO}) == (EVERYTHING if fittings.on_pico else ())
    assert pressable_by_phones(4, 9, fittings, {reader_part("shared")}) == ()


@given(st.integers(2, 4), st.integers(5, 9), some_buttons, some_buttons)
def test_whatever_breaks_every_button_can_be_pressed_somewhere(
    places: int, displays: int, switches: frozenset[str], broken: frozenset[str]
) -> None:
    allowed = pressable_by_phones(places, displays, Equipment(switches), set(map(button_part, broken)))
    at_table = switches - broken
    assert set(allowed) | at_table >= set(all_buttons(places, displays))
    assert not set(allowed) & at_table
    assert set(allowed) <= set(all_buttons(places, displays))


def test_pages_have_the_seats_of_a_table_without_buttons_there() -> None:
    assert seats_by_pages(Equipment(SOURCES))
    assert not seats_by_pages(Equipment(SOURCES | {"seat.1.floor"}))
    assert not seats_by_pages(Equipment()), "unknown buttons are all there"


def test_phones_tell_tiles_where_no_reader_works() -> None:
    shared = Equipment(readers=frozenset({"shared"}))
    assert not may_report_tiles(shared)
    assert may_report_tiles(shared, {reader_part("shared")})
    assert may_report_tiles(Equipment())
    assert may_report_tiles(Equipment(readers=frozenset({"shared"}), phones_play=True))
    assert may_report_tiles(Equipment(readers=frozenset({"shared"}), on_pico=True), {PICO})


@given(some_buttons, some_buttons)
def test_the_maker_may_let_phones_press_everything(switches: frozenset[str], broken: frozenset[str]) -> None:
    fittings = Equipment(switches, phones_play=True)
    assert pressable_by_phones(4, 9, fittings, set(map(button_part, broken))) == EVERYTHING
