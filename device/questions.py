"""What opponents at the table are asked, and what came of it, as values; `opponents.py` says what happens."""

from dataclasses import dataclass
from typing import Final

from device.reasons import Reason
from device.rules.board import Board
from device.rules.events import Choice, Event

OPPONENTS: Final = ("calm", "greedy", "strong", "master")
"""Those that come with the table, from the weakest to the best."""
STAND_IN: Final = "greedy"
"""Who chooses in the place of an opponent that does not."""

Position = tuple[Event, ...] | Board
"""What a choice is made about: the game's events so far; of a gray wall's column that board alone (G3)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question: which opponent, or who stands in for it, is to choose for one of the game's seats.

    It is asked again when no answer comes; the attempts are counted, and so are all questions.
    """

    number: int
    seat: int
    whom: str
    position: Position
    since: float
    attempt: int = 1
    hint: bool = False  # for a person


@dataclass(frozen=True, slots=True)
class Hint:
    """A choice that a person is advised to make, and what it gains against the next best, in points."""

    seat: int
    choice: Choice
    position: Position
    gain: float | None
    next_best: Event | None


@dataclass(frozen=True, slots=True)
class NoHint:
    """A hint that was asked for one of the game's seats and will not come, and why."""

    seat: int
    why: str  # gone_on: the game has; silent: no answer came


@dataclass(frozen=True, slots=True)
class Motive:
    """Why an opponent chose something, when the game had so many events."""

    seat: int
    at: int
    choice: Choice
    because: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an opponent chose for one of the game's seats, and since when it is shown, up to which step."""

    seat: int
    choice: Choice
    position: Position
    since: float
    step: int = 0


@dataclass(frozen=True, slots=True)
class StandIn:
    """Why somebody else chose for the opponent at a place; `for_good` to the end of the game."""

    place: int
    why: str
    detail: str = ""
    for_good: bool = False


@dataclass(frozen=True, slots=True)
class Manners:
    """How the opponents at this table are: the programs that it knows, and the pace that they show things at.

    Seconds: of the longest thought, and of a program's thinking in a whole game.
    """

    programs: tuple[str, ...] = ()
    pace: str = "normal"
    thought: float = 1.0
    program: float = 30.0


USUAL: Final = Manners()
"""Without any settings."""
