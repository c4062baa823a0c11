"""Simulated table: presses, tags and lights in memory."""

from __future__ import annotations

import threading
from queue import SimpleQueue

import pytest

from hardware.api import (
    ButtonPressed,
    HardwareError,
    HardwareEvent,
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
    """A clock that stands still until it is set."""

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


def test_it_is_dark_at_first(table: SimulatedTable) -> None:
    assert table.frame == LightFrame({})
    assert table.frames_shown == 0
    assert table.colour("display.1.1") == (0, 0, 0)


def test_it_shows_the_latest_frame(table: SimulatedTable) -> None:
    first, second = LightFrame({"status": (1, 2, 3)}), LightFrame({"display.1.1": (4, 5, 6)})
    table.show(first)
    assert table.colour("status") == (1, 2, 3)
    table.show(second)
    assert table.frame is second
    assert table.colour("status") == (0, 0, 0)
    assert table.colour("display.1.1") == (4, 5, 6)
    assert table.frames_shown == 2


def test_presses_are_passed_on_at_once_with_their_times(table: SimulatedTable, clock: Clock) -> None:
    inbox: SimpleQueue[HardwareEvent] = SimpleQueue()
    table.start(inbox.put)
    table.press("display.5")
    clock.now = 100.25
    table.press("seat.2.floor")
    assert inbox.get_nowait() == ButtonPressed("display.5", 100.0)
    assert inbox.get_nowait() == ButtonPressed("seat.2.floor", 100.25)
    assert inbox.empty()


def test_every_button_of_the_layout_can_be_pressed(table: SimulatedTable, duo: Layout) -> None:
    pressed: list[HardwareEvent] = []
    table.start(pressed.append)
    for button in duo.buttons:
        table.press(button.name)
    assert [event.button for event in pressed if isinstance(event, ButtonPressed)] == [
        button.name for button in duo.buttons
    ]


@pytest.mark.parametrize("button", ["display.6", "seat.3.floor", "status", "", "OK"])
def test_an_unknown_button_is_an_error(table: SimulatedTable, button: str) -> None:
    pressed: list[HardwareEvent] = []
    table.start(pressed.append)
    with pytest.raises(HardwareError, match="there is no button"):
        table.press(button)
    assert pressed == []


def test_a_press_without_a_listener_is_an_error(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="has no listener"):
        table.press("ok")
    pressed: list[HardwareEvent] = []
    table.start(pressed.append)
    table.close()
    with pytest.raises(HardwareError, match="has no listener"):
        table.press("ok")
    assert pressed == []


@pytest.mark.parametrize(
    ("lit", "message"),
    [
        ({"status": (1, 1, 1), "display.9.1": (1, 1, 1)}, "display.9.1"),
        ({"status": (256, 0, 0)}, "outside of 0 to 255"),
        ({"status": (0, -1, 0)}, "outside of 0 to 255"),
    ],
)
def test_an_invalid_frame_is_an_error(table: SimulatedTable, lit: dict[str, Rgb], message: str) -> None:
    before = LightFrame({"status": (9, 9, 9)})
    table.show(before)
    with pytest.raises(HardwareError, match=message):
        table.show(LightFrame(lit))
    assert table.frame is before
    assert table.frames_shown == 1


def test_an_unknown_light_is_an_error(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="there is no light"):
        table.colour("seat.3.turn")


def test_lights_can_be_shown_after_the_inputs_are_closed(table: SimulatedTable) -> None:
    """The table is closed twice: as lights and as inputs."""
    table.show(LightFrame({"status": (9, 9, 9)}))
    table.close()
    table.show(LightFrame({}))
    table.close()
    assert table.colour("status") == (0, 0, 0)


def test_presses_and_frames_of_several_threads_are_all_counted(table: SimulatedTable) -> None:
    inbox: SimpleQueue[HardwareEvent] = SimpleQueue()
    table.start(inbox.put)

    def play() -> None:
        for _ in range(500):
            table.press("ok")
            table.show(LightFrame({"status": (1, 2, 3)}))

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inbox.qsize() == 2000
    assert table.frames_shown == 2000


def test_a_tag_on_a_reader_arrives_and_leaves(duo: Layout) -> None:
    table = SimulatedTable(duo, clock=lambda: 5.0)
    seen: list[HardwareEvent] = []
    table.start(seen.append)
    table.show_tag("shared", "tile-b-01")
    assert seen == [TagArrived("shared", "tile-b-01", 5.0), TagLeft("shared", "tile-b-01", 5.0)]


def test_an_unknown_reader_is_an_error(table: SimulatedTable) -> None:
    seen: list[HardwareEvent] = []
    table.start(seen.append)
    with pytest.raises(HardwareError, match="there is no reader"):
        table.show_tag("seat.3", "tile-b-01")
    assert seen == []


def test_a_tag_without_a_listener_is_an_error(table: SimulatedTable) -> None:
    with pytest.raises(HardwareError, match="has no listener"):
        table.show_tag("shared", "tile-b-01")
