"""What an event makes of the table: `update(table, event)` after a press, a tick or an outcome of chance.

Nothing here reads a clock, draws a tile or lights a lamp: time comes with the events, and chance is asked
for by `appliance.wants` and arrives as an event.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from device.rules.tiles import Colour
from device.table import hints, opponents, physical_tiles, score_animation, seating, tag_input, turns
from device.table import tag_input as learning
from device.table.buttons import OK, UNDO, place_and_line_of, source_of
from device.table.state import (
    BotReply,
    ChanceDrawn,
    FirstDrawn,
    Happening,
    HintRequested,
    LessonBegun,
    LessonEnded,
    LessonUndone,
    NeededDraw,
    PlayerNamed,
    Question,
    Refusal,
    RefusalReason,
    RefusedError,
    Stage,
    Table,
    TableEvent,
    TagsForgotten,
    TagShown,
    TeachingEvent,
    Tick,
    TileShown,
    needed_draw,
)
from device.table.tags import Action, ActionCard, Meaning, PlayerCard, TileTag
from hardware.api import ButtonPressed, Loss, PartBack, PartLost

# --- Parts of the table that are lost: noted beside the game, which never changes for them ---------------


def note_part(table: Table, event: PartLost | PartBack) -> Table:
    """The table with a part lost or back; a part that is lost for another reason now is lost since before."""
    before = next((lost for lost in table.lost if lost.part == event.part), None)
    if isinstance(event, PartBack):
        if before is None:
            return table
        return replace(table, lost=tuple(lost for lost in table.lost if lost is not before))
    if before is None:
        return replace(table, lost=(*table.lost, event))
    if (before.reason, event.reason) == (Loss.UNPLUGGED, Loss.ABSENT):
        return table  # what was pulled out is not there: nothing new, and the first says more
    now = replace(event, at=before.at)
    if now == before:
        return table
    return replace(table, lost=tuple(now if lost is before else lost for lost in table.lost))


# ----------------------------------------------------------------------------------------------------------

FLASH_APART: Final = 0.5
"""Seconds from one refusal's flash to the next at least: nothing may flash more than 3 times a second."""


def update(table: Table, event: TableEvent) -> Table:
    """The table after an event; what can't be done now changes nothing but the refusal it shows."""
    if isinstance(event, PartLost | PartBack):
        return note_part(table, event)
    passed = _pass_time(table, event.at)
    if passed.play is not table.play or passed.stage is not table.stage:
        passed = _nothing_said(passed)  # the game has gone on by itself
    return hints.attend(opponents.attend(_after(passed, event), event.at))


def _after(table: Table, event: Happening) -> Table:
    match event:
        case ButtonPressed(button, at):
            return _press_alone_or_together(table, button, at)
        case PlayerNamed(place, name, at):
            button = f"seat.{place}.floor"
            return _taken_or_refused(table, button, lambda: seating.name_player(table, place, name), at)
        case TagShown(reader, tag, at) if table.lesson is not None:
            after, why = learning.lay(table, tag, at)
            return refuse(after, why, reader, at) if why is not None else _nothing_said(after)
        case TagShown(reader, tag, at):
            meaning = table.tags.get(tag)
            return _taken_or_refused(table, reader, lambda: _show(table, meaning, event), at)
        case TileShown(colour, reader, tag, at):
            button = reader or "centre"
            return _taken_or_refused(table, button, lambda: _show_tile(table, colour, reader, tag, at), at)
        case LessonBegun() | LessonUndone() | LessonEnded() | TagsForgotten():
            return _taken_or_refused(table, OK, lambda: _learn(table, event), event.at)
        case ChanceDrawn(drawn, at):
            return turns.apply_event(table, drawn, at) if needed_draw(table) is NeededDraw.EVENT else table
        case FirstDrawn(place, at):
            return seating.begin_game(table, place, at) if needed_draw(table) is NeededDraw.FIRST else table
        case BotReply():
            return hints.take_answer(opponents.take_answer(table, event), event)
        case HintRequested(asked_for, at):
            return _taken_or_refused(table, UNDO, lambda: hints.ask(table, asked_for, at), at)
        case Tick():
            return table


