"""Painting of tiles: boards, scores, sources, sources with a single light, choices, and the score animation.

A tile that lies on the table is a steady light. Functions named `paint_...` change a `Painting` in place.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final

from device.lights.animation import (
    CAN_BE_CHOSEN,
    CHOSEN,
    STEADY,
    InTurn,
    Level,
    Pulsing,
    Shown,
    at_level,
    dimmed,
)
from device.lights.palettes import Palette
from device.rules import game as rules
from device.rules.board import FLOOR, FLOOR_SPACES, LINES, Board, tiles_on_wall
from device.rules.events import CENTRE, Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.scoring import BonusGiven, BonusKind, FloorCharged, LineFell, Step, TilePlaced, runs
from device.rules.solo.penalty_row import ACTION, tiles_in
from device.rules.tiles import COLOURS, MARKER, Colour
from device.table import score_animation
from device.table.game import Play, Selection
from device.table.score_animation import ScoreAnimation
from hardware import api
from hardware.api import DARK, Rgb

WATCHING: Final = 0.25  # level of the boards that are not being scored
SCORE: Final[Rgb] = (180, 180, 160)
SCORE_FROM_100: Final[tuple[Rgb, ...]] = (SCORE, (255, 60, 150), (0, 220, 255))
"""The tens' light by hundreds: from 100 points it changes colour."""
SCORE_BELOW_0: Final[Rgb] = (255, 30, 30)
"""Both lights of a score below 0, which only solo games can end with (S13)."""


class Painting(dict[str, Shown]):
    """What the lights show, by name, in a palette; lights that are missing are dark.

    Rhythms go on by themselves. What passes (flashes, sweeps, the score animation) is painted for the time
    `now`, in seconds on the clock of the events.
    """

    def __init__(self, palette: Palette, now: float) -> None:
        super().__init__()
        self.palette = palette
        self.now = now

    def paint(self, names: Iterable[str], light: Rgb, level: Level) -> None:
        """Set some lights to a light at a level."""
        shown = at_level(light, level)
        for name in names:
            self[name] = shown

    def paint_tiles(self, names: Iterable[str], colour: Colour, level: Level) -> None:
        """Set some lights to the light of a tile colour at a level."""
        self.paint(names, self.palette.shades[colour].light, level)


# --- Names of lights ---

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
    """Return the light of a wall's space."""
    return _WALL[place - 1][row - 1][column - 1]


def line_lights(place: int, line: int) -> list[str]:
    """Return the lights of a pattern line, leftmost first; of the floor for line 0."""
    return _LINE[place - 1][line - 1] if line != FLOOR else _FLOOR[place - 1]


def source_lights(source: int) -> list[str]:
    """Return the lights of a display or the centre; only display 5 has a fifth."""
    if source == CENTRE:
        return _CENTRE
    return _DISPLAY[source - 1] if source == 5 else _DISPLAY[source - 1][:4]


def free_spaces(place: int, board: Board, line: int, tiles: int) -> list[str]:
    """Return the lights of the spaces that `tiles` more tiles would fill on a line or the floor."""
    if line == FLOOR:
        return _FLOOR[place - 1][len(board.floor) : len(board.floor) + tiles]
    free = _LINE[place - 1][line - 1][: line - board.held[line - 1]]
    return free[max(0, len(free) - tiles) :]  # lines fill from the right


# --- Boards and scores ---


def paint_boards(painting: Painting, play: Play) -> None:
    """Light all boards of a game, and the scores."""
    for seat, board in enumerate(play.state.boards):
        paint_board(painting, play.places[seat], board)
        if play.state.keeps_score(seat):
            paint_score(painting, play.places[seat], board.score)


def paint_board(painting: Painting, place: int, board: Board, level: float = STEADY) -> None:
    """Light the tiles on a place's board."""
    painting.update(board_lights(painting.palette, place, board, level))


def board_lights(palette: Palette, place: int, board: Board, level: float = 1.0) -> dict[str, Rgb]:
    """Return the lights of the tiles on a place's board."""
    painting: dict[str, Rgb] = {}
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
    return painting


