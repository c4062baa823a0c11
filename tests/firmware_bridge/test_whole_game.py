"""A whole game through a simulated Pico: switches close, and the strips show what the twin shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from time import sleep
from typing import Any, cast

import pytest

from device.lights.palettes import PALETTES
from device.runtime.loop import Inbox, Stop, TableLoop
from hardware.api import HardwareEvent, LightFrame
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import read_layout
from hardware.pixels import FrameEncoder, is_near
from tests.firmware_bridge.conftest import patient_pico
from tests.harness.player import next_button
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

MAX_PRESSES = 600
OFF = 0.05
"""Seconds between two presses of a button; less counts as bouncing."""


class Twin:
    """What the pages receive: the snapshot, and every frame as the strips should show it."""

    frames_wanted = True
    subscribed = False

    def __init__(self, table: SimulatedPicoTable) -> None:
        self._names = [light.name for light in table.layout.lights]
        self._bytes = FrameEncoder(table.layout)
        self.snapshot: dict[str, Any] = {}
        self.frames: list[bytes] = []

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None:
        self.snapshot = json.loads(line)["snapshot"]

    def publish_frame(self, line: bytes) -> None:
        dots = bytes.fromhex(json.loads(line)["colours"])
        lit = {
            name: (dots[at], dots[at + 1], dots[at + 2])
            for name, at in zip(self._names, range(0, len(dots), 3), strict=True)
        }
        self.frames.append(self._bytes.encode(LightFrame(lit)))


class Strips:
    """The bytes of the strips as whole frames: all strips are sent together."""

    def __init__(self, table: SimulatedPicoTable) -> None:
        self._pins = [chain.pin for chain in table.layout.chains]
        self._sent: dict[int, bytes] = {}
        self.frames: list[bytes] = []
        table.pico.on_strip = self._see

    def _see(self, pin: int, data: bytes, _at: float) -> None:
        assert pin not in self._sent, "a strip got a second frame before the others got their first"
        self._sent[pin] = data
        if len(self._sent) == len(self._pins):
            frame = b"".join(self._sent[pin] for pin in self._pins)
            if self.frames[-1:] != [frame]:
                self.frames.append(frame)
            self._sent = {}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedPicoTable]:
    table = SimulatedPicoTable(
        read_layout("full"), tmp_path / "pico", silence=DEADLINE, make_pico=patient_pico
    )
    yield table
    table.close()


def test_a_whole_game_by_the_buttons_and_strips_of_the_pico(
    table: SimulatedPicoTable, tmp_path: Path
) -> None:
    inbox: Inbox = SimpleQueue()
    strips, twin = Strips(table), Twin(table)
    table.start(cast(Callable[[HardwareEvent], None], inbox.put))

    def run() -> None:
        daemon = TableLoop(table.layout, tmp_path / "games.db", PALETTES["box"], inbox, table, twin)
        daemon.run(lambda: None)

    loop = threading.Thread(target=run, name="loop", daemon=True)
    loop.start()
    until(lambda: twin.snapshot.get("stage"), "the table")
    until(lambda: table.driver.state.connected, "the Pico")
    presses = 0
    while (button := next_button(twin.snapshot)) is not None:
        assert presses < MAX_PRESSES
        presses += 1
        before, lit = twin.snapshot["version"], len(strips.frames)
        table.press(button, seconds=0.03)
        until(lambda: twin.snapshot["version"] != before, f"what {button} does")  # noqa: B023
        until(lambda: len(strips.frames) > lit, f"what {button} lights")  # noqa: B023
        until(lambda: not table.pico.closed, "the finger to leave the button")
        sleep(OFF)
    assert presses > 50
    assert twin.snapshot["result"]["scores"]
    inbox.put(Stop())
    loop.join(DEADLINE)
    assert not loop.is_alive()
    table.show(LightFrame({"status": (9, 9, 9)}))  # a frame that the game never shows
    until(lambda: table.shows(LightFrame({"status": (9, 9, 9)})), "the last frame")
    wanted = iter(twin.frames)
    shown = [frame for frame in strips.frames if any(frame)][:-1]
    assert len(shown) > presses
    latest = next(wanted)
    for frame in shown:  # in the order of the twin's, but for those that a newer one replaced
        while not is_near(frame, latest):
            latest = next(wanted, b"")
            assert latest, "the strips showed a frame that the twin never got"
    assert table.pico.torn == 0
    assert table.pico.resets == []
