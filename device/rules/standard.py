"""The game for two to four players: coloured walls, gray walls and the DTC ruleset, by `Ruleset`.

The bag and the lid are counts; the tiles that are drawn arrive as a `Deal`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from device.rules import scoring
from device.rules.board import (
    FLOOR,
    LINES,
    Board,
    check_line,
    drop,
    legal_columns,
    lines_by_colour,
    next_full_line,
    place,
    tiles_on_floor,
)
from device.rules.dealing import DISPLAY_TILES, check_deal, deal
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import CENTRE, Chance, Deal, Draft, Event, Tile
from device.rules.scoring import Account, Outcome, Step
from device.rules.state import State
from device.rules.tiles import COLOURS, MARKER, NO_TILES, Counts, add, of_colour, total, without

DISPLAYS: Final = {2: 5, 3: 7, 4: 9}  # displays by number of players (R1)
FORFEIT_SCORE: Final = -50  # the score of a seat that forfeits


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The differences between the modes for two or more players."""

    name: str
    gray: bool = False  # the wall has no colours printed (G1)
    lid: bool = True  # False: discarded tiles go straight back to the bag (D1)
    most_players: int = 4


STANDARD: Final = Ruleset("standard")
GRAY: Final = Ruleset("gray", gray=True)
DTC: Final = Ruleset("dtc", lid=False, most_players=2)


class Phase(Enum):
    """The kind of event that a game waits for."""

    DEAL = "deal"
    OFFER = "offer"
    TILING = "tiling"
    OVER = "over"

    __repr__ = Enum.__str__


@dataclass(frozen=True, slots=True)
class StandardState(State):
    """A game for two to four at one moment."""

    ruleset: Ruleset = STANDARD
    phase: Phase = Phase.DEAL
    starter: int = 0
    marker: int | None = None

    # --- The course of the game ---

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase is Phase.OVER

    @property
    def in_offer(self) -> bool:
        """Whether the next event is a draft."""
        return self.phase is Phase.OFFER

    @property
    def chance_due(self) -> type[Chance] | None:
        """The class of the chance event that is due."""
        return Deal if self.phase is Phase.DEAL else None

    @property
    def simultaneous(self) -> bool:
        """Whether seats choose at the same time, each for its own board (G3)."""
        return self.phase is Phase.TILING

    def to_act(self) -> tuple[int, ...]:
        """Return the seats that have a choice: one in the offer, perhaps several on gray walls (R5, G3)."""
        if self.phase is Phase.OFFER:
            return (self.turn,)
        if self.phase is Phase.TILING:
            return tuple(seat for seat, _ in _seats_with_full_lines(self.boards))
        return ()

    def legal(self) -> list[Event]:
        """Return every legal choice of all seats that have one (R5, R7, G1)."""
        if self.phase is Phase.OFFER:
            return _legal_drafts(self)
        if self.phase is Phase.TILING:
            return [
                Tile(seat, line, column)
                for seat, line in _seats_with_full_lines(self.boards)
                for column in legal_columns(self.boards[seat], line)
            ]
        return []

    def apply(self, event: Event) -> "StandardState":
        """Return the state after an event; raises IllegalEventError if the rules forbid it."""
        if isinstance(event, Draft):
            return _draft(self, event)
        if isinstance(event, Tile):
            return _tile(self, event)
        if isinstance(event, Deal):
            return _deal(self, event)
        raise IllegalEventError("wrong_mode", f"a {self.ruleset.name} game has no such event: {event}")

    def chance(self, below: Callable[[int], int]) -> Deal:
        """Draw the next deal (R4); `below(n)` returns a random integer from 0 to n - 1."""
        return deal(self.bag, self.lid, len(self.sources) - 1, below)

    def stop(self) -> "StandardState":
        """End the game between two rounds with its bonuses (R17); raises IllegalEventError elsewhere."""
        if self.phase is not Phase.DEAL:
            raise IllegalEventError("not_now", "a game can be stopped between two rounds only")
        return _end(self)

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it goes on (R15)."""
        return scoring.outcome(self.boards) if self.phase is Phase.OVER else None

    def forfeit(self, seat: int) -> Outcome:
        """Return the outcome if `seat` forfeits here: -50 points for it, the others keep their scores."""
        boards = list(self.boards)
        boards[seat] = replace(boards[seat], score=FORFEIT_SCORE)
        return scoring.outcome(boards)  # no other score is below 0

    def closing_scores(self) -> tuple[int, ...] | None:
        """Return all scores before the bonuses if a wall-tiling has just been closed, else None (R12)."""
        if self.phase in (Phase.OFFER, Phase.TILING) or self.account is None:
            return None
        return self.account.totals

    # --- Seats and boards ---

    def has_gray_wall(self, _seat: int) -> bool:
        """Return whether a board's wall has no colours printed (G1)."""
        return self.ruleset.gray

    def for_seat(self, seat: int) -> "StandardState":
        """Return the state with `seat` first to act, where several seats choose at the same time (G3)."""
        if not self.simultaneous:
            return self
        boards = [
            board if at == seat else replace(board, colours=(None,) * 5, held=(0,) * 5)
            for at, board in enumerate(self.boards)
        ]
        return replace(self, boards=tuple(boards))

    # --- Sources and drafts ---

    @property
    def marker_in_centre(self) -> bool:
        """Whether the marker lies in the centre: in an offer, until a seat takes tiles from there (R6)."""
        return self.marker is None and any(tiles != NO_TILES for tiles in self.sources)

    def check_draft(self, draft: Draft) -> int:
        """Return how many tiles a draft takes; raises IllegalEventError if it is illegal (R5, R7)."""
        if self.phase is not Phase.OFFER:
            raise IllegalEventError("not_now", "there is nothing to draft now")
        if not 0 <= draft.source < len(self.sources):
            raise IllegalEventError("source_empty", f"there is no display {draft.source} in this game")
        number = self.sources[draft.source][draft.colour]
        if not number:
            source = f"display {draft.source}" if draft.source else "the centre"
            raise IllegalEventError("source_empty", f"{source} holds no {draft.colour.name.lower()} tile")
        if draft.line != FLOOR:
            check_line(self.boards[self.turn], draft.line, draft.colour)
        return number

    def board_after(self, draft: Draft) -> tuple[Board, Counts]:
        """Return the drafting seat's board after a legal draft, and the tiles that did not fit (R6 to R8)."""
        board = self.boards[self.turn]
        if draft.source == CENTRE and self.marker is None:
            board, _ = drop(board, (MARKER,))  # R6: before the tiles, and never onto a full floor
        return place(board, draft.colour, self.sources[draft.source][draft.colour], draft.line)

    # --- Deals ---

    @property
    def display_sizes(self) -> tuple[int, ...]:
        """How many tiles each display gets in a deal (R4)."""
        return (DISPLAY_TILES,) * (len(self.sources) - 1)

    @property
    def refill(self) -> Counts:
        """The tiles that go into the bag when it runs empty during a deal: the lid (R4)."""
        return self.lid


