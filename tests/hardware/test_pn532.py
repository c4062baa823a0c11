"""PN532 through Adafruit's real driver, on a pseudo-terminal with a fake chip."""

from __future__ import annotations

import errno
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import pytest
from msgspec.structs import replace
from serial import Serial

from hardware.api import Loss, PartBack, PartLost, TagArrived, TagLeft
from hardware.drivers.rfid import LEAVES, MAX_INVALID, TagReaders, Times
from hardware.layout.model import Drivers, Layout, Reader

from . import vendors
from .fake_readers import FakePn532
from .waiting import Clock, Inbox, next_of, until, waiting_in

pytestmark = pytest.mark.system

SHORT = bytes.fromhex("DEADBEEF")
LONG = bytes.fromhex("04A1B2C3D4E5F6")
POLL, VERSION = 0x4A, 0x02
"""Commands of the chip: look for a tag, return the version."""


@pytest.fixture
def chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePn532]:
    vendors.blinka()
    monkeypatch.setattr("adafruit_pn532.uart.time", vendors.PollingTime())
    chip = FakePn532(tmp_path / "ttyFake0")
    yield chip
    chip.unplug()


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still, so that no tag leaves because the machine is busy."""
    return Clock()


Start = Callable[..., TagReaders]


@pytest.fixture
def start(duo: Layout, inbox: Inbox) -> Iterator[Start]:
    started: list[TagReaders] = []

    def start(chip: FakePn532, clock: Callable[[], float] = monotonic, **times: float) -> TagReaders:
        readers = (Reader("shared", str(chip.path)),)
        layout = replace(duo, readers=readers, drivers=Drivers("simulated", "simulated", "pn532"))
        started.append(TagReaders(layout, clock=clock, times=Times(read=0.02, **times)))
        started[-1].start(inbox.put)
        return started[-1]

    yield start
    for readers in started:
        readers.close()


@pytest.mark.parametrize("number", [SHORT, LONG])
def test_a_tag_at_rest_arrives_once_and_leaves(
    chip: FakePn532, start: Start, inbox: Inbox, clock: Clock, number: bytes
) -> None:
    chip.tag = number
    start(chip, clock)
    tag = number.hex().upper()
    assert next_of(inbox) == TagArrived("shared", tag, clock.now)
    until(lambda: chip.commands.count(POLL) > 3)
    assert inbox.empty()
    chip.tag = None
    clock.now += LEAVES
    assert next_of(inbox) == TagLeft("shared", tag, clock.now)


def test_tags_one_after_another_all_arrive(chip: FakePn532, start: Start, inbox: Inbox, clock: Clock) -> None:
    start(chip, clock)
    for number in (SHORT, LONG, SHORT[::-1]):
        chip.tag = number
        arrived = next_of(inbox)
        assert isinstance(arrived, TagArrived) and arrived.tag == number.hex().upper()


def test_a_chip_that_stops_answering_is_lost_and_woken_up_again(
    chip: FakePn532, start: Start, inbox: Inbox
) -> None:
    start(chip, health_check=0.2)
    until(lambda: chip.wake_ups > 0)
    chip.silent = True
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.SILENT)
    chip.silent = False
    assert isinstance(next_of(inbox), PartBack)
    assert chip.wake_ups >= 2
    chip.tag = SHORT
    assert isinstance(next_of(inbox), TagArrived)


def test_a_chip_without_a_tag_is_asked_for_its_version(chip: FakePn532, start: Start, inbox: Inbox) -> None:
    start(chip, health_check=0.1)
    until(lambda: chip.commands.count(VERSION) > 2)
    assert inbox.empty()


def test_a_chip_that_has_seen_no_tag_for_long_is_initialized_again(
    chip: FakePn532, start: Start, inbox: Inbox
) -> None:
    start(chip, initialize=0.3)
    until(lambda: chip.wake_ups > 1)
    assert inbox.empty()


def test_a_chip_that_sees_tags_is_not_initialized_again(chip: FakePn532, start: Start, inbox: Inbox) -> None:
    chip.tag = SHORT
    start(chip, initialize=0.2)
    until(lambda: chip.wake_ups == 1)
    end = monotonic() + 0.4
    until(lambda: monotonic() > end)
    assert chip.wake_ups == 1


def test_single_invalid_answers_are_no_loss(
    chip: FakePn532, start: Start, inbox: Inbox, clock: Clock
) -> None:
    start(chip, clock)
    until(lambda: POLL in chip.commands)
    chip.alternating = True
    chip.tag = SHORT
    until(lambda: chip.commands.count(POLL) > 4 * MAX_INVALID)
    assert [type(event) for event in waiting_in(inbox)] == [TagArrived]


def test_a_chip_with_invalid_answers_is_lost(chip: FakePn532, start: Start, inbox: Inbox) -> None:
    start(chip)
    until(lambda: POLL in chip.commands)
    chip.garbled = True  # before the tag is there
    chip.tag = SHORT
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.GARBLED
    chip.garbled = False
    assert {type(next_of(inbox)) for _ in range(2)} in ({PartBack, TagArrived}, {PartLost, PartBack})


def test_a_port_without_a_chip_is_lost(chip: FakePn532, start: Start, inbox: Inbox) -> None:
    chip.silent = True
    start(chip)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.SILENT
    assert "UART" in lost.message


def test_a_chip_that_is_unplugged_while_its_port_is_cleared_is_lost(
    chip: FakePn532, start: Start, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The termios error had no class of its own and was reported as an unknown failure."""

    def fail(_port: Serial) -> None:
        raise termios.error(errno.EIO, "Input/output error")

    start(chip)
    until(lambda: POLL in chip.commands)
    monkeypatch.setattr(Serial, "reset_input_buffer", fail)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.UNPLUGGED


def test_a_chip_that_is_unplugged_is_opened_again_when_it_is_back(
    chip: FakePn532, start: Start, inbox: Inbox, clock: Clock
) -> None:
    chip.tag = SHORT
    start(chip, clock)
    assert isinstance(next_of(inbox), TagArrived)
    chip.unplug()
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.UNPLUGGED
    chip.plug()
    while not isinstance(next_of(inbox), PartBack):
        pass
    chip.tag = LONG
    while not isinstance(event := next_of(inbox), TagArrived):
        pass
    assert event.tag == LONG.hex().upper(), "the tag that still lay there arrived again"
