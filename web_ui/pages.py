"""What those who look on are given: pages, streams, and the same by asking again and again."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
from flask import Response, request

from web_ui.latest import Frame, Latest, Presence, View
from web_ui.messages import Layout, MessageError, read_game, read_games, read_record
from web_ui.render import STATE, Renderer
from web_ui.security import Access, RateLimiter, RefusedError, access_level
from web_ui.streams import FRAMES_LEASE, Slots, Streams, Subscription
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.rulebook import MODES, VARIANTS, Rulebook, read_all_rules
from web_ui.text.words import DEFAULT, Words, read_all_words
from web_ui.views import history
from web_ui.views.drawing import drawing, has_boards
from web_ui.views.phone import PAGES, PHONE, TABLE, Viewer, identify_viewer

STATIC = Path(__file__).parent / "static"

STREAMS = 64
"""How many streams there are at once, unless told otherwise."""

FIRST_FRAME = 0.3
"""Seconds that the first drawing of the table waits for its lights."""

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that is served as it is."""

    content: bytes
    type: str
    etag: str


@dataclass(slots=True)
class Pages:
    """Everything that a page is made of, read into memory once."""

    latest: Latest
    streams_at_once: int = STREAMS
    words: dict[str, Words] = field(default_factory=read_all_words)
    rulebooks: dict[str, Rulebook] = field(default_factory=read_all_rules)
    renderer: Renderer = field(default_factory=Renderer)
    epoch: str = field(default_factory=lambda: secrets.token_hex(4))
    files: dict[str, StaticFile] = field(default_factory=dict)
    build: str = ""
    slots: Slots = field(init=False)
    streams: Streams = field(init=False)
    _layout_stamp: tuple[Layout | None, str] = (None, "")

    def __post_init__(self) -> None:
        self.files = {path.name: _static_file(path) for path in sorted(STATIC.iterdir()) if path.is_file()}
        sources = [*self.renderer.sources.values(), *(file.etag for file in self.files.values())]
        sentences = [repr(self.words[language]) for language in sorted(self.words)]
        self.build = _hash("\0".join(sources + sentences).encode())
        self.slots = Slots(self.streams_at_once, self.latest.wake)
        self.streams = Streams(self.latest, self.renderer, self.greeting, self.epoch)

    def greeting(self, view: View, viewer: Viewer) -> dict[str, str]:
        """What a page must be made from to be current: else it loads itself again."""
        stamp = self.layout_stamp(view.layout)
        return {"build": self.build, "layout": stamp, "seat": str(viewer.seat)}

    def layout_stamp(self, layout: Layout | None) -> str:
        """A short text that differs for every layout."""
        known, stamp = self._layout_stamp
        if layout is not known:
            stamp = _hash(msgspec.json.encode(layout)) if layout is not None else ""
            self._layout_stamp = layout, stamp
        return stamp

    def words_for_request(self) -> Words:
        """The words of the language that the request asks for."""
        languages = [DEFAULT, *(language for language in self.words if language != DEFAULT)]
        language = request.accept_languages.best_match(languages, default=DEFAULT)
        return self.words[language]

    def since(self, stamp: str) -> int:
        """How far a viewer is who has this stamp; -1 when it is none of this process."""
        epoch, _, number = stamp.rpartition(".")
        newest = self.latest.view.number
        known = epoch == self.epoch and number.isdecimal() and len(number) < 16
        return int(number) if known and int(number) <= newest else -1

    def page(self, page: str) -> Response:
        """A whole page in the reader's language."""
        words, view, hands = self.words_for_request(), self.latest.view, access_level(request)
        viewer = identify_viewer(request, page)
        frame = self._first_frame(view) if page == TABLE else Frame()
        rendering = self.renderer.rendering(viewer, words, view)
        html = self.renderer.page(
            f"{page}.html",
            text=words.text,
            language=words.language,
            regions=rendering.html,
            stamp=f"{self.epoch}.{rendering.number}",
            greeting=self.greeting(view, viewer),
            pressing=hands is Access.TABLE if page == TABLE else hands is not Access.NONE,
            at_table=hands is Access.TABLE,
            teaching=hands is Access.TABLE or (view.snapshot is not None and view.snapshot.phones.learn),
            seat=viewer.seat,
            boards_on_page=page == TABLE and not has_boards(view.layout),
            drawing=drawing(view.layout) if page == TABLE and view.layout is not None else None,
            colours=_colours(frame),
            labels=json.loads(rendering.html[STATE])["labels"] if page == TABLE else {},
        )
        response = Response(html, content_type="text/html; charset=utf-8")
        made_of = view.number, rendering.number, frame.number  # the parts may be of a newer view
        parts = self.epoch, page, words.language, *made_of, hands, viewer.seat
        return _conditional(response, "-".join(map(str, parts)))

    def _first_frame(self, view: View) -> Frame:
        """The lights as they are, waited for a moment when nobody looked at them before."""
        frame = self.latest.frame
        if view.presence is not Presence.HERE:
            return frame
        self.latest.want_frames(FRAMES_LEASE)
        return frame or self.latest.wait_for_frame(view.number, frame.number, FIRST_FRAME)[1]

    def all_rules(self) -> Response:
        """The list of all games whose rules can be read."""
        return self._rules_page("")

    def rules(self, mode: str) -> Response:
        """The rules of a mode for players, half a page."""
        if mode not in MODES:
            raise RefusedError(404, "page.not_found")
        return self._rules_page(mode)

    def _rules_page(self, mode: str) -> Response:
        book = self.rulebooks.get(self.words_for_request().language) or self.rulebooks[DEFAULT]
        return self.static_page("rules.html", book=book, mode=mode, variant=mode in VARIANTS)

    def static_page(self, template: str, **given: object) -> Response:
        """A page that stays as it is while somebody looks on, in the reader's language."""
        words = self.words_for_request()
        html = self.renderer.page(template, text=words.text, language=words.language, **given)
        return _conditional(Response(html, content_type="text/html; charset=utf-8"), _hash(html.encode()))

    def events(self) -> Response:
        """A stream of what changes; 503 when there are too many."""
        gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
        give_back = self.slots.take(gone)
        if give_back is None:
            raise RefusedError(503, "press.too_many_streams")
        since = self.since(request.headers.get("Last-Event-ID") or request.args.get("have", ""))
        events = self.streams.events(Subscription(_asking(), self.words_for_request(), since, gone))
        response = Response(events, content_type="text/event-stream; charset=utf-8")
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(give_back)
        return response

    def regions(self) -> Response:
        """Everything that a page shows, as JSON with an ETag, for viewers without a stream."""
        viewer, words, view, frame = _asking(), self.words_for_request(), self.latest.view, Frame()
        rendering = self.renderer.rendering(viewer, words, view)
        if viewer.page == TABLE:
            self.latest.want_frames(FRAMES_LEASE)
            frame = self.latest.frame
        stamp = f"{self.epoch}.{rendering.number}"
        body = b'{"hello":%b,"stamp":"%b","lights":%b,"news":%b}' % (
            msgspec.json.encode(self.greeting(view, viewer)),
            stamp.encode(),
            msgspec.json.encode({"all": frame.colours} if frame else None),
            rendering.news(-1),
        )
        response = Response(body, content_type="application/json")
        made_of = f"{stamp}-{view.number}-{frame.number}"
        return _conditional(response, f"{made_of}-{_etag_of(viewer)}-{words.language}")

    def state(self) -> Response:
        """The snapshot as the table sent it."""
        view = self.latest.view
        if view.presence is not Presence.HERE:
            raise RefusedError(503, f"presence.{view.presence}")
        return _conditional(
            Response(view.raw, content_type="application/json"), f"{self.epoch}.{view.number}"
        )

    def static_file(self, name: str) -> Response:
        """A file that is served as it is."""
        file = self.files.get(name)
        if file is None:
            raise RefusedError(404, "page.not_found")
        return _conditional(Response(file.content, content_type=file.type), file.etag)


