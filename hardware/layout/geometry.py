"""Positions on the table: components described once, rotated and moved to each of their places.

A component (a board, a display, the centre, a single light or button) has its own coordinates with its middle
at 0, 0, x to the right and y towards the person who sits at it. On the table x runs to the right and y
downwards as drawn, and turns are clockwise as seen from above. All lengths are in millimetres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, pi, radians, sin
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hardware.api import CENTRE, OK, STATUS, UNDO
from hardware.layout.file import (
    BoardGrid,
    BoardRow,
    DisplayPlate,
    FileCentre,
    FileDisplay,
    FileSeat,
    LayoutFile,
    SeatBoard,
    key_text,
)

Switch = int | tuple[int, int]
"""The wiring of a button: its pin, or the row and column (from 1) of its crossing in the matrix."""

FLOOR_SPACES: Final = 7
DIGITS: Final = 10
SIDE: Final = 5
"""Lines of a board; rows and columns of its wall."""

FIFTH_LIGHT: Final = "5"
"""The number of the display that has a fifth light, for the solo game."""


class Spot(Struct, frozen=True):
    """A light or button in its component's coordinates; a light's pixel counts from the component's first."""

    name: str
    x: float
    y: float
    size: float
    pixel: int = 0


class Plate(Struct, frozen=True):
    """The outline of a component in its own coordinates."""

    shape: Literal["circle", "rectangle"]
    width: float
    height: float


Drawing = tuple[Plate, tuple[Spot, ...], tuple[Spot, ...]]
"""The outline, the lights and the buttons of a component."""


class Place(Struct, frozen=True):
    """The position of a component's middle on the table, and its turn in degrees."""

    x: float
    y: float
    turn: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point from the component's coordinates to the table's, rounded to 0.01 mm."""
        angle = radians(self.turn)
        return (
            round(self.x + x * cos(angle) - y * sin(angle), 2),
            round(self.y + x * sin(angle) + y * cos(angle), 2),
        )


class Component(Struct, frozen=True):
    """A component of the table: its name, which is also its path in the file, and what is on it."""

    name: str
    place: Place
    plate: Plate
    lights: tuple[Spot, ...] = ()
    buttons: tuple[Spot, ...] = ()
    switches: tuple[Switch, ...] = ()
    """The wiring of each button."""
    chain: str = ""
    first: int = 0
    reader: int | str | None = None

    def name_of(self, spot: Spot) -> str:
        """Return the full name of a light or button of this component."""
        return f"{self.name}.{spot.name}" if spot.name else self.name


def components(file: LayoutFile) -> Iterator[Component]:
    """Yield every component that could be read, in the order in which frames are sent to pages."""
    if file.display_plate:
        for number, display in sorted(file.display.items()):
            drawing = display_drawing(file.display_plate, fifth=number == FIFTH_LIGHT)
            yield _wired(f"display.{key_text(number)}", display, drawing, display.button)
    if file.centre:
        yield _wired(CENTRE, file.centre, centre_drawing(file.centre), file.centre.button)
    if file.seat_board:
        drawing = board_drawing(file.seat_board)
        for number, seat in sorted(file.seat.items()):
            yield _wired(f"seat.{key_text(number)}", seat, drawing, *seat.line_buttons, seat.floor_button)
    if file.status:
        status = file.status
        place, light = Place(status.x, status.y, 0), Spot("", 0, 0, status.size)
        yield Component(
            STATUS, place, round_plate(status.size), (light,), chain=status.chain, first=status.first
        )
    for name, lone in ((OK, file.ok), (UNDO, file.undo)):
        if lone is not None:
            button = Spot("", 0, 0, lone.size)
            place, plate = Place(lone.x, lone.y, lone.turn), round_plate(lone.size)
            yield Component(name, place, plate, buttons=(button,), switches=(lone.button,))


def _wired(
    name: str, wired: FileDisplay | FileCentre | FileSeat, drawing: Drawing, *switches: Switch
) -> Component:
    """Return a display, the centre or a board at its place, with its wiring."""
    return Component(
        name,
        Place(wired.x, wired.y, wired.turn),
        *drawing,
        switches=switches,
        chain=wired.chain,
        first=wired.first,
        reader=wired.reader,
    )


def board_drawing(board: SeatBoard) -> Drawing:
    """Return the outline of a seat's board, its 68 lights, and the buttons of its lines and its floor."""
    lamp, lines, floor, wall = board.turn, board.lines, board.floor, board.wall
    lefts = [lines.right - at * lines.pitch for at in range(SIDE)]
    lights = (
        Spot("turn", lamp.x, lamp.y, lamp.size, lamp.first),
        *_row_lights("tens", board.tens, range(DIGITS)),
        *_row_lights("units", board.units, range(DIGITS)),
        *_grid_lights("line", lines, [(left, line) for line, left in enumerate(lefts, 1)]),
        *_row_lights("floor", floor, range(1, FLOOR_SPACES + 1)),
        *_grid_lights("wall", wall, [(wall.left, SIDE)] * SIDE),
    )
    line_buttons = (
        Spot(f"line.{at + 1}", left - lines.button_space, lines.top + at * lines.pitch, lines.button_size)
        for at, left in enumerate(lefts)
    )
    buttons = (*line_buttons, Spot("floor", *floor.button, floor.button_size))
    return Plate("rectangle", board.width, board.height), lights, buttons


