"""Laws of the table that hold whatever people press."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.palettes import BOX
from device.rules.board import Board
from device.rules.events import Choice
from device.rules.scoring import FLOOR_COSTS
from device.rules.tiles import ALL_TILES, letters
from device.socket.snapshot import Json, shown_boards, snapshot
from device.table.prompts import live_buttons, prompt
from device.table.state import PlayerNamed, Stage, Table, Tick, needed_draw
from device.table.update import TOGETHER, update
from hardware.api import ButtonPressed
from tests.harness.sampling import some
from tests.rules.positions import all_tiles
from tests.table.simulator import BUTTONS, Simulator, game_of, settle, with_game
from tests.table.walks import NONSENSE, Start, Step, Walk, moments, take_step, walks, whole_games

EVERY_BUTTON = [*BUTTONS, *NONSENSE]


def accepted(table: Table, button: str, now: float) -> bool:
    """Return whether a press is accepted; a refused one must change nothing but the refusal."""
    before = update(table, Tick(now))
    after = update(table, ButtonPressed(button, now))
    number = before.refusal.number if before.refusal is not None else 0
    if after.refusal is None or after.refusal.number == number:
        assert after.refusal is None or not after.refusal.shown
        return True
    assert replace(after, refusal=None) == replace(before, refusal=None), button
    assert (after.refusal.button, after.refusal.number, after.refusal.shown) == (button, number + 1, True)
    return False


def check_buttons(sim: Simulator) -> None:
    """A press is accepted exactly when its button is live."""
    now = sim.now + 2 * TOGETHER  # later than two buttons pressed together
    live = live_buttons(update(sim.table, Tick(now)))
    assert len(set(live)) == len(live)
    assert [b for b in EVERY_BUTTON if accepted(sim.table, b, now)] == [b for b in EVERY_BUTTON if b in live]
    assert set(live) <= set(BUTTONS)


@given(walks)
def test_a_press_is_accepted_exactly_when_its_button_is_live(walk: Walk) -> None:
    for number, sim in enumerate(moments(walk)):
        if number % 5 == 0:
            check_buttons(sim)


@pytest.mark.parametrize("start", some(whole_games()), ids=str)
def test_exactly_the_live_buttons_of_every_kind_of_game_are_accepted(start: Start) -> None:
    check_buttons(start.simulator())


@given(walks)
def test_a_choice_that_is_undone_and_made_again_is_the_same(walk: Walk) -> None:
    """Undo takes back what a press did to the game, and the same press does it again."""
    start, doing = walk
    sim = start.simulator()
    for step in doing:
        sim.wait(step.seconds)
        before, now = sim.table, sim.now
        button = step.button(before)
        if button is None:
            continue
        sim.press(button, after=0.0)
        if before.play is not None and sim.table.play is not None and button != "undo":
            check_undone(before, sim, button, now)


def check_undone(before: Table, sim: Simulator, button: str, now: float) -> None:
    """Compare a table with itself after undo, and after the same press again."""
    made = sim.table
    assert before.play is not None
    assert made.play is not None
    new = made.play.events[len(before.play.events) :]
    if not new or not isinstance(new[0], Choice):
        return
    back = settle(update(made, ButtonPressed("undo", now)), sim.draw, 1, now)
    assert back.play == before.play
    assert game_of(back).animation is None
    assert game_of(back).selection is None, "a draft is taken back whole, with its source and its colour"
    again = with_game(back, selection=game_of(before).selection)
    again = settle(update(again, ButtonPressed(button, now)), sim.draw, 1, now)
    assert again.play == made.play
    assert again.stage == made.stage
    assert game_of(again).animation == game_of(made).animation


@given(walks, st.integers(-3, 2**40), st.text(max_size=25), st.integers(0, 40))
def test_every_moment_keeps_the_laws(walk: Walk, place: int, name: str, back: int) -> None:
    for sim in moments(walk):
        check_waiting(sim)
        check_name(sim, place, name)
        check_time_backwards(sim, back)
        if sim.table.play is not None:
            assert all_tiles(sim.play.state) == ALL_TILES


def check_waiting(sim: Simulator) -> None:
    """The table waits for people or for a draw, never for nothing."""
    assert needed_draw(sim.table) is None
    assert prompt(sim.table).key
    assert live_buttons(sim.table) or (sim.table.stage is Stage.SEATING and not sim.table.seats.taken)


def check_name(sim: Simulator, place: int, name: str) -> None:
    """A name never changes a game in play."""
    after = update(sim.table, PlayerNamed(place, name, sim.now))
    assert after.play is sim.table.play
    assert len(after.seats.names) == sim.table.settings.places
    if sim.table.play is not None:
        assert after.seats.names == sim.table.seats.names


def check_time_backwards(sim: Simulator, seconds: int) -> None:
    """A press has the time at which it was seen: it may come after a later tick."""
    after = update(sim.table, Tick(sim.now - seconds))
    assert after.play is sim.table.play
    assert update(after, ButtonPressed("nonsense", sim.now - seconds)).play is sim.table.play


# --- The snapshot ---


def check_snapshot(table: Table) -> None:
    """The snapshot is plain JSON and agrees with the table."""
    shown = snapshot(table, BOX)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert shown["live"] == list(live_buttons(table))
    assert shown["ask"]["say"] == prompt(table).key
    assert shown["stage"] == table.stage
    boards = shown_boards(table)
    for seat in shown["seats"]:
        check_seat(seat, boards.get(seat["seat"], Board()))
    play = table.play
    if play is None:
        assert shown["displays"] == []
        return
    assert [shown["centre"], *shown["displays"]] == [letters(tiles) for tiles in play.state.sources]
    assert shown["round"] == play.state.round
    if game_of(table).animation is None:
        boards_now = dict(zip(play.places, play.state.boards, strict=True))
        assert boards == boards_now
    if shown["choice"] is not None:
        lines = shown["choice"]["lines"]
        assert shown["choice"]["count"] == selected_source(shown).count(shown["choice"]["colour"])
        live = [b for b in shown["live"] if b.startswith("seat.")]
        assert len(live) == len(lines)
    markers = [seat for seat in shown["seats"] if seat["marker"]]
    assert len(markers) + shown["marker_in_centre"] <= 1


def selected_source(shown: Json) -> str:
    """Return the letters of the selected source."""
    source = shown["choice"]["source"]
    text = shown["displays"][source - 1] if source else shown["centre"]
    assert isinstance(text, str)
    return text


def check_seat(shown: Json, board: Board) -> None:
    """A seat of the snapshot agrees with its board."""
    assert shown["score"] == board.score
    assert [len(line) for line in shown["lines"]] == list(board.held)
    for line, colour in zip(shown["lines"], board.colours, strict=True):
        assert set(line) == (set() if colour is None else {"byrkw"[colour]})
    walls = ["".join("." if tile is None else "byrkw"[tile] for tile in row) for row in board.wall]
    assert shown["wall"] == walls
    assert len(shown["floor"]) == len(board.floor)
    assert shown["cost"] == FLOOR_COSTS[len(board.floor)]


@given(walks)
def test_the_snapshot_agrees_with_the_table(walk: Walk) -> None:
    """It never differs by itself: the loop publishes a snapshot only if it differs from the last."""
    for sim in moments(walk):
        check_snapshot(sim.table)
        assert snapshot(update(sim.table, Tick(sim.now)), BOX) == snapshot(replace(sim.table), BOX)


def test_the_steps_of_a_walk_do_press() -> None:
    sim = Start(None, 0, 0).simulator()
    for pick in range(4):
        take_step(sim, Step(0.1, "live", 7 * pick))
    assert sim.table.seats.taken
