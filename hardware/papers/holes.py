"""What is drilled for each light, button and reader, and where: the twin's own geometry.

A layout gives the diameter of each light's window and of each button's rim. What it does not give has a
default here: the bore of a button, the bore for the light itself in the plate below, the pocket of a reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import cos, hypot, pi, radians, sin
from typing import Final, Literal

from hardware.api import OK, SHARED, HardwareError
from hardware.layout import Layout, PlacedButton, PlacedLight, Reader
from hardware.pin_checks import CONTROLLERS

LIGHT_BORE: Final = 12.0
"""The usual bore for a light in a cap of plastic, which holds itself in the plate below."""
BUTTON_BORES: Final = (12.0, 16.0, 19.0, 22.0, 24.0, 30.0)
"""What buttons are made for; the rim of a button is at least RIM wider than its bore."""
RIM: Final = 4.0
POCKET: Final = 60.0
"""A round pocket for the antenna of a reader, milled from below."""
APART: Final = 4.0
"""Wood between a pocket and a hole, or the edge."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole by the name of what is in it; its middle and diameters are in millimetres.

    `outer` is the window of a light, the rim of a button, the pocket of a reader; `bore` is what is drilled
    within, if anything. `label` and `wire` are to be read beside it.
    """

    name: str
    kind: Literal["light", "button", "reader"]
    x: float
    y: float
    outer: float
    bore: float | None
    label: str
    wire: str


def holes(layout: Layout) -> tuple[Hole, ...]:
    """Return all holes: lights, buttons, readers; raises HardwareError where no pocket has a place."""
    drilled = [*map(_light, layout.lights), *(_button(layout, button) for button in layout.buttons)]
    for reader in layout.readers:
        drilled.append(_pocket(layout, reader, drilled))
    return tuple(drilled)


def button_bore(rim: float) -> float:
    """Return the largest usual bore that a rim of this diameter covers; all of a smaller one."""
    return max((bore for bore in BUTTON_BORES if bore + RIM <= rim), default=rim)


def _light(light: PlacedLight) -> Hole:
    bore = LIGHT_BORE if light.size > LIGHT_BORE else None
    return Hole(light.name, "light", light.x, light.y, light.size, bore, short(light.name), f"{light.pixel}")


def _button(layout: Layout, button: PlacedButton) -> Hole:
    if isinstance(button.switch, int):
        wire = CONTROLLERS[layout.controller].name(button.switch)
    else:
        wire = "row {}, column {}".format(*button.switch)
    bore = button_bore(button.size)
    return Hole(button.name, "button", button.x, button.y, button.size, bore, short(button.name), wire)


def short(name: str) -> str:
    """Return a name without the part that it lies on: `wall.3.4` of `seat.1.wall.3.4`."""
    words = name.split(".")
    numbered = {"seat": 2, "display": 2, "centre": 1}.get(words[0], 0)
    return ".".join(words[numbered:]) or name


def _pocket(layout: Layout, reader: Reader, drilled: Iterable[Hole]) -> Hole:
    """Find a pocket's place: the free one nearest to where its tags are expected."""
    home_x, home_y, turn = _home(layout, reader)
    others = [(hole.x, hole.y, hole.outer / 2 + POCKET / 2 + APART) for hole in drilled]
    edge = POCKET / 2 + APART
    for x, y in _spiral(home_x, home_y, turn, layout.width + layout.height):
        on_table = edge <= x <= layout.width - edge and edge <= y <= layout.height - edge
        if on_table and all(hypot(x - it_x, y - it_y) >= apart for it_x, it_y, apart in others):
            wire = reader.wire
            if isinstance(wire, int):
                wire = CONTROLLERS[layout.controller].name(wire)
            name = f"reader.{reader.name}"
            return Hole(name, "reader", x, y, POCKET, None, f"reader {reader.name}", wire)
    raise HardwareError(f"{layout.name}: there is no room of {POCKET:g} mm for the reader {reader.name}")


def _home(layout: Layout, reader: Reader) -> tuple[float, float, float]:
    """Return where tags are expected: at a seat's turn light, on a display or the centre, beside `ok`.

    And how that part is turned: a place towards whoever sits there comes first.
    """
    wanted = (OK if reader.name == SHARED else reader.name, f"{reader.name}.turn")
    turn = next((outline.turn for outline in layout.outlines if outline.name == reader.name), 0.0)
    placed: list[PlacedLight | PlacedButton] = [*layout.lights, *layout.buttons]
    x, y = next((it.x, it.y) for it in placed if it.name in wanted)
    return x, y, turn


def _spiral(x: float, y: float, turn: float, furthest: float) -> Iterator[tuple[float, float]]:
    """Yield points round a point, farther and farther away, in whole millimetres; nearest to `turn` first."""
    x, y = round(x), round(y)
    for radius in count():
        if radius > furthest:
            return
        half = max(1, radius)
        for step in range(2 * half):
            aside = (step + 1) // 2 * (1 if step % 2 else -1)
            angle = radians(turn) + pi * aside / half
            yield x - round(radius * sin(angle)), y + round(radius * cos(angle))
