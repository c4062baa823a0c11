"""Names, frames and errors of the hardware interface."""

from __future__ import annotations

import pytest

from hardware import api
from hardware.api import ButtonPressed, HardwareError, LayoutError, LightFrame
from hardware.layout.model import Layout


def test_a_light_that_is_not_in_a_frame_is_dark() -> None:
    frame = LightFrame({"status": (1, 2, 3)})
    assert frame.colour("status") == (1, 2, 3)
    assert frame.colour("seat.1.turn") == (0, 0, 0)


def test_frames_and_presses_compare_by_value() -> None:
    assert LightFrame({"status": (1, 2, 3)}) == LightFrame({"status": (1, 2, 3)})
    assert ButtonPressed("ok", 1.5) == ButtonPressed("ok", 1.5)
    assert ButtonPressed("ok", 1.5) != ButtonPressed("ok", 1.6)


def test_a_layout_error_is_a_hardware_error_and_a_value_error() -> None:
    error = LayoutError(["one", "two"])
    for kind in (HardwareError, ValueError):
        with pytest.raises(kind):
            raise error
    assert error.faults == ("one", "two")
    assert str(error) == "one\ntwo"


def test_the_functions_return_all_names_of_the_full_table(full: Layout) -> None:
    displays, seats, five = range(1, 10), range(1, 5), range(1, 6)
    lights = {
        *(api.display_light(display, place) for display in displays for place in range(1, 5)),
        api.display_light(5, 5),
        *(api.centre_light(place) for place in range(1, 29)),
        api.STATUS,
    }
    for seat in seats:
        lights |= {api.wall_light(seat, row, column) for row in five for column in five}
        lights |= {api.line_light(seat, line, place) for line in five for place in range(1, line + 1)}
        lights |= {api.floor_light(seat, place) for place in range(1, 8)}
        lights |= {api.tens_light(seat, digit) for digit in range(10)}
        lights |= {api.units_light(seat, digit) for digit in range(10)}
        lights.add(api.turn_light(seat))
    assert lights == {light.name for light in full.lights}

    buttons = {api.CENTRE, api.OK, api.UNDO} | {api.display_button(display) for display in displays}
    for seat in seats:
        buttons |= {api.line_button(seat, line) for line in five} | {api.floor_button(seat)}
    assert buttons == {button.name for button in full.buttons}

    assert {reader.name for reader in full.readers} == {api.SHARED, *(f"seat.{seat}" for seat in seats)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (api.display_light(5, 5), "display.5.5"),
        (api.line_light(2, 4, 1), "seat.2.line.4.1"),
        (api.wall_light(1, 2, 3), "seat.1.wall.2.3"),
        (api.floor_light(4, 7), "seat.4.floor.7"),
        (api.tens_light(3, 0), "seat.3.tens.0"),
        (api.units_light(3, 9), "seat.3.units.9"),
        (api.line_button(2, 5), "seat.2.line.5"),
        (api.floor_button(2), "seat.2.floor"),
        (api.turn_light(1), "seat.1.turn"),
    ],
)
def test_names_have_their_documented_form(name: str, expected: str) -> None:
    assert name == expected
