"""`azul-table` that records the last data of each strip of its simulated Pico in a file.

`python -m tests.harness.recorded_play play --simulate pico ...`; the folder is named by RECORDED_STRIPS.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from device.commands.cli import main
from firmware_bridge.simulator.process import SimulatedPico
from tests.harness.held_play import hold_animations

FOLDER = "RECORDED_STRIPS"


def record_strips(folder: Path) -> None:
    """Write what each strip of a simulated Pico gets to a file named by its pin, atomically."""
    begin = SimulatedPico.__init__

    def keep(pin: int, data: bytes, _at: float) -> None:
        new = folder / f"{pin}.new"
        new.write_bytes(data)
        new.rename(folder / str(pin))

    def begin_watched(self: SimulatedPico, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        self.on_strip = keep

    setattr(SimulatedPico, "__init__", begin_watched)  # noqa: B010 - a method of the product's own class


if __name__ == "__main__":
    record_strips(Path(os.environ[FOLDER]))
    hold_animations("CLOSING")  # after a game's last scoring `ok` begins another game
    main()
