"""Examination of the hardware setup of this machine: `azul-table doctor`.

`examine` checks Python, permissions, config.txt, libraries and power for what a layout's drivers need, and
returns findings in the order in which to fix faults, each with its remedy. Nothing is changed. If
one fault causes others, only the cause is reported.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from firmware_bridge.link import find_bootloader, pico_ports
from hardware.api import PICO, PartError, reader_part
from hardware.drivers.health import FAULTS, read
from hardware.drivers.neopixel import check_board
from hardware.drivers.raspberry_pi import (
    Board,
    BootConfig,
    Machine,
    device_of,
    install_command,
    read_boot_config,
    required_libraries,
    serial_port,
    unmet_libraries,
)
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Layout, Reader

OLDEST_PYTHON: Final = (3, 11)
SPI_BUFFER: Final = 4096
"""Size in bytes of the SPI driver's buffer, unless cmdline.txt sets another."""
SPI_BYTES: Final = 12
"""Bytes in that buffer that rpi_ws281x needs for a light."""
SPI_RESET: Final = 200
CHIP_SELECTS: Final = (7, 8)
CONSOLE_PIN: Final = 15
I2C: Final = "dtparam=i2c_arm=on"
ONE_WIRE: Final = "dtoverlay=w1-gpio"
"""Lines of config.txt that take pins which buttons may use."""
RESTART: Final = "sudo reboot"


class Status(StrEnum):
    """Result of a check."""

    FINE = "fine"
    FAULT = "fault"
    GUESS = "guess"  # probably wrong, but a program can't be sure


class Finding(Struct, frozen=True):
    """Result of a check of one part: a message, and the command or action that fixes a fault."""

    part: str
    state: Status
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object of `azul-table doctor --json`."""
        return {"part": self.part, "state": self.state, "told": self.message, "mend": self.remedy}


def examine(layout: Layout, machine: Machine) -> list[Finding]:
    """Check all that the layout's drivers need; return findings in the order in which to fix them."""
    return _Examination(layout, machine).run()