def _press_alone_or_together(table: Table, button: str, at: float) -> Table:
    """What a press does; the second of two that are meant together takes the first back, for a hint."""
    if hints.are_together(table, button, at):
        back = hints.taken_back(table)
        return _taken_or_refused(back, button, lambda: hints.ask(back, None, at), at)
    after = _taken_or_refused(table, button, lambda: _press_in_play(table, button, at), at)
    return hints.remembered(table, after, button, at)


def _press_in_play(table: Table, button: str, at: float) -> Table:
    """What a press does; whatever was said of hints has been read by then."""
    return replace(_press(table, button, at), hints=(), no_hints=())


def _taken_or_refused(table: Table, button: str, doing: Callable[[], Table], at: float) -> Table:
    try:
        after = doing()
    except RefusedError as refused:
        return refuse(table, refused.why, button, at)
    return _nothing_said(after)


def _nothing_said(table: Table) -> Table:
    """The table when something was done or happened: the last refusal is not said any more."""
    if table.refusal is None or not table.refusal.said:
        return table
    return replace(table, refusal=replace(table.refusal, said=False))


def refuse(table: Table, why: str, button: str, at: float) -> Table:
    """The table with a refused press to show; in a flood of them the flash under way goes on instead."""
    last = table.refusal
    if last is None:
        return replace(table, refusal=Refusal(why, button, button, at, 1))
    number = last.number + 1
    if at - last.at < FLASH_APART:
        return replace(table, refusal=replace(last, why=why, button=button, number=number, said=True))
    return replace(table, refusal=Refusal(why, button, button, at, number))


def _learn(table: Table, event: TeachingEvent) -> Table:
    match event:
        case LessonBegun(subject, at):
            return learning.begin(table, subject, at)
        case LessonUndone(at):
            return learning.go_back(table, at)
        case LessonEnded(at):
            return learning.end(table, at)
        case TagsForgotten(tags):
            return learning.forget(table, tags)


def _show(table: Table, meaning: Meaning | None, shown: TagShown) -> Table:
    """A tag was laid on a reader: a tile's, or a card's."""
    if table.fault is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    match meaning:
        case TileTag(colour):
            return _show_tile(table, colour, shown.reader, shown.tag, shown.at)
        case PlayerCard(name):
            return tag_input.show_player(table, name, shown.reader, shown.at)
        case ActionCard(Action.NEW_GAME):
            return tag_input.new_game(table)
        case ActionCard(action):
            return _press(table, UNDO if action is Action.UNDO else OK, shown.at)
        case None:
            raise RefusedError(RefusalReason.UNKNOWN_TAG)


def _show_tile(table: Table, colour: Colour, reader: str | None, tag: str | None, at: float) -> Table:
    """A tile shown tells what was drawn, or, in an offer, what is taken; a question is answered by it."""
    table = replace(table, question=None)
    match table.stage:
        case Stage.TEACHING:
            raise RefusedError(RefusalReason.TEACHING)
        case Stage.REPORTING:
            return physical_tiles.report_tile(table, colour, tag, at)
        case Stage.OFFER:
            return turns.select_colour(table, colour, source_of(reader) if reader else None)
        case _:
            raise RefusedError(RefusalReason.NOT_NOW)


def _pass_time(table: Table, now: float) -> Table:
    """Go on with what waits for time alone: a card, a lesson, what opponents show, a ceremony.

    A ceremony waits while something is asked, and where tiles of resin are moved by hand.
    """
    table = learning.pass_lesson_time(tag_input.pass_card_time(table, now), now)
    if table.lesson is not None:
        return table
    table = hints.pass_time(opponents.pass_time(table, now), now)
    if table.ceremony is None or table.play is None or table.resin or table.question is not None:
        return table
    going_on = score_animation.pass_time(table.ceremony, table.play.state.account, now)
    return table if going_on is table.ceremony else replace(table, ceremony=going_on)


