"""Lights of a Raspberry Pi: WS2812 and their like, sent by Adafruit's NeoPixel library.

Below it, Blinka sends by SPI or PWM on a Pi 4 and older (the pin decides) and by PIO on a Pi 5. It starts
anew whenever the buffer of a chain is another one, and waits while a frame is on the wire: so there is one
chain as long as the driver is open, and one thread that writes to it. The latest frame wins; no call waits.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol

from hardware.api import DARK, LIGHTS, HardwareEvent, LightFrame, Loss, PartError, Rgb
from hardware.drivers.gamma import ChainColours
from hardware.drivers.raspberry_pi import Board, find_board
from hardware.drivers.supervisor import Keeper
from hardware.layout.checks import LIGHT_PINS
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout

IDLE: Final = 1.0
"""Seconds after which the thread looks whether it is to end."""
_PCM: Final = 21
"""One more pin that a Pi 4 or older can send from, where its sound is not needed."""


class Strip(Protocol):
    """What is used of Adafruit's NeoPixel: pixels take red, green, blue, and are sent by `show`."""

    def __setitem__(self, pixel: int, colour: Rgb) -> None: ...

    def show(self) -> None:
        """Send all pixels; waits until they are on the wire."""

    def deinit(self) -> None:
        """Turn all pixels dark and give the pin back."""


OpenStrip = Callable[[Chain, LightsDriver], Strip]


def open_strip(chain: Chain, driver: LightsDriver) -> Strip:
    """Open a chain with the real library; raises PartError, or whatever the library raises."""
    check_board(chain, driver, find_board())
    # Blinka would ask on a terminal whether to install what is missing, and hang the start of the table.
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
    import board as pins
    import neopixel

    pin = getattr(pins, f"D{chain.pin}")
    # The library orders the colours. Its brightness stays 1: it would round gamma's dim values away.
    strip: Strip = neopixel.NeoPixel(pin, chain.pixels, auto_write=False, pixel_order=chain.order)
    return strip


def check_board(chain: Chain, driver: LightsDriver, board: Board | None) -> None:
    """Raise PartError where this board can't send to this chain in this way."""
    if board is None:
        raise PartError(
            Loss.ABSENT,
            "this machine is no Raspberry Pi, and has no pins for lights; play with the simulated table",
        )
    if board.has_pio and driver in LIGHT_PINS:
        raise PartError(
            Loss.ABSENT,
            f"a {board.model} sends to lights by PIO, not by {driver.upper()}; write "
            'lights = "neopixel" into [drivers] of the layout',
        )
    if board.has_pio:
        return
    able = (*(pin for pins in LIGHT_PINS.values() for pin in pins), _PCM)
    if driver == "pio":
        raise PartError(
            Loss.ABSENT,
            f'a {board.model} has no PIO; write lights = "neopixel" into [drivers] of the layout',
        )
    if chain.pin not in able:
        names = ", ".join(f"GPIO{pin}" for pin in able)
        raise PartError(
            Loss.ABSENT,
            f"a {board.model} can't send to lights from GPIO{chain.pin}; take GPIO10, or else one of {names}",
        )


class NeoPixelLights:
    """The lights of a layout that hang on a Raspberry Pi (driver `Lights`); one thread, `lights`.

    A strip that can't be opened, or is lost, is told to `tell` and opened again; the frame shown last is sent
    to it then.
    """

    def __init__(
        self,
        layout: Layout,
        tell: Callable[[HardwareEvent], None],
        open_strip: OpenStrip = open_strip,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        (self._chain,) = layout.chains  # the layout's checks allow a Pi no more
        self._driver = layout.drivers.lights
        self._colours = ChainColours(layout, self._chain)
        self._open_strip = open_strip
        self._lock = threading.Lock()
        self._latest: list[Rgb] | None = None
        self._unsent = False
        self._keeper = Keeper(LIGHTS, self._work, tell, clock)
        self._keeper.start()

    def show(self, frame: LightFrame) -> None:
        """Make the lights show this frame as soon as they can; raises HardwareError for what is no frame."""
        colours = self._colours.of(frame)
        with self._lock:
            self._latest, self._unsent = colours, True
        self._keeper.wake()

    def close(self) -> None:
        """Turn the lights dark and end the thread; a second call does nothing."""
        self._keeper.close()

    # --- In the thread of the lights ---------------------------------------------------------------------

    def _work(self, keeper: Keeper) -> None:
        strip = self._open()
        try:
            shown = [DARK] * self._chain.pixels
            keeper.works()
            with self._lock:
                self._unsent = self._latest is not None
            while not keeper.ending:
                colours = self._next()
                if colours is None:
                    keeper.rest(IDLE)
                    continue
                for pixel, (colour, before) in enumerate(zip(colours, shown, strict=True)):
                    if colour != before:
                        strip[pixel] = colour
                strip.show()
                shown = colours
        finally:
            _give_back(strip)

    def _open(self) -> Strip:
        """Open the strip, dark; a strip that can't be reached is known then."""
        try:
            strip = self._open_strip(self._chain, self._driver)
            try:
                strip.show()
            except BaseException:
                _give_back(strip)
                raise
        except NotImplementedError:
            raise
        except RuntimeError as error:  # which Blinka raises for almost everything
            raise _explained(error) from error
        return strip

    def _next(self) -> list[Rgb] | None:
        with self._lock:
            unsent, self._unsent = self._unsent, False
            return self._latest if unsent else None


def _give_back(strip: Strip) -> None:
    """Turn a strip dark; one that is lost can't be, and says so in many ways."""
    with suppress(Exception):
        strip.deinit()


def _explained(error: RuntimeError) -> PartError:
    """Return what an error of Blinka's means, and what to do."""
    told = " ".join(str(error).split())
    if "platform librar" in told:
        return PartError(Loss.LIBRARY, told)
    if "sudo" in told:
        return PartError(
            Loss.DENIED,
            "only root may send to lights by PWM; wire them to GPIO10, which sends by SPI, or play as root",
        )
    if "SPI" in told or "PIO" in told:
        return PartError(Loss.ABSENT, f"{told}; `azul-table doctor` says what is not switched on")
    return PartError(Loss.FAILED, told)
