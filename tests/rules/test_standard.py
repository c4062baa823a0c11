"""The standard game, rule by rule (R1 to R17)."""

import pytest

from device.rules import game
from device.rules.board import Board
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import Draft
from device.rules.game import Setup
from device.rules.notation import event_of
from device.rules.scoring import BonusGiven, FloorCharged, Outcome, TilePlaced
from device.rules.standard import Phase, StandardState
from device.rules.tiles import ALL_TILES, NO_TILES, counts_of
from tests.rules.positions import after, all_tiles, board, drafts, floor, offer, scores, wall, with_bag

FIRST_DEAL = "deal bbyr bykk rrww bykw bbww"
NAMES = ("Ana", "Rui", "Eva", "Ben")


def begun(players: int = 2, first: int = 0) -> StandardState:
    state = game.setup(Setup("standard", NAMES[:players], first))
    assert isinstance(state, StandardState)
    return state


def refused(state: StandardState, text: str) -> str:
    """Return the reason for which an event is refused."""
    with pytest.raises(IllegalEventError) as caught:
        state.apply(event_of(text))
    return caught.value.why


def items_of(state: StandardState) -> list[object]:
    assert state.account is not None
    return [step.item for step in state.account.steps]


# --- R1 to R4: setting up and dealing --------------------------------------------------------------------


@pytest.mark.parametrize(("players", "displays"), [(2, 5), (3, 7), (4, 9)])
def test_r1_setup(players: int, displays: int) -> None:
    state = begun(players)
    assert len(state.sources) - 1 == displays
    assert all_tiles(state) == state.bag == ALL_TILES
    assert scores(state) == [0] * players


@pytest.mark.parametrize("players", [0, 1, 5])
def test_r1_two_to_four_play(players: int) -> None:
    with pytest.raises(SetupError, match=f"2 to 4 players, not {players}"):
        game.setup(Setup("standard", ("Ana",) * players))


def test_r2_a_tile_goes_to_its_printed_square() -> None:
    state = after(offer({1: "bbyy"}, board({2: "b"}), board({2: "y"})), "1b2", "0y2")
    assert wall(state, 0) == (".....", ".b...", ".....", ".....", ".....")
    assert wall(state, 1) == (".....", "..y..", ".....", ".....", ".....")


def test_r3_the_chosen_player_starts_round_1() -> None:
    for first in range(3):
        state = after(begun(3, first), "deal bbyr bykk rrww bykw bbww rrkk yyyw")
        assert state.to_act() == (first,)


@pytest.mark.parametrize("first", [-1, 2, 99])
def test_r3_the_first_player_is_one_of_them(first: int) -> None:
    with pytest.raises(SetupError, match="a seat from 0 to 1"):
        begun(2, first)


def test_r4_the_deal_fills_the_displays_from_the_bag() -> None:
    state = after(begun(), FIRST_DEAL)
    assert state.sources[0] == NO_TILES
    assert state.sources[1] == counts_of("bbyr")
    assert sum(state.bag) == 80
    assert state.round == 1


def test_r4_nothing_is_dealt_twice() -> None:
    assert refused(after(begun(), FIRST_DEAL), FIRST_DEAL) == "not_now"


def test_r4_a_short_deal_is_played() -> None:
    state = with_bag(begun(), "bbbbb", "k")
    state = after(state, "deal bbbb bk - - -", "2k1", "1b4", "0b2")
    assert state.phase is Phase.DEAL
    assert (state.bag, state.lid) == (NO_TILES, counts_of("bbb"))  # the row of 4 gave its other tiles


# --- R5 to R9: the offer ---------------------------------------------------------------------------------


def test_r5_all_tiles_of_a_colour_are_taken_and_the_rest_goes_to_the_centre() -> None:
    state = after(offer({1: "bbyr", 0: "k"}), "1b3")
    assert state.boards[0] == board({3: "bb"})
    assert state.sources[:2] == (counts_of("yrk"), NO_TILES)
    assert state.to_act() == (1,)


def test_r5_all_tiles_of_a_colour_are_taken_from_the_centre() -> None:
    state = after(offer({0: "bbyr", 1: "kkkk"}, marker=1), "0b3")
    assert state.boards[0] == board({3: "bb"})
    assert state.sources[:2] == (counts_of("yr"), counts_of("kkkk"))


def test_r5_there_is_no_passing() -> None:
    state = after(begun(), FIRST_DEAL)
    assert state.to_act() == (0,)
    assert all(isinstance(event, Draft) for event in state.legal())


@pytest.mark.parametrize("text", ["1k1", "2b1", "0b1", "6b1", "9bf"])
def test_r5_a_source_without_the_colour_is_refused(text: str) -> None:
    assert refused(offer({1: "bbyr"}), text) == "source_empty"


def test_r6_marker_goes_first() -> None:
    state = after(offer({0: "bbb", 1: "kkkk"}), "0b1")
    assert floor(state) == "mbb"
    assert state.marker == 0


