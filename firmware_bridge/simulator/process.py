"""A Raspberry Pi Pico without the chip: the firmware's own files in a real MicroPython, on a real terminal.

`SimulatedPico` starts a process (Node.js with MicroPython for WebAssembly) whose USB line is a
pseudo-terminal that pyserial opens like any port. Its pins are closed and its strips are read from here.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
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
"""Seconds that a finger stays on a button."""
START: Final = 10.0
"""Seconds that a start may take."""
PATIENCE: Final = 60.0
"""Seconds that something about it is waited for: a busy machine may be slow."""
_SIMULATOR: Final = Path(__file__).parent


class SimulatorError(RuntimeError):
    """The simulated Pico can't run; the message says what is missing, and how to get it."""


def micropython() -> Path:
    """Where MicroPython for WebAssembly is; raises SimulatorError with the command that installs it."""
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
    """A Pico on a pseudo-terminal; `port` is its name, the same after every reset.

    `folder` holds its flash memory and its port. With `firmware` the firmware is there already; without, the
    Pico has MicroPython and nothing else. `watchdog` is what the watchdog's time is multiplied with. Every
    method may be called from any thread. One thread, `simulated-pico`, hears what the process tells.
    """

    def __init__(
        self, folder: Path, *, board: str = PICO, firmware: bool = True, watchdog: float = 1.0
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
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._powered = False
        self._starts = 0
        self._teller: threading.Thread | None = None
        self.flash.mkdir(parents=True, exist_ok=True)
        if firmware:
            copy_firmware(self.flash)

    # --- Power and wires ---------------------------------------------------------------------------------

    def plug(self, *, wait: bool = True) -> None:
        """Give it power; it returns when MicroPython runs, or at once if nobody is to wait.

        Raises SimulatorError when that was waited for and does not come.
        """
        with self._changed:
            if self._powered:
                return
            self._powered = True
            starts = self._starts
        self._teller = threading.Thread(target=self._live, name="simulated-pico", daemon=True)
        self._teller.start()
        if wait and not self.wait_until(lambda: self._starts > starts, START):
            raise SimulatorError("the simulated Pico does not start; its process says why on standard error")

    @property
    def powered(self) -> bool:
        """Whether it has power."""
        return self._powered

    def unplug(self) -> None:
        """Take its power; a second call does nothing."""
        with self._changed:
            self._powered = False
            process = self._process
        if process is not None:
            process.kill()
        if self._teller is not None:
            self._teller.join()
            self._teller = None

    close = unplug

    def __enter__(self) -> SimulatedPico:
        self.plug()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.unplug()

    # --- Hands -------------------------------------------------------------------------------------------

    def set_switch(self, *pins: int, closed: bool) -> None:
        """Close or open the button between a row and a column of the matrix, or of one pin."""
        self._do({"switch": pins, "closed": closed})

    def press(self, *pins: int, seconds: float = PRESS) -> None:
        """Press a button and let it go again; it returns at once."""
        self.set_switch(*pins, closed=True)
        release = threading.Timer(seconds, lambda: self.set_switch(*pins, closed=False))
        release.daemon = True
        release.start()

    def receive(self, pin: int, data: bytes) -> None:
        """Let the reader at this pin send bytes, as slowly as readers do."""
        self._do({"reader": pin, "data": data.hex(), "baud": READER_BAUD})

    def hang(self) -> None:
        """Stop the firmware dead: only the watchdog helps."""
        self._do({"hang": True})

    def reset(self) -> None:
        """Start it anew, as a brown-out does."""
        with self._changed:
            starts, process = self._starts, self._process
        if process is not None:
            process.kill()
        if not self.wait_until(lambda: self._starts > starts, START):
            raise SimulatorError("the simulated Pico does not start again")

    # --- Eyes --------------------------------------------------------------------------------------------

    def wait_until(self, true: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Wait until something about this Pico is true; False if it is not in time."""
        end = monotonic() + seconds
        with self._changed:
            while not true():
                if not self._changed.wait(end - monotonic()) and monotonic() >= end:
                    return true()
            return True

    def _live(self) -> None:
        """Run one process after another while there is power."""
        while self._powered:
            process = self._begin()
            assert process.stdout is not None
            ended = self._listen(process.stdout)
            process.kill()
            process.wait()
            with self._changed:  # no hand writes meanwhile
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
                self._process = None
                Path(self.port).unlink(missing_ok=True)
                self.resets.append(ended)
                if ended == "fault":
                    self._powered = False
                self._changed.notify_all()

    def _begin(self) -> subprocess.Popen[bytes]:
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
                start_new_session=True,  # Ctrl-C on the terminal is not for it; it ends when its input does
            )
            with self._changed:
                Path(self.port).unlink(missing_ok=True)
                Path(self.port).symlink_to(os.ttyname(terminal))
                self._process = process
                if not self._powered:  # taken while it was starting
                    process.kill()
        finally:
            os.close(usb)
            os.close(terminal)
        return process

    def _listen(self, reports: IO[bytes]) -> str:
        """Take in what the process tells until its end; return why it ended."""
        rest = b""
        while data := reports.read(1 << 16):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "ended" in told:
                    return str(told["ended"])
                self._see(told)
        return "power"

    def _see(self, told: dict[str, Any]) -> None:
        if "strip" in told:
            pin, data = int(told["strip"]), bytes.fromhex(told["data"])
            if self.on_strip is not None:
                self.on_strip(pin, data, float(told["at"]))
        elif "switch" in told and self.on_switch is not None:
            self.on_switch(tuple(told["switch"]), bool(told["closed"]), float(told["at"]))
        with self._changed:
            if "strip" in told:
                self.strips[pin] = data
                self.shown_at[pin] = float(told["at"])
                self.torn += bool(told["torn"])
            elif "switch" in told:
                pins = tuple(told["switch"])
                (self.closed.add if told["closed"] else self.closed.discard)(pins)
            elif "memory" in told:
                self.memory = int(told["memory"])
            elif "prompt" in told:
                self.at_prompt = True
            elif "started" in told:
                self._starts += 1
                self.closed.clear()
                self.at_prompt = False
            self._changed.notify_all()

    def _do(self, what: dict[str, object]) -> None:
        line = json.dumps(what).encode() + b"\n"
        with self._changed:
            pipe = self._process.stdin if self._process is not None else None
            try:
                if pipe is not None:  # a finger may let go after the power went
                    pipe.write(line)
            except BrokenPipeError:
                pass  # it has just been reset; hands on a Pico without power do nothing
