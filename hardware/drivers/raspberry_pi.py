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
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hardware.api import Loss, PartError
from hardware.layout.checks import LIGHT_PINS
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout

ROOT: Final = Path("/")

# --- Model -----------------------------------------------------------------------------------------------


class Board(Struct, frozen=True):
    """A Raspberry Pi: its model as in the device tree, its generation, 1 to 5, and its revision code.

    A Zero 2 counts as 3. `code` is 0 if it is unknown. No check depends on a list of known codes.
    """

    model: str
    generation: int
    code: int = 0

    @property
    def has_pio(self) -> bool:
        """Whether it sends to lights by programmable pins (PIO), and by neither PWM nor PCM."""
        return self.generation >= 5

    @property
    def description(self) -> str:
        """The model with its memory and its revision code, as far as they are known."""
        if not self.code:
            return self.model
        details = [_memory(self.code)] if self.code & _NEW_STYLE else []
        return ", ".join([self.model, *details, f"revision code {self.code:x}"])

    @property
    def is_module(self) -> bool:
        """Whether it is a Compute Module, whose pins depend on the board that carries it."""
        return "Compute Module" in self.model

    @property
    def header(self) -> frozenset[int]:
        """The GPIOs of its header: 28 on 40 pins; the first models A and B have 17 on 26 pins."""
        is_first = (self.code & _NEW_STYLE and _field(self.code, 4, 8) in _TYPES_OF_26_PINS) or (
            0 < self.code < _FIRST_PLUS and not self.code & _NEW_STYLE
        )
        return _HEADER_26 if is_first else frozenset(range(28))

    @property
    def runs_64_bit(self) -> bool:
        """Whether its processor can run a 64-bit system: those of the BCM2835 and BCM2836 can't."""
        if self.code & _NEW_STYLE:
            return _field(self.code, 12, 4) > 1
        return self.generation >= 3 and not self.code


# Revision codes: bit 23 marks the new style, with the type in bits 4 to 11, the processor in 12 to 15 and the
# memory in 20 to 22. Older codes are below 0x100; the header of 40 pins came with 0x10, the B+.

_NEW_STYLE: Final = 1 << 23
_FIRST_PLUS: Final = 0x10
_TYPES_OF_26_PINS: Final = (0x00, 0x01)
_HEADER_26: Final = frozenset({2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 17, 18, 22, 23, 24, 25, 27})
_GENERATIONS: Final = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}
"""Generation of each processor: BCM2835, 2836, 2837, 2711, 2712."""


def _field(code: int, first: int, bits: int) -> int:
    """Return the bits of a revision code from `first` on."""
    return code >> first & (1 << bits) - 1


def _memory(code: int) -> str:
    """Return the memory of a new-style revision code: 256 MB, doubled with each step."""
    megabytes = 256 << _field(code, 20, 3)
    return f"{megabytes} MB" if megabytes < 1024 else f"{megabytes // 1024} GB"


def parse_model(model: str, code: int = 0) -> Board | None:
    """Return the board of this model and revision code (0: unknown), None if it is not a Raspberry Pi.

    The generation is that of the processor in the code; without a code, or with a processor that came later,
    it is the number in the model.
    """
    model = model.strip("\0 \n")
    if not model.startswith("Raspberry Pi"):
        return None
    name = model.removeprefix("Raspberry Pi").strip()
    number = re.match(r"(?:Compute Module )?(\d)", name)
    generation = 3 if name.startswith("Zero 2") else int(number[1]) if number else 1
    if code & _NEW_STYLE:
        generation = _GENERATIONS.get(_field(code, 12, 4), generation)
    return Board(model, generation, code)


def find_board(root: Path = ROOT) -> Board | None:
    """Return the board of this machine, None if it is not a Raspberry Pi."""
    tree = root / "proc/device-tree"
    return parse_model(read_text(tree / "model"), _read_code(root))


