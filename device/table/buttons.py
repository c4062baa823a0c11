"""Names of buttons: the source, or the place and line, that each belongs to."""

import re
from typing import Final

from device.rules.board import FLOOR, LINES
from device.rules.events import CENTRE
from hardware import api

OK: Final = api.OK
UNDO: Final = api.UNDO

_DISPLAY: Final = re.compile(r"display\.([1-9])")
_SEAT: Final = re.compile(r"seat\.([1-9])\.(?:line\.([1-5])|floor)")


def source_of(button: str) -> int | None:
    """Return the source of a button, 0 for the centre; None if it has none."""
    if button == api.CENTRE:
        return CENTRE
    found = _DISPLAY.fullmatch(button)
    return int(found[1]) if found else None


def place_and_line_of(button: str) -> tuple[int, int] | None:
    """Return the place and the line (0 for the floor) of a seat's button; None for any other."""
    found = _SEAT.fullmatch(button)
    return (int(found[1]), int(found[2] or FLOOR)) if found else None


def source_button(source: int) -> str:
    """Return the button of a source."""
    return api.display_button(source) if source != CENTRE else api.CENTRE


def seat_button(place: int, line: int) -> str:
    """Return the button of a place's line, or of its floor (line 0)."""
    return api.line_button(place, line) if line != FLOOR else api.floor_button(place)


def seat_buttons(place: int) -> list[str]:
    """Return the six buttons of a place."""
    return [seat_button(place, line) for line in (*LINES, FLOOR)]


def all_buttons(places: int, displays: int) -> tuple[str, ...]:
    """Return every button of a table of this size, with or without a switch."""
    sources = [source_button(display) for display in range(1, displays + 1)]
    seats = [button for place in range(1, places + 1) for button in seat_buttons(place)]
    return (*sources, api.CENTRE, *seats, OK, UNDO)