def test_r6_the_second_to_take_from_the_centre_takes_no_marker() -> None:
    state = after(offer({0: "bk", 1: "kkkk"}), "0b1", "0k1")
    assert (floor(state, 0), floor(state, 1)) == ("m", "")


def test_r6_a_full_floor_keeps_the_marker_without_a_penalty_and_still_starts() -> None:
    state = after(offer({0: "b"}, board(floor="kkkkkkk", score=20), board(), starter=1), "0b1")
    assert scores(state) == [20 + 1 - 14, 0]
    assert state.starter == 0


def test_r6_the_marker_takes_the_last_space_and_the_tiles_go_to_the_lid() -> None:
    state = after(offer({0: "bb", 1: "kkkk"}, board(floor="kkkkkk"), board()), "0bf")
    assert floor(state) == "kkkkkkm"
    assert state.lid == counts_of("bb")


def test_r7_a_line_takes_its_own_colour_while_it_is_not_full() -> None:
    state = offer(
        {1: "bbyr"},
        board(
            {2: "y", 3: "b", 1: "k"},
            ("..r..", *["....."] * 4),
        ),
        board(),
    )
    assert drafts(state) == [
        *["1b3", "1b4", "1b5", "1bf"],
        *["1y2", "1y4", "1y5", "1yf"],
        *["1r4", "1r5", "1rf"],
    ]
    assert refused(state, "1b1") == "line_full"
    assert refused(state, "1b2") == "line_other_colour"


def test_r7_a_line_takes_no_colour_that_its_wall_row_holds() -> None:
    state = offer({1: "bbyr"}, board(wall=("..r..", *["....."] * 4)), board())
    assert refused(state, "1r1") == "wall_has_colour"
    assert "1r1" not in drafts(state)


def test_r7_the_floor_is_always_allowed() -> None:
    full = board({1: "k", 2: "kk", 3: "www", 4: "wwww", 5: "kkkkk"}, floor="yyyyyyy")
    assert drafts(offer({1: "bbyr"}, full, board())) == ["1bf", "1yf", "1rf"]


def test_r8_tiles_that_do_not_fit_fall_and_then_go_to_the_lid() -> None:
    state = after(offer({1: "bbbb", 2: "kkkk"}, board(floor="yyyyy"), board()), "1b1")
    assert state.boards[0] == board({1: "b"}, floor="yyyyybb")
    assert state.lid == counts_of("b")


def test_r9_the_offer_ends_when_no_tile_lies_there() -> None:
    state = after(offer({1: "bbbb", 2: "kkkk"}), "1b5")
    assert state.phase is Phase.OFFER
    assert after(state, "2k5").phase is Phase.DEAL


def test_r9_the_marker_alone_can_not_be_taken() -> None:
    state = after(offer({1: "bbbb"}), "1b5")  # no tile ever reached the centre
    assert state.marker is None
    assert state.chance_due


# --- R10 to R12: the wall-tiling -------------------------------------------------------------------------


def test_r10_full_lines_move_a_tile_from_the_top_and_the_others_stay() -> None:
    lines = {1: "y", 2: "bb", 3: "rr", 4: "kkkk"}
    state = after(offer({1: "wwww"}, board(lines), board()), "1w5")
    assert state.boards[0] == board(
        {3: "rr", 5: "wwww"}, (".y...", ".b...", ".....", ".k...", "....."), score=1 + 2 + 1
    )
    assert state.lid == counts_of("bkkk")
    placed = [step for step in items_of(state) if isinstance(step, TilePlaced)]
    assert [(step.row, step.column, step.points) for step in placed] == [(1, 2, 1), (2, 2, 2), (4, 2, 1)]


def test_r11_each_tile_scores_at_once_with_those_before_it() -> None:
    state = after(offer({1: "rwww"}, board({1: "b", 2: "ww"}), board()), "1w4", "0r1")
    assert scores(state) == [1 + 2, 0]  # the 1 that Rui's tile scored went for the marker


def test_r12_the_floor_is_charged_and_goes_to_the_lid() -> None:
    state = after(offer({0: "bb"}, board(score=9), board(score=3, floor="kk")), "0bf")
    assert scores(state) == [9 - 4, 3 - 2]
    assert state.lid == counts_of("bbkk")
    assert [floor(state, seat) for seat in (0, 1)] == ["", ""]
    charged = [step for step in items_of(state) if isinstance(step, FloorCharged)]
    assert [(step.tiles, step.cost) for step in charged] == [(3, 4), (2, 2)]


def test_r12_the_score_never_drops_below_0() -> None:
    state = after(offer({0: "bbb"}, board(score=2), board()), "0bf")
    assert scores(state) == [0, 0]


def test_r12_the_holder_of_the_marker_starts_the_next_round() -> None:
    state = after(offer({0: "b", 1: "kkkk"}), "1k5", "0b1")
    assert state.starter == 1
    assert after(state, "deal bbyr bykk rrww bykw yrww").to_act() == (1,)