def _asking() -> Viewer:
    """Who asks for what is new on their page."""
    page = request.args.get("page")
    return identify_viewer(request, page if page in PAGES else PHONE)


def _etag_of(viewer: Viewer) -> str:
    return f"{viewer.page}-{viewer.at_table:d}-{viewer.seat}"


def _colours(frame: Frame) -> dict[str, str]:
    return {name: frame.colours[6 * place : 6 * place + 6] for place, name in enumerate(frame.names)}


def _conditional(response: Response, etag: str) -> Response:
    response.set_etag(etag)
    return response.make_conditional(request.environ)  # type: ignore[return-value]


def _static_file(path: Path) -> StaticFile:
    content = path.read_bytes()
    kind = _TYPES.get(path.suffix, "application/octet-stream")
    return StaticFile(
        content, kind if kind.startswith("image/") else f"{kind}; charset=utf-8", _hash(content)
    )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# --- The pages of past games: the list, a page for each, and its record to keep --------------------------

_Told = TypeVar("_Told")

log = logging.getLogger(__name__)

A_PAGE = 20
"""How many games a page of the list holds."""

QUERIES_PER_SECOND = 1
QUERY_BURST = 10
"""Questions of a phone that may come all at once: for each the table goes through a whole game."""

_REFUSALS = {"no_such_game": 404, "not_finished": 404, "too_long": 404, "too_many_questions": 503}


