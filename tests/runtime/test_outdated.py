"""Messages that come too late: made for another question, or until an earlier time; they change nothing."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.rules.events import Choice, Event
from device.rules.notation import text_of
from device.socket.messages import (
    AskHint,
    ChooseOptions,
    ListTags,
    MakeChoice,
    PressButton,
    SitDown,
    StartGame,
    TableMessage,
    TeachAction,
)
from device.table.prompts import asked
from device.table.state import Stage, Table
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


# --- Random games, with messages that come twice and late ---

SETUPS = [("standard", 2), ("standard", 3), ("gray", 2), ("gray", 4), ("solo", 1)]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(setup=st.sampled_from(SETUPS), picks=st.lists(st.integers(0, 999), min_size=10, max_size=60))
def test_no_message_is_taken_for_another_question_or_twice(
    tmp_path_factory: pytest.TempPathFactory, setup: tuple[str, int], picks: list[int]
) -> None:
    """Whatever is not asked any more is refused; the same message for the same question makes one choice."""
    mode, players = setup
    sent: list[TableMessage] = []
    made: Counter[TableMessage] = Counter()
    with LocalTable(tmp_path_factory.mktemp("asked") / "azul-table.db") as local_table:
        for place in range(1, players + 1):
            local_table.ask(SitDown(place))
        local_table.ask(ChooseOptions(mode))  # type: ignore[arg-type]
        assert local_table.ask(StartGame(1)).taken
        for pick in picks:
            table = local_table.daemon.table
            message = next_message(table, pick, sent)
            sent.append(message)
            events, question = events_of(table), asked(table)
            answer = local_table.ask(message)
            after = local_table.daemon.table
            if message.asked != question:
                assert answer.why == "outdated"
                assert (after.play, after.game and after.game.selection) == (
                    table.play,
                    table.game and table.game.selection,
                )
            made[message] += sum(isinstance(each, Choice) for each in events_of(after)[len(events) :])
            assert made[message] <= 1


def next_message(table: Table, pick: int, sent: list[TableMessage]) -> TableMessage:
    """Return a message for the question that is asked now, or sometimes one that was sent before."""
    if sent and pick % 3 == 0:
        return sent[-1 - pick // 3 % min(len(sent), 8)]
    question = asked(table)
    legal = table.play.state.legal() if table.play is not None else []
    if not legal or pick % 10 == 1:
        return PressButton("undo" if legal else "ok", asked=question)
    return MakeChoice(text_of(legal[pick % len(legal)]), asked=question)


def events_of(table: Table) -> tuple[Event, ...]:
    return table.play.events if table.play is not None else ()
