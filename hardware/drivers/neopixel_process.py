"""Lights by PWM, PCM and PIO: Adafruit's NeoPixel library in a process of its own.

Below that library, Blinka calls a vendor's C library: rpi_ws281x on a Pi 4 and older, a library for PIO on a
Pi 5. They may crash (rpi_ws281x writes through a null pointer when a strip is used whose initialization
failed), hang, exit, or hold the GIL while they send; here that ends one attempt to open the lights, not the
game. `StripProcess` starts the process and speaks with it over two pipes: frames as bytes of a fixed size,
and one line as the answer to each. The process makes one strip, ends at the first error without touching the
strip again, and ends when its input is closed or the program that started it is gone.

What is lost compared with SPI: PWM and PCM need root and the sound of the Pi. The process takes 15 MB, and
0.3 s of a server's core to start. A frame of 174 lights takes 7 ms, of which Blinka sleeps 6 after it has
started the transfer; 0.1 ms of it is spent in the program of the table, which waits without the GIL.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from hardware.api import Loss, PartError
from hardware.drivers.raspberry_pi import skip_dependency_check
from hardware.drivers.supervisor import loss_of, one_line
from hardware.layout.model import Chain

# --- In the program of the table -------------------------------------------------------------------------

START_SECONDS: Final = 60.0
"""For the first frame: importing Blinka takes 10 s on a Pi Zero."""
SHOW_SECONDS: Final = 5.0
"""For any other frame; then the library hangs."""
CLOSE_SECONDS: Final = 2.0
"""For the last frame and for the end, once the lights are closed."""
PAUSE: Final = 30.0
"""Longest pause in seconds between two attempts: each one imports Blinka anew, which keeps a core busy."""
_SLICE: Final = 0.1
"""Seconds between two looks whether the lights are closed, while an answer is awaited."""
_SHOWN: Final = "shown"
_FAULT_BYTES: Final = 500
"""Length of the last words of a process that are reported."""


class StripProcess:
    """The lights of a chain in a process of their own, from its start until `close`.

    `stopping` says whether the lights are being closed, which shortens all waits. A library that needs more
    than `show_seconds` for a frame after the first hangs: it is killed.
    """

    def __init__(
        self, chain: Chain, stopping: Callable[[], bool], show_seconds: float = SHOW_SECONDS
    ) -> None:
        channels = chain.channels
        self._dark = bytes(channels * chain.pixels)
        self._stopping = stopping
        self._seconds = START_SECONDS
        self._show_seconds = show_seconds
        self._errors = os.memfd_create("errors of the lights")  # libraries print to it, not into the log
        arguments = map(str, (chain.pin, chain.pixels, channels))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, *arguments],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                process_group=0,  # Ctrl-C goes to the table only, which then turns the lights dark
            )
        except BaseException:
            os.close(self._errors)
            raise

    def send(self, pixels: bytes) -> None:
        """Send a frame, in the bytes of the wire; returns when it is sent.

        Raises PartError with the fault of the library, or if the process ended or does not answer.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # then its last line says why, if it could still write one
            self._process.stdin.write(pixels)
        answer = self._answer()
        if answer != _SHOWN:
            reason, _, message = answer.partition(" ")
            raise PartError(Loss(reason), message)
        self._seconds = self._show_seconds

    def close(self) -> None:
        """Turn the lights dark, if they can be reached, and end the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            if self._process.poll() is None:
                self._seconds = min(self._seconds, CLOSE_SECONDS)
                with suppress(PartError):
                    self.send(self._dark)
            self._process.stdin.close()
            self._end()
        finally:
            self._process.stdout.close()
            os.close(self._errors)

    def _answer(self) -> str:
        """Return the next line of the process. Raises PartError if none comes."""
        assert self._process.stdout is not None
        line, waited = b"", 0.0
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout], [], [], _SLICE)
            if ready:
                more = os.read(self._process.stdout.fileno(), 4096)
                if not more:
                    raise self._ended()
                line += more
                continue
            waited += _SLICE
            if waited >= (min(self._seconds, CLOSE_SECONDS) if self._stopping() else self._seconds):
                self._process.kill()
                message = f"the library that sends to the lights did not answer for {waited:.0f} s"
                raise PartError(Loss.SILENT, f"{message}; it is started again")
        return line.decode(errors="replace").strip()

    def _ended(self) -> PartError:
        """Return the fault of a process that ended without a word."""
        status = self._end()
        how = f"with status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"
        os.lseek(self._errors, 0, os.SEEK_SET)
        said = os.read(self._errors, 1_000_000)[-_FAULT_BYTES:].decode(errors="replace").split("\n")
        last = next((line for line in reversed(said) if line.strip()), "")
        message = f"the library that sends to the lights ended {how}"
        if last:
            message += f" ({' '.join(last.split())})"
        return PartError(Loss.FAILED, f"{message}; `azul-table doctor` checks what it needs")

    def _end(self) -> int:
        """Wait for the end of the process, kill it if it takes too long, and return its status."""
        try:
            return self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):  # a process that hangs in the kernel can't be killed
            return self._process.wait(CLOSE_SECONDS)
        return -signal.SIGKILL


# --- In the process of the lights ------------------------------------------------------------------------

_SET_PARENT_DEATH_SIGNAL: Final = 1
"""Operation of prctl(2)."""


def main() -> None:
    """Send the frames of standard input to a strip: `pin pixels channels` are the arguments."""
    # A library that hangs does not notice that its input is closed.
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    pin, pixels, channels = map(int, sys.argv[1:])
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    size = channels * pixels
    try:
        strip = _open(pin, pixels, channels)
        while len(data := sys.stdin.buffer.read(size)) == size:
            strip[:] = list(zip(*[iter(data)] * channels, strict=True))
            strip.show()
            os.write(answers, f"{_SHOWN}\n".encode())
    except Exception as error:  # noqa: BLE001 - vendor libraries raise anything
        reason, message = loss_of(_explained(error))
        os.write(answers, f"{reason} {message}\n".encode())
        # Without the functions that Blinka registers for the end: they use the strip.
        os._exit(1)


def _open(pin: int, pixels: int, channels: int) -> Any:
    """Open a strip with the real library. Raises whatever that raises."""
    skip_dependency_check()
    import board as pins
    import neopixel

    # The bytes of a frame are in the order of the wire already, and have their brightness.
    order = "RGBW"[:channels]
    pin_of_board = getattr(pins, f"D{pin}")
    return neopixel.NeoPixel(pin_of_board, pixels, bpp=channels, auto_write=False, pixel_order=order)


def _explained(error: Exception) -> Exception:
    """Return an error of the libraries with its kind and a remedy."""
    message = one_line(error)
    if isinstance(error, NotImplementedError) or "not supported" in message:
        remedy = "wire the lights to GPIO10, which needs no library"
        return PartError(
            Loss.LIBRARY, f"the library of the lights does not know this board ({message}); {remedy}"
        )
    if not isinstance(error, RuntimeError):
        return error
    if "platform librar" in message:
        return PartError(Loss.LIBRARY, message)
    if "sudo" in message:
        message = "only root may send to lights by PWM and PCM"
        return PartError(Loss.DENIED, f"{message}; wire them to GPIO10, which sends by SPI, or play as root")
    if "PIO" in message:
        return PartError(
            Loss.ABSENT, f"there is no PIO ({message}); `azul-table doctor` says what is missing"
        )
    return PartError(Loss.FAILED, f"{message}; `azul-table doctor` checks what the lights need")


if __name__ == "__main__":
    main()
