"""The saved table: a restored table stands at the same choice, and impossible states are refused."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given

from device.lights.palettes import BOX
from device.lights.view import LONGEST_SWEEP, view
from device.rules.notation import event_of, text_of
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.store.saved_table import LargerTableError, SavedTable, from_saved_table, to_saved_table
from device.table.game import LONGEST_NAME, resume
from device.table.prompts import live_buttons, prompt
from device.table.state import CurrentGame, Opponents, Question, Stage, Table, TableSettings, new_table
from tests.harness.sampling import some
from tests.table.simulator import Simulator, dealt, empty_table, game_of, midway, playing
from tests.table.walks import SETUPS, Start, Walk, moments, walks, whole_games

DEAL = "bbyr kkww rryy bykw bbbb"


def blank(places: int = 4, displays: int = 9, *, confirm_columns: bool = True) -> Table:
    """Return a table where nobody sits."""
    return new_table(TableSettings(places, displays, confirm_columns=confirm_columns))


def restored(table: Table, now: float, onto: Table | None = None) -> Table:
    """Restore a table from its saved state as JSON and its game's events as text."""
    written = msgspec.json.encode(to_saved_table(table))
    play = table.play
    if play is not None:
        texts = [text_of(event) for event in play.events]
        play = resume(play.setup, play.places, [event_of(text) for text in texts])
    saved = msgspec.json.decode(written, type=SavedTable)
    return from_saved_table(saved, play, onto or blank(confirm_columns=table.settings.confirm_columns), now)


def check_same(table: Table, now: float) -> None:
    """Check that a restored table is the same but for passing states.

    These are refusals, movements, and the requests to opponents and their replies. The last game is loaded
    by the store.
    """
    back = restored(table, now)
    for_good = tuple(each for each in table.opponents.stand_ins if each.for_good)
    table = replace(table, opponents=Opponents(stand_ins=for_good), last_game=None, refusal=None)
    before, unasked = table, back
    if table.game is not None and back.game is not None:
        game = CurrentGame(
            table.game.play,
            selection=None if table.bots_turn else table.game.selection,
            colour_in_hand=table.game.colour_in_hand,
            reported_tiles=table.game.reported_tiles,
            animation=table.game.animation and replace(table.game.animation, since=now),
        )
        question = None if table.game.play.over else Question.YOUR_BOARD
        table = replace(table, game=replace(game, question=question))
        before = replace(before, game=game)
        unasked = replace(back, game=replace(back.game, question=None))
    assert back == table
    assert set(live_buttons(back)) - {"ok"} == set(live_buttons(before)) - {"ok"}
    assert prompt(unasked) == prompt(before)
    expected, found = snapshot(before, BOX), snapshot(unasked, BOX)
    elsewhere = {"refusal": None, "asked": ""}  # a restart asks anew
    assert {**found, **elsewhere} == {**expected, **elsewhere}


@given(walks)
def test_a_table_is_restored_at_every_moment(walk: Walk) -> None:
    for sim in moments(walk):
        check_same(sim.table, sim.now)


@pytest.mark.parametrize("start", some(whole_games()), ids=str)
def test_every_kind_of_game_is_restored(start: Start) -> None:
    check_same(start.simulator().table, 7.0)


@pytest.mark.parametrize("setup", some(SETUPS), ids=str)
@pytest.mark.parametrize("events", [3, 20, 44])
def test_a_restored_table_has_the_same_lights(setup: object, events: int) -> None:
    sim = Start(setup, 1, events).simulator()  # type: ignore[arg-type]
    if sim.table.stage is Stage.SCORING:
        sim.skip()
    if sim.table.stage is Stage.OFFER:
        sim.press(live_buttons(sim.table)[0])
    sim.wait(LONGEST_SWEEP + 0.1)
    back = restored(sim.table, sim.now)
    for at in range(32):
        before = dict(view(sim.table, sim.now + at / 16, BOX).lit)
        after = dict(view(back, sim.now + at / 16, BOX).lit)
        before.pop("status")
        after.pop("status")
        assert after == before
    assert Simulator(back, sim.draw, now=sim.now).rhythm("status") == "slow", (
        "it asks whether it is your board"
    )


def test_a_tried_line_is_restored() -> None:
    sim = playing("solo").press("seat.2.line.2", "seat.2.line.3", "seat.2.line.4")
    sim.press("display.1", "seat.2.floor")
    assert sim.game.selection is not None
    assert sim.game.selection.tried == 0
    back = Simulator(restored(sim.table, sim.now), sim.draw, now=sim.now)
    assert back.press("seat.2.floor").play.moves != ()


def test_a_tile_in_hand_is_restored() -> None:
    sim = dealt(DEAL).report_letter("r")
    assert sim.game.colour_in_hand is Colour.RED
    check_same(sim.table, 1.0)


def test_a_tile_in_hand_that_lies_on_no_source_is_refused() -> None:
    table = dealt(DEAL).table
    saved = msgspec.structs.replace(to_saved_table(table), in_hand="w")
    assert game_of(from_saved_table(saved, table.play, blank(), 0.0)).colour_in_hand is Colour.WHITE
    play = dealt("bbyr kkrr rryy bykr bbbb").play
    with pytest.raises(ValueError, match="tile in hand"):
        from_saved_table(saved, play, blank(), 0.0)


