"""State of the table as one immutable value: `Table`, its groups of fields, and the events that change it."""

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
from device.table.game import Play, Selection
from device.table.score_animation import OPENING, ScoreAnimation
from device.table.tags import Lesson, Subject, Tags
from hardware.api import ButtonPressed, PartBack, PartLost

# --- Enumerations ---


class Stage(StrEnum):
    """What the table is doing; the values are keys of the snapshot."""

    UNUSABLE = "unusable"  # the store can't be used; the table offers to start a new one
    SEATING = "seating"
    CHOOSING = "choosing"  # the mode and the starting player
    OFFER = "offer"
    REPORTING = "telling"  # physical tiles: people report which tiles they drew
    CHOICE = "choice"  # of columns on gray walls, of squares and penalty tiles in solo
    SCORING = "scoring"
    OVER = "over"
    TEACHING = "learning"  # a lesson about tags is under way; a game in play waits


class RefusalReason(StrEnum):
    """Why an input was refused; `IllegalEventError.why` gives the reasons of the rules."""

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
    COLUMN_TAKEN = "column_taken"  # gray walls: not free, or its colour is in the column already
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_CONFIRM = "nothing_to_confirm"
    NOT_NOW = "not_now"
    NAME_TOO_LONG = "name_too_long"
    NAME_MISSING = "name_missing"
    UNKNOWN_TAG = "unknown_tag"
    COLOUR_NOT_THERE = "colour_not_there"  # no tile of the shown colour can be taken there
    CARD_NOT_NOW = "card_not_now"  # player cards work before a game only
    PLAYER_SITS = "player_sits"  # the card's player has a seat already
    TEACHING = "learning"  # a lesson about tags is under way
    OTHER_LESSON = "learning_other"  # a lesson about something else is under way
    TAG_KNOWN = "tag_known"  # the tag has a meaning already
    TAG_NOT_KNOWN = "tag_not_known"
    LESSON_OVER = "lesson_over"
    TILE_REPORTED_ALREADY = "tile_told_already"
    TILE_NOT_LEFT = "tile_not_left"  # all 20 of its colour lie elsewhere
    TILE_IN_LID = "tile_in_lid"  # the bag is not empty yet and holds none of its colour
    NO_HINTS = "no_hints"  # hints are switched off in this game
    NO_HINT_NOW = "no_hint_now"
    BOTS_TURN = "bots_turn"
    PROGRAM_NEEDS_BOT_GAME = "program_needs_bot_game"
    NOT_SAVED = "not_saved"  # the disk is full: nothing was changed
    SEAT_CLAIMED = "seat_claimed"  # the seat belongs to another phone
    OPPONENTS_SEAT = "opponents_seat"  # an opponent plays there: no phone can claim the seat
    ONLY_WATCHING = "only_watching"  # every person's seat belongs to another phone
    OTHERS_ANSWER = "others_answer"  # the question is for another player
    NO_SUCH_SEAT = "no_such_seat"
    NO_SUCH_OPPONENT = "no_such_opponent"
    MODE_NOT_FOR_SEATS = "mode_not_for_seats"  # the game is for another number of players
    NO_SUCH_PALETTE = "no_such_palette"
    OUTDATED = "outdated"  # made for a question that is not asked any more
    LATE = "late"  # came after the time until which it was to be done


class Question(StrEnum):
    """A question about the game in play; `ok` answers yes, playing on answers no."""

    YOUR_BOARD = "your_board"  # after a restart: is this how the boards stand?
    STOP_GAME = "stop_game"
    UNDO_ASKED = "undo_asked"  # may a phone take back a choice that another phone's player made?


class NeededDraw(StrEnum):
    """A random draw that the table waits for."""

    EVENT = "event"  # the game's next chance event
    FIRST = "first"  # the starting player, drawn at the players' wish (R3)


# --- Settings, seats and the next game ---

OPPONENTS: Final = ("calm", "greedy", "strong", "master")
"""The built-in opponents, from the weakest to the strongest."""
STAND_IN: Final = "greedy"  # the opponent that chooses in place of one that failed


