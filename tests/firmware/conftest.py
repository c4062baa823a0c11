"""Picos that are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.simulated import PICO, SimulatedPico

MakePico = Callable[..., SimulatedPico]


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
