"""Raspberry Pi: vendor libraries with their versions, and serial ports by pin."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hardware.api import Loss, PartError
from hardware.diagnostics.doctor import Status, examine
from hardware.drivers import raspberry_pi
from hardware.drivers.raspberry_pi import (
    LGPIO_CONSUMER,
    Board,
    Library,
    device_of,
    find_board,
    held_lines,
    parse_model,
)
from hardware.layout.model import Layout

from .fake_pi import FakePi
from .waiting import PATIENCE

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
    by_pwm = replace(duo, chains=(replace(duo.chains[0], wire=18),))
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


# --- Boards by their revision code ---


@pytest.mark.parametrize(
    ("model", "code", "generation", "description"),
    [
        ("Raspberry Pi 4 Model B Rev 1.5", 0xD03115, 4, "8 GB, revision code d03115"),
        ("Raspberry Pi Zero 2 W Rev 1.0", 0x902120, 3, "512 MB, revision code 902120"),
        ("Raspberry Pi 3 Model B Plus Rev 1.3", 0xA020D3, 3, "1 GB, revision code a020d3"),
        ("Raspberry Pi 5 Model B Rev 1.1", 0xE04171, 5, "16 GB, revision code e04171"),
        ("Raspberry Pi 400 Rev 1.0", 0xC03130, 4, "4 GB, revision code c03130"),
        ("Raspberry Pi 500 Rev 1.0", 0xD04190, 5, "8 GB, revision code d04190"),
        ("Raspberry Pi Compute Module 4 Rev 1.1", 0xB03141, 4, "2 GB, revision code b03141"),
        ("Raspberry Pi Compute Module 5 Rev 1.0", 0xC04180, 5, "4 GB, revision code c04180"),
        ("Raspberry Pi 2 Model B Rev 1.2", 0xA22042, 3, "1 GB, revision code a22042"),
        ("Raspberry Pi 6 Model B Rev 1.0", 0xE05200, 6, "16 GB, revision code e05200"),
        ("Raspberry Pi Model B Rev 2", 0x000E, 1, "revision code e"),
        ("Raspberry Pi 4 Model B Rev 1.4", 0, 4, ""),
    ],
)
def test_a_board_by_its_model_and_revision_code(
    model: str, code: int, generation: int, description: str
) -> None:
    """No list of known codes decides: a code that no library knows yet is as good as any."""
    board = parse_model(f"{model}\0", code)
    assert board is not None
    assert board.generation == generation
    assert board.description == ", ".join(filter(None, [model, description]))


def test_a_zero_2_and_modules_are_recognized() -> None:
    zero, module = parse_model("Raspberry Pi Zero 2 W Rev 1.0"), parse_model("Raspberry Pi Compute Module 4S")
    assert zero is not None and zero.generation == 3 and not zero.is_module
    assert module is not None and module.generation == 4 and module.is_module


def test_the_revision_code_comes_from_the_device_tree_or_from_cpuinfo(pi: FakePi) -> None:
    assert find_board(pi.root) == Board("Raspberry Pi 4 Model B Rev 1.4", 4, 0xC03114)
    pi.remove("proc/device-tree/system/linux,revision")
    assert find_board(pi.root) == Board("Raspberry Pi 4 Model B Rev 1.4", 4, 0)
    pi.write("proc/cpuinfo", "Hardware\t: BCM2835\nRevision\t: c03115\nModel\t\t: Raspberry Pi 4 Model B\n")
    assert find_board(pi.root) == Board("Raspberry Pi 4 Model B Rev 1.4", 4, 0xC03115)
    pi.write("proc/cpuinfo", "Hardware\t: Allwinner\nRevision\t: 0000\n")
    assert find_board(pi.root) == Board("Raspberry Pi 4 Model B Rev 1.4", 4, 0)


@pytest.mark.parametrize(
    ("code", "pins", "runs_64_bit"),
    [
        (0x0002, 17, False),
        (0x000F, 17, False),
        (0x0010, 28, False),
        (0x900032, 28, False),
        (0xA01041, 28, False),
        (0xA22042, 28, True),
        (0x902120, 28, True),
        (0xE04171, 28, True),
    ],
)
def test_the_header_and_the_processor_follow_from_the_revision_code(
    code: int,
    pins: int,
    runs_64_bit: bool,  # noqa: FBT001
) -> None:
    board = parse_model("Raspberry Pi of some kind", code)
    assert board is not None
    assert len(board.header) == pins and board.runs_64_bit is runs_64_bit


# --- GPIO lines, by the real libraries ---

CHIP_SOURCE = Path(__file__).with_name("fake_gpiochip.c")


@pytest.fixture
def gpio_chips(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that runs a Python program with faked GPIO chips, and returns the JSON it prints."""
    library = tmp_path / "fake_gpiochip.so"
    compiled = ["gcc", "-shared", "-fPIC", "-o", str(library), str(CHIP_SOURCE), "-ldl"]
    subprocess.run(compiled, check=True, timeout=PATIENCE)

    def run(program: str, labels: str, lines: str, *arguments: str) -> Any:
        fakes = {"LD_PRELOAD": str(library), "FAKE_GPIO_LABELS": labels, "FAKE_GPIO_LINES": lines}
        environment = {**os.environ, **fakes, "LG_WD": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "error", "-c", program, *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


HELD = """
import json, sys
from pathlib import Path
from hardware.drivers.raspberry_pi import held_lines
print(json.dumps(held_lines(Path(sys.argv[1]))))
"""


@pytest.mark.system
def test_the_kernel_says_who_holds_the_lines_of_the_header(
    tmp_path: Path, gpio_chips: Callable[..., Any]
) -> None:
    """Kernels number the chips of a Pi 5 differently: the label counts."""
    for name in ("gpiochip0", "gpiochip4"):
        (tmp_path / name).touch()
    held = {"3": "shutdown", "17": "onewire@11"}
    lines = "3=shutdown,17=onewire@11,40=not on the header"
    assert gpio_chips(HELD, "0=gpio-brcmstb,4=pinctrl-rp1", lines, str(tmp_path)) == held
    assert gpio_chips(HELD, "0=pinctrl-bcm2711,4=raspberrypi-exp-gpio", lines, str(tmp_path)) == held
    assert gpio_chips(HELD, "0=gpio-brcmstb", lines, str(tmp_path)) is None


def test_without_gpio_chips_nothing_is_known_about_lines(tmp_path: Path) -> None:
    assert held_lines(tmp_path) is None
    (tmp_path / "gpiochip0").touch()  # not a device
    assert held_lines(tmp_path) is None


CLAIMED = """
import json, sys
from pathlib import Path
import lgpio
from hardware.drivers.raspberry_pi import held_lines
chip = lgpio.gpiochip_open(0)
lgpio.gpio_claim_input(chip, 22)
lgpio.gpio_claim_alert(chip, 5, lgpio.BOTH_EDGES)
print(json.dumps(held_lines(Path(sys.argv[1]))))
"""


@pytest.mark.system
def test_lines_of_lgpio_have_its_consumer(tmp_path: Path, gpio_chips: Callable[..., Any]) -> None:
    """By that the doctor knows the lines of the running table."""
    (tmp_path / "gpiochip0").touch()
    held = gpio_chips(CLAIMED, "0=pinctrl-bcm2711", "", str(tmp_path))
    assert held == {"5": LGPIO_CONSUMER, "22": LGPIO_CONSUMER}


EXAMINED = """
import json, sys
from pathlib import Path
from hardware.diagnostics.doctor import examine
from hardware.drivers.raspberry_pi import Machine
from hardware.layout.model import read_layout
found = examine(read_layout("duo"), Machine(root=Path(sys.argv[1]), bits=64))
print(json.dumps([finding.message for finding in found if finding.part == "buttons"]))
"""


@pytest.mark.system
def test_the_doctor_names_the_holder_of_a_line_and_the_line_of_config_txt(
    pi: FakePi, gpio_chips: Callable[..., Any]
) -> None:
    pi.config("dtparam=spi=on", "dtparam=spi=on\ndtoverlay=w1-gpio,gpiopin=17")
    lines = "17=onewire@11,26=my-script"
    assert gpio_chips(EXAMINED, "0=pinctrl-bcm2711", lines, str(pi.root)) == [
        "GPIO17 (button seat.1.line.4) is taken by the line dtoverlay=w1-gpio,gpiopin=17 "
        'of /boot/firmware/config.txt (holder: "onewire@11")',
        'GPIO26 (button seat.2.line.5) is held by "my-script"',
    ]
