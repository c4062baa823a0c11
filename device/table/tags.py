"""RFID tags: normalization, meanings (a tile's colour, a player, an action), and lessons that teach them.

A lesson teaches the 100 tiles, colour after colour, or one card. A tag keeps its meaning until forgotten.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from device.rules.tiles import COLOURS, TILES_OF_A_COLOUR, Colour, Counts, colour_of, count, letter
from device.table.game import normalize_name

LONGEST_TAG: Final = 64  # maximum number of characters of a normalized tag


class Kind(StrEnum):
    """Kinds of tagged things, as the store and the snapshot name them."""

    TILE = "tile"
    PLAYER = "player"
    ACTION = "action"


class Action(StrEnum):
    """Actions of cards."""

    UNDO = "undo"
    OK = "ok"
    NEW_GAME = "new_game"


@dataclass(frozen=True, slots=True)
class TileTag:
    """The meaning of a tile's tag."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """The meaning of a player's card."""

    name: str


@dataclass(frozen=True, slots=True)
class ActionCard:
    """The meaning of a card that does what a button does."""

    action: Action


Meaning = TileTag | PlayerCard | ActionCard
Tags = Mapping[str, Meaning]  # the meanings of all known tags, in the order in which they were taught

_BYTES: Final = re.compile(r"(?:[0-9A-Fa-f]{2}[ :-]?)+")


def normalize_tag(text: str) -> str:
    """Return a tag in normalized form: hex bytes in capitals without separators, other text in lower case.

    One reader sends `04:a2:1b:7c` where another sends `04A21B7C`. Raises ValueError if it is no tag.
    """
    stripped = text.strip()
    tag = re.sub("[ :-]", "", stripped).upper() if _BYTES.fullmatch(stripped) else stripped.lower()
    if not tag or len(tag) > LONGEST_TAG or not tag.isprintable():
        raise ValueError(
            f"{text[:LONGEST_TAG]!r} is no tag: it needs 1 to {LONGEST_TAG} printable characters"
        )
    return tag


def serialize_meaning(meaning: Meaning) -> tuple[Kind, str]:
    """Return the kind and the value of a meaning, as they are stored and sent."""
    match meaning:
        case TileTag(colour):
            return Kind.TILE, letter(colour)
        case PlayerCard(name):
            return Kind.PLAYER, name
        case ActionCard(action):
            return Kind.ACTION, action.value


def parse_meaning(kind: str, value: str) -> Meaning:
    """Return the meaning of a kind and a value. Raises ValueError if there is none."""
    match kind:
        case Kind.TILE:
            return TileTag(colour_of(value))
        case Kind.PLAYER if value and normalize_name(value) == value:
            return PlayerCard(value)
        case Kind.ACTION:
            return ActionCard(Action(value))
        case _:
            raise ValueError(f"no tag means {kind} {value!r}")


# --- Lessons ---


class Verdict(StrEnum):
    """Result of laying a tag on a reader in a lesson."""

    LEARNED = "learned"
    KNOWN = "known"  # it had a meaning already, and keeps it
    OVER = "over"  # the lesson has no meaning left to teach


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles of one colour, or of all colours one after another (None), as the subject of a lesson."""

    colour: Colour | None = None


Subject = Tiles | PlayerCard | ActionCard


@dataclass(frozen=True, slots=True)
class LaidTag:
    """The tag laid last, its meaning, its number among the tiles of its colour (0: none), and the verdict."""

    tag: str
    meaning: Meaning | None
    number: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson under way: `learned` has its tags in order, `at` is the time of the last tag in seconds."""

    subject: Subject
    at: float = 0.0
    learned: tuple[str, ...] = ()
    last: LaidTag | None = None


def tile_counts(tags: Tags) -> Counts:
    """Return the number of known tiles of each colour."""
    return count(meaning.colour for meaning in tags.values() if isinstance(meaning, TileTag))


def tags_of_colour(tags: Tags, colour: Colour) -> tuple[str, ...]:
    """Return the tags of all known tiles of a colour."""
    return tuple(tag for tag, meaning in tags.items() if meaning == TileTag(colour))


def tile_number(tags: Tags, tag: str) -> int:
    """Return the number of a tag among the tiles of its colour, from 1; 0 for a card."""
    meaning = tags[tag]
    if not isinstance(meaning, TileTag):
        return 0
    return [each for each, other in tags.items() if other == meaning].index(tag) + 1


def next_meaning(lesson: Lesson, tags: Tags) -> Meaning | None:
    """Return what the next tag will mean; None if the lesson has no meaning left."""
    match lesson.subject:
        case Tiles(colour):
            known = tile_counts(tags)
            wanted = COLOURS if colour is None else (colour,)
            left = [each for each in wanted if known[each] < TILES_OF_A_COLOUR]
            return TileTag(left[0]) if left else None
        case card:
            return None if lesson.learned else card


def lay_tag(lesson: Lesson, tags: Tags, tag: str, at: float = 0.0) -> tuple[Lesson, Tags]:
    """Return the lesson and all known tags after a normalized tag was laid on a reader."""
    lesson = replace(lesson, at=at)
    if tag in tags:
        if lesson.last is not None and lesson.last.tag == tag:
            return lesson, tags  # the same tag was lifted and laid down again
        return replace(lesson, last=LaidTag(tag, tags[tag], tile_number(tags, tag), Verdict.KNOWN)), tags
    meaning = next_meaning(lesson, tags)
    if meaning is None:
        return replace(lesson, last=LaidTag(tag, None, 0, Verdict.OVER)), tags
    known = {**tags, tag: meaning}
    last = LaidTag(tag, meaning, tile_number(known, tag), Verdict.LEARNED)
    return replace(lesson, learned=(*lesson.learned, tag), last=last), known
