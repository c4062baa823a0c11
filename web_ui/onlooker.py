"""Who looks on: at which page, with whose hands, from which seat."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.wrappers import Request

from web_ui.guard import Hands, hands_of
from web_ui.views import SEATS

PHONE = "phone"
TABLE = "table"
TAGS = "tags"
PAGES = (PHONE, TABLE, TAGS)
"""The pages that show the table as it is."""

SEAT_COOKIE = "seat"
"""Says at which seat a phone plays; set by the page itself, and no secret."""


@dataclass(frozen=True, slots=True)
class Onlooker:
    """A page as somebody sees it: on the phone page, the seat they play at (0: none in particular)."""

    page: str
    at_table: bool = True
    seat: int = 0


def onlooker_of(request: Request, page: str) -> Onlooker:
    """Who asks for a page, or for what is new on it; the twin looks the same to all."""
    if page == TABLE:
        return Onlooker(TABLE)
    if page == TAGS:
        return Onlooker(TAGS, hands_of(request) is Hands.TABLE)
    return Onlooker(PHONE, hands_of(request) is Hands.TABLE, seat_of(request))


def seat_of(request: Request) -> int:
    """The seat that a phone plays at, by its cookie; 0 when it names none."""
    said = request.cookies.get(SEAT_COOKIE, "")
    return int(said) if said in map(str, range(1, SEATS + 1)) else 0
