"""RDM6300 and ID-12LA readers on pseudo-terminals."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

import pytest
from msgspec.structs import replace
from serial import Serial, SerialException

from hardware.api import Loss, PartBack, PartLost, TagArrived, TagLeft
from hardware.drivers import rfid
from hardware.drivers.rfid import LEAVES, TagReaders, Times
from hardware.layout.file import ReadersDriver
from hardware.layout.model import Drivers, Layout, Reader

from .fake_readers import FakeId12La, FakePort, FakeRdm6300
from .waiting import Clock, Inbox, next_of, until, waiting_in

pytestmark = pytest.mark.system

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


Start = Callable[..., TagReaders]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the ports that the driver has opened and reads, in order.

    Bytes that are sent before that are lost.
    """
    opened: list[str] = []

    class RecordingSerial(Serial):
        first = True

        def read(self, size: int = 1, /) -> bytes:
            if self.first:
                self.first = False
                opened.append(str(self.port))
            return super().read(size)

    monkeypatch.setattr(rfid, "Serial", RecordingSerial)
    return opened


@pytest.fixture
def start(duo: Layout, inbox: Inbox, clock: Clock, opened: list[str]) -> Iterator[Start]:
    """Return a function that starts readers on ports; the first is `shared`, the others are of displays."""
    started: list[TagReaders] = []

    def start(*ports: FakePort, kind: ReadersDriver = "rdm6300") -> TagReaders:
        names = ["shared", *(f"display.{number}" for number in range(1, len(ports)))]
        named = tuple(Reader(name, str(port.path)) for name, port in zip(names, ports, strict=True))
        layout = replace(duo, readers=named, drivers=Drivers("simulated", "simulated", kind))
        started.append(TagReaders(layout, clock=clock, times=Times(read=0.02)))
        started[-1].start(inbox.put)
        return started[-1]

    yield start
    for readers in started:
        readers.close()


