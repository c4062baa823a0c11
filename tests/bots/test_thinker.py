"""The thinking process: it answers without being waited for, and never outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random

import pytest

from device.bots.mind import Grade, Hint
from device.bots.simple import play_greedy
from device.bots.thinker import Answer, Question, Thinker
from device.rules import game
from device.rules.events import Draft, Tile
from device.rules.game import Setup, State
from tests.harness.running import children

pytestmark = pytest.mark.system

PATIENCE = 60.0


def dealt() -> State:
    state = game.setup(Setup("standard", ("a", "b")))
    return state.apply(state.chance(Random(1).randrange))


@pytest.fixture
def answers() -> SimpleQueue[Answer]:
    return SimpleQueue()


@pytest.fixture
def thinker(answers: SimpleQueue[Answer]) -> Iterator[Thinker]:
    thinker = Thinker(answers.put)
    yield thinker
    thinker.close()


def test_it_thinks_hints_and_grades(thinker: Thinker, answers: SimpleQueue[Answer]) -> None:
    state = dealt()
    event = state.legal()[-1]
    thinker.ask(Question(1, "think", "strong", state, 0.02))
    thinker.ask(Question(2, "hint", "strong", state, 0.02))
    thinker.ask(Question(3, "grade", "master", state, 0.02, event))
    first, second, third = (answers.get(timeout=PATIENCE) for _ in range(3))
    assert (first.number, second.number, third.number) == (1, 2, 3)
    assert isinstance(first.result, Draft)
    assert first.result in state.legal()
    assert isinstance(second.result, Hint)
    assert isinstance(third.result, Grade)


@pytest.mark.parametrize(
    "chosen",
    [Setup("standard", ("a", "b")), Setup("gray", ("a", "b", "c")), Setup("solo", ("a",), 0, "easy", "gray")],
)
def test_a_game_can_be_prepared_for(thinker: Thinker, answers: SimpleQueue[Answer], chosen: Setup) -> None:
    thinker.ask(Question(1, "prepare", "master", game.setup(chosen), 0.0))
    thinker.ask(Question(2, "prepare", "greedy", game.setup(chosen), 0.0))
    assert [answers.get(timeout=PATIENCE) for _ in range(2)] == [Answer(1, None), Answer(2, None)]


@pytest.mark.parametrize("politeness", [0, 7])
def test_it_queues_for_the_processor_by_itself_and_yields_only_if_told_to(
    politeness: int, answers: SimpleQueue[Answer]
) -> None:
    """In the table's session its lights waited longer, and yielding it was late with what it had found."""
    thinker = Thinker(answers.put, politeness)
    before = set(children(os.getpid()))
    thinker.ask(Question(1, "prepare", "strong", dealt(), 0.0))
    answers.get(timeout=PATIENCE)
    (process,) = set(children(os.getpid())) - before
    assert os.getsid(process) == process
    assert os.getpriority(os.PRIO_PROCESS, process) == min(19, os.nice(0) + politeness)
    thinker.close()


