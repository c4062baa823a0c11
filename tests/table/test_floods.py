"""The daemon under floods of presses: nothing is lost, everything is answered, the lights stay calm."""

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
    """An audience that remembers what it was told, and ends the loop once all presses are taken."""

    frames_wanted = False

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.told: list[Json] = []

    def publish_snapshot(self, line: bytes) -> None:
        self.told.append(json.loads(line)["snapshot"])
        if self.inbox.empty():
            self.inbox.put(Stop())

    def publish_frame(self, line: bytes) -> None:
        pytest.fail("nobody wants frames")


def flooded(tmp_path: Path, *presses: str) -> list[Json]:
    """What a new table tells when so many presses wait for it."""
    inbox: Inbox = SimpleQueue()
    lights = SimulatedTable(FULL, lambda: 7.0)
    listening = Listening(inbox)
    daemon = TableLoop(FULL, tmp_path / "azul-table.db", BOX, inbox, lights, listening, clock=lambda: 7.0)
    for press in presses:
        inbox.put(ButtonPressed(press, 7.0))
    daemon.run(ready=lambda: None)
    return listening.told


@pytest.mark.parametrize("number", [1, MOST_AT_ONCE - 1, MOST_AT_ONCE, MOST_AT_ONCE + 1, 1000])
def test_no_press_of_a_flood_is_lost(tmp_path: Path, number: int) -> None:
    """Of more than 64 presses that waited, every 65th was once lost."""
    told = flooded(tmp_path, *["centre"] * number)
    assert told[-1]["refusal"] == {"say": "not_now", "button": "centre", "number": number}


def test_a_flood_is_taken_in_parts_and_each_is_told(tmp_path: Path) -> None:
    """The phones and the lights hear of a flood while it lasts, not after it."""
    told = flooded(tmp_path, *["centre"] * (4 * MOST_AT_ONCE))
    assert [each["refusal"] and each["refusal"]["number"] for each in told] == [None, 64, 128, 192, 256]
    versions = [each["version"] for each in told]
    assert versions == sorted(set(versions))


def test_the_order_of_presses_in_one_moment_is_kept(tmp_path: Path) -> None:
    told = flooded(tmp_path, *["seat.3.floor", "seat.1.floor", "undo", "seat.2.floor", "ok"] * 1)
    assert told[-1]["stage"] == "choosing"
    assert [seat["taken"] for seat in told[-1]["seats"]] == [False, True, True, False]
