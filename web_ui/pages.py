"""The pages: live pages with their event stream and polling, static pages, and past games.

A live page is complete HTML without scripts. With scripts it follows the table by server-sent events
(`/events`), or by polling with an ETag (`/regions`) while no stream is free.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from flask import Response, request
from msgspec import Struct

from web_ui.languages import preferred_language
from web_ui.latest import Frame, Latest, Presence, View
from web_ui.messages import (
    Layout,
    ListGames,
    MessageError,
    PastGames,
    Question,
    ReadGame,
    ReadRecord,
    ReviewedGame,
    read_result,
)
from web_ui.render import STATE, Renderer
from web_ui.security import Access, RateLimiter, RefusedError, access_level
from web_ui.streams import FRAMES_LEASE, Slots, Streams, Subscription
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.rulebook import MODES, VARIANTS, read_all_rules
from web_ui.text.words import DEFAULT, Words, read_all_words
from web_ui.views import history, rule_pictures
from web_ui.views.drawing import drawing, has_boards
from web_ui.views.phone import PAGES, PHONE, TABLE, Viewer, identify_viewer, tiles_of_palette

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"

STREAMS = 64
"""Concurrent event streams, by default."""

FIRST_FRAME = 0.3
"""Seconds that the twin's page waits for the first light frame."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


# --- Live and static pages -------------------------------------------------------------------------------


class StaticFile(Struct, frozen=True):
    """A file from `static/`, served unchanged."""

    content: bytes
    type: str
    etag: str


class Pages:
    """The routes that show the table, with templates, texts and static files read into memory once.

    `epoch` identifies this process in stamps and ETags; `build` is a hash of all templates, texts and files.
    """

    def __init__(self, latest: Latest, streams_at_once: int = STREAMS) -> None:
        self.latest = latest
        self.words = read_all_words()
        self.rulebooks = read_all_rules()
        self.renderer = Renderer()
        self.epoch = secrets.token_hex(4)
        self.files = {path.name: _static_file(path) for path in sorted(STATIC.iterdir()) if path.is_file()}
        sources = [*self.renderer.sources.values(), *(file.etag for file in self.files.values())]
        sentences = [self.words[language].checksum for language in sorted(self.words)]
        self.build = _hash("\0".join(sources + sentences).encode())
        self.slots = Slots(streams_at_once, latest.wake)
        self.streams = Streams(latest, self.renderer, self.greeting, self.epoch)
        self._layout_hash: tuple[Layout | None, str] = (None, "")

    def greeting(self, view: View, viewer: Viewer) -> dict[str, str]:
        """Return what an open page compares with its own attributes; it reloads itself if they differ."""
        return {"build": self.build, "layout": self._hash_of(view.layout), "seat": str(viewer.seat)}

    def _hash_of(self, layout: Layout | None) -> str:
        known, digest = self._layout_hash
        if layout is not known:
            digest = _hash(msgspec.json.encode(layout)) if layout is not None else ""
            self._layout_hash = layout, digest
        return digest

    def words_for_request(self) -> Words:
        """Return the texts in the language of the viewer who sends the request."""
        return self.words[preferred_language(request, self.words)]

    def _parse_stamp(self, stamp: str) -> int:
        """Return the view number of a stamp, EPOCH.NUMBER; -1 for a stamp of another process."""
        epoch, _, number = stamp.rpartition(".")
        newest = self.latest.view.number
        known = epoch == self.epoch and number.isdecimal() and len(number) < 16
        return int(number) if known and int(number) <= newest else -1

    def page(self, page: str) -> Response:
        """Respond with a live page: `phone`, `table` or `tags`."""
        words, view, access = self.words_for_request(), self.latest.view, access_level(request)
        viewer = identify_viewer(request, page)
        frame = self._first_frame(view) if page == TABLE else Frame()
        rendering = self.renderer.rendering(viewer, words, view)
        html = self.renderer.page(
            f"{page}.html",
            text=words.text,
            language=words.language,
            here=request.path,
            regions=rendering.html,
            stamp=f"{self.epoch}.{rendering.number}",
            greeting=self.greeting(view, viewer),
            pressing=access is Access.TABLE if page == TABLE else access is not Access.NONE,
            at_table=access is Access.TABLE,
            teaching=access is Access.TABLE or (view.snapshot is not None and view.snapshot.phones.learn),
            seat=viewer.seat,
            boards_on_page=page == TABLE and not has_boards(view.layout),
            drawing=drawing(view.layout) if page == TABLE and view.layout is not None else None,
            colours=_colours(frame),
            labels=json.loads(rendering.html[STATE])["labels"] if page == TABLE else {},
        )
        response = Response(html, content_type="text/html; charset=utf-8")
        made_of = view.number, rendering.number, frame.number  # the rendering may be of a newer view
        parts = self.epoch, page, words.language, *made_of, access, viewer.seat
        return _conditional(response, "-".join(map(str, parts)))

    def _first_frame(self, view: View) -> Frame:
        """Return the light frame; wait a moment for the first one if there was no subscription to frames."""
        frame = self.latest.frame
        if view.presence is not Presence.HERE:
            return frame
        self.latest.want_frames(FRAMES_LEASE)
        return frame or self.latest.wait_for_frame(view.number, frame.number, FIRST_FRAME)[1]

    def events(self) -> Response:
        """Respond with an event stream; raises RefusedError (503) when all slots are taken."""
        disconnected: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
        release = self.slots.take(disconnected)
        if release is None:
            raise RefusedError(503, "press.too_many_streams")
        since = self._parse_stamp(request.headers.get("Last-Event-ID") or request.args.get("have", ""))
        subscription = Subscription(_viewer_of_page(), self.words_for_request(), since, disconnected)
        response = Response(
            self.streams.events(subscription), content_type="text/event-stream; charset=utf-8"
        )
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(release)
        return response

    def regions(self) -> Response:
        """Respond with all regions of a page as JSON, for polling; the ETag saves unchanged responses."""
        viewer, words, view, frame = _viewer_of_page(), self.words_for_request(), self.latest.view, Frame()
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
        made_of = f"{stamp}-{view.number}-{frame.number}"
        seen_by = f"{viewer.page}-{viewer.at_table:d}-{viewer.seat}-{words.language}"
        return _conditional(Response(body, content_type="application/json"), f"{made_of}-{seen_by}")

    def state(self) -> Response:
        """Respond with the snapshot as the table sent it; raises RefusedError (503) without a table."""
        view = self.latest.view
        if view.presence is not Presence.HERE:
            raise RefusedError(503, f"presence.{view.presence}")
        return _conditional(
            Response(view.raw, content_type="application/json"), f"{self.epoch}.{view.number}"
        )

    def rules(self, mode: str = "") -> Response:
        """Respond with the rules of a mode, or with the list of all; raises RefusedError (404)."""
        if mode not in ("", *MODES):
            raise RefusedError(404, "page.not_found")
        words = self.words_for_request()
        book = self.rulebooks.get(words.language) or self.rulebooks[DEFAULT]
        palette = rule_pictures.palette(mode, self.latest.view.snapshot)
        return self.static_page(
            "rules.html",
            book=book,
            mode=mode,
            variant=mode in VARIANTS,
            pictures=rule_pictures.pictures(words, mode),
            tiles=tiles_of_palette(palette),
        )

    def static_page(self, template: str, **given: object) -> Response:
        """Respond with a page that does not follow the table; its ETag is a hash of the HTML."""
        words = self.words_for_request()
        here = request.full_path.removesuffix("?")
        html = self.renderer.page(template, text=words.text, language=words.language, here=here, **given)
        return _conditional(Response(html, content_type="text/html; charset=utf-8"), _hash(html.encode()))

    def static_file(self, name: str) -> Response:
        """Respond with a file from `static/`; raises RefusedError (404) for an unknown one."""
        file = self.files.get(name)
        if file is None:
            raise RefusedError(404, "page.not_found")
        return _conditional(Response(file.content, content_type=file.type), file.etag)


