"""The solo game at the table: every kind of choice by its button, the tried line, losses (S1 to S14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from device.lights.palettes import BOX
from device.lights.view import LONGEST_SWEEP
from device.rules.board import WALL_PATTERN
from device.rules.events import (
    Chance,
    Deal,
    Draft,
    Event,
    Penalty,
    Remove,
    Scoring,
    ScoringColour,
    Swap,
    Tile,
)
from device.rules.game import Setup
from device.rules.solo.game import Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.game import Play
from device.table.prompts import live_buttons, prompt
from device.table.state import Stage
from device.table.turns import choices
from tests.table.simulator import (
    Simulator,
    begin_game,
    colours_of,
    counts,
    empty_table,
    midway,
    playing,
    random_draws,
    random_event,
    to_end,
    with_game,
)

SOLO = Setup("solo", ("Ana",), 0, "easy", "coloured")
SETTLED = LONGEST_SWEEP + 0.1
DEAL = "bbyr kkww rryy bykw bbyk"


def dealt(penalty: str = "bykww", colour: str = "r", setup: Setup = SOLO) -> Simulator:
    """Return a solo game with given first draws; the scoring tile is not placed yet."""
    given: list[Chance] = [
        Deal(tuple(counts(each) for each in DEAL.split())),
        Penalty(tuple(colours_of(penalty))),
        ScoringColour(colours_of(colour)[0]),
    ]
    later = random_draws(1)

    def draw(play: Play) -> Chance:
        drawn = sum(isinstance(event, Chance) for event in play.events)
        return given[drawn] if drawn < len(given) else later(play)

    return begin_game(empty_table(draw=draw), setup, (1,))


def drafting() -> Simulator:
    """Return that game with the scoring tile in row 2; the action board picks from display 1."""
    sim = dealt().press("seat.2.line.2")
    assert sim.table.stage is Stage.OFFER
    return sim


def state_of(sim: Simulator) -> SoloState:
    """Return the state of the solo game."""
    state = sim.play.state
    assert isinstance(state, SoloState)
    return state


def drafts(sim: Simulator) -> list[Draft]:
    """Return the drafts made so far."""
    return [move.draft for move in sim.play.moves]


def until(
    phase: Phase, wanted: Callable[[SoloState], bool] = lambda _state: True, setup: Setup = SOLO
) -> Simulator:
    """Return a game at its first choice of a kind."""
    for seed in range(200):
        sim = midway(setup, seed, 0)
        random = Random(seed)
        while sim.table.stage is not Stage.OVER:
            if sim.table.stage is Stage.SCORING:
                sim.skip()
            elif state_of(sim).phase is phase and wanted(state_of(sim)):
                return sim
            else:
                sim.make(random_event(sim.play, random))
    pytest.fail(f"no game came to {phase}")


# --- Before the first pick (S1) ---


@pytest.mark.parametrize(("level", "tiles", "score"), [("easy", 5, 20), ("normal", 6, 20), ("expert", 7, 15)])
def test_the_penalty_row_lies_on_the_second_seats_floor(level: str, tiles: int, score: int) -> None:
    sim = playing("solo", level=level).wait(SETTLED)
    lit = [sim.rhythm(f"seat.2.floor.{at}") for at in range(1, 8)]
    assert lit == ["steady"] * tiles + ["dark"] * (7 - tiles)
    seats = snapshot(sim.table, BOX)["seats"]
    assert len(seats[1]["floor"]) == tiles
    assert [seat["role"] for seat in seats[:2]] == ["player", "action"]
    assert [seat["taken"] for seat in seats] == [True, True, False, False]
    assert seats[0]["score"] == score
    assert sim.rhythm(f"seat.1.tens.{score // 10}") == "steady"
    assert {sim.rhythm(f"seat.2.{part}.{digit}") for part in ("tens", "units") for digit in range(10)} == {
        "dark"
    }, "the action board keeps no score"


@pytest.mark.parametrize("colour", "byrkw")
def test_the_scoring_tile_goes_to_a_row_where_its_colour_is_inside(colour: str) -> None:
    sim = dealt(colour=colour).wait(SETTLED)
    assert prompt(sim.table).key == "choose_square"
    squares = {
        row: column
        for row in (2, 3, 4)
        for column in (2, 3, 4)
        if WALL_PATTERN[row - 1][column - 1] is colours_of(colour)[0]
    }
    assert set(live_buttons(sim.table)) == {*(f"seat.2.line.{row}" for row in squares), "undo"}
    for row in range(1, 6):
        rhythms = [sim.rhythm(f"seat.2.wall.{row}.{column}") for column in range(1, 6)]
        expected = ["slow" if squares.get(row) == column else "dark" for column in range(1, 6)]
        assert rhythms == expected
    row = min(squares)
    assert sim.refused("seat.2.line.1") == "not_now"
    sim.press(f"seat.2.line.{row}").wait(SETTLED)
    assert sim.play.events[-1] == Scoring(row, squares[row])
    assert sim.rhythm(f"seat.2.wall.{row}.{squares[row]}") == "steady"


def test_the_scoring_tile_can_be_taken_back() -> None:
    sim = drafting().press("undo")
    assert prompt(sim.table).key == "choose_square"
    assert sim.press("undo").game.question is not None


# --- Picks (S3 to S6) ---


def test_only_the_display_in_work_is_offered() -> None:
    """The other displays once pulsed, and were refused as empty."""
    sim = drafting().wait(SETTLED)
    assert live_buttons(sim.table) == ("display.1", "undo")
    rhythms = [sim.rhythm(f"display.{display}.1") for display in range(1, 6)]
    assert rhythms == ["slow", "steady", "steady", "steady", "steady"]
    assert sim.refused("display.2") == "not_this_display"
    assert sim.refused("display.6") == "source_empty"
    assert sim.refused("centre") == "source_empty"


def test_a_pick_for_the_action_board_then_one_for_the_player_board() -> None:
    sim = drafting().press("display.1")
    assert sim.table.acting_place == 2
    assert sim.refused("seat.1.line.2") == "not_your_turn"
    sim.press("seat.2.line.2")
    assert sim.table.acting_place == 1
    assert state_of(sim).boards[ACTION].held == (0, 2, 0, 0, 0)
    assert sim.wait(2.0).rhythm("seat.1.turn") == "steady"
    sim.press("display.1", "seat.1.line.1")
    assert state_of(sim).boards[PLAYER].held == (1, 0, 0, 0, 0)
    assert sim.table.acting_place == 2
    assert live_buttons(sim.table) == ("display.2", "undo"), "display 1 is cleared"


def test_the_tiles_that_a_line_would_send_are_shown_first() -> None:
    sim = drafting().press("display.1", "seat.2.line.1").wait(0.0)
    assert drafts(sim) == [], "two blue tiles on a line of one: one goes to the penalty row"
    assert prompt(sim.table).key == "place_again"
    assert prompt(sim.table).values["line"] == 1
    assert sim.rhythm("seat.2.floor.6") == "fast", "the penalty space that it would fill"
    assert sim.rhythm("seat.2.floor.7") == "dark"
    assert sim.rhythm("seat.2.line.1.1") == "fast"
    assert sim.rhythm("seat.2.line.2.1") == "slow"
    choice = snapshot(sim.table, BOX)["choice"]
    assert choice["tried"] == 1
    assert choice["sends"] == {"1": "b", "0": "b"}
    sim.press("seat.2.line.1")
    assert drafts(sim)[-1] == Draft(1, Colour.BLUE, 1)
    assert len(state_of(sim).boards[ACTION].floor) == 6


def test_a_line_that_sends_nothing_is_made_at_once() -> None:
    assert len(drafting().press("display.1", "seat.2.line.3").play.moves) == 1


def test_another_line_may_be_tried_or_made_instead() -> None:
    tried = drafting().press("display.1", "seat.2.line.1", "seat.2.floor")
    selection = tried.game.selection
    assert selection is not None
    assert selection.tried == 0
    assert drafts(tried) == []
    made = tried.press("seat.2.line.4")
    assert drafts(made)[-1].line == 4


def test_choosing_again_forgets_the_tried_line() -> None:
    sim = drafting().press("display.1", "seat.2.line.1", "display.1", "display.1", "display.1")
    assert sim.game.selection is not None
    assert sim.game.selection.colour is Colour.BLUE
    assert sim.game.selection.tried is None
    sim.press("seat.2.line.1")
    assert drafts(sim) == [], "it is tried anew"


def test_undo_drops_the_tried_line_and_the_selection() -> None:
    sim = drafting().press("display.1", "seat.2.line.1", "undo")
    assert sim.game.selection is None
    assert drafts(sim) == []


def test_the_tiles_of_a_cleared_display_are_shown_too() -> None:
    """S5: with the player's pick the display is cleared, and of two left tiles one goes to the row."""
    sim = drafting()
    sim.choose("display.1", "y").press("seat.2.line.1")
    sim.choose("display.1", "r").press("seat.1.line.1")
    assert sim.game.selection is not None, "two blue tiles are left: one would be sent"
    assert snapshot(sim.table, BOX)["choice"]["sends"]["1"] == "b"
    sim.press("seat.1.line.1")
    assert len(state_of(sim).boards[ACTION].floor) == 6
    assert state_of(sim).boards[PLAYER].floor == (Colour.BLUE,)


