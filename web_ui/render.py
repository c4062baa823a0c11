"""Rendering of pages: templates, and page fragments ("regions") that are cached and sent when they change.

A page holds one element for each region, `data-region="NAME"`. A region's HTML is made from a value computed
by `views`; it is rendered again only when that value changes, and shared by all viewers of the same page. A
viewer is sent the regions that changed since the view number that it has.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup
from msgspec import Struct, field

from web_ui.latest import Presence, View
from web_ui.security import SCRIPTED
from web_ui.text import sentences
from web_ui.text.sentences import SnapshotFormatter
from web_ui.text.words import Words, read_all_words
from web_ui.views import (
    boards,
    controls,
    drawing,
    ending,
    joining,
    lobby,
    phone,
    settings,
    tags,
    workshop,
)
from web_ui.views.phone import JOIN, PHONE, PLAY, SETTINGS, TABLE, TAGS, WALL, Viewer

FOLDER = Path(__file__).parent / "templates"

STATE = "state"
"""The part of the twin that is JSON instead of HTML: what its drawing shows besides the lights."""

_BOARDS = tuple(f"board.{seat}" for seat in range(1, phone.SEATS + 1))

REGIONS = {
    PHONE: (
        *("tiles", "turn", "prompt", "faults", "lobby", "question", "lesson_step", "seat", "report"),
        *("result", "offer", "front", *_BOARDS, "bar", "legend", "counts", "account", "moves", "rules"),
        "mine",
    ),
    PLAY: (
        *("tiles", "turn", "prompt", "faults", "lobby", "question", "lesson_step", "report", "result"),
        *("offer", *_BOARDS, "bar", "legend", "counts", "account", "moves", "step", "rules", "mine", "join"),
    ),
    TABLE: (
        *("tiles", "turn", "faults", "report", "recent", "legend", "deck", "drawer", "workshop", "counts"),
        *("rules", "join"),
    ),
    WALL: (
        *("tiles", "turn", "prompt", "faults", "result", "offer", *_BOARDS, "seats", "moves", "step", "join"),
    ),
    JOIN: ("joining",),
    SETTINGS: ("turn", "settings", "names"),
    TAGS: ("tiles", "turn", "lesson", "bars", "deck", "drawer", "cards", "forgetting"),
}
"""The regions of each page."""

PLAYED = ("offer", "front", "board", "prompt")
"""Regions that show the game, and are its controls for a viewer who may act."""

DISPLAYS: Mapping[str, Callable[[SnapshotFormatter], object]] = {
    "faults": sentences.faults,
    "counts": phone.counts,
    "legend": phone.legend,
    "seats": phone.seats,
    "moves": phone.moves,
    "recent": phone.recent,
    "step": phone.scored,
    "account": phone.account,
}
"""The value of each region that shows something of the game, the same for all viewers."""

CONTROLS: Mapping[str, Callable[[SnapshotFormatter, Viewer], object]] = {
    "bar": controls.bar,
    "lobby": lobby.lobby,
    "question": lobby.question,
    "lesson_step": lobby.lesson_step,
    "names": controls.names,
    "report": controls.report,
    "seat": controls.seat_choice,
    "deck": tags.deck,
    "drawer": tags.drawer,
    "workshop": workshop.workshop,
    "lesson": tags.lesson,
    "bars": tags.bars,
    "cards": tags.cards,
    "forgetting": tags.forgetting,
    "joining": joining.seats,
    "join": joining.invitation,
    "mine": joining.own_turn,
    "settings": settings.settings,
}
"""The value of each region with controls, which depend on the viewer; empty while the table is away."""

TEMPLATES = {"front": "board"}
"""Regions that use the template of another one."""

WITH_CONTROLS = (Presence.HERE, Presence.HUNG)
"""Presences with controls; those of a table that hangs stay, and the page's script blocks them."""

FOR_LOCKED = ("joining", "join", "mine")
"""Regions with controls that a phone sees before it has entered the PIN."""

_LINE_ENDS = re.compile(r"\s*\n\s*")


class Region(Struct, frozen=True):
    """A rendered region: the value that it shows, its HTML, and the view number at which the HTML changed."""

    value: object
    html: str
    changed: int


