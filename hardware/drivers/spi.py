"""Lights by SPI: WS2812 and compatible at GPIO10 of any Raspberry Pi, through the kernel's spidev.

A bit of a WS2812 is a pulse: a short one for 0, a long one for 1. `encode` writes each as four bits of SPI,
0100 or 0110. No library is needed, only the group `spi`. A frame is one `write`, during which the GIL is
free, and which has to fit into spidev's buffer: lights take the pause between two writes for the end of the
frame.

What is lost compared with PWM, PCM and PIO: GPIO9 and 11 are taken as well, and on a Pi 4 and older the core
clock has to be fixed (core_freq in config.txt). Encoding a frame of 174 lights takes 7 us of a server's core;
the line is busy for 6.2 ms.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from fcntl import ioctl
from math import ceil
from pathlib import Path
from struct import pack
from typing import Final

from hardware.api import Loss, PartError
from hardware.drivers.raspberry_pi import ROOT, read_text, user_name
from hardware.layout.model import Chain

# --- Bytes -----------------------------------------------------------------------------------------------

SPEED: Final = 3_000_000
"""Hz that are asked for. The kernel divides a clock by the next larger even number, which gives 2.98 MHz
from 250, 400 and 500 MHz (the core clocks of a Pi Zero to 4) and 2.94 MHz from the 200 MHz of a Pi 5: a bit
lasts 335 to 340 ns. So the line is high for 335 to 340 ns in a 0, and for 670 to 680 ns in a 1, which every
data sheet allows:

               WS2812     WS2812B    WS2812B-V5    SK6812     WS2811
    0    ns    200..500   250..550   220..380      150..450   100..400
    1    ns    550..850   650..950   580..1000     450..750   450..750

The low rest of a pulse may last longer than they say, up to 6 us at least, until the lights take it for the
end of the frame.
"""
_PULSES: Final = (0b0100, 0b0110)
"""Four bits of SPI for 0 and 1. They are low at both ends of each byte, because controllers of a Pi pause
for a half or a whole bit between two bytes, with a low line, which would cut a pulse in two
(jgarff/rpi_ws281x #499, raspberrypi/linux #3844)."""
BYTES: Final = 4
"""Bytes of SPI for a byte of pixels: each has two pulses."""
RESET_SECONDS: Final = 300e-6
"""A low line for this long ends a frame (WS2812B-V5: 280 us). It is sent before a frame, too: when a transfer
begins, the line may be high for a moment, which lights take for a bit of the frame."""
_RESET: Final = bytes(ceil(RESET_SECONDS * SPEED / 8))
_TABLES: Final = tuple(
    bytes(_PULSES[value >> shift & 1] << 4 | _PULSES[value >> (shift - 1) & 1] for value in range(256))
    for shift in (7, 5, 3, 1)
)
"""The bytes of SPI for two bits of each byte, the highest first."""


def encode(pixels: bytes) -> bytes:
    """Return the bytes of SPI for a frame, given in the bytes of the wire, with the pauses around it."""
    sent = bytearray(BYTES * len(pixels))
    for number, table in enumerate(_TABLES):
        sent[number::BYTES] = pixels.translate(table)
    return b"".join((_RESET, sent, _RESET))


def frame_size(chain: Chain) -> int:
    """Return the number of bytes that `encode` makes of a frame of a chain."""
    return BYTES * chain.channels * chain.pixels + 2 * len(_RESET)


# --- Device ----------------------------------------------------------------------------------------------

DEVICE: Final = "/dev/spidev0.0"
BUFFER_SIZE: Final = 4096
"""Bytes that spidev transfers at once unless cmdline.txt says otherwise."""
LARGER_BUFFER: Final = "spidev.bufsiz=32768"
"""Word for cmdline.txt: enough for 2,700 lights."""
_BUFFER: Final = "sys/module/spidev/parameters/bufsiz"

# linux/spi/spidev.h: _IOW('k', number, size)
_SET_MODE: Final = 0x40016B01
_SET_BITS: Final = 0x40016B03
_SET_SPEED: Final = 0x40046B04


class SpiStrip:
    """The lights of a chain at GPIO10, open until `close`.

    Raises PartError if the device is missing, denied, or takes too few bytes at once.
    """

    def __init__(self, chain: Chain, root: Path = ROOT) -> None:
        size = frame_size(chain)
        self._dark = bytes(chain.channels * chain.pixels)
        self._device = _open()
        try:
            ioctl(self._device, _SET_MODE, pack("B", 0))
            ioctl(self._device, _SET_BITS, pack("B", 8))
            ioctl(self._device, _SET_SPEED, pack("=I", SPEED))
            there = read_text(root / _BUFFER).strip()
            if size > (int(there) if there.isdecimal() else BUFFER_SIZE):
                raise _too_long(size)
        except OSError as error:
            os.close(self._device)
            raise _failed(f"it does not take its settings: {error.strerror}") from error
        except BaseException:
            os.close(self._device)
            raise

    def send(self, pixels: bytes) -> None:
        """Send a frame, in the bytes of the wire; returns when it is sent. Raises PartError if it was not."""
        data = encode(pixels)
        try:
            sent = os.write(self._device, data)
        except OSError as error:
            if error.errno == errno.EMSGSIZE:
                raise _too_long(len(data)) from error
            raise _failed(str(error.strerror)) from error
        if sent != len(data):
            raise _failed(f"{sent} of {len(data)} bytes were sent")

    def close(self) -> None:
        """Turn the lights dark, if they can be reached, and close the device."""
        try:
            with suppress(PartError):
                self.send(self._dark)
        finally:
            os.close(self._device)


def _open() -> int:
    """Open the device. Raises PartError with the way out."""
    try:
        return os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        message = f"there is no {DEVICE}, because SPI is not enabled"
        remedy = "write dtparam=spi=on into /boot/firmware/config.txt, and restart the Pi"
        reason = Loss.ABSENT
    except PermissionError:
        message = f"user {user_name()} may not use {DEVICE}"
        remedy = f"sudo usermod -aG spi {user_name()}, then log out and in again"
        reason = Loss.DENIED
    raise PartError(reason, f"{message}; {remedy}; `azul-table doctor` checks all that lights need")


def _failed(how: str) -> PartError:
    message = f"sending to the lights by {DEVICE} failed ({how})"
    return PartError(Loss.FAILED, f"{message}; `azul-table doctor` checks SPI")


def _too_long(size: int) -> PartError:
    message = f"the lights need {size} bytes at once, more than spidev sends"
    remedy = f"add {LARGER_BUFFER} to the line in /boot/firmware/cmdline.txt, and restart the Pi"
    return PartError(Loss.FAILED, f"{message}; {remedy}")
