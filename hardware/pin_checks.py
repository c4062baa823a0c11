"""The checks of a layout file's pins: each pin exists, carries one wire, and can do what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from hardware.layout_file import FileMatrix, LayoutFile
from hardware.layout_reader import Faults, key_text
from hardware.places import Switch


@dataclass(frozen=True, slots=True)
class Controller:
    """The board that the wires go to, and what its pins can do."""

    title: str
    prefix: str
    pins: frozenset[int]
    reserved: Mapping[int, str] = field(default_factory=dict)
    buses: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Pins that are lost for others when this one is a data line."""
    receivers: Mapping[int, tuple[int, ...]] | None = None
    """Pins that can receive serial data, with the pins lost for others; None: every pin can."""

    def name(self, pin: int) -> str:
        """Return a pin's name as printed in the controller's pinout."""
        return f"{self.prefix}{pin}"


CONTROLLERS: Final = {
    "pi": Controller(
        title="Raspberry Pi",
        prefix="GPIO",
        pins=frozenset(range(28)),
        reserved={0: "kept for the EEPROM of HATs", 1: "kept for the EEPROM of HATs"},
        buses={10: (9, 11)},
        receivers={15: (14,), 5: (4,), 9: (8,), 13: (12,)},
    ),
    "pico": Controller(
        title="Raspberry Pi Pico",
        prefix="GP",
        pins=frozenset({*range(23), 26, 27, 28}),
    ),
}
"""GPIO10 of a Pi sends to lights through SPI, which takes GPIO9 and 11 as well; sent by PIO they stay free.
Its serial port is GPIO14 (transmit) and 15 (receive); a Pi 4 or 5 has more, each on a pair of pins."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of the file that takes a pin, itself or as a side effect of another pin (`because`)."""

    path: str
    pin: int
    because: str = ""


