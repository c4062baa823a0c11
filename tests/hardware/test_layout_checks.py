"""Faults of layout files: each is reported with its path and a remedy, all of them at once."""

from __future__ import annotations

import errno
import os
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardware.api import LayoutError
from hardware.layout.model import DRIVERS, Chain, Drivers, Layout, Reader, read_layout

from .conftest import SHIPPED, Change, Faults, changed


def only(found: list[str], *parts: str) -> None:
    """Assert that there is one fault with these texts in it."""
    assert len(found) == 1, found
    for part in parts:
        assert part in found[0]


def without(name: str, head: str) -> Change:
    """Return the change that removes a table from a shipped layout."""
    text = (SHIPPED / f"{name}.toml").read_text("utf-8")
    start = text.index(f"\n{head}")
    end = text.find("\n[", start + 1)
    return ("", text[start : end if end >= 0 else len(text)], "\n")


# --- Unreadable files ---


def the_message(path: str | Path) -> str:
    with pytest.raises(LayoutError) as raised:
        read_layout(str(path))
    assert len(raised.value.faults) == 1
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("name", ["fool", "", "Full", "full ", "x" * 5000, "fu\0ll", "füll"])
def test_an_unknown_name_is_an_error_with_the_known_names(name: str) -> None:
    sentence = the_message(name)
    assert "duo" in sentence and "full" in sentence


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    assert "there is no such file" in the_message(tmp_path / "none.toml")


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    assert "is a folder" in the_message(tmp_path)


def test_a_device_is_an_error() -> None:
    assert "there is no such file" in the_message("/dev/zero")


def test_a_too_long_path_is_an_error(tmp_path: Path) -> None:
    assert "can't be read" in the_message(tmp_path / ("x" * 5000) / "a.toml")


def test_a_file_without_permission_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is simulated, because root, as whom tests may run, has every permission."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    path = tmp_path / "closed.toml"
    path.write_text("")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "can't be read" in the_message(path)


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('title = "Für zwei"'.encode("latin-1"))
    assert "byte 10 is not UTF-8" in the_message(path)


@pytest.mark.parametrize(
    "text",
    [
        "seats = ",
        "seats = 2\nseats = 2",
        "a = " + "[" * 5000,
        "a = " + "9" * 5000,
        "[seat.1]\n[seat.1]",
        "\0",
    ],
)
def test_invalid_toml_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(text, "utf-8")
    assert str(path) in the_message(path)


def test_a_too_large_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_text("#" * 1_000_001)
    assert "larger than any layout" in the_message(path)


