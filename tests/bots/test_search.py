"""Searching bots: best choices, time limits, strength, and learned weights."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from device.bench.bots import Contender, against, solo
from device.bots.convert import to_position
from device.bots.core import constants, weights
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.evaluation import Evaluation
from device.bots.core.position import Position
from device.bots.search import BOT_NAMES, MASTER, STRONG, Searcher, column_values, make_bot
from device.rules import game
from device.rules.events import Draft, Tile
from device.rules.game import Setup, State
from device.rules.notation import text_of
from device.rules.solo.game import preview
from device.rules.standard import StandardState
from tests.bots.core_check import SETUPS, drafts_of, title
from tests.harness.sampling import some
from tests.rules.positions import after, board, offer
from tests.rules.positions import board as solo_board
from tests.rules.solo_positions import offer as solo_offer

MAX_CALLS = 1500
"""Function calls, of some microseconds each."""


class Ticks:
    """A clock that advances by a millisecond at each read: the machine's speed does not matter."""

    def __init__(self) -> None:
        self.reads = 0

    def __call__(self) -> float:
        self.reads += 1
        return self.reads / 1000


def searcher(strength: str = "master") -> Searcher:
    return Searcher(strength, Ticks())


def random_state(chosen: Setup, seed: int, drafts: int) -> State:
    """Return the state after so many choices of a random game, at which a seat has to act."""
    chance = Random(seed)
    state = game.setup(chosen)
    made = 0
    while made < drafts or state.chance_due:
        if state.over:
            state, made = game.setup(chosen), 0
        elif state.chance_due:
            state = state.apply(state.chance(chance.randrange))
        else:
            state = state.apply(chance.choice(state.legal()))
            made += 1
    return state if not state.over else random_state(chosen, seed + 1, drafts)


# --- Two players -----------------------------------------------------------------------------------------

WIN_BONUS = 600


def left_in_offer(state: StandardState) -> int:
    return sum(number > 0 for tiles in state.sources for number in tiles)


def minimax(search: AlphaBeta, position: Position) -> int:
    """The value of a position by exhaustive search, with the same evaluation at the end of the round."""
    best = -(10**9)
    player = position.turn
    for move in drafts_of(position):
        position.make(move)
        if position.phase == constants.OFFER:
            value = -minimax(search, position)
        else:
            slots = [
                search.evaluation.evaluate(each, position.lines[each], position.floor[each] >> 25)
                for each in (player, 1 - player)
            ]
            rounds_left = min(4, *(search.evaluation.rounds_to_row[slot] for slot in slots))
            if rounds_left:
                own, other = (search.evaluation.expected_values[4 * slot + rounds_left - 1] for slot in slots)
                value = own - other
            else:
                value = search.evaluation.final_values[slots[0]] - search.evaluation.final_values[slots[1]]
                value += (value > 0) * WIN_BONUS - (value < 0) * WIN_BONUS
            starter = position.starter if position.marker < 0 else position.marker
            bonus = search.start_bonus[rounds_left]
            value += bonus if starter == player else -bonus
        position.unmake()
        best = max(best, value)
    return best


def random_positions(chosen: Setup) -> Iterator[StandardState]:
    """Yield the positions of random games before their drafts."""
    for seed in range(1000):
        chance = Random(seed)
        state = game.setup(chosen)
        while not state.over and state.round < 8:
            if state.chance_due:
                state = state.apply(state.chance(chance.randrange))
                continue
            if state.in_offer:
                assert isinstance(state, StandardState)
                yield state
            state = state.apply(chance.choice(state.legal()))