def _read_code(root: Path) -> int:
    """Return the revision code of this machine, from the device tree or from cpuinfo; 0 if it has none."""
    try:
        data = (root / "proc/device-tree/system/linux,revision").read_bytes()
    except OSError:
        data = b""
    if len(data) == 4:
        return int.from_bytes(data, "big")
    cpu = read_text(root / "proc/cpuinfo")
    found = re.search(r"^Revision\s*:\s*([0-9a-fA-F]{1,8})$", cpu, re.MULTILINE)
    # Other makers' boards have such a line, too.
    return int(found[1], 16) if found and re.search(r"^Model\s*:\s*Raspberry Pi", cpu, re.MULTILINE) else 0


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


class BootLine(Struct, frozen=True):
    """A setting of config.txt: its text, and for overlays and `dtparam` the parameters with their values.

    An overlay has its name in `overlay`; parameters that following lines `dtparam=` add are in `parameters`,
    too, and in `added` with the texts of these lines.
    """

    text: str
    key: str
    value: str
    overlay: str = ""
    parameters: Mapping[str, str] = {}
    added: Mapping[str, str] = {}


def is_on(value: str) -> bool:
    """Return whether the value of a parameter switches it on; a name without a value does, too."""
    return value in ("", "on", "1", "yes", "true")


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
            return any(it.overlay == value for it in self.lines)
        return next((it for name, it in reversed(self.settings) if name == key), None) == value

    @property
    def lines(self) -> list[BootLine]:
        """The settings in order, with the parameters of overlays.

        A line `dtparam=` belongs to the overlay above it, if that knows the parameter, else to the board
        itself. `dtoverlay=` without a name ends the overlay.
        """
        found: list[BootLine] = []
        overlay: int | None = None
        for key, value in self.settings:
            text = f"{key}={value}"
            if key in _OVERLAY_KEYS:
                name, *parameters = re.split(r"[,:]", value)
                found.append(BootLine(text, key, value, name.strip(), _parameters(parameters)))
                overlay = len(found) - 1 if name.strip() else None
                continue
            written = _parameters(value.split(",")) if key in _PARAMETER_KEYS else {}
            found.append(BootLine(text, key, value, "", written))
            if overlay is not None and written:
                above = found[overlay]
                added = {**above.added, **dict.fromkeys(written, text)}
                found[overlay] = replace(above, parameters={**above.parameters, **written}, added=added)
        return found

    def is_in_force(self, name: str, line: BootLine) -> bool:
        """Return whether no later line sets this parameter of the board again."""
        setting = [it for it in self.lines if not it.overlay and name in it.parameters]
        return setting[-1:] == [line]

    def _has_parameter(self, wanted: str) -> bool:
        """Return whether a parameter of the device tree has this value; a name without a value means on."""
        name, _, value = wanted.partition("=")
        found = None
        for line in self.lines:
            if line.key in _PARAMETER_KEYS:
                found = line.parameters.get(name, found)
        return found is not None and ("on" if is_on(found) else found) == value


_OVERLAY_KEYS: Final = ("dtoverlay", "device_tree_overlay")
_PARAMETER_KEYS: Final = ("dtparam", "device_tree_param")


