"""Fixtures: simulated Picos."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.installer import source_path
from firmware_bridge.simulator.process import PICO, WAIT_TIMEOUT, SimulatedPico

MakePico = Callable[..., SimulatedPico]
PATIENT = f"""
from firmware_bridge.firmware import session
session.HOST_TIMEOUT = {1000 * WAIT_TIMEOUT:.0f}
"""
"""Lines that give the firmware a long silence timeout, so that a busy machine does not disconnect it."""
PATIENCE = 10.0
"""Factor for its watchdog, for the same reason."""


def main_py_after(lines: str) -> str:
    """Return main.py with lines of code before it."""
    return lines + source_path("main.py").read_text("utf-8")


def patient_pico(folder: Path) -> SimulatedPico:
    """Return a Pico without power that waits long for a silent host and for its own firmware."""
    pico = SimulatedPico(folder, watchdog=PATIENCE, start_timeout=WAIT_TIMEOUT)
    (pico.flash / "main.py").write_text(main_py_after(PATIENT))
    return pico


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


@pytest.fixture(scope="module")
def shared_pico(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedPico]:
    """A patient Pico for all tests of a module; `patient` clears what the test before has left."""
    pico = patient_pico(tmp_path_factory.mktemp("shared") / "pico")
    pico.plug()
    yield pico
    pico.unplug()


@pytest.fixture
def patient(shared_pico: SimulatedPico) -> SimulatedPico:
    """A Pico that waits long for a silent host, with nothing recorded.

    The tests that use it wait until each switch that they close has been reported as open again.
    """
    shared_pico.strips.clear()
    shared_pico.resets.clear()
    shared_pico.torn = 0
    shared_pico.on_strip = shared_pico.on_switch = None
    return shared_pico