def test_an_empty_file_has_a_fault_for_everything_missing(tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.write_text("")
    with pytest.raises(LayoutError) as raised:
        read_layout(str(path))
    named = {fault.removeprefix(f"{path}: ").split(":")[0] for fault in raised.value.faults}
    assert named == {
        *("title", "controller", "seats", "table", "supply", "chain", "display_plate"),
        *("centre", "status", "ok", "undo"),
    }


# --- Wrong values ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (
            ("[table]", "width = 1000", 'width = "wide"'),
            ("table.width: 'wide' is not a valid size", "number"),
        ),
        (("[table]", "width = 1000", "width = true"), ("table.width: true is not a valid size",)),
        (("[table]", "width = 1000", "width = -5"), ("table.width: -5 is not a valid size",)),
        (("[table]", "width = 1000", "width = nan"), ("table.width: nan is not a valid size",)),
        (("[table]", "width = 1000", "width = inf"), ("table.width: inf is not a valid size",)),
        (("[seat.2]", "x = 154", "x = -nan"), ("seat.2.x: nan is not a valid position",)),
        (("[seat.2]", "x = 154", "x = 1e300"), ("seat.2.x: 1e+300 is not a valid position",)),
        (("[seat.2]", "turn = 90", "turn = 720"), ("seat.2.turn: 720 is not a valid turn", "degrees")),
        (("[seat.2]", "first = 0", "first = -1"), ("seat.2.first: -1 is not a valid pixel",)),
        (("[seat.2]", "first = 0", "first = 0.5"), ("seat.2.first: 0.5 is not a valid pixel",)),
        (("[seat.2]", "reader = 26", "reader = [1, 2]"), ("seat.2.reader: [1, 2] is not a valid pin",)),
        (("[seat.2]", "[2, 5]]", "[2, 5, 1]]"), ("seat.2.line_buttons:", "five")),
        (("[seat.2]", ", [2, 5]]", "]"), ("seat.2.line_buttons:", "five")),
        (
            ("[display.3]", "button = [5, 3]", 'button = "GP3"'),
            ("display.3.button: 'GP3' is not a valid place for",),
        ),
        (("[display_plate]", "[14, -31]", "[14, nan]"), ("display_plate.lights:", "four points")),
        (("[centre]", "radius = 42", "radius = 0"), ("centre.rings[1].radius: 0 is not a valid size",)),
        (("[centre]", "lights = 18", "lights = 999999999999"), ("centre.rings[2].lights:", "1 to 100")),
        (
            ("[seat_board.wall]", "zigzag = true", 'zigzag = "yes"'),
            ("seat_board.wall.zigzag:", "true or false"),
        ),
        (("[seat_board.wall]", '"bottom right"', '"below"'), ("seat_board.wall.start:", '"top left"')),
        (("[seat_board.floor]", '"left"', '"top left"'), ("seat_board.floor.start:", '"left" or "right"')),
        (("", 'controller = "pico"', 'controller = "arduino"'), ("controller:", '"pi" or "pico"')),
        (("", "seats = 4", "seats = 5"), ("seats: 5 is not a valid number of seats", "2, 3 or 4")),
        (("", 'title = "Four seats, nine displays"', "title = 1979-05-27"), ("title:", "text in quotes")),
        (("", 'title = "Four seats, nine displays"', 'title = ""'), ("title:", "text in quotes")),
        (("[supply]", "volts = 5", "volts = 0"), ("supply.volts: 0 is not a valid voltage",)),
        (("[supply]", "volts = 5", "volts = nan"), ("supply.volts: nan is not a valid voltage",)),
        (("[supply]", "amperes = 10 ", "amperes = -10 "), ("supply.amperes: -10 is not a valid current",)),
        (("[supply]", "amperes = 10 ", "amperes = nan "), ("supply.amperes: nan is not a valid current",)),
        (("[supply]", "amperes = 10 ", "amperes = inf "), ("supply.amperes: inf is not a valid current",)),
        (
            ("[supply]", "channel_milliamperes = 20", "channel_milliamperes = 0"),
            ("supply.channel_milliamperes",),
        ),
        (
            ("[table]", "width = 1000", "width = 1000\ncolour = 1"),
            ("table.colour: is not a known key", "width"),
        ),
        (("[table]", "width = 1000", "width = 1000\nheigth = 1"), ("table.heigth:", "is height meant?")),
        (("[table]", "width = 1000", 'width = 1000\n"a\\nb" = 1'), ("table.'a\\nb': is not a known key",)),
        (("[shared]", "reader = 1", "pin = 1"), ("shared.pin: is not a known key",)),
        (("[seat_board.wall]", "left = 48\n", ""), ("seat_board.wall.left: is missing", "add left")),
    ],
)
def test_a_wrong_value_is_a_fault_with_its_path(
    faults: Faults, change: Change, parts: tuple[str, ...]
) -> None:
    found = faults("full", change)
    for part in parts:
        assert part in found[0]


def test_values_instead_of_tables_are_faults(faults: Faults) -> None:
    found = faults(
        "duo", ("", without("duo", "[status]")[1], "\n"), ("", "seats = 2", "seats = 2\nstatus = 1")
    )
    only(found, "status: 1 is not a table; write it as [status] with its keys below")
    found = faults("duo", without("duo", "[chain]"), ("", "seats = 2", "seats = 2\nchain = 1"))
    assert found[0].startswith("chain: 1 is not a table; write tables [chain.NAME]")
    found = faults("duo", ("[centre]", "rings = [", "rings = 3 # ["))
    only(found, "centre.rings: 3 is not a list with entries")
    found = faults("duo", ("[centre]", "rings = [", "rings = [] # ["))
    only(found, "centre.rings: [] is not a list with entries")


