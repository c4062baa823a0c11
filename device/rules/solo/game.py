"""The solo game: one player, a player board, and an action board whose floor is the penalty row (S1 to S15).

Each phase takes one kind of event. The account shows a round from its last draft on: the action board line
by line, the charge for the penalty row, the player board, and at the end of the game the end scoring.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, NoReturn

from device.rules import scoring
from device.rules.board import (
    FLOOR,
    WALL_PATTERN,
    Board,
    check_line,
    fill,
    legal_columns,
    lines_by_colour,
    next_full_line,
    printed_column,
    set_tile,
    tiles_on_floor,
)
from device.rules.dealing import (
    DISPLAY_TILES,
    check_deal_two_colours,
    check_in_bag,
    check_penalty_row,
    deal_two_colours,
    draw,
    draw_penalty_row,
)
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import (
    Chance,
    Deal,
    Draft,
    Draw,
    Event,
    Penalty,
    Remove,
    Scoring,
    ScoringColour,
    Swap,
    Tile,
)
from device.rules.scoring import Account, Item, Step
from device.rules.solo import penalty_row
from device.rules.solo import scoring as solo_scoring
from device.rules.solo.penalty_row import ACTION, PLAYER, Boards
from device.rules.solo.scoring import (
    ActionTilePlaced,
    Ending,
    FifthTileDue,
    FloorCleared,
    PenaltyDrawn,
    PenaltyKept,
    PenaltyRemoved,
    PenaltySwapped,
    SoloOutcome,
    Square,
)
from device.rules.state import State
from device.rules.tiles import COLOURS, NO_TILES, Colour, Counts, add, of_colour, without

DISPLAYS: Final = 5
INNER: Final = (2, 3, 4)  # the rows and the columns of the squares where the scoring tile may lie (S1)


@dataclass(frozen=True, slots=True)
class Level:
    """The difficulty of a game: the tiles in the penalty row at the start, and the score (S1, S2)."""

    name: str
    penalty_tiles: int
    score: int


EASY: Final = Level("easy", 5, 20)
NORMAL: Final = Level("normal", 6, 20)
EXPERT: Final = Level("expert", 7, 15)
LEVELS: Final = {each.name: each for each in (EASY, NORMAL, EXPERT)}
WALLS: Final = ("coloured", "gray")


class Phase(Enum):
    """The kind of event that a solo game waits for (S1, S3, S8, S11)."""

    DEAL = "deal"
    PENALTY = "penalty"
    COLOUR = "colour"
    SCORING = "scoring"
    OFFER = "offer"
    DRAW = "draw"
    SWAP = "swap"
    REMOVE = "remove"
    TILING = "tiling"
    OVER = "over"

    __repr__ = Enum.__str__


@dataclass(frozen=True, slots=True)
class SoloState(State):
    """A solo game at one moment; its seats are PLAYER and ACTION."""

    boards: Boards
    level: Level = EASY
    gray: bool = False  # the player board's wall; the action board's is always coloured
    phase: Phase = Phase.DEAL
    scoring_colour: Colour | None = None  # drawn for the scoring tile
    scoring_tile: Square | None = None  # None before it is put down and once it is covered
    acting: ActionTilePlaced | None = None  # the action tile whose line asks for a draw or a choice now
    fifth_tile: bool = False  # display 5 gets five tiles in the next deal
    refilled: bool = False  # the tiles out of play have gone back into the bag, once in a game
    ending: Ending | None = None

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
        return _CHANCES.get(self.phase)

    def to_act(self) -> tuple[int, ...]:
        """Return the only player's seat when it has a choice."""
        return () if self.phase is Phase.OVER or self.phase in _CHANCES else (PLAYER,)

    def legal(self) -> list[Event]:
        """Return every legal choice."""
        match self.phase:
            case Phase.SCORING:
                return [Scoring(*square) for square in _scoring_squares(self)]
            case Phase.OFFER:
                return _legal_picks(self)
            case Phase.SWAP:
                return [Swap(position) for position in range(1, len(self.boards[ACTION].floor))]
            case Phase.REMOVE:
                return [*(Remove(position) for position in _removable(self)), Remove(None)]
            case Phase.TILING:
                line = _line_to_tile(self)
                return [Tile(PLAYER, line, column) for column in legal_columns(self.boards[PLAYER], line)]
            case _:
                return []

    def apply(self, event: Event) -> "SoloState":
        """Return the state after an event; raises IllegalEventError if the rules forbid it."""
        phase, transition = _TRANSITIONS[type(event)]
        if self.phase is not phase:
            raise IllegalEventError("not_now", f"{_DUE[phase]} is not due now; due is {_DUE[self.phase]}")
        return transition(self, event)

    def chance(self, below: Callable[[int], int]) -> Chance:
        """Draw the chance event that is due; `below(n)` returns a random integer from 0 to n - 1.

        Raises IllegalEventError if none is due.
        """
        match self.phase:
            case Phase.DEAL:
                return deal_two_colours(self.bag, self.display_sizes, below)
            case Phase.PENALTY:
                return draw_penalty_row(self.bag, self.level.penalty_tiles, below)
            case Phase.COLOUR:
                return ScoringColour(draw(self.bag, 1, below)[0])
            case Phase.DRAW:
                return Draw(draw(self.bag, 1, below)[0])
            case _:
                raise IllegalEventError("not_now", f"there is nothing to draw now; due is {_DUE[self.phase]}")

    def stop(self) -> NoReturn:
        """Raise IllegalEventError: a solo game always ends by itself (S12)."""
        raise IllegalEventError("wrong_mode", "a solo game can't be stopped: S12 alone ends it")

    def outcome(self) -> SoloOutcome | None:
        """Return how the game ended; None while it goes on (S7, S10, S12, S14)."""
        return None if self.ending is None else solo_scoring.outcome(self.boards, self.ending)

    def forfeit(self, _seat: int) -> NoReturn:
        """Raise IllegalEventError: there is nobody else who could win."""
        raise IllegalEventError("wrong_mode", "a solo game can't be forfeited: nobody is left to win it")

    def closing_scores(self) -> tuple[int, ...] | None:
        """Return the score before the end scoring if a round has just been closed, else None (S10 to S12).

        A loss by an eighth penalty tile closes no round (S7).
        """
        closed = self.phase in (Phase.DEAL, Phase.OVER) and self.ending is not Ending.EIGHTH_TILE
        return (self.account.totals[PLAYER],) if closed and self.account is not None else None

    # --- Seats and boards ---

    def player_of(self, _seat: int) -> int:
        """Return PLAYER: both boards are one player's."""
        return PLAYER

    def keeps_score(self, seat: int) -> bool:
        """Return whether it is the player board; the action board keeps no score (S4, S9)."""
        return seat == PLAYER

    def has_gray_wall(self, seat: int) -> bool:
        """Return whether a board's wall has no colours printed (S11)."""
        return self.gray and seat == PLAYER

    # --- Sources and drafts ---

    def sources_to_draft(self) -> tuple[int, ...]:
        """Return the first display that holds tiles; none outside the offer (S3)."""
        return State.sources_to_draft(self)[:1] if self.in_offer else ()

    def sent_to_penalty_row(self, draft: Draft) -> tuple[Colour, ...]:
        """Return the tiles that a legal draft sends to the penalty row, in order (S4 to S6)."""
        return preview(self, draft).sent

    def loses_at_once(self, draft: Draft) -> bool:
        """Return whether a legal draft sends an eighth tile to the penalty row (S7)."""
        return preview(self, draft).loses

    # --- Deals ---

    @property
    def display_sizes(self) -> tuple[int, ...]:
        """How many tiles each display gets in the next deal; display 5 perhaps one more (S8)."""
        return (DISPLAY_TILES,) * (DISPLAYS - 1) + (DISPLAY_TILES + self.fifth_tile,)

    @property
    def penalty_spaces_due(self) -> tuple[int, ...]:
        """The spaces of the penalty row, from 1, that the chance event due will fill (S1, S8)."""
        if self.phase is Phase.PENALTY:
            return tuple(range(1, self.level.penalty_tiles + 1))
        return (max(1, len(self.boards[ACTION].floor)),) if self.phase is Phase.DRAW else ()


