"""The appliance as a value: `update(table, event)` gives the table after a press, a tick or a chance outcome.

Nothing here reads a clock, draws a tile or lights a lamp: time comes with the events, chance is asked for by
`wants` and arrives as an event, and what is shown is made of the value by `lights.py` and `snapshot.py`.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from device import ceremony
from device.ceremony import Ceremony
from device.play import Play, Selection, advance, can_take_back, next_selection, start, take_back
from device.rules import game as rules
from device.rules.board import FLOOR
from device.rules.errors import IllegalEventError
from device.rules.events import CENTRE, Chance, Draft, Event
from device.rules.game import Setup
from device.rules.standard import DISPLAYS
from hardware import api
from hardware.api import ButtonPressed

LONGEST_NAME: Final = 20


class Stage(StrEnum):
    """What the table is doing."""

    UNUSABLE = "unusable"  # the store can't be used; offers to start beside it
    SEATING = "seating"
    CHOOSING = "choosing"  # the mode and who starts
    OFFER = "offer"
    SCORING = "scoring"
    OVER = "over"


class Why(StrEnum):
    """Why a press was refused; the rules' own reasons come on top (`IllegalEventError.why`)."""

    UNKNOWN_BUTTON = "unknown_button"
    SEAT_TAKEN = "seat_taken"
    SEAT_EMPTY = "seat_empty"
    TOO_FEW_SEATS = "too_few_seats"
    NOT_ENOUGH_DISPLAYS = "not_enough_displays"
    NO_SUCH_MODE = "no_such_mode"
    NOT_YOUR_TURN = "not_your_turn"
    SOURCE_EMPTY = "source_empty"
    CHOOSE_SOURCE_FIRST = "choose_source_first"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_CONFIRM = "nothing_to_confirm"
    NOT_NOW = "not_now"
    NAME_TOO_LONG = "name_too_long"
    NOT_SAVED = "not_saved"  # the disk took no more: nothing was changed


class Question(StrEnum):
    """Something that the table asks on top of the game; `ok` says yes, playing on says no."""

    YOUR_BOARD = "your_board"  # after a power cut
    STOP_GAME = "stop_game"


class Want(StrEnum):
    """An outcome of chance that the table waits for."""

    EVENT = "event"  # the game's next chance event
    FIRST = "first"  # who starts, drawn because the players asked for it (R3)


@dataclass(frozen=True, slots=True)
class Tick:
    """Time went on, to `at` seconds."""

    at: float


@dataclass(frozen=True, slots=True)
class ChanceDrawn:
    """The chance event that the game waited for."""

    event: Chance
    at: float


@dataclass(frozen=True, slots=True)
class FirstDrawn:
    """Who starts, drawn at random: the table's seat."""

    place: int
    at: float


@dataclass(frozen=True, slots=True)
class Named:
    """A player's name for a seat of the table."""

    place: int
    name: str
    at: float


TableEvent = ButtonPressed | Tick | ChanceDrawn | FirstDrawn | Named


@dataclass(frozen=True, slots=True)
class Refusal:
    """The last refused press, and the flash that shows it, where and since when; `number` counts refusals."""

    why: str
    button: str
    flash: str
    at: float
    number: int


@dataclass(frozen=True, slots=True)
class Movement:
    """Tiles on their way: the lights sweep from how the table stood to how it stands."""

    before: Play
    at: float


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A store that can't be used, why, and the new file that the table offers to start beside it."""

    why: str
    path: str
    beside: str


@dataclass(frozen=True, slots=True)
class Table:
    """The whole appliance at one moment; places are the table's seats, from 1."""

    places: int
    displays: int
    names: tuple[str, ...]  # by place; empty where nobody said one
    taken: tuple[int, ...] = ()  # places in the order in which they were taken
    choosing: bool = False
    mode: str = "standard"
    drawing_first: bool = False
    play: Play | None = None
    selection: Selection | None = None
    ceremony: Ceremony | None = None
    question: Question | None = None
    refusal: Refusal | None = None
    movement: Movement | None = None
    fault: StoreFault | None = None

    @property
    def stage(self) -> Stage:
        """What the table is doing now."""
        if self.fault is not None:
            return Stage.UNUSABLE
        if self.play is None:
            return Stage.CHOOSING if self.choosing else Stage.SEATING
        if self.ceremony is not None:
            return Stage.SCORING
        return Stage.OVER if self.play.over else Stage.OFFER

    @property
    def acting_place(self) -> int | None:
        """The place whose draft is next; None where no single seat has the choice."""
        if self.play is None or self.stage is not Stage.OFFER:
            return None
        turn = rules.to_act(self.play.state)
        return self.play.places[turn[0]] if turn != rules.CHANCE and len(turn) == 1 else None

    def with_fault(self, fault: StoreFault) -> "Table":
        """The same table, saying that its store can't be used."""
        return replace(self, fault=fault)

    def name_of(self, place: int) -> str:
        """What somebody at a place is called in records: the name given, else the seat."""
        return self.names[place - 1] or f"Seat {place}"


