"""A killed table restarts at the same choice: every press that was answered is saved."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from device.store import store
from device.table import game
from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.held_play import HOLD_AT
from tests.harness.reference_table import ReferenceTable, game_part, same_choice
from tests.harness.running import HELD, RunningTable, is_running
from tests.harness.waiting import until

LONG = settings.get_current_profile_name() == "long"
KILLS = 10 if LONG else 6
"""Kills of a table in one game."""
GAMES = 100 if LONG else 1
PRESSES_AT_ONCE = 16
LONGEST_LIFE = 0.03
"""Seconds from some presses to the kill, at most."""


def seed_of_game(data: Path) -> str:
    """Return the seed of the current game, or an empty text."""
    with closing(sqlite3.connect(store.newest_file(data))) as connection:
        rows = connection.execute("SELECT seed FROM games JOIN situation ON game = id").fetchall()
    return str(rows[0][0]) if rows else ""


class Player:
    """Plays by the mirror, which says what the table must stand at."""

    def __init__(self, start: Callable[[], RunningTable]) -> None:
        self.start = start
        self.table = start()
        self.mirror = ReferenceTable()

    def play(self, presses: int) -> None:
        """Press so many buttons, one after another."""
        with self.table.client() as client:
            client.subscribe()
            for _ in range(presses):
                if (button := self.mirror.next_button) is None:
                    return
                answer = client.press(button)
                assert answer["taken"], (answer, self.mirror.snapshot, client.snapshot)
                self.mirror = self.after(button)

    def after(self, button: str) -> ReferenceTable:
        after = self.mirror.pressed(button)
        if after.table.play is not None and not after.seed:
            after.draw(seed_of_game(self.table.data))
        return after

    def kill_during(self, presses: int, life: float) -> None:
        """Press many buttons at once and kill the table meanwhile; it restarts at a choice in between."""
        mirrors = self.ahead(presses)
        buttons = [mirror.next_button for mirror in mirrors[:-1]]
        with self.table.client() as client:
            client.send(*({"type": "press", "button": button} for button in buttons))
            time.sleep(life)  # any moment will do
            self.table.kill()
            answers = client.read_to_end()
        assert all(answer["taken"] for answer in answers), answers
        self.table = self.start()
        shown = self.table.snapshot()
        standing = [at for at, mirror in enumerate(mirrors) if same_choice(shown, mirror)]
        assert standing, (shown, [mirror.snapshot for mirror in mirrors])
        assert standing[-1] >= len(answers), "a press that was answered is lost"
        self.mirror = mirrors[standing[-1]]
        assert_asks_once(shown, self.mirror)
        if shown["ask"]["say"] == "your_board" and self.mirror.next_button == "ok":  # a draft says yes, too
            with self.table.client() as client:
                client.take("ok")

    def ahead(self, presses: int) -> list[ReferenceTable]:
        """The mirror now, and after each of the next presses."""
        mirrors = [self.mirror]
        for _ in range(presses):
            button = mirrors[-1].next_button
            if button is None or button == "ok":  # a ceremony's end depends on the time
                break
            mirrors.append(mirrors[-1].pressed(button))
        return mirrors


def assert_asks_once(shown: Message, mirror: ReferenceTable) -> None:
    game = mirror.table.play
    if game is None or game.over:
        assert shown["ask"] == mirror.snapshot["ask"]
    else:
        assert shown["ask"]["say"] == "your_board"
        assert "ok" in shown["live"]
        assert set(mirror.snapshot["live"]) <= set(shown["live"])


@pytest.mark.parametrize("chance", range(1, GAMES + 1))
def test_killed_at_random_moments_through_a_whole_game(start: StartTable, chance: int) -> None:
    dice = random.Random(chance)
    player = Player(partial(start, command=HELD))
    player.play(4)  # two seats, then how to play, then the first player: the game has begun
    assert player.mirror.table.play is not None
    for _ in range(KILLS):
        player.kill_during(dice.randint(1, PRESSES_AT_ONCE), dice.uniform(0, LONGEST_LIFE))
        player.play(dice.randint(0, 12))
    player.play(1000)
    with player.table.client() as client:
        shown = client.subscribe()
        shown = client.until(lambda shown: bool(shown["result"]))
    assert game_part(shown) == game_part(player.mirror.snapshot)
    player.table.kill()
    player.table = start()
    assert game_part(player.table.snapshot()) == game_part(shown)


def test_a_press_that_was_answered_before_the_kill_is_saved(start: StartTable) -> None:
    player = Player(start)
    for buttons in (["seat.1.floor", "seat.3.line.2", "ok", "seat.3.floor"], ["display.2", "seat.3.line.4"]):
        for button in buttons[:-1]:
            with player.table.client() as client:
                client.take(button)
            player.mirror = player.after(button)
        with player.table.client() as client:
            client.take(buttons[-1])
            player.table.kill()
        player.table = start()
        player.mirror = player.after(buttons[-1])
        assert same_choice(player.table.snapshot(), player.mirror), buttons
        assert_asks_once(player.table.snapshot(), player.mirror)


def test_a_score_animation_goes_on_after_a_kill(start: StartTable) -> None:
    player = Player(partial(start, command=HELD, surroundings={HOLD_AT: "CLOSING"}))
    while player.mirror.snapshot["stage"] != "scoring":
        player.play(1)
    seen = 0
    for wanted in (1, 2):
        with player.table.client() as client:
            client.subscribe()
            shown = client.until(lambda shown, wanted=wanted: steps_shown(shown) >= wanted)  # type: ignore[misc]
            seen = steps_shown(shown)
            player.table.kill()
        player.table = player.start()
        shown = player.table.snapshot()
        assert shown["stage"] == "scoring"
        assert steps_shown(shown) >= seen
        assert same_choice(shown, player.mirror)
        with player.table.client() as client:
            client.take("ok")  # this is my board
    with player.table.client() as client:
        client.subscribe()
        client.until(lambda shown: steps_shown(shown) > seen)  # it goes on by itself
        client.take("ok")  # skip the rest
        shown = client.until(lambda shown: shown["stage"] == "offer")
    assert game_part(shown) == game_part(player.mirror.end_score_animation().snapshot)


def steps_shown(shown: Message) -> int:
    return len(shown["account"]["steps"]) if shown["account"] else 0


def test_a_deal_that_was_taken_back_is_dealt_the_same_after_a_kill(start: StartTable) -> None:
    player = Player(start)
    player.play(4)
    table = player.table
    with table.client() as client:
        client.subscribe()
        dealt = client.until(lambda shown: shown["stage"] == "offer")
        client.take("display.1", "seat.1.line.5", "display.2", "undo", "undo")
        table.kill()
    again = start()
    assert game_part(again.snapshot()) == game_part(dealt)
    with again.client() as client:
        assert client.press("undo")["taken"]
        client.subscribe()
        client.until(lambda shown: shown["ask"]["say"] == "stop_game")


def test_names_and_players_are_saved(start: StartTable, data: Path) -> None:
    table = start()
    with table.client() as client:
        client.send({"type": "name", "seat": 1, "name": " Ana   Lúcia ", "id": 1})
        assert client.answer()["taken"]
        client.take("seat.1.floor", "seat.2.floor")
        table.kill()
    table = start()
    assert [seat["name"] for seat in table.snapshot()["seats"]] == ["Ana Lúcia", None, None, None]
    with table.client() as client:
        client.take("ok", "seat.1.floor")
        table.kill()
    with closing(sqlite3.connect(data / "azul-table.db")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM players")}
    assert names == {"Ana Lúcia", "Seat 2"}


def test_the_saved_events_are_those_of_the_game(start: StartTable, data: Path) -> None:
    player = Player(partial(start, command=HELD))
    player.play(60)
    player.table.kill()
    with closing(sqlite3.connect(data / "azul-table.db")) as connection:
        count = connection.execute("SELECT count(*) FROM events").fetchone()[0]
    assert player.mirror.table.play is not None
    events = player.mirror.table.play.events
    assert count == len(events)
    again = game.resume(player.mirror.table.play.setup, player.mirror.table.play.places, events)
    assert again.state.to_act() == player.mirror.table.play.state.to_act()


# --- Processes -------------------------------------------------------------------------------------------


def test_the_pages_of_a_killed_table_end_and_free_the_port(start: StartTable) -> None:
    table = start()
    pages, port = table.pages(), table.port
    until(lambda: table.browser.ask("/").status == 200, "the page")
    streams = [table.browser.open_stream() for _ in range(3)]
    table.process.kill()
    table.wait()
    again = start("--port", str(port))
    assert again.port == port
    assert until(lambda: again.browser.ask("/state").status == 200, "the pages of the new table")
    until(lambda: not is_running(pages), "the end of the pages of the killed table")
    for stream in streams:
        assert stream.at_end()
        stream.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_table_quickly_and_silently(start: StartTable, number: signal.Signals) -> None:
    table = start()
    pages = table.pages()
    with table.client() as client, table.browser.stream() as stream:
        client.subscribe(frames=True)
        client.take("seat.1.floor")
        began = time.monotonic()
        assert table.end(number) == 0
        assert time.monotonic() - began < 10
        assert stream.at_end()
        assert client.read_to_end() is not None
    assert table.err == ""
    assert not is_running(pages)
    assert not table.socket.exists()
    assert not list(table.data.glob("*.db-*")), "a store that was closed is one file"
