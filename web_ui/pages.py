"""The pages: live pages with their event stream and polling, static pages, and past games.

A live page is complete HTML without scripts. With scripts it follows the table by server-sent events
(`/events`), or by polling with an ETag (`/regions`) while no stream is free.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from flask import Response, redirect, request
from msgspec import Struct

from web_ui.compression import WORTH_COMPRESSING, Kept, accepts_gzip, compress_response
from web_ui.delivery import ServerClock
from web_ui.languages import language_by_hand, preferred_language
from web_ui.latest import Frame, Latest, Presence, View
from web_ui.messages import (
    HouseStatistics,
    Layout,
    ListGames,
    MessageError,
    PastGames,
    PlayerStatistics,
    Question,
    ReadGame,
    ReadPositions,
    ReadRecord,
    ReadStatistics,
    ReplayPosition,
    ReplayPositions,
    ReviewedGame,
    Snapshot,
    public_snapshot,
    read_result,
)
from web_ui.render import STATE, Renderer
from web_ui.security import Access, RateLimiter, RefusedError, access_level, claim_in
from web_ui.streams import FRAMES_LEASE, Slots, Streams, Subscription
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.rulebook import MODES, VARIANTS, read_all_rules
from web_ui.text.words import DEFAULT, Words, read_all_words
from web_ui.views import history, replay, rule_pictures, statistics
from web_ui.views.drawing import drawing
from web_ui.views.phone import (
    PAGES,
    PHONE,
    PLAY,
    TABLE,
    Viewer,
    came_from,
    identify_viewer,
    tiles_of_palette,
)

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"

STREAMS = 64
"""Concurrent event streams, by default."""

KEPT_BODIES = 24
"""Bodies of pages and polls that are kept compressed, for viewers that want the same."""

TIME_HEADER = "Azul-Time"
"""The server's clock in the response to a poll, as in a heartbeat."""

FOREVER = "public, max-age=31536000, immutable"
"""The caching of files whose address has the hash of all files: they never change."""

GZIP = b"\x1f\x8b"
"""The first bytes of a compressed body; no page and no JSON begins with them."""

FIRST_FRAME = 0.3
"""Seconds that the twin's page waits for the first light frame."""

THEME_COOKIE = "theme"
"""Names the theme that was chosen by hand; set by the pages' scripts, and no secret."""

THEMES = ("light", "dark")

FACE_COOKIE = "face"
"""Names the face of the twin that was looked at last; no secret."""

FACES = {"play": PLAY, "hardware": TABLE}
"""The page of each face of the twin."""

YEAR = 365 * 24 * 60 * 60
"""Seconds for which a browser remembers a face."""

_SCRIPT = re.compile(r'<script type="module" src="/static/(?:[0-9a-f]+/)?([a-z_]+\.js)">')
"""A script in a template."""

