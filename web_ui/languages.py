"""The language of a viewer: chosen by hand (a cookie), else as the browser prefers (Accept-Language)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from flask import Response
from werkzeug.wrappers import Request

from web_ui.security import RefusedError
from web_ui.text.words import DEFAULT, Words

LANGUAGE_COOKIE = "language"
"""Names the language chosen by hand; no secret, and ignored unless it is one of the pages' languages."""

KEPT = 400 * 24 * 3600
"""Seconds that the choice is kept: as long as browsers keep any cookie."""

LONGEST_PATH = 200
"""Characters of the path that a choice of language may lead back to."""


def language_by_hand(request: Request, languages: Collection[str]) -> str:
    """Return the language chosen by hand; empty for none."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    return chosen if chosen in languages else ""


def preferred_language(request: Request, languages: Collection[str], of_table: str | None = None) -> str:
    """Return the language chosen by hand, else that of the table's settings, else the browser's first.

    A regional variant that the pages lack ("de-AT") is served by its language ("de"), and so is the language
    ("pt") by the only variant that the pages have ("pt-PT").
    """
    if chosen := language_by_hand(request, languages):
        return chosen
    if of_table is not None and of_table in languages:
        return of_table
    for accepted, quality in request.accept_languages:
        if quality <= 0:
            continue
        exact = [language for language in languages if language.lower() == accepted.replace("_", "-").lower()]
        alike = [language for language in languages if _primary(language) == _primary(accepted)]
        if found := exact or alike:
            return found[0]
    return DEFAULT


def _primary(tag: str) -> str:
    return tag.replace("_", "-").partition("-")[0].lower()


def choose_language(request: Request, words: Mapping[str, Words]) -> Response:
    """Keep the form's `language` in a cookie, or forget it if empty, and lead back to the path `back`.

    Raises RefusedError: 403 for a form of another web site, 404 for a language that the pages lack.
    """
    origin = request.headers.get("Origin", "null")  # browsers send "null" because pages ask for no referrer
    if origin not in ("null", f"http://{request.host}"):
        raise RefusedError(403, "press.foreign")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "press.foreign")
    language = request.form.get("language", "")
    if language and language not in words:
        raise RefusedError(404, "page.not_found")
    response = Response(status=303, headers={"Location": _path_here(request.form.get("back", ""))})
    if language:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=KEPT, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(LANGUAGE_COOKIE, httponly=True, samesite="Lax")
    return response


def _path_here(path: str) -> str:
    """Return a path of these pages; "/" for anything that could lead elsewhere."""
    plain = path.isascii() and path.isprintable() and "\\" not in path and len(path) <= LONGEST_PATH
    if not plain or not path.startswith("/") or path.startswith("//"):
        return "/"
    return path if not urlsplit(path).netloc else "/"
