"""Access control of the pages: who may press buttons, and the security headers of every response.

- Loopback requests may do everything; phones in the network do what the table allows them.
- DNS rebinding: the `Host` header must be an address or a name that no public web site can have.
- CSRF: a POST must be JSON and come from a page of this server (`Origin`, `Sec-Fetch-Site`).
- Rate limit: a token bucket for each client address.
- Seats of phones: a random secret in a cookie, of which the table keeps a hash.
- PIN: on a network that is not trusted, a phone enters the PIN that the table shows before it may do more
  than look; a cookie remembers it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request

MAX_BODY_BYTES = 4096
"""Bytes of the longest request body."""

LOCAL_SUFFIXES = (".local", ".lan", ".home.arpa", ".internal")
"""Suffixes of host names in a private network; no public web site can have such a name."""

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "Via")
"""Headers that a proxy or tunnel adds: the client behind it may be anywhere, so it counts as a phone."""


def _base64_hash(script: str) -> str:
    """Return the hash by which a Content Security Policy names a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


SCRIPTED = 'document.documentElement.classList.add("with-scripts")'
"""The only script inside a page: it lays the page out for scripts before its first view."""

_SECURITY_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'self' 'sha256-{_base64_hash(SCRIPTED)}'; "
        "style-src 'self'; img-src 'self'; connect-src 'self'; "
        "worker-src 'self'; manifest-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Access(StrEnum):
    """What a request may do."""

    TABLE = "table"  # from this machine: everything
    PHONE = "phone"  # from the network: what the table allows phones
    NONE = "none"  # addressed by a name that a public web site may have, too


class RefusedError(Exception):
    """A refused request: the HTTP status, and the key and parameters of the sentence that says why."""

    def __init__(self, status: int, key: str, **given: object) -> None:
        super().__init__(f"{status} {key}")
        self.status = status
        self.key = key
        self.given = given


# --- Requests: addresses, host names and origins ---------------------------------------------------------


def is_loopback(address: str | None) -> bool:
    """Return whether an IP address is a loopback address, also as an IPv4-mapped IPv6 address."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


def is_local_request(request: Request) -> bool:
    """Return whether a request comes from this machine and not through a proxy."""
    return is_loopback(request.remote_addr) and not any(name in request.headers for name in PROXY_HEADERS)


def _host_name(host: str) -> str:
    """Return the name in a Host header, without a port; empty for an invalid header."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback_host(host: str) -> bool:
    """Return whether a Host header (name, perhaps port) is localhost or a loopback address."""
    name = _host_name(host)
    return name == "localhost" or is_loopback(name)


def is_lan_host(host: str) -> bool:
    """Return whether a Host header is an IP address or a name that only a machine of this network can have.

    Against DNS rebinding: a web site may point its own name at an address of this network; its pages are
    then requested by that name.
    """
    name = _host_name(host).removesuffix(".")
    try:
        ip_address(name)
    except ValueError:
        plain = name.replace("-", "").replace(".", "").isalnum() and name.isascii()
        return plain and ("." not in name or name.endswith(LOCAL_SUFFIXES))
    return True


def access_level(request: Request) -> Access:
    """Return what a request may do, which decides on the controls that its page shows."""
    if is_local_request(request) and is_loopback_host(request.host):
        return Access.TABLE
    return Access.PHONE if is_lan_host(request.host) else Access.NONE


def check_origin(request: Request) -> None:
    """Refuse cross-site POST requests (CSRF); HTML forms can't send JSON. Raises RefusedError."""
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.host}":
        raise RefusedError(403, "press.foreign")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "press.foreign")
    if request.mimetype != "application/json":
        raise RefusedError(415, "press.not_json")


def check_form_origin(request: Request) -> None:
    """Refuse a form that was not sent by a page of this server (CSRF). Raises RefusedError.

    Browsers send `Origin` with every form that is posted, `Sec-Fetch-Site` to trustworthy addresses only.
    """
    if request.headers.get("Origin") != f"http://{request.host}":
        raise RefusedError(403, "press.foreign")
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise RefusedError(403, "press.foreign")
    if request.mimetype != "application/x-www-form-urlencoded":
        raise RefusedError(415, "press.not_json")


def add_security_headers(headers: Headers, host: str) -> None:
    """Add the security headers of every response to `headers`."""
    for name, value in _SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    if is_loopback_host(host):  # browsers accept it on secure origins only
        headers["Cross-Origin-Opener-Policy"] = "same-origin"


# --- Seats of phones, and the PIN ------------------------------------------------------------------------

SEAT_COOKIE = "azul-seat"
"""Names the cookie with the secret of the phone to which a seat belongs."""

PIN_COOKIE = "azul-pin"
"""Names the cookie of a phone that has entered the PIN."""

YEAR = 365 * 24 * 60 * 60
"""Seconds that cookies are kept."""

SECRET_BYTES = 32

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
"""A secret as `new_secret` makes it."""


def new_secret() -> str:
    """Return a random secret for a phone, of 256 bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def claim_of(secret: str) -> str:
    """Return the claim of a secret, which the table keeps: its SHA-256 in hex; empty for no such secret."""
    return hashlib.sha256(secret.encode()).hexdigest() if _SECRET.fullmatch(secret) else ""


def claim_in(request: Request) -> str:
    """Return the claim of the phone that sends a request; empty without one."""
    return claim_of(request.cookies.get(SEAT_COOKIE, ""))


def same_text(one: str, other: str) -> bool:
    """Compare two texts in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def pin_pass(pin: str, secret: str) -> str:
    """Return the cookie of a phone that knows the PIN; another PIN or another secret makes it invalid."""
    return hmac.new(secret.encode(), f"azul pin {pin}".encode(), hashlib.sha256).hexdigest()


def has_pin_pass(request: Request, pin: str, secret: str) -> bool:
    """Return whether a request comes from a phone that has entered the PIN."""
    return same_text(request.cookies.get(PIN_COOKIE, ""), pin_pass(pin, secret))


# --- Rate limit ------------------------------------------------------------------------------------------

PRESSES_PER_SECOND = 10
PRESS_BURST = 10
"""Presses that may arrive at once after a pause."""

MAX_TRACKED = 1000
"""Addresses that are tracked; beyond, full buckets are dropped first, then all."""


class RateLimiter:
    """A token bucket for each client address, of `burst` tokens, refilled at `per_second`; thread-safe."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        per_second: float = PRESSES_PER_SECOND,
        burst: float = PRESS_BURST,
    ) -> None:
        self._clock = clock
        self._interval = 1 / per_second
        self._capacity = burst / per_second
        self._lock = threading.Lock()
        self._full_at: dict[str, float] = {}  # when each address's bucket is full again

    def allows(self, address: str) -> bool:
        """Take a token from the bucket of an address; return False when it is empty."""
        now = self._clock()
        with self._lock:
            if len(self._full_at) >= MAX_TRACKED and address not in self._full_at:
                self._drop_full_buckets(now)
            full_at = max(self._full_at.get(address, now), now) + self._interval
            if full_at - now > self._capacity + 1e-9:
                return False
            self._full_at[address] = full_at
            return True

    def _drop_full_buckets(self, now: float) -> None:
        self._full_at = {address: full_at for address, full_at in self._full_at.items() if full_at > now}
        if len(self._full_at) >= MAX_TRACKED:
            self._full_at = {}