@dataclass(frozen=True, slots=True)
class HistoryPages:
    """Asks the table and shows what it tells."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter = field(
        default_factory=lambda: RateLimiter(per_second=QUERIES_PER_SECOND, burst=QUERY_BURST)
    )

    def games(self) -> Response:
        """The games of this table, the newest first; `?before=N` those before game N."""
        asked: dict[str, int] = {"count": A_PAGE}
        before = request.args.get("before", "")
        if before.isascii() and before.isdecimal() and 0 < int(before[:17]) <= 1 << 53:
            asked["before"] = int(before[:17])
        found = self._told({"games": asked}, read_games)
        view = history.games(self.pages.words_for_request(), found)
        return self.pages.static_page("history.html", view=view, newer="before" in asked)

    def game(self, number: int) -> Response:
        """A game with its rounds, its review and its last position."""
        told = self._told({"game": _possible(number)}, read_game)
        return self.pages.static_page(
            "past_game.html", view=history.past_game(self.pages.words_for_request(), told)
        )

    def record(self, number: int) -> Response:
        """A game's record, which `azul-table replay` verifies."""
        record = self._told({"record": _possible(number)}, read_record)
        response = Response(record, content_type="application/jsonl; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="azul-game-{number}.jsonl"'
        return response

    def _told(self, question: dict[str, object], read: Callable[[msgspec.Raw], _Told]) -> _Told:
        """What the table answers, read; raises RefusedError."""
        if access_level(request) is not Access.TABLE and not self.rate_limiter.allows(
            request.remote_addr or ""
        ):
            raise RefusedError(429, "press.too_fast")
        try:
            answer = self.link.past(question)
        except TableAwayError as fault:
            log.warning("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if not answer.taken:
            raise RefusedError(_REFUSALS.get(answer.why, 503), f"history.why_{answer.why or 'unreadable'}")
        try:
            return read(answer.told)
        except MessageError as fault:
            log.warning("the table's answer: %s", fault)
            raise RefusedError(503, "presence.unreadable") from fault


def _possible(number: int) -> int:
    """A number that a game may have; raises RefusedError."""
    if not 0 < number <= 1 << 53:
        raise RefusedError(404, "history.why_no_such_game")
    return number
