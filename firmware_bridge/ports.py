"""Which serial port the Pico is on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

RASPBERRY_PI: Final = 0x2E8A
"""The vendor number of what Raspberry Pi makes, on USB."""
MICROPYTHON: Final = 0x0005
BOOTLOADERS: Final = {0x0003: "Pico", 0x000F: "Pico 2"}


class PortError(OSError):
    """There is no port to open; the message says what to do."""


def find_port() -> str:
    """Return the one port where a Pico with MicroPython is; raises PortError if there is none, or several."""
    from serial.tools import list_ports

    picos = sorted(
        port.device for port in list_ports.comports() if port.vid == RASPBERRY_PI and port.pid == MICROPYTHON
    )
    if len(picos) == 1:
        return str(picos[0])
    if picos:
        raise PortError(f"there are several Picos ({', '.join(picos)}); name the port of the table's")
    board = in_bootloader()
    if board is not None:
        raise PortError(
            f"a {board} without MicroPython is plugged in: copy MicroPython's file for a {board} "
            "(micropython.org/download) onto the drive that it shows"
        )
    raise PortError("no Pico is plugged in; plug it in with a USB cable that carries data")


def in_bootloader(devices: Path = Path("/sys/bus/usb/devices")) -> str | None:
    """Return what board waits for a MicroPython, None if none does."""
    for vendor in devices.glob("*/idVendor"):
        try:
            product = vendor.with_name("idProduct").read_text("ascii")
            if int(vendor.read_text("ascii"), 16) == RASPBERRY_PI:
                board = BOOTLOADERS.get(int(product, 16))
                if board is not None:
                    return board
        except (OSError, ValueError):  # unplugged while we looked
            continue
    return None
