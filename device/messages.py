"""The socket's messages: JSON objects, one a line; what clients may say, read without trust."""

from typing import Final, Literal

import msgspec

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


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a client: exactly one thing said; `id` comes back in the answer.

    `tile` is a letter: a tile of resin that somebody drew, or takes, without a reader.
    """

    subscribe: Subscribe | None = None
    press: str | None = None
    name: SeatName | None = None
    tile: Literal["b", "y", "r", "k", "w"] | None = None
    tag: TagShown | None = None
    id: int | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of what was said: taken, or refused and why; or what was wrong with the line."""

    press: str | None = None
    name: SeatName | None = None
    tile: str | None = None
    tag: TagShown | None = None
    id: int | None = None
    taken: bool | None = None
    why: str | None = None
    error: str | None = None


class MessageError(ValueError):
    """A line that is no message; the text says what is wrong with it."""


_decoder: Final = msgspec.json.Decoder(ClientMessage)


def read(line: bytes) -> ClientMessage:
    """The message that a line holds; raises MessageError."""
    try:
        message = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MessageError(f"this line is no message: {error}") from error
    said = [message.subscribe, message.press, message.name, message.tile, message.tag]
    if sum(each is not None for each in said) != 1:
        raise MessageError("a message says exactly one of subscribe, press, name, tile and tag")
    return message


def taken(message: ClientMessage) -> Answer:
    """The answer to what was taken."""
    return Answer(message.press, message.name, message.tile, message.tag, message.id, taken=True)


def refusal(message: ClientMessage, why: str) -> Answer:
    """The answer to what was refused."""
    return Answer(message.press, message.name, message.tile, message.tag, message.id, taken=False, why=why)


def line(message: object) -> bytes:
    """A message as a line."""
    return msgspec.json.encode(message) + b"\n"
