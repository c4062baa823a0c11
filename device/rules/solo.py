"""The solo game: one player, a player board, and an action board whose floor is the penalty row (S1 to S15).

Each phase takes one kind of event. The account shows a round from its last draft on: the action board line
by line, the penalty row's charge, the player board, and at the end of the game everything that counts there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from device.rules import penalty_row, solo_dealing, solo_scoring, solo_tiling
from device.rules.board import FLOOR, WALL_PATTERN, Board, check_line, fill, legal_columns, lines_by_colour
from device.rules.dealing import draw
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
from device.rules.penalty_row import ACTION, PLAYER, Boards
from device.rules.solo_scoring import Ending, SoloOutcome, Square
from device.rules.solo_state import LEVELS, WALLS, State, check_in_bag, display_sizes
from device.rules.standard import Phase
from device.rules.tiles import COLOURS, NO_TILES, Colour, Counts, add, of_colour, without

INNER: Final = (2, 3, 4)
"""The rows and the columns of the squares where the scoring tile may lie (S1)."""


@dataclass(frozen=True, slots=True)
class Pick:
    """What a draft does, known before it is made: the boards after it, and the rest of its display.

    `sent` are the tiles for the penalty row, in order; `out` those out of play. A player pick clears its
    display at once, so what is sent by that is in it too (S3 to S7).
    """

    number: int
    boards: Boards
    rest: Counts
    sent: tuple[Colour, ...]
    out: Counts
    loses: bool


def setup(players: int, first: int, level: str | None, wall: str | None) -> State:
    """A game before its first deal (S1, S2); raises SetupError."""
    if (players, first) != (1, 0):
        raise SetupError(f"solo is a game for 1 player, at seat 0; not for {players}, seat {first} first")
    if level not in LEVELS:
        raise SetupError(f"a solo game's level is {', '.join(LEVELS)}; not {level!r}")
    if wall not in WALLS:
        raise SetupError(f"a solo game's wall is {' or '.join(WALLS)}; not {wall!r}")
    boards = (Board(score=LEVELS[level].score), Board())
    return State(LEVELS[level], wall == "gray", Phase.DEAL, boards)


_CHANCES: Final = (Phase.DEAL, Phase.PENALTY, Phase.COLOUR, Phase.DRAW)


def chance_is_due(state: State) -> bool:
    """Whether the next event is one of chance."""
    return state.phase in _CHANCES


def to_act(state: State) -> tuple[int, ...]:
    """The only seat, when it has a choice now."""
    return () if state.phase is Phase.OVER or chance_is_due(state) else (PLAYER,)


def legal(state: State) -> list[Event]:
    """Every choice that is allowed now."""
    match state.phase:
        case Phase.SCORING:
            return [Scoring(*square) for square in scoring_squares(state)]
        case Phase.OFFER:
            return _legal_picks(state)
        case Phase.SWAP:
            return [Swap(position) for position in range(1, len(state.boards[ACTION].floor))]
        case Phase.REMOVE:
            return [*(Remove(position) for position in solo_tiling.removable(state)), Remove(None)]
        case Phase.TILING:
            line = solo_tiling.line_to_tile(state)
            return [Tile(PLAYER, line, column) for column in legal_columns(state.boards[PLAYER], line)]
        case _:
            return []


def apply(state: State, event: Event) -> State:
    """The state after an event; raises IllegalEventError where the rules say no."""
    takes, doing = _DOING[type(event)]
    if state.phase is not takes:
        raise IllegalEventError("not_now", f"{_DUE[takes]} is not due now; due is {_DUE[state.phase]}")
    return doing(state, event)


def chance(state: State, below: Callable[[int], int]) -> Chance:
    """Draw the chance event that is due; `below(n)` gives a random whole number from 0 to n - 1."""
    match state.phase:
        case Phase.DEAL:
            return solo_dealing.deal(state.bag, display_sizes(state), below)
        case Phase.PENALTY:
            return solo_dealing.draw_penalty(state.bag, state.level.penalty_tiles, below)
        case Phase.COLOUR:
            return ScoringColour(draw(state.bag, 1, below)[0])
        case Phase.DRAW:
            return Draw(draw(state.bag, 1, below)[0])
        case _:
            raise IllegalEventError("not_now", f"there is nothing to draw now; due is {_DUE[state.phase]}")


def outcome(state: State) -> SoloOutcome | None:
    """How the game ended; None while it goes on (S7, S10, S12, S14)."""
    return None if state.ending is None else solo_scoring.outcome(state.boards, state.ending)


def closing_scores(before: State, after: State) -> tuple[int, ...] | None:
    """The score before what counts at the end, if this step closed a wall-tiling (S10 to S12)."""
    between = (Phase.DEAL, Phase.OVER)
    if before.phase in between or after.phase not in between or after.ending is Ending.EIGHTH_TILE:
        return None
    assert after.account is not None
    return (solo_scoring.total_before_end(after.account),)


# --- Setup and deals (S1, S12, S15) ----------------------------------------------------------------------


def _deal(state: State, event: Deal) -> State:
    bag = solo_dealing.check_deal(event, state.bag, display_sizes(state))
    return replace(
        state,
        phase=Phase.OFFER if state.round else Phase.PENALTY,
        sources=(NO_TILES, *event.displays),
        turn=ACTION,
        fifth_tile=False,
        round=state.round + 1,
        bag=bag,
    )


def _penalty(state: State, event: Penalty) -> State:
    bag = solo_dealing.check_penalty(event, state.bag, state.level.penalty_tiles)
    action = replace(state.boards[ACTION], floor=event.tiles)
    return replace(state, phase=Phase.COLOUR, boards=(state.boards[PLAYER], action), bag=bag)


def _colour(state: State, event: ScoringColour) -> State:
    check_in_bag(state, event.colour)
    return replace(state, phase=Phase.SCORING, scoring_colour=event.colour)


def scoring_squares(state: State) -> list[Square]:
    """The squares of the action wall where the scoring tile may be put now (S1)."""
    if state.phase is not Phase.SCORING:
        return []
    colour = state.scoring_colour
    return [(row, column) for row in INNER for column in INNER if WALL_PATTERN[row - 1][column - 1] is colour]


def _scoring(state: State, event: Scoring) -> State:
    square = (event.row, event.column)
    if square not in scoring_squares(state):
        allowed = ", ".join(f"row {row} column {column}" for row, column in scoring_squares(state))
        raise IllegalEventError(
            "wrong_square", f"the scoring tile goes to an inner square of its colour: {allowed}"
        )
    return replace(state, phase=Phase.OFFER, scoring_tile=square)


# --- Picks (S3 to S7) ------------------------------------------------------------------------------------


def display_in_work(state: State) -> int:
    """The display that the next pick takes from; 0 outside the offer (S3)."""
    if state.phase is not Phase.OFFER:
        return 0
    return next(number for number, tiles in enumerate(state.sources) if tiles != NO_TILES)


def _legal_picks(state: State) -> list[Event]:
    display = display_in_work(state)
    lines = lines_by_colour(state.boards[state.turn])
    tiles = state.sources[display]
    return [
        Draft(display, colour, line)
        for colour in COLOURS
        if tiles[colour]
        for line in (*lines[colour], FLOOR)
    ]


def preview(state: State, event: Draft) -> Pick:
    """What a draft would do; raises IllegalEventError, with the reason, where it isn't allowed (S3 to S7)."""
    display = display_in_work(state)
    if not display:
        raise IllegalEventError("not_now", "there is nothing to draft now")
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
        return Pick(number, fell.boards, rest, fell.sent, fell.out, fell.loses)
    fell = penalty_row.fall((board, state.boards[ACTION]), excess, penalty_row.PLAYER_EXCESS)
    if fell.loses:
        return Pick(number, fell.boards, rest, fell.sent, fell.out, loses=True)
    cleared = penalty_row.fall(fell.boards, rest, penalty_row.CLEARING)
    sent, out = fell.sent + cleared.sent, add(fell.out, cleared.out)
    return Pick(number, cleared.boards, NO_TILES, sent, out, cleared.loses)


def _draft(state: State, event: Draft) -> State:
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
    return solo_tiling.start(after)


_DOING: Final[dict[type[Event], tuple[Phase, Callable[[State, Any], State]]]] = {
    Deal: (Phase.DEAL, _deal),
    Penalty: (Phase.PENALTY, _penalty),
    ScoringColour: (Phase.COLOUR, _colour),
    Scoring: (Phase.SCORING, _scoring),
    Draft: (Phase.OFFER, _draft),
    Draw: (Phase.DRAW, solo_tiling.draw_penalty_tile),
    Swap: (Phase.SWAP, solo_tiling.swap),
    Remove: (Phase.REMOVE, solo_tiling.remove),
    Tile: (Phase.TILING, solo_tiling.tile),
}
"""Each event with the phase that takes it."""

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