def setup(ruleset: Ruleset, players: int, first: int) -> StandardState:
    """Return a game before its first deal (R1, R3).

    Raises SetupError for a wrong number of players or a first seat that is none of them.
    """
    if not 2 <= players <= ruleset.most_players:
        allowed = "2" if ruleset.most_players == 2 else f"2 to {ruleset.most_players}"
        raise SetupError(f"{ruleset.name} is a game for {allowed} players, not {players}")
    if not 0 <= first < players:
        raise SetupError(f"the first player is a seat from 0 to {players - 1}, not {first}")
    sources = (NO_TILES,) * (DISPLAYS[players] + 1)
    boards = (Board(),) * players
    return StandardState(boards, sources, first, ruleset=ruleset, starter=first)


# --- Deals and drafts ------------------------------------------------------------------------------------


def _deal(state: StandardState, event: Deal) -> StandardState:
    if state.phase is not Phase.DEAL:
        raise IllegalEventError("not_now", "there is nothing to deal now")
    bag, lid = check_deal(event, state.bag, state.lid, len(state.sources) - 1)
    return replace(
        state,
        phase=Phase.OFFER,
        sources=(NO_TILES, *event.displays),
        marker=None,
        round=state.round + 1,
        bag=bag,
        lid=lid,
    )


_DRAFTS: Final = tuple(
    tuple(tuple(Draft(source, colour, line) for line in (FLOOR, *LINES)) for colour in COLOURS)
    for source in range(max(DISPLAYS.values()) + 1)
)
"""All possible drafts by source, colour and line, made once for speed."""


def _legal_drafts(state: StandardState) -> list[Event]:
    board = state.boards[state.turn]
    lines = [(*each, FLOOR) for each in lines_by_colour(board)]
    return [
        drafts[line]
        for source, tiles in enumerate(state.sources)
        if tiles != NO_TILES
        for number, drafts, open_now in zip(tiles, _DRAFTS[source], lines, strict=True)
        if number
        for line in open_now
    ]


