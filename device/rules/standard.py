"""The game for two to four: coloured walls, gray walls and the bot ruleset, told apart by `Ruleset` alone.

A state is a value and nothing in it is hidden: the bag and the lid are counts, and what is drawn from
them arrives as a `Deal`.
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
    printed_column,
    tiles_on_floor,
)
from device.rules.dealing import check_deal, deal
from device.rules.errors import IllegalEventError, SetupError
from device.rules.events import CENTRE, Deal, Draft, Event, Tile
from device.rules.scoring import Account, Outcome, Step
from device.rules.tiles import ALL_TILES, COLOURS, MARKER, NO_TILES, Counts, add, of_colour, total, without

DISPLAYS: Final = {2: 5, 3: 7, 4: 9}
"""Displays by number of players (R1)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """What tells one mode from another."""

    name: str
    gray: bool = False  # the wall has no colours printed (G1)
    lid: bool = True  # False: what is discarded goes straight back to the bag (D1)
    most_players: int = 4


STANDARD: Final = Ruleset("standard")
GRAY: Final = Ruleset("gray", gray=True)
DTC: Final = Ruleset("dtc", lid=False, most_players=2)


class Phase(Enum):
    """Where in a round a game stands."""

    DEAL = "deal"
    OFFER = "offer"
    TILING = "tiling"
    OVER = "over"
    # The solo game's own; each of its phases takes one kind of event (S1, S8).
    PENALTY = "penalty"
    COLOUR = "colour"
    SCORING = "scoring"
    DRAW = "draw"
    SWAP = "swap"
    REMOVE = "remove"

    __repr__ = Enum.__str__


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment; seats count from 0."""

    ruleset: Ruleset
    phase: Phase
    boards: tuple[Board, ...]
    sources: tuple[Counts, ...]  # 0 the centre, then the displays
    turn: int  # whose draft is next
    starter: int  # who starts this round; before a deal, who will start
    marker: int | None = None  # who took the marker this round; None while it lies in the centre
    round: int = 0
    bag: Counts = ALL_TILES
    lid: Counts = NO_TILES
    account: Account | None = None  # how the last round was scored


def setup(ruleset: Ruleset, players: int, first: int) -> State:
    """A game before its first deal (R1, R3); raises SetupError."""
    if not 2 <= players <= ruleset.most_players:
        allowed = "2" if ruleset.most_players == 2 else f"2 to {ruleset.most_players}"
        raise SetupError(f"{ruleset.name} is a game for {allowed} players, not {players}")
    if not 0 <= first < players:
        raise SetupError(f"the first player is a seat from 0 to {players - 1}, not {first}")
    sources = (NO_TILES,) * (DISPLAYS[players] + 1)
    return State(ruleset, Phase.DEAL, (Board(),) * players, sources, first, first)


def to_act(state: State) -> tuple[int, ...]:
    """The seats that have a choice now: one in the offer, several at once on gray walls (R5, G3)."""
    if state.phase is Phase.OFFER:
        return (state.turn,)
    if state.phase is Phase.TILING:
        return tuple(seat for seat, _ in _seats_with_full_lines(state.boards))
    return ()


def legal(state: State) -> list[Event]:
    """Every choice that is allowed now, of all seats that have one (R5, R7, G1)."""
    if state.phase is Phase.OFFER:
        return _legal_drafts(state)
    if state.phase is Phase.TILING:
        return [
            Tile(seat, line, column)
            for seat, line in _seats_with_full_lines(state.boards)
            for column in legal_columns(state.boards[seat], line)
        ]
    return []


def apply(state: State, event: Event) -> State:
    """The state after an event; raises IllegalEventError where the rules say no."""
    if isinstance(event, Draft):
        return _draft(state, event)
    if isinstance(event, Tile):
        return _tile(state, event)
    if isinstance(event, Deal):
        return _deal(state, event)
    raise IllegalEventError("wrong_mode", f"a {state.ruleset.name} game has no such event: {event}")


def chance(state: State, below: Callable[[int], int]) -> Deal:
    """Draw the next deal; `below(n)` gives a random whole number from 0 to n - 1 (R4)."""
    return deal(state.bag, state.lid, len(state.sources) - 1, below)


def stop(state: State) -> State:
    """End the game here with its bonuses, as an automatic match does at its limit of rounds (R17)."""
    if state.phase is not Phase.DEAL:
        raise IllegalEventError("not_now", "a game can be stopped between two rounds only")
    return _end(state)


def outcome(state: State) -> Outcome | None:
    """How the game ended; None while it goes on (R15)."""
    return scoring.outcome(state.boards) if state.phase is Phase.OVER else None


def closing_scores(before: State, after: State) -> tuple[int, ...] | None:
    """All seats' totals before the bonuses, if this step closed a wall-tiling (R12)."""
    if before.phase not in (Phase.OFFER, Phase.TILING) or after.phase not in (Phase.DEAL, Phase.OVER):
        return None
    assert after.account is not None
    return after.account.totals


# --- Deal and offer --------------------------------------------------------------------------------------


def _deal(state: State, event: Deal) -> State:
    if state.phase is not Phase.DEAL:
        raise IllegalEventError("not_now", "there is nothing to deal now")
    bag, lid = check_deal(event, state.bag, state.lid, len(state.sources) - 1)
    return replace(
        state,
        phase=Phase.OFFER,
        sources=(NO_TILES, *event.displays),
        turn=state.starter,
        marker=None,
        round=state.round + 1,
        bag=bag,
        lid=lid,
    )