class Rendering(Struct, frozen=True):
    """All regions of a page for one view, and the question that the table asks.

    `notice` says what to do while the table's presence is another than `HERE`.
    """

    number: int
    regions: Mapping[str, Region]
    presence: Presence = Presence.HERE
    notice: str = ""
    asked: str = ""
    _news: dict[int, bytes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def html(self) -> dict[str, str]:
        """The HTML of every region, by name."""
        return {name: region.html for name, region in self.regions.items()}

    def news(self, since: int) -> bytes:
        """Return the regions that changed after view number `since` as JSON, made once for each number."""
        changes = (region.changed for region in self.regions.values())
        since = max((changed for changed in changes if changed <= since), default=-1)
        with self._lock:
            news = self._news.get(since)
            if news is None:
                news = self._news[since] = self._news_since(since)
            return news

    def _news_since(self, since: int) -> bytes:
        changed = {name: region.html for name, region in self.regions.items() if region.changed > since}
        message: dict[str, object] = {
            "presence": self.presence,
            "notice": self.notice,
            "asked": self.asked,
            "regions": changed,
        }
        if STATE in changed:
            message[STATE] = json.loads(changed.pop(STATE))
        return _json(message).encode()


@cache
def _compile(
    sources: tuple[tuple[str, str], ...], languages: tuple[tuple[str, str], ...]
) -> dict[str, jinja2.Template]:
    """Compile templates, given as name and source; cached because it takes 0.1 to 1 s.

    All templates know the `languages` of the pages as tags and names.
    """
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(dict(sources)),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
    environment.globals["languages"] = languages
    environment.globals["scripted"] = Markup(SCRIPTED)
    return {name: environment.get_template(name) for name, _ in sources}


def _language_names() -> tuple[tuple[str, str], ...]:
    """Return the tag and the own name of every language, sorted by name."""
    names = [(tag, words.text("language")) for tag, words in read_all_words().items()]
    return tuple(sorted(names, key=lambda each: each[1].casefold()))


class Renderer:
    """Renders pages and regions; the templates are read and compiled once. Thread-safe."""

    def __init__(self, version: str = "") -> None:
        """Read the templates; `version` is the hash of all static files, which their addresses get."""
        self.sources = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.html"))}
        if version:
            for name, source in self.sources.items():
                self.sources[name] = source.replace('"/static/', f'"/static/{version}/')
        self._templates = _compile(tuple(self.sources.items()), _language_names())
        self._lock = threading.Lock()
        self._renderings: dict[tuple[Viewer, str], Rendering] = {}

    def page(self, template: str, **given: object) -> str:
        """Render a whole page from a template and its variables."""
        return self._templates[template].render(**given)

    def fragment(self, template: str, **given: object) -> str:
        """Render a part of a page, without the white space between its lines."""
        return _LINE_ENDS.sub("\n", self._templates[template].render(**given)).strip()

    def rendering(self, viewer: Viewer, words: Words, view: View) -> Rendering:
        """Return the rendering of a viewer's page for this view or a newer one."""
        key = (viewer, words.language)
        with self._lock:
            rendering = self._renderings.get(key)
            if rendering is None or rendering.number < view.number:
                rendering = self._renderings[key] = self._render(viewer, words, view, rendering)
            return rendering

    def _render(self, viewer: Viewer, words: Words, view: View, old: Rendering | None) -> Rendering:
        regions = {}
        for name, value in _values(viewer, words, view):
            before = old.regions.get(name) if old is not None else None
            if before is not None and before.value == value:
                regions[name] = before
                continue
            html = str(value) if name == STATE else self._region(name, value, words)
            changed = before.changed if before is not None and before.html == html else view.number
            regions[name] = Region(value, html, changed)
        asked = view.snapshot.asked if view.snapshot is not None else ""
        here = view.presence is Presence.HERE
        notice = "" if here else words.text(f"presence.{view.presence}")
        return Rendering(view.number, regions, view.presence, notice, asked)

    def _region(self, name: str, value: object, words: Words) -> str:
        """Render a region; return an empty text if it has nothing to show."""
        if not value:
            return ""
        kind = name.partition(".")[0]
        return self.fragment(f"region_{TEMPLATES.get(kind, kind)}.html", view=value, text=words.text)


def _values(viewer: Viewer, words: Words, view: View) -> Iterator[tuple[str, object]]:
    """Yield the name and the value of each region of the viewer's page."""
    formatter = SnapshotFormatter(words, view.snapshot) if view.snapshot is not None else None
    own = f"board.{viewer.seat}" if viewer.page == PHONE else ""  # the phone page shows it as `front`
    for name in REGIONS[viewer.page]:
        if name == own:
            continue
        if name == "turn":
            yield name, _turn(formatter, view, words, viewer)
        elif name == "tiles":
            yield name, phone.palette(view.snapshot)
        else:
            yield name, _value(name, formatter, view, viewer) if formatter is not None else None
    if viewer.page == TABLE:
        yield STATE, _json(drawing.drawing_state(formatter, view))


def _turn(formatter: SnapshotFormatter | None, view: View, words: Words, viewer: Viewer) -> object:
    if viewer.page == TAGS:
        return tags.head(view, words, viewer)
    if viewer.page == SETTINGS:
        return settings.head(view, words, viewer)
    return phone.turn(view, words, viewer, _hands(formatter, view, viewer))


def _hands(formatter: SnapshotFormatter | None, view: View, viewer: Viewer) -> boards.Hands:
    """Return what the viewer may do now: nothing while the table is away."""
    if formatter is None or viewer.locked or view.presence not in WITH_CONTROLS:
        return boards.NO_HANDS
    return controls.hands(formatter, viewer)


def _value(name: str, formatter: SnapshotFormatter, view: View, viewer: Viewer) -> object:
    kind, _, seat = name.partition(".")
    if kind == "rules":
        return phone.links(formatter, viewer.page)
    if kind in PLAYED:
        hands = _hands(formatter, view, viewer)
        if kind == "prompt":
            return phone.prompt(formatter, hands)
        if kind == "offer":
            return phone.whole_offer(formatter, hands)
        if kind == "front":
            return boards.front_board(formatter, viewer.seat, hands)
        hands = boards.NO_HANDS if viewer.page == PHONE else hands  # a phone plays on its large board only
        return boards.board(formatter, int(seat), mine=viewer.seat == int(seat), hands=hands)
    if kind == "result":
        return ending.ending(formatter, viewer)
    if kind in DISPLAYS:
        return DISPLAYS[kind](formatter)
    if view.presence not in WITH_CONTROLS or (viewer.locked and kind not in FOR_LOCKED):
        return None
    return CONTROLS[kind](formatter, viewer)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
