"""Opponents: their seats, requests and replies, showing their choices, failures, and whole games."""

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
from device.table.opponents import PACES, PATIENCE, PROGRAM_PATIENCE
from device.table.prompts import live_buttons, prompt
from device.table.state import OPPONENTS, BotReply, OpponentSettings, Question, Stage, Table, Tick
from device.table.update import update
from tests.harness.sampling import some
from tests.rules.positions import all_tiles
from tests.table.opponents import Think, begin_with, play_until, random_choice, reply_to, reply_to_all
from tests.table.simulator import BUTTONS, Simulator, empty_table, game_of, with_settings

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


def over(sim: Simulator) -> bool:
    return sim.table.stage is Stage.OVER


def shown(sim: Simulator) -> Simulator:
    """Reply to the open requests, and wait until the choice is shown."""
    reply_to_all(sim, random_choice(1))
    return sim.wait(NORMAL.before + 0.01)


# --- Taking seats ---


def test_all_opponents_are_known_bots() -> None:
    assert set(OPPONENTS) <= set(BOT_NAMES)


@pytest.mark.parametrize(("line", "bot"), list(enumerate(OPPONENTS, start=1)))
def test_a_line_of_a_taken_seat_gives_it_to_an_opponent_and_lights_its_number(line: int, bot: str) -> None:
    sim = seated_alone().press(f"seat.2.line.{line}")
    assert sim.table.seats.bot_at(2) == bot
    lit = [number for number in range(1, 6) if sim.rhythm(f"seat.2.line.{number}.1") == "steady"]
    assert lit == list(range(1, line + 1))
    assert snapshot(sim.table, BOX)["seats"][1]["bot"] == bot
    assert sim.press("seat.2.floor").table.seats.bot_at(2) == ""
    assert sim.rhythm("seat.2.line.1.1") == "dark"


def seated_alone() -> Simulator:
    return empty_table().press("seat.2.floor")


def test_undo_turns_an_opponents_seat_into_a_persons_and_then_frees_it() -> None:
    sim = seated_alone().press("seat.1.floor", "seat.2.line.4")
    assert sim.press("undo").table.seats.bot_at(2) == ""
    assert sim.table.seats.taken == (1, 2)
    assert sim.press("undo").table.seats.taken == (1,)


def test_the_fifth_line_goes_through_the_bot_programs_which_play_the_bot_ruleset_only() -> None:
    sim = seated_alone()
    sim.table = with_settings(sim.table, opponents=OpponentSettings(programs=("fast", "slow")))
    assert sim.press("seat.2.line.5").table.seats.bot_at(2) == "fast"
    assert sim.press("seat.2.line.5").table.seats.bot_at(2) == "slow"
    assert [sim.rhythm(f"seat.2.line.5.{at}") for at in (1, 2, 3)] == ["steady", "steady", "dark"]
    assert sim.refused("ok") == "program_needs_bot_game"
    sim.press("seat.1.floor", "ok")
    assert snapshot(sim.table, BOX)["menu"][0]["value"] == "dtc"
    sim.press("undo", "seat.3.floor")
    assert sim.refused("ok") == "program_needs_bot_game"


def test_records_contain_the_names_of_opponents() -> None:
    sim = begin_with("", "master", "master")
    assert sim.play.setup.players == ("Seat 1", "Master", "Master 2")


def test_an_opponent_plays_solo_at_the_first_place() -> None:
    sim = seated_alone().press("seat.2.line.3", "ok", "seat.2.floor")
    assert sim.play.setup.players == ("Strong",)
    assert sim.table.bot_of(0) == sim.table.bot_of(1) == "strong"
    assert prompt(sim.table).key == "bot_thinks"


# --- An opponent's turn ---


def test_a_choice_is_shown_source_first_then_line_and_then_made() -> None:
    sim = begin_with("calm", "")
    (asked,) = sim.table.opponents.requests
    sim.wait(NORMAL.before)
    draft = Draft(*next((s, c, 2) for s in range(1, 6) for c in range(5) if sim.play.state.sources[s][c]))  # type: ignore[arg-type]
    sim.reply(BotReply(asked.number, draft, sim.now)).wait(0.05)
    assert prompt(sim.table).key == "bot_takes"
    source = [f"display.{draft.source}.{at}" for at in range(1, 5)]
    assert "fast" in [sim.rhythm(light) for light in source]
    assert sim.rhythm("seat.1.line.2.2") == "dark"
    sim.wait(NORMAL.source)
    assert prompt(sim.table).key == "bot_puts"
    assert sim.rhythm("seat.1.line.2.2") == "fast"
    assert not sim.play.moves
    sim.wait(NORMAL.line)
    assert [move.draft for move in sim.play.moves] == [draft]
    assert sim.table.acting_place == 2