_IMPORT = re.compile(r'^import [^"]*"\./([a-z_]+\.js)"', re.MULTILINE)
"""An import of a module of ours in a script."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json; charset=utf-8",
}


# --- Live and static pages -------------------------------------------------------------------------------


class StaticFile(Struct, frozen=True):
    """A file from `static/`, and the same compressed."""

    content: bytes
    compressed: bytes
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
        contents = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file()}
        self.version = _hash(b"\0".join(contents.values()))
        self.renderer = Renderer(self.version)
        self.epoch = secrets.token_hex(4)
        self.files = {name: _static_file(name, contents[name], self.version) for name in contents}
        self.modules = {page: _modules(self.renderer.sources[f"{page}.html"], contents) for page in PAGES}
        self._bodies = Kept(KEPT_BODIES)
        sources = [*self.renderer.sources.values(), *(file.etag for file in self.files.values())]
        sentences = [self.words[language].checksum for language in sorted(self.words)]
        self.build = _hash("\0".join(sources + sentences).encode())
        self.slots = Slots(streams_at_once, latest.wake)
        self.clock = ServerClock(self.epoch)
        self.streams = Streams(latest, self.renderer, self.greeting, self.clock)
        self._layout_hash: tuple[Layout | None, str] = (None, "")

    def greeting(self, view: View, viewer: Viewer, by_hand: str = "") -> dict[str, str]:
        """Return what an open page compares with its own attributes; it reloads itself if they differ.

        `by_hand` is the language that was chosen by hand for its browser.
        """
        return {
            "build": self.build,
            "layout": self._hash_of(view.layout),
            "seat": str(viewer.seat),
            "language": _chosen_language(view, by_hand),
        }

    def _hash_of(self, layout: Layout | None) -> str:
        known, digest = self._layout_hash
        if layout is not known:
            digest = _hash(msgspec.json.encode(layout)) if layout is not None else ""
            self._layout_hash = layout, digest
        return digest

    def words_for_request(self) -> Words:
        """Return the texts in the language of the viewer who sends the request."""
        return self.words[preferred_language(request, self.words, _language_of_table(self.latest.view))]

    def _words_of_page(self) -> Words:
        """Return the texts in the language of an open page, which its requests name."""
        return self.words.get(request.args.get("lang", "")) or self.words_for_request()

    def _by_hand(self) -> str:
        return language_by_hand(request, self.words)

    def _parse_stamp(self, stamp: str) -> int:
        """Return the view number of a stamp, EPOCH.NUMBER; -1 for a stamp of another process."""
        epoch, _, number = stamp.rpartition(".")
        newest = self.latest.view.number
        known = epoch == self.epoch and number.isdecimal() and len(number) < 16
        return int(number) if known and int(number) <= newest else -1

    def page(self, page: str, sentence: str = "") -> Response:
        """Respond with a live page (see `phone.PAGES`); that of `join` may show a sentence."""
        words, view, access = self.words_for_request(), self.latest.view, access_level(request)
        viewer = identify_viewer(request, page, view.snapshot)
        frame = self._first_frame(view) if page == TABLE else Frame()
        rendering = self.renderer.rendering(viewer, words, view)
        by_hand = self._by_hand()

        def html() -> bytes:
            return self.renderer.page(
                f"{page}.html",
                text=words.text,
                language=words.language,
                here=request.path,
                theme=_theme(),
                regions=rendering.html,
                stamp=f"{self.epoch}.{rendering.number}",
                greeting=self.greeting(view, viewer, by_hand),
                modules=self.modules[page],
                asked=rendering.asked,
                notice=rendering.notice,
                connection="live" if rendering.presence is Presence.HERE else "hung",
                pressing=_may_press(page, access) and not viewer.locked,
                at_table=access is Access.TABLE,
                teaching=access is Access.TABLE or (view.snapshot is not None and view.snapshot.phones.learn),
                seat=viewer.seat,
                locked=viewer.locked,
                sentence=sentence,
                drawing=drawing(view.layout) if page == TABLE and view.layout is not None else None,
                colours=_colours(frame),
                labels=json.loads(rendering.html[STATE])["labels"] if page == TABLE else {},
            ).encode()

        made_of = view.number, rendering.number, frame.number  # the rendering may be of a newer view
        chosen = _chosen_language(view, by_hand)
        seen_by = access, viewer.seat, viewer.locked, _theme(), chosen, _hash(sentence.encode())
        parts = self.epoch, page, words.language, *made_of, *seen_by
        return self._respond("-".join(map(str, parts)), "text/html; charset=utf-8", html)

    def twin(self) -> Response:
        """Respond with a face of the twin: the one that `?face=` names, else the one looked at last."""
        asked = request.args.get("face", "")
        face = asked if asked in FACES else request.cookies.get(FACE_COOKIE, "")
        response = self.page(FACES.get(face, PLAY))
        if asked in FACES:
            response.set_cookie(FACE_COOKIE, asked, max_age=YEAR, samesite="Strict", httponly=True)
        return response

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
        gzipped = accepts_gzip(request)
        subscription = Subscription(
            _viewer_of_page(self.latest.view.snapshot),
            self._words_of_page(),
            since,
            disconnected,
            gzip=gzipped,
            claim=claim_in(request),
            by_hand=self._by_hand(),
        )
        response = Response(
            self.streams.events(subscription), content_type="text/event-stream; charset=utf-8"
        )
        response.headers["Cache-Control"] = "no-store"
        if gzipped:
            response.headers["Content-Encoding"] = "gzip"
        response.call_on_close(release)
        return response

    def regions(self) -> Response:
        """Respond with all regions of a page as JSON, for polling; the ETag saves unchanged responses."""
        words, view, frame = self._words_of_page(), self.latest.view, Frame()
        viewer = _viewer_of_page(view.snapshot)
        rendering = self.renderer.rendering(viewer, words, view)
        if viewer.page == TABLE:
            self.latest.want_frames(FRAMES_LEASE)
            frame = self.latest.frame
        stamp = f"{self.epoch}.{rendering.number}"
        by_hand = self._by_hand()

        def body() -> bytes:
            return b'{"hello":%b,"stamp":"%b","lights":%b,"news":%b}' % (
                msgspec.json.encode(self.greeting(view, viewer, by_hand)),
                stamp.encode(),
                msgspec.json.encode({"all": frame.colours} if frame else None),
                rendering.news(-1),
            )

        made_of = f"{stamp}-{view.number}-{frame.number}"
        rights = f"{viewer.at_table:d}{viewer.locked:d}{viewer.host:d}"
        seen_by = f"{viewer.page}-{rights}-{viewer.seat}-{words.language}-{_chosen_language(view, by_hand)}"
        response = self._respond(f"{made_of}-{seen_by}", "application/json", body)
        response.headers[TIME_HEADER] = self.clock.stamp()
        return response

    def beat(self) -> Response:
        """Respond with the server's clock: a page whose stream is silent asks whether the server is there."""
        response = Response(self.clock.stamp(), content_type="text/plain; charset=utf-8")
        response.headers["Cache-Control"] = "no-store"
        return response

    def state(self) -> Response:
        """Respond with the snapshot without its secrets; raises RefusedError (503) without a table."""
        view = self.latest.view
        if view.presence is not Presence.HERE:
            raise RefusedError(503, f"presence.{view.presence}")
        return self._respond(
            f"{self.epoch}.{view.number}", "application/json", lambda: public_snapshot(view.raw)
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
        page = TABLE if request.args.get("from") == TABLE else PHONE
        came = {"back": "/table" if page == TABLE else "/", "came_from": came_from(page)}
        variables = {"text": words.text, "language": words.language, "theme": _theme(), "here": here}
        html = self.renderer.page(template, **variables, **came, **given).encode()
        return self._respond(_hash(html), "text/html; charset=utf-8", lambda: html)

    def static_file(self, name: str, version: str = "") -> Response:
        """Respond with a file from `static/`; raises RefusedError (404) for an unknown one.

        Under the address with the hash of all files it may be kept for ever.
        """
        file = self.files.get(name)
        if file is None:
            raise RefusedError(404, "page.not_found")
        smaller = accepts_gzip(request) and len(file.compressed) < len(file.content)
        response = Response(file.compressed if smaller else file.content, content_type=file.type)
        if smaller:
            response.headers["Content-Encoding"] = "gzip"
        if version == self.version:
            response.headers["Cache-Control"] = FOREVER
        return _conditional(response, file.etag)

    def _respond(self, made_of: str, content_type: str, make: Callable[[], bytes]) -> Response:
        """Respond with what `make` returns; `made_of` names everything that it depends on.

        It is made and compressed once for all viewers, and not at all for one that has it.
        """
        response = Response(content_type=content_type)
        tag = _tag(made_of)
        response.set_etag(tag)
        if not request.if_none_match.contains(tag):
            gzipped = accepts_gzip(request)
            body = self._bodies.get((request.path, tag), lambda: _packed(make()) if gzipped else make())
            response.set_data(body)
            if body.startswith(GZIP):
                response.headers["Content-Encoding"] = "gzip"
        return response.make_conditional(request.environ)  # type: ignore[return-value]


def _language_of_table(view: View) -> str | None:
    settings = view.snapshot.settings if view.snapshot is not None else None
    return settings.language if settings is not None else None


def _chosen_language(view: View, by_hand: str) -> str:
    """Return the language chosen by hand, else in the table's settings; empty where the browser decides.

    A page does not load itself again for other preferences of its browser: a worker may send others.
    """
    return by_hand or _language_of_table(view) or ""


def _may_press(page: str, access: Access) -> bool:
    return access is Access.TABLE if page == TABLE else access is not Access.NONE


def _viewer_of_page(snapshot: Snapshot | None) -> Viewer:
    """Return the viewer of the page that the query parameter `page` names."""
    page = request.args.get("page")
    return identify_viewer(request, page if page in PAGES else PHONE, snapshot)


def _theme() -> str:
    """Return the theme that the browser chose by hand: `light` or `dark`; empty where the system decides."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def _colours(frame: Frame) -> dict[str, str]:
    """Return the colour of each light, by its name."""
    return {name: frame.colours[6 * index : 6 * index + 6] for index, name in enumerate(frame.names)}


def _conditional(response: Response, made_of: str) -> Response:
    response.set_etag(_tag(made_of))
    return response.make_conditional(request.environ)  # type: ignore[return-value]


def _tag(made_of: str) -> str:
    """Return the ETag of what the client accepts: compressed bytes differ from plain ones."""
    return f"{made_of}-gz" if accepts_gzip(request) else made_of


def _packed(body: bytes) -> bytes:
    return compress_response(body) if len(body) >= WORTH_COMPRESSING else body


def _modules(template: str, contents: dict[str, bytes]) -> list[str]:
    """Return the modules that the scripts of a page import, so that it can load all of them at once."""
    found: list[str] = []
    left = _SCRIPT.findall(template)
    while left:
        for each in _IMPORT.findall(contents[left.pop()].decode()):
            if each not in found:
                found.append(each)
                left.append(each)
    return found


def _static_file(name: str, content: bytes, version: str) -> StaticFile:
    """Return a file; addresses of other files in it get the hash of all files."""
    suffix = Path(name).suffix
    if suffix in (".css", ".js"):
        content = content.replace(b"/static/", b"/static/%b/" % version.encode())
    packed = _packed(content) if suffix in _TYPES else content
    return StaticFile(content, packed, _TYPES.get(suffix, "application/octet-stream"), _hash(content))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# --- Past games ------------------------------------------------------------------------------------------

_Answer = TypeVar("_Answer")

PAGE_LENGTH = 20
"""Games on one page of the list."""

QUERIES_PER_SECOND = 1
QUERY_BURST = 10
"""Queries that a phone may send at once: for each the table replays a whole game."""

POSITIONS_AT_ONCE = 100
"""Positions of a game that the table is asked for at once."""

_STATUS = {
    **dict.fromkeys(("no_such_game", "no_such_step", "no_such_player", "not_finished", "too_long"), 404),
    "too_many_questions": 503,
}
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
        self._admit()
        question = ListGames(PAGE_LENGTH, before if 0 < before <= 1 << 53 else None)
        found = self._query(question, PastGames)
        view = history.games(self.pages.words_for_request(), found)
        return self.pages.static_page("history.html", view=view, newer=question.before is not None)

    def game(self, number: int) -> Response:
        """Respond with a game's replay, review and rounds; `?step=K` shows the position after K events."""
        self._admit()
        game = self._query(ReadGame(_game_number(number)), ReviewedGame)
        view = history.past_game(self.pages.words_for_request(), game)
        return self.pages.static_page("past_game.html", view=view, replay=self._replay(game))

    def _replay(self, game: ReviewedGame) -> dict[str, object] | None:
        """Return the variables of a replay at the step of the request, else at the last; None if too long."""
        if game.position is None:
            return None
        given = request.args.get("step", "")
        steps = game.events
        step = min(int(given[:9]), steps) if given.isascii() and given.isdecimal() else steps
        found = self._query(ReadPositions(game.number, step), ReplayPositions)
        words = self.pages.words_for_request()
        shown = replay.position(words, game, found.positions[0])
        return {
            "step": step,
            "steps": steps,
            "text": shown.text,
            "round": shown.round,
            "parts": {name: self._part(words, name, part) for name, part in replay.parts(shown)},
            "boards": [(board.seat, board.role) for board in shown.boards],
            "curve": replay.curve(words, game),
            **self._at_table(words, game, shown),
            "first": 0 if step else None,
            "back": step - 1 if step else None,
            "forward": step + 1 if step < steps else None,
            "last": steps if step < steps else None,
        }

    def _at_table(self, words: Words, game: ReviewedGame, shown: replay.PositionView) -> dict[str, object]:
        """Return the variables of what a replay can do at the table, for those who may press there."""
        here, snapshot = access_level(request) is Access.TABLE, self.pages.latest.view.snapshot
        acting = {board.seat for board in shown.boards if board.acting}
        return {
            "at_table": here or (snapshot is not None and snapshot.phones.learn),
            "table_page": "/table" if here else "/",
            "seats": [
                (player.seat, history.player_name(words, player), player.seat in acting)
                for player in game.players
            ],
            "levels": replay.levels(words),
        }

    def _part(self, words: Words, name: str, view: object) -> str:
        """Return the HTML of a part of a position."""
        kind = name.partition(".")[0]
        return self.pages.renderer.fragment("replay_part.html", kind=kind, view=view, text=words.text)

    def steps(self, number: int) -> Response:
        """Respond with all positions of a game as JSON, for the replay's script: parts that steps share."""
        self._admit()
        words = self.pages.words_for_request()
        game = self._query(ReadGame(_game_number(number)), ReviewedGame)
        known: dict[str, int] = {}  # the HTML of all parts, with its place in the answer
        html_of: dict[tuple[str, object], str] = {}
        names: list[str] = []
        steps = []
        for found in self._positions(game):
            shown = replay.position(words, game, found)
            parts = replay.parts(shown)
            for part in parts:
                if part not in html_of:
                    html_of[part] = self._part(words, *part)
            names = [name for name, _ in parts]
            numbers = [known.setdefault(html_of[part], len(known)) for part in parts]
            steps.append({"text": shown.text, "round": shown.round, "parts": numbers})
        body = msgspec.json.encode({"names": names, "parts": list(known), "steps": steps})
        return _conditional(Response(body, content_type="application/json"), _hash(body))

    def _positions(self, game: ReviewedGame) -> Iterator[ReplayPosition]:
        """Yield every position of a game; the table sends some at a time."""
        step = 0
        while game.position is not None and step <= game.events:
            question = ReadPositions(game.number, step, POSITIONS_AT_ONCE)
            found = self._query(question, ReplayPositions).positions
            yield from found
            step += max(len(found), 1)

    def last_game(self) -> Response:
        """Redirect to the newest game; to the list while there is none."""
        games = self._query(ListGames(1), PastGames).games
        return redirect(f"/history/{games[0].number}" if games else "/history")  # type: ignore[return-value]

    def record(self, number: int) -> Response:
        """Respond with a game's record (JSON Lines), which `azul-table replay` verifies."""
        self._admit()
        record = self._query(ReadRecord(_game_number(number)), str)
        response = Response(record, content_type="application/jsonl; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="azul-game-{number}.jsonl"'
        return response

    def statistics(self, name: str = "") -> Response:
        """Respond with the statistics of all games, or of a player's; the name may be a parameter, too."""
        self._admit()
        words = self.pages.words_for_request()
        if name := name or request.args.get("name", ""):
            view = statistics.player(words, self._query(ReadStatistics(name), PlayerStatistics))
        else:
            view = statistics.house(words, self._query(ReadStatistics(), HouseStatistics))
        return self.pages.static_page("statistics.html", view=view, own=bool(name))

    def _admit(self) -> None:
        """Raise RefusedError (429) for a request of a phone above the rate limit."""
        local = access_level(request) is Access.TABLE
        if not local and not self.rate_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")

    def _query(self, question: Question, kind: type[_Answer]) -> _Answer:
        """Send a question to the table and parse the answer.

        Raises RefusedError: 503 without a table, else what the table's reason says.
        """
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
