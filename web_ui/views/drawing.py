"""The layout as things to draw: outlines, lenses and buttons, with the text that stands on them."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

from web_ui.messages import Button, Layout, Light, Outline

HALO = 2.1
"""How many times wider than its lens a light's halo is."""

SQUARE = 0.88
"""The side of a square lens on a round plate, in diameters of the light: its corners stay on the plate."""

NAME_SIZE = 20
"""Millimetres: how tall the letters of a name are, where there is room."""


@dataclass(frozen=True, slots=True)
class DrawnOutline:
    """The edge of a part; kind says how it is painted: display, centre, seat or part."""

    name: str
    kind: str
    shape: str
    x: float
    y: float
    width: float
    height: float
    turn: float


@dataclass(frozen=True, slots=True)
class DrawnLight:
    """A light: a square lens where a tile of light can lie, else a round one; digit is printed on it."""

    name: str
    kind: str
    x: float
    y: float
    size: float
    turn: float
    digit: str = ""

    @property
    def halo(self) -> float:
        """The radius of the halo in millimetres."""
        return round(self.size * HALO / 2, 1)


@dataclass(frozen=True, slots=True)
class DrawnButton:
    """A button and what is printed on its cap."""

    name: str
    kind: str
    x: float
    y: float
    size: float
    turn: float
    cap: str


@dataclass(frozen=True, slots=True)
class NamePlate:
    """Where the name of a seat's player is written: the middle of the text, and how much room it has."""

    seat: str
    x: float
    y: float
    turn: float
    width: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole table, in millimetres."""

    name: str
    title: str
    width: float
    height: float
    outlines: tuple[DrawnOutline, ...]
    lights: tuple[DrawnLight, ...]
    buttons: tuple[DrawnButton, ...]
    plates: tuple[NamePlate, ...]


def has_boards(layout: Layout | None) -> bool:
    """Whether the seats' boards lie on the table; else the pages show them, on the twin too."""
    return layout is None or any(outline.name.startswith("seat.") for outline in layout.outlines)


def drawing(layout: Layout) -> Drawing:
    """The drawing of a layout."""
    turns = {outline.name: outline.turn for outline in layout.outlines}
    return Drawing(
        name=layout.name,
        title=layout.title,
        width=layout.width,
        height=layout.height,
        outlines=tuple(_outline(outline) for outline in layout.outlines),
        lights=tuple(_light(light, turns) for light in layout.lights),
        buttons=tuple(
            DrawnButton(
                button.name,
                _button_kind(button.name),
                button.x,
                button.y,
                button.size,
                button.turn or turns.get(_part(button.name), 0),
                _cap(button.name),
            )
            for button in layout.buttons
        ),
        plates=tuple(
            _plate(outline, layout) for outline in layout.outlines if outline.name.startswith("seat.")
        ),
    )


def _part(name: str) -> str:
    """The part of the table that a light or a button belongs to: `seat.1`, `display.3`, `centre`."""
    words = name.split(".")
    return ".".join(words[:2]) if words[0] in ("seat", "display") else words[0]


def _outline(outline: Outline) -> DrawnOutline:
    kind = outline.name.split(".")[0]
    return DrawnOutline(
        name=outline.name,
        kind=kind if kind in ("display", "centre", "seat") else "part",
        shape=outline.shape,
        x=outline.x,
        y=outline.y,
        width=outline.width,
        height=outline.height,
        turn=outline.turn,
    )


def _light(light: Light, turns: dict[str, float]) -> DrawnLight:
    turn = turns.get(_part(light.name), 0)
    match light.name.split("."):
        case ["seat", _, "wall" | "line" | "floor" as kind, *_]:
            return DrawnLight(light.name, kind, light.x, light.y, light.size, turn)
        case ["seat", _, "tens", digit]:
            shown = "0" if digit == "0" else f"{digit}0"
            return DrawnLight(light.name, "digit", light.x, light.y, light.size, turn, shown)
        case ["seat", _, "units", digit]:
            return DrawnLight(light.name, "digit", light.x, light.y, light.size, turn, digit)
        case ["display" | "centre", *_]:
            return DrawnLight(light.name, "tile", light.x, light.y, light.size * SQUARE, turn)
        case _:
            return DrawnLight(light.name, "lamp", light.x, light.y, light.size, turn)


def _button_kind(name: str) -> str:
    words = name.split(".")
    return words[2] if words[0] == "seat" and len(words) > 2 else words[0]


def _cap(name: str) -> str:
    match name.split("."):
        case ["display", number]:
            return number
        case ["seat", _, "line", line]:
            return line
        case ["seat", _, "floor"]:
            return "▼"
        case ["ok"]:
            return "ok"
        case ["undo"]:
            return "↶"
        case _:
            return "●"


def _plate(seat: Outline, layout: Layout) -> NamePlate:
    """The name stands beside the seat's turn light, as far as the board is free there; never on its head."""
    lamp = next((light for light in layout.lights if light.name == f"{seat.name}.turn"), None)
    if lamp is None:
        return NamePlate(seat.name.removeprefix("seat."), seat.x, seat.y, 0, seat.width)
    all_spots: tuple[Light | Button, ...] = (*layout.lights, *layout.buttons)
    spots = [_seen_from(seat, spot) for spot in all_spots if _part(spot.name) == seat.name]
    x, y, size = _seen_from(seat, lamp)
    left = x + size * 0.8
    taken = [
        other_x - other_size / 2
        for other_x, other_y, other_size in spots
        if other_x > x and abs(other_y - y) < (other_size + NAME_SIZE) / 2
    ]
    right = min(taken, default=seat.width / 2) - NAME_SIZE / 4
    turn = radians(seat.turn)
    middle = (left + right) / 2
    return NamePlate(
        seat=seat.name.removeprefix("seat."),
        x=round(seat.x + middle * cos(turn) - y * sin(turn), 1),
        y=round(seat.y + middle * sin(turn) + y * cos(turn), 1),
        turn=(seat.turn + 90) % 180 - 90,
        width=round(right - left, 1),
    )


def _seen_from(seat: Outline, spot: Light | Button) -> tuple[float, float, float]:
    """Where a spot lies for the one who sits there, right and down from the board's middle; and its size."""
    turn = radians(seat.turn)
    x, y = spot.x - seat.x, spot.y - seat.y
    return x * cos(turn) + y * sin(turn), y * cos(turn) - x * sin(turn), spot.size
