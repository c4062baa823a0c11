"""The drilling template as marks on a sheet, in millimetres: x to the right, y downwards, 0, 0 a corner."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final, Literal

from hardware.layout import Layout, Outline
from hardware.papers.holes import Hole, holes

Style = Literal["cut", "window", "pocket", "cross", "outline", "edge", "mark"]
"""What a line means: saws and drills, the window of a light or the rim of a button, a pocket from below,
the middle of a hole, the outline of a part (drawn, not cut), the edge of the table, help for printing."""

BORDER: Final = 20.0
"""Paper round the table on the whole sheet, for its title and a ruler."""
RULER: Final = 100.0
CROSS: Final = 1.6
SMALL, PLAIN, LARGE = 2.0, 3.0, 6.0
"""Heights of text."""
BELOW: Final = 3.8
ABOVE: Final = -2.3
"""Where the names below the middle of a hole and its wire above it stand."""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle by its middle and diameter; `name` is that of the hole that it is of."""

    x: float
    y: float
    diameter: float
    style: Style
    name: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A line through points, closed or not."""

    points: tuple[tuple[float, float], ...]
    style: Style
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, its middle below x, or its beginning there; turned clockwise by degrees."""

    x: float
    y: float
    height: float
    words: str
    turn: float = 0.0
    centred: bool = True


Mark = Circle | Lines | Text


def beginning(x: float, y: float, height: float, words: str) -> Text:
    """Return a line of text that begins at x."""
    return Text(x, y, height, words, centred=False)


def template(layout: Layout) -> list[Mark]:
    """Return what is to be seen on the table itself; raises HardwareError."""
    edge = ((0.0, 0.0), (layout.width, 0.0), (layout.width, layout.height), (0.0, layout.height))
    marks: list[Mark] = [Lines(edge, "edge", closed=True)]
    for outline in layout.outlines:
        marks += _outline(outline)
    for hole in holes(layout):
        marks += _hole(hole)
    return marks


def whole_sheet(layout: Layout) -> list[Mark]:
    """Return the template with a title and a ruler in the border round it."""
    return [
        *template(layout),
        beginning(0, -8, LARGE, f"azul-table: {layout.title} ({layout.width:g} x {layout.height:g} mm)"),
        *ruler(0, layout.height + 8),
        beginning(RULER + 8, layout.height + 12, PLAIN, "Print at 100 %: this ruler is 100 mm long."),
    ]


def ruler(x: float, y: float) -> list[Mark]:
    """Return a ruler of 100 mm from this point to the right."""
    ticks: list[Mark] = [
        Lines(((x + at, y), (x + at, y + (6 if at % 50 == 0 else 4 if at % 10 == 0 else 2))), "mark")
        for at in range(0, int(RULER) + 1, 2)
    ]
    numbers = [Text(x + at, y - 1, PLAIN, f"{at}") for at in range(0, int(RULER) + 1, 50)]
    return [Lines(((x, y), (x + RULER, y)), "mark"), *ticks, *numbers]


def _outline(outline: Outline) -> list[Mark]:
    top = -outline.height / 2 + PLAIN + 2
    name = Text(*_turned(outline, 0, top), PLAIN, outline.name, outline.turn)
    if outline.shape == "circle":
        return [Circle(outline.x, outline.y, outline.width, "outline"), name]
    half_width, half_height = outline.width / 2, outline.height / 2
    corners = (
        (-half_width, -half_height),
        (half_width, -half_height),
        (half_width, half_height),
        (-half_width, half_height),
    )
    return [Lines(tuple(_turned(outline, *corner) for corner in corners), "outline", closed=True), name]


def _turned(outline: Outline, x: float, y: float) -> tuple[float, float]:
    angle = radians(outline.turn)
    return outline.x + x * cos(angle) - y * sin(angle), outline.y + x * sin(angle) + y * cos(angle)


def _hole(hole: Hole) -> list[Mark]:
    cross = [
        Lines(((hole.x - CROSS, hole.y), (hole.x + CROSS, hole.y)), "cross"),
        Lines(((hole.x, hole.y - CROSS), (hole.x, hole.y + CROSS)), "cross"),
    ]
    words = [
        Text(hole.x, hole.y + BELOW, SMALL, hole.label),
        Text(hole.x, hole.y + ABOVE, SMALL, hole.wire),
    ]
    outer, inner = _styles(hole)
    circles = [Circle(hole.x, hole.y, hole.outer, outer, hole.name)]
    if hole.bore is not None and hole.bore < hole.outer:
        circles.append(Circle(hole.x, hole.y, hole.bore, inner))
    return [*circles, *cross, *words]


def _styles(hole: Hole) -> tuple[Style, Style]:
    """Return the styles of a hole's outer and inner circle: what is drilled through the top plate is cut."""
    match hole.kind:
        case "light":
            return "cut", "window"
        case "button":
            return "window", "cut"
        case "reader":
            return "pocket", "pocket"