def check_pins(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Note pins that the controller has not, that can't do what is asked, or that two things want."""
    _check_crossings(file, document, faults)
    if file.controller is None:
        return
    controller = CONTROLLERS[file.controller]
    taken: dict[int, Claim] = {}
    told: set[tuple[str, str]] = set()
    claims = list(_claims(file, controller))
    spare = sorted(controller.pins - controller.reserved.keys() - {claim.pin for claim in claims})
    remedy = f"spare: {', '.join(map(controller.name, spare))}" if spare else "no pin is spare"
    for claim in claims:
        pin = controller.name(claim.pin)
        if claim.pin not in controller.pins:
            faults.add(claim.path, f"a {controller.title} has no {pin}", f"take another pin ({remedy})")
        elif claim.pin in controller.reserved:
            reason = controller.reserved[claim.pin]
            faults.add(claim.path, f"{pin} is {reason}", f"take another pin ({remedy})")
        elif claim.pin in taken and (claim.path, taken[claim.pin].path) not in told:
            other = taken[claim.pin]
            told.add((claim.path, other.path))  # two that want one serial port clash on both its pins
            wrong = f"{pin}{claim.because} is already taken by {other.path}{other.because}"
            faults.add(claim.path, wrong, f"give one of them another pin ({remedy})")
        taken.setdefault(claim.pin, claim)
    _check_receivers(file, controller, faults)


def _check_receivers(file: LayoutFile, controller: Controller, faults: Faults) -> None:
    if controller.receivers is None:
        return
    able = ", ".join(map(controller.name, controller.receivers))
    for path, pin in readers(file):
        if pin in controller.pins and pin not in controller.receivers:
            faults.add(path, f"{controller.name(pin)} can't receive from a reader", f"take one of {able}")


def _claims(file: LayoutFile, controller: Controller) -> Iterator[Claim]:
    """Name every pin that the file uses, the pins that come with it right after it."""
    for name, chain in file.chain.items():
        path = f"chain.{key_text(name)}.pin"
        yield Claim(path, chain.pin)
        for pin in () if by_pio(file) else controller.buses.get(chain.pin, ()):
            yield Claim(path, pin, f" (the SPI bus of {controller.name(chain.pin)} takes it)")
    for path, reader in readers(file):
        yield Claim(path, reader)
        for pin in (controller.receivers or {}).get(reader, ()):
            yield Claim(path, pin, f" (the serial port of {controller.name(reader)} takes it)")
    if file.matrix:
        for part in ("rows", "columns"):
            for number, pin in enumerate(getattr(file.matrix, part), 1):
                yield Claim(f"matrix.{part}[{number}]", pin)
    for path, switch in switches(file):
        if isinstance(switch, int):
            yield Claim(path, switch)


def by_pio(file: LayoutFile) -> bool:
    """Tell whether the lights are sent by the programmable pins of a Pi 5, which take nothing with them."""
    return file.drivers is not None and file.drivers.lights == "pio"


def readers(file: LayoutFile) -> Iterator[tuple[str, int]]:
    """Name the place in the file and the pin of every reader that is on a pin."""
    for path, wire in wires(file):
        if isinstance(wire, int):
            yield path, wire


def wires(file: LayoutFile) -> Iterator[tuple[str, int | str]]:
    """Name every reader's place in the file, and its pin or port."""
    for kind, parts in (("display", file.display), ("seat", file.seat)):
        for number, part in parts.items():
            if part.reader is not None:
                yield f"{kind}.{key_text(number)}.reader", part.reader
    if file.centre and file.centre.reader is not None:
        yield "centre.reader", file.centre.reader
    if file.shared:
        yield "shared.reader", file.shared.reader


def switches(file: LayoutFile) -> Iterator[tuple[str, Switch]]:
    """Name every button's place in the file, and its pin or crossing."""
    for number, seat in file.seat.items():
        for line, switch in enumerate(seat.line_buttons, 1):
            yield f"seat.{key_text(number)}.line_buttons[{line}]", switch
        yield f"seat.{key_text(number)}.floor_button", seat.floor_button
    for number, display in file.display.items():
        yield f"display.{key_text(number)}.button", display.button
    for path, part in (("centre", file.centre), ("ok", file.ok), ("undo", file.undo)):
        if part is not None:
            yield f"{path}.button", part.button


def _check_crossings(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Note crossings that the matrix has not, and those that two buttons share."""
    crossings = [(path, switch) for path, switch in switches(file) if not isinstance(switch, int)]
    if file.matrix is None:
        if crossings and "matrix" not in document:
            wrong = (
                f"is missing, and {len(crossings)} buttons are on its crossings, {crossings[0][0]} for one"
            )
            faults.add("matrix", wrong, "add the table [matrix], or give the buttons pins")
        return
    taken: dict[tuple[int, int], str] = {}
    for path, switch in crossings:
        if not _has(file.matrix, switch):
            size = f"{len(file.matrix.rows)} rows and {len(file.matrix.columns)} columns, counted from 1"
            faults.add(path, f"the matrix has no crossing {list(switch)}", f"stay within its {size}")
        elif switch in taken:
            wrong = f"the crossing {list(switch)} is already taken by {taken[switch]}"
            faults.add(path, wrong, f"take another one ({_spare(file, file.matrix)})")
        taken.setdefault(switch, path)


def _has(matrix: FileMatrix, crossing: tuple[int, int]) -> bool:
    return 1 <= crossing[0] <= len(matrix.rows) and 1 <= crossing[1] <= len(matrix.columns)


def _spare(file: LayoutFile, matrix: FileMatrix) -> str:
    """Say which crossings of the matrix carry no button."""
    taken = {switch for _, switch in switches(file)}
    crossings = product(range(1, len(matrix.rows) + 1), range(1, len(matrix.columns) + 1))
    spare = [str(list(crossing)) for crossing in crossings if crossing not in taken]
    return f"spare: {', '.join(spare)}" if spare else "none is spare"
