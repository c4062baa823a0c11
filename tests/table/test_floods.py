"""The loop under floods of presses: no press is lost, and every part of a flood is published."""

from __future__ import annotations

import json
from pathlib import Path
from queue import SimpleQueue

import pytest

from device.lights.palettes import BOX
from device.runtime.loop import MOST_AT_ONCE, Inbox, Stop, TableLoop
from device.socket.snapshot import Json
from hardware.api import ButtonPressed
from hardware.drivers.simulated import SimulatedTable
from tests.table.simulator import FULL


class Listening:
    """A client that keeps all snapshots, and ends the loop when the inbox is empty."""

    frames_wanted = False
    subscribed = False

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.snapshots: list[Json] = []

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None:
        self.snapshots.append(json.loads(line)["snapshot"])
        if self.inbox.empty():
            self.inbox.put(Stop())

    def publish_frame(self, line: bytes) -> None:
        pytest.fail("no frames were asked for")


def flooded(tmp_path: Path, *presses: str) -> list[Json]:
    """Return the snapshots of a new table with so many presses in its inbox."""
    inbox: Inbox = SimpleQueue()
    lights = SimulatedTable(FULL, lambda: 7.0)
    listening = Listening(inbox)
    loop = TableLoop(FULL, tmp_path / "azul-table.db", BOX, inbox, lights, listening, clock=lambda: 7.0)
    for press in presses:
        inbox.put(ButtonPressed(press, 7.0))
    loop.run(ready=lambda: None)
    return listening.snapshots


@pytest.mark.parametrize("number", [1, MOST_AT_ONCE - 1, MOST_AT_ONCE, MOST_AT_ONCE + 1, 1000])
def test_no_press_of_a_flood_is_lost(tmp_path: Path, number: int) -> None:
    """Every 65th of the waiting presses was once lost."""
    snapshots = flooded(tmp_path, *["centre"] * number)
    assert snapshots[-1]["refusal"] == {"say": "not_now", "button": "centre", "number": number}


def test_a_snapshot_is_published_after_every_part_of_a_flood(tmp_path: Path) -> None:
    """Phones and lights are updated while a flood lasts."""
    snapshots = flooded(tmp_path, *["centre"] * (4 * MOST_AT_ONCE))
    assert [each["refusal"] and each["refusal"]["number"] for each in snapshots] == [None, 64, 128, 192, 256]
    versions = [each["version"] for each in snapshots]
    assert versions == sorted(set(versions))


def test_the_order_of_presses_in_one_moment_is_kept(tmp_path: Path) -> None:
    snapshots = flooded(tmp_path, *["seat.3.floor", "seat.1.floor", "undo", "seat.2.floor", "ok"] * 1)
    assert snapshots[-1]["stage"] == "choosing"
    assert [seat["taken"] for seat in snapshots[-1]["seats"]] == [False, True, True, False]
