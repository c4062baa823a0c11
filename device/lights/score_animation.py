"""The scoring ceremony in light: the placed tile, its run across, its run down, then the points."""

from typing import Final

from device.lights.animation import STEADY, dimmed, fast, slow
from device.lights.board import Painting, line_lights, paint_board, paint_score, wall_light
from device.lights.palettes import Palette
from device.rules.board import FLOOR, FLOOR_SPACES, LINES, Board
from device.rules.scoring import BonusGiven, BonusKind, FloorCharged, LineFell, Step, TilePlaced, runs
from device.table import score_animation
from device.table.game import Play
from device.table.score_animation import ScoreAnimation
from hardware.api import Rgb

WATCHING: Final = 0.25
"""How bright the boards are that are not being scored."""


def paint_score_animation(
    painting: Painting, play: Play, shown: ScoreAnimation, palette: Palette, now: float
) -> None:
    """Light all boards as the step on show has them."""
    account = play.state.account
    assert account is not None
    step = account.steps[shown.shown - 1] if shown.shown else None
    for seat, board in enumerate(account.boards_after(shown.shown)):
        level = STEADY if step is None or step.seat == seat else WATCHING
        paint_board(painting, play.places[seat], board, palette, level)
        if play.state.keeps_score(seat):
            paint_score(painting, play.places[seat], board.score, level)
    if step is not None:
        length = score_animation.seconds(step) or 1.0
        before = account.boards_after(shown.shown - 1)[step.seat]
        _paint_step(
            painting, play.places[step.seat], step, before, palette, now, (now - shown.since) / length
        )


def _paint_step(
    painting: Painting, place: int, step: Step, before: Board, palette: Palette, now: float, part: float
) -> None:
    """Overlay what a step emphasises; `part` of it is over, from 0 to 1."""
    match step.item:
        case TilePlaced():
            _paint_placed(painting, place, step.item, before, palette, part)
        case FloorCharged():
            if part < 0.6:
                _paint_floor(painting, place, before, palette, fast(now))
                paint_score(painting, place, before.score)
        case LineFell():
            _paint_line(painting, place, step.item, palette, fast(now) if part < 0.6 else 0.0)
        case BonusGiven():
            _paint_bonus(painting, place, step.item, palette, slow(now))
            if part < 0.5:
                paint_score(painting, place, before.score)
        case _:
            _paint_change(painting, place, before, step.item.board, palette, fast(now))


def _paint_placed(
    painting: Painting, place: int, placed: TilePlaced, before: Board, palette: Palette, part: float
) -> None:
    """A quarter of the time each: the tile arrives, the run across, the run down, the points."""
    wall = placed.board.wall
    for row in LINES:
        for column in LINES:
            tile = wall[row - 1][column - 1]
            if tile is not None:
                painting[wall_light(place, row, column)] = dimmed(palette.shades[tile].light, WATCHING)
    columns, rows = runs(wall, placed.row, placed.column)
    own = [(placed.row, placed.column)]
    across = [(placed.row, column) for column in columns]
    down = [(row, placed.column) for row in rows]
    counting = (across if len(across) > 1 else []) + (down if len(down) > 1 else []) or own
    for row, column in (own, across, down, counting)[min(int(part * 4), 3)]:
        tile = wall[row - 1][column - 1]
        assert tile is not None
        painting[wall_light(place, row, column)] = palette.shades[tile].light
    if part < 0.75:
        paint_score(painting, place, before.score)


def _paint_change(
    painting: Painting, place: int, before: Board, after: Board, palette: Palette, level: float
) -> None:
    """Whatever else changed on a board pulses: the tiles that came, and those that went."""
    old, new = Painting(), Painting()
    paint_board(old, place, before, palette, 1.0)
    paint_board(new, place, after, palette, 1.0)
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            painting[name] = dimmed(new.get(name) or old[name], level)


def _paint_floor(painting: Painting, place: int, before: Board, palette: Palette, level: float) -> None:
    lights = Painting()
    paint_board(lights, place, before, palette, level)
    for name in line_lights(place, FLOOR)[:FLOOR_SPACES]:
        painting[name] = lights.get(name, (0, 0, 0))


def _paint_line(painting: Painting, place: int, fell: LineFell, palette: Palette, level: float) -> None:
    light: Rgb = dimmed(palette.shades[fell.colour].light, level)
    for name in line_lights(place, fell.line):
        painting[name] = light


def _paint_bonus(painting: Painting, place: int, bonus: BonusGiven, palette: Palette, level: float) -> None:
    for row in LINES:
        for column in LINES:
            tile = bonus.board.wall[row - 1][column - 1]
            if tile is None:
                continue
            counts = {BonusKind.ROW: row, BonusKind.COLUMN: column, BonusKind.COLOUR: tile}
            counting = counts[bonus.kind] == bonus.which
            light = palette.shades[tile].light
            painting[wall_light(place, row, column)] = dimmed(light, level if counting else WATCHING)