def setup(players: int, first: int, level: str | None, wall: str | None) -> SoloState:
    """Return a game before its first deal (S1, S2); `wall` is the player board's.

    Raises SetupError unless there is one player, at seat 0, and the level and the wall exist.
    """
    if (players, first) != (1, 0):
        raise SetupError(f"solo is a game for 1 player, at seat 0; not for {players}, seat {first} first")
    if level not in LEVELS:
        raise SetupError(f"a solo game's level is {', '.join(LEVELS)}; not {level!r}")
    if wall not in WALLS:
        raise SetupError(f"a solo game's wall is {' or '.join(WALLS)}; not {wall!r}")
    boards = (Board(score=LEVELS[level].score), Board())
    sources = (NO_TILES,) * (DISPLAYS + 1)  # the centre stays empty
    return SoloState(boards, sources, ACTION, level=LEVELS[level], gray=wall == "gray")


# --- Setup and deals (S1, S12, S15) ----------------------------------------------------------------------


def _deal(state: SoloState, event: Deal) -> SoloState:
    bag = check_deal_two_colours(event, state.bag, state.display_sizes)
    return replace(
        state,
        phase=Phase.OFFER if state.round else Phase.PENALTY,
        sources=(NO_TILES, *event.displays),
        turn=ACTION,
        fifth_tile=False,
        round=state.round + 1,
        bag=bag,
    )


