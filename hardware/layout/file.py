"""Format of layout files: the types of their TOML tables, and reading with all faults collected.

Each type carries a title and a description in `Meta`, so that a fault can say what to write instead.
`read_tables` goes on after a fault, because a maker wants to know all of them, not only the first.
"""

import re
import reprlib
from difflib import get_close_matches
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import FieldInfo

# --- Values ----------------------------------------------------------------------------------------------

_FAR = 10_000

ColourOrder = Literal[
    "GRB", "RGB", "RBG", "GBR", "BRG", "BGR", "GRBW", "RGBW", "RBGW", "GBRW", "BRGW", "BGRW"
]
"""The order in which a light receives its colours; most receive green first, and white (SK6812) last."""
LightsDriver = Literal["neopixel", "spi", "pwm", "pio", "pico", "ddp", "e131", "simulated"]
"""`neopixel` stands for SPI at GPIO10, else for PIO on a Pi 5 and for PWM or PCM on others; `ddp` and `e131`
are protocols of controllers in the network."""
ButtonsDriver = Literal["gpio", "pico", "simulated"]
ReadersDriver = Literal["rdm6300", "id-12la", "pn532", "pico", "simulated"]

Text = Annotated[
    str, Meta(min_length=1, max_length=100, title="text", description="text in quotes, 1 to 100 characters")
]
Position = Annotated[
    float,
    Meta(ge=-_FAR, le=_FAR, title="position", description="a number of millimetres from -10000 to 10000"),
]
Size = Annotated[
    float, Meta(gt=0, le=_FAR, title="size", description="a number of millimetres above 0, at most 10000")
]
Turn = Annotated[
    float, Meta(ge=-360, le=360, title="turn", description="a number of degrees from -360 to 360, clockwise")
]
Pin = Annotated[int, Meta(ge=0, le=999, title="pin", description="the number of a pin, as in GPIO10 or GP10")]
Host = Annotated[
    str,
    Meta(
        title="host",
        description='the name or address of a controller, as "wled-ring.local" or "192.168.1.40"',
    ),
]
Universe = Annotated[
    int, Meta(ge=1, le=63_999, title="universe", description="a whole number from 1 to 63999")
]
Priority = Annotated[int, Meta(ge=0, le=200, title="priority", description="a whole number from 0 to 200")]
Wire = Annotated[
    int | str,
    Meta(
        title="pin or port",
        description='the number of the pin that receives, or the path of a port as "/dev/ttyUSB0"',
    ),
]
Pixel = Annotated[
    int, Meta(ge=0, le=9_999, title="pixel", description="a whole number from 0, the first pixel of a chain")
]
Count = Annotated[
    int, Meta(ge=1, le=9_999, title="number of lights", description="a whole number from 1 to 9999")
]
Switch = Annotated[
    int | tuple[int, int],
    Meta(
        title="place for a button",
        description="the number of its pin, or [row, column] of its crossing in the matrix",
    ),
]
LineSwitches = Annotated[
    tuple[Switch, Switch, Switch, Switch, Switch],
    Meta(
        title="list of the five lines' buttons",
        description="[...] with five pins, or five [row, column] crossings, line 1 first",
    ),
]
Point = Annotated[
    tuple[Position, Position],
    Meta(title="point", description="[x, y] in millimetres, each from -10000 to 10000"),
]
FewPoints = Annotated[
    tuple[Point, ...],
    Meta(
        min_length=1,
        max_length=4,
        title="list of four points or one",
        description="[...] with four points [x, y] in millimetres, or with a single one",
    ),
]
Pins = Annotated[
    tuple[Pin, ...],
    Meta(min_length=1, title="list of pins", description="[...] with the numbers of one or more pins"),
]
Corner = Annotated[
    Literal["top left", "top right", "bottom left", "bottom right"],
    Meta(title="corner", description='"top left", "top right", "bottom left" or "bottom right"'),
]
End = Annotated[Literal["left", "right"], Meta(title="end of a row", description='"left" or "right"')]
YesOrNo = Annotated[bool, Meta(title="answer", description="true or false")]
Lights = Annotated[
    LightsDriver,
    Meta(
        title="driver of lights",
        description='"neopixel", "spi", "pwm" or "pio" for a pi, "pico" for a pico, "ddp" or "e131" for '
        'controllers in the network, or "simulated"',
    ),
]
Buttons = Annotated[
    ButtonsDriver,
    Meta(title="driver of buttons", description='"gpio" for a pi, "pico" for a pico, or "simulated"'),
]
Readers = Annotated[
    ReadersDriver,
    Meta(
        title="driver of readers",
        description='"rdm6300", "id-12la" or "pn532" for a pi, "pico" for a pico, or "simulated"',
    ),
]


