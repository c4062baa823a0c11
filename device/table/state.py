"""The appliance as a value: who sits where, the game, and everything that is asked or shown on top of it.

`table.py` says what an event makes of it; `lights.py` and `snapshot.py` say how it looks.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Self

from device.rules.board import Board
from device.rules.events import Chance, Choice, Event
from device.rules.solo.game import EASY, WALLS
from device.rules.standard import STANDARD
from device.rules.tiles import Colour
from device.table.access import FULL_EQUIPMENT, Equipment
from device.table.explain import Reason
from device.table.game import Play, Selection, default_name
from device.table.score_animation import ScoreAnimation
from device.table.tags import Lesson, Subject, Tags
from hardware.api import ButtonPressed, PartBack, PartLost

# --- What opponents at the table are asked, and what came of it ---

OPPONENTS: Final = ("calm", "greedy", "strong", "master")
"""Those that come with the table, from the weakest to the best."""
STAND_IN: Final = "greedy"
"""Who chooses in the place of an opponent that does not."""

ChoicePosition = tuple[Event, ...] | Board
"""What a choice is made about: the game's events so far; of a gray wall's column that board alone (G3)."""


@dataclass(frozen=True, slots=True)
class BotRequest:
    """An open question: which opponent, or who stands in for it, is to choose for one of the game's seats.

    It is asked again when no answer comes; the attempts are counted, and so are all questions.
    """

    number: int
    seat: int
    whom: str
    position: ChoicePosition
    since: float
    attempt: int = 1
    hint: bool = False  # for a person


@dataclass(frozen=True, slots=True)
class Hint:
    """A choice that a person is advised to make, and what it gains against the next best, in points."""

    seat: int
    choice: Choice
    position: ChoicePosition
    gain: float | None
    next_best: Event | None


@dataclass(frozen=True, slots=True)
class MissingHint:
    """A hint that was asked for one of the game's seats and will not come, and why."""

    seat: int
    why: str  # gone_on: the game has; silent: no answer came


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an opponent chose something, when the game had so many events."""

    seat: int
    at: int
    choice: Choice
    because: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class BotChoice:
    """What an opponent chose for one of the game's seats, and since when it is shown, up to which step."""

    seat: int
    choice: Choice
    position: ChoicePosition
    since: float
    step: int = 0


@dataclass(frozen=True, slots=True)
class StandIn:
    """Why somebody else chose for the opponent at a place; `for_good` to the end of the game."""

    place: int
    why: str
    detail: str = ""
    for_good: bool = False


@dataclass(frozen=True, slots=True)
class OpponentSettings:
    """How the opponents at this table are: the programs that it knows, and the pace that they show things at.

    Seconds: of the longest thought, and of a program's thinking in a whole game.
    """

    programs: tuple[str, ...] = ()
    pace: str = "normal"
    thought: float = 1.0
    program: float = 30.0


USUAL: Final = OpponentSettings()
"""Without any settings."""


# ----------------------------------------------------------------------------------------------------------


class Stage(StrEnum):
    """What the table is doing."""

    UNUSABLE = "unusable"  # the store can't be used; offers to start beside it
    SEATING = "seating"
    CHOOSING = "choosing"  # the mode and who starts
    OFFER = "offer"
    REPORTING = "telling"  # tiles of resin: the table is told what was drawn
    CHOICE = "choice"  # of columns on gray walls, of squares and penalty tiles in solo
    SCORING = "scoring"
    OVER = "over"
    TEACHING = "learning"  # what tags mean, on top of whatever it does


