"""Laws that hold whatever people press, and whenever."""

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
from tests.rules.positions import all_tiles
from tests.table.simulator import BUTTONS, Simulator, game_of, settle, with_game
from tests.table.walks import NONSENSE, Start, Step, Walk, moments, take_step, walks, whole_games

EVERY_BUTTON = [*BUTTONS, *NONSENSE]


def accepted(table: Table, button: str, now: float) -> bool:
    """Whether a press is taken; one that is refused must change nothing but what is said of it."""
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
    """A press is taken exactly when its button is said to be live."""
    now = sim.now + 2 * TOGETHER  # two presses may be meant together
    live = live_buttons(update(sim.table, Tick(now)))
    assert len(set(live)) == len(live)
    assert [b for b in EVERY_BUTTON if accepted(sim.table, b, now)] == [b for b in EVERY_BUTTON if b in live]
    assert set(live) <= set(BUTTONS)


@given(walks)
def test_a_press_is_taken_exactly_when_its_button_is_live(walk: Walk) -> None:
    for sim in moments(walk):
        check_buttons(sim)


@pytest.mark.parametrize("start", whole_games(), ids=str)
def test_the_live_buttons_of_every_kind_of_game_are_the_ones_taken(start: Start) -> None:
    check_buttons(start.simulator())


@given(walks)
def test_100_tiles_always(walk: Walk) -> None:
    for sim in moments(walk):
        if sim.table.play is not None:
            assert all_tiles(sim.play.state) == ALL_TILES


@given(walks)
def test_undone_and_made_again_is_the_same(walk: Walk) -> None:
    """Whatever a press did to the game, undo takes back, and the same press again does the same."""
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


@given(walks)
def test_the_table_waits_for_people_or_for_chance_but_never_for_nothing(walk: Walk) -> None:
    for sim in moments(walk):
        assert needed_draw(sim.table) is None
        assert prompt(sim.table).say
        assert live_buttons(sim.table) or (sim.table.stage is Stage.SEATING and not sim.table.seats.taken)


@given(walks, st.integers(-3, 2**40), st.text(max_size=25))
def test_names_at_any_moment_never_disturb_a_game(walk: Walk, place: int, name: str) -> None:
    for sim in moments(walk):
        after = update(sim.table, PlayerNamed(place, name, sim.now))
        assert after.play is sim.table.play
        assert len(after.seats.names) == sim.table.settings.places
        if sim.table.play is not None:
            assert after.seats.names == sim.table.seats.names


@given(walks, st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_time_that_goes_backwards_does_no_harm(walk: Walk, back: list[int]) -> None:
    """Presses are timed where they are seen: one may come in after a later tick."""
    for sim in moments(walk):
        for seconds in back:
            after = update(sim.table, Tick(sim.now - seconds))
            assert after.play is sim.table.play
            assert update(after, ButtonPressed("nonsense", sim.now - seconds)).play is sim.table.play


# --- The snapshot ----------------------------------------------------------------------------------------


def check_snapshot(table: Table) -> None:
    """What the pages are told is plain JSON, and the same as the table."""
    told = snapshot(table, BOX)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["live"] == list(live_buttons(table))
    assert told["ask"]["say"] == prompt(table).say
    assert told["stage"] == table.stage
    boards = shown_boards(table)
    for seat in told["seats"]:
        check_seat(seat, boards.get(seat["seat"], Board()))
    play = table.play
    if play is None:
        assert told["displays"] == []
        return
    assert [told["centre"], *told["displays"]] == [letters(tiles) for tiles in play.state.sources]
    assert told["round"] == play.state.round
    if game_of(table).animation is None:
        boards_now = dict(zip(play.places, play.state.boards, strict=True))
        assert boards == boards_now
    if told["choice"] is not None:
        lines = told["choice"]["lines"]
        assert told["choice"]["count"] == told_source(told).count(told["choice"]["colour"])
        live = [b for b in told["live"] if b.startswith("seat.")]
        assert len(live) == len(lines)
    markers = [seat for seat in told["seats"] if seat["marker"]]
    assert len(markers) + told["marker_in_centre"] <= 1


def told_source(told: Json) -> str:
    """The letters of the source that is chosen."""
    source = told["choice"]["source"]
    text = told["displays"][source - 1] if source else told["centre"]
    assert isinstance(text, str)
    return text


def check_seat(told: Json, board: Board) -> None:
    """A seat of the snapshot is its board."""
    assert told["score"] == board.score
    assert [len(line) for line in told["lines"]] == list(board.held)
    for line, colour in zip(told["lines"], board.colours, strict=True):
        assert set(line) == (set() if colour is None else {"byrkw"[colour]})
    walls = ["".join("." if tile is None else "byrkw"[tile] for tile in row) for row in board.wall]
    assert told["wall"] == walls
    assert len(told["floor"]) == len(board.floor)
    assert told["cost"] == FLOOR_COSTS[len(board.floor)]


@given(walks)
def test_the_snapshot_agrees_with_the_table(walk: Walk) -> None:
    for sim in moments(walk):
        check_snapshot(sim.table)


@given(walks)
def test_equal_tables_tell_the_same(walk: Walk) -> None:
    """The daemon publishes a snapshot only if it differs from the last: it must not differ by itself."""
    for sim in moments(walk):
        first = snapshot(sim.table, BOX)
        assert snapshot(replace(sim.table), BOX) == first
        hands_later = update(sim.table, Tick(sim.now))
        assert snapshot(hands_later, BOX) == first


def test_the_steps_of_a_walk_do_press() -> None:
    sim = Start(None, 0, 0).simulator()
    for pick in range(4):
        take_step(sim, Step(0.1, "live", 7 * pick))
    assert sim.table.seats.taken
