"""Deals from the bag, and from the lid when the bag runs out (R4)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.rules.dealing import check_deal, deal
from device.rules.errors import IllegalEventError
from device.rules.events import Deal
from device.rules.tiles import ALL_TILES, NO_TILES, Counts, add, counts_of, holds, total


def displays(*texts: str) -> Deal:
    return Deal(tuple(counts_of(text) for text in texts))


def test_r4_four_tiles_from_the_bag_on_every_display() -> None:
    bag, lid = check_deal(displays("bbbb", "yyyy"), counts_of("bbbbyyyyr"), counts_of("k"), 2)
    assert (bag, lid) == (counts_of("r"), counts_of("k"))


def test_r4_the_whole_lid_goes_into_the_bag_the_moment_it_is_empty_and_a_tile_is_due() -> None:
    bag, lid = check_deal(displays("bbbb", "brkw"), counts_of("bbbbb"), counts_of("rrkw"), 2)
    assert (bag, lid) == (counts_of("r"), NO_TILES)


def test_r4_a_bag_that_is_just_enough_leaves_the_lid_alone() -> None:
    bag, lid = check_deal(displays("bbbb", "rrrr"), counts_of("bbbbrrrr"), counts_of("kw"), 2)
    assert (bag, lid) == (NO_TILES, counts_of("kw"))


def test_r4_a_bag_that_ends_with_a_display_is_filled_for_the_next() -> None:
    bag, lid = check_deal(displays("bbbb", "kkww"), counts_of("bbbb"), counts_of("kkkww"), 2)
    assert (bag, lid) == (counts_of("k"), NO_TILES)


def test_r4_with_both_empty_displays_stay_short_or_empty() -> None:
    bag, lid = check_deal(displays("bbbb", "bk", ""), counts_of("bbbbb"), counts_of("k"), 3)
    assert (bag, lid) == (NO_TILES, NO_TILES)


@pytest.mark.parametrize(
    ("texts", "bag", "lid", "message"),
    [
        (["bbbb"], "bbbbbbbb", "", "the deal must fill 2 displays, not 1"),
        (["bbbb", "bbb"], "bbbbbbbb", "", "display 2 must get 4 tiles, not 'bbb'"),
        (["bbbb", "bbbbb"], "bbbbbbbbb", "", "display 2 must get 4 tiles"),
        (["bbbb", "yyyy"], "bbbbbyyy", "", "display 2 can't hold 'yyyy': only 'byyy' is left"),
        (["bbbb", "yyyy"], "bbbbb", "yyyy", "display 2 must hold the bag's last tiles 'b'"),
        (["bbbb", "bkkk"], "bbbbb", "kkw", "display 2 can't hold 'bkkk'"),
        (["bb", "bb"], "bbbb", "", "display 1 must get 4 tiles"),
        (["bbbb", "b"], "bbbb", "", "display 2 must get 0 tiles"),
        (["yyyy", "bbbb"], "bbbb", "yyyy", "display 1 can't hold 'yyyy'"),
    ],
)
def test_r4_a_deal_that_can_not_have_been_drawn(texts: list[str], bag: str, lid: str, message: str) -> None:
    with pytest.raises(IllegalEventError, match=message) as caught:
        check_deal(displays(*texts), counts_of(bag), counts_of(lid), 2)
    assert caught.value.why == "wrong_deal"


def test_r4_negative_counts_are_refused() -> None:
    with pytest.raises(IllegalEventError):
        check_deal(Deal(((5, -1, 0, 0, 0),)), ALL_TILES, NO_TILES, 1)


counts = st.tuples(*[st.integers(0, 6)] * 5)


@given(counts, counts, st.integers(0, 9), st.integers())
def test_r4_a_drawn_deal_passes_the_check(bag: Counts, lid: Counts, number: int, seed: int) -> None:
    drawn = deal(bag, lid, number, Random(seed).randrange)
    left = check_deal(drawn, bag, lid, number)
    assert add(add(*left), total(drawn.displays)) == add(bag, lid)
    assert holds(add(bag, lid), total(drawn.displays))
