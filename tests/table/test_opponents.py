"""Opponents at the table: they sit, are asked, show what they chose; no rule is broken, no event lost."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.bots.search import BOT_NAMES
from device.bots.simple import play_greedy
from device.lights.palettes import BOX
from device.records import record
from device.rules.events import Choice, Draft, Event, Tile
from device.rules.game import State
from device.rules.tiles import ALL_TILES
from device.socket.snapshot import snapshot
from device.store.saved_table import from_saved_table, to_saved_table
from device.table.game import resume
from device.table.opponents import PACES, PATIENCE
from device.table.prompts import live_buttons, prompt
from device.table.state import OPPONENTS, BotReply, OpponentSettings, Question, Stage, Table, Tick
from device.table.update import update
from tests.rules.positions import all_tiles
from tests.table.hands import BUTTONS, Hands, at_table, game_of, with_settings
from tests.table.opponents import Think, answer_all, answer_to, any_choice, play_on, seated

NORMAL = PACES["normal"]

MIXTURES = [
    ("standard", ("", "calm")),
    ("standard", ("greedy", "strong")),
    ("standard", ("master", "", "calm")),
    ("standard", ("calm", "", "greedy", "")),
    ("gray", ("", "strong")),
    ("gray", ("calm", "calm", "calm")),
    ("gray", ("", "master", "", "greedy")),
    ("dtc", ("strong", "")),
    ("solo", ("master",)),
]


def over(hands: Hands) -> bool:
    return hands.table.stage is Stage.OVER


def shown(hands: Hands) -> Hands:
    """The opponent's answer is there and its show has begun."""
    answer_all(hands, any_choice(1))
    return hands.wait(NORMAL.before + 0.01)


# --- Taking seats ----------------------------------------------------------------------------------------


def test_the_opponents_are_bots_that_there_are() -> None:
    assert set(OPPONENTS) <= set(BOT_NAMES)


@pytest.mark.parametrize(("line", "bot"), list(enumerate(OPPONENTS, start=1)))
def test_a_taken_seats_lines_give_it_to_an_opponent_whose_strength_is_lit(line: int, bot: str) -> None:
    hands = seated_alone().press(f"seat.2.line.{line}")
    assert hands.table.seats.bot_at(2) == bot
    lit = [number for number in range(1, 6) if hands.rhythm(f"seat.2.line.{number}.1") == "steady"]
    assert lit == list(range(1, line + 1))
    assert snapshot(hands.table, BOX)["seats"][1]["bot"] == bot
    assert hands.press("seat.2.floor").table.seats.bot_at(2) == ""
    assert hands.rhythm("seat.2.line.1.1") == "dark"


def seated_alone() -> Hands:
    return at_table().press("seat.2.floor")


def test_undo_makes_the_opponent_a_person_and_then_frees_the_seat() -> None:
    hands = seated_alone().press("seat.1.floor", "seat.2.line.4")
    assert hands.press("undo").table.seats.bot_at(2) == ""
    assert hands.table.seats.taken == (1, 2)
    assert hands.press("undo").table.seats.taken == (1,)


def test_programs_take_turns_on_the_fifth_line_and_play_the_bot_game_alone() -> None:
    hands = seated_alone()
    hands.table = with_settings(hands.table, opponents=OpponentSettings(programs=("fast", "slow")))
    assert hands.press("seat.2.line.5").table.seats.bot_at(2) == "fast"
    assert hands.press("seat.2.line.5").table.seats.bot_at(2) == "slow"
    assert [hands.rhythm(f"seat.2.line.5.{at}") for at in (1, 2, 3)] == ["steady", "steady", "dark"]
    assert hands.refused("ok") == "program_needs_bot_game"
    hands.press("seat.1.floor", "ok")
    assert snapshot(hands.table, BOX)["menu"][0]["value"] == "dtc"
    hands.press("undo", "seat.3.floor")
    assert hands.refused("ok") == "program_needs_bot_game"


def test_opponents_are_called_by_their_names_in_records() -> None:
    hands = seated("", "master", "master")
    assert hands.play.setup.players == ("Seat 1", "Master", "Master 2")


def test_an_opponent_plays_alone_from_the_first_seat() -> None:
    hands = seated_alone().press("seat.2.line.3", "ok", "seat.2.floor")
    assert hands.play.setup.players == ("Strong",)
    assert hands.table.bot_of(0) == hands.table.bot_of(1) == "strong"
    assert prompt(hands.table).say == "bot_thinks"


# --- Its turn --------------------------------------------------------------------------------------------