class RefusalReason(StrEnum):
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
    NAME_MISSING = "name_missing"
    UNKNOWN_TAG = "unknown_tag"
    COLOUR_NOT_THERE = "colour_not_there"  # the tile shown has a colour that can't be taken there
    CARD_NOT_NOW = "card_not_now"  # player cards seat players, before a game
    PLAYER_SITS = "player_sits"  # the card's player has a seat already
    TEACHING = "learning"  # tags are learned just now
    OTHER_LESSON = "learning_other"  # another lesson is under way
    TAG_KNOWN = "tag_known"  # it means something already
    TAG_NOT_KNOWN = "tag_not_known"
    LESSON_OVER = "lesson_over"
    TILE_REPORTED_ALREADY = "tile_told_already"
    TILE_NOT_LEFT = "tile_not_left"  # all 20 of its colour lie elsewhere
    TILE_IN_LID = "tile_in_lid"  # the bag is not empty yet, and holds none of its colour
    NO_HINTS = "no_hints"  # this game is played without
    NO_HINT_NOW = "no_hint_now"
    BOTS_TURN = "bots_turn"  # an opponent is to choose, not a person
    PROGRAM_NEEDS_BOT_GAME = "program_needs_bot_game"
    NOT_SAVED = "not_saved"  # the disk took no more: nothing was changed


class Question(StrEnum):
    """Something that the table asks on top of the game; `ok` says yes, playing on says no."""

    YOUR_BOARD = "your_board"  # after a power cut
    STOP_GAME = "stop_game"


class NeededDraw(StrEnum):
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
class PlayerNamed:
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
class TagShown:
    """A tag, in its one form, was laid on a reader."""

    reader: str
    tag: str
    at: float


@dataclass(frozen=True, slots=True)
class BotReply:
    """What came of a question to an opponent: its choice; or None, `why` not, and the detail in its words."""

    number: int
    choice: Event | None
    at: float
    why: str = "lost"
    detail: str = ""
    gain: float | None = None  # of a hint: points more than the next best
    next_best: Event | None = None


@dataclass(frozen=True, slots=True)
class HintRequested:
    """A person asks for a hint, for a seat of the table; None: for all who have a choice."""

    place: int | None
    at: float


@dataclass(frozen=True, slots=True)
class LessonBegun:
    """Somebody wants to teach the table tags."""

    subject: Subject
    at: float


@dataclass(frozen=True, slots=True)
class LessonUndone:
    """The tag learned last was a mistake."""

    at: float


@dataclass(frozen=True, slots=True)
class LessonEnded:
    """Enough is learned, for now."""

    at: float


@dataclass(frozen=True, slots=True)
class TagsForgotten:
    """Tags, in their one form, are to mean nothing any more."""

    tags: tuple[str, ...]
    at: float


TeachingEvent = LessonBegun | LessonUndone | LessonEnded | TagsForgotten
GameEvent = ButtonPressed | TagShown | TileShown | Tick | ChanceDrawn | FirstDrawn | PlayerNamed
Happening = GameEvent | BotReply | HintRequested | TeachingEvent
TableEvent = Happening | PartLost | PartBack


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
class ReportedTile:
    """A drawn tile that the table was told of; its tag if it has one."""

    colour: Colour
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class WaitingCard:
    """A player's card that waits for a seat: whose, and since when."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A store that can't be used, why, and the new file that the table offers to start beside it."""

    why: str
    path: str
    beside: str


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What the players chose for their next game; the level and the wall are the solo game's."""

    mode: str = STANDARD.name
    level: str = EASY.name
    wall: str = WALLS[0]
    hints: bool = True


