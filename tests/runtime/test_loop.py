"""The loop: what comes in is taken in its order, none of it is lost, and nothing is told that is not new."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

import pytest

from device.runtime.loop import MOST_AT_ONCE, Stop
from device.socket.messages import Answer, ClientMessage
from device.socket.server import Request
from hardware.api import ButtonPressed
from tests.harness.house import House
from tests.harness.waiting import DEADLINE, until


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def test_no_press_of_a_flood_is_lost(path: Path) -> None:
    """Once, the loop forgot one after every `MOST_AT_ONCE`."""
    with House(path) as house:
        answers: SimpleQueue[Answer] = SimpleQueue()
        number = 5 * MOST_AT_ONCE + 3
        for at in range(number):
            house.inbox.put(Request(ClientMessage(press="seat.1.floor", id=at), answers.put))
        found = [answers.get(timeout=DEADLINE) for _ in range(number)]
    assert [answer.id for answer in found] == list(range(number))
    assert [answer.why for answer in found] == [None, *["seat_taken"] * (number - 1)]


def test_two_presses_in_the_same_millisecond_are_taken_in_their_order(path: Path) -> None:
    with House(path) as house:
        house.play(4)
        moment = house.daemon.table.movement
        assert moment is not None
        for first, second in ((1, 2), (2, 1), (5, 3)):
            house.inbox.put(ButtonPressed(f"display.{first}", moment.at))
            house.inbox.put(ButtonPressed(f"display.{second}", moment.at))
            until(lambda second=second: chosen(house) == second, "the second")  # type: ignore[misc]


def test_the_news_of_a_press_is_out_before_its_answer(path: Path) -> None:
    """Once, who was answered and looked then could see the table as it was before."""
    with House(path) as house:
        seen: SimpleQueue[bool] = SimpleQueue()

        def look(_answer: Answer) -> None:
            seen.put(house.audience.snapshot["seats"][0]["taken"])

        house.inbox.put(Request(ClientMessage(press="seat.1.floor"), look))
        assert seen.get(timeout=DEADLINE)


def chosen(house: House) -> int | None:
    selection = house.daemon.table.selection
    return selection.source if selection is not None else None


def test_buttons_of_the_hardware_and_of_clients_are_the_same(path: Path) -> None:
    with House(path) as house:
        house.hardware.press("seat.2.floor")
        until(lambda: house.daemon.table.taken == (2,), "the seat")
        assert house.press("seat.2.floor").why == "seat_taken"
        house.hardware.press("seat.2.floor")
        until(lambda: (house.audience.snapshot["refusal"] or {}).get("number") == 2, "another refusal")


def test_nothing_is_told_while_nothing_changes_but_the_lights_are_refreshed(path: Path) -> None:
    with House(path) as house:
        house.press("seat.1.floor")
        until(lambda: house.audience.snapshot["seats"][0]["taken"], "the snapshot")
        snapshots, shown = house.audience.snapshots, house.hardware.frames_shown
        until(lambda: house.hardware.frames_shown >= shown + 3, "the lights")
        assert house.audience.snapshots == snapshots


def test_the_end_does_not_wait_for_what_still_waits(path: Path) -> None:
    with House(path) as house:
        house.inbox.put(Stop())
        for _ in range(10_000):
            house.inbox.put(ButtonPressed("seat.1.floor", 0.0))
    assert not house.daemon.table.taken


def test_a_solo_game_goes_on_after_a_start(path: Path) -> None:
    """Once, its two boards for one player were taken for damage."""
    with House(path) as house:
        for button in ("seat.3.floor", "ok", "seat.3.floor"):
            assert house.press(button).taken
        assert house.snapshot["mode"] == "solo"
        before = house.snapshot
    with House(path) as house:
        assert house.snapshot["ask"]["say"] == "your_board"
        assert house.snapshot["displays"] == before["displays"]
        assert house.press("ok").taken
        assert house.snapshot["ask"] == before["ask"]


def test_who_starts_is_drawn_once(path: Path) -> None:
    with House(path) as house:
        for button in ("seat.1.floor", "seat.2.floor", "seat.4.floor", "ok", "centre"):
            assert house.press(button).taken
        first = house.snapshot["first"]
        assert first in (1, 2, 4)
    with House(path) as house:
        assert house.snapshot["first"] == first
