"""Players' cards and action cards at the table: what a card that is laid on a reader does."""

import re
from dataclasses import replace
from typing import Final

from device import seating
from device.appliance import CardShown, Question, RefusedError, Stage, Table, Why

CARD_WAITS: Final = 30.0
"""Seconds for which a player's card waits for a seat's button."""

_SEAT: Final = re.compile(r"seat\.([1-9])")


def show_player(table: Table, name: str, reader: str, at: float) -> Table:
    """Seat a player: at a seat's own reader there, else at the seat whose button is pressed next."""
    if table.stage is not Stage.SEATING:
        raise RefusedError(Why.CARD_NOT_NOW)
    found = _SEAT.fullmatch(reader)
    if found is not None and int(found[1]) <= table.places:
        return seat_player(table, int(found[1]), name)
    if _sits(table, name):
        raise RefusedError(Why.PLAYER_SITS)
    return replace(table, card=CardShown(name, at))


def seat_player(table: Table, place: int, name: str) -> Table:
    """Seat a player by name at a free place, or at their own where they sit without a name."""
    if _sits(table, name):
        raise RefusedError(Why.PLAYER_SITS)
    if place not in seats_for_a_card(table):
        raise RefusedError(Why.SEAT_TAKEN)
    names = ["" if each == name else each for each in table.names]
    names[place - 1] = name
    taken = table.taken if place in table.taken else (*table.taken, place)
    return replace(seating.with_bot(table, place, ""), names=tuple(names), taken=taken, card=None)


def seats_for_a_card(table: Table) -> tuple[int, ...]:
    """The places where a card can seat its player."""
    return tuple(place for place in range(1, table.places + 1) if not _named_person(table, place))


def _sits(table: Table, name: str) -> bool:
    return any(_named_person(table, place) and table.names[place - 1] == name for place in table.taken)


def _named_person(table: Table, place: int) -> bool:
    return place in table.taken and not table.bot_at(place) and table.names[place - 1] != ""


def new_game(table: Table) -> Table:
    """Go to the choosing of a game; one that is on asks first whether to stop it."""
    match table.stage:
        case Stage.SEATING:
            return seating.go_choosing(replace(table, card=None))
        case Stage.OVER:
            return seating.choose_again(table)
        case Stage.UNUSABLE | Stage.CHOOSING | Stage.LEARNING:
            raise RefusedError(Why.NOT_NOW)
        case _:
            return replace(table, question=Question.STOP_GAME)


def pass_time(table: Table, now: float) -> Table:
    """A card that has waited long enough waits no more."""
    if table.card is None or now - table.card.at < CARD_WAITS:
        return table
    return replace(table, card=None)