def test_what_it_chose_is_shown_source_first_then_the_line_and_then_it_happens() -> None:
    hands = seated("calm", "")
    (asked,) = hands.table.opponents.requests
    hands.wait(NORMAL.before)
    draft = Draft(*next((s, c, 2) for s in range(1, 6) for c in range(5) if hands.play.state.sources[s][c]))  # type: ignore[arg-type]
    hands.hear(BotReply(asked.number, draft, hands.now)).wait(0.05)
    assert prompt(hands.table).say == "bot_takes"
    source = [f"display.{draft.source}.{at}" for at in range(1, 5)]
    assert "fast" in [hands.rhythm(light) for light in source]
    assert hands.rhythm("seat.1.line.2.2") == "dark"
    hands.wait(NORMAL.source)
    assert prompt(hands.table).say == "bot_puts"
    assert hands.rhythm("seat.1.line.2.2") == "fast"
    assert not hands.play.moves
    hands.wait(NORMAL.line)
    assert [move.draft for move in hands.play.moves] == [draft]
    assert hands.table.acting_place == 2


def test_ok_skips_ahead() -> None:
    hands = shown(seated("calm", ""))
    assert "ok" in live_buttons(hands.table)
    hands.press("ok")
    assert len(hands.play.moves) == 1
    assert hands.refused("ok") == "nothing_to_confirm"


def test_what_was_refused_is_not_said_any_more_when_it_has_moved() -> None:
    hands = shown(seated("calm", ""))
    assert hands.refused("display.1") == "bots_turn"
    assert snapshot(hands.table, BOX)["refusal"]["say"] == "bots_turn"
    hands.wait(NORMAL.source + NORMAL.line)
    assert len(hands.play.moves) == 1
    assert snapshot(hands.table, BOX)["refusal"] is None


def test_people_can_not_choose_for_it() -> None:
    hands = shown(seated("calm", ""))
    assert hands.refused("display.1") == "bots_turn"
    assert hands.refused("seat.1.line.1") == "bots_turn"
    assert hands.refused("seat.2.line.1") == "not_your_turn"


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    hands = seated("", "calm", "greedy")
    hands.choose("display.1", "byrkw"[next(c for c in range(5) if hands.play.state.sources[1][c])])
    hands.press("seat.1.line.5")
    for _ in range(2):
        hands.wait(2)
        answer_all(hands, any_choice(2)).wait(9)
    assert len(hands.play.moves) == 3
    assert not hands.press("undo").play.moves
    assert hands.table.acting_place == 1
    assert hands.table.opponents.requests == ()
    assert hands.press("undo").game.question is Question.STOP_GAME, "there is nobody else's choice to undo"


def test_undo_in_its_turn_takes_back_the_persons_move_and_drops_its_answer() -> None:
    hands = seated("", "calm")
    hands.press("display.1", "seat.1.line.5")
    (asked,) = hands.table.opponents.requests
    late = answer_to(hands.table, asked, any_choice(3), hands.now)
    hands.press("undo")
    assert hands.play.moves == ()
    assert hands.hear(late).game.bot_choices == ()
    hands.press("display.2", "seat.1.line.5")
    (anew,) = hands.table.opponents.requests
    assert anew.number > asked.number


def test_while_the_table_asks_something_else_an_opponent_waits() -> None:
    hands = shown(seated("calm", "calm")).press("undo")
    assert hands.game.question is Question.STOP_GAME
    before = hands.play
    hands.wait(60)
    assert hands.play is before
    assert hands.press("undo").game.question is None
    hands.wait(NORMAL.source)
    assert hands.play is before, "it is shown from the start again"
    assert len(hands.wait(NORMAL.line + 0.1).play.moves) == 1


def test_stopping_the_game_forgets_what_was_asked() -> None:
    hands = shown(seated("calm", "calm")).press("undo", "ok", after=1.0)
    assert hands.table.stage is Stage.CHOOSING
    assert hands.table.opponents.requests == ()
    assert hands.table.game is None


# --- What goes wrong -------------------------------------------------------------------------------------


def lost(hands: Hands) -> Hands:
    """No answer comes, for so long that the table has stopped waiting."""
    (asked,) = hands.table.opponents.requests
    while hands.table.opponents.requests == (asked,):
        hands.wait(1.0)
    return hands


