"""Readers on real serial ports: those that tell tags by themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

import pytest
from serial import Serial, SerialException

from hardware.api import Loss, PartBack, PartError, PartLost, TagArrived, TagLeft
from hardware.drivers import rfid
from hardware.drivers.raspberry_pi import Board, device_of
from hardware.drivers.rfid import LEAVES, TagReaders, Times
from hardware.layout.file import ReadersDriver
from hardware.layout.model import Drivers, Layout, Reader

from .fake_readers import FakeId12La, FakePort, FakeRdm6300
from .waiting import Clock, Inbox, next_of, until, waiting_in

PI_3 = Board("Raspberry Pi 3 Model B", 3)
PI_4 = Board("Raspberry Pi 4 Model B", 4)
PI_5 = Board("Raspberry Pi 5 Model B", 5)
TAG = "62E3086CED"
OTHER = "0A00B1C2D3"


@pytest.fixture
def inbox() -> Inbox:
    return SimpleQueue()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[FakeRdm6300]:
    made = FakeRdm6300(tmp_path / "ttyFake0")
    yield made
    made.unplug()


Listen = Callable[..., TagReaders]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ports that were opened and are listened to, in order.

    What is sent before that is lost, and so is time that passes.
    """
    opened: list[str] = []

    class ListenedTo(Serial):
        first = True

        def read(self, size: int = 1, /) -> bytes:
            if self.first:
                self.first = False
                opened.append(str(self.port))
            return super().read(size)

    monkeypatch.setattr(rfid, "Serial", ListenedTo)
    return opened


@pytest.fixture
def listen(duo: Layout, inbox: Inbox, clock: Clock, opened: list[str]) -> Iterator[Listen]:
    """Listen to readers of a kind on these ports; the first is `shared`, the others are displays'."""
    listening: list[TagReaders] = []

    def listen(*ports: FakePort, kind: ReadersDriver = "rdm6300") -> TagReaders:
        names = ["shared", *(f"display.{number}" for number in range(1, len(ports)))]
        named = tuple(Reader(name, str(port.path)) for name, port in zip(names, ports, strict=True))
        layout = replace(duo, readers=named, drivers=Drivers("simulated", "simulated", kind))
        listening.append(TagReaders(layout, clock=clock, times=Times(read=0.02)))
        listening[-1].start(inbox.put)
        return listening[-1]

    yield listen
    for readers in listening:
        readers.close()


def test_a_tag_on_an_rdm6300_arrives_once_and_leaves(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: opened != [])
    for _ in range(20):
        reader.read_tag(TAG)
    assert next_of(inbox) == TagArrived("shared", TAG, 100.0)
    clock.now += LEAVES / 2
    reader.read_tag(TAG)
    reader.read_tag(OTHER)
    assert next_of(inbox) == TagArrived("shared", OTHER, clock.now)
    clock.now += 2 * LEAVES
    assert [next_of(inbox) for _ in range(2)] == [
        TagLeft("shared", TAG, 100.0 + 1.5 * LEAVES),
        TagLeft("shared", OTHER, 100.0 + 1.5 * LEAVES),
    ]
    assert inbox.empty()


def test_a_tag_on_an_id_12la(tmp_path: Path, listen: Listen, inbox: Inbox, opened: list[str]) -> None:
    reader = FakeId12La(tmp_path / "ttyFake0")
    listen(reader, kind="id-12la")
    until(lambda: opened != [])
    reader.read_tag(TAG)
    assert next_of(inbox) == TagArrived("shared", TAG, 100.0)
    reader.unplug()


def test_a_frame_in_pieces_after_noise(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: opened != [])
    for piece in (b"\x00\xfe\x02123", b"\x0262E30", b"86CED08", b"\x03"):
        reader.send(piece)
    assert next_of(inbox) == TagArrived("shared", TAG, 100.0)


def test_a_reader_that_is_unplugged_and_plugged_in_again(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: opened != [])
    reader.read_tag(TAG)
    assert isinstance(next_of(inbox), TagArrived)
    reader.unplug()
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.UNPLUGGED)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.ABSENT
    assert str(reader.path) in lost.message
    began = monotonic()
    reader.plug()
    assert next_of(inbox) == PartBack("reader.shared", 100.0)
    reader.read_tag(TAG)
    reader.read_tag(OTHER)
    assert next_of(inbox) == TagArrived("shared", OTHER, 100.0), "the tag that lay there did not come anew"
    assert monotonic() - began < 10


def test_a_reader_that_comes_after_the_table(reader: FakeRdm6300, listen: Listen, inbox: Inbox) -> None:
    reader.unplug()
    listen(reader)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.ABSENT
    assert "doctor" in lost.message
    reader.plug()
    assert isinstance(next_of(inbox), PartBack)
    reader.read_tag(TAG)
    assert isinstance(next_of(inbox), TagArrived)


def test_a_port_that_another_program_has(reader: FakeRdm6300, listen: Listen, inbox: Inbox) -> None:
    with Serial(str(reader.path), exclusive=True):
        listen(reader)
        lost = next_of(inbox)
        assert isinstance(lost, PartLost) and lost.reason is Loss.BUSY
    assert isinstance(next_of(inbox), PartBack)


