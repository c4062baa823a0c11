"""Checks of a layout file: seats and displays, pixels, pins, drivers, network, power supply, and the drawing.

Every check adds all faults that it finds to `Faults`. Tables that could not be read are ignored here: their
faults are known already.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from itertools import combinations, product
from math import cos, hypot, radians, sin
from typing import Any, Final

from msgspec import Struct, field

from hardware.layout.file import (
    DisplayPlate,
    Faults,
    Host,
    LayoutFile,
    Matrix,
    Pin,
    key_text,
    missing_key,
)
from hardware.layout.geometry import (
    DIGITS,
    FIFTH_LIGHT,
    FLOOR_SPACES,
    SIDE,
    Component,
    Drawing,
    Place,
    Plate,
    Spot,
    Switch,
    board_drawing,
    centre_drawing,
    display_drawing,
)

# --- Seats and displays ----------------------------------------------------------------------------------

MAX_SEATS: Final = 4
MAX_DISPLAYS: Final = 9
DISPLAYS_FOR_SEATS: Final = {2: 5, 3: 7, 4: 9}
TILES_OF_A_DISPLAY: Final = 4


def check_seats_and_displays(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Add faults for missing or surplus seats and displays, and for too few lights of the centre."""
    displays = DISPLAYS_FOR_SEATS.get(file.seats or 0, 0)
    reason = f"a table for {file.seats} needs {file.seats} seats and {displays} displays"
    if "seat_board" in document or "seat" in document:  # else the boards are on the players' phones
        _check_numbers("seat", document, file.seats or 0, file.seats or MAX_SEATS, reason, faults)
    if "seat" in document and "seat_board" not in document:
        faults.add("seat_board", "is missing", "add the table [seat_board], or remove the seats' tables")
    _check_numbers("display", document, displays, MAX_DISPLAYS, reason, faults)
    if file.display_plate:
        _check_display(file.display_plate, faults)
    tiles = 3 * displays + 1
    if file.centre and displays and 1 < _centre_size(file) < tiles:
        faults.add(
            "centre.rings",
            f"{_centre_size(file)} lights are too few: {3 * displays} tiles of {displays} displays "
            "and the marker may be here",
            f"make the rings' lights {tiles} or more in all, or a single one",
        )


def _check_display(plate: DisplayPlate, faults: Faults) -> None:
    """Add faults for a display that has neither a light for each tile nor a single one."""
    if len(plate.lights) not in (1, TILES_OF_A_DISPLAY):
        wrong = f"{len(plate.lights)} points are neither four lights nor a single one"
        faults.add("display_plate.lights", wrong, "write four points, or one")
    for key in ("fifth", "fifth_size"):
        given = getattr(plate, key) is not None
        if len(plate.lights) == TILES_OF_A_DISPLAY and not given:
            faults.add(f"display_plate.{key}", "is missing", "add it for display 5, which has five lights")
        elif len(plate.lights) == 1 and given:
            faults.add(f"display_plate.{key}", "is not for displays with a single light", "remove it")


def _check_numbers(
    kind: str, document: Mapping[str, Any], needed: int, most: int, reason: str, faults: Faults
) -> None:
    """Add faults for tables [kind.N] that are missing up to `needed` or the highest, or above `most`."""
    if not isinstance(document.get(kind, {}), dict):
        return  # a fault from reading
    present = _table(document, kind)
    numbers = {str(number): number for number in range(1, most + 1)}
    for key in present:
        if key not in numbers:
            faults.add(
                f"{kind}.{key_text(key)}",
                f"there is no such {kind} on this table",
                f"number the {kind}s from 1 to {most}, or remove it",
            )
    highest = max((numbers[key] for key in present if key in numbers), default=0)
    for number in range(1, max(needed, highest) + 1):
        if str(number) not in present:
            why = reason if number <= needed else f"there is a {kind} {highest}"
            faults.add(f"{kind}.{number}", f"is missing ({why})", f"add the table [{kind}.{number}]")


# --- Pixels ----------------------------------------------------------------------------------------------

