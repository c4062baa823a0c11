"""The process of the bots: it answers without being waited for, and ends with its parent."""

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

from device.bots.bot_process import Answer, BotProcess, Question
from device.bots.search import Grade, Hint
from device.bots.simple import play_greedy
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
def bots(answers: SimpleQueue[Answer]) -> Iterator[BotProcess]:
    bots = BotProcess(answers.put)
    yield bots
    bots.close()


def test_choices_hints_and_grades_are_answered(bots: BotProcess, answers: SimpleQueue[Answer]) -> None:
    state = dealt()
    event = state.legal()[-1]
    bots.ask(Question(1, "choose", "strong", state, 0.02))
    bots.ask(Question(2, "hint", "strong", state, 0.02))
    bots.ask(Question(3, "grade", "master", state, 0.02, event))
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
def test_a_preparation_has_no_result(bots: BotProcess, answers: SimpleQueue[Answer], chosen: Setup) -> None:
    bots.ask(Question(1, "prepare", "master", game.setup(chosen), 0.0))
    bots.ask(Question(2, "prepare", "greedy", game.setup(chosen), 0.0))
    assert [answers.get(timeout=PATIENCE) for _ in range(2)] == [Answer(1, None), Answer(2, None)]


@pytest.mark.parametrize("politeness", [0, 7])
def test_the_process_has_a_session_of_its_own_and_the_given_niceness(
    politeness: int, answers: SimpleQueue[Answer]
) -> None:
    """In the table's session its lights waited longer; with a niceness it missed deadlines."""
    bots = BotProcess(answers.put, politeness)
    before = set(children(os.getpid()))
    bots.ask(Question(1, "prepare", "strong", dealt(), 0.0))
    answers.get(timeout=PATIENCE)
    (process,) = set(children(os.getpid())) - before
    assert os.getsid(process) == process
    assert os.getpriority(os.PRIO_PROCESS, process) == min(19, os.nice(0) + politeness)
    bots.close()


def test_the_process_can_be_started_before_the_first_question(
    bots: BotProcess, answers: SimpleQueue[Answer]
) -> None:
    before = set(children(os.getpid()))
    bots.start()
    started = set(children(os.getpid())) - before
    assert len(started) == 1
    bots.start()
    bots.ask(Question(1, "choose", "strong", dealt(), 0.02))
    assert answers.get(timeout=PATIENCE).result in dealt().legal()
    assert set(children(os.getpid())) - before == started


def test_asking_does_not_wait(bots: BotProcess, answers: SimpleQueue[Answer]) -> None:
    bots.ask(Question(1, "choose", "strong", dealt(), 0.01))
    answers.get(timeout=PATIENCE)
    start = time.perf_counter()
    bots.ask(Question(2, "choose", "master", dealt(), 10 * PATIENCE))
    bots.close()
    assert time.perf_counter() - start < 30
    with pytest.raises(Empty):
        answers.get(timeout=0.2)


