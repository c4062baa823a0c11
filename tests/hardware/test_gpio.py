"""Buttons through the real gpiozero, on its mock pins."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from gpiozero import InputDevice
from gpiozero.pins import mock

from hardware.api import ButtonPressed, Loss, PartBack, PartError, PartLost
from hardware.drivers.debounce import MAX_PRESSES, REST
from hardware.drivers.gpio import POLL, GpioButtons, real_pins
from hardware.layout.model import Layout

from .waiting import Clock, Inbox, next_of, until, waiting_in

MS = 0.001


def pins_of(layout: Layout) -> mock.MockFactory:
    """The pins of a table, all made before a thread asks for one.

    The library makes a pin when it is first asked for: asked by two threads at once it makes two, and the
    driver listens to one of them while the finger moves the other.
    """
    factory = mock.MockFactory()
    for button in layout.buttons:
        factory.pin(button.switch)
    return factory


class Panel:
    """The pins of a table, and a finger for them; times are the finger's own."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self.factory = pins_of(layout)
        self.inbox: Inbox = SimpleQueue()
        self._layout = layout
        self._clock = clock
        self._numbers = {button.name: button.switch for button in layout.buttons}

    def pin(self, button: str) -> Any:
        return self.factory.pin(self._numbers[button])

    def listened(self, *without: str) -> None:
        """Wait until every button is listened to, except those that can't be."""
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
        """Press and let go, each bouncing, and leave the button in peace for a while."""
        for down in (True, False):
            for number in range(changes if bounce else 0):
                (self.open_contact if down == number % 2 else self.close_contact)(button)
                self._clock.now += bounce / changes
            (self.close_contact if down else self.open_contact)(button)
            self._clock.now += held if down else rest


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(mock, "monotonic", clock)  # with which mock pins time their changes
    return clock


@pytest.fixture
def panel(duo: Layout, clock: Clock) -> Panel:
    return Panel(duo, clock)


Listen = Callable[..., GpioButtons]


@pytest.fixture
def listen(panel: Panel, duo: Layout, clock: Clock) -> Iterator[Listen]:
    opened: list[GpioButtons] = []

    def listen(pins: Callable[[], Any] = lambda: panel.factory, poll: float = POLL) -> GpioButtons:
        buttons = GpioButtons(duo, pins, clock, poll)
        opened.append(buttons)
        buttons.start(panel.inbox.put)
        return buttons

    yield listen
    for buttons in opened:
        buttons.close()


NEVER = 100_000.0
"""No poll between two movements of the finger: it might see a change before its edge is reported."""


@pytest.fixture
def ready(listen: Listen, panel: Panel) -> Panel:
    listen(poll=NEVER)
    panel.listened()
    return panel


@pytest.fixture
def looked_at(listen: Listen, panel: Panel) -> Panel:
    listen()
    panel.listened()
    return panel


def test_every_button_of_the_table_by_its_pin(ready: Panel, duo: Layout, clock: Clock) -> None:
    for button in duo.buttons:
        at = clock.now
        ready.press(button.name)
        assert next_of(ready.inbox) == ButtonPressed(button.name, at)
    assert ready.inbox.empty()


def test_buttons_have_the_pis_own_resistors(ready: Panel, duo: Layout) -> None:
    assert {ready.pin(button.name).pull for button in duo.buttons} == {"up"}


@pytest.mark.parametrize("bounce", [1 * MS, 5 * MS, 20 * MS])
def test_a_bounce_of_1_5_or_20_ms_is_one_press(ready: Panel, clock: Clock, bounce: float) -> None:
    presses = []
    for _ in range(5):
        presses.append(ButtonPressed("ok", clock.now))
        ready.press("ok", bounce=bounce)
    ready.press("undo")
    assert [next_of(ready.inbox) for _ in range(5)] == presses
    assert isinstance(last := next_of(ready.inbox), ButtonPressed) and last.button == "undo"


def test_gpiozero_alone_would_count_every_bounce(panel: Panel) -> None:
    """Why we debounce ourselves: on mock pins its bounce_time does nothing, on real ones it loses presses."""
    from gpiozero import Button

    presses = []
    button = Button(2, bounce_time=0.05, pin_factory=panel.factory)
    button.when_pressed = lambda: presses.append(True)
    for _ in range(5):
        panel.factory.pin(2).drive_low()
        panel.factory.pin(2).drive_high()
    button.close()
    assert len(presses) == 5


def test_a_press_of_15_ms_counts(ready: Panel, clock: Clock) -> None:
    at = clock.now
    ready.press("centre", held=15 * MS)
    assert next_of(ready.inbox) == ButtonPressed("centre", at)


def test_two_buttons_at_once_are_two_presses(ready: Panel, clock: Clock) -> None:
    for button in ("ok", "undo"):
        ready.close_contact(button)
    clock.now += 50 * MS
    for button in ("undo", "ok"):
        ready.open_contact(button)
    assert [next_of(ready.inbox) for _ in range(2)] == [
        ButtonPressed("ok", 100.0),
        ButtonPressed("undo", 100.0),
    ]


def test_a_switch_that_chatters_is_muted_told_once_and_back_when_it_rests(
    looked_at: Panel, clock: Clock
) -> None:
    for _ in range(100):
        looked_at.press("display.3", held=10 * MS, rest=30 * MS)
    events = [next_of(looked_at.inbox) for _ in range(MAX_PRESSES + 1)]
    assert {type(event) for event in events[:-1]} == {ButtonPressed}
    lost = events[-1]
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("button.display.3", Loss.CHATTERING)
    assert "wires" in lost.message
    looked_at.press("ok")
    pressed = next_of(looked_at.inbox)
    assert isinstance(pressed, ButtonPressed) and pressed.button == "ok"
    clock.now += REST
    back = next_of(looked_at.inbox)
    assert isinstance(back, PartBack) and back.part == "button.display.3"
    looked_at.press("display.3")
    assert isinstance(next_of(looked_at.inbox), ButtonPressed)