_DRAFTS: Final = tuple(
    tuple(tuple(Draft(source, colour, line) for line in (FLOOR, *LINES)) for colour in COLOURS)
    for source in range(max(DISPLAYS.values()) + 1)
)
"""Every draft there is, made once: by source, colour and line."""


def _legal_drafts(state: State) -> list[Event]:
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


def check_draft(state: State, event: Draft) -> int:
    """How many tiles a draft takes; raises IllegalEventError, with its reason, if illegal (R5, R7)."""
    if state.phase is not Phase.OFFER:
        raise IllegalEventError("not_now", "there is nothing to draft now")
    if not 0 <= event.source < len(state.sources):
        raise IllegalEventError("source_empty", f"there is no display {event.source} in this game")
    number = state.sources[event.source][event.colour]
    if not number:
        source = f"display {event.source}" if event.source else "the centre"
        raise IllegalEventError("source_empty", f"{source} holds no {event.colour.name.lower()} tile")
    if event.line != FLOOR:
        check_line(state.boards[state.turn], event.line, event.colour)
    return number


def _draft(state: State, event: Draft) -> State:
    number = check_draft(state, event)
    seat = state.turn
    board = state.boards[seat]
    sources = list(state.sources)
    marker = state.marker
    rest = without(sources[event.source], of_colour(event.colour, number))
    if event.source == CENTRE:
        sources[CENTRE] = rest
        if marker is None:
            marker = seat
            board, _ = drop(board, (MARKER,))  # R6: before the tiles, and never onto a full floor
    else:
        sources[event.source] = NO_TILES
        sources[CENTRE] = add(sources[CENTRE], rest)
    board, over = place(board, event.colour, number, event.line)
    bag, lid = _discarded(state, over)
    after = State(
        state.ruleset,
        Phase.OFFER,
        (*state.boards[:seat], board, *state.boards[seat + 1 :]),
        tuple(sources),
        (seat + 1) % len(state.boards),
        state.starter,
        marker,
        state.round,
        bag,
        lid,
        state.account,
    )
    return after if any(tiles != NO_TILES for tiles in sources) else _start_tiling(after)  # R9


def _discarded(state: State, tiles: Counts) -> tuple[Counts, Counts]:
    """Bag and lid once `tiles` are out of the round: in the lid, or back in the bag (R10, D1)."""
    if tiles == NO_TILES:
        return state.bag, state.lid
    return (state.bag, add(state.lid, tiles)) if state.ruleset.lid else (add(state.bag, tiles), state.lid)


# --- Wall-tiling -----------------------------------------------------------------------------------------


def _start_tiling(state: State) -> State:
    return _go_on_tiling(replace(state, phase=Phase.TILING, account=Account(state.round, state.boards)), [])


def _tile(state: State, event: Tile) -> State:
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
    """Each seat that still has a full line, with the topmost one."""
    return [(seat, line) for seat, board in enumerate(boards) if (line := next_full_line(board)) is not None]


def _go_on_tiling(state: State, steps: list[Step]) -> State:
    """Do on every board what leaves its player no choice; once nobody has one, charge the floors."""
    assert state.account is not None
    boards = []
    discarded = []
    for seat, start in enumerate(state.boards):
        board, moved, over = _tile_without_choice(state.ruleset, seat, start)
        boards.append(board)
        steps += moved
        discarded.append(over)
    bag, lid = _discarded(state, total(discarded))
    account = replace(state.account, steps=(*state.account.steps, *steps))
    after = replace(state, boards=tuple(boards), bag=bag, lid=lid, account=account)
    return after if _seats_with_full_lines(after.boards) else _finish_round(after, account)


def _tile_without_choice(ruleset: Ruleset, seat: int, board: Board) -> tuple[Board, list[Step], Counts]:
    """Tile full lines from the top until a gray wall asks its player; also what was discarded (R10, G2)."""
    steps = []
    discarded = []
    while (line := next_full_line(board)) is not None:
        colour = board.colours[line - 1]
        assert colour is not None
        what: scoring.TilePlaced | scoring.LineFell
        if not ruleset.gray:
            what = scoring.tile_line(board, line, printed_column(colour, line))
            discarded.append(of_colour(colour, line - 1))
        elif not legal_columns(board, line):
            what, over = scoring.let_line_fall(board, line)
            discarded.append(over)
        else:
            break
        steps.append(Step(seat, what))
        board = what.board
    return board, steps, total(discarded)


def _finish_round(state: State, account: Account) -> State:
    """Charge the floors (R12); then the game ends (R13, R16), or the next deal is due."""
    charged = [scoring.charge_floor(board) for board in state.boards]
    bag, lid = _discarded(state, total(tiles_on_floor(board) for board in state.boards))
    steps = (*account.steps, *(Step(seat, what) for seat, what in enumerate(charged)))
    starter = state.starter if state.marker is None else state.marker
    after = replace(
        state,
        phase=Phase.DEAL,
        boards=tuple(what.board for what in charged),
        turn=starter,
        starter=starter,
        bag=bag,
        lid=lid,
        account=replace(account, steps=tuple(sorted(steps, key=lambda step: step.seat))),
    )
    row_complete = any(scoring.complete_rows(board.wall) for board in after.boards)
    nothing_to_deal = after.bag == NO_TILES == after.lid
    return _end(after) if row_complete or nothing_to_deal else after


def _end(state: State) -> State:
    """Give every bonus, one by one (R14)."""
    account = state.account or Account(state.round, state.boards)
    steps = [Step(seat, given) for seat, board in enumerate(state.boards) for given in scoring.bonuses(board)]
    account = replace(account, steps=(*account.steps, *steps))
    return replace(state, phase=Phase.OVER, boards=account.boards_after(len(account.steps)), account=account)
