"""What a table's hardware lacks on this machine, in the order to mend it; each fault with what mends it.

Looking changes nothing. Where one fault is the cause of others, only the cause is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from firmware_bridge.link import MICROPYTHON, RASPBERRY_PI, find_bootloader
from hardware.api import PartError
from hardware.drivers.health import TOLD, read
from hardware.drivers.neopixel import check_board
from hardware.drivers.raspberry_pi import (
    Board,
    BootFiles,
    Machine,
    device_of,
    install_line,
    needed,
    read_boot_files,
    serial_port,
    wanting,
)
from hardware.layout.model import Layout, Reader

OLDEST_PYTHON: Final = (3, 11)
SPI_BUFFER: Final = 4096
"""Bytes that go through the SPI bus at once, unless cmdline.txt says otherwise."""
SPI_BYTES: Final = 12
"""Bytes of it that rpi_ws281x takes for a light."""
SPI_RESET: Final = 200
CHIP_SELECTS: Final = (7, 8)
CONSOLE_PIN: Final = 15
I2C: Final = "dtparam=i2c_arm=on"
ONE_WIRE: Final = "dtoverlay=w1-gpio"
"""Lines that take pins which buttons may be on."""
RESTART: Final = "sudo reboot"


class State(StrEnum):
    """What came out of a check."""

    FINE = "fine"
    FAULT = "fault"
    GUESS = "guess"  # it may well be wrong, but nobody can know from here


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: of what, how it is, in a sentence, and the line (or the deed) that mends it."""

    part: str
    state: State
    told: str
    mend: str = ""


def examine(layout: Layout, machine: Machine) -> list[Finding]:
    """Check all that the layout's drivers need; faults are in the order to mend them."""
    return _Examination(layout, machine).findings()