def test_faults_of_all_kinds_are_found_together(faults: Faults) -> None:
    found = faults(
        "full",
        ("[table]", "width = 1000", "width = 1000\ncolour = 1"),
        ("[seat.2]", "turn = 90", 'turn = "left"'),
        ("[seat.3]", "reader = 27", "reader = 5"),
        ("[seat.4]", "reader = 28", "reader = 24"),
        ("[chain]", "pixels = 66", "pixels = 65"),
        ("[display.3]", "button = [5, 3]", "button = [5, 4]"),
        ("[display.2]", "first = 4", "first = 3"),
        ("[display.7]", "x = ", "x = 1"),
        ("[centre]", "lights = 18", "lights = 17"),
        ("[supply]", "amperes = 10 ", "amperes = 0.2 "),
        ("[seat_board.wall]", "pitch = 30", "pitch = 21"),
    )
    assert {fault.split(": ")[0] for fault in found} == {
        "table.colour",  # an unknown key
        "seat.2.turn",  # not a number
        "centre.rings",  # too few lights
        "display.2.first",  # a pixel of display 1
        "status.first",  # beyond the end of the chain
        "seat.3.reader",  # the pin of seat 1
        "seat.4.reader",  # a pin that the Pico does not have
        "display.4.button",  # the crossing of display 3
        "supply.amperes",  # not enough for dark lights
        "seat_board",  # overlapping lights
        "display.7",  # outside of the table
    }


# --- Seats and displays ---


def test_a_display_without_a_button_is_a_fault(faults: Faults) -> None:
    only(faults("full", ("[display.3]", "button = [5, 3]\n", "")), "display.3.button: is missing", "pin")


def test_a_seat_without_its_floor_button_is_a_fault(faults: Faults) -> None:
    only(faults("duo", ("[seat.2]", "floor_button = 20\n", "")), "seat.2.floor_button: is missing")


def test_a_missing_seat_is_a_fault(faults: Faults) -> None:
    found = faults("full", without("full", "[seat.3]"))
    assert found[0].startswith("seat.3: is missing (a table for 4 needs 4 seats and 9 displays)")
    assert found[1:] == [
        "chain.seat3: there is no light at pixels 0 to 67; close the gap, or shorten the chain"
    ]


def test_seats_without_a_board_are_a_fault(faults: Faults) -> None:
    text = (SHIPPED / "duo.toml").read_text("utf-8")
    start, end = text.index("\n[seat_board]"), text.index("\n[seat.1]")
    found = faults("duo", ("", text[start:end], "\n"))
    assert found[0].startswith("seat_board: is missing")


def test_a_board_without_seats_is_a_fault(faults: Faults) -> None:
    found = faults("duo", without("duo", "[seat.1]"), without("duo", "[seat.2]"))
    assert [fault.split(":")[0] for fault in found if "is missing" in fault] == ["seat.1", "seat.2"]


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        (
            "indicators",
            ("[display_plate]", "[[0, -16]]", "[[-12, -16], [12, -16]]"),
            ("display_plate.lights: 2 points are neither", "write four points, or one"),
        ),
        (
            "indicators",
            ("[display_plate]", "light_size = 20", "light_size = 20\nfifth = [0, 0]\nfifth_size = 9"),
            ("display_plate.fifth: is not for displays with a single light",),
        ),
        ("duo", ("[display_plate]", "fifth_size = 14\n", ""), ("display_plate.fifth_size: is missing",)),
        (
            "indicators",
            ("[centre]", "lights = 1,", "lights = 2,"),
            ("centre.rings: 2 lights are too few", "or a single one"),
        ),
    ],
)
def test_a_source_has_a_light_for_each_tile_or_a_single_one(
    faults: Faults, name: str, change: Change, parts: tuple[str, ...]
) -> None:
    found = faults(name, change)
    for part in parts:
        assert part in found[0]