def _parameters(written: Iterable[str]) -> dict[str, str]:
    """Return the values of parameters written as `name=value` or `name`."""
    pairs = (it.partition("=") for it in written if it.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


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
    model = re.match(r"(?:compute module )?(\d)", name)  # a Pi 2 may have the processor of a 3
    names = {"all", f"pi{model[1]}" if model else "pi1"}
    if number := re.match(r"\d{3}", name):
        names.add(f"pi{number[0]}")  # 400 and 500
    if module := re.match(r"compute module (\ds?)", name):
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


# --- Users and permissions -------------------------------------------------------------------------------


def is_accessible(path: Path) -> bool:
    """Return whether this process may read and write a device."""
    return os.access(path, os.R_OK | os.W_OK)


def user_name() -> str:
    """Return the name of this process's user, or its number if it has no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())


class Permissions(Struct, frozen=True):
    """The permission bits of a file, and the numbers of its owner and group."""

    mode: int
    owner: int
    group: int

    def allow(self, user: int, groups: frozenset[int]) -> bool:
        """Return whether a user without capabilities may read and write."""
        # The first class that fits decides, even if another one may do more.
        shift = 6 if user == self.owner else 3 if self.group in groups else 0
        return self.mode >> shift & 6 == 6


def permissions_of(path: Path) -> Permissions:
    """Return the permissions of a file. Raises OSError if there is none."""
    status = path.stat()
    return Permissions(status.st_mode & 0o777, status.st_uid, status.st_gid)


class Service(Struct, frozen=True):
    """The installed service: its user, the groups that its unit adds, and whether it has all capabilities."""

    user: str
    groups: tuple[str, ...]
    has_capabilities: bool


UNIT: Final = "azul-table.service"


def installed_service(root: Path = ROOT) -> Service | None:
    """Return the service of this machine, as its unit and drop-ins say; None if it is not installed."""
    units = root / "etc/systemd/system"
    if not (units / UNIT).is_file():
        return None
    files = [units / UNIT, *sorted((units / f"{UNIT}.d").glob("*.conf"))]
    text = "\n".join(read_text(path) for path in files)
    settings = re.findall(r"^\s*(\w+)\s*=[ \t]*(.*?)\s*$", text, re.MULTILINE)
    user, groups, capabilities = "root", list[str](), True
    for key, value in settings:
        match key:
            case "User":
                user = value or "root"
            case "SupplementaryGroups":  # an empty value clears the list
                groups = [*groups, *value.split()] if value else []
            case "CapabilityBoundingSet":
                capabilities = bool(value)
    return Service(user, tuple(groups), capabilities and user in ("root", "0"))


def pip_command() -> str:
    """Return the command that installs libraries into the environment of this program."""
    command = f"{sys.executable} -m pip"
    return command if os.access(sys.prefix, os.W_OK) else f"sudo {command}"


# --- GPIO lines ------------------------------------------------------------------------------------------

HEADER_CHIPS: Final = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""Labels of the header's GPIO chip, whose number depends on the kernel. The offset of a line is its GPIO."""
HEADER_LINES: Final = 28
LGPIO_CONSUMER: Final = "lg"
"""The consumer of lines that a program uses by lgpio, as this one does."""


def held_lines(devices: Path) -> dict[int, str] | None:
    """Return the consumer of each GPIO of the header that is in use; None if the kernel can't be asked.

    `devices` is the folder of the devices. A pin with another function than GPIO, such as I2C, is not in use
    for the kernel of a Pi.
    """
    try:
        import gpiod
    except ImportError:
        return None
    for device in sorted(devices.glob("gpiochip*")):
        try:
            with gpiod.Chip(str(device)) as chip:
                if chip.get_info().label in HEADER_CHIPS:
                    lines = [chip.get_line_info(number) for number in range(HEADER_LINES)]
                    return {line.offset: line.consumer or "" for line in lines if line.used}
        except OSError:  # not a chip, or no permission
            continue
    return None


_MUX_OWNER: Final = re.compile(
    r"^pin (\d+) \([^)]*\): (?:device )?(?!GPIO |UNCLAIMED|\(|device )(\S+)", re.MULTILINE
)
"""A line of `pinmux-pins` for a pin whose function a device has set, as drivers of pins print it."""


def pin_functions(root: Path = ROOT) -> dict[int, str]:
    """Return the device that has set the function of each pin of the header; only root can read that."""
    found = {}
    for folder in (root / "sys/kernel/debug/pinctrl").glob("*"):
        if folder.name.endswith(HEADER_CHIPS):
            text = read_text(folder / "pinmux-pins")
            found.update({int(pin): owner for pin, owner in _MUX_OWNER.findall(text)})
    return found


# --- Machine ---------------------------------------------------------------------------------------------


class Machine(Struct, frozen=True):
    """A machine, or a folder that looks like one: all that `doctor` examines, as one user can use it.

    `service` is set on the machine as the installed service's user can use it.
    """

    root: Path = ROOT
    user: str = field(default_factory=user_name)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    python: tuple[int, int] = field(default_factory=lambda: sys.version_info[:2])
    bits: int = field(default_factory=lambda: 64 if sys.maxsize > 2**32 else 32)
    processor: str = field(default_factory=platform.machine)
    pip: str = field(default_factory=pip_command)
    installed: Callable[[str], str | None] = installed_version
    is_accessible: Callable[[Path], bool] = is_accessible
    permissions: Callable[[Path], Permissions] = permissions_of
    lines: Callable[[Path], dict[int, str] | None] = held_lines
    service: Service | None = None

    def as_service(self) -> Machine:
        """Return the machine as the installed service's user can use it; itself without a service."""
        service = installed_service(self.root)
        if service is None:
            return self
        seen = replace(self, user=service.user, is_root=service.has_capabilities, service=service)
        return replace(seen, is_accessible=seen._may_use)

    @property
    def board(self) -> Board | None:
        """The model of this Raspberry Pi, None if it is not one."""
        return find_board(self.root)

    @property
    def runs_table(self) -> bool:
        """Whether the installed service is running now, by the processes in its control group."""
        group = f"system.slice/{UNIT}/cgroup.procs"
        mounts = ("sys/fs/cgroup", "sys/fs/cgroup/systemd")
        return any(read_text(self.path(f"{mount}/{group}")).strip() for mount in mounts)

    @property
    def knows_user(self) -> bool:
        """Whether the user exists."""
        return self._account is not None

    def path(self, path: str) -> Path:
        """Return a path of the machine below its root."""
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """Return a path without the root, as the user of the machine knows it."""
        return "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def held_lines(self) -> dict[int, str] | None:
        """Return the consumers of the GPIOs of the header that are in use, None if that is unknown."""
        return self.lines(self.path("dev"))

    def spi_drivers(self) -> dict[str, str]:
        """Return the driver of each device on the SPI bus of GPIO10, such as `spidev` of `spi0.0`."""
        links = self.path("sys/bus/spi/devices").glob("spi0.*/driver")
        return {link.parent.name: link.resolve().name for link in sorted(links)}

    def in_group(self, group: str) -> bool:
        """Return whether the user belongs to a group, even if not yet in this session."""
        return any(name == group and self._is_member(number, them) for name, number, them in self._groups)

    @property
    def _account(self) -> tuple[int, int] | None:
        """The numbers of the user and of its first group, None if there is no such user."""
        for line in read_text(self.path("etc/passwd")).splitlines():
            fields = line.split(":")
            if len(fields) == 7 and self.user in (fields[0], fields[2]):
                return int(fields[2]), int(fields[3])
        return None

    @property
    def _groups(self) -> list[tuple[str, int, list[str]]]:
        fields = [line.split(":") for line in read_text(self.path("etc/group")).splitlines()]
        return [(it[0], int(it[2]), it[3].split(",")) for it in fields if len(it) == 4 and it[2].isdecimal()]

    def _is_member(self, number: int, members: list[str]) -> bool:
        account = self._account
        return self.user in members or (account is not None and account[1] == number)

    def _may_use(self, path: Path) -> bool:
        """Return whether the service's user may read and write a device, by its permissions."""
        account = self._account
        if account is None:
            return False
        extra = self.service.groups if self.service is not None else ()
        groups = {
            number
            for name, number, members in self._groups
            if name in extra or self._is_member(number, members)
        }
        try:
            found = self.permissions(path)
        except OSError:
            return False
        return self.is_root or found.allow(account[0], frozenset(groups))
