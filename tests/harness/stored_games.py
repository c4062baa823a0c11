"""Finished and stopped games, and stores that hold them, made without a running table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from device.bots.simple import play_greedy
from device.rules import game
from device.rules.events import Event
from device.rules.game import Setup, State
from device.rules.notation import text_of
from device.store.store import Store
from device.table.game import Play
from device.table.state import CurrentGame, TableSettings, new_table

STANDARD = Setup("standard", ("Ana", "Rui"))
FOUR = Setup("standard", ("Ana", "Seat 2", "Eva", "Rui"), 2)
GRAY = Setup("gray", ("Ana", "Rui", "Eva"))
DTC = Setup("dtc", ("Ana", "Rui"), 1)
SOLO = Setup("solo", ("Ana",), 0, "easy", "coloured")
SOLO_GRAY = Setup("solo", ("Seat 1",), 0, "expert", "gray")
PLACES = {
    STANDARD: (1, 3),
    FOUR: (1, 2, 3, 4),
    GRAY: (1, 2, 4),
    DTC: (2, 4),
    SOLO: (1, 2),
    SOLO_GRAY: (1, 2),
}
"""Every mode, and the places of its players."""


@cache
def greedy_game(chosen: Setup, seed: int = 1, most: int = 10_000) -> Play:
    """Play a game between greedy bots, with at most so many events."""
    chance = Random(seed)
    state: State = game.setup(chosen)
    events: list[Event] = []
    while not state.over and len(events) < most:
        if state.chance_due:
            event: Event = state.chance(chance.randrange)
        else:
            event = play_greedy(state, chance.randrange)
        events.append(event)
        state = state.apply(event)
    return Play(chosen, PLACES[chosen], state, tuple(events))


@cache
def game_of_dropped_tiles(rounds: int) -> Play:
    """Play so many rounds of a game in which all tiles go to the floor, so that it never ends (R17)."""
    chance = Random(1)
    state: State = game.setup(STANDARD)
    events: list[Event] = []
    while state.round < rounds:
        event = state.chance(chance.randrange) if state.chance_due else state.legal()[-1]
        events.append(event)
        state = state.apply(event)
    return Play(STANDARD, PLACES[STANDARD], state, tuple(events))


def store_games(path: Path, plays: Iterable[Play], *, on_table: bool = False) -> None:
    """Store games one after another; the last one stays on the table if `on_table`."""
    store = Store.open(path)
    blank = new_table(TableSettings(4, 9))
    store.load(blank, 0.0)
    table = blank
    for play in plays:
        store.save(blank)
        table = replace(blank, game=CurrentGame(play))
        store.save(table)
    if not on_table:
        store.save(blank)
    store.close()


def store_grades(path: Path, number: int, grades: Mapping[int, tuple[float, Event]]) -> None:
    """Store the grades of a game: points lost and the best choice, by event number."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT OR REPLACE INTO grades VALUES (?, ?, ?, ?)",
            [(number, at, lost, text_of(best)) for at, (lost, best) in grades.items()],
        )


def execute(path: Path, damage: str) -> None:
    """Change a store's file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)


def damage_game_2(path: Path, damage: str) -> None:
    """Damage the middle one of three games."""
    store_games(path, [greedy_game(STANDARD), greedy_game(STANDARD), greedy_game(SOLO)])
    execute(path, damage + (" AND game = 2" if "events" in damage else " WHERE id = 2"))
