"""The parts of a page as HTML: each made anew only when what it shows is new, and shared by all who look on.

A page holds one element for every region, `data-region="NAME"`. What changed since a viewer last heard is
sent as the HTML of those regions alone.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from web_ui.latest import Presence, View
from web_ui.text import sentences
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views import boards, controls, phone, tags
from web_ui.views import controls as hands
from web_ui.views import controls as phone_hands
from web_ui.views.drawing import has_boards
from web_ui.views.phone import PHONE, TABLE, TAGS, Viewer

FOLDER = Path(__file__).parent / "templates"

STATE = "state"
"""The part of the twin that is no HTML but JSON: what the drawing must know beside the lights."""

REGIONS = {
    PHONE: (
        "tiles",
        "turn",
        "faults",
        "seat",
        "report",
        "controls",
        "names",
        "result",
        "offer",
        "legend",
        "counts",
        "seats",
        *(f"board.{seat}" for seat in range(1, phone.SEATS + 1)),
        "account",
        "moves",
        "rules",
    ),
    TABLE: (
        "tiles",
        "turn",
        "faults",
        "report",
        "controls",
        "names",
        "result",
        "recent",
        "legend",
        "deck",
        "drawer",
        "plug",
        "counts",
        "rules",
        "offer",
        *(f"board.{seat}" for seat in range(1, phone.SEATS + 1)),
    ),
    TAGS: ("tiles", "turn", "lesson", "bars", "deck", "drawer", "cards", "forgetting"),
}
"""The regions of each page, in the order in which they stand there."""

_LINE_ENDS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A region as it was made: the value it shows, its HTML, and the number of the view that changed it."""

    value: object
    html: str
    changed: int


@dataclass(frozen=True, slots=True)
class Rendering:
    """A page's parts for one view."""

    number: int
    parts: Mapping[str, Part]
    _news: dict[int, bytes] = field(default_factory=dict)

    @property
    def html(self) -> dict[str, str]:
        """The HTML of every region, by its name."""
        return {name: part.html for name, part in self.parts.items()}

    def news(self, since: int) -> bytes:
        """What changed after a view's number, as JSON; made once for all viewers that are as far."""
        since = max((part.changed for part in self.parts.values() if part.changed <= since), default=-1)
        known = self._news.get(since)
        if known is None:
            changed = {name: part.html for name, part in self.parts.items() if part.changed > since}
            message: dict[str, object] = {"regions": changed}
            if STATE in changed:
                message[STATE] = json.loads(changed.pop(STATE))
            known = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
            self._news[since] = known
        return known


class Renderer:
    """Renders pages and regions; the templates are read and compiled once."""

    def __init__(self, folder: Path = FOLDER) -> None:
        templates = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.html"))}
        self._environment = jinja2.Environment(
            loader=jinja2.DictLoader(templates),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
            auto_reload=False,
        )
        self._templates = {name: self._environment.get_template(name) for name in templates}
        self.sources = templates
        self._lock = threading.Lock()
        self._renderings: dict[tuple[Viewer, str], Rendering] = {}

    def page(self, template: str, **given: object) -> str:
        """A whole page."""
        return self._templates[template].render(**given)

    def rendering(self, viewer: Viewer, words: Words, view: View) -> Rendering:
        """The parts of somebody's page for this view or a newer one."""
        key = (viewer, words.language)
        with self._lock:
            old = self._renderings.get(key)
            if old is None or old.number < view.number:
                old = self._renderings[key] = self._render(viewer, words, view, old)
            return old

    def _render(self, viewer: Viewer, words: Words, view: View, old: Rendering | None) -> Rendering:
        parts = {}
        for name, value in _values(viewer, words, view):
            before = old.parts.get(name) if old is not None else None
            if before is not None and before.value == value:
                parts[name] = before
                continue
            html = str(value) if name == STATE else self._region(name, value, words)
            changed = before.changed if before is not None and before.html == html else view.number
            parts[name] = Part(value, html, changed)
        return Rendering(view.number, parts)

    def _region(self, name: str, value: object, words: Words) -> str:
        """The HTML of a region; an empty text when it has nothing to show."""
        if not value:
            return ""
        template = self._templates[f"region_{name.partition('.')[0]}.html"]
        return _LINE_ENDS.sub("\n", template.render(view=value, text=words.text)).strip()


def _values(viewer: Viewer, words: Words, view: View) -> Iterator[tuple[str, object]]:
    """What each region of a page shows."""
    formatter = SnapshotFormatter(words, view.snapshot) if view.snapshot is not None else None
    for name in REGIONS[viewer.page]:
        if name == "turn":
            head = tags.head(view, words, viewer) if viewer.page == TAGS else None
            yield name, head or phone.turn(view, words, viewer.seat)
        elif name == "tiles":
            yield name, phone.palette(view.snapshot)
        else:
            yield name, _value(name, formatter, view, viewer) if formatter is not None else None
    if viewer.page == TABLE:
        state = hands.drawing_state(formatter, view)
        yield STATE, json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def _value(name: str, formatter: SnapshotFormatter, view: View, viewer: Viewer) -> object:
    kind, _, seat = name.partition(".")
    if kind in _ON_TABLE and viewer.page == TABLE and has_boards(view.layout):
        return None
    if kind == "board":
        return boards.board(formatter, int(seat), mine=viewer.seat == int(seat))
    if kind in _FOR_EYES:
        return _FOR_EYES[kind](formatter)
    if view.presence is not Presence.HERE:
        return None
    if viewer.page == TABLE:
        return _FOR_HANDS[kind](formatter)
    return (_FOR_TEACHERS if viewer.page == TAGS else _FOR_PHONES)[kind](formatter, viewer)


_ON_TABLE = ("board", "offer")
"""Regions that the twin needs only where the table has no lights for what they show."""

_FOR_EYES: Mapping[str, Callable[[SnapshotFormatter], object]] = {
    "faults": sentences.faults,
    "offer": phone.offer,
    "counts": phone.counts,
    "legend": phone.legend,
    "seats": phone.seats,
    "moves": phone.moves,
    "recent": phone.recent,
    "account": phone.account,
    "result": phone.last_result,
    "rules": phone.rules_link,
}
"""What the regions show, by their names; the boards apart."""

_FOR_HANDS: Mapping[str, Callable[[SnapshotFormatter], object]] = {
    "controls": hands.groups,
    "names": hands.names,
    "report": hands.tell,
    "deck": controls.cards,
    "drawer": controls.tiles,
    "plug": hands.plug,
}
"""The same for what hands can do while the table is there."""

_FOR_PHONES: Mapping[str, Callable[[SnapshotFormatter, Viewer], object]] = {
    "seat": lambda formatter, viewer: phone_hands.seat_choice(formatter, viewer.seat),
    "controls": lambda formatter, viewer: phone_hands.phone_groups(formatter, viewer.seat),
    "names": lambda formatter, viewer: phone_hands.phone_names(formatter, viewer.seat),
    "report": lambda formatter, viewer: phone_hands.tell_phone(formatter, at_table=viewer.at_table),
}
"""The same for what a phone's hands can do."""

_FOR_TEACHERS: Mapping[str, Callable[[SnapshotFormatter, Viewer], object]] = {
    "lesson": tags.lesson,
    "bars": tags.tiles,
    "cards": tags.cards,
    "forgetting": tags.forgetting,
    "deck": lambda formatter, viewer: controls.cards(formatter) if viewer.at_table else None,
    "drawer": lambda formatter, viewer: controls.tiles(formatter, marked=True) if viewer.at_table else None,
}
"""The same for who teaches the table tags."""
