"""Latency, start time, memory and idle load of the whole table: real processes, socket and viewers."""

import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from device.bench.figure import BenchError, Figure
from device.lights.palettes import BOX
from device.runtime.loop import Inbox, Stop, TableLoop
from device.socket.client import TableClient
from device.socket.messages import PressButton
from hardware.api import ButtonPressed, LightFrame
from hardware.layout.model import Layout, read_layout

VIEWERS: Final = 50
PAUSE: Final = 0.05  # seconds between two presses
SETTLING: Final = 2.0  # seconds after the start until a table counts as idle
START: Final = ("seat.1.floor", "seat.2.floor", "seat.3.floor", "seat.4.floor", "ok", "seat.1.floor")
"""The presses that start a game of four."""
PATIENCE: Final = 10.0
LONGEST_START: Final = 60.0  # seconds after which pages that do not show the table are an error


def measure(seconds: float) -> Iterator[Figure]:
    """Yield every figure of the table; some take `seconds` each. Raises BenchError."""
    yield _frame_figure(read_layout("full"), seconds)
    with tempfile.TemporaryDirectory() as folder, started_table(Path(folder)) as table:
        yield Figure("table, start to ready", table.ready_after, "s", 1.0, at_least=False)
        with _viewers(table.port, VIEWERS) as viewers:
            for button in START:
                table.press(button)
            yield _phone_figure(table, viewers, seconds)
            memory = f"table, memory of daemon and pages, {VIEWERS} viewers"
            yield Figure(memory, table.megabytes(), "MB", 90, at_least=False)
            time.sleep(SETTLING)
            yield _idle_figure(table, seconds)


def _display(number: int) -> str:
    """Return displays in turn: the flash limiter would delay a light that is pressed again at once."""
    return f"display.{1 + number % 9}"


def percentile(values: list[float], part: float) -> float:
    """Return the value that a part of all values, such as 0.99, does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


# --- Press to frame, in one process ----------------------------------------------------------------------


class _Recorder:
    """A driver that records the times of frames, and a server without subscribers."""

    frames_wanted = False
    subscribed = False

    def __init__(self) -> None:
        self.shown: SimpleQueue[float] = SimpleQueue()

    def show(self, frame: LightFrame) -> None:  # noqa: ARG002 - the driver's face
        self.shown.put(time.monotonic())

    def close(self) -> None: ...

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None: ...

    def publish_frame(self, line: bytes) -> None: ...


def _frame_figure(layout: Layout, seconds: float) -> Figure:
    """Measure press to frame; the commit of the store is included, as it precedes the frame."""
    inbox: Inbox = SimpleQueue()
    recorder = _Recorder()
    with tempfile.TemporaryDirectory() as folder:
        ready = threading.Event()

        def run() -> None:
            TableLoop(layout, Path(folder) / "bench.db", BOX, inbox, recorder, recorder).run(ready.set)

        loop = threading.Thread(target=run)
        loop.start()
        ready.wait(PATIENCE)
        for button in START:
            inbox.put(ButtonPressed(button, time.monotonic()))
        time.sleep(SETTLING)
        taken = list(_press_and_watch(inbox, recorder, seconds))
        inbox.put(Stop())
        loop.join()
    name = "table, press to frame at the driver, p99"
    return Figure(name, percentile(taken, 0.99) * 1000, "ms", 10, at_least=False)


def _press_and_watch(inbox: Inbox, recorder: _Recorder, seconds: float) -> Iterator[float]:
    for number in range(int(seconds / PAUSE)):
        time.sleep(PAUSE)
        pressed = time.monotonic()
        inbox.put(ButtonPressed(_display(number), pressed))
        while (shown := recorder.shown.get(timeout=PATIENCE)) < pressed:
            pass  # a frame of an animation, from before the press
        yield shown - pressed


# --- Processes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartedTable:
    """A running table."""

    process: "subprocess.Popen[str]"
    port: int
    client: TableClient
    ready_after: float

    def press(self, button: str) -> float:
        """Press a button and wait for the answer; return the time of the press. Raises BenchError."""
        pressed = time.monotonic()
        if not self.client.ask(PressButton(button)).taken:
            raise BenchError(f"the table refused {button}")
        return pressed

    def processes(self) -> list[int]:
        """Return the process ids of the daemon and its pages."""
        daemon = self.process.pid
        children = Path(f"/proc/{daemon}/task/{daemon}/children").read_text().split()
        return [daemon, *map(int, children)]

    def megabytes(self) -> float:
        """Return the memory of both, shared pages counted once (the kernel's proportional set size)."""
        sizes = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in self.processes()]
        found = [re.search(r"^Pss:\s+(\d+) kB", size, re.MULTILINE) for size in sizes]
        return sum(int(each[1]) for each in found if each) * 1024 / 1e6

    def processor_seconds(self) -> float:
        """Return the processor time that both have used so far."""
        fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split() for pid in self.processes()]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


