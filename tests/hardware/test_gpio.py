"""Buttons on GPIO pins, through the real gpiozero on its mock pins."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from gpiozero import Button, InputDevice
from gpiozero.pins import mock
from msgspec.structs import replace

from hardware.api import ButtonPressed, Loss, PartBack, PartError, PartLost
from hardware.drivers.debounce import MAX_PRESSES, REST
from hardware.drivers.gpio import GpioButtons, closed_buttons, real_pins
from hardware.layout.model import Layout

from .waiting import Clock, Inbox, next_of, until, waiting_in

MS = 0.001
POLL = 0.05
NEVER = 100_000.0
"""No poll between two movements of the finger: it might see a change before its edge is reported."""


class ButtonPin(mock.MockPin):  # type: ignore[misc]
    """A mock pin that can be held at ground, stronger than its pull-up resistor, and that reports reads."""

    held = False
    on_read: Callable[[], None] | None = None

    def _set_pull(self, value: str) -> None:
        if not self.held:
            super()._set_pull(value)

    def _get_state(self) -> Any:
        if self.on_read is not None:
            self.on_read()
        return super()._get_state()

    def hold(self) -> None:
        """Hold the pin at ground."""
        self.held = True
        self.drive_low()


def mock_pins(layout: Layout) -> mock.MockFactory:
    """Return a factory with all pins of a layout made.

    The library makes a pin when it is first asked for it; asked by two threads at once it makes two, and the
    driver listens to one of them while the test moves the other.
    """
    factory = mock.MockFactory(pin_class=ButtonPin)
    for button in layout.buttons:
        factory.pin(button.switch)
    return factory


class Panel:
    """The pins of a table, pressed with times of the test's clock."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self.factory = mock_pins(layout)
        self.inbox: Inbox = SimpleQueue()
        self._clock = clock
        self._numbers = {button.name: button.switch for button in layout.buttons}

    def pin(self, button: str) -> Any:
        return self.factory.pin(self._numbers[button])

    def wait_until_open(self, *without: str) -> None:
        """Wait until the driver listens to every button, except some."""
        buttons = self._numbers.keys() - set(without)
        until(lambda: all(self.pin(button).when_changed is not None for button in buttons))

    def close_contact(self, button: str) -> None:
        self.pin(button).drive_low()

    def open_contact(self, button: str) -> None:
        self.pin(button).drive_high()

    def press(
        self,
        button: str,
        held: float = 80 * MS,
        bounce: float = 0.0,
        changes: int = 4,
        rest: float = 100 * MS,
    ) -> None:
        """Press and release a button, each with bounces, and wait for `rest` seconds."""
        for down in (True, False):
            for number in range(changes if bounce else 0):
                (self.open_contact if down == number % 2 else self.close_contact)(button)
                self._clock.now += bounce / changes
            (self.close_contact if down else self.open_contact)(button)
            self._clock.now += held if down else rest


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(mock, "monotonic", clock)  # mock pins take the times of edges from it
    return clock


@pytest.fixture
def panel(duo: Layout, clock: Clock) -> Panel:
    return Panel(duo, clock)


Start = Callable[..., GpioButtons]


@pytest.fixture
def start(panel: Panel, duo: Layout, clock: Clock) -> Iterator[Start]:
    started: list[GpioButtons] = []

    def start(pins: Callable[[], Any] = lambda: panel.factory, poll: float = POLL) -> GpioButtons:
        buttons = GpioButtons(duo, pins, clock, poll)
        started.append(buttons)
        buttons.start(panel.inbox.put)
        return buttons

    yield start
    for buttons in started:
        buttons.close()


@pytest.fixture
def unpolled(start: Start, panel: Panel) -> Panel:
    """A panel whose driver works by edges alone."""
    start(poll=NEVER)
    panel.wait_until_open()
    return panel


@pytest.fixture
def polled(start: Start, panel: Panel) -> Panel:
    """A panel whose driver also polls the pins."""
    start()
    panel.wait_until_open()
    return panel


def test_every_button_is_on_its_pin(unpolled: Panel, duo: Layout, clock: Clock) -> None:
    for button in duo.buttons:
        at = clock.now
        unpolled.press(button.name)
        assert next_of(unpolled.inbox) == ButtonPressed(button.name, at)
    assert unpolled.inbox.empty()


def test_pins_have_internal_pull_up_resistors(unpolled: Panel, duo: Layout) -> None:
    assert {unpolled.pin(button.name).pull for button in duo.buttons} == {"up"}


