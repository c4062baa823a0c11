"""The socket's messages: JSON objects, one a line; what clients may say, read without trust."""

from typing import Final

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


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a client: exactly one of `subscribe`, `press` and `name`; `id` comes back in the answer."""

    subscribe: Subscribe | None = None
    press: str | None = None
    name: SeatName | None = None
    id: int | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a press or a name: taken, or refused and why; or what was wrong with the line."""

    press: str | None = None
    name: SeatName | None = None
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
    said = [message.subscribe, message.press, message.name]
    if sum(each is not None for each in said) != 1:
        raise MessageError("a message says exactly one of subscribe, press and name")
    return message


def line(message: object) -> bytes:
    """A message as a line."""
    return msgspec.json.encode(message) + b"\n"
