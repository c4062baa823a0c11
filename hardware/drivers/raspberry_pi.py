"""The Raspberry Pi that runs the table: model, serial ports, boot configuration, libraries, permissions.

Everything is read below a root folder, which tests replace. Drivers use it to open devices, `doctor` to
explain what is missing.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from hardware.api import Loss, PartError
from hardware.layout.checks import LIGHT_PINS
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout

ROOT: Final = Path("/")

# --- Model -----------------------------------------------------------------------------------------------


class Board(Struct, frozen=True):
    """A Raspberry Pi: its model as in the device tree, and its generation, 1 to 5; a Zero 2 counts as 3."""

    model: str
    generation: int

    @property
    def has_pio(self) -> bool:
        """Whether it sends to lights by programmable pins (PIO), and by neither PWM nor PCM."""
        return self.generation >= 5


def parse_model(model: str) -> Board | None:
    """Return the board of this model, None if it is not a Raspberry Pi."""
    model = model.strip("\0 \n")
    if not model.startswith("Raspberry Pi"):
        return None
    name = model.removeprefix("Raspberry Pi").strip()
    number = re.match(r"(?:Compute Module )?(\d)", name)
    if name.startswith("Zero 2"):
        return Board(model, 3)
    return Board(model, int(number[1]) if number else 1)


def find_board(root: Path = ROOT) -> Board | None:
    """Return the board of this machine, None if it is not a Raspberry Pi."""
    return parse_model(read_text(root / "proc/device-tree/model"))


def read_text(path: Path) -> str:
    """Return the text of a file, "" if it can't be read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


# --- Serial ports ----------------------------------------------------------------------------------------

_PRIMARY: Final = 15
"""The pin that receives for the serial port that every Pi has."""


class SerialPort(Struct, frozen=True):
    """A serial port of a Pi: the line of config.txt that enables it, and its address in the chip."""

    config_line: str
    address: str


_PORTS_4: Final = {
    5: SerialPort("dtoverlay=uart3", "fe201600.serial"),
    9: SerialPort("dtoverlay=uart4", "fe201800.serial"),
    13: SerialPort("dtoverlay=uart5", "fe201a00.serial"),
}
_PORTS_5: Final = {
    15: SerialPort("dtparam=uart0=on", "1f00030000.serial"),
    5: SerialPort("dtoverlay=uart2-pi5", "1f00038000.serial"),
    9: SerialPort("dtoverlay=uart3-pi5", "1f0003c000.serial"),
    13: SerialPort("dtoverlay=uart4-pi5", "1f00040000.serial"),
}
"""The ports of a Pi 4 and of a Pi 5 by the pin that receives. Kernels number them differently, so a port is
identified by its address. `/dev/serial0` of a Pi 5 is its debug connector, not GPIO15."""


def serial_port(pin: int, board: Board) -> SerialPort | None:
    """Return the serial port that receives at this pin, None if the board has none there."""
    if board.generation >= 5:
        return _PORTS_5.get(pin)
    if pin == _PRIMARY:
        return SerialPort("enable_uart=1", "serial0")
    return _PORTS_4.get(pin) if board.generation == 4 else None


def device_of(pin: int, board: Board | None, root: Path = ROOT) -> str:
    """Return the path of the serial device that receives at this pin. Raises PartError if there is none."""
    if board is None:
        message = f"GPIO{pin} is a pin of a Raspberry Pi, and this machine is none"
        raise PartError(Loss.ABSENT, f"{message}; name the reader's port in the layout, or simulate it")
    port = serial_port(pin, board)
    if port is None:
        remedy = f"wire the reader to GPIO{_PRIMARY}, and name that pin in the layout"
        raise PartError(Loss.ABSENT, f"a {board.model} has no serial port at GPIO{pin}; {remedy}")
    if port.address == "serial0":
        return str(root / "dev/serial0")
    for tty in sorted((root / "sys/class/tty").glob("ttyAMA*")):
        if port.address in (tty / "device").resolve().parts:
            return str(root / "dev" / tty.name)
    remedy = f"write {port.config_line} into /boot/firmware/config.txt, and restart the Pi"
    raise PartError(Loss.ABSENT, f"the serial port at GPIO{pin} is not enabled; {remedy}")