@pytest.mark.parametrize(
    ("pace", "before", "source", "line"),
    [("slow", 1.2 * 2.4 / 1.4, 2.4, 2.0), ("normal", 1.2, 1.4, 1.2), ("fast", 1.2 * 0.5 / 1.4, 0.5, 0.4)],
)
def test_the_pace_is_that_of_the_settings(pace: str, before: float, source: float, line: float) -> None:
    """The move before stays in view first; then the source and the line are shown."""
    sim = begin_with("", "calm")
    sim.table = with_settings(sim.table, opponents=OpponentSettings(pace=pace))
    sim.wait(5.0).press("display.1", "seat.1.line.5")
    moved = sim.now
    reply_to_all(sim, random_choice(1))
    changes = [(before, "bot_takes"), (before + source, "bot_puts"), (before + source + line, "draft")]
    for after, key in changes:
        earlier = prompt(sim.wait(moved + after - 0.01 - sim.now).table).key
        assert earlier != key
        assert prompt(sim.wait(0.02).table).key == key, "then"


def test_ok_makes_the_shown_choice_at_once() -> None:
    sim = shown(begin_with("calm", ""))
    assert "ok" in live_buttons(sim.table)
    sim.press("ok")
    assert len(sim.play.moves) == 1
    assert sim.refused("ok") == "nothing_to_confirm"


def test_a_refusal_is_hidden_after_an_opponent_has_moved() -> None:
    sim = shown(begin_with("calm", ""))
    assert sim.refused("display.1") == "bots_turn"
    assert snapshot(sim.table, BOX)["refusal"]["say"] == "bots_turn"
    sim.wait(NORMAL.source + NORMAL.line)
    assert len(sim.play.moves) == 1
    assert snapshot(sim.table, BOX)["refusal"] is None


def test_people_can_not_choose_for_an_opponent() -> None:
    sim = shown(begin_with("calm", ""))
    assert sim.refused("display.1") == "bots_turn"
    assert sim.refused("seat.1.line.1") == "bots_turn"
    assert sim.refused("seat.2.line.1") == "not_your_turn"


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    sim = begin_with("", "calm", "greedy")
    sim.choose("display.1", "byrkw"[next(c for c in range(5) if sim.play.state.sources[1][c])])
    sim.press("seat.1.line.5")
    for _ in range(2):
        sim.wait(2)
        reply_to_all(sim, random_choice(2)).wait(9)
    assert len(sim.play.moves) == 3
    assert not sim.press("undo").play.moves
    assert sim.table.acting_place == 1
    assert sim.table.opponents.requests == ()
    assert sim.press("undo").game.question is Question.STOP_GAME, "no other person's choice is left to undo"


def test_undo_in_an_opponents_turn_takes_back_the_persons_move_and_ignores_the_reply() -> None:
    sim = begin_with("", "calm")
    sim.press("display.1", "seat.1.line.5")
    (asked,) = sim.table.opponents.requests
    late = reply_to(sim.table, asked, random_choice(3), sim.now)
    sim.press("undo")
    assert sim.play.moves == ()
    assert sim.reply(late).game.bot_choices == ()
    sim.press("display.2", "seat.1.line.5")
    (anew,) = sim.table.opponents.requests
    assert anew.number > asked.number


def test_an_opponent_waits_while_a_question_is_open() -> None:
    sim = shown(begin_with("calm", "calm")).press("undo")
    assert sim.game.question is Question.STOP_GAME
    before = sim.play
    sim.wait(60)
    assert sim.play is before
    assert sim.press("undo").game.question is None
    sim.wait(NORMAL.source)
    assert sim.play is before, "it is shown from the start again"
    assert len(sim.wait(NORMAL.line + 0.1).play.moves) == 1


def test_stopping_the_game_closes_open_requests() -> None:
    sim = shown(begin_with("calm", "calm")).press("undo", "ok", after=1.0)
    assert sim.table.stage is Stage.CHOOSING
    assert sim.table.opponents.requests == ()
    assert sim.table.game is None


