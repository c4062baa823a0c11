"""Parsing and formatting of the bot protocol (D3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.bots.dtc.protocol import (
    BoardView,
    MarkerTaker,
    ProtocolError,
    StateBlock,
    Subscription,
    Turn,
    TurnBuilder,
    TurnParser,
    explain_illegal,
    format_draft,
    format_turn,
    parse_draft,
    parse_subscription,
    state_block,
    state_from_block,
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
"""The published example with both blocks."""
GREEN, ORANGE, BLUE, YELLOW, RED = Colour


def parse(subscription: Subscription, text: str) -> list[Turn]:
    parser = TurnParser(subscription)
    turns = [parser.receive(line) for line in text.splitlines()]
    return [turn for turn in turns if turn is not None]


def state_only(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([lines[0], *lines[4:]])


# --- The published example -------------------------------------------------------------------------------


def test_d3_the_published_example_is_parsed() -> None:
    (turn,) = parse(Subscription.BOTH, EXAMPLE)
    assert turn.milliseconds == 28220
    assert turn.updates == (Draft(0, GREEN, 1),)
    view = turn.view
    assert view is not None
    assert view.sources[0] == (0, 0, 1, 1, 0)
    assert view.sources[3] == (1, 1, 1, 0, 1)
    assert view.taker is MarkerTaker.OPPONENT
    assert (view.own.held, view.own.colours) == ((0, 2, 0, 2, 3), (None, RED, None, BLUE, GREEN))
    assert view.own.wall[0] == (None, None, BLUE, YELLOW, None)
    assert view.own.wall[2] == (None, None, None, ORANGE, BLUE)
    assert (view.own.floor, view.own.score) == (0, 7)
    assert (view.other.floor, view.other.score) == (1, 6)
    assert view.other.colours == (GREEN, None, GREEN, YELLOW, YELLOW)


def test_d3_the_published_example_round_trips() -> None:
    (turn,) = parse(Subscription.BOTH, EXAMPLE)
    assert format_turn(turn) == EXAMPLE
    assert format_turn(Turn(turn.milliseconds, None, turn.view)) == state_only(EXAMPLE)
    assert format_turn(Turn(turn.milliseconds, turn.updates, None)) == "28220\n1\nmove\n0 g 0\n"


def test_d3_a_turn_builder_makes_the_published_example() -> None:
    """From a state of the rules one draft earlier."""
    own = board({2: "ww", 4: "rr", 5: "bbb"}, ("..rk.", "..yr.", "...yr", ".....", "....."), score=7)
    other = board({3: "bb", 4: "kkk", 5: "kkk"}, (".y...", ".by..", "k....", "..w..", "....."), score=6)
    before = offer({0: "brk", 2: "yrkw", 3: "byrw", 4: "yrkw"}, other, own, mode="dtc")
    builder = TurnBuilder(1, Subscription.BOTH)
    draft = parse_draft("0 g 0")
    builder.record_event(before, draft)
    after = before.apply(draft)
    assert isinstance(after, StandardState)
    assert format_turn(builder.turn(after, 28220)) == EXAMPLE


def test_d3_a_state_is_made_of_the_state_block() -> None:
    (turn,) = parse(Subscription.STATE, state_only(EXAMPLE))
    assert turn.updates is None
    assert turn.view is not None
    state = state_from_block(turn.view, 3)
    assert state.to_act() == (0,)
    assert (state.turn, state.marker, state.round) == (0, 1, 3)
    moves = [format_draft(draft) for draft in state.legal() if isinstance(draft, Draft)]
    assert [move for move in moves if move[0] == "0"] == ["0 b 3", "0 b 5", "0 y 2", "0 y 5"]
    assert state_block(state, 0) == turn.view


# --- Lines of bots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("subscription", Subscription)
def test_d3_the_first_line(subscription: Subscription) -> None:
    assert parse_subscription(subscription.value) is subscription


@pytest.mark.parametrize("line", ["", "StandardState", "state ", " state", "state\r", "update both", "hello"])
def test_d3_an_invalid_first_line_is_the_bots_fault(line: str) -> None:
    with pytest.raises(ProtocolError, match="the bot's fault: its first line is") as caught:
        parse_subscription(line)
    assert caught.value.whose == "bot"


def test_d3_answers_count_from_0_and_the_floor_is_5() -> None:
    assert parse_draft("0 g 0") == event_of("0b1")
    assert parse_draft("5 r 4") == event_of("5w5")
    assert parse_draft("3 y 5") == event_of("3kf")


@pytest.mark.parametrize("display", range(6))
@pytest.mark.parametrize("colour", Colour)
@pytest.mark.parametrize("line", range(6))
def test_d3_answers_round_trip(display: int, colour: Colour, line: int) -> None:
    draft = Draft(display, colour, line)
    assert parse_draft(format_draft(draft)) == draft


NO_ANSWERS = ["", "0", "0 g", "0g0", "0 g 0 ", " 0 g 0", "0  g 0", "0\tg\t0", "0 g 0\r", "6 g 0", "-1 g 0"]
NO_ANSWERS += ["0 k 0", "0 G 0", "0 g 6", "0 g f", "00 g 0", "0 g 00", "\u0660 g 0", "0 g 0\n", "move 0 g 0"]


@pytest.mark.parametrize("line", NO_ANSWERS)
def test_d3_an_invalid_answer_is_the_bots_fault(line: str) -> None:
    with pytest.raises(ProtocolError, match=r"^the bot's fault: ") as caught:
        parse_draft(line)
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
def test_d3_an_illegal_move_is_explained_in_the_protocols_numbers(move: str, why: str) -> None:
    state = offer(
        {1: "bbyk"}, board({1: "y", 2: "y"}, (".....", ".....", "..b..", ".....", ".....")), board()
    )
    draft = parse_draft(move)
    with pytest.raises(IllegalEventError) as caught:
        state.apply(draft)
    assert explain_illegal(state, draft, caught.value) == why


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
def test_d3_an_invalid_line_is_the_matchs_fault_and_named(number: int, line: str, what: str) -> None:
    lines = EXAMPLE.splitlines()
    lines[number - 1] = line
    with pytest.raises(ProtocolError) as caught:
        parse(Subscription.BOTH, "\n".join(lines))
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
def test_d3_an_impossible_state_block_is_the_matchs_fault(change: dict[str, str], what: str) -> None:
    lines = [change.get(line, line) for line in EXAMPLE.splitlines()]
    (turn,) = parse(Subscription.BOTH, "\n".join(lines))
    assert turn.view is not None
    with pytest.raises(ProtocolError, match=f"^the match's fault: {what}$"):
        state_from_block(turn.view)


def test_d3_too_many_tiles_on_the_floors_are_refused() -> None:
    own = BoardView(floor=7)
    view = StateBlock(((20, 20, 20, 20, 15), *[(0,) * 5] * 5), MarkerTaker.NONE, own, own)
    with pytest.raises(ProtocolError, match="more than 100 tiles"):
        state_from_block(view)


def test_d3_several_turns_are_parsed() -> None:
    assert len(parse(Subscription.BOTH, EXAMPLE * 3)) == 3
    assert len(parse(Subscription.UPDATE, "10\n1\nmove\n0 g 0\n9\n0\n")) == 2
    assert parse(Subscription.BOTH, EXAMPLE[:-4]) == []


# --- Whole games -----------------------------------------------------------------------------------------


def test_d3_the_first_turn_has_the_first_restock_and_the_moves_before_it() -> None:
    """The starting player reads the restock only, the other one the first move, too."""
    state = game.setup(game.Setup("dtc", ("one", "two")))
    builders = [TurnBuilder(seat, Subscription.UPDATE) for seat in range(2)]
    for text in ("deal bbyr bbyk yrkk brrk rrkw", "1b1"):
        event = event_of(text)
        assert isinstance(state, StandardState)
        for builder in builders:
            builder.record_event(state, event)
        if text == "1b1":
            continue
        state = state.apply(event)
        assert isinstance(state, StandardState)
        assert format_turn(builders[0].turn(state, 30000)) == (
            "30000\n1\nrestock\n2 1 1 0 0\n2 1 0 1 0\n0 1 1 2 0\n1 0 2 1 0\n0 0 2 1 1\n"
        )
    assert isinstance(state, StandardState)
    assert format_turn(builders[1].turn(state, 30000)).endswith("\n0 0 2 1 1\nmove\n1 g 0\n")
    assert format_turn(builders[1].turn(state, 30000)) == "30000\n0\n"


@given(games("dtc"), st.sampled_from([Subscription.UPDATE, Subscription.BOTH]))
def test_d3_the_updates_lead_to_the_state_block(game: Game, subscription: Subscription) -> None:
    builders = [TurnBuilder(seat, subscription) for seat in range(2)]
    parsers = [TurnParser(subscription) for _ in range(2)]
    trackers = [Tracker() for _ in range(2)]
    for number, step in enumerate(game.steps):
        state, event = step.before, step.event
        assert isinstance(state, StandardState)
        if isinstance(event, Draft):
            seat = state.turn
            turn = builders[seat].turn(state, number)
            lines = format_turn(turn).splitlines()
            assert parse_whole(parsers[seat], lines) == turn
            block = trackers[seat].take_update(lines[1:])
            view = state_block(state, seat)
            assert trackers[seat].block() == format_turn(Turn(number, None, view)).splitlines()[1:]
            assert block == (trackers[seat].block() if subscription.view else [])
            legal = [format_draft(draft) for draft in legal_drafts(state)]
            assert sorted(legal) == sorted(trackers[seat].moves())
            trackers[seat].move("you", format_draft(event))
        for builder in builders:
            builder.record_event(state, event)


def parse_whole(parser: TurnParser, lines: list[str]) -> Turn | None:
    *early, last = [parser.receive(line) for line in lines]
    assert set(early) <= {None}
    return last


def legal_drafts(state: StandardState) -> list[Draft]:
    return [event for event in state.legal() if isinstance(event, Draft)]


@given(games("dtc"), st.data())
def test_d3_a_state_from_a_state_block_continues_like_the_real_one(played: Game, data: st.DataObject) -> None:
    """To the end of its round: the same choices, boards, bag and next starter."""
    drafts = [number for number, step in enumerate(played.steps) if isinstance(step.event, Draft)]
    start = data.draw(st.sampled_from(drafts))
    real = played.steps[start].before
    assert isinstance(real, StandardState)
    seat = real.turn
    start_of_it = state_from_block(state_block(real, seat), real.round)
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