def test_the_process_can_be_started_before_it_is_asked(
    thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    before = set(children(os.getpid()))
    thinker.start()
    started = set(children(os.getpid())) - before
    assert len(started) == 1
    thinker.start()
    thinker.ask(Question(1, "think", "strong", dealt(), 0.02))
    assert answers.get(timeout=PATIENCE).result in dealt().legal()
    assert set(children(os.getpid())) - before == started


def test_asking_does_not_wait(thinker: Thinker, answers: SimpleQueue[Answer]) -> None:
    thinker.ask(Question(1, "think", "strong", dealt(), 0.01))
    answers.get(timeout=PATIENCE)
    start = time.perf_counter()
    thinker.ask(Question(2, "think", "master", dealt(), 10 * PATIENCE))
    thinker.close()
    assert time.perf_counter() - start < 30
    with pytest.raises(Empty):
        answers.get(timeout=0.2)


def test_a_fault_is_told_and_the_next_question_is_answered(
    thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    thinker.ask(Question(1, "think", "nobody", dealt(), 0.01))
    told = answers.get(timeout=PATIENCE)
    assert told.result is None
    assert told.error == "KeyError: 'nobody'"
    thinker.ask(Question(2, "think", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result in dealt().legal()


def test_a_process_that_dies_is_told_and_started_again(
    thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    thinker.ask(Question(1, "think", "master", dealt(), 10 * PATIENCE))
    process = thinker._process
    assert process is not None
    process.kill()
    assert answers.get(timeout=PATIENCE) == Answer(1, None, "the thinking process ended")
    process.wait()
    thinker.ask(Question(2, "think", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result is not None


PARENT = """
from queue import SimpleQueue
from random import Random
from device.bots.simple import play_greedy
from device.bots.thinker import Question, Thinker
from device.rules import game
from device.rules.game import Setup
state = game.setup(Setup("standard", ("a", "b")))
state = state.apply(state.chance(Random(1).randrange))
answers = SimpleQueue()
thinker = Thinker(answers.put)
thinker.ask(Question(1, "think", "strong", state, 0.01))
answers.get()
thinker.ask(Question(2, "think", "master", state, 600.0))
print(thinker._process.pid, flush=True)
answers.get()
"""


def test_it_dies_with_its_parent_in_mid_thought() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + PATIENCE
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    """Whether a process is there and not merely unburied."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_question_that_is_forgotten_makes_way_for_the_next(
    thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    """In mid-search, and while it waits behind another; neither is answered."""
    thinker.ask(Question(1, "think", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).number == 1
    thinker.ask(Question(2, "think", "master", dealt(), 10 * PATIENCE))
    thinker.ask(Question(3, "think", "master", dealt(), 10 * PATIENCE))
    thinker.ask(Question(4, "think", "strong", dealt(), 0.01))
    thinker.forget(3)
    thinker.forget(2)
    assert answers.get(timeout=PATIENCE).number == 4
    assert answers.empty()


@pytest.mark.parametrize("name", ["random", "calm", "greedy", "strong", "master"])
def test_each_seat_is_thought_for_where_several_choose_columns(
    name: str, thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    """G3: not only for the first of them."""
    state = game.setup(Setup("gray", ("a", "b")))
    below = Random(3).randrange
    while len(state.to_act()) < 2 or state.chance_due:
        due = state.chance_due
        state = state.apply(state.chance(below) if due else play_greedy(state, below))
    for seat in (1, 0):
        thinker.ask(Question(seat, "think", name, state, 0.05, seat=seat))
        chosen = answers.get(timeout=PATIENCE).result
        assert isinstance(chosen, Tile)
        assert chosen.seat == seat
        assert chosen in state.legal()


def test_a_process_that_cant_be_started_is_told_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    """Where memory is short, for one: the table plays on, and does not end because nobody thinks."""
    with monkeypatch.context() as short:
        short.setattr(sys, "executable", "/nowhere/python")
        thinker.ask(Question(1, "think", "strong", dealt(), 0.01))
        told = answers.get(timeout=PATIENCE)
        assert told == Answer(1, None, "the thinking process can't be started: No such file or directory")
    thinker.ask(Question(2, "think", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result is not None


def test_a_process_that_ends_before_it_is_asked_loses_no_question(
    monkeypatch: pytest.MonkeyPatch, answers: SimpleQueue[Answer]
) -> None:
    """Its reader had looked for open questions before this one was: it was never told of."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    thinker = Thinker(answers.put)
    for number in range(20):
        thinker.ask(Question(number, "think", "strong", dealt(), 0.01))
        answer = answers.get(timeout=PATIENCE)
        assert (answer.number, answer.result) == (number, None)
    thinker.close()
    assert answers.empty()


def test_asking_does_not_wait_for_a_process_that_hangs(
    thinker: Thinker, answers: SimpleQueue[Answer]
) -> None:
    """Its pipe filled up, and with the table's loop stood everything else."""
    thinker.ask(Question(0, "think", "strong", dealt(), 0.01))
    answers.get(timeout=PATIENCE)
    process = thinker._process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    for number in range(1, 500):
        thinker.ask(Question(number, "think", "master", dealt(), 60.0))
        thinker.forget(number)
    thinker.ask(Question(500, "think", "strong", dealt(), 0.01))
    process.send_signal(signal.SIGCONT)
    assert answers.get(timeout=PATIENCE).number == 500
    assert answers.empty()


@pytest.mark.parametrize("said", [b"", b"\x64\0", b"\x64\0\0\0half a question", b"\x04\0\0\0what"])
def test_it_ends_where_its_questions_end(said: bytes) -> None:
    """Once, half a question or an unreadable one left a process that nobody could ask, for good."""
    code = "from device.bots.thinker import main; main()"
    process = subprocess.Popen([sys.executable, "-P", "-c", code], stdin=subprocess.PIPE)
    try:
        process.communicate(said, timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0