LIGHTS_OF_BOARD: Final = {
    "turn": 1,
    "tens": DIGITS,
    "units": DIGITS,
    "lines": SIDE * (SIDE + 1) // 2,
    "floor": FLOOR_SPACES,
    "wall": SIDE * SIDE,
}
"""The number of lights of each part of a seat's board."""
BOARD_LIGHTS: Final = sum(LIGHTS_OF_BOARD.values())


class Run(Struct, frozen=True):
    """Successive pixels of a chain that belong to one entry of the file (`path`)."""

    path: str
    first: int
    lights: int

    @property
    def end(self) -> int:
        """The pixel after the last."""
        return self.first + self.lights


def pixels_text(first: int, end: int) -> str:
    """Return the text for the pixels from `first` up to, but not including, `end`."""
    return f"pixel {first}" if end - first == 1 else f"pixels {first} to {end - 1}"


def check_pixels(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Add faults for pixels that two entries share, that are beyond a chain, or that have no light."""
    if file.seat_board is not None:
        parts = [
            Run(f"seat_board.{part}.first", getattr(file.seat_board, part).first, lights)
            for part, lights in LIGHTS_OF_BOARD.items()
        ]
        _check_runs("seat_board", parts, BOARD_LIGHTS, faults)
    runs: dict[str, list[Run]] = {name: [] for name in file.chain}
    named = _table(document, "chain")
    for chain, run in _chain_runs(file):
        if chain in runs:
            runs[chain].append(run)
        elif chain not in named:
            path = run.path.removesuffix("first") + "chain"
            known = ", ".join(map(key_text, named)) or "a chain that you add"
            faults.add(path, f"there is no chain {chain!r}", f"write one of {known}")
    gaps = _all_lights_are_read(file, document)
    for name, chained in runs.items():
        _check_runs(f"chain.{key_text(name)}", chained, file.chain[name].pixels, faults, gaps=gaps)


def _all_lights_are_read(file: LayoutFile, document: Mapping[str, Any]) -> bool:
    """Return whether every table with lights could be read; otherwise an apparent gap may not be one."""
    return (
        file.seat.keys() == _table(document, "seat").keys()
        and file.display.keys() == _table(document, "display").keys()
        and (file.display_plate is not None or not file.display)
        and (file.centre is not None or "centre" not in document)
        and (file.status is not None or "status" not in document)
    )


def _table(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a table of the document, an empty one if it is missing or not a table."""
    table = document.get(key)
    return table if isinstance(table, dict) else {}


def _chain_runs(file: LayoutFile) -> Iterator[tuple[str, Run]]:
    """Yield the chain and the pixels of every entry of the file that has lights."""
    for number, seat in file.seat.items():
        yield seat.chain, Run(f"seat.{key_text(number)}.first", seat.first, BOARD_LIGHTS)
    if (plate := file.display_plate) is not None:
        for number, display in file.display.items():
            _, lights, _ = display_drawing(plate, fifth=number == FIFTH_LIGHT)
            yield display.chain, Run(f"display.{key_text(number)}.first", display.first, len(lights))
    if file.centre:
        yield file.centre.chain, Run("centre.first", file.centre.first, _centre_size(file))
    if file.status:
        yield file.status.chain, Run("status.first", file.status.first, 1)


def _centre_size(file: LayoutFile) -> int:
    return sum(ring.lights for ring in file.centre.rings) if file.centre else 0


def _check_runs(path: str, runs: Sequence[Run], pixels: int, faults: Faults, *, gaps: bool = True) -> None:
    """Add faults for the runs of one chain, or of one board, of so many pixels."""
    furthest = Run(path, 0, 0)
    for run in sorted(runs, key=lambda run: run.first):
        if run.first < furthest.end:
            shared = pixels_text(run.first, min(run.end, furthest.end))
            faults.add(
                run.path, f"overlaps {furthest.path} at {shared} of {path}", "give each light its own pixel"
            )
        elif run.first > furthest.end and gaps:
            _add_gap(path, furthest.end, run.first, faults)
        if run.end > pixels:
            faults.add(
                run.path,
                f"extends to pixel {run.end - 1}, but {path} has only {pixels} pixels",
                "start at a lower pixel, or lengthen the chain",
            )
        furthest = max(furthest, run, key=lambda run: run.end)
    if furthest.end < pixels and gaps:
        _add_gap(path, furthest.end, pixels, faults)


def _add_gap(path: str, first: int, end: int, faults: Faults) -> None:
    faults.add(path, f"there is no light at {pixels_text(first, end)}", "close the gap, or shorten the chain")


# --- Pins ------------------------------------------------------------------------------------------------


class Controller(Struct, frozen=True):
    """A controller that a table can be wired to, and what its pins can do."""

    title: str
    prefix: str
    pins: frozenset[int]
    reserved: Mapping[int, str] = field(default_factory=dict)
    buses: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Pins that a data line on this pin takes as well."""
    receivers: Mapping[int, tuple[int, ...]] | None = None
    """Pins that can receive serial data, with the pins taken as well; None if every pin can."""

    def name(self, pin: int) -> str:
        """Return the name of a pin as in the controller's pinout."""
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
    "pico": Controller(title="Raspberry Pi Pico", prefix="GP", pins=frozenset({*range(23), 26, 27, 28})),
}
"""GPIO10 of a Pi sends to lights by SPI, which takes GPIO9 and 11 as well, unless they are sent by PIO. Its
serial port is GPIO14 (transmit) and 15 (receive); a Pi 4 or 5 has more, each on a pair of pins."""


