"""What is kept of a table between two starts: it comes back at the very choice it was at."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings

from device.lights.palettes import BOX
from device.lights.view import LONGEST_SWEEP, view
from device.rules.notation import event_of, text_of
from device.socket.snapshot import snapshot
from device.store.saved_table import LargerTableError, SavedTable, from_saved_table, to_saved_table
from device.table.game import resume
from device.table.prompts import live_buttons, prompt
from device.table.state import Question, Stage, Table, new_table
from tests.table.hands import Hands, at_table, dealt, midway, playing
from tests.table.walks import SETUPS, Start, Walk, moments, walks, whole_games

walking = settings(max_examples=60, deadline=None)


def blank(places: int = 4, displays: int = 9, *, confirm_columns: bool = True) -> Table:
    """A table where nobody sits yet."""
    return new_table(places, displays, confirm_columns=confirm_columns)


def again(table: Table, now: float, onto: Table | None = None) -> Table:
    """The table after a power cut: its situation as text, and its game as the texts of its events."""
    written = msgspec.json.encode(to_saved_table(table))
    play = table.play
    if play is not None:
        texts = [text_of(event) for event in play.events]
        play = resume(play.setup, play.places, [event_of(text) for text in texts])
    kept = msgspec.json.decode(written, type=SavedTable)
    return from_saved_table(kept, play, onto or blank(confirm_columns=table.confirm_columns), now)


def check_same(table: Table, now: float) -> None:
    """Everything that people chose or wait for is the same; what was said or moved is not kept.

    Nor what opponents were asked or have chosen: they are asked again. The last game is the store's.
    """
    back = again(table, now)
    table = replace(table, selection=None if table.bots_turn else table.selection)
    for_good = tuple(each for each in table.stand_ins if each.for_good)
    table = replace(table, questions=0, asked=(), chosen=(), stand_ins=for_good, hands_due=False)
    table = replace(table, motives=(), hints_asked=(), hints=(), no_hints=(), last_game=None)
    forgotten = replace(table, question=back.question, refusal=None, movement=None, ceremony=back.ceremony)
    assert back == forgotten
    assert (back.ceremony is None) == (table.ceremony is None)
    if back.ceremony is not None and table.ceremony is not None:
        assert back.ceremony.shown == table.ceremony.shown
        assert back.ceremony.since == now, "the step on show begins again"
    asks = table.play is not None and not table.play.over
    assert back.question is (Question.YOUR_BOARD if asks else None)
    assert set(live_buttons(back)) - {"ok"} == set(live_buttons(table)) - {"ok"}
    assert prompt(replace(back, question=None)) == prompt(replace(table, question=None))
    told, told_back = snapshot(table, BOX), snapshot(replace(back, question=table.question), BOX)
    assert {**told_back, "refusal": None} == {**told, "refusal": None}


@walking
@given(walks)
def test_the_table_comes_back_at_every_moment(walk: Walk) -> None:
    for hands in moments(walk):
        check_same(hands.table, hands.now)


@pytest.mark.parametrize("start", whole_games(), ids=str)
def test_every_kind_of_game_comes_back(start: Start) -> None:
    check_same(start.hands().table, 7.0)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
@pytest.mark.parametrize("events", [3, 20, 44])
def test_it_is_lit_as_before(setup: object, events: int) -> None:
    hands = Start(setup, 1, events).hands()  # type: ignore[arg-type]
    if hands.table.stage is Stage.SCORING:
        hands.skip()
    if hands.table.stage is Stage.OFFER:
        hands.press(live_buttons(hands.table)[0])
    hands.wait(LONGEST_SWEEP + 0.1)
    back = again(hands.table, hands.now)
    for at in range(32):
        before = dict(view(hands.table, hands.now + at / 16, BOX).lit)
        after = dict(view(back, hands.now + at / 16, BOX).lit)
        before.pop("status")
        after.pop("status")
        assert after == before
    assert Hands(back, hands.draw, now=hands.now).rhythm("status") == "slow", (
        "it asks whether it is your board"
    )


def test_a_tried_line_comes_back_tried() -> None:
    hands = playing("solo").press("seat.2.line.2", "seat.2.line.3", "seat.2.line.4")
    hands.press("display.1", "seat.2.floor")
    assert hands.table.selection is not None
    assert hands.table.selection.tried == 0
    back = Hands(again(hands.table, hands.now), hands.draw, now=hands.now)
    assert back.press("seat.2.floor").play.moves != ()


def test_who_chose_on_a_table_of_more_displays_sits_and_cant_begin_without_them() -> None:
    hands = at_table().press("seat.1.floor", "seat.2.floor", "seat.3.floor", "ok")
    assert hands.table.stage is Stage.CHOOSING
    back = Hands(again(hands.table, hands.now, onto=blank(4, 5)), now=hands.now)
    assert back.table.stage is Stage.SEATING
    assert back.refused("ok") == "not_enough_displays"


def test_a_table_before_its_game_comes_back() -> None:
    hands = at_table().name(2, "Ana").press("seat.2.floor")
    check_same(hands.table, 1.0)
    check_same(hands.press("seat.4.floor", "ok", "display.2").table, 1.0)


def test_names_of_a_smaller_table_fit_a_larger_one() -> None:
    hands = at_table(places=2, displays=5).name(2, "Ana").press("seat.2.floor")
    back = again(hands.table, 1.0, blank())
    assert back.names == ("", "Ana", "", "")
    assert back.places == 4


def test_a_smaller_table_can_not_hold_more_players() -> None:
    with pytest.raises(LargerTableError, match="seat beyond the 2"):
        again(at_table().press("seat.3.floor").table, 1.0, blank(2, 5))
    with pytest.raises(LargerTableError, match="seat beyond the 2"):
        again(at_table().name(4, "Tom").table, 1.0, blank(2, 5))


def test_a_smaller_table_can_not_hold_more_displays() -> None:
    with pytest.raises(LargerTableError, match="more than the 5 displays"):
        again(playing(players=3).table, 1.0, blank(4, 5))


DEAL = "bbyr kkww rryy bykw bbbb"


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
def test_a_situation_that_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    """A file that somebody changed must not stop the table with an error of another kind."""
    table = dealt(DEAL).table
    written = msgspec.to_builtins(to_saved_table(table))
    kept = msgspec.convert({**written, **changes}, SavedTable)
    with pytest.raises(ValueError, match=r"can't be|is no"):
        from_saved_table(kept, table.play, blank(), 0.0)


def test_a_ceremony_that_the_game_does_not_have_is_refused() -> None:
    hands = Start(SETUPS[0], 1, 0, to="scoring").hands()
    account = hands.play.state.account
    assert account is not None
    kept = replace_steps(to_saved_table(hands.table), len(account.steps))
    assert from_saved_table(kept, hands.play, blank(), 0.0).ceremony is not None
    with pytest.raises(ValueError, match="scoring can't be read"):
        from_saved_table(replace_steps(kept, len(account.steps) + 1), hands.play, blank(), 0.0)


def replace_steps(kept: SavedTable, steps: int) -> SavedTable:
    """A situation with so many steps shown."""
    return msgspec.structs.replace(kept, steps_shown=steps)


def test_an_ended_game_comes_back_ended_and_asks_nothing() -> None:
    hands = Start(SETUPS[0], 1, 0, to="over").hands()
    back = again(hands.table, hands.now)
    assert back.stage is Stage.OVER
    assert back.question is None
    assert snapshot(back, BOX)["result"] == snapshot(hands.table, BOX)["result"]


def test_undo_goes_on_after_a_power_cut() -> None:
    hands = midway(SETUPS[0], 1, 4)
    back = Hands(again(hands.table, hands.now), hands.draw, now=hands.now).press("ok", "undo", after=1.0)
    assert back.play == hands.press("undo").play