def new_table(places: int, displays: int) -> Table:
    """A table where nobody sits yet, as large as its layout."""
    return Table(places, displays, ("",) * places)


def modes(players: int) -> tuple[str, ...]:
    """The modes that a number of players can choose from."""
    return tuple(name for name, each in rules.RULESETS.items() if 2 <= players <= each.most_players)


def wants(table: Table) -> Want | None:
    """The chance outcome to draw next, if the table waits for one."""
    if table.drawing_first:
        return Want.FIRST
    if table.play is not None and table.ceremony is None and rules.to_act(table.play.state) == rules.CHANCE:
        return Want.EVENT
    return None


class _RefusedError(Exception):
    """A press that changes nothing."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def update(table: Table, event: TableEvent) -> Table:
    """The table after an event; what can't be done now changes nothing but the refusal it shows."""
    table = _pass_time(table, event.at)
    match event:
        case ButtonPressed(button, at):
            try:
                return _press(table, button, at)
            except _RefusedError as refused:
                return refuse(table, refused.why, button, at)
        case ChanceDrawn(drawn, at):
            return _advance(table, drawn, at) if wants(table) is Want.EVENT else table
        case FirstDrawn(place, at):
            return _start(table, place, at) if wants(table) is Want.FIRST else table
        case Named(place, name, at):
            return _name(table, place, name, at)
        case Tick():
            return table


FLASH_APART: Final = 0.5
"""Seconds from one refusal's flash to the next at least: nothing may flash more than 3 times a second."""


def refuse(table: Table, why: str, button: str, at: float) -> Table:
    """The table with a refused press to show; in a flood of them the flash under way goes on instead."""
    last = table.refusal
    if last is None:
        return replace(table, refusal=Refusal(why, button, button, at, 1))
    if at - last.at < FLASH_APART:
        return replace(table, refusal=replace(last, why=why, button=button, number=last.number + 1))
    return replace(table, refusal=Refusal(why, button, button, at, last.number + 1))


def _pass_time(table: Table, now: float) -> Table:
    """Go on with a ceremony whose steps have been shown long enough."""
    if table.ceremony is None or table.play is None:
        return table
    going_on = ceremony.pass_time(table.ceremony, table.play.state.account, now)
    return table if going_on is table.ceremony else replace(table, ceremony=going_on)


# --- Presses ---------------------------------------------------------------------------------------------

_SOURCE: Final = re.compile(r"display\.([1-9])")
_PLACE: Final = re.compile(r"seat\.([1-9])\.(?:line\.([1-5])|floor)")


def source_of(button: str) -> int | None:
    """The source that a button belongs to: 0 for the centre's, k for display k's."""
    if button == "centre":
        return CENTRE
    found = _SOURCE.fullmatch(button)
    return int(found[1]) if found else None


def place_and_line_of(button: str) -> tuple[int, int] | None:
    """The place and the line (0 for the floor) that a seat's button belongs to."""
    found = _PLACE.fullmatch(button)
    return (int(found[1]), int(found[2] or FLOOR)) if found else None


def source_button(source: int) -> str:
    """The button of a source."""
    return api.display_button(source) if source != CENTRE else api.CENTRE


def seat_button(place: int, line: int) -> str:
    """The button of a place's line, or of its floor (line 0)."""
    return api.line_button(place, line) if line != FLOOR else api.floor_button(place)


def _press(table: Table, button: str, at: float) -> Table:
    if table.fault is not None:
        return _leave_store_alone(table, button)
    if table.question is not None:
        if button == "ok":
            return _say_yes(table)
        table = replace(table, question=None)
    if button == "ok":
        return _press_ok(table)
    if button == "undo":
        return _press_undo(table, at)
    if (source := source_of(button)) is not None and source <= table.displays:
        return _press_source(table, source)
    if (found := place_and_line_of(button)) is not None and found[0] <= table.places:
        return _press_seat(table, *found, at)
    raise _RefusedError(Why.UNKNOWN_BUTTON)


def _leave_store_alone(table: Table, button: str) -> Table:
    """`ok` accepts the new file that is offered beside a store that can't be used."""
    if button != "ok":
        raise _RefusedError(Why.NOT_NOW)
    return replace(table, fault=None)


def _say_yes(table: Table) -> Table:
    if table.question is Question.STOP_GAME:
        return replace(table, question=None, play=None, selection=None, movement=None, choosing=True)
    return replace(table, question=None)


