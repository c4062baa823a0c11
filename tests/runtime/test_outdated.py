"""Messages that come too late: made for another question, or until an earlier time; they change nothing."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from device.socket.messages import AskHint, ListTags, PressButton, TeachAction
from device.table.state import Stage
from tests.harness.local_table import LocalTable
from tests.table.simulator import game_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def test_a_message_for_another_question_changes_nothing(path: Path) -> None:
    with LocalTable(path) as local_table:
        lobby = local_table.snapshot["asked"]
        local_table.play(4)
        assert local_table.snapshot["asked"] != lobby
        for message in (PressButton("display.1"), AskHint(1), TeachAction("ok"), ListTags()):
            before = local_table.daemon.table
            answer = local_table.ask(msgspec.structs.replace(message, asked=lobby, id=3))
            assert (answer.taken, answer.why, answer.id) == (False, "outdated", 3)
            assert local_table.daemon.table == before
            assert local_table.snapshot["refusal"] is None, "no light flashes"


def test_a_message_for_this_question_is_taken(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.play(4)
        now = local_table.snapshot["asked"]
        for source in (1, 2):
            assert local_table.ask(PressButton(f"display.{source}", asked=now)).taken
        selection = game_of(local_table.daemon.table).selection
        assert selection is not None
        assert selection.source == 2


@pytest.mark.parametrize(("seconds", "why"), [(-0.001, "late"), (60.0, None)])
def test_a_message_is_done_before_its_time_only(path: Path, seconds: float, why: str | None) -> None:
    with LocalTable(path) as local_table:
        answer = local_table.ask(PressButton("seat.1.floor", before=time.monotonic() + seconds))
        assert answer.why == why
        assert local_table.daemon.table.seats.taken == ((1,) if why is None else ())


def test_what_time_changes_comes_before_the_message(path: Path) -> None:
    """A scoring may be over at the very moment of a message, which was made while it was shown."""
    now = [1000.0]
    with LocalTable(path, clock=lambda: now[0]) as local_table:
        local_table.play(200, stop=Stage.SCORING)
        scoring = local_table.snapshot["asked"]
        now[0] += 600.0
        assert local_table.ask(PressButton("display.1", asked=scoring)).why == "outdated"
        assert game_of(local_table.daemon.table).selection is None


def test_questions_differ_from_those_before_a_restart(path: Path) -> None:
    seen: set[str] = set()
    for _ in range(2):
        with LocalTable(path) as local_table:
            seen.add(local_table.snapshot["asked"])
            local_table.press("seat.2.floor")
    assert len(seen) == 2
