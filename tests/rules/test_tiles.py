"""Tiles: colours, letters and counts."""

import pytest

from device.rules.errors import NotationError
from device.rules.tiles import (
    ALL_TILES,
    COLOURS,
    MARKER,
    Colour,
    colour_of,
    counts_of,
    holds,
    letter,
    letters,
)


def test_r1_100_tiles_20_of_each_colour() -> None:
    assert ALL_TILES == (20, 20, 20, 20, 20)
    assert sum(ALL_TILES) == 100


def test_letters_stand_for_colours_in_wall_order() -> None:
    assert [letter(colour) for colour in COLOURS] == ["b", "y", "r", "k", "w"]
    assert [colour_of(text) for text in "byrkw"] == list(COLOURS)


@pytest.mark.parametrize("text", ["", "B", "g", "by", " ", "m", "0", "\N{KELVIN SIGN}"])
def test_other_texts_are_refused_as_colours(text: str) -> None:
    with pytest.raises(NotationError, match="is not a colour"):
        colour_of(text)


def test_letters_of_counts_stand_in_wall_order() -> None:
    assert counts_of("bbyw") == (2, 1, 0, 0, 1)
    assert letters((2, 1, 0, 0, 1)) == "bbyw"
    assert counts_of("") == (0, 0, 0, 0, 0)
    with pytest.raises(NotationError, match="'ybbw' is not in wall order; write 'bbyw'"):
        counts_of("ybbw")


def test_a_bag_holds_what_can_be_taken_out_of_it() -> None:
    assert holds((1, 0, 2, 0, 0), (1, 0, 1, 0, 0))
    assert not holds((1, 0, 2, 0, 0), (0, 1, 0, 0, 0))


def test_reprs_are_python() -> None:
    assert repr(Colour.BLUE) == "Colour.BLUE"
    assert repr(MARKER) == "Marker.MARKER"
