"""The store: what was saved comes back, and nothing else is kept."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from device.lights.palettes import PALETTES
from device.rules.game import Setup
from device.rules.notation import text_of
from device.rules.tiles import Colour
from device.runtime.loop import seeded_draw
from device.socket.snapshot import snapshot
from device.store.store import Store, StoreError, newest_file, next_file
from device.table.game import resume
from device.table.state import (
    ChanceDrawn,
    GameOptions,
    PlayerNamed,
    Question,
    ReportedTile,
    Table,
    Tick,
    TileShown,
    needed_draw,
    new_table,
)
from device.table.update import update
from hardware.api import ButtonPressed
from tests.harness.hands import next_button
from tests.harness.local_table import LocalTable
from tests.harness.mirror import without
from tests.harness.past import PLACES, STANDARD, played

SEED = "7"


def press(table: Table, *buttons: str) -> Table:
    """The table after presses, a second apart, and after what they let chance do."""
    for at, button in enumerate(buttons, 1):
        table = update(table, ButtonPressed(button, float(at)))
        while needed_draw(table) is not None:
            assert table.play is not None
            table = update(table, ChanceDrawn(seeded_draw(table.play, SEED), 0.0))
    return table


def whole_game(seats: tuple[int, ...] = (1, 3)) -> list[Table]:
    """Every choice of a whole game, from the empty table to the game's end."""
    tables = [new_table(4, 9)]
    while button := next_button(snapshot(tables[-1], PALETTES["box"]), seats):
        tables.append(press(tables[-1], button))
    return tables


def random_game(seats: tuple[str, ...], mode: str, presses: int) -> list[Table]:
    """Choices of a game of any mode, by random live buttons."""
    dice = random.Random(mode)
    table = press(new_table(4, 9), *seats, "ok", mode, seats[0])
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


def after_pulled_plug(path: Path, elsewhere: Path, *, resin: bool = False) -> Table:
    """What another process finds in the files as they are at this moment."""
    elsewhere.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, elsewhere)
    store = Store.open(elsewhere / path.name)
    try:
        return store.load(new_table(4, 9, resin=resin), 0.0)
    finally:
        store.close()
        shutil.rmtree(elsewhere)


def as_kept(table: Table) -> Table:
    """A table as it must come back: without what is of the moment only, and with the question."""
    goes_on = table.play is not None and not table.play.over
    ceremony = table.ceremony and replace(table.ceremony, since=0.0)
    question = Question.YOUR_BOARD if goes_on else None
    return replace(table, refusal=None, movement=None, question=question, ceremony=ceremony)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "azul-table.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store.open(path)
    yield store
    store.close()


@pytest.fixture
def saved(store: Store, path: Path, tmp_path: Path) -> Callable[[Table], None]:
    """Save a table in the one open store, and check what a pulled plug would leave of it."""
    store.load(new_table(4, 9), 0.0)

    def save(table: Table) -> None:
        store.save(table)
        assert after_pulled_plug(path, tmp_path / "elsewhere", resin=table.resin) == as_kept(table)

    return save


def test_a_new_store_holds_an_empty_table(path: Path) -> None:
    store = Store.open(path)
    assert store.load(new_table(4, 9), 0.0) == new_table(4, 9)
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_every_choice_of_a_whole_game_comes_back(saved: Callable[[Table], None]) -> None:
    for table in whole_game():
        saved(table)


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
def test_choices_of_every_mode_come_back(
    saved: Callable[[Table], None], seats: tuple[str, ...], mode: str
) -> None:
    for table in random_game(seats, mode, 150):
        saved(table)


def ended(chosen: Setup) -> Table:
    """The table when a game has ended."""
    play = resume(chosen, PLACES[chosen], played(chosen).events)
    taken = play.places[: len(chosen.players)]
    return replace(new_table(4, 9), play=play, taken=taken, wishes=GameOptions(chosen.mode))


@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_the_last_result_comes_back_until_another_game_begins(
    saved: Callable[[Table], None], chosen: Setup
) -> None:
    """It was on the pages no more after a restart."""
    table = ended(chosen)
    saved(table)
    for button in ("ok", "undo", "ok"):
        table = press(table, button)
        assert table.last_game is not None
        saved(table)
    begun = press(table, f"seat.{table.taken[0]}.floor")
    saved(begun)
    stopped = press(begun, "undo", "ok")
    assert stopped.play is stopped.last_game is None
    saved(stopped)


