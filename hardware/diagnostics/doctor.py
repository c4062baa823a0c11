"""Examination of the hardware setup of this machine: `azul-table doctor`.

`examine` checks Python, permissions, pins, config.txt, libraries and power for what a layout's drivers need,
and returns findings in the order in which to fix faults, each with its remedy. The kernel is asked first;
the boot configuration explains what it says. If the service is installed, permissions are those of its user.
Nothing is changed. If one fault causes others, only the cause is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from firmware_bridge.link import find_bootloader, pico_ports
from hardware.api import BUTTONS, LIGHTS, PICO, PartError, reader_part
from hardware.diagnostics.pin_claims import SPI_PINS, Bus, Claim, pin_claims
from hardware.drivers.health import FAULTS, read
from hardware.drivers.neopixel import Way, check_board, check_user
from hardware.drivers.raspberry_pi import (
    GPIOD,
    LGPIO_CONSUMER,
    UNIT,
    Board,
    BootConfig,
    Machine,
    device_of,
    install_command,
    pin_functions,
    read_boot_config,
    read_text,
    required_libraries,
    serial_port,
    unmet_libraries,
)
from hardware.drivers.spi import BUFFER_SIZE, DEVICE, LARGER_BUFFER, frame_size
from hardware.layout.checks import NETWORK_DRIVERS
from hardware.layout.model import Chain, Layout, Reader

OLDEST_PYTHON: Final = (3, 11)
CHIP_SELECTS: Final = (7, 8)
CONSOLE_PIN: Final = 15
RESTART: Final = "sudo reboot"
STOP: Final = "sudo systemctl stop azul-table.socket"
NO_SELECTS: Final = "dtoverlay=spi0-0cs"
SPI_DATA: Final = 10
SPIDEV: Final = "spidev"
LIGHTS_ON_PINS: Final = ("neopixel", "spi", "pwm", "pio")
"""Drivers of lights on pins of the Pi itself."""
ROOT_PINS: Final = (12, 13, 18, 19, 21)
"""Pins from which a Pi 4 or older sends to lights by PWM or PCM, which needs root."""
MAX_NAMED: Final = 4
"""Pins that a message names one by one."""


class Status(StrEnum):
    """Result of a check."""

    FINE = "fine"
    FAULT = "fault"
    GUESS = "guess"  # probably wrong, but a program can't be sure
    LOOK = "look"  # only a person can see it


class Finding(Struct, frozen=True):
    """Result of a check of one part: a message, and the command or action that fixes a fault."""

    part: str
    state: Status
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object of `azul-table doctor --json`."""
        return {"part": self.part, "state": self.state, "told": self.message, "mend": self.remedy}


class PinUse(Struct, frozen=True):
    """A pin that the layout uses for a part; `bus` is the one by which the part is reached, "" for none."""

    part: str
    pin: int
    what: str
    bus: Bus = ""

    @property
    def text(self) -> str:
        """The pin and what is wired to it."""
        return f"GPIO{self.pin} ({self.what})"


def pin_uses(layout: Layout, board: Board, parts: Iterable[str]) -> Iterator[PinUse]:
    """Yield every pin of the Pi that the layout uses for these parts: `lights`, `buttons`, `readers`."""
    if LIGHTS in parts and layout.drivers.lights in LIGHTS_ON_PINS:
        for chain in layout.chains:
            by_spi = chain.pin == SPI_DATA and not (board.has_pio and layout.drivers.lights == "pio")
            # Lights that are sent in another way take their pin from the bus, which nobody uses then.
            yield PinUse(LIGHTS, chain.pin, "lights", "spi0" if chain.pin == SPI_DATA else "")
            for pin in SPI_PINS if by_spi else ():
                if pin != chain.pin:
                    yield PinUse(LIGHTS, pin, "SPI bus of the lights", "spi0")
    if BUTTONS in parts:
        for button in layout.buttons:
            if isinstance(button.switch, int):
                yield PinUse(BUTTONS, button.switch, f"button {button.name}")
    if "readers" in parts:
        for reader in layout.readers:
            if isinstance(reader.wire, int):
                part, what = reader_part(reader.name), f"reader {reader.name}"
                yield PinUse(part, reader.wire, what, "uart")
                yield PinUse(part, reader.wire - 1, what, "uart")  # the port sends at the pin below