def test_a_change_that_was_not_told_is_found(looked_at: Panel, clock: Clock) -> None:
    pin = looked_at.pin("ok")
    looked_at.press("ok")
    next_of(looked_at.inbox)
    pin.edges = "none"
    looked_at.close_contact("ok")
    clock.now += POLL + 1
    assert next_of(looked_at.inbox) == ButtonPressed("ok", clock.now)


def test_a_press_during_a_look_is_told_with_its_own_time(looked_at: Panel, clock: Clock, duo: Layout) -> None:
    """Bug mended: it was told as of the look's beginning, and a second one was lost as bouncing."""
    first, last = duo.buttons[0].name, duo.buttons[-1].name
    pin = looked_at.pin(first)

    def while_it_is_looked_at() -> Any:
        del pin._get_state
        clock.now += 50 * MS
        looked_at.close_contact(last)
        return pin.state

    pin._get_state = while_it_is_looked_at
    clock.now += POLL
    assert next_of(looked_at.inbox) == ButtonPressed(last, clock.now)


def test_a_button_that_is_held_at_the_start_was_not_pressed(
    panel: Panel, listen: Listen, clock: Clock
) -> None:
    """As when the table starts again while somebody leans on it."""
    pin = panel.pin("ok")
    pin._set_pull = lambda _pull: None  # the finger is stronger than the resistor
    pin.drive_low()
    listen(poll=NEVER)
    panel.listened()
    clock.now += 1
    panel.open_contact("ok")
    clock.now += 1
    panel.press("ok")
    assert next_of(panel.inbox) == ButtonPressed("ok", 102.0)


def test_a_time_of_another_clock_is_not_believed(
    ready: Panel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels before 5.7 tell the times of changes on the wall's clock."""
    monkeypatch.setattr(mock, "monotonic", lambda: 1_700_000_000.0)
    ready.close_contact("ok")
    assert next_of(ready.inbox) == ButtonPressed("ok", clock.now)


def test_a_pin_that_another_has_costs_one_button(panel: Panel, listen: Listen, clock: Clock) -> None:
    other = InputDevice(12, pull_up=True, pin_factory=panel.factory)
    listen()
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("button.ok", Loss.BUSY)
    assert "GPIO12" in lost.message
    panel.listened("ok")
    panel.press("undo")
    assert next_of(panel.inbox) == ButtonPressed("undo", 100.0)
    other.close()
    clock.now += POLL
    assert isinstance(back := next_of(panel.inbox), PartBack) and back.part == "button.ok"
    panel.listened()
    clock.now += 1
    panel.press("ok")
    assert isinstance(next_of(panel.inbox), ButtonPressed)


def test_pins_that_can_not_be_had_are_tried_again(panel: Panel, listen: Listen) -> None:
    tries = iter([PermissionError(13, "can't open gpiochip"), PermissionError(13, "can't open gpiochip")])

    def pins() -> Any:
        for error in tries:
            raise error
        return panel.factory

    listen(pins)
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("buttons", Loss.DENIED)
    assert next_of(panel.inbox) == PartBack("buttons", 100.0)
    panel.press("ok")
    assert next_of(panel.inbox) == ButtonPressed("ok", 100.0)


def test_buttons_that_are_lost_while_they_work(
    panel: Panel, listen: Listen, clock: Clock, duo: Layout
) -> None:
    factories = [pins_of(duo), panel.factory]
    first = factories[0]
    listen(lambda: factories.pop(0))
    until(lambda: all(first.pin(button.switch).when_changed is not None for button in duo.buttons))

    def gone() -> Any:
        raise OSError(5, "Input/output error")

    first.pin(12)._get_state = gone
    clock.now += POLL
    lost = next_of(panel.inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("buttons", Loss.UNPLUGGED)
    assert isinstance(next_of(panel.inbox), PartBack)
    panel.press("ok")
    assert isinstance(next_of(panel.inbox), ButtonPressed)


def test_after_closing_nothing_is_told_and_the_pins_are_free(
    panel: Panel, listen: Listen, duo: Layout, clock: Clock
) -> None:
    buttons = listen()
    panel.listened()
    buttons.close()
    buttons.close()
    panel.press("ok")
    assert waiting_in(panel.inbox) == []
    for button in duo.buttons:
        InputDevice(button.switch, pull_up=True, pin_factory=panel.factory).close()


def test_buttons_that_were_never_started_can_be_closed(duo: Layout) -> None:
    GpioButtons(duo).close()


def test_a_machine_without_pins_says_so_and_leaves_no_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The real lgpio writes into the working directory as soon as it is imported, unless told otherwise."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PartError, match="not a Raspberry Pi") as raised:
        real_pins()
    assert raised.value.reason is Loss.ABSENT
    assert list(tmp_path.iterdir()) == []


def test_loading_lgpio_leaves_the_process_where_it_was(tmp_path: Path) -> None:
    """The library goes to its folder by chdir: what is named from here would be looked for there."""
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


def test_a_table_with_no_buttons_at_its_pins_is_not_lost_without_a_word(duo: Layout, panel: Panel) -> None:
    buttons = GpioButtons(replace(duo, buttons=()), lambda: panel.factory)
    buttons.start(panel.inbox.put)
    lost = next_of(panel.inbox)
    buttons.close()
    assert isinstance(lost, PartLost) and lost.part == "buttons"
