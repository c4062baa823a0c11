"""Painting what lies on the table: a tile is a steady light, by the names of `hardware/api.py`."""

from collections.abc import Callable, Collection
from math import lcm
from typing import Final

from device.lights.animation import SLOW, STEADY, dimmed, fast, slow
from device.lights.palettes import Palette
from device.rules import game as rules
from device.rules.board import FLOOR, FLOOR_SPACES, LINES, Board
from device.rules.dealing import DISPLAY_TILES
from device.rules.events import CENTRE, Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.solo.penalty_row import ACTION, tiles_in
from device.rules.tiles import COLOURS, MARKER, TILES_OF_A_COLOUR, Colour, Counts
from device.table.game import Play, Selection
from device.table.state import CurrentGame, Table
from device.table.tags import TileTag, next_meaning, tile_counts
from device.table.turns import choices_of_people
from hardware import api
from hardware.api import DARK, Rgb

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
    if state.marker_in_centre:
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


# --- Displays and a centre with a single light each: it stands for all the tiles that lie there ----------
# It goes through their colours, one after another, each as long as a slow pulse, so that what can be chosen
# still pulses slowly and what just lies there is still steady. What matters most there goes before: the
# chosen colour, the space of the next tile told, tiles on their way.

ROUND: Final = SLOW * lcm(*range(1, len(COLOURS) + 2))
"""Seconds after which all begin anew together, however many colours each goes through, up to 6."""


def merge_single_lights(
    painting: Painting, sources: Collection[int], foremost: Collection[str], now: float
) -> None:
    """Leave each of these sources its first light, showing what the lights that a tile each would have show.

    `foremost` are the lights, by name, of what matters most now.
    """
    for source in sources:
        names = source_lights(source)
        lit = {name: painting.pop(name) for name in names if name in painting}
        lights = [light for light in lit.values() if light != DARK]
        first = [lit[name] for name in foremost if lit.get(name, DARK) != DARK]
        if lights:
            painting[names[0]] = first[0] if first else _in_turn(lights, now)


def _in_turn(lights: list[Rgb], now: float) -> Rgb:
    """One of the different lights, another after each slow pulse."""
    different = list(dict.fromkeys(lights))
    return different[int(now // SLOW) % len(different)]


def lights_of_selection(state: rules.State, selection: Selection, palette: Palette) -> list[str]:
    """The lights of the tiles in hand."""
    painting = Painting()
    chosen = selection.source, selection.colour
    paint_sources(painting, state, palette, lambda *tiles: float(tiles == chosen))
    light = palette.shades[selection.colour].light
    return [name for name in source_lights(selection.source) if painting.get(name) == light]


# --- Choices other than drafts in light: a gray wall's columns ---


def paint_choices(painting: Painting, table: Table, game: CurrentGame, palette: Palette, now: float) -> None:
    """What people can choose pulses slowly, what an opponent has chosen fast.

    A tile whose column is asked for pulses fast on its line.
    """
    for event in choices_of_people(table).values():
        paint_choice(painting, game.play, event, palette, slow(now) * STEADY, fast(now))
    for chosen in game.bot_choices:
        if chosen.step:
            paint_choice(painting, game.play, chosen.choice, palette, fast(now), fast(now))


def paint_choice(
    painting: Painting, play: Play, event: Event, palette: Palette, level: float, of_line: float
) -> None:
    """Light where a choice goes; a tile's line at a level of its own."""
    match event:
        case Tile(seat, row, column):
            place = play.places[seat]
            colour = play.state.boards[seat].colours[row - 1]
            assert colour is not None
            painting[wall_light(place, row, column)] = _light(palette, colour, level)
            for name in line_lights(place, row):
                painting[name] = _light(palette, colour, of_line)
        case Scoring(row, column):
            painting[wall_light(play.places[ACTION], row, column)] = dimmed(palette.marker, level)
        case _:
            _paint_penalty_choice(painting, play, event, palette, level)


def _paint_penalty_choice(
    painting: Painting, play: Play, event: Event, palette: Palette, level: float
) -> None:
    names = line_lights(play.places[ACTION], FLOOR)
    tiles = tiles_in(play.state.boards[ACTION])
    positions = []
    if isinstance(event, Swap):
        positions = [event.position, event.position + 1]
    elif isinstance(event, Remove) and event.position is not None:
        positions = [event.position]
    for position in positions:
        painting[names[position - 1]] = _light(palette, tiles[position - 1], level)


def paint_scoring_tile(painting: Painting, play: Play, palette: Palette) -> None:
    """The scoring tile lies on the action wall until it is covered (S1, S9)."""
    state = play.state
    if state.scoring_tile is not None:
        painting[wall_light(play.places[ACTION], *state.scoring_tile)] = dimmed(palette.marker, STEADY)


def paint_sent(painting: Painting, play: Play, selection: Selection, palette: Palette, level: float) -> None:
    """The penalty spaces that a tried draft would fill (S4 to S6)."""
    assert selection.tried is not None
    draft = Draft(selection.source, selection.colour, selection.tried)
    free = line_lights(play.places[ACTION], FLOOR)[len(play.state.boards[ACTION].floor) :]
    for name, colour in zip(free, play.state.sent_to_penalty_row(draft), strict=False):
        painting[name] = _light(palette, colour, level)


def _light(palette: Palette, colour: Colour, level: float) -> Rgb:
    return dimmed(palette.shades[colour].light, level)


# --- Learning in light: the displays' first 20 lights are the tiles of the colour that is learned now

LEARNING: Final[Rgb] = (90, 120, 255)


def paint_lesson(painting: Painting, table: Table, palette: Palette, now: float) -> None:
    """Each tile that is known lights one more; the status light pulses fast while a tag is waited for."""
    assert table.tags.lesson is not None
    meaning, single = next_meaning(table.tags.lesson, table.tags.known), table.settings.equipment.single
    painting[api.STATUS] = dimmed(LEARNING, fast(now) if meaning is not None else STEADY)
    if not isinstance(meaning, TileTag):
        return
    known = tile_counts(table.tags.known)[meaning.colour]
    light = palette.shades[meaning.colour].light
    for number in range(min(known + 1, TILES_OF_A_COLOUR)):
        display, at = divmod(number, DISPLAY_TILES)
        if display + 1 in single:  # its one light is steady when its four tiles are known
            level = STEADY if known >= (display + 1) * DISPLAY_TILES else fast(now)
            painting[source_lights(display + 1)[0]] = dimmed(light, level)
        else:
            name = source_lights(display + 1)[at]
            painting[name] = dimmed(light, STEADY if number < known else fast(now))
