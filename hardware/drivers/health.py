"""Power and temperature of the Raspberry Pi: undervoltage and throttling, as reported by its firmware.

Parsing and evaluation are pure functions; `PowerMonitor` polls the Pi in a thread, `power`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hardware.api import HEAT, POWER, HardwareEvent, Loss, PartBack, PartLost
from hardware.drivers.raspberry_pi import ROOT, read_text
from hardware.drivers.supervisor import Supervisor

POLL: Final = 5.0
"""Seconds between two polls."""
UNKNOWN_POLL: Final = 60.0
"""Seconds until a machine that reports nothing about its power is polled again."""
HYSTERESIS: Final = 15.0
"""Seconds without a fault after which an alarm ends: a fault that comes and goes is one alarm."""
VCGENCMD_TIMEOUT: Final = 2.0
TOO_HOT: Final = 80_000
"""Temperature in thousandths of a degree Celsius at which a Pi begins to throttle."""

_UNDERVOLTAGE: Final = 1 << 0
_CAPPED: Final = 1 << 1
_THROTTLED: Final = 1 << 2
_SOFT_LIMIT: Final = 1 << 3
_UNDERVOLTAGE_SINCE: Final = 1 << 16
"""Bits of `get_throttled`."""

FAULTS: Final = {
    POWER: (
        Loss.VOLTAGE,
        "the Pi gets less than 4.63 V: feed it from its own supply (5.1 V; 3 A, a Pi 5 takes 5 A) by a short "
        "cable, and the lights from another",
    ),
    HEAT: (Loss.HOT, "the Pi is too hot and slows down: give it air, a heat sink or a fan"),
}
"""Kind and message of each part's fault; the message has the form `fault: remedy`."""


# --- Reading ---------------------------------------------------------------------------------------------


class Reading(Struct, frozen=True):
    """State of the Pi at one moment.

    `undervoltage_since` is whether there was undervoltage since the start, or, where the kernel's file is
    read, since the last reading: that clears the flag.
    """

    undervoltage: bool = False
    hot: bool = False
    undervoltage_since: bool = False


def parse_throttled(text: str) -> Reading | None:
    """Parse `throttled=0x50005` (vcgencmd) or `50005` (kernel); return None for anything else."""
    found = re.fullmatch(r"(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})", text.strip())
    if found is None:
        return None
    bits = int(found[1], 16)
    undervoltage = bool(bits & _UNDERVOLTAGE)
    # Undervoltage makes a Pi throttle as well: then it is not the heat.
    hot = bool(bits & _SOFT_LIMIT) or (bool(bits & (_CAPPED | _THROTTLED)) and not undervoltage)
    return Reading(undervoltage, hot, bool(bits & _UNDERVOLTAGE_SINCE))


def read(root: Path = ROOT, timeout: float = VCGENCMD_TIMEOUT) -> Reading | None:
    """Read the state of this Pi; return None on a machine that does not report it.

    `timeout` is how long vcgencmd may take, in seconds.
    """
    text = read_text(root / "sys/devices/platform/soc/soc:firmware/get_throttled")
    reading = parse_throttled(text or _run_vcgencmd(root / "usr/bin/vcgencmd", timeout))
    sensors = _read_sensors(root)
    if reading is not None and sensors is not None and sensors.undervoltage:
        return replace(reading, undervoltage_since=True)  # the sensor's driver clears the firmware's flag
    return reading or sensors


def _run_vcgencmd(command: Path, timeout: float) -> str:
    """Return the output of vcgencmd; "" if it is missing or fails, as without the group `video`."""
    if not command.exists():
        return ""
    try:
        done = subprocess.run(
            [command, "get_throttled"], capture_output=True, text=True, timeout=timeout, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _read_sensors(root: Path) -> Reading | None:
    """Read the kernel's own sensors: the undervoltage alarm, and the temperature."""
    alarms = [
        read_text(monitor / "in0_lcrit_alarm").strip()
        for monitor in sorted((root / "sys/class/hwmon").glob("hwmon*"))
        if read_text(monitor / "name").strip() == "rpi_volt"
    ]
    if not alarms:
        return None
    heat = read_text(root / "sys/class/thermal/thermal_zone0/temp").strip()
    return Reading("1" in alarms, heat.isdecimal() and int(heat) >= TOO_HOT)


# --- Alarms with hysteresis ------------------------------------------------------------------------------


Alarms = Mapping[str, float]
"""The time in seconds at which each reported fault was last seen, by part."""


def evaluate(alarms: Alarms, reading: Reading, at: float) -> tuple[Alarms, tuple[PartLost | PartBack, ...]]:
    """Return the alarms after a reading at this time in seconds, and the events to report."""
    after = dict(alarms)
    events: list[PartLost | PartBack] = []
    for part, wrong in ((POWER, reading.undervoltage), (HEAT, reading.hot)):
        if wrong:
            after[part] = at
            events += [] if part in alarms else [PartLost(part, *FAULTS[part], at)]
        elif part in alarms and at - alarms[part] >= HYSTERESIS:
            del after[part]
            events.append(PartBack(part, at))
    return after, tuple(events)


class PowerMonitor:
    """Monitor that reports undervoltage and heat as lost parts `power` and `heat`; one thread, `power`."""

    def __init__(
        self,
        put: Callable[[HardwareEvent], None],
        read: Callable[[], Reading | None] = read,
        clock: Callable[[], float] = monotonic,
        poll: float = POLL,
    ) -> None:
        self._put = put
        self._read = read
        self._clock = clock
        self._poll = poll
        self._alarms: Alarms = {}
        self._supervisor = Supervisor(POWER, self._work, put, clock)
        self._supervisor.start()

    def close(self) -> None:
        """End the thread; a second call does nothing."""
        self._supervisor.close()

    def _work(self, supervisor: Supervisor) -> None:
        # A failed poll was reported as the loss of `power`, in place of an alarm: that one starts again.
        self._alarms = {part: last for part, last in self._alarms.items() if part != POWER}
        while not supervisor.stopping:
            reading = self._read()
            supervisor.working()
            if reading is not None:
                self._alarms, events = evaluate(self._alarms, reading, self._clock())
                for event in events:
                    self._put(event)
            supervisor.wait(self._poll if reading is not None else UNKNOWN_POLL)