LEAST_BRIGHTNESS: Final = 0.2  # below it, lights that pulse would go out


@dataclass(frozen=True, slots=True)
class OpponentSettings:
    """Settings of the opponents."""

    programs: tuple[str, ...] = ()  # names of the bot programs
    pace: str = "normal"  # of showing choices
    think_seconds: float = 1.0  # longest time for one choice of a built-in opponent
    program_seconds: float = 30.0  # time that a bot program has for a whole game


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What stays the same while the table runs: its size, its equipment and how it is played."""

    places: int
    displays: int
    confirm_columns: bool = True  # ask for a gray wall's column even where only one is legal
    physical_tiles: bool = False  # the box's own tiles lie on the table: people draw and report them
    equipment: Equipment = FULL_EQUIPMENT
    opponents: OpponentSettings = OpponentSettings()
    opening: float = OPENING  # seconds before the first step of a score animation
    palettes: tuple[str, ...] = ("box", "distinct")  # that can be chosen
    palette: str = "box"
    brightness: float = 1.0  # of the lights, LEAST_BRIGHTNESS to 1
    sounds: bool = True  # whether the pages may sound
    language: str | None = None  # of the pages; None leaves it to each browser


@dataclass(frozen=True, slots=True)
class Preferences:
    """Settings that people changed at the table, None where nobody did; an empty language is the browser's.

    The store keeps them.
    """

    palette: str | None = None
    brightness: float | None = None
    pace: str | None = None
    sounds: bool | None = None
    language: str | None = None
    confirm_columns: bool | None = None


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits at the table: by place the person's name and the opponent, each empty for none."""

    names: tuple[str, ...]
    bots: tuple[str, ...]
    taken: tuple[int, ...] = ()  # places in the order in which they were taken
    claims: tuple[str, ...] = ()  # by place: the hash of the secret of the phone that it belongs to, or empty

    def bot_at(self, place: int) -> str:
        """Return the opponent at a place; an empty text for a person."""
        return self.bots[place - 1] if place <= len(self.bots) else ""

    def name_at(self, place: int) -> str | None:
        """Return the name shown for a place: the opponent's or the person's; None where there is none."""
        bot = self.bot_at(place)
        if not bot:
            return self.names[place - 1] or None
        before = sum(self.bot_at(other) == bot for other in self.taken if other < place)
        name = bot.capitalize() if bot in OPPONENTS else bot
        return f"{name} {before + 1}" if before else name

    def with_name(self, place: int, name: str) -> Self:
        """Return the seats with another name at a place."""
        return replace(self, names=(*self.names[: place - 1], name, *self.names[place:]))

    def with_bot(self, place: int, bot: str) -> Self:
        """Return the seats with another opponent at a place; with an empty name a person sits there."""
        return replace(self, bots=(*self.bots[: place - 1], bot, *self.bots[place:]))

    def claim_at(self, place: int) -> str:
        """Return the claim of a place; an empty text for a seat that belongs to no phone."""
        return self.claims[place - 1] if place <= len(self.claims) else ""

    def with_claim(self, place: int, claim: str) -> Self:
        """Return the seats with another claim of a place; an empty one lets every phone play there."""
        claims = [self.claim_at(each) for each in range(1, len(self.names) + 1)]
        claims[place - 1] = claim
        return replace(self, claims=tuple(claims) if any(claims) else ())


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What the players choose for a game; `level` and `wall` matter in solo only. The store keeps it."""

    mode: str = STANDARD.name
    level: str = EASY.name
    wall: str = WALLS[0]
    hints: bool = True


@dataclass(frozen=True, slots=True)
class NextGame:
    """The choosing of the next game; the options stay when it has begun."""

    options: GameOptions = GameOptions()
    choosing: bool = False
    drawing_first: bool = False  # the starting player is to be drawn


# --- Opponents and hints ---

ChoicePosition = tuple[Event, ...] | Board
"""What a choice depends on: the game's events so far; for a gray wall's column that board alone (G3)."""


@dataclass(frozen=True, slots=True)
class BotRequest:
    """An open request to an opponent for the choice of a seat."""

    number: int  # unique, also when a request without a reply is repeated
    seat: int
    opponent: str
    position: ChoicePosition
    since: float
    attempt: int = 1  # counts from 1
    hint: bool = False  # the choice is advice for a person


@dataclass(frozen=True, slots=True)
class BotChoice:
    """A choice of an opponent that is being shown since `since`, and the step that is on show (0: none)."""

    seat: int
    choice: Choice
    position: ChoicePosition
    since: float
    step: int = 0


@dataclass(frozen=True, slots=True)
class Hint:
    """A choice advised to a person, and how many points it gains against the next best."""

    seat: int
    choice: Choice
    position: ChoicePosition
    gain: float | None
    next_best: Event | None


@dataclass(frozen=True, slots=True)
class MissingHint:
    """A hint that was asked for and will not come; `why` is `gone_on` (the game has) or `silent`."""

    seat: int
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reasons for an opponent's choice, made when the game had `at` events."""

    seat: int
    at: int
    choice: Choice
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class StandIn:
    """The place whose opponent failed, so that `STAND_IN` chooses there; the store keeps those `for_good`."""

    place: int
    why: str
    detail: str = ""
    for_good: bool = False  # to the end of the game