def test_a_surplus_seat_is_a_fault(faults: Faults) -> None:
    found = faults("full", ("", "seats = 4", "seats = 3"))
    only(found, "seat.4: there is no such seat", "1 to 3")


def test_a_seat_with_a_name_instead_of_a_number_is_a_fault(faults: Faults) -> None:
    found = faults("duo", ("[seat.2]", "[seat.2]", "[seat.north]"))
    assert any(fault.startswith("seat.north: there is no such seat") for fault in found)
    assert any(fault.startswith("seat.2: is missing") for fault in found)


@pytest.mark.parametrize(("seats", "displays", "centre"), [(3, 7, 22), (4, 9, 28)])
def test_too_few_displays_and_lights_of_the_centre_are_faults(
    faults: Faults, seats: int, displays: int, centre: int
) -> None:
    found = faults("duo", ("", "seats = 2", f"seats = {seats}"))
    for display in range(6, displays + 1):
        assert any(fault.startswith(f"display.{display}: is missing") for fault in found)
    assert not any(fault.startswith(f"display.{displays + 1}") for fault in found)
    assert any(
        fault.startswith("centre.rings: 16 lights") and f"{centre} or more" in fault for fault in found
    )


def test_a_centre_with_one_light_too_few_is_a_fault(faults: Faults) -> None:
    found = faults("duo", ("[centre]", "lights = 10", "lights = 9"))
    assert found[0].startswith("centre.rings: 15 lights are too few: 15 tiles of 5 displays and the marker")
    assert found[1].startswith("chain.lights: there is no light at pixel 104;")


def test_a_gap_in_the_displays_is_a_fault(faults: Faults) -> None:
    found = faults("full", without("full", "[display.4]"))
    assert found[0].startswith("display.4: is missing")


def test_a_tenth_display_is_a_fault(faults: Faults) -> None:
    found = faults("full", ("[display.9]", "[display.9]", "[display.10]"))
    assert any(fault.startswith("display.10: there is no such display") for fault in found)
    assert any(fault.startswith("display.9: is missing") for fault in found)


@pytest.mark.parametrize("head", ["[centre]", "[status]", "[ok]", "[undo]", "[supply]", "[display_plate]"])
def test_a_missing_table_is_a_fault(faults: Faults, head: str) -> None:
    found = faults("full", without("full", head))
    assert any(fault.startswith(f"{head[1:-1]}: is missing; add the table {head}") for fault in found)


# --- Pixels ---


def test_overlapping_pixels_are_a_fault(faults: Faults) -> None:
    found = faults("full", ("[display.2]", "first = 4", "first = 2"))
    assert found[0].startswith("display.2.first: overlaps display.1.first at pixels 2 to 3 of chain.middle")
    assert found[1].startswith("chain.middle: there is no light at pixels 6 to 7")
    assert len(found) == 2


def test_two_seats_on_the_same_pixels_are_a_fault(faults: Faults) -> None:
    found = faults("full", ("[seat.2]", 'chain = "seat2"', 'chain = "seat1"'))
    assert found[0].startswith("seat.2.first: overlaps seat.1.first at pixels 0 to 67 of chain.seat1")
    assert found[1].startswith("chain.seat2: there is no light at pixels 0 to 67")


def test_every_overlap_with_a_long_run_is_a_fault(faults: Faults) -> None:
    found = faults(
        "duo", ("[display.1]", "first = 68", "first = 10"), ("[display.2]", "first = 72", "first = 20")
    )
    assert found[0].startswith("display.1.first: overlaps seat.1.first at pixels 10 to 13")
    assert found[1].startswith("display.2.first: overlaps seat.1.first at pixels 20 to 23")


def test_pixels_beyond_the_end_of_a_chain_are_a_fault(faults: Faults) -> None:
    only(
        faults("duo", ("[chain]", "174", "173")),
        "seat.2.first: extends to pixel 173, but chain.lights has only 173 pixels",
    )


def test_pixels_without_a_light_are_a_fault(faults: Faults) -> None:
    only(faults("duo", ("[chain]", "174", "176")), "chain.lights: there is no light at pixels 174 to 175")


