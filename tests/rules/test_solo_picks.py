"""Solo: picks, and the tiles that they send to the penalty row (S3 to S7)."""

import pytest

from device.rules.errors import IllegalEventError
from device.rules.events import Draft
from device.rules.notation import event_of, text_of
from device.rules.solo import game as solo
from device.rules.solo.game import Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.solo.scoring import Ending, SoloOutcome, Victory
from device.rules.tiles import ALL_TILES, NO_TILES, Colour, counts_of
from tests.rules.positions import all_tiles, board, floor
from tests.rules.solo_positions import after, offer, penalty

SIX = "bbbbbb"
SEVEN = "bbbbbbb"


def sent(state: SoloState, text: str) -> str:
    """Return the tiles that a draft would send to the penalty row."""
    event = event_of(text)
    assert isinstance(event, Draft)
    return "".join("byrkw"[tile] for tile in solo.preview(state, event).sent)


def refused(state: SoloState, text: str) -> str:
    with pytest.raises(IllegalEventError) as fault:
        state.apply(event_of(text))
    return fault.value.why


# --- S3 --------------------------------------------------------------------------------------------------


def test_s3_displays_are_worked_in_order_action_board_first() -> None:
    state = offer({1: "byrw", 2: "kkww", 5: "byrk"})
    assert state.sources_to_draft() == (1,)
    assert state.turn == ACTION
    state = after(state, "1y3")
    assert state.boards[ACTION].held == (0, 0, 1, 0, 0)
    assert state.turn == PLAYER
    state = after(state, "1w4")
    assert state.boards[PLAYER].held == (0, 0, 0, 1, 0)
    assert state.sources[1] == NO_TILES
    assert state.sources_to_draft() == (2,)
    assert state.turn == ACTION


@pytest.mark.parametrize("text", ["2k3", "0b1", "6b1"])
def test_s3_another_display_is_refused(text: str) -> None:
    state = offer({1: "byrw", 2: "kkww"})
    assert refused(state, text) == "not_this_display"


def test_s3_the_player_board_takes_another_colour() -> None:
    state = after(offer({1: "byrw"}), "1b2")
    assert refused(state, "1b3") == "source_empty"
    assert {choice.colour.name for choice in state.legal() if isinstance(choice, Draft)} == {
        "YELLOW",
        "RED",
        "WHITE",
    }


def test_s3_a_display_of_one_colour_leaves_nothing_for_the_player_board() -> None:
    state = after(offer({1: "bbbb", 2: "kkww"}), "1b4")
    assert state.turn == ACTION
    assert state.sources_to_draft() == (2,)


def test_s3_lines_accept_tiles_by_r7() -> None:
    wall = (".....", ".....", "..b..", ".....", ".....")
    state = offer({1: "bkkw"}, action=board({1: "w", 2: "y"}, wall))
    assert refused(state, "1w1") == "line_full"
    assert refused(state, "1b2") == "line_other_colour"
    assert refused(state, "1b3") == "wall_has_colour"
    texts = [text_of(choice) for choice in state.legal()]
    assert texts == ["1b4", "1b5", "1bf", "1k3", "1k4", "1k5", "1kf", "1w3", "1w4", "1w5", "1wf"]


# --- S4 --------------------------------------------------------------------------------------------------


def test_s4_action_excess_sends_one_tile_and_drops_the_others() -> None:
    state = offer({1: "bbbw"})
    assert sent(state, "1b1") == "b"
    state = after(state, "1b1")
    assert penalty(state) == "b"
    assert floor(state) == "b"


def test_s4_a_single_excess_tile_of_the_action_pick_is_sent() -> None:
    state = after(offer({1: "bbyw"}), "1b1")
    assert (penalty(state), floor(state)) == ("b", "")


def test_s4_the_player_may_let_all_of_the_action_pick_fall() -> None:
    state = after(offer({1: "bbyw"}), "1bf")
    assert (penalty(state), floor(state)) == ("b", "b")
    assert state.boards[ACTION].held == (0,) * 5


def test_s4_one_excess_tile_of_the_player_pick_only_falls() -> None:
    state = after(offer({1: "bbw", 2: "bw"}), "1w1")
    assert sent(state, "1b1") == ""
    state = after(state, "1b1")
    assert (penalty(state), floor(state)) == ("", "b")


def test_s4_two_excess_tiles_of_the_player_pick_send_one() -> None:
    state = after(offer({1: "bbbw", 2: "bw"}), "1w1")
    assert sent(state, "1b1") == "b"
    state = after(state, "1b1")
    assert (penalty(state), floor(state)) == ("b", "b")


def test_s4_a_player_pick_to_the_floor_is_all_excess() -> None:
    state = after(offer({1: "bbbw", 2: "bw"}), "1w1", "1bf")
    assert (penalty(state), floor(state)) == ("b", "bb")


# --- S5 --------------------------------------------------------------------------------------------------


def test_s5_clearing_drops_single_tiles() -> None:
    state = after(offer({1: "byrw", 2: "bw"}), "1w1")
    assert sent(state, "1r1") == ""
    state = after(state, "1r1")
    assert (penalty(state), floor(state)) == ("", "by")
    assert state.sources[1] == NO_TILES


def test_s5_clearing_sends_one_of_two_tiles_of_a_colour() -> None:
    state = after(offer({1: "bkkw", 2: "bw"}), "1w1")
    assert sent(state, "1b1") == "k"
    state = after(state, "1b1")
    assert (penalty(state), floor(state)) == ("k", "k")


