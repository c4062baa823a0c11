"""Positions of past games at the table: shown in light, and played on from as games for practice."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from device.lights.palettes import BOX
from device.rules.events import Chance, Choice, Draft
from device.rules.game import Setup
from device.socket.snapshot import snapshot
from device.store.store import Store
from device.table.game import Play, resume, seat_of
from device.table.prompts import live_buttons, prompt
from device.table.state import (
    PositionShown,
    PracticeBegun,
    Question,
    RefusalReason,
    SeatGiven,
    Stage,
    Table,
    TableSettings,
    new_table,
)
from hardware.api import DARK, turn_light
from tests.harness.stored_games import FOUR, GRAY, PLACES, SOLO, STANDARD, greedy_game
from tests.table.simulator import FULL, Simulator

SWEPT = 2.0  # seconds after which no light of a movement moves any more


def simulator(places: int = 4, displays: int = 9, *, physical_tiles: bool = False) -> Simulator:
    return Simulator(new_table(TableSettings(places, displays, physical_tiles=physical_tiles)))


def position(chosen: Setup, step: int) -> Play:
    return resume(chosen, PLACES[chosen], greedy_game(chosen).events[:step])


def show(at: Simulator, play: Play | None, number: int = 39) -> RefusalReason | str | None:
    """Show a position; return why it was refused."""
    before = at.refusals
    at.take(PositionShown(play, number, 57, at.now))
    refusal = at.table.refusal
    return refusal.why if refusal is not None and at.refusals > before else None


def practise(at: Simulator, play: Play, bots: dict[int, str] | None = None) -> RefusalReason | str | None:
    before = at.refusals
    at.take(PracticeBegun(play, tuple((bots or {}).items()), at.now))
    refusal = at.table.refusal
    return refusal.why if refusal is not None and at.refusals > before else None


def in_play(play: Play) -> Simulator:
    """Return a table whose people play the game of a position."""
    at = simulator()
    assert practise(at, play) is None
    return at


# --- Shown in light ---


@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_the_lights_of_a_shown_position_are_those_of_the_game(chosen: Setup) -> None:
    """Only what can be chosen differs: in a shown position every tile is steady."""
    for step in range(2, len(greedy_game(chosen).events), 9):
        play = position(chosen, step)
        if play.state.chance_due:
            continue
        shown, played = simulator().wait(1), in_play(play).wait(SWEPT)
        assert show(shown, play) is None
        shown.wait(SWEPT)
        assert shown.table.stage is Stage.SHOWING
        for light in (each.name for each in FULL.lights):
            if light != "status":
                assert (shown.colour(light) == DARK) <= (played.rhythm(light) in ("dark", "slow")), light
                assert shown.rhythm(light) in ("steady", "dark")


def test_the_next_step_sweeps_as_in_a_game() -> None:
    at = simulator()
    show(at, position(STANDARD, 12))
    at.wait(SWEPT)
    before = at.frame
    show(at, position(STANDARD, 13))
    during = [at.frame_at(at.now + part / 10) for part in range(1, 12)]
    at.wait(SWEPT)
    assert at.frame != before
    assert any(frame not in (before, at.frame) for frame in during)


def test_the_prompt_and_the_turn_of_a_shown_position() -> None:
    at = simulator()
    play = position(STANDARD, 12)
    show(at, play)
    at.wait(SWEPT)
    assert prompt(at.table).key == "showing"
    assert prompt(at.table).values == {"game": 39, "step": 12, "steps": 57}
    assert live_buttons(at.table) == ("ok", "undo")
    acting = play.places[play.state.turn]
    lit = [place for place in (1, 2, 3, 4) if at.colour(turn_light(place)) != DARK]
    assert lit == [acting]
    assert snapshot(at.table, BOX)["stage"] == "showing"
    assert snapshot(at.table, BOX)["displays"] == []


@pytest.mark.parametrize("button", ["ok", "undo", "display.3", "seat.1.line.2"])
def test_any_press_ends_the_showing_and_does_nothing_else(button: str) -> None:
    at = simulator()
    before = replace(at.table, questions=0)
    show(at, position(STANDARD, 12))
    assert at.refused(button) is None
    assert at.table == before
    assert at.table.stage is Stage.SEATING


def test_a_message_ends_the_showing() -> None:
    at = simulator()
    show(at, position(STANDARD, 12))
    show(at, None)
    assert at.table.stage is Stage.SEATING
    assert show(at, None) is None


def test_sitting_down_ends_the_showing() -> None:
    at = simulator()
    show(at, position(STANDARD, 12))
    at.take(SeatGiven(2, "", None, at.now))
    assert at.table.stage is Stage.SEATING
    assert at.table.seats.taken == (2,)


def test_nothing_is_shown_while_a_game_is_in_play() -> None:
    at = in_play(position(STANDARD, 12))
    before = at.play
    assert show(at, position(STANDARD, 20)) == RefusalReason.NOT_NOW
    assert at.play == before
    assert at.table.showing is None


def test_a_position_that_the_table_is_too_small_for_is_refused() -> None:
    assert show(simulator(places=2), position(STANDARD, 12)) == RefusalReason.TOO_FEW_SEATS
    assert show(simulator(displays=5), position(FOUR, 12)) == RefusalReason.NOT_ENOUGH_DISPLAYS
    assert practise(simulator(displays=5), position(FOUR, 12)) == RefusalReason.NOT_ENOUGH_DISPLAYS


def test_a_shown_position_is_not_saved(tmp_path: Path) -> None:
    blank = new_table(TableSettings(4, 9))
    with closing(Store.open(tmp_path / "azul-table.db")) as store:
        at = Simulator(store.load(blank, 0.0))
        store.save(at.table)
        show(at, position(STANDARD, 12))
        store.save(at.table)
        assert store.load(blank, 0.0) == blank


# --- Games for practice ---


@pytest.mark.parametrize("chosen", PLACES, ids=lambda chosen: f"{chosen.mode}-{len(chosen.players)}")
def test_a_game_for_practice_begins_in_every_position(chosen: Setup) -> None:
    for step in range(len(greedy_game(chosen).events)):
        play = position(chosen, step)
        at = simulator()
        assert practise(at, play) is None
        assert at.play.events[:step] == play.events
        assert not play.state.chance_due or len(at.play.events) > step  # the table draws what is due
        assert at.play.practice == step
        assert snapshot(at.table, BOX)["practice"] is True


def test_opponents_take_the_other_seats() -> None:
    at = simulator()
    play = position(FOUR, 14)
    assert practise(at, play, {1: "strong", 2: "calm", 4: "strong"}) is None
    assert at.table.seats.taken == (1, 2, 3, 4)
    assert at.play.setup.players == ("Strong", "Calm", "Eva", "Strong 2")
    assert at.table.next_game.options.mode == "standard"
    requests = {each.seat: each.opponent for each in at.table.opponents.requests}
    turn = at.play.state.turn
    assert requests == ({} if turn == 2 else {turn: at.table.bot_of(turn)})


@pytest.mark.parametrize("bots", [{2: "strong"}, {1: "nobody"}, {9: "calm"}])
def test_opponents_that_the_game_has_no_seat_for_are_refused(bots: dict[int, str]) -> None:
    at = simulator()
    before = at.table
    assert practise(at, position(STANDARD, 12), bots) == RefusalReason.SEAT_EMPTY
    assert at.table.game is before.game is None


def test_a_finished_position_and_physical_tiles_are_refused() -> None:
    assert practise(simulator(), greedy_game(STANDARD)) == RefusalReason.NOT_NOW
    assert practise(simulator(physical_tiles=True), position(STANDARD, 12)) == RefusalReason.NOT_NOW


@pytest.mark.parametrize("chosen", [STANDARD, GRAY, SOLO], ids=lambda chosen: chosen.mode)
def test_undo_goes_back_to_the_first_position_and_not_further(chosen: Setup) -> None:
    step = next(
        at for at, event in enumerate(greedy_game(chosen).events) if at > 5 and isinstance(event, Draft)
    )
    at = in_play(position(chosen, step))
    event = greedy_game(chosen).events[step]
    assert isinstance(event, Draft)
    at.make(event)
    at.press("undo")
    assert len(at.play.events) == step
    at.press("undo")
    assert at.game.question is Question.STOP_GAME
    at.press("undo")
    assert len(at.play.events) == step


def test_a_game_for_practice_goes_on_after_a_restart(tmp_path: Path) -> None:
    blank = new_table(TableSettings(4, 9))
    step = 12
    with closing(Store.open(tmp_path / "azul-table.db")) as store:
        at = Simulator(store.load(blank, 0.0))
        practise(at, position(STANDARD, step), {3: "strong"})
        store.save(at.table)
    with closing(Store.open(tmp_path / "azul-table.db")) as store:
        table: Table = store.load(blank, 0.0)
    assert table.play == at.play
    assert table.play is not None
    assert table.play.practice == step
    assert table.seats.bot_at(3) == "strong"
    again = Simulator(table).press("ok")
    choices = [seat_of(again.play.state, each) for each in again.play.events if isinstance(each, Choice)]
    assert choices
    assert not isinstance(again.play.events[-1], Chance) or step == len(again.play.events)
