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

from web_ui import boards, hands, views
from web_ui.latest import Presence, View
from web_ui.sentences import Speaker
from web_ui.words import Words

FOLDER = Path(__file__).parent / "templates"

PHONE = "phone"
TABLE = "table"

STATE = "state"
"""The part of the twin that is no HTML but JSON: what the drawing must know beside the lights."""

REGIONS = {
    PHONE: (
        "tiles",
        "turn",
        "tell",
        "result",
        "offer",
        "counts",
        "seats",
        *(f"board.{seat}" for seat in range(1, views.SEATS + 1)),
        "account",
        "moves",
        "rules",
    ),
    TABLE: ("tiles", "turn", "tell", "hands", "names", "recent", "drawer", "counts", "rules"),
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
        self._renderings: dict[tuple[str, str], Rendering] = {}

    def page(self, template: str, **given: object) -> str:
        """A whole page."""
        return self._templates[template].render(**given)

    def rendering(self, page: str, words: Words, view: View) -> Rendering:
        """A page's parts for this view or a newer one."""
        key = (page, words.language)
        with self._lock:
            old = self._renderings.get(key)
            if old is None or old.number < view.number:
                old = self._renderings[key] = self._render(page, words, view, old)
            return old

    def _render(self, page: str, words: Words, view: View, old: Rendering | None) -> Rendering:
        parts = {}
        for name, value in _values(page, words, view):
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
        return _LINE_ENDS.sub("\n", template.render(view=value, say=words.say)).strip()


def _values(page: str, words: Words, view: View) -> Iterator[tuple[str, object]]:
    """What each region of a page shows."""
    speaker = Speaker(words, view.snapshot) if view.snapshot is not None else None
    for name in REGIONS[page]:
        if name == "turn":
            yield name, views.turn(view, words)
        elif name == "tiles":
            yield name, views.palette(view.snapshot)
        else:
            yield name, _value(name, speaker, view) if speaker is not None else None
    if page == TABLE:
        state = hands.drawing_state(speaker, view)
        yield STATE, json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def _value(name: str, speaker: Speaker, view: View) -> object:
    kind, _, seat = name.partition(".")
    if kind == "board":
        return boards.board(speaker, int(seat))
    if kind in _FOR_HANDS:
        return _FOR_HANDS[kind](speaker) if view.presence is Presence.HERE else None
    return _FOR_EYES[kind](speaker)


_FOR_EYES: Mapping[str, Callable[[Speaker], object]] = {
    "offer": views.offer,
    "counts": views.counts,
    "seats": views.seats,
    "moves": views.moves,
    "recent": views.recent,
    "account": views.account,
    "result": views.result,
    "rules": views.rules_link,
}
"""What the regions show, by their names; the boards apart."""

_FOR_HANDS: Mapping[str, Callable[[Speaker], object]] = {
    "hands": hands.groups,
    "names": hands.names,
    "tell": hands.tell,
    "drawer": hands.drawer,
}
"""The same for what hands can do while the table is there."""
