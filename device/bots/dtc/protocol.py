"""Bot protocol of the Digital Tabletop Competition: parsing and formatting of its lines (D3).

Pure functions of text, without a process or a clock. A match builds turns with a `TurnBuilder`, writes them
with `format_turn` and reads a bot's lines with `parse_subscription` and `parse_draft`. A bot feeds the lines
that it reads to a `TurnParser` and writes `format_draft`. Updates are the rules' own events: a `Deal` is a
restock, a `Draft` the opponent's move. A line that the protocol does not allow raises ProtocolError.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeVar

from device.rules.board import FLOOR, FLOOR_SPACES, LINES, WALL_PATTERN, Board, Floor, Wall
from device.rules.errors import IllegalEventError
from device.rules.events import Deal, Draft, Event
from device.rules.standard import DISPLAYS, DTC, Phase, StandardState
from device.rules.tiles import (
    ALL_TILES,
    COLOURS,
    MARKER,
    NO_TILES,
    TILES_OF_A_COLOUR,
    Colour,
    Counts,
    of_colour,
    total,
    without,
)

LETTERS: Final = "gobyr"  # letters of the colours in the protocol, in the order b y r k w of the rules (D2)
FLOOR_LINE: Final = 5  # number of the floor line in the protocol; the pattern lines are 0 to 4
EMPTY: Final = "."
_DISPLAYS: Final = DISPLAYS[2]
_SEATS: Final = 2

Update = Deal | Draft  # an event since the bot's last turn: a restock, or the opponent's move


class ProtocolError(ValueError):
    """A line that the protocol does not allow: `whose` error it is, and `message`, what is wrong with it."""

    def __init__(self, whose: Literal["bot", "match"], message: str) -> None:
        super().__init__(f"the {whose}'s fault: {message}")
        self.whose = whose
        self.message = message


class Subscription(Enum):
    """What a bot wants to read on its turns: its first line."""

    UPDATE = "update"
    STATE = "state"
    BOTH = "both"

    __repr__ = Enum.__str__

    @property
    def updates(self) -> bool:
        """Whether it reads the update block."""
        return self is not Subscription.STATE

    @property
    def view(self) -> bool:
        """Whether it reads the state block."""
        return self is not Subscription.UPDATE


class MarkerTaker(Enum):
    """Who took the first-player marker this round, from the view of one bot."""

    YOU = "you"
    OPPONENT = "opponent"
    NONE = "none"

    __repr__ = Enum.__str__


@dataclass(frozen=True, slots=True)
class BoardView:
    """One bot's board in the state block, which gives only the length of the floor line."""

    colours: tuple[Colour | None, ...] = (None,) * 5
    held: tuple[int, ...] = (0,) * 5
    wall: Wall = ((None,) * 5,) * 5
    floor: int = 0
    score: int = 0


@dataclass(frozen=True, slots=True)
class StateBlock:
    """The state block: the game from the view of the bot on turn."""

    sources: tuple[Counts, ...]  # 0 the centre, then the displays
    taker: MarkerTaker
    own: BoardView
    other: BoardView


@dataclass(frozen=True, slots=True)
class Turn:
    """The lines that a bot reads on one turn; None for a block that it did not subscribe to."""

    milliseconds: int  # left to the bot
    updates: tuple[Update, ...] | None
    view: StateBlock | None


# --- Lines that a match writes -----------------------------------------------------------------------------


def format_turn(turn: Turn) -> str:
    """Format a turn as lines, each with its line feed."""
    lines = [str(turn.milliseconds)]
    if turn.updates is not None:
        lines.append(str(len(turn.updates)))
        for update in turn.updates:
            if isinstance(update, Deal):
                lines += ["restock", *map(_joined, update.displays)]
            else:
                lines += ["move", format_draft(update)]
    if turn.view is not None:
        lines += _view_lines(turn.view)
    return "".join(f"{line}\n" for line in lines)


def _view_lines(view: StateBlock) -> list[str]:
    centre, *displays = view.sources
    return [
        f"{_joined(centre)} {int(view.taker is MarkerTaker.NONE)}",
        *(_joined(tiles) for tiles in displays),
        view.taker.value,
        *_side_lines(view.own),
        *_side_lines(view.other),
    ]


def _side_lines(side: BoardView) -> list[str]:
    return [
        *(f"{held} {_letter(colour)}" for colour, held in zip(side.colours, side.held, strict=True)),
        *(" ".join(_letter(tile) for tile in row) for row in side.wall),
        f"{side.floor} {side.score}",
    ]


def _joined(numbers: Counts) -> str:
    return " ".join(map(str, numbers))


def _letter(colour: Colour | None) -> str:
    return EMPTY if colour is None else LETTERS[colour]


# --- Lines that a match reads ------------------------------------------------------------------------------


def parse_subscription(line: str) -> Subscription:
    """Parse a bot's first line, without its line feed. Raises ProtocolError."""
    try:
        return Subscription(line)
    except ValueError:
        raise ProtocolError("bot", f"its first line is {line!r}, not update, state or both") from None


