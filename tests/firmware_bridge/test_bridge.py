"""The driver `pico` against a simulated Pico: names of the layout, pins and strips."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from firmware_bridge.dump import dump
from firmware_bridge.simulator.process import SimulatedPico
from hardware.api import (
    ButtonPressed,
    HardwareError,
    HardwareEvent,
    Inputs,
    LightFrame,
    Lights,
    Loss,
    TagArrived,
    TagLeft,
)
from hardware.drivers.pico import RECORD, PicoState
from hardware.drivers.rfid import LEAVES
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import Layout, read_layout
from tests.firmware_bridge.conftest import patient_pico
from tests.harness.waiting import DEADLINE, until


@pytest.fixture(scope="module")
def layout() -> Layout:
    return read_layout("full")


OFF = 0.06
"""Seconds between two presses of a button; less counts as bouncing."""
NEVER = 3 * LEAVES
"""Seconds without a read after which a tag has left, long enough for a busy machine."""


class Table:
    """A simulated Pico with the layout full, and the events of its driver."""

    def __init__(self, layout: Layout, folder: Path, **options: Any) -> None:
        self.events: list[HardwareEvent] = []
        self.states: list[PicoState] = []
        self.sim = SimulatedPicoTable(layout, folder, watch=self.states.append, **options)
        self.sim.start(self.events.append)
        until(lambda: self.sim.driver.state.connected, "the Pico")


LONG_SECOND = "from firmware_bridge.firmware import inputs\ninputs.SECOND = 20000\n"
"""The window of muting is 20 s instead of 1 s: a busy machine may be too slow to press often enough."""


def make_pico(folder: Path) -> SimulatedPico:
    """Return a Pico without power for a busy machine."""
    pico = patient_pico(folder)
    main = pico.flash / "main.py"
    main.write_text(LONG_SECOND + main.read_text())
    return pico


@pytest.fixture(scope="module")
def running(layout: Layout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """One table for all tests of this module that leave it as it was."""
    folder = tmp_path_factory.mktemp("running") / "pico"
    table = Table(layout, folder, leaves=NEVER, silence=DEADLINE, make_pico=make_pico)
    yield table
    table.sim.close()


@pytest.fixture
def table(running: Table) -> Table:
    """The table, with no events so far, and its buttons open for so long that a press is no bouncing."""
    until(lambda: not running.sim.pico.closed, "the finger to leave the buttons")
    sleep(OFF)
    running.events.clear()
    return running


@pytest.mark.system
def test_every_light_of_the_table_is_lit_by_its_name(table: Table, layout: Layout) -> None:
    for shift in range(3):
        lit = {
            light.name: ((at * 7 + shift) % 256, at % 256, (at * 13) % 256)
            for at, light in enumerate(layout.lights)
        }
        table.sim.show(LightFrame(lit))
        until(lambda: table.sim.shows(LightFrame(lit)), "the frame")  # noqa: B023


@pytest.mark.system
def test_every_button_is_pressed_by_its_name(table: Table, layout: Layout) -> None:
    for button in layout.buttons:
        table.sim.press(button.name, seconds=0.02)
    until(lambda: len(table.events) == len(layout.buttons), "the presses")
    pressed = [event.button for event in table.events if isinstance(event, ButtonPressed)]
    assert sorted(pressed) == sorted(button.name for button in layout.buttons)


@pytest.mark.system
def test_a_press_has_the_time_of_the_contact(table: Table) -> None:
    before = monotonic()
    table.sim.press("ok")
    until(lambda: table.events, "the press")
    (event,) = table.events
    assert isinstance(event, ButtonPressed)
    assert before - 0.005 <= event.at <= monotonic()


@pytest.mark.system
def test_a_tag_arrives_and_leaves_once_at_each_reader(table: Table, layout: Layout) -> None:
    for _ in range(4):
        for reader in layout.readers:
            assert table.sim.try_tag(reader.name, "62E3086CED")
        sleep(0.25)
    until(lambda: len(table.events) == 2 * len(layout.readers), "the tags")
    arrived = {event.reader: event for event in table.events if isinstance(event, TagArrived)}
    left = {event.reader: event for event in table.events if isinstance(event, TagLeft)}
    assert arrived.keys() == left.keys() == {reader.name for reader in layout.readers}
    for name, event in arrived.items():
        assert event.tag == "62E3086CED"
        assert left[name].at - event.at > NEVER


@pytest.mark.system
def test_a_tag_with_a_wrong_checksum_is_ignored(table: Table, layout: Layout) -> None:
    table.sim.pico.receive(layout.readers[0].pin, b"\x0262E3086CED09\x03")
    table.sim.press("ok")
    until(lambda: table.events, "the press")
    assert not any(isinstance(event, TagArrived) for event in table.events)


@pytest.mark.system
def test_the_latest_frame_wins(table: Table) -> None:
    for level in range(200):
        table.sim.show(LightFrame({"status": (level, 0, 0)}))
    last = LightFrame({"status": (199, 0, 0)})
    until(lambda: table.sim.shows(last), "the last frame")


@pytest.mark.system
def test_a_lost_pico_is_reported_and_returns_with_its_lights(table: Table) -> None:
    frame = LightFrame({"status": (1, 200, 3), "centre.7": (40, 50, 60)})
    table.sim.show(frame)
    until(lambda: table.sim.shows(frame), "the frame")
    table.sim.pico.unplug()
    until(lambda: not table.sim.driver.state.connected, "the loss")
    until(lambda: table.sim.driver.state.loss is Loss.ABSENT, "the reason")
    assert "plug the Pico in" in table.sim.driver.state.message
    newer = LightFrame({"status": (9, 9, 9)})
    table.sim.show(newer)
    table.sim.pico.strips.clear()
    table.sim.pico.plug()
    until(lambda: table.sim.shows(newer), "the lights")
    until(lambda: table.states[-1].connected, "the state")
    assert table.events == []


@pytest.mark.system
def test_a_chattering_button_is_reported_until_it_is_stable(table: Table) -> None:
    pins = next(table.sim.pins_of(it.switch) for it in table.sim.layout.buttons if it.name == "ok")
    for move in range(40):  # one after the other, as fast as the firmware can see them
        table.sim.pico.set_switch(*pins, closed=move % 2 == 0)
    until(lambda: any(state.muted == {"ok"} for state in table.states), "the muting")
    until(lambda: table.sim.driver.state.muted == set(), "the rest")


@pytest.mark.system
def test_a_different_firmware_is_reported_as_outdated(layout: Layout, tmp_path: Path) -> None:
    table = Table(layout, tmp_path / "pico")
    try:
        assert not table.sim.driver.state.outdated
        tags = table.sim.pico.flash / "firmware_bridge/firmware/inputs.py"
        tags.write_text(tags.read_text() + "# older\n")
        table.sim.pico.reset()
        until(lambda: table.sim.driver.state.outdated, "the report")
        assert table.sim.driver.state.connected
    finally:
        table.sim.close()


@pytest.mark.system
def test_the_traffic_is_recorded_on_request(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORD, str(tmp_path / "line"))
    table = Table(layout, tmp_path / "pico")
    table.sim.press("ok")
    until(lambda: table.events, "the press")
    table.sim.close()
    decoded = "\n".join(dump(io.BytesIO((tmp_path / "line").read_bytes())))
    assert re.search(r"> +\d+ hello .*< +\d+ identity .*< +\d+ events ", decoded, re.DOTALL)


@pytest.mark.system
def test_it_is_a_driver_of_lights_and_of_inputs_and_refuses_unknown_names(table: Table) -> None:
    lights: Lights = table.sim.driver
    inputs: Inputs = table.sim.driver
    assert callable(lights.show)
    assert callable(inputs.start)
    with pytest.raises(HardwareError, match=r"no button 'seat\.9\.floor'"):
        table.sim.press("seat.9.floor")
    assert not table.sim.try_tag("display.1", "62E3086CED")


def test_a_missing_micropython_is_reported_with_the_command_to_install_it(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZUL_TABLE_MICROPYTHON", str(tmp_path / "none.mjs"))
    with pytest.raises(HardwareError, match="npm install --prefix"):
        SimulatedPicoTable(layout, tmp_path / "pico")


def test_a_missing_node_is_reported_with_the_command_to_install_it(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HardwareError, match=r"Node\.js.*`make simulated-pico`"):
        SimulatedPicoTable(layout, tmp_path / "pico")
