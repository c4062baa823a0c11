"""Recorded games replayed by button presses: on the simulator, and by the loop with its store."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.lights.palettes import BOX
from device.records.record import Record, write
from device.rules.events import Chance, Event, Tile
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome
from device.runtime.loop import Inbox, Stop, TableLoop
from device.socket.snapshot import Json, snapshot
from device.store.store import Store
from device.table.state import PlayerNamed, Stage, TableSettings, new_table
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout
from tests.harness.sampling import some
from tests.table.simulator import (
    DUO,
    FULL,
    RECORDS,
    Simulator,
    begin_game,
    empty_table,
    finished,
    games_of,
    grouped_by_seat,
    play_record,
    record_files,
    recorded_draws,
)

FILES = record_files()
PLACES = {1: (1,), 2: (2, 4), 3: (1, 3, 4), 4: (1, 2, 3, 4)}
"""The places of the players of a record; not always next to each other."""


def named(path: Path) -> str:
    """Return the name of a test: a file with its folder."""
    return f"{path.parent.name}-{path.stem}"


def test_the_shared_records_are_played_too() -> None:
    if not RECORDS.is_dir():
        pytest.skip(
            "the folder of shared records is not beside this one: our own golden games alone are played"
        )
    modes = {each.setup.mode for path in RECORDS.glob("*.jsonl") for each in games_of(path)}
    assert modes == {"standard", "gray", "dtc", "solo"}


def seated(recorded: Record, places: tuple[int, ...]) -> Simulator:
    """Return a table where the game of a record begins."""
    return begin_game(empty_table(draw=recorded_draws(recorded.events)), recorded.setup, places)


def recorded_result(recorded: Record) -> Json:
    """Return the result of a record in the words of the snapshot."""
    outcome = recorded.outcome
    if isinstance(outcome, SoloOutcome):
        return {"score": outcome.score, "victory": outcome.victory.value.replace(" ", "_")}
    return {"scores": list(outcome.scores), "winners": list(outcome.winners)}


def shown_result(shown: Json) -> Json:
    """Return the result of a snapshot, winners as seats."""
    result = shown["result"]
    if "victory" in result:
        return {"score": result["score"], "victory": result["victory"]}
    winners = [seat for seat, each in enumerate(result["scores"]) if each["winner"]]
    return {"scores": [each["score"] for each in result["scores"]], "winners": winners}


# --- Every game on the simulator ---


@pytest.mark.parametrize("path", some(FILES), ids=named)
def test_every_game_is_played_to_the_same_end(path: Path) -> None:
    for recorded in some(games_of(path)):
        sim = play_record(seated(recorded, PLACES[len(recorded.setup.players)]), recorded)
        assert sim.refusals == 0, "nothing that a record does is refused"
        assert sim.play.events == recorded.events
        if not finished(recorded):
            assert sim.play.state.outcome() is None, "at the table, people play on"
            continue
        assert sim.play.state.outcome() == recorded.outcome
        assert write(recorded.setup, sim.skip().play.events) == write(recorded.setup, recorded.events)
        assert shown_result(snapshot(sim.table, BOX)) == recorded_result(recorded)


GRAY = [path for path in FILES if path.stem.startswith("gray")]


@pytest.mark.parametrize("path", some(GRAY), ids=named)
def test_columns_pressed_from_the_last_seat_to_the_first_give_the_same_game(path: Path) -> None:
    """G3: the seats choose at the same time, so a record's order of seats is one of many."""
    for recorded in some(games_of(path), 3):
        places = PLACES[len(recorded.setup.players)]
        sim = seated(recorded, places)
        for event in from_last_seat(recorded.events):
            if not isinstance(event, Chance):
                sim.skip().make(event)
        assert sim.play.events != recorded.events
        assert grouped_by_seat(sim.play.events) == list(recorded.events)
        assert sim.play.state == play_record(seated(recorded, places), recorded).play.state


def from_last_seat(events: tuple[Event, ...]) -> list[Event]:
    """Return events with each round's placements from the last seat to the first."""
    turned = [
        Tile(-event.seat, event.row, event.column) if isinstance(event, Tile) else event for event in events
    ]
    return [
        Tile(-event.seat, event.row, event.column) if isinstance(event, Tile) else event
        for event in grouped_by_seat(turned)
    ]