_ANSWER: Final = re.compile(r"([0-5]) ([gobyr]) ([0-5])")
_A_MOVE: Final = f"a move 'd c l', a display 0 to 5, a colour of {LETTERS} and a line 0 to 5"


def parse_draft(line: str) -> Draft:
    """Parse a bot's move `d c l`, without its line feed, whether legal now or not. Raises ProtocolError."""
    try:
        return _move(line)
    except _LineError:
        raise ProtocolError("bot", f"its answer is {line!r}, not {_A_MOVE}") from None


# --- Lines that a bot writes and reads ---------------------------------------------------------------------


def format_draft(draft: Draft) -> str:
    """Format a draft as a bot's move, without a line feed."""
    line = FLOOR_LINE if draft.line == FLOOR else draft.line - 1
    return f"{draft.source} {LETTERS[draft.colour]} {line}"


T = TypeVar("T")
_Reading = Generator[None, str, T]
"""A generator that is sent one line after another and returns what they mean."""


class _LineError(ValueError):
    """What is wrong with a line, as the end of a sentence."""


class TurnParser:
    """Parses the lines that a bot reads, one at a time."""

    def __init__(self, subscription: Subscription) -> None:
        self._wish = subscription
        self._begin()

    def _begin(self) -> None:
        self._lines = 0
        self._reading = _turn(self._wish)
        next(self._reading)

    def receive(self, line: str) -> Turn | None:
        """Parse a line, without its line feed; return the turn at its last line. Raises ProtocolError."""
        self._lines += 1
        try:
            self._reading.send(line)
        except StopIteration as done:
            self._begin()
            turn: Turn = done.value
            return turn
        except _LineError as error:
            raise ProtocolError("match", f"line {self._lines} of this turn {error}") from None
        return None


def _turn(subscription: Subscription) -> _Reading[Turn]:
    (milliseconds,) = _numbers((yield), 1, "is the remaining time in milliseconds")
    updates = (yield from _updates()) if subscription.updates else None
    view = (yield from _view()) if subscription.view else None
    return Turn(milliseconds, updates, view)


def _updates() -> _Reading[tuple[Update, ...]]:
    updates: list[Update] = []
    (number,) = _numbers((yield), 1, "is the number of updates")
    for _ in range(number):
        kind = yield
        if kind == "restock":
            updates.append(Deal((yield from _displays())))
        elif kind == "move":
            updates.append(_move((yield)))
        else:
            raise _LineError(f"is restock or move, not {kind!r}")
    return tuple(updates)


def _view() -> _Reading[StateBlock]:
    line = yield
    what = "is the centre: five counts, and 1 or 0 for the marker"
    *centre, there = _numbers(line, 6, what)
    if there > 1:
        raise _LineError(f"{what}, not {line!r}")
    displays = yield from _displays()
    line = yield
    try:
        taker = MarkerTaker(line)
    except ValueError:
        raise _LineError(f"is you, opponent or none, not {line!r}") from None
    if there != (taker is MarkerTaker.NONE):
        raise _LineError(f"says that {taker.value} took the marker, but the centre's is {there}")
    own = yield from _side()
    other = yield from _side()
    return StateBlock((_counts(centre), *displays), taker, own, other)


def _displays() -> _Reading[tuple[Counts, ...]]:
    found = []
    for number in range(1, _DISPLAYS + 1):
        line = yield
        found.append(_counts(_numbers(line, 5, f"is the five counts of display {number}")))
    return tuple(found)


def _side() -> _Reading[BoardView]:
    colours, held = [], []
    for number in LINES:
        colour, tiles = _pattern_line((yield), number)
        colours.append(colour)
        held.append(tiles)
    wall = []
    for row in range(5):
        wall.append(_wall_row((yield), row))  # noqa: PERF401 - a comprehension can't be sent lines
    line = yield
    what = f"is the floor's length, 0 to {FLOOR_SPACES}, and the score"
    floor, score = _numbers(line, 2, what)
    if floor > FLOOR_SPACES:
        raise _LineError(f"{what}, not {line!r}")
    return BoardView(tuple(colours), tuple(held), tuple(wall), floor, score)


def _pattern_line(line: str, number: int) -> tuple[Colour | None, int]:
    count, _, letter = line.partition(" ")
    if line == f"0 {EMPTY}":
        return None, 0
    if len(letter) == 1 and letter in LETTERS and count in [str(tiles) for tiles in range(1, number + 1)]:
        return COLOURS[LETTERS.index(letter)], int(count)
    what = f"is pattern line {number - 1}: a count up to {number} and a colour, or '0 {EMPTY}'"
    raise _LineError(f"{what}, not {line!r}")