def test_a_port_that_this_user_may_not_use(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is made here, because root, whom tests may run as, is never refused."""

    def refuse(*_arguments: Any, **_options: Any) -> Any:
        raise SerialException(13, "could not open port: Permission denied")

    monkeypatch.setattr(rfid, "Serial", refuse)
    listen(reader)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.DENIED
    assert "dialout" in lost.message


def test_one_lost_reader_leaves_the_other_alone(
    reader: FakeRdm6300, tmp_path: Path, listen: Listen, inbox: Inbox, opened: list[str]
) -> None:
    other = FakeRdm6300(tmp_path / "ttyFake1")
    listen(reader, other)
    until(lambda: len(opened) == 2)
    reader.unplug()
    assert isinstance(next_of(inbox), PartLost)
    assert isinstance(next_of(inbox), PartLost)
    other.read_tag(TAG)
    assert next_of(inbox) == TagArrived("display.1", TAG, 100.0)
    other.unplug()


@pytest.mark.parametrize("noise", [b"\x00" * 300, b"\x0299" * 50, b"hello, I am a modem\r\n" * 20])
def test_what_makes_no_sense_is_told_until_a_tag_does(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, opened: list[str], noise: bytes
) -> None:
    listen(reader)
    until(lambda: opened != [])
    reader.send(noise)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.GARBLED)
    until(lambda: len(opened) == 2)
    reader.read_tag(TAG)
    assert {type(next_of(inbox)), type(next_of(inbox))} == {PartBack, TagArrived}


def test_a_reader_that_goes_on_making_no_sense_is_told_once(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: len(opened) == 1)
    reader.send(b"\x00" * 300)
    until(lambda: len(opened) == 2)
    reader.send(b"\x00" * 300)
    until(lambda: len(opened) == 3)
    assert [type(event) for event in waiting_in(inbox)] == [PartLost]


def test_a_noisy_reader_that_has_become_quiet_is_believed(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: opened != [])
    reader.send(b"\x00" * 300)
    assert isinstance(next_of(inbox), PartLost)
    until(lambda: len(opened) > 1)
    clock.now += 2 * rfid.USUAL.clean
    assert isinstance(next_of(inbox), PartBack)


def test_a_port_that_is_silent_for_long_is_opened_anew_without_a_word(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    listen(reader)
    until(lambda: len(opened) == 1)
    clock.now += rfid.USUAL.silent + 1
    until(lambda: len(opened) == 2)
    reader.read_tag(TAG)
    assert next_of(inbox) == TagArrived("shared", TAG, clock.now)


def test_closing_gives_the_port_back(
    reader: FakeRdm6300, listen: Listen, inbox: Inbox, opened: list[str]
) -> None:
    readers = listen(reader)
    until(lambda: opened != [])
    reader.read_tag(TAG)
    next_of(inbox)
    readers.close()
    readers.close()
    assert not any(thread.name.startswith("reader.") for thread in threading.enumerate())
    with Serial(str(reader.path), exclusive=True):
        pass
    assert waiting_in(inbox) == []


# Which port is at which pin


def ttys(root: Path, **devices: str) -> None:
    """Make the serial ports of a Pi: each name with the address that it has in the chip."""
    for name, address in devices.items():
        device = root / "sys/devices/platform" / address / f"{address}:0" / f"{address}:0.0"
        (device / "tty" / name).mkdir(parents=True)
        (root / "sys/class/tty" / name).mkdir(parents=True)
        (root / "sys/class/tty" / name / "device").symlink_to(device)


def test_the_serial_port_that_every_pi_has(tmp_path: Path) -> None:
    for board in (PI_3, PI_4):
        assert device_of(15, board, tmp_path) == str(tmp_path / "dev/serial0")


def test_ports_are_known_by_their_address_however_the_kernel_numbers_them(tmp_path: Path) -> None:
    ttys(tmp_path, ttyAMA0="fe201000.serial", ttyAMA1="fe201600.serial", ttyAMA5="fe201a00.serial")
    assert device_of(5, PI_4, tmp_path) == str(tmp_path / "dev/ttyAMA1")
    assert device_of(13, PI_4, tmp_path) == str(tmp_path / "dev/ttyAMA5")


def test_the_ports_of_a_pi_5(tmp_path: Path) -> None:
    ttys(tmp_path, ttyAMA10="107d001000.serial", ttyAMA0="1f00030000.serial", ttyAMA3="1f0003c000.serial")
    assert device_of(15, PI_5, tmp_path) == str(tmp_path / "dev/ttyAMA0")
    assert device_of(9, PI_5, tmp_path) == str(tmp_path / "dev/ttyAMA3")


@pytest.mark.parametrize(
    ("pin", "board", "words"),
    [
        (15, None, "Raspberry Pi, and this machine is none"),
        (5, PI_3, "GPIO15"),
        (9, PI_4, "dtoverlay=uart4"),
        (15, PI_5, "dtparam=uart0=on"),
        (5, PI_5, "dtoverlay=uart2-pi5"),
    ],
)
def test_a_port_that_is_not_there(tmp_path: Path, pin: int, board: Board | None, words: str) -> None:
    with pytest.raises(PartError, match=words) as raised:
        device_of(pin, board, tmp_path)
    assert raised.value.reason is Loss.ABSENT


def test_a_pin_needs_a_pi(duo: Layout, inbox: Inbox) -> None:
    """On this machine: the layout duo names GPIO15."""
    readers = TagReaders(duo)
    readers.start(inbox.put)
    lost = next_of(inbox)
    readers.close()
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.ABSENT)
