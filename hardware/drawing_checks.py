"""The checks of a layout file with a ruler: nothing lies outside of the table or on top of something else.

Each part (a seat's board, a display, the centre) is checked once in its own frame: its lights and buttons
lie on it and not on each other. Then the parts are checked against each other and the edges of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import cos, hypot, radians, sin

from hardware.layout_file import LayoutFile
from hardware.layout_reader import Faults
from hardware.places import (
    Part,
    Place,
    Plate,
    Spot,
    board_buttons,
    board_lights,
    board_plate,
    centre_button,
    centre_lights,
    display_button,
    display_lights,
    parts,
    round_plate,
)

HAIR = 0.01
"""Millimetres that are no overlap: things may touch."""


def check_drawing(file: LayoutFile, faults: Faults) -> None:
    """Note everything that is drawn outside of its part or of the table, or on top of something else."""
    if file.seat_board:
        board = file.seat_board
        _check_part("seat_board", board_plate(board), board_lights(board), board_buttons(board), faults)
    if file.display_plate:
        plate = file.display_plate
        lights, button = display_lights(plate, fifth=True), display_button(plate)
        _check_part("display_plate", round_plate(plate.diameter), lights, [button], faults)
    if file.centre:
        centre = file.centre
        lights, button = centre_lights(centre), centre_button(centre)
        _check_part("centre", round_plate(centre.diameter), lights, [button], faults)
    lying = list(parts(file))
    for part in lying:
        _check_on_table(part, file, faults)
    for one, other in combinations(lying, 2):
        if _overlap(one, other):
            faults.add(other.name, f"lies on {one.name}", "move one of them, or make it smaller")


def _check_part(
    path: str, plate: Plate, lights: Sequence[Spot], buttons: Sequence[Spot], faults: Faults
) -> None:
    named = [(f"light {spot.name}", spot) for spot in lights]
    named += [(f"button {spot.name}" if spot.name else "the button", spot) for spot in buttons]
    outside = [name for name, spot in named if not _on_plate(spot, plate)]
    if outside:
        faults.add(
            path, f"{_and_more(outside)} reaches over the edge", "move it inwards, or make the part larger"
        )
    touching = [
        f"{second} lies on {first}"
        for (first, one), (second, other) in combinations(named, 2)
        if hypot(one.x - other.x, one.y - other.y) < (one.size + other.size) / 2 - HAIR
    ]
    if touching:
        faults.add(path, _and_more(touching), "move them apart, or make them smaller")


def _and_more(found: Sequence[str]) -> str:
    return found[0] if len(found) == 1 else f"{found[0]} (and {len(found) - 1} more like it)"


def _on_plate(spot: Spot, plate: Plate) -> bool:
    radius = spot.size / 2 - HAIR
    if plate.shape == "circle":
        return hypot(spot.x, spot.y) + radius <= plate.width / 2
    return abs(spot.x) + radius <= plate.width / 2 and abs(spot.y) + radius <= plate.height / 2


def _check_on_table(part: Part, file: LayoutFile, faults: Faults) -> None:
    if file.table is None:
        return
    place = part.place
    half_width, half_height = _reach(part.plate, place.turn)
    over = {
        "left": half_width - place.x,
        "right": place.x + half_width - file.table.width,
        "top": half_height - place.y,
        "bottom": place.y + half_height - file.table.height,
    }
    edges = [f"{excess:.4g} mm over the {edge} edge" for edge, excess in over.items() if excess > HAIR]
    if edges:
        faults.add(
            part.name,
            f"reaches {' and '.join(edges)} of the table",
            "move it inwards, or make the table larger",
        )


def _reach(plate: Plate, turn: float) -> tuple[float, float]:
    """Return how far a turned outline reaches from its middle, sideways and up or down."""
    if plate.shape == "circle":
        return plate.width / 2, plate.width / 2
    across, along = abs(cos(radians(turn))), abs(sin(radians(turn)))
    return (
        (plate.width * across + plate.height * along) / 2,
        (plate.width * along + plate.height * across) / 2,
    )


def _overlap(one: Part, other: Part) -> bool:
    """Tell whether two outlines share more than an edge."""
    plate, place = one.plate, one.place
    other_plate, other_place = other.plate, other.place
    if plate.shape == other_plate.shape == "circle":
        between = hypot(place.x - other_place.x, place.y - other_place.y)
        return between < (plate.width + other_plate.width) / 2 - HAIR
    if plate.shape == "circle":
        return _overlap(other, one)
    x, y = _seen_from(place, other_place.x, other_place.y)
    if other_plate.shape == "circle":
        beyond_x = max(0.0, abs(x) - plate.width / 2)
        beyond_y = max(0.0, abs(y) - plate.height / 2)
        return hypot(beyond_x, beyond_y) < other_plate.width / 2 - HAIR
    return not _apart(one, other) and not _apart(other, one)


def _apart(one: Part, other: Part) -> bool:
    """Tell whether a side of the first rectangle lies wholly before the second rectangle."""
    plate, place = one.plate, one.place
    other_plate, other_place = other.plate, other.place
    x, y = _seen_from(place, other_place.x, other_place.y)
    half_width, half_height = _reach(other_plate, other_place.turn - place.turn)
    return abs(x) >= plate.width / 2 + half_width - HAIR or abs(y) >= plate.height / 2 + half_height - HAIR


def _seen_from(place: Place, x: float, y: float) -> tuple[float, float]:
    """Return where a point of the table lies in the frame of this place."""
    angle = radians(-place.turn)
    x, y = x - place.x, y - place.y
    return x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)
