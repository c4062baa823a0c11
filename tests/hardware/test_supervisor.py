"""Supervisor: attempts with backoff, events of loss and return, and classification of exceptions."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import sleep

import pytest

from hardware.api import HardwareEvent, Loss, PartBack, PartError, PartLost
from hardware.drivers.supervisor import (
    FIRST_PAUSE,
    LIBRARY_PAUSE,
    LONGEST_PAUSE,
    STABLE,
    Supervisor,
    loss_of,
)

from .waiting import PATIENCE, Clock, Inbox, until, waiting_in

Attempt = Callable[[Supervisor], None]


class Attempts:
    """A supervisor that makes given attempts, and stops after the last one."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pauses: list[float] = []

    def make(self, *attempts: Attempt) -> list[HardwareEvent]:
        """Make these attempts and return the events."""
        inbox: Inbox = SimpleQueue()
        left = list(attempts)

        def work(supervisor: Supervisor) -> None:
            if left:
                left.pop(0)(supervisor)
            else:
                supervisor.stop()

        supervisor = Supervisor("lights", work, inbox.put, self.clock, self.pauses.append)
        supervisor.start()
        until(lambda: supervisor.stopping)
        supervisor.close()
        return waiting_in(inbox)


@pytest.fixture
def attempts() -> Attempts:
    return Attempts()


def fails(error: Exception) -> Attempt:
    """Return an attempt that can't open the part."""

    def attempt(_supervisor: Supervisor) -> None:
        raise error

    return attempt


def works(attempts: Attempts, seconds: float, error: Exception | None = None) -> Attempt:
    """Return an attempt that works for some seconds and then raises an error, or returns."""

    def attempt(supervisor: Supervisor) -> None:
        supervisor.working()
        attempts.clock.now += seconds
        supervisor.working()
        if error is not None:
            raise error

    return attempt


ABSENT = FileNotFoundError(errno.ENOENT, "no such file")
GONE = OSError(errno.EIO, "gone")


def test_pauses_double_up_to_the_longest(attempts: Attempts) -> None:
    attempts.make(*[fails(ABSENT)] * 6)
    assert attempts.pauses == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, *[LONGEST_PAUSE] * 3]


def test_the_pause_is_short_again_after_the_part_was_stable(attempts: Attempts) -> None:
    attempts.make(*[fails(ABSENT)] * 5, works(attempts, STABLE + 1, GONE), fails(ABSENT))
    assert attempts.pauses[-2:] == [FIRST_PAUSE, 2 * FIRST_PAUSE]


def test_the_pause_stays_long_for_a_part_that_works_only_shortly(attempts: Attempts) -> None:
    attempts.make(*[fails(ABSENT)] * 5, *[works(attempts, STABLE / 2, GONE)] * 3)
    assert attempts.pauses[-3:] == [LONGEST_PAUSE] * 3


def test_a_missing_library_is_tried_again_after_a_long_pause(attempts: Attempts) -> None:
    attempts.make(fails(ImportError("no module")))
    assert attempts.pauses == [LIBRARY_PAUSE]


def test_the_same_loss_is_reported_once_and_another_one_again(attempts: Attempts) -> None:
    events = attempts.make(fails(GONE), fails(ABSENT), fails(ABSENT), works(attempts, 1, ABSENT))
    assert events == [
        PartLost("lights", Loss.UNPLUGGED, "[Errno 5] gone", 100.0),
        PartLost("lights", Loss.ABSENT, "[Errno 2] no such file", 100.0),
        PartBack("lights", 100.0),
        PartLost("lights", Loss.ABSENT, "[Errno 2] no such file", 101.0),
    ]


def test_a_part_that_works_at_once_causes_no_event(attempts: Attempts) -> None:
    def works_twice(supervisor: Supervisor) -> None:
        supervisor.working()
        supervisor.working()

    assert attempts.make(works_twice) == []


def test_work_that_returns_is_called_again_without_a_pause(attempts: Attempts) -> None:
    assert attempts.make(works(attempts, 1), works(attempts, 1)) == []
    assert attempts.pauses == []


