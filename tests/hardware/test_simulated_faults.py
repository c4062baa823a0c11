"""Faults of the simulated table: what it reports, what is dark and what is dead while they last."""

from __future__ import annotations

import pytest

from hardware.api import (
    ButtonPressed,
    HardwareEvent,
    LightFrame,
    Loss,
    PartBack,
    PartLost,
    TagArrived,
)
from hardware.drivers.simulated import SimulatedTable
from hardware.drivers.simulated_faults import REPEATS, Fault, Kind
from hardware.layout.model import Layout, simulated

NOW = 50.0


class Faulty:
    """A simulated table with a listener."""

    def __init__(self, layout: Layout) -> None:
        self.table = SimulatedTable(simulated(layout), clock=lambda: NOW)
        self.heard: list[HardwareEvent] = []
        self.table.start(self.heard.append)

    def set(self, part: str, kind: Kind, *, on: bool = True) -> list[HardwareEvent]:
        """Switch a fault, and return what was reported of it."""
        self.heard.clear()
        assert self.table.set_fault(Fault(part, kind), on=on)
        return list(self.heard)


@pytest.fixture
def faulty(duo: Layout) -> Faulty:
    return Faulty(duo)


def lost(events: list[HardwareEvent]) -> list[tuple[str, Loss]]:
    return [(event.part, event.reason) for event in events if isinstance(event, PartLost)]


@pytest.mark.parametrize(
    ("part", "kind", "why"),
    [
        ("lights", Kind.UNPLUG, Loss.UNPLUGGED),
        ("buttons", Kind.UNPLUG, Loss.UNPLUGGED),
        ("reader.shared", Kind.UNPLUG, Loss.UNPLUGGED),
        ("power", Kind.BROWNOUT, Loss.VOLTAGE),
        ("button.ok", Kind.BOUNCE, Loss.CHATTERING),
    ],
)
def test_a_lost_part_is_reported_and_comes_back(faulty: Faulty, part: str, kind: Kind, why: Loss) -> None:
    assert lost(faulty.set(part, kind)) == [(part, why)]
    assert faulty.set(part, kind) == [], "it is lost already"
    assert faulty.table.faults.on == (Fault(part, kind),)
    assert faulty.set(part, kind, on=False) == [PartBack(part, NOW)]
    assert not faulty.table.faults.on


def test_unplugged_lights_are_dark_until_a_frame_comes_after_they_are_back(faulty: Faulty) -> None:
    lit = LightFrame({"status": (9, 9, 9)})
    faulty.table.show(lit)
    faulty.set("lights", Kind.UNPLUG)
    assert faulty.table.colour("status") == (0, 0, 0)
    faulty.table.show(lit)
    assert faulty.table.colour("status") == (0, 0, 0)
    faulty.set("lights", Kind.UNPLUG, on=False)
    faulty.table.show(lit)
    assert faulty.table.colour("status") == (9, 9, 9)


def test_a_button_without_its_cable_does_nothing(faulty: Faulty) -> None:
    faulty.set("buttons", Kind.UNPLUG)
    faulty.heard.clear()
    faulty.table.press("display.1")
    assert faulty.heard == []
    faulty.set("buttons", Kind.UNPLUG, on=False)
    faulty.table.press("display.1")
    assert faulty.heard[-1] == ButtonPressed("display.1", NOW)


def test_a_bouncing_button_is_pressed_once_and_then_ignored(faulty: Faulty) -> None:
    first, second = faulty.set("button.display.1", Kind.BOUNCE)
    assert first == ButtonPressed("display.1", NOW)
    assert isinstance(second, PartLost)
    assert faulty.table.button_dead("display.1")
    assert not faulty.table.button_dead("display.2")


def test_a_button_that_hangs_is_one_press(faulty: Faulty) -> None:
    assert faulty.set("button.undo", Kind.HANG) == [ButtonPressed("undo", NOW)]
    faulty.heard.clear()
    faulty.table.press("undo")
    assert faulty.heard == []
    assert faulty.set("button.undo", Kind.HANG, on=False) == []
    faulty.table.press("undo")
    assert faulty.heard == [ButtonPressed("undo", NOW)]


def test_a_reader_that_repeats_reports_one_tag_several_times(faulty: Faulty) -> None:
    faulty.set("reader.shared", Kind.REPEAT)
    faulty.table.show_tag("shared", "A762000001")
    assert [event for event in faulty.heard if isinstance(event, TagArrived)] == [
        TagArrived("shared", "A762000001", NOW)
    ] * REPEATS
    faulty.set("reader.shared", Kind.UNPLUG)
    faulty.heard.clear()
    faulty.table.show_tag("shared", "A762000001")
    assert faulty.heard == []


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("pico", Kind.UNPLUG),
        ("button", Kind.HANG),
        ("button.seat.4.floor", Kind.HANG),
        ("reader.display.1", Kind.REPEAT),
        ("lights", Kind.FREEZE),
        ("", Kind.UNPLUG),
    ],
)
def test_a_fault_that_this_table_can_not_have_is_refused(faulty: Faulty, part: str, kind: Kind) -> None:
    assert not faulty.table.set_fault(Fault(part, kind), on=True)
    assert faulty.heard == []
    assert not faulty.table.faults.on


def test_a_table_that_is_not_simulated_has_no_faults(duo: Layout) -> None:
    table = SimulatedTable(duo)
    table.start(lambda _event: None)
    assert not table.set_fault(Fault("lights", Kind.UNPLUG), on=True)
