"""Celebration of the winner: some seconds of slow waves of light after a game, before the lights rest.

The winner's board shimmers from corner to corner, its tiles in their colours and its free spaces in gold; two
crests go round the centre; the other boards are dimmed. Every light rises at most once in two seconds.
"""

import math
from typing import Final

from device.lights.animation import STEADY, dimmed, mixed
from device.lights.board import WATCHING, Painting, board_lights, line_lights, paint_score, wall_light
from device.rules.board import FLOOR, LINES, Board
from device.rules.dealing import DISPLAY_TILES
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome, Victory
from device.table.game import Play
from hardware import api
from hardware.api import DARK, Rgb

SECONDS: Final = 10.0
GOLD: Final[Rgb] = (255, 170, 50)
FREE_SPACES: Final = 0.35  # highest level of the gold on spaces without a tile
WAVE: Final = 2.5  # seconds of a wave over a board
LENGTH: Final = 12.0  # of that wave, in spaces of a board
ROUND: Final = 5.0  # seconds in which a crest goes round the centre
CRESTS: Final = 2
RISING: Final = 1.0  # seconds at the beginning and at the end in which it grows and fades


def winners(play: Play) -> tuple[int, ...]:
    """Return the seats that won; both boards of a solo game that was not lost."""
    outcome = play.state.outcome()
    if isinstance(outcome, Outcome):
        return outcome.winners
    won = isinstance(outcome, SoloOutcome) and outcome.victory is not Victory.LOSS
    return tuple(range(len(play.places))) if won else ()


def is_celebrating(play: Play, since: float | None, now: float) -> bool:
    """Return whether the victory of a game that was over at `since` is shown at `now` (seconds)."""
    return since is not None and now - since < SECONDS and bool(winners(play))


def paint_celebration(painting: Painting, play: Play, since: float) -> None:
    """Light the boards and the centre of a game that was over at `since` (seconds)."""
    passed = max(0.0, painting.now - since)
    strength = max(0.0, min(1.0, passed / RISING, (SECONDS - passed) / RISING))
    won = winners(play)
    for seat, board in enumerate(play.state.boards):
        place = play.places[seat]
        level = STEADY + ((1.0 if seat in won else WATCHING) - STEADY) * strength
        if seat in won:
            _paint_winner(painting, place, board, passed, strength)
        else:
            painting.update(board_lights(painting.palette, place, board, level))
        if play.state.keeps_score(seat):
            paint_score(painting, place, board.score, level)
    _paint_centre(painting, play, passed, strength)


def _paint_winner(painting: Painting, place: int, board: Board, passed: float, strength: float) -> None:
    """Light a board in a wave that goes from its upper left to its lower right corner."""
    tiles = board_lights(painting.palette, place, board)
    for name, distance in _spaces(place):
        height = strength * _wave(passed / WAVE - distance / LENGTH)
        tile = tiles.get(name, DARK)
        if tile == DARK:
            painting[name] = dimmed(GOLD, FREE_SPACES * height)
        else:
            painting[name] = mixed(dimmed(tile, STEADY - 0.3 * strength), tile, height)


def _spaces(place: int) -> list[tuple[str, float]]:
    """Return the lights of a board, each with its distance from the upper left corner in spaces."""
    spaces: list[tuple[str, float]] = []
    for row in LINES:
        line = line_lights(place, row)
        spaces += [(name, row + len(LINES) - row + at) for at, name in enumerate(line)]
        spaces += [(wall_light(place, row, column), row + len(LINES) + column) for column in LINES]
    floor = line_lights(place, FLOOR)
    return spaces + [(name, len(LINES) + 1 + at) for at, name in enumerate(floor)]


def _paint_centre(painting: Painting, play: Play, passed: float, strength: float) -> None:
    """Light the centre's spaces that this game used, in crests that go round."""
    count = (len(play.state.sources) - 1) * (DISPLAY_TILES - 1) + 1
    for at in range(count):
        height = _wave(passed / ROUND - CRESTS * at / count)
        painting[api.centre_light(at + 1)] = dimmed(GOLD, 0.6 * strength * height * height)


def _wave(turns: float) -> float:
    """Return the height, 0 to 1, of a cosine wave after so many of its periods."""
    return 0.5 - 0.5 * math.cos(math.tau * turns)