# --- Games by the loop ---

NOW = 1000.25
"""The time of all presses, in seconds; a fast pulse is at its brightest."""


class Watching:
    """A client that ends the loop when the snapshot of the last press is published."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.snapshot: Json = {}
        self.frames = 0

    frames_wanted = True
    subscribed = False

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None:
        self.snapshot = json.loads(line)["snapshot"]
        if self.inbox.empty():
            self.inbox.put(Stop())

    def publish_frame(self, line: bytes) -> None:
        assert len(json.loads(line)["colours"]) % 6 == 0
        self.frames += 1


def by_loop(recorded: Record, layout: Layout, store: Path) -> tuple[Json, SimulatedTable]:
    """Play a record's game by the loop; return its last snapshot and the lights."""
    places = tuple(range(1, len(recorded.setup.players) + 1))
    sim = play_record(seated(recorded, places), recorded)
    pressed = (sim.skip() if finished(recorded) else sim).pressed
    inbox: Inbox = SimpleQueue()
    table = SimulatedTable(layout, lambda: NOW)
    table.start(inbox.put)
    for place, name in zip(places, recorded.setup.players, strict=True):
        inbox.put(PlayerNamed(place, name, NOW))
    for button in pressed:
        table.press(button)
    draw = recorded_draws(recorded.events)
    watching = Watching(inbox)
    daemon = TableLoop(
        layout, store, BOX, inbox, table, watching, clock=lambda: NOW, draw=lambda play, _seed: draw(play)
    )
    daemon.run(ready=lambda: None)
    assert watching.frames
    return watching.snapshot, table


BY_LOOP = (
    "standard-4",
    "gray-2",
    "dtc-2",
    "solo-easy-gray",
    "solo-expert-coloured",
    "forfeit",
    "standard-stopped",
)
"""The files of which the loop plays a game: every mode, and games that end in different ways."""


@pytest.mark.parametrize("path", some([path for path in FILES if path.stem in BY_LOOP]), ids=named)
def test_a_game_of_every_mode_is_played_by_the_loop(path: Path, tmp_path: Path) -> None:
    recorded = max(games_of(path), key=finished)  # the first that ended by itself, if there is one
    layout = DUO if len(recorded.setup.players) <= DUO.seats else FULL
    store = tmp_path / "azul-table.db"
    shown, table = by_loop(recorded, layout, store)
    assert shown["mode"] == recorded.setup.mode
    assert shown["refusal"] is None
    if finished(recorded):
        assert shown["stage"] == Stage.OVER
        assert shown_result(shown) == recorded_result(recorded)
        check_lights(table, recorded)
    check_store(store, recorded, layout)


def check_lights(table: SimulatedTable, recorded: Record) -> None:
    """Check the winners' turn lights and all scores."""
    outcome = recorded.outcome
    scores = outcome.scores if isinstance(outcome, Outcome) else (max(0, outcome.score),)
    for seat, score in enumerate(scores, start=1):
        assert max(table.colour(f"seat.{seat}.tens.{score // 10 % 10}")) > 0
        assert max(table.colour(f"seat.{seat}.units.{score % 10}")) > 0
    winners = outcome.winners if isinstance(outcome, Outcome) else ()
    lit = [max(table.colour(f"seat.{seat + 1}.turn")) > 0 for seat in range(len(scores))]
    assert lit == [seat in winners for seat in range(len(scores))]


def check_store(path: Path, recorded: Record, layout: Layout) -> None:
    """Check that the store holds the game of the record."""
    store = Store.open(path)
    kept = store.load(new_table(TableSettings(layout.seats, layout.displays)), 0.0).play
    store.close()
    assert kept is not None
    assert kept.setup == recorded.setup
    assert grouped_by_seat(kept.events) == list(recorded.events)
    ended = int(finished(recorded))
    assert kept.state.outcome() == (recorded.outcome if ended else None)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*), count(ended) FROM games").fetchone() == (1, ended)
