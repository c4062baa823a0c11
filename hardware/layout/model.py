"""Layout of a table: which light is which pixel, which button is on which pin, and where everything is.

`read_layout` reads a TOML file (`hardware/layouts` holds those that ship) and checks it as a whole: a
`Layout` is complete and consistent, so that drivers and pages need no checks of their own.
"""

from __future__ import annotations

import reprlib
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from hardware.api import SHARED, HardwareError, LayoutError
from hardware.layout.checks import (
    check_drawing,
    check_drivers,
    check_outputs,
    check_pins,
    check_pixels,
    check_seats_and_displays,
    check_supply,
)
from hardware.layout.file import (
    ButtonsDriver,
    ColourOrder,
    Faults,
    FileChain,
    LayoutFile,
    LightsDriver,
    Matrix,
    ReadersDriver,
    read_tables,
)
from hardware.layout.geometry import Component, Switch, components

_SHIPPED: Final = Path(__file__).parents[1] / "layouts"
_LARGEST_FILE: Final = 1_000_000


class PlacedLight(Struct, frozen=True):
    """A light: its middle and diameter in millimetres, its chain, and its pixel in the chain, from 0."""

    name: str
    x: float
    y: float
    size: float
    chain: str
    pixel: int


class PlacedButton(Struct, frozen=True):
    """A button: its middle and diameter in millimetres, its turn in degrees clockwise, and its wiring.

    `switch` is the number of its pin, or (row, column) of its crossing in the matrix, from 1.
    """

    name: str
    x: float
    y: float
    size: float
    turn: float
    switch: Switch


class Reader(Struct, frozen=True):
    """A tag reader: the pin that receives from it, or the path of its serial port (`/dev/ttyUSB0`)."""

    name: str
    wire: int | str

    @property
    def pin(self) -> int:
        """The pin that receives from it. Raises HardwareError for a reader on a serial port."""
        if isinstance(self.wire, str):
            raise HardwareError(f"reader {self.name!r} is on the port {self.wire}, not on a pin")
        return self.wire


class Output(Struct, frozen=True):
    """The place of a chain in the network: a controller, and the first pixel there, from 0.

    For E1.31 `first` is counted from the beginning of `universe`, through the universes after it.
    """

    host: str
    first: int = 0
    universe: int = 1
    priority: int = 100


class Chain(Struct, frozen=True):
    """Lights on one data line: a pin or a controller in the network, their number, and their colours.

    `order` is the order of the colours on the wire, with W for lights that have a white channel. A channel of
    0 to 1 is sent as `brightness * channel ** gamma`.
    """

    name: str
    wire: int | Output
    pixels: int
    order: ColourOrder = "GRB"
    brightness: float = 1.0
    gamma: float = 2.2

    @property
    def pin(self) -> int:
        """The pin that sends to it. Raises HardwareError for a chain in the network."""
        if isinstance(self.wire, Output):
            raise HardwareError(f"chain {self.name!r} is at {self.wire.host} in the network, not on a pin")
        return self.wire

    @property
    def channels(self) -> int:
        """The number of channels of a light, and so of its bytes: 3, or 4 with a white channel."""
        return len(self.order)


class Supply(Struct, frozen=True):
    """The power supply of the lights: its volts and amperes, and the milliamperes that lights take.

    A light takes `idle_milliamperes` when it is dark, and `channel_milliamperes` more for each channel at its
    brightest.
    """

    volts: float
    amperes: float
    lights: int
    channel_milliamperes: float = 20.0
    idle_milliamperes: float = 1.0

    @property
    def budget(self) -> float:
        """The milliamperes that all lights together may take."""
        return self.amperes * 1000.0

    @property
    def dark(self) -> float:
        """The milliamperes that the lights take when all of them are dark."""
        return self.lights * self.idle_milliamperes


class Drivers(Struct, frozen=True):
    """The names of the drivers that a table uses."""

    lights: LightsDriver
    buttons: ButtonsDriver
    readers: ReadersDriver