# --- Tables ----------------------------------------------------------------------------------------------


class FileTable(Struct, frozen=True):
    """A table of a layout file; other keys than its fields are faults."""


class Tabletop(FileTable, frozen=True):
    """The table top."""

    width: Size
    height: Size


class FileSupply(FileTable, frozen=True):
    """The power supply of the lights."""

    volts: Annotated[
        float, Meta(gt=0, le=60, title="voltage", description="a number of volts above 0, at most 60")
    ]
    amperes: Annotated[
        float, Meta(gt=0, le=1000, title="current", description="a number of amperes above 0, at most 1000")
    ]
    channel_milliamperes: Annotated[
        float, Meta(ge=0.1, le=1000, title="current", description="a number of milliamperes from 0.1 to 1000")
    ] = 20.0
    idle_milliamperes: Annotated[
        float, Meta(ge=0, le=1000, title="current", description="a number of milliamperes from 0 to 1000")
    ] = 1.0


class FileChain(FileTable, frozen=True):
    """Lights on one data line: its pin, or the controller in the network that has it; pixels and colours.

    `first` is the first pixel at the controller, from 0, or in its `universe` and those after it.
    """

    pixels: Count
    pin: Pin | None = None
    host: Host | None = None
    first: Pixel | None = None
    universe: Universe | None = None
    priority: Priority | None = None
    order: (
        Annotated[
            ColourOrder,
            Meta(
                title="order of colours",
                description='"GRB", "RGB", "RBG", "GBR", "BRG" or "BGR"; with a white channel "GRBW"...',
            ),
        ]
        | None
    ) = None
    brightness: Annotated[
        float, Meta(gt=0, le=1, title="brightness", description="a number above 0, at most 1")
    ] = 1.0
    gamma: Annotated[
        float, Meta(ge=1, le=4, title="gamma", description="a number from 1 (none) to 4; 2.2 suits eyes")
    ] = 2.2


class FileDrivers(FileTable, frozen=True):
    """The drivers of the table, where they differ from the defaults of its controller."""

    lights: Lights | None = None
    buttons: Buttons | None = None
    readers: Readers | None = None


class Matrix(FileTable, frozen=True):
    """A matrix of buttons: the pins of its rows and columns, row 1 and column 1 first."""

    rows: Pins
    columns: Pins


class BoardGrid(FileTable, frozen=True):
    """Rows of lights on a board."""

    top: Position
    pitch: Size
    size: Size
    first: Pixel
    start: Corner
    zigzag: YesOrNo


class BoardLines(BoardGrid, frozen=True):
    """The five pattern lines of a board, aligned at the right, with a button to the left of each."""

    right: Position
    button_size: Size
    button_space: Size


class BoardWall(BoardGrid, frozen=True):
    """The wall of a board, five rows of five lights."""

    left: Position


class BoardRow(FileTable, frozen=True):
    """One row of lights: the tens or the units of the score."""

    left: Position
    y: Position
    pitch: Size
    size: Size
    first: Pixel
    start: End


class BoardFloor(BoardRow, frozen=True):
    """The floor line: a row of seven lights, and its button."""

    button: Point
    button_size: Size


class BoardLamp(FileTable, frozen=True):
    """One light of a board."""

    x: Position
    y: Position
    size: Size
    first: Pixel


