"""A table in the process of the test: the real loop, store and simulated hardware."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from device.lights.palettes import PALETTES
from device.runtime.loop import Inbox, Stop, TableLoop, equipment_of
from device.socket.messages import Answer, PressButton, TableMessage
from device.socket.server import Request, SocketServer
from device.table.score_animation import OPENING
from device.table.state import Stage, TableSettings
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout, layout_json, read_layout
from tests.harness.client import Message
from tests.harness.player import next_button
from tests.harness.reference_table import snapshot_json
from tests.harness.waiting import DEADLINE, until


class RecordingPublisher:
    """Keeps the latest snapshot, counts publications, and passes them to a server if there is one."""

    frames_wanted = True

    def __init__(self, server: SocketServer | None) -> None:
        self.server = server
        self.snapshot: Message = {}
        self.snapshots = 0
        self.frames = 0

    @property
    def subscribed(self) -> bool:
        return self.server is not None and self.server.subscribed

    def publish_beat(self) -> None:
        if self.server is not None:
            self.server.publish_beat()

    def publish_snapshot(self, line: bytes) -> None:
        self.snapshots += 1
        if self.server is not None:
            self.server.publish_snapshot(line)
        self.snapshot = json.loads(line)["snapshot"]

    def publish_frame(self, line: bytes) -> None:
        self.frames += 1
        if self.server is not None and self.server.frames_wanted:
            self.server.publish_frame(line)


@cache
def shipped_layout(name: str) -> Layout:
    """Read a layout that ships with the project, once."""
    return read_layout(name)


class LocalTable:
    """A table whose loop, and socket server if it has one, run in threads until the `with` ends."""

    def __init__(
        self,
        store: Path,
        layout: str = "full",
        socket: Path | None = None,
        *,
        opening: float = OPENING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`opening` is the time in seconds before the first step of a score animation."""
        self.opening = opening
        self.clock = clock
        self.inbox: Inbox = SimpleQueue()
        plan = shipped_layout(layout)
        self.server = None if socket is None else SocketServer(socket, layout_json(plan), self.inbox.put)
        self.publisher = RecordingPublisher(self.server)
        self.hardware = SimulatedTable(plan)
        self.hardware.start(self.inbox.put)
        self.store = store
        self.fault: BaseException | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loop", daemon=True)

    def _run(self) -> None:
        try:
            layout, palette = self.hardware.layout, PALETTES["box"]
            self.daemon = TableLoop(
                layout,
                self.store,
                palette,
                self.inbox,
                self.hardware,
                self.publisher,
                self.clock,
                settings=TableSettings(
                    layout.seats, layout.displays, equipment=equipment_of(layout), opening=self.opening
                ),
            )
            self.daemon.run(self._ready.set)
        except BaseException as fault:  # noqa: BLE001 - reported to the test, whatever it is
            self.fault = fault

    def press(self, button: str) -> Answer:
        """Press a button as a client does, and return the answer."""
        return self.ask(PressButton(button))

    def ask(self, message: TableMessage) -> Answer:
        answers: SimpleQueue[Answer] = SimpleQueue()
        self.inbox.put(Request(message, answers.put))
        return answers.get(timeout=DEADLINE)

    @property
    def snapshot(self) -> Message:
        """The present snapshot, which includes everything that was answered."""
        return snapshot_json(self.daemon.table)

    def until(self, stage: str) -> Message:
        """Wait for a stage and return its snapshot."""
        until(lambda: self.publisher.snapshot.get("stage") == stage, stage)
        return self.publisher.snapshot

    def play(self, presses: int, seats: tuple[int, ...] = (1, 3), stop: Stage | None = None) -> None:
        """Press so many buttons of a game, or until a stage is reached."""
        for _ in range(presses):
            if self.daemon.table.stage is stop or (button := next_button(self.snapshot, seats)) is None:
                return
            assert self.press(button).taken, button

    def __enter__(self) -> Self:
        if self.server is not None:
            self.server.start()
        self._thread.start()
        assert self._ready.wait(DEADLINE), self.fault
        return self

    def __exit__(self, *fault: object) -> None:
        self.inbox.put(Stop())
        self._thread.join(DEADLINE)
        if self.server is not None:
            self.server.close()
        assert not self._thread.is_alive()
        if self.fault is not None:
            raise self.fault
