"""Gray walls at the table: all seats choose their columns at the same time (G1 to G3)."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from device.lights.palettes import BOX
from device.rules.board import Board, Row
from device.rules.events import Chance, Event, Tile
from device.rules.game import Setup
from device.rules.notation import event_of
from device.rules.scoring import LineFell
from device.rules.standard import StandardState
from device.rules.tiles import Colour
from device.socket.snapshot import snapshot
from device.table.prompts import acting_places, live_buttons, prompt
from device.table.state import Stage, Table
from device.table.turns import button_of, choices, forced_choice
from tests.harness.sampling import some
from tests.table.simulator import Simulator, dealt, grouped_by_seat, midway, random_event, to_end, with_game

# Both players end their first round with full lines: Ana's 1 and 2, Rui's 1 and 3.
DEAL = "bkkk rrww yyyy wwrr bbbb"


def tiling() -> Simulator:
    """Ana has a blue tile to place in row 1, then two whites in row 2; Rui red in row 1, yellow in row 3."""
    sim = dealt(DEAL, mode="gray")
    sim.press("display.1", "seat.1.line.1", "display.2", "seat.2.line.1")  # Ana b, Rui r (one falls)
    sim.choose("display.4", "w").press("seat.1.line.2", "display.3", "seat.2.line.3")
    sim.press("display.5", "seat.1.line.5")
    while sim.table.stage is Stage.OFFER:
        sim.press("centre", f"seat.{sim.table.acting_place}.floor")
    assert sim.table.stage is Stage.CHOICE
    return sim


def choices_of_seats(sim: Simulator) -> dict[int, list[str]]:
    """Return the live line buttons by seat."""
    live = [button for button in live_buttons(sim.table) if button != "undo"]
    return {place: [b for b in live if b.startswith(f"seat.{place}.")] for place in (1, 2)}


def five(place: int) -> list[str]:
    """Return all line buttons of a seat."""
    return [f"seat.{place}.line.{column}" for column in range(1, 6)]


# --- At the same time ---


def test_both_seats_choose_at_the_same_time() -> None:
    sim = tiling()
    assert choices_of_seats(sim) == {1: five(1), 2: five(2)}
    assert acting_places(sim.table) == (1, 2)
    assert prompt(sim.table).key == "choose_column"
    step_json = snapshot(sim.table, BOX)
    assert [seat["acting"] for seat in step_json["seats"]] == [True, True, False, False]
    assert [seat["pattern"] for seat in step_json["seats"][:2]] == [None, None]
    assert step_json["stage"] == "choice"


def test_a_line_button_chooses_the_column_of_the_topmost_full_line() -> None:
    sim = tiling().press("seat.2.line.4", "seat.1.line.3")
    assert sim.play.events[-2:] == (Tile(1, 1, 4), Tile(0, 1, 3))
    sim.press("seat.1.line.5")
    assert sim.play.events[-1] == Tile(0, 2, 5), "row 1 is done, row 2 is asked for"
    assert acting_places(sim.table) == (2,)


@pytest.mark.parametrize(
    "presses",
    [
        order
        for order in permutations(["seat.1.line.2", "seat.1.line.4", "seat.2.line.5", "seat.2.line.1"])
        if order.index("seat.1.line.2") < order.index("seat.1.line.4")
        and order.index("seat.2.line.5") < order.index("seat.2.line.1")
    ],
    ids=" ".join,
)
def test_any_order_of_the_seats_gives_the_same_game(presses: tuple[str, ...]) -> None:
    in_seat_order = tiling().press("seat.1.line.2", "seat.1.line.4", "seat.2.line.5", "seat.2.line.1")
    sim = tiling().press(*presses)
    assert sim.table.stage is Stage.SCORING
    assert sim.play.state == in_seat_order.play.state
    assert grouped_by_seat(sim.play.events) == list(in_seat_order.play.events)
    assert snapshot(sim.table, BOX) == snapshot(in_seat_order.table, BOX)


def test_a_seat_without_a_choice_left_has_no_live_button() -> None:
    sim = tiling().press("seat.1.line.2", "seat.1.line.4")
    assert choices_of_seats(sim)[1] == []
    assert sim.refused("seat.1.line.1") == "not_now"
    assert sim.table.stage is Stage.CHOICE


@pytest.mark.parametrize("button", ["display.1", "centre", "ok", "seat.1.floor", "seat.3.line.1"])
def test_other_buttons_are_refused(button: str) -> None:
    assert tiling().refused(button) == "not_now"


def test_a_taken_column_is_refused() -> None:
    sim = tiling()
    sim.table = with_board(sim.table, 0, due_in_row_2())
    assert choices_of_seats(sim)[1] == [f"seat.1.line.{column}" for column in (3, 4, 5)]
    before = sim.play
    assert sim.refused("seat.1.line.1") == "column_taken", "row 2 holds a tile there"
    assert sim.refused("seat.1.line.2") == "column_taken", "the column has its colour"
    assert sim.play is before
    assert sim.refused("seat.1.line.4") is None


NO_ROW: Row = (None,) * 5


def due_in_row_2() -> Board:
    """Row 2's blue tile may go to columns 3 to 5: column 1 is taken, column 2 has blue."""
    wall = (
        (None, Colour.BLUE, None, None, None),
        (Colour.RED, None, None, None, None),
        NO_ROW,
        NO_ROW,
        NO_ROW,
    )
    return Board((None, Colour.BLUE, None, None, None), (0, 2, 0, 0, 0), wall)


def with_board(table: Table, seat: int, board: Board) -> Table:
    """Return the table with another board at a seat of the game."""
    assert table.play is not None
    state = table.play.state
    assert isinstance(state, StandardState)
    boards = (*state.boards[:seat], board, *state.boards[seat + 1 :])
    return with_game(table, play=replace(table.play, state=replace(state, boards=boards)))