def test_an_unknown_chain_is_a_fault(faults: Faults) -> None:
    found = faults("duo", ("[status]", 'chain = "lights"', 'chain = "lihgts"'))
    assert found[0].startswith("status.chain: there is no chain 'lihgts'; write one of lights")


def test_a_missing_chain_is_a_fault(faults: Faults) -> None:
    found = faults("duo", ("[chain]", "lights = { pin = 10, pixels = 174 }", ""))
    assert any(fault.startswith("seat.1.chain: there is no chain 'lights'") for fault in found)


def test_overlaps_and_gaps_on_a_board_are_faults(faults: Faults) -> None:
    found = faults("full", ("[seat_board.floor]", "first = 36", "first = 35"))
    assert found[0].startswith(
        "seat_board.floor.first: overlaps seat_board.lines.first at pixel 35 of seat_board"
    )
    assert found[1].startswith("seat_board: there is no light at pixel 42")
    assert len(found) == 2


# --- Pins ---


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("[ok]", "button = 12", "button = 28"), ("ok.button: a Raspberry Pi has no GPIO28",)),
        (("[ok]", "button = 12", "button = 0"), ("ok.button: GPIO0 is kept for the EEPROM", "GPIO21")),
        (("[ok]", "button = 12", "button = 1"), ("ok.button: GPIO1 is kept for the EEPROM",)),
        (("[ok]", "button = 12", "button = 16"), ("undo.button: GPIO16 is already used by ok.button",)),
        (("[ok]", "button = 12", "button = 10"), ("ok.button: GPIO10 is already used by chain.lights.pin",)),
        (("[ok]", "button = 12", "button = 9"), ("ok.button: GPIO9", "SPI bus of GPIO10")),
        (("[ok]", "button = 12", "button = 11"), ("ok.button: GPIO11", "SPI bus of GPIO10")),
        (("[ok]", "button = 12", "button = 14"), ("ok.button: GPIO14", "serial port of GPIO15")),
        (("[ok]", "button = 12", "button = 15"), ("ok.button: GPIO15", "shared.reader")),
        (("[shared]", "reader = 15", "reader = 21"), ("shared.reader: GPIO21 can't receive", "GPIO15")),
        (("[chain]", "pin = 10", "pin = 40"), ("chain.lights.pin: a Raspberry Pi has no GPIO40",)),
        (("[seat.1]", "floor_button = 22", "floor_button = [1, 1]"), ("matrix: is missing, but 1 buttons",)),
        (("[seat.1]", "3, 4, 17", "3, 3, 17"), ("seat.1.line_buttons[3]: GPIO3 is already used",)),
        (("[centre]", "button = 7", "button = 7\nreader = 15"), ("shared.reader: GPIO15", "centre.reader")),
    ],
)
def test_unusable_pins_of_the_pi_are_faults(faults: Faults, change: Change, parts: tuple[str, ...]) -> None:
    only(faults("duo", change), *parts)


def test_every_other_use_of_a_pin_names_the_first_one(faults: Faults) -> None:
    found = faults("duo", ("[centre]", "button = 7", "button = 16"), ("[ok]", "button = 12", "button = 16"))
    assert [fault.split(";")[0] for fault in found] == [
        "ok.button: GPIO16 is already used by centre.button",
        "undo.button: GPIO16 is already used by centre.button",
    ]


def test_serial_pins_are_free_without_a_reader(faults: Faults) -> None:
    assert faults("duo", without("duo", "[shared]"), ("[ok]", "button = 12", "button = 14")) == []


