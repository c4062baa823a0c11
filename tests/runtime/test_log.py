"""The log on standard error, and the backoff before the pages are restarted."""

from __future__ import annotations

import os
import signal
import socket
from itertools import chain, repeat
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.runtime.pages_process import LONG, PagesProcess
from tests.harness.running import COMMAND, RunningTable, children
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

INTO_A_FULL_DISK = ("sh", "-c", 'exec "$0" "$@" 2>/dev/full', COMMAND)


def test_the_table_and_its_pages_run_on_if_the_log_cant_be_written(tmp_path: Path) -> None:
    """A lost part could not be logged, and the table ended with a traceback."""
    options = ("--port", "0", "--layout", "duo")
    with (
        RunningTable(tmp_path / "data", *options, simulate=None, command=INTO_A_FULL_DISK) as table,
        table.ready().client() as client,
    ):
        client.subscribe()
        assert client.until(lambda shown: bool(shown["faults"]))
        client.take("seat.1.floor")
        pages = table.pages()
        os.kill(pages, signal.SIGKILL)
        until(lambda: set(children(table.process.pid)) - {pages}, "the pages, started again")
        client.take("seat.2.floor")


def test_the_backoff_begins_anew_after_a_long_run_of_the_pages(tmp_path: Path) -> None:
    """The pauses grew over weeks up to half a minute without pages."""
    said, here = SimpleQueue[str](), os.getpid()
    times = chain((0, 0, 0, 0, 0, 2 * LONG, 0, 0), repeat(0))  # each beginning, and each end
    known = set(children(here))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        pages = PagesProcess(tmp_path, "table.sock", listening, said.put, lambda: next(times))
        for pause in ("0.5", "1", "0.5", "1"):
            (process,) = until(lambda: set(children(here)) - known, "the pages")
            os.kill(process, signal.SIGKILL)
            assert said.get(timeout=DEADLINE).endswith(f"they start again in {pause} s.")
        pages.close()
