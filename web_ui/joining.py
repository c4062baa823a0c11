"""Joining with a phone: the page `/join`, the claim of a seat, the PIN, and the QR code `/join.svg`.

A seat belongs to the phone whose cookie has its secret; the table keeps a hash of it and decides what a phone
may do. The secret is made here for every claim, never taken from a request, so that nobody can make a phone
use a secret that is known to others (session fixation).
"""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

import segno
from flask import Response, redirect, request
from msgspec import Struct, field
from msgspec.structs import replace

from web_ui.delivery import FirstAnswers, LateError, TooManyError
from web_ui.messages import Action, ClaimSeat, MessageError, Snapshot
from web_ui.pages import Pages
from web_ui.security import (
    PIN_COOKIE,
    SEAT_COOKIE,
    YEAR,
    Access,
    RateLimiter,
    RefusedError,
    access_level,
    check_form_origin,
    claim_in,
    claim_of,
    new_secret,
    pin_pass,
    same_text,
)
from web_ui.table_link import TableAwayError, TableLink
from web_ui.text.sentences import SnapshotFormatter
from web_ui.views.joining import may_claim
from web_ui.views.phone import JOIN, PHONE, Viewer, is_locked, seated

log = logging.getLogger(__name__)

PIN_TRIES = 5
"""PINs that an address may try at once, and in each minute after that."""

PIN_TRIES_OF_ALL = 60
"""PINs that all addresses together may try at once, and in each minute after that."""

CLAIMS_PER_SECOND = 1

LONGEST_FIELD = 200
"""Characters of a form field that are read."""


class PinLimiter:
    """Limits the guessing of PINs: for each address (of IPv6, each network), and for all together."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._each = RateLimiter(clock, per_second=PIN_TRIES / 60, burst=PIN_TRIES)
        self._all = RateLimiter(clock, per_second=PIN_TRIES_OF_ALL / 60, burst=PIN_TRIES_OF_ALL)

    def allows(self, address: str) -> bool:
        """Count a try; return False for one too many."""
        return self._each.allows(_network(address)) and self._all.allows("all")


def _network(address: str) -> str:
    """Return what a rate limit counts: an address, of IPv6 its /64, all of which one machine may have."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return parsed.exploded[:19]
    return address


