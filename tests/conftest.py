"""Rules for all tests: the mark `system`, its guard, Hypothesis profiles and signals.

A test that starts a process or a browser, or waits in real time, carries the mark `system`. Tests that use
one of `PROCESS_FIXTURES` get it here; others carry it themselves. A test without the mark that starts a
process or sleeps longer than `LONGEST_SLEEP` fails, so that `pytest -m "not system"` is quick everywhere.
"""

from __future__ import annotations

import gc
import multiprocessing.util
import signal
import sys
import time
from collections.abc import Generator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.harness.fixtures"]

# Shells start background jobs with SIGINT ignored, and the programs that tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


# --- Hypothesis profiles ---------------------------------------------------------------------------------

# No time limits: a busy machine is no fault of an example. The same examples every time in `quick` and
# `short`, so that a failure is the fault of the last change.
for name, examples in {"quick": 3, "short": 15}.items():  # `make check`; the default
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.register_profile(
    "long",  # `make test-long`: other examples every time
    max_examples=500,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("short")  # `--hypothesis-profile` replaces it


# --- The mark `system` and its guard ---------------------------------------------------------------------

PROCESS_FIXTURES: Final = {"start", "start_pages", "playwright", "make_pico"}
"""Fixtures that start processes or browsers; a test that uses one, directly or not, is a system test."""
PROCESS_EVENTS: Final = {
    *("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"),
}
"""Audit events of the interpreter that start a program or a process."""
LONGEST_SLEEP: Final = 0.05
"""Seconds that a test without the mark may sleep at a time."""


class Guard:
    """Watches the running test, if it must not start a process or sleep."""

    def __init__(self) -> None:
        self.test = ""
        self.faults: list[str] = []

    def forbid(self, action: str) -> None:
        """Raise Failed, and remember the fault for the end of the test, if the running test is unmarked."""
        if self.test:
            self.faults.append(f"a test without the mark `system` {action}")
            pytest.fail(self.faults[-1])

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Receive an audit event of the interpreter."""
        if event in PROCESS_EVENTS:
            self.forbid(f"starts a process: {event} {arguments[:1]}")

    def sleep(self, seconds: float) -> None:
        """Sleep, in place of `time.sleep`."""
        if seconds > LONGEST_SLEEP:
            self.forbid(f"sleeps for {seconds:g} s")
        _sleep(seconds)

    def spawnv_passfds(self, path: bytes, arguments: list[Any], descriptors: list[int]) -> int:
        """Start a process for multiprocessing, which raises no audit event."""
        self.forbid(f"starts a process: multiprocessing {path!r}")
        return _spawnv_passfds(path, arguments, descriptors)


guard = Guard()
_sleep = time.sleep
_spawnv_passfds = multiprocessing.util.spawnv_passfds
sys.addaudithook(guard.audit)
setattr(time, "sleep", guard.sleep)  # noqa: B010 - a function of the standard library
setattr(multiprocessing.util, "spawnv_passfds", guard.spawnv_passfds)  # noqa: B010


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a fixture which starts processes, before `-m` selects.

    A system test that fails is run once more (pytest-rerunfailures); no other test ever is.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if call := getattr(item, "callspec", None):  # `parametrize` may use the same name
            fixtures.difference_update(call.params)
        if fixtures & PROCESS_FIXTURES:
            item.add_marker("system")
        if item.get_closest_marker("system"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Guard every test without the mark from its set-up to its teardown."""
    guard.faults.clear()
    guard.test = "" if item.get_closest_marker("system") else item.nodeid
    try:
        return (yield)
    finally:
        guard.test = ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose code swallowed the exception of the guard, or raised it in another thread."""
    result = yield
    if guard.faults:
        pytest.fail("\n".join(guard.faults))
    return result


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting all modules and tests again and again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


# --- Flaky tests -----------------------------------------------------------------------------------------


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the system tests that failed and passed when they were run once more, each with its failure."""
    passed = {report.nodeid for report in terminalreporter.getreports("passed")}
    if flaky := [report for report in terminalreporter.getreports("rerun") if report.nodeid in passed]:
        terminalreporter.section("flaky: failed, and passed when run once more", yellow=True)
        for report in flaky:
            terminalreporter.write_line(f"FLAKY {report.nodeid}", yellow=True)
            terminalreporter.write_line(report.longreprtext)