class PinUse(Struct, frozen=True):
    """The use of a pin by an entry of the file, directly or because of another pin (`because`)."""

    path: str
    pin: int
    because: str = ""


def check_pins(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Add faults for pins that don't exist, can't do what is asked, or are used twice."""
    _check_crossings(file, document, faults)
    if file.controller is None:
        return
    controller = CONTROLLERS[file.controller]
    taken: dict[int, PinUse] = {}
    reported: set[tuple[str, str]] = set()
    uses = list(_pin_uses(file, controller))
    spare = sorted(controller.pins - controller.reserved.keys() - {use.pin for use in uses})
    remedy = f"spare: {', '.join(map(controller.name, spare))}" if spare else "no pin is spare"
    for use in uses:
        pin = controller.name(use.pin)
        if use.pin not in controller.pins:
            faults.add(use.path, f"a {controller.title} has no {pin}", f"use another pin ({remedy})")
        elif use.pin in controller.reserved:
            reason = controller.reserved[use.pin]
            faults.add(use.path, f"{pin} is {reason}", f"use another pin ({remedy})")
        elif use.pin in taken and (use.path, taken[use.pin].path) not in reported:
            other = taken[use.pin]
            reported.add((use.path, other.path))  # two readers on one serial port conflict on both its pins
            wrong = f"{pin}{use.because} is already used by {other.path}{other.because}"
            faults.add(use.path, wrong, f"give one of them another pin ({remedy})")
        taken.setdefault(use.pin, use)
    _check_receivers(file, controller, faults)


def _check_receivers(file: LayoutFile, controller: Controller, faults: Faults) -> None:
    if controller.receivers is None:
        return
    able = ", ".join(map(controller.name, controller.receivers))
    for path, pin in reader_wires(file):
        if isinstance(pin, int) and pin in controller.pins and pin not in controller.receivers:
            faults.add(path, f"{controller.name(pin)} can't receive from a reader", f"use one of {able}")


def _pin_uses(file: LayoutFile, controller: Controller) -> Iterator[PinUse]:
    """Yield every pin that the file uses, each followed by the pins that it takes as well."""
    for name, chain in file.chain.items():
        if chain.pin is None:
            continue  # in the network, or a fault of its own
        path = f"chain.{key_text(name)}.pin"
        yield PinUse(path, chain.pin)
        for pin in () if file.drivers.lights == "pio" else controller.buses.get(chain.pin, ()):
            yield PinUse(path, pin, f" (by the SPI bus of {controller.name(chain.pin)})")
    for path, reader in reader_wires(file):
        if not isinstance(reader, int):
            continue
        yield PinUse(path, reader)
        for pin in (controller.receivers or {}).get(reader, ()):
            yield PinUse(path, pin, f" (by the serial port of {controller.name(reader)})")
    if file.matrix:
        for part in ("rows", "columns"):
            for number, pin in enumerate(getattr(file.matrix, part), 1):
                yield PinUse(f"matrix.{part}[{number}]", pin)
    for path, switch in switches(file):
        if isinstance(switch, int):
            yield PinUse(path, switch)


def reader_wires(file: LayoutFile) -> Iterator[tuple[str, int | str]]:
    """Yield the path of every reader in the file, and its pin or port."""
    for kind, numbered in (("display", file.display), ("seat", file.seat)):
        for number, part in numbered.items():
            if part.reader is not None:
                yield f"{kind}.{key_text(number)}.reader", part.reader
    if file.centre and file.centre.reader is not None:
        yield "centre.reader", file.centre.reader
    if file.shared:
        yield "shared.reader", file.shared.reader


def switches(file: LayoutFile) -> Iterator[tuple[str, Switch]]:
    """Yield the path of every button in the file, and its pin or crossing."""
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
    """Add faults for crossings that the matrix does not have, and for those that two buttons share."""
    crossings = [(path, switch) for path, switch in switches(file) if not isinstance(switch, int)]
    if file.matrix is None:
        if crossings and "matrix" not in document:
            wrong = f"is missing, but {len(crossings)} buttons are on its crossings, as {crossings[0][0]}"
            faults.add("matrix", wrong, "add the table [matrix], or give the buttons pins")
        return
    taken: dict[tuple[int, int], str] = {}
    for path, switch in crossings:
        rows, columns = len(file.matrix.rows), len(file.matrix.columns)
        if not (1 <= switch[0] <= rows and 1 <= switch[1] <= columns):
            size = f"{rows} rows and {columns} columns, counted from 1"
            faults.add(path, f"the matrix has no crossing {list(switch)}", f"stay within its {size}")
        elif switch in taken:
            wrong = f"the crossing {list(switch)} is already used by {taken[switch]}"
            faults.add(path, wrong, f"use another one ({_spare_crossings(file, file.matrix)})")
        taken.setdefault(switch, path)


def _spare_crossings(file: LayoutFile, matrix: Matrix) -> str:
    """Return a list of the crossings without a button, as text."""
    taken = {switch for _, switch in switches(file)}
    crossings = product(range(1, len(matrix.rows) + 1), range(1, len(matrix.columns) + 1))
    spare = [str(list(crossing)) for crossing in crossings if crossing not in taken]
    return f"spare: {', '.join(spare)}" if spare else "none is spare"


# --- Drivers ---------------------------------------------------------------------------------------------

DRIVERS_OF_CONTROLLER: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "pi": {
        "lights": ("neopixel", "spi", "pwm", "pio", "ddp", "e131", "simulated"),
        "buttons": ("gpio", "simulated"),
        "readers": ("rdm6300", "id-12la", "pn532", "simulated"),
    },
    "pico": {
        "lights": ("pico", "ddp", "e131", "simulated"),
        "buttons": ("pico", "simulated"),
        "readers": ("pico", "simulated"),
    },
}
"""The drivers of each controller for lights, buttons and readers."""
LIGHT_PINS: Final = {"spi": (10,), "pwm": (12, 13, 18, 19), "pcm": (21,)}
"""Pins of a Pi that can send to lights in each way; PIO can use any. `neopixel` takes the way of its pin,
and is the only driver that sends by PCM."""
NETWORK_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "ddp": ("host", "first"),
    "e131": ("host", "first", "universe", "priority"),
}
"""The keys of a chain that name its place in the network, for each driver of lights there."""
NETWORK_DRIVERS: Final = tuple(NETWORK_KEYS)
USE_OF_KEY: Final = {
    "pin": ("lights on a pin", ""),
    "host": ("lights in the network", '"ddp" or "e131"'),
    "first": ("lights in the network", '"ddp" or "e131"'),
    "universe": ("lights by e131", '"e131"'),
    "priority": ("lights by e131", '"e131"'),
}
"""What each key for the wire of a chain is for, and the drivers in the network that use it."""


def check_drivers(file: LayoutFile, document: Mapping[str, Any], faults: Faults) -> None:
    """Add faults for drivers that the controller does not have, and for wires that a driver can't use."""
    if file.drivers.lights is not None or "lights" not in _table(document, "drivers"):
        written = _table(document, "chain")
        for name in file.chain:
            _check_keys(f"chain.{key_text(name)}", written[name], file.drivers.lights, faults)
    if file.controller is None:
        return
    for kind, able in DRIVERS_OF_CONTROLLER[file.controller].items():
        named = getattr(file.drivers, kind)
        if named is not None and named not in able:
            names = " or ".join(f'"{driver}"' for driver in able)
            faults.add(
                f"drivers.{kind}",
                f"a {file.controller} has no driver {named!r} for its {kind}",
                f"write {names}",
            )
    _check_ports(file, faults)
    if file.controller == "pi":
        _check_lights(file, faults)
        _check_buttons(file, faults)


def _check_keys(path: str, chain: Mapping[str, Any], driver: str | None, faults: Faults) -> None:
    """Add faults for keys of a chain that its driver needs, and for those that it has no use for."""
    if driver == "simulated":
        keys = NETWORK_KEYS["e131"] if "host" in chain else ("pin",)
    else:
        keys = NETWORK_KEYS.get(driver or "", ("pin",))
    if "host" in keys and "host" not in chain:
        missing_key(f"{path}.host", Host, faults)
    elif "pin" in keys and not chain.keys() & {"pin", "host"}:
        missing_key(f"{path}.pin", Pin, faults)
    for key, (meant, drivers) in USE_OF_KEY.items():
        if key in chain and key not in keys:
            remedy = f", or write lights = {drivers} into [drivers]" if drivers else ""
            faults.add(f"{path}.{key}", f"is for {meant} only", f"remove it{remedy}")


def _check_lights(file: LayoutFile, faults: Faults) -> None:
    driver = file.drivers.lights
    if driver == "simulated" or driver in NETWORK_DRIVERS:
        return
    if len(file.chain) > 1:
        faults.add(
            "chain",
            f"a Raspberry Pi sends to lights on one data line, and there are {len(file.chain)}",
            "wire all lights to one chain, or use a Pico",
        )
    pins = LIGHT_PINS.get(driver or "", ())
    for name, chain in file.chain.items():
        if pins and chain.pin is not None and chain.pin not in pins:
            able = " or ".join(f"GPIO{pin}" for pin in pins)
            faults.add(
                f"chain.{key_text(name)}.pin", f"GPIO{chain.pin} can't send by {driver}", f"use {able}"
            )


def _check_buttons(file: LayoutFile, faults: Faults) -> None:
    crossed = [path for path, switch in switches(file) if not isinstance(switch, int)]
    # A missing matrix is a fault of its own.
    if crossed and file.matrix and file.drivers.buttons != "simulated":
        faults.add(
            crossed[0],
            "a Raspberry Pi can't scan a matrix of buttons",
            "give each button a pin of its own, or use a Pico",
        )


def _check_ports(file: LayoutFile, faults: Faults) -> None:
    """Add faults for invalid ports of readers, ports that two of them share, and ports of a Pico."""
    taken: dict[str, str] = {}
    for path, port in reader_wires(file):
        if isinstance(port, int):
            continue
        if file.controller == "pico":
            faults.add(path, "a Pico has no such port", "write the number of the pin that receives")
        elif not port.startswith("/dev/") or "\0" in port:
            faults.add(path, f"{port!r} is not a port", 'write its path, as "/dev/ttyUSB0"')
        elif port in taken:
            faults.add(path, f"{port} is already used by {taken[port]}", "give each reader its own")
        taken.setdefault(port, path)


# --- Network ---------------------------------------------------------------------------------------------

SLOTS: Final = 512
"""Bytes of light in a universe of E1.31, as on a line of DMX."""
LAST_UNIVERSE: Final = 63_999
_LABEL: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII | re.IGNORECASE)


