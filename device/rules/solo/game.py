"""The solo game: one player, a player board, and an action board whose floor is the penalty row (S1 to S15).

Each phase takes one kind of event. The account shows a round from its last draft on: the action board line
by line, the penalty row's charge, the player board, and at the end of the game everything that counts there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

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
from device.rules.scoring import Account
from device.rules.solo import penalty_row
from device.rules.solo import scoring as solo_scoring
from device.rules.solo import state as solo_dealing
from device.rules.solo.penalty_row import ACTION, PLAYER, Boards
from device.rules.solo.scoring import Ending, SoloOutcome, Square
from device.rules.solo.state import LEVELS, WALLS, State, check_in_bag, display_sizes, noted
from device.rules.solo.steps import (
    ActionTilePlaced,
    FifthTileDue,
    FloorCleared,
    PenaltyDrawn,
    PenaltyKept,
    PenaltyRemoved,
    PenaltySwapped,
)
from device.rules.standard import Phase
from device.rules.tiles import COLOURS, NO_TILES, Colour, Counts, add, of_colour, without

# --- From the last draft of a solo round to the next deal, or to the end of the game (S8 to S13)
# The action board acts line by line, the penalty row is charged, the player board is tiled.


def start(state: State) -> State:
    """The displays are worked: resolve the action board from line 1 as far as nothing is asked (S8)."""
    return _next_action_line(replace(state, account=Account(state.round, state.boards)))


def _next_action_line(state: State) -> State:
    """Place the tile of the action board's next full line and let the line act; with none, go on to S10."""
    action = state.boards[ACTION]
    line = next_full_line(action)
    if line is None:
        return _charge_penalty_row(state)
    colour = action.colours[line - 1]
    assert colour is not None
    column = printed_column(colour, line)
    covers = state.scoring_tile == (line, column)
    placed = ActionTilePlaced(set_tile(action, line, column), line, column, colour, covers)
    after = noted(
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
        return _acted(noted(after, ACTION, FifthTileDue(placed.board), fifth_tile=True))
    return replace(after, phase=Phase.REMOVE) if removable(after) else _acted(after)


def draw_penalty_tile(state: State, event: Draw) -> State:
    """Action line 1, with the drawn tile (S8)."""
    check_in_bag(state, event.colour)
    return _redraw(state, event.colour)


def _redraw(state: State, drawn: Colour | None) -> State:
    """Action line 1, with the drawn tile; None where the bag holds none."""
    action = state.boards[ACTION]
    tiles = penalty_row.tiles_in(action)
    aside = tiles[0] if tiles else None
    bag = state.bag
    if drawn is not None:
        bag = without(bag, of_colour(drawn, 1))
    if aside is not None:
        bag = add(bag, of_colour(aside, 1))
    return _acted(
        noted(state, ACTION, PenaltyDrawn(penalty_row.redraw(action, drawn), aside, drawn), bag=bag)
    )


def swap(state: State, event: Swap) -> State:
    """Action line 2 (S8)."""
    action = state.boards[ACTION]
    if not 1 <= event.position < len(action.floor):
        raise IllegalEventError(
            "no_such_tile", f"the penalty row has {len(action.floor)} tiles: {event.position} has no next one"
        )
    return _acted(
        noted(state, ACTION, PenaltySwapped(penalty_row.swap(action, event.position), event.position))
    )


def removable(state: State) -> list[int]:
    """The positions in the penalty row, from 1, of the tiles that the acting line may remove (S8)."""
    if state.acting is None or state.acting.row < 3:
        return []
    return penalty_row.removable(state.boards[ACTION], state.acting.row, state.acting.colour)


def remove(state: State, event: Remove) -> State:
    """Action lines 3 to 5, or leaving it (S8)."""
    assert state.acting is not None
    action = state.boards[ACTION]
    line, colour = state.acting.row, state.acting.colour
    if event.position is None:
        return _acted(noted(state, ACTION, PenaltyKept(action, line)))
    if event.position not in removable(state):
        raise IllegalEventError("no_such_tile", f"line {line} can't remove penalty tile {event.position}")
    removed = PenaltyRemoved(penalty_row.remove(action, event.position), line, event.position, colour)
    return _acted(noted(state, ACTION, removed, lid=add(state.lid, of_colour(colour, 1))))


def _acted(state: State) -> State:
    """Score the placed tile once its line has acted (S9), and go on."""
    assert state.acting is not None
    placed = (state.acting.row, state.acting.column)
    after = replace(state, acting=None)
    beside = solo_scoring.beside(*state.boards, state.scoring_tile, placed)
    return _next_action_line(after if beside is None else noted(after, PLAYER, beside))


def _charge_penalty_row(state: State) -> State:
    charged = solo_scoring.charge_penalty_row(*state.boards)
    after = noted(state, PLAYER, charged)
    if charged.board.score == 0:
        return replace(after, phase=Phase.OVER, ending=Ending.NO_POINTS)
    return _go_on_tiling(after)


# --- The player board, and the end (S11 to S14) ----------------------------------------------------------


def line_to_tile(state: State) -> int:
    """The player board's line whose tile is to be placed now, on a gray wall (S11)."""
    line = next_full_line(state.boards[PLAYER])
    assert line is not None
    return line


def _go_on_tiling(state: State) -> State:
    """Tile the player board's full lines from the top until a gray wall asks for a column (S11)."""
    while (line := next_full_line(state.boards[PLAYER])) is not None:
        player = state.boards[PLAYER]
        colour = player.colours[line - 1]
        assert colour is not None
        if not state.gray:
            state = _tile_line(state, line, printed_column(colour, line))
        elif legal_columns(player, line):
            return replace(state, phase=Phase.TILING)
        else:
            fell, over = scoring.let_line_fall(player, line)
            state = noted(state, PLAYER, fell, lid=add(state.lid, over))
    return _finish_round(state)


def _tile_line(state: State, line: int, column: int) -> State:
    placed = scoring.tile_line(state.boards[PLAYER], line, column)
    return noted(state, PLAYER, placed, lid=add(state.lid, of_colour(placed.colour, line - 1)))


def tile(state: State, event: Tile) -> State:
    """A tile of the player board onto its gray wall (S11)."""
    line = line_to_tile(state)
    if (event.seat, event.row) != (PLAYER, line):
        raise IllegalEventError("not_now", f"the tile to place now is that of row {line}, seat {PLAYER}")
    if event.column not in legal_columns(state.boards[PLAYER], line):
        raise IllegalEventError("column_taken", f"row {line} can't take this tile in column {event.column}")
    return _go_on_tiling(_tile_line(state, line, event.column))


def _finish_round(state: State) -> State:
    """Clear the floor without a charge (S11); then the game ends, or the next deal is due (S12).

    The bag can fill its displays: once in a game the tiles out of play go back for that.
    """
    player = state.boards[PLAYER]
    after = replace(state, phase=Phase.DEAL)
    if player.floor:
        cleared = FloorCleared(replace(player, floor=()), len(player.floor))
        after = noted(after, PLAYER, cleared, lid=add(state.lid, tiles_on_floor(player)))
    if any(scoring.complete_rows(board.wall) for board in after.boards):
        return _end(after, Ending.ROW_COMPLETE)
    if sum(after.bag) >= sum(display_sizes(after)):
        return after
    if after.refilled:
        return _end(after, Ending.BAG_EMPTY)
    return replace(after, bag=add(after.bag, after.lid), lid=NO_TILES, refilled=True)


def _end(state: State, ending: Ending) -> State:
    for step in solo_scoring.end_scoring(state.boards):
        state = noted(state, step.seat, step.what)
    return replace(state, phase=Phase.OVER, ending=ending)


# ----------------------------------------------------------------------------------------------------------

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
            return [*(Remove(position) for position in removable(state)), Remove(None)]
        case Phase.TILING:
            line = line_to_tile(state)
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
    return start(after)


_DOING: Final[dict[type[Event], tuple[Phase, Callable[[State, Any], State]]]] = {
    Deal: (Phase.DEAL, _deal),
    Penalty: (Phase.PENALTY, _penalty),
    ScoringColour: (Phase.COLOUR, _colour),
    Scoring: (Phase.SCORING, _scoring),
    Draft: (Phase.OFFER, _draft),
    Draw: (Phase.DRAW, draw_penalty_tile),
    Swap: (Phase.SWAP, swap),
    Remove: (Phase.REMOVE, remove),
    Tile: (Phase.TILING, tile),
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
