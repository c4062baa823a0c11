"""Score animation in light: the placed tile, its run across, its run down, then the points."""

from typing import Final

from device.lights.animation import STEADY, dimmed
from device.lights.board import Painting, line_lights, paint_board, paint_score, wall_light
from device.rules.board import LINES, Board
from device.rules.scoring import BonusGiven, BonusKind, FloorCharged, LineFell, Step, TilePlaced, runs
from device.rules.tiles import Colour
from device.table import score_animation
from device.table.game import Play
from device.table.score_animation import ScoreAnimation

WATCHING: Final = 0.25  # level of the boards that are not being scored


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
            level = painting.fast if part < 0.6 else 0.0
            painting.paint_tiles(line_lights(place, line), colour, level)
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
    for row, column, tile in _tiles(placed.board):
        level = 1.0 if (row, column) in bright else WATCHING
        painting.paint_tiles([wall_light(place, row, column)], tile, level)
    if part < 0.75:
        paint_score(painting, place, before.score)


def _tiles(board: Board) -> list[tuple[int, int, Colour]]:
    """Return the tiles on a board's wall, with row and column."""
    spaces = ((row, column, board.wall[row - 1][column - 1]) for row in LINES for column in LINES)
    return [(row, column, tile) for row, column, tile in spaces if tile is not None]


def _paint_change(painting: Painting, place: int, before: Board, after: Board) -> None:
    """Pulse the tiles that came to a board and those that left it."""
    old, new = Painting(painting.palette, painting.now), Painting(painting.palette, painting.now)
    paint_board(old, place, before, 1.0)
    paint_board(new, place, after, 1.0)
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            painting[name] = dimmed(new.get(name) or old[name], painting.fast)


def _paint_bonus(painting: Painting, place: int, bonus: BonusGiven) -> None:
    """Pulse the row, column or colour that is complete; the other tiles are faint."""
    for row, column, tile in _tiles(bonus.board):
        which = {BonusKind.ROW: row, BonusKind.COLUMN: column, BonusKind.COLOUR: tile}[bonus.kind]
        level = painting.slow if which == bonus.which else WATCHING
        painting.paint_tiles([wall_light(place, row, column)], tile, level)
