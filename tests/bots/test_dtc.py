"""The bot protocol as text, to the letter and both ways (D3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.bots.dtc.protocol import (
    Listener,
    ProtocolError,
    Side,
    Taker,
    Teller,
    Turn,
    View,
    Wish,
    answer_of,
    draft_of,
    state_of,
    text_of,
    view_of,
    why_illegal,
    wish_of,
)
from device.rules import game
from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Draft
from device.rules.notation import event_of
from device.rules.standard import StandardState
from device.rules.tiles import Colour
from tests.bots.tracker import Tracker
from tests.rules.games import Game, games
from tests.rules.positions import board, offer

EXAMPLE = """\
28220
1
move
0 g 0
0 0 1 1 0 0
0 0 0 0 0
0 1 1 1 1
1 1 1 0 1
0 1 1 1 1
0 0 0 0 0
opponent
0 .
2 r
0 .
2 b
3 g
. . b y .
. . o b .
. . . o b
. . . . .
. . . . .
0 7
1 g
0 .
2 g
3 y
3 y
. o . . .
. g o . .
y . . . .
. . r . .
. . . . .
1 6
"""
"""The published one: both blocks."""
GREEN, ORANGE, BLUE, YELLOW, RED = Colour


def heard(wish: Wish, text: str) -> list[Turn]:
    listener = Listener(wish)
    turns = [listener.receive(line) for line in text.splitlines()]
    return [turn for turn in turns if turn is not None]


def state_alone(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([lines[0], *lines[4:]])


# --- The published example -------------------------------------------------------------------------------


def test_d3_the_published_example_is_read() -> None:
    (turn,) = heard(Wish.BOTH, EXAMPLE)
    assert turn.milliseconds == 28220
    assert turn.updates == (Draft(0, GREEN, 1),)
    view = turn.view
    assert view is not None
    assert view.sources[0] == (0, 0, 1, 1, 0)
    assert view.sources[3] == (1, 1, 1, 0, 1)
    assert view.taker is Taker.OPPONENT
    assert (view.own.held, view.own.colours) == ((0, 2, 0, 2, 3), (None, RED, None, BLUE, GREEN))
    assert view.own.wall[0] == (None, None, BLUE, YELLOW, None)
    assert view.own.wall[2] == (None, None, None, ORANGE, BLUE)
    assert (view.own.floor, view.own.score) == (0, 7)
    assert (view.other.floor, view.other.score) == (1, 6)
    assert view.other.colours == (GREEN, None, GREEN, YELLOW, YELLOW)


def test_d3_the_published_example_comes_out_again() -> None:
    (turn,) = heard(Wish.BOTH, EXAMPLE)
    assert text_of(turn) == EXAMPLE
    assert text_of(Turn(turn.milliseconds, None, turn.view)) == state_alone(EXAMPLE)
    assert text_of(Turn(turn.milliseconds, turn.updates, None)) == "28220\n1\nmove\n0 g 0\n"


def test_d3_a_match_tells_the_published_example() -> None:
    """From a state of the rules, one draft before it."""
    own = board({2: "ww", 4: "rr", 5: "bbb"}, ("..rk.", "..yr.", "...yr", ".....", "....."), score=7)
    other = board({3: "bb", 4: "kkk", 5: "kkk"}, (".y...", ".by..", "k....", "..w..", "....."), score=6)
    before = offer({0: "brk", 2: "yrkw", 3: "byrw", 4: "yrkw"}, other, own, mode="dtc")
    teller = Teller(1, Wish.BOTH)
    draft = draft_of("0 g 0")
    teller.saw(before, draft)
    after = before.apply(draft)
    assert isinstance(after, StandardState)
    assert text_of(teller.turn(after, 28220)) == EXAMPLE


def test_d3_the_state_block_alone_makes_a_game() -> None:
    (turn,) = heard(Wish.STATE, state_alone(EXAMPLE))
    assert turn.updates is None
    assert turn.view is not None
    state = state_of(turn.view, 3)
    assert state.to_act() == (0,)
    assert (state.turn, state.marker, state.round) == (0, 1, 3)
    moves = [answer_of(draft) for draft in state.legal() if isinstance(draft, Draft)]
    assert [move for move in moves if move[0] == "0"] == ["0 b 3", "0 b 5", "0 y 2", "0 y 5"]
    assert view_of(state, 0) == turn.view


# --- Lines of bots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", Wish)
def test_d3_the_first_line(wish: Wish) -> None:
    assert wish_of(wish.value) is wish


@pytest.mark.parametrize("line", ["", "StandardState", "state ", " state", "state\r", "update both", "hello"])
def test_d3_another_first_line_is_the_bots_fault(line: str) -> None:
    with pytest.raises(ProtocolError, match="the bot's fault: its first line is") as caught:
        wish_of(line)
    assert caught.value.whose == "bot"


def test_d3_answers_count_from_0_and_the_floor_is_5() -> None:
    assert draft_of("0 g 0") == event_of("0b1")
    assert draft_of("5 r 4") == event_of("5w5")
    assert draft_of("3 y 5") == event_of("3kf")


@pytest.mark.parametrize("display", range(6))
@pytest.mark.parametrize("colour", Colour)
@pytest.mark.parametrize("line", range(6))
def test_d3_answers_round_trip(display: int, colour: Colour, line: int) -> None:
    draft = Draft(display, colour, line)
    assert draft_of(answer_of(draft)) == draft


NO_ANSWERS = ["", "0", "0 g", "0g0", "0 g 0 ", " 0 g 0", "0  g 0", "0\tg\t0", "0 g 0\r", "6 g 0", "-1 g 0"]
NO_ANSWERS += ["0 k 0", "0 G 0", "0 g 6", "0 g f", "00 g 0", "0 g 00", "\u0660 g 0", "0 g 0\n", "move 0 g 0"]


@pytest.mark.parametrize("line", NO_ANSWERS)
def test_d3_another_answer_is_the_bots_fault(line: str) -> None:
    with pytest.raises(ProtocolError, match=r"^the bot's fault: ") as caught:
        draft_of(line)
    assert caught.value.message.startswith(f"its answer is {line!r}, not a move 'd c l'")


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("2 g 0", "display 2 holds no g"),
        ("0 g 0", "the centre holds no g"),
        ("1 g 0", "line 0 is full"),
        ("1 g 1", "line 1 holds o, not g"),
        ("1 g 2", "row 2 of its wall holds g already"),
    ],
)
def test_d3_why_a_move_is_illegal_is_said_in_the_protocols_numbers(move: str, why: str) -> None:
    state = offer(
        {1: "bbyk"}, board({1: "y", 2: "y"}, (".....", ".....", "..b..", ".....", ".....")), board()
    )
    draft = draft_of(move)
    with pytest.raises(IllegalEventError) as caught:
        state.apply(draft)
    assert why_illegal(state, draft, caught.value) == why


# --- Lines of matches ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "line", "what"),
    [
        (1, "28220.5", "is the remaining time in milliseconds"),
        (1, "-1", "is the remaining time in milliseconds"),
        (1, "028220", "is the remaining time in milliseconds"),
        (1, "", "is the remaining time in milliseconds"),
        (2, "one", "is the number of updates"),
        (3, "moves", "is restock or move"),
        (4, "0 g 7", "is a move 'd c l'"),
        (5, "0 0 1 1 0", "is the centre"),
        (5, "0 0 1 1 0 0 ", "is the centre"),
        (5, "0 0 1 1 0 2", "is the centre"),
        (6, "0 0 0 0 0 0", "is the five counts of display 1"),
        (8, "1 1 1 x 1", "is the five counts of display 3"),
        (11, "me", "is you, opponent or none"),
        (11, "none", "says that none took the marker, but the centre's is 0"),
        (12, "0 g", "is pattern line 0"),
        (12, "2 g", "is pattern line 0: a count up to 1"),
        (13, "2 .", "is pattern line 1"),
        (13, "0 r", "is pattern line 1"),
        (13, "2 gg", "is pattern line 1"),
        (17, ". . y b .", "is wall row 0, some of 'g o b y r'"),
        (17, ". . b y", "is wall row 0"),
        (21, "r g o b y", "is wall row 4, some of 'o b y r g'"),
        (22, "8 7", "is the floor's length, 0 to 7, and the score"),
        (22, "0 -7", "is the floor's length, 0 to 7, and the score"),
        (33, "1", "is the floor's length, 0 to 7, and the score"),
    ],
)
def test_d3_another_line_is_the_matchs_fault_and_named(number: int, line: str, what: str) -> None:
    lines = EXAMPLE.splitlines()
    lines[number - 1] = line
    with pytest.raises(ProtocolError) as caught:
        heard(Wish.BOTH, "\n".join(lines))
    assert caught.value.whose == "match"
    assert caught.value.message.startswith(f"line {number} of this turn {what}")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"0 0 1 1 0 0": "0 0 20 1 0 0"}, "there are 28 tiles of b"),
        ({"1 6": "0 6"}, "a bot has taken the marker, but nothing is on its floor"),
        (
            {"0 0 1 1 0 0": "0 0 0 0 0 0", "0 1 1 1 1": "0 0 0 0 0", "1 1 1 0 1": "0 0 0 0 0"},
            "there is no tile to take",
        ),
    ],
)
def test_d3_a_state_block_that_no_game_has_is_the_matchs_fault(change: dict[str, str], what: str) -> None:
    lines = [change.get(line, line) for line in EXAMPLE.splitlines()]
    (turn,) = heard(Wish.BOTH, "\n".join(lines))
    assert turn.view is not None
    with pytest.raises(ProtocolError, match=f"^the match's fault: {what}$"):
        state_of(turn.view)


def test_d3_more_tiles_on_the_floors_than_there_are() -> None:
    own = Side(floor=7)
    view = View(((20, 20, 20, 20, 15), *[(0,) * 5] * 5), Taker.NONE, own, own)
    with pytest.raises(ProtocolError, match="more than 100 tiles"):
        state_of(view)


def test_d3_turn_follows_turn() -> None:
    assert len(heard(Wish.BOTH, EXAMPLE * 3)) == 3
    assert len(heard(Wish.UPDATE, "10\n1\nmove\n0 g 0\n9\n0\n")) == 2
    assert heard(Wish.BOTH, EXAMPLE[:-4]) == []


# --- Whole games -----------------------------------------------------------------------------------------


def test_d3_what_a_bot_is_told_of_the_beginning() -> None:
    """The first restock too; who starts has seen nothing else, the other one also the first move."""
    state = game.setup(game.Setup("dtc", ("one", "two")))
    tellers = [Teller(seat, Wish.UPDATE) for seat in range(2)]
    for text in ("deal bbyr bbyk yrkk brrk rrkw", "1b1"):
        event = event_of(text)
        assert isinstance(state, StandardState)
        for teller in tellers:
            teller.saw(state, event)
        if text == "1b1":
            continue
        state = state.apply(event)
        assert isinstance(state, StandardState)
        assert text_of(tellers[0].turn(state, 30000)) == (
            "30000\n1\nrestock\n2 1 1 0 0\n2 1 0 1 0\n0 1 1 2 0\n1 0 2 1 0\n0 0 2 1 1\n"
        )
    assert isinstance(state, StandardState)
    assert text_of(tellers[1].turn(state, 30000)).endswith("\n0 0 2 1 1\nmove\n1 g 0\n")
    assert text_of(tellers[1].turn(state, 30000)) == "30000\n0\n"


@given(games("dtc"), st.sampled_from([Wish.UPDATE, Wish.BOTH]))
def test_d3_who_keeps_the_boards_by_the_updates_has_what_the_state_block_says(game: Game, wish: Wish) -> None:
    tellers = [Teller(seat, wish) for seat in range(2)]
    listeners = [Listener(wish) for _ in range(2)]
    trackers = [Tracker() for _ in range(2)]
    for number, step in enumerate(game.steps):
        state, event = step.before, step.event
        assert isinstance(state, StandardState)
        if isinstance(event, Draft):
            seat = state.turn
            turn = tellers[seat].turn(state, number)
            lines = text_of(turn).splitlines()
            assert heard_whole(listeners[seat], lines) == turn
            block = trackers[seat].take_update(lines[1:])
            view = view_of(state, seat)
            assert trackers[seat].block() == text_of(Turn(number, None, view)).splitlines()[1:]
            assert block == (trackers[seat].block() if wish.view else [])
            legal = [answer_of(draft) for draft in legal_drafts(state)]
            assert sorted(legal) == sorted(trackers[seat].moves())
            trackers[seat].move("you", answer_of(event))
        for teller in tellers:
            teller.saw(state, event)


def heard_whole(listener: Listener, lines: list[str]) -> Turn | None:
    *early, last = [listener.receive(line) for line in lines]
    assert set(early) <= {None}
    return last


def legal_drafts(state: StandardState) -> list[Draft]:
    return [event for event in state.legal() if isinstance(event, Draft)]


@given(games("dtc"), st.data())
def test_d3_a_game_made_of_a_state_block_goes_on_like_the_real_one(played: Game, data: st.DataObject) -> None:
    """To the end of its round: the same choices, boards, bag and next starter, seen from the bot's side."""
    drafts = [number for number, step in enumerate(played.steps) if isinstance(step.event, Draft)]
    start = data.draw(st.sampled_from(drafts))
    real = played.steps[start].before
    assert isinstance(real, StandardState)
    seat = real.turn
    start_of_it = state_of(view_of(real, seat), real.round)
    if real.marker is None:
        assert start_of_it.starter ^ seat == real.starter
    made: game.State = start_of_it
    for step in played.steps[start:]:
        if isinstance(step.event, Deal):
            break
        assert set(made.legal()) == set(step.before.legal())
        made = made.apply(step.event)
        real = step.after
        assert isinstance(real, StandardState)
    assert isinstance(made, StandardState)
    assert made.phase is real.phase
    assert (made.bag, made.lid) == (real.bag, real.lid)
    assert made.starter ^ seat == real.starter
    assert [made.boards[seat], made.boards[1 - seat]] == list(real.boards)