def _wall_row(line: str, row: int) -> tuple[Colour | None, ...]:
    printed = WALL_PATTERN[row]
    letters = line.split(" ")
    if len(letters) != 5 or any(
        letter not in (EMPTY, LETTERS[colour]) for letter, colour in zip(letters, printed, strict=True)
    ):
        whole = " ".join(LETTERS[colour] for colour in printed)
        raise _LineError(f"is wall row {row}, some of '{whole}' and {EMPTY!r} for the others, not {line!r}")
    return tuple(None if letter == EMPTY else colour for letter, colour in zip(letters, printed, strict=True))


def _move(line: str) -> Draft:
    found = _ANSWER.fullmatch(line)
    if found is None:
        raise _LineError(f"is {_A_MOVE}, not {line!r}")
    display, letter, to = found.groups()
    line_number = FLOOR if int(to) == FLOOR_LINE else int(to) + 1
    return Draft(int(display), COLOURS[LETTERS.index(letter)], line_number)


_NUMBER: Final = re.compile("0|[1-9][0-9]{0,8}")


def _numbers(line: str, due: int, what: str) -> list[int]:
    fields = line.split(" ")
    if len(fields) != due or not all(_NUMBER.fullmatch(field) for field in fields):
        raise _LineError(f"{what}, not {line!r}")
    return list(map(int, fields))


def _counts(numbers: list[int]) -> Counts:
    green, orange, blue, yellow, red = numbers
    return (green, orange, blue, yellow, red)


# --- States of the rules to turns, and back (D1 to D3) -----------------------------------------------------


class TurnBuilder:
    """Builds the turns of one seat; collects the updates between them."""

    def __init__(self, seat: int, subscription: Subscription) -> None:
        self._seat = seat
        self._wish = subscription
        self._updates: list[Update] = []

    def record_event(self, state: StandardState, event: Event) -> None:
        """Add an event to the updates; `state` is the one before it."""
        if isinstance(event, Deal) or (isinstance(event, Draft) and state.turn != self._seat):
            self._updates.append(event)

    def turn(self, state: StandardState, milliseconds: int) -> Turn:
        """Return the turn of this seat now, with its remaining time, and start collecting anew."""
        updates = tuple(self._updates)
        self._updates.clear()
        view = state_block(state, self._seat) if self._wish.view else None
        return Turn(milliseconds, updates if self._wish.updates else None, view)


def state_block(state: StandardState, seat: int) -> StateBlock:
    """Return a state from the view of a seat."""
    sides = [
        BoardView(each.colours, each.held, each.wall, len(each.floor), each.score) for each in state.boards
    ]
    taker = {None: MarkerTaker.NONE, seat: MarkerTaker.YOU}.get(state.marker, MarkerTaker.OPPONENT)
    return StateBlock(state.sources, taker, sides[seat], sides[1 - seat])


def state_from_block(view: StateBlock, round_number: int = 1) -> StandardState:
    """Return the game that a state block shows, with the bot on turn as seat 0.

    Raises ProtocolError if no game has this block. The block does not give the tiles on the floor lines: any
    unseen tiles are put there. That changes nothing that can still happen, as all of them go back to the bag
    before tiles are drawn again (D1).
    """
    shown = total([*view.sources, *_tiles_of(view.own), *_tiles_of(view.other)])
    unseen = without(ALL_TILES, shown)
    for colour, number in zip(LETTERS, unseen, strict=True):
        if number < 0:
            raise ProtocolError("match", f"there are {TILES_OF_A_COLOUR - number} tiles of {colour}")
    if all(tiles == NO_TILES for tiles in view.sources):
        raise ProtocolError("match", "there is no tile to take")
    boards = []
    for side, taker in ((view.own, MarkerTaker.YOU), (view.other, MarkerTaker.OPPONENT)):
        board, unseen = _board_of(side, unseen, marker=view.taker is taker)
        boards.append(board)
    started = {MarkerTaker.YOU: 0, MarkerTaker.OPPONENT: 1}
    starter = started.get(view.taker, _starter(view))
    return StandardState(
        tuple(boards),
        view.sources,
        turn=0,
        round=round_number,
        bag=unseen,
        ruleset=DTC,
        phase=Phase.OFFER,
        starter=starter,
        marker=started.get(view.taker),
    )


def _tiles_of(side: BoardView) -> list[Counts]:
    """Return the counts of the tiles on a board."""
    on_wall = [(tile, 1) for row in side.wall for tile in row]
    on_lines = zip(side.colours, side.held, strict=True)
    return [of_colour(colour, held) for colour, held in (*on_wall, *on_lines) if colour is not None]


def _board_of(side: BoardView, unseen: Counts, *, marker: bool) -> tuple[Board, Counts]:
    """Return a board with some of the unseen tiles on its floor, and the unseen tiles that are left."""
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


def _starter(view: StateBlock) -> int:
    """Return who started a round in which nobody took from the centre: each move emptied a display (R12)."""
    moves = sum(tiles == NO_TILES for tiles in view.sources[1:])
    return moves % _SEATS


def explain_illegal(state: StandardState, draft: Draft, error: IllegalEventError) -> str:
    """Return why a move is illegal, in the protocol's numbers and letters."""
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