def _viewer_of_page() -> Viewer:
    """Return the viewer of the page that the query parameter `page` names."""
    page = request.args.get("page")
    return identify_viewer(request, page if page in PAGES else PHONE)


def _colours(frame: Frame) -> dict[str, str]:
    """Return the colour of each light, by its name."""
    return {name: frame.colours[6 * index : 6 * index + 6] for index, name in enumerate(frame.names)}


def _conditional(response: Response, etag: str) -> Response:
    response.set_etag(etag)
    return response.make_conditional(request.environ)  # type: ignore[return-value]


def _static_file(path: Path) -> StaticFile:
    content = path.read_bytes()
    return StaticFile(content, _TYPES.get(path.suffix, "application/octet-stream"), _hash(content))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# --- Past games ------------------------------------------------------------------------------------------

_Answer = TypeVar("_Answer")

PAGE_LENGTH = 20
"""Games on one page of the list."""

QUERIES_PER_SECOND = 1
QUERY_BURST = 10
"""Queries that a phone may send at once: for each the table replays a whole game."""

_STATUS = {"no_such_game": 404, "not_finished": 404, "too_long": 404, "too_many_questions": 503}
"""HTTP status by the table's reason for a refusal; 503 for any other."""


class HistoryPages(Struct, frozen=True):
    """The routes of past games, which query the table over its socket."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter

    def games(self) -> Response:
        """Respond with a page of the list, newest first; `?before=N` shows games before number N."""
        given = request.args.get("before", "")
        before = int(given[:17]) if given.isascii() and given.isdecimal() else 0
        question = ListGames(PAGE_LENGTH, before if 0 < before <= 1 << 53 else None)
        found = self._query(question, PastGames)
        view = history.games(self.pages.words_for_request(), found)
        return self.pages.static_page("history.html", view=view, newer=question.before is not None)

    def game(self, number: int) -> Response:
        """Respond with a game's rounds, review and last position."""
        game = self._query(ReadGame(_game_number(number)), ReviewedGame)
        view = history.past_game(self.pages.words_for_request(), game)
        return self.pages.static_page("past_game.html", view=view)

    def record(self, number: int) -> Response:
        """Respond with a game's record (JSON Lines), which `azul-table replay` verifies."""
        record = self._query(ReadRecord(_game_number(number)), str)
        response = Response(record, content_type="application/jsonl; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="azul-game-{number}.jsonl"'
        return response

    def _query(self, question: Question, kind: type[_Answer]) -> _Answer:
        """Send a question to the table and parse the answer.

        Raises RefusedError: 429 above the rate limit, 503 without a table, else what the table's reason says.
        """
        local = access_level(request) is Access.TABLE
        if not local and not self.rate_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")
        try:
            answer = self.link.ask(question)
        except (TableAwayError, MessageError) as fault:
            log.warning("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if not answer.taken:
            raise RefusedError(_STATUS.get(answer.why, 503), f"history.why_{answer.why or 'unreadable'}")
        try:
            return read_result(answer.result, kind)
        except MessageError as fault:
            log.warning("the table's answer: %s", fault)
            raise RefusedError(503, "presence.unreadable") from fault


def _game_number(number: int) -> int:
    """Return a number that a game may have; raises RefusedError (404) for any other."""
    if not 0 < number <= 1 << 53:
        raise RefusedError(404, "history.why_no_such_game")
    return number