WIRING: Final = (
    ("level shifter", "is there a 74AHCT125 between the board and the first light?", "ramp"),
    ("resistor", "are there 330 ohm in each data wire, at the first light?", "colours"),
    ("capacitor", "are there 1000 uF at the first light of each chain, with the right polarity?", "white"),
    ("ground", "have board, level shifter and lights one common 0 V?", "colours"),
)
"""What only a look can tell about lights: a part, a question, and the step of the self-test that shows it."""


def examine(layout: Layout, machine: Machine) -> list[Finding]:
    """Check all that the layout's drivers need; return findings in the order in which to fix them.

    If the service is installed, permissions are those of its user, whoever asks.
    """
    return _Examination(layout, machine.as_service()).run()


class _Examination:
    """An examination of one machine, and its findings so far."""

    def __init__(self, layout: Layout, machine: Machine) -> None:
        self._layout = layout
        self._machine = machine
        self._found: list[Finding] = []
        self._needs_restart = False

    def run(self) -> list[Finding]:
        """Make all checks and return the findings."""
        drivers = self._layout.drivers
        named: dict[str, str] = {LIGHTS: drivers.lights, BUTTONS: drivers.buttons}
        if self._layout.readers:
            named["readers"] = drivers.readers
        real = [part for part, driver in named.items() if driver != "simulated"]
        if real:
            self._check_user()
        self._check_python()
        for part in named:
            if part not in real:
                self._fine(part, "simulated: nothing is needed")
        if PICO in named.values():
            self._check_pico()
        elsewhere = (PICO, *NETWORK_DRIVERS)  # `probe` asks the controllers in the network
        wired = [part for part in real if named[part] not in elsewhere]
        if wired:
            self._check_pi(wired)
        on_pins = LIGHTS in real and drivers.lights not in NETWORK_DRIVERS
        if on_pins and not self._is_faulty(LIGHTS, PICO, "board"):
            for part, question, step in WIRING:
                self._found.append(Finding(part, Status.LOOK, question, f"azul-table selftest, step {step}"))
        return self._found

    def _is_faulty(self, *parts: str) -> bool:
        """Return whether a fault of one of these parts was found."""
        return any(it.part in parts and it.state is Status.FAULT for it in self._found)

    def _fine(self, part: str, message: str) -> None:
        self._found.append(Finding(part, Status.FINE, message))

    def _fault(self, part: str, message: str, remedy: str) -> None:
        self._found.append(Finding(part, Status.FAULT, message, remedy))

    def _fault_of(self, part: str, error: PartError) -> None:
        """Add a fault from an error whose message has the form `fault; remedy`."""
        message, _, remedy = str(error).partition("; ")
        self._fault(part, message, remedy)

    def _check_user(self) -> None:
        """Say for which user the checks are, and whether the service is running."""
        machine = self._machine
        if machine.service is None:
            rights = ", who may use every device" if machine.is_root else ""
            self._fine("user", f"checked for {machine.user}{rights}; the service is not installed")
        elif machine.knows_user:
            self._fine("user", f"checked for {machine.user}, the user of the installed service")
        else:
            message = f"the service runs as {machine.user}, and there is no such user"
            self._fault("user", message, "sudo systemd-sysusers")
        if machine.runs_table:
            message = f"{UNIT} is running: its wires are not probed (`{STOP}` ends it)"
            self._fine("table", message)

    def _check_python(self) -> None:
        machine = self._machine
        board = machine.board
        version = ".".join(map(str, machine.python))
        if machine.python < OLDEST_PYTHON:
            self._fault("python", f"Python {version} is too old", "install Raspberry Pi OS 12 or newer")
        elif machine.bits < 64:
            message = f"this is a 32-bit system ({machine.processor}), for which libraries are missing"
            remedy = "install the 64-bit Raspberry Pi OS"
            if board is not None and board.code and not board.runs_64_bit:
                remedy = f"a {board.model} can't run another: use a Raspberry Pi Zero 2 W, 3, 4 or 5"
            self._fault("python", message, remedy)
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
        module = ", on the pins of the board that carries it" if board.is_module else ""
        self._fine("board", f"{board.description}{module}")
        self._check_libraries(board)
        boot = read_boot_config(self._machine.root, board)
        self._check_pins(wired, board, boot)
        if LIGHTS in wired and not self._is_faulty(LIGHTS) and self._check_rights(board):
            self._check_lights(board, boot)
        if BUTTONS in wired and not self._is_faulty(BUTTONS):
            self._check_buttons()
        if "readers" in wired:
            for reader in self._layout.readers:
                if not self._is_faulty(reader_part(reader.name)):
                    self._check_reader(reader, board, boot)
        if self._needs_restart:
            self._fault("restart", "the changed lines take effect after a restart", RESTART)
        self._check_power()

    def _check_libraries(self, board: Board) -> None:
        faults = unmet_libraries(self._layout, board, self._machine.installed)
        for library, there in faults:
            wrong = "is missing" if there is None else f"{there} does not fit"
            remedy = install_command(library, self._machine.pip, self._machine.python)
            self._fault("libraries", f"{library.name} {wrong}", remedy)
        if not faults and (required := required_libraries(self._layout, board)):
            self._fine("libraries", f"all installed: {', '.join(library.name for library in required)}")

    def _check_lights(self, board: Board, boot: BootConfig) -> None:
        (chain,) = self._layout.chains
        try:
            way = check_board(chain, self._layout.drivers.lights, board)
        except PartError as error:
            self._fault_of("lights", error)
            return
        if way is Way.SPI:
            self._check_spi(board, boot, chain)
        elif way is Way.PIO:
            self._check_pio()
        else:
            self._check_registers(boot, way)

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

    def _check_spi(self, board: Board, boot: BootConfig, chain: Chain) -> None:
        lines = ["dtparam=spi=on"]
        if board.generation == 4:
            lines += ["core_freq=500", "core_freq_min=500"]  # or the speed of the bus changes with the load
        elif board.generation < 4:  # the bus of a Pi 5 has a clock of its own, which is fixed
            lines += ["core_freq=250"]
        buttons = [it.name for it in self._layout.buttons if it.switch in CHIP_SELECTS]
        if buttons and self._layout.drivers.buttons == "gpio":
            lines.append("dtoverlay=spi0-0cs")
        configured = self._check_lines("lights", lines, boot, "the lights are sent by SPI")
        has_buffer = any(word.startswith("spidev.bufsiz=") for word in boot.words)
        if frame_size(chain) > BUFFER_SIZE and not has_buffer:
            configured = False
            path = self._machine.shown(boot.cmdline)
            message = f"{path} does not set spidev.bufsiz, and {chain.pixels} lights need a larger buffer"
            self._fault_until_restart("lights", message, f"sudo sed -i '1s/$/ {LARGER_BUFFER}/' {path}")
        if configured and self._check_device("lights", self._machine.path(DEVICE), "spi"):
            self._fine("lights", f"sent by SPI: {DEVICE} is there, and its speed is fixed")

    def _check_registers(self, boot: BootConfig, way: Way) -> None:
        self._check_lines("lights", ["dtparam=audio=off"], boot, f"{way} is shared with the sound")
        try:
            check_user(way, is_root=self._machine.is_root)
        except PartError as error:
            self._fault_of("lights", error)
        else:
            self._fine("lights", f"sent by {way}, as root")

    def _check_buttons(self) -> None:
        chips = [self._machine.path(f"dev/gpiochip{number}") for number in (0, 4)]
        there = next((chip for chip in chips if chip.exists()), chips[0])
        if self._check_device("buttons", there, "gpio"):
            running = ", used by the running table" if self._machine.runs_table else ""
            self._fine("buttons", f"{len(self._layout.buttons)} on pins of the Pi{running}")

    def _check_rights(self, board: Board) -> bool:
        """Return whether the service, if it is installed, can send to the lights at all."""
        machine = self._machine
        driver = self._layout.drivers.lights
        pins = [chain.pin for chain in self._layout.chains if chain.pin in ROOT_PINS]
        if (
            driver not in ("neopixel", "pwm")
            or machine.service is None
            or machine.is_root
            or board.has_pio
            or not pins
        ):
            return True
        message = (
            f"the service can never send from GPIO{pins[0]}: PWM and PCM need root, and it has no such rights"
        )
        self._fault(
            LIGHTS, message, "wire the lights to GPIO10, which sends by SPI, and name it in the layout"
        )
        return False

    # --- Who holds the pins: the kernel says it, config.txt explains it ---

    def _check_pins(self, wired: Sequence[str], board: Board, boot: BootConfig) -> None:
        """Add a fault for each line of config.txt, and each other holder, that takes pins of the layout."""
        uses = list(pin_uses(self._layout, board, wired))
        if missing := [use for use in uses if use.pin not in board.header]:
            message = f"the header of a {board.model} does not have {_named(missing)}"
            self._fault(missing[0].part, message, "use a Raspberry Pi with a header of 40 pins")
        held = self._foreign_lines()
        if held is None and uses:
            message, remedy = "the kernel can't be asked who holds the pins", "sudo azul-table doctor"
            if self._machine.installed(GPIOD.name) is None:
                message = f"{message}: {GPIOD.name} is missing"
                remedy = install_command(GPIOD, self._machine.pip, self._machine.python)
            self._found.append(Finding("pins", Status.GUESS, message, remedy))
        claims = [(claim, _clashing(claim, uses)) for claim in pin_claims(boot, board)]
        for claim, clashing in claims:
            if clashing:
                self._add_claim(claim, clashing, held, boot)
        explained = {use.pin for _, clashing in claims for use in clashing}
        self._check_holders([use for use in uses if use.pin not in explained], held, boot)
        if not self._is_faulty(LIGHTS) and _use_spi(uses):
            self._check_spi_drivers()

    def _check_holders(
        self, uses: Sequence[PinUse], held: Mapping[int, str] | None, boot: BootConfig
    ) -> None:
        """Add a fault for each holder of pins that no line of config.txt explains."""
        by_spi = _use_spi(uses)
        functions = pin_functions(self._machine.root)
        holders: dict[str, dict[str, list[PinUse]]] = {}  # by the remedy, because one device may hold several
        for use in uses:
            holder = (held or {}).get(use.pin) or _foreign_function(use, functions)
            if holder is None or (use.bus == "uart" and "serial" in holder):
                continue
            selects = use.pin in CHIP_SELECTS and "spi" in holder
            if not selects:
                holders.setdefault(self._release(holder), {}).setdefault(holder, []).append(use)
            elif not by_spi or boot.has(NO_SELECTS):  # else the missing line is reported with the lights
                holders.setdefault(RESTART, {}).setdefault(holder, []).append(use)
        for remedy, found in holders.items():
            clauses = [
                f"{_named(clashing)} {'is' if len(clashing) == 1 else 'are'} held by {_quoted(holder)}"
                for holder, clashing in found.items()
            ]
            until = " until the next restart" if remedy == RESTART else ""
            (first, *_), *_ = found.values()
            self._fault(first.part, f"{', '.join(clauses)}{until}", remedy)

    def _foreign_lines(self) -> dict[int, str] | None:
        """Return the GPIOs that others than the running table hold; None if the kernel could not be asked."""
        held = self._machine.held_lines()
        if held is None or not self._machine.runs_table:
            return held
        return {pin: consumer for pin, consumer in held.items() if consumer != LGPIO_CONSUMER}

    def _add_claim(
        self, claim: Claim, clashing: Sequence[PinUse], held: Mapping[int, str] | None, boot: BootConfig
    ) -> None:
        """Add the fault that a line of config.txt takes pins of the layout."""
        path = self._machine.shown(boot.config)
        holders = sorted({held[use.pin] for use in clashing if use.pin in held} if held else set())
        verb = "is taken" if len(clashing) == 1 else "are taken"
        if held is not None and claim.requested and not holders:
            verb = "will be taken after the next restart"
        holder = f" (holder: {', '.join(map(_quoted, holders))})" if holders else ""
        message = f"{_named(clashing)} {verb} by the line {claim.line} of {path}{holder}"
        pattern = re.sub(r"([.*\[\]^$\\/])", r"\\\1", claim.line.partition(" and ")[0])
        remedy = f"sudo sed -i 's/^\\s*{pattern}\\s*$/#&/' {path}"
        if not claim.is_alone or "'" in pattern:
            remedy = f"take {claim.entry} out of that line, or wire to other pins and name them in the layout"
        self._fault_until_restart(clashing[0].part, message, remedy)

    def _release(self, holder: str) -> str:
        """Return how to get pins back from a holder that no line of config.txt explains."""
        if holder == LGPIO_CONSUMER:
            return "end the program that uses them by lgpio or gpiozero; is a table running?"
        hat = read_text(self._machine.path("proc/device-tree/hat/product")).strip("\0 \n")
        if hat:
            return f"take off the board {_quoted(hat)}, which brings its own settings, and {RESTART}"
        return f"end that program; if it is a driver, find its overlay with `dtoverlay -l`, then {RESTART}"

    def _check_spi_drivers(self) -> None:
        """Add a fault if a driver, as that of a screen, has the SPI bus of the lights."""
        others = {device: it for device, it in self._machine.spi_drivers().items() if it != SPIDEV}
        if others:
            named = " and ".join(f"{driver} ({device})" for device, driver in others.items())
            message = f"the SPI bus of the lights, GPIO10, is used by the driver {named}, as that of a screen"
            remedy = (
                "take that device off and remove its overlay (`dtoverlay -l`), or wire the lights to a Pico"
            )
            self._fault_until_restart(LIGHTS, message, remedy)

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
        machine = self._machine
        if machine.is_accessible(device) or (machine.service is not None and not machine.knows_user):
            return True  # a missing user is a fault of its own
        message = f"user {machine.user} may not use {machine.shown(device)}"
        if machine.service is not None:
            if machine.in_group(group):
                message += f", which does not belong to the group {group}"
                remedy = "sudo udevadm control --reload && sudo udevadm trigger"
            else:
                remedy = f"sudo usermod -aG {group} {machine.user} && sudo systemctl restart azul-table"
        elif machine.in_group(group):
            message, remedy = f"{message} in this session", "log out and in again"
        else:
            remedy = f"sudo usermod -aG {group} {machine.user}, then log out and in again"
        self._fault(part, message, remedy)
        return False


