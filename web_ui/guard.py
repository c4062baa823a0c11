"""Who may press: hands at this machine, in a page that came from here. And the headers of every answer."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request

LONGEST_BODY = 4096
"""Bytes of the longest body of a request."""

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class RefusedError(Exception):
    """A request is refused; says the status and the key of the sentence, with its parameters."""

    def __init__(self, status: int, key: str, **given: object) -> None:
        super().__init__(f"{status} {key}")
        self.status = status
        self.key = key
        self.given = given


def is_this_machine(address: str | None) -> bool:
    """Whether a remote address is this machine's own."""
    try:
        number = ip_address(address or "")
    except ValueError:
        return False
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        return number.ipv4_mapped.is_loopback
    return number.is_loopback


def is_own_name(host: str) -> bool:
    """Whether a Host header (name, perhaps port) is one that only this machine calls itself."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == "localhost" or is_this_machine(name)


def may_press(request: Request) -> bool:
    """Whether a page that is asked for now may show hands."""
    return is_this_machine(request.remote_addr) and is_own_name(request.host)


def check_press(request: Request) -> None:
    """Raise RefusedError unless the request comes from this machine and from a page of this server."""
    if not is_this_machine(request.remote_addr):
        raise RefusedError(403, "press.elsewhere")
    if not is_own_name(request.host):
        raise RefusedError(403, "press.wrong_host")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.host}":
        raise RefusedError(403, "press.foreign")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "press.foreign")
    if request.mimetype != "application/json":
        raise RefusedError(415, "press.not_json")


def guard_headers(headers: Headers) -> None:
    """Add the headers that every answer carries."""
    for name, value in _HEADERS.items():
        headers[name] = value
