"""Notation: the text form of events."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.rules.errors import NotationError
from device.rules.events import Deal, Draft, Remove, Tile
from device.rules.notation import event_of, text_of
from device.rules.tiles import COLOURS, Colour, counts_of


def test_a_draft_is_three_characters() -> None:
    assert event_of("3b2") == Draft(3, Colour.BLUE, 2)
    assert event_of("0kf") == Draft(0, Colour.BLACK, 0)
    for source in range(10):
        for colour in COLOURS:
            for line in range(6):
                draft = Draft(source, colour, line)
                assert len(text_of(draft)) == 3
                assert event_of(text_of(draft)) == draft


def test_an_empty_display_is_written_as_a_dash() -> None:
    deal = Deal((counts_of("bbyr"), counts_of("k"), counts_of("")))
    assert text_of(deal) == "deal bbyr k -"
    assert event_of("deal bbyr k -") == deal


def test_a_placement_names_its_seat() -> None:
    assert event_of("tile 2 3 4") == Tile(2, 3, 4)


@pytest.mark.parametrize(
    "text",
    [
        *["", "3b", "3b22", "3b6", "3b0", "3bF", "3g2", "xb2", "-1b2", "3B2", " 3b2", "3b2\n", "٣b2"],
        *["deal", "deal ", "deal bbyx", "deal ybbr", "deal bbyr  k", "Deal bbyr"],
        *["tile", "tile 1 2", "tile 4 1 1", "tile 0 0 1", "tile 0 6 1", "tile 0 1 1 1", "tile 0 1 ²"],
        *[
            "tile 0 01 1",
            "remove",
            "remove 0",
            "remove 8",
            "swap 7",
            "swap x",
            "draw",
            "draw bb",
            "scoring 3",
        ],
        *["penalty", "colour", "colour x", "pass", "null"],
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        event_of(text)


letters = st.text(st.sampled_from("byrkw-0123456789f delrtiswapocunm"), max_size=24)


@given(st.one_of(st.text(max_size=12), letters))
def test_a_text_that_is_parsed_is_formatted_to_the_same_text(text: str) -> None:
    try:
        event = event_of(text)
    except NotationError:
        return
    assert text_of(event) == text


def test_removing_no_penalty_tile_has_a_text() -> None:
    assert event_of(text_of(Remove(None))) == Remove(None)


def is_event(text: str) -> bool:
    try:
        event_of(text)
    except NotationError:
        return False
    return True


def test_exactly_the_numbers_in_range_are_accepted() -> None:
    places = list(product(range(10), range(10)))
    for seat in range(10):
        accepted = {place for place in places if is_event(f"tile {seat} {place[0]} {place[1]}")}
        assert accepted == (set(product(range(1, 6), range(1, 6))) if seat < 4 else set())
    squares = {place for place in places if is_event(f"scoring {place[0]} {place[1]}")}
    assert squares == set(product(range(1, 6), range(1, 6)))
    assert [position for position in range(10) if is_event(f"swap {position}")] == [1, 2, 3, 4, 5, 6]
    assert [position for position in range(10) if is_event(f"remove {position}")] == [1, 2, 3, 4, 5, 6, 7]
