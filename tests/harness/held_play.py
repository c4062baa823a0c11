"""`azul-table` with score animations and opponents' choices that wait for `ok` instead of a time.

Run as `python tests/harness/held_play.py play ...`, so that tests do not race with timers on a busy machine.
With HOLD_AT=CLOSING in the environment an animation runs step by step, and only its end waits.
"""

from __future__ import annotations

import os
from functools import partial

from device.commands.cli import main
from device.runtime import assembly
from device.table import opponents, score_animation
from device.table.state import TableSettings

HOUR = 3600.0
HOLD_AT = "HOLD_AT"


def hold_animations(moment: str) -> None:
    """Hold score animations at OPENING or CLOSING for an hour, and opponents at each step."""
    if moment == "OPENING":
        setattr(assembly, "TableSettings", partial(TableSettings, opening=HOUR))  # noqa: B010 - a name of the product's
    else:
        setattr(score_animation, moment, HOUR)
    opponents.PACES.update(dict.fromkeys(opponents.PACES, opponents.Pace(HOUR, HOUR)))


if __name__ == "__main__":
    hold_animations(os.environ.get(HOLD_AT, "OPENING"))
    main()
