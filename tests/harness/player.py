"""Player that chooses the next button from a snapshot alone."""

from __future__ import annotations

from tests.harness.client import Message

COLOURS = "byrkw"
"""The order in which repeated presses of a source's button select them."""

Draft = tuple[int, str, int]
"""Source, colour, line."""


def next_button(snapshot: Message, seats: tuple[int, ...] = (1, 3)) -> str | None:
    """Return the next button to press in a game at these places; None when it is over."""
    stage, asked = snapshot["stage"], snapshot["ask"]["say"]
    if asked == "your_board":
        return "ok"
    match stage:
        case "seating":
            free = [seat for seat in seats if not snapshot["seats"][seat - 1]["taken"]]
            return f"seat.{free[0]}.line.1" if free else "ok"
        case "choosing":
            return f"seat.{seats[0]}.line.1"
        case "offer":
            return _drafting(snapshot)
        case "over":
            return None
        case _:
            return "ok"


def _drafting(snapshot: Message) -> str:
    source, colour, line = best_draft(snapshot)
    chosen = snapshot["choice"]
    if chosen is None or (chosen["source"], chosen["colour"]) != (source, colour):
        return source_button(source)
    return line_button(acting_seat(snapshot), line)


def source_button(source: int) -> str:
    return f"display.{source}" if source else "centre"


def line_button(seat: int, line: int) -> str:
    return f"seat.{seat}.line.{line}" if line else f"seat.{seat}.floor"


def acting_seat(snapshot: Message) -> int:
    """Return the place whose turn it is."""
    (seat,) = [seat["seat"] for seat in snapshot["seats"] if seat["acting"]]
    assert isinstance(seat, int)
    return seat


def drafts(snapshot: Message) -> list[Draft]:
    """Return every legal draft of the place whose turn it is."""
    board = snapshot["seats"][acting_seat(snapshot) - 1]
    found = []
    for source, tiles in enumerate([snapshot["centre"], *snapshot["displays"]]):
        for colour in COLOURS:
            if colour in tiles:
                found += [(source, colour, line) for line in range(1, 6) if _takes(board, line, colour)]
                found.append((source, colour, 0))
    return found


def _takes(board: Message, line: int, colour: str) -> bool:
    held, row = board["lines"][line - 1], board["wall"][line - 1]
    return len(held) < line and held in ("", colour * len(held)) and colour not in row


def best_draft(snapshot: Message) -> Draft:
    """Return the draft that completes a row of the wall soonest, so that games are short."""
    board = snapshot["seats"][acting_seat(snapshot) - 1]

    def value(draft: Draft) -> int:
        source, colour, line = draft
        count: int = ([snapshot["centre"], *snapshot["displays"]][source]).count(colour)
        if not line:
            return -100 - count
        room = line - len(board["lines"][line - 1])
        on_wall = 5 - board["wall"][line - 1].count(".")
        completes: int = 10 + 6 * on_wall if count >= room else 0
        return completes - 3 * max(0, count - room) - line

    return max(drafts(snapshot), key=value)
