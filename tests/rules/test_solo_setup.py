"""Solo: the setup, and exactly the deals that can be drawn (S1, S2, S15)."""

from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest

from device.rules import game
from device.rules.dealing import check_deal_two_colours, deal_two_colours
from device.rules.errors import IllegalEventError, NotationError, SetupError
from device.rules.events import Deal, Penalty, Scoring
from device.rules.game import Setup
from device.rules.notation import event_of, text_of
from device.rules.solo.game import Phase, SoloState
from device.rules.solo.penalty_row import PLAYER
from device.rules.tiles import ALL_TILES, NO_TILES, Colour, Counts, count, counts_of, letters, total, without
from tests.rules.positions import all_tiles, board
from tests.rules.solo_positions import after, bag_of, offer, penalty

DEAL = "deal byrk byrk byrk byrk byrw"


def new(level: str = "easy", wall: str = "coloured") -> game.State:
    return game.setup(Setup("solo", ("Ana",), level=level, wall=wall))


def always(index: int) -> Callable[[int], int]:
    """Return a source of chance that always gives `index`, or the highest number possible."""
    return lambda most: min(index, most - 1)


def refused(state: game.State, text: str) -> str:
    with pytest.raises(IllegalEventError) as fault:
        state.apply(event_of(text))
    return str(fault.value)


# --- S1 --------------------------------------------------------------------------------------------------


def test_s1_order_is_deal_penalty_colour_scoring() -> None:
    state = new()
    for text, phase in (
        (DEAL, Phase.PENALTY),
        ("penalty rryyw", Phase.COLOUR),
        ("colour y", Phase.SCORING),
        ("scoring 3 4", Phase.OFFER),
    ):
        state = state.apply(event_of(text))
        assert isinstance(state, SoloState)
        assert state.phase is phase
    assert isinstance(state, SoloState)
    assert penalty(state) == "rryyw"
    assert state.scoring_tile == (3, 4)
    assert sum(state.bag) == 100 - 20 - 5


def test_s1_another_order_is_refused() -> None:
    assert refused(new(), "penalty rryyw") == "the penalty row is not due now; due is a deal"
    assert "due is the penalty row" in refused(after(new(), DEAL), DEAL)


def test_s1_displays_get_four_tiles_each() -> None:
    assert refused(new(), "deal byrk byrk byrk byrk") == "the deal must fill 5 displays, not 4"
    assert refused(new(), "deal byrk byr byrk byrk byrk") == "display 2 must get 4 tiles, not 'byr'"
    assert "display 5 must get 4 tiles" in refused(new(), "deal byrk byrk byrk byrk byrkw")


def test_s1_a_display_of_one_colour_is_refused() -> None:
    assert refused(new(), "deal byrk bbbb byrk byrk byrk") == (
        "display 2 can't be 'bbbb': the bag holds another colour for it"
    )


def test_s1_a_drawn_display_of_one_colour_changes_one_tile() -> None:
    deal = new().chance(always(99))  # the last tile of the bag again and again
    assert isinstance(deal, Deal)
    assert letters(deal.displays[0]) == "kwww"


def test_s1_a_display_stays_of_one_colour_when_the_bag_holds_no_other() -> None:
    bag = counts_of("rrrrrrrr")
    sizes = [4, 4]
    deal = deal_two_colours(bag, sizes, always(0))
    assert [letters(display) for display in deal.displays] == ["rrrr", "rrrr"]
    assert check_deal_two_colours(deal, bag, sizes) == NO_TILES


@pytest.mark.parametrize(("level", "tiles"), [("easy", "bbyyr"), ("normal", "bbyyrr"), ("expert", "bbyyrrk")])
def test_s1_penalty_row_sets_a_third_tile_of_a_colour_aside(level: str, tiles: str) -> None:
    state = after(new(level), DEAL)
    drawn = state.chance(always(0))
    assert text_of(drawn) == f"penalty {tiles}"
    state = after(state, text_of(drawn))
    assert sum(all_tiles(state)) == 100  # what was set aside is back in the bag


def test_s1_a_penalty_row_that_cannot_be_drawn_is_refused() -> None:
    state = after(new(), DEAL)
    assert refused(state, "penalty rryy") == "the penalty row must start with 5 tiles, not 4"
    assert refused(state, "penalty rryyww") == "the penalty row must start with 5 tiles, not 6"
    assert refused(state, "penalty ryrwr") == "the penalty row must start with at most two r, not 'yrrrw'"
    assert "the bag holds" in refused(bag_of(state, "bbyyrrkkk"), "penalty bbyyw")


def test_s1_scoring_tile_goes_to_an_inner_square_of_the_drawn_colour() -> None:
    state = after(new(), DEAL, "penalty rryyw", "colour b")
    assert state.legal() == [Scoring(2, 2), Scoring(3, 3), Scoring(4, 4)]
    for square in ("1 1", "5 5", "3 4"):  # on the edge, or of another colour
        assert "an inner square of its colour" in refused(state, f"scoring {square}")


def test_s1_every_inner_square_can_take_the_scoring_tile() -> None:
    state = after(new(), DEAL, "penalty rryyw")
    squares = [choice for letter in "byrkw" for choice in after(state, f"colour {letter}").legal()]
    inner = {Scoring(row, column) for row in (2, 3, 4) for column in (2, 3, 4)}
    assert len(squares) == 9
    assert set(squares) == inner


