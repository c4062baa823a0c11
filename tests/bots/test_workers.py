"""Worker processes and executors: results, exceptions, processes that end, and nothing left behind."""

import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from pathlib import Path

import pytest

from device.bots.workers import InlineExecutor, WorkerPool, run_all
from tests.harness.running import children, is_running
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system


def test_results_come_with_the_index_of_their_call() -> None:
    with WorkerPool(2) as pool:
        found = list(run_all(pool, [partial(math.factorial, number) for number in range(10)], 2))
    assert sorted(found) == [(number, math.factorial(number)) for number in range(10)]


@pytest.mark.parametrize("executor", [InlineExecutor(), WorkerPool(1)], ids=["inline", "pool"])
def test_a_future_raises_what_its_call_raised(executor: Executor) -> None:
    with executor:
        futures = [executor.submit(math.sqrt, number) for number in (-1, 4)]
        assert isinstance(futures[0].exception(DEADLINE), ValueError)
        assert futures[1].result(DEADLINE) == 2


RAISE = "from device.bots.dtc.process import BotError; raise BotError('time', 'it was late')"


def test_an_exception_that_can_not_be_pickled_is_described() -> None:
    with WorkerPool(1) as pool, pytest.raises(BrokenExecutor, match="BotError: it was late"):
        pool.submit(exec, RAISE).result(DEADLINE)


def test_a_call_whose_process_is_killed_fails_and_the_next_one_runs() -> None:
    with WorkerPool(1) as pool:
        killed = pool.submit(os.kill, 0, signal.SIGKILL)
        after = pool.submit(math.factorial, 5)
        with pytest.raises(BrokenExecutor, match="the worker process ended"):
            killed.result(DEADLINE)
        assert after.result(DEADLINE) == 120


def test_a_process_that_can_not_be_started_fails_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with WorkerPool(2) as pool:
        for _ in range(3):
            with pytest.raises(BrokenExecutor, match="can't be started: No such file or directory"):
                pool.submit(math.factorial, 5).result(DEADLINE)


def test_leaving_the_block_kills_running_calls_and_cancels_waiting_ones() -> None:
    before = set(children(os.getpid()))
    with WorkerPool(1) as pool:
        running, waiting = pool.submit(time.sleep, 3600), pool.submit(time.sleep, 3600)
        until(lambda: set(children(os.getpid())) - before, "the worker process")
        processes = set(children(os.getpid())) - before
    assert waiting.cancelled()
    assert isinstance(running.exception(DEADLINE), BrokenExecutor)
    assert not any(map(is_running, processes))


def test_what_a_call_prints_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with WorkerPool(1) as pool:
        assert pool.submit(os.system, "echo printed").result(DEADLINE) == 0
    assert capfd.readouterr() == ("", "printed\n")


PARENT = """
import time
from device.bots.workers import WorkerPool
with WorkerPool(2) as pool:
    for _ in range(2):
        pool.submit(time.sleep, 3600)
    print("started", flush=True)
    time.sleep(3600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent(number: signal.Signals) -> None:
    command = [sys.executable, "-c", PARENT]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        workers = children(parent.pid)
        assert len(workers) == 2
        parent.send_signal(number)
        parent.wait(DEADLINE)
    until(lambda: not any(map(is_running, workers)), "the end of the workers")