def test_spi_pins_are_free_when_the_data_line_is_on_another_pin(faults: Faults) -> None:
    change = ("[chain]", "pin = 10", "pin = 21")
    assert faults("duo", change, ("[ok]", "button = 12", "button = 9")) == []


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (
            ("[shared]", "reader = 1", "reader = 23"),
            ("shared.reader: a Raspberry Pi Pico has no GP23", "GP0"),
        ),
        (("[shared]", "reader = 1", "reader = 5"), ("shared.reader: GP5 is already used by seat.1.reader",)),
        (("[chain]", "pin = 19", "pin = 18"), ("chain.seat2.pin: GP18 is already used by chain.seat1.pin",)),
        (("[chain]", "pin = 19", "pin = 6"), ("matrix.rows[1]: GP6 is already used by chain.seat2.pin",)),
        (("[matrix]", "rows = [6,", "rows = [12,"), ("matrix.columns[1]: GP12", "matrix.rows[1]")),
        (("[ok]", "button = [6, 5]", "button = [6, 4]"), ("ok.button: the crossing [6, 4]", "centre.button")),
        (("[ok]", "button = [6, 5]", "button = [6, 4]"), ("spare: [6, 5]",)),
        (("[ok]", "button = [6, 5]", "button = [7, 1]"), ("ok.button: the matrix has no crossing [7, 1]",)),
        (("[ok]", "button = [6, 5]", "button = [0, 1]"), ("ok.button: the matrix has no crossing [0, 1]",)),
        (("[matrix]", "columns", "collumns"), ("matrix.collumns: is not a known key",)),
    ],
)
def test_unusable_pins_of_the_pico_are_faults(faults: Faults, change: Change, parts: tuple[str, ...]) -> None:
    found = faults("full", change)
    for part in parts:
        assert part in found[0]
    assert len(found) == (2 if "collumns" in change[2] else 1)


def test_a_button_of_the_pico_may_have_a_pin_of_its_own(faults: Faults) -> None:
    assert faults("full", ("[ok]", "button = [6, 5]", "button = 0")) == []


def test_a_missing_matrix_is_one_fault_for_all_crossings(faults: Faults) -> None:
    only(
        faults("full", without("full", "[matrix]")), "matrix: is missing, but 36 buttons are on its crossings"
    )


# --- Drivers ---


def written(tmp_path: Path, name: str, *changes: tuple[str, str, str]) -> Layout:
    text = (SHIPPED / f"{name}.toml").read_text("utf-8")
    for change in changes:
        text = changed(text, *change)
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    return read_layout(str(tmp_path / "mine.toml"))


def test_the_layouts_that_ship_have_the_default_drivers(full: Layout, duo: Layout) -> None:
    assert full.drivers == DRIVERS["pico"]
    assert duo.drivers == DRIVERS["pi"] == Drivers("neopixel", "gpio", "rdm6300")


@pytest.mark.parametrize("name", ["full", "duo"])
def test_a_layout_without_drivers_has_those_of_its_controller(tmp_path: Path, name: str) -> None:
    text = (SHIPPED / f"{name}.toml").read_text("utf-8")
    start = text.index("[drivers]")
    end = text.index("\n[", start + 1)
    (tmp_path / "mine.toml").write_text(text[:start] + text[end:], "utf-8")
    layout = read_layout(str(tmp_path / "mine.toml"))
    assert layout.drivers == DRIVERS[layout.controller]


def test_the_defaults_of_a_chain(duo: Layout) -> None:
    assert duo.chains == (Chain("lights", 10, 174, "GRB", 1.0, 2.2),)


def test_drivers_chains_and_ports_can_be_set(tmp_path: Path) -> None:
    layout = written(
        tmp_path,
        "duo",
        ("[drivers]", 'lights = "neopixel"', 'lights = "pio"'),
        ("[drivers]", 'readers = "rdm6300"', 'readers = "pn532"'),
        ("[chain]", "pixels = 174", 'pixels = 174, order = "RGB", brightness = 0.5, gamma = 1'),
        ("[shared]", "reader = 15", 'reader = "/dev/ttyUSB0"'),
    )
    assert layout.drivers == Drivers("pio", "gpio", "pn532")
    assert layout.chains == (Chain("lights", 10, 174, "RGB", 0.5, 1.0),)
    assert layout.readers == (Reader("shared", "/dev/ttyUSB0"),)


