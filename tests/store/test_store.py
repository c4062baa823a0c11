"""The store: everything that was saved is loaded again, and every fault of the file is reported."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

import pytest
from hypothesis import settings

from device.lights.palettes import PALETTES
from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.tiles import Colour
from device.runtime.loop import seeded_draw
from device.socket.snapshot import snapshot
from device.store import archive
from device.store.store import Store, StoreError, newest_file, next_file
from device.table.game import resume
from device.table.state import (
    ChanceDrawn,
    CurrentGame,
    GameOptions,
    NextGame,
    PlayerNamed,
    Question,
    ReportedTile,
    Stage,
    Table,
    TableSettings,
    TagState,
    Tick,
    TileShown,
    needed_draw,
    new_table,
)
from device.table.tags import PlayerCard, TileTag
from device.table.update import update
from hardware.api import ButtonPressed
from tests.harness.local_table import LocalTable
from tests.harness.player import next_button
from tests.harness.reference_table import game_part
from tests.harness.stored_games import PLACES, STANDARD, greedy_game, store_games
from tests.harness.waiting import DEADLINE
from tests.table.simulator import game_of, with_game

SEED = "7"


def press(table: Table, *buttons: str) -> Table:
    """Return the table after presses, one second apart, and after the chance events that follow."""
    for at, button in enumerate(buttons, 1):
        table = update(table, ButtonPressed(button, float(at)))
        while needed_draw(table) is not None:
            assert table.play is not None
            table = update(table, ChanceDrawn(seeded_draw(table.play, SEED), 0.0))
    return table


@cache
def whole_game(seats: tuple[int, ...] = (1, 3)) -> list[Table]:
    """Return the table after each press of a whole game, from the empty table to the end."""
    tables = [new_table(TableSettings(4, 9))]
    while button := next_button(snapshot(tables[-1], PALETTES["box"]), seats):
        tables.append(press(tables[-1], button))
    return tables


def random_game(seats: tuple[str, ...], mode: str, presses: int) -> list[Table]:
    """Return the table after each of so many random presses in a game of any mode."""
    dice = random.Random(mode)
    table = press(new_table(TableSettings(4, 9)), *seats, "ok", mode, seats[0])
    assert table.play is not None
    tables = [table]
    for _ in range(presses):
        live = snapshot(tables[-1], PALETTES["box"])["live"]
        may = [button for button in live if button != "undo" or dice.random() < 0.1]
        tables.append(press(tables[-1], dice.choice(may)))
        if tables[-1].play is None or tables[-1].play.over:
            break
    return tables


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def after_power_cut(path: Path, elsewhere: Path, *, physical_tiles: bool = False) -> Table:
    """Load the table from a copy of the files as they are now."""
    elsewhere.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, elsewhere)
    store = Store.open(elsewhere / path.name)
    try:
        return store.load(new_table(TableSettings(4, 9, physical_tiles=physical_tiles)), 0.0)
    finally:
        store.close()
        shutil.rmtree(elsewhere)


def as_loaded(table: Table) -> Table:
    """Return a table as it must be loaded: without passing states, and with the question of its board."""
    table = replace(table, refusal=None)
    if table.game is None:
        return table
    animation = table.game.animation and replace(table.game.animation, since=0.0)
    question = None if table.game.play.over else Question.YOUR_BOARD
    return with_game(table, movement=None, question=question, animation=animation, over_since=None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store.open(path)
    yield store
    store.close()


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The connections to databases that the test has opened."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def remember(*given: Any, **named: Any) -> sqlite3.Connection:
        opened.append(connect(*given, **named))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remember)
    return opened


@pytest.fixture
def saved(store: Store, path: Path, tmp_path: Path) -> Callable[[Table], None]:
    """Save a table in the one open store, and check what a power cut would leave of it."""
    store.load(new_table(TableSettings(4, 9)), 0.0)

    def save(table: Table) -> None:
        store.save(table)
        assert after_power_cut(
            path, tmp_path / "elsewhere", physical_tiles=table.settings.physical_tiles
        ) == as_loaded(table)

    return save


def test_a_new_store_has_an_empty_table(path: Path) -> None:
    store = Store.open(path)
    assert store.load(new_table(TableSettings(4, 9)), 0.0) == new_table(TableSettings(4, 9))
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def some_presses(tables: list[Table]) -> Iterator[Table]:
    """Yield all tables; in `make check` each sixteenth, and one of every stage, round and seats to act."""
    if settings.get_current_profile_name() != "quick":
        yield from tables
        return
    seen = set[tuple[object, ...]]()
    for number, table in enumerate(tables):
        state = table.play and table.play.state
        moment = (table.stage, state and (state.round, state.to_act()))
        if moment not in seen or number % 16 == 0:
            seen.add(moment)
            yield table


@pytest.mark.slow
def test_every_choice_of_a_whole_game_is_loaded_again(store: Store, path: Path, tmp_path: Path) -> None:
    tables = whole_game()
    checked = {id(table) for table in some_presses(tables)}
    for table in tables:
        store.save(table)
        if id(table) in checked:
            assert after_power_cut(path, tmp_path / "elsewhere") == as_loaded(table)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "mode"),
    [
        (("seat.1.floor", "seat.2.floor", "seat.4.floor"), "display.1"),
        (("seat.2.floor", "seat.1.floor", "seat.3.floor", "seat.4.floor"), "display.2"),
        (("seat.4.floor", "seat.2.floor"), "display.3"),
        (("seat.1.floor",), "display.1"),
    ],
    ids=["standard", "gray", "bots", "solo"],
)
def test_choices_of_every_mode_are_loaded_again(
    saved: Callable[[Table], None], seats: tuple[str, ...], mode: str
) -> None:
    for table in some_presses(random_game(seats, mode, 150)):
        saved(table)


def ended(chosen: Setup) -> Table:
    """Return the table at the end of a game."""
    play = resume(chosen, PLACES[chosen], greedy_game(chosen).events)
    taken = play.places[: len(chosen.players)]
    table = new_table(TableSettings(4, 9))
    return replace(
        table,
        seats=replace(table.seats, taken=taken),
        next_game=NextGame(GameOptions(chosen.mode)),
        game=CurrentGame(play),
    )


@pytest.mark.slow
@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_the_last_result_is_loaded_until_another_game_begins(
    saved: Callable[[Table], None], chosen: Setup
) -> None:
    """It was missing from the pages after a restart."""
    table = ended(chosen)
    saved(table)
    for button in ("ok", "undo", "ok"):
        table = press(table, button)
        assert table.last_game is not None
        saved(table)
    begun = press(table, f"seat.{table.seats.taken[0]}.floor")
    saved(begun)
    stopped = press(begun, "undo", "ok")
    assert stopped.play is stopped.last_game is None
    saved(stopped)


def test_a_damaged_last_game_only_loses_its_result(path: Path) -> None:
    store = Store.open(path)
    store.load(new_table(TableSettings(4, 9)), 0.0)
    store.save(ended(STANDARD))
    table = press(ended(STANDARD), "ok")
    store.save(table)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET event = '9k5' WHERE number = 4")
    store = Store.open(path)
    assert store.load(new_table(TableSettings(4, 9)), 0.0) == replace(table, last_game=None)
    store.close()


def test_the_step_of_the_score_animation_is_loaded_again(saved: Callable[[Table], None]) -> None:
    table = next(table for table in whole_game() if table.stage is Stage.SCORING)
    at = 0.0
    while table.stage is Stage.SCORING:
        saved(table)
        at += 0.7
        table = update(table, Tick(at))


def test_reported_tiles_are_loaded_again(saved: Callable[[Table], None]) -> None:
    table = press(
        new_table(TableSettings(4, 9, physical_tiles=True)),
        "seat.1.floor",
        "seat.2.floor",
        "ok",
        "seat.1.floor",
    )
    for number in range(20):
        saved(table)
        tag = f"{number:010}" if number % 2 else None
        table = update(table, TileShown(Colour(number % 5), None, tag, 0.0))
    assert game_of(table).reported_tiles == ()
    assert table.play is not None
    assert len(table.play.events) == 1
    saved(table)
    saved(press(table, "display.1"))


def test_reported_tiles_are_dropped_on_a_table_without_physical_tiles(path: Path) -> None:
    store = Store.open(path)
    table = press(
        new_table(TableSettings(4, 9, physical_tiles=True)),
        "seat.1.floor",
        "seat.2.floor",
        "ok",
        "seat.1.floor",
    )
    store.save(update(table, TileShown(Colour(0), None, None, 0.0)))
    store.close()
    store = Store.open(path)
    assert game_of(store.load(new_table(TableSettings(4, 9)), 0.0)).reported_tiles == ()
    store.close()


def test_impossible_reported_tiles_are_damage(path: Path) -> None:
    table = press(
        new_table(TableSettings(4, 9, physical_tiles=True)),
        "seat.1.floor",
        "seat.2.floor",
        "ok",
        "seat.1.floor",
    )
    for reported in (
        20 * [ReportedTile(Colour(0))],
        21 * [ReportedTile(Colour(1))],
        500 * [ReportedTile(Colour(2))],
    ):
        store = Store.open(path)
        store.save(with_game(table, reported_tiles=tuple(reported)))
        with pytest.raises(StoreError, match="reported tiles"):
            store.load(table, 0.0)
        store.close()


def test_seats_options_and_names_are_loaded_again(saved: Callable[[Table], None]) -> None:
    table = update(new_table(TableSettings(4, 9)), PlayerNamed(3, "Ana 🐟", 0.0))
    saved(table)
    for button in ("seat.3.floor", "seat.1.line.2", "ok", "display.2", "undo", "undo", "undo"):
        table = press(table, button)
        saved(table)


def test_saving_an_unchanged_table_writes_nothing(store: Store, path: Path) -> None:
    table = whole_game()[20]
    store.save(table)
    before = (path.with_name(path.name + "-wal")).read_bytes()
    store.save(table)
    store.save(update(table, Tick(1.0)))
    store.save(press(table, "display.9"))  # refused
    assert (path.with_name(path.name + "-wal")).read_bytes() == before


def test_saving_a_table_as_it_was_loaded_writes_nothing(path: Path) -> None:
    with closing(Store.open(path)) as store:
        store.save(whole_game()[20])
    with closing(Store.open(path)) as store:
        table = store.load(new_table(TableSettings(4, 9)), 0.0)
        before = rows(path, "SELECT * FROM situation")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            version = other.execute("PRAGMA data_version").fetchone()
            store.save(table)
            assert other.execute("PRAGMA data_version").fetchone() == version, "nothing was committed"
    assert rows(path, "SELECT * FROM situation") == before


def test_events_are_inserted_and_undo_deletes_them(store: Store, path: Path) -> None:
    table = press(new_table(TableSettings(4, 9)), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    for button in ("display.1", "seat.1.line.5", "display.2", "seat.2.line.5", "undo"):
        table = press(table, button)
        store.save(table)
        assert table.play is not None
        kept = rows(path, "SELECT event FROM events WHERE game = 1 ORDER BY number")
        assert [text for (text,) in kept] == [text_of(event) for event in table.play.events]
    assert len(kept) == 2  # a deal and a draft


def test_a_tile_in_hand_is_loaded_again(saved: Callable[[Table], None]) -> None:
    table = press(new_table(TableSettings(4, 9)), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    assert table.play is not None
    colour = next(colour for colour in Colour if any(source[colour] for source in table.play.state.sources))
    table = update(table, TileShown(colour, None, None, 0.0))
    assert game_of(table).colour_in_hand is colour
    saved(table)


def test_a_change_of_the_tags_alone_is_saved(store: Store) -> None:
    ana, red = PlayerCard("Ana"), TileTag(Colour.RED)
    store.save_tags({}, {"AA": ana, "BB": red})
    store.save_tags({"AA": ana, "BB": red}, {"AA": red, "CC": ana})
    assert store.tags() == {"AA": red, "CC": ana}


def test_the_end_time_of_a_game_is_set_once(store: Store, path: Path) -> None:
    over = whole_game()[-1]
    store.save(over)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET ended = '2001-02-03 04:05:06'")
    store.save(replace(over, tags=TagState({"AA01": PlayerCard("Ana")})))
    assert rows(path, "SELECT ended FROM games") == [("2001-02-03 04:05:06",)]


def test_a_game_is_stored_with_its_times_and_whether_hints_were_allowed(store: Store, path: Path) -> None:
    table = press(new_table(TableSettings(4, 9)), "seat.1.floor", "seat.2.floor", "ok")
    for hints in (True, False):
        store.save(new_table(TableSettings(4, 9)))
        next_game = NextGame(GameOptions(hints=hints), choosing=True)
        store.save(press(replace(table, next_game=next_game), "seat.1.floor"))
    query = "SELECT hints, ended, abs(unixepoch(started) - unixepoch('now')) < 60 FROM games ORDER BY id"
    assert rows(path, query) == [(1, None, 1), (0, None, 1)]


def test_the_end_time_is_cleared_when_the_last_choice_is_taken_back(store: Store, path: Path) -> None:
    over = whole_game()[-1]
    store.save(over)
    assert rows(path, "SELECT ended IS NOT NULL FROM games") == [(1,)]
    store.save(press(over, "undo"))
    assert rows(path, "SELECT ended FROM games") == [(None,)]
    store.save(over)
    assert rows(path, "SELECT ended IS NOT NULL FROM games") == [(1,)]


def test_earlier_games_stay_in_the_store(store: Store, path: Path) -> None:
    over = whole_game()[-1]
    store.save(over)
    again = press(over, "ok")
    store.save(again)
    assert rows(path, "SELECT game FROM situation") == [(None,)]
    assert rows(path, "SELECT count(*) FROM games") == [(1,)]
    store.save(press(again, "seat.1.floor"))
    assert rows(path, "SELECT game FROM situation") == [(2,)]
    assert rows(path, "SELECT id, ended IS NOT NULL FROM games") == [(1, 1), (2, 0)]
    assert over.play is not None
    assert rows(path, "SELECT count(*) FROM events WHERE game = 1") == [(len(over.play.events),)]
    assert len({seed for (seed,) in rows(path, "SELECT seed FROM games")}) == 2


def test_players_are_stored_once_by_name(store: Store, path: Path) -> None:
    table = update(new_table(TableSettings(4, 9)), PlayerNamed(2, "Ana", 0.0))
    table = press(table, "seat.2.floor", "seat.1.floor", "ok", "seat.1.floor")
    store.save(table)
    store.save(press(table, "undo", "ok"))  # stopped
    store.save(press(table, "undo", "ok", "seat.2.floor"))  # another game of the same
    assert rows(path, "SELECT name FROM players ORDER BY id") == [("Seat 1",), ("Ana",)]
    players = "SELECT game, seat, name FROM game_players JOIN players ON player = players.id ORDER BY 1, 2"
    assert rows(path, players) == [(1, 0, "Seat 1"), (1, 1, "Ana"), (2, 0, "Seat 1"), (2, 1, "Ana")]


def test_a_torn_write_leaves_an_earlier_choice(store: Store, path: Path, tmp_path: Path) -> None:
    """The power was cut while the last page was written to the disk."""
    tables = whole_game()[:30]
    for table in tables:
        store.save(table)
    log = path.with_name(path.name + "-wal")
    whole = log.read_bytes()
    torn = tmp_path / "torn"
    torn.mkdir()
    for cut in (1, 100, 4000, 5000, 20_000, len(whole) - 40, len(whole)):
        shutil.copy(path, torn / path.name)
        (torn / log.name).write_bytes(whole[: len(whole) - cut])
        found = Store.open(torn / path.name)
        assert found.load(new_table(TableSettings(4, 9)), 0.0) in [
            new_table(TableSettings(4, 9)),
            *map(as_loaded, tables),
        ], cut
        found.close()


@pytest.mark.slow
def test_a_full_disk_raises_an_error_and_loses_nothing(
    path: Path, connections: list[sqlite3.Connection]
) -> None:
    store = Store.open(path)
    (connection,) = connections
    table = whole_game()[30]
    store.save(table)
    connection.execute("PRAGMA max_page_count = 1")  # the disk is full
    ahead = table
    with pytest.raises(StoreError, match=r"azul-table\.db: the game can't be saved: .*full") as caught:
        for _ in range(2000):
            ahead = press(ahead, next_button(snapshot(ahead, PALETTES["box"])) or "ok")
            store.save(ahead)
    assert caught.value.why == "unreadable"
    with pytest.raises(StoreError):
        store.save(ahead)
    connection.execute("PRAGMA max_page_count = 100000")
    store.save(ahead)
    store.close()
    assert Store.open(path).load(new_table(TableSettings(4, 9)), 0.0) == as_loaded(ahead)


def test_the_file_with_the_highest_number_is_the_newest(tmp_path: Path) -> None:
    assert newest_file(tmp_path).name == "azul-table.db"
    for name in ("azul-table.db", "azul-table-2.db", "azul-table-10.db", "azul-table-11.db.old", "azul.db"):
        (tmp_path / name).touch()
    assert newest_file(tmp_path).name == "azul-table-10.db"
    assert next_file(newest_file(tmp_path)).name == "azul-table-11.db"
    assert next_file(tmp_path / "azul-table.db").name == "azul-table-2.db"


def test_an_opponent_is_stored_by_its_name_and_not_as_a_person(store: Store, path: Path) -> None:
    table = ended(STANDARD)
    store.save(replace(table, seats=replace(table.seats, bots=("", "", "greedy", ""))))
    players = (
        "SELECT seat, name, bot FROM game_players LEFT JOIN players ON player = players.id ORDER BY seat"
    )
    assert rows(path, players) == [(0, "Ana", None), (1, None, "greedy")]
    assert rows(path, "SELECT name FROM players") == [("Ana",)]
    game = archive.read_game(path, 1)
    assert game is not None
    assert game.bots == {1: "greedy"}


@pytest.mark.system
def test_the_loop_does_not_wait_for_the_lock_of_another_program_twice(tmp_path: Path) -> None:
    """Every save waited five seconds for it, and the lights and all answers with it."""
    path = tmp_path / "azul-table.db"
    with LocalTable(path) as local_table:
        assert local_table.press("seat.1.floor").taken
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(20):
                assert local_table.press("seat.2.floor").why == "not_saved"
            other.execute("ROLLBACK")
        assert local_table.press("seat.2.floor").taken
    with LocalTable(path) as local_table:
        assert [seat["taken"] for seat in local_table.snapshot["seats"]] == [True, True, False, False]


PAUSE = 0.05
"""Seconds for which another program holds the lock of the store."""


def test_a_save_waits_for_a_lock_again_after_a_save_that_succeeded(path: Path) -> None:
    """A save that failed makes the next ones fail at once, but not for ever."""
    table = new_table(TableSettings(4, 9))
    with closing(Store.open(path, patience=DEADLINE)) as store:
        store.save(update(table, PlayerNamed(1, "Ana", 0.0)))
        with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
            other.execute(
                "CREATE TRIGGER full_disk BEFORE INSERT ON situation BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
            with pytest.raises(StoreError, match="full"):
                store.save(update(table, PlayerNamed(1, "Rui", 0.0)))
            other.execute("BEGIN IMMEDIATE")
            began = monotonic()
            with pytest.raises(StoreError, match="locked"):
                store.save(update(table, PlayerNamed(1, "Rui", 0.0)))
            assert monotonic() - began < DEADLINE / 2, "after a failed save it does not wait"
            other.execute("ROLLBACK")
            other.execute("DROP TRIGGER full_disk")
            store.save(update(table, PlayerNamed(1, "Eva", 0.0)))
            other.execute("BEGIN IMMEDIATE")
            release = Timer(PAUSE, other.execute, ("ROLLBACK",))
            release.start()
            try:
                store.save(update(table, PlayerNamed(1, "Ida", 0.0)))
            finally:
                release.join(DEADLINE)
        assert store.load(table, 0.0).seats.names[0] == "Ida"


@pytest.mark.parametrize("removed", [False, True], ids=["a file just opened", "the file was removed"])
def test_after_a_failed_first_save_the_next_does_not_wait_for_a_lock(path: Path, *, removed: bool) -> None:
    table = new_table(TableSettings(4, 9))
    with closing(Store.open(path, patience=DEADLINE)) as store:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            if removed:
                store.save(update(table, PlayerNamed(1, "Ana", 0.0)))
            other.execute(
                "CREATE TRIGGER full_disk BEFORE INSERT ON situation BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        if removed:
            path.unlink()
        with pytest.raises(StoreError, match="full"):
            store.save(update(table, PlayerNamed(1, "Rui", 0.0)))
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = monotonic()
            with pytest.raises(StoreError, match="locked"):
                store.save(update(table, PlayerNamed(1, "Rui", 0.0)))
            assert monotonic() - began < DEADLINE / 2


def test_every_commit_is_written_to_the_disk(path: Path, connections: list[sqlite3.Connection]) -> None:
    """Otherwise a power cut could lose a choice that was shown already."""
    with closing(Store.open(path)):
        (connection,) = connections
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def renamed(path: Path) -> None:
    path.rename(path.with_name("moved"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "take_away",
    [
        lambda path: [each.unlink() for each in path.parent.glob("azul-table.db*")],
        lambda path: path.unlink(),
        lambda path: path.with_name("azul-table.db-wal").unlink(),
        renamed,
    ],
    ids=["all", "the database", "its log", "renamed"],
)
def test_removing_the_file_of_a_running_table_loses_nothing(
    path: Path, take_away: Callable[[Path], None]
) -> None:
    """It went on writing to the removed file, and after a restart nothing was left."""
    store_games(path, [greedy_game(STANDARD)])
    with LocalTable(path) as local_table:
        local_table.play(12)
        take_away(path)
        local_table.play(3)
        local_table.press("undo")
        after = local_table.snapshot
    with LocalTable(newest_file(path.parent)) as local_table:
        assert local_table.press("ok").taken
        assert game_part(local_table.snapshot) == game_part(after)
    games = rows(newest_file(path.parent), "SELECT ended IS NOT NULL FROM games ORDER BY id")
    assert games == [(1,), (0,)]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM events WHERE number = (SELECT max(number) FROM events)",
        "DELETE FROM situation; DELETE FROM events; DELETE FROM game_players; DELETE FROM games",
    ],
    ids=["an event is missing", "the whole game is missing"],
)
def test_a_game_that_the_removed_file_lacks_is_written_whole_with_its_seed(path: Path, damage: str) -> None:
    tables = whole_game()
    with closing(Store.open(path)) as store:
        store.load(new_table(TableSettings(4, 9)), 0.0)
        store.save(tables[20])
        seed = store.seed
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.executescript(damage)
        path.unlink()
        assert store.save(tables[21]), "it is a new file"
        newest = store.path
    with closing(Store.open(newest)) as store:
        assert store.load(new_table(TableSettings(4, 9)), 0.0) == as_loaded(tables[21])
        assert store.seed == seed, "the chance events to come stay the same"


def test_a_game_is_written_whole_if_the_removed_file_is_damaged(path: Path) -> None:
    tables = whole_game()
    with closing(Store.open(path)) as store:
        store.load(new_table(TableSettings(4, 9)), 0.0)
        store.save(tables[20])
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with path.open("r+b") as file:
            file.seek(4096)  # after the first page
            file.write(bytes(path.stat().st_size - 4096))
        path.unlink()
        assert store.save(tables[21]), "it is a new file"
        newest = store.path
    with closing(Store.open(newest)) as store:
        assert store.load(new_table(TableSettings(4, 9)), 0.0) == as_loaded(tables[21])


@pytest.mark.parametrize("put", [shutil.copy, os.rename], ids=["a copy", "renamed"])
def test_replacing_and_opening_the_file_of_a_running_table_loses_no_choice(
    path: Path, put: Callable[[Path, Path], object]
) -> None:
    """A program that opens the new file writes the old WAL into it, and damages the old file as well."""
    with LocalTable(path) as local_table:
        local_table.play(12)
        put(path, path.with_name("other"))
        if path.exists():
            path.with_name("other").replace(path)
        Store.open(path).close()
        local_table.play(3)
        local_table.press("undo")
        after = local_table.snapshot
    with LocalTable(newest_file(path.parent)) as local_table:
        assert local_table.press("ok").taken
        assert game_part(local_table.snapshot) == game_part(after)


def test_a_press_is_refused_while_the_folder_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with LocalTable(folder / "azul-table.db") as local_table:
        assert local_table.press("seat.1.floor").taken
        folder.rename(tmp_path / "elsewhere")
        assert local_table.press("seat.2.floor").why == "not_saved"
        (tmp_path / "elsewhere").rename(folder)
        assert local_table.press("seat.2.floor").taken


def test_a_store_that_is_locked_by_another_program_can_be_loaded(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.play(12)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with LocalTable(path) as local_table:
            assert local_table.snapshot["stage"] == "offer"