def test_who_does_not_answer_is_asked_once_more_and_then_greedy_chooses() -> None:
    hands = seated("strong", "")
    first = hands.table.opponents.requests[0]
    assert hands.now + PATIENCE < lost(hands).now
    second = hands.table.opponents.requests[0]
    assert (second.opponent, second.attempt) == ("strong", 2)
    assert second.number > first.number
    hands.hear(BotReply(second.number, None, hands.now))
    third = hands.table.opponents.requests[0]
    assert third.opponent == "greedy"
    hands.hear(BotReply(third.number, play_greedy(hands.play.state, lambda _: 0), hands.now)).wait(9)
    assert len(hands.play.moves) == 1
    assert snapshot(hands.table, BOX)["seats"][0]["stand_in"]["why"] == "lost"
    hands.press("display.5", "display.4", "seat.2.floor")
    assert hands.table.opponents.requests[0].opponent == "strong", "it is asked again on its next turn"
    answer_all(hands.wait(3), any_choice(1))
    assert snapshot(hands.table, BOX)["seats"][0]["stand_in"] is None


@pytest.mark.parametrize("wrong", [Draft(0, 0, 1), Tile(0, 1, 1), None])  # type: ignore[arg-type]
def test_a_choice_that_is_not_allowed_is_no_answer(wrong: Choice | None) -> None:
    hands = seated("strong", "")
    hands.hear(BotReply(hands.table.opponents.requests[0].number, wrong, hands.now))
    assert hands.game.bot_choices == ()
    assert hands.table.opponents.requests[0].attempt == 2


def test_a_program_that_misbehaves_gives_its_seat_to_greedy_for_good_and_says_why() -> None:
    hands = with_program()
    number = hands.table.opponents.requests[0].number
    assert hands.table.opponents.requests[0].opponent == "fast"
    hands.hear(BotReply(number, None, hands.now, "illegal", "it wrote 'x'"))
    told = snapshot(hands.table, BOX)["seats"][0]["stand_in"]
    assert told == {"why": "illegal", "detail": "it wrote 'x'", "by": "greedy", "for_good": True}
    assert hands.table.opponents.requests[0].opponent == "greedy"
    play_on(hands, any_choice(1), lambda hands: len(hands.play.moves) > 4, Random(1))
    assert snapshot(hands.table, BOX)["seats"][0]["stand_in"] == told
    again = from_saved_table(to_saved_table(hands.table), hands.play, hands.table, hands.now)
    assert again.opponents.stand_ins == hands.table.opponents.stand_ins


def with_program() -> Hands:
    hands = seated_alone()
    hands.table = with_settings(hands.table, opponents=OpponentSettings(programs=("fast",)))
    return hands.press("seat.2.floor", "seat.1.floor", "seat.1.line.5", "ok", "seat.1.floor")


# --- Columns, solo, resin --------------------------------------------------------------------------------


def test_on_gray_walls_opponents_and_people_choose_at_the_same_time() -> None:
    hands = seated("calm", "", "greedy", mode="gray", seed=4)

    def all_choose(hands: Hands) -> bool:
        return hands.table.stage is Stage.CHOICE and {
            each.seat for each in hands.table.opponents.requests
        } == {0, 2}

    play_on(hands, any_choice(5), all_choose, Random(5))
    people = [button for button in live_buttons(hands.table) if button.startswith("seat.")]
    assert people
    assert {button[:6] for button in people} == {"seat.2"}
    late, other = hands.table.opponents.requests
    hands.press(people[0])
    assert {late.number, other.number} <= {each.number for each in hands.table.opponents.requests}, (
        "boards are independent"
    )
    hands.hear(answer_to(hands.table, other, any_choice(1), hands.now))
    (chosen,) = hands.game.bot_choices
    assert isinstance(chosen.choice, Tile)
    hands.wait(NORMAL.before + 0.1)
    wall = f"seat.3.wall.{chosen.choice.row}.{chosen.choice.column}"
    assert hands.rhythm(wall) == "fast"
    hands.wait(9)
    assert chosen.choice in hands.play.events