class Joining(Struct, frozen=True):
    """The routes of joining, and who does an action."""

    link: TableLink
    pages: Pages
    rate_limiter: RateLimiter
    pin_limiter: PinLimiter
    secrets: FirstAnswers[str] = field(default_factory=FirstAnswers)

    # --- Actions ---

    def check_pin(self, snapshot: Snapshot | None) -> None:
        """Refuse a phone that has to enter the PIN first. Raises RefusedError."""
        if is_locked(request, snapshot):
            raise RefusedError(403, "join.pin_needed")

    def signed(self, action: Action, access: Access) -> tuple[Action, str]:
        """Return an action with who does it, and for a claim the new secret of the phone, else an empty text.

        At the table nobody is named, who may do everything; but a browser there has one seat only, too.
        """
        seat = self._seat()
        claims = isinstance(action, ClaimSeat)
        by = seat if access is not Access.TABLE else (seat or None) if claims else None
        if not isinstance(action, ClaimSeat):
            return replace(action, by=by), ""
        secret = new_secret()
        return replace(action, by=by, claim=claim_of(secret)), secret

    def _seat(self) -> int:
        """Return the seat that belongs to the phone of this request, 0 for none."""
        return seated(Viewer(PHONE), claim_in(request), self.link.latest.view.snapshot).seat

    # --- The page ---

    def page(self) -> Response:
        """Respond with the page where a phone picks a seat."""
        return self._page("")

    def _page(self, sentence: str, status: int = 200) -> Response:
        """Respond with the page and a sentence; forms of pages without referrer would have no origin."""
        response = self.pages.page(JOIN, sentence)
        response.headers["Referrer-Policy"] = "same-origin"
        if sentence:
            response.status_code = status
            response.headers["Cache-Control"] = "no-store"
        return response

    def post(self) -> Response:
        """Do what the form says: check the PIN, claim a seat with a name. Raises RefusedError."""
        access, snapshot = access_level(request), self.link.latest.view.snapshot
        if access is Access.NONE:
            raise RefusedError(403, "press.foreign_name")
        check_form_origin(request)
        if snapshot is None:
            raise RefusedError(503, "presence.away")
        passed = ""
        if access is Access.PHONE and is_locked(request, snapshot):
            try:
                passed = self._checked_pin(snapshot)
            except RefusedError as fault:
                return self._page(self._words(fault), fault.status)
        response = self._claimed(access, snapshot, entered=bool(passed))
        if passed:
            _remember(response, PIN_COOKIE, passed)
        return response

    def _checked_pin(self, snapshot: Snapshot) -> str:
        """Return the cookie for the PIN of the form. Raises RefusedError for a wrong one, or too many."""
        given = _field("pin").replace(" ", "")
        if not given:
            raise RefusedError(403, "join.pin_needed")
        if not self.pin_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "join.pin_too_often")
        if not same_text(given, snapshot.join.pin):
            raise RefusedError(403, "join.pin_wrong")
        return pin_pass(snapshot.join.pin, snapshot.join.secret)

    def _claimed(self, access: Access, snapshot: Snapshot, *, entered: bool) -> Response:
        """Respond to the form of somebody who may do more than look: claim the seat that it names, if any."""
        if "watch" in request.form:
            return _see("/")
        seat = _field("seat")
        if not (seat.isascii() and seat.isdecimal() and 0 < int(seat[:3]) < 100):
            return _see("/join") if entered else self._page(self._text("join.tap_seat"), 400)
        if int(seat) == self._seat():
            return _see("/")
        try:
            secret = self._claimed_once(ClaimSeat(int(seat), _field("name")), access, snapshot)
        except RefusedError as fault:
            return self._page(self._words(fault), fault.status)
        response = _see("/")
        _remember(response, SEAT_COOKIE, secret)
        return response

    def _claimed_once(self, action: ClaimSeat, access: Access, snapshot: Snapshot) -> str:
        """Claim a seat in time, and once for an id; return the secret. Raises RefusedError."""
        try:
            latest = self.pages.clock.latest_for(_field("made"))
            key = request.remote_addr, _field("id"), action
            if not key[1]:
                return self._claim(action, access, snapshot, latest)
            return self.secrets.answer(key, lambda: self._claim(action, access, snapshot, latest))
        except ValueError as fault:
            raise RefusedError(400, "press.malformed", problem=str(fault)) from fault
        except LateError as fault:
            raise RefusedError(409, "refusal.late") from fault
        except TooManyError as fault:
            raise RefusedError(429, "press.too_fast") from fault

    def _claim(self, action: ClaimSeat, access: Access, snapshot: Snapshot, latest: float) -> str:
        """Claim a seat and return the secret of the phone that has it now. Raises RefusedError."""
        if access is Access.PHONE and not may_claim(snapshot, action.seat):
            raise RefusedError(403, "press.not_by_phone")
        if access is Access.PHONE and not self.rate_limiter.allows(request.remote_addr or ""):
            raise RefusedError(429, "press.too_fast")
        if not action.name.strip().isprintable():
            raise RefusedError(400, "press.name_strange")
        signed, secret = self.signed(action, access)
        try:
            answer = self.link.ask(signed, latest)
        except (TableAwayError, MessageError) as fault:
            log.info("%s", fault)
            raise RefusedError(503, "presence.away") from fault
        if not answer.taken:
            raise RefusedError(409, f"refusal.{answer.why}")
        return secret

    def _words(self, fault: RefusedError) -> str:
        if fault.key.startswith("refusal.") and (snapshot := self.link.latest.view.snapshot) is not None:
            return SnapshotFormatter(self.pages.words_for_request(), snapshot).refusal(fault.key[8:])
        return self._text(fault.key, **fault.given)

    def _text(self, key: str, **given: object) -> str:
        return self.pages.words_for_request().text(key, **given)

    # --- The QR code ---

    def picture(self) -> Response:
        """Respond with the QR code of the page `/join`. Raises RefusedError (404) without an address."""
        snapshot = self.link.latest.view.snapshot
        if snapshot is None or not snapshot.join.addresses:
            raise RefusedError(404, "page.not_found")
        response = Response(qr_code(f"{snapshot.join.addresses[0]}join"), content_type="image/svg+xml")
        response.add_etag()
        return response.make_conditional(request.environ)  # type: ignore[return-value]


@lru_cache(8)
def qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG: dark on light in every colour scheme, as scanners want it."""
    written = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        written, kind="svg", xmldecl=False, omitsize=True, border=3, dark="#16243d", light="#fff", nl=False
    )
    return written.getvalue()


def give_secret(response: Response, secret: str) -> None:
    """Give a phone the secret of its seat."""
    _remember(response, SEAT_COOKIE, secret)


def _remember(response: Response, name: str, value: str) -> None:
    """Set a cookie that no script and no other site can use; plain HTTP can't have a `Secure` one."""
    response.set_cookie(name, value, max_age=YEAR, path="/", httponly=True, samesite="Strict")


def _see(path: str) -> Response:
    """Respond to a form with a redirect, so that loading again does not send it again."""
    return redirect(path, 303)  # type: ignore[return-value]


def _field(name: str) -> str:
    return request.form.get(name, "")[:LONGEST_FIELD]
