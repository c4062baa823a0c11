"""Picos that are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge import protocol
from firmware_bridge.installer import copy_firmware, source
from firmware_bridge.simulator import process
from firmware_bridge.simulator.process import PATIENCE, PICO, SimulatedPico

MakePico = Callable[..., SimulatedPico]


def begins_with(lines: str) -> str:
    """Return a main.py that does something before it begins as it is."""
    return lines + source("main.py").read_text("utf-8")


@pytest.fixture(autouse=True)
def _slow_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may be long in starting a Pico."""
    monkeypatch.setattr(process, "START", PATIENCE)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts and Picos that lose each other where the line is cut, not because one of them was held up."""
    monkeypatch.setattr(protocol, "SILENCE", PATIENCE)

    def copy(flash: Path) -> None:
        copy_firmware(flash)
        lines = f"from firmware_bridge.firmware import session\nsession.LOST = {int(1000 * PATIENCE)}\n"
        (flash / "main.py").write_text(begins_with(lines))

    monkeypatch.setattr("firmware_bridge.simulator.process.copy_firmware", copy)


@pytest.fixture
def make_pico(tmp_path: Path) -> Iterator[MakePico]:
    """Make Picos that lose their power when the test is over."""
    made: list[SimulatedPico] = []

    def make(
        *, board: str = PICO, firmware: bool = True, main: str = "", watchdog: float = 1.0
    ) -> SimulatedPico:
        folder = tmp_path / f"pico{len(made)}"
        pico = SimulatedPico(folder, board=board, firmware=firmware, watchdog=watchdog)
        if main:
            (pico.flash / "main.py").write_text(main)
        made.append(pico)
        return pico

    yield make
    for pico in made:
        pico.unplug()


@pytest.fixture
def pico(make_pico: MakePico) -> SimulatedPico:
    """A Pico with power and with the firmware."""
    made = make_pico()
    made.plug()
    return made


@pytest.fixture
def patient_pico(patient: None, pico: SimulatedPico) -> SimulatedPico:
    """The same, patient as its hosts."""
    return pico