def _penalty(state: SoloState, event: Penalty) -> SoloState:
    bag = check_penalty_row(event, state.bag, state.level.penalty_tiles)
    action = replace(state.boards[ACTION], floor=event.tiles)
    return replace(state, phase=Phase.COLOUR, boards=(state.boards[PLAYER], action), bag=bag)


def _colour(state: SoloState, event: ScoringColour) -> SoloState:
    check_in_bag(state.bag, event.colour)
    return replace(state, phase=Phase.SCORING, scoring_colour=event.colour)


def _scoring_squares(state: SoloState) -> list[Square]:
    """Return the squares of the action wall where the scoring tile may be put (S1)."""
    colour = state.scoring_colour
    return [(row, column) for row in INNER for column in INNER if WALL_PATTERN[row - 1][column - 1] is colour]


def _scoring(state: SoloState, event: Scoring) -> SoloState:
    square = (event.row, event.column)
    if square not in _scoring_squares(state):
        allowed = ", ".join(f"row {row} column {column}" for row, column in _scoring_squares(state))
        raise IllegalEventError(
            "wrong_square", f"the scoring tile goes to an inner square of its colour: {allowed}"
        )
    return replace(state, phase=Phase.OFFER, scoring_tile=square)


# --- Picks (S3 to S7) ------------------------------------------------------------------------------------


def _legal_picks(state: SoloState) -> list[Event]:
    (display,) = state.sources_to_draft()
    lines = lines_by_colour(state.boards[state.turn])
    tiles = state.sources[display]
    return [
        Draft(display, colour, line)
        for colour in COLOURS
        if tiles[colour]
        for line in (*lines[colour], FLOOR)
    ]


@dataclass(frozen=True, slots=True)
class Pick:
    """The result of a draft: both boards after it, and the rest of its display.

    `sent` are the tiles for the penalty row, in order, `out` those out of play. A player pick clears its
    display at once, so what the clearing sends is included (S3 to S7).
    """

    boards: Boards
    rest: Counts
    sent: tuple[Colour, ...]
    out: Counts
    loses: bool


def preview(state: SoloState, event: Draft) -> Pick:
    """Return the result of a draft; raises IllegalEventError if it is illegal (S3 to S7)."""
    if not state.in_offer:
        raise IllegalEventError("not_now", "there is nothing to draft now")
    (display,) = state.sources_to_draft()
    if event.source != display:
        raise IllegalEventError(
            "not_this_display",
            f"the displays are worked in order: it is display {display}, not {event.source}",
        )
    number = state.sources[display][event.colour]
    if not number:
        raise IllegalEventError(
            "source_empty", f"display {display} holds no {event.colour.name.lower()} tile"
        )
    board, falling = state.boards[state.turn], number
    if event.line != FLOOR:
        check_line(board, event.line, event.colour)
        board, falling = fill(board, event.colour, number, event.line)
    rest = without(state.sources[display], of_colour(event.colour, number))
    excess = of_colour(event.colour, falling)
    if state.turn == ACTION:
        fell = penalty_row.fall((state.boards[PLAYER], board), excess, penalty_row.ACTION_EXCESS)
        return Pick(fell.boards, rest, fell.sent, fell.out, fell.loses)
    fell = penalty_row.fall((board, state.boards[ACTION]), excess, penalty_row.PLAYER_EXCESS)
    if fell.loses:
        return Pick(fell.boards, rest, fell.sent, fell.out, loses=True)
    cleared = penalty_row.fall(fell.boards, rest, penalty_row.CLEARING)
    sent, out = fell.sent + cleared.sent, add(fell.out, cleared.out)
    return Pick(cleared.boards, NO_TILES, sent, out, cleared.loses)


def _draft(state: SoloState, event: Draft) -> SoloState:
    pick = preview(state, event)
    sources = list(state.sources)
    sources[event.source] = pick.rest
    player_is_next = state.turn == ACTION and pick.rest != NO_TILES
    after = replace(
        state,
        boards=pick.boards,
        sources=tuple(sources),
        turn=PLAYER if player_is_next else ACTION,
        lid=add(state.lid, pick.out),
    )
    if pick.loses:
        return replace(after, phase=Phase.OVER, ending=Ending.EIGHTH_TILE)
    if any(tiles != NO_TILES for tiles in sources):
        return after
    return _next_action_line(replace(after, account=Account(after.round, after.boards)))


