"""Who may press: hands at this machine, and phones in the network as far as the table lets them.

Each must press in a page that came from here. And the headers of every answer.
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
"""Bytes of the longest body of a request."""

LOCAL_ENDS = (".local", ".lan", ".home.arpa", ".internal")
"""How the names of machines in a network of one's own end; no web site can have such a name."""

FORWARDED = ("Forwarded", "X-Forwarded-For", "Via")
"""Headers of a request that another program brings for somebody else, who may be anywhere."""

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Access(StrEnum):
    """Whose hands a request may bring."""

    TABLE = "table"  # at this machine: all that hands can do
    PHONE = "phone"  # in the network: what the table lets phones do
    NONE = "none"  # came by a name that a web site may have, too


class RefusedError(Exception):
    """A request is refused; says the status and the key of the sentence, with its parameters."""

    def __init__(self, status: int, key: str, **given: object) -> None:
        super().__init__(f"{status} {key}")
        self.status = status
        self.key = key
        self.given = given


def is_loopback(address: str | None) -> bool:
    """Whether a remote address is this machine's own."""
    try:
        number = ip_address(address or "")
    except ValueError:
        return False
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        return number.ipv4_mapped.is_loopback
    return number.is_loopback


def is_local_request(request: Request) -> bool:
    """Whether a request is made by a program on this machine, for whoever sits there."""
    return is_loopback(request.remote_addr) and not any(name in request.headers for name in FORWARDED)


def is_loopback_host(host: str) -> bool:
    """Whether a Host header (name, perhaps port) is one that only this machine calls itself."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == "localhost" or is_loopback(name)


def is_lan_host(host: str) -> bool:
    """Whether a Host header names a machine of this network, by its address or a name that only it can have.

    A web site may point its own name at an address of this network; its pages come from that name then.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").removesuffix(".")
    except ValueError:
        return False
    try:
        ip_address(name)
    except ValueError:
        plain = name.replace("-", "").replace(".", "").isalnum() and name.isascii()
        return plain and ("." not in name or name.endswith(LOCAL_ENDS))
    return True


def access_level(request: Request) -> Access:
    """Whose hands a page may show that is asked for now."""
    if is_local_request(request) and is_loopback_host(request.host):
        return Access.TABLE
    return Access.PHONE if is_lan_host(request.host) else Access.NONE


def check_table_access(request: Request) -> None:
    """Raise RefusedError unless the request comes from this machine and from a page of this server."""
    if not is_local_request(request):
        raise RefusedError(403, "press.elsewhere")
    if not is_loopback_host(request.host):
        raise RefusedError(403, "press.wrong_host")
    _check_same_origin(request)


def check_phone_access(request: Request, allowed: Callable[[], bool]) -> None:
    """Raise RefusedError unless the request comes from a page of this server and is allowed to phones.

    `allowed` is asked last: until then it may be anybody's request.
    """
    if not is_lan_host(request.host):
        raise RefusedError(403, "press.foreign_name")
    _check_same_origin(request)
    if not allowed():
        raise RefusedError(403, "press.not_by_phone")


def _check_same_origin(request: Request) -> None:
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.host}":
        raise RefusedError(403, "press.foreign")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "press.foreign")
    if request.mimetype != "application/json":
        raise RefusedError(415, "press.not_json")


def add_security_headers(headers: Headers, host: str) -> None:
    """Add the headers that every answer carries; some only where browsers take them."""
    for name, value in _HEADERS.items():
        headers[name] = value
    if is_loopback_host(host):
        headers["Cross-Origin-Opener-Policy"] = "same-origin"


# --- How fast a phone may press and ask: no faster than hands do ---

PRESSES_PER_SECOND = 10
PRESS_BURST = 10
"""Presses that may come all at once, after a rest."""

MAX_TRACKED = 1000
"""Phones whose rate_limiter is remembered; beyond, those that rested are forgotten, then all."""


class RateLimiter:
    """Counts presses, or questions, by the address that they come from; any thread may ask."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        per_second: float = PRESSES_PER_SECOND,
        burst: float = PRESS_BURST,
    ) -> None:
        self._clock = clock
        self._each = 1 / per_second
        self._most = burst / per_second
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}

    @property
    def remembered(self) -> int:
        """How many phones' rate_limiter is remembered."""
        return len(self._free_at)

    def allows(self, address: str) -> bool:
        """Whether a press that comes now is not too fast; if so it is counted."""
        now = self._clock()
        with self._lock:
            if len(self._free_at) >= MAX_TRACKED and address not in self._free_at:
                self._forget(now)
            free_at = max(self._free_at.get(address, now), now) + self._each
            if free_at - now > self._most + 1e-9:
                return False
            self._free_at[address] = free_at
            return True

    def _forget(self, now: float) -> None:
        self._free_at = {address: free_at for address, free_at in self._free_at.items() if free_at > now}
        if len(self._free_at) >= MAX_TRACKED:
            self._free_at = {}