def display_drawing(plate: DisplayPlate, *, fifth: bool) -> Drawing:
    """Return the outline of a display, its four lights or its single one, and its button.

    With `fifth` it also has the light in its middle, if the file describes one.
    """
    lights = [Spot(str(at + 1), *point, plate.light_size, at) for at, point in enumerate(plate.lights)]
    if fifth and plate.fifth is not None and plate.fifth_size is not None:
        lights.append(Spot("5", *plate.fifth, plate.fifth_size, 4))
    return round_plate(plate.diameter), tuple(lights), (Spot("", *plate.button, plate.button_size),)


def centre_drawing(centre: FileCentre) -> Drawing:
    """Return the outline of the centre, its lights (rings clockwise from the top), and its button."""
    lights: list[Spot] = []
    for ring in centre.rings:
        for step in range(ring.lights):
            angle, pixel = 2 * pi * step / ring.lights, len(lights)
            x, y = ring.radius * sin(angle), -ring.radius * cos(angle)
            lights.append(Spot(f"{pixel + 1}", x, y, centre.light_size, pixel))
    return round_plate(centre.diameter), tuple(lights), (Spot("", 0, 0, centre.button_size),)


def round_plate(diameter: float) -> Plate:
    """Return the outline of a display or the centre."""
    return Plate("circle", diameter, diameter)


def _row(name: str, numbers: Sequence[int], x: float, y: float, pitch: float, size: float) -> list[Spot]:
    """Return a row of lights from x to the right, without pixels."""
    return [Spot(f"{name}.{number}", x + at * pitch, y, size) for at, number in enumerate(numbers)]


def _row_lights(name: str, row: BoardRow, numbers: Sequence[int]) -> list[Spot]:
    return _number([_row(name, numbers, row.left, row.y, row.pitch, row.size)], row.first, row.start)


def _grid_lights(name: str, grid: BoardGrid, rows: Sequence[tuple[float, int]]) -> list[Spot]:
    """Return rows of lights, each given by the position of its leftmost light and their number."""
    spots = [
        _row(
            f"{name}.{at + 1}", range(1, lights + 1), left, grid.top + at * grid.pitch, grid.pitch, grid.size
        )
        for at, (left, lights) in enumerate(rows)
    ]
    return _number(spots, grid.first, grid.start, zigzag=grid.zigzag)


def _number(rows: list[list[Spot]], first: int, start: str, *, zigzag: bool = False) -> list[Spot]:
    """Number rows of lights (top to bottom, each left to right) in the order of the wire.

    The wire begins at the corner `start`; with `zigzag` every next row runs in the other direction.
    """
    wired: list[Spot] = []
    leftwards = "right" in start
    for row in reversed(rows) if "bottom" in start else rows:
        wired.extend(reversed(row) if leftwards else row)
        leftwards ^= zigzag
    pixels = {spot.name: first + pixel for pixel, spot in enumerate(wired)}
    return [replace(spot, pixel=pixels[spot.name]) for row in rows for spot in row]