def test_s1_the_drawn_colour_goes_back() -> None:
    state = after(new(), DEAL, "penalty rryyw")
    assert after(state, "colour b").bag == state.bag
    assert refused(bag_of(state, "y"), "colour b") == "b can't be drawn: the bag holds none"


def test_s1_a_solo_game_needs_one_player_a_level_and_a_wall() -> None:
    for chosen in (
        Setup("solo", ("Ana", "Rui"), level="easy", wall="gray"),
        Setup("solo", (), level="easy", wall="gray"),
        Setup("solo", ("Ana",), first=1, level="easy", wall="gray"),
        Setup("solo", ("Ana",), wall="gray"),
        Setup("solo", ("Ana",), level="hard", wall="gray"),
        Setup("solo", ("Ana",), level="easy"),
        Setup("solo", ("Ana",), level="easy", wall="grey"),
        Setup("standard", ("Ana", "Rui"), level="easy"),
        Setup("gray", ("Ana", "Rui"), wall="gray"),
    ):
        with pytest.raises(SetupError):
            game.setup(chosen)


# --- S2 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "score"), [("easy", 20), ("normal", 20), ("expert", 15)])
def test_s2_score_at_the_start(level: str, score: int) -> None:
    assert new(level).boards[PLAYER].score == score


# --- S15 -------------------------------------------------------------------------------------------------


def test_s15_later_deals_hold_two_colours_too() -> None:
    state = offer({5: "bw"}, player=board(score=20))
    state = after(state, "5w4", "5b3")
    assert state.phase is Phase.DEAL
    assert "the bag holds another colour" in refused(state, "deal byrk byrk rrrr byrk byrk")


def test_s15_holds_for_the_display_of_five() -> None:
    state = offer({5: "bk"}, action=board({2: "k"}), player=board(score=20))
    state = after(state, "5k2", "5b3")
    assert "display 5 can't be 'rrrrr'" in refused(state, "deal byrk byrk byrk byrk rrrrr")


def every_drawn_display(bag: str, size: int) -> set[Counts]:
    """Return every display that S1 allows, drawn tile by tile."""
    found = set()
    for drawn in set(permutations(bag, size)):
        tiles = [Colour("byrkw".index(letter)) for letter in drawn]
        left = without(counts_of(bag), count(tiles))
        others = [colour for colour in Colour if left[colour] and colour != tiles[0]]
        if len(set(tiles)) == 1 and others:
            found |= {count([*tiles[1:], other]) for other in others}
        else:
            found.add(count(tiles))
    return found


@pytest.mark.parametrize("bag", ["bbbbbb", "bbbbby", "bbbbyr", "bbbyyy", "byrkww", "bbyykk"])
def test_s15_exactly_the_deals_that_can_be_drawn_pass_the_check(bag: str) -> None:
    size = 3
    possible = {
        (first, second)
        for first in every_drawn_display(bag, size)
        for second in every_drawn_display(letters(without(counts_of(bag), first)), size)
    }
    displays = {count(Colour("byrkw".index(letter)) for letter in each) for each in permutations(bag, size)}
    taken = set()
    for first in displays:
        for second in displays:
            try:
                check_deal_two_colours(Deal((first, second)), counts_of(bag), [size, size])
            except IllegalEventError:
                continue
            taken.add((first, second))
    assert taken == possible


@pytest.mark.parametrize("bag", ["bbbbbb", "bbbbby", "bbbyyy", "bbyykk"])
def test_s15_every_display_that_passes_the_check_is_drawn(bag: str) -> None:
    rng = Random(15)
    drawn = {deal_two_colours(counts_of(bag), [3, 3], rng.randrange).displays for _ in range(500)}
    assert all(total(displays) == counts_of(bag) for displays in drawn)
    firsts = {displays[0] for displays in drawn}
    assert firsts == every_drawn_display(bag, 3)


# --- Text forms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["penalty rryyw", "colour y", "draw b", "scoring 3 4", "swap 3", "swap 6", "remove 1", "remove none"],
)
def test_texts_of_solo_events_round_trip(text: str) -> None:
    assert text_of(event_of(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "penalty",
        "penalty ",
        "penalty rgb",
        "penalty r r",
        "colour",
        "colour by",
        "colour -",
        "draw none",
        "draw",
        "scoring 3",
        "scoring 0 4",
        "scoring 3 4 5",
        "swap 0",
        "swap 7",
        "swap 1 2",
        "swap none",
        "remove 0",
        "remove 8",
        "remove",
        "remove None",
        " swap 1",
        "swap  1",
        "swap \u0661",
    ],
)
def test_other_texts_of_solo_events_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        event_of(text)


def test_s1_penalty_tiles_keep_their_order() -> None:
    assert event_of("penalty wwbrr") == Penalty(
        (Colour.WHITE, Colour.WHITE, Colour.BLUE, Colour.RED, Colour.RED)
    )


def test_solo_events_are_refused_in_other_modes() -> None:
    other = game.setup(Setup("standard", ("Ana", "Rui")))
    for text in ("penalty rryyw", "colour y", "draw b", "scoring 3 4", "swap 3", "remove none"):
        with pytest.raises(IllegalEventError) as fault:
            other.apply(event_of(text))
        assert fault.value.why == "wrong_mode"


def test_r17_a_solo_game_can_not_be_stopped() -> None:
    with pytest.raises(IllegalEventError, match="S12"):
        new().stop()


def test_all_tiles_start_in_the_bag() -> None:
    state = new()
    assert isinstance(state, SoloState)
    assert state.bag == all_tiles(state) == ALL_TILES
    assert state.legal() == []
    assert state.chance_due