def test_a_tag_on_an_rdm6300_arrives_once_and_leaves(
    reader: FakeRdm6300, start: Start, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    start(reader)
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


def test_a_tag_on_an_id_12la_arrives(tmp_path: Path, start: Start, inbox: Inbox, opened: list[str]) -> None:
    reader = FakeId12La(tmp_path / "ttyFake0")
    start(reader, kind="id-12la")
    until(lambda: opened != [])
    reader.read_tag(TAG)
    assert next_of(inbox) == TagArrived("shared", TAG, 100.0)
    reader.unplug()


def test_a_frame_in_pieces_after_noise_is_read(
    reader: FakeRdm6300, start: Start, inbox: Inbox, opened: list[str]
) -> None:
    start(reader)
    until(lambda: opened != [])
    for piece in (b"\x00\xfe\x02123", b"\x0262E30", b"86CED08", b"\x03"):
        reader.send(piece)
    assert next_of(inbox) == TagArrived("shared", TAG, 100.0)


def test_a_reader_that_is_unplugged_is_opened_again_when_it_is_back(
    reader: FakeRdm6300, start: Start, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    start(reader)
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
    clock.now += 60
    reader.plug()
    assert next_of(inbox) == PartBack("reader.shared", clock.now)
    reader.read_tag(TAG)
    reader.read_tag(OTHER)
    assert next_of(inbox) == TagArrived("shared", OTHER, clock.now), (
        "the tag that still lay there arrived again"
    )
    assert monotonic() - began < 10


def test_a_reader_that_is_plugged_in_later_is_opened(reader: FakeRdm6300, start: Start, inbox: Inbox) -> None:
    reader.unplug()
    start(reader)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.ABSENT
    assert "doctor" in lost.message
    reader.plug()
    assert isinstance(next_of(inbox), PartBack)
    reader.read_tag(TAG)
    assert isinstance(next_of(inbox), TagArrived)


def test_a_port_used_by_another_program_is_lost(reader: FakeRdm6300, start: Start, inbox: Inbox) -> None:
    with Serial(str(reader.path), exclusive=True):
        start(reader)
        lost = next_of(inbox)
        assert isinstance(lost, PartLost) and lost.reason is Loss.BUSY
    assert isinstance(next_of(inbox), PartBack)


def test_a_port_without_permission_is_lost(
    reader: FakeRdm6300, start: Start, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is simulated, because root, as whom tests may run, has every permission."""

    def refuse(*_arguments: Any, **_options: Any) -> Any:
        raise SerialException(13, "could not open port: Permission denied")

    monkeypatch.setattr(rfid, "Serial", refuse)
    start(reader)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and lost.reason is Loss.DENIED
    assert "dialout" in lost.message


def test_a_file_that_is_not_a_port_is_lost(
    reader: FakeRdm6300, tmp_path: Path, start: Start, inbox: Inbox
) -> None:
    reader.unplug()
    reader.path.write_text("")
    start(reader)
    lost = next_of(inbox)
    reader.path.unlink()
    assert isinstance(lost, PartLost) and lost.reason is Loss.FAILED
    assert f"{reader.path} can't be opened" in lost.message


def test_the_loss_of_a_reader_does_not_affect_another(
    reader: FakeRdm6300, tmp_path: Path, start: Start, inbox: Inbox, opened: list[str]
) -> None:
    other = FakeRdm6300(tmp_path / "ttyFake1")
    start(reader, other)
    until(lambda: len(opened) == 2)
    reader.unplug()
    assert isinstance(next_of(inbox), PartLost)
    assert isinstance(next_of(inbox), PartLost)
    other.read_tag(TAG)
    assert next_of(inbox) == TagArrived("display.1", TAG, 100.0)
    other.unplug()


@pytest.mark.parametrize("noise", [b"\x00" * 300, b"\x0299" * 50, b"hello, I am a modem\r\n" * 20])
def test_a_reader_that_sends_garbage_is_lost_until_it_sends_a_tag(
    reader: FakeRdm6300, start: Start, inbox: Inbox, opened: list[str], noise: bytes
) -> None:
    start(reader)
    until(lambda: opened != [])
    reader.send(noise)
    lost = next_of(inbox)
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.GARBLED)
    until(lambda: len(opened) == 2)
    reader.read_tag(TAG)
    assert {type(next_of(inbox)), type(next_of(inbox))} == {PartBack, TagArrived}


def test_noise_between_tags_does_not_add_up(
    reader: FakeRdm6300, start: Start, inbox: Inbox, opened: list[str]
) -> None:
    """Only the noise since the last tag counts."""
    start(reader)
    until(lambda: opened != [])
    for number in range(5):
        reader.send(b"\x0299" * (rfid.MAX_DAMAGED - 1))
        until(lambda: reader.unread() == 0)  # the noise and the tag are read one after the other
        reader.read_tag(f"{number:010X}")
        assert isinstance(next_of(inbox), TagArrived)


def test_a_reader_that_continues_to_send_garbage_is_lost_once(
    reader: FakeRdm6300, start: Start, inbox: Inbox, opened: list[str]
) -> None:
    start(reader)
    until(lambda: len(opened) == 1)
    reader.send(b"\x00" * 300)
    until(lambda: len(opened) == 2)
    reader.send(b"\x00" * 300)
    until(lambda: len(opened) == 3)
    assert [type(event) for event in waiting_in(inbox)] == [PartLost]


def test_a_noisy_reader_that_is_quiet_again_is_back(
    reader: FakeRdm6300, start: Start, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    start(reader)
    until(lambda: opened != [])
    reader.send(b"\x00" * 300)
    assert isinstance(next_of(inbox), PartLost)
    until(lambda: len(opened) > 1)
    clock.now += 2 * rfid.USUAL.clean
    assert isinstance(next_of(inbox), PartBack)


def test_a_port_that_is_silent_for_long_is_opened_again_without_an_event(
    reader: FakeRdm6300, start: Start, inbox: Inbox, clock: Clock, opened: list[str]
) -> None:
    start(reader)
    until(lambda: len(opened) == 1)
    clock.now += rfid.USUAL.silent + 1
    until(lambda: len(opened) == 2)
    reader.read_tag(TAG)
    assert next_of(inbox) == TagArrived("shared", TAG, clock.now)


def test_closing_releases_the_port(
    reader: FakeRdm6300, start: Start, inbox: Inbox, opened: list[str]
) -> None:
    readers = start(reader)
    until(lambda: opened != [])
    reader.read_tag(TAG)
    next_of(inbox)
    readers.close()
    readers.close()
    assert not any(thread.name.startswith("reader.") for thread in threading.enumerate())
    with Serial(str(reader.path), exclusive=True):
        pass
    assert waiting_in(inbox) == []


def test_a_reader_on_a_pin_needs_a_raspberry_pi(duo: Layout, inbox: Inbox) -> None:
    """On this machine: the layout duo names GPIO15."""
    readers = TagReaders(duo)
    readers.start(inbox.put)
    lost = next_of(inbox)
    readers.close()
    assert isinstance(lost, PartLost) and (lost.part, lost.reason) == ("reader.shared", Loss.ABSENT)