# --- Boot configuration: config.txt and cmdline.txt ------------------------------------------------------


class BootConfig(Struct, frozen=True):
    """The settings (key, value) of config.txt that apply to this board, in order, and cmdline.txt's words."""

    config: Path
    cmdline: Path
    settings: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    def has(self, line: str) -> bool:
        """Return whether config.txt contains this line (`key=value`) or an equivalent one."""
        key, _, value = line.partition("=")
        if key == "dtparam":
            return self._has_parameter(value)
        if key == "dtoverlay":
            return any(name == key and it.split(",")[0] == value for name, it in self.settings)
        return next((it for name, it in reversed(self.settings) if name == key), None) == value

    def _has_parameter(self, wanted: str) -> bool:
        """Return whether a parameter of the device tree has this value; a name without a value means on."""
        name, _, value = wanted.partition("=")
        found = None
        for key, values in self.settings:
            if key in ("dtparam", "device_tree_param"):
                for parameter in values.split(","):
                    if parameter.partition("=")[0] == name:
                        found = parameter.partition("=")[2] or "on"
        return found is not None and {"1": "on", "yes": "on", "true": "on"}.get(found, found) == value


def read_boot_config(root: Path, board: Board) -> BootConfig:
    """Read the files below this root; a missing file has no settings."""
    folders = (root / "boot/firmware", root / "boot")
    folder = next((each for each in folders if (each / "config.txt").is_file()), folders[0])
    config, cmdline = folder / "config.txt", folder / "cmdline.txt"
    settings = _parse_config(read_text(config), board)
    return BootConfig(config, cmdline, settings, tuple(read_text(cmdline).split()))


def _parse_config(text: str, board: Board) -> tuple[tuple[str, str], ...]:
    """Return the settings outside of sections and those of the sections that apply to this board."""
    found: list[tuple[str, str]] = []
    applies = True
    for written in text.splitlines():
        line = written.partition("#")[0].strip()
        if section := re.fullmatch(r"\[(.*)\]", line):
            applies = _applies(section[1].strip().lower(), board)
        elif applies and "=" in line:
            key, _, value = line.partition("=")
            found.append((key.strip(), value.strip()))
    return tuple(found)


def _applies(section: str, board: Board) -> bool:
    """Return whether a section applies to this board; those for displays or serial numbers never do."""
    name = board.model.removeprefix("Raspberry Pi").strip().lower()
    if name.startswith("zero"):
        return section in {"all", "pi0", "pi02" if name.startswith("zero 2") else "pi0w"}
    names = {"all", f"pi{board.generation}"}
    if number := re.match(r"\d{3}", name):
        names.add(f"pi{number[0]}")  # 400 and 500
    if module := re.match(r"compute module (\d)", name):
        names.add(f"cm{module[1]}")
    return section in names


# --- Vendor libraries ------------------------------------------------------------------------------------
# The version bounds are those of the extras `pi` and `pwm` in pyproject.toml; a test compares them.

Version = tuple[int, ...]


class Library(Struct, frozen=True):
    """A distribution that drivers need, from one version up to, but not including, another."""

    name: str
    lowest: Version
    below: Version
    candidate: str = ""
    """The suffix of the lowest version if there is no final release yet; pip ignores candidates otherwise."""

    def accepts(self, version: str) -> bool:
        """Return whether a version is within the bounds; a suffix after its numbers is ignored."""
        return self.lowest <= _numbers(version) < self.below

    @property
    def bounds(self) -> str:
        """The version specifier for pip."""
        lowest, below = (".".join(map(str, version)) for version in (self.lowest, self.below))
        return f">={lowest}{self.candidate},<{below}"


BLINKA: Final = Library("adafruit-blinka", (10,), (11,))
GPIOD: Final = Library("gpiod", (2, 2, 2), (3,))
GPIOZERO: Final = Library("gpiozero", (2, 0, 1), (3,))
LGPIO: Final = Library("lgpio", (0, 2, 2), (0, 3))
NEOPIXEL: Final = Library("adafruit-circuitpython-neopixel", (6, 4), (7,))
PIO: Final = Library("adafruit-blinka-raspberry-pi5-neopixel", (1, 0, 0), (2,), "rc2")
PN532: Final = Library("adafruit-circuitpython-pn532", (2, 4), (3,))
RPI_WS281X: Final = Library("rpi_ws281x", (4,), (6,))

