"""The simulated Raspberry Pi Pico: the firmware's own files in a real MicroPython, behind a pseudo-terminal.

`SimulatedPico` starts a process (Node.js with MicroPython for WebAssembly) whose USB line is a
pseudo-terminal, which pyserial opens like any port. Commands close switches, reports return the bytes of the
strips.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final

from firmware_bridge.installer import copy_firmware
from firmware_bridge.wiring import READER_BAUD

PACKAGE: Final = "@micropython/micropython-webassembly-pyscript"
PACKAGE_VERSION: Final = "1.27.0"
PICO: Final = "Raspberry Pi Pico with RP2040"
PICO_2: Final = "Raspberry Pi Pico2 with RP2350"
PRESS: Final = 0.05
"""Seconds for which `press` closes a switch."""
START_TIMEOUT: Final = 10.0
"""Timeout of a start in seconds."""
WAIT_TIMEOUT: Final = 60.0
"""The default timeout of `wait_until` in seconds, long enough for a busy machine."""
_SIMULATOR: Final = Path(__file__).parent


class SimulatorError(RuntimeError):
    """The simulated Pico can't run; the message says what is missing and how to install it."""


def micropython() -> Path:
    """Return the path of MicroPython for WebAssembly. Raises SimulatorError if it is not installed."""
    named = os.environ.get("AZUL_TABLE_MICROPYTHON")
    folder = Path(sys.prefix, "micropython")
    path = Path(named) if named else folder / "node_modules" / PACKAGE / "micropython.mjs"
    if shutil.which("node") is None:
        raise SimulatorError(
            "the simulated Pico runs in Node.js, which is not installed: `make simulated-pico` installs it "
            "(elsewhere: apt install nodejs)"
        )
    if not path.is_file():
        command = f"npm install --prefix {folder} {PACKAGE}@{PACKAGE_VERSION}"
        raise SimulatorError(
            f"{path}: the simulated Pico needs MicroPython for WebAssembly: "
            f"`make simulated-pico` installs it (elsewhere: {command})"
        )
    return path


