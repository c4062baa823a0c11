"""The table while it learns tags: a mode on top of everything else; a game in progress stays as it is."""

import re
from dataclasses import replace
from typing import Final

from device.table import seating
from device.table import tags as lessons
from device.table.game import normalize_name
from device.table.score_animation import restart_step
from device.table.state import Question, RefusalReason, RefusedError, Stage, Table, WaitingCard
from device.table.tags import Lesson, PlayerCard, Subject, Tiles, Verdict

# --- Players' cards and action cards at the table: what a card that is laid on a reader does -------------

CARD_WAITS: Final = 30.0
"""Seconds for which a player's card waits for a seat's button."""

_SEAT: Final = re.compile(r"seat\.([1-9])")


def show_player(table: Table, name: str, reader: str, at: float) -> Table:
    """Seat a player: at a seat's own reader there, else at the seat whose button is pressed next."""
    if table.stage is not Stage.SEATING:
        raise RefusedError(RefusalReason.CARD_NOT_NOW)
    found = _SEAT.fullmatch(reader)
    if found is not None and int(found[1]) <= table.places:
        return seat_player(table, int(found[1]), name)
    if _sits(table, name):
        raise RefusedError(RefusalReason.PLAYER_SITS)
    return replace(table, card=WaitingCard(name, at))


def seat_player(table: Table, place: int, name: str) -> Table:
    """Seat a player by name at a free place, or at their own where they sit without a name."""
    if _sits(table, name):
        raise RefusedError(RefusalReason.PLAYER_SITS)
    if place not in seats_for_a_card(table):
        raise RefusedError(RefusalReason.SEAT_TAKEN)
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
            return seating.begin_choosing(replace(table, card=None))
        case Stage.OVER:
            return seating.choose_again(table)
        case Stage.UNUSABLE | Stage.CHOOSING | Stage.TEACHING:
            raise RefusedError(RefusalReason.NOT_NOW)
        case _:
            return replace(table, question=Question.STOP_GAME)


def pass_card_time(table: Table, now: float) -> Table:
    """A card that has waited long enough waits no more."""
    if table.card is None or now - table.card.at < CARD_WAITS:
        return table
    return replace(table, card=None)


# ----------------------------------------------------------------------------------------------------------

RESTS: Final = 600.0
"""Seconds without a tag after which the table learns no more: whoever began it has gone."""


def begin(table: Table, subject: Subject, at: float) -> Table:
    """Begin a lesson; one under way goes on, and is not replaced by one about something else."""
    if table.fault is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if isinstance(subject, PlayerCard):
        subject = PlayerCard(_name(subject.name))
    under_way = table.lesson if table.lesson and lessons.next_meaning(table.lesson, table.tags) else None
    if under_way is None:
        return replace(table, lesson=Lesson(subject, at), card=None)
    if under_way.subject == subject:
        return table
    if isinstance(under_way.subject, Tiles) and isinstance(subject, Tiles):
        return replace(table, lesson=replace(under_way, subject=subject, at=at))
    raise RefusedError(RefusalReason.OTHER_LESSON)


def _name(text: str) -> str:
    try:
        name = normalize_name(text)
    except ValueError as error:
        raise RefusedError(RefusalReason.NAME_TOO_LONG) from error
    if not name:
        raise RefusedError(RefusalReason.NAME_MISSING)
    return name


def lay(table: Table, tag: str, at: float) -> tuple[Table, RefusalReason | None]:
    """The table after a tag was laid on a reader, and why it is refused, if it is."""
    assert table.lesson is not None
    lesson, tags = lessons.lay_tag(table.lesson, table.tags, tag, at)
    after = replace(table, lesson=lesson, tags=tags)
    match lesson.last:
        case lessons.LaidTag(verdict=Verdict.KNOWN):
            return after, RefusalReason.TAG_KNOWN
        case lessons.LaidTag(verdict=Verdict.OVER):
            return after, RefusalReason.LESSON_OVER
        case _:
            return after, None


def go_back(table: Table, at: float) -> Table:
    """Forget the tag that was learned last in this lesson."""
    if table.lesson is None or not table.lesson.learned:
        raise RefusedError(RefusalReason.NOTHING_TO_UNDO)
    lesson, tags = lessons.undo_last_tag(replace(table.lesson, at=at), table.tags)
    return replace(table, lesson=lesson, tags=tags)


def end(table: Table, at: float) -> Table:
    """Learn no more, for now or for good: what is learned stays; a scoring begins its step on show again."""
    return replace(table, lesson=None, ceremony=restart_step(table.ceremony, at))


def forget(table: Table, forgotten: tuple[str, ...]) -> Table:
    """Forget tags; raises RefusedError where one of them is not known."""
    if table.fault is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if not all(tag in table.tags for tag in forgotten):
        raise RefusedError(RefusalReason.TAG_NOT_KNOWN)
    tags = lessons.without_tags(table.tags, forgotten)
    lesson = lessons.after_forgetting(table.lesson, tags) if table.lesson is not None else None
    return replace(table, tags=tags, lesson=lesson)


def pass_lesson_time(table: Table, now: float) -> Table:
    """End a lesson that everybody seems to have left."""
    if table.lesson is None or now - table.lesson.at < RESTS:
        return table
    return end(table, now)
