"""Opening of the drivers that a layout names."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest
from gpiozero.pins.mock import MockFactory
from msgspec.structs import replace

from hardware.api import (
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    LightFrame,
    Lights,
    Loss,
    PartBack,
    PartLost,
    PartMessage,
    TagArrived,
    TagLeft,
)
from hardware.drivers.open import OUTDATED, open_hardware, part_events
from hardware.drivers.pico import PicoState
from hardware.layout.model import SIMULATED, Drivers, Layout, simulated

from .waiting import Inbox, next_of, waiting_in

FRAME = LightFrame({"status": (1, 2, 3)})


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


# --- Simulated table, and this machine -------------------------------------------------------------------


def test_a_simulated_table_has_lights_and_inputs_but_no_thread(full: Layout, inbox: Inbox) -> None:
    before = threads()
    hardware = open_hardware(simulated(full), inbox.put)
    lights: Lights = hardware
    assert simulated(full).drivers == SIMULATED
    assert hardware.simulated is not None
    lights.show(FRAME)
    assert hardware.simulated.colour("status") == (1, 2, 3)
    hardware.simulated.press("ok")
    hardware.simulated.show_tag("shared", "tile-b-01")
    assert [type(next_of(inbox)) for _ in range(3)] == [ButtonPressed, TagArrived, TagLeft]
    assert threads() <= before
    hardware.close()
    hardware.close()
    assert inbox.empty()


@pytest.mark.system
def test_parts_that_this_machine_does_not_have_are_lost(duo: Layout, inbox: Inbox) -> None:
    """Nothing is simulated in their place."""
    before = threads()
    hardware = open_hardware(duo, inbox.put)
    hardware.show(FRAME)
    lost: dict[str, PartLost] = {}
    while len(lost) < 3:
        event = next_of(inbox)
        assert isinstance(event, PartLost)
        lost[event.part] = event
    assert lost.keys() == {"lights", "buttons", "reader.shared"}
    assert {event.reason for event in lost.values()} == {Loss.ABSENT}
    assert hardware.simulated is None
    assert {"lights", "buttons", "reader.shared", "power"} <= threads()
    hardware.close()
    left = threads() - before
    assert len(left) <= 1 and all(name.startswith("Thread-") for name in left), left  # lgpio's own


@pytest.mark.system
def test_a_missing_pico_is_the_only_lost_part(full: Layout, inbox: Inbox) -> None:
    hardware = open_hardware(full, inbox.put)
    hardware.show(FRAME)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("pico", Loss.ABSENT)
    assert "Pico" in lost.message
    hardware.close()
    assert waiting_in(inbox) == []


def test_simulated_readers_beside_real_buttons_report_tags_only(duo: Layout, inbox: Inbox) -> None:
    layout = replace(duo, drivers=Drivers("simulated", "gpio", "simulated"))
    before = threads()
    hardware = open_hardware(layout, inbox.put, pins=MockFactory)
    assert hardware.simulated is not None
    hardware.simulated.press("ok")
    hardware.simulated.show_tag("shared", "tile-b-01")
    assert [type(next_of(inbox)) for _ in range(2)] == [TagArrived, TagLeft]
    assert threads() - before == {"buttons"}, "a table with simulated lights needs no power monitor"
    hardware.close()
    assert threads() <= before


# --- Pico ------------------------------------------------------------------------------------------------


class FakePico:
    """A driver of a Pico that records its calls."""

    def __init__(self, error: HardwareError | None = None) -> None:
        self.calls: list[str] = []
        self.put: Callable[[HardwareEvent], None] = lambda _event: None
        self.watch: Callable[[PicoState], None] = lambda _state: None
        self._error = error

    def make(
        self, layout: Layout, *, watch: Callable[[PicoState], None], clock: Callable[[], float]
    ) -> FakePico:
        self.watch = watch
        return self

    def show(self, frame: LightFrame) -> None:
        self.calls.append("show")

    def start(self, put: Callable[[HardwareEvent], None]) -> None:
        self.calls.append("start")
        if self._error is not None:
            raise self._error
        self.put = put

    def close(self) -> None:
        self.calls.append("close")


PRESS, TAG = ButtonPressed("ok", 1.0), TagArrived("shared", "A", 1.0)
LEFT, BACK = TagLeft("shared", "A", 2.0), PartBack("button.ok", 1.0)


@pytest.mark.parametrize(
    ("drivers", "expected"),
    [
        (Drivers("pico", "pico", "pico"), [PRESS, TAG, LEFT, BACK]),
        (Drivers("pico", "pico", "simulated"), [PRESS, BACK]),
        (Drivers("pico", "simulated", "pico"), [TAG, LEFT, BACK]),
        (Drivers("pico", "simulated", "simulated"), [BACK]),
    ],
)
def test_a_pico_reports_the_inputs_that_the_layout_expects_from_it(
    full: Layout, inbox: Inbox, drivers: Drivers, expected: list[HardwareEvent]
) -> None:
    pico = FakePico()
    hardware = open_hardware(replace(full, drivers=drivers), inbox.put, make_pico=pico.make)
    for event in (PRESS, TAG, LEFT, BACK):
        pico.put(event)
    hardware.close()
    assert waiting_in(inbox) == expected


def test_a_pico_shows_frames_and_is_closed(full: Layout, inbox: Inbox) -> None:
    pico = FakePico()
    hardware = open_hardware(full, inbox.put, make_pico=pico.make)
    hardware.show(FRAME)
    hardware.close()
    assert pico.calls == ["start", "show", "close", "close"], "closed as inputs and as lights"


def test_inputs_that_can_not_start_are_lost(full: Layout, inbox: Inbox) -> None:
    pico = FakePico(HardwareError("no permission"))
    open_hardware(full, inbox.put, lambda: 5.0, pico.make).close()
    assert waiting_in(inbox) == [PartLost("pico", Loss.FAILED, "no permission", 5.0)]


def test_the_error_of_a_simulated_pico_is_raised(full: Layout, inbox: Inbox) -> None:
    def make(layout: Layout, **_options: object) -> FakePico:
        raise HardwareError("MicroPython is missing")

    with pytest.raises(HardwareError, match="MicroPython is missing"):
        open_hardware(full, inbox.put, make_pico=make)


def test_states_of_a_pico_become_events(full: Layout, inbox: Inbox) -> None:
    pico = FakePico()
    hardware = open_hardware(full, inbox.put, lambda: 5.0, pico.make)
    there = PicoState(connected=True, message="", loss=None)
    gone = PicoState(connected=False, message="the Pico was unplugged", loss=Loss.UNPLUGGED)
    for state in (there, gone, gone, there):
        pico.watch(state)
    hardware.close()
    assert waiting_in(inbox) == [
        PartLost("pico", Loss.UNPLUGGED, "the Pico was unplugged", 5.0),
        PartBack("pico", 5.0),
    ]


def test_events_follow_from_changes_of_the_state() -> None:
    there = PicoState(connected=True, message="", loss=None)
    gone = PicoState(connected=False, message="the Pico was unplugged", loss=Loss.UNPLUGGED)
    silent = PicoState(connected=False, message="the Pico does not answer", loss=Loss.SILENT)
    chatters = PicoState(connected=True, message="", loss=None, muted=frozenset({"ok"}))
    assert part_events(there, there, 1.0) == []
    assert part_events(there, gone, 1.0) == [PartLost("pico", Loss.UNPLUGGED, gone.message, 1.0)]
    assert part_events(gone, gone, 1.0) == []
    assert part_events(gone, silent, 2.0) == [PartLost("pico", Loss.SILENT, silent.message, 2.0)]
    assert part_events(silent, there, 3.0) == [PartBack("pico", 3.0)]
    failed = replace(there, log="ValueError: 7", outdated=True)
    assert part_events(there, failed, 4.0) == [
        PartMessage("pico", OUTDATED, 4.0),
        PartMessage("pico", "ValueError: 7", 4.0),
    ]
    assert part_events(failed, failed, 5.0) == []
    (muted,) = part_events(there, chatters, 4.0)
    assert isinstance(muted, PartLost) and (muted.part, muted.reason) == ("button.ok", Loss.CHATTERING)
    assert part_events(chatters, there, 5.0) == [PartBack("button.ok", 5.0)]