# --- The action board's lines (S8) ---


def row_of(sim: Simulator, tiles: tuple[Colour, ...], **changes: object) -> Simulator:
    """Give a game another penalty row."""
    state = state_of(sim)
    action = replace(state.boards[ACTION], floor=tiles)
    changed = replace(state, boards=(state.boards[PLAYER], action), **changes)  # type: ignore[arg-type]
    sim.table = with_game(sim.table, play=replace(sim.play, state=changed))
    return sim


PENALTY_BUTTONS = [*(f"seat.2.line.{at}" for at in range(1, 6)), "seat.2.floor", "seat.1.floor"]
SEVEN = (Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.BLACK, Colour.WHITE, Colour.BLUE, Colour.RED)


@pytest.mark.parametrize("position", range(1, 7))
def test_line_2_swaps_a_penalty_tile_with_the_next(position: int) -> None:
    sim = row_of(until(Phase.SWAP), SEVEN)
    assert prompt(sim.table).key == "choose_swap"
    assert live_buttons(sim.table) == (*PENALTY_BUTTONS[:6], "undo")
    assert sim.refused("seat.1.floor") == "not_now", "the 7th has no next"
    assert sim.refused("ok") == "not_now", "a swap must be made"
    sim.press(PENALTY_BUTTONS[position - 1])
    assert sim.play.events[-1] == Swap(position)
    swapped = list(SEVEN)
    swapped[position - 1 : position + 1] = [SEVEN[position], SEVEN[position - 1]]
    account = state_of(sim).account
    assert account is not None
    made = [step.item.board.floor for step in account.steps if type(step.item).__name__ == "PenaltySwapped"]
    assert made == [tuple(swapped)]