def test_r12_the_same_player_starts_again_if_nobody_took_the_marker() -> None:
    state = after(offer({1: "kkkk"}, starter=1), "1k5")
    assert state.starter == 1


def test_r12_the_marker_lies_in_the_centre_again() -> None:
    state = after(offer({0: "b", 1: "kkkk"}), "1k5", "0b1", "deal bbyr bykk rrww bykw yrww")
    assert state.marker is None
    assert floor(after(state, "1y1", "0bf"), 0) == "mbb"


# --- R13 to R17: the end ---------------------------------------------------------------------------------

ALMOST = ("byrk.", *["....."] * 4)


def test_r13_the_game_ends_after_the_round_of_the_first_complete_row() -> None:
    state = offer({1: "bbww", 2: "kkkk"}, board(wall=ALMOST), board())
    state = after(state, "1w1")
    assert state.phase is Phase.OFFER
    state = after(state, "2k4", "0b2")
    assert state.phase is Phase.OVER
    assert state.over
    assert state.legal() == []


def test_r13_a_complete_column_ends_nothing() -> None:
    column = ("b....", "w....", "k....", "r....", ".....")
    state = after(offer({1: "yy"}, board({5: "yyy"}, column), board()), "1y5")
    assert wall(state)[4] == "y...."
    assert state.phase is Phase.DEAL


@pytest.mark.parametrize("text", ["1b1", FIRST_DEAL, "tile 0 1 1"])
def test_r13_no_event_is_legal_after_the_end(text: str) -> None:
    over = after(offer({1: "w"}, board(wall=ALMOST), board()), "1w1")
    assert refused(over, text) == "not_now"


def test_r14_everyone_gets_bonuses() -> None:
    column = ("b....", "w....", "k....", "r....", "y....")
    state = after(offer({1: "ww"}, board(wall=ALMOST), board(wall=column, score=3)), "1w1")
    assert scores(state) == [5 - 1 + 2, 3 + 7]
    given = [step for step in items_of(state) if isinstance(step, BonusGiven)]
    assert [step.points for step in given] == [2, 7]


def test_r14_closing_scores_leave_the_bonuses_out() -> None:
    before = offer({1: "ww"}, board(wall=ALMOST), board())
    state = after(before, "1w1")
    assert state.closing_scores() == (4, 0)
    assert scores(state) == [6, 0]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (board(score=7), Outcome((6, 7), (1, 0), (1,))),
        (board(score=6), Outcome((6, 6), (1, 0), (0,))),
        (board(wall=ALMOST, lines={1: "w"}), Outcome((6, 7), (1, 1), (1,))),
        (board(wall=ALMOST, lines={1: "w"}, floor="b"), Outcome((6, 6), (1, 1), (0, 1))),
    ],
)
def test_r15_most_points_then_rows_then_shared(second: Board, expected: Outcome) -> None:
    state = after(offer({1: "ww"}, board(wall=ALMOST), second), "1w1")
    assert state.outcome() == expected


def test_r16_without_a_tile_to_deal_the_game_ends() -> None:
    column = ("b....", "w....", "k....", "r....", "y....")
    state = with_bag(offer({1: "kk"}, board(wall=column, score=1), board()), "")
    state = after(state, "1k5")
    assert state.phase is Phase.OVER
    assert state.outcome() == Outcome((8, 0), (0, 0), (0,))


def test_r16_one_tile_is_enough_to_go_on() -> None:
    assert after(with_bag(offer({1: "kk"}), "", "y"), "1k5").phase is Phase.DEAL
    assert after(with_bag(offer({1: "kk"}), "", ""), "1kf").phase is Phase.DEAL  # two tiles go to the lid


def test_r17_the_engine_knows_no_limit_of_rounds() -> None:
    state = begun()
    for _ in range(250):
        state = floor_round(state)
    assert state.round == 250
    assert state.chance_due


def floor_round(state: StandardState) -> StandardState:
    after_deal = state.apply(state.chance(lambda _: 0))
    while not after_deal.chance_due:
        choices = [event for event in after_deal.legal() if isinstance(event, Draft) and not event.line]
        after_deal = after_deal.apply(choices[0])
    assert isinstance(after_deal, StandardState)
    return after_deal


def test_r17_a_stopped_game_ends_with_its_bonuses() -> None:
    column = ("b....", "w....", "k....", "r....", "y....")
    state = after(offer({1: "kk"}, board(wall=column, score=1), board(score=5)), "1k5")
    assert state.outcome() is None
    stopped = state.stop()
    assert stopped.outcome() == Outcome((8, 5), (0, 0), (0,))
    assert stopped.over


def test_r17_a_game_can_be_stopped_only_between_rounds() -> None:
    with pytest.raises(IllegalEventError, match="between two rounds"):
        after(begun(), FIRST_DEAL).stop()
    over = after(offer({1: "w"}, board(wall=ALMOST), board()), "1w1")
    with pytest.raises(IllegalEventError):
        over.stop()