def test_a_last_game_that_can_not_be_read_has_no_result_and_stops_nothing(path: Path) -> None:
    store = Store.open(path)
    store.load(new_table(4, 9), 0.0)
    store.save(ended(STANDARD))
    table = press(ended(STANDARD), "ok")
    store.save(table)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET event = '9k5' WHERE number = 4")
    store = Store.open(path)
    assert store.load(new_table(4, 9), 0.0) == replace(table, last_game=None)
    store.close()


def test_how_far_a_ceremony_is_comes_back(saved: Callable[[Table], None]) -> None:
    table = next(table for table in whole_game() if table.ceremony is not None)
    at = 0.0
    while table.ceremony is not None:
        saved(table)
        at += 0.7
        table = update(table, Tick(at))


def test_tiles_of_resin_told_so_far_come_back(saved: Callable[[Table], None]) -> None:
    table = press(new_table(4, 9, resin=True), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    for number in range(20):
        saved(table)
        tag = f"{number:010}" if number % 2 else None
        table = update(table, TileShown(Colour(number % 5), None, tag, 0.0))
    assert table.told == ()
    assert table.play is not None
    assert len(table.play.events) == 1
    saved(table)
    saved(press(table, "display.1"))


def test_tiles_told_are_forgotten_where_the_lights_are_the_tiles(path: Path) -> None:
    store = Store.open(path)
    table = press(new_table(4, 9, resin=True), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    store.save(update(table, TileShown(Colour(0), None, None, 0.0)))
    store.close()
    store = Store.open(path)
    assert store.load(new_table(4, 9), 0.0).told == ()
    store.close()


def test_tiles_told_that_cant_be_are_damage(path: Path) -> None:
    table = press(new_table(4, 9, resin=True), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    for told in (
        20 * [ReportedTile(Colour(0))],
        21 * [ReportedTile(Colour(1))],
        500 * [ReportedTile(Colour(2))],
    ):
        store = Store.open(path)
        store.save(replace(table, told=tuple(told)))
        with pytest.raises(StoreError, match="told"):
            store.load(table, 0.0)
        store.close()


def test_seats_wishes_and_names_come_back(saved: Callable[[Table], None]) -> None:
    table = update(new_table(4, 9), PlayerNamed(3, "Ana 🐟", 0.0))
    saved(table)
    for button in ("seat.3.floor", "seat.1.line.2", "ok", "display.2", "undo", "undo", "undo"):
        table = press(table, button)
        saved(table)


def test_saving_the_same_again_writes_nothing(store: Store, path: Path) -> None:
    table = whole_game()[20]
    store.save(table)
    before = (path.with_name(path.name + "-wal")).read_bytes()
    store.save(table)
    store.save(update(table, Tick(1.0)))
    store.save(press(table, "display.9"))  # refused
    assert (path.with_name(path.name + "-wal")).read_bytes() == before


def test_events_are_added_and_undo_takes_them_away(store: Store, path: Path) -> None:
    table = press(new_table(4, 9), "seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    for button in ("display.1", "seat.1.line.5", "display.2", "seat.2.line.5", "undo"):
        table = press(table, button)
        store.save(table)
        assert table.play is not None
        kept = rows(path, "SELECT event FROM events WHERE game = 1 ORDER BY number")
        assert [text for (text,) in kept] == [text_of(event) for event in table.play.events]
    assert len(kept) == 2  # a deal and a draft


def test_the_end_is_noted_and_taken_back_with_the_last_choice(store: Store, path: Path) -> None:
    over = whole_game()[-1]
    store.save(over)
    assert rows(path, "SELECT ended IS NOT NULL FROM games") == [(1,)]
    store.save(press(over, "undo"))
    assert rows(path, "SELECT ended FROM games") == [(None,)]
    store.save(over)
    assert rows(path, "SELECT ended IS NOT NULL FROM games") == [(1,)]


def test_games_follow_each_other_and_earlier_ones_are_kept(store: Store, path: Path) -> None:
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


def test_players_are_kept_by_name(store: Store, path: Path) -> None:
    table = update(new_table(4, 9), PlayerNamed(2, "Ana", 0.0))
    table = press(table, "seat.2.floor", "seat.1.floor", "ok", "seat.1.floor")
    store.save(table)
    store.save(press(table, "undo", "ok"))  # stopped
    store.save(press(table, "undo", "ok", "seat.2.floor"))  # another game of the same
    assert rows(path, "SELECT name FROM players ORDER BY id") == [("Seat 1",), ("Ana",)]
    players = "SELECT game, seat, name FROM game_players JOIN players ON player = players.id ORDER BY 1, 2"
    assert rows(path, players) == [(1, 0, "Seat 1"), (1, 1, "Ana"), (2, 0, "Seat 1"), (2, 1, "Ana")]


def test_a_write_that_was_torn_leaves_the_choice_before(store: Store, path: Path, tmp_path: Path) -> None:
    """The plug was pulled while the last page was on its way to the disk."""
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
        assert found.load(new_table(4, 9), 0.0) in [new_table(4, 9), *map(as_kept, tables)], cut
        found.close()


def test_where_nothing_can_be_written_the_table_says_so_and_loses_nothing(path: Path) -> None:
    store = Store.open(path)
    table = whole_game()[30]
    store.save(table)
    store._connection.execute("PRAGMA max_page_count = 1")  # the disk is full
    ahead = table
    with pytest.raises(StoreError, match=r"azul-table\.db: the game can't be saved: .*full") as caught:
        for _ in range(2000):
            ahead = press(ahead, next_button(snapshot(ahead, PALETTES["box"])) or "ok")
            store.save(ahead)
    assert caught.value.why == "unreadable"
    with pytest.raises(StoreError):
        store.save(ahead)
    store._connection.execute("PRAGMA max_page_count = 100000")
    store.save(ahead)
    store.close()
    assert Store.open(path).load(new_table(4, 9), 0.0) == as_kept(ahead)


def test_the_newest_file_is_used_and_the_next_number_is_offered(tmp_path: Path) -> None:
    assert newest_file(tmp_path).name == "azul-table.db"
    for name in ("azul-table.db", "azul-table-2.db", "azul-table-10.db", "azul-table-11.db.old", "azul.db"):
        (tmp_path / name).touch()
    assert newest_file(tmp_path).name == "azul-table-10.db"
    assert next_file(newest_file(tmp_path)).name == "azul-table-11.db"
    assert next_file(tmp_path / "azul-table.db").name == "azul-table-2.db"


@pytest.mark.system
def test_while_another_program_holds_the_store_the_table_stays_awake(tmp_path: Path) -> None:
    """Once, every save waited five seconds for it, and the lights and every answer with it."""
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


def renamed(path: Path) -> None:
    path.rename(path.with_name("moved"))


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
@pytest.mark.usefixtures("patient")
def test_a_file_that_is_taken_away_while_the_table_runs_loses_nothing(
    path: Path, take_away: Callable[[Path], None]
) -> None:
    """It went on into a file that had no name any more, and after a restart nothing was left."""
    with LocalTable(path) as local_table:
        local_table.play(1000)
        assert local_table.snapshot["stage"] == "over"
        local_table.press("ok")
        local_table.play(12)
        take_away(path)
        local_table.play(3)
        local_table.press("undo")
        after = local_table.snapshot
    with LocalTable(newest_file(path.parent)) as local_table:
        assert local_table.press("ok").taken
        assert without(local_table.snapshot) == without(after)
    games = rows(newest_file(path.parent), "SELECT ended IS NOT NULL FROM games ORDER BY id")
    assert games == [(1,), (0,)]


@pytest.mark.parametrize("put", [shutil.copy, os.rename], ids=["a copy", "renamed"])
def test_a_file_that_is_replaced_and_opened_while_the_table_runs_loses_no_choice(
    path: Path, put: Callable[[Path, Path], object]
) -> None:
    """Whoever opens it writes the log of the old one into it: so the old one is spoilt, too."""
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
        assert without(local_table.snapshot) == without(after)


def test_where_the_folder_is_taken_away_nothing_is_said_to_be_saved(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with LocalTable(folder / "azul-table.db") as local_table:
        assert local_table.press("seat.1.floor").taken
        folder.rename(tmp_path / "elsewhere")
        assert local_table.press("seat.2.floor").why == "not_saved"
        (tmp_path / "elsewhere").rename(folder)
        assert local_table.press("seat.2.floor").taken


def test_a_table_that_starts_while_another_program_holds_the_store_finds_its_game(path: Path) -> None:
    with LocalTable(path) as local_table:
        local_table.play(12)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with LocalTable(path) as local_table:
            assert local_table.snapshot["stage"] == "offer"