def paint_score(painting: Painting, place: int, score: int, level: float = STEADY) -> None:
    """Light a score: one of ten lights for the tens, one for the units; the tens' colour has the hundreds."""
    tens_light, units_light = SCORE_FROM_100[min(abs(score) // 100, len(SCORE_FROM_100) - 1)], SCORE
    if score < 0:
        score, tens_light, units_light = -score, SCORE_BELOW_0, SCORE_BELOW_0
    for digit in range(10):
        painting.pop(_TENS[place - 1][digit], None)
        painting.pop(_UNITS[place - 1][digit], None)
    painting[_TENS[place - 1][score // 10 % 10]] = dimmed(tens_light, level)
    painting[_UNITS[place - 1][score % 10]] = dimmed(units_light, level)


# --- Displays and the centre ---


def paint_sources(
    painting: Painting, state: rules.State, level_of: Callable[[int, Colour], Level] = lambda *_: STEADY
) -> None:
    """Light the tiles of all sources, each colour of a source at its level; the marker lies first."""
    centre = _CENTRE
    if state.marker_in_centre:
        painting[_CENTRE[0]] = dimmed(painting.palette.marker, STEADY)
        centre = _CENTRE[1:]
    for source, tiles in enumerate(state.sources):
        names = centre if source == CENTRE else source_lights(source)
        at = 0
        for colour, number in zip(COLOURS, tiles, strict=True):
            if number:
                painting.paint_tiles(names[at : at + number], colour, level_of(source, colour))
                at += number


def selected_lights(state: rules.State, source: int, colour: Colour) -> list[str]:
    """Return the lights of a source's tiles of a colour."""
    tiles, names = state.sources[source], source_lights(source)
    first = sum(tiles[:colour]) + int(source == CENTRE and state.marker_in_centre)
    return names[first : first + tiles[colour]]


# --- Sources with a single light ---
#
# The light shows the colours of the source's tiles one after another, each for a slow pulse. What matters
# most is shown instead of them: the selected colour, the space of the next reported tile, moving tiles.


def merge_single_lights(painting: Painting, sources: Collection[int], foremost: Collection[str]) -> None:
    """Leave each of these sources its first light only, which shows what all its lights would show.

    `foremost` has the names of the lights that matter most now.
    """
    for source in sources:
        names = source_lights(source)
        lit = {name: painting.pop(name) for name in names if name in painting}
        lights = [light for light in lit.values() if light != DARK]
        first = [lit[name] for name in foremost if lit.get(name, DARK) != DARK]
        if lights:
            shown = first[:1] or list(dict.fromkeys(lights))  # the different ones in turn
            painting[names[0]] = shown[0] if len(shown) == 1 else InTurn(tuple(shown))


# --- Choices other than drafts ---


def paint_choice(painting: Painting, play: Play, event: Event, level: Level, line_level: Level) -> None:
    """Light where a choice goes; a tile's line at a level of its own."""
    penalty_lights = line_lights(play.places[ACTION], FLOOR)
    match event:
        case Tile(seat, row, column):
            place = play.places[seat]
            colour = play.state.boards[seat].colours[row - 1]
            assert colour is not None
            painting.paint_tiles([wall_light(place, row, column)], colour, level)
            painting.paint_tiles(line_lights(place, row), colour, line_level)
        case Scoring(row, column):
            painting.paint([wall_light(play.places[ACTION], row, column)], painting.palette.marker, level)
        case Swap(position):
            tiles = tiles_in(play.state.boards[ACTION])
            for at in (position - 1, position):
                painting.paint_tiles([penalty_lights[at]], tiles[at], level)
        case Remove(position) if position is not None:
            colour = tiles_in(play.state.boards[ACTION])[position - 1]
            painting.paint_tiles([penalty_lights[position - 1]], colour, level)


def paint_scoring_tile(painting: Painting, play: Play) -> None:
    """Light solo's scoring tile on the action wall, until it is covered (S1, S9)."""
    if play.state.scoring_tile is not None:
        name = wall_light(play.places[ACTION], *play.state.scoring_tile)
        painting.paint([name], painting.palette.marker, STEADY)


def paint_sent(painting: Painting, play: Play, selection: Selection) -> None:
    """Light the penalty spaces that a tried draft would fill (S4 to S6)."""
    assert selection.tried is not None
    draft = Draft(selection.source, selection.colour, selection.tried)
    free = line_lights(play.places[ACTION], FLOOR)[len(play.state.boards[ACTION].floor) :]
    for name, colour in zip(free, play.state.sent_to_penalty_row(draft), strict=False):
        painting.paint_tiles([name], colour, CHOSEN)


# --- Score animation: the placed tile, its run across, its run down, then the points ---


def paint_score_animation(painting: Painting, play: Play, animation: ScoreAnimation) -> None:
    """Light all boards after the step on show, and emphasize what it scores."""
    account = play.state.account
    assert account is not None
    shown = animation.shown
    step = account.steps[shown - 1] if shown else None
    for seat, board in enumerate(account.boards_after(shown)):
        level = STEADY if step is None or step.seat == seat else WATCHING
        paint_board(painting, play.places[seat], board, level)
        if play.state.keeps_score(seat):
            paint_score(painting, play.places[seat], board.score, level)
    if step is not None:
        part = (painting.now - animation.since) / (score_animation.seconds(step) or 1.0)
        before = account.boards_after(shown - 1)[step.seat]
        _paint_step(painting, play.places[step.seat], step, before, part)


def _paint_step(painting: Painting, place: int, step: Step, before: Board, part: float) -> None:
    """Emphasize what a step scores; `part` of its time is over, from 0 to 1."""
    match step.item:
        case TilePlaced():
            _paint_placed(painting, place, step.item, before, part)
        case FloorCharged():
            if part < 0.6:
                _paint_change(painting, place, before, step.item.board)
                paint_score(painting, place, before.score)
        case LineFell(line=line, colour=colour):
            painting.paint_tiles(line_lights(place, line), colour, CHOSEN if part < 0.6 else 0.0)
        case BonusGiven():
            _paint_bonus(painting, place, step.item)
            if part < 0.5:
                paint_score(painting, place, before.score)
        case _:
            _paint_change(painting, place, before, step.item.board)


def _paint_placed(painting: Painting, place: int, placed: TilePlaced, before: Board, part: float) -> None:
    """Light the tile, its run across, its run down and all that counts, a quarter of the time each."""
    columns, rows = runs(placed.board.wall, placed.row, placed.column)
    own = [(placed.row, placed.column)]
    across = [(placed.row, column) for column in columns]
    down = [(row, placed.column) for row in rows]
    counting = (across if len(across) > 1 else []) + (down if len(down) > 1 else []) or own
    bright = (own, across, down, counting)[min(int(part * 4), 3)]
    for row, column, tile in tiles_on_wall(placed.board):
        level = 1.0 if (row, column) in bright else WATCHING
        painting.paint_tiles([wall_light(place, row, column)], tile, level)
    if part < 0.75:
        paint_score(painting, place, before.score)


def _paint_change(painting: Painting, place: int, before: Board, after: Board) -> None:
    """Pulse the tiles that came to a board and those that left it."""
    old, new = board_lights(painting.palette, place, before), board_lights(painting.palette, place, after)
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            painting[name] = Pulsing(new.get(name) or old[name], CHOSEN)


def _paint_bonus(painting: Painting, place: int, bonus: BonusGiven) -> None:
    """Pulse the row, column or colour that is complete; the other tiles are faint."""
    for row, column, tile in tiles_on_wall(bonus.board):
        which = {BonusKind.ROW: row, BonusKind.COLUMN: column, BonusKind.COLOUR: tile}[bonus.kind]
        level = CAN_BE_CHOSEN if which == bonus.which else WATCHING
        painting.paint_tiles([wall_light(place, row, column)], tile, level)
