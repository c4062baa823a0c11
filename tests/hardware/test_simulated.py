"""The simulated table: what a hand can do to it and an eye can see of it."""

from __future__ import annotations

import threading
from queue import SimpleQueue

import pytest

from hardware.api import (
    ButtonPressed,
    HardwareError,
    InputEvent,
    Inputs,
    LightFrame,
    Lights,
    Rgb,
    TagArrived,
    TagLeft,
)
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(duo: Layout, clock: Clock) -> SimulatedTable:
    return SimulatedTable(duo, clock)


def test_it_is_a_driver_of_lights_and_of_inputs(table: SimulatedTable) -> None:
    lights: Lights = table
    inputs: Inputs = table
    lights.close()
    inputs.close()


def test_it_begins_dark(table: SimulatedTable) -> None:
    assert table.frame == LightFrame({})
    assert table.frames_shown == 0
    assert table.colour("display.1.1") == (0, 0, 0)


def test_the_eye_sees_the_frame_shown_last(table: SimulatedTable) -> None:
    first, second = LightFrame({"status": (1, 2, 3)}), LightFrame({"display.1.1": (4, 5, 6)})
    table.show(first)
    assert table.colour("status") == (1, 2, 3)
    table.show(second)
    assert table.frame is second
    assert table.colour("status") == (0, 0, 0)
    assert table.colour("display.1.1") == (4, 5, 6)
    assert table.frames_shown == 2


def test_presses_arrive_at_once_in_order_and_with_their_time(table: SimulatedTable, clock: Clock) -> None:
    inbox: SimpleQueue[InputEvent] = SimpleQueue()
    table.start(inbox.put)
    table.press("display.5")
    clock.now = 100.25
    table.press("seat.2.floor")
    assert inbox.get_nowait() == ButtonPressed("display.5", 100.0)
    assert inbox.get_nowait() == ButtonPressed("seat.2.floor", 100.25)
    assert inbox.empty()


def test_every_button_of_the_layout_can_be_pressed(table: SimulatedTable, duo: Layout) -> None:
    pressed: list[InputEvent] = []
    table.start(pressed.append)
    for button in duo.buttons:
        table.press(button.name)
    assert [event.button for event in pressed if isinstance(event, ButtonPressed)] == [
        button.name for button in duo.buttons
    ]


@pytest.mark.parametrize("button", ["display.6", "seat.3.floor", "status", "", "OK"])
def test_a_button_that_is_not_there_is_refused(table: SimulatedTable, button: str) -> None:
    pressed: list[InputEvent] = []
    table.start(pressed.append)
    with pytest.raises(HardwareError, match="there is no button"):
        table.press(button)
    assert pressed == []


def test_a_press_that_nobody_listens_to_is_refused(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="has no listener"):
        table.press("ok")
    pressed: list[InputEvent] = []
    table.start(pressed.append)
    table.close()
    with pytest.raises(HardwareError, match="has no listener"):
        table.press("ok")
    assert pressed == []


@pytest.mark.parametrize(
    ("lit", "told"),
    [
        ({"status": (1, 1, 1), "display.9.1": (1, 1, 1)}, "display.9.1"),
        ({"status": (256, 0, 0)}, "outside of 0 to 255"),
        ({"status": (0, -1, 0)}, "outside of 0 to 255"),
    ],
)
def test_a_frame_that_no_wire_could_carry_is_refused(
    table: SimulatedTable, lit: dict[str, Rgb], told: str
) -> None:
    before = LightFrame({"status": (9, 9, 9)})
    table.show(before)
    with pytest.raises(HardwareError, match=told):
        table.show(LightFrame(lit))
    assert table.frame is before
    assert table.frames_shown == 1


def test_looking_at_a_light_that_is_not_there_is_an_error(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="there is no light"):
        table.colour("seat.3.turn")


def test_inputs_may_be_closed_before_the_lights_go_dark(table: SimulatedTable) -> None:
    """Closing is asked of the lights and of the inputs, which are one here: in any order, twice."""
    table.show(LightFrame({"status": (9, 9, 9)}))
    table.close()
    table.show(LightFrame({}))
    table.close()
    assert table.colour("status") == (0, 0, 0)


def test_hands_and_frames_in_many_threads_lose_nothing(table: SimulatedTable) -> None:
    inbox: SimpleQueue[InputEvent] = SimpleQueue()
    table.start(inbox.put)

    def play() -> None:
        for _ in range(500):
            table.press("ok")
            table.show(LightFrame({"status": (1, 2, 3)}))

    hands = [threading.Thread(target=play) for _ in range(4)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    assert inbox.qsize() == 2000
    assert table.frames_shown == 2000


def test_a_tag_shown_to_a_reader_arrives_and_leaves(duo: Layout) -> None:
    table = SimulatedTable(duo, clock=lambda: 5.0)
    seen: list[InputEvent] = []
    table.start(seen.append)
    table.show_tag("shared", "tile-b-01")
    assert seen == [TagArrived("shared", "tile-b-01", 5.0), TagLeft("shared", "tile-b-01", 5.0)]


def test_a_reader_that_is_not_there_is_refused(table: SimulatedTable) -> None:
    seen: list[InputEvent] = []
    table.start(seen.append)
    with pytest.raises(HardwareError, match="there is no reader"):
        table.show_tag("seat.3", "tile-b-01")
    assert seen == []


def test_a_tag_that_nobody_listens_to_is_refused(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="has no listener"):
        table.show_tag("shared", "tile-b-01")