def _draft(state: StandardState, event: Draft) -> StandardState:
    number = state.check_draft(event)
    seat = state.turn
    board, over = state.board_after(event)
    sources = list(state.sources)
    marker = state.marker
    rest = without(sources[event.source], of_colour(event.colour, number))
    if event.source == CENTRE:
        sources[CENTRE] = rest
        marker = seat if marker is None else marker
    else:
        sources[event.source] = NO_TILES
        sources[CENTRE] = add(sources[CENTRE], rest)
    bag, lid = _discarded(state, over)
    after = StandardState(
        (*state.boards[:seat], board, *state.boards[seat + 1 :]),
        tuple(sources),
        (seat + 1) % len(state.boards),
        state.round,
        bag,
        lid,
        state.account,
        state.ruleset,
        Phase.OFFER,
        state.starter,
        marker,
    )
    if any(tiles != NO_TILES for tiles in sources):
        return after
    account = Account(after.round, after.boards)
    return _go_on_tiling(replace(after, phase=Phase.TILING, account=account), [])  # R9


def _discarded(state: StandardState, tiles: Counts) -> tuple[Counts, Counts]:
    """Return the bag and the lid with discarded tiles: in the lid, or back in the bag (R10, D1)."""
    if tiles == NO_TILES:
        return state.bag, state.lid
    return (state.bag, add(state.lid, tiles)) if state.ruleset.lid else (add(state.bag, tiles), state.lid)


# --- Wall-tiling -----------------------------------------------------------------------------------------


def _tile(state: StandardState, event: Tile) -> StandardState:
    if state.phase is not Phase.TILING:
        raise IllegalEventError("not_now", "there is no tile to place now")
    if (event.seat, event.row) not in _seats_with_full_lines(state.boards):
        raise IllegalEventError("not_now", f"seat {event.seat} has no tile to place in row {event.row}")
    board = state.boards[event.seat]
    if event.column not in legal_columns(board, event.row):
        raise IllegalEventError(
            "column_taken", f"row {event.row} can't take this tile in column {event.column}"
        )
    placed = scoring.tile_line(board, event.row, event.column)
    boards = (*state.boards[: event.seat], placed.board, *state.boards[event.seat + 1 :])
    bag, lid = _discarded(state, of_colour(placed.colour, event.row - 1))
    return _go_on_tiling(replace(state, boards=boards, bag=bag, lid=lid), [Step(event.seat, placed)])


def _seats_with_full_lines(boards: tuple[Board, ...]) -> list[tuple[int, int]]:
    """Return each seat that has a full line, with its topmost one."""
    return [(seat, line) for seat, board in enumerate(boards) if (line := next_full_line(board)) is not None]


def _go_on_tiling(state: StandardState, steps: list[Step]) -> StandardState:
    """Tile every board up to its next choice; if no player has a choice, finish the round."""
    assert state.account is not None
    boards = []
    discarded = []
    for seat, board in enumerate(state.boards):
        items, over = scoring.tile_full_lines(board, gray=state.ruleset.gray)
        boards.append(items[-1].board if items else board)
        steps += [Step(seat, item) for item in items]
        discarded.append(over)
    bag, lid = _discarded(state, total(discarded))
    account = replace(state.account, steps=(*state.account.steps, *steps))
    after = replace(state, boards=tuple(boards), bag=bag, lid=lid, account=account)
    return after if _seats_with_full_lines(after.boards) else _finish_round(after, account)


def _finish_round(state: StandardState, account: Account) -> StandardState:
    """Charge the floors (R12); then end the game (R13, R16), or wait for the next deal."""
    charged = [scoring.charge_floor(board) for board in state.boards]
    bag, lid = _discarded(state, total(tiles_on_floor(board) for board in state.boards))
    steps = (*account.steps, *(Step(seat, item) for seat, item in enumerate(charged)))
    starter = state.starter if state.marker is None else state.marker
    after = replace(
        state,
        phase=Phase.DEAL,
        boards=tuple(item.board for item in charged),
        turn=starter,
        starter=starter,
        bag=bag,
        lid=lid,
        account=replace(account, steps=tuple(sorted(steps, key=lambda step: step.seat))),
    )
    row_complete = any(scoring.complete_rows(board.wall) for board in after.boards)
    nothing_to_deal = after.bag == NO_TILES == after.lid
    return _end(after) if row_complete or nothing_to_deal else after


def _end(state: StandardState) -> StandardState:
    """End the game with its bonuses (R14)."""
    account = state.account or Account(state.round, state.boards)
    steps = [Step(seat, given) for seat, board in enumerate(state.boards) for given in scoring.bonuses(board)]
    account = replace(account, steps=(*account.steps, *steps))
    return replace(state, phase=Phase.OVER, boards=account.boards_after(len(account.steps)), account=account)
