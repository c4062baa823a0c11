"""The Flask application: its routes, and the responses to requests that are refused."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from flask import Flask, Response, request
from msgspec import Struct
from werkzeug.exceptions import HTTPException

from web_ui.actions import Actions, json_response
from web_ui.compression import compress_late
from web_ui.joining import CLAIMS_PER_SECOND, Joining, PinLimiter
from web_ui.pages import FOREVER, QUERIES_PER_SECOND, QUERY_BURST, STREAMS, HistoryPages, Pages
from web_ui.security import MAX_BODY_BYTES, RateLimiter, RefusedError, add_security_headers
from web_ui.table_link import TableLink
from web_ui.views.phone import PHONE, SETTINGS, TABLE, TAGS

log = logging.getLogger(__name__)

RETRY_AFTER = 2
"""Seconds of the Retry-After header: the request was too fast, or there is no free stream or no table."""

JSON_PATHS = ("/events", "/regions", "/state")
"""Paths whose responses to GET are JSON, those of refusals too."""

VARIES = "Accept-Encoding, Accept-Language, Cookie"
"""Headers of the request on which pages depend; files with a hash in their address only on the first."""

FORM_PATH = "/join"
"""The path to which an HTML form is posted; its responses are pages."""

_SENTENCES = {404: "page.not_found", 413: "press.too_large"}


def create_app(link: TableLink, streams: int = STREAMS, clock: Callable[[], float] = time.monotonic) -> Flask:
    """Return the WSGI application that serves the pages of a table.

    At most `streams` event streams are open at once; `clock` (seconds) is the one of the rate limits.
    """
    pages = Pages(link.latest, streams)
    claims = RateLimiter(clock, per_second=CLAIMS_PER_SECOND)
    joining = Joining(link, pages, claims, PinLimiter(clock))
    actions = Actions(link, pages, RateLimiter(clock), pages.clock, joining)
    query_limiter = RateLimiter(clock, per_second=QUERIES_PER_SECOND, burst=QUERY_BURST)
    history = HistoryPages(link, pages, query_limiter)
    refusals = Refusals(pages)
    app = Flask("web_ui", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.add_url_rule("/", "phone", lambda: pages.page(PHONE))
    app.add_url_rule("/table", "table", lambda: pages.page(TABLE))
    app.add_url_rule("/tags", "tags", lambda: pages.page(TAGS))
    app.add_url_rule("/join", "join", joining.page)
    app.add_url_rule("/join", "join_form", joining.post, methods=["POST"])
    app.add_url_rule("/join.svg", "join_picture", joining.picture)
    app.add_url_rule("/settings", "settings", lambda: pages.page(SETTINGS))
    app.add_url_rule("/events", "events", pages.events)
    app.add_url_rule("/beat", "beat", pages.beat)
    app.add_url_rule("/regions", "regions", pages.regions)
    app.add_url_rule("/state", "state", pages.state)
    app.add_url_rule("/action", "action", actions.post, methods=["POST"])
    app.add_url_rule("/rules", "all_rules", pages.rules)
    app.add_url_rule("/rules/<mode>", "rules", pages.rules)
    app.add_url_rule("/history", "history", history.games)
    app.add_url_rule("/history/last", "last_game", history.last_game)
    app.add_url_rule("/history/<int:number>", "past_game", history.game)
    app.add_url_rule("/history/<int:number>/record", "record", history.record)
    app.add_url_rule("/static/<name>", "static", pages.static_file)
    app.add_url_rule("/static/<version>/<name>", "versioned_static", pages.static_file)
    app.register_error_handler(RefusedError, refusals.refused)
    app.register_error_handler(HTTPException, refusals.not_served)
    app.register_error_handler(Exception, refusals.went_wrong)
    app.after_request(_finish)
    return app


class Refusals(Struct, frozen=True):
    """Responds to refused requests with a sentence: as JSON to scripts, else as a page."""

    pages: Pages

    def refused(self, fault: RefusedError) -> Response:
        """Return the response to a request that was refused with RefusedError."""
        words = self.pages.words_for_request()
        sentence = words.text(fault.key, **fault.given)
        if (request.method == "POST" and request.path != FORM_PATH) or request.path in JSON_PATHS:
            response = json_response({"error": sentence}, fault.status)
        else:
            given = {"text": words.text, "language": words.language, "sentence": sentence}
            html = self.pages.renderer.page("message.html", **given)
            response = Response(html, fault.status, content_type="text/html; charset=utf-8")
        if fault.status in (429, 503):
            response.headers["Retry-After"] = str(RETRY_AFTER)
        return response

    def not_served(self, fault: HTTPException) -> Response:
        """Return the response to a request that no route takes, or that is too large."""
        status = fault.code or 500
        response = self.refused(RefusedError(status, _SENTENCES.get(status, "press.wrong_method")))
        if status == 405:
            response.headers["Allow"] = dict(fault.get_headers()).get("Allow", "GET")
        return response

    def went_wrong(self, fault: Exception) -> Response:
        """Return the response to a request that raised any other exception, and log it."""
        log.error("%s %s", request.method, request.path, exc_info=fault)
        return self.refused(RefusedError(500, "page.wrong"))


def warm_up(app: Flask) -> None:
    """Serve one request of each kind, so that nothing is imported or read from the disk later."""
    pages = (
        "/",
        "/table",
        "/tags",
        "/join",
        "/join.svg",
        "/regions?page=phone",
        "/rules/standard",
        "/state",
        "/events?page=phone",
    )
    requests = [("GET", path) for path in (*pages, "/static/style.css", "/nothing")]
    requests += [("POST", "/action"), ("PUT", "/action")]
    for method, path in requests:
        with app.test_request_context(path, method=method, environ_base={"REMOTE_ADDR": "127.0.0.1"}):
            response = app.full_dispatch_request()
            next(iter(response.response), b"")
            response.close()


def _finish(response: Response) -> Response:
    add_security_headers(response.headers, request.host)
    response.headers.setdefault("Cache-Control", "no-cache")
    varies = "Accept-Encoding" if response.headers["Cache-Control"] == FOREVER else VARIES
    response.headers.add("Vary", varies)
    compress_late(request, response)
    return response
