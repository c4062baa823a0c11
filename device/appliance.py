"""The appliance as a value: who sits where, the game, and everything that is asked or shown on top of it.

`table.py` says what an event makes of it; `lights.py` and `snapshot.py` say how it looks.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self

from device.ceremony import Ceremony
from device.play import Play, Selection
from device.rules import game as rules
from device.rules.events import Chance
from device.rules.solo_state import EASY, WALLS
from device.rules.standard import STANDARD, Phase
from device.rules.tiles import Colour
from hardware.api import ButtonPressed

LONGEST_NAME: Final = 20


class Stage(StrEnum):
    """What the table is doing."""

    UNUSABLE = "unusable"  # the store can't be used; offers to start beside it
    SEATING = "seating"
    CHOOSING = "choosing"  # the mode and who starts
    OFFER = "offer"
    TELLING = "telling"  # tiles of resin: the table is told what was drawn
    CHOICE = "choice"  # of columns on gray walls, of squares and penalty tiles in solo
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
    NOT_THIS_DISPLAY = "not_this_display"  # solo works the displays in order
    CHOOSE_SOURCE_FIRST = "choose_source_first"
    COLUMN_TAKEN = "column_taken"  # gray walls: not free, or with its colour already
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_CONFIRM = "nothing_to_confirm"
    NOT_NOW = "not_now"
    NAME_TOO_LONG = "name_too_long"
    UNKNOWN_TAG = "unknown_tag"
    TILE_TOLD_ALREADY = "tile_told_already"
    TILE_NOT_LEFT = "tile_not_left"  # all 20 of its colour lie elsewhere
    TILE_IN_LID = "tile_in_lid"  # the bag is not empty yet, and holds none of its colour
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


@dataclass(frozen=True, slots=True)
class TileShown:
    """A tile was shown to a reader, or typed; `tag` tells it from its like, where it has one."""

    colour: Colour
    reader: str | None
    tag: str | None
    at: float


@dataclass(frozen=True, slots=True)
class UnknownTag:
    """A tag was laid on a reader that nobody has taught the table."""

    reader: str
    at: float


TableEvent = ButtonPressed | UnknownTag | TileShown | Tick | ChanceDrawn | FirstDrawn | Named


class RefusedError(Exception):
    """A press that changes nothing; `why` is a key of the pages' words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Refusal:
    """The last refused press, and the flash that shows it, where and since when; `number` counts refusals.

    It is said until something is done; the flash is remembered longer, so that the next keeps its distance.
    """

    why: str
    button: str
    flash: str
    at: float
    number: int
    said: bool = True


@dataclass(frozen=True, slots=True)
class Movement:
    """Tiles on their way: the lights sweep from how the table stood to how it stands."""

    before: Play
    at: float


@dataclass(frozen=True, slots=True)
class Told:
    """A drawn tile that the table was told of; its tag if it has one."""

    colour: Colour
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A store that can't be used, why, and the new file that the table offers to start beside it."""

    why: str
    path: str
    beside: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the players chose for their next game; the level and the wall are the solo game's."""

    mode: str = STANDARD.name
    level: str = EASY.name
    wall: str = WALLS[0]


@dataclass(frozen=True, slots=True)
class Table:
    """The whole appliance at one moment; places are the table's seats, from 1."""

    places: int
    displays: int
    names: tuple[str, ...]  # by place; empty where nobody said one
    confirm_columns: bool = True  # whether a gray wall's only legal column is asked for all the same
    resin: bool = False  # the box's own tiles lie on the table: chance is told, not drawn
    taken: tuple[int, ...] = ()  # places in the order in which they were taken
    choosing: bool = False
    wishes: Wishes = Wishes()
    drawing_first: bool = False
    play: Play | None = None
    selection: Selection | None = None
    told: tuple[Told, ...] = ()
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
        if self.play.over:
            return Stage.OVER
        if self.resin and rules.to_act(self.play.state) == rules.CHANCE:
            return Stage.TELLING
        return Stage.CHOICE if self.play.asks_choice else Stage.OFFER

    @property
    def acting_place(self) -> int | None:
        """The place whose board the next draft goes to; None where nothing is drafted."""
        if self.play is None or self.stage is not Stage.OFFER or self.play.state.phase is not Phase.OFFER:
            return None
        return self.play.places[self.play.state.turn]

    def name_of(self, place: int) -> str:
        """What somebody at a place is called in records: the name given, else the seat."""
        return self.names[place - 1] or f"Seat {place}"

    def with_fault(self, fault: StoreFault) -> Self:
        """The same table, saying that its store can't be used."""
        return replace(self, fault=fault)


def new_table(places: int, displays: int, *, confirm_columns: bool = True, resin: bool = False) -> Table:
    """A table where nobody sits yet, as large as its layout."""
    return Table(places, displays, ("",) * places, confirm_columns, resin)


def wants(table: Table) -> Want | None:
    """The chance outcome to draw next, if the table waits for one; tiles of resin are drawn by people."""
    if table.drawing_first:
        return Want.FIRST
    if table.resin:
        return None
    if table.play is not None and table.ceremony is None and rules.to_act(table.play.state) == rules.CHANCE:
        return Want.EVENT
    return None
