"""Parts that are lost and come back: said and shown, and nothing of the game changes for them."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import FRAMES_A_SECOND, SLOW
from device.lights.palettes import BOX
from device.lights.view import LOST, view
from device.socket.snapshot import snapshot
from device.store.saved_table import to_saved_table
from device.table.state import Faults
from device.table.update import update
from hardware.api import BUTTONS, LIGHTS, PICO, STATUS, Loss, PartBack, PartLost, button_part, reader_part
from tests.table.simulator import Simulator, empty_table
from tests.table.walks import Walk, moments, take_step, walks

PARTS = (LIGHTS, BUTTONS, PICO, "power", "heat", button_part("seat.1.line.3"), reader_part("display.3"))

losses = st.builds(
    PartLost,
    st.sampled_from(PARTS),
    st.sampled_from(Loss),
    st.sampled_from(["", "it is gone"]),
    st.floats(0, 1e6),
)
returns = st.builds(PartBack, st.sampled_from(PARTS), st.floats(0, 1e6))
happenings = st.lists(st.lists(losses | returns, max_size=3), min_size=1, max_size=12)
"""Losses and returns of parts between one step of the players and the next, in turn."""


def lost(part: str, why: Loss = Loss.SILENT, at: float = 7.0) -> PartLost:
    return PartLost(part, why, f"{part} is {why}", at)


@given(walks, happenings)
def test_the_game_is_the_same_whatever_is_lost_meanwhile(walk: Walk, happening: list[list[PartLost]]) -> None:
    start, steps = walk
    calm, stormy = start.simulator(), start.simulator()
    for step, events in zip(steps, cycle(happening), strict=False):
        for event in events:
            stormy.table = update(stormy.table, event)
        take_step(calm, step)
        take_step(stormy, step)
        assert replace(stormy.table, faults=Faults()) == calm.table
    assert to_saved_table(stormy.table) == to_saved_table(calm.table)


@given(st.lists(losses | returns, max_size=30))
def test_what_is_lost_is_what_was_lost_last_and_did_not_come_back(events: list[PartLost | PartBack]) -> None:
    table = empty_table().table
    reasons: dict[str, PartLost] = {}
    for event in events:
        table = update(table, event)
        if isinstance(event, PartBack):
            reasons.pop(event.part, None)
        else:
            first = reasons.get(event.part, event)
            if (first.reason, event.reason) != (Loss.UNPLUGGED, Loss.ABSENT):
                reasons[event.part] = PartLost(event.part, event.reason, event.message, first.at)
    assert table.faults.parts == tuple(reasons.values())


def test_the_snapshot_says_what_is_lost_and_since_when() -> None:
    sim = empty_table()
    assert snapshot(sim.table, BOX)["faults"] == []
    for event in (lost("reader.display.3"), lost(PICO, Loss.ABSENT, 9.4), lost(PICO, Loss.BUSY, 30)):
        sim.table = update(sim.table, event)
    assert snapshot(sim.table, BOX, zero=1000)["faults"] == [
        {"part": "reader.display.3", "why": "silent", "since": 1007},
        {"part": "pico", "why": "busy", "since": 1009},
    ]


def test_what_was_pulled_out_stays_so_when_it_is_not_there() -> None:
    sim = empty_table()
    for why in (Loss.UNPLUGGED, Loss.ABSENT):
        sim.table = update(sim.table, lost(PICO, why))
    assert [fault["why"] for fault in snapshot(sim.table, BOX)["faults"]] == ["unplugged"]


def test_phones_may_press_for_what_is_lost() -> None:
    sim = empty_table()
    assert snapshot(sim.table, BOX)["phones"]["press"] == []
    sim.table = update(sim.table, lost(button_part("undo"), Loss.CHATTERING))
    assert snapshot(sim.table, BOX)["phones"]["press"] == ["undo"]


# --- The status light ---


def status(sim: Simulator) -> list[bool]:
    """Whether the status light has the hue of a fault, frame by frame of one slow pulse."""
    moments = [sim.now + at / FRAMES_A_SECOND for at in range(int(SLOW * FRAMES_A_SECOND))]
    return [view(sim.table, moment, BOX).colour(STATUS) == LOST for moment in moments]


@pytest.mark.parametrize("seated", [(), (1, 2)], ids=["nothing to confirm", "ok can be pressed"])
def test_the_status_light_beats_twice_in_a_hue_of_its_own(seated: tuple[int, ...]) -> None:
    sim = empty_table()
    for place in seated:
        sim.press(f"seat.{place}.floor")
    before = view(sim.table, sim.now + 0.9, BOX).colour(STATUS)
    assert not any(status(sim))
    sim.table = update(sim.table, lost(LIGHTS))
    beats = status(sim)
    assert sum(not one and other for one, other in zip([*beats[-1:], *beats], beats, strict=False)) == 2
    assert 0.2 < sum(beats) / len(beats) < 0.3
    assert view(sim.table, 100.9, BOX).colour(STATUS) == before or seated, "between them it says the rest"
    sim.table = update(sim.table, PartBack(LIGHTS, sim.now))
    assert not any(status(sim))


def test_no_light_but_the_status_light_changes() -> None:
    sim = empty_table()
    calm = view(sim.table, sim.now, BOX).lit
    sim.table = update(sim.table, lost(PICO))
    stormy = view(sim.table, sim.now, BOX).lit
    assert {name for name in calm.keys() | stormy.keys() if calm.get(name) != stormy.get(name)} == {STATUS}


@given(walks)
def test_a_fault_is_shown_whatever_the_table_does(walk: Walk) -> None:
    for number, sim in enumerate(moments(walk)):
        sim.table = replace(sim.table, faults=Faults(parts=(lost(PICO),)))
        assert number % 8 or any(status(sim))
