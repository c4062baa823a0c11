"""The drawing of the twin: outlines, lenses, buttons and name plates of a layout, in millimetres.

`drawing_state` is what changes in the drawing besides the colours of the lights.
"""

from __future__ import annotations

from math import cos, radians, sin

from msgspec import Struct

from web_ui.latest import Presence, View
from web_ui.messages import Button, Layout, Light, Outline, Snapshot
from web_ui.text.sentences import ACTION, SnapshotFormatter
from web_ui.views.tags import used_tags

HALO = 2.1
"""Diameter of a light's halo, in diameters of its lens."""

SQUARE = 0.88
"""Side of a square lens on a round plate, in diameters of the light: its corners stay on the plate."""

NAME_SIZE = 20
"""Height of the letters of a name in millimetres, if there is room."""


class DrawnLight(Struct, frozen=True):
    """A light: a square lens if it shows a tile, else a round one; `digit` is printed on it."""

    name: str
    kind: str
    x: float
    y: float
    size: float
    turn: float
    digit: str = ""

    @property
    def halo(self) -> float:
        """Radius of the halo in millimetres."""
        return round(self.size * HALO / 2, 1)


class NamePlate(Struct, frozen=True):
    """The middle and the width of the room for a player's name on a board."""

    seat: str
    x: float
    y: float
    turn: float
    width: float


class Drawing(Struct, frozen=True):
    """The whole table, in millimetres; angles in degrees.

    Outlines with their CSS class; buttons with their CSS class and the text on their cap.
    """

    name: str
    width: float
    height: float
    outlines: tuple[tuple[str, Outline], ...]
    lights: tuple[DrawnLight, ...]
    buttons: tuple[tuple[str, str, Button], ...]
    plates: tuple[NamePlate, ...]


def drawing(layout: Layout) -> Drawing:
    """Compute the drawing of a layout."""
    turns = {outline.name: outline.turn for outline in layout.outlines}
    boards = [outline for outline in layout.outlines if outline.name.startswith("seat.")]
    return Drawing(
        name=layout.name,
        width=layout.width,
        height=layout.height,
        outlines=tuple((_outline_class(outline.name), outline) for outline in layout.outlines),
        lights=tuple(_light(light, turns) for light in layout.lights),
        buttons=tuple((_button_class(button.name), _cap(button.name), button) for button in layout.buttons),
        plates=tuple(_plate(board, layout) for board in boards),
    )


def _part(name: str) -> str:
    """Return the part of the table that a light or a button belongs to: `seat.1`, `display.3`, `centre`."""
    words = name.split(".")
    return ".".join(words[:2]) if words[0] in ("seat", "display") else words[0]


def _outline_class(name: str) -> str:
    kind = name.split(".", maxsplit=1)[0]
    return kind if kind in ("display", "centre", "seat") else "part"


def _light(light: Light, turns: dict[str, float]) -> DrawnLight:
    turn = turns.get(_part(light.name), 0)
    match light.name.split("."):
        case ["seat", _, "wall" | "line" | "floor" as kind, *_]:
            return DrawnLight(light.name, kind, light.x, light.y, light.size, turn)
        case ["seat", _, "tens", digit]:
            tens = "0" if digit == "0" else f"{digit}0"
            return DrawnLight(light.name, "digit", light.x, light.y, light.size, turn, tens)
        case ["seat", _, "units", digit]:
            return DrawnLight(light.name, "digit", light.x, light.y, light.size, turn, digit)
        case ["display" | "centre", *_]:
            return DrawnLight(light.name, "tile", light.x, light.y, light.size * SQUARE, turn)
        case _:
            return DrawnLight(light.name, "lamp", light.x, light.y, light.size, turn)


def _button_class(name: str) -> str:
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
    """Place a name beside the seat's turn light, up to the next light or button, and never upside down."""
    lamp = next((light for light in layout.lights if light.name == f"{seat.name}.turn"), None)
    if lamp is None:
        return NamePlate(seat.name.removeprefix("seat."), seat.x, seat.y, 0, seat.width)
    all_spots: tuple[Light | Button, ...] = (*layout.lights, *layout.buttons)
    spots = [_board_coordinates(seat, spot) for spot in all_spots if _part(spot.name) == seat.name]
    x, y, size = _board_coordinates(seat, lamp)
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