@dataclass(frozen=True, slots=True)
class Opponents:
    """The work of opponents: requests to them, and what is known about how they chose."""

    last_number: int = 0  # of all requests so far
    requests: tuple[BotRequest, ...] = ()  # for choices and for hints
    stand_ins: tuple[StandIn, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    missing_hints: tuple[MissingHint, ...] = ()


# --- The game in play ---


@dataclass(frozen=True, slots=True)
class ReportedTile:
    """A drawn physical tile that people reported, with its tag where it has one."""

    colour: Colour
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Movement:
    """Moving tiles: the lights sweep from the game as it was before, since `at` seconds."""

    before: Play
    at: float


@dataclass(frozen=True, slots=True)
class CurrentGame:
    """The game in play and everything under way in it; undo and a new game replace it as a whole."""

    play: Play
    selection: Selection | None = None
    colour_in_hand: Colour | None = None  # of a tile that was shown before its source was chosen
    reported_tiles: tuple[ReportedTile, ...] = ()
    animation: ScoreAnimation | None = None
    movement: Movement | None = None
    tiles_to_move: bool = False  # physical tiles: people move an opponent's tiles, then press `ok`
    bot_choices: tuple[BotChoice, ...] = ()
    hints: tuple[Hint, ...] = ()
    question: Question | None = None
    over_since: float | None = None  # seconds; None until the last scoring was shown, and after a restart
    asked_by: int | None = None  # the place whose phone asks the question, 0 for one without a seat
    asked_of: int | None = None  # the place whose phone is to answer

    def at_position(self, play: Play, at: float, animation: ScoreAnimation | None = None) -> "CurrentGame":
        """Return the game moved to another position at `at` seconds, with nothing half done.

        Choices of opponents and hints stay; `opponents.attend` drops those about another position.
        """
        return CurrentGame(
            play,
            animation=animation,
            movement=Movement(self.play, at),
            bot_choices=self.bot_choices,
            hints=self.hints,
            question=self.question,
            asked_by=self.asked_by,
            asked_of=self.asked_of,
        )


@dataclass(frozen=True, slots=True)
class FirstGame:
    """A game that the table explains: the steps that were explained, and the one on show (see `lessons`)."""

    explained: tuple[str, ...] = ()
    step: str | None = None


# --- Tags, faults, refusals ---


@dataclass(frozen=True, slots=True)
class WaitingCard:
    """A player's card that waits for a seat's button, since `at` seconds."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class TagState:
    """All known tags, the lesson that is under way, and the player card that waits for a seat."""

    known: Tags = field(default_factory=dict, hash=False)
    lesson: Lesson | None = None
    card: WaitingCard | None = None


@dataclass(frozen=True, slots=True)
class StoreFault:
    """Why the store at `path` can't be used, and the new file that the table offers to use instead."""

    why: str
    path: str
    beside: str


@dataclass(frozen=True, slots=True)
class Faults:
    """What does not work: the store, and parts of the hardware with the time of their loss."""

    store: StoreFault | None = None
    parts: tuple[PartLost, ...] = ()


class RefusedError(Exception):
    """An input that is refused and changes nothing; `why` is a key of the pages' words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Refusal:
    """The last refused input and its number."""

    why: str
    button: str
    flash: str  # the button whose lights flashed at `at`; kept, so that the next flash keeps its distance
    at: float
    number: int
    shown: bool = True  # until the next accepted input


@dataclass(frozen=True, slots=True)
class LastPress:
    """The last press of `ok` or `undo`, and the game before it; the other button may follow at once."""

    button: str
    at: float
    game: CurrentGame


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The lights show the five colours since `at` seconds, as a palette or a brightness was chosen."""

    at: float


# --- The table ---


@dataclass(frozen=True, slots=True)
class Table:
    """The state of the whole table at one moment."""

    settings: TableSettings
    seats: Seats
    next_game: NextGame = NextGame()
    game: CurrentGame | None = None
    last_game: Play | None = None  # its result is shown until the next one begins
    first_game: FirstGame | None = None  # None: the game is not explained
    opponents: Opponents = Opponents()
    tags: TagState = field(default_factory=TagState)
    faults: Faults = Faults()
    refusal: Refusal | None = None
    preferences: Preferences = Preferences()  # part of the settings already
    preview: TablePreview | None = field(default=None, compare=False)
    last_press: LastPress | None = field(default=None, compare=False)
    questions: int = field(default=0, compare=False)
    """How many questions the table has asked: it grows whenever the table asks something else."""

    @property
    def play(self) -> Play | None:
        """The game in play."""
        return self.game.play if self.game is not None else None

    @property
    def stage(self) -> Stage:
        """What the table is doing now."""
        if self.faults.store is not None:
            return Stage.UNUSABLE
        if self.tags.lesson is not None:
            return Stage.TEACHING
        if self.game is None:
            return Stage.CHOOSING if self.next_game.choosing else Stage.SEATING
        play = self.game.play
        if self.game.animation is not None:
            return Stage.SCORING
        if play.over:
            return Stage.OVER
        if self.settings.physical_tiles and play.state.chance_due:
            return Stage.REPORTING
        return Stage.CHOICE if play.asks_choice else Stage.OFFER

    @property
    def acting_place(self) -> int | None:
        """The place whose board the next draft goes to; None where nothing is drafted."""
        play = self.play
        if play is None or not play.state.in_offer or self.stage is not Stage.OFFER:
            return None
        return play.places[play.state.turn]

    @property
    def bots_turn(self) -> bool:
        """Whether the next draft is an opponent's."""
        play = self.play
        return play is not None and self.acting_place is not None and bool(self.bot_of(play.state.turn))

    def bot_of(self, seat: int) -> str:
        """Return the opponent of a seat, empty for a person; in solo one player has both boards."""
        if self.play is None:
            return ""
        return self.seats.bot_at(self.play.places[self.play.state.player_of(seat)])


def new_table(settings: TableSettings) -> Table:
    """Return a table with these settings where nobody sits yet."""
    nobody = ("",) * settings.places
    return Table(settings, Seats(nobody, nobody))


def needed_draw(table: Table) -> NeededDraw | None:
    """Return the draw that the table waits for, None for none; people draw physical tiles themselves."""
    if table.next_game.drawing_first:
        return NeededDraw.FIRST
    game = table.game
    if table.settings.physical_tiles or game is None or game.animation is not None:
        return None
    return NeededDraw.EVENT if game.play.state.chance_due else None


# --- Events ---


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
    """The place of the starting player, drawn at random."""

    place: int
    at: float


@dataclass(frozen=True, slots=True)
class PlayerNamed:
    """A player's name for a place."""

    place: int
    name: str
    at: float


@dataclass(frozen=True, slots=True)
class PhonePressed:
    """A phone pressed `ok` or `undo`; `by` is the place that belongs to it, 0 for none."""

    button: str
    by: int
    at: float


@dataclass(frozen=True, slots=True)
class SeatClaimed:
    """A phone claims a place for its player; an empty name keeps the name that is there."""

    place: int
    claim: str  # the hash of the phone's secret
    name: str
    by: int | None  # the place that belonged to this phone before, which it gives up
    at: float


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """A place is to belong to no phone any more."""

    place: int
    at: float


@dataclass(frozen=True, slots=True)
class TileShown:
    """A tile was shown to a reader, or typed on a page (no reader); `tag` is None for a tile without one."""

    colour: Colour
    reader: str | None
    tag: str | None
    at: float


@dataclass(frozen=True, slots=True)
class TagShown:
    """A tag, in normalized form, was laid on a reader."""

    reader: str
    tag: str
    at: float


@dataclass(frozen=True, slots=True)
class TilesSelected:
    """A person takes the tiles of a colour from a source in hand; None puts those in hand back."""

    tiles: tuple[int, Colour] | None
    at: float


@dataclass(frozen=True, slots=True)
class ChoiceMade:
    """A person makes a choice at once, without buttons."""

    choice: Choice
    at: float


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """Somebody sits at a place: an opponent, or with an empty `bot` a person; None keeps the name there."""

    place: int
    bot: str
    name: str | None
    at: float


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """Whoever sits at a place leaves it."""

    place: int
    at: float


@dataclass(frozen=True, slots=True)
class OptionsChosen:
    """Options of the next game; those that are None stay as they are."""

    at: float
    mode: str | None = None
    level: str | None = None
    wall: str | None = None
    hints: bool | None = None


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The next game begins with the player at a place; None lets the table draw the place."""

    first: int | None
    at: float


@dataclass(frozen=True, slots=True)
class PlayedAgain:
    """After a game the same players begin the same game again."""

    at: float


@dataclass(frozen=True, slots=True)
class PreferencesChanged:
    """Somebody changes settings of the running table; what is None stays as it is."""

    changes: Preferences
    hints: bool | None
    at: float


@dataclass(frozen=True, slots=True)
class BotReply:
    """The reply to a request: a choice, or None with a key and a detail that say why there is none."""

    number: int
    choice: Event | None
    at: float
    why: str = "lost"
    detail: str = ""
    gain: float | None = None  # of a hint: points against the next best choice
    next_best: Event | None = None


@dataclass(frozen=True, slots=True)
class HintRequested:
    """A person asks for a hint for a place; None stands for all places that have a choice."""

    place: int | None
    at: float


@dataclass(frozen=True, slots=True)
class TeachingSwitched:
    """The game is to be explained step by step, or not any more."""

    on: bool
    at: float


@dataclass(frozen=True, slots=True)
class StepRead:
    """People have read the step of the game that is explained."""

    at: float


@dataclass(frozen=True, slots=True)
class LessonBegun:
    """Somebody begins to teach tags."""

    subject: Subject
    at: float


@dataclass(frozen=True, slots=True)
class LessonUndone:
    """The last tag of the lesson is to be forgotten."""

    at: float


@dataclass(frozen=True, slots=True)
class LessonEnded:
    """The lesson is over, also if tags are missing."""

    at: float


@dataclass(frozen=True, slots=True)
class TagsForgotten:
    """Tags, in normalized form, are to have no meaning any more."""

    tags: tuple[str, ...]
    at: float


LobbyEvent = SeatGiven | SeatLeft | OptionsChosen | GameStarted | PlayedAgain
TeachingEvent = LessonBegun | LessonUndone | LessonEnded | TagsForgotten
FirstGameEvent = TeachingSwitched | StepRead
ClaimEvent = PhonePressed | SeatClaimed | SeatReleased
TileEvent = TagShown | TileShown | TilesSelected | ChoiceMade
SeatEvent = PlayerNamed | LobbyEvent | ClaimEvent
SettingEvent = TeachingEvent | PreferencesChanged
PersonEvent = ButtonPressed | TileEvent | SeatEvent | HintRequested | SettingEvent
GameEvent = PersonEvent | Tick | ChanceDrawn | FirstDrawn | BotReply
TableEvent = GameEvent | FirstGameEvent | PartLost | PartBack