def test_an_exception_is_reported_and_the_next_question_is_answered(
    bots: BotProcess, answers: SimpleQueue[Answer]
) -> None:
    bots.ask(Question(1, "choose", "nobody", dealt(), 0.01))
    answer = answers.get(timeout=PATIENCE)
    assert answer.result is None
    assert answer.error == "KeyError: 'nobody'"
    bots.ask(Question(2, "choose", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result in dealt().legal()


def test_a_killed_process_is_reported_and_restarted(bots: BotProcess, answers: SimpleQueue[Answer]) -> None:
    bots.ask(Question(1, "choose", "master", dealt(), 10 * PATIENCE))
    assert bots.pid is not None
    os.kill(bots.pid, signal.SIGKILL)
    assert answers.get(timeout=PATIENCE) == Answer(1, None, "the worker process ended")
    bots.ask(Question(2, "choose", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result is not None


PARENT = """
from queue import SimpleQueue
from random import Random
from device.bots.simple import play_greedy
from device.bots.bot_process import Question, BotProcess
from device.rules import game
from device.rules.game import Setup
state = game.setup(Setup("standard", ("a", "b")))
state = state.apply(state.chance(Random(1).randrange))
answers = SimpleQueue()
bots = BotProcess(answers.put)
bots.ask(Question(1, "choose", "strong", state, 0.01))
answers.get()
bots.ask(Question(2, "choose", "master", state, 600.0))
print(bots.pid, flush=True)
answers.get()
"""


def test_the_process_ends_with_its_parent_during_a_search() -> None:
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
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_cancelled_question_makes_way_for_the_next(bots: BotProcess, answers: SimpleQueue[Answer]) -> None:
    """During its search, and while it waits behind another; neither is answered."""
    bots.ask(Question(1, "choose", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).number == 1
    bots.ask(Question(2, "choose", "master", dealt(), 10 * PATIENCE))
    bots.ask(Question(3, "choose", "master", dealt(), 10 * PATIENCE))
    bots.ask(Question(4, "choose", "strong", dealt(), 0.01))
    bots.cancel(3)
    bots.cancel(2)
    assert answers.get(timeout=PATIENCE).number == 4
    assert answers.empty()


@pytest.mark.parametrize("name", ["random", "calm", "greedy", "strong", "master"])
def test_g3_a_column_is_chosen_for_the_given_seat(
    name: str, bots: BotProcess, answers: SimpleQueue[Answer]
) -> None:
    """G3: not only for the first of them."""
    state = game.setup(Setup("gray", ("a", "b")))
    below = Random(3).randrange
    while len(state.to_act()) < 2 or state.chance_due:
        due = state.chance_due
        state = state.apply(state.chance(below) if due else play_greedy(state, below))
    for seat in (1, 0):
        bots.ask(Question(seat, "choose", name, state, 0.05, seat=seat))
        chosen = answers.get(timeout=PATIENCE).result
        assert isinstance(chosen, Tile)
        assert chosen.seat == seat
        assert chosen in state.legal()


def test_a_process_that_can_not_be_started_is_reported_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, bots: BotProcess, answers: SimpleQueue[Answer]
) -> None:
    """For example if memory is short: the table must play on."""
    with monkeypatch.context() as short:
        short.setattr(sys, "executable", "/nowhere/python")
        bots.ask(Question(1, "choose", "strong", dealt(), 0.01))
        answer = answers.get(timeout=PATIENCE)
        assert answer == Answer(1, None, "the worker process can't be started: No such file or directory")
    bots.ask(Question(2, "choose", "strong", dealt(), 0.01))
    assert answers.get(timeout=PATIENCE).result is not None


def test_every_question_to_a_process_that_ends_at_once_is_answered(
    monkeypatch: pytest.MonkeyPatch, answers: SimpleQueue[Answer]
) -> None:
    """The reader had listed the open questions before this one was added: it was never answered."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    bots = BotProcess(answers.put)
    for number in range(20):
        bots.ask(Question(number, "choose", "strong", dealt(), 0.01))
        answer = answers.get(timeout=PATIENCE)
        assert (answer.number, answer.result) == (number, None)
    bots.close()
    assert answers.empty()


def test_asking_does_not_wait_for_a_process_that_hangs(
    bots: BotProcess, answers: SimpleQueue[Answer]
) -> None:
    """Its pipe filled up, and blocked the table's loop."""
    bots.ask(Question(0, "choose", "strong", dealt(), 0.01))
    answers.get(timeout=PATIENCE)
    assert bots.pid is not None
    os.kill(bots.pid, signal.SIGSTOP)
    for number in range(1, 500):
        bots.ask(Question(number, "choose", "master", dealt(), 60.0))
        bots.cancel(number)
    bots.ask(Question(500, "choose", "strong", dealt(), 0.01))
    os.kill(bots.pid, signal.SIGCONT)
    assert answers.get(timeout=PATIENCE).number == 500
    assert answers.empty()


@pytest.mark.parametrize("said", [b"", b"\x64\0", b"\x64\0\0\0half a question", b"\x04\0\0\0what"])
def test_the_process_ends_when_its_input_ends_or_is_unreadable(said: bytes) -> None:
    """Half a question or an unreadable one left a process running for ever."""
    code = "from device.bots.workers import main; main()"
    process = subprocess.Popen([sys.executable, "-P", "-c", code], stdin=subprocess.PIPE)
    try:
        process.communicate(said, timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0
