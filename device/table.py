"""What an event makes of the table: `update(table, event)` after a press, a tick or an outcome of chance.

Nothing here reads a clock, draws a tile or lights a lamp: time comes with the events, and chance is asked
for by `appliance.wants` and arrives as an event.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from device import ceremony, resin, seating, turns
from device.appliance import (
    ChanceDrawn,
    FirstDrawn,
    Named,
    Question,
    Refusal,
    RefusedError,
    Stage,
    Table,
    TableEvent,
    Tick,
    TileShown,
    UnknownTag,
    Want,
    Why,
    wants,
)
from device.buttons import OK, UNDO, place_and_line_of, source_of
from device.rules.tiles import Colour
from hardware.api import ButtonPressed

FLASH_APART: Final = 0.5
"""Seconds from one refusal's flash to the next at least: nothing may flash more than 3 times a second."""


def update(table: Table, event: TableEvent) -> Table:
    """The table after an event; what can't be done now changes nothing but the refusal it shows."""
    table = _pass_time(table, event.at)
    match event:
        case ButtonPressed(button, at):
            return _taken_or_refused(table, button, lambda: _press(table, button, at), at)
        case Named(place, name, at):
            button = f"seat.{place}.floor"
            return _taken_or_refused(table, button, lambda: seating.name_player(table, place, name), at)
        case UnknownTag(reader, at):
            return refuse(table, Why.UNKNOWN_TAG, reader, at)
        case TileShown(colour, reader, tag, at):
            button = reader or "centre"
            return _taken_or_refused(table, button, lambda: _show_tile(table, colour, reader, tag, at), at)
        case ChanceDrawn(drawn, at):
            return turns.happen(table, drawn, at) if wants(table) is Want.EVENT else table
        case FirstDrawn(place, at):
            return seating.begin(table, place, at) if wants(table) is Want.FIRST else table
        case Tick():
            return table


def _taken_or_refused(table: Table, button: str, doing: Callable[[], Table], at: float) -> Table:
    try:
        after = doing()
    except RefusedError as refused:
        return refuse(table, refused.why, button, at)
    if after.refusal is None or not after.refusal.said:
        return after
    return replace(after, refusal=replace(after.refusal, said=False))


def refuse(table: Table, why: str, button: str, at: float) -> Table:
    """The table with a refused press to show; in a flood of them the flash under way goes on instead."""
    last = table.refusal
    if last is None:
        return replace(table, refusal=Refusal(why, button, button, at, 1))
    number = last.number + 1
    if at - last.at < FLASH_APART:
        return replace(table, refusal=replace(last, why=why, button=button, number=number, said=True))
    return replace(table, refusal=Refusal(why, button, button, at, number))


def _show_tile(table: Table, colour: Colour, reader: str | None, tag: str | None, at: float) -> Table:
    """A tile shown tells what was drawn, or, in an offer, what is taken."""
    match table.stage:
        case Stage.TELLING:
            return resin.tell(table, colour, tag, at)
        case Stage.OFFER:
            return turns.select_colour(table, colour, source_of(reader) if reader else None)
        case _:
            raise RefusedError(Why.NOT_NOW)


def _pass_time(table: Table, now: float) -> Table:
    """Go on with a ceremony whose steps have been shown long enough; with tiles of resin `ok` does."""
    if table.ceremony is None or table.play is None or table.resin:
        return table
    going_on = ceremony.pass_time(table.ceremony, table.play.state.account, now)
    return table if going_on is table.ceremony else replace(table, ceremony=going_on)


def _press(table: Table, button: str, at: float) -> Table:
    if table.fault is not None:
        return _leave_store_alone(table, button)
    if table.question is not None:
        if button == OK:
            return _say_yes(table)
        asked, table = table.question, replace(table, question=None)
        if asked is Question.STOP_GAME and button == UNDO:
            return table
    if table.stage is Stage.CHOICE and button != UNDO:
        return turns.choose_by(table, button, at)
    if button == OK:
        return _press_ok(table, at)
    if button == UNDO:
        return _press_undo(table, at)
    if (source := source_of(button)) is not None and source <= table.displays:
        choosing = table.stage is Stage.CHOOSING
        return seating.choose(table, source) if choosing else turns.select_source(table, source)
    if (found := place_and_line_of(button)) is not None and found[0] <= table.places:
        return _press_seat(table, *found, at)
    raise RefusedError(Why.UNKNOWN_BUTTON)


def _leave_store_alone(table: Table, button: str) -> Table:
    """`ok` accepts the new file that is offered beside a store that can't be used."""
    if button != OK:
        raise RefusedError(Why.NOT_NOW)
    return replace(table, fault=None)


def _say_yes(table: Table) -> Table:
    if table.question is Question.STOP_GAME:
        return replace(table, question=None, play=None, selection=None, told=(), movement=None, choosing=True)
    return replace(table, question=None)


def _next_step(table: Table, at: float) -> Table:
    """Skip what is left of the ceremony; with tiles of resin, where people move them, go to its next step."""
    going_on = None
    if table.resin and table.play is not None and table.ceremony is not None:
        going_on = ceremony.next_step(table.ceremony, table.play.state.account, at)
    return replace(table, ceremony=going_on, movement=None)


def _press_ok(table: Table, at: float) -> Table:
    match table.stage:
        case Stage.SEATING:
            return seating.go_choosing(table)
        case Stage.SCORING:
            return _next_step(table, at)
        case Stage.OVER:
            return replace(table, play=None, choosing=True, movement=None)
        case _:
            raise RefusedError(Why.NOTHING_TO_CONFIRM)


def _press_undo(table: Table, at: float) -> Table:
    match table.stage:
        case Stage.CHOOSING:
            return replace(table, choosing=False, drawing_first=False)
        case Stage.SEATING if table.taken:
            return replace(table, taken=table.taken[:-1])
        case Stage.TELLING if table.told:
            return resin.take_back(table)
        case _:
            return turns.undo(table, at)


def _press_seat(table: Table, place: int, line: int, at: float) -> Table:
    match table.stage:
        case Stage.SEATING:
            return seating.take_seat(table, place)
        case Stage.CHOOSING:
            return seating.begin(table, place, at)
        case Stage.OFFER:
            return turns.draft_to(table, place, line, at)
        case _:
            raise RefusedError(Why.NOT_NOW)
