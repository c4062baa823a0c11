"""Which Raspberry Pi this is, and what of it depends on that: how lights are sent, and its serial ports.

Everything is read below a root folder, which is another one in tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.api import Loss, PartError

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
