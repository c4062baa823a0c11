"""The socket's messages: JSON objects, one a line; what clients may say, read without trust."""

from typing import Annotated, Any, Final, Literal

import msgspec

from device.rules.tiles import colour_of
from device.table.state import LessonBegun, LessonEnded, LessonUndone, TeachingEvent
from device.table.tags import (
    Action,
    ActionCard,
    PlayerCard,
    Tags,
    Tiles,
    normalize_tag,
    serialize_meaning,
    tile_number,
)

LONGEST_LINE: Final = 65_536
"""Bytes of a client's line."""


class Subscribe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for snapshots, and for light frames if wanted."""

    frames: bool = False


class SeatName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Name the player at a seat of the table."""

    seat: int
    name: str


class TagShown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Show a tag to a reader, as a hand would."""

    reader: str
    tag: str


class Learn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Teach tags: exactly one of a lesson, `back` (forget the tag learned last) and `end`."""

    tiles: Literal["all", "b", "y", "r", "k", "w"] | None = None
    player: str | None = None
    action: Literal["undo", "ok", "new_game"] | None = None
    back: bool = False
    end: bool = False


class KnownTag(msgspec.Struct, frozen=True):
    """A tag and what it means; `number` counts the tiles of a colour, and is 0 for a card."""

    tag: str
    kind: str
    value: str
    number: int


class HintWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Ask for a hint, for a seat of the table; without one for all who have a choice."""

    seat: int | None = None


class GamesAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Ask for past games, the newest first: so many of those before a game's number."""

    before: Annotated[int, msgspec.Meta(ge=1, le=1 << 53)] | None = None
    count: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20


GameNumber = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a client: exactly one thing said; `id` comes back in the answer.

    `tile` is a letter: a tile of resin that somebody drew, or takes, without a reader. `plug` plugs a
    simulated Pico in, or pulls it out.
    """

    subscribe: Subscribe | None = None
    press: str | None = None
    name: SeatName | None = None
    tile: Literal["b", "y", "r", "k", "w"] | None = None
    tag: TagShown | None = None
    learn: Learn | None = None
    forget: tuple[str, ...] | None = None
    tags: Literal["list"] | None = None
    hint: HintWish | None = None
    games: GamesAsked | None = None
    game: GameNumber | None = None
    record: GameNumber | None = None
    plug: bool | None = None
    id: int | None = None

    @property
    def asks_for_the_past(self) -> bool:
        """Whether this is a question about games that were played: the table itself has no part in it."""
        return any(getattr(self, question) is not None for question in PAST)


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of what was said: taken, or refused and why; or what was wrong with the line.

    `told` answers a question about the past.
    """

    press: str | None = None
    name: SeatName | None = None
    tile: str | None = None
    tag: TagShown | None = None
    learn: Learn | None = None
    forget: tuple[str, ...] | None = None
    tags: tuple[KnownTag, ...] | None = None
    hint: HintWish | None = None
    games: GamesAsked | None = None
    game: int | None = None
    record: int | None = None
    plug: bool | None = None
    id: int | None = None
    taken: bool | None = None
    told: Any = None
    why: str | None = None
    error: str | None = None


class MessageError(ValueError):
    """A line that is no message; the text says what is wrong with it."""


PAST: Final = ("games", "game", "record")
"""Questions about games that were played."""

COMING_BACK: Final = ("press", "name", "tile", "tag", "learn", "forget", "hint", "plug", *PAST)
"""What comes back in the answer as it was said."""

SAID: Final = ("subscribe", "tags", *COMING_BACK)
"""What a client may say, one in a message."""

_decoder: Final = msgspec.json.Decoder(ClientMessage)


def read(line: bytes) -> ClientMessage:
    """The message that a line holds; raises MessageError."""
    try:
        message = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MessageError(f"this line is no message: {error}") from error
    said = [getattr(message, field) for field in SAID]
    if sum(each is not None for each in said) != 1:
        raise MessageError(f"a message says exactly one of {', '.join(SAID)}")
    if message.learn is not None and not _says_one_thing(message.learn):
        raise MessageError("learn says exactly one of tiles, player, action, back and end")
    _check_tags(message)
    return message


def _says_one_thing(learn: Learn) -> bool:
    lessons = [learn.tiles, learn.player, learn.action]
    return sum(each is not None for each in lessons) + learn.back + learn.end == 1


def _check_tags(message: ClientMessage) -> None:
    try:
        for tag in (*(message.forget or ()), *([message.tag.tag] if message.tag is not None else ())):
            normalize_tag(tag)
    except ValueError as error:
        raise MessageError(str(error)) from error


def learning_event(learn: Learn, at: float) -> TeachingEvent:
    """What a client says about learning, as an event of the table."""
    if learn.back:
        return LessonUndone(at)
    if learn.player is not None:
        return LessonBegun(PlayerCard(learn.player), at)
    if learn.action is not None:
        return LessonBegun(ActionCard(Action(learn.action)), at)
    if learn.tiles is not None:
        return LessonBegun(Tiles(None if learn.tiles == "all" else colour_of(learn.tiles)), at)
    return LessonEnded(at)


def taken(message: ClientMessage, told: object = None) -> Answer:
    """The answer to what was taken, or to a question about the past."""
    return _answer(message, taken=True, told=told)


def refusal(message: ClientMessage, why: str) -> Answer:
    """The answer to what was refused."""
    return _answer(message, taken=False, why=why)


def known(message: ClientMessage, tags: Tags) -> Answer:
    """The answer to who asked for every tag that is known."""
    return Answer(id=message.id, taken=True, tags=tuple(known_tags(tags)))


def known_tags(tags: Tags) -> list[KnownTag]:
    """Every tag with what it means, in the order in which they were learned."""
    rows = ((tag, *serialize_meaning(meaning), tile_number(tags, tag)) for tag, meaning in tags.items())
    return [KnownTag(*row) for row in rows]


def _answer(message: ClientMessage, *, taken: bool, why: str | None = None, told: object = None) -> Answer:
    said = {field: getattr(message, field) for field in COMING_BACK}
    return Answer(**said, id=message.id, taken=taken, told=told, why=why)


def line(message: object) -> bytes:
    """A message as a line."""
    return msgspec.json.encode(message) + b"\n"