# --- The action board (S8 to S10) ------------------------------------------------------------------------


def _next_action_line(state: SoloState) -> SoloState:
    """Move the tile of the action board's next full line to the wall and let the line act (S8)."""
    action = state.boards[ACTION]
    line = next_full_line(action)
    if line is None:
        return _charge_penalty_row(state)
    colour = action.colours[line - 1]
    assert colour is not None
    column = printed_column(colour, line)
    covers = state.scoring_tile == (line, column)
    placed = ActionTilePlaced(set_tile(action, line, column), line, column, colour, covers)
    after = _noted(
        state,
        ACTION,
        placed,
        acting=placed,
        scoring_tile=None if covers else state.scoring_tile,
        lid=add(state.lid, of_colour(colour, line - 1)),
    )
    if line == 1:
        return replace(after, phase=Phase.DRAW) if after.bag != NO_TILES else _redraw(after, None)
    if line == 2:
        if len(action.floor) >= 2:
            return replace(after, phase=Phase.SWAP)
        return _acted(_noted(after, ACTION, FifthTileDue(placed.board), fifth_tile=True))
    return replace(after, phase=Phase.REMOVE) if _removable(after) else _acted(after)


def _draw_penalty_tile(state: SoloState, event: Draw) -> SoloState:
    """Action line 1: draw a tile into the penalty row (S8)."""
    check_in_bag(state.bag, event.colour)
    return _redraw(state, event.colour)


def _redraw(state: SoloState, drawn: Colour | None) -> SoloState:
    """Action line 1: replace the leftmost penalty tile by the drawn one; None if the bag is empty (S8)."""
    action = state.boards[ACTION]
    tiles = penalty_row.tiles_in(action)
    aside = tiles[0] if tiles else None
    bag = state.bag
    if drawn is not None:
        bag = without(bag, of_colour(drawn, 1))
    if aside is not None:
        bag = add(bag, of_colour(aside, 1))
    return _acted(
        _noted(state, ACTION, PenaltyDrawn(penalty_row.redraw(action, drawn), aside, drawn), bag=bag)
    )


def _swap(state: SoloState, event: Swap) -> SoloState:
    """Action line 2: swap two neighbouring penalty tiles (S8)."""
    action = state.boards[ACTION]
    if not 1 <= event.position < len(action.floor):
        raise IllegalEventError(
            "no_such_tile", f"the penalty row has {len(action.floor)} tiles: {event.position} has no next one"
        )
    return _acted(
        _noted(state, ACTION, PenaltySwapped(penalty_row.swap(action, event.position), event.position))
    )


def _removable(state: SoloState) -> list[int]:
    """Return the positions, from 1, of the penalty tiles that the acting line may remove (S8)."""
    if state.acting is None or state.acting.row < 3:
        return []
    return penalty_row.removable(state.boards[ACTION], state.acting.row, state.acting.colour)


def _remove(state: SoloState, event: Remove) -> SoloState:
    """Action lines 3 to 5: remove a penalty tile, or none (S8)."""
    assert state.acting is not None
    action = state.boards[ACTION]
    line, colour = state.acting.row, state.acting.colour
    if event.position is None:
        return _acted(_noted(state, ACTION, PenaltyKept(action, line)))
    if event.position not in _removable(state):
        raise IllegalEventError("no_such_tile", f"line {line} can't remove penalty tile {event.position}")
    removed = PenaltyRemoved(penalty_row.remove(action, event.position), line, event.position, colour)
    return _acted(_noted(state, ACTION, removed, lid=add(state.lid, of_colour(colour, 1))))


def _acted(state: SoloState) -> SoloState:
    """Score the placed tile after its line has acted (S9), and go on with the next line."""
    assert state.acting is not None
    placed = (state.acting.row, state.acting.column)
    after = replace(state, acting=None)
    beside = solo_scoring.beside(*state.boards, state.scoring_tile, placed)
    return _next_action_line(after if beside is None else _noted(after, PLAYER, beside))


def _charge_penalty_row(state: SoloState) -> SoloState:
    """Charge the penalty row, which may lose the game (S10); then tile the player board."""
    charged = solo_scoring.charge_penalty_row(*state.boards)
    after = _noted(state, PLAYER, charged)
    if charged.board.score == 0:
        return replace(after, phase=Phase.OVER, ending=Ending.NO_POINTS)
    return _go_on_tiling(after)