def test_with_pio_the_pins_of_the_spi_bus_are_free(tmp_path: Path) -> None:
    pin_9 = ("[ok]", "button = 12", "button = 9")
    written(tmp_path, "duo", ("[drivers]", 'lights = "neopixel"', 'lights = "pio"'), pin_9)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (
            "duo",
            ("[drivers]", '"neopixel"', '"leds"'),
            ("drivers.lights: 'leds' is not a valid driver of lights", '"spi"'),
        ),
        (
            "duo",
            ("[drivers]", '"neopixel"', '"pico"'),
            ("drivers.lights: a pi has no driver 'pico'", '"spi"'),
        ),
        ("duo", ("[drivers]", '"gpio"', '"pico"'), ("drivers.buttons: a pi has no driver 'pico'", '"gpio"')),
        (
            "duo",
            ("[drivers]", '"rdm6300"', '"rc522"'),
            ("drivers.readers: 'rc522' is not a valid driver", '"pn532"'),
        ),
        (
            "full",
            ("[drivers]", 'lights = "pico"', 'lights = "spi"'),
            ("drivers.lights: a pico has no driver",),
        ),
        (
            "duo",
            ("[drivers]", "lights =", "light ="),
            ("drivers.light: is not a known key; is lights meant?",),
        ),
        (
            "duo",
            ("[drivers]", '"neopixel"', '"pwm"'),
            ("chain.lights.pin: GPIO10 can't send by pwm", "GPIO18"),
        ),
        ("duo", ("[chain]", "pin = 10", 'order = "GRWB", pin = 10'), ("chain.lights.order: 'GRWB' is not",)),
        ("duo", ("[chain]", "pin = 10", "brightness = 0, pin = 10"), ("chain.lights.brightness: 0 is not",)),
        (
            "duo",
            ("[chain]", "pin = 10", "brightness = nan, pin = 10"),
            ("chain.lights.brightness: nan is not",),
        ),
        (
            "duo",
            ("[chain]", "pin = 10", "gamma = 0.5, pin = 10"),
            ("chain.lights.gamma: 0.5 is not a valid gamma",),
        ),
        (
            "duo",
            ("[shared]", "reader = 15", 'reader = "USB0"'),
            ("shared.reader: 'USB0' is not a port", "/dev/"),
        ),
        (
            "duo",
            ("[shared]", "reader = 15", "reader = true"),
            ("shared.reader: true is not a valid pin or port",),
        ),
        ("full", ("[shared]", "reader = 1", 'reader = "/dev/ttyUSB0"'), ("a Pico has no such port",)),
        (
            "duo",
            ("[ok]", "button = 12", "button = [1, 1]\n[matrix]\nrows = [12]\ncolumns = [21]"),
            ("ok.button: a Raspberry Pi can't scan a matrix of buttons",),
        ),
    ],
)
def test_unusable_drivers_are_faults(
    faults: Faults, name: str, change: tuple[str, str, str], words: tuple[str, ...]
) -> None:
    (fault,) = faults(name, change)
    for word in words:
        assert word in fault


def test_two_readers_on_one_port_are_a_fault(faults: Faults) -> None:
    (fault,) = faults(
        "duo",
        ("[shared]", "reader = 15", 'reader = "/dev/ttyUSB0"'),
        ("[centre]", "button = 7", 'button = 7\nreader = "/dev/ttyUSB0"'),
    )
    assert "is already used by centre.reader" in fault


def test_a_second_chain_on_a_pi_is_a_fault(faults: Faults) -> None:
    two = "lights = { pin = 10, pixels = 106 }\nmore = { pin = 21, pixels = 68 }"
    (fault,) = faults(
        "duo",
        ("[chain]", "lights = { pin = 10, pixels = 174 }", two),
        ("[seat.2]", 'chain = "lights"\nfirst = 106', 'chain = "more"\nfirst = 0'),
    )
    assert fault.startswith("chain: a Raspberry Pi sends to lights on one data line, and there are 2; ")


# --- Power supply ---


def test_a_supply_must_feed_more_than_dark_lights(faults: Faults) -> None:
    found = faults("duo", ("[supply]", "amperes = 5 ", "amperes = 0.174 "))
    only(found, "supply.amperes: 0.174 A is not more than the 174 lights take when all are dark (0.174 A)")
    assert faults("duo", ("[supply]", "amperes = 5 ", "amperes = 0.175 ")) == []


