"""Messages of the table's socket: JSON objects, one a line, as tagged unions.

`Message` is the union of everything that a client may send, and `ServerMessage` of everything that the table
sends. The field `type` says which message a line is. `decode` and `decode_server_message` are the only places
where lines are parsed. `SOCKET.md` describes every message with an example.
"""

from typing import Annotated, Any, Final, Literal, Protocol, TypeVar

import msgspec

from device.rules.events import Choice
from device.rules.notation import event_of
from device.rules.tiles import colour_of
from device.table.state import (
    LEAST_BRIGHTNESS,
    ChoiceMade,
    FirstGameEvent,
    GameEvent,
    GameStarted,
    HintRequested,
    LessonBegun,
    LessonEnded,
    LessonUndone,
    OptionsChosen,
    PlayedAgain,
    PlayerNamed,
    Preferences,
    PreferencesChanged,
    SeatClaimed,
    SeatGiven,
    SeatLeft,
    SeatReleased,
    StepRead,
    TagsForgotten,
    TagShown,
    TeachingSwitched,
    TileShown,
    TilesSelected,
)
from device.table.tags import (
    Action,
    ActionCard,
    PlayerCard,
    Tags,
    Tiles,
    normalize_tag,
    serialize_meaning,
    tags_of_colour,
    tile_number,
)
from hardware.api import ButtonPressed

LONGEST_LINE: Final = 65_536  # bytes of the longest line that the table reads from a client

# --- From a client to the table ---

Letter = Literal["b", "y", "r", "k", "w"]  # the letter of a tile colour

LANGUAGE: Final = "^[a-z]{2,3}(-[A-Za-z]{2,4})?$"  # the code of a language, perhaps with a region

ActionName = Literal["undo", "ok", "new_game"]
"""What an action card does, as the button of that name."""

GameNumber = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]