# --- The player board, and the end (S11 to S14) ----------------------------------------------------------


def _line_to_tile(state: SoloState) -> int:
    """Return the player board's topmost full line."""
    line = next_full_line(state.boards[PLAYER])
    assert line is not None
    return line


def _go_on_tiling(state: SoloState) -> SoloState:
    """Tile the player board's full lines from the top until a gray wall leaves a choice of columns (S11)."""
    items, out = scoring.tile_full_lines(state.boards[PLAYER], gray=state.gray)
    for item in items:
        state = _noted(state, PLAYER, item)
    state = replace(state, lid=add(state.lid, out))
    if next_full_line(state.boards[PLAYER]) is not None:
        return replace(state, phase=Phase.TILING)
    return _finish_round(state)


def _tile(state: SoloState, event: Tile) -> SoloState:
    """Place a tile of the player board on its gray wall (S11)."""
    line = _line_to_tile(state)
    if (event.seat, event.row) != (PLAYER, line):
        raise IllegalEventError("not_now", f"the tile to place now is that of row {line}, seat {PLAYER}")
    if event.column not in legal_columns(state.boards[PLAYER], line):
        raise IllegalEventError("column_taken", f"row {line} can't take this tile in column {event.column}")
    placed = scoring.tile_line(state.boards[PLAYER], line, event.column)
    out = of_colour(placed.colour, line - 1)
    return _go_on_tiling(_noted(state, PLAYER, placed, lid=add(state.lid, out)))


def _finish_round(state: SoloState) -> SoloState:
    """Clear the floor without a charge (S11); then end the game, or wait for the next deal (S12).

    If the bag can't fill the displays, the tiles out of play go back into it, once in a game.
    """
    player = state.boards[PLAYER]
    after = replace(state, phase=Phase.DEAL)
    if player.floor:
        cleared = FloorCleared(replace(player, floor=()), len(player.floor))
        after = _noted(after, PLAYER, cleared, lid=add(state.lid, tiles_on_floor(player)))
    if any(scoring.complete_rows(board.wall) for board in after.boards):
        return _end(after, Ending.ROW_COMPLETE)
    if sum(after.bag) >= sum(after.display_sizes):
        return after
    if after.refilled:
        return _end(after, Ending.BAG_EMPTY)
    return replace(after, bag=add(after.bag, after.lid), lid=NO_TILES, refilled=True)


def _end(state: SoloState, ending: Ending) -> SoloState:
    for step in solo_scoring.end_scoring(state.boards):
        state = _noted(state, step.seat, step.item)
    return replace(state, phase=Phase.OVER, ending=ending)


def _noted(state: SoloState, seat: int, item: Item, **changes: Any) -> SoloState:
    """Add an item to the account, put its board in place, and make other changes."""
    assert state.account is not None
    player, action = state.boards
    boards = (item.board, action) if seat == PLAYER else (player, item.board)
    account = replace(state.account, steps=(*state.account.steps, Step(seat, item)))
    return replace(state, boards=boards, account=account, **changes)


# --- Phases ----------------------------------------------------------------------------------------------

_CHANCES: Final[dict[Phase, type[Chance]]] = {
    Phase.DEAL: Deal,
    Phase.PENALTY: Penalty,
    Phase.COLOUR: ScoringColour,
    Phase.DRAW: Draw,
}
"""The chance event of each phase that takes one."""

_TRANSITIONS: Final[dict[type[Event], tuple[Phase, Callable[[SoloState, Any], SoloState]]]] = {
    Deal: (Phase.DEAL, _deal),
    Penalty: (Phase.PENALTY, _penalty),
    ScoringColour: (Phase.COLOUR, _colour),
    Scoring: (Phase.SCORING, _scoring),
    Draft: (Phase.OFFER, _draft),
    Draw: (Phase.DRAW, _draw_penalty_tile),
    Swap: (Phase.SWAP, _swap),
    Remove: (Phase.REMOVE, _remove),
    Tile: (Phase.TILING, _tile),
}
"""Each class of events with the phase that takes it and the function that applies it."""

_DUE: Final = {
    Phase.DEAL: "a deal",
    Phase.PENALTY: "the penalty row",
    Phase.COLOUR: "the scoring tile's colour",
    Phase.SCORING: "the scoring tile's square",
    Phase.OFFER: "a draft",
    Phase.DRAW: "action line 1's draw",
    Phase.SWAP: "action line 2's swap",
    Phase.REMOVE: "the choice whether to remove a penalty tile",
    Phase.TILING: "a tile's column on the player board",
    Phase.OVER: "nothing: the game is over",
}
