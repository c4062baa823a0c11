"""The loop: what comes in is taken in its order, none of it is lost, and nothing is told that is not new."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

import pytest

from device.runtime.loop import MOST_AT_ONCE, Stop
from device.socket.messages import Answer, PressButton
from device.socket.server import Request
from hardware.api import ButtonPressed
from tests.harness.local_table import LocalTable
from tests.harness.waiting import DEADLINE, until
from tests.table.simulator import game_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def test_no_press_of_a_flood_is_lost(path: Path) -> None:
    """Once, the loop forgot one after every `MOST_AT_ONCE`."""
    with LocalTable(path) as local_table:
        answers: SimpleQueue[Answer] = SimpleQueue()
        number = 5 * MOST_AT_ONCE + 3
        for at in range(number):
            local_table.inbox.put(Request(PressButton("seat.1.floor", id=at), answers.put))
        found = [answers.get(timeout=DEADLINE) for _ in range(number)]
    assert [answer.id for answer in found] == list(range(number))
    assert [answer.why for answer in found] == [None, *["seat_taken"] * (number - 1)]


def test_two_presses_in_the_same_millisecond_are_taken_in_their_order(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.play(4)
        moment = game_of(local_table.daemon.table).movement
        assert moment is not None
        for first, second in ((1, 2), (2, 1), (5, 3)):
            local_table.inbox.put(ButtonPressed(f"display.{first}", moment.at))
            local_table.inbox.put(ButtonPressed(f"display.{second}", moment.at))
            until(lambda second=second: chosen(local_table) == second, "the second")  # type: ignore[misc]


def test_the_news_of_a_press_is_out_before_its_answer(path: Path) -> None:
    """Once, who was answered and looked then could see the table as it was before."""
    with LocalTable(path) as local_table:
        seen: SimpleQueue[bool] = SimpleQueue()

        def look(_answer: Answer) -> None:
            seen.put(local_table.publisher.snapshot["seats"][0]["taken"])

        local_table.inbox.put(Request(PressButton("seat.1.floor"), look))
        assert seen.get(timeout=DEADLINE)


def chosen(local_table: LocalTable) -> int | None:
    selection = game_of(local_table.daemon.table).selection
    return selection.source if selection is not None else None


def test_buttons_of_the_hardware_and_of_clients_are_the_same(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.hardware.press("seat.2.floor")
        until(lambda: local_table.daemon.table.seats.taken == (2,), "the seat")
        assert local_table.press("seat.2.floor").why == "seat_taken"
        local_table.hardware.press("seat.2.floor")
        until(lambda: (local_table.publisher.snapshot["refusal"] or {}).get("number") == 2, "another refusal")


def test_nothing_is_told_while_nothing_changes_but_the_lights_are_refreshed(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.press("seat.1.floor")
        until(lambda: local_table.publisher.snapshot["seats"][0]["taken"], "the snapshot")
        snapshots, shown = local_table.publisher.snapshots, local_table.hardware.frames_shown
        until(lambda: local_table.hardware.frames_shown >= shown + 3, "the lights")
        assert local_table.publisher.snapshots == snapshots


def test_the_end_does_not_wait_for_what_still_waits(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.inbox.put(Stop())
        for _ in range(10_000):
            local_table.inbox.put(ButtonPressed("seat.1.floor", 0.0))
    assert not local_table.daemon.table.seats.taken


def test_a_solo_game_goes_on_after_a_start(path: Path) -> None:
    """Once, its two boards for one player were taken for damage."""
    with LocalTable(path) as local_table:
        for button in ("seat.3.floor", "ok", "seat.3.floor"):
            assert local_table.press(button).taken
        assert local_table.snapshot["mode"] == "solo"
        before = local_table.snapshot
    with LocalTable(path) as local_table:
        assert local_table.snapshot["ask"]["say"] == "your_board"
        assert local_table.snapshot["displays"] == before["displays"]
        assert local_table.press("ok").taken
        assert local_table.snapshot["ask"] == before["ask"]


def test_who_starts_is_drawn_once(path: Path) -> None:
    with LocalTable(path) as local_table:
        for button in ("seat.1.floor", "seat.2.floor", "seat.4.floor", "ok", "centre"):
            assert local_table.press(button).taken
        first = local_table.snapshot["first"]
        assert first in (1, 2, 4)
    with LocalTable(path) as local_table:
        assert local_table.snapshot["first"] == first