DRIVERS: Final = {"pi": Drivers("neopixel", "gpio", "rdm6300"), "pico": Drivers("pico", "pico", "pico")}
"""The default drivers of each controller."""
SIMULATED: Final = Drivers("simulated", "simulated", "simulated")


class Outline(Struct, frozen=True):
    """The outline of a board, a display or the centre: middle and size in millimetres, turn in degrees."""

    name: str
    shape: Literal["circle", "rectangle"]
    x: float
    y: float
    width: float
    height: float
    turn: float


class Layout(Struct, frozen=True):
    """A whole table: x to the right, y downwards as drawn, in millimetres from its upper left corner.

    `lights` are in the order in which frames are sent to pages; `centre` is the centre's number of lights.
    """

    name: str
    title: str
    controller: Literal["pi", "pico"]
    seats: int
    displays: int
    centre: int
    width: float
    height: float
    lights: tuple[PlacedLight, ...]
    buttons: tuple[PlacedButton, ...]
    readers: tuple[Reader, ...]
    outlines: tuple[Outline, ...]
    chains: tuple[Chain, ...]
    matrix: Matrix | None
    supply: Supply
    drivers: Drivers


def simulated(layout: Layout) -> Layout:
    """Return the layout with simulated drivers for lights, buttons and readers."""
    return replace(layout, drivers=SIMULATED)


def shipped_layouts() -> list[str]:
    """Return the names of the layouts that ship."""
    return sorted(path.stem for path in _SHIPPED.glob("*.toml"))


def read_layout(name_or_path: str) -> Layout:
    """Read a layout that ships, by its name, or any other by its path.

    Raises LayoutError with every fault found, each as `FILE: path.in.file: fault; remedy`. Entries of lists
    are counted from 1 in these paths. A table that can't be read is not checked further.
    """
    path = _find(name_or_path)
    document = _parse(_read_text(path), path)
    faults = Faults()
    file = read_tables(document, faults)
    check_seats_and_displays(file, document, faults)
    check_pixels(file, document, faults)
    check_pins(file, document, faults)
    check_drivers(file, document, faults)
    check_outputs(file, faults)
    check_supply(file, faults)
    placed = tuple(components(file))
    check_drawing(file, placed, faults)
    if faults.found:
        raise LayoutError([f"{path}: {fault}" for fault in faults.found])
    return _build(path.stem, file, placed)


def layout_json(layout: Layout) -> dict[str, Any]:
    """Return what a page needs to draw the table, as a JSON object without the wiring."""
    return {
        "name": layout.name,
        "title": layout.title,
        "width": layout.width,
        "height": layout.height,
        "seats": layout.seats,
        "displays": layout.displays,
        "centre": layout.centre,
        "lights": [{"name": it.name, "x": it.x, "y": it.y, "size": it.size} for it in layout.lights],
        "buttons": [
            {"name": it.name, "x": it.x, "y": it.y, "size": it.size, "turn": it.turn} for it in layout.buttons
        ],
        "outlines": [asdict(outline) for outline in layout.outlines],
        "on_pico": [name for name, driver in asdict(layout.drivers).items() if driver == "pico"],
    }


def _find(name_or_path: str) -> Path:
    """Return the path of the layout with this name or path."""
    shipped = shipped_layouts()
    path = Path(name_or_path)
    if name_or_path in shipped:
        return _SHIPPED / f"{name_or_path}.toml"
    if name_or_path == path.name and not path.suffix and not _exists(path):
        names = ", ".join(shipped)
        raise LayoutError(
            [f"there is no layout {reprlib.repr(name_or_path)}; {names} ship, any other is given by its path"]
        )
    return path


def _exists(path: Path) -> bool:
    try:
        return bool(path.name) and path.exists()
    except (OSError, ValueError):  # too long, or with characters that no path may have
        return False


