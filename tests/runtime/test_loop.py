"""The main loop: every event is handled in its order; the store, the lights and the socket get the result."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.lights.animation import TICKS_A_SECOND
from device.lights.palettes import BOX
from device.rules.events import Deal
from device.runtime.loop import MOST_AT_ONCE, Inbox, Stop, TableLoop, seeded_draw
from device.runtime.simulation import NOT_SIMULATED, SimulatedParts
from device.socket.messages import Answer, PlugPico, PressButton, TableMessage, TeachTiles
from device.socket.server import Request
from device.table.game import resume
from device.table.state import Table
from hardware.api import ButtonPressed, LightFrame, Loss, PartBack, PartLost, PartMessage, TagArrived
from hardware.layout.model import read_layout
from tests.harness.client import Message
from tests.harness.local_table import LocalTable
from tests.harness.stored_games import STANDARD, greedy_game
from tests.harness.waiting import DEADLINE, until
from tests.table.simulator import game_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


def test_no_press_of_a_flood_is_lost(path: Path) -> None:
    """The loop lost one event after every `MOST_AT_ONCE`."""
    with LocalTable(path) as local_table:
        answers: SimpleQueue[Answer] = SimpleQueue()
        number = 5 * MOST_AT_ONCE + 3
        for at in range(number):
            local_table.inbox.put(Request(PressButton("seat.1.floor", id=at), answers.put))
        found = [answers.get(timeout=DEADLINE) for _ in range(number)]
    assert [answer.id for answer in found] == list(range(number))
    assert [answer.why for answer in found] == [None, *["seat_taken"] * (number - 1)]


def test_presses_of_the_same_moment_keep_their_order(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.play(4)
        moment = game_of(local_table.daemon.table).movement
        assert moment is not None
        for first, second in ((1, 2), (2, 1), (5, 3)):
            local_table.inbox.put(ButtonPressed(f"display.{first}", moment.at))
            local_table.inbox.put(ButtonPressed(f"display.{second}", moment.at))
            until(lambda second=second: chosen(local_table) == second, "the second")  # type: ignore[misc]


def test_a_press_is_answered_after_its_snapshot(path: Path) -> None:
    """A client that was answered could still read the snapshot from before its press."""
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


def test_an_unchanged_frame_is_sent_again_but_an_unchanged_snapshot_is_not(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.press("seat.1.floor")
        until(lambda: local_table.publisher.snapshot["seats"][0]["taken"], "the snapshot")
        snapshots, shown = local_table.publisher.snapshots, local_table.hardware.frames_shown
        until(lambda: local_table.hardware.frames_shown >= shown + 3, "the lights")
        assert local_table.publisher.snapshots == snapshots


def test_stop_comes_before_the_events_behind_it(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.inbox.put(Stop())
        for _ in range(10_000):
            local_table.inbox.put(ButtonPressed("seat.1.floor", 0.0))
    assert not local_table.daemon.table.seats.taken


def test_a_solo_game_goes_on_after_a_restart(path: Path) -> None:
    """Two boards for one player were taken for damage."""
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


def test_the_first_player_is_drawn_once(path: Path) -> None:
    with LocalTable(path) as local_table:
        for button in ("seat.1.floor", "seat.2.floor", "seat.4.floor", "ok", "centre"):
            assert local_table.press(button).taken
        first = local_table.snapshot["first"]
        assert first in (1, 2, 4)
    with LocalTable(path) as local_table:
        assert local_table.snapshot["first"] == first


# --- One turn after the other, in this thread ------------------------------------------------------------

NOW = 1000.0


class Turns:
    """A loop that runs in this thread for so many turns, with a clock that stands still.

    `at_turn` has functions to call at the end of a turn, numbered from 1. The object is also the lights, the
    publisher and the observer of its loop, and records their calls.
    """

    frames_wanted = False
    subscribed = True

    def __init__(self, path: Path, simulated: SimulatedParts = NOT_SIMULATED) -> None:
        self.inbox: Inbox = SimpleQueue()
        self.notes: list[str] = []
        self.snapshots: list[Message] = []
        self.observed: list[Table] = []
        self.turns = 0
        self.at_turn: dict[int, Callable[[], None]] = {}
        self.log: list[str] = []
        self.now = NOW
        self.loop = TableLoop(
            read_layout("full"),
            path,
            BOX,
            self.inbox,
            self,
            self,
            clock=lambda: self.now,
            simulated=simulated,
            observers=[self.observe],
            log=self.log.append,
        )

    def run(self, turns: int) -> Turns:
        self.at_turn[turns] = lambda: self.inbox.put(Stop())
        self.loop.run(lambda: self.notes.append("ready"), self.turn)
        return self

    def turn(self) -> None:
        self.turns += 1
        self.at_turn.get(self.turns, lambda: None)()

    def show(self, _frame: LightFrame) -> None:
        self.notes.append("lights")

    def publish_beat(self) -> None:
        self.notes.append("beat")

    def publish_snapshot(self, line: bytes) -> None:
        self.notes.append("snapshot")
        self.snapshots.append(json.loads(line)["snapshot"])

    def publish_frame(self, _line: bytes) -> None:
        self.notes.append("frame")

    def close(self) -> None:
        self.notes.append("close")

    def observe(self, table: Table) -> None:
        self.observed.append(table)


def test_the_lights_come_before_the_snapshot_and_both_before_ready(path: Path) -> None:
    assert Turns(path).run(1).notes[:3] == ["lights", "snapshot", "ready"]


def test_the_loop_beats_once_a_second_while_somebody_is_subscribed(path: Path) -> None:
    """A hung table was not noticed for minutes, as an idle one sent nothing either."""
    turns = Turns(path)
    for number in range(1, 60):
        turns.at_turn[number] = lambda: setattr(turns, "now", turns.now + 1 / TICKS_A_SECOND)
    assert 4 <= turns.run(60).notes.count("beat") <= 6
    turns = Turns(path)
    turns.subscribed = False
    assert "beat" not in turns.run(3).notes


def test_frames_are_published_only_for_subscribers(path: Path) -> None:
    turns = Turns(path)
    assert "frame" not in turns.run(1).notes
    turns = Turns(path)
    turns.frames_wanted = True
    assert turns.run(1).notes[:2] == ["lights", "frame"]


def test_lights_that_are_back_get_a_frame_at_once(path: Path) -> None:
    turns = Turns(path)
    turns.at_turn[2] = lambda: turns.inbox.put(PartBack("lights", NOW))
    assert turns.run(5).notes.count("lights") == 2
    assert Turns(path).run(5).notes.count("lights") == 1, "the clock stands still: nothing else is due"


def test_lost_parts_are_in_the_snapshot_with_the_time_of_day(path: Path) -> None:
    before = time.time()
    turns = Turns(path)
    turns.inbox.put(PartLost("lights", Loss.ABSENT, "no strip", NOW - 60))
    turns.run(1)
    (fault,) = turns.snapshots[-1]["faults"]
    assert (fault["part"], fault["why"]) == ("lights", "absent")
    assert before - 61 <= fault["since"] <= time.time() - 59
    assert turns.log == ["Lost: lights: no strip"]


def test_a_lost_part_stays_lost_when_a_new_file_is_begun(path: Path) -> None:
    path.write_bytes(b"no database")
    turns = Turns(path)
    turns.inbox.put(PartLost("lights", Loss.ABSENT, "no strip", NOW))
    turns.inbox.put(ButtonPressed("ok", NOW))
    faults = turns.run(1).loop.table.faults
    assert faults.store is None
    assert [lost.part for lost in faults.parts] == ["lights"]


def test_a_tag_means_the_same_however_its_reader_writes_it(path: Path) -> None:
    turns = Turns(path)
    turns.inbox.put(Request(TeachTiles("r"), lambda _answer: None))
    turns.inbox.put(TagArrived("shared", "04:a1 b2", NOW))
    turns.inbox.put(TagArrived("shared", "04A1B2", NOW))
    assert turns.run(1).loop.table.tags.known.keys() == {"04A1B2"}


def test_messages_of_parts_are_logged_line_by_line(path: Path) -> None:
    turns = Turns(path)
    turns.inbox.put(PartMessage("pico", "first\nsecond", NOW))
    turns.inbox.put(PartBack("pico", NOW))
    assert turns.run(1).log == ["pico: first", "pico: second", "Back: pico"]


def test_observers_see_the_table_after_the_events_of_each_turn(path: Path) -> None:
    turns = Turns(path)
    turns.inbox.put(ButtonPressed("seat.2.floor", NOW))
    turns.at_turn[1] = lambda: turns.inbox.put(ButtonPressed("seat.4.floor", NOW))
    assert [table.seats.taken for table in turns.run(2).observed] == [(2,), (2, 4)]


def test_requests_before_stop_are_answered(path: Path) -> None:
    answers: list[Answer] = []
    turns = Turns(path)
    turns.inbox.put(Request(PressButton("seat.2.floor"), answers.append))
    turns.inbox.put(Stop())
    turns.run(1)
    assert [answer.taken for answer in answers] == [True]


def test_the_store_is_closed_at_the_end(path: Path) -> None:
    """SQLite removes the WAL when the last connection is closed."""
    turns = Turns(path)
    turns.inbox.put(ButtonPressed("seat.2.floor", NOW))
    turns.run(1)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_first_player_is_drawn_among_all_players(path: Path) -> None:
    firsts: set[int] = set()
    for number in range(60):
        if len(firsts) == 3:
            break
        turns = Turns(path.with_name(f"{number}.db"))
        for button in ("seat.1.floor", "seat.2.floor", "seat.4.floor", "ok", "centre"):
            turns.inbox.put(ButtonPressed(button, NOW))
        play = turns.run(1).loop.table.play
        assert play is not None
        firsts.add(play.places[play.setup.first])
    assert firsts == {1, 2, 4}


def test_plugging_the_simulated_pico_is_a_new_snapshot(path: Path) -> None:
    class Pico:
        plugged = True

        def try_press(self, button: str) -> bool:
            return button == "seat.1.floor"

        def try_tag(self, _reader: str, _tag: str) -> bool:
            return False

        def plug(self, *, plugged: bool) -> None:
            self.plugged = plugged

    answers: list[Answer] = []
    turns = Turns(path, SimulatedParts(pico=Pico()))
    messages: list[TableMessage] = [
        PlugPico(plugged=False),
        PressButton("seat.1.floor"),
        PressButton("seat.2.floor"),
    ]
    for number, message in enumerate(messages, 1):
        turns.at_turn[number] = partial(turns.inbox.put, Request(message, answers.append))
    turns.run(5)
    assert [each["simulated"]["plugged"] for each in turns.snapshots] == [True, False, False]
    assert [answer.taken for answer in answers] == [True, True, True]
    assert turns.loop.table.seats.taken == (2,), (
        "the first press went to the Pico, which has yet to report it"
    )


def test_versions_of_snapshots_count_up_also_after_a_restart(path: Path) -> None:
    versions = []
    for _ in range(2):
        turns = Turns(path)
        turns.inbox.put(ButtonPressed("seat.2.floor", NOW))
        turns.at_turn[1] = lambda: None
        versions += [each["version"] for each in turns.run(2).snapshots]
    assert versions == sorted(set(versions))
    assert versions[0] > (time.time() - 3600) * 1000


def test_draws_differ_by_their_number_and_the_seed() -> None:
    play = greedy_game(STANDARD)
    deals = [number for number, event in enumerate(play.events) if isinstance(event, Deal)]
    first, second = (resume(STANDARD, play.places, play.events[:number]) for number in deals[:2])
    assert seeded_draw(first, "a") == seeded_draw(first, "a") != seeded_draw(first, "b")
    same_bag = replace(second, state=first.state)
    assert seeded_draw(same_bag, "a") != seeded_draw(first, "a")
