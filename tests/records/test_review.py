"""Reviews: the choices to grade, and what each player lost."""

from pathlib import Path

import pytest

from device.records.review import (
    COSTLIEST,
    WORTH_NAMING,
    Choice,
    Graded,
    real_choices,
    representative,
    reviews,
)
from device.rules import game
from device.rules.events import Chance, Tile
from device.rules.game import Setup
from device.rules.notation import event_of, text_of
from tests.harness.sampling import some
from tests.records.recorded import GOLDEN, lines_of, records
from tests.rules.positions import board, offer
from tests.rules.solo_positions import offer as solo_offer

TWO = Setup("standard", ("Ana", "Rui"))


# --- The choices to grade --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", some(GOLDEN), ids=lambda path: path.stem)
def test_every_choice_to_grade_is_one_of_several(path: Path) -> None:
    record = records(lines_of(path.stem))[0]
    choices = list(real_choices(record.setup, record.events))
    assert choices
    numbers = [choice.number for choice in choices]
    assert numbers == sorted(set(numbers))
    for choice in choices:
        assert choice.event == record.events[choice.number]
        assert choice.event in choice.state.legal()
        assert choice.representative in choice.state.legal()
        assert len(choice.state.legal()) > 1
        assert 0 <= choice.seat < len(record.setup.players)
    others = set(range(len(record.events))) - set(numbers)
    assert {number for number, event in enumerate(record.events) if isinstance(event, Chance)} <= others


@pytest.mark.parametrize("path", some(GOLDEN), ids=lambda path: path.stem)
def test_exactly_the_choices_with_several_results_are_graded(path: Path) -> None:
    record = records(lines_of(path.stem))[0]
    graded = {choice.number for choice in real_choices(record.setup, record.events)}
    state = game.setup(record.setup)
    for number, event in enumerate(record.events):
        seat = event.seat if isinstance(event, Tile) else min(state.to_act(), default=0)
        results = {representative(state, each) for each in state.for_seat(seat).legal()}
        assert (number in graded) == (len(results) > 1)
        state = state.apply(event)


def test_drafts_from_displays_with_the_same_tiles_are_one_choice() -> None:
    state = offer({1: "bbyy", 2: "rrkk", 3: "bbyy"}, board(), board())
    assert representative(state, event_of("3b2")) == event_of("1b2")
    assert representative(state, event_of("2k2")) == event_of("2k2")
    assert representative(offer({0: "b", 1: "b"}), event_of("0b1")) == event_of("0b1")


def test_a_display_with_the_tiles_of_the_centre_is_another_choice() -> None:
    assert representative(offer({0: "bb", 2: "bb"}), event_of("2b2")) == event_of("2b2")


def test_s3_in_solo_a_later_display_is_no_choice() -> None:
    state = solo_offer({2: "bbyy", 4: "bbyy"})
    assert representative(state, event_of("2b2")) == event_of("2b2")


def test_a_choice_with_one_result_only_is_not_graded() -> None:
    full = board({2: "b", 3: "b", 4: "b", 5: "b"}, ("...k.", *["....."] * 4))
    state = offer({1: "kkkk", 4: "kkkk"}, full, board())
    assert {text_of(event) for event in state.legal()} == {"1kf", "4kf"}
    assert len({representative(state, event) for event in state.legal()}) == 1


def test_g3_only_the_columns_of_the_own_board_count_as_a_choice() -> None:
    tiles = 0
    for each in records(lines_of("gray-2")):
        for choice in real_choices(each.setup, each.events):
            if isinstance(choice.event, Tile):
                tiles += 1
                assert choice.seat == choice.event.seat
                assert len(choice.state.for_seat(choice.seat).legal()) > 1
    assert tiles


def test_g1_a_choice_of_columns_is_graded_if_no_other_seat_has_one() -> None:
    texts = "deal bbbb yyyy rrrr kkkk wwww,1b4,2yf,3rf,4kf,5wf,tile 0 4 3"
    choices = list(real_choices(Setup("gray", ("Ana", "Rui")), map(event_of, texts.split(","))))
    assert choices[-1].event == event_of("tile 0 4 3")


# --- Reviews ---------------------------------------------------------------------------------------------


def graded(number: int, seat: int, lost: float) -> Graded:
    return Graded(Choice(number, seat, game.setup(TWO), event_of("1b1")), lost, event_of("1b2"))


def test_the_costliest_choices_come_first_and_earlier_ones_before_equal_later_ones() -> None:
    losses = [1.0, 3.0, 2.0, 3.0, 0.9]
    first, second = reviews([graded(number, 0, lost) for number, lost in enumerate(losses)], 2)
    assert [each.choice.number for each in first.costliest] == [1, 3, 2]
    assert len(first.costliest) == COSTLIEST
    assert (first.lost, first.choices) == (sum(losses), 5)
    assert (second.lost, second.choices, second.costliest) == (0, 0, ())


def test_each_player_has_a_review_of_their_own() -> None:
    first, second = reviews([graded(1, 1, 2.0), graded(2, 0, 1.0), graded(3, 1, 4.0)], 2)
    assert [each.choice.number for each in first.costliest] == [2]
    assert [each.choice.number for each in second.costliest] == [3, 1]


def test_a_loss_within_the_error_of_a_grade_is_not_named() -> None:
    (review,) = reviews([graded(1, 0, WORTH_NAMING - 0.01), graded(2, 0, WORTH_NAMING)], 1)
    assert review.choices == 2
    assert [each.choice.number for each in review.costliest] == [2]


def test_the_better_choice_stands_in_the_same_position() -> None:
    better = graded(7, 1, 2.0).better
    assert (better.number, better.seat, better.event) == (7, 1, event_of("1b2"))
