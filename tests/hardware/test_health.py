"""Undervoltage and heat of a Raspberry Pi: parsing, alarms and the monitor's thread."""

from __future__ import annotations

import subprocess
from pathlib import Path
from queue import SimpleQueue
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.api import Loss, PartBack, PartLost
from hardware.drivers.health import (
    HYSTERESIS,
    VCGENCMD_TIMEOUT,
    Alarms,
    PowerMonitor,
    Reading,
    evaluate,
    parse_throttled,
    read,
)

from .waiting import PATIENCE, Clock, Inbox, next_of, until, waiting_in

FINE = Reading()
LOW = Reading(undervoltage=True, undervoltage_since=True)
HOT = Reading(hot=True)
FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("throttled=0x0\n", FINE),
        ("throttled=0x50000\n", Reading(undervoltage_since=True)),  # in the past only
        ("throttled=0x50005\n", LOW),  # throttled by the voltage, not by heat
        ("throttled=0x1", Reading(undervoltage=True)),
        ("throttled=0x80008", HOT),
        ("throttled=0x2", HOT),
        ("throttled=0xe0006", HOT),
        ("throttled=0xf000f", Reading(undervoltage=True, hot=True, undervoltage_since=True)),
        ("50005\n", LOW),
        ("0", FINE),
        ("", None),
        ('error=1 error_msg="Command not registered"', None),
        ("VCHI initialization failed", None),
        ("throttled=0x1ffffffff", None),
        ("-1", None),
    ],
)
def test_parsing_of_get_throttled(text: str, reading: Reading | None) -> None:
    assert parse_throttled(text) == reading


