"""The state of a game: the base class that the state of every mode implements."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from device.rules.board import Board
from device.rules.events import Chance, Draft, Event
from device.rules.scoring import Account, Outcome
from device.rules.solo.scoring import SoloOutcome, Square
from device.rules.tiles import ALL_TILES, NO_TILES, Colour, Counts


@dataclass(frozen=True, slots=True)
class State(ABC):
    """A game of any mode at one moment: an immutable, hashable value without hidden information.

    A seat is the index of a board; the solo game has two boards for its one player. What only some modes have
    is answered for the others here.
    """

    boards: tuple[Board, ...]  # by seat
    sources: tuple[Counts, ...]  # the tiles of the centre, then of each display
    turn: int  # the seat whose board the next draft goes to
    round: int = 0  # the number of deals so far
    bag: Counts = ALL_TILES
    lid: Counts = NO_TILES  # the discarded tiles; in solo those out of play
    account: Account | None = None  # how the last round was scored; in the middle of a wall-tiling, this one

    # --- The course of the game ---

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    @abstractmethod
    def in_offer(self) -> bool:
        """Whether the next event is a draft."""

    @property
    @abstractmethod
    def chance_due(self) -> type[Chance] | None:
        """The class of the chance event that is next; None if a choice is next, or the game is over."""

    @property
    def simultaneous(self) -> bool:
        """Whether seats choose at the same time, each for its own board, as on gray walls (G3)."""
        return False

    @abstractmethod
    def to_act(self) -> tuple[int, ...]:
        """Return the seats that have a choice now; none if a chance event is due or the game is over."""

    @abstractmethod
    def legal(self) -> list[Event]:
        """Return every legal choice of every seat that has one."""

    @abstractmethod
    def apply(self, event: Event, /) -> "State":
        """Return the state after an event; raises IllegalEventError, with the reason, if it is illegal."""

    @abstractmethod
    def chance(self, below: Callable[[int], int], /) -> Chance:
        """Draw the chance event that is due; `below(n)` returns a random integer from 0 to n - 1."""

    @abstractmethod
    def stop(self) -> "State":
        """End the game between two rounds with its bonuses, as at the limit of automatic matches (R17).

        Raises IllegalEventError elsewhere, and in solo.
        """

    @abstractmethod
    def outcome(self) -> Outcome | SoloOutcome | None:
        """Return how the game ended; None while it goes on (R15, S14)."""

    @abstractmethod
    def forfeit(self, seat: int, /) -> Outcome:
        """Return the outcome if the bot at `seat` forfeits now; raises IllegalEventError in solo."""

    @abstractmethod
    def closing_scores(self) -> tuple[int, ...] | None:
        """Return all scores before any bonus if the last event closed a round, else None (R12, S10)."""

    # --- Seats and boards ---

    @property
    def starter(self) -> int | None:
        """The seat that starts this round, or before a deal the next one; None in solo."""
        return None

    @property
    def marker(self) -> int | None:
        """The seat that took the marker this round; None while it lies in the centre, and in solo."""
        return None

    @property
    def scoring_tile(self) -> Square | None:
        """The square of the action wall where the scoring tile lies; None without one (S1)."""
        return None

    def player_of(self, seat: int, /) -> int:
        """Return the seat of the player who plays the board at `seat`."""
        return seat

    def keeps_score(self, _seat: int, /) -> bool:
        """Return whether a board keeps a score and a floor: all but the action board of solo (S4, S9)."""
        return True

    @abstractmethod
    def has_gray_wall(self, seat: int, /) -> bool:
        """Return whether a board's wall has no colours printed (G1, S11)."""

    def for_seat(self, _seat: int, /) -> "State":
        """Return a state in which only this seat has a choice, where seats choose at the same time."""
        return self

    # --- Sources and drafts ---

    @property
    def marker_in_centre(self) -> bool:
        """Whether the marker lies in the centre and can be taken (R6)."""
        return False

    def sources_to_draft(self) -> tuple[int, ...]:
        """Return the sources from which a draft may take tiles now: all that hold some (R5)."""
        return tuple(source for source, tiles in enumerate(self.sources) if tiles != NO_TILES)

    def sent_to_penalty_row(self, _draft: Draft, /) -> tuple[Colour, ...]:
        """Return the tiles that a legal draft sends to the penalty row; none except in solo (S4 to S6)."""
        return ()

    def loses_at_once(self, _draft: Draft, /) -> bool:
        """Return whether a legal draft loses the game at once, by an eighth penalty tile (S7)."""
        return False

    # --- Deals ---

    @property
    @abstractmethod
    def display_sizes(self) -> tuple[int, ...]:
        """How many tiles each display gets in the next deal, if there are enough (R4, S8)."""

    @property
    def refill(self) -> Counts:
        """The tiles that go into the bag when it runs empty during a deal: the lid, none in solo (R4)."""
        return NO_TILES

    @property
    def penalty_spaces_due(self) -> tuple[int, ...]:
        """The spaces of the penalty row, from 1, that the chance event due will fill; none except in solo."""
        return ()
