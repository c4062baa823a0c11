"""The PN532 on a serial port, by Adafruit's driver: asked again and again whether a tag lies there.

It does not say by itself that it went deaf, so it is asked for its version now and then. A PN532 that does
not answer, or that answers nonsense, is given up; whoever opened it opens it again, which wakes it up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from serial import Serial

from hardware.api import Loss, PartError
from hardware.keeper import Keeper

BAUD: Final = 115200
POLL: Final = 0.2
"""Seconds that the PN532 looks for a tag."""
HEALTH: Final = 2.0
"""Seconds without a tag after which it is asked for its version."""
QUIET: Final = 600.0
"""Seconds without a tag after which it is initialised anew."""
MOST_FAULTS: Final = 5
"""Answers one after another that made no sense; one or two come of a tag that moves."""


def poll(
    port: Serial,
    keeper: Keeper,
    take: Callable[[Sequence[str]], None],
    clock: Callable[[], float],
) -> None:
    """Ask the PN532 at this port for tags until it has seen none for long; raises PartError, or OSError."""
    chip = _wake(port)
    keeper.works()
    answered = seen = clock()
    faults = 0
    while not keeper.ending:
        tag, understood = _ask(chip)
        take([tag] if tag else [])
        now = clock()
        faults = 0 if understood else faults + 1
        if tag:
            answered = seen = now
        elif faults > MOST_FAULTS:
            raise PartError(
                Loss.GARBLED,
                f"the PN532 at {port.name} answers nonsense; look at its wires and its ground",
            )
        elif now - answered > HEALTH:
            _check(chip, port)
            answered = clock()
        if now - seen > QUIET:
            return


def _wake(port: Serial) -> Any:
    """Return the chip, awake; the vendor's driver asks it for its version."""
    # Blinka would ask on a terminal whether to install what is missing, and hang the start of the table.
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
    from adafruit_pn532.adafruit_pn532 import BusyError
    from adafruit_pn532.uart import PN532_UART

    try:
        return PN532_UART(port)
    except (RuntimeError, BusyError, IndexError) as error:
        raise _silent(port) from error


def _ask(chip: Any) -> tuple[str | None, bool]:
    """Return the tag that lies there, None if none does, and whether the answer made sense."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    try:
        number = chip.read_passive_target(timeout=POLL)
    except (RuntimeError, BusyError, IndexError):
        return None, False
    return (bytes(number).hex().upper() if number else None), True


def _check(chip: Any, port: Serial) -> None:
    """Raise PartError if the chip does not even say its version; a late answer may spoil the first try."""
    from adafruit_pn532.adafruit_pn532 import BusyError

    for _ in range(2):
        try:
            chip.firmware_version  # noqa: B018 - asking is what it is for
        except (RuntimeError, BusyError, IndexError):
            continue
        return
    raise _silent(port)


def _silent(port: Serial) -> PartError:
    return PartError(
        Loss.SILENT,
        f"the PN532 at {port.name} does not answer; look at its power, at both data wires, and that its "
        "switches are set to UART (HSU)",
    )