class ClientMessage(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The base of all messages of a client; `id` comes back in the answer."""

    id: int | None = None


class TableMessageBase(ClientMessage, frozen=True, kw_only=True, omit_defaults=True):
    """The base of all messages that the table's loop answers.

    With `asked` a message is for that question only, as named in the snapshot; after `before`, in seconds of
    this machine's monotonic clock, it is too late for it. `by` says that a phone sends it: the place that
    belongs to the phone, 0 for none. Without it somebody at the table does, who may do everything. The pages'
    process sets `before` and `by`, never a browser.
    """

    asked: str | None = None
    before: float | None = None
    by: Annotated[int, msgspec.Meta(ge=0, le=99)] | None = None


class Subscribe(ClientMessage, tag="subscribe", frozen=True):
    """Subscribe to snapshots, and to light frames if wanted; the only message without an answer."""

    frames: bool = False


class PressButton(TableMessageBase, tag="press", frozen=True):
    """Press a button; `physical` presses the switch of a simulated table, which may have a fault."""

    button: str
    physical: bool = False


class NamePlayer(TableMessageBase, tag="name", frozen=True):
    """Name the player at a place."""

    seat: int
    name: str


class ClaimSeat(TableMessageBase, tag="claim", frozen=True):
    """Claim a place for a phone, with the SHA-256 of its secret in hex; an empty name keeps the name."""

    seat: int
    claim: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    name: str = ""


class ReleaseSeat(TableMessageBase, tag="release", frozen=True):
    """Let a place belong to no phone any more."""

    seat: int


class ReportTile(TableMessageBase, tag="tile", frozen=True):
    """Report a physical tile that was drawn, or choose a colour of the selected source, without a reader."""

    colour: Letter


class ShowTag(TableMessageBase, tag="tag", frozen=True):
    """Lay a tag on a reader."""

    reader: str
    tag: str

    def __post_init__(self) -> None:
        normalize_tag(self.tag)


class AskHint(TableMessageBase, tag="hint", frozen=True):
    """Ask for a hint for a place, or with null for everybody who has a choice."""

    seat: int | None = None


class SelectTiles(TableMessageBase, tag="select", frozen=True):
    """Take the tiles of a colour from a source in hand; without both put those in hand back."""

    source: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    colour: Letter | None = None

    def __post_init__(self) -> None:
        if (self.source is None) != (self.colour is None):
            raise ValueError("tiles have a source and a colour")


class MakeChoice(TableMessageBase, tag="choose", frozen=True):
    """Make a choice by its notation; a draft needs no selection."""

    choice: str

    def __post_init__(self) -> None:
        choice_of(self.choice)


class SitDown(TableMessageBase, tag="sit", frozen=True):
    """Let an opponent, or with an empty `bot` a person, sit at a place; without a name the name stays."""

    seat: int
    bot: str = ""
    name: str | None = None


class LeaveSeat(TableMessageBase, tag="leave", frozen=True):
    """Free a place."""

    seat: int


class ChooseOptions(TableMessageBase, tag="options", frozen=True):
    """Choose options of the next game; those that are left out stay as they are."""

    mode: Literal["standard", "gray", "dtc", "solo"] | None = None
    level: Literal["easy", "normal", "expert"] | None = None
    wall: Literal["coloured", "gray"] | None = None
    hints: bool | None = None


class StartGame(TableMessageBase, tag="start", frozen=True):
    """Begin the next game with the player at a place; with null the table draws who begins."""

    first: int | None = None


class PlayAgain(TableMessageBase, tag="again", frozen=True):
    """After a game, begin the same game again with the same players."""


class ChangeSettings(TableMessageBase, tag="settings", frozen=True):
    """Change settings of the running table; those that are left out stay as they are.

    Without a language (null) each browser has its own.
    """

    palette: str | None = None
    brightness: Annotated[float, msgspec.Meta(ge=LEAST_BRIGHTNESS, le=1)] | None = None
    pace: Literal["slow", "normal", "fast"] | None = None
    hints: bool | None = None
    sounds: bool | None = None
    language: Annotated[str, msgspec.Meta(pattern=LANGUAGE)] | msgspec.UnsetType | None = msgspec.UNSET
    confirm_columns: bool | None = None


class TeachTiles(TableMessageBase, tag="teach_tiles", frozen=True):
    """Begin the lesson of the tiles of one colour, or of all 100 tiles, colour after colour."""

    colour: Literal[Letter, "all"]


class TeachPlayer(TableMessageBase, tag="teach_player", frozen=True):
    """Begin the lesson of a player's card."""

    name: str


class TeachAction(TableMessageBase, tag="teach_action", frozen=True):
    """Begin the lesson of an action card."""

    action: ActionName


class ForgetLast(TableMessageBase, tag="forget_last", frozen=True):
    """Forget the tag that was learned last in this lesson."""


class EndLesson(TableMessageBase, tag="end_lesson", frozen=True):
    """End the lesson."""


class ForgetTags(TableMessageBase, tag="forget", frozen=True):
    """Forget what these tags mean."""

    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        for tag in self.tags:
            normalize_tag(tag)


class ForgetTiles(TableMessageBase, tag="forget_tiles", frozen=True):
    """Forget the tags of all tiles of a colour."""

    colour: Letter


class ListTags(TableMessageBase, tag="tags", frozen=True):
    """Ask for every known tag; the result is a list of `KnownTag`."""


class TeachGame(TableMessageBase, tag="teach_game", frozen=True):
    """Explain the game step by step, or do not any more."""

    on: bool


class LessonSeen(TableMessageBase, tag="lesson_seen", frozen=True):
    """The step that is explained was read."""


class SetFault(TableMessageBase, tag="fault", frozen=True):
    """Begin or end a fault of a simulated part."""

    part: str
    fault: str
    on: bool


class ListGames(ClientMessage, tag="games", frozen=True):
    """Ask for at most `count` past games, the newest first: those before a game's number."""

    before: GameNumber | None = None
    count: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20


class ReadGame(ClientMessage, tag="game", frozen=True):
    """Ask for a past game with its moves, its review and its last position."""

    number: GameNumber


class ReadRecord(ClientMessage, tag="record", frozen=True):
    """Ask for the record of a finished game."""

    number: GameNumber


class ReadPositions(ClientMessage, tag="position", frozen=True):
    """Ask for the position of a past game after `step` events, or for that and the following ones."""

    number: GameNumber
    step: Annotated[int, msgspec.Meta(ge=0)] = 0
    count: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1


class ShowPosition(TableMessageBase, tag="show", frozen=True):
    """Show the position after `step` events of a past game on the lights; without a number stop that."""

    number: GameNumber | None = None
    step: Annotated[int, msgspec.Meta(ge=0)] = 0


class BeginPractice(TableMessageBase, tag="practice", frozen=True):
    """Begin a game for practice in a position of a past game; `bots` are the opponents by place."""

    number: GameNumber
    step: Annotated[int, msgspec.Meta(ge=0)]
    bots: dict[int, str] = {}


class ReadStatistics(ClientMessage, tag="statistics", frozen=True):
    """Ask for the statistics of all finished games, or of those of the person with a name."""

    name: str | None = None


Lesson = TeachTiles | TeachPlayer | TeachAction
"""Messages that begin a lesson."""

PositionMessage = ShowPosition | BeginPractice
"""Messages about the table and a past game: the history thread reads the position, the loop does the rest."""

HistoryQuestion = ListGames | ReadGame | ReadRecord | ReadPositions | ReadStatistics | PositionMessage
"""Messages about past games; the history thread takes them, not the table's loop."""

_LessonMessage = Lesson | ForgetLast | EndLesson
_TagMessage = _LessonMessage | ForgetTags | ForgetTiles | ListTags
_PlayMessage = PressButton | ReportTile | ShowTag | AskHint | SelectTiles | MakeChoice
_LobbyMessage = NamePlayer | SitDown | LeaveSeat | ChooseOptions | StartGame | PlayAgain
_ClaimMessage = ClaimSeat | ReleaseSeat
_FirstGameMessage = TeachGame | LessonSeen
_SeatMessage = _LobbyMessage | _ClaimMessage | _FirstGameMessage
TableMessage = _PlayMessage | _SeatMessage | _TagMessage | ChangeSettings | SetFault
"""Messages that the table's loop answers."""

Message = Subscribe | TableMessage | HistoryQuestion


class MessageError(ValueError):
    """A line that is no message; the text says what is wrong with it."""


_Read = TypeVar("_Read")
_decoder: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def decode(line: bytes) -> Message:
    """Decode the line of a client. Raises MessageError if it is no message."""
    return _decode(_decoder, line)


def _decode(decoder: msgspec.json.Decoder[_Read], line: bytes) -> _Read:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MessageError(f"this line is no message: {error}") from error


def choice_of(notation: str) -> Choice:
    """Parse the notation of a choice. Raises ValueError if it is none."""
    choice = event_of(notation)
    if not isinstance(choice, Choice):
        raise ValueError(f"{notation!r} is drawn, not chosen")
    return choice


def table_event(
    message: TableMessage | HistoryQuestion, known: Tags, at: float
) -> GameEvent | FirstGameEvent:
    """Return the event of the table that a message stands for, at a time in seconds.

    `known` are the tags that the table knows. Raises ValueError for a message that is no event,
    such as `ListTags`.
    """
    match message:
        case PressButton() | ReportTile() | ShowTag() | AskHint() | SelectTiles() | MakeChoice():
            return _play_event(message, at)
        case TeachGame(on):
            return TeachingSwitched(on, at)
        case LessonSeen():
            return StepRead(at)
        case NamePlayer() | SitDown() | LeaveSeat() | ChooseOptions() | StartGame() | PlayAgain():
            return _lobby_event(message, at)
        case ClaimSeat(seat, claim, name):
            return SeatClaimed(seat, claim, name, message.by, at)
        case ReleaseSeat(seat):
            return SeatReleased(seat, at)
        case ChangeSettings():
            return _settings_event(message, at)
        case TeachTiles() | TeachPlayer() | TeachAction() | ForgetLast() | EndLesson():
            return _lesson_event(message, at)
        case ForgetTags(tags):
            return TagsForgotten(tuple(map(normalize_tag, tags)), at)
        case ForgetTiles(colour):
            return TagsForgotten(tags_of_colour(known, colour_of(colour)), at)
        case _:
            raise ValueError(f"{message} is no event of the table")


def _play_event(message: _PlayMessage, at: float) -> GameEvent:
    match message:
        case PressButton(button):
            return ButtonPressed(button, at)
        case ReportTile(colour):
            return TileShown(colour_of(colour), None, None, at)
        case ShowTag(reader, tag):
            return TagShown(reader, normalize_tag(tag), at)
        case AskHint(seat):
            return HintRequested(seat, at)
        case SelectTiles(source, colour):
            tiles = None if source is None or colour is None else (source, colour_of(colour))
            return TilesSelected(tiles, at)
        case MakeChoice(choice):
            return ChoiceMade(choice_of(choice), at)


def _lobby_event(message: _LobbyMessage, at: float) -> GameEvent:
    match message:
        case NamePlayer(seat, name):
            return PlayerNamed(seat, name, at)
        case SitDown(seat, bot, name):
            return SeatGiven(seat, bot, name, at)
        case LeaveSeat(seat):
            return SeatLeft(seat, at)
        case ChooseOptions(mode, level, wall, hints):
            return OptionsChosen(at, mode, level, wall, hints)
        case StartGame(first):
            return GameStarted(first, at)
        case PlayAgain():
            return PlayedAgain(at)


def _settings_event(message: ChangeSettings, at: float) -> PreferencesChanged:
    language = None if message.language is msgspec.UNSET else message.language or ""
    changes = Preferences(
        message.palette, message.brightness, message.pace, message.sounds, language, message.confirm_columns
    )
    return PreferencesChanged(changes, message.hints, at)


def _lesson_event(message: _LessonMessage, at: float) -> GameEvent:
    match message:
        case TeachTiles(colour):
            return LessonBegun(Tiles(None if colour == "all" else colour_of(colour)), at)
        case TeachPlayer(name):
            return LessonBegun(PlayerCard(name), at)
        case TeachAction(action):
            return LessonBegun(ActionCard(Action(action)), at)
        case ForgetLast():
            return LessonUndone(at)
        case EndLesson():
            return LessonEnded(at)


# --- From the table to a client ---


class LayoutMessage(msgspec.Struct, frozen=True, tag="layout"):
    """The drawing of the table; the first message of a subscription."""

    layout: Any


class SnapshotMessage(msgspec.Struct, frozen=True, tag="snapshot"):
    """The snapshot of the table, whenever it changed."""

    snapshot: dict[str, Any]


class FrameMessage(msgspec.Struct, frozen=True, tag="frame"):
    """A light frame: red, green and blue of every light in hex, in the layout's order."""

    colours: str


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """A sign that the table's loop is running, at least once a second."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, tag="answer"):
    """The answer to a message: taken, or refused; `why` is the key of the reason, `result` what was asked."""

    taken: bool
    id: int | None = None
    why: str | None = None
    result: Any = None


class ErrorMessage(msgspec.Struct, frozen=True, tag="error"):
    """The answer to a line that is no message, and to a client that is not served."""

    error: str


class KnownTag(msgspec.Struct, frozen=True):
    """A tag and what it means; `number` counts the tiles of a colour from 1, and is 0 for a card."""

    tag: str
    kind: str
    value: str
    number: int


ServerMessage = LayoutMessage | SnapshotMessage | FrameMessage | Beat | Answer | ErrorMessage

_server_decoder: Final[msgspec.json.Decoder[ServerMessage]] = msgspec.json.Decoder(ServerMessage)


def decode_server_message(line: bytes) -> ServerMessage:
    """Decode a line that the table sent. Raises MessageError if it is no message of this version."""
    return _decode(_server_decoder, line)


def encode(message: Message | ServerMessage) -> bytes:
    """Encode a message as a line."""
    return msgspec.json.encode(message) + b"\n"


class WithId(Protocol):
    """A message of a client, or what was made of one."""

    @property
    def id(self) -> int | None:
        """The id that comes back in the answer."""


def taken(message: WithId, result: object = None) -> Answer:
    """Return the answer to a message that was taken, or to a question with its result."""
    return Answer(taken=True, id=message.id, result=result)


def refusal(message: WithId, why: str) -> Answer:
    """Return the answer to a message that was refused; `why` is the key of the reason."""
    return Answer(taken=False, id=message.id, why=why)


def known_tags(tags: Tags) -> list[KnownTag]:
    """Return every tag with what it means, in the order in which they were learned."""
    rows = ((tag, *serialize_meaning(meaning), tile_number(tags, tag)) for tag, meaning in tags.items())
    return [KnownTag(*row) for row in rows]
