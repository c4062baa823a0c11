"""What the page of tags shows: the lesson under way, how many tiles of each colour are known, the cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from web_ui.latest import Presence, View
from web_ui.messages import Card, Learning
from web_ui.text.sentences import Speaker
from web_ui.text.words import Words
from web_ui.views.phone import Onlooker, TurnView, turn

TILES = 20
"""Tiles of each colour."""

ACTIONS = ("undo", "ok", "new_game")
"""The action cards that there are."""


SAID_OF_THE_TAG = ("tag_known", "lesson_over")
"""Refusals that the lesson says more of: which tile the tag is."""


@dataclass(frozen=True, slots=True)
class LessonView:
    """The lesson under way: what became of the last tag, and what may be done.

    `known` is the tag that means something already, so that it can be forgotten; `done`: all is learned.
    """

    last: str
    known: str
    refused: bool
    can_go_back: bool
    done: bool
    may: bool


@dataclass(frozen=True, slots=True)
class BarView:
    """How many tiles of a colour are known, in words, how many are missing, and whether it is learned now."""

    letter: str
    name: str
    count: int
    text: str
    to_go: str
    due: bool


@dataclass(frozen=True, slots=True)
class TilesView:
    """All five colours, and all together; `learn` is on the button that begins, if there is one."""

    bars: tuple[BarView, ...]
    count: int
    text: str
    learn: str


@dataclass(frozen=True, slots=True)
class CardView:
    """A card that is known: its tag and what it does."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class CardsView:
    """The cards that are known; `may`: they can be forgotten here, and others learned."""

    players: tuple[CardView, ...]
    actions: tuple[CardView, ...]
    missing: tuple[tuple[str, str], ...]
    may: bool


def head(view: View, words: Words, onlooker: Onlooker) -> TurnView:
    """What the table wants of who teaches it; else what this page is for, and who may."""
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        return turn(view, words)
    if snapshot.learning is not None:
        said = snapshot.refusal is not None and snapshot.refusal.say in SAID_OF_THE_TAG
        return replace(turn(view, words), refusal="") if said else turn(view, words)
    may = may_teach(Speaker(words, snapshot), onlooker)
    notes = () if may else (words.say("tags.look_only"),)
    return TurnView(words.say("tags.title"), words.say("tags.intro"), notes=notes)


def may_teach(speaker: Speaker, onlooker: Onlooker) -> bool:
    """Whether this page may teach: at the table always, on a phone where the table lets it."""
    return onlooker.at_table or speaker.snapshot.phones.learn


def lesson(speaker: Speaker, onlooker: Onlooker) -> LessonView | None:
    """The lesson under way, if there is one."""
    learning = speaker.snapshot.learning
    if learning is None:
        return None
    last = learning.last
    return LessonView(
        last=_became(speaker, learning),
        known=last.tag if last is not None and last.verdict == "known" else "",
        refused=last is not None and last.verdict != "learned",
        can_go_back=learning.learned > 0,
        done=learning.next is None,
        may=may_teach(speaker, onlooker),
    )


def _became(speaker: Speaker, learning: Learning) -> str:
    """What became of the tag that was laid last, in a sentence."""
    last = learning.last
    if last is None:
        return ""
    if last.verdict == "over":
        return speaker.words.say("tags.over")
    return speaker.words.say_or(
        f"tags.{last.verdict}_{last.kind}",
        "tags.over",
        colour=speaker.colour_title(str(last.value)),
        number=last.number,
        who=last.value,
        action=_action(speaker, str(last.value)),
    )


def _action(speaker: Speaker, action: str) -> str:
    return speaker.words.say_or(f"action.{action}", "action.other")


def tiles(speaker: Speaker, onlooker: Onlooker) -> TilesView:
    """How many tiles are known."""
    words, known = speaker.words, speaker.snapshot.tags.tiles
    bars = tuple(_bars(speaker))
    count = sum(bar.count for bar in bars)
    learn, may = "", may_teach(speaker, onlooker)
    if may and speaker.snapshot.learning is None and count < TILES * len(known):
        learn = words.say("tags.go_on" if count else "tags.learn_tiles")
    return TilesView(bars, count, words.say("tags.all", count=count), learn)


def _bars(speaker: Speaker) -> Iterator[BarView]:
    words, learning = speaker.words, speaker.snapshot.learning
    due = learning.next if learning is not None else None
    for letter, count in speaker.snapshot.tags.tiles.items():
        left = TILES - count
        yield BarView(
            letter,
            speaker.colour_title(letter),
            count,
            words.say("tags.count", count=count),
            words.say("tags.to_go", left=left) if 0 < count < TILES else "",
            due is not None and due.kind == "tile" and due.value == letter,
        )


def cards(speaker: Speaker, onlooker: Onlooker) -> CardsView | None:
    """The cards that are known; None during a lesson."""
    if speaker.snapshot.learning is not None:
        return None
    known = speaker.snapshot.tags.cards
    may = may_teach(speaker, onlooker)
    missing = [action for action in ACTIONS if may and all(card.value != action for card in known)]
    return CardsView(
        tuple(CardView(card.tag, card.value) for card in known if card.kind == "player"),
        tuple(CardView(card.tag, _said(speaker, card)) for card in known if card.kind == "action"),
        tuple((action, _action(speaker, action)) for action in missing),
        may,
    )


def forgetting(speaker: Speaker, onlooker: Onlooker) -> tuple[tuple[str, str, int], ...]:
    """The colours of which tiles are known and can be forgotten here: letter, name, number."""
    snapshot = speaker.snapshot
    if not may_teach(speaker, onlooker) or snapshot.learning is not None:
        return ()
    known = snapshot.tags.tiles
    return tuple((letter, speaker.colour_title(letter), known[letter]) for letter in known if known[letter])


def _said(speaker: Speaker, card: Card) -> str:
    return _action(speaker, card.value)
