"""Lights of a Raspberry Pi: WS2812 and compatible (NeoPixels) on one data line.

The pin and the board decide how they are sent: by SPI from GPIO10 (`spi`), else by PWM or PCM on a Pi 4 and
older and by PIO on a Pi 5 (`neopixel_process`). Each way blocks while it sends a frame, so one thread does
it; the latest frame wins, and no call of `show` blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum
from os import geteuid
from time import monotonic
from typing import Final, Protocol

from hardware.api import LIGHTS, HardwareEvent, LightFrame, Loss, PartError
from hardware.drivers.neopixel_process import PAUSE, SHOW_SECONDS, StripProcess
from hardware.drivers.raspberry_pi import Board, find_board, is_sent_by_spi
from hardware.drivers.spi import SpiStrip
from hardware.drivers.supervisor import LONGEST_PAUSE, Supervisor
from hardware.layout.checks import LIGHT_PINS
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout
from hardware.pixels import DitheringEncoder

IDLE: Final = 1.0
"""Seconds that the thread waits for a frame at a time."""

# --- Ways of sending -------------------------------------------------------------------------------------


class Way(StrEnum):
    """How a board sends to lights."""

    SPI = "SPI"
    PWM = "PWM"
    PCM = "PCM"
    PIO = "PIO"


def check_board(chain: Chain, driver: LightsDriver, board: Board | None) -> Way:
    """Return how this board sends to this chain. Raises PartError if it can't with this driver."""
    if board is None:
        message = (
            "this machine is not a Raspberry Pi and has no pins for lights; play with the simulated table"
        )
    elif is_sent_by_spi(chain, driver):
        return Way.SPI
    elif board.has_pio and driver != "pwm":
        return Way.PIO
    elif board.has_pio:
        message = (
            f"a {board.model} sends to lights by SPI or PIO, not by {driver.upper()}; write "
            'lights = "neopixel" into [drivers] of the layout'
        )
    elif driver == "pio":
        message = f'a {board.model} has no PIO; write lights = "neopixel" into [drivers] of the layout'
    elif chain.pin in LIGHT_PINS["pwm"]:
        return Way.PWM
    elif chain.pin in LIGHT_PINS["pcm"]:
        return Way.PCM
    else:
        others = (pin for pins in LIGHT_PINS.values() for pin in pins if pins != LIGHT_PINS["spi"])
        names = ", ".join(f"GPIO{pin}" for pin in others)
        message = (
            f"a {board.model} can't send to lights from GPIO{chain.pin}; use GPIO10, or else one of {names}"
        )
    raise PartError(Loss.ABSENT, message)


def check_user(way: Way, *, is_root: bool) -> None:
    """Raise PartError if only root can send in this way: it writes to the registers of the chip."""
    if way in (Way.PWM, Way.PCM) and not is_root:
        message = f"only root may send to lights by {way}, and the installed service is not root"
        remedy = "wire them to GPIO10, which sends by SPI, or play as root: sudo azul-table play"
        raise PartError(Loss.DENIED, f"{message}; {remedy}")


# --- Driver ----------------------------------------------------------------------------------------------


class Strip(Protocol):
    """The lights of a chain, opened."""

    def send(self, pixels: bytes) -> None:
        """Send a frame, in the bytes of the wire; returns when it is sent. Raises PartError if it was not."""

    def close(self) -> None:
        """Turn the lights dark, if they can be reached, and release them."""


OpenStrip = Callable[[Chain, LightsDriver, Callable[[], bool]], Strip]
"""Opens a chain with a driver; takes a function that says whether the lights are being closed."""


def open_strip(
    chain: Chain, driver: LightsDriver, stopping: Callable[[], bool], show_seconds: float = SHOW_SECONDS
) -> Strip:
    """Open a chain on this machine; `show_seconds` as in `StripProcess`.

    Raises PartError if it can't be used.
    """
    way = check_board(chain, driver, find_board())
    check_user(way, is_root=geteuid() == 0)
    return SpiStrip(chain) if way is Way.SPI else StripProcess(chain, stopping, show_seconds)


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
        self._encoder = DitheringEncoder(layout, clock)
        self._opener = opener
        self._lock = threading.Lock()
        self._latest = self._encoder.encode(LightFrame({}))
        self._unsent = True
        longest = LONGEST_PAUSE if is_sent_by_spi(self._chain, self._driver) else PAUSE
        self._supervisor = Supervisor(LIGHTS, self._work, put, clock, longest_pause=longest)
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
        strip = self._opener(self._chain, self._driver, lambda: supervisor.stopping)
        try:
            with self._lock:
                self._unsent = True
            while not supervisor.stopping:
                data = self._next()
                if data is None:
                    supervisor.wait(IDLE)
                    continue
                strip.send(data)
                supervisor.working()
        finally:
            strip.close()

    def _next(self) -> bytes | None:
        with self._lock:
            unsent, self._unsent = self._unsent, False
            return self._latest if unsent else None
