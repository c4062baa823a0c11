"""Conversion of states and choices between the rules and the core."""

from typing import Final

from device.bots.core import constants
from device.bots.core.position import Position
from device.bots.core.solo_position import SoloPosition
from device.rules import standard
from device.rules.board import FLOOR, LINES, Board, open_lines, tiles_on_floor, tiles_on_wall
from device.rules.events import Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.scoring import complete_rows
from device.rules.solo import game as solo
from device.rules.solo.game import SoloState
from device.rules.solo.penalty_row import PLAYER, tiles_in
from device.rules.solo.scoring import Ending
from device.rules.standard import StandardState
from device.rules.tiles import COLOURS, Colour, Counts

PHASES: Final = {phase: getattr(constants, phase.name) for phase in (*standard.Phase, *solo.Phase)}
ENDINGS: Final = {None: 0} | {ending: getattr(constants, ending.name) for ending in Ending}


def pack(counts: Counts) -> int:
    """Pack counts into one integer, five bits a colour."""
    return sum(number << 5 * colour for colour, number in enumerate(counts))


def to_position(state: StandardState) -> Position:
    """Convert a state of a game for two to four players."""
    players = len(state.boards)
    position = Position(players, gray=state.ruleset.gray, lid=state.ruleset.lid)
    position.phase = PHASES[state.phase]
    position.turn = state.turn
    position.starter = state.starter
    position.marker = -1 if state.marker is None else state.marker
    position.round = state.round
    position.row_complete = int(any(complete_rows(board.wall) for board in state.boards))
    position.sources = _filled([pack(tiles) for tiles in state.sources], constants.SOURCES)
    position.holders = sum(
        1 << constants.SOURCES * colour + source
        for source, tiles in enumerate(state.sources)
        for colour in COLOURS
        if tiles[colour]
    )
    position.pool = [pack(state.bag), pack(state.lid)]
    boards = state.boards
    position.lines = _filled([_lines(board) for board in boards], 4)
    position.open = _filled([_open(board) for board in boards], 4, constants.OPEN_BOARD)
    position.full = _filled([_full(board) for board in boards], 4)
    position.floor = _filled([_floor(board) for board in boards], 4)
    position.wall = _filled([_squares(board) for board in boards], 4)
    position.row_colours = _filled([_row_colours(board) for board in boards], 4)
    position.columns_of_colours = _filled([_columns_of_colours(board) for board in boards], 4)
    position.score = _filled([board.score for board in boards], 4)
    return position


def to_solo_position(state: SoloState) -> SoloPosition:
    """Convert a state of a solo game."""
    player, action = state.boards
    position = SoloPosition(gray=state.gray)
    position.phase = PHASES[state.phase]
    position.turn = state.turn
    position.round = state.round
    left = [number for number, tiles in enumerate(state.sources) if any(tiles)]
    position.display = left[0] if left and state.ending is None else 0
    position.score = player.score
    position.ending = ENDINGS[state.ending]
    position.penalty_due = state.level.penalty_tiles
    position.scoring_colour = -1 if state.scoring_colour is None else state.scoring_colour
    position.scoring_square = -1 if state.scoring_tile is None else _square(*state.scoring_tile)
    position.acting = -1 if state.acting is None else _square(state.acting.row, state.acting.column)
    position.fifth_tile = int(state.fifth_tile)
    position.refilled = int(state.refilled)
    position.row_complete = int(any(complete_rows(board.wall) for board in state.boards))
    position.sources = [pack(tiles) for tiles in state.sources]
    position.bag = pack(state.bag)
    position.lid = pack(state.lid)
    position.lines = [_lines(board) for board in state.boards]
    position.open = [_open(board) for board in state.boards]
    position.full = [_full(board) for board in state.boards]
    position.wall = [_squares(board) for board in state.boards]
    position.row_colours = [_row_colours(board) for board in state.boards]
    position.columns_of_colours = _columns_of_colours(player)
    position.floor = _floor(player)
    row = tiles_in(action)
    position.penalty = sum(colour << 3 * place for place, colour in enumerate(row))
    position.penalties = len(row)
    return position


def to_move(event: Event) -> int:
    """Convert a choice to the core's integer. Raises TypeError for a chance event."""
    match event:
        case Draft(source, colour, line):
            return 32 * source + 6 * colour + line
        case Tile(_, row, column) | Scoring(row, column):
            return _square(row, column)
        case Swap(position):
            return position
        case Remove(position):
            return position or 0
    raise TypeError(f"no choice: {event}")


def draft_from_move(move: int) -> Draft:
    """Convert an integer of the core to a draft."""
    return Draft(move >> 5, Colour((move & 31) // 6), (move & 31) % 6)


def from_move(phase: int, move: int) -> Event:
    """Convert an integer of the core to the choice it means in a phase of the core."""
    if phase == constants.OFFER:
        return draft_from_move(move)
    if phase == constants.SWAP:
        return Swap(move)
    if phase == constants.REMOVE:
        return Remove(move or None)
    row, column = move // 5 + 1, move % 5 + 1
    return Scoring(row, column) if phase == constants.SCORING else Tile(PLAYER, row, column)


def _filled(numbers: list[int], length: int, rest: int = 0) -> list[int]:
    return numbers + [rest] * (length - len(numbers))


def _square(row: int, column: int) -> int:
    return 5 * (row - 1) + column - 1


def _lines(board: Board) -> int:
    return sum(
        8 * colour + held << 6 * row
        for row, (colour, held) in enumerate(zip(board.colours, board.held, strict=True))
        if colour is not None
    )


def _open(board: Board) -> int:
    return sum(1 << 6 * colour + line for colour in COLOURS for line in (FLOOR, *open_lines(board, colour)))


def _full(board: Board) -> int:
    return sum(1 << line - 1 for line in LINES if board.line_is_full(line))


def _floor(board: Board) -> int:
    return len(board.floor) << 25 | pack(tiles_on_floor(board))


def _squares(board: Board) -> int:
    return sum(1 << _square(row, column) for row, column, _ in tiles_on_wall(board))


def _row_colours(board: Board) -> int:
    return sum(1 << 5 * (row - 1) + tile for row, _, tile in tiles_on_wall(board))


def _columns_of_colours(board: Board) -> int:
    return sum(1 << 5 * tile + column - 1 for _, column, tile in tiles_on_wall(board))
