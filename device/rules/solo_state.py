"""What a solo game is at one moment (S1, S2)."""

from dataclasses import dataclass, replace
from typing import Any, Final

from device.rules import solo_dealing
from device.rules.errors import IllegalEventError
from device.rules.penalty_row import ACTION, PLAYER, Boards
from device.rules.scoring import Account, Part, Step
from device.rules.solo_scoring import Ending, Square
from device.rules.solo_steps import ActionTilePlaced
from device.rules.standard import Phase
from device.rules.tiles import ALL_TILES, NO_TILES, Colour, Counts, letter


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
    sources: tuple[Counts, ...] = (NO_TILES,) * (solo_dealing.DISPLAYS + 1)  # 0, always empty; the displays
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
    return solo_dealing.display_sizes(fifth_tile=state.fifth_tile)


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
