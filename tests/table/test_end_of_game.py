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
from device.table.state import Stage
from tests.table.hands import (
    GOLDEN,
    Hands,
    at_table,
    drawn_from,
    finished,
    games_of,
    midway,
    play_record,
    sat_down,
    to_end,
    with_game,
)


def steps(hands: Hands) -> list[Json]:
    """The steps of the account that the pages show so far."""
    told: list[Json] = snapshot(hands.table, BOX)["account"]["steps"]
    return told


def brightness(hands: Hands, light: str) -> int:
    """The brightest channel of a light."""
    return max(hands.colour(light))


# --- Bonuses and winners ---------------------------------------------------------------------------------


def golden(name: str) -> list[Record]:
    """Games of our own that end with bonuses."""
    return [each for each in games_of(GOLDEN / f"{name}.jsonl") if finished(each)]


def at_the_end(ended: Record) -> Hands:
    """Hands at the last ceremony of a recorded game."""
    hands = sat_down(
        at_table(draw=drawn_from(ended.events)), ended.setup, range(1, len(ended.setup.players) + 1)
    )
    return play_record(hands, ended)


ENDED = [
    pytest.param(each, id=f"{name}-{each.number}")
    for name in ("standard-2", "standard-3", "standard-4", "gray-2", "dtc-2")
    for each in golden(name)
]


@pytest.mark.parametrize("ended", ENDED)
def test_the_bonuses_come_one_by_one_after_all_floors(ended: Record) -> None:
    hands = at_the_end(ended)
    kinds = []
    while hands.game.animation is not None:
        assert snapshot(hands.table, BOX)["result"] is None, "who has won is not told before"
        shown = len(steps(hands))
        hands.wait(0.1)
        new = steps(hands)[shown:]
        assert sum(step["step"] == "bonus" for step in new) <= 1
        kinds += [step["step"] for step in new]
    assert "bonus" in kinds
    assert kinds == sorted(kinds, key="bonus".__eq__), "the bonuses stand last"
    final = [step["score"] for step in steps(hands)]
    told = snapshot(hands.table, BOX)
    assert isinstance(ended.outcome, Outcome)
    assert [each["score"] for each in told["result"]["scores"]] == list(ended.outcome.scores)
    assert final[-1] in ended.outcome.scores


@pytest.mark.parametrize("ended", ENDED)
def test_a_bonus_pulses_and_counts(ended: Record) -> None:
    hands = at_the_end(ended)
    account = hands.play.state.account
    assert account is not None
    number = next(at for at, step in enumerate(account.steps) if isinstance(step.item, BonusGiven))
    while hands.game.animation is not None and hands.game.animation.shown <= number:
        hands.wait(0.05)
    step = account.steps[number]
    assert isinstance(step.item, BonusGiven)
    assert step.item.kind.value == "row"
    place = hands.play.places[step.seat]
    lights = [f"seat.{place}.wall.{step.item.which}.{column}" for column in range(1, 6)]
    levels = [[brightness(hands, light) for light in lights]]
    levels += [[brightness(hands.wait(0.1), light) for light in lights] for _ in range(15)]
    assert max(map(max, levels)) > 200
    assert min(map(min, levels)) < 100


@pytest.mark.parametrize("ended", ENDED)
def test_the_winners_lights_pulse_fast_and_the_result_says_why(ended: Record) -> None:
    hands = at_the_end(ended).press("ok").wait(2.0)
    assert hands.table.stage is Stage.OVER
    outcome = hands.play.state.outcome()
    assert outcome == ended.outcome
    assert isinstance(outcome, Outcome)
    turns = [hands.rhythm(f"seat.{seat + 1}.turn") for seat in range(len(outcome.scores))]
    assert turns == ["fast" if seat in outcome.winners else "dark" for seat in range(len(outcome.scores))]
    told = snapshot(hands.table, BOX)["result"]
    assert [each["winner"] for each in told["scores"]] == [
        seat in outcome.winners for seat in range(len(outcome.scores))
    ]
    assert [each["rows"] for each in told["scores"]] == list(outcome.rows)
    assert prompt(hands.table).say == "game_over"
    assert live_buttons(hands.table) == ("ok", "undo")
    for seat, score in enumerate(outcome.scores):
        assert brightness(hands, f"seat.{seat + 1}.tens.{score // 10 % 10}") > 0
        assert brightness(hands, f"seat.{seat + 1}.units.{score % 10}") > 0


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
    """R15: told as not needed, settled by complete rows, or shared."""
    hands = to_end(midway(Setup("standard", ("Ana", "Rui")), 3, 0), Random(3))
    boards = tuple(
        Board(wall=(ROW,) * complete + (NO_ROW,) * (5 - complete), score=score)
        for score, complete in zip(scores, rows, strict=True)
    )
    state = hands.play.state
    assert isinstance(state, StandardState)
    table = with_game(hands.table, play=replace(hands.play, state=replace(state, boards=boards)))
    result = snapshot(table, BOX)["result"]
    assert result["tie"] == tie
    assert [each["winner"] for each in result["scores"]] == winners


# --- A new game ------------------------------------------------------------------------------------------


def test_ok_at_the_end_chooses_a_new_game_with_the_same_seats() -> None:
    hands = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva")), 3, 0), Random(3))
    first = hands.play
    hands.press("ok")
    assert hands.table.stage is Stage.CHOOSING
    assert hands.table.seats.taken == (1, 2, 3)
    assert hands.table.seats.names[:3] == ("Ana", "Rui", "Eva")
    assert hands.table.next_game.options.mode == "gray"
    hands.press("seat.3.floor")
    assert hands.table.acting_place == 3
    assert hands.play.setup == Setup("gray", ("Ana", "Rui", "Eva"), 2)
    assert len(hands.play.events) == 1
    assert first.over


@pytest.mark.parametrize(
    "setup", [Setup("gray", ("Ana", "Rui", "Eva")), Setup("solo", ("Ana",), 0, "easy", "gray")]
)
def test_one_ok_too_many_leaves_the_result_to_be_read_until_the_next_game(setup: Setup) -> None:
    hands = to_end(midway(setup, 3, 0), Random(3))
    ended = snapshot(hands.table, BOX)["result"]
    assert ended is not None
    for button in ("ok", "undo", "ok"):
        assert snapshot(hands.press(button).table, BOX)["result"] == ended
    assert snapshot(hands.press("seat.1.floor").table, BOX)["result"] is None


def test_a_game_that_was_stopped_leaves_no_result() -> None:
    hands = to_end(midway(Setup("gray", ("Ana", "Rui", "Eva")), 3, 0), Random(3))
    hands.press("ok", "seat.3.floor", "undo").press("ok", after=1.0)
    assert hands.table.stage is Stage.CHOOSING
    assert snapshot(hands.table, BOX)["result"] is None


def test_a_game_after_solo_is_solo_again() -> None:
    hands = to_end(midway(Setup("solo", ("Ana",), 0, "expert", "gray"), 3, 0), Random(3)).press("ok")
    assert (hands.table.next_game.options.level, hands.table.next_game.options.wall) == ("expert", "gray")
    assert hands.press("seat.1.floor").play.setup == Setup("solo", ("Ana",), 0, "expert", "gray")


def test_another_player_can_join_after_a_game() -> None:
    hands = to_end(midway(Setup("standard", ("Ana", "Rui")), 3, 0), Random(3))
    hands.press("ok", "undo", "seat.4.floor", "ok", "seat.4.floor")
    assert hands.play.places == (1, 2, 4)
