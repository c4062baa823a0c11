"""The page of tags and cards, and the simulated tags that it shares with the twin.

The page teaches the table what RFID tags mean: the lesson under way, how many tiles of each colour are
known, and the cards of players and actions.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from web_ui.latest import Presence, View
from web_ui.messages import Card, Learning, Snapshot
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views.phone import TAGS, TurnView, Viewer, turn

TILES = 20
"""Tiles of each colour."""

ACTIONS = ("undo", "ok", "new_game")
"""The actions that cards can have."""

EXPLAINED_REFUSALS = ("tag_known", "lesson_over")
"""Refusals that the lesson explains in more detail."""


# --- The page --------------------------------------------------------------------------------------------


class LessonView(Struct, frozen=True):
    """The lesson under way: the outcome of the last tag as a sentence, and the buttons.

    `known` is the last tag if it has a meaning already, so that it can be forgotten; `done`: all is learned;
    `may`: the viewer may teach.
    """

    last: str
    known: str
    refused: bool
    can_go_back: bool
    done: bool
    may: bool


class BarView(Struct, frozen=True):
    """The known tiles of a colour: number, text, how many are missing, and whether it is being learned."""

    letter: str
    name: str
    count: int
    text: str
    to_go: str
    due: bool


class BarsView(Struct, frozen=True):
    """The known tiles of all colours; `learn` is the text of the button that starts a lesson, if any."""

    bars: tuple[BarView, ...]
    count: int
    text: str
    learn: str


class CardView(Struct, frozen=True):
    """A card: its tag, its text, and its kind: player, action or blank."""

    tag: str
    text: str
    kind: str


class CardsView(Struct, frozen=True):
    """The known cards, and the actions without one; `may`: the viewer may teach."""

    players: tuple[CardView, ...]
    actions: tuple[CardView, ...]
    missing: tuple[tuple[str, str], ...]
    may: bool


def head(view: View, words: Words, viewer: Viewer) -> TurnView:
    """Return the prompt of a lesson; else what the page is for, and whether the viewer may teach."""
    snapshot = view.snapshot
    if view.presence is not Presence.HERE or snapshot is None:
        return turn(view, words, viewer)
    if snapshot.learning is not None:
        explained = snapshot.refusal is not None and snapshot.refusal.say in EXPLAINED_REFUSALS
        lesson_turn = turn(view, words, viewer)
        return replace(lesson_turn, refusal="") if explained else lesson_turn
    notes = () if may_teach(snapshot, viewer) else (words.text("tags.look_only"),)
    return TurnView(words.text("tags.title"), words.text("tags.intro"), notes=notes)


def may_teach(snapshot: Snapshot, viewer: Viewer) -> bool:
    """Return whether a viewer may teach: always at the table, on a phone if the table allows it."""
    return viewer.at_table or snapshot.phones.learn


def lesson(formatter: SnapshotFormatter, viewer: Viewer) -> LessonView | None:
    """Return the lesson under way, if there is one."""
    learning = formatter.snapshot.learning
    if learning is None:
        return None
    last = learning.last
    return LessonView(
        last=_outcome(formatter, learning),
        known=last.tag if last is not None and last.verdict == "known" else "",
        refused=last is not None and last.verdict != "learned",
        can_go_back=learning.learned > 0,
        done=learning.next is None,
        may=may_teach(formatter.snapshot, viewer),
    )


def _outcome(formatter: SnapshotFormatter, learning: Learning) -> str:
    """Return the outcome of the last tag as a sentence."""
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
        action=formatter.action(last.value),
    )


def bars(formatter: SnapshotFormatter, viewer: Viewer) -> BarsView:
    """Return how many tiles of each colour are known."""
    words, snapshot = formatter.words, formatter.snapshot
    colours = tuple(_bars(formatter))
    count = sum(bar.count for bar in colours)
    learn = ""
    if may_teach(snapshot, viewer) and snapshot.learning is None and count < TILES * len(colours):
        learn = words.text("tags.go_on" if count else "tags.learn_tiles")
    return BarsView(colours, count, words.text("tags.all", count=count), learn)


def _bars(formatter: SnapshotFormatter) -> Iterator[BarView]:
    words, learning = formatter.words, formatter.snapshot.learning
    due = learning.next if learning is not None else None
    for letter, count in formatter.snapshot.tags.tiles.items():
        yield BarView(
            letter,
            formatter.colour_title(letter),
            count,
            words.text("tags.count", count=count),
            words.text("tags.to_go", left=TILES - count) if 0 < count < TILES else "",
            due is not None and due.kind == "tile" and due.value == letter,
        )


def cards(formatter: SnapshotFormatter, viewer: Viewer) -> CardsView | None:
    """Return the known cards; None during a lesson."""
    snapshot = formatter.snapshot
    if snapshot.learning is not None:
        return None
    known = snapshot.tags.cards
    may = may_teach(snapshot, viewer)
    missing = [action for action in ACTIONS if may and all(card.value != action for card in known)]
    return CardsView(
        tuple(_card(formatter, card) for card in known if card.kind == "player"),
        tuple(_card(formatter, card) for card in known if card.kind == "action"),
        tuple((action, formatter.action(action)) for action in missing),
        may,
    )


def forgetting(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[tuple[str, str, int], ...]:
    """Return letter, name and number of the known tiles that the viewer may let the table forget."""
    snapshot = formatter.snapshot
    if not may_teach(snapshot, viewer) or snapshot.learning is not None:
        return ()
    known = snapshot.tags.tiles
    return tuple((letter, formatter.colour_title(letter), known[letter]) for letter in known if known[letter])


# --- Simulated tags: tiles and cards that a viewer at the table shows to simulated readers ---------------


class DrawerView(Struct, frozen=True):
    """The tagged tiles by colour: letter, name and tags.

    `used` are those that lie on the table or are known; empty on the twin, whose script marks them. `blind`:
    a tile can be drawn at random.
    """

    colours: tuple[tuple[str, str, tuple[str, ...]], ...]
    used: tuple[str, ...]
    blind: bool


def drawer(formatter: SnapshotFormatter, viewer: Viewer) -> DrawerView | None:
    """Return the drawer of tagged tiles; None on a real table and if no tile is to be reported or learned."""
    snapshot = formatter.snapshot
    if not viewer.at_table or snapshot.simulated is None or snapshot.simulated.drawer is None:
        return None
    tags = snapshot.simulated.drawer
    return DrawerView(
        tuple((letter, formatter.colour_title(letter), tags[letter]) for letter in tags),
        used_tags(snapshot) if viewer.page == TAGS else (),
        blind=snapshot.learning is None,
    )


def used_tags(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the tags of the tiles that lie on the table, or during a lesson of those that are known."""
    if snapshot.learning is not None:
        return snapshot.simulated.known if snapshot.simulated is not None else ()
    return tuple(tile.tag for tile in snapshot.resin.told if tile.tag) if snapshot.resin is not None else ()


def deck(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[CardView, ...]:
    """Return the simulated cards; empty on a real table."""
    simulated = formatter.snapshot.simulated
    if not viewer.at_table or simulated is None:
        return ()
    return tuple(_card(formatter, card) for card in simulated.cards)


def _card(formatter: SnapshotFormatter, card: Card) -> CardView:
    match card.kind:
        case "player":
            return CardView(card.tag, str(card.value), "player")
        case "action":
            return CardView(card.tag, formatter.action(card.value), "action")
        case _:
            return CardView(card.tag, formatter.words.text("resin.blank_card"), "blank")
