"""The protocol that the states of all modes implement, and setting up games."""

from random import Random

import pytest

from device.rules import game
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import Deal, Draft, Draw, Penalty, ScoringColour
from device.rules.game import Setup, State
from device.rules.scoring import Outcome
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.tiles import NO_TILES, Colour, counts_of
from tests.rules import solo_positions as solo
from tests.rules.games import setups
from tests.rules.positions import after, board, offer, with_bag

DEAL = "deal bbyr bykk rrww bykw bbww"


def new(mode: str) -> State:
    return game.setup(setups(mode)[0])


# --- Setting up ------------------------------------------------------------------------------------------


def test_the_loop_of_the_docstring_plays_a_game() -> None:
    chance = Random(1)
    state = game.setup(Setup("standard", ("Ana", "Rui")))
    while not state.over:
        state = state.apply(
            state.chance(chance.randrange) if state.chance_due else chance.choice(state.legal())
        )
    assert state.outcome() is not None


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(SetupError, match="there is no mode 'chess'; the modes are standard, gray, dtc, solo"):
        game.setup(Setup("chess", ("Ana", "Rui")))


def test_only_solo_has_levels_and_walls() -> None:
    with pytest.raises(SetupError, match="only a solo game"):
        game.setup(Setup("gray", ("Ana", "Rui"), level="easy"))


@pytest.mark.parametrize("mode", game.MODES)
def test_a_new_game_waits_for_a_deal(mode: str) -> None:
    state = new(mode)
    assert state.chance_due is Deal
    assert not state.over
    assert not state.in_offer
    assert (state.to_act(), state.legal(), state.outcome()) == ((), [], None)
    assert state.closing_scores() is None
    assert (state.round, state.account) == (0, None)
    assert (state.sources_to_draft(), state.marker_in_centre, state.penalty_spaces_due) == ((), False, ())


# --- Seats and boards ------------------------------------------------------------------------------------


def test_the_boards_of_solo_are_one_player_s() -> None:
    assert [new("solo").player_of(seat) for seat in (PLAYER, ACTION)] == [PLAYER, PLAYER]
    assert [new("standard").player_of(seat) for seat in (0, 1)] == [0, 1]


def test_only_the_action_board_keeps_no_score() -> None:
    assert [new("solo").keeps_score(seat) for seat in (PLAYER, ACTION)] == [True, False]
    assert all(new("gray").keeps_score(seat) for seat in (0, 1))


def test_s11_only_the_player_board_of_solo_may_have_a_gray_wall() -> None:
    coloured, gray = (game.setup(Setup("solo", ("Ana",), 0, "easy", wall)) for wall in ("coloured", "gray"))
    assert [coloured.has_gray_wall(seat) for seat in (PLAYER, ACTION)] == [False, False]
    assert [gray.has_gray_wall(seat) for seat in (PLAYER, ACTION)] == [True, False]
    assert [new(mode).has_gray_wall(1) for mode in ("standard", "gray", "dtc")] == [False, True, False]


def test_g3_a_state_for_a_seat_asks_that_seat_first_and_alone() -> None:
    state = after(offer({1: "kk"}, board({2: "bb"}), board({1: "r"}, floor="k"), mode="gray"), "1kf")
    assert state.simultaneous
    assert state.to_act() == (0, 1)
    for seat in (0, 1):
        own = state.for_seat(seat)
        assert own.to_act() == (seat,)
        assert own.boards[seat] == state.boards[seat]
        assert own.legal() == [event for event in state.legal() if getattr(event, "seat", None) == seat]
        assert own.boards[1 - seat].floor == state.boards[1 - seat].floor


def test_drafts_are_never_simultaneous() -> None:
    for state in (offer({1: "kk"}, mode="gray"), solo.offer({1: "bk"})):
        assert not state.simultaneous
        assert state.for_seat(1) is state


def test_solo_has_no_marker_and_no_starter() -> None:
    state = solo.offer({1: "bk"})
    assert (state.starter, state.marker, state.marker_in_centre) == (None, None, False)


def test_only_solo_has_a_scoring_tile() -> None:
    assert solo.offer({1: "bk"}, scoring_tile=(3, 4)).scoring_tile == (3, 4)
    assert offer({1: "bk"}).scoring_tile is None


