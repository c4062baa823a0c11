"""Raspberry Pi: vendor libraries with their versions, and serial ports by pin."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from hardware.api import Loss, PartError
from hardware.diagnostics.doctor import Status, examine
from hardware.drivers import raspberry_pi
from hardware.drivers.raspberry_pi import Board, Library, device_of
from hardware.layout.model import Layout

from .fake_pi import FakePi

PI_3 = Board("Raspberry Pi 3 Model B", 3)
PI_4 = Board("Raspberry Pi 4 Model B", 4)
PI_5 = Board("Raspberry Pi 5 Model B", 5)


@pytest.fixture
def pi(tmp_path: Path) -> FakePi:
    return FakePi(tmp_path)


def remedy(layout: Layout, pi: FakePi) -> str:
    """Return the remedy of the only fault."""
    (fault,) = (finding for finding in examine(layout, pi.machine) if finding.state is Status.FAULT)
    assert fault.part == "libraries"
    return fault.remedy


def test_the_bounds_are_those_of_pyproject_toml() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    written = {}
    extras = project["project"]["optional-dependencies"]
    for requirement in extras["pi"] + extras["pwm"]:
        found = re.fullmatch(r"([\w-]+)(>=[^;]+?)\s*(?:;.*)?", requirement)
        assert found is not None
        written[found[1]] = found[2]
    libraries = [it for it in vars(raspberry_pi).values() if isinstance(it, Library)]
    assert written == {library.name: library.bounds for library in libraries}


@pytest.mark.parametrize(
    ("version", "accepted"),
    [
        ("2.2.2", True),
        ("2.2.1", False),
        ("2.10", True),
        ("3.0", False),
        ("2.2.2.post1", True),
        ("what", False),
    ],
)
def test_versions_within_the_bounds(version: str, accepted: bool) -> None:  # noqa: FBT001
    assert Library("gpiod", (2, 2, 2), (3,)).accepts(version) is accepted


def test_installed_versions() -> None:
    assert raspberry_pi.installed_version("gpiozero") is not None
    assert raspberry_pi.installed_version("azul-table-of-stone") is None


@pytest.mark.system
def test_a_library_is_installed_into_the_environment_of_this_program(duo: Layout, pi: FakePi) -> None:
    """`pip install` alone is that of the system, which refuses, or installs for another Python."""
    del pi.versions["gpiozero"]
    assert remedy(duo, pi) == ("sudo /opt/azul-table/bin/python3 -m pip install 'gpiozero>=2.0.1,<3'")


@pytest.mark.system
def test_a_library_without_a_final_release_is_installed_by_its_candidate(duo: Layout, tmp_path: Path) -> None:
    """Pip ignores the candidate of the Pi 5's NeoPixel library unless the bound names it."""
    pi = FakePi(tmp_path, 5)
    del pi.versions["adafruit-blinka-raspberry-pi5-neopixel"]
    by_pio = replace(duo, drivers=replace(duo.drivers, lights="pio"))
    assert "-m pip install 'adafruit-blinka-raspberry-pi5-neopixel>=1.0.0rc2,<2'" in remedy(by_pio, pi)


@pytest.mark.system
def test_a_library_without_a_wheel_is_compiled(duo: Layout, pi: FakePi) -> None:
    del pi.versions["rpi_ws281x"]
    by_pwm = replace(duo, chains=(replace(duo.chains[0], pin=18),))
    pi.is_root = True
    pi.config("dtparam=spi=on", "dtparam=audio=off")
    assert "apt install gcc python3-dev && sudo /opt" in remedy(by_pwm, pi)


@pytest.mark.parametrize("generation", [4, 5])
def test_lights_by_spi_need_no_library(duo: Layout, tmp_path: Path, generation: int) -> None:
    pi = FakePi(tmp_path, generation)
    needed = raspberry_pi.required_libraries(duo, pi.machine.board)
    assert [library.name for library in needed] == ["gpiozero", "lgpio"]


@pytest.mark.system
def test_a_new_python_compiles_lgpio(duo: Layout, pi: FakePi) -> None:
    del pi.versions["lgpio"]
    assert "apt" not in remedy(duo, pi)
    pi.python = (3, 13)
    assert "sudo apt install gcc python3-dev swig liblgpio-dev && " in remedy(duo, pi)


# --- Serial ports by pin ---


def ttys(root: Path, **devices: str) -> None:
    """Make the serial ports of a Pi, each name with its address in the chip."""
    for name, address in devices.items():
        device = root / "sys/devices/platform" / address / f"{address}:0" / f"{address}:0.0"
        (device / "tty" / name).mkdir(parents=True)
        (root / "sys/class/tty" / name).mkdir(parents=True)
        (root / "sys/class/tty" / name / "device").symlink_to(device)


def test_every_pi_has_a_serial_port_at_gpio15(tmp_path: Path) -> None:
    for board in (PI_3, PI_4):
        assert device_of(15, board, tmp_path) == str(tmp_path / "dev/serial0")


def test_ports_are_identified_by_their_address_in_the_chip(tmp_path: Path) -> None:
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
        (5, PI_4, "dtoverlay=uart3"),
        (13, PI_4, "dtoverlay=uart5"),
        (5, PI_5, "dtoverlay=uart2-pi5"),
        (9, PI_5, "dtoverlay=uart3-pi5"),
        (13, PI_5, "dtoverlay=uart4-pi5"),
    ],
)
def test_a_missing_port_is_an_error_with_a_remedy(
    tmp_path: Path, pin: int, board: Board | None, words: str
) -> None:
    with pytest.raises(PartError, match=words) as raised:
        device_of(pin, board, tmp_path)
    assert raised.value.reason is Loss.ABSENT