class _Examination:
    """One look at one machine."""

    def __init__(self, layout: Layout, machine: Machine) -> None:
        self._layout = layout
        self._machine = machine
        self._found: list[Finding] = []
        self._written = False

    def findings(self) -> list[Finding]:
        self._check_python()
        drivers = self._layout.drivers
        named: dict[str, str] = {"lights": drivers.lights, "buttons": drivers.buttons}
        if self._layout.readers:
            named["readers"] = drivers.readers
        for part, driver in named.items():
            if driver == "simulated":
                self._fine(part, "drawn on the screen: nothing is needed")
        if "pico" in named.values():
            self._check_pico()
        wired = [part for part, driver in named.items() if driver not in ("pico", "simulated")]
        if wired:
            self._check_pi(wired)
        return self._found

    def _fine(self, part: str, told: str) -> None:
        self._found.append(Finding(part, State.FINE, told))

    def _fault(self, part: str, told: str, mend: str) -> None:
        self._found.append(Finding(part, State.FAULT, told, mend))

    def _check_python(self) -> None:
        machine = self._machine
        version = ".".join(map(str, machine.python))
        if machine.python < OLDEST_PYTHON:
            self._fault("python", f"Python {version} is too old", "install Raspberry Pi OS 12 or newer")
        elif machine.bits < 64:
            told = f"this is a 32-bit system ({machine.processor}), for which libraries are missing"
            self._fault("python", told, "install the 64-bit Raspberry Pi OS")
        else:
            self._fine("python", f"Python {version}, 64 bits ({machine.processor})")

    # --- A Pico ------------------------------------------------------------------------------------------

    def _check_pico(self) -> None:
        usb = self._machine.path("sys/bus/usb/devices")
        ports = sorted(tty for device in _picos(usb) for tty in _ttys(device))
        if not ports:
            board = find_bootloader(usb)
            if board is not None:
                told = f"a {board} is plugged in, but has no MicroPython yet"
                mend = f"copy MicroPython's file for a {board} (micropython.org/download) onto its drive"
            else:
                told = "no Pico is plugged in"
                mend = "plug it in with a USB cable that carries data; many only charge"
            self._fault("pico", told, mend)
            return
        if len(ports) > 1:
            names = ", ".join(ports)
            self._fault(
                "pico", f"several Picos are plugged in ({names})", "unplug those that are not the table's"
            )
            return
        if self._check_access("pico", self._machine.path(f"dev/{ports[0]}"), "dialout"):
            self._fine("pico", f"plugged in at /dev/{ports[0]}")

    # --- A Raspberry Pi ----------------------------------------------------------------------------------

    def _check_pi(self, wired: list[str]) -> None:
        board = self._machine.board
        if board is None:
            parts = " and ".join(wired).replace(" and ", ", ", len(wired) - 2)
            self._fault(
                "board",
                f"this machine is no Raspberry Pi, and has no pins for {parts}",
                'play with --simulate table, or write "simulated" into [drivers] of the layout',
            )
            return
        self._fine("board", board.model)
        self._check_libraries(board)
        boot = read_boot_files(self._machine.root, board)
        if "lights" in wired:
            self._check_lights(board, boot)
        if "buttons" in wired:
            self._check_buttons(boot)
        if "readers" in wired:
            for reader in self._layout.readers:
                self._check_reader(reader, board, boot)
        if self._written:
            told = "what those lines switch on is there after a restart"
            self._fault("restart", told, RESTART)
        self._check_power()

    def _check_libraries(self, board: Board) -> None:
        drivers = self._layout.drivers
        faults = wanting(drivers, board, self._machine.installed)
        for library, there in faults:
            told = f"{library.name} is missing" if there is None else f"{library.name} {there} does not fit"
            self._fault("libraries", told, install_line(library, self._machine.pip, self._machine.python))
        if not faults and needed(drivers, board):
            names = ", ".join(library.name for library in needed(drivers, board))
            self._fine("libraries", f"all installed: {names}")

    def _check_lights(self, board: Board, boot: BootFiles) -> None:
        (chain,) = self._layout.chains
        try:
            check_board(chain, self._layout.drivers.lights, board)
        except PartError as error:
            told, _, mend = str(error).partition("; ")
            self._fault("lights", told, mend)
            return
        if board.has_pio:
            self._check_pio()
        elif chain.pin == 10:
            self._check_spi(board, boot, chain.pixels)
        else:
            self._check_pwm(boot)

    def _check_pio(self) -> None:
        device = self._machine.path("dev/pio0")
        if not device.exists():
            told = "this system has no /dev/pio0: its kernel or its firmware is too old for PIO"
            self._fault("lights", told, f"sudo apt full-upgrade && {RESTART}")
        elif not self._machine.may_use(device):
            rule = 'SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660"'
            told = f"user {self._machine.user} may not use /dev/pio0"
            self._write("lights", told, f"echo '{rule}' | sudo tee /etc/udev/rules.d/99-pio.rules")
        else:
            self._fine("lights", "sent by PIO: /dev/pio0 is there")

    def _check_spi(self, board: Board, boot: BootFiles, pixels: int) -> None:
        lines = ["dtparam=spi=on"]
        if board.generation == 4:
            lines += ["core_freq=500", "core_freq_min=500"]  # or the speed of the bus changes with the load
        else:
            lines += ["core_freq=250"]
        buttons = [it.name for it in self._layout.buttons if it.switch in CHIP_SELECTS]
        if buttons and self._layout.drivers.buttons == "gpio":
            lines.append("dtoverlay=spi0-0cs")
        written = self._check_lines("lights", lines, boot, "SPI sends to the lights")
        if pixels * SPI_BYTES + SPI_RESET > SPI_BUFFER and not any(
            word.startswith("spidev.bufsiz=") for word in boot.words
        ):
            written = False
            path = self._machine.shown(boot.cmdline)
            told = f"{path} does not say spidev.bufsiz, and {pixels} lights need a larger buffer"
            self._write("lights", told, f"sudo sed -i '1s/$/ spidev.bufsiz=32768/' {path}")
        if written and self._check_device("lights", self._machine.path("dev/spidev0.0"), "spi"):
            self._check_memory()

    def _check_memory(self) -> None:
        """Check what sets GPIO10 to SPI."""
        if self._check_device("lights", self._machine.path("dev/gpiomem"), "gpio"):
            self._fine("lights", "sent by SPI: /dev/spidev0.0 is there, and its speed stays the same")

    def _check_pwm(self, boot: BootFiles) -> None:
        if not boot.says("dtparam=audio=off"):
            self._check_lines("lights", ["dtparam=audio=off"], boot, "PWM is shared with the sound")
        if not self._machine.is_root:
            told = "only root may send to lights by PWM"
            self._fault("lights", told, "wire the lights to GPIO10, which sends by SPI; or play as root")
        else:
            self._fine("lights", "sent by PWM, as root")

    def _check_buttons(self, boot: BootFiles) -> None:
        chips = [self._machine.path(f"dev/gpiochip{number}") for number in (0, 4)]
        there = next((chip for chip in chips if chip.exists()), chips[0])
        if self._check_device("buttons", there, "gpio"):
            self._fine("buttons", f"{len(self._layout.buttons)} on pins of the Pi")
        taken = {2: I2C, 3: I2C, 4: ONE_WIRE}
        for button in self._layout.buttons:
            line = taken.get(button.switch) if isinstance(button.switch, int) else None
            if line is not None and boot.says(line):
                path = self._machine.shown(boot.config)
                told = f"GPIO{button.switch} of button {button.name} is taken: {path} says {line}"
                self._write("buttons", told, f"sudo sed -i 's/^{line}/#&/' {path}")

    def _check_reader(self, reader: Reader, board: Board, boot: BootFiles) -> None:
        part = f"reader.{reader.name}"
        if isinstance(reader.wire, str):
            device = self._machine.path(reader.wire)
            if not device.exists():
                mend = "plug the reader in, or write the port that it has into the layout"
                self._fault(part, f"there is no {reader.wire}", mend)
            elif self._check_access(part, device, "dialout"):
                self._fine(part, f"at {reader.wire}")
            return
        port = serial_port(reader.wire, board)
        if port is not None and not self._check_lines(
            part, [port.switch], boot, f"GPIO{reader.wire} receives"
        ):
            return
        try:
            device = Path(device_of(reader.wire, board, self._machine.root))
        except PartError as error:
            told, _, mend = str(error).partition("; ")
            self._fault(part, told, mend if port is None else RESTART)
            return
        console = _console(board, boot)
        if reader.wire == CONSOLE_PIN and console is not None:
            told = f"the system's console talks on GPIO14 and 15 ({console})"
            self._write(part, told, "sudo raspi-config nonint do_serial_cons 1")
        elif self._check_device(part, device, "dialout"):
            self._fine(part, f"at {self._machine.shown(device)}")

    def _check_power(self) -> None:
        reading = read(self._machine.root)
        if reading is None:
            return
        for part, wrong in (("power", reading.undervoltage), ("heat", reading.hot)):
            if wrong:
                told, _, mend = TOLD[part][1].partition(": ")
                self._fault(part, told, mend)
        if not (reading.undervoltage or reading.hot):
            self._fine("power", "the Pi has enough, and is cool")

    # --- What they share ---------------------------------------------------------------------------------

    def _write(self, part: str, told: str, mend: str) -> None:
        """Note a fault that is mended by writing something that holds after a restart."""
        self._fault(part, told, mend)
        self._written = True

    def _check_lines(self, part: str, lines: list[str], boot: BootFiles, why: str) -> bool:
        """Tell whether config.txt says these lines; those that are missing are a fault each."""
        path = self._machine.shown(boot.config)
        missing = [line for line in lines if not boot.says(line)]
        for line in missing:
            told = f"{path} does not say {line} ({why})"
            self._write(part, told, f"echo '{line}' | sudo tee -a {path}")
        return not missing

    def _check_device(self, part: str, device: Path, group: str) -> bool:
        """Tell whether a device is there and may be used, whose lines in config.txt are as they should be."""
        if not device.exists():
            shown = self._machine.shown(device)
            self._fault(part, f"there is no {shown} yet, though it is switched on", RESTART)
            return False
        return self._check_access(part, device, group)

    def _check_access(self, part: str, device: Path, group: str) -> bool:
        if self._machine.may_use(device):
            return True
        told = f"user {self._machine.user} may not use {self._machine.shown(device)}"
        if self._machine.in_group(group):
            self._fault(part, f"{told} in this session", "log out and in again")
        else:
            mend = f"sudo usermod -aG {group} {self._machine.user}, then log out and in again"
            self._fault(part, told, mend)
        return False