def _clashing(claim: Claim, uses: Sequence[PinUse]) -> list[PinUse]:
    """Return the uses whose pins a line takes, except by the bus by which a part is reached itself.

    The chip selects of the lights' bus are no clash: `_check_spi` names the line that frees them.
    """
    if claim.bus == "spi0" and _use_spi(uses):
        return []
    return [use for use in uses if use.pin in claim.pins and not (claim.bus and claim.bus == use.bus)]


def _use_spi(uses: Sequence[PinUse]) -> bool:
    """Return whether lights are sent by SPI, and so use all pins of the bus."""
    return any(use.bus == "spi0" and use.pin != SPI_DATA for use in uses)


def _foreign_function(use: PinUse, functions: Mapping[int, str]) -> str | None:
    """Return the device that has set the function of a pin, None if none has or it is the part's own bus."""
    owner = functions.get(use.pin)
    if owner is None or (use.bus == "spi0" and ".spi" in owner) or (use.bus == "uart" and "serial" in owner):
        return None
    return owner


def _named(uses: Sequence[PinUse]) -> str:
    """Return the names of pins in order; of many only the first."""
    shown = [use.text for use in sorted(uses, key=lambda use: use.pin)[:MAX_NAMED]]
    return ", ".join(shown) + (f" and {len(uses) - MAX_NAMED} more" if len(uses) > MAX_NAMED else "")


def _quoted(name: str) -> str:
    return f'"{name}"' if name else "a driver without a name"


def _console(board: Board, boot: BootConfig) -> str | None:
    """Return the word of cmdline.txt that puts the serial console on GPIO14 and 15, None if none does.

    The console of a Pi 5 has a connector of its own, unless config.txt says otherwise.
    """
    ports = ["serial0", "ttyS0"]
    if board.generation >= 5:
        ports = ["ttyAMA0", *(["serial0"] if boot.has("dtparam=uart0_console=on") else [])]
    consoles = tuple(f"console={port}" for port in ports)
    return next((word for word in boot.words if word.startswith(consoles)), None)