# --- Failures ---


def lost(sim: Simulator) -> Simulator:
    """Wait until the open request has timed out."""
    (asked,) = sim.table.opponents.requests
    while sim.table.opponents.requests == (asked,):
        sim.wait(1.0)
    return sim


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_request_without_a_reply_is_repeated_once_and_then_greedy_stands_in(attempt: int) -> None:
    """A reply on the next turn, to whichever attempt, ends that."""
    sim = begin_with("strong", "")
    first = sim.table.opponents.requests[0]
    assert sim.now + PATIENCE < lost(sim).now
    second = sim.table.opponents.requests[0]
    assert (second.opponent, second.attempt) == ("strong", 2)
    assert second.number > first.number
    sim.reply(BotReply(second.number, None, sim.now))
    third = sim.table.opponents.requests[0]
    assert third.opponent == "greedy"
    sim.reply(BotReply(third.number, play_greedy(sim.play.state, lambda _: 0), sim.now)).wait(9)
    assert len(sim.play.moves) == 1
    assert snapshot(sim.table, BOX)["seats"][0]["stand_in"]["why"] == "lost"
    sim.press("display.5", "display.4", "seat.2.floor")
    assert sim.table.opponents.requests[0].opponent == "strong", "it chooses again on its next turn"
    if attempt == 2:
        sim.reply(BotReply(sim.table.opponents.requests[0].number, None, sim.now))
    assert sim.table.opponents.requests[0].attempt == attempt
    reply_to_all(sim.wait(3), random_choice(1))
    assert snapshot(sim.table, BOX)["seats"][0]["stand_in"] is None


@pytest.mark.parametrize("wrong", [Draft(0, 0, 1), Tile(0, 1, 1), None])  # type: ignore[arg-type]
def test_an_illegal_choice_counts_as_no_reply(wrong: Choice | None) -> None:
    sim = begin_with("strong", "")
    sim.reply(BotReply(sim.table.opponents.requests[0].number, wrong, sim.now))
    assert sim.game.bot_choices == ()
    assert sim.table.opponents.requests[0].attempt == 2


def test_greedy_stands_in_to_the_end_of_the_game_for_a_program_that_fails() -> None:
    sim = with_program()
    number = sim.table.opponents.requests[0].number
    assert sim.table.opponents.requests[0].opponent == "fast"
    sim.reply(BotReply(number, None, sim.now, "illegal", "it wrote 'x'"))
    shown_json = snapshot(sim.table, BOX)["seats"][0]["stand_in"]
    assert shown_json == {"why": "illegal", "detail": "it wrote 'x'", "by": "greedy", "for_good": True}
    assert sim.table.opponents.requests[0].opponent == "greedy"
    play_until(sim, random_choice(1), lambda sim: len(sim.play.moves) > 4, Random(1))
    assert snapshot(sim.table, BOX)["seats"][0]["stand_in"] == shown_json
    again = from_saved_table(to_saved_table(sim.table), sim.play, sim.table, sim.now)
    assert again.opponents.stand_ins == sim.table.opponents.stand_ins


def test_a_program_that_failed_plays_again_in_a_new_game() -> None:
    sim = with_program()
    sim.reply(BotReply(sim.table.opponents.requests[0].number, None, sim.now, "illegal", "it wrote 'x'"))
    sim.press("undo", "ok", "seat.1.floor", after=1.0)
    assert [request.opponent for request in sim.table.opponents.requests] == ["fast"]
    assert snapshot(sim.table, BOX)["seats"][0]["stand_in"] is None


def test_the_timeout_of_a_program_includes_the_time_of_its_whole_game() -> None:
    sim = with_program()
    requests = sim.table.opponents.requests
    assert (
        sim.wait(PROGRAM_PATIENCE + OpponentSettings().program_seconds - 1).table.opponents.requests
        == requests
    )
    assert sim.wait(2).table.opponents.requests[0].opponent == "greedy"


def test_the_timeout_of_simultaneous_requests_is_the_sum_of_their_thinking_times() -> None:
    """One process thinks for all, one after another."""
    sim = begin_with("calm", "calm", "calm", mode="gray")
    sim.table = with_settings(sim.table, opponents=OpponentSettings(think_seconds=10.0))
    play_until(sim, random_choice(1), lambda sim: len(sim.table.opponents.requests) > 1)
    requests = sim.table.opponents.requests
    since = max(request.since for request in requests)
    sim.now = since
    assert sim.wait(PATIENCE + 10.0 * len(requests) - 1).table.opponents.requests == requests
    assert sim.wait(2).table.opponents.requests != requests