@pytest.mark.parametrize("bounce", [1 * MS, 5 * MS, 20 * MS])
def test_a_press_with_bounces_is_one_press(unpolled: Panel, clock: Clock, bounce: float) -> None:
    presses = []
    for _ in range(5):
        presses.append(ButtonPressed("ok", clock.now))
        unpolled.press("ok", bounce=bounce)
    unpolled.press("undo")
    assert [next_of(unpolled.inbox) for _ in range(5)] == presses
    assert isinstance(last := next_of(unpolled.inbox), ButtonPressed) and last.button == "undo"


def test_gpiozero_alone_counts_every_bounce(panel: Panel) -> None:
    """Why the driver debounces: bounce_time does nothing on mock pins and loses presses on real ones."""
    presses = []
    button = Button(2, bounce_time=0.05, pin_factory=panel.factory)
    button.when_pressed = lambda: presses.append(True)
    for _ in range(5):
        panel.factory.pin(2).drive_low()
        panel.factory.pin(2).drive_high()
    button.close()
    assert len(presses) == 5


def test_a_press_of_15_ms_counts(unpolled: Panel, clock: Clock) -> None:
    at = clock.now
    unpolled.press("centre", held=15 * MS)
    assert next_of(unpolled.inbox) == ButtonPressed("centre", at)


def test_two_buttons_at_once_are_two_presses(unpolled: Panel, clock: Clock) -> None:
    for button in ("ok", "undo"):
        unpolled.close_contact(button)
    clock.now += 50 * MS
    for button in ("undo", "ok"):
        unpolled.open_contact(button)
    assert [next_of(unpolled.inbox) for _ in range(2)] == [
        ButtonPressed("ok", 100.0),
        ButtonPressed("undo", 100.0),
    ]


def test_a_chattering_button_is_lost_once_and_back_when_it_rests(polled: Panel, clock: Clock) -> None:
    for _ in range(100):
        polled.press("display.3", held=10 * MS, rest=30 * MS)
    events = [next_of(polled.inbox) for _ in range(MAX_PRESSES + 1)]
    assert {type(event) for event in events[:-1]} == {ButtonPressed}
    lost = events[-1]
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("button.display.3", Loss.CHATTERING)
    assert "wires" in lost.message
    polled.press("ok")
    pressed = next_of(polled.inbox)
    assert isinstance(pressed, ButtonPressed) and pressed.button == "ok"
    clock.now += REST
    back = next_of(polled.inbox)
    assert isinstance(back, PartBack) and back.part == "button.display.3"
    polled.press("display.3")
    assert isinstance(next_of(polled.inbox), ButtonPressed)
    for _ in range(100):
        polled.press("display.3", held=10 * MS, rest=30 * MS)
    while isinstance(again := next_of(polled.inbox), ButtonPressed):
        pass
    assert isinstance(again, PartLost) and again.part == "button.display.3"


def test_a_poll_finds_a_change_without_an_edge(polled: Panel, clock: Clock) -> None:
    pin = polled.pin("ok")
    polled.press("ok")
    next_of(polled.inbox)
    pin.edges = "none"
    polled.close_contact("ok")
    clock.now += POLL + 1
    assert next_of(polled.inbox) == ButtonPressed("ok", clock.now)


def test_a_press_during_a_poll_has_its_own_time(polled: Panel, clock: Clock, duo: Layout) -> None:
    """It had the time at which the poll began, and a second press was lost as a bounce."""
    first, last = duo.buttons[0].name, duo.buttons[-1].name
    pin = polled.pin(first)

    def press_another() -> None:
        pin.on_read = None
        clock.now += 50 * MS
        polled.close_contact(last)

    pin.on_read = press_another
    clock.now += POLL
    assert next_of(polled.inbox) == ButtonPressed(last, clock.now)


def test_a_button_that_is_held_at_the_start_was_not_pressed(panel: Panel, start: Start, clock: Clock) -> None:
    pin = panel.pin("ok")
    pin.hold()
    start(poll=NEVER)
    panel.wait_until_open()
    clock.now += 1
    panel.open_contact("ok")
    clock.now += 1
    panel.press("ok")
    assert next_of(panel.inbox) == ButtonPressed("ok", 102.0)


@pytest.mark.parametrize("reported", [1_700_000_000.0, 94.0])
def test_an_edge_with_a_time_of_another_clock_has_the_current_time(
    unpolled: Panel, clock: Clock, monkeypatch: pytest.MonkeyPatch, reported: float
) -> None:
    """Kernels before 5.7 report edges with the time of the wall clock."""
    monkeypatch.setattr(mock, "monotonic", lambda: reported)
    unpolled.close_contact("ok")
    assert next_of(unpolled.inbox) == ButtonPressed("ok", clock.now)


def test_an_edge_that_is_read_late_has_its_own_time(
    unpolled: Panel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mock, "monotonic", lambda: clock.now - 3)
    unpolled.close_contact("ok")
    assert next_of(unpolled.inbox) == ButtonPressed("ok", clock.now - 3)