def _board_coordinates(seat: Outline, spot: Light | Button) -> tuple[float, float, float]:
    """Return x and y of a light or button relative to the board, as its player sees it; and its size."""
    turn = radians(seat.turn)
    x, y = spot.x - seat.x, spot.y - seat.y
    return x * cos(turn) + y * sin(turn), y * cos(turn) - x * sin(turn), spot.size


def drawing_state(formatter: SnapshotFormatter | None, view: View) -> dict[str, object]:
    """Return the state of the drawing as JSON: live buttons, labels, names, printed walls and so on.

    `scoring` is the place of the solo game's scoring tile, SEAT.ROW.COLUMN; `used` are the tags of the
    drawer that lie on the table. `lights` is `on`, `dark` (without power), `dim` (too little) or `frozen`;
    `dead` are the buttons that reach nobody.
    """
    if formatter is None:
        texts: dict[str, object] = {key: {} for key in ("labels", "names", "patterns", "palette")}
        return {"live": [], **texts, "scoring": "", "used": [], "lights": "dark", "dead": []}
    snapshot = formatter.snapshot
    buttons = view.layout.buttons if view.layout is not None else ()
    action = next((seat.seat for seat in snapshot.seats if seat.role == ACTION), 0)
    scoring = [action, *snapshot.scoring_tile] if snapshot.scoring_tile is not None else []
    power = Power.of(snapshot, view.layout)
    return {
        "live": list(snapshot.live) if view.presence is Presence.HERE else [],
        "labels": {button.name: formatter.button(button.name) for button in buttons},
        "names": {
            str(seat.seat): formatter.player(seat.seat, seat.name) for seat in snapshot.seats if seat.taken
        },
        "patterns": {str(seat.seat): seat.pattern for seat in snapshot.seats},
        "palette": {letter: colour.rgb.lower() for letter, colour in snapshot.palette.items()},
        "scoring": ".".join(map(str, scoring)),
        "used": list(used_tags(snapshot)),
        "lights": power.lights,
        "dead": [button.name for button in buttons if power.dead(button.name)],
    }


class Power(Struct, frozen=True):
    """What of the table works: the parts that are lost, and the faults of simulated parts.

    `on_pico` is what is connected to the Pico: `lights`, `buttons`, `readers`.
    """

    lost: frozenset[str]
    faults: frozenset[tuple[str, str]]
    on_pico: tuple[str, ...]

    @classmethod
    def of(cls, snapshot: Snapshot, layout: Layout | None) -> Power:
        """Return what works of the table."""
        faults = snapshot.simulated.faults.on if snapshot.simulated is not None else ()
        return cls(
            frozenset(fault.part for fault in snapshot.faults),
            frozenset((fault.part, fault.fault) for fault in faults),
            layout.on_pico if layout is not None else (),
        )

    def _without(self, part: str) -> bool:
        """Return whether a part as a whole is lost or its cable is pulled, also with the Pico."""
        pico = part in self.on_pico and ("pico" in self.lost or ("pico", "unplug") in self.faults)
        return pico or part in self.lost or (part, "unplug") in self.faults

    @property
    def lights(self) -> str:
        """How the lights are drawn: `on`, `dark`, `dim` or `frozen`."""
        if ("pico", "freeze") in self.faults and "lights" in self.on_pico:
            return "frozen"
        if self._without("lights"):
            return "dark"
        return "dim" if ("power", "brownout") in self.faults else "on"

    def dead(self, button: str) -> bool:
        """Return whether a drawn button does nothing when it is pressed."""
        part = f"button.{button}"
        broken = part in self.lost or any((part, kind) in self.faults for kind in ("bounce", "hang"))
        frozen = ("pico", "freeze") in self.faults and "buttons" in self.on_pico
        return broken or frozen or self._without("buttons")
