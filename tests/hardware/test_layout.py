"""Layouts that ship: complete, consistent, and without overlaps."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from itertools import combinations, pairwise
from math import cos, hypot, pi, radians, sin
from pathlib import Path

import pytest

from hardware.api import LightFrame
from hardware.layout.model import (
    DRIVERS,
    Chain,
    Layout,
    Outline,
    PlacedButton,
    PlacedLight,
    Reader,
    layout_json,
    read_layout,
    shipped_layouts,
)
from hardware.power import CurrentLimiter

from .conftest import SHIPPED

every = pytest.mark.parametrize("name", ["full", "duo", "indicators"])
with_boards = pytest.mark.parametrize("name", ["full", "duo"])


def light(layout: Layout, name: str) -> PlacedLight:
    return next(light for light in layout.lights if light.name == name)


def button(layout: Layout, name: str) -> PlacedButton:
    return next(button for button in layout.buttons if button.name == name)


def test_three_layouts_ship() -> None:
    assert shipped_layouts() == ["duo", "full", "indicators"]


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_layout_that_ships_can_be_read(name: str) -> None:
    layout = read_layout(name)
    assert layout.name == name and layout.title


def test_the_full_table(full: Layout) -> None:
    assert (full.seats, full.displays, full.centre) == (4, 9, 28)
    assert (len(full.lights), len(full.buttons)) == (338, 36)
    assert sorted(chain.pixels for chain in full.chains) == [66, 68, 68, 68, 68]
    assert full.controller == "pico"
    assert full.matrix is not None
    assert (len(full.matrix.rows), len(full.matrix.columns)) == (6, 6)
    assert {button.switch for button in full.buttons} == {(r, c) for r in range(1, 7) for c in range(1, 7)}
    assert len(full.readers) == 5
    assert full.supply.lights == 338


def test_the_table_for_two(duo: Layout) -> None:
    assert (duo.seats, duo.displays, duo.centre) == (2, 5, 16)
    assert (len(duo.lights), len(duo.buttons)) == (174, 20)
    assert duo.chains == (Chain("lights", 10, 174),)
    assert duo.controller == "pi"
    assert duo.matrix is None
    assert duo.readers == (Reader("shared", 15),)
    pins = [button.switch for button in duo.buttons]
    assert len(set(pins)) == 20
    assert not set(pins) & {0, 1, 9, 10, 11, 14, 15}


def test_the_smallest_table() -> None:
    layout = read_layout("indicators")
    assert (layout.seats, layout.displays, layout.centre) == (4, 9, 1)
    sources = [*(f"display.{number}" for number in range(1, 10)), "centre"]
    assert [light.name for light in layout.lights] == [*(f"{name}.1" for name in sources), "status"]
    assert [button.name for button in layout.buttons] == [*sources, "ok", "undo"]
    assert layout.chains == (Chain("lights", 10, 11),)
    assert layout.readers == (Reader("shared", 15),)
    assert layout.drivers == DRIVERS["pi"]
    pins = {button.switch for button in layout.buttons}
    assert len(pins) == 12
    assert not pins & {0, 1, 2, 3, 7, 8, 9, 10, 11, 14, 15}, "reserved, or with a pull-up resistor on the Pi"


def test_the_pi_can_feed_the_smallest_table() -> None:
    """All of its lights at full white are within the current limit."""
    layout = read_layout("indicators")
    white = LightFrame({light.name: (255, 255, 255) for light in layout.lights})
    assert CurrentLimiter(layout).limit(white) is white


@every
def test_every_pixel_of_every_chain_is_one_light(name: str) -> None:
    layout = read_layout(name)
    used = Counter((light.chain, light.pixel) for light in layout.lights)
    there = {(chain.name, pixel) for chain in layout.chains for pixel in range(chain.pixels)}
    assert used.keys() == there
    assert set(used.values()) == {1}


@every
def test_names_are_unique(name: str) -> None:
    layout = read_layout(name)
    for things in (layout.lights, layout.buttons, layout.readers, layout.outlines):
        names = [thing.name for thing in things]
        assert len(set(names)) == len(names)


@every
def test_lights_and_buttons_never_touch(name: str) -> None:
    layout = read_layout(name)
    things: list[PlacedLight | PlacedButton] = [*layout.lights, *layout.buttons]
    for one, other in combinations(things, 2):
        gap = hypot(one.x - other.x, one.y - other.y) - (one.size + other.size) / 2
        assert gap >= 2, f"{one.name} and {other.name} are {gap:.1f} mm apart"


@every
def test_buttons_are_large_enough_for_fingers_and_pointers(name: str) -> None:
    assert min(button.size for button in read_layout(name).buttons) >= 26


@every
def test_plates_keep_their_distance_and_stay_on_the_table(name: str) -> None:
    """No point of an edge, sampled, is within 4 mm of another plate or of the edge of the table."""
    layout = read_layout(name)
    for outline in layout.outlines:
        for x, y in edge(outline):
            assert 4 <= x <= layout.width - 4 and 4 <= y <= layout.height - 4
            for other in layout.outlines:
                assert other is outline or not covers(other, x, y, margin=4), (outline.name, other.name)


@every
def test_lights_and_buttons_are_on_their_plates(name: str) -> None:
    layout = read_layout(name)
    plates = {outline.name: outline for outline in layout.outlines}
    boards = 0 if name == "indicators" else layout.seats
    assert len(plates) == boards + layout.displays + 1
    things: list[PlacedLight | PlacedButton] = [*layout.lights, *layout.buttons]
    for thing in things:
        part = ".".join(thing.name.split(".")[: 1 if thing.name.startswith("centre") else 2])
        if part in plates:
            assert covers(plates[part], thing.x, thing.y, margin=-thing.size / 2), thing.name
        else:
            assert part in {"status", "ok", "undo"}
            assert not any(
                covers(plate, thing.x, thing.y, margin=thing.size / 2) for plate in plates.values()
            )


def edge(outline: Outline) -> list[tuple[float, float]]:
    if outline.shape == "circle":
        angles = [2 * pi * step / 180 for step in range(180)]
        radius = outline.width / 2
        return [(outline.x + radius * cos(angle), outline.y + radius * sin(angle)) for angle in angles]
    turn = radians(outline.turn)
    points = []
    for step in range(-50, 51):
        for across, along in ((step / 50, 1), (step / 50, -1), (1, step / 50), (-1, step / 50)):
            x, y = across * outline.width / 2, along * outline.height / 2
            points.append(
                (outline.x + x * cos(turn) - y * sin(turn), outline.y + x * sin(turn) + y * cos(turn))
            )
    return points


def covers(outline: Outline, x: float, y: float, *, margin: float) -> bool:
    """Return whether a point is on the plate, extended by `margin` millimetres, which may be negative."""
    x, y, turn = x - outline.x, y - outline.y, radians(-outline.turn)
    x, y = x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)
    if outline.shape == "circle":
        return hypot(x, y) <= outline.width / 2 + margin
    return abs(x) <= outline.width / 2 + margin and abs(y) <= outline.height / 2 + margin


def test_seats_are_clockwise_and_face_their_edges(full: Layout) -> None:
    """The button of the floor line is nearer to the seat's edge than the score lights."""
    bottom, left, top, right = (
        (button(full, f"seat.{seat}.floor"), light(full, f"seat.{seat}.tens.0")) for seat in range(1, 5)
    )
    assert bottom[0].y > bottom[1].y > full.height / 2
    assert left[0].x < left[1].x < full.width / 2
    assert top[0].y < top[1].y < full.height / 2
    assert right[0].x > right[1].x > full.width / 2


