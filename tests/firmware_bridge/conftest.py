"""Fixtures: simulated Picos."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge import protocol
from firmware_bridge.installer import copy_firmware, source_path
from firmware_bridge.simulator.process import PICO, WAIT_TIMEOUT, SimulatedPico

MakePico = Callable[..., SimulatedPico]


def main_py_after(lines: str) -> str:
    """Return main.py with lines of code before it."""
    return lines + source_path("main.py").read_text("utf-8")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give hosts and Picos a long silence timeout, so that a busy machine does not disconnect them."""
    monkeypatch.setattr(protocol, "SILENCE_TIMEOUT", WAIT_TIMEOUT)

    def copy(flash: Path) -> None:
        copy_firmware(flash)
        milliseconds = int(1000 * WAIT_TIMEOUT)
        lines = f"from firmware_bridge.firmware import session\nsession.HOST_TIMEOUT = {milliseconds}\n"
        (flash / "main.py").write_text(main_py_after(lines))

    monkeypatch.setattr("firmware_bridge.simulator.process.copy_firmware", copy)


@pytest.fixture
def make_pico(tmp_path: Path) -> Iterator[MakePico]:
    """Make Picos that are unplugged at the end of the test."""
    made: list[SimulatedPico] = []

    def make(
        *, board: str = PICO, firmware: bool = True, main: str = "", watchdog: float = 1.0
    ) -> SimulatedPico:
        folder = tmp_path / f"pico{len(made)}"
        pico = SimulatedPico(
            folder, board=board, firmware=firmware, watchdog=watchdog, start_timeout=WAIT_TIMEOUT
        )
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
    """A simulated Pico with a long silence timeout."""
    return pico