def test_a_quick_reply_is_shown_after_a_pause() -> None:
    sim = begin_with("", "calm")
    sim.press("display.1", "seat.1.line.5")
    reply_to_all(sim, random_choice(1)).wait(NORMAL.before - 0.1)
    assert prompt(sim.table).key == "bot_thinks"
    assert prompt(sim.wait(0.2).table).key == "bot_takes"


def with_program() -> Simulator:
    sim = seated_alone()
    sim.table = with_settings(sim.table, opponents=OpponentSettings(programs=("fast",)))
    return sim.press("seat.2.floor", "seat.1.floor", "seat.1.line.5", "ok", "seat.1.floor")


# --- Gray walls and physical tiles ---


def test_on_gray_walls_opponents_and_people_choose_at_the_same_time() -> None:
    sim = begin_with("calm", "", "greedy", mode="gray", seed=4)

    def all_choose(sim: Simulator) -> bool:
        return sim.table.stage is Stage.CHOICE and {each.seat for each in sim.table.opponents.requests} == {
            0,
            2,
        }

    play_until(sim, random_choice(5), all_choose, Random(5))
    people = [button for button in live_buttons(sim.table) if button.startswith("seat.")]
    assert people
    assert {button[:6] for button in people} == {"seat.2"}
    late, other = sim.table.opponents.requests
    sim.press(people[0])
    assert {late.number, other.number} <= {each.number for each in sim.table.opponents.requests}, (
        "boards are independent"
    )
    sim.reply(reply_to(sim.table, other, random_choice(1), sim.now))
    (chosen,) = sim.game.bot_choices
    assert isinstance(chosen.choice, Tile)
    sim.wait(NORMAL.before + 0.1)
    wall = f"seat.3.wall.{chosen.choice.row}.{chosen.choice.column}"
    assert sim.rhythm(wall) == "fast"
    sim.wait(9)
    assert chosen.choice in sim.play.events


def test_with_physical_tiles_people_move_an_opponents_tiles_and_press_ok() -> None:
    sim = begin_with("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        sim.report_letter(letter)
    reply_to_all(sim, random_choice(1)).wait(30)
    assert len(sim.play.moves) == 1
    (move,) = sim.play.moves
    asked = prompt(sim.table)
    assert asked.key == "move_for_bot"
    assert asked.values["seat"] == 1
    assert (asked.values["source"], asked.values["line"]) == (move.draft.source, move.draft.line)
    reply_to_all(sim, random_choice(1)).wait(60)
    assert len(sim.play.moves) == 1, "the next one waits until they are moved"
    sim.press("ok").wait(1.0)
    assert prompt(sim.table).key in ("bot_takes", "bot_puts")


def test_with_physical_tiles_playing_on_confirms_that_an_opponents_tiles_were_moved() -> None:
    sim = begin_with("calm", "", resin=True)
    for letter in "byrkw" * 4:
        sim.report_letter(letter)
    reply_to_all(sim, random_choice(1)).wait(30)
    assert prompt(sim.table).key == "move_for_bot"
    source = next(source for source in range(1, 6) if any(sim.play.state.sources[source]))
    sim.press(f"display.{source}")
    assert prompt(sim.table).key == "place"
    assert sim.refused("ok") == "nothing_to_confirm"


def test_with_physical_tiles_people_move_an_opponents_last_tiles_of_a_round_before_scoring() -> None:
    sim = begin_with("calm", "calm", resin=True)
    for letter in "byrkw" * 4:
        sim.report_letter(letter)
    while sim.table.stage is not Stage.SCORING:
        reply_to_all(sim.press("ok"), random_choice(1)).wait(10)
    assert prompt(sim.table).key == "move_for_bot"
    spaces = [
        *(f"line.{line}.{at}" for line in range(1, 6) for at in range(1, line + 1)),
        "floor.1",
        "floor.7",
    ]
    place = sim.play.places[sim.play.moves[-1].seat]
    sim.wait(30)
    assert "slow" in [sim.rhythm(f"seat.{place}.{space}") for space in spaces], "until they are moved"
    sim.press("ok")
    assert prompt(sim.table).key == "scoring_begins"
    sim.press("ok")
    assert prompt(sim.table).key == "scoring"


# --- Whole games ---


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "players"), some(MIXTURES), ids=str)
def test_whole_games_of_people_and_opponents_end(mode: str, players: tuple[str, ...]) -> None:
    def greedy(state: State, seat: int) -> Event:
        return play_greedy(state.for_seat(seat), Random(1).randrange)

    sim = play_until(begin_with(*players, mode=mode), greedy, over, Random(2))
    play = sim.play
    assert resume(play.setup, play.places, play.events).state == play.state
    if mode != "gray":  # a record lists those in seat order
        assert record.write(play.setup, list(play.events))