@pytest.mark.parametrize("mode", ["standard", "gray", "dtc"])
def test_alpha_beta_finds_the_minimax_value_at_the_end_of_a_round(mode: str) -> None:
    wanted = (settings().max_examples + 2) // 3
    # Positions by groups of tiles in the offer; one group more costs 15 times as much.
    due = {2: wanted, 3: wanted // 2, 4: wanted // 12}
    search = AlphaBeta(Evaluation(weights.read("standard-2")), Ticks())
    for state in random_positions(Setup(mode, ("a", "b"))):
        if due.get(left_in_offer(state)):
            due[left_in_offer(state)] -= 1
            position = to_position(state)
            move = search.best_move(position, 100.0)
            assert not search.depth_limited
            assert search.value == minimax(search, position)
            assert move in drafts_of(position)
        if not any(due.values()):
            return
    raise AssertionError(f"too few positions: {due} are missing")


def test_a_single_tile_goes_to_line_1() -> None:
    state = offer({1: "b", 2: "y"}, board(), board())
    assert text_of(searcher().choose(state, 1.0)).endswith("1")


# --- All modes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", some(SETUPS), ids=title)
@pytest.mark.parametrize("name", BOT_NAMES)
def test_every_bot_plays_every_mode(chosen: Setup, name: str) -> None:
    bot = make_bot(name)
    chance = Random(4)
    for drafts in some((0, 3, 7, 12)):
        state = random_state(chosen, drafts, drafts)
        for _ in range(2):
            if not isinstance(state.to_act(), tuple) or not state.to_act():
                break
            event = bot(state, chance.randrange, 0.01)
            assert event in state.legal()
            state = state.apply(event)


@pytest.mark.slow
@pytest.mark.parametrize("chosen", SETUPS, ids=title)
def test_hints_and_grades_are_legal_and_consistent(chosen: Setup) -> None:
    asked = searcher()
    for seed in some(range(9), 3):
        state = random_state(chosen, seed, 2 + seed)
        hint = asked.hint(state, 0.06)
        assert hint.event in state.legal()
        if hint.gain is not None:
            assert hint.gain >= 0
            assert hint.next_best in state.legal()
            assert hint.next_best != hint.event
        best = asked.grade(state, hint.event, 0.06)
        assert best.lost >= 0
        assert best.best in state.legal()


def test_a_bad_draft_loses_points() -> None:
    state = offer({1: "bbbb", 2: "yykw", 3: "rrkk"}, board(), board())
    grade = searcher().grade(state, next(each for each in state.legal() if text_of(each) == "1bf"), 0.2)
    assert grade.lost > 3
    assert text_of(grade.best) != "1bf"


def test_all_columns_of_a_gray_wall_are_graded() -> None:
    wall = ("bykr.", *["....."] * 4)
    state = after(offer({1: "k"}, board({2: "rr"}, wall=wall), board(), mode="gray"), "1kf")
    tiles = [each for each in state.legal() if isinstance(each, Tile)]
    assert {tile.column for tile in tiles} == {1, 2, 3, 5}
    hint = searcher().hint(state, 0.05)
    assert hint.gain is not None
    losses = {text_of(tile): searcher().grade(state, tile, 0.05).lost for tile in tiles}
    assert losses[text_of(hint.event)] == 0
    assert max(losses.values()) > 0


def test_a_hint_for_a_column_and_its_grade_agree() -> None:
    """The hint gave column 1 of an empty wall 12 points, by weights learned from other walls."""
    state = after(offer({1: "k"}, board({2: "rr"}), board(), mode="gray"), "1kf")
    hint = searcher().hint(state, 0.05)
    assert hint.gain == 0
    assert isinstance(hint.next_best, Tile)
    assert searcher().grade(state, hint.next_best, 0.05).lost == 0


def test_columns_are_chosen_by_the_rule_of_hints_and_grades() -> None:
    """Choices used learned weights, which value a wall and its mirror image differently."""
    chosen = []
    for wall in ("b..r.", ".r..b"):
        lines = board({1: "y", 2: "rr"}, (wall, *["....."] * 4))
        state = after(offer({1: "k"}, lines, board(), mode="gray"), "1kf")
        event = searcher().choose(state, 0.05)
        assert isinstance(event, Tile)
        assert event == searcher().hint(state, 0.05).event
        assert searcher().grade(state, event, 0.05).lost == 0
        chosen.append(column_values(state, 0)[event])
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("displays", [{5: "bbyr"}, {1: "bbyr", 2: "rrkk"}])
@pytest.mark.parametrize("score", [1, 15, 20])
def test_no_choice_or_hint_loses_a_solo_game_at_once(displays: dict[int, str], score: int) -> None:
    """An eighth penalty tile was valued above a game that would end far below zero."""
    state = solo_offer(displays, solo_board(score=score), solo_board(floor="bbyyrrk"))
    hint = searcher().hint(state, 0.1)
    assert isinstance(hint.next_best, Draft)
    for event in (searcher().choose(state, 0.05), hint.event, hint.next_best):
        assert isinstance(event, Draft)
        assert not preview(state, event).loses


def test_the_only_choice_takes_no_time() -> None:
    clock = Ticks()
    state = offer({1: "k"}, board({2: "b", 3: "b", 4: "b", 5: "b"}, ("...k.", *["....."] * 4)), board())
    assert text_of(Searcher(MASTER, clock).choose(state, 10.0)) == "1kf"
    assert clock.reads == 1


# --- Time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", some(SETUPS), ids=title)
def test_a_search_ends_at_its_deadline(chosen: Setup) -> None:
    clock = Ticks()
    for strength in (STRONG, MASTER):
        asked = Searcher(strength, clock)
        for seed in some(range(9), 4):
            state = random_state(chosen, seed, 1 + seed)
            if len(state.legal()) > 1:
                clock.reads = 0
                asked.choose(state, 0.030)
                assert clock.reads <= 33  # each read is a thousandth of a second


COUNT_CALLS = """
import sys
from device.bots.compiled_core import use_sources
use_sources()
from device.bots.search import MASTER, Searcher
from device.rules import game
from tests.bots.core_check import SETUPS, drafts_of, title
from tests.bots.test_search import random_state

calls = most = now = 0

def read_clock():
    global calls, most, now
    most = max(most, calls)
    calls = 0
    now += 3
    return now / 1000

def called(frame, what, argument):
    global calls
    calls += what == "call"

for chosen in SETUPS:
    searcher = Searcher(MASTER, read_clock)
    for seed, drafts in enumerate((0, 3, 9, 12)):
        state = random_state(chosen, seed, drafts)
        searcher.prepare(state)
        for ask in (
            lambda: searcher.choose(state, 0.05),
            lambda: searcher.hint(state, 0.05),
            lambda: searcher.grade(state, state.legal()[-1], 0.05),
        ):
            calls = 0
            sys.setprofile(called)
            ask()
            sys.setprofile(None)
            read_clock()
    print(title(chosen), most)
    most = 0
"""


@pytest.mark.system
def test_little_work_is_done_between_two_reads_of_the_clock() -> None:
    """So little that Python needs some milliseconds on a slow machine; each step is a call here."""
    printed = subprocess.run(
        [sys.executable, "-c", COUNT_CALLS], capture_output=True, text=True, check=True
    ).stdout
    most = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in printed.splitlines()}
    assert list(most) == [title(chosen) for chosen in SETUPS]
    assert max(most.values()) < MAX_CALLS, most


