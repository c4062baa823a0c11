"""Reviews of games: the loss of each choice, and the command."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from device.bots.search import MASTER, GradingError, Searcher, grade_all
from device.bots.workers import InlineExecutor
from device.commands.review import command, in_words
from device.records.record import Record, write
from device.records.review import COSTLIEST, Choice, Graded, real_choices, reviews
from device.rules import game
from device.rules.events import Draft, Event, Tile
from device.rules.game import Setup, State
from device.rules.notation import event_of, text_of
from device.rules.solo.game import SoloState, preview
from device.rules.solo.penalty_row import ACTION
from tests.bots.test_search import Ticks
from tests.harness.running import children
from tests.harness.sampling import some
from tests.harness.stored_games import SOLO_GRAY, greedy_game
from tests.harness.waiting import DEADLINE, until
from tests.records.recorded import GOLDEN, lines_of, records
from tests.rules.positions import after, board, offer

BLUNDER = 8
"""Points that good play never loses, however short the search."""
TWO = Setup("standard", ("Ana", "Rui"))
COMMAND = Path(sys.executable).with_name("azul-table")


@cache
def two_rounds(seat_to_blunder: int) -> tuple[tuple[Event, ...], int]:
    """Return two rounds of good play with one bad draft in the second, and its number among the events."""
    chance = Random(4)
    searcher = Searcher(MASTER, Ticks())
    state: State = game.setup(TWO)
    events: list[Event] = []
    blunder = -1
    while state.round < 2 or not state.chance_due:
        if state.chance_due:
            event: Event = state.chance(chance.randrange)
        elif (
            state.round == 2
            and blunder < 0
            and state.to_act() == (seat_to_blunder,)
            and taken(state, worst(state)) > 2
            and searcher.grade(state, worst(state), 5.0).lost > BLUNDER
        ):
            event, blunder = worst(state), len(events)
        else:
            event = searcher.choose(state, 5.0)
        events.append(event)
        state = state.apply(event)
    return tuple(events), blunder


def worst(state: State) -> Event:
    """Return the draft of the most tiles to the floor."""
    floor = [event for event in state.legal() if isinstance(event, Draft) and not event.line]
    return max(floor, key=lambda event: taken(state, event))


def taken(state: State, event: Event) -> int:
    assert isinstance(event, Draft)
    return state.sources[event.source][event.colour]


def graded(chosen: Setup, events: Sequence[Event]) -> list[Graded]:
    """Grade all choices by a clock that is independent of the machine."""
    searcher = Searcher(MASTER, Ticks())
    choices = list(real_choices(chosen, events))
    grades = [searcher.grade(choice.state, choice.representative, 5.0) for choice in choices]
    return [Graded(choice, grade.lost, grade.best) for choice, grade in zip(choices, grades, strict=True)]


# --- Grades ----------------------------------------------------------------------------------------------


def lost(state: State, text: str) -> tuple[float, str]:
    choice = Choice(0, 0, state, event_of(text))
    ((_, grade),) = grade_all([(state, choice.representative)], 0.2, InlineExecutor(), 1)
    return grade.lost, text_of(grade.best)


@pytest.mark.system
def test_the_best_draft_loses_nothing_and_a_bad_one_does() -> None:
    """The last tile of the offer fills a line, or is dropped for points."""
    state = offer(
        {1: "b"}, board({5: "bbbb"}, wall=("b....", ".b...", "..b..", "...b.", "....."), score=9), board()
    )
    assert lost(state, "1b5") == (0.0, "1b5")
    points, best = lost(state, "1bf")
    assert points > 2
    assert best == "1b5"


@pytest.mark.system
def test_a_draft_from_the_second_of_two_equal_displays_is_graded() -> None:
    """The search omits equal displays, so the draft was not found."""
    state = offer({1: "bbbb", 2: "yykw", 3: "rrkk", 4: "bbbb"}, board(score=20), board(score=20))
    assert lost(state, "4bf")[0] > lost(state, "4b4")[0]


def columns(*wall: str, lines: dict[int, str]) -> dict[int, float]:
    """Return the loss of each column of a gray wall for the topmost full line."""
    full = board(lines, (*wall, *["....."] * (5 - len(wall))), score=20)
    state = after(offer({1: "w"}, full, board(), mode="gray"), "1wf")
    tiles = [event for event in state.legal() if isinstance(event, Tile) and event.seat == 0]
    found = dict(grade_all([(state, tile) for tile in tiles], 0.02, InlineExecutor(), 1))
    return {tile.column: round(found[at].lost, 6) for at, tile in enumerate(tiles)}


@pytest.mark.system
def test_a_column_and_its_mirror_image_lose_the_same() -> None:
    """A first tile in column 5 lost 30 points against column 1."""
    assert columns(lines={1: "k", 3: "bbb"}) == dict.fromkeys(range(1, 6), 0.0)
    left, right = columns("b...r", lines={2: "kk"}), columns("r...b", lines={2: "kk"})
    assert left == {6 - column: lost for column, lost in right.items()}


@pytest.mark.system
def test_a_column_that_scores_less_loses_the_difference() -> None:
    found = columns("by...", "yb...", lines={3: "rrr"})
    assert found[1] == found[2] == 0
    assert all(2 <= found[column] < 4 for column in (3, 4, 5))


@pytest.mark.slow
def test_a_grade_never_recommends_a_choice_that_loses_at_once() -> None:
    """It did where the game would have ended far below zero otherwise."""
    for seed in some(range(12)):
        play = greedy_game(SOLO_GRAY, seed)
        choices = [each for each in real_choices(SOLO_GRAY, play.events) if has_full_penalty_row(each)]
        assert choices
        for choice in choices[:1] + choices[-1:]:
            best = Searcher(MASTER, Ticks()).grade(choice.state, choice.event, 0.05).best
            assert isinstance(best, Draft)
            assert isinstance(choice.state, SoloState)
            assert best == choice.event or not preview(choice.state, best).loses


def has_full_penalty_row(choice: Choice) -> bool:
    return isinstance(choice.event, Draft) and len(choice.state.boards[ACTION].floor) == 7


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_a_blunder_is_the_costliest_choice(seat: int) -> None:
    events, blunder = two_rounds(seat)
    found = reviews(graded(TWO, events), 2)
    costliest = found[seat].costliest
    assert len(costliest) <= COSTLIEST
    assert costliest[0].choice.number == blunder
    assert costliest[0].lost > 3
    assert costliest[0].better.event != events[blunder]
    assert sum(each.choices for each in found) == len(list(real_choices(TWO, events)))


@pytest.mark.system
def test_an_illegal_choice_raises_a_grading_error() -> None:
    state = offer({1: "bbbb"}, board(), board())
    with pytest.raises(GradingError, match="Error"):
        list(grade_all([(state, event_of("2y1"))], 0.02, InlineExecutor(), 1))


# --- The command -----------------------------------------------------------------------------------------


class Run:
    """A run of the command: exit status and output."""

    def __init__(self, *arguments: str, given: bytes = b"") -> None:
        ran = subprocess.run([COMMAND, "review", *arguments], input=given, capture_output=True, check=False)
        self.status, self.out, self.err = ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.mark.system
def test_review_prints_the_blunder(tmp_path: Path) -> None:
    events, _ = two_rounds(0)
    (tmp_path / "round.jsonl").write_bytes(write(TWO, events, stopped=True))
    ran = Run(str(tmp_path / "round.jsonl"), "--seconds", "0.3")
    assert (ran.status, ran.err) == (0, "")
    head, ana, rui = ran.out.split("\n\n")
    assert head.startswith("game 1 (line 1): standard, 2 rounds: Ana ")
    first, played, better = ana.splitlines()[:3]
    assert first.startswith("Ana: ")
    assert "lost" in first
    assert ", round 2: " in played
    assert " to the floor (" in played
    assert better.strip().startswith("better: ")
    assert rui.startswith("Rui: ")


@pytest.mark.system
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_mode_is_reviewed(path: Path) -> None:
    record = records(lines_of(path.stem))[0]
    head = list(real_choices(record.setup, record.events))[:6]
    found = dict(
        grade_all([(choice.state, choice.representative) for choice in head], 0.02, InlineExecutor(), 1)
    )
    made = [Graded(choice, 1 + found[at].lost, found[at].best) for at, choice in enumerate(head)]
    data = in_words(record, made)
    for name in record.setup.players:
        assert f"\n{name}: " in data
    assert data.count("better: ") == min(6, sum(min(3, each.choices) for each in reviews(made, 4)))


def test_every_kind_of_choice_is_described() -> None:
    """All kinds of choices in the golden games."""
    kinds = set()
    for path in GOLDEN:
        for record in records(lines_of(path.stem)):
            for choice in real_choices(record.setup, record.events):
                data = in_words(record, [Graded(choice, 2.0, choice.event)])
                assert f"2 points, round {choice.state.round}: " in data
                assert f"({text_of(choice.event)})" in data
                kinds.add(type(choice.event).__name__)
    assert kinds == {"Draft", "Tile", "Scoring", "Swap", "Remove"}


@pytest.mark.system
def test_review_reads_standard_input_and_prints_json() -> None:
    events, blunder = two_rounds(0)
    ran = Run("-", "--json", "--seconds", "0.3", given=write(TWO, events, stopped=True))
    data = json.loads(ran.out)
    assert (data["game"], data["line"], data["mode"]) == (1, 1, "standard")
    assert [player["name"] for player in data["players"]] == ["Ana", "Rui"]
    worst_of_ana = data["players"][0]["costliest"][0]
    assert worst_of_ana["event"] == blunder
    assert worst_of_ana["lost"] > 3
    assert [each["event"] for each in data["grades"]] == [
        choice.number for choice in real_choices(TWO, events)
    ]


@pytest.mark.system
def test_review_of_one_game_of_several(tmp_path: Path) -> None:
    events, _ = two_rounds(0)
    written = write(TWO, events, stopped=True)
    (tmp_path / "two.jsonl").write_bytes(2 * written)
    ran = Run(str(tmp_path / "two.jsonl"), "--game", "2", "--seconds", "0.02")
    assert ran.out.startswith(f"game 2 (line {len(written.splitlines()) + 1}): ")
    assert ran.out.count("game ") == 1
    beyond = Run(str(tmp_path / "two.jsonl"), "--game", "3")
    assert beyond.status == 1
    assert beyond.err.endswith("two.jsonl: there is no game 3: the file holds 2 games\n")


@pytest.mark.system
@pytest.mark.parametrize(
    "damage", [b"", b"what\n", b'{"record":"azul","version":9}\n', b"".join(lines_of("standard-2")[:40])]
)
def test_review_reports_damage_like_replay(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / "damaged.jsonl").write_bytes(damage)
    ran = Run(str(tmp_path / "damaged.jsonl"))
    replayed = subprocess.run(
        [COMMAND, "replay", tmp_path / "damaged.jsonl"], capture_output=True, text=True, check=False
    )
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == replayed.stderr != ""


@pytest.mark.system
def test_ctrl_c_ends_a_review_with_one_line_on_standard_error(tmp_path: Path) -> None:
    """Each worker process wrote a traceback."""
    events, _ = two_rounds(0)
    (tmp_path / "round.jsonl").write_bytes(write(TWO, events, stopped=True))
    arguments: list[str | Path] = [COMMAND, "review", tmp_path / "round.jsonl", "--seconds", "60"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until(lambda: children(process.pid), "the thinking processes")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out) == (1, "")
    assert re.fullmatch(r"interrupted after \d of \d+ choices\n", err)


def test_a_missing_file_is_reported() -> None:
    ran = CliRunner().invoke(command, ["/nowhere/at/all.jsonl"])
    assert (ran.exit_code, ran.output) == (
        1,
        "/nowhere/at/all.jsonl: can't be read: No such file or directory\n",
    )


def test_names_are_printed_without_control_characters() -> None:
    record = records(lines_of("standard-2"))[0]
    named = Setup("standard", ("\x1b[31mAna", "Rui"))
    odd = Record(1, 1, named, record.events, record.state, record.outcome)
    assert "\x1b" not in in_words(odd, [])
