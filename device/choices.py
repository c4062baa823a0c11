"""Choices other than drafts, and the buttons that make them: columns on gray walls, and solo's choices.

a tile's column            the line buttons 1..5 of its board
the scoring tile's square  the action board's line button of the square's row
a swap                     k-th and next penalty tile: the action board's k-th button, its floor's for the 6th
a removal                  the k-th penalty tile likewise, the 7th by the player board's floor; `ok` leaves it
"""

from device.buttons import OK, seat_button
from device.play import Play
from device.rules import game as rules
from device.rules.board import FLOOR, LINES
from device.rules.events import Event, Remove, Scoring, Swap, Tile
from device.rules.penalty_row import ACTION, PLAYER


def choices(play: Play) -> dict[str, Event]:
    """Every choice that is due now, by the button that makes it; empty during the offer."""
    if not play.asks_choice:
        return {}
    return {button_of(play, event): event for event in rules.legal(play.state)}


def button_of(play: Play, event: Event) -> str:
    """The button that makes a choice."""
    match event:
        case Tile(seat, _row, column):
            return seat_button(play.places[seat], column)
        case Scoring(row, _column):
            return seat_button(play.places[ACTION], row)
        case Swap(position):
            return _penalty_button(play, position)
        case Remove(position):
            return OK if position is None else _penalty_button(play, position)
        case _:
            raise ValueError(f"{event} is not made by one button")


def _penalty_button(play: Play, position: int) -> str:
    if position in LINES:
        return seat_button(play.places[ACTION], position)
    return seat_button(play.places[ACTION if position == len(LINES) + 1 else PLAYER], FLOOR)


def forced_choice(play: Play) -> Event | None:
    """A column that is its seat's only legal one, if there is one (G1)."""
    columns = [event for event in choices(play).values() if isinstance(event, Tile)]
    for event in columns:
        if sum(other.seat == event.seat for other in columns) == 1:
            return event
    return None