def test_an_error_while_it_stops_is_not_reported(attempts: Attempts) -> None:
    def stops(supervisor: Supervisor) -> None:
        supervisor.stop()
        raise GONE

    assert attempts.make(stops) == []


def test_a_wait_ends_when_it_is_woken_up() -> None:
    waits: list[bool] = []

    def work(supervisor: Supervisor) -> None:
        waits.append(True)
        supervisor.wait(PATIENCE)

    supervisor = Supervisor("lights", work, lambda _event: None)
    supervisor.start()
    for number in range(1, 4):
        until(lambda: len(waits) == number)  # noqa: B023
        supervisor.wake()
    supervisor.close()


def test_after_stop_no_wait_waits() -> None:
    """Work that waits once more before it looks at `stopping` must not hold up the end."""
    supervisor = Supervisor("lights", lambda _supervisor: None, lambda _event: None)
    supervisor.stop()

    def wait_twice() -> None:
        supervisor.wait(1e6)
        supervisor.wait(1e6)

    waits = threading.Thread(target=wait_twice, daemon=True)
    waits.start()
    waits.join(PATIENCE)
    assert not waits.is_alive()


def test_waking_up_does_not_end_a_pause() -> None:
    """The lights are woken up for every frame, also while they are lost."""
    attempts, inbox = [], Inbox()

    def work(_supervisor: Supervisor) -> None:
        attempts.append(True)
        raise ImportError("no module")

    supervisor = Supervisor("lights", work, inbox.put)
    supervisor.start()
    until(lambda: not inbox.empty())  # it pauses for LIBRARY_PAUSE now
    for _ in range(20):
        supervisor.wake()
        sleep(0.001)
    supervisor.close()
    assert len(attempts) == 1


def test_closing_ends_a_pause_and_the_thread() -> None:
    inbox: Inbox = SimpleQueue()
    supervisor = Supervisor("reader.test", fails(ImportError("no module")), inbox.put)
    supervisor.start()
    until(lambda: not inbox.empty())  # it pauses for LIBRARY_PAUSE now
    supervisor.close()
    supervisor.close()
    assert "reader.test" not in {thread.name for thread in threading.enumerate()}


def test_a_supervisor_can_be_closed_by_its_own_thread() -> None:
    closed: list[bool] = []

    def work(supervisor: Supervisor) -> None:
        supervisor.close()
        closed.append(True)

    supervisor = Supervisor("lights", work, lambda _event: None)
    supervisor.start()
    until(lambda: closed == [True])
    supervisor.close()


@pytest.mark.parametrize(
    ("error", "loss", "message"),
    [
        (PartError(Loss.GARBLED, "check the wires"), Loss.GARBLED, "check the wires"),
        (ImportError("no\nmodule"), Loss.LIBRARY, "a library is missing or does not work here: no module"),
        (
            NotImplementedError(),
            Loss.LIBRARY,
            "a library is missing or does not work here: NotImplementedError",
        ),
        (OSError(errno.ENOENT, "x"), Loss.ABSENT, "[Errno 2] x"),
        (OSError(errno.ENODEV, "x"), Loss.ABSENT, "[Errno 19] x"),
        (OSError(errno.ENXIO, "x"), Loss.ABSENT, "[Errno 6] x"),
        (OSError(errno.EACCES, "x"), Loss.DENIED, "[Errno 13] x"),
        (OSError(errno.EPERM, "x"), Loss.DENIED, "[Errno 1] x"),
        (OSError(errno.EBUSY, "x"), Loss.BUSY, "[Errno 16] x"),
        (OSError(errno.EAGAIN, "x"), Loss.BUSY, "[Errno 11] x"),
        (OSError(errno.EIO, "x"), Loss.UNPLUGGED, "[Errno 5] x"),
        (OSError(errno.ENOSPC, "x"), Loss.FAILED, "[Errno 28] x"),
        (OSError("x"), Loss.FAILED, "x"),
        (ValueError(), Loss.FAILED, "ValueError"),
    ],
)
def test_exceptions_are_classified(error: Exception, loss: Loss, message: str) -> None:
    assert loss_of(error) == (loss, message)