class UniverseRun(Struct, frozen=True):
    """Successive pixels of a chain in one universe: the first of them in the universe and in the chain."""

    universe: int
    first: int
    pixel: int
    pixels: int


def universe_runs(universe: int, first: int, pixels: int, channels: int) -> Iterator[UniverseRun]:
    """Yield the runs of a chain that begins at pixel `first` of a universe, of so many bytes a pixel.

    Universes hold whole pixels, 170 of three bytes and 128 of four, and the rest of them stays empty, as
    WLED and xLights have it.
    """
    size = SLOTS // channels
    pixel = 0
    while pixel < pixels:
        behind, start = divmod(first + pixel, size)
        run = min(size - start, pixels - pixel)
        yield UniverseRun(universe + behind, start, pixel, run)
        pixel += run


def check_outputs(file: LayoutFile, faults: Faults) -> None:
    """Add faults for hosts that are none, and for chains in the network that share pixels."""
    runs: dict[str, list[tuple[Run, int]]] = {}
    for name, chain in file.chain.items():
        if chain.host is None:
            continue
        path = f"chain.{key_text(name)}"
        if not _is_host(chain.host):
            wrong = f"{reprlib.repr(chain.host)} is neither the name nor the address of a controller"
            remedy = 'write it without http://, port or path, as "wled-ring.local" or "192.168.1.40"'
            faults.add(f"{path}.host", wrong, remedy)
            continue
        host, first, channels = chain.host.lower(), chain.first or 0, len(chain.order or "RGB")
        if file.drivers.lights != "e131":
            runs.setdefault(host, []).append((Run(path, first, chain.pixels), channels))
            continue
        for run in universe_runs(chain.universe or 1, first, chain.pixels, channels):
            place = f"universe {run.universe} of {host}"
            runs.setdefault(place, []).append((Run(path, run.first, run.pixels), channels))
            if run.universe > LAST_UNIVERSE:
                wrong = f"extends to universe {run.universe}, but the last is {LAST_UNIVERSE}"
                faults.add(f"{path}.universe", wrong, "start at a lower universe")
                break
    for place, found in runs.items():
        (first_run, channels), *others = found
        if other := next((run for run, number in others if number != channels), None):
            wrong = f"has another number of colours than {first_run.path}, and both are at {place}"
            faults.add(f"{other.path}.order", wrong, "give them the same number of colours")
        else:
            _check_runs(place, [run for run, _ in found], 1 << 32, faults, gaps=False)


