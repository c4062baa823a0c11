"""The table while it learns tags: a mode on top of everything else; a game in progress stays as it is."""

from dataclasses import replace
from typing import Final

from device import lessons
from device.appliance import RefusedError, Table, Why
from device.ceremony import on_again
from device.lessons import Lesson, Subject, Tiles, Verdict
from device.names import one_name
from device.tags import PlayerCard

RESTS: Final = 600.0
"""Seconds without a tag after which the table learns no more: whoever began it has gone."""


def begin(table: Table, subject: Subject, at: float) -> Table:
    """Begin a lesson; one under way goes on, and is not replaced by one about something else."""
    if table.fault is not None:
        raise RefusedError(Why.NOT_NOW)
    if isinstance(subject, PlayerCard):
        subject = PlayerCard(_name(subject.name))
    under_way = table.lesson if table.lesson and lessons.due(table.lesson, table.tags) else None
    if under_way is None:
        return replace(table, lesson=Lesson(subject, at), card=None)
    if under_way.subject == subject:
        return table
    if isinstance(under_way.subject, Tiles) and isinstance(subject, Tiles):
        return replace(table, lesson=replace(under_way, subject=subject, at=at))
    raise RefusedError(Why.LEARNING_OTHER)


def _name(text: str) -> str:
    try:
        name = one_name(text)
    except ValueError as error:
        raise RefusedError(Why.NAME_TOO_LONG) from error
    if not name:
        raise RefusedError(Why.NAME_MISSING)
    return name


def lay(table: Table, tag: str, at: float) -> tuple[Table, Why | None]:
    """The table after a tag was laid on a reader, and why it is refused, if it is."""
    assert table.lesson is not None
    lesson, tags = lessons.lay(table.lesson, table.tags, tag, at)
    after = replace(table, lesson=lesson, tags=tags)
    match lesson.last:
        case lessons.Laid(verdict=Verdict.KNOWN):
            return after, Why.TAG_KNOWN
        case lessons.Laid(verdict=Verdict.OVER):
            return after, Why.LESSON_OVER
        case _:
            return after, None


def go_back(table: Table, at: float) -> Table:
    """Forget the tag that was learned last in this lesson."""
    if table.lesson is None or not table.lesson.learned:
        raise RefusedError(Why.NOTHING_TO_UNDO)
    lesson, tags = lessons.go_back(replace(table.lesson, at=at), table.tags)
    return replace(table, lesson=lesson, tags=tags)


def end(table: Table, at: float) -> Table:
    """Learn no more, for now or for good: what is learned stays; a scoring begins its step on show again."""
    return replace(table, lesson=None, ceremony=on_again(table.ceremony, at))


def forget(table: Table, forgotten: tuple[str, ...]) -> Table:
    """Forget tags; raises RefusedError where one of them is not known."""
    if table.fault is not None:
        raise RefusedError(Why.NOT_NOW)
    if not all(tag in table.tags for tag in forgotten):
        raise RefusedError(Why.TAG_NOT_KNOWN)
    tags = lessons.without(table.tags, forgotten)
    lesson = lessons.after_forgetting(table.lesson, tags) if table.lesson is not None else None
    return replace(table, tags=tags, lesson=lesson)


def pass_time(table: Table, now: float) -> Table:
    """End a lesson that everybody seems to have left."""
    if table.lesson is None or now - table.lesson.at < RESTS:
        return table
    return end(table, now)
