"""The vendors' libraries that a table's drivers need, and whether they are installed in a version that fits.

The bounds are those of the extra `pi` in pyproject.toml; a test holds them equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from hardware.layout import Drivers
from hardware.pi import Board

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A distribution, from one version up to, not with, another."""

    name: str
    lowest: Version
    below: Version
    candidate: str = ""
    """What follows the lowest version where no final one is there yet; pip finds none that is not named."""

    def fits(self, version: str) -> bool:
        """Tell whether a version of it will do; what comes after the numbers is not looked at."""
        return self.lowest <= _numbers(version) < self.below

    @property
    def bounds(self) -> str:
        """The versions that will do, as pip understands them."""
        lowest, below = (".".join(map(str, version)) for version in (self.lowest, self.below))
        return f">={lowest}{self.candidate},<{below}"


BLINKA: Final = Library("adafruit-blinka", (10,), (11,))
GPIOD: Final = Library("gpiod", (2, 2, 2), (3,))
GPIOZERO: Final = Library("gpiozero", (2, 0, 1), (3,))
LGPIO: Final = Library("lgpio", (0, 2, 2), (0, 3))
NEOPIXEL: Final = Library("adafruit-circuitpython-neopixel", (6, 4), (7,))
PIO: Final = Library("adafruit-blinka-raspberry-pi5-neopixel", (1, 0, 0), (2,), "rc2")
PN532: Final = Library("adafruit-circuitpython-pn532", (2, 4), (3,))
RPI_WS281X: Final = Library("rpi_ws281x", (4,), (6,))
ALL: Final = (BLINKA, GPIOD, GPIOZERO, LGPIO, NEOPIXEL, PIO, PN532, RPI_WS281X)

COMPILED: Final[Mapping[str, tuple[Version, str]]] = {
    RPI_WS281X.name: ((3, 11), "gcc python3-dev"),
    LGPIO.name: ((3, 13), "gcc python3-dev swig liblgpio-dev"),
}
"""What is compiled on a Pi from this Python on, for want of a wheel, and the Debian packages that takes."""


def needed(drivers: Drivers, board: Board | None) -> list[Library]:
    """Name the libraries that these drivers need on this board, in the order in which they are imported."""
    found: list[Library] = []
    if drivers.lights in ("neopixel", "spi", "pwm", "pio"):
        found += [BLINKA, GPIOD, NEOPIXEL, PIO if board is not None and board.has_pio else RPI_WS281X]
    if drivers.buttons == "gpio":
        found += [GPIOZERO, LGPIO]
    if drivers.readers == "pn532":
        found += [library for library in (BLINKA, GPIOD, PN532) if library not in found]
    return found


def installed(name: str) -> str | None:
    """Return the installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def wanting(
    drivers: Drivers, board: Board | None, installed: Callable[[str], str | None] = installed
) -> list[tuple[Library, str | None]]:
    """Name the libraries that are missing (None) or in a version that does not fit."""
    return [
        (library, there)
        for library in needed(drivers, board)
        if (there := installed(library.name)) is None or not library.fits(there)
    ]


def install_line(library: Library, pip: str, python: Version) -> str:
    """Return the line that installs a library by this pip for this Python, with what it is compiled by."""
    since, packages = COMPILED.get(library.name, (python, ""))
    line = f"{pip} install '{library.name}{library.bounds}'"
    return f"sudo apt install {packages} && {line}" if packages and python >= since else line


def _numbers(version: str) -> Version:
    """Return the numbers that a version begins with: 1.0.0rc2 is 1, 0, 0."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
