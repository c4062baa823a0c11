"""The command `azul-table` of a patient table: its scorings and what its opponents chose wait for `ok`.

`python tests/harness/patient_play.py play ...`. So no test must press before their time is up, however busy
its machine is. Where PATIENT_AT is CLOSING, a scoring goes on step by step, and only its end waits.
"""

from __future__ import annotations

import os

from device.commands.cli import main
from device.table import opponents, score_animation

LONG = 3600.0
PATIENT_AT = "PATIENT_AT"


def be_patient(moment: str) -> None:
    """From now on a scoring waits at its OPENING or its CLOSING, and an opponent's choice at each step."""
    setattr(score_animation, moment, LONG)
    opponents.PACES.update(dict.fromkeys(opponents.PACES, opponents.Pace(LONG, LONG)))


if __name__ == "__main__":
    be_patient(os.environ.get(PATIENT_AT, "OPENING"))
    main()
