"""Puts the firmware on a Pico with mpremote, and asks a Pico what runs there."""

from __future__ import annotations

import json
import subprocess
import sys
from binascii import crc32
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits
from time import monotonic, sleep
from typing import Final

from serial import Serial, SerialException

from firmware_bridge import payload, wire
from firmware_bridge.firmware import FILES, VERSION
from firmware_bridge.link import IN_USE, reason_of
from firmware_bridge.messages import Hello, Identity, decode, encode

# --- The firmware's files as this package holds them, and as they lie on a Pico --------------------------

__all__ = ["FILES", "VERSION", "check_of_files", "copy_firmware", "source"]

_PACKAGES: Final = Path(__file__).parent.parent


def source(name: str) -> Path:
    """Where the file is that is called so on the Pico."""
    folder = Path(__file__).parent / "firmware" if name == "main.py" else _PACKAGES
    return folder / name


def check_of_files() -> int:
    """The check that a Pico with exactly these files tells."""
    check = 0
    for name in FILES:
        check = crc32(name.encode(), check)
        check = crc32(source(name).read_bytes(), check)
    return check


def copy_firmware(flash: Path) -> None:
    """Put the files where a Pico has them, below this folder; those that are the same stay untouched."""
    for name in FILES:
        target = flash / name
        data = source(name).read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


# ----------------------------------------------------------------------------------------------------------

OLDEST_MICROPYTHON: Final = (1, 24)
CHIPS: Final = ("RP2040", "RP2350")
COPYING: Final = 180.0
"""Seconds that mpremote may take."""
ANSWER: Final = 3.0
"""Seconds that a firmware may take to answer."""
START: Final = 10.0
"""Seconds that a Pico may take to start and to come back as a port."""
GREET: Final = 0.25

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
"""Without main.py no half of a firmware ever starts."""


class InstallError(RuntimeError):
    """The firmware could not be installed or asked; the message says what to do."""


class NoFirmwareError(InstallError):
    """No firmware of azul-table answers."""


@dataclass(frozen=True, slots=True)
class MicroPython:
    """What runs below the firmware: its version, and the name of the board."""

    version: tuple[int, ...]
    board: str


def identify(port: str, seconds: float | None = None) -> Identity:
    """Ask the firmware at a port who it is, for ANSWER seconds unless told otherwise.

    Raises NoFirmwareError, or InstallError for a port in use.
    """
    end = monotonic() + (ANSWER if seconds is None else seconds)
    kind, body = encode(Hello(payload.PROTOCOL, randbits(32) or 1, "azul-table firmware"))
    lines = wire.Lines()
    try:
        with Serial(port, timeout=GREET, exclusive=True) as line:
            number = 0
            while monotonic() < end:
                line.write(b"\r" + wire.pack(kind, number, body))
                number += 1
                for heard in lines.feed(line.read(wire.LONGEST_LINE)):
                    identity = _identity_in(heard)
                    if identity is not None:
                        return identity
    except SerialException as error:
        raise InstallError(f"{port}: {reason_of(error).why}") from error
    raise NoFirmwareError(
        f"{port}: no firmware of azul-table answers; `azul-table firmware install` puts it there"
    )


def _identity_in(line: bytes) -> Identity | None:
    try:
        kind, _, body = wire.unpack(line)
        message = decode(kind, body)
    except wire.WireError:
        return None
    return message if isinstance(message, Identity) else None


def install(port: str, tell: Callable[[str], None]) -> Identity:
    """Put the firmware of this program on the Pico at a port, start it, and check what runs then.

    `tell` gets a line for each step. Raises InstallError; the Pico is left without a `main.py` then, so that
    nothing half runs, and the next attempt begins anew.
    """
    about = micropython(port)
    tell(f"{about.board}, MicroPython {'.'.join(map(str, about.version))}")
    copies: list[str] = []
    for name in (*FILES[1:], FILES[0]):  # main.py last
        copies += ["+", "fs", "cp", str(source(name)), f":/{name}"]
    _mpremote(port, "exec", _PREPARE, *copies, "+", "reset")
    tell(f"{len(FILES)} files copied")
    identity = _wait_for(port)
    if identity.files != check_of_files():
        raise InstallError(f"{port}: the files on the Pico are not the ones that were copied; try again")
    return identity


def micropython(port: str) -> MicroPython:
    """Ask the MicroPython at a port who it is; raises InstallError if the firmware does not run on it."""
    said = _mpremote(port, "exec", _ABOUT)
    try:
        version, board = json.loads(said.strip().splitlines()[-1])
        about = MicroPython(tuple(version), str(board))
    except (ValueError, IndexError, TypeError):
        raise InstallError(f"{port}: answers, but not as MicroPython does: {said.strip()!r}") from None
    if not any(chip in about.board for chip in CHIPS):
        raise InstallError(f"{port}: is a {about.board}; the firmware is for a Raspberry Pi Pico or Pico 2")
    if about.version[:2] < OLDEST_MICROPYTHON:
        oldest = ".".join(map(str, OLDEST_MICROPYTHON))
        raise InstallError(
            f"{port}: its MicroPython is {'.'.join(map(str, about.version))}, and {oldest} is the oldest "
            "that will do: hold BOOTSEL while you plug it in, and copy a newer one onto the drive that it "
            "shows (micropython.org/download)"
        )
    return about


def _wait_for(port: str) -> Identity:
    """Wait for a Pico that has just been reset: its port goes and comes back."""
    end = monotonic() + START
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
    """Run mpremote with a command and return what it says; raises InstallError with its own last words."""
    whole: Sequence[str] = (sys.executable, "-m", "mpremote", "connect", port, *command)
    try:
        done = subprocess.run(whole, capture_output=True, text=True, timeout=COPYING, check=False)
    except subprocess.TimeoutExpired as error:
        raise InstallError(
            f"{port}: mpremote is still not done after {COPYING:g} s; unplug the Pico, and try again"
        ) from error
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        last = words[-1] if words else f"exit status {done.returncode}"
        if "No module named mpremote" in last:
            last = "mpremote is not installed: pip install mpremote"
        raise InstallError(f"{port}: {IN_USE}" if "in use" in last else f"{port}: mpremote: {last}")
    return done.stdout
