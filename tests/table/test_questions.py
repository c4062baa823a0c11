"""Questions of the table: `asked` names the one that is asked now, and changes whenever another one is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from device.rules.game import Setup
from device.table.prompts import asked
from device.table.state import BotReply, HintRequested, LessonBegun, Stage, Table, TableSettings, new_table
from device.table.tags import Tiles
from device.table.update import update
from tests.table.simulator import Simulator, dealt, empty_table, midway, playing
from tests.table.walks import Walk, take_step, walks

GRAY = Setup("gray", ("Ana", "Rui"))


def test_before_a_game_all_is_one_question() -> None:
    sim = empty_table()
    first = asked(sim.table)
    sim.name(1, "Ana").press("seat.1.floor", "seat.2.floor", "seat.2.line.1", "ok", "display.2").wait(60)
    assert asked(sim.table) == first
    assert asked(sim.press("seat.1.floor").table) != first


def test_a_selection_and_a_refused_press_change_no_question() -> None:
    sim = playing()
    first = asked(sim.table)
    sim.press("display.1", "display.1", "display.2", "seat.2.floor", "undo", "nonsense").wait(60)
    assert asked(sim.table) == first


def test_a_draft_taken_back_is_asked_anew() -> None:
    """A message that was made for the first question must not draft a second time."""
    sim = dealt("bbyr kkww rryy bykw bbbb")
    presses: tuple[list[str], ...] = (
        [],
        ["display.1", "seat.1.floor"],
        ["undo"],
        ["display.1", "seat.1.floor"],
    )
    seen = [asked(sim.press(*buttons).table) for buttons in presses]
    assert len(set(seen)) == len(seen)


def test_an_open_question_is_another_one() -> None:
    sim = playing()
    seen = [asked(sim.press(*buttons).table) for buttons in ([], ["undo"], ["undo"])]
    assert len(set(seen)) == 3


def test_an_opponent_that_thinks_and_a_hint_change_no_question() -> None:
    sim = empty_table().press("seat.1.floor", "seat.2.floor", "seat.2.line.2", "ok", "seat.1.floor")
    first = asked(sim.table)
    sim.table = update(sim.table, HintRequested(1, sim.now))
    (request,) = sim.hint_requests
    sim.reply(BotReply(request.number, sim.play.state.legal()[0], sim.now))
    assert asked(sim.table) == first
    sim.press("display.1", "seat.1.floor")
    second = asked(sim.table)
    (request,) = sim.table.opponents.requests
    sim.wait(1.0).reply(BotReply(request.number, sim.play.state.legal()[0], sim.now)).wait(2.0)
    assert sim.game.selection is not None, "its choice is on show"
    assert asked(sim.table) == second != first
    assert asked(sim.wait(5.0).table) != second, "its choice was made"


def test_the_steps_of_a_scoring_are_one_question() -> None:
    sim = playing()
    while sim.table.stage is not Stage.SCORING:
        sim.make(sim.play.state.legal()[-1])
    first = asked(sim.table)
    assert asked(sim.wait(1.5).table) == first
    assert asked(sim.wait(60).table) != first


def columns_of_both() -> Simulator:
    """Return a game in which both seats have a column to choose."""
    for seed in range(200):
        sim = midway(GRAY, seed, 24)
        if sim.table.stage is Stage.CHOICE and len(sim.play.state.to_act()) == 2:
            return sim
    raise AssertionError("no such game")


def test_columns_that_others_choose_change_no_question() -> None:
    sim = columns_of_both()
    first = asked(sim.table)
    one = sim.play.state.legal()[0]
    sim.make(one)
    assert sim.table.stage is Stage.CHOICE
    assert asked(sim.table) == first
    assert asked(sim.press("undo").table) != first, "the column that was taken back is asked anew"


def test_every_reported_tile_is_a_question() -> None:
    sim = Simulator(new_table(TableSettings(4, 9, physical_tiles=True)))
    sim.press("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    seen = [asked(sim.table), *(asked(sim.report_letter(letter).table) for letter in "bkb")]
    seen.append(asked(sim.press("undo").table))
    assert len(set(seen)) == len(seen)


def test_a_lesson_is_another_question() -> None:
    sim = playing()
    first = asked(sim.table)
    sim.table = update(sim.table, LessonBegun(Tiles(None), sim.now))
    assert asked(sim.table) != first


@given(walks)
def test_a_question_is_never_asked_twice(walk: Walk) -> None:
    """While a text stays, the game has at most gone on with columns; once it has gone it never comes back."""
    start, doing = walk
    sim = start.simulator()
    gone: set[str] = set()
    for step in doing:
        before, question = sim.table, asked(sim.table)
        take_step(sim, step)
        if asked(sim.table) == question:
            assert same_choices(before, sim.table)
        else:
            gone.add(question)
        assert asked(sim.table) not in gone


def same_choices(before: Table, after: Table) -> bool:
    if before.play is None or after.play is None:
        return before.play is after.play
    simultaneous = before.play.state.simultaneous
    return before.play.events == after.play.events or simultaneous


@pytest.mark.parametrize("questions", [0, 1_763_000_000_000])
def test_the_text_is_short(questions: int) -> None:
    assert len(asked(replace(playing().table, questions=questions))) < 12