class SeatBoard(FileTable, frozen=True):
    """The board of a seat, described once for all seats; its middle is at 0, 0."""

    width: Size
    height: Size
    turn: BoardLamp
    tens: BoardRow
    units: BoardRow
    lines: BoardLines
    floor: BoardFloor
    wall: BoardWall


class DisplayPlate(FileTable, frozen=True):
    """A display, described once for all displays; its middle is at 0, 0.

    It has four lights, and display 5 a fifth; or all displays have a single one.
    """

    diameter: Size
    lights: FewPoints
    light_size: Size
    button: Point
    button_size: Size
    fifth: Point | None = None
    fifth_size: Size | None = None


class FileComponent(FileTable, frozen=True):
    """The position of a component, its turn, and its pixels."""

    x: Position
    y: Position
    turn: Turn
    chain: Text
    first: Pixel


class FileSeat(FileComponent, frozen=True):
    """The position of a seat's board, and its wiring."""

    line_buttons: LineSwitches
    floor_button: Switch
    reader: Wire | None = None


class FileDisplay(FileComponent, frozen=True):
    """The position of a display, and its wiring."""

    button: Switch
    reader: Wire | None = None


class Ring(FileTable, frozen=True):
    """A ring of lights around the middle of the centre."""

    lights: Annotated[
        int, Meta(ge=1, le=100, title="number of lights", description="a whole number from 1 to 100")
    ]
    radius: Size


class FileCentre(FileComponent, frozen=True):
    """The centre of the table: a button, and rings of lights around it."""

    diameter: Size
    light_size: Size
    rings: tuple[Ring, ...]
    button_size: Size
    button: Switch
    reader: Wire | None = None


class FileStatus(BoardLamp, frozen=True):
    """The status light."""

    chain: Text


class FileButton(FileTable, frozen=True):
    """A button that is not on a board, display or the centre."""

    x: Position
    y: Position
    size: Size
    button: Switch
    turn: Turn = 0.0


class FileShared(FileTable, frozen=True):
    """The reader that serves all seats."""

    reader: Wire


class LayoutFile(FileTable, frozen=True):
    """A whole layout file; a table that is missing or faulty is None (or not in its dict, or its default).

    Without [seat_board] and [seat.N], the boards are on the players' phones.
    """

    title: Text | None
    controller: (
        Annotated[Literal["pi", "pico"], Meta(title="controller", description='"pi" or "pico"')] | None
    )
    seats: Annotated[int, Meta(ge=2, le=4, title="number of seats", description="2, 3 or 4")] | None
    table: Tabletop | None
    supply: FileSupply | None
    chain: dict[str, FileChain]
    display_plate: DisplayPlate | None
    centre: FileCentre | None
    status: FileStatus | None
    ok: FileButton | None
    undo: FileButton | None
    seat_board: SeatBoard | None = None
    seat: dict[str, FileSeat] = {}
    display: dict[str, FileDisplay] = {}
    matrix: Matrix | None = None
    drivers: FileDrivers = FileDrivers()
    shared: FileShared | None = None


# --- Reading ---------------------------------------------------------------------------------------------


class Faults:
    """Collected faults, each with a path in the file, what is wrong there, and a remedy."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, path: str, wrong: str, remedy: str) -> None:
        """Add a fault."""
        self.found.append(f"{path}: {wrong}; {remedy}")


def read_tables(document: dict[str, Any], faults: Faults) -> LayoutFile:
    """Convert a TOML document; add a fault for every unknown key, missing key and wrong value."""
    values = _read_keys(document, LayoutFile, "", faults)
    for name, field in _fields(LayoutFile).items():
        if field.required:
            values.setdefault(name, {} if get_origin(field.type) is dict else None)
    return LayoutFile(**values)


@cache
def _fields(kind: type[FileTable]) -> dict[str, FieldInfo]:
    """Return the fields of a table by name; cached, because msgspec evaluates all annotations again."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


