"""Between the bot protocol and the rules: a state as a bot is told it, and back (D1 to D3)."""

from typing import Final

from device.bots.dtc import LETTERS, ProtocolError, Side, Taker, Turn, Update, View, Wish
from device.rules.board import Board, Floor
from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Draft, Event
from device.rules.standard import DTC, Phase, State
from device.rules.tiles import (
    ALL_TILES,
    COLOURS,
    MARKER,
    NO_TILES,
    TILES_OF_A_COLOUR,
    Counts,
    of_colour,
    total,
    without,
)

_SEATS: Final = 2


class Teller:
    """What one seat is told: collects what happens between its turns."""

    def __init__(self, seat: int, wish: Wish) -> None:
        self._seat = seat
        self._wish = wish
        self._updates: list[Update] = []

    def saw(self, state: State, event: Event) -> None:
        """Take note of an event; `state` is the one before it."""
        if isinstance(event, Deal) or (isinstance(event, Draft) and state.turn != self._seat):
            self._updates.append(event)

    def turn(self, state: State, milliseconds: int) -> Turn:
        """What this seat is told now, with its remaining time."""
        updates = tuple(self._updates)
        self._updates.clear()
        wish = self._wish
        view = view_of(state, self._seat) if wish.view else None
        return Turn(milliseconds, updates if wish.updates else None, view)


def view_of(state: State, seat: int) -> View:
    """A state as a seat sees it."""
    sides = [Side(each.colours, each.held, each.wall, len(each.floor), each.score) for each in state.boards]
    taker = Taker.NONE if state.marker is None else Taker.YOU if state.marker == seat else Taker.OPPONENT
    return View(state.sources, taker, sides[seat], sides[1 - seat])


def state_of(view: View, round_number: int = 1) -> State:
    """The game that a state block shows, the bot on turn as seat 0; raises ProtocolError if there is none.

    Which tiles lie on the floors is not told: any that are nowhere else do. That changes nothing that can
    still happen, as they all go back to the bag before tiles are drawn again (D1).
    """
    shown = total([*view.sources, *_tiles_of(view.own), *_tiles_of(view.other)])
    unseen = without(ALL_TILES, shown)
    for colour, number in zip(LETTERS, unseen, strict=True):
        if number < 0:
            raise ProtocolError("match", f"there are {TILES_OF_A_COLOUR - number} tiles of {colour}")
    if all(tiles == NO_TILES for tiles in view.sources):
        raise ProtocolError("match", "there is no tile to take")
    boards = []
    for side, taker in ((view.own, Taker.YOU), (view.other, Taker.OPPONENT)):
        board, unseen = _board_of(side, unseen, marker=view.taker is taker)
        boards.append(board)
    started = {Taker.YOU: 0, Taker.OPPONENT: 1}
    starter = started.get(view.taker, _starter(view))
    return State(
        DTC,
        Phase.OFFER,
        tuple(boards),
        view.sources,
        turn=0,
        starter=starter,
        marker=started.get(view.taker),
        round=round_number,
        bag=unseen,
    )


def _tiles_of(side: Side) -> list[Counts]:
    on_wall = [of_colour(tile, 1) for row in side.wall for tile in row if tile is not None]
    on_lines = [
        of_colour(colour, held)
        for colour, held in zip(side.colours, side.held, strict=True)
        if colour is not None
    ]
    return on_wall + on_lines


def _board_of(side: Side, unseen: Counts, *, marker: bool) -> tuple[Board, Counts]:
    """A board with some of the unseen tiles on its floor, and those that are left."""
    if marker and not side.floor:
        raise ProtocolError("match", "a bot has taken the marker, but nothing is on its floor")
    on_floor: Floor = ()
    while len(on_floor) < side.floor - marker:
        number, colour = max((unseen[colour], colour) for colour in COLOURS)
        if not number:
            raise ProtocolError("match", f"there are more than {sum(ALL_TILES)} tiles")
        on_floor += (colour,)
        unseen = without(unseen, of_colour(colour, 1))
    floor = (MARKER, *on_floor) if marker else on_floor
    return Board(side.colours, side.held, side.wall, floor, side.score), unseen


def _starter(view: View) -> int:
    """Who started a round in which nobody took from the centre: every move so far emptied a display (R12)."""
    moves = sum(tiles == NO_TILES for tiles in view.sources[1:])
    return moves % _SEATS


def why_illegal(state: State, draft: Draft, error: IllegalEventError) -> str:
    """Why the rules refuse a bot's move, in the protocol's own numbers and letters."""
    colour, line = LETTERS[draft.colour], draft.line - 1
    match error.why:
        case "source_empty":
            return f"{f'display {draft.source}' if draft.source else 'the centre'} holds no {colour}"
        case "line_full":
            return f"line {line} is full"
        case "line_other_colour":
            held = state.boards[state.turn].colours[line]
            assert held is not None
            return f"line {line} holds {LETTERS[held]}, not {colour}"
        case "wall_has_colour":
            return f"row {line} of its wall holds {colour} already"
    return str(error)