def _is_host(text: str) -> bool:
    """Return whether a text is a host name, or the address of a single host."""
    try:
        address = ip_address(text)
    except ValueError:
        labels = text.split(".")
        # A name that ends with a number would be read as an address: 192.168.1 as 192.168.0.1.
        return len(text) <= 253 and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdecimal()
    broadcast = address == ip_address("255.255.255.255")
    return not (address.is_multicast or address.is_unspecified or broadcast or "%" in text)


# --- Power supply ----------------------------------------------------------------------------------------


def check_supply(file: LayoutFile, faults: Faults) -> None:
    """Add a fault for a supply that can't even feed the lights while all of them are dark."""
    if file.supply is None:
        return
    lights = sum(run.lights for _, run in _chain_runs(file))
    dark = lights * file.supply.idle_milliamperes
    if file.supply.amperes * 1000 <= dark:
        faults.add(
            "supply.amperes",
            f"{file.supply.amperes:g} A is not more than the {lights} lights take when all are dark "
            f"({dark / 1000:g} A)",
            "use a stronger supply, and write its current",
        )


# --- Drawing ---------------------------------------------------------------------------------------------
# Each component is checked once in its own coordinates: its lights and buttons are on it and not on each
# other. Then the components are checked against each other and against the edges of the table.

TOLERANCE: Final = 0.01
"""Millimetres of overlap that are no fault: things may touch."""


