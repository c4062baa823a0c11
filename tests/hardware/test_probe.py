"""Probing of wires, with the real libraries on mock pins and pseudo-terminals."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPin
from msgspec.structs import replace
from serial import Serial

from hardware.diagnostics.doctor import Finding, Status
from hardware.diagnostics.probe import listen_to, probe
from hardware.layout.model import SIMULATED, Layout

from .fake_readers import FakeRdm6300
from .waiting import PATIENCE


def probed(layout: Layout, factory: MockFactory, port: str = "/dev/none") -> list[Finding]:
    return probe(layout, lambda _part: True, lambda: factory, lambda _reader: port)


class GroundedPin(MockPin):  # type: ignore[misc]
    """A pin that is connected to ground: its pull-up resistor is weaker."""

    def _set_pull(self, value: str) -> None:
        pass


def held_at_ground(*numbers: int) -> MockFactory:
    """Return pins, some of which are connected to ground."""
    factory = MockFactory()
    for number in numbers:
        factory.pin(number, pin_class=GroundedPin).drive_low()
    return factory


def test_closed_buttons_are_a_guess(duo: Layout) -> None:
    no_readers = replace(duo, readers=())
    assert probed(no_readers, held_at_ground()) == []
    (guess,) = probed(no_readers, held_at_ground(12, 16))
    assert guess.state is Status.GUESS
    assert "ok (GPIO12), undo (GPIO16)" in guess.message and "stuck" in guess.remedy


def test_all_buttons_closed_are_one_guess(duo: Layout) -> None:
    pins = [it.switch for it in duo.buttons if isinstance(it.switch, int)]
    (guess,) = probed(replace(duo, readers=()), held_at_ground(*pins))
    assert guess.message.startswith("all buttons are closed")


def test_pins_used_by_a_running_table_are_a_guess(duo: Layout) -> None:
    def busy() -> MockFactory:
        raise OSError(16, "GPIO busy")

    (guess,) = probe(replace(duo, readers=()), lambda _part: True, busy)
    assert "running" in guess.remedy


@pytest.mark.parametrize(
    ("data", "state", "text"),
    [
        (b"", None, ""),
        (b"\0\0\0", Status.GUESS, "held low"),
        (b"\xfe\x81\x7e", Status.GUESS, "invalid data"),
        (b"\x0262E3086CED08\x03", Status.FINE, "62E3086CED"),
    ],
)
def test_data_of_a_reader(duo: Layout, tmp_path: Path, data: bytes, state: Status | None, text: str) -> None:
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
    assert all(text in finding.message for finding in found)


@pytest.mark.system
def test_listening_returns_all_bytes_of_a_port(tmp_path: Path) -> None:
    reader = FakeRdm6300(tmp_path / "ttyFake0")
    with Serial(str(reader.path), 9600, timeout=0.01) as port:
        reader.send(b"first")
        reader.send(b" second")
        assert listen_to(port, seconds=0.1) == b"first second"
    reader.unplug()


def test_a_part_with_faults_is_not_probed(duo: Layout) -> None:
    assert probe(duo, lambda _part: False) == []
