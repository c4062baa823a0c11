"""Hanging child processes: nothing waits for them, and they are replaced."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.runtime.bot_service import BotService
from device.runtime.settings import Settings
from device.table.state import BotReply, HintRequested, OpponentSettings, TableSettings, Tick, new_table
from device.table.update import update
from tests.harness.running import RunningTable, children, command_line, is_running
from tests.harness.waiting import DEADLINE, until
from tests.table.opponents import begin_with
from tests.table.simulator import MODE_BUTTONS, Simulator, game_of

pytestmark = pytest.mark.system


@pytest.fixture
def stopped() -> Iterator[list[int]]:
    """Return a list for stopped processes, which are continued when the test ends."""
    processes: list[int] = []
    yield processes
    for process in processes:
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            continue


def stop_new(stopped: list[int], parent: int, known: set[int]) -> None:
    """Stop the process that a parent has started.

    Only once its own program runs in it: until then its parent waits for it (vfork).
    """
    (process,) = until(lambda: set(children(parent)) - known, "a process")
    until(lambda: command_line(process) not in ("", command_line(parent)), "its program")
    os.kill(process, signal.SIGSTOP)
    stopped.append(process)


def test_a_hint_comes_although_the_first_process_hangs(tmp_path: Path, stopped: list[int]) -> None:
    """The process was asked twice, but never replaced."""
    answers: SimpleQueue[BotReply] = SimpleQueue()
    known = set(children(os.getpid()))
    sim = begin_with("", "")
    asking = update(sim.table, HintRequested(None, sim.now))
    thinking = BotService(Settings(), tmp_path, answers.put, clock=lambda: sim.now)
    thinking.observe(asking)
    stop_new(stopped, os.getpid(), known)
    asking = update(asking, Tick(sim.now + 100))
    thinking.observe(asking)
    while (answer := answers.get(timeout=DEADLINE)).number != 2:
        continue  # it may have answered before it was stopped
    assert game_of(update(asking, answer)).hints
    thinking.close()


def test_the_loop_does_not_wait_for_a_hanging_process(tmp_path: Path, stopped: list[int]) -> None:
    """Requests that were cancelled filled its pipe, and the loop blocked."""
    with RunningTable(tmp_path / "data") as table, table.ready().client() as client:
        known = {table.pages()}
        client.take("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
        client.send({"type": "hint"})
        assert client.answer()["taken"]
        stop_new(stopped, table.process.pid, known)
        for _ in range(150):
            client.take("display.1", "seat.1.floor")
            client.send({"type": "hint"})
            assert client.answer()["taken"]
            client.take("undo")
        assert client.press("display.2")["taken"]


def test_the_loop_does_not_wait_for_the_end_of_a_hanging_program(tmp_path: Path, stopped: list[int]) -> None:
    """The loop waited for its end: some frames each time, ten seconds if it hung."""
    sim = Simulator(new_table(TableSettings(2, 5, opponents=OpponentSettings(programs=("slow",)))))
    sim.press("seat.1.floor", "seat.2.floor", "seat.1.line.5", "ok", MODE_BUTTONS["dtc"], "seat.1.floor")
    answers: SimpleQueue[BotReply] = SimpleQueue()
    command = (sys.executable, "-c", "input()")
    known = set(children(os.getpid()))
    thinking = BotService(Settings(programs={"slow": command}), tmp_path, answers.put, lambda: sim.now)
    thinking.observe(sim.table)

    def started() -> int:
        """Return the supervisor process of the program, once both run."""
        return next(filter(children, set(children(os.getpid())) - known), 0)

    supervisor = until(started, "a program and its supervisor process")
    os.kill(supervisor, signal.SIGSTOP)
    stopped.append(supervisor)
    thinking.observe(sim.press("undo", "ok", after=1.0).table)
    assert is_running(supervisor), "the loop waited for it"
    thinking.close()
    assert not is_running(supervisor)
