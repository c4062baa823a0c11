"""What a tag means: a tile's colour, a player's card or an action's; and the one form of a tag's text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from device.names import one_name
from device.rules.tiles import Colour, colour_of, letter

LONGEST_TAG: Final = 64
"""Characters of a tag, in its one form."""


class Kind(StrEnum):
    """What sort of thing carries a tag."""

    TILE = "tile"
    PLAYER = "player"
    ACTION = "action"


class Action(StrEnum):
    """What an action card does."""

    UNDO = "undo"
    OK = "ok"
    NEW_GAME = "new_game"


@dataclass(frozen=True, slots=True)
class TileTag:
    """A tile of a colour."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """A player's card."""

    name: str


@dataclass(frozen=True, slots=True)
class ActionCard:
    """A card that does what a button does."""

    action: Action


Meaning = TileTag | PlayerCard | ActionCard
Tags = Mapping[str, Meaning]
"""Every tag that the table knows, each in its one form."""

_BYTES: Final = re.compile(r"(?:[0-9A-Fa-f]{2}[ :-]?)+")


def one_form(text: str) -> str:
    """A tag's text in its one form: pairs of hex digits in capitals and unseparated; else in small letters.

    A reader may say `04:a2:1b:7c` where another says `04A21B7C`. Raises ValueError where it is no tag.
    """
    said = text.strip()
    form = re.sub("[ :-]", "", said).upper() if _BYTES.fullmatch(said) else said.lower()
    if not form or len(form) > LONGEST_TAG or not form.isprintable():
        raise ValueError(
            f"{text[:LONGEST_TAG]!r} is no tag: it needs 1 to {LONGEST_TAG} printable characters"
        )
    return form


def kept_as(meaning: Meaning) -> tuple[Kind, str]:
    """A meaning as it is kept: its kind and its value."""
    match meaning:
        case TileTag(colour):
            return Kind.TILE, letter(colour)
        case PlayerCard(name):
            return Kind.PLAYER, name
        case ActionCard(action):
            return Kind.ACTION, action.value


def meaning_of(kind: str, value: str) -> Meaning:
    """The meaning that was kept; raises ValueError where there is none such."""
    match kind:
        case Kind.TILE:
            return TileTag(colour_of(value))
        case Kind.PLAYER if value and one_name(value) == value:
            return PlayerCard(value)
        case Kind.ACTION:
            return ActionCard(Action(value))
        case _:
            raise ValueError(f"no tag means {kind} {value!r}")
