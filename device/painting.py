"""Painting what lies on the table: a tile is a steady light, by the names of `hardware/api.py`."""

from collections.abc import Callable
from typing import Final

from device.palettes import Palette
from device.play import marker_in_centre
from device.rhythm import STEADY, dimmed
from device.rules import game as rules
from device.rules.board import FLOOR, FLOOR_SPACES, LINES, Board
from device.rules.events import CENTRE
from device.rules.tiles import COLOURS, MARKER, Colour, Counts
from hardware import api
from hardware.api import Rgb

Painting = dict[str, Rgb]
"""Light by name, changed in place while one frame is made; what is not in it is dark."""

SCORE: Final[Rgb] = (180, 180, 160)
SCORE_FROM_100: Final[tuple[Rgb, ...]] = (SCORE, (255, 60, 150), (0, 220, 255))
"""The tens' light by hundreds: from 100 points it changes colour."""
SCORE_BELOW_0: Final[Rgb] = (255, 30, 30)
"""Both lights of a score below 0, which solo games alone can end with (S13)."""

_PLACES: Final = range(1, 5)
_WALL: Final = [
    [[api.wall_light(place, row, column) for column in LINES] for row in LINES] for place in _PLACES
]
_LINE: Final = [
    [[api.line_light(place, line, at + 1) for at in range(line)] for line in LINES] for place in _PLACES
]
_FLOOR: Final = [[api.floor_light(place, at + 1) for at in range(FLOOR_SPACES)] for place in _PLACES]
_TENS: Final = [[api.tens_light(place, digit) for digit in range(10)] for place in _PLACES]
_UNITS: Final = [[api.units_light(place, digit) for digit in range(10)] for place in _PLACES]
_CENTRE: Final = [api.centre_light(at + 1) for at in range(28)]
_DISPLAY: Final = [[api.display_light(display, at + 1) for at in range(5)] for display in range(1, 10)]


def wall_light(place: int, row: int, column: int) -> str:
    """The light of a wall's square."""
    return _WALL[place - 1][row - 1][column - 1]


def line_lights(place: int, line: int) -> list[str]:
    """The lights of a pattern line, leftmost first; of the floor for line 0."""
    return _LINE[place - 1][line - 1] if line != FLOOR else _FLOOR[place - 1]


def source_lights(source: int) -> list[str]:
    """The lights of a display or the centre, as far as tables have them."""
    if source == CENTRE:
        return _CENTRE
    return _DISPLAY[source - 1] if source == 5 else _DISPLAY[source - 1][:4]


def free_spaces(place: int, board: Board, line: int, tiles: int) -> list[str]:
    """The lights of the spaces that `tiles` more tiles would fill on a line or the floor."""
    if line == FLOOR:
        return _FLOOR[place - 1][len(board.floor) : len(board.floor) + tiles]
    free = _LINE[place - 1][line - 1][: line - board.held[line - 1]]
    return free[max(0, len(free) - tiles) :]  # lines fill from the right


def paint_board(
    painting: Painting, place: int, board: Board, palette: Palette, level: float = STEADY
) -> None:
    """Light what lies on a place's board."""
    lights = [dimmed(shade.light, level) for shade in palette.shades]
    for row, names in zip(board.wall, _WALL[place - 1], strict=True):
        for tile, name in zip(row, names, strict=True):
            if tile is not None:
                painting[name] = lights[tile]
    for colour, held, names in zip(board.colours, board.held, _LINE[place - 1], strict=True):
        if colour is not None:
            for name in names[len(names) - held :]:
                painting[name] = lights[colour]
    marker = dimmed(palette.marker, level)
    for tile_or_marker, name in zip(board.floor, _FLOOR[place - 1], strict=False):
        painting[name] = marker if tile_or_marker is MARKER else lights[tile_or_marker]


def paint_score(painting: Painting, place: int, score: int, level: float = STEADY) -> None:
    """Light a score: one of ten lights for the tens, one for the units; the hundreds are the tens' colour."""
    tens_light, units_light = SCORE_FROM_100[min(abs(score) // 100, len(SCORE_FROM_100) - 1)], SCORE
    if score < 0:
        score, tens_light, units_light = -score, SCORE_BELOW_0, SCORE_BELOW_0
    for digit in range(10):
        painting.pop(_TENS[place - 1][digit], None)
        painting.pop(_UNITS[place - 1][digit], None)
    painting[_TENS[place - 1][score // 10 % 10]] = dimmed(tens_light, level)
    painting[_UNITS[place - 1][score % 10]] = dimmed(units_light, level)


def paint_sources(
    painting: Painting, state: rules.State, palette: Palette, level_of: Callable[[int, Colour], float]
) -> None:
    """Light the tiles of the displays and the centre, each colour at its own level; the marker lies first."""
    centre = _CENTRE
    if marker_in_centre(state):
        painting[_CENTRE[0]] = dimmed(palette.marker, STEADY)
        centre = _CENTRE[1:]
    for source, tiles in enumerate(state.sources):
        names = centre if source == CENTRE else source_lights(source)
        _paint_tiles(painting, names, source, tiles, palette, level_of)


def _paint_tiles(
    painting: Painting,
    names: list[str],
    source: int,
    tiles: Counts,
    palette: Palette,
    level_of: Callable[[int, Colour], float],
) -> None:
    at = 0
    for colour, number in zip(COLOURS, tiles, strict=True):
        if number:
            light = dimmed(palette.shades[colour].light, level_of(source, colour))
            for name in names[at : at + number]:
                painting[name] = light
            at += number
