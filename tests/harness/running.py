"""`azul-table play` in a process of its own, with the process of its pages."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from tests.harness.client import Client, Message, snapshot_now
from tests.harness.waiting import DEADLINE, until
from tests.web_ui.browsing import Browser

COMMAND: Final = Path(sys.executable).with_name("azul-table")
HELD: Final = (sys.executable, "-P", Path(__file__).with_name("held_play.py"))
"""The command of a table whose score animations wait for `ok`."""
_ADDRESS: Final = re.compile(r"The table \(twin\): (http://\S+:(\d+))/table\n.*\n")


class RunningTable:
    """A running table; it and its pages are killed when the `with` ends."""

    def __init__(
        self,
        data: Path,
        *options: str,
        cwd: Path | None = None,
        user: str | None = None,
        logs: Path | None = None,
        simulate: str | None = "table",
        command: Sequence[str | Path] = (COMMAND,),
        surroundings: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.socket = data / "run" / "azul-table.sock"
        logs = logs or data.parent
        number = len(list(logs.glob("*.out")))
        self._out, self._err = logs / f"{number}.out", logs / f"{number}.err"
        how = () if simulate is None else ("--simulate", simulate)
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [*command, "play", "--data", str(data), *(options or ("--port", "0")), *how],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=cwd,
                env=None if surroundings is None else {**os.environ, **surroundings},
                user=user,
                group=user and "nogroup",
                extra_groups=None if user is None else [],
                start_new_session=True,
            )

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def ready(self) -> Self:
        """Wait until the table has printed its addresses, and return it."""
        until(lambda: _ADDRESS.match(self.out) or self.process.poll() is not None, "the table's addresses")
        assert self.process.poll() is None, f"the table ended (status {self.process.poll()}): {self.err}"
        return self

    @property
    def port(self) -> int:
        found = _ADDRESS.match(self.out)
        assert found is not None
        return int(found[2])

    @property
    def browser(self) -> Browser:
        return Browser(self.port)

    def client(self) -> Client:
        return Client(self.socket)

    def snapshot(self) -> Message:
        return snapshot_now(self.socket)

    def pages(self) -> int:
        """Return the process id of the pages."""
        return until(lambda: next(iter(children(self.process.pid)), 0), "a process of the pages")

    def kill(self) -> None:
        """Kill the table, and wait until its pages have ended, too."""
        pages = children(self.process.pid)
        self.process.kill()
        self.process.wait(DEADLINE)
        for each in pages:
            until(lambda each=each: not is_running(each), "the end of the pages")  # type: ignore[misc]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, SIGTERM by default, and return the exit status."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the table and return its exit status."""
        return self.process.wait(DEADLINE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(DEADLINE)


def children(process: int) -> list[int]:
    """Return the child processes of a process that still run."""
    found = []
    for listing in Path("/proc", str(process), "task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in listing.read_text().split()]
    return [child for child in found if is_running(child)]


def is_running(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        state = Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def command_line(process: int) -> str:
    """Return the command line of a process; empty if it has none or has ended."""
    try:
        return Path("/proc", str(process), "cmdline").read_text()
    except OSError:
        return ""


def run(arguments: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `azul-table` with arguments to its end."""
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
