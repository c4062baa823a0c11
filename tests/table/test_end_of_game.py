"""The end of the game: its bonuses one by one, who has won, and a new game with the same seats."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from device.lights.board import Painting, paint_score
from device.lights.palettes import BOX
from device.records.record import Record
from device.rules.board import Board, Row
from device.rules.game import Setup
from device.rules.scoring import BonusGiven, Outcome
from device.rules.standard import StandardState
from device.rules.tiles import Colour
from device.socket.snapshot import Json, snapshot
from device.table.prompts import live_buttons, prompt
from device.table.state import PlayedAgain, Stage
from tests.harness.sampling import some
from tests.table.simulator import (
    GOLDEN,
    Simulator,
    begin_game,
    empty_table,
    finished,
    games_of,
    midway,
    play_record,
    recorded_draws,
    to_end,
    with_game,
)


def steps(sim: Simulator) -> list[Json]:
    """The steps of the account that the pages show so far."""
    shown: list[Json] = snapshot(sim.table, BOX)["account"]["steps"]
    return shown


def brightness(sim: Simulator, light: str) -> int:
    """The brightest channel of a light."""
    return max(sim.colour(light))


# --- Bonuses and winners ---


def golden(name: str) -> list[Record]:
    """Games of our own that end with bonuses."""
    return [each for each in games_of(GOLDEN / f"{name}.jsonl") if finished(each)]


def at_the_end(ended: Record) -> Simulator:
    """Hands at the last ceremony of a recorded game."""
    sim = begin_game(
        empty_table(draw=recorded_draws(ended.events)), ended.setup, range(1, len(ended.setup.players) + 1)
    )
    return play_record(sim, ended)


ENDED = [
    pytest.param(each, id=f"{name}-{each.number}")
    for name in ("standard-2", "standard-3", "standard-4", "gray-2", "dtc-2")
    for each in golden(name)
]


@pytest.mark.parametrize("ended", some(ENDED))
def test_the_bonuses_come_one_by_one_after_all_floors(ended: Record) -> None:
    sim = at_the_end(ended)
    kinds = []
    while sim.game.animation is not None:
        assert snapshot(sim.table, BOX)["result"] is None, "the winner is not shown before"
        known = len(steps(sim))
        sim.wait(0.1)
        new = steps(sim)[known:]
        assert sum(step["step"] == "bonus" for step in new) <= 1
        kinds += [step["step"] for step in new]
    assert "bonus" in kinds
    assert kinds == sorted(kinds, key="bonus".__eq__), "the bonuses stand last"
    final = [step["score"] for step in steps(sim)]
    shown = snapshot(sim.table, BOX)
    assert isinstance(ended.outcome, Outcome)
    assert [each["score"] for each in shown["result"]["scores"]] == list(ended.outcome.scores)
    assert final[-1] in ended.outcome.scores


@pytest.mark.parametrize("ended", some(ENDED))
def test_a_bonus_pulses_and_counts(ended: Record) -> None:
    sim = at_the_end(ended)
    account = sim.play.state.account
    assert account is not None
    number = next(at for at, step in enumerate(account.steps) if isinstance(step.item, BonusGiven))
    while sim.game.animation is not None and sim.game.animation.shown <= number:
        sim.wait(0.05)
    step = account.steps[number]
    assert isinstance(step.item, BonusGiven)
    assert step.item.kind.value == "row"
    place = sim.play.places[step.seat]
    lights = [f"seat.{place}.wall.{step.item.which}.{column}" for column in range(1, 6)]
    levels = [[brightness(sim, light) for light in lights]]
    levels += [[brightness(sim.wait(0.1), light) for light in lights] for _ in range(15)]
    assert max(map(max, levels)) > 200
    assert min(map(min, levels)) < 100


@pytest.mark.parametrize("ended", some(ENDED))
def test_the_winners_lights_shine_and_the_result_says_why(ended: Record) -> None:
    sim = at_the_end(ended).press("ok").wait(2.0)
    assert sim.table.stage is Stage.OVER
    outcome = sim.play.state.outcome()
    assert outcome == ended.outcome
    assert isinstance(outcome, Outcome)
    turns = [sim.rhythm(f"seat.{seat + 1}.turn") for seat in range(len(outcome.scores))]
    assert turns == ["steady" if seat in outcome.winners else "dark" for seat in range(len(outcome.scores))]
    shown = snapshot(sim.table, BOX)["result"]
    assert [each["winner"] for each in shown["scores"]] == [
        seat in outcome.winners for seat in range(len(outcome.scores))
    ]
    assert [each["rows"] for each in shown["scores"]] == list(outcome.rows)
    assert prompt(sim.table).key == "game_over"
    assert live_buttons(sim.table) == ("ok", "undo")
    for seat, score in enumerate(outcome.scores):
        assert brightness(sim, f"seat.{seat + 1}.tens.{score // 10 % 10}") > 0
        assert brightness(sim, f"seat.{seat + 1}.units.{score % 10}") > 0


def test_from_100_points_the_tens_change_their_colour() -> None:
    def lit(score: int) -> Painting:
        painting = Painting(BOX, 0.0)
        paint_score(painting, 1, score)
        return painting

    assert lit(7).keys() == {"seat.1.tens.0", "seat.1.units.7"}
    assert lit(107).keys() == lit(7).keys() == lit(207).keys()
    assert lit(107)["seat.1.units.7"] == lit(7)["seat.1.units.7"]
    assert len({lit(score)["seat.1.tens.0"] for score in (7, 107, 207)}) == 3


def test_a_score_below_0_is_shown_as_such() -> None:
    """S13: a solo game may end below 0; -3 was once lit as 297."""
    below, above = Painting(BOX, 0.0), Painting(BOX, 0.0)
    paint_score(below, 1, -13)
    paint_score(above, 1, 13)
    assert below.keys() == above.keys()
    assert all(below[light] != above[light] for light in below)


ROW: Row = (Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.BLACK, Colour.WHITE)
NO_ROW: Row = (None,) * 5


@pytest.mark.parametrize(
    ("scores", "rows", "tie", "winners"),
    [
        ((40, 39), (1, 2), "none", [True, False]),
        ((40, 40), (1, 2), "rows", [False, True]),
        ((40, 40), (1, 1), "shared", [True, True]),
    ],
)
def test_how_a_tie_was_settled(
    scores: tuple[int, int], rows: tuple[int, int], tie: str, winners: list[bool]
) -> None:
    """R15: shown as not needed, settled by complete rows, or shared."""
    sim = to_end(midway(Setup("standard", ("Ana", "Rui")), 3, 0), Random(3))
    boards = tuple(
        Board(wall=(ROW,) * complete + (NO_ROW,) * (5 - complete), score=score)
        for score, complete in zip(scores, rows, strict=True)
    )
    state = sim.play.state
    assert isinstance(state, StandardState)
    table = with_game(sim.table, play=replace(sim.play, state=replace(state, boards=boards)))
    result = snapshot(table, BOX)["result"]
    assert result["tie"] == tie
    assert [each["winner"] for each in result["scores"]] == winners


# --- A new game ---


def test_ok_at_the_end_chooses_a_new_game_with_the_same_seats() -> None:
    sim = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva")), 3, 0), Random(3))
    first = sim.play
    sim.press("ok")
    assert sim.table.stage is Stage.CHOOSING
    assert sim.table.seats.taken == (1, 2, 3)
    assert sim.table.seats.names[:3] == ("Ana", "Rui", "Eva")
    assert sim.table.next_game.options.mode == "gray"
    sim.press("seat.3.floor")
    assert sim.table.acting_place == 3
    assert sim.play.setup == Setup("gray", ("Ana", "Rui", "Eva"), 2)
    assert len(sim.play.events) == 1
    assert first.over


@pytest.mark.parametrize(
    "setup", [Setup("gray", ("Ana", "Rui", "Eva")), Setup("solo", ("Ana",), 0, "easy", "gray")]
)
def test_one_ok_too_many_leaves_the_result_to_be_read_until_the_next_game(setup: Setup) -> None:
    sim = to_end(midway(setup, 3, 0), Random(3))
    ended = snapshot(sim.table, BOX)["result"]
    assert ended is not None
    for button in ("ok", "undo", "ok"):
        assert snapshot(sim.press(button).table, BOX)["result"] == ended
    assert snapshot(sim.press("seat.1.floor").table, BOX)["result"] is None


def test_a_game_that_was_stopped_leaves_no_result() -> None:
    sim = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva")), 3, 0), Random(3))
    sim.press("ok", "seat.3.floor", "undo").press("ok", after=1.0)
    assert sim.table.stage is Stage.CHOOSING
    assert snapshot(sim.table, BOX)["result"] is None


def test_a_game_after_solo_is_solo_again() -> None:
    sim = to_end(midway(Setup("solo", ("Ana",), 0, "expert", "gray"), 3, 0), Random(3)).press("ok")
    assert (sim.table.next_game.options.level, sim.table.next_game.options.wall) == ("expert", "gray")
    assert sim.press("seat.1.floor").play.setup == Setup("solo", ("Ana",), 0, "expert", "gray")


def test_another_player_can_join_after_a_game() -> None:
    sim = to_end(midway(Setup("standard", ("Ana", "Rui")), 3, 0), Random(3))
    sim.press("ok", "undo", "seat.4.floor", "ok", "seat.4.floor")
    assert sim.play.places == (1, 2, 4)


def test_a_game_whose_seats_are_not_known_is_not_begun_again() -> None:
    """Bug fixed: a stored game without seats ended the table, which drew a starting player from nobody."""
    sim = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva")), 3, 0), Random(3))
    sim.table = replace(sim.table, seats=replace(sim.table.seats, taken=()))
    sim.take(PlayedAgain(sim.now))
    assert sim.table.refusal is not None
    assert sim.table.refusal.why == "too_few_seats"
    assert sim.table.stage is Stage.OVER