def test_with_tiles_of_resin_people_move_an_opponents_tiles_and_say_so() -> None:
    hands = seated("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        hands.tell_letter(letter)
    answer_all(hands, any_choice(1)).wait(30)
    assert len(hands.play.moves) == 1
    (move,) = hands.play.moves
    asked = prompt(hands.table)
    assert asked.say == "move_for_bot"
    assert asked.values["seat"] == 1
    assert (asked.values["source"], asked.values["line"]) == (move.draft.source, move.draft.line)
    answer_all(hands, any_choice(1)).wait(60)
    assert len(hands.play.moves) == 1, "the next one waits for the hands"
    hands.press("ok").wait(1.0)
    assert prompt(hands.table).say in ("bot_takes", "bot_puts")


def test_with_tiles_of_resin_people_move_an_opponents_last_tiles_of_a_round_before_scoring() -> None:
    hands = seated("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        hands.tell_letter(letter)
    while hands.table.stage is not Stage.SCORING:
        answer_all(hands.press("ok"), any_choice(1)).wait(10)
    assert prompt(hands.table).say == "move_for_bot"
    spaces = [
        *(f"line.{line}.{at}" for line in range(1, 6) for at in range(1, line + 1)),
        "floor.1",
        "floor.7",
    ]
    place = hands.play.places[hands.play.moves[-1].seat]
    hands.wait(30)
    assert "slow" in [hands.rhythm(f"seat.{place}.{space}") for space in spaces], "for as long as hands take"
    hands.press("ok")
    assert prompt(hands.table).say == "scoring_begins"
    hands.press("ok")
    assert prompt(hands.table).say == "scoring"


# --- Whole games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "players"), MIXTURES, ids=str)
def test_whole_games_of_every_mixture_come_to_their_end(mode: str, players: tuple[str, ...]) -> None:
    def greedy(state: State, seat: int) -> Event:
        return play_greedy(state.for_seat(seat), Random(1).randrange)

    hands = play_on(seated(*players, mode=mode), greedy, over, Random(2))
    play = hands.play
    assert resume(play.setup, play.places, play.events).state == play.state
    if mode != "gray":  # a record lists those in seat order
        assert record.write(play.setup, list(play.events))


# --- Whatever comes --------------------------------------------------------------------------------------

doings = st.lists(
    st.tuples(
        st.sampled_from(
            ["press", "press", "answer", "answer", "late", "double", "fail", "wait", "undo", "ok", "hint"]
        ),
        st.integers(0, 99),
        st.sampled_from([0.0, 0.05, 0.3, 1.1, 2.5, 40.0]),
    ),
    min_size=10,
    max_size=70,
)


@given(st.sampled_from(MIXTURES), st.integers(0, 9), doings, st.sampled_from([0, 20, 60]))
def test_presses_and_answers_in_any_order_break_no_rule_and_lose_nothing(
    mixture: tuple[str, tuple[str, ...]], seed: int, doing: list[tuple[str, int, float]], events: int
) -> None:
    """Late, lost, doubled, wrong: the game is its events, and goes on."""
    mode, players = mixture
    hands = seated(*players, mode=mode, seed=seed)
    think = any_choice(seed)
    play_on(hands, think, lambda hands: len(hands.play.events) >= events or over(hands), Random(seed))
    answers: list[BotReply] = []
    for what, pick, seconds in doing:
        before = hands.table
        step(hands, think, answers, what, pick)
        check(hands, before, what)
        hands.wait(seconds)
        check_waiting(hands)


def step(hands: Hands, think: Think, answers: list[BotReply], what: str, pick: int) -> None:
    asked = hands.table.opponents.requests
    live = [button for button in BUTTONS if button in live_buttons(hands.table)]
    match what:
        case "press":
            hands.press(live[pick % len(live)] if live and pick % 3 else BUTTONS[pick % len(BUTTONS)])
        case "undo" | "ok":
            hands.press(what)
        case "answer" if asked:
            answers.append(answer_to(hands.table, asked[pick % len(asked)], think, hands.now))
            hands.hear(answers[-1])
        case "late" if asked:
            answers.append(answer_to(hands.table, asked[pick % len(asked)], think, hands.now))
        case "double" | "late" if answers:
            hands.hear(answers[pick % len(answers)])
        case "hint":
            hands.press(*("undo", "ok")[:: 1 - 2 * (pick % 2)], after=0.1)
            for question in hands.hint_requests[:pick]:
                hands.hear(answer_to(hands.table, question, think, hands.now))
        case "fail" if asked:
            hands.hear(BotReply(asked[pick % len(asked)].number, None, hands.now))


def check(hands: Hands, before: Table, what: str) -> None:
    play = hands.table.play
    if play is None:
        return
    assert resume(play.setup, play.places, play.events) == play
    assert all_tiles(play.state) == ALL_TILES
    if what not in ("undo", "press", "ok", "hint") and before.play is not None:
        assert play.events[: len(before.play.events)] == before.play.events, "only people take back"


def check_waiting(hands: Hands) -> None:
    """Somebody is waited for: people, or an opponent that was asked or shows its choice."""
    table = update(hands.table, Tick(hands.now))
    told = snapshot(table, BOX)
    assert told["ask"]["say"] == prompt(table).say
    if prompt(table).say.startswith("bot_"):
        assert table.opponents.requests or game_of(table).bot_choices, "an opponent is to choose"
    numbers = [each.number for each in table.opponents.requests]
    assert len(set(numbers)) == len(numbers)
    assert all(number <= table.opponents.last_number for number in numbers)
    kept = to_saved_table(table)
    again = from_saved_table(kept, table.play, table, hands.now)
    assert again.play == table.play
    if table.bots_turn:
        assert kept.selection is None, "an opponent chooses again after a power cut"
