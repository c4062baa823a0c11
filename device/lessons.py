"""A lesson: what the tags that are laid on a reader come to mean, tag after tag; it knows no table.

The 100 tiles are one lesson, colour after colour; a player card is one, and so is an action card. A tag that
means something already keeps its meaning: it is named, and has to be forgotten before it can mean another.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from device.rules.tiles import COLOURS, TILES_OF_A_COLOUR, Colour, Counts, count
from device.tags import ActionCard, Meaning, PlayerCard, Tags, TileTag


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
class Laid:
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
    last: Laid | None = None


def tile_counts(tags: Tags) -> Counts:
    """How many tiles of each colour are known."""
    return count(meaning.colour for meaning in tags.values() if isinstance(meaning, TileTag))


def number_of(tags: Tags, tag: str) -> int:
    """Which tile of its colour a tag is, from 1, in the order in which they were learned; 0 for a card."""
    meaning = tags[tag]
    if not isinstance(meaning, TileTag):
        return 0
    return [each for each, other in tags.items() if other == meaning].index(tag) + 1


def due(lesson: Lesson, tags: Tags) -> Meaning | None:
    """What the next tag will mean; None where the lesson is over."""
    match lesson.subject:
        case Tiles(colour):
            known = tile_counts(tags)
            wanted = COLOURS if colour is None else (colour,)
            left = [each for each in wanted if known[each] < TILES_OF_A_COLOUR]
            return TileTag(left[0]) if left else None
        case card:
            return None if lesson.learned else card


def lay(lesson: Lesson, tags: Tags, tag: str, at: float = 0.0) -> tuple[Lesson, Tags]:
    """The lesson after a tag in its one form was laid on a reader, and every tag that is known then."""
    lesson = replace(lesson, at=at)
    if tag in tags:
        if lesson.last is not None and lesson.last.tag == tag:
            return lesson, tags  # it was lifted and lies there once more
        return replace(lesson, last=Laid(tag, tags[tag], number_of(tags, tag), Verdict.KNOWN)), tags
    meaning = due(lesson, tags)
    if meaning is None:
        return replace(lesson, last=Laid(tag, None, 0, Verdict.OVER)), tags
    known = {**tags, tag: meaning}
    last = Laid(tag, meaning, number_of(known, tag), Verdict.LEARNED)
    return replace(lesson, learned=(*lesson.learned, tag), last=last), known


def go_back(lesson: Lesson, tags: Tags) -> tuple[Lesson, Tags]:
    """Forget the tag that was learned last in this lesson; raises IndexError where there is none."""
    wrong = lesson.learned[-1]
    return replace(lesson, learned=lesson.learned[:-1], last=None), without(tags, (wrong,))


def after_forgetting(lesson: Lesson, tags: Tags) -> Lesson:
    """The lesson when some of its tags may have been forgotten meanwhile."""
    return replace(lesson, learned=tuple(tag for tag in lesson.learned if tag in tags), last=None)


def without(tags: Tags, forgotten: tuple[str, ...]) -> Tags:
    """The tags that are still known when some are forgotten."""
    return {tag: meaning for tag, meaning in tags.items() if tag not in forgotten}