def test_a_shorter_row_has_fewer_swaps() -> None:
    sim = row_of(until(Phase.SWAP), SEVEN[:3])
    assert live_buttons(sim.table) == ("seat.2.line.1", "seat.2.line.2", "undo")
    sim.wait(SETTLED)
    assert [sim.rhythm(f"seat.2.floor.{at}") for at in range(1, 5)] == ["slow", "slow", "slow", "dark"]


def removing(tiles: str = "rrrrrrr") -> Simulator:
    """Line 5 has placed a red tile, and may remove any red tile of the row."""
    sim = until(Phase.REMOVE)
    acting = state_of(sim).acting
    assert acting is not None
    red = replace(acting, row=5, colour=Colour.RED)
    return row_of(sim, tuple(colours_of(tiles)), acting=red)


@pytest.mark.parametrize("position", range(1, 8))
def test_line_5_removes_any_penalty_tile_of_its_colour(position: int) -> None:
    sim = removing()
    assert prompt(sim.table).key == "choose_removal"
    assert live_buttons(sim.table) == (*PENALTY_BUTTONS, "ok", "undo")
    sim.press(PENALTY_BUTTONS[position - 1])
    assert sim.play.events[-1] == Remove(position)


def test_other_colours_stay_and_do_not_pulse() -> None:
    sim = removing("brybrkw").wait(SETTLED)
    assert live_buttons(sim.table) == ("seat.2.line.2", "seat.2.line.5", "ok", "undo")
    rhythms = [sim.rhythm(f"seat.2.floor.{at}") for at in range(1, 8)]
    assert rhythms == ["slow" if at in (2, 5) else "steady" for at in range(1, 8)]
    assert sim.refused("seat.2.line.1") == "not_now"
    assert sim.rhythm("status") == "slow", "ok would leave them"


def test_ok_leaves_the_penalty_tiles() -> None:
    sim = removing().press("ok")
    assert sim.play.events[-1] == Remove(None)


def test_a_column_on_the_gray_player_board_by_its_own_lines() -> None:
    sim = until(Phase.TILING, setup=replace(SOLO, wall="gray"))
    assert prompt(sim.table).key == "choose_column"
    assert all(button.startswith("seat.1.line.") for button in choices(sim.play))
    button, event = next(iter(choices(sim.play).items()))
    assert isinstance(event, Tile)
    assert button == f"seat.1.line.{event.column}"
    assert sim.refused("seat.2.line.1") == "not_now"
    sim.press(button)
    assert sim.play.events[-1] == event
    patterns = [seat["pattern"] for seat in snapshot(sim.table, BOX)["seats"][:2]]
    assert patterns[0] is None
    assert patterns[1] == ["byrkw", "wbyrk", "kwbyr", "rkwby", "yrkwb"], "the action board is always coloured"


def test_every_kind_of_choice_comes_up_in_games() -> None:
    kinds: set[type[Event]] = set()
    for seed in range(8):
        for wall in ("coloured", "gray"):
            sim = to_end(midway(replace(SOLO, wall=wall), seed, 0), Random(seed))
            kinds |= {type(event) for event in sim.play.events}
    assert kinds >= {Scoring, Draft, Swap, Remove, Tile}


def test_the_pick_that_would_lose_is_shown_first() -> None:
    """S7: an eighth tile is among those that it sends."""
    sim = drafting()
    row_of(sim, SEVEN).press("display.1", "seat.2.floor")
    assert sim.table.stage is Stage.OFFER
    assert sim.game.selection is not None
    assert sim.play.state.sent_to_penalty_row(Draft(1, Colour.BLUE, 0)) == (Colour.BLUE,)
    assert sim.press("seat.2.floor").table.stage is Stage.OVER
