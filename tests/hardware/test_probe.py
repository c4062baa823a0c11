"""What can be guessed of a table's wires, by the real libraries on mock pins and real ports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory
from serial import Serial

from hardware.diagnostics.doctor import Finding, Status
from hardware.diagnostics.probe import listen_to, probe
from hardware.layout.model import SIMULATED, Layout

from .fake_readers import FakeRdm6300
from .waiting import PATIENCE


def listened(layout: Layout, factory: MockFactory, port: str = "/dev/none") -> list[Finding]:
    return probe(layout, lambda _part: True, lambda: factory, lambda _reader: port)


def held_at_ground(*numbers: int) -> MockFactory:
    """Pins, some of which lie at ground: the Pi's own resistors are weaker."""
    factory = MockFactory()
    for number in numbers:
        pin = factory.pin(number)
        pin._set_pull = lambda _pull: None
        pin.drive_low()
    return factory


def test_buttons_that_are_closed_though_nobody_presses(duo: Layout) -> None:
    no_readers = replace(duo, readers=())
    assert listened(no_readers, held_at_ground()) == []
    (guess,) = listened(no_readers, held_at_ground(12, 16))
    assert guess.state is Status.GUESS
    assert "ok (GPIO12), undo (GPIO16)" in guess.message and "stuck" in guess.remedy


def test_buttons_that_are_all_closed(duo: Layout) -> None:
    pins = [it.switch for it in duo.buttons if isinstance(it.switch, int)]
    (guess,) = listened(replace(duo, readers=()), held_at_ground(*pins))
    assert guess.message.startswith("all buttons are closed")


def test_pins_that_a_running_table_has(duo: Layout) -> None:
    def busy() -> MockFactory:
        raise OSError(16, "GPIO busy")

    (guess,) = probe(replace(duo, readers=()), lambda _part: True, busy)
    assert "running" in guess.remedy


@pytest.mark.parametrize(
    ("data", "state", "told"),
    [
        (b"", None, ""),
        (b"\0\0\0", Status.GUESS, "held low"),
        (b"\xfe\x81\x7e", Status.GUESS, "invalid data"),
        (b"\x0262E3086CED08\x03", Status.FINE, "62E3086CED"),
    ],
)
def test_what_a_reader_sends(
    duo: Layout, tmp_path: Path, data: bytes, state: Status | None, told: str
) -> None:
    reader = FakeRdm6300(tmp_path / "ttyFake0")

    def listen(port: Serial) -> bytes:
        reader.send(data)
        port.timeout = PATIENCE
        return port.read(len(data))

    found = probe(
        replace(duo, drivers=replace(SIMULATED, readers="rdm6300")),
        lambda _part: True,
        port_of=lambda _reader: str(reader.path),
        listen=listen,
    )
    reader.unplug()
    assert [finding.state for finding in found] == ([state] if state else [])
    assert all(told in finding.message for finding in found)


def test_a_port_is_listened_to_for_a_while(tmp_path: Path) -> None:
    reader = FakeRdm6300(tmp_path / "ttyFake0")
    with Serial(str(reader.path), 9600, timeout=0.01) as port:
        reader.send(b"first")
        reader.send(b" second")
        assert listen_to(port, seconds=0.1) == b"first second"
    reader.unplug()


def test_a_part_with_faults_is_not_listened_to(duo: Layout) -> None:
    assert probe(duo, lambda _part: False) == []
