"""What a tag means: a tile's colour, a player's card or an action's; and the one form of a tag's text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from device.rules.tiles import COLOURS, TILES_OF_A_COLOUR, Colour, Counts, colour_of, count, letter
from device.table.game import normalize_name

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


def normalize_tag(text: str) -> str:
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


def serialize_meaning(meaning: Meaning) -> tuple[Kind, str]:
    """A meaning as it is kept: its kind and its value."""
    match meaning:
        case TileTag(colour):
            return Kind.TILE, letter(colour)
        case PlayerCard(name):
            return Kind.PLAYER, name
        case ActionCard(action):
            return Kind.ACTION, action.value


def parse_meaning(kind: str, value: str) -> Meaning:
    """The meaning that was kept; raises ValueError where there is none such."""
    match kind:
        case Kind.TILE:
            return TileTag(colour_of(value))
        case Kind.PLAYER if value and normalize_name(value) == value:
            return PlayerCard(value)
        case Kind.ACTION:
            return ActionCard(Action(value))
        case _:
            raise ValueError(f"no tag means {kind} {value!r}")


# --- A lesson: what the tags that are laid on a reader come to mean, tag after tag; it knows no table
# The 100 tiles are one lesson, colour after colour; a player card is one, and so is an action card. A tag
# that means something already keeps its meaning: it is named, and has to be forgotten before it can mean
# another.


class Verdict(StrEnum):
    """What became of a tag that was laid on a reader."""

    LEARNED = "learned"
    KNOWN = "known"  # it means something already, and still does
    OVER = "over"  # nothing is left to be learned in this lesson


@dataclass(frozen=True, slots=True)
class Tiles:
    """The lesson of the tiles: of one colour, or of all of them, colour after colour."""

    colour: Colour | None = None


Subject = Tiles | PlayerCard | ActionCard


@dataclass(frozen=True, slots=True)
class LaidTag:
    """The tag that was laid last: what it means now, as which tile of its colour, and what became of it."""

    tag: str
    meaning: Meaning | None
    number: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson under way; `learned` are its tags in order, and `at` is when one was laid last, in seconds."""

    subject: Subject
    at: float = 0.0
    learned: tuple[str, ...] = ()
    last: LaidTag | None = None


def tile_counts(tags: Tags) -> Counts:
    """How many tiles of each colour are known."""
    return count(meaning.colour for meaning in tags.values() if isinstance(meaning, TileTag))


def tags_of_colour(tags: Tags, colour: Colour) -> tuple[str, ...]:
    """Return the tags of all known tiles of a colour."""
    return tuple(tag for tag, meaning in tags.items() if meaning == TileTag(colour))


def tile_number(tags: Tags, tag: str) -> int:
    """Which tile of its colour a tag is, from 1, in the order in which they were learned; 0 for a card."""
    meaning = tags[tag]
    if not isinstance(meaning, TileTag):
        return 0
    return [each for each, other in tags.items() if other == meaning].index(tag) + 1


def next_meaning(lesson: Lesson, tags: Tags) -> Meaning | None:
    """What the next tag will mean; None where the lesson is over."""
    match lesson.subject:
        case Tiles(colour):
            known = tile_counts(tags)
            wanted = COLOURS if colour is None else (colour,)
            left = [each for each in wanted if known[each] < TILES_OF_A_COLOUR]
            return TileTag(left[0]) if left else None
        case card:
            return None if lesson.learned else card


def lay_tag(lesson: Lesson, tags: Tags, tag: str, at: float = 0.0) -> tuple[Lesson, Tags]:
    """The lesson after a tag in its one form was laid on a reader, and every tag that is known then."""
    lesson = replace(lesson, at=at)
    if tag in tags:
        if lesson.last is not None and lesson.last.tag == tag:
            return lesson, tags  # it was lifted and lies there once more
        return replace(lesson, last=LaidTag(tag, tags[tag], tile_number(tags, tag), Verdict.KNOWN)), tags
    meaning = next_meaning(lesson, tags)
    if meaning is None:
        return replace(lesson, last=LaidTag(tag, None, 0, Verdict.OVER)), tags
    known = {**tags, tag: meaning}
    last = LaidTag(tag, meaning, tile_number(known, tag), Verdict.LEARNED)
    return replace(lesson, learned=(*lesson.learned, tag), last=last), known


def undo_last_tag(lesson: Lesson, tags: Tags) -> tuple[Lesson, Tags]:
    """Forget the tag that was learned last in this lesson; raises IndexError where there is none."""
    wrong = lesson.learned[-1]
    return replace(lesson, learned=lesson.learned[:-1], last=None), without_tags(tags, (wrong,))


def after_forgetting(lesson: Lesson, tags: Tags) -> Lesson:
    """The lesson when some of its tags may have been forgotten meanwhile."""
    return replace(lesson, learned=tuple(tag for tag in lesson.learned if tag in tags), last=None)


def without_tags(tags: Tags, forgotten: tuple[str, ...]) -> Tags:
    """The tags that are still known when some are forgotten."""
    return {tag: meaning for tag, meaning in tags.items() if tag not in forgotten}
