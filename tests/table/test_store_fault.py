"""A store that can't be used: the table says so and offers a new file, which `ok` accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights.palettes import BOX
from device.socket.snapshot import snapshot
from device.table.prompts import live_buttons, prompt
from device.table.state import Faults, Stage, StoreFault
from tests.table.simulator import BUTTONS, Simulator, empty_table

FAULT = StoreFault("newer", "azul-table.db", "azul-table-2.db")


def faulty() -> Simulator:
    """Return a table whose store can't be used."""
    sim = empty_table()
    return Simulator(replace(sim.table, faults=Faults(FAULT)), now=sim.now)


def test_a_new_file_is_offered() -> None:
    sim = faulty()
    assert sim.table.stage is Stage.UNUSABLE
    assert live_buttons(sim.table) == ("ok",)
    assert snapshot(sim.table, BOX)["ask"] == {
        "say": "start_beside",
        "why": "newer",
        "path": "azul-table.db",
        "new_path": "azul-table-2.db",
    }


def test_the_status_light_pulses_fast() -> None:
    assert faulty().rhythm("status") == "fast"
    assert faulty().frame.lit.keys() == {"status"}


@pytest.mark.parametrize("button", [*(button for button in BUTTONS if button != "ok"), "nonsense"])
def test_only_ok_is_accepted(button: str) -> None:
    sim = faulty()
    before = sim.table
    assert sim.refused(button) == "not_now"
    assert replace(sim.table, refusal=None) == before


def test_ok_accepts_the_new_file() -> None:
    sim = faulty().press("ok")
    assert sim.table == empty_table().table
    assert prompt(sim.table).key == "take_seat"
