"""What a solo game draws: displays of at least two colours, and the penalty row (S1, S15)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from device.rules.dealing import DISPLAY_TILES, draw
from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Penalty
from device.rules.scoring import Account, Part, Step
from device.rules.solo.penalty_row import ACTION, PLAYER, Boards
from device.rules.solo.scoring import Ending, Square
from device.rules.solo.steps import ActionTilePlaced
from device.rules.standard import Phase
from device.rules.tiles import (
    ALL_TILES,
    NO_TILES,
    Colour,
    Counts,
    add,
    count,
    holds,
    letter,
    letters,
    of_colour,
    without,
)

DISPLAYS: Final = 5
MOST_OF_A_COLOUR: Final = 2
"""A third tile of a colour is no penalty tile at the start: another one is drawn instead (S1)."""


def sizes_of_displays(*, fifth_tile: bool) -> list[int]:
    """How many tiles each display gets; display 5 gets one more where action line 2 says so (S8)."""
    return [DISPLAY_TILES] * (DISPLAYS - 1) + [DISPLAY_TILES + fifth_tile]


def deal(bag: Counts, sizes: list[int], below: Callable[[int], int]) -> Deal:
    """Fill the displays at random; `below(n)` gives a whole number from 0 to n - 1.

    Of a display of one colour one tile goes back, and one of another colour is drawn for it (S1, S15).
    """
    displays = []
    for size in sizes:
        tiles = count(draw(bag, size, below))
        if _must_change(tiles, bag):
            only = Colour(tiles.index(size))
            others = without(bag, of_colour(only, bag[only]))
            tiles = add(of_colour(only, size - 1), count(draw(others, 1, below)))
        displays.append(tiles)
        bag = without(bag, tiles)
    return Deal(tuple(displays))


def check_deal(event: Deal, bag: Counts, sizes: list[int]) -> Counts:
    """The bag after a deal; raises IllegalEventError, naming the display, where it can't have been drawn."""
    if len(event.displays) != len(sizes):
        raise IllegalEventError(
            "wrong_deal", f"{len(sizes)} displays are to be filled, not {len(event.displays)}"
        )
    for number, (tiles, size) in enumerate(zip(event.displays, sizes, strict=True), start=1):
        if min(tiles) < 0 or sum(tiles) != size:
            raise IllegalEventError(
                "wrong_deal", f"display {number} gets {size} tiles, not {letters(tiles)!r}"
            )
        if not holds(bag, tiles):
            raise IllegalEventError(
                "wrong_deal", f"display {number} can't be {letters(tiles)!r}: the bag holds {letters(bag)!r}"
            )
        if _must_change(tiles, bag):
            raise IllegalEventError(
                "wrong_deal",
                f"display {number} can't be {letters(tiles)!r}: the bag holds another colour for it",
            )
        bag = without(bag, tiles)
    return bag


def _must_change(tiles: Counts, bag: Counts) -> bool:
    """Whether a display is all of one colour while the bag, which it was drawn from, holds another."""
    colours = sum(number > 0 for number in tiles)
    return colours == 1 and sum(number > 0 for number in bag) > 1


def draw_penalty(bag: Counts, number: int, below: Callable[[int], int]) -> Penalty:
    """Draw the penalty row of the start: a third tile of a colour is set aside and another drawn (S1)."""
    row: list[Colour] = []
    while len(row) < number:
        drawn = draw(bag, 1, below)[0]
        bag = without(bag, of_colour(drawn, 1))
        if row.count(drawn) < MOST_OF_A_COLOUR:
            row.append(drawn)
    return Penalty(tuple(row))


def check_penalty(event: Penalty, bag: Counts, number: int) -> Counts:
    """The bag after the penalty row is drawn; raises IllegalEventError where it can't have been."""
    tiles = count(event.tiles)
    if len(event.tiles) != number:
        raise IllegalEventError(
            "wrong_penalty", f"the penalty row starts with {number} tiles, not {len(event.tiles)}"
        )
    for colour in Colour:
        if tiles[colour] > MOST_OF_A_COLOUR:
            raise IllegalEventError(
                "wrong_penalty",
                f"the penalty row starts with two {letter(colour)} at most: {letters(tiles)!r}",
            )
    if not holds(bag, tiles):
        raise IllegalEventError(
            "wrong_penalty", f"the penalty row can't hold {letters(tiles)!r}: the bag holds {letters(bag)!r}"
        )
    return without(bag, tiles)


# --- What a solo game is at one moment (S1, S2) ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Level:
    """How hard a game is: the tiles in the penalty row at the start, and the score (S1, S2)."""

    name: str
    penalty_tiles: int
    score: int


EASY: Final = Level("easy", 5, 20)
NORMAL: Final = Level("normal", 6, 20)
EXPERT: Final = Level("expert", 7, 15)
LEVELS: Final = {each.name: each for each in (EASY, NORMAL, EXPERT)}
WALLS: Final = ("coloured", "gray")


@dataclass(frozen=True, slots=True)
class State:
    """A solo game at one moment; what it shares with the standard game's state has the same name there."""

    level: Level
    gray: bool  # the player board's wall; the action board's is always coloured
    phase: Phase
    boards: Boards  # PLAYER, which keeps the score, and ACTION, whose floor is the penalty row
    sources: tuple[Counts, ...] = (NO_TILES,) * (DISPLAYS + 1)  # 0, always empty; the displays
    turn: int = ACTION  # the board that the next pick goes to
    scoring_colour: Colour | None = None  # drawn for the scoring tile
    scoring_tile: Square | None = None  # where it lies; None before it is put down and once it is covered
    acting: ActionTilePlaced | None = None  # the action tile whose line asks for a draw or a choice now
    fifth_tile: bool = False  # display 5 gets five tiles in the next deal
    refilled: bool = False  # the tiles out of play have gone back into the bag, once in a game
    round: int = 0
    bag: Counts = ALL_TILES
    lid: Counts = NO_TILES  # the tiles out of play
    account: Account | None = None  # how this round, or the last one, was scored
    ending: Ending | None = None


def display_sizes(state: State) -> list[int]:
    """How many tiles the displays get in the next deal."""
    return sizes_of_displays(fifth_tile=state.fifth_tile)


def check_in_bag(state: State, colour: Colour) -> None:
    """Raise IllegalEventError where a tile of a colour can't be drawn."""
    if not state.bag[colour]:
        raise IllegalEventError("wrong_draw", f"{letter(colour)} can't be drawn: the bag holds none")


def noted(state: State, seat: int, what: Part, **changes: Any) -> State:
    """The state with one more step in its account, with that step's board, and with other changes."""
    assert state.account is not None
    player, action = state.boards
    boards = (what.board, action) if seat == PLAYER else (player, what.board)
    account = replace(state.account, steps=(*state.account.steps, Step(seat, what)))
    return replace(state, boards=boards, account=account, **changes)