# --- Drawing ---


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("[seat.1]", "y = 846", "y = 868"), ("seat.1: extends 10 mm over the bottom edge of the table",)),
        (("[seat.2]", "x = 154", "x = 132"), ("seat.2: extends 10 mm over the left edge",)),
        (
            ("[ok]", "x = 852\ny = 848", "x = -852\ny = -848"),
            ("ok: extends 874 mm over the left", "top edge"),
        ),
        (("[display.2]", "x = ", "x = 4"), ("display.2: extends",)),
        (("[display.1]", "y = 649", "y = 660"), ("seat.1: overlaps display.1",)),
        (("[ok]", "y = 848", "y = 900"), ("undo: overlaps ok; move one of them",)),
        (("[status]", "y = 786", "y = 680"), ("status: overlaps seat.4",)),
        (("[seat.1]", "x = 500\ny = 846", "x = 620\ny = 836"), ("seat.4: overlaps seat.1",)),
        (
            ("[seat_board.wall]", "pitch = 30", "pitch = 21"),
            ("seat_board: light wall.1.2 overlaps light wall.1.1",),
        ),
        (("[seat_board.wall]", "left = 48", "left = 79"), ("seat_board: light wall.1.5", "over the edge")),
        (
            ("[seat_board.lines]", "space = 35", "space = 20"),
            ("seat_board: button line.1 overlaps light line.1.1",),
        ),
        (
            ("[display_plate]", "fifth_size = 14", "fifth_size = 40"),
            ("display_plate: light 5 overlaps light 1",),
        ),
        (("[display_plate]", "button = [0, 26]", "button = [0, 34]"), ("display_plate: the button extends",)),
        (
            ("[centre]", "button_size = 36", "button_size = 80"),
            ("centre: the button overlaps light 1 (and 9 more",),
        ),
        (("[centre]", "radius = 74", "radius = 89"), ("centre: light 11 (and 17 more like it) extends",)),
    ],
)
def test_things_outside_or_overlapping_are_faults(
    faults: Faults, change: Change, parts: tuple[str, ...]
) -> None:
    found = faults("full", change)
    for part in parts:
        assert any(part in fault for fault in found), found


@pytest.mark.parametrize("turned", [1, 2])
@pytest.mark.parametrize(("x", "overlap"), [(63, False), (69, True)])
def test_rectangles_overlap_unless_a_side_of_either_separates_them(
    faults: Faults,
    turned: int,
    x: int,
    overlap: bool,  # noqa: FBT001
) -> None:
    """A board of 392 x 284 mm reaches 239 mm to the side if it is turned by 45 degrees, else 196 mm."""
    found = faults(
        "full",
        ("[seat.1]", "turn = 0", f"turn = {45 if turned == 1 else 0}"),
        ("[seat.2]", "x = 154\ny = 500", f"x = {x}\ny = 846"),
        ("[seat.2]", "turn = 90", f"turn = {45 if turned == 2 else 0}"),
    )
    assert any(fault.startswith("seat.2: overlaps seat.1;") for fault in found) is overlap


# --- Any file ---


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_raises_a_layout_error(tmp_path: Path, data: st.DataObject) -> None:
    """Lines are removed, duplicated or changed."""
    lines = (SHIPPED / "duo.toml").read_text("utf-8").splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        key = lines[at].split("=")[0]
        values = st.one_of(
            st.sampled_from(["[]", "{}", "nan", "-1", "1e999", "true", '""', "[[1, 2]]", "1979-05-27"]),
            st.text(string.printable, max_size=12),
        )
        lines[at : at + 1] = data.draw(
            st.sampled_from([[], [lines[at], lines[at]], [f"{key}= {data.draw(values)}"]])
        )
    path = tmp_path / "any.toml"
    path.write_text("\n".join(lines), "utf-8")
    try:
        read_layout(str(path))
    except LayoutError as error:
        assert error.faults
        assert all("\n" not in fault for fault in error.faults)
