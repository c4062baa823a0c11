"""The vendors' libraries that a table's drivers need, and whether they are installed in a version that fits.

The bounds are those of the extra `pi` in pyproject.toml; a test holds them equal.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from hardware.api import Loss, PartError
from hardware.layout.model import Drivers

# --- Which Raspberry Pi this is, and what of it depends on that: how lights are sent ---
# Everything is read below a root folder, which is another one in tests.

ROOT: Final = Path("/")
_MODEL: Final = Path("proc/device-tree/model")
_PRIMARY: Final = 15
"""The pin that receives from the serial port that every Pi has."""


@dataclass(frozen=True, slots=True)
class Board:
    """A Raspberry Pi: its name as it says it, and its generation, 1 to 5; a Zero 2 counts as a 3."""

    model: str
    generation: int

    @property
    def has_pio(self) -> bool:
        """Whether it sends to lights by programmable pins (PIO), and no other way."""
        return self.generation >= 5


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A serial port of a Pi: the line of config.txt that switches it on, and its address in the chip."""

    switch: str
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
"""The ports of a Pi 4 and of a Pi 5 by the pin that receives. Kernels number them one way or another, so
that a port is known by its address. `/dev/serial0` of a Pi 5 is its debug connector, not GPIO15."""


def board_of(model: str) -> Board | None:
    """Return the board that calls itself so, None if it is no Raspberry Pi."""
    model = model.strip("\0 \n")
    if not model.startswith("Raspberry Pi"):
        return None
    name = model.removeprefix("Raspberry Pi").strip()
    number = re.match(r"(?:Compute Module )?(\d)", name)
    if name.startswith("Zero 2"):
        return Board(model, 3)
    return Board(model, int(number[1]) if number else 1)


def find_board(root: Path = ROOT) -> Board | None:
    """Return the board that this is, None if it is no Raspberry Pi."""
    try:
        return board_of((root / _MODEL).read_text("utf-8", errors="replace"))
    except OSError:
        return None


def serial_port(pin: int, board: Board) -> SerialPort | None:
    """Return the serial port that receives at this pin, None where the board has none there."""
    if board.generation >= 5:
        return _PORTS_5.get(pin)
    if pin == _PRIMARY:
        return SerialPort("enable_uart=1", "serial0")
    return _PORTS_4.get(pin) if board.generation == 4 else None


def device_of(pin: int, board: Board | None, root: Path = ROOT) -> str:
    """Return the path of the device that receives at this pin; raises PartError where there is none."""
    if board is None:
        raise PartError(
            Loss.ABSENT,
            f"GPIO{pin} is a pin of a Raspberry Pi, and this machine is none; name the reader's port in the "
            "layout, or simulate it",
        )
    port = serial_port(pin, board)
    if port is None:
        raise PartError(
            Loss.ABSENT,
            f"a {board.model} has no serial port at GPIO{pin}; wire the reader to GPIO{_PRIMARY}, and name "
            "that pin in the layout",
        )
    if port.address == "serial0":
        return str(root / "dev/serial0")
    for tty in sorted((root / "sys/class/tty").glob("ttyAMA*")):
        if port.address in (tty / "device").resolve().parts:
            return str(root / "dev" / tty.name)
    raise PartError(
        Loss.ABSENT,
        f"the serial port at GPIO{pin} is not switched on; write {port.switch} into "
        "/boot/firmware/config.txt, and restart the Pi",
    )


# --- The files that a Raspberry Pi reads when it starts ---

_FOLDERS: Final = ("boot/firmware", "boot")


@dataclass(frozen=True, slots=True)
class BootFiles:
    """What config.txt says to this board, as (key, value) in its order, and the words of cmdline.txt."""

    config: Path
    cmdline: Path
    settings: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    def says(self, line: str) -> bool:
        """Tell whether config.txt says this line (`key=value`), or the same in other words."""
        key, _, value = line.partition("=")
        if key == "dtparam":
            return self._parameter(value)
        if key == "dtoverlay":
            return any(name == key and it.split(",")[0] == value for name, it in self.settings)
        return self.value(key) == value

    def value(self, key: str) -> str | None:
        """Return what config.txt says last for this key, None if it says nothing."""
        return next((it for name, it in reversed(self.settings) if name == key), None)

    def _parameter(self, wanted: str) -> bool:
        """Tell whether a parameter of the device tree is as wanted; a name alone means that it is on."""
        name, _, value = wanted.partition("=")
        said = None
        for key, values in self.settings:
            if key in ("dtparam", "device_tree_param"):
                for parameter in values.split(","):
                    if parameter.partition("=")[0] == name:
                        said = parameter.partition("=")[2] or "on"
        return said is not None and {"1": "on", "yes": "on", "true": "on"}.get(said, said) == value


def read_boot_files(root: Path, board: Board) -> BootFiles:
    """Read the files below this root; what is missing says nothing."""
    folder = next((root / path for path in _FOLDERS if (root / path / "config.txt").is_file()), None)
    folder = folder or root / _FOLDERS[0]
    config, cmdline = folder / "config.txt", folder / "cmdline.txt"
    return BootFiles(config, cmdline, _settings(_text(config), board), tuple(_text(cmdline).split()))


