"""Scoring of a solo game: the items of its account, its points and its victories (S8 to S11, S13, S14).

Points always change the player board, which keeps the score; the other items show what became of the penalty
row and of the action board.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, Final, Literal

from device.rules.board import Board
from device.rules.scoring import FLOOR_COSTS, Item, Step, bonuses
from device.rules.solo.penalty_row import ACTION, PLAYER, Boards
from device.rules.tiles import Colour

Square = tuple[int, int]  # row and column from 1

BESIDE_POINTS: Final = (1, 2, 3, 5)  # points for the 1st to the 4th tile beside the scoring tile (S9)
EMPTY_ROW_POINTS: Final = 5  # points for an empty penalty row at the end (S13)
PENALTY_TILE_POINTS: Final = -8  # points for each tile in the penalty row at the end (S13)
CLEAR_BOARD_POINTS: Final = 5  # points for each board whose pattern lines are all empty at the end (S13)


# --- Items of the account --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ActionTilePlaced(Item):
    """A full line of the action board moved its tile to the wall, perhaps onto the scoring tile (S8, S9)."""

    row: int
    column: int
    colour: Colour
    covers: bool  # the scoring tile lay there and is removed
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyDrawn(Item):
    """Action line 1: a drawn tile joined the penalty row, then the former leftmost went into the bag (S8).

    `aside` is None if there was no tile to set aside, `drawn` if the bag held none to draw.
    """

    aside: Colour | None
    drawn: Colour | None
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltySwapped(Item):
    """Action line 2: the penalty tile at `position`, from 1, was swapped with the next (S8)."""

    position: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class FifthTileDue(Item):
    """Action line 2 with fewer than two penalty tiles: display 5 gets five tiles in the next deal (S8)."""

    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyRemoved(Item):
    """Action lines 3 to 5: the penalty tile at `position`, from 1, went out of play (S8)."""

    line: int
    position: int
    colour: Colour
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyKept(Item):
    """Action lines 3 to 5: the player chose not to remove a penalty tile (S8)."""

    line: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class BesideScoringTile(Item):
    """An action tile was placed beside the scoring tile, as the 1st to the 4th (S9)."""

    nth: int
    points: int


@dataclass(frozen=True, slots=True)
class PenaltyCharged(Item):
    """The penalty row was charged: its number of tiles, their cost, and the points lost (S10)."""

    tiles: int
    cost: int
    points: int  # 0 or less: a score never drops below 0


@dataclass(frozen=True, slots=True)
class FloorCleared(Item):
    """The player board's floor went out of play without a charge (S11)."""

    tiles: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyRowCounted(Item):
    """At the end: the award for an empty penalty row, or 8 points lost for each tile in it (S13)."""

    at_end: ClassVar[bool] = True

    tiles: int
    points: int


@dataclass(frozen=True, slots=True)
class ClearBoardAward(Item):
    """At the end: the award for a board whose lines are all empty; `which` is PLAYER or ACTION (S13)."""

    at_end: ClassVar[bool] = True

    which: int
    points: int


# --- Points ----------------------------------------------------------------------------------------------


def beside(
    player: Board, action: Board, scoring_tile: Square | None, placed: Square
) -> BesideScoringTile | None:
    """Return the points for a tile just placed on the action wall beside the scoring tile, else None (S9)."""
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
    """Subtract the cost of the penalty row from the score, never below 0; its tiles stay (S10)."""
    tiles = len(action.floor)
    cost = FLOOR_COSTS[tiles]
    score = max(0, player.score - cost)
    return PenaltyCharged(replace(player, score=score), tiles, cost, score - player.score)


def end_scoring(boards: Boards) -> list[Step]:
    """Return all items of the end scoring in order; the score may become negative (S13)."""
    player = boards[PLAYER]
    tiles = len(boards[ACTION].floor)
    points = PENALTY_TILE_POINTS * tiles if tiles else EMPTY_ROW_POINTS
    player = replace(player, score=player.score + points)
    steps = [Step(PLAYER, PenaltyRowCounted(player, tiles, points))]
    for which in (PLAYER, ACTION):
        if lines_are_empty(boards[which]):
            player = replace(player, score=player.score + CLEAR_BOARD_POINTS)
            steps.append(Step(PLAYER, ClearBoardAward(player, which, CLEAR_BOARD_POINTS)))
    return steps + [Step(PLAYER, bonus) for bonus in bonuses(player)]


def lines_are_empty(board: Board) -> bool:
    """Return whether no pattern line holds a tile (S13)."""
    return not any(board.held)


# --- The end of the game ---------------------------------------------------------------------------------


class Victory(Enum):
    """The class of a final score; the values are the words of the record (S14)."""

    LOSS = "loss"
    GENERAL_INTEREST = "general interest"
    APPRENTICE = "apprentice"
    JOURNEYMAN = "journeyman"
    MASTER = "master"
    ARTISAN = "artisan"

    __repr__ = Enum.__str__


class Ending(Enum):
    """The reason why a game ended."""

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


def outcome(boards: Boards, ending: Ending) -> SoloOutcome:
    """Return the outcome of a game that is over (S7, S10, S14)."""
    score = boards[PLAYER].score
    if ending is Ending.EIGHTH_TILE:
        return SoloOutcome(score, Victory.LOSS, "S7", ending)
    if ending is Ending.NO_POINTS:
        return SoloOutcome(score, Victory.LOSS, "S10", ending)
    level = victory(score, clear=any(lines_are_empty(board) for board in boards))
    return SoloOutcome(score, level, "S14" if level is Victory.LOSS else None, ending)


def victory(score: int, *, clear: bool) -> Victory:
    """Return the victory for a final score; `clear`: at least one clear-board award was scored (S14)."""
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