def _read_text(path: Path) -> str:
    """Return the text of a file. Raises LayoutError with one sentence if it can't be read."""
    try:
        if path.is_dir():
            raise LayoutError([f"{path}: is a folder; give the path of a layout file"])
        if not path.is_file():
            raise LayoutError([f"{path}: there is no such file; give the path of a layout file"])
        if path.stat().st_size > _LARGEST_FILE:
            raise LayoutError([f"{path}: is larger than any layout (1 MB); give the path of a layout file"])
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LayoutError([f"{path}: byte {error.start} is not UTF-8 text; save the file as UTF-8"]) from None
    except OSError as error:
        raise LayoutError(
            [f"{path}: can't be read: {error.strerror}; make it readable, or give another file"]
        ) from None


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise LayoutError([f"{path}: is nested too deeply to be a layout; correct its brackets"]) from None
    except ValueError as error:  # TOMLDecodeError is one, and so is a number of 5,000 digits
        raise LayoutError([f"{path}: is not valid TOML: {error}; correct it there"]) from None


def _build(name: str, file: LayoutFile, placed: tuple[Component, ...]) -> Layout:
    """Build the layout from a file without faults, and its components."""
    assert file.title and file.controller and file.seats  # a file without faults is complete
    assert file.table and file.supply and file.centre
    lights = _lights(placed)
    named = {kind: driver for kind, driver in asdict(file.drivers).items() if driver is not None}
    return Layout(
        name=name,
        title=file.title,
        controller=file.controller,
        seats=file.seats,
        displays=len(file.display),
        centre=sum(ring.lights for ring in file.centre.rings),
        width=file.table.width,
        height=file.table.height,
        lights=lights,
        buttons=_buttons(placed),
        readers=_readers(file, placed),
        outlines=_outlines(placed),
        chains=tuple(_chain(chain, it) for chain, it in file.chain.items()),
        matrix=file.matrix,
        supply=Supply(lights=len(lights), **asdict(file.supply)),
        drivers=replace(DRIVERS[file.controller], **named),
    )


def _chain(name: str, it: FileChain) -> Chain:
    """Return a chain; controllers in the network get RGB unless it says otherwise, for they reorder it."""
    wire: int | Output
    if it.host is None:
        assert it.pin is not None  # checked
        wire = it.pin
    else:
        given = {"first": it.first, "universe": it.universe, "priority": it.priority}
        wire = Output(it.host.lower(), **{key: value for key, value in given.items() if value is not None})
    order = it.order or ("GRB" if it.host is None else "RGB")
    return Chain(name, wire, it.pixels, order, it.brightness, it.gamma)


def _lights(placed: tuple[Component, ...]) -> tuple[PlacedLight, ...]:
    return tuple(
        PlacedLight(
            it.name_of(light), *it.place.point(light.x, light.y), light.size, it.chain, it.first + light.pixel
        )
        for it in placed
        for light in it.lights
    )


def _buttons(placed: tuple[Component, ...]) -> tuple[PlacedButton, ...]:
    return tuple(
        PlacedButton(
            it.name_of(button), *it.place.point(button.x, button.y), button.size, it.place.turn, switch
        )
        for it in placed
        for button, switch in zip(it.buttons, it.switches, strict=True)
    )


def _readers(file: LayoutFile, placed: tuple[Component, ...]) -> tuple[Reader, ...]:
    own = [Reader(it.name, it.reader) for it in placed if it.reader is not None]
    return (*own, Reader(SHARED, file.shared.reader)) if file.shared else tuple(own)


def _outlines(placed: tuple[Component, ...]) -> tuple[Outline, ...]:
    return tuple(
        Outline(it.name, plate.shape, place.x, place.y, plate.width, plate.height, place.turn)
        for it in placed
        for plate, place in [(it.plate, it.place)]
        if len(it.lights) + len(it.buttons) > 1  # a single light or button is its own outline
    )