def test_an_alarm_of_the_sensor_counts_although_the_firmware_forgot_it(tmp_path: Path) -> None:
    """The sensor's driver reads, and so clears, the firmware's flag of the past every two seconds."""
    put(tmp_path, FIRMWARE, "0\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert read(tmp_path) == Reading(undervoltage_since=True)
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    assert read(tmp_path) == FINE


@given(st.text(max_size=30))
def test_parsing_never_raises(text: str) -> None:
    parse_throttled(text)


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_the_kernels_file_comes_first(tmp_path: Path) -> None:
    put(tmp_path, FIRMWARE, "80008\n")
    assert read(tmp_path, PATIENCE) == HOT


@pytest.mark.system
def test_vcgencmd_is_run_if_the_kernel_has_no_file(tmp_path: Path) -> None:
    put(tmp_path, "usr/bin/vcgencmd", '#!/bin/sh\n[ "$1" = get_throttled ] && echo throttled=0x50005\n')
    (tmp_path / "usr/bin/vcgencmd").chmod(0o755)
    assert read(tmp_path, PATIENCE) == LOW


@pytest.mark.system
@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\necho VCHI initialization failed\nexit 255\n",
        "#!/bin/sh\necho throttled=0x0\nexit 1\n",
        "#!/bin/sh\nprintf '\\377'\n",
        "not a program",
    ],
)
def test_sensors_are_read_if_vcgencmd_fails(tmp_path: Path, script: str) -> None:
    put(tmp_path, "usr/bin/vcgencmd", script)
    (tmp_path / "usr/bin/vcgencmd").chmod(0o755)
    put(tmp_path, "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "81234\n")
    assert read(tmp_path, PATIENCE) == Reading(undervoltage=True, hot=True)
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    for heat, reading in (("79999\n", FINE), ("80000\n", HOT)):
        put(tmp_path, "sys/class/thermal/thermal_zone0/temp", heat)
        assert read(tmp_path, PATIENCE) == reading


def test_a_hanging_vcgencmd_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "usr/bin/vcgencmd", "hangs")
    timeouts: list[float] = []

    def hang(*_arguments: Any, timeout: float, **_options: Any) -> Any:
        timeouts.append(timeout)
        raise subprocess.TimeoutExpired("vcgencmd", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert read(tmp_path) is None
    assert timeouts == [VCGENCMD_TIMEOUT]


def test_a_machine_that_is_not_a_pi_has_no_reading(tmp_path: Path) -> None:
    assert read(tmp_path, PATIENCE) is None


def evaluated(*readings: tuple[float, Reading]) -> list[PartLost | PartBack]:
    alarms: Alarms = {}
    inbox: list[PartLost | PartBack] = []
    for at, reading in readings:
        alarms, events = evaluate(alarms, reading, at)
        inbox += events
    return inbox


def test_an_alarm_is_reported_once_and_ends_after_the_hysteresis() -> None:
    lost, back = evaluated((0, FINE), (5, LOW), (10, LOW), (15, FINE), (20, FINE), (25, FINE), (30, FINE))
    assert isinstance(lost, PartLost)
    assert (lost.part, lost.reason, lost.at) == ("power", Loss.VOLTAGE, 5)
    assert "supply" in lost.message
    assert back == PartBack("power", 25)


def test_a_fault_that_comes_and_goes_is_one_alarm() -> None:
    assert len(evaluated(*((5.0 * n, (LOW, FINE)[n % 2]) for n in range(50)))) == 1


def test_power_and_heat_are_two_alarms() -> None:
    inbox = evaluated((0, LOW), (5, Reading(undervoltage=True, hot=True)), (10, HOT), (20, HOT), (40, FINE))
    assert [(type(event), event.part) for event in inbox] == [
        (PartLost, "power"),
        (PartLost, "heat"),
        (PartBack, "power"),
        (PartBack, "heat"),
    ]


@given(st.lists(st.tuples(st.floats(0, 30), st.builds(Reading, st.booleans(), st.booleans())), max_size=40))
def test_each_alarm_begins_and_ends_alternately(steps: list[tuple[float, Reading]]) -> None:
    inbox = evaluated(
        *((sum(gap for gap, _ in steps[: n + 1]), reading) for n, (_, reading) in enumerate(steps))
    )
    for part in ("power", "heat"):
        own = [event for event in inbox if event.part == part]
        assert all(isinstance(event, (PartLost, PartBack)[n % 2]) for n, event in enumerate(own))
        for lost, back in zip(own[::2], own[1::2], strict=False):
            assert back.at - lost.at >= HYSTERESIS


def test_the_monitor_reports_alarms() -> None:
    clock = Clock()
    readings = [FINE, LOW, None, LOW]
    reads: list[Reading | None] = []

    def read_next() -> Reading | None:
        reading = readings.pop(0) if readings else FINE
        reads.append(reading)
        clock.now += HYSTERESIS / 2
        return reading or FINE

    inbox: Inbox = SimpleQueue()
    monitor = PowerMonitor(inbox.put, read_next, clock, poll=0.001)
    assert isinstance(next_of(inbox), PartLost)
    assert isinstance(next_of(inbox), PartBack)
    monitor.close()
    monitor.close()


def test_a_failing_poll_is_reported_as_lost_until_it_works_again() -> None:
    """It stayed lost for good, and so did the heat that was reported before."""
    clock = Clock()
    readings: list[Reading | Exception] = [HOT, ValueError("no memory"), FINE]

    def read_next() -> Reading:
        reading = readings.pop(0) if readings else FINE
        clock.now += HYSTERESIS
        if isinstance(reading, Exception):
            raise reading
        return reading

    inbox: Inbox = SimpleQueue()
    monitor = PowerMonitor(inbox.put, read_next, clock, poll=0.001)
    events = [next_of(inbox) for _ in range(4)]
    monitor.close()
    assert [(type(event), getattr(event, "part")) for event in events] == [  # noqa: B009 - parts alone come here
        (PartLost, "heat"),
        (PartLost, "power"),
        (PartBack, "power"),
        (PartBack, "heat"),
    ]


def test_undervoltage_is_reported_again_after_a_failed_poll() -> None:
    """The loss of the poll had replaced it."""
    readings: list[Reading | Exception] = [LOW, ValueError("no memory"), LOW]

    def read_next() -> Reading:
        reading = readings.pop(0) if readings else LOW
        if isinstance(reading, Exception):
            raise reading
        return reading

    inbox: Inbox = SimpleQueue()
    monitor = PowerMonitor(inbox.put, read_next, Clock(), poll=0.001)
    events = [next_of(inbox) for _ in range(4)]
    monitor.close()
    assert [event.reason if isinstance(event, PartLost) else type(event) for event in events] == [
        Loss.VOLTAGE,
        Loss.FAILED,
        PartBack,
        Loss.VOLTAGE,
    ]


def test_a_machine_without_a_reading_has_no_fault() -> None:
    inbox: Inbox = SimpleQueue()
    reads: list[bool] = []

    def read_next() -> None:
        reads.append(True)

    monitor = PowerMonitor(inbox.put, read_next, poll=0.0)
    until(lambda: reads != [])
    sleep(0.01)
    monitor.close()
    assert len(reads) == 1, "such a machine is not polled as often as a Pi"
    assert waiting_in(inbox) == []