class SimulatedPico:
    """A Pico on a pseudo-terminal; `port` is its path, the same after every reset.

    `folder` holds its flash memory and its port. With `firmware` the firmware is already installed; without
    it the Pico has MicroPython only. `watchdog` is a factor for the watchdog's timeout. `powered` is whether
    the power is connected. All methods are thread-safe. One thread, `simulated-pico`, reads the reports of
    the process.
    """

    def __init__(
        self,
        folder: Path,
        *,
        board: str = PICO,
        firmware: bool = True,
        watchdog: float = 1.0,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.port = str(folder / "tty")
        self.flash = folder / "flash"
        self.board = board
        self.watchdog = watchdog
        self.strips: dict[int, bytes] = {}
        self.shown_at: dict[int, float] = {}
        self.torn = 0
        self.closed: set[tuple[int, ...]] = set()
        self.resets: list[str] = []
        self.memory = 0
        self.at_prompt = False
        self.on_strip: Callable[[int, bytes, float], None] | None = None
        self.on_switch: Callable[[tuple[int, ...], bool, float], None] | None = None
        self._micropython = micropython()
        self._start_timeout = start_timeout
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self.powered = False
        self._starts = 0
        self._reader: threading.Thread | None = None
        self.flash.mkdir(parents=True, exist_ok=True)
        if firmware:
            copy_firmware(self.flash)

    # --- Power and wires ---------------------------------------------------------------------------------

    def plug(self, *, wait: bool = True) -> None:
        """Connect the power; return when MicroPython runs, or at once without `wait`.

        Raises SimulatorError if it does not start in time.
        """
        with self._changed:
            if self.powered:
                return
            self.powered = True
            starts = self._starts
        self._reader = threading.Thread(target=self._run, name="simulated-pico", daemon=True)
        self._reader.start()
        if wait and not self.wait_until(lambda: self._starts > starts, self._start_timeout):
            raise SimulatorError("the simulated Pico does not start; its process says why on standard error")

    def unplug(self) -> None:
        """Disconnect the power; a second call does nothing."""
        with self._changed:
            self.powered = False
            process = self._process
        if process is not None:
            process.kill()
        if self._reader is not None:
            self._reader.join()
            self._reader = None

    # --- Inputs ------------------------------------------------------------------------------------------

    def set_switch(self, *pins: int, closed: bool) -> None:
        """Close or open the switch between two pins of the matrix, or between one pin and ground."""
        self._send_command({"switch": pins, "closed": closed})

    def press(self, *pins: int, seconds: float = PRESS) -> None:
        """Close a switch and open it `seconds` later; return at once."""
        self.set_switch(*pins, closed=True)
        release = threading.Timer(seconds, lambda: self.set_switch(*pins, closed=False))
        release.daemon = True
        release.start()

    def receive(self, pin: int, data: bytes) -> None:
        """Send bytes to a reader's pin at the readers' baud rate."""
        self._send_command({"reader": pin, "data": data.hex(), "baud": READER_BAUD})

    def hang(self) -> None:
        """Block the firmware until the watchdog resets it."""
        self._send_command({"hang": True})

    def freeze(self, *, frozen: bool) -> None:
        """Stop the whole chip, its watchdog too, or let it go on, whereupon the watchdog resets it."""
        with self._changed:
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def reset(self, *, wait: bool = True) -> None:
        """Reset it, as a brown-out does; return when it runs again, or at once without `wait`.

        Raises SimulatorError if it does not start again.
        """
        with self._changed:
            starts, process = self._starts, self._process
        if process is not None:
            process.kill()
        if wait and not self.wait_until(lambda: self._starts > starts, self._start_timeout):
            raise SimulatorError("the simulated Pico does not start again")

    # --- Outputs -----------------------------------------------------------------------------------------

    def wait_until(self, condition: Callable[[], bool], seconds: float = WAIT_TIMEOUT) -> bool:
        """Wait until `condition()` holds; return False after the timeout."""
        end = monotonic() + seconds
        with self._changed:
            while not condition():
                if not self._changed.wait(end - monotonic()) and monotonic() >= end:
                    return condition()
            return True

    def _run(self) -> None:
        """Run one process after another while the power is connected."""
        while self.powered:
            process = self._start_process()
            assert process.stdout is not None
            ended = self._read_reports(process.stdout)
            process.kill()
            process.wait()
            with self._changed:  # no command is written meanwhile
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
                self._process = None
                Path(self.port).unlink(missing_ok=True)
                self.resets.append(ended)
                if ended == "fault":
                    self.powered = False
                self._changed.notify_all()

    def _start_process(self) -> subprocess.Popen[bytes]:
        usb, terminal = pty.openpty()
        try:
            tty.setraw(terminal)
            parts = [_SIMULATOR / "pico.mjs", self._micropython, _SIMULATOR / "stand_in", self.flash]
            process = subprocess.Popen(
                ["node", *map(str, parts), self.board, str(usb), str(self.watchdog)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(usb,),
                bufsize=0,
                start_new_session=True,  # Ctrl-C does not reach it; it ends at the end of its input
            )
            with self._changed:
                Path(self.port).unlink(missing_ok=True)
                Path(self.port).symlink_to(os.ttyname(terminal))
                self._process = process
                if not self.powered:  # unplugged while it was starting
                    process.kill()
        finally:
            os.close(usb)
            os.close(terminal)
        return process

    def _read_reports(self, reports: IO[bytes]) -> str:
        """Process reports until the process ends; return the reason of its end."""
        rest = b""
        while data := reports.read(1 << 16):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                report = json.loads(line)
                if "ended" in report:
                    return str(report["ended"])
                self._handle_report(report)
        return "power"

    def _handle_report(self, report: dict[str, Any]) -> None:
        if "strip" in report:
            pin, data = int(report["strip"]), bytes.fromhex(report["data"])
            if self.on_strip is not None:
                self.on_strip(pin, data, float(report["at"]))
        elif "switch" in report and self.on_switch is not None:
            self.on_switch(tuple(report["switch"]), bool(report["closed"]), float(report["at"]))
        with self._changed:
            if "strip" in report:
                self.strips[pin] = data
                self.shown_at[pin] = float(report["at"])
                self.torn += bool(report["torn"])
            elif "switch" in report:
                pins = tuple(report["switch"])
                (self.closed.add if report["closed"] else self.closed.discard)(pins)
            elif "memory" in report:
                self.memory = int(report["memory"])
            elif "prompt" in report:
                self.at_prompt = True
            elif "started" in report:
                self._starts += 1
                self.closed.clear()
                self.at_prompt = False
            self._changed.notify_all()

    def _send_command(self, command: dict[str, object]) -> None:
        line = json.dumps(command).encode() + b"\n"
        with self._changed:
            pipe = self._process.stdin if self._process is not None else None
            try:
                if pipe is not None:  # a switch may open after the power is gone
                    pipe.write(line)
            except BrokenPipeError:
                pass  # it has just been reset; inputs of a Pico without power do nothing