@with_boards
def test_a_board_is_arranged_as_its_player_sees_it(name: str) -> None:
    """Seat 1 is at the bottom edge: its left is the left of the drawing."""
    layout = read_layout(name)
    for line in range(1, 6):
        row = [light(layout, f"seat.1.line.{line}.{place}") for place in range(1, line + 1)]
        assert [spot.x for spot in row] == sorted(spot.x for spot in row)
        assert row[-1].x == light(layout, "seat.1.line.1.1").x  # aligned at the right
        of_line = button(layout, f"seat.1.line.{line}")
        assert of_line.x < row[0].x and of_line.y == row[0].y
        assert light(layout, f"seat.1.wall.{line}.1").y == row[0].y
        assert light(layout, f"seat.1.wall.{line}.1").x > row[-1].x
    assert light(layout, "seat.1.wall.1.5").x > light(layout, "seat.1.wall.1.1").x
    assert light(layout, "seat.1.wall.5.1").y > light(layout, "seat.1.wall.1.1").y
    assert light(layout, "seat.1.floor.7").x > light(layout, "seat.1.floor.1").x
    assert light(layout, "seat.1.floor.1").y > light(layout, "seat.1.line.5.1").y
    assert button(layout, "seat.1.floor").y > light(layout, "seat.1.floor.4").y
    assert light(layout, "seat.1.tens.0").y < light(layout, "seat.1.units.0").y
    assert light(layout, "seat.1.units.0").y < light(layout, "seat.1.wall.1.1").y
    assert light(layout, "seat.1.tens.9").x > light(layout, "seat.1.tens.0").x


