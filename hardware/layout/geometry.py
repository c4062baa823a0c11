"""Positions on the table: components described once, rotated and moved to each of their places.

A component (a board, a display, the centre, a single light or button) has its own coordinates with its middle
at 0, 0, x to the right and y towards the person who sits at it. On the table x runs to the right and y
downwards as drawn, and turns are clockwise as seen from above. All lengths are in millimetres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin
from typing import Final, Literal

from hardware.api import CENTRE, OK, STATUS, UNDO
from hardware.layout.file import (
    BoardLines,
    BoardRow,
    BoardWall,
    DisplayPlate,
    FileCentre,
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


@dataclass(frozen=True, slots=True)
class Spot:
    """A light or button in its component's coordinates; a light's pixel counts from the component's first."""

    name: str
    x: float
    y: float
    size: float
    pixel: int = 0


@dataclass(frozen=True, slots=True)
class Plate:
    """The outline of a component in its own coordinates."""

    shape: Literal["circle", "rectangle"]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
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


@dataclass(frozen=True, slots=True)
class Component:
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
    yield from _displays(file)
    yield from _centre(file)
    yield from _seats(file)
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


def _displays(file: LayoutFile) -> Iterator[Component]:
    plate = file.display_plate
    for number, display in sorted(file.display.items()):
        if plate is not None:
            yield Component(
                name=f"display.{key_text(number)}",
                place=Place(display.x, display.y, display.turn),
                plate=round_plate(plate.diameter),
                lights=display_lights(plate, fifth=number == FIFTH_LIGHT),
                buttons=(display_button(plate),),
                switches=(display.button,),
                chain=display.chain,
                first=display.first,
                reader=display.reader,
            )


def _centre(file: LayoutFile) -> Iterator[Component]:
    centre = file.centre
    if centre is not None:
        yield Component(
            name=CENTRE,
            place=Place(centre.x, centre.y, centre.turn),
            plate=round_plate(centre.diameter),
            lights=centre_lights(centre),
            buttons=(centre_button(centre),),
            switches=(centre.button,),
            chain=centre.chain,
            first=centre.first,
            reader=centre.reader,
        )


def _seats(file: LayoutFile) -> Iterator[Component]:
    board = file.seat_board
    for number, seat in sorted(file.seat.items()):
        if board is not None:
            yield Component(
                name=f"seat.{key_text(number)}",
                place=Place(seat.x, seat.y, seat.turn),
                plate=board_plate(board),
                lights=board_lights(board),
                buttons=board_buttons(board),
                switches=(*seat.line_buttons, seat.floor_button),
                chain=seat.chain,
                first=seat.first,
                reader=seat.reader,
            )


def board_lights(board: SeatBoard) -> tuple[Spot, ...]:
    """Return the 68 lights of a seat's board."""
    lamp, lines, wall = board.turn, board.lines, board.wall
    return (
        Spot("turn", lamp.x, lamp.y, lamp.size, lamp.first),
        *_row_lights("tens", board.tens, range(DIGITS)),
        *_row_lights("units", board.units, range(DIGITS)),
        *_number(_line_rows(lines), lines.first, lines.start, zigzag=lines.zigzag),
        *_row_lights("floor", board.floor, range(1, FLOOR_SPACES + 1)),
        *_number(_wall_rows(wall), wall.first, wall.start, zigzag=wall.zigzag),
    )


def board_buttons(board: SeatBoard) -> tuple[Spot, ...]:
    """Return the buttons of a seat's board: those of its five lines, and of its floor line."""
    lines, space = board.lines, board.lines.button_space
    leftmost = [row[0] for row in _line_rows(lines)]
    return (
        *(Spot(f"line.{line}", it.x - space, it.y, lines.button_size) for line, it in enumerate(leftmost, 1)),
        Spot("floor", *board.floor.button, board.floor.button_size),
    )


def display_lights(plate: DisplayPlate, *, fifth: bool) -> tuple[Spot, ...]:
    """Return the four lights or the single light of a display; with `fifth` also the one in the middle."""
    lights = tuple(
        Spot(str(number), *point, plate.light_size, number - 1)
        for number, point in enumerate(plate.lights, 1)
    )
    if not fifth or plate.fifth is None or plate.fifth_size is None:
        return lights
    return (*lights, Spot("5", *plate.fifth, plate.fifth_size, 4))


def display_button(plate: DisplayPlate) -> Spot:
    """Return the button of a display."""
    return Spot("", *plate.button, plate.button_size)


def centre_lights(centre: FileCentre) -> tuple[Spot, ...]:
    """Return the lights of the centre, ring by ring, each clockwise from the top."""
    lights: list[Spot] = []
    for ring in centre.rings:
        for step in range(ring.lights):
            angle, pixel = 2 * pi * step / ring.lights, len(lights)
            x, y = ring.radius * sin(angle), -ring.radius * cos(angle)
            lights.append(Spot(f"{pixel + 1}", x, y, centre.light_size, pixel))
    return tuple(lights)


def centre_button(centre: FileCentre) -> Spot:
    """Return the button in the middle of the centre."""
    return Spot("", 0, 0, centre.button_size)


def board_plate(board: SeatBoard) -> Plate:
    """Return the outline of a seat's board."""
    return Plate("rectangle", board.width, board.height)


def round_plate(diameter: float) -> Plate:
    """Return the outline of a display or the centre."""
    return Plate("circle", diameter, diameter)


def _row(name: str, numbers: Sequence[int], x: float, y: float, pitch: float, size: float) -> list[Spot]:
    """Return a row of lights from x to the right, without pixels."""
    return [Spot(f"{name}.{number}", x + at * pitch, y, size) for at, number in enumerate(numbers)]


def _row_lights(name: str, row: BoardRow, numbers: Sequence[int]) -> list[Spot]:
    return _number([_row(name, numbers, row.left, row.y, row.pitch, row.size)], row.first, row.start)


def _line_rows(lines: BoardLines) -> list[list[Spot]]:
    return [
        _row(
            f"line.{line}",
            range(1, line + 1),
            lines.right - (line - 1) * lines.pitch,
            lines.top + (line - 1) * lines.pitch,
            lines.pitch,
            lines.size,
        )
        for line in range(1, SIDE + 1)
    ]


def _wall_rows(wall: BoardWall) -> list[list[Spot]]:
    numbers = range(1, SIDE + 1)
    return [
        _row(f"wall.{row}", numbers, wall.left, wall.top + (row - 1) * wall.pitch, wall.pitch, wall.size)
        for row in numbers
    ]


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
