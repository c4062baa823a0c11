"""Lights of a Raspberry Pi: WS2812 and compatible, sent by Adafruit's NeoPixel library.

Below it, Blinka sends by SPI or PWM on a Pi 4 and older (the pin decides) and by PIO and DMA on a Pi 5.
Blinka initializes the hardware again whenever a strip has another buffer, and blocks while a frame is sent:
so there is one strip as long as the driver is open, and one thread that writes to it. The latest frame
wins; no call of `show` blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol

from msgspec.structs import replace

from hardware.api import DARK, LIGHTS, HardwareEvent, LightFrame, Loss, PartError, Rgb
from hardware.drivers.raspberry_pi import Board, find_board, skip_dependency_check
from hardware.drivers.supervisor import Supervisor, one_line
from hardware.layout.checks import LIGHT_PINS
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout
from hardware.pixels import DitheringEncoder

IDLE: Final = 1.0
"""Seconds that the thread waits for a frame at a time."""
_PCM: Final = 21
"""One more pin from which a Pi 4 or older can send, by PCM, if its sound is not needed."""


class Strip(Protocol):
    """The part of Adafruit's NeoPixel that is used: pixels take red, green, blue, and `show` sends them."""

    def __setitem__(self, pixel: int, colour: Rgb) -> None: ...

    def show(self) -> None:
        """Send all pixels; returns when they are sent."""

    def deinit(self) -> None:
        """Turn all pixels dark and release the pin."""


OpenStrip = Callable[[Chain, LightsDriver], Strip]


def open_strip(chain: Chain, driver: LightsDriver) -> Strip:
    """Open a chain with the real library. Raises PartError, or whatever the library raises."""
    check_board(chain, driver, find_board())
    skip_dependency_check()
    import board as pins
    import neopixel

    pin = getattr(pins, f"D{chain.pin}")
    # The library orders the colours. Its brightness stays 1: it would round dim values to 0.
    strip: Strip = neopixel.NeoPixel(pin, chain.pixels, auto_write=False, pixel_order=chain.order)
    return strip


def check_board(chain: Chain, driver: LightsDriver, board: Board | None) -> None:
    """Raise PartError if this board can't send to this chain with this driver."""
    able = (*(pin for pins in LIGHT_PINS.values() for pin in pins), _PCM)
    if board is None:
        message = (
            "this machine is not a Raspberry Pi and has no pins for lights; play with the simulated table"
        )
    elif board.has_pio and driver in LIGHT_PINS:
        message = (
            f"a {board.model} sends to lights by PIO, not by {driver.upper()}; write "
            'lights = "neopixel" into [drivers] of the layout'
        )
    elif driver == "pio" and not board.has_pio:
        message = f'a {board.model} has no PIO; write lights = "neopixel" into [drivers] of the layout'
    elif not board.has_pio and chain.pin not in able:
        names = ", ".join(f"GPIO{pin}" for pin in able)
        message = (
            f"a {board.model} can't send to lights from GPIO{chain.pin}; use GPIO10, or else one of {names}"
        )
    else:
        return
    raise PartError(Loss.ABSENT, message)


class NeoPixelLights:
    """The lights of a layout that are wired to a Raspberry Pi (driver `Lights`); one thread, `lights`.

    A strip that can't be opened, or is lost, is reported to `put` and opened again; the latest frame is sent
    to it then.
    """

    def __init__(
        self,
        layout: Layout,
        put: Callable[[HardwareEvent], None],
        opener: OpenStrip = open_strip,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        (self._chain,) = layout.chains  # the checks of the layout allow a Pi only one
        self._driver = layout.drivers.lights
        # The library orders the colours itself.
        self._encoder = DitheringEncoder(replace(layout, chains=(replace(self._chain, order="RGB"),)), clock)
        self._opener = opener
        self._lock = threading.Lock()
        self._latest: bytes | None = None
        self._unsent = False
        self._supervisor = Supervisor(LIGHTS, self._work, put, clock)
        self._supervisor.start()

    def show(self, frame: LightFrame) -> None:
        """Show a frame as soon as possible. Raises HardwareError for an invalid frame."""
        data = self._encoder.encode(frame)
        with self._lock:
            self._latest, self._unsent = data, True
        self._supervisor.wake()

    def close(self) -> None:
        """Turn the lights dark and end the thread; a second call does nothing."""
        self._supervisor.close()

    # --- In the thread of the lights ---

    def _work(self, supervisor: Supervisor) -> None:
        strip = self._open()
        try:
            shown = [DARK] * self._chain.pixels
            supervisor.working()
            with self._lock:
                self._unsent = self._latest is not None
            while not supervisor.stopping:
                data = self._next()
                if data is None:
                    supervisor.wait(IDLE)
                    continue
                colours: list[Rgb] = list(zip(*[iter(data)] * 3, strict=True))
                for pixel, (colour, before) in enumerate(zip(colours, shown, strict=True)):
                    if colour != before:
                        strip[pixel] = colour
                strip.show()
                shown = colours
        finally:
            _release(strip)

    def _open(self) -> Strip:
        """Open the strip, all dark; the first transmission fails if it can't be reached."""
        try:
            strip = self._opener(self._chain, self._driver)
            try:
                strip.show()
            except BaseException:
                _release(strip)
                raise
        except NotImplementedError:  # a RuntimeError, too; `Supervisor` explains it
            raise
        except RuntimeError as error:  # which Blinka raises for almost everything
            raise _explained(error) from error
        return strip

    def _next(self) -> bytes | None:
        with self._lock:
            unsent, self._unsent = self._unsent, False
            return self._latest if unsent else None


def _release(strip: Strip) -> None:
    """Turn a strip dark and release it; a strip that is lost raises many kinds of errors."""
    with suppress(Exception):
        strip.deinit()


def _explained(error: RuntimeError) -> PartError:
    """Return an error of Blinka's with its kind and a remedy."""
    message = one_line(error)
    if "platform librar" in message:
        return PartError(Loss.LIBRARY, message)
    if "sudo" in message:
        return PartError(
            Loss.DENIED,
            "only root may send to lights by PWM; wire them to GPIO10, which sends by SPI, or play as root",
        )
    if "SPI" in message or "PIO" in message:
        return PartError(Loss.ABSENT, f"{message}; `azul-table doctor` says what is not enabled")
    return PartError(Loss.FAILED, message)
