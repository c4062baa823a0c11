"""Before and after a game by messages: seats, options, the start, and the same game again."""

from __future__ import annotations

from random import Random

import pytest

from device.lights.palettes import BOX
from device.rules.game import MODES
from device.socket import messages
from device.socket.messages import (
    ChooseOptions,
    LeaveSeat,
    PlayAgain,
    SitDown,
    StartGame,
    TableMessage,
    TeachAction,
    table_event,
)
from device.socket.snapshot import Json, snapshot
from device.table.state import OpponentSettings, Stage, TableSettings, new_table
from device.table.update import update
from tests.table.simulator import Simulator, empty_table, playing, to_end


def send(sim: Simulator, *sent: TableMessage) -> str | None:
    """Send messages; return why the last was refused."""
    for message in sent:
        before = sim.refusals
        sim.table = update(sim.table, table_event(message, {}, sim.now))
        sim.wait(0.0)
    refusal = sim.table.refusal
    return None if refusal is None or refusal.number == before else refusal.why


def lobby(sim: Simulator) -> Json:
    found = snapshot(sim.table, BOX)["lobby"]
    assert isinstance(found, dict)
    return found


def test_two_messages_begin_a_game_against_an_opponent() -> None:
    sim = empty_table()
    assert send(sim, SitDown(1), SitDown(2, "calm"), StartGame()) is None
    assert sim.table.stage is Stage.OFFER
    assert sim.play.places == (1, 2)
    assert sim.table.seats.bot_at(2) == "calm"


def test_a_name_comes_with_the_seat_and_stays_without_one() -> None:
    sim = empty_table()
    assert send(sim, SitDown(3, name="  Ana ")) is None
    assert sim.table.seats.name_at(3) == "Ana"
    assert send(sim, SitDown(3, "greedy"), SitDown(3)) is None
    assert sim.table.seats.name_at(3) == "Ana"
    assert send(sim, SitDown(3, name="A" * 21)) == "name_too_long"
    assert send(sim, LeaveSeat(3)) is None
    assert (sim.table.seats.taken, sim.table.seats.name_at(3)) == ((), None)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (SitDown(0), "no_such_seat"),
        (SitDown(5), "no_such_seat"),
        (SitDown(1, "someone"), "no_such_opponent"),
        (LeaveSeat(3), "seat_empty"),
        (LeaveSeat(-1), "seat_empty"),
        (ChooseOptions("solo"), "mode_not_for_seats"),
        (StartGame(3), "seat_empty"),
        (PlayAgain(), "not_now"),
    ],
)
def test_what_is_not_possible_is_refused_and_changes_nothing(message: TableMessage, why: str) -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor")
    before = sim.table.seats, sim.table.next_game, sim.table.game
    assert send(sim, message) == why
    assert (sim.table.seats, sim.table.next_game, sim.table.game) == before


def test_a_program_plays_its_own_game_only() -> None:
    table = new_table(TableSettings(4, 9, opponents=OpponentSettings(programs=("Deep",))))
    sim = Simulator(table)
    assert send(sim, SitDown(1), SitDown(2, "Deep")) is None
    assert lobby(sim)["modes"] == ["dtc"]
    assert lobby(sim)["options"]["mode"] == "dtc"
    assert lobby(sim)["opponents"][-1] == "Deep"
    assert send(sim, ChooseOptions("gray")) == "program_needs_bot_game"


def test_the_lobby_says_what_can_be_chosen() -> None:
    sim = empty_table()
    expected = {"ready": False, "why": "too_few_seats", "modes": [], "all_modes": list(MODES)}
    assert expected.items() <= lobby(sim).items()
    send(sim, SitDown(2))
    assert (lobby(sim)["modes"], lobby(sim)["options"]["mode"], lobby(sim)["ready"]) == (
        ["solo"],
        "solo",
        True,
    )
    send(sim, SitDown(4, "strong"), ChooseOptions("gray", hints=False))
    chosen = {"mode": "gray", "level": "easy", "wall": "coloured", "hints": False}
    assert (lobby(sim)["options"], lobby(sim)["why"]) == (chosen, None)
    assert send(sim, StartGame(4)) is None
    assert snapshot(sim.table, BOX)["lobby"] is None
    assert (sim.play.setup.mode, snapshot(sim.table, BOX)["first"]) == ("gray", 4)


def test_buttons_and_messages_can_be_mixed() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "ok", "display.2")
    assert sim.table.stage is Stage.CHOOSING
    assert send(sim, SitDown(3, name="Eva")) is None
    assert (sim.table.stage, lobby(sim)["options"]["mode"]) == (Stage.CHOOSING, "gray")
    assert send(sim, LeaveSeat(3), LeaveSeat(2)) is None
    assert (sim.table.stage, lobby(sim)["options"]["mode"]) == (Stage.CHOOSING, "solo")
    assert send(sim, LeaveSeat(1)) is None
    assert not sim.table.next_game.choosing, "nobody is left to choose"
    assert send(sim, SitDown(1)) is None
    sim.press("seat.2.line.1", "ok", "seat.2.floor")
    assert sim.play.places == (1, 2)


def test_a_solo_game_starts_without_a_draw() -> None:
    sim = empty_table()
    assert send(sim, SitDown(3, name="Ana"), ChooseOptions(level="expert", wall="gray"), StartGame()) is None
    assert (sim.play.setup.mode, sim.play.setup.level, sim.play.setup.wall) == ("solo", "expert", "gray")
    assert sim.table.seats.name_at(1) == "Ana"


@pytest.mark.parametrize("mode", ["standard", "gray", "solo"])
def test_the_same_players_play_again(mode: str) -> None:
    sim = playing(mode, players=2)
    assert send(sim, PlayAgain()) == "not_now"
    to_end(sim, Random(1))
    seats, setup, last = sim.table.seats, sim.play.setup, sim.play
    assert sim.table.stage is Stage.OVER
    assert send(sim, PlayAgain()) is None
    assert sim.table.seats == seats
    assert (sim.play.setup.mode, sim.play.setup.level) == (setup.mode, setup.level)
    assert len(sim.play.events) < len(last.events)
    assert sim.table.last_game is None


def test_nobody_sits_down_in_a_game_or_a_lesson() -> None:
    sim = playing()
    for message in (SitDown(3), LeaveSeat(1), ChooseOptions(hints=False), StartGame()):
        assert send(sim, message) == "not_now"
    sim = empty_table()
    send(sim, TeachAction("ok"))
    assert send(sim, SitDown(3)) == "learning"
    assert snapshot(sim.table, BOX)["lobby"] is None


def test_only_games_that_exist_can_be_asked_for() -> None:
    for mode in MODES:
        chosen = messages.decode(b'{"type":"options","mode":"%s"}' % mode.encode())
        assert chosen == ChooseOptions(mode)  # type: ignore[arg-type]
    with pytest.raises(messages.MessageError):
        messages.decode(b'{"type":"options","mode":"chess"}')