@pytest.mark.parametrize("chosen", [each for each in SETUPS if each.mode != "solo"], ids=title)
def test_a_search_allows_for_pauses_of_the_machine(chosen: Setup) -> None:
    """Other programs pause it for 20 ms at each read: it ends before a pause makes it late."""
    times = [0.0]

    def clock() -> float:
        times.append(times[-1] + 0.02)
        return times[-1]

    asked = Searcher(MASTER, clock)
    state = random_state(chosen, 1, 2)
    asked.choose(state, 0.5)
    start = times[-1]
    asked.choose(state, 0.5)
    assert 0.3 < times[-1] - start < 0.53


class CancelledClock(Ticks):
    """A clock that jumps ahead, as that of a worker whose call was cancelled."""

    ends = True

    def __call__(self) -> float:
        return super().__call__() + (1e6 if self.ends and self.reads > 20 else 0.0)


@pytest.mark.parametrize("players", [2, 3])
def test_a_cancelled_search_does_not_shorten_the_next_one(players: int) -> None:
    clock = CancelledClock()
    asked = Searcher(MASTER, clock)
    state = random_state(Setup("standard", ("a", "b", "c")[:players]), 1, 0)
    asked.choose(state, 0.2)
    assert clock.reads < 30
    clock.ends, clock.reads = False, 0
    asked.choose(state, 0.2)
    assert clock.reads > 150


# --- Strength: small matches; `azul-table bench bots` plays many more ------------------------------------


@pytest.mark.slow
def test_calm_beats_random_and_loses_to_greedy() -> None:
    calm, greedy, chance = Contender("calm"), Contender("greedy"), Contender("random")
    games = 2 * len(some(range(15)))
    assert against(calm, chance, 2 * games, Ticks(), 1).value > 0.9
    assert against(greedy, calm, games, Ticks(), 1).value > 0.75


@pytest.mark.slow
def test_strong_and_master_beat_greedy() -> None:
    strong, master, greedy = Contender("strong", 0.2), Contender("master", 0.2), Contender("greedy")
    assert against(strong, greedy, 8, Ticks(), 1).value > 0.8
    assert against(master, greedy, 12, Ticks(), 1, mode="gray").value > 0.7


@pytest.mark.slow
def test_master_beats_two_greedy_bots() -> None:
    assert against(Contender("master", 1.0), Contender("greedy"), 6, Ticks(), 1, players=3).value > 0.6


@pytest.mark.slow
def test_master_wins_solo_games() -> None:
    assert solo(Contender("master", 1.0), 3, Ticks(), 2).value > 0.3


# --- Learning, and the two engines -----------------------------------------------------------------------


def test_weights_round_trip_through_their_file(tmp_path: Path) -> None:
    read = weights.read("standard-2")
    weights.write(tmp_path / "weights", "standard-2", read)
    assert weights.read("standard-2", tmp_path / "weights") == read
    assert weights.exists("standard-2")
    assert not weights.exists("standard-5")


def test_the_files_of_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in weights.FOLDER.iterdir()) < 1_000_000


def test_learning_reduces_the_error() -> None:
    from device.bots.core.learner import Learner
    from device.bots.training import initial_weights

    teacher = Learner(Position(2, seed=9), Evaluation(initial_weights()))
    errors = []
    for _ in range(4):
        teacher.squared_error = teacher.samples = 0
        for _ in range(25):
            teacher.play_game(20, 200)
        errors.append(teacher.squared_error / teacher.samples)
    assert errors[-1] < errors[0] * 0.75