def test_s5_clearing_a_display_of_five() -> None:
    state = after(offer({5: "bkkkw"}, player=board(score=20)), "5w3")
    assert sent(state, "5b3") == "k"
    pick = solo.preview(state, Draft(5, Colour.BLUE, 3))
    assert pick.boards[PLAYER].floor == (Colour.BLACK,) * 2


# --- S6 --------------------------------------------------------------------------------------------------


def test_s6_a_tile_that_does_not_fit_the_floor_is_sent() -> None:
    state = after(offer({1: "bbw", 2: "bw"}, player=board(floor="rrrrrrr", score=20)), "1w1")
    assert sent(state, "1b1") == "b"  # a single excess tile, which S4 alone would not send
    state = after(state, "1b1")
    assert penalty(state) == "b"
    assert state.lid == NO_TILES


def test_s6_one_of_those_that_do_not_fit_is_sent_and_the_others_are_out_of_play() -> None:
    state = after(offer({1: "bbbbw"}, player=board(floor="rrrrrr", score=20)), "1bf")
    assert penalty(state) == "bb"  # by S4, by S6
    assert floor(state) == "rrrrrrb"
    assert state.lid == counts_of("b")


def test_s6_among_several_colours_the_first_in_wall_order_is_sent() -> None:
    state = after(offer({1: "byrw", 2: "bw"}, player=board(floor="kkkkkkk", score=20)), "1w1")
    assert sent(state, "1b1") == "y"
    state = after(state, "1b1")
    assert penalty(state) == "y"
    assert state.lid == counts_of("r")


def test_s6_the_floor_fills_in_wall_order() -> None:
    state = after(offer({1: "byrw", 2: "bw"}, player=board(floor="kkkkkk", score=20)), "1w1", "1b1")
    assert floor(state) == "kkkkkky"
    assert penalty(state) == "r"


def test_s6_tile_is_sent_after_those_of_s4_and_s5() -> None:
    player = board(floor="rrrrrrr", score=20)
    state = after(offer({1: "bbkkw", 2: "bw"}, player=player), "1w1")
    assert sent(state, "1bf") == "bbkk"
    assert penalty(after(state, "1bf")) == "bbkk"


def test_s6_tile_of_another_colour_is_sent_after_that_of_s5() -> None:
    player = board(floor="wwwwwww", score=20)
    state = after(offer({4: "brkkw", 5: "bw"}, player=player), "4w1")
    assert sent(state, "4b1") == "kr"  # k by S5; of the r and the k that do not fit, r is first


# --- S7 --------------------------------------------------------------------------------------------------


def test_s7_an_eighth_tile_loses_at_once() -> None:
    state = offer({1: "kkww", 2: "bw"}, action=board(floor=SEVEN), player=board(score=33))
    assert solo.preview(state, Draft(1, Colour.BLACK, 1)).loses
    state = after(state, "1k1")
    assert state.phase is Phase.OVER
    assert state.ending is Ending.EIGHTH_TILE
    outcome = state.outcome()
    assert outcome == SoloOutcome(33, Victory.LOSS, "S7", Ending.EIGHTH_TILE)
    assert all_tiles(state) == ALL_TILES
    assert state.over


def test_s7_seven_tiles_do_not_lose() -> None:
    state = offer({1: "kkww", 2: "bw"}, action=board(floor=SIX))
    assert not solo.preview(state, Draft(1, Colour.BLACK, 1)).loses
    assert after(state, "1k1").phase is Phase.OFFER


def test_s7_writes_no_scores() -> None:
    before = offer({1: "kkww", 2: "bw"}, action=board(floor=SEVEN))
    assert after(before, "1k1").closing_scores() is None


def test_s7_a_player_pick_that_loses_leaves_its_display_uncleared() -> None:
    state = after(offer({1: "bbkw", 2: "bw"}, action=board(floor=SEVEN)), "1w2")
    lost = after(state, "1bf")
    assert lost.phase is Phase.OVER
    assert lost.sources[1] == counts_of("k")
    assert all_tiles(lost) == ALL_TILES


def test_s7_clearing_can_lose() -> None:
    state = after(offer({1: "bkkw", 2: "bw"}, action=board(floor=SEVEN)), "1w2")
    assert sent(state, "1b2") == "k"
    assert after(state, "1b2").ending is Ending.EIGHTH_TILE


def test_s7_the_second_tile_that_a_pick_sends_can_be_the_eighth() -> None:
    player = board(floor="rrrrrrr", score=20)
    state = offer({1: "bbww", 2: "bw"}, player=player, action=board(floor=SIX))
    assert sent(state, "1b1") == "b"
    assert sent(state, "1bf") == "bb"
    assert after(state, "1b1").phase is Phase.OFFER
    assert after(state, "1bf").ending is Ending.EIGHTH_TILE


def test_the_preview_of_an_illegal_pick_is_refused() -> None:
    state = offer({1: "bbww"})
    for text in ("2b1", "1k1"):
        event = event_of(text)
        assert isinstance(event, Draft)
        with pytest.raises(IllegalEventError):
            solo.preview(state, event)
    with pytest.raises(IllegalEventError):
        solo.preview(a_lost_game(), Draft(1, Colour.BLUE, 1))


def a_lost_game() -> SoloState:
    return after(offer({1: "kkww"}, action=board(floor=SEVEN)), "1k1")
