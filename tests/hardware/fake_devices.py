"""A Raspberry Pi whose devices answer: a folder of files, and a library in front of the system's.

Programs that are started with `surroundings` see the Pi; `fake_devices.c` says what it can do. Drivers and
vendors' libraries are the real ones.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from struct import Struct as Format
from typing import Any, Final, Self

from msgspec import Struct

from hardware.layout.file import LightsDriver

from .fake_pi import FakePi
from .waiting import PATIENCE, next_of, until

SOURCE: Final = Path(__file__).with_name("fake_devices.c")
REVISIONS: Final = {3: "a020d3", 4: "c03114", 5: "c04170"}
"""Revisions of the boards of `fake_pi.MODELS`; rpi_ws281x looks them up."""
SESSION: Final = Path(__file__).with_name("lights_session.py")
_HEADER: Final = Format("=III")


def compile_library(folder: Path) -> Path:
    """Compile the library into a folder and return its path."""
    compiler = shutil.which("gcc")
    assert compiler, (
        "the fake devices of a Pi are written in C: install gcc and libc6-dev, or `make test-setup`"
    )
    library = folder / "fake_devices.so"
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    command = [compiler, *options, "-o", str(library), str(SOURCE), "-ldl"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    return library


class Transfer(Struct, frozen=True):
    """A transfer to lights: by SPI at so many Hz, by DMA to a register, or to a state machine of PIO."""

    kind: int
    target: int
    data: bytes

    @property
    def pixels(self) -> bytes:
        """The bytes that lights read: short pulses are 0, long ones 1."""
        data = self.data
        if self.kind == PIO:  # words of 32 bits, which the state machine turns into pulses
            return b"".join(data[first : first + 4][::-1] for first in range(0, len(data), 4))
        if self.kind == DMA:  # words of 32 bits; those of PWM are for its two channels in turn
            words = [data[first : first + 4][::-1] for first in range(0, len(data), 4)]
            channels = [words] if self.target == PCM_FIFO else [words[0::2], words[1::2]]
            data = max((b"".join(channel) for channel in channels), key=any)
        pulses = [len(pulse) for pulse in re.findall("1+", "".join(f"{byte:08b}" for byte in data))]
        assert set(pulses) <= {1, 2}, "a pulse is neither short nor long"
        assert len(pulses) % 8 == 0
        bits = "".join(str(pulse - 1) for pulse in pulses)
        return bytes(int(bits[first : first + 8], 2) for first in range(0, len(bits), 8))


WRITE: Final = 1
MESSAGE: Final = 2
DMA: Final = 3
PIO: Final = 4
PWM_FIFO: Final = 0x7E20C018
PCM_FIFO: Final = 0x7E203004


class FakeDevices(FakePi):
    """A Pi with all devices that lights need; `remove` and `fault` break them."""

    def __init__(self, root: Path, library: Path, generation: int = 4) -> None:
        super().__init__(root, generation)
        self._library = library
        self.write("proc/cpuinfo", f"Hardware\t: BCM2835\nRevision\t: {REVISIONS[generation]}\n")
        self.write("proc/device-tree/compatible", f"brcm,bcm27{generation + 7}\0")
        self.write("sys/module/spidev/parameters/bufsiz", "4096\n")
        for device in ("mem", "vcio"):
            self.write(f"dev/{device}", "")
        self.fault("dev/serial0", 2)  # which would be a file

    @property
    def surroundings(self) -> dict[str, str]:
        """The environment of a program on this Pi."""
        return {"FAKE_PI": str(self.root), "LD_PRELOAD": str(self._library)}

    def fault(self, name: str, number: int) -> None:
        """Let a device or a transfer fail with this error (`errno`); 0 repairs it."""
        self.write(f"faults/{name}.new", str(number))
        (self.root / f"faults/{name}.new").rename(self.root / "faults" / name)  # no one reads half of it

    def sent(self) -> list[Transfer]:
        """Return all transfers so far."""
        path = self.root / "sent"
        found, data = [], path.read_bytes() if path.exists() else b""
        while data:
            way, speed, length = _HEADER.unpack_from(data)
            end = _HEADER.size + length
            found.append(Transfer(way, speed, data[_HEADER.size : end]))
            data = data[end:]
        return found

    def settings(self) -> set[str]:
        """Return the settings of SPI that were made: mode, and bits of a word."""
        path = self.root / "spi"
        return set(path.read_text().splitlines()) if path.exists() else set()

    def until_sent(self, pixels: bytes) -> Transfer:
        """Wait until the last transfer was this frame, in the bytes of the wire, and return it."""
        until(lambda: bool(sent := self.sent()) and sent[-1].pixels == pixels)
        return self.sent()[-1]


ENDED: Final = "ended"


class Session:
    """A program on a fake Pi that has lights; it is killed when the `with` ends.

    `whole` opens the driver of lights, which runs from the start; otherwise it is a strip, opened by `open`.
    """

    def __init__(
        self,
        pi: FakeDevices,
        *,
        pin: int = 10,
        driver: LightsDriver = "neopixel",
        order: str = "GRB",
        whole: bool = False,
        **surroundings: str,
    ) -> None:
        settings = {"pin": pin, "driver": driver, "order": order, "whole": whole}
        self._said: dict[str, SimpleQueue[Any]] = {"result": SimpleQueue(), "event": SimpleQueue()}
        self.process = subprocess.Popen(
            [sys.executable, "-P", SESSION, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **pi.surroundings, **surroundings},
            bufsize=0,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            kind, what = json.loads(line)
            self._said[kind].put(what)
        for queue in self._said.values():
            queue.put(ENDED)

    def ask(self, call: str, *arguments: object) -> Any:
        """Call a function of the session; return its result, or the reason and the message of its fault."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([call, *arguments]).encode() + b"\n")
        return self._next("result")

    def has_event(self) -> bool:
        """Return whether `event` returns at once."""
        return not self._said["event"].empty()

    def event(self) -> tuple[str, str, str]:
        """Return the next event of the driver: its type, the reason of a loss, and the message."""
        name, reason, message = self._next("event")
        return name, reason, message

    def _next(self, kind: str) -> Any:
        said = next_of(self._said[kind])
        assert said != ENDED, "the program on the fake Pi ended"
        return said

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
