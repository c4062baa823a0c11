"""Install the firmware on a Pico with mpremote, and identify the firmware that runs on a Pico."""

from __future__ import annotations

import json
import os
import sys
from binascii import crc32
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import randbits
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic, sleep
from typing import Final

from serial import Serial, SerialException, SerialTimeoutException

from firmware_bridge import payload, wire
from firmware_bridge.firmware import FILES
from firmware_bridge.link import IN_USE, describe_port_error
from firmware_bridge.messages import Hello, Identity, decode, frame

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
COPY_TIMEOUT: Final = 60.0
"""Seconds without a sign of progress of mpremote, which prints a line for each file, until it is given up."""
REPLY_TIMEOUT: Final = 5.0
"""Timeout of an answer of the firmware in seconds."""
START_TIMEOUT: Final = 60.0
"""Timeout in seconds of each step of a restart: the port goes, comes back, the firmware answers.

The firmware is compiled at its start, for many seconds on a slow chip. A prompt ends the wait at once."""
MAX_STEPS: Final = 6
"""Steps of a restart after which a Pico that comes and goes is given up."""
LONGEST_FRAME: Final = 2048
"""Bytes of light in half a frame that may be left on the line: more than 500 lights."""
PROMPT: Final = b">>>"
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


NO_FIRMWARE: Final = "{}: no firmware of azul-table answers; `azul-table firmware install` puts it there"


class InstallError(RuntimeError):
    """The firmware could not be installed or identified; the message says what to do."""


class NoFirmwareError(InstallError):
    """No azul-table firmware answers on the port."""


class PromptError(NoFirmwareError):
    """MicroPython's prompt answers on the port: no firmware is running."""


def identify(port: str, seconds: float = REPLY_TIMEOUT, half_frame: int = LONGEST_FRAME) -> Identity:
    """Send Hello to a port until the firmware identifies itself, for `seconds`.

    Half a frame of light with at most `half_frame` bytes may have been left on the line. Raises
    NoFirmwareError if nothing answers, PromptError if MicroPython's prompt does, InstallError if the port
    can't be used.
    """
    end = monotonic() + seconds
    hello = Hello(payload.PROTOCOL, randbits(32) or 1, "azul-table firmware")
    numbers = wire.SequenceNumbers()
    lines = wire.LineSplitter()
    try:
        with Serial(port, timeout=HELLO_INTERVAL, write_timeout=seconds, exclusive=True) as serial:
            serial.write(wire.before_hello(half_frame))
            while monotonic() < end:
                serial.write(b"\r" + frame(hello, numbers.next()))
                for line in lines.feed(serial.read(wire.MAX_LINE)):
                    if line.startswith(PROMPT):
                        raise PromptError(NO_FIRMWARE.format(port))
                    if (identity := _identity_in(line)) is not None:
                        return identity
    except SerialTimeoutException:
        pass  # nothing reads what is sent
    except SerialException as error:
        raise InstallError(f"{port}: {describe_port_error(error).message}") from error
    raise NoFirmwareError(NO_FIRMWARE.format(port))


def _identity_in(line: bytes) -> Identity | None:
    with suppress(wire.WireError):
        kind, _, body = wire.unpack(line)
        if isinstance(message := decode(kind, body), Identity):
            return message
    return None


def install(
    port: str,
    report: Callable[[str], None],
    *,
    source: Callable[[str], Path] = source_path,
    start_timeout: float = START_TIMEOUT,
) -> Identity:
    """Copy the firmware to the Pico at a port, restart it, and verify the checksum of its files.

    `report` receives a line for each step, `source` returns the path of each file, `start_timeout` (seconds)
    limits each step of the restart. Raises InstallError; the Pico then has no `main.py`, so that an
    incomplete firmware never runs, and the installation can be repeated.
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
    """Wait until a Pico that was reset identifies itself; its port disappears and returns.

    `timeout` (seconds) begins again when the port goes or comes back.
    """
    step: type[InstallError] = InstallError
    steps, begun = 0, monotonic()
    while True:
        try:
            return identify(port, 1.0, half_frame=0)
        except InstallError as error:
            if type(error) is not step:
                step, steps, begun = type(error), steps + 1, monotonic()
            if step is PromptError or steps > MAX_STEPS or monotonic() - begun > timeout:
                raise InstallError(
                    f"{port}: the firmware is there but does not answer; `mpremote connect {port}` shows why"
                ) from error
        sleep(0.2)


def _mpremote(port: str, *command: str) -> str:
    """Run mpremote and return its output. Raises InstallError with the last line of its error."""
    whole: Sequence[str] = (sys.executable, "-m", "mpremote", "connect", port, *command)
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}  # its lines are progress
    with Popen(whole, stdout=PIPE, stderr=PIPE, env=environment) as process:
        seen = -1
        while True:
            try:
                output, errors = (text.decode() for text in process.communicate(timeout=COPY_TIMEOUT))
                break
            except TimeoutExpired as error:
                before, seen = seen, len(error.output or b"")
                if seen == before:
                    process.kill()
                    raise InstallError(
                        f"{port}: mpremote has done nothing for {COPY_TIMEOUT:g} s; "
                        "unplug the Pico, and try again"
                    ) from error
    if process.returncode != 0:
        lines = (errors.strip() or output.strip()).splitlines()
        last = lines[-1] if lines else f"exit status {process.returncode}"
        if "No module named mpremote" in last:
            last = "mpremote is not installed: pip install mpremote"
        raise InstallError(f"{port}: {IN_USE}" if "in use" in last else f"{port}: mpremote: {last}")
    return output
