"""The command `azul-table` of a patient table: its scorings and what its opponents chose wait for `ok`.

`python tests/harness/held_play.py play ...`. So no test must press before their time is up, however busy
its machine is. Where HOLD_AT is CLOSING, a scoring goes on step by step, and only its end waits.
"""

from __future__ import annotations

import os

from device.commands.cli import main
from device.table import opponents, score_animation

HOUR = 3600.0
HOLD_AT = "HOLD_AT"


def hold_animations(moment: str) -> None:
    """From now on a scoring waits at its OPENING or its CLOSING, and an opponent's choice at each step."""
    setattr(score_animation, moment, HOUR)
    opponents.PACES.update(dict.fromkeys(opponents.PACES, opponents.Pace(HOUR, HOUR)))


if __name__ == "__main__":
    hold_animations(os.environ.get(HOLD_AT, "OPENING"))
    main()
