"""The kinds of steps that only a solo game's account has (S8 to S11, S13).

Each carries the one board that it changes: points always change the player board, which keeps the score.
"""

from dataclasses import dataclass

from device.rules.board import Board
from device.rules.tiles import Colour


@dataclass(frozen=True, slots=True)
class ActionTilePlaced:
    """A full line of the action board moved its tile to the wall, perhaps onto the scoring tile (S8, S9)."""

    board: Board
    row: int
    column: int
    colour: Colour
    covers: bool  # the scoring tile lay there and is gone now
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyDrawn:
    """Action line 1: the leftmost penalty tile went back into the bag, and one was drawn before (S8).

    None where there was no tile to set aside, or the bag held none to draw.
    """

    board: Board
    aside: Colour | None
    drawn: Colour | None
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltySwapped:
    """Action line 2: the penalty tile at `position` from the left changed places with the next (S8)."""

    board: Board
    position: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class FifthTileDue:
    """Action line 2 without two penalty tiles: display 5 gets five tiles in the next round (S8)."""

    board: Board
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyRemoved:
    """Action lines 3 to 5: the penalty tile at `position` from the left went out of play (S8)."""

    board: Board
    line: int
    position: int
    colour: Colour
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyKept:
    """Action lines 3 to 5: a penalty tile could have been removed, and the player left it (S8)."""

    board: Board
    line: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class BesideScoringTile:
    """An action tile was placed beside the scoring tile, as the 1st to the 4th (S9)."""

    board: Board
    nth: int
    points: int


@dataclass(frozen=True, slots=True)
class PenaltyCharged:
    """The penalty row was charged: its tiles, what they cost, and what was lost (S10)."""

    board: Board
    tiles: int
    cost: int
    points: int  # 0 or less: a score never drops below 0


@dataclass(frozen=True, slots=True)
class FloorCleared:
    """The player board's floor went out of play without a charge (S11)."""

    board: Board
    tiles: int
    points: int = 0


@dataclass(frozen=True, slots=True)
class PenaltyRowCounted:
    """At the end: the award for an empty penalty row, or 8 points lost for each tile in it (S13)."""

    board: Board
    tiles: int
    points: int


@dataclass(frozen=True, slots=True)
class ClearBoardAward:
    """At the end: the award for a board whose lines are all empty; `which` is PLAYER or ACTION (S13)."""

    board: Board
    which: int
    points: int


SoloPart = (
    ActionTilePlaced
    | PenaltyDrawn
    | PenaltySwapped
    | FifthTileDue
    | PenaltyRemoved
    | PenaltyKept
    | BesideScoringTile
    | PenaltyCharged
    | FloorCleared
    | PenaltyRowCounted
    | ClearBoardAward
)
