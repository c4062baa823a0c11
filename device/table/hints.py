"""Hints: the choice that `strong` would make for a person, asked for and shown until something is pressed.

At the bare table `undo` and `ok` pressed together ask for it. The first of the two is done at once, as ever,
and taken back when the second comes: so no press has to wait to see whether it stays alone.
"""

from dataclasses import replace
from typing import Final

from device.table.buttons import OK, UNDO
from device.table.opponents import ATTEMPTS, PATIENCE, choice_of, is_current, position, seats_to_act
from device.table.state import (
    BotReply,
    BotRequest,
    Hint,
    LastPress,
    MissingHint,
    Question,
    RefusalReason,
    RefusedError,
    Stage,
    Table,
)

ADVISER: Final = "strong"
TOGETHER: Final = 0.25
"""Seconds between two buttons that are pressed together, at most."""


def can_ask(table: Table) -> tuple[int, ...]:
    """The game's seats of persons who may ask for a hint now."""
    if not table.wishes.hints or table.question is not None:
        return ()
    return tuple(seat for seat in seats_to_act(table) if not table.bot_of(seat))


def ask(table: Table, place: int | None, now: float) -> Table:
    """Ask for a hint for a place; for all who have a choice where none is named. Raises RefusedError."""
    if table.play is None or not table.wishes.hints:
        raise RefusedError(RefusalReason.NO_HINTS if table.play is not None else RefusalReason.NOT_NOW)
    seats = [seat for seat in can_ask(table) if place in (None, table.play.places[seat])]
    if not seats:
        raise RefusedError(RefusalReason.BOTS_TURN if table.bots_turn else RefusalReason.NO_HINT_NOW)
    known = {each.seat for each in table.hints_asked} | {each.seat for each in table.hints}
    table = replace(table, no_hints=())
    for seat in seats:
        if seat not in known:
            table = _ask(table, seat, now)
    return table


def _ask(table: Table, seat: int, now: float, attempt: int = 1) -> Table:
    assert table.play is not None
    number = table.questions + 1
    asked = BotRequest(number, seat, ADVISER, position(table.play, seat), now, attempt, hint=True)
    return replace(table, questions=number, hints_asked=(*table.hints_asked, asked))


def attend(table: Table) -> Table:
    """Let go the hints of a game that has gone on; who still waited for one is told."""
    if table.play is None and table.no_hints:
        table = replace(table, no_hints=())
    if not (table.hints or table.hints_asked):
        return table
    seats = seats_to_act(table)
    asked = tuple(each for each in table.hints_asked if is_current(table.play, each, seats))
    shown = tuple(each for each in table.hints if is_current(table.play, each, seats))
    if (asked, shown) == (table.hints_asked, table.hints):
        return table
    if table.play is not None:
        gone = tuple(MissingHint(each.seat, "gone_on") for each in table.hints_asked if each not in asked)
        table = replace(table, no_hints=(*table.no_hints, *gone))
    return replace(table, hints_asked=asked, hints=shown)


def take_answer(table: Table, answer: BotReply) -> Table:
    """Show a hint; one that did not come is asked for once more."""
    asked = next((each for each in table.hints_asked if each.number == answer.number), None)
    if asked is None or table.play is None:
        return table
    choice = choice_of(table.play, asked, answer)
    if choice is None:
        return _ask_anew(table, asked, answer.at)
    shown = Hint(asked.seat, choice, asked.position, answer.gain, answer.next_best)
    return replace(_without(table, asked), hints=(*table.hints, shown))


def pass_time(table: Table, now: float) -> Table:
    """Ask anew for what did not come."""
    for asked in table.hints_asked:
        if now - asked.since > PATIENCE + table.manners.thought:
            table = _ask_anew(table, asked, now)
    return table


def _ask_anew(table: Table, asked: BotRequest, now: float) -> Table:
    table = _without(table, asked)
    if asked.attempt < ATTEMPTS:
        return _ask(table, asked.seat, now, asked.attempt + 1)
    return replace(table, no_hints=(*table.no_hints, MissingHint(asked.seat, "silent")))


def _without(table: Table, asked: BotRequest) -> Table:
    return replace(table, hints_asked=tuple(each for each in table.hints_asked if each is not asked))


# --- Two buttons together --------------------------------------------------------------------------------


def remembered(before: Table, after: Table, button: str, at: float) -> Table:
    """The table after a press, with what it needs to take it back; only where somebody is to choose."""
    choosing = before.stage in (Stage.OFFER, Stage.CHOICE)
    if button not in (OK, UNDO) or not choosing or before.question is Question.STOP_GAME:
        return after if after.last_press is None else replace(after, last_press=None)
    return replace(after, last_press=LastPress(button, at, replace(before, last_press=None)))


def are_together(table: Table, button: str, at: float) -> bool:
    """Whether a press is the second of two that are meant together."""
    first = table.last_press
    return first is not None and {first.button, button} == {OK, UNDO} and abs(at - first.at) <= TOGETHER


def taken_back(table: Table) -> Table:
    """The table as it was before the first of the two; what is not asked any more is asked anew."""
    assert table.last_press is not None
    before = table.last_press.before
    back = replace(
        table,
        play=before.play,
        selection=before.selection,
        colour_in_hand=before.colour_in_hand,
        told=before.told,
        ceremony=before.ceremony,
        movement=before.movement,
        question=None,
        hands_due=before.hands_due,
        chosen=before.chosen,
        hints=before.hints,
        no_hints=(),
        last_press=None,
    )
    return attend(back)