@with_boards
def test_boards_differ_in_their_turn_only(name: str) -> None:
    """Distances on a board do not depend on the seat."""
    layout = read_layout(name)

    def spans(seat: int) -> list[float]:
        own = [light for light in layout.lights if light.name.startswith(f"seat.{seat}.")]
        return [hypot(one.x - other.x, one.y - other.y) for one, other in combinations(own, 2)]

    for seat in range(2, layout.seats + 1):
        assert spans(seat) == pytest.approx(spans(1), abs=0.05)


def test_successive_pixels_are_neighbours(full: Layout) -> None:
    """The longest distance is from the turn light to the score lights."""
    own = sorted((light for light in full.lights if light.chain == "seat2"), key=lambda light: light.pixel)
    jumps = [hypot(one.x - other.x, one.y - other.y) for one, other in pairwise(own)]
    assert max(jumps) < 140
    assert sorted(jumps)[-4] < 80


def test_the_fifth_light_of_display_5_is_in_its_middle(full: Layout) -> None:
    four = [light(full, f"display.5.{place}") for place in range(1, 5)]
    fifth = light(full, "display.5.5")
    assert fifth.x == pytest.approx(sum(spot.x for spot in four) / 4, abs=0.01)
    assert fifth.y == pytest.approx(sum(spot.y for spot in four) / 4, abs=0.01)


def test_a_custom_layout_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(
        b"\xef\xbb\xbf" + (SHIPPED / "duo.toml").read_bytes()
    )  # with the byte order mark of Windows editors
    mine = read_layout(str(path))
    assert mine.name == "mine"
    assert mine.lights == read_layout("duo").lights


def test_tables_may_be_in_any_order(tmp_path: Path) -> None:
    head, *tables = (SHIPPED / "full.toml").read_text("utf-8").split("\n[")
    path = tmp_path / "full.toml"
    path.write_text("\n[".join([head, *reversed(tables)]), "utf-8")
    assert tomllib.loads(path.read_text("utf-8")) == tomllib.loads((SHIPPED / "full.toml").read_text("utf-8"))
    ours, theirs = read_layout("full"), read_layout(str(path))
    assert (ours.lights, ours.buttons, ours.outlines) == (theirs.lights, theirs.buttons, theirs.outlines)


@every
def test_the_layout_for_pages_is_json_without_wiring(name: str) -> None:
    layout = read_layout(name)
    drawn = json.loads(json.dumps(layout_json(layout), allow_nan=False))
    assert set(drawn) == {
        *("name", "title", "width", "height", "seats", "displays", "centre"),
        *("lights", "buttons", "outlines", "on_pico"),
    }
    assert [light["name"] for light in drawn["lights"]] == [light.name for light in layout.lights]
    assert set(drawn["lights"][0]) == {"name", "x", "y", "size"}
    assert set(drawn["buttons"][0]) == {"name", "x", "y", "size", "turn"}
    assert set(drawn["outlines"][0]) == {"name", "shape", "x", "y", "width", "height", "turn"}
    assert {outline["shape"] for outline in drawn["outlines"]} <= {"circle", "rectangle"}
    assert (drawn["name"], drawn["seats"]) == (layout.name, layout.seats)
