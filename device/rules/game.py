"""Games of all modes: `setup`, and the protocol `State` that the state of every mode implements.

    state = setup(Setup("standard", ("Ana", "Rui")))
    while not state.over:
        state = state.apply(state.chance(below) if state.chance_due else choose(state.legal()))

Every chance outcome and every choice is an event, so the same events always give the same state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from device.rules import standard
from device.rules.board import Board
from device.rules.errors import SetupError
from device.rules.events import Chance, Draft, Event
from device.rules.scoring import Account, Outcome
from device.rules.solo import game as solo
from device.rules.solo.scoring import SoloOutcome, Square
from device.rules.standard import Ruleset
from device.rules.tiles import Colour, Counts

RULESETS: Final = {each.name: each for each in (standard.STANDARD, standard.GRAY, standard.DTC)}
SOLO: Final = "solo"
MODES: Final = (*RULESETS, SOLO)


@dataclass(frozen=True, slots=True)
class Setup:
    """The decisions before the first tile is drawn; `first` is the seat that starts (R3).

    `level` and `wall` (of the player board) are the solo game's, which needs both (S1).
    """

    mode: str
    players: tuple[str, ...]
    first: int = 0
    level: str | None = None
    wall: str | None = None


class State(Protocol):
    """A game of any mode at one moment: an immutable, hashable value.

    Implemented by `StandardState` and `SoloState`. A seat is the index of a board from 0; the solo game has
    two boards for its one player.
    """

    # --- The position ---

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards by seat."""

    @property
    def sources(self) -> tuple[Counts, ...]:
        """The tiles of the centre, then of each display."""

    @property
    def turn(self) -> int:
        """The seat whose board the next draft goes to."""

    @property
    def starter(self) -> int | None:
        """The seat that starts this round, or before a deal the next one; None in solo."""

    @property
    def marker(self) -> int | None:
        """The seat that took the marker this round; None while it lies in the centre, and in solo."""

    @property
    def scoring_tile(self) -> Square | None:
        """The square of the action wall where the scoring tile lies; None without one (S1)."""

    @property
    def round(self) -> int:
        """The number of deals so far."""

    @property
    def bag(self) -> Counts:
        """The tiles to draw from."""

    @property
    def lid(self) -> Counts:
        """The discarded tiles; in solo those out of play."""

    @property
    def account(self) -> Account | None:
        """How the last round was scored, or in the middle of a wall-tiling this one."""

    # --- The course of the game ---

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def in_offer(self) -> bool:
        """Whether the next event is a draft."""

    @property
    def chance_due(self) -> type[Chance] | None:
        """The class of the chance event that is next; None if a choice is next, or the game is over."""

    @property
    def simultaneous(self) -> bool:
        """Whether seats choose at the same time, each for its own board, as on gray walls (G3)."""

    def to_act(self) -> tuple[int, ...]:
        """Return the seats that have a choice now; none if a chance event is due or the game is over."""

    def legal(self) -> list[Event]:
        """Return every legal choice of every seat that has one."""

    def apply(self, event: Event, /) -> "State":
        """Return the state after an event; raises IllegalEventError, with the reason, if it is illegal."""

    def chance(self, below: Callable[[int], int], /) -> Chance:
        """Draw the chance event that is due; `below(n)` returns a random integer from 0 to n - 1."""

    def stop(self) -> "State":
        """End the game between two rounds with its bonuses, as at the limit of automatic matches (R17).

        Raises IllegalEventError elsewhere, and in solo.
        """

    def outcome(self) -> Outcome | SoloOutcome | None:
        """Return how the game ended; None while it goes on (R15, S14)."""

    def forfeit(self, seat: int, /) -> Outcome:
        """Return the outcome if the bot at `seat` forfeits now; raises IllegalEventError in solo."""

    def closing_scores(self) -> tuple[int, ...] | None:
        """Return all scores before any bonus if the last event closed a round, else None (R12, S10)."""

    # --- Seats and boards ---

    def player_of(self, seat: int, /) -> int:
        """Return the seat of the player who plays the board at `seat`."""

    def keeps_score(self, seat: int, /) -> bool:
        """Return whether a board keeps a score and a floor: all but the action board of solo (S4, S9)."""

    def has_gray_wall(self, seat: int, /) -> bool:
        """Return whether a board's wall has no colours printed (G1, S11)."""

    def for_seat(self, seat: int, /) -> "State":
        """Return a state in which `seat` is the first to act, where seats choose at the same time."""

    # --- Sources and drafts ---

    @property
    def marker_in_centre(self) -> bool:
        """Whether the marker lies in the centre and can be taken (R6)."""

    def sources_to_draft(self) -> tuple[int, ...]:
        """Return the sources from which a draft may take tiles now (R5, S3)."""

    def sent_to_penalty_row(self, draft: Draft, /) -> tuple[Colour, ...]:
        """Return the tiles that a legal draft sends to the penalty row; none except in solo (S4 to S6)."""

    def loses_at_once(self, draft: Draft, /) -> bool:
        """Return whether a legal draft loses the game at once, by an eighth penalty tile (S7)."""

    # --- Deals ---

    @property
    def display_sizes(self) -> tuple[int, ...]:
        """How many tiles each display gets in the next deal, if there are enough (R4, S8)."""

    @property
    def refill(self) -> Counts:
        """The tiles that go into the bag when it runs empty during a deal: the lid, none in solo (R4)."""

    @property
    def penalty_spaces_due(self) -> tuple[int, ...]:
        """The spaces of the penalty row, from 1, that the chance event due will fill; none except in solo."""


def setup(chosen: Setup) -> State:
    """Return the state before the first chance event (R1, S1).

    Raises SetupError for an unknown mode, a wrong number of players, or choices that the mode does not have.
    """
    if chosen.mode == SOLO:
        return solo.setup(len(chosen.players), chosen.first, chosen.level, chosen.wall)
    rules = ruleset(chosen.mode)
    if (chosen.level, chosen.wall) != (None, None):
        raise SetupError(f"only a {SOLO} game has a level and a wall to choose, not {chosen.mode}")
    return standard.setup(rules, len(chosen.players), chosen.first)


def ruleset(mode: str) -> Ruleset:
    """Return the rules of a mode for two or more players by its name; raises SetupError if there is none."""
    if mode not in RULESETS:
        raise SetupError(f"there is no mode {mode!r}; the modes are {', '.join(MODES)}")
    return RULESETS[mode]