def check_drawing(file: LayoutFile, placed: Sequence[Component], faults: Faults) -> None:
    """Add faults for everything outside of its component or of the table, or on top of something else."""
    if file.seat_board:
        _check_component("seat_board", board_drawing(file.seat_board), faults)
    if file.display_plate:
        _check_component("display_plate", display_drawing(file.display_plate, fifth=True), faults)
    if file.centre:
        _check_component("centre", centre_drawing(file.centre), faults)
    for component in placed:
        _check_on_table(component, file, faults)
    for one, other in combinations(placed, 2):
        if _overlap(one, other):
            faults.add(other.name, f"overlaps {one.name}", "move one of them, or make it smaller")


def _check_component(path: str, drawing: Drawing, faults: Faults) -> None:
    plate, lights, buttons = drawing
    named = [(f"light {spot.name}", spot) for spot in lights]
    named += [(f"button {spot.name}" if spot.name else "the button", spot) for spot in buttons]
    outside = [name for name, spot in named if not _on_plate(spot, plate)]
    if outside:
        faults.add(
            path, f"{_and_more(outside)} extends over the edge", "move it inwards, or make the plate larger"
        )
    touching = [
        f"{second} overlaps {first}"
        for (first, one), (second, other) in combinations(named, 2)
        if hypot(one.x - other.x, one.y - other.y) < (one.size + other.size) / 2 - TOLERANCE
    ]
    if touching:
        faults.add(path, _and_more(touching), "move them apart, or make them smaller")


