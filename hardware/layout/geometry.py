"""Where everything lies: parts described once, turned and moved to each of their places.

A part's own frame has its middle at 0, 0, x to the right and y towards whoever sits at it. On the table x
runs to the right and y downwards as drawn, and turns are clockwise seen from above. All in millimetres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin
from typing import Final, Literal

from hardware.api import CENTRE, OK, STATUS, UNDO
from hardware.layout.file import (
    DisplayPlate,
    FileCentre,
    FloorPart,
    LayoutFile,
    LinesPart,
    RowPart,
    SeatBoard,
    WallPart,
    key_text,
)

Switch = int | tuple[int, int]
"""Where a button is wired to: its pin, or row and column (from 1) of its crossing in the matrix."""

FLOOR_SPACES: Final = 7
DIGITS: Final = 10
SIDE: Final = 5
"""Lines of a board; rows and columns of its wall."""

FIFTH_LIGHT: Final = "5"
"""The display that has a fifth light, for the solo game."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A light or a button in its part's own frame; a light's pixel counts from the part's first."""

    name: str
    x: float
    y: float
    size: float
    pixel: int = 0


@dataclass(frozen=True, slots=True)
class Plate:
    """The outline of a part in its own frame."""

    shape: Literal["circle", "rectangle"]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part's middle lies on the table, and how far it is turned."""

    x: float
    y: float
    turn: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the part's own frame lies on the table, to a hundredth of a millimetre."""
        angle = radians(self.turn)
        return (
            round(self.x + x * cos(angle) - y * sin(angle), 2),
            round(self.y + x * sin(angle) + y * cos(angle), 2),
        )


@dataclass(frozen=True, slots=True)
class Part:
    """Something that lies on the table by itself: its name (and path in the file), and what is on it."""

    name: str
    place: Place
    plate: Plate
    lights: tuple[Spot, ...] = ()
    buttons: tuple[Spot, ...] = ()
    switches: tuple[Switch, ...] = ()
    """Where each of the buttons is wired to."""
    chain: str = ""
    first: int = 0
    reader: int | str | None = None

    def name_of(self, spot: Spot) -> str:
        """Return the full name of a light or button of this part."""
        return f"{self.name}.{spot.name}" if spot.name else self.name


def parts(file: LayoutFile) -> Iterator[Part]:
    """Name everything that lies on the table and could be read, in the order of frames."""
    yield from _displays(file)
    yield from _centre(file)
    yield from _seats(file)
    if file.status:
        status = file.status
        place, light = Place(status.x, status.y, 0), Spot("", 0, 0, status.size)
        yield Part(STATUS, place, round_plate(status.size), (light,), chain=status.chain, first=status.first)
    for name, lone in ((OK, file.ok), (UNDO, file.undo)):
        if lone is not None:
            button = Spot("", 0, 0, lone.size)
            place, plate = Place(lone.x, lone.y, lone.turn), round_plate(lone.size)
            yield Part(name, place, plate, buttons=(button,), switches=(lone.button,))


def _displays(file: LayoutFile) -> Iterator[Part]:
    plate = file.display_plate
    for number, display in sorted(file.display.items()):
        if plate is not None:
            yield Part(
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


def _centre(file: LayoutFile) -> Iterator[Part]:
    centre = file.centre
    if centre is not None:
        yield Part(
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


def _seats(file: LayoutFile) -> Iterator[Part]:
    board = file.seat_board
    for number, seat in sorted(file.seat.items()):
        if board is not None:
            yield Part(
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
    lamp = board.turn
    return (
        Spot("turn", lamp.x, lamp.y, lamp.size, lamp.first),
        *_row_lights("tens", board.tens, range(DIGITS)),
        *_row_lights("units", board.units, range(DIGITS)),
        *_line_lights(board.lines),
        *_row_lights("floor", board.floor, range(1, FLOOR_SPACES + 1)),
        *_wall_lights(board.wall),
    )


def board_buttons(board: SeatBoard) -> tuple[Spot, ...]:
    """Return the buttons of a seat's board: its five lines' and its floor's."""
    lines = board.lines
    return (
        *(
            Spot(
                f"line.{line}",
                lines.right - (line - 1) * lines.pitch - lines.button_space,
                lines.top + (line - 1) * lines.pitch,
                lines.button_size,
            )
            for line in range(1, SIDE + 1)
        ),
        Spot("floor", *board.floor.button, board.floor.button_size),
    )


def display_lights(plate: DisplayPlate, *, fifth: bool) -> tuple[Spot, ...]:
    """Return a display's four lights or its single one, and the fifth in the middle where there is one."""
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
    """Return the lights of the centre, ring after ring, each clockwise from the top."""
    lights: list[Spot] = []
    for ring in centre.rings:
        for step in range(ring.lights):
            angle = 2 * pi * step / ring.lights
            lights.append(
                Spot(
                    str(len(lights) + 1),
                    ring.radius * sin(angle),
                    -ring.radius * cos(angle),
                    centre.light_size,
                    len(lights),
                )
            )
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


def _row_lights(name: str, row: RowPart | FloorPart, numbers: Sequence[int]) -> list[Spot]:
    spots = [
        Spot(f"{name}.{number}", row.left + place * row.pitch, row.y, row.size)
        for place, number in enumerate(numbers)
    ]
    return _strung([spots], first=row.first, start=row.start, zigzag=False)


def _line_lights(lines: LinesPart) -> list[Spot]:
    rows = [
        [
            Spot(
                f"line.{line}.{place}",
                lines.right - (line - place) * lines.pitch,
                lines.top + (line - 1) * lines.pitch,
                lines.size,
            )
            for place in range(1, line + 1)
        ]
        for line in range(1, SIDE + 1)
    ]
    return _strung(rows, first=lines.first, start=lines.start, zigzag=lines.zigzag)


def _wall_lights(wall: WallPart) -> list[Spot]:
    rows = [
        [
            Spot(
                f"wall.{row}.{column}",
                wall.left + (column - 1) * wall.pitch,
                wall.top + (row - 1) * wall.pitch,
                wall.size,
            )
            for column in range(1, SIDE + 1)
        ]
        for row in range(1, SIDE + 1)
    ]
    return _strung(rows, first=wall.first, start=wall.start, zigzag=wall.zigzag)


def _strung(rows: list[list[Spot]], *, first: int, start: str, zigzag: bool) -> list[Spot]:
    """Give rows of lights (top to bottom, each left to right) their pixels, as the wire runs through them.

    The wire begins at the corner `start`; with `zigzag` every next row runs the other way.
    """
    wired: list[Spot] = []
    leftwards = "right" in start
    for row in reversed(rows) if "bottom" in start else rows:
        wired.extend(reversed(row) if leftwards else row)
        leftwards ^= zigzag
    pixels = {spot.name: first + pixel for pixel, spot in enumerate(wired)}
    return [replace(spot, pixel=pixels[spot.name]) for row in rows for spot in row]
