"""Whether the Pi is fed too little, or slows down because it is too hot, as it says itself.

What it says is parsed and judged purely; one thread, `power`, asks every POLL seconds.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Final

from hardware.api import HEAT, POWER, HardwareEvent, Loss, PartBack, PartLost
from hardware.drivers.raspberry_pi import ROOT
from hardware.drivers.supervisor import Keeper

POLL: Final = 5.0
HOLD: Final = 15.0
"""Seconds without it after which an alarm is over: what comes and goes is one alarm."""
NOTHING_TO_ASK: Final = 60.0
"""Seconds until a machine that says nothing of its power is asked again."""
ANSWER: Final = 2.0
"""Seconds that vcgencmd may take."""
TOO_HOT: Final = 80_000
"""Thousandths of a degree at which a Pi begins to slow down."""

_UNDERVOLTAGE: Final = 1 << 0
_CAPPED: Final = 1 << 1
_THROTTLED: Final = 1 << 2
_SOFT_LIMIT: Final = 1 << 3

TOLD: Final = {
    POWER: (
        Loss.VOLTAGE,
        "the Pi gets less than 4.63 V: feed it from its own supply (5.1 V; 3 A, a Pi 5 takes 5 A) by a short "
        "cable, and the lights from another",
    ),
    HEAT: (Loss.HOT, "the Pi is too hot and slows down: give it air, a heat sink or a fan"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What the Pi says of this moment."""

    undervoltage: bool = False
    hot: bool = False


def reading_of(text: str) -> Reading | None:
    """Return what `throttled=0x50005` says, or `50005` as the kernel tells it; None for anything else."""
    found = re.fullmatch(r"(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})", text.strip())
    if found is None:
        return None
    bits = int(found[1], 16)
    undervoltage = bool(bits & _UNDERVOLTAGE)
    # A Pi that is fed too little slows down as well: that is not the heat.
    hot = bool(bits & _SOFT_LIMIT) or (bool(bits & (_CAPPED | _THROTTLED)) and not undervoltage)
    return Reading(undervoltage, hot)


@dataclass(frozen=True, slots=True)
class Alarm:
    """Whether something is told to be wrong, and when it last was."""

    on: bool = False
    last: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Health:
    """The alarms of power and heat."""

    power: Alarm = Alarm()
    heat: Alarm = Alarm()


def judge(health: Health, reading: Reading, at: float) -> tuple[Health, tuple[PartLost | PartBack, ...]]:
    """Take in a reading of this time; return the alarms as they are now, and what is to be told."""
    power, fed = _judge(health.power, POWER, at, wrong=reading.undervoltage)
    heat, cool = _judge(health.heat, HEAT, at, wrong=reading.hot)
    return Health(power, heat), (*fed, *cool)


def _judge(
    alarm: Alarm, part: str, at: float, *, wrong: bool
) -> tuple[Alarm, tuple[PartLost | PartBack, ...]]:
    if wrong:
        told = () if alarm.on else (PartLost(part, *TOLD[part], at),)
        return Alarm(on=True, last=at), told
    if alarm.on and at - alarm.last >= HOLD:
        return replace(alarm, on=False), (PartBack(part, at),)
    return alarm, ()


def read(root: Path = ROOT) -> Reading | None:
    """Return what this Pi says; None where it says nothing, as any other machine."""
    said = _text(root / "sys/devices/platform/soc/soc:firmware/get_throttled")
    if said is None:
        said = _asked(root / "usr/bin/vcgencmd")
    reading = reading_of(said) if said is not None else None
    return reading if reading is not None else _measured(root)


def _asked(command: Path) -> str | None:
    """Return what vcgencmd says, which must be there and may be used by the group `video` only."""
    try:
        done = subprocess.run(
            [command, "get_throttled"], capture_output=True, text=True, timeout=ANSWER, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout if done.returncode == 0 else None


def _measured(root: Path) -> Reading | None:
    """Return what the kernel's own sensors say: an alarm of the voltage, and the temperature."""
    alarms = [
        _text(monitor / "in0_lcrit_alarm")
        for monitor in sorted((root / "sys/class/hwmon").glob("hwmon*"))
        if _text(monitor / "name") == "rpi_volt"
    ]
    if not alarms:
        return None
    heat = _text(root / "sys/class/thermal/thermal_zone0/temp") or ""
    return Reading("1" in alarms, heat.isdecimal() and int(heat) >= TOO_HOT)


def _text(path: Path) -> str | None:
    try:
        return path.read_text("ascii", errors="replace").strip()
    except OSError:
        return None


class PowerWatch:
    """Tells undervoltage and heat as lost parts `power` and `heat`; one thread, `power`."""

    def __init__(
        self,
        tell: Callable[[HardwareEvent], None],
        read: Callable[[], Reading | None] = read,
        clock: Callable[[], float] = monotonic,
        every: float = POLL,
    ) -> None:
        self._tell = tell
        self._read = read
        self._clock = clock
        self._every = every
        self._health = Health()
        self._keeper = Keeper(POWER, self._work, tell, clock)
        self._keeper.start()

    def close(self) -> None:
        """End the thread; a second call does nothing."""
        self._keeper.close()

    def _work(self, keeper: Keeper) -> None:
        self._health = replace(self._health, power=Alarm())  # in its place it was told that nobody can ask
        while not keeper.ending:
            reading = self._read()
            keeper.works()
            if reading is not None:
                self._health, events = judge(self._health, reading, self._clock())
                for event in events:
                    self._tell(event)
            keeper.rest(self._every if reading is not None else NOTHING_TO_ASK)
