"""A first game taught by the table: which step is explained when, and how teaching ends."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import msgspec
import pytest

from device.lights.palettes import BOX
from device.rules.events import Draft
from device.rules.game import Setup
from device.rules.scoring import BonusGiven
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.store.saved_table import SavedTable, from_saved_table, to_saved_table
from device.table import lessons
from device.table.lessons import READING, Step, explained
from device.table.opponents import bots_to_act
from device.table.state import FirstGame, Question, Stage, StepRead, TeachingSwitched, new_table
from tests.table.simulator import Simulator, dealt, midway, random_event, to_end, with_game

TWO = Setup("standard", ("Ana", "Rui"))
DEAL = "bbyr kkww bbbb rryy wkyr"


def taught(sim: Simulator) -> Simulator:
    """Switch teaching on."""
    sim.take(TeachingSwitched(on=True, at=sim.now))
    return sim


def read(sim: Simulator) -> Simulator:
    """Press "got it" for the step on show."""
    sim.take(StepRead(sim.now))
    return sim


def step(sim: Simulator) -> str | None:
    """Return the step on show."""
    shown = explained(sim.table)
    return shown.step.value if shown is not None else None


def steps_of(sim: Simulator, random: Random) -> list[str]:
    """Play to the end with random choices and return every step that is explained, in order."""
    found: list[str] = []

    def note() -> None:
        if (now := step(sim)) is not None and found[-1:] != [now]:
            found.append(now)

    while sim.table.stage is not Stage.OVER:
        note()
        if sim.table.stage is Stage.SCORING:
            sim.wait(1.0)
            continue
        event = random_event(sim.play, random)
        if isinstance(event, Draft):
            sim.choose("centre" if event.source == 0 else f"display.{event.source}", "byrkw"[event.colour])
            note()
            sim.press("undo")
        sim.make(event)
    note()
    return found


def test_nothing_is_explained_unless_people_ask_for_it() -> None:
    sim = dealt(DEAL)
    assert sim.table.first_game is None
    assert step(sim) is None
    assert step(read(sim)) is None


def test_the_first_draft_is_explained_step_by_step() -> None:
    sim = taught(dealt(DEAL))
    assert step(sim) == "draft"
    assert step(sim.press("display.1")) == "place"
    assert step(sim.press("seat.1.line.3")) == "centre", "the second player's turn"
    assert step(sim.press("undo")) is None, "each step is explained once"


def test_a_step_stays_until_it_is_read_and_the_next_one_follows() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "seat.1.line.3", "display.3", "seat.2.line.4")
    assert sim.table.acting_place == 1
    assert step(sim) == "begun"
    shown = explained(sim.table)
    assert shown is not None
    assert shown.values == {"line": 3, "colour": "b", "count": 1, "seat": 1}
    assert step(sim.wait(60.0)) == "begun"
    assert step(read(sim)) is None


def test_a_full_line_comes_before_a_begun_one() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "seat.1.line.2", "display.3", "seat.2.line.4")
    shown = explained(sim.table)
    assert shown is not None
    assert (shown.step, shown.values) == (Step.FULL, {"line": 2, "seat": 1})


def test_a_scoring_waits_until_its_explanation_is_read() -> None:
    sim = taught(midway(TWO, 3, 0))
    random = Random(3)
    while sim.table.stage is not Stage.SCORING:
        sim.make(random_event(sim.play, random))
    assert step(sim) == "scoring"
    sim.wait(READING)
    assert sim.game.animation is not None
    assert sim.game.animation.shown == 0
    sim.wait(1.5)
    assert sim.game.animation.shown == 1
    assert step(sim) == "scoring", "it stays while tiles are counted"


def test_ok_ends_the_reading_and_skips_nothing() -> None:
    sim = taught(midway(TWO, 3, 0))
    random = Random(3)
    while sim.table.stage is not Stage.SCORING:
        sim.make(random_event(sim.play, random))
    sim.press("ok")
    while step(sim) is not None:
        sim.press("ok")
    assert sim.table.stage is Stage.SCORING
    assert sim.game.animation is not None
    assert sim.game.animation.shown == 0
    assert sim.wait(1.5).game.animation is not None


@pytest.mark.parametrize("mode", ["standard", "gray"])
def test_a_whole_game_explains_each_step_at_most_once(mode: str) -> None:
    found = steps_of(taught(midway(Setup(mode, ("Ana", "Rui")), 5, 0)), Random(5))
    assert len(found) == len(set(found))
    assert {"draft", "place", "centre", "scoring", "round", "over"} <= set(found)
    assert ("column" in found) == (mode == "gray")


def solo(seed: int, wall: str = "gray") -> Simulator:
    """Return a solo game at its first choice."""
    return midway(Setup("solo", ("Ana",), 0, "easy", wall), seed, 0)


def test_a_solo_game_is_explained_from_its_first_choice() -> None:
    sim = taught(solo(1))
    assert step(sim) == "solo_square"
    sim.make(random_event(sim.play, Random(1)))
    assert step(sim) == "solo_draft"
    shown = explained(sim.table)
    assert shown is not None
    assert shown.values["seat"] == 2, "the action board's"
    assert step(sim.press("display.1")) == "solo_place"
    assert step(sim.press("seat.2.line.5")) == "solo_player"


def test_the_penalty_row_is_explained_at_the_second_display() -> None:
    sim = taught(solo(1))
    random = Random(1)
    while sim.play.state.sources_to_draft() != (2,):
        sim.make(random_event(sim.play, random))
        assert step(sim) != "solo_penalties" or sim.play.state.sources_to_draft() == (2,)
    assert step(sim) == "solo_penalties"


def test_a_whole_solo_game_explains_each_step_at_most_once_and_none_of_other_games() -> None:
    found: set[str] = set()
    for seed in range(12):
        steps = steps_of(taught(solo(seed)), Random(seed))
        assert len(steps) == len(set(steps))
        assert steps[-1] == "solo_over"
        found |= set(steps)
    solo_steps = {each.value for each in Step if each.startswith("solo_")}
    assert solo_steps <= found
    assert found - solo_steps <= {"stuck", "column", "round", "row", "full", "begun", "bonus"}


def test_teaching_ends_with_the_game() -> None:
    sim = taught(midway(TWO, 3, 0))
    to_end(sim, Random(3))
    assert step(sim) == "over"
    sim.press("ok")
    assert sim.table.first_game is None


def test_a_game_that_was_stopped_is_explained_anew() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "undo", "undo")
    assert sim.game.question is Question.STOP_GAME
    sim.press("ok", after=1.0)
    assert sim.table.first_game == FirstGame()


def test_teaching_can_be_left_at_any_time() -> None:
    sim = taught(dealt(DEAL))
    sim.take(TeachingSwitched(on=False, at=sim.now))
    assert sim.table.first_game is None
    assert step(sim.press("display.1")) is None


def test_a_question_of_the_table_keeps_the_step() -> None:
    sim = taught(dealt(DEAL))
    sim.table = with_game(sim.table, question=Question.YOUR_BOARD)
    assert step(sim.wait(1.0)) == "draft"


def test_an_opponents_turn_is_not_explained() -> None:
    sim = taught(dealt(DEAL))
    bots = replace(sim.table, seats=sim.table.seats.with_bot(1, "calm"))
    sim.table = bots
    assert bots_to_act(sim.wait(0.1).table)
    assert step(sim) is None


def test_a_selection_that_only_fits_the_floor_is_explained() -> None:
    """Such tiles can be put back, which people do not know."""
    sim = taught(dealt(DEAL))
    state = sim.play.state
    boards = tuple(replace(board, colours=(Colour.RED,) * 5, held=(1, 2, 3, 4, 5)) for board in state.boards)
    sim.table = with_game(sim.table, play=replace(sim.play, state=replace(state, boards=boards)))
    assert step(sim.press("display.1")) == "stuck"


def test_bonuses_are_explained_where_there_are_some() -> None:
    for seed in range(3, 30):
        sim = midway(TWO, seed, 0)
        to_end(sim, Random(seed))
        account = sim.play.state.account
        assert account is not None
        bonuses = any(isinstance(each.item, BonusGiven) for each in account.steps)
        found = steps_of(taught(midway(TWO, seed, 0)), Random(seed))
        assert ("bonus" in found) == bonuses
        if bonuses:
            return


def test_a_row_that_lacks_one_tile_is_found() -> None:
    sim = dealt(DEAL)
    assert lessons.nearly_complete_row(sim.table) is None
    state = sim.play.state
    row = (None, Colour.YELLOW, Colour.RED, Colour.BLACK, Colour.WHITE)
    board = replace(state.boards[1], wall=(row, *state.boards[1].wall[1:]))
    play = replace(sim.play, state=replace(state, boards=(state.boards[0], board)))
    assert lessons.nearly_complete_row(with_game(sim.table, play=play)) == (2, 1)


# --- In light, and saved ---


def test_the_line_that_is_explained_pulses() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "seat.1.line.3", "display.3", "seat.2.line.4").wait(3.0)
    assert step(sim) == "begun"
    assert sim.rhythm("seat.1.line.3.3") == "slow"
    assert sim.rhythm("seat.1.line.3.1") == "dark"
    assert sim.rhythm("seat.2.line.4.4") == "steady"
    assert read(sim).rhythm("seat.1.line.3.3") == "steady"


def test_only_the_centre_pulses_while_it_is_explained() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "seat.1.line.3").wait(3.0)
    assert step(sim) == "centre"
    assert sim.rhythm("centre.2") == "slow"
    assert sim.rhythm("display.2.1") == "steady"
    assert read(sim).rhythm("display.2.1") == "slow"


def test_a_restart_explains_nothing_twice() -> None:
    sim = taught(dealt(DEAL)).press("display.1", "seat.1.line.3")
    saved = msgspec.json.decode(msgspec.json.encode(to_saved_table(sim.table)), type=SavedTable)
    restored = from_saved_table(saved, sim.play, new_table(sim.table.settings), 0.0)
    assert restored.first_game == FirstGame(("draft", "place"), "centre") == sim.table.first_game


def test_an_unknown_step_in_a_saved_table_is_refused() -> None:
    saved = SavedTable(first_game=FirstGame(("draft", "fly")))
    with pytest.raises(ValueError, match="the steps that it explained"):
        from_saved_table(saved, None, new_table(dealt(DEAL).table.settings), 0.0)


def test_the_snapshot_names_the_step_with_its_values() -> None:
    sim = dealt(DEAL)
    assert snapshot(sim.table, BOX)["lesson_step"] is None
    assert snapshot(sim.table, BOX)["explaining"] is False
    taught(sim).press("display.1", "seat.1.line.2", "display.3", "seat.2.line.4")
    assert snapshot(sim.table, BOX)["lesson_step"] == {"key": "full", "line": 2, "seat": 1}
    assert snapshot(sim.table, BOX)["explaining"] is True
