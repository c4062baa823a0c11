"""Targets: what a draft would bring on each line, for players who choose where to put the tiles in hand."""

from dataclasses import dataclass, replace

from device.rules.board import FLOOR, FLOOR_SPACES, Board, lines_by_colour, printed_column
from device.rules.events import CENTRE, Draft
from device.rules.game import SOLO, State
from device.rules.scoring import FLOOR_COSTS, runs, tile_points
from device.rules.tiles import Colour


@dataclass(frozen=True, slots=True)
class Target:
    """A line, or the floor, that a draft may go to, and what it would bring there.

    `placed` tiles stay on the line, which they may fill; `floor` tiles fall. `points` are those of the line's
    tile if it went to the wall now and alone; None where that can't be said: the wall is gray, or the board
    keeps no score. `cost` are the points that the floor would cost more, with the marker. In solo `sends` are
    the tiles for the penalty row, and the floor costs nothing.
    """

    line: int
    placed: int
    floor: int
    fills: bool
    points: int | None
    cost: int
    sends: tuple[Colour, ...] = ()


def offers(state: State, mode: str) -> dict[tuple[int, Colour], tuple[Target, ...]]:
    """Return the targets of all tiles that may be drafted now, by source and colour; the floor is the last.

    Most sources share them, as they depend on the number of tiles only, and on the marker.
    """
    board = state.boards[state.turn]
    lines = lines_by_colour(board)
    known: dict[tuple[Colour, int, bool], tuple[Target, ...]] = {}
    found = {}
    for source in state.sources_to_draft():
        marker = source == CENTRE and state.marker_in_centre
        for colour in Colour:
            tiles = state.sources[source][colour]
            if not tiles:
                continue
            key = colour, tiles, marker
            if key not in known:
                open_now = (*lines[colour], FLOOR)
                scores = _scores_tiles(state, mode)
                known[key] = tuple(
                    _target(board, colour, tiles, line, scores, marker=marker) for line in open_now
                )
            found[source, colour] = known[key]
    return found if mode != SOLO else _with_penalties(state, found)


def _scores_tiles(state: State, mode: str) -> tuple[bool, bool]:
    """Return whether the points of a tile are known for the drafting board, and whether its floor costs."""
    return not state.has_gray_wall(state.turn) and state.keeps_score(state.turn), mode != SOLO


def _target(
    board: Board,
    colour: Colour,
    tiles: int,
    line: int,
    scores: tuple[bool, bool],
    *,
    marker: bool,
) -> Target:
    held = board.held[line - 1] if line else 0
    placed = min(tiles, line - held)
    fills = bool(line) and held + placed == line
    has_points, floor_costs = scores
    points = 0 if has_points else None
    if has_points and fills:
        across, down = runs(board.wall, line, printed_column(colour, line))  # R11
        points = tile_points(len(across), len(down))
    before = len(board.floor)
    after = min(FLOOR_SPACES, before + marker + tiles - placed)
    cost = FLOOR_COSTS[after] - FLOOR_COSTS[before] if floor_costs else 0  # R12
    return Target(line, placed, tiles - placed, fills, points, cost)


def _with_penalties(
    state: State, found: dict[tuple[int, Colour], tuple[Target, ...]]
) -> dict[tuple[int, Colour], tuple[Target, ...]]:
    """Return targets of solo with the tiles that each sends to the penalty row (S4 to S6)."""
    return {
        (source, colour): tuple(
            replace(each, sends=state.sent_to_penalty_row(Draft(source, colour, each.line)))
            for each in targets
        )
        for (source, colour), targets in found.items()
    }