# --- Sources and drafts ----------------------------------------------------------------------------------


def test_r5_a_draft_may_take_from_every_source_with_tiles() -> None:
    assert offer({0: "b", 2: "kk", 5: "yr"}).sources_to_draft() == (0, 2, 5)


def test_r6_the_marker_lies_in_the_centre_until_it_is_taken() -> None:
    state = offer({0: "b", 1: "kk"})
    assert state.marker_in_centre
    assert not after(state, "0b1").marker_in_centre
    assert after(state, "1k2").marker_in_centre  # the centre still holds a tile


def test_s7_a_draft_says_whether_it_loses() -> None:
    draft = Draft(1, Colour.BLACK, 1)
    assert solo.offer({1: "kkww"}, action=board(floor="bbbbbbb")).loses_at_once(draft)
    safe = solo.offer({1: "kkww"}, action=board(floor="bbbbbb"))
    assert not safe.loses_at_once(draft)
    assert safe.sent_to_penalty_row(draft) == (Colour.BLACK,)
    other = offer({1: "kkww"}, board(floor="bbbbbbb"), board())
    assert not other.loses_at_once(draft)
    assert other.sent_to_penalty_row(draft) == ()


# --- Deals -----------------------------------------------------------------------------------------------


def test_r4_the_lid_refills_the_bag_in_all_modes_but_solo() -> None:
    assert with_bag(offer({1: "kk"}), "b", "yr").refill == counts_of("yr")
    assert solo.offer({1: "kk"}, lid=counts_of("yr")).refill == NO_TILES


@pytest.mark.parametrize(("players", "displays"), [(2, 5), (3, 7), (4, 9)])
def test_r4_displays_get_four_tiles(players: int, displays: int) -> None:
    assert game.setup(Setup("gray", ("Ana",) * players)).display_sizes == (4,) * displays


def test_s8_display_5_may_get_a_fifth_tile() -> None:
    state = solo.after(solo.offer({5: "bk"}, action=board({2: "k"})), "5k2", "5b3")
    assert state.display_sizes == (4, 4, 4, 4, 5)


def test_s1_s8_chance_events_fill_these_spaces_of_the_penalty_row() -> None:
    state = solo.after(new("solo"), "deal byrk byrk byrk byrk byrw")
    assert (state.chance_due, state.penalty_spaces_due) == (Penalty, (1, 2, 3, 4, 5))
    state = solo.after(state, "penalty rryyw")
    assert (state.chance_due, state.penalty_spaces_due) == (ScoringColour, ())
    for row, space in (("", 1), ("r", 1), ("ryb", 3), ("rybkwry", 7)):
        state = solo.after(solo.offer({5: "bk"}, action=board(floor=row)), "5k1", "5b3")
        assert (state.chance_due, state.penalty_spaces_due) == (Draw, (space,))


# --- The end ---------------------------------------------------------------------------------------------


def test_a_forfeit_costs_its_seat_50_points_and_the_best_other_wins() -> None:
    boards = (board(score=30), board(score=12), board(score=7))
    state = offer({1: "kk"}, *boards)
    assert state.forfeit(0) == Outcome((-50, 12, 7), (0, 0, 0), (1,))
    assert state.forfeit(2) == Outcome((30, 12, -50), (0, 0, 0), (0,))
    assert not state.over


def test_a_forfeit_without_points_still_loses() -> None:
    assert offer({1: "kk"}, board(), board()).forfeit(1).winners == (0,)


def test_s12_a_solo_game_can_be_neither_stopped_nor_forfeited() -> None:
    for end in (new("solo").stop, lambda: new("solo").forfeit(0)):
        with pytest.raises(IllegalEventError) as caught:
            end()
        assert caught.value.why == "wrong_mode"


def test_r17_scores_stand_between_rounds_until_the_next_deal() -> None:
    state = after(offer({1: "kk"}, board(score=3), board(score=9)), "1k2")
    assert state.closing_scores() == (4, 9)
    assert state.stop().closing_scores() == (4, 9)
    assert after(state, DEAL).closing_scores() is None