class _Examination:
    """An examination of one machine, and its findings so far."""

    def __init__(self, layout: Layout, machine: Machine) -> None:
        self._layout = layout
        self._machine = machine
        self._found: list[Finding] = []
        self._needs_restart = False

    def run(self) -> list[Finding]:
        """Make all checks and return the findings."""
        self._check_python()
        drivers = self._layout.drivers
        named: dict[str, str] = {"lights": drivers.lights, "buttons": drivers.buttons}
        if self._layout.readers:
            named["readers"] = drivers.readers
        for part, driver in named.items():
            if driver == "simulated":
                self._fine(part, "simulated: nothing is needed")
        if PICO in named.values():
            self._check_pico()
        elsewhere = (PICO, "simulated", *NETWORK_DRIVERS)  # `probe` asks the controllers in the network
        wired = [part for part, driver in named.items() if driver not in elsewhere]
        if wired:
            self._check_pi(wired)
        return self._found

    def _fine(self, part: str, message: str) -> None:
        self._found.append(Finding(part, Status.FINE, message))

    def _fault(self, part: str, message: str, remedy: str) -> None:
        self._found.append(Finding(part, Status.FAULT, message, remedy))

    def _fault_of(self, part: str, error: PartError) -> None:
        """Add a fault from an error whose message has the form `fault; remedy`."""
        message, _, remedy = str(error).partition("; ")
        self._fault(part, message, remedy)

    def _check_python(self) -> None:
        machine = self._machine
        version = ".".join(map(str, machine.python))
        if machine.python < OLDEST_PYTHON:
            self._fault("python", f"Python {version} is too old", "install Raspberry Pi OS 12 or newer")
        elif machine.bits < 64:
            message = f"this is a 32-bit system ({machine.processor}), for which libraries are missing"
            self._fault("python", message, "install the 64-bit Raspberry Pi OS")
        else:
            self._fine("python", f"Python {version}, 64 bits ({machine.processor})")

    # --- Pico ---

    def _check_pico(self) -> None:
        usb = self._machine.path("sys/bus/usb/devices")
        ports = pico_ports(usb)
        if not ports:
            board = find_bootloader(usb)
            if board is not None:
                message = f"a {board} is plugged in, but has no MicroPython yet"
                remedy = f"copy MicroPython's file for a {board} (micropython.org/download) onto its drive"
            else:
                message = "no Pico is plugged in"
                remedy = "plug it in with a USB cable that carries data; many only charge"
            self._fault("pico", message, remedy)
            return
        if len(ports) > 1:
            names = ", ".join(ports)
            message = f"several Picos are plugged in ({names})"
            self._fault("pico", message, "unplug those that are not the table's")
            return
        if self._check_access("pico", self._machine.path(f"dev/{ports[0]}"), "dialout"):
            self._fine("pico", f"plugged in at /dev/{ports[0]}")

    # --- Raspberry Pi ---

    def _check_pi(self, wired: list[str]) -> None:
        board = self._machine.board
        if board is None:
            parts = " and ".join(wired).replace(" and ", ", ", len(wired) - 2)
            message = f"this machine is not a Raspberry Pi and has no pins for {parts}"
            remedy = 'play with --simulate table, or write "simulated" into [drivers] of the layout'
            self._fault("board", message, remedy)
            return
        self._fine("board", board.model)
        self._check_libraries(board)
        boot = read_boot_config(self._machine.root, board)
        if "lights" in wired:
            self._check_lights(board, boot)
        if "buttons" in wired:
            self._check_buttons(boot)
        if "readers" in wired:
            for reader in self._layout.readers:
                self._check_reader(reader, board, boot)
        if self._needs_restart:
            self._fault("restart", "the changed lines take effect after a restart", RESTART)
        self._check_power()

    def _check_libraries(self, board: Board) -> None:
        drivers = self._layout.drivers
        faults = unmet_libraries(drivers, board, self._machine.installed)
        for library, there in faults:
            wrong = "is missing" if there is None else f"{there} does not fit"
            remedy = install_command(library, self._machine.pip, self._machine.python)
            self._fault("libraries", f"{library.name} {wrong}", remedy)
        if not faults and (required := required_libraries(drivers, board)):
            self._fine("libraries", f"all installed: {', '.join(library.name for library in required)}")

    def _check_lights(self, board: Board, boot: BootConfig) -> None:
        (chain,) = self._layout.chains
        try:
            check_board(chain, self._layout.drivers.lights, board)
        except PartError as error:
            self._fault_of("lights", error)
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
            message = "there is no /dev/pio0: the kernel or the firmware is too old for PIO"
            self._fault("lights", message, f"sudo apt full-upgrade && {RESTART}")
        elif not self._machine.is_accessible(device):
            rule = 'SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660"'
            message = f"user {self._machine.user} may not use /dev/pio0"
            remedy = f"echo '{rule}' | sudo tee /etc/udev/rules.d/99-pio.rules"
            self._fault_until_restart("lights", message, remedy)
        else:
            self._fine("lights", "sent by PIO: /dev/pio0 is there")

    def _check_spi(self, board: Board, boot: BootConfig, pixels: int) -> None:
        lines = ["dtparam=spi=on"]
        if board.generation == 4:
            lines += ["core_freq=500", "core_freq_min=500"]  # or the speed of the bus changes with the load
        else:
            lines += ["core_freq=250"]
        buttons = [it.name for it in self._layout.buttons if it.switch in CHIP_SELECTS]
        if buttons and self._layout.drivers.buttons == "gpio":
            lines.append("dtoverlay=spi0-0cs")
        configured = self._check_lines("lights", lines, boot, "the lights are sent by SPI")
        has_buffer = any(word.startswith("spidev.bufsiz=") for word in boot.words)
        if pixels * SPI_BYTES + SPI_RESET > SPI_BUFFER and not has_buffer:
            configured = False
            path = self._machine.shown(boot.cmdline)
            message = f"{path} does not set spidev.bufsiz, and {pixels} lights need a larger buffer"
            self._fault_until_restart("lights", message, f"sudo sed -i '1s/$/ spidev.bufsiz=32768/' {path}")
        devices = {"dev/spidev0.0": "spi", "dev/gpiomem": "gpio"}  # the second sets GPIO10 to SPI
        if configured and all(
            self._check_device("lights", self._machine.path(device), group)
            for device, group in devices.items()
        ):
            self._fine("lights", "sent by SPI: /dev/spidev0.0 is there, and its speed is fixed")

    def _check_pwm(self, boot: BootConfig) -> None:
        self._check_lines("lights", ["dtparam=audio=off"], boot, "PWM is shared with the sound")
        if not self._machine.is_root:
            message = "only root may send to lights by PWM"
            self._fault("lights", message, "wire the lights to GPIO10, which sends by SPI; or play as root")
        else:
            self._fine("lights", "sent by PWM, as root")

    def _check_buttons(self, boot: BootConfig) -> None:
        chips = [self._machine.path(f"dev/gpiochip{number}") for number in (0, 4)]
        there = next((chip for chip in chips if chip.exists()), chips[0])
        if self._check_device("buttons", there, "gpio"):
            self._fine("buttons", f"{len(self._layout.buttons)} on pins of the Pi")
        taken = {2: I2C, 3: I2C, 4: ONE_WIRE}
        for button in self._layout.buttons:
            line = taken.get(button.switch) if isinstance(button.switch, int) else None
            if line is not None and boot.has(line):
                path = self._machine.shown(boot.config)
                message = f"GPIO{button.switch} of button {button.name} is in use: {path} has the line {line}"
                self._fault_until_restart("buttons", message, f"sudo sed -i 's/^{line}/#&/' {path}")

    def _check_reader(self, reader: Reader, board: Board, boot: BootConfig) -> None:
        part = reader_part(reader.name)
        if isinstance(reader.wire, str):
            device = self._machine.path(reader.wire)
            if not device.exists():
                remedy = "plug the reader in, or write its port into the layout"
                self._fault(part, f"there is no {reader.wire}", remedy)
            elif self._check_access(part, device, "dialout"):
                self._fine(part, f"at {reader.wire}")
            return
        port = serial_port(reader.wire, board)
        reason = f"GPIO{reader.wire} receives"
        if port is not None and not self._check_lines(part, [port.config_line], boot, reason):
            return
        try:
            device = Path(device_of(reader.wire, board, self._machine.root))
        except PartError as error:
            if port is None:
                self._fault_of(part, error)
            else:
                self._fault(part, str(error).partition("; ")[0], RESTART)
            return
        console = _console(board, boot)
        if reader.wire == CONSOLE_PIN and console is not None:
            message = f"the serial console of the system uses GPIO14 and 15 ({console})"
            self._fault_until_restart(part, message, "sudo raspi-config nonint do_serial_cons 1")
        elif self._check_device(part, device, "dialout"):
            self._fine(part, f"at {self._machine.shown(device)}")

    def _check_power(self) -> None:
        reading = read(self._machine.root)
        if reading is None:
            return
        for part, wrong in (("power", reading.undervoltage), ("heat", reading.hot)):
            if wrong:
                message, _, remedy = FAULTS[part][1].partition(": ")
                self._fault(part, message, remedy)
        if not (reading.undervoltage or reading.hot):
            self._fine("power", "the Pi has enough power and is cool")

    # --- Shared by the checks ---

    def _fault_until_restart(self, part: str, message: str, remedy: str) -> None:
        """Add a fault whose remedy changes a file that is read at the start of the system."""
        self._fault(part, message, remedy)
        self._needs_restart = True

    def _check_lines(self, part: str, lines: list[str], boot: BootConfig, reason: str) -> bool:
        """Return whether config.txt has these lines; add a fault for each missing one."""
        path = self._machine.shown(boot.config)
        missing = [line for line in lines if not boot.has(line)]
        for line in missing:
            message = f"{path} does not have the line {line} ({reason})"
            self._fault_until_restart(part, message, f"echo '{line}' | sudo tee -a {path}")
        return not missing

    def _check_device(self, part: str, device: Path, group: str) -> bool:
        """Return whether a device exists and is accessible; its lines in config.txt are there already."""
        if not device.exists():
            shown = self._machine.shown(device)
            self._fault(part, f"there is no {shown} yet, although it is enabled", RESTART)
            return False
        return self._check_access(part, device, group)

    def _check_access(self, part: str, device: Path, group: str) -> bool:
        if self._machine.is_accessible(device):
            return True
        message = f"user {self._machine.user} may not use {self._machine.shown(device)}"
        if self._machine.in_group(group):
            self._fault(part, f"{message} in this session", "log out and in again")
        else:
            remedy = f"sudo usermod -aG {group} {self._machine.user}, then log out and in again"
            self._fault(part, message, remedy)
        return False


def _console(board: Board, boot: BootConfig) -> str | None:
    """Return the word of cmdline.txt that puts the serial console on GPIO14 and 15, None if none does.

    The console of a Pi 5 has a connector of its own, unless config.txt says otherwise.
    """
    ports = ["serial0", "ttyS0"]
    if board.generation >= 5:
        ports = ["ttyAMA0", *(["serial0"] if boot.has("dtparam=uart0_console=on") else [])]
    consoles = tuple(f"console={port}" for port in ports)
    return next((word for word in boot.words if word.startswith(consoles)), None)
