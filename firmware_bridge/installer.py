"""Install the firmware on a Pico with mpremote, and identify the firmware that runs on a Pico."""

from __future__ import annotations

import json
import subprocess
import sys
from binascii import crc32
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import randbits
from time import monotonic, sleep
from typing import Final

from serial import Serial, SerialException

from firmware_bridge import payload, wire
from firmware_bridge.firmware import FILES
from firmware_bridge.link import IN_USE, describe_port_error
from firmware_bridge.messages import Hello, Identity, decode, encode

# --- The firmware's files ---------------------------------------------------------------------------------

_PACKAGES: Final = Path(__file__).parent.parent


def source_path(name: str) -> Path:
    """Return the path in this package of a file by its name on the Pico."""
    folder = Path(__file__).parent / "firmware" if name == "main.py" else _PACKAGES
    return folder / name


def firmware_checksum() -> int:
    """Return the CRC-32 that a Pico with exactly these files reports."""
    check = 0
    for name in FILES:
        check = crc32(name.encode(), check)
        check = crc32(source_path(name).read_bytes(), check)
    return check


def copy_firmware(flash: Path) -> None:
    """Copy the files into the folder `flash` as they lie on a Pico; equal files are not rewritten."""
    for name in FILES:
        target = flash / name
        data = source_path(name).read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


# --- Installation -----------------------------------------------------------------------------------------

OLDEST_MICROPYTHON: Final = (1, 24)
CHIPS: Final = ("RP2040", "RP2350")
COPY_TIMEOUT: Final = 180.0
"""Timeout of mpremote in seconds."""
REPLY_TIMEOUT: Final = 3.0
"""Timeout of an answer of the firmware in seconds."""
START_TIMEOUT: Final = 10.0
"""Timeout of a restart in seconds, until the port is back."""
HELLO_INTERVAL: Final = 0.25

_ABOUT: Final = """
import json, sys
print(json.dumps([list(sys.implementation.version[:3]), sys.implementation._machine]))
"""
_PREPARE: Final = """
import os
def make(name):
    try:
        os.mkdir(name)
    except OSError:
        pass
make('/firmware_bridge')
make('/firmware_bridge/firmware')
try:
    os.remove('/main.py')
except OSError:
    pass
"""
"""Removes main.py first, so that an incomplete copy never starts."""


class InstallError(RuntimeError):
    """The firmware could not be installed or identified; the message says what to do."""


class NoFirmwareError(InstallError):
    """No azul-table firmware answers on the port."""


def identify(port: str, seconds: float = REPLY_TIMEOUT) -> Identity:
    """Send Hello to a port until the firmware identifies itself, for `seconds`.

    Raises NoFirmwareError if nothing answers, InstallError if the port can't be used.
    """
    end = monotonic() + seconds
    kind, hello = encode(Hello(payload.PROTOCOL, randbits(32) or 1, "azul-table firmware"))
    lines = wire.LineSplitter()
    try:
        with Serial(port, timeout=HELLO_INTERVAL, exclusive=True) as serial:
            number = 0
            while monotonic() < end:
                serial.write(b"\r" + wire.pack(kind, number, hello))
                number += 1
                for line in lines.feed(serial.read(wire.MAX_LINE)):
                    with suppress(wire.WireError):
                        answer, _, body = wire.unpack(line)
                        if isinstance(message := decode(answer, body), Identity):
                            return message
    except SerialException as error:
        raise InstallError(f"{port}: {describe_port_error(error).message}") from error
    raise NoFirmwareError(
        f"{port}: no firmware of azul-table answers; `azul-table firmware install` puts it there"
    )


def install(
    port: str,
    report: Callable[[str], None],
    *,
    source: Callable[[str], Path] = source_path,
    start_timeout: float = START_TIMEOUT,
) -> Identity:
    """Copy the firmware to the Pico at a port, restart it, and verify the checksum of its files.

    `report` receives a line for each step, `source` returns the path of each file, `start_timeout` (seconds)
    limits the restart. Raises InstallError; the Pico then has no `main.py`, so that an incomplete firmware
    never runs, and the installation can be repeated.
    """
    board, version = micropython(port)
    report(f"{board}, MicroPython {version}")
    copies: list[str] = []
    for name in (*FILES[1:], FILES[0]):  # main.py last
        copies += ["+", "fs", "cp", str(source(name)), f":/{name}"]
    _mpremote(port, "exec", _PREPARE, *copies, "+", "reset")
    report(f"{len(FILES)} files copied")
    identity = _wait_for(port, start_timeout)
    if identity.files != firmware_checksum():
        raise InstallError(f"{port}: the files on the Pico are not the ones that were copied; try again")
    return identity


def micropython(port: str) -> tuple[str, str]:
    """Return the board and its version of MicroPython. Raises InstallError for unsupported ones."""
    output = _mpremote(port, "exec", _ABOUT)
    try:
        numbers, board = json.loads(output.strip().splitlines()[-1])
        version, supported = ".".join(map(str, numbers)), tuple(numbers[:2]) >= OLDEST_MICROPYTHON
    except (ValueError, IndexError, TypeError):
        raise InstallError(f"{port}: answers, but not as MicroPython does: {output.strip()!r}") from None
    if not any(chip in board for chip in CHIPS):
        raise InstallError(f"{port}: is a {board}; the firmware is for a Raspberry Pi Pico or Pico 2")
    if not supported:
        oldest = ".".join(map(str, OLDEST_MICROPYTHON))
        raise InstallError(
            f"{port}: its MicroPython is {version}, and {oldest} is the oldest "
            "that will do: hold BOOTSEL while you plug it in, and copy a newer one onto the drive that it "
            "shows (micropython.org/download)"
        )
    return board, version


def _wait_for(port: str, timeout: float) -> Identity:
    """Wait until a Pico that was reset identifies itself; its port disappears and returns."""
    end = monotonic() + timeout
    while True:
        try:
            return identify(port, 1.0)
        except InstallError as error:
            if monotonic() > end:
                raise InstallError(
                    f"{port}: the firmware is there but does not answer; `mpremote connect {port}` shows why"
                ) from error
        sleep(0.2)


def _mpremote(port: str, *command: str) -> str:
    """Run mpremote and return its output. Raises InstallError with the last line of its error."""
    whole: Sequence[str] = (sys.executable, "-m", "mpremote", "connect", port, *command)
    try:
        done = subprocess.run(whole, capture_output=True, text=True, timeout=COPY_TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise InstallError(
            f"{port}: mpremote is still not done after {COPY_TIMEOUT:g} s; unplug the Pico, and try again"
        ) from error
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        last = lines[-1] if lines else f"exit status {done.returncode}"
        if "No module named mpremote" in last:
            last = "mpremote is not installed: pip install mpremote"
        raise InstallError(f"{port}: {IN_USE}" if "in use" in last else f"{port}: mpremote: {last}")
    return done.stdout