# --- Presses and replies in any order ---

doings = st.lists(
    st.tuples(
        st.sampled_from(
            ["press", "press", "answer", "answer", "late", "double", "fail", "wait", "undo", "ok", "hint"]
        ),
        st.integers(0, 99),
        st.sampled_from([0.0, 0.05, 0.3, 1.1, 2.5, 40.0]),
    ),
    min_size=10,
    max_size=40,
)


@given(st.sampled_from(MIXTURES), st.integers(0, 9), doings, st.sampled_from([0, 8, 30]))
def test_presses_and_replies_in_any_order_break_no_rule_and_lose_no_event(
    mixture: tuple[str, tuple[str, ...]], seed: int, doing: list[tuple[str, int, float]], events: int
) -> None:
    """Replies may be late, lost, repeated or wrong; the game stays equal to the replay of its events."""
    mode, players = mixture
    sim = begin_with(*players, mode=mode, seed=seed)
    think = random_choice(seed)
    play_until(sim, think, lambda sim: len(sim.play.events) >= events or over(sim), Random(seed))
    answers: list[BotReply] = []
    for action, pick, seconds in doing:
        before = sim.table
        step(sim, think, answers, action, pick)
        check(sim, before, action)
        sim.wait(seconds)
        check_waiting(sim)
    if (play := sim.table.play) is not None:
        assert resume(play.setup, play.places, play.events) == play


def step(sim: Simulator, think: Think, answers: list[BotReply], action: str, pick: int) -> None:
    asked = sim.table.opponents.requests
    live = [button for button in BUTTONS if button in live_buttons(sim.table)]
    match action:
        case "press":
            sim.press(live[pick % len(live)] if live and pick % 3 else BUTTONS[pick % len(BUTTONS)])
        case "undo" | "ok":
            sim.press(action)
        case "answer" if asked:
            answers.append(reply_to(sim.table, asked[pick % len(asked)], think, sim.now))
            sim.reply(answers[-1])
        case "late" if asked:
            answers.append(reply_to(sim.table, asked[pick % len(asked)], think, sim.now))
        case "double" | "late" if answers:
            sim.reply(answers[pick % len(answers)])
        case "hint":
            sim.press(*("undo", "ok")[:: 1 - 2 * (pick % 2)], after=0.1)
            for question in sim.hint_requests[:pick]:
                sim.reply(reply_to(sim.table, question, think, sim.now))
        case "fail" if asked:
            sim.reply(BotReply(asked[pick % len(asked)].number, None, sim.now))


def check(sim: Simulator, before: Table, action: str) -> None:
    play = sim.table.play
    if play is None:
        return
    assert all_tiles(play.state) == ALL_TILES
    if action not in ("undo", "press", "ok", "hint") and before.play is not None:
        assert play.events[: len(before.play.events)] == before.play.events, "only people undo"


def check_waiting(sim: Simulator) -> None:
    """Check that the table waits for a person, or for an opponent with a request or a choice on show."""
    table = update(sim.table, Tick(sim.now))
    shown_json = snapshot(table, BOX)
    assert shown_json["ask"]["say"] == prompt(table).key
    if prompt(table).key.startswith("bot_"):
        assert table.opponents.requests or game_of(table).bot_choices, "an opponent is to choose"
    numbers = [each.number for each in table.opponents.requests]
    assert len(set(numbers)) == len(numbers)
    assert all(number <= table.opponents.last_number for number in numbers)
    kept = to_saved_table(table)
    again = from_saved_table(kept, table.play, table, sim.now)
    assert again.play == table.play
    if table.bots_turn:
        assert kept.selection is None, "an opponent chooses again after a power cut"