def _settings(text: str, board: Board) -> tuple[tuple[str, str], ...]:
    """Return the settings outside of sections, and of the sections that are for this board."""
    found: list[tuple[str, str]] = []
    here = True
    for written in text.splitlines():
        line = written.partition("#")[0].strip()
        if section := re.fullmatch(r"\[(.*)\]", line):
            here = _is_for(section[1].strip().lower(), board)
        elif here and "=" in line:
            key, _, value = line.partition("=")
            found.append((key.strip(), value.strip()))
    return tuple(found)


def _is_for(section: str, board: Board) -> bool:
    """Tell whether a section is for this board; those for a display or a serial number are taken for not."""
    name = board.model.removeprefix("Raspberry Pi").strip().lower()
    if name.startswith("zero"):
        return section in {"all", "pi0", "pi02" if name.startswith("zero 2") else "pi0w"}
    names = {"all", f"pi{board.generation}"}
    if number := re.match(r"\d{3}", name):
        names.add(f"pi{number[0]}")  # 400 and 500
    if module := re.match(r"compute module (\d)", name):
        names.add(f"cm{module[1]}")
    return section in names


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


# ----------------------------------------------------------------------------------------------------------

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A distribution, from one version up to, not with, another."""

    name: str
    lowest: Version
    below: Version
    candidate: str = ""
    """What follows the lowest version where no final one is there yet; pip finds none that is not named."""

    def fits(self, version: str) -> bool:
        """Tell whether a version of it will do; what comes after the numbers is not looked at."""
        return self.lowest <= _numbers(version) < self.below

    @property
    def bounds(self) -> str:
        """The versions that will do, as pip understands them."""
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
ALL: Final = (BLINKA, GPIOD, GPIOZERO, LGPIO, NEOPIXEL, PIO, PN532, RPI_WS281X)

COMPILED: Final[Mapping[str, tuple[Version, str]]] = {
    RPI_WS281X.name: ((3, 11), "gcc python3-dev"),
    LGPIO.name: ((3, 13), "gcc python3-dev swig liblgpio-dev"),
}
"""What is compiled on a Pi from this Python on, for want of a wheel, and the Debian packages that takes."""


def needed(drivers: Drivers, board: Board | None) -> list[Library]:
    """Name the libraries that these drivers need on this board, in the order in which they are imported."""
    found: list[Library] = []
    if drivers.lights in ("neopixel", "spi", "pwm", "pio"):
        found += [BLINKA, GPIOD, NEOPIXEL, PIO if board is not None and board.has_pio else RPI_WS281X]
    if drivers.buttons == "gpio":
        found += [GPIOZERO, LGPIO]
    if drivers.readers == "pn532":
        found += [library for library in (BLINKA, GPIOD, PN532) if library not in found]
    return found


def installed(name: str) -> str | None:
    """Return the installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def wanting(
    drivers: Drivers, board: Board | None, installed: Callable[[str], str | None] = installed
) -> list[tuple[Library, str | None]]:
    """Name the libraries that are missing (None) or in a version that does not fit."""
    return [
        (library, there)
        for library in needed(drivers, board)
        if (there := installed(library.name)) is None or not library.fits(there)
    ]


def install_line(library: Library, pip: str, python: Version) -> str:
    """Return the line that installs a library by this pip for this Python, with what it is compiled by."""
    since, packages = COMPILED.get(library.name, (python, ""))
    line = f"{pip} install '{library.name}{library.bounds}'"
    return f"sudo apt install {packages} && {line}" if packages and python >= since else line


def _numbers(version: str) -> Version:
    """Return the numbers that a version begins with: 1.0.0rc2 is 1, 0, 0."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


# --- The machine ---

Installed = Callable[[str], str | None]


def may_use(path: Path) -> bool:
    """Tell whether this process may read and write a device."""
    return os.access(path, os.R_OK | os.W_OK)


def own_name() -> str:
    """Return the name of this process's user; the number of one who has none here, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())


def own_pip() -> str:
    """Return the command that installs libraries for this very program."""
    command = f"{sys.executable} -m pip"
    return command if os.access(sys.prefix, os.W_OK) else f"sudo {command}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, or a folder that looks like one."""

    root: Path = ROOT
    user: str = field(default_factory=own_name)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    python: tuple[int, int] = field(default_factory=lambda: sys.version_info[:2])
    bits: int = field(default_factory=lambda: 64 if sys.maxsize > 2**32 else 32)
    processor: str = field(default_factory=platform.machine)
    pip: str = field(default_factory=own_pip)
    installed: Installed = installed
    may_use: Callable[[Path], bool] = may_use

    @property
    def board(self) -> Board | None:
        """The Raspberry Pi that it is, None if it is none."""
        return find_board(self.root)

    def path(self, path: str) -> Path:
        """Return a path of the machine's below its root."""
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """Return a path as the machine's user knows it."""
        return "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def in_group(self, group: str) -> bool:
        """Tell whether the user belongs to a group by now, if not yet in this session."""
        try:
            lines = self.path("etc/group").read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return False
        fields = [line.split(":") for line in lines]
        return any(len(it) == 4 and it[0] == group and self.user in it[3].split(",") for it in fields)