def test_a_pin_in_use_costs_one_button_until_it_is_free(panel: Panel, start: Start, clock: Clock) -> None:
    other = InputDevice(12, pull_up=True, pin_factory=panel.factory)
    start()
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("button.ok", Loss.BUSY)
    assert "GPIO12" in lost.message
    panel.wait_until_open("ok")
    clock.now += POLL  # it is reported once only
    panel.press("undo")
    assert isinstance(next_of(panel.inbox), ButtonPressed)
    other.close()
    clock.now += POLL
    assert isinstance(back := next_of(panel.inbox), PartBack) and back.part == "button.ok"
    panel.wait_until_open()
    clock.now += 1
    panel.press("ok")
    assert isinstance(next_of(panel.inbox), ButtonPressed)


def test_a_pin_that_does_not_exist_costs_one_button(duo: Layout, clock: Clock) -> None:
    wrong = replace(duo, buttons=(replace(duo.buttons[0], switch=99), *duo.buttons[1:]))
    inbox: Inbox = SimpleQueue()
    buttons = GpioButtons(wrong, mock.MockFactory, clock)
    buttons.start(inbox.put)
    lost = next_of(inbox)
    buttons.close()
    assert isinstance(lost, PartLost)
    assert (lost.part, lost.reason) == (f"button.{duo.buttons[0].name}", Loss.FAILED)
    assert lost.message.startswith("GPIO99 of button ")


def test_pins_that_can_not_be_opened_are_tried_again(panel: Panel, start: Start) -> None:
    tries = iter([PermissionError(13, "can't open gpiochip"), PermissionError(13, "can't open gpiochip")])

    def pins() -> Any:
        for error in tries:
            raise error
        return panel.factory

    start(pins)
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("buttons", Loss.DENIED)
    assert next_of(panel.inbox) == PartBack("buttons", 100.0)
    panel.press("ok")
    assert next_of(panel.inbox) == ButtonPressed("ok", 100.0)


def test_pins_that_fail_while_they_work_are_opened_again(
    panel: Panel, start: Start, clock: Clock, duo: Layout
) -> None:
    factories = [mock_pins(duo), panel.factory]
    first = factories[0]
    start(lambda: factories.pop(0))
    until(lambda: all(first.pin(button.switch).when_changed is not None for button in duo.buttons))

    def fail() -> None:
        raise OSError(5, "Input/output error")

    first.pin(12).on_read = fail
    clock.now += POLL
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("buttons", Loss.UNPLUGGED)
    assert isinstance(next_of(panel.inbox), PartBack)
    panel.press("ok")
    assert isinstance(next_of(panel.inbox), ButtonPressed)


def test_closing_ends_the_events_and_releases_the_pins(panel: Panel, start: Start, duo: Layout) -> None:
    buttons = start()
    panel.wait_until_open()
    buttons.close()
    buttons.close()
    panel.press("ok")
    assert waiting_in(panel.inbox) == []
    for button in duo.buttons:
        InputDevice(button.switch, pull_up=True, pin_factory=panel.factory).close()


def test_buttons_that_were_never_started_can_be_closed(duo: Layout) -> None:
    GpioButtons(duo).close()


def test_a_layout_without_buttons_is_reported_as_lost(duo: Layout, panel: Panel) -> None:
    buttons = GpioButtons(replace(duo, buttons=()), lambda: panel.factory)
    buttons.start(panel.inbox.put)
    lost = next_of(panel.inbox)
    buttons.close()
    assert isinstance(lost, PartLost) and lost.part == "buttons"


def test_closed_buttons_are_found_and_the_pins_released(duo: Layout, panel: Panel) -> None:
    panel.pin("ok").hold()
    assert closed_buttons(duo, lambda: panel.factory) == [("ok", 12)]
    assert panel.factory.pins == {}


def test_a_machine_without_pins_is_an_error_and_gets_no_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The real lgpio writes into the working directory as soon as it is imported, unless LG_WD is set."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PartError, match="not a Raspberry Pi") as raised:
        real_pins()
    assert raised.value.reason is Loss.ABSENT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.system
def test_loading_lgpio_restores_the_working_directory(tmp_path: Path) -> None:
    """The library changes to the folder LG_WD, and relative paths of the program would lead there."""
    program = "\n".join(
        [
            "import os",
            "from hardware.drivers.gpio import real_pins",
            "try: real_pins()",
            "finally: print(os.getcwd())",
        ]
    )
    where = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    where.pop("LG_WD", None)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=where, capture_output=True, text=True, check=False
    )
    assert "not a Raspberry Pi" in done.stderr
    assert done.stdout.strip() == str(tmp_path)