@dataclass(frozen=True, slots=True)
class LastPress:
    """A press of `ok` or `undo` in a game, and the table before it: the other may follow at once."""

    button: str
    at: float
    before: "Table"


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
    wishes: GameOptions = GameOptions()
    drawing_first: bool = False
    play: Play | None = None
    last_game: Play | None = None  # played to its end; until another begins its result can still be read
    selection: Selection | None = None
    colour_in_hand: Colour | None = None  # of a tile that was shown before its source was chosen
    told: tuple[ReportedTile, ...] = ()
    ceremony: ScoreAnimation | None = None
    question: Question | None = None
    refusal: Refusal | None = None
    movement: Movement | None = None
    fault: StoreFault | None = None
    tags: Tags = field(default_factory=dict, hash=False)  # every tag that is known
    lesson: Lesson | None = None
    card: WaitingCard | None = None
    fittings: Equipment = FULL_EQUIPMENT
    lost: tuple[PartLost, ...] = ()  # parts of the table that don't work, since when; no matter of the game
    bots: tuple[str, ...] = ()  # by place: the opponent who sits there; empty for a person
    manners: OpponentSettings = USUAL
    questions: int = 0  # put to opponents so far
    asked: tuple[BotRequest, ...] = ()
    chosen: tuple[BotChoice, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()
    motives: tuple[Explanation, ...] = ()
    hints_asked: tuple[BotRequest, ...] = ()
    hints: tuple[Hint, ...] = ()
    no_hints: tuple[MissingHint, ...] = ()
    last_press: LastPress | None = field(default=None, compare=False)
    hands_due: bool = False  # tiles of resin: people move an opponent's tiles, and say so with `ok`

    @property
    def stage(self) -> Stage:
        """What the table is doing now."""
        if self.fault is not None:
            return Stage.UNUSABLE
        if self.lesson is not None:
            return Stage.TEACHING
        if self.play is None:
            return Stage.CHOOSING if self.choosing else Stage.SEATING
        if self.ceremony is not None:
            return Stage.SCORING
        if self.play.over:
            return Stage.OVER
        if self.resin and self.play.state.chance_due:
            return Stage.REPORTING
        return Stage.CHOICE if self.play.asks_choice else Stage.OFFER

    @property
    def acting_place(self) -> int | None:
        """The place whose board the next draft goes to; None where nothing is drafted."""
        if self.play is None or self.stage is not Stage.OFFER or not self.play.state.in_offer:
            return None
        return self.play.places[self.play.state.turn]

    def bot_at(self, place: int) -> str:
        """The opponent at a place; an empty text for a person."""
        return self.bots[place - 1] if place <= len(self.bots) else ""

    def bot_of(self, seat: int) -> str:
        """The opponent who plays one of the game's seats; both boards of a solo game are one player's."""
        if self.play is None:
            return ""
        return self.bot_at(self.play.places[self.play.state.player_of(seat)])

    @property
    def bots_turn(self) -> bool:
        """Whether the next draft is an opponent's."""
        return (
            self.play is not None
            and self.acting_place is not None
            and bool(self.bot_of(self.play.state.turn))
        )

    def known_as(self, place: int) -> str | None:
        """The name of whoever sits at a place: an opponent's own, else the one given; None for none."""
        bot = self.bot_at(place)
        if not bot:
            return self.names[place - 1] or None
        before = sum(self.bot_at(other) == bot for other in self.taken if other < place)
        name = bot.capitalize() if bot in OPPONENTS else bot
        return f"{name} {before + 1}" if before else name

    def name_of(self, place: int) -> str:
        """What somebody at a place is called in records: as known, else by the seat."""
        return self.known_as(place) or default_name(place)

    def with_fault(self, fault: StoreFault) -> Self:
        """The same table, saying that its store can't be used."""
        return replace(self, fault=fault)


def new_table(
    places: int,
    displays: int,
    *,
    confirm_columns: bool = True,
    resin: bool = False,
    fittings: Equipment = FULL_EQUIPMENT,
    manners: OpponentSettings = USUAL,
) -> Table:
    """A table where nobody sits yet, as large as its layout."""
    nobody = ("",) * places
    table = Table(places, displays, nobody, confirm_columns, resin, fittings=fittings)
    return replace(table, bots=nobody, manners=manners)


def needed_draw(table: Table) -> NeededDraw | None:
    """The chance outcome to draw next, if the table waits for one; tiles of resin are drawn by people."""
    if table.drawing_first:
        return NeededDraw.FIRST
    if table.resin:
        return None
    if table.play is not None and table.ceremony is None and table.play.state.chance_due:
        return NeededDraw.EVENT
    return None