def test_players_choosing_a_game_are_seated_on_a_table_with_too_few_displays() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "seat.3.floor", "ok")
    assert sim.table.stage is Stage.CHOOSING
    back = Simulator(restored(sim.table, sim.now, onto=blank(4, 5)), now=sim.now)
    assert back.table.stage is Stage.SEATING
    assert back.refused("ok") == "not_enough_displays"


def test_a_table_before_its_game_is_restored() -> None:
    sim = empty_table().name(2, "Ana").press("seat.2.floor")
    check_same(sim.table, 1.0)
    check_same(sim.press("seat.4.floor", "ok", "display.2").table, 1.0)


def test_names_of_the_greatest_length_are_restored() -> None:
    name = "x" * LONGEST_NAME
    saved = SavedTable(names=(name, "", "", ""), bots=("", name, "", ""))
    seats = from_saved_table(saved, None, blank(), 0.0).seats
    assert (seats.names[0], seats.bots[1]) == (name, name)


def test_a_smaller_table_is_restored_onto_a_larger_one() -> None:
    sim = empty_table(places=2, displays=5).name(2, "Ana").press("seat.2.floor")
    back = restored(sim.table, 1.0, blank())
    assert back.seats.names == ("", "Ana", "", "")
    assert back.settings.places == 4


def test_too_many_players_for_a_smaller_table_are_refused() -> None:
    with pytest.raises(LargerTableError, match="seat beyond the 2"):
        restored(empty_table().press("seat.3.floor").table, 1.0, blank(2, 5))
    with pytest.raises(LargerTableError, match="seat beyond the 2"):
        restored(empty_table().name(4, "Tom").table, 1.0, blank(2, 5))


@pytest.mark.parametrize("displays", [5, 6])
def test_a_game_with_too_many_displays_for_a_smaller_table_is_refused(displays: int) -> None:
    with pytest.raises(LargerTableError, match=f"more than the {displays} displays"):
        restored(playing(players=3).table, 1.0, blank(4, displays))
    assert restored(playing(players=3).table, 1.0, blank(4, 7)).play is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"wishes": {"mode": "chess"}},
        {"wishes": {"level": "hard"}},
        {"wishes": {"wall": "blue"}},
        {"names": ["x" * 21]},
        {"taken": [1, 1]},
        {"taken": [0]},
        {"selection": "9bf"},
        {"selection": "1wf"},
        {"selection": "0bf"},
        {"selection": "deal"},
        {"selection": "tile 0 1 1"},
        {"selection": "1bf", "tried": 9},
        {"steps_shown": 0},
        {"steps_shown": -1},
    ],
    ids=str,
)
def test_an_impossible_saved_table_is_refused(changes: dict[str, object]) -> None:
    """A changed file must raise only this kind of error."""
    table = dealt(DEAL).table
    written = msgspec.to_builtins(to_saved_table(table))
    saved = msgspec.convert({**written, **changes}, SavedTable)
    with pytest.raises(ValueError, match=r"can't be|is no"):
        from_saved_table(saved, table.play, blank(), 0.0)


def test_a_score_animation_with_too_many_steps_is_refused() -> None:
    sim = Start(SETUPS[0], 1, 0, to="scoring").simulator()
    account = sim.play.state.account
    assert account is not None
    saved = replace_steps(to_saved_table(sim.table), len(account.steps))
    assert from_saved_table(saved, sim.play, blank(), 0.0).stage is Stage.SCORING
    with pytest.raises(ValueError, match="scoring can't be read"):
        from_saved_table(replace_steps(saved, len(account.steps) + 1), sim.play, blank(), 0.0)


def replace_steps(saved: SavedTable, steps: int) -> SavedTable:
    """Return a saved table with so many steps shown."""
    return msgspec.structs.replace(saved, steps_shown=steps)


def test_a_finished_game_is_restored_without_a_question() -> None:
    sim = Start(SETUPS[0], 1, 0, to="over").simulator()
    back = restored(sim.table, sim.now)
    assert back.stage is Stage.OVER
    assert game_of(back).question is None
    assert snapshot(back, BOX)["result"] == snapshot(sim.table, BOX)["result"]


def test_undo_works_after_a_restart() -> None:
    sim = midway(SETUPS[0], 1, 4)
    back = Simulator(restored(sim.table, sim.now), sim.draw, now=sim.now).press("ok", "undo", after=1.0)
    assert back.play == sim.press("undo").play


def test_the_seats_of_phones_are_saved() -> None:
    sim = dealt(DEAL)
    seats = sim.table.seats.with_claim(2, "b" * 64)
    table = replace(sim.table, seats=seats)
    assert restored(table, 0.0).seats.claims == ("", "b" * 64, "", "")
    assert restored(replace(table, seats=seats.with_claim(3, "c" * 64)), 0.0).seats.claims[2] == ""


def test_a_game_without_saved_seats_has_those_of_its_players() -> None:
    """A phone could not claim a seat in such a game."""
    for sim, places in ((dealt(DEAL), (1, 2)), (midway(SETUPS[-1], 1, 3), (1,))):
        nobody = replace(sim.table, seats=replace(sim.table.seats, taken=()))
        assert restored(nobody, 0.0).seats.taken == places
