"""Access control of the pages: who may press buttons, and the security headers of every response.

- Loopback requests may do everything; phones in the network do what the table allows them.
- DNS rebinding: the `Host` header must be an address or a name that no public web site can have.
- CSRF: a POST must be JSON and come from a page of this server (`Origin`, `Sec-Fetch-Site`).
- Rate limit: a token bucket for each client address.
"""

from __future__ import annotations

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

_SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "worker-src 'self'; "
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


def add_security_headers(headers: Headers, host: str) -> None:
    """Add the security headers of every response to `headers`."""
    for name, value in _SECURITY_HEADERS.items():
        headers[name] = value
    if is_loopback_host(host):  # browsers accept it on secure origins only
        headers["Cross-Origin-Opener-Policy"] = "same-origin"


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