def _press_ok(table: Table) -> Table:
    match table.stage:
        case Stage.SEATING:
            return _go_choosing(table)
        case Stage.SCORING:
            return replace(table, ceremony=None, movement=None)
        case Stage.OVER:
            return replace(table, play=None, choosing=True, movement=None)
        case _:
            raise _RefusedError(Why.NOTHING_TO_CONFIRM)


def _press_undo(table: Table, at: float) -> Table:
    if table.play is None:
        if table.choosing:
            return replace(table, choosing=False)
        if table.taken:
            return replace(table, taken=table.taken[:-1])
        raise _RefusedError(Why.NOTHING_TO_UNDO)
    if table.selection is not None:
        return replace(table, selection=None)
    if not can_take_back(table.play):
        return replace(table, question=Question.STOP_GAME)
    back = take_back(table.play)
    return replace(table, play=back, ceremony=None, movement=Movement(table.play, at))


def _press_source(table: Table, source: int) -> Table:
    if table.stage is Stage.CHOOSING:
        if source == CENTRE:
            return replace(table, drawing_first=True)
        offered = modes(len(table.taken))
        if source > len(offered):
            raise _RefusedError(Why.NO_SUCH_MODE)
        return replace(table, mode=offered[source - 1])
    if table.play is None or table.acting_place is None:
        raise _RefusedError(Why.NOT_NOW)
    selection = next_selection(table.play, table.selection, source)
    if selection is None:
        raise _RefusedError(Why.SOURCE_EMPTY)
    return replace(table, selection=selection)


def _press_seat(table: Table, place: int, line: int, at: float) -> Table:
    match table.stage:
        case Stage.SEATING:
            return _take_seat(table, place)
        case Stage.CHOOSING:
            return _start(table, place, at)
        case Stage.OFFER:
            return _press_line(table, place, line, at)
        case _:
            raise _RefusedError(Why.NOT_NOW)


# --- Seats, mode and first player ------------------------------------------------------------------------


def _take_seat(table: Table, place: int) -> Table:
    if place in table.taken:
        raise _RefusedError(Why.SEAT_TAKEN)
    return replace(table, taken=(*table.taken, place))


def _go_choosing(table: Table) -> Table:
    players = len(table.taken)
    if not modes(players):
        raise _RefusedError(Why.TOO_FEW_SEATS)
    if DISPLAYS[players] > table.displays:
        raise _RefusedError(Why.NOT_ENOUGH_DISPLAYS)
    mode = table.mode if table.mode in modes(players) else modes(players)[0]
    return replace(table, choosing=True, mode=mode)


def _start(table: Table, place: int, at: float) -> Table:
    """Begin the game with the player at `place` (R3); seats follow each other clockwise."""
    if place not in table.taken:
        raise _RefusedError(Why.SEAT_EMPTY)
    places = tuple(sorted(table.taken))
    players = tuple(table.name_of(each) for each in places)
    play = start(Setup(table.mode, players, places.index(place)), places)
    return replace(table, play=play, choosing=False, drawing_first=False, movement=Movement(play, at))


def _name(table: Table, place: int, name: str, at: float) -> Table:
    """Note a player's name; a game that has begun keeps the names it began with."""
    button = f"seat.{place}"
    if not 1 <= place <= table.places:
        return refuse(table, Why.SEAT_EMPTY, button, at)
    if table.play is not None:
        return refuse(table, Why.NOT_NOW, button, at)
    said = " ".join(name.split())
    if len(said) > LONGEST_NAME or not said.isprintable():
        return refuse(table, Why.NAME_TOO_LONG, button, at)
    return replace(table, names=(*table.names[: place - 1], said, *table.names[place:]))


# --- Playing ---------------------------------------------------------------------------------------------


def _press_line(table: Table, place: int, line: int, at: float) -> Table:
    if place != table.acting_place:
        raise _RefusedError(Why.NOT_YOUR_TURN)
    if table.selection is None:
        raise _RefusedError(Why.CHOOSE_SOURCE_FIRST)
    draft = Draft(table.selection.source, table.selection.colour, line)
    try:
        return _advance(table, draft, at)
    except IllegalEventError as illegal:
        raise _RefusedError(illegal.why) from illegal


def _advance(table: Table, event: Event, at: float) -> Table:
    """Apply an event of the game; the end of a round begins its scoring ceremony."""
    before = table.play
    assert before is not None
    after = advance(before, event)
    closed = rules.closing_scores(before.state, after.state) is not None
    return replace(
        table,
        play=after,
        selection=None,
        ceremony=Ceremony(0, at) if closed else None,
        movement=Movement(before, at),
    )
