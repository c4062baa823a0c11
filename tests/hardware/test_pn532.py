"""The PN532 through Adafruit's real driver, a chip that is none, and a real serial port between them."""

from __future__ import annotations

import errno
import termios
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import pytest
from serial import Serial

from hardware.api import Loss, PartBack, PartLost, TagArrived, TagLeft
from hardware.drivers.rfid import LEAVES, TagReaders, Times
from hardware.layout.model import Drivers, Layout, Reader

from . import vendors
from .fake_readers import FakePn532
from .waiting import Clock, Inbox, next_of, until

SHORT = bytes.fromhex("DEADBEEF")
LONG = bytes.fromhex("04A1B2C3D4E5F6")


@pytest.fixture
def chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePn532]:
    vendors.blinka()
    monkeypatch.setattr("adafruit_pn532.uart.time", vendors.Looks())
    made = FakePn532(tmp_path / "ttyFake0")
    yield made
    made.unplug()


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


@pytest.fixture
def clock() -> Clock:
    """Stands still: no tag leaves because the machine is busy."""
    return Clock()


Listen = Callable[..., TagReaders]


@pytest.fixture
def listen(duo: Layout, inbox: Inbox) -> Iterator[Listen]:
    opened: list[TagReaders] = []

    def listen(chip: FakePn532, clock: Callable[[], float] = monotonic, **times: float) -> TagReaders:
        readers = (Reader("shared", str(chip.path)),)
        layout = replace(duo, readers=readers, drivers=Drivers("simulated", "simulated", "pn532"))
        opened.append(TagReaders(layout, clock=clock, times=Times(**times)))
        opened[-1].start(inbox.put)
        return opened[-1]

    yield listen
    for readers in opened:
        readers.close()


@pytest.mark.parametrize("number", [SHORT, LONG])
def test_a_tag_at_rest_arrives_once_and_leaves(
    chip: FakePn532, listen: Listen, inbox: Inbox, clock: Clock, number: bytes
) -> None:
    chip.tag = number
    listen(chip, clock)
    tag = number.hex().upper()
    assert next_of(inbox) == TagArrived("shared", tag, clock.now)
    until(lambda: chip.asked.count(0x4A) > 3)
    assert inbox.empty()
    chip.tag = None
    clock.now += LEAVES
    assert next_of(inbox) == TagLeft("shared", tag, clock.now)


def test_tags_one_after_another(chip: FakePn532, listen: Listen, inbox: Inbox, clock: Clock) -> None:
    listen(chip, clock)
    for number in (SHORT, LONG, SHORT[::-1]):
        chip.tag = number
        arrived = next_of(inbox)
        assert isinstance(arrived, TagArrived) and arrived.tag == number.hex().upper()


def test_a_chip_that_went_deaf_is_noticed_and_woken_again(
    chip: FakePn532, listen: Listen, inbox: Inbox
) -> None:
    listen(chip, health_check=0.2)
    until(lambda: chip.woken > 0)
    chip.deaf = True
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.SILENT)
    chip.deaf = False
    assert isinstance(next_of(inbox), PartBack)
    assert chip.woken >= 2
    chip.tag = SHORT
    assert isinstance(next_of(inbox), TagArrived)


def test_a_chip_that_is_well_is_asked_for_its_health_while_no_tag_lies_there(
    chip: FakePn532, listen: Listen, inbox: Inbox
) -> None:
    listen(chip, health_check=0.1)
    until(lambda: chip.asked.count(0x02) > 2)
    assert inbox.empty()


def test_a_chip_that_has_seen_nothing_for_long_is_initialised_anew(
    chip: FakePn532, listen: Listen, inbox: Inbox
) -> None:
    listen(chip, initialize=0.3)
    until(lambda: chip.woken > 1)
    assert inbox.empty()


def test_a_chip_that_answers_nonsense(chip: FakePn532, listen: Listen, inbox: Inbox) -> None:
    listen(chip)
    until(lambda: 0x4A in chip.asked)
    chip.mad = True  # before the tag is there
    chip.tag = SHORT
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.GARBLED
    chip.mad = False
    assert {type(next_of(inbox)) for _ in range(2)} in ({PartBack, TagArrived}, {PartLost, PartBack})


def test_nobody_at_the_port(chip: FakePn532, listen: Listen, inbox: Inbox) -> None:
    chip.deaf = True
    listen(chip)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.SILENT
    assert "UART" in lost.message


def test_a_chip_that_is_unplugged_while_its_port_is_cleared(
    chip: FakePn532, listen: Listen, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug mended: that fails with an error of its own, which was told as nobody knows what."""

    def gone(_port: Serial) -> None:
        raise termios.error(errno.EIO, "Input/output error")

    listen(chip)
    until(lambda: 0x4A in chip.asked)
    monkeypatch.setattr(Serial, "reset_input_buffer", gone)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.UNPLUGGED


def test_a_chip_that_is_unplugged_and_plugged_in_again(
    chip: FakePn532, listen: Listen, inbox: Inbox, clock: Clock
) -> None:
    chip.tag = SHORT
    listen(chip, clock)
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
    assert event.tag == LONG.hex().upper(), "the tag that lay there did not come anew"