def _and_more(found: Sequence[str]) -> str:
    return found[0] if len(found) == 1 else f"{found[0]} (and {len(found) - 1} more like it)"


def _on_plate(spot: Spot, plate: Plate) -> bool:
    radius = spot.size / 2 - TOLERANCE
    if plate.shape == "circle":
        return hypot(spot.x, spot.y) + radius <= plate.width / 2
    return abs(spot.x) + radius <= plate.width / 2 and abs(spot.y) + radius <= plate.height / 2


def _check_on_table(component: Component, file: LayoutFile, faults: Faults) -> None:
    if file.table is None:
        return
    place = component.place
    half_width, half_height = _half_extent(component.plate, place.turn)
    over = {
        "left": half_width - place.x,
        "right": place.x + half_width - file.table.width,
        "top": half_height - place.y,
        "bottom": place.y + half_height - file.table.height,
    }
    edges = [f"{excess:.4g} mm over the {edge} edge" for edge, excess in over.items() if excess > TOLERANCE]
    if edges:
        faults.add(
            component.name,
            f"extends {' and '.join(edges)} of the table",
            "move it inwards, or make the table larger",
        )


def _half_extent(plate: Plate, turn: float) -> tuple[float, float]:
    """Return half of the width and height of a turned outline's bounding box."""
    if plate.shape == "circle":
        return plate.width / 2, plate.width / 2
    across, along = abs(cos(radians(turn))), abs(sin(radians(turn)))
    return (
        (plate.width * across + plate.height * along) / 2,
        (plate.width * along + plate.height * across) / 2,
    )


def _overlap(one: Component, other: Component) -> bool:
    """Return whether two outlines overlap by more than TOLERANCE."""
    plate, place = one.plate, one.place
    other_plate, other_place = other.plate, other.place
    if plate.shape == other_plate.shape == "circle":
        between = hypot(place.x - other_place.x, place.y - other_place.y)
        return between < (plate.width + other_plate.width) / 2 - TOLERANCE
    if plate.shape == "circle":
        return _overlap(other, one)
    x, y = _to_own(place, other_place.x, other_place.y)
    if other_plate.shape == "circle":
        beyond_x = max(0.0, abs(x) - plate.width / 2)
        beyond_y = max(0.0, abs(y) - plate.height / 2)
        return hypot(beyond_x, beyond_y) < other_plate.width / 2 - TOLERANCE
    return not _separates(one, other) and not _separates(other, one)


def _separates(one: Component, other: Component) -> bool:
    """Return whether a side of the first rectangle separates it from the second (separating axis)."""
    plate, place = one.plate, one.place
    other_plate, other_place = other.plate, other.place
    x, y = _to_own(place, other_place.x, other_place.y)
    half_width, half_height = _half_extent(other_plate, other_place.turn - place.turn)
    return (
        abs(x) >= plate.width / 2 + half_width - TOLERANCE
        or abs(y) >= plate.height / 2 + half_height - TOLERANCE
    )


def _to_own(place: Place, x: float, y: float) -> tuple[float, float]:
    """Convert a point from the table's coordinates to those of a component at this place."""
    angle = radians(-place.turn)
    x, y = x - place.x, y - place.y
    return x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)