def _read(value: Any, kind: Any, path: str, faults: Faults) -> Any:
    """Return the value as this type, or None after adding a fault."""
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, FileTable):
        return _read_table(value, kind, path, faults)
    if get_origin(kind) is dict:
        return _read_named(value, get_args(kind)[1], path, faults)
    if get_origin(kind) is tuple:
        return _read_list(value, get_args(kind)[0], path, faults)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        meta = _meta(kind)
        faults.add(path, f"{_shown(value)} is not a valid {meta.title}", f"write {meta.description}")
        return None


def _read_table(value: Any, kind: type[FileTable], path: str, faults: Faults) -> FileTable | None:
    if not isinstance(value, dict):
        faults.add(path, f"{_shown(value)} is not a table", f"write it as [{path}] with its keys below")
        return None
    values = _read_keys(value, kind, f"{path}.", faults)
    needed = {name for name, field in _fields(kind).items() if field.required}
    return kind(**values) if needed <= values.keys() else None


def _read_keys(value: dict[str, Any], kind: type[FileTable], prefix: str, faults: Faults) -> dict[str, Any]:
    """Read every key of the table; leave out those that are missing or wrong."""
    fields = _fields(kind)
    for key in value:
        if key not in fields:
            _unknown_key(key, list(fields), prefix, faults)
    values = {}
    for name, field in fields.items():
        if name in value:
            read = _read(value[name], field.type, prefix + name, faults)
            if read is not None:
                values[name] = read
        elif field.required:
            missing_key(prefix + name, field.type, faults)
    return values


def _read_named(value: Any, kind: type[FileTable], path: str, faults: Faults) -> dict[str, Any] | None:
    """Read tables whose names the maker chooses, as [seat.1]; leave out the wrong ones."""
    if not isinstance(value, dict):
        faults.add(
            path, f"{_shown(value)} is not a table", f"write tables [{path}.NAME] with their keys below"
        )
        return None
    tables = {name: _read(table, kind, f"{path}.{key_text(name)}", faults) for name, table in value.items()}
    return {name: table for name, table in tables.items() if table is not None}


def _read_list(value: Any, kind: Any, path: str, faults: Faults) -> tuple[Any, ...] | None:
    if not isinstance(value, list) or not value:
        faults.add(path, f"{_shown(value)} is not a list with entries", "write [...] with at least one entry")
        return None
    entries = [_read(entry, kind, f"{path}[{number}]", faults) for number, entry in enumerate(value, 1)]
    return None if None in entries else tuple(entries)


def _unknown_key(key: str, known: list[str], prefix: str, faults: Faults) -> None:
    close = get_close_matches(key, known, 1)
    remedy = f"is {close[0]} meant?" if close else f"the keys here are {', '.join(known)}"
    faults.add(prefix + key_text(key), "is not a known key", remedy)


def missing_key(path: str, kind: Any, faults: Faults) -> None:
    """Add the fault for a missing key of this type."""
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, FileTable):
        remedy = f"add the table [{path}]"
    elif get_origin(kind) is dict:
        remedy = f"add tables [{path}.NAME]"
    elif get_origin(kind) is tuple:
        remedy = "add it as a list [...]"
    else:
        remedy = f"add {path.rpartition('.')[2]}, {_meta(kind).description}"
    faults.add(path, "is missing", remedy)


def _without_none(kind: Any) -> Any:
    """Return the type X of `X | None`: TOML has no null, an optional key is left out."""
    if get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind):
        return next(kind for kind in get_args(kind) if kind is not NoneType)
    return kind


def _meta(kind: Any) -> Meta:
    """Return the title and description of a type."""
    return next(meta for meta in get_args(kind) if isinstance(meta, Meta))


def key_text(name: str) -> str:
    """Return a key for a path, quoted where TOML requires quotes."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name) else _shown(name)


def _shown(value: Any) -> str:
    """Return a value as short text for a message."""
    return str(value).lower() if isinstance(value, bool) else reprlib.repr(value)
