"""What the page of tags shows: the lesson under way, how many tiles of each colour are known, the cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from web_ui.latest import Presence, View
from web_ui.messages import Card, Learning
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views.phone import TurnView, Viewer, turn

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


def head(view: View, words: Words, viewer: Viewer) -> TurnView:
    """What the table wants of who teaches it; else what this page is for, and who may."""
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        return turn(view, words)
    if snapshot.learning is not None:
        said = snapshot.refusal is not None and snapshot.refusal.say in SAID_OF_THE_TAG
        return replace(turn(view, words), refusal="") if said else turn(view, words)
    may = may_teach(SnapshotFormatter(words, snapshot), viewer)
    notes = () if may else (words.text("tags.look_only"),)
    return TurnView(words.text("tags.title"), words.text("tags.intro"), notes=notes)


def may_teach(formatter: SnapshotFormatter, viewer: Viewer) -> bool:
    """Whether this page may teach: at the table always, on a phone where the table lets it."""
    return viewer.at_table or formatter.snapshot.phones.learn


def lesson(formatter: SnapshotFormatter, viewer: Viewer) -> LessonView | None:
    """The lesson under way, if there is one."""
    learning = formatter.snapshot.learning
    if learning is None:
        return None
    last = learning.last
    return LessonView(
        last=_became(formatter, learning),
        known=last.tag if last is not None and last.verdict == "known" else "",
        refused=last is not None and last.verdict != "learned",
        can_go_back=learning.learned > 0,
        done=learning.next is None,
        may=may_teach(formatter, viewer),
    )


def _became(formatter: SnapshotFormatter, learning: Learning) -> str:
    """What became of the tag that was laid last, in a sentence."""
    last = learning.last
    if last is None:
        return ""
    if last.verdict == "over":
        return formatter.words.text("tags.over")
    return formatter.words.text_or(
        f"tags.{last.verdict}_{last.kind}",
        "tags.over",
        colour=formatter.colour_title(str(last.value)),
        number=last.number,
        who=last.value,
        action=_action(formatter, str(last.value)),
    )


def _action(formatter: SnapshotFormatter, action: str) -> str:
    return formatter.words.text_or(f"action.{action}", "action.other")


def tiles(formatter: SnapshotFormatter, viewer: Viewer) -> TilesView:
    """How many tiles are known."""
    words, known = formatter.words, formatter.snapshot.tags.tiles
    bars = tuple(_bars(formatter))
    count = sum(bar.count for bar in bars)
    learn, may = "", may_teach(formatter, viewer)
    if may and formatter.snapshot.learning is None and count < TILES * len(known):
        learn = words.text("tags.go_on" if count else "tags.learn_tiles")
    return TilesView(bars, count, words.text("tags.all", count=count), learn)


def _bars(formatter: SnapshotFormatter) -> Iterator[BarView]:
    words, learning = formatter.words, formatter.snapshot.learning
    due = learning.next if learning is not None else None
    for letter, count in formatter.snapshot.tags.tiles.items():
        left = TILES - count
        yield BarView(
            letter,
            formatter.colour_title(letter),
            count,
            words.text("tags.count", count=count),
            words.text("tags.to_go", left=left) if 0 < count < TILES else "",
            due is not None and due.kind == "tile" and due.value == letter,
        )


def cards(formatter: SnapshotFormatter, viewer: Viewer) -> CardsView | None:
    """The cards that are known; None during a lesson."""
    if formatter.snapshot.learning is not None:
        return None
    known = formatter.snapshot.tags.cards
    may = may_teach(formatter, viewer)
    missing = [action for action in ACTIONS if may and all(card.value != action for card in known)]
    return CardsView(
        tuple(CardView(card.tag, card.value) for card in known if card.kind == "player"),
        tuple(CardView(card.tag, _said(formatter, card)) for card in known if card.kind == "action"),
        tuple((action, _action(formatter, action)) for action in missing),
        may,
    )


def forgetting(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[tuple[str, str, int], ...]:
    """The colours of which tiles are known and can be forgotten here: letter, name, number."""
    snapshot = formatter.snapshot
    if not may_teach(formatter, viewer) or snapshot.learning is not None:
        return ()
    known = snapshot.tags.tiles
    return tuple((letter, formatter.colour_title(letter), known[letter]) for letter in known if known[letter])


def _said(formatter: SnapshotFormatter, card: Card) -> str:
    return _action(formatter, card.value)