def _press(table: Table, button: str, at: float) -> Table:
    if table.fault is not None:
        return _leave_store_alone(table, button)
    if table.lesson is not None:
        return _press_in_lesson(table, button, at)
    if table.question is not None:
        if button == OK:
            return _say_yes(table, at)
        asked, table = table.question, _answered(table, at)
        if asked is Question.STOP_GAME and button == UNDO:
            return table
    if button == OK and opponents.can_skip(table):
        return opponents.skip(table, at)
    table = replace(table, hands_due=False)  # who plays on has moved them
    if table.stage is Stage.CHOICE and button != UNDO:
        return turns.make_choice(table, button, at)
    if button == OK:
        return _press_ok(table, at)
    if button == UNDO:
        return _press_undo(table, at)
    if (source := source_of(button)) is not None and source <= table.displays:
        choosing = table.stage is Stage.CHOOSING
        return seating.choose_option(table, source) if choosing else turns.select_source(table, source)
    if (found := place_and_line_of(button)) is not None and found[0] <= table.places:
        return _press_seat(table, *found, at)
    raise RefusedError(RefusalReason.UNKNOWN_BUTTON)


def _press_in_lesson(table: Table, button: str, at: float) -> Table:
    """While tags are learned `undo` takes the last one back, and `ok` ends it; the game waits."""
    if button == OK:
        return learning.end(table, at)
    if button == UNDO:
        return learning.go_back(table, at)
    raise RefusedError(RefusalReason.TEACHING)


def _leave_store_alone(table: Table, button: str) -> Table:
    """`ok` accepts the new file that is offered beside a store that can't be used."""
    if button != OK:
        raise RefusedError(RefusalReason.NOT_NOW)
    return replace(table, fault=None)


def _say_yes(table: Table, at: float) -> Table:
    if table.question is Question.STOP_GAME:
        return seating.choose_again(table)
    return _answered(table, at)


def _answered(table: Table, at: float) -> Table:
    return replace(table, question=None, ceremony=score_animation.restart_step(table.ceremony, at))


def _next_step(table: Table, at: float) -> Table:
    """Skip what is left of the ceremony; with tiles of resin, where people move them, go to its next step."""
    going_on = None
    if table.resin and table.play is not None and table.ceremony is not None:
        going_on = score_animation.next_step(table.ceremony, table.play.state.account, at)
    return replace(table, ceremony=going_on, movement=None)


def _press_ok(table: Table, at: float) -> Table:
    match table.stage:
        case Stage.SEATING:
            return seating.begin_choosing(replace(table, card=None))
        case Stage.SCORING:
            return _next_step(table, at)
        case Stage.OVER:
            return seating.choose_again(table)
        case _:
            raise RefusedError(RefusalReason.NOTHING_TO_CONFIRM)


def _press_undo(table: Table, at: float) -> Table:
    match table.stage:
        case Stage.CHOOSING:
            return replace(table, choosing=False, drawing_first=False)
        case Stage.SEATING if table.card is not None:
            return replace(table, card=None)
        case Stage.SEATING if table.taken:
            return seating.leave_seat(table)
        case Stage.REPORTING if table.told:
            return physical_tiles.take_back_tile(table)
        case _:
            return turns.undo(table, at)


def _press_seat(table: Table, place: int, line: int, at: float) -> Table:
    match table.stage:
        case Stage.SEATING if table.card is not None:
            return tag_input.seat_player(table, place, table.card.name)
        case Stage.SEATING:
            return seating.take_seat(table, place, line)
        case Stage.CHOOSING:
            return seating.begin_game(table, place, at)
        case Stage.OFFER:
            return turns.draft_to(table, place, line, at)
        case _:
            raise RefusedError(RefusalReason.NOT_NOW)