# --- In light ---


def test_legal_columns_pulse_on_the_wall_and_the_line_pulses_fast() -> None:
    sim = tiling()
    sim.table = with_board(sim.table, 0, due_in_row_2())
    sim.wait(2.0)
    assert [sim.rhythm(f"seat.1.wall.2.{column}") for column in range(1, 6)] == [
        "steady",  # a tile lies there
        "dark",
        "slow",
        "slow",
        "slow",
    ]
    assert {sim.rhythm(f"seat.1.line.2.{at}") for at in (1, 2)} == {"fast"}
    assert [sim.rhythm(f"seat.{place}.turn") for place in (1, 2, 3)] == ["steady", "steady", "dark"]


# --- One legal column ---


def one_column(table: Table) -> Table:
    """Return the table with one legal column for Ana's tile."""
    wall = ((None, Colour.BLUE, Colour.RED, Colour.BLACK, Colour.WHITE), NO_ROW, NO_ROW, NO_ROW, NO_ROW)
    return with_board(table, 0, Board((Colour.YELLOW,) + (None,) * 4, (1, 0, 0, 0, 0), wall))


def test_a_single_legal_column_has_to_be_confirmed_by_default() -> None:
    sim = tiling()
    sim.table = one_column(sim.table)
    assert choices_of_seats(sim)[1] == ["seat.1.line.1"]
    assert forced_choice(sim.play) == Tile(0, 1, 1)


GRAY = Setup("gray", ("Ana", "Rui", "Eva"))


@pytest.mark.parametrize("seed", some(range(40), 4))
def test_unconfirmed_columns_are_chosen_at_once_and_are_in_the_record(seed: int) -> None:
    sim = to_end(midway(GRAY, seed, 0, confirm_columns=False), Random(seed))
    alone = 0
    again = midway(GRAY, seed, 0)
    for event in grouped_by_seat(sim.play.events):
        if isinstance(event, Chance):
            continue
        alone += forced_choice(again.skip().play) is not None
        again.make(event)
    assert alone > 0, "some choice was forced"
    assert again.play.state == sim.play.state
    assert grouped_by_seat(again.play.events) == grouped_by_seat(sim.play.events)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(40), 4))
def test_unconfirmed_columns_are_never_asked_for_and_are_undone_together(seed: int) -> None:
    sim = midway(GRAY, seed, 0, confirm_columns=False)
    random = Random(seed)
    jumps = 0
    while sim.table.stage is not Stage.OVER:
        if sim.table.stage is Stage.SCORING:
            sim.skip()
            continue
        assert forced_choice(sim.play) is None
        before = sim.play
        event = random_event(before, random)
        sim.make(event)
        made = sim.play
        tiles = [each for each in made.events[len(before.events) + 1 :] if isinstance(each, Tile)]
        jumps += len(tiles)
        sim.press("undo")
        assert sim.play == before, "undo goes back to the choice of a player"
        assert sim.make(event).play == made
    assert jumps > 0


def test_unconfirmed_columns_are_never_asked_for_on_a_gray_wall_in_solo() -> None:
    setup = Setup("solo", ("Ana",), 0, "easy", "gray")
    for seed in some(range(30), 3):
        sim = midway(setup, seed, 0, confirm_columns=False)
        random = Random(seed)
        while sim.table.stage is not Stage.OVER:
            assert forced_choice(sim.play) is None
            if sim.table.stage is Stage.SCORING:
                sim.skip()
            else:
                sim.make(random_event(sim.play, random))


# --- Lines that fall (G2) ---


def test_a_line_without_a_legal_column_falls_in_the_score_animation() -> None:
    """It needs no button."""
    for seed in range(40):
        sim = midway(GRAY, seed, 0)
        random = Random(seed)
        while sim.table.stage is not Stage.OVER:
            if sim.table.stage is Stage.SCORING:
                account = sim.play.state.account
                assert account is not None
                falls = [at for at, step in enumerate(account.steps) if isinstance(step.item, LineFell)]
                if falls:
                    check_fall(sim, falls[0])
                    return
                sim.skip()
            else:
                sim.make(random_event(sim.play, random))
    pytest.fail("no line fell in 40 games")


def check_fall(sim: Simulator, at: int) -> None:
    """Check the lights and the snapshot of the step in which a line falls."""
    account = sim.play.state.account
    assert account is not None
    step = account.steps[at]
    assert isinstance(step.item, LineFell)
    while sim.game.animation is not None and sim.game.animation.shown <= at:
        sim.wait(0.05)
    step_json = snapshot(sim.table, BOX)["account"]["steps"][-1]
    assert step_json["step"] == "fell"
    assert (step_json["line"], step_json["seat"], step_json["points"]) == (step.item.line, step.seat + 1, 0)
    light = f"seat.{step.seat + 1}.line.{step.item.line}.1"
    levels = [max(sim.wait(1 / 16).colour(light)) for _ in range(16)]
    assert max(levels) > 200
    assert min(levels) == 0, "at the end of the step the line is empty"


# --- Whole games ---


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_gray_game_played_by_buttons_ends(players: int) -> None:
    sim = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva", "Tom")[:players]), 1, 0), Random(1))
    assert sim.play.state.outcome() is not None


def test_every_choice_has_a_button_of_its_own() -> None:
    sim = tiling()
    made: dict[str, Event] = choices(sim.play)
    assert len(made) == len(sim.play.state.legal())
    assert all(button_of(sim.play, event) == button for button, event in made.items())


def test_a_draft_is_not_made_by_one_button() -> None:
    sim = tiling()
    with pytest.raises(ValueError, match="not made by one button"):
        button_of(sim.play, event_of("1b2"))