def _console(board: Board, boot: BootFiles) -> str | None:
    """Return the word of cmdline.txt that has the system's console at GPIO14 and 15, None if none has.

    That of a Pi 5 is at a connector of its own, unless config.txt says otherwise.
    """
    ports = ["serial0", "ttyS0"]
    if board.generation >= 5:
        ports = ["ttyAMA0", *(["serial0"] if boot.says("dtparam=uart0_console=on") else [])]
    consoles = tuple(f"console={port}" for port in ports)
    return next((word for word in boot.words if word.startswith(consoles)), None)


def _picos(usb: Path) -> list[Path]:
    """Return the USB devices that are Picos with MicroPython."""
    found = []
    for vendor in sorted(usb.glob("*/idVendor")):
        try:
            product = vendor.with_name("idProduct").read_text("ascii")
            if (int(vendor.read_text("ascii"), 16), int(product, 16)) == (RASPBERRY_PI, MICROPYTHON):
                found.append(vendor.parent)
        except (OSError, ValueError):  # unplugged while we looked
            continue
    return found


def _ttys(device: Path) -> list[str]:
    """Return the serial ports of a USB device."""
    return sorted(
        {tty.name for tty in device.glob("*/tty/tty*")} | {tty.name for tty in device.glob("*:*/tty/*")}
    )
