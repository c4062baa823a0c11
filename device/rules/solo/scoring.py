"""Points of a solo game: the scoring tile, the penalty row, the end and the victory (S9, S10, S13, S14)."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Literal

from device.rules import scoring
from device.rules.board import Board
from device.rules.scoring import Account, Step
from device.rules.solo.penalty_row import ACTION, PLAYER, Boards, tiles_in
from device.rules.solo.steps import BesideScoringTile, ClearBoardAward, PenaltyCharged, PenaltyRowCounted

Square = tuple[int, int]
"""Row and column from 1."""

BESIDE_POINTS: Final = (1, 2, 3, 5)
"""Points for the 1st to the 4th tile beside the scoring tile (S9)."""
EMPTY_ROW_POINTS: Final = 5
PENALTY_TILE_POINTS: Final = -8
CLEAR_BOARD_POINTS: Final = 5
"""S13."""


class Victory(Enum):
    """What a game's score is worth; the values are the record's words (S14)."""

    LOSS = "loss"
    GENERAL_INTEREST = "general interest"
    APPRENTICE = "apprentice"
    JOURNEYMAN = "journeyman"
    MASTER = "master"
    ARTISAN = "artisan"

    __repr__ = Enum.__str__


class Ending(Enum):
    """What ended a game."""

    EIGHTH_TILE = "an eighth tile in the penalty row"  # S7
    NO_POINTS = "a score of 0"  # S10
    ROW_COMPLETE = "a complete row"  # S12
    BAG_EMPTY = "a bag that can't fill the displays for the second time"  # S12

    __repr__ = Enum.__str__


@dataclass(frozen=True, slots=True)
class SoloOutcome:
    """How a solo game ended; `why` is the rule that made it a loss, None for a victory (S7, S10, S14)."""

    score: int
    victory: Victory
    why: Literal["S7", "S10", "S14"] | None
    ending: Ending


def beside(
    player: Board, action: Board, scoring_tile: Square | None, placed: Square
) -> BesideScoringTile | None:
    """The points for a tile just placed on the action wall, if it lies beside the scoring tile (S9)."""
    if scoring_tile is None:
        return None
    row, column = scoring_tile
    neighbours = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    if placed not in neighbours:
        return None
    nth = sum(action.wall[row - 1][column - 1] is not None for row, column in neighbours)
    points = BESIDE_POINTS[nth - 1]
    return BesideScoringTile(replace(player, score=player.score + points), nth, points)


def charge_penalty_row(player: Board, action: Board) -> PenaltyCharged:
    """Subtract what the penalty row costs, never below 0; its tiles stay (S10)."""
    tiles = len(action.floor)
    cost = scoring.FLOOR_COSTS[tiles]
    score = max(0, player.score - cost)
    return PenaltyCharged(replace(player, score=score), tiles, cost, score - player.score)


def end_scoring(boards: Boards) -> list[Step]:
    """Everything that counts at the end, one by one; the result may be negative (S13)."""
    player = boards[PLAYER]
    tiles = len(tiles_in(boards[ACTION]))
    points = PENALTY_TILE_POINTS * tiles if tiles else EMPTY_ROW_POINTS
    player = replace(player, score=player.score + points)
    steps = [Step(PLAYER, PenaltyRowCounted(player, tiles, points))]
    for which in (PLAYER, ACTION):
        if lines_are_empty(boards[which]):
            player = replace(player, score=player.score + CLEAR_BOARD_POINTS)
            steps.append(Step(PLAYER, ClearBoardAward(player, which, CLEAR_BOARD_POINTS)))
    return steps + [Step(PLAYER, given) for given in scoring.bonuses(player)]


def lines_are_empty(board: Board) -> bool:
    """Whether no pattern line holds a tile (S13)."""
    return not any(board.held)


def total_before_end(account: Account) -> int:
    """The score when the round was scored, before the end's items (S13)."""
    at_the_end = (PenaltyRowCounted, ClearBoardAward, scoring.BonusGiven)
    shown = sum(not isinstance(step.what, at_the_end) for step in account.steps)
    return account.boards_after(shown)[PLAYER].score


def outcome(boards: Boards, ending: Ending) -> SoloOutcome:
    """How a game that is over ended (S7, S10, S14)."""
    score = boards[PLAYER].score
    if ending is Ending.EIGHTH_TILE:
        return SoloOutcome(score, Victory.LOSS, "S7", ending)
    if ending is Ending.NO_POINTS:
        return SoloOutcome(score, Victory.LOSS, "S10", ending)
    level = victory(score, clear=any(lines_are_empty(board) for board in boards))
    return SoloOutcome(score, level, "S14" if level is Victory.LOSS else None, ending)


def victory(score: int, *, clear: bool) -> Victory:
    """What a final score is worth; `clear` says whether a clear-board award was scored (S14)."""
    if score >= 100 and clear:
        return Victory.ARTISAN
    for least, level in (
        (90, Victory.MASTER),
        (80, Victory.JOURNEYMAN),
        (70, Victory.APPRENTICE),
        (60, Victory.GENERAL_INTEREST),
    ):
        if score >= least:
            return level
    return Victory.LOSS