COMPILED: Final[Mapping[str, tuple[Version, str]]] = {
    RPI_WS281X.name: ((3, 11), "gcc python3-dev"),
    LGPIO.name: ((3, 13), "gcc python3-dev swig liblgpio-dev"),
}
"""Libraries without a wheel for the Pi from this Python on, and the Debian packages that compile them."""


def is_sent_by_spi(chain: Chain, driver: LightsDriver) -> bool:
    """Return whether a driver of lights sends to this chain by SPI, which every board has at GPIO10."""
    return driver == "spi" or (driver == "neopixel" and chain.pin in LIGHT_PINS["spi"])


def required_libraries(layout: Layout, board: Board | None) -> list[Library]:
    """Return the libraries that a layout needs on this board, in the order in which they are imported."""
    drivers = layout.drivers
    found: list[Library] = []
    if drivers.lights in ("neopixel", "pwm", "pio") and not is_sent_by_spi(layout.chains[0], drivers.lights):
        found += [BLINKA, GPIOD, NEOPIXEL, PIO if board is not None and board.has_pio else RPI_WS281X]
    if drivers.buttons == "gpio":
        found += [GPIOZERO, LGPIO]
    if drivers.readers == "pn532":
        found += [library for library in (BLINKA, GPIOD, PN532) if library not in found]
    return found


def installed_version(name: str) -> str | None:
    """Return the installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def unmet_libraries(
    layout: Layout, board: Board | None, installed: Callable[[str], str | None] = installed_version
) -> list[tuple[Library, str | None]]:
    """Return the libraries that are missing (None) or installed in a version out of bounds."""
    return [
        (library, there)
        for library in required_libraries(layout, board)
        if (there := installed(library.name)) is None or not library.accepts(there)
    ]


def install_command(library: Library, pip: str, python: Version) -> str:
    """Return the shell command that installs a library with this pip for this Python, and its compiler."""
    since, packages = COMPILED.get(library.name, (python, ""))
    line = f"{pip} install '{library.name}{library.bounds}'"
    return f"sudo apt install {packages} && {line}" if packages and python >= since else line


def _numbers(version: str) -> Version:
    """Return the numbers at the start of a version: 1, 0, 0 for 1.0.0rc2."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def skip_dependency_check() -> None:
    """Keep Blinka from asking on a terminal whether to install missing libraries: that would block."""
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")


# --- User and permissions --------------------------------------------------------------------------------


def is_accessible(path: Path) -> bool:
    """Return whether this process may read and write a device."""
    return os.access(path, os.R_OK | os.W_OK)


def user_name() -> str:
    """Return the name of this process's user, or its number if it has no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())


def pip_command() -> str:
    """Return the command that installs libraries into the environment of this program."""
    command = f"{sys.executable} -m pip"
    return command if os.access(sys.prefix, os.W_OK) else f"sudo {command}"


class Machine(Struct, frozen=True):
    """A machine, or a folder that looks like one: all that `doctor` examines."""

    root: Path = ROOT
    user: str = field(default_factory=user_name)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    python: tuple[int, int] = field(default_factory=lambda: sys.version_info[:2])
    bits: int = field(default_factory=lambda: 64 if sys.maxsize > 2**32 else 32)
    processor: str = field(default_factory=platform.machine)
    pip: str = field(default_factory=pip_command)
    installed: Callable[[str], str | None] = installed_version
    is_accessible: Callable[[Path], bool] = is_accessible

    @property
    def board(self) -> Board | None:
        """The model of this Raspberry Pi, None if it is not one."""
        return find_board(self.root)

    def path(self, path: str) -> Path:
        """Return a path of the machine below its root."""
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """Return a path without the root, as the user of the machine knows it."""
        return "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def in_group(self, group: str) -> bool:
        """Return whether the user belongs to a group, even if not yet in this session."""
        fields = [line.split(":") for line in read_text(self.path("etc/group")).splitlines()]
        return any(len(it) == 4 and it[0] == group and self.user in it[3].split(",") for it in fields)