@contextmanager
def started_table(folder: Path) -> Iterator[StartedTable]:
    """Start `azul-table play`, and wait until the phone page shows the table. Raises BenchError."""
    began = time.monotonic()
    command = [sys.executable, "-P", "-m", "device", "play", "--simulate", "table"]
    command += ["--port", "0", "--data", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)/table", process.stdout.readline())
        if found is None:
            raise BenchError("the table did not start; see the error above")
        port = int(found[1])
        while not _shows_table(port):
            if time.monotonic() > began + LONGEST_START:
                raise BenchError("the table's pages did not start")
            time.sleep(0.005)
        ready_after = time.monotonic() - began
        with closing(TableClient(folder / "run" / "azul-table.sock")) as client:
            yield StartedTable(process, port, client, ready_after)
    finally:
        process.terminate()
        process.communicate()


def _shows_table(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/state", timeout=PATIENCE) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def _viewers(port: int, number: int) -> Iterator[selectors.DefaultSelector]:
    """Open so many event streams."""
    with selectors.DefaultSelector() as selector:
        for _ in range(number):
            viewer = socket.create_connection(("127.0.0.1", port))
            viewer.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
            selector.register(viewer, selectors.EVENT_READ)
        yield selector
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]


def _phone_figure(table: StartedTable, viewers: selectors.DefaultSelector, seconds: float) -> Figure:
    """Measure from a press on the socket to its event at every phone. Raises BenchError."""
    taken: list[float] = []
    for number in range(int(seconds / PAUSE / 2)):
        _drain(viewers)
        pressed = table.press(_display(number))
        waiting = {key.fd for key in viewers.get_map().values()}
        while waiting:
            ready = viewers.select(timeout=PATIENCE)
            if not ready:
                raise BenchError(f"{len(waiting)} viewers received no event for a press")
            for key, _ in ready:
                news = key.fileobj.recv(65_536)  # type: ignore[union-attr]
                if key.fd in waiting and b"event: news" in news:  # not a heartbeat
                    waiting.remove(key.fd)
                    taken.append(time.monotonic() - pressed)
    name = f"table, press to event at a phone, {VIEWERS} viewers, p99"
    return Figure(name, percentile(taken, 0.99) * 1000, "ms", 50, at_least=False)


def _drain(viewers: selectors.DefaultSelector) -> None:
    """Wait for the events of the press before, and read everything that is there."""
    time.sleep(PAUSE)
    while ready := viewers.select(timeout=0):
        for key, _ in ready:
            key.fileobj.recv(65_536)  # type: ignore[union-attr]


def _idle_figure(table: StartedTable, seconds: float) -> Figure:
    """Measure the processor time of daemon and pages without presses; the lights pulse."""
    began, used = time.monotonic(), table.processor_seconds()
    time.sleep(max(seconds, SETTLING))
    part = (table.processor_seconds() - used) / (time.monotonic() - began)
    return Figure("table, processor while tiles pulse", part * 100, "% of a core", 2.5, at_least=False)
