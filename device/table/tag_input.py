"""Tags at the table: player cards, action cards, and lessons that teach the table what tags mean.

A player card seats a person before a game. A lesson is a mode on top of everything else: while it lasts, the
game in play waits and tags on a reader get a meaning.
"""

import re
from dataclasses import replace
from typing import Final

from device.table import seating, tags
from device.table.score_animation import restart_step
from device.table.state import Question, RefusalReason, RefusedError, Seats, Stage, Table, WaitingCard
from device.table.tags import Lesson, PlayerCard, Subject, Tiles, Verdict

CARD_WAITS: Final = 30.0  # seconds for which a player card waits for a seat's button
LESSON_TIMEOUT: Final = 600.0  # seconds without a tag after which a lesson ends

_SEAT_READER: Final = re.compile(r"seat\.([1-9])")


def pass_time(table: Table, now: float) -> Table:
    """Drop a card that has waited too long, and end a lesson that has been left."""
    card, lesson = table.tags.card, table.tags.lesson
    if card is not None and now - card.at >= CARD_WAITS:
        table = replace(table, tags=replace(table.tags, card=None))
    if lesson is not None and now - lesson.at >= LESSON_TIMEOUT:
        table = end_lesson(table, now)
    return table


# --- Cards ---


def show_player(table: Table, name: str, reader: str, at: float) -> Table:
    """Seat a player: at a seat's own reader there, else at the next seat pressed. Raises RefusedError."""
    if table.stage is not Stage.SEATING:
        raise RefusedError(RefusalReason.CARD_NOT_NOW)
    found = _SEAT_READER.fullmatch(reader)
    if found is not None and int(found[1]) <= table.settings.places:
        return seat_player(table, int(found[1]), name)
    if _sits(table.seats, name):
        raise RefusedError(RefusalReason.PLAYER_SITS)
    return replace(table, tags=replace(table.tags, card=WaitingCard(name, at)))


def seat_player(table: Table, place: int, name: str) -> Table:
    """Seat a player by name at a place that has no named person. Raises RefusedError."""
    seats = table.seats
    if _sits(seats, name):
        raise RefusedError(RefusalReason.PLAYER_SITS)
    if place not in seats_for_a_card(table):
        raise RefusedError(RefusalReason.SEAT_TAKEN)
    names = tuple("" if each == name else each for each in seats.names)
    taken = seats.taken if place in seats.taken else (*seats.taken, place)
    seats = Seats(names, seats.bots, taken).with_name(place, name).with_bot(place, "")
    return replace(table, seats=seats, tags=replace(table.tags, card=None))


def seats_for_a_card(table: Table) -> tuple[int, ...]:
    """Return the places where a card can seat its player."""
    places = range(1, table.settings.places + 1)
    return tuple(place for place in places if not _named_person(table.seats, place))


def _sits(seats: Seats, name: str) -> bool:
    return any(_named_person(seats, place) and seats.names[place - 1] == name for place in seats.taken)


def _named_person(seats: Seats, place: int) -> bool:
    return place in seats.taken and not seats.bot_at(place) and seats.names[place - 1] != ""


def new_game(table: Table) -> Table:
    """Go to the choosing of a game; a game in play asks first whether to stop it. Raises RefusedError."""
    match table.stage:
        case Stage.SEATING:
            return seating.begin_choosing(table)
        case Stage.OVER:
            return seating.choose_again(table)
        case _ if table.game is not None:
            return replace(table, game=replace(table.game, question=Question.STOP_GAME))
        case _:
            raise RefusedError(RefusalReason.NOT_NOW)


# --- Lessons ---


def begin_lesson(table: Table, subject: Subject, at: float) -> Table:
    """Begin a lesson, or go on with the one under way if it has the same subject. Raises RefusedError.

    A lesson of tiles may change its colour; any other lesson has to end before the next.
    """
    if table.faults.store is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if isinstance(subject, PlayerCard):
        subject = PlayerCard(seating.player_name(subject.name))
        if not subject.name:
            raise RefusedError(RefusalReason.NAME_MISSING)
    known, lesson = table.tags.known, table.tags.lesson
    if lesson is None or tags.next_meaning(lesson, known) is None:
        return replace(table, tags=replace(table.tags, lesson=Lesson(subject, at), card=None))
    if lesson.subject == subject:
        return table
    if isinstance(lesson.subject, Tiles) and isinstance(subject, Tiles):
        return replace(table, tags=replace(table.tags, lesson=replace(lesson, subject=subject, at=at)))
    raise RefusedError(RefusalReason.OTHER_LESSON)


def teach(table: Table, tag: str, at: float) -> tuple[Table, RefusalReason | None]:
    """Return the table after a tag was laid on a reader in a lesson, and why it was refused, if it was."""
    assert table.tags.lesson is not None
    lesson, known = tags.lay_tag(table.tags.lesson, table.tags.known, tag, at)
    after = replace(table, tags=replace(table.tags, lesson=lesson, known=known))
    refusals = {Verdict.KNOWN: RefusalReason.TAG_KNOWN, Verdict.OVER: RefusalReason.LESSON_OVER}
    return after, refusals.get(lesson.last.verdict) if lesson.last is not None else None


def undo_last_tag(table: Table, at: float) -> Table:
    """Forget the last tag of the lesson. Raises RefusedError."""
    lesson = table.tags.lesson
    if lesson is None or not lesson.learned:
        raise RefusedError(RefusalReason.NOTHING_TO_UNDO)
    return _without_tags(table, lesson.learned[-1:], replace(lesson, at=at))


def end_lesson(table: Table, at: float) -> Table:
    """End the lesson; what was learned stays, and a score animation begins its step again."""
    game = table.game and replace(table.game, animation=restart_step(table.game.animation, at))
    return replace(table, tags=replace(table.tags, lesson=None), game=game)


def forget_tags(table: Table, forgotten: tuple[str, ...]) -> Table:
    """Forget known tags. Raises RefusedError."""
    if table.faults.store is not None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if not all(tag in table.tags.known for tag in forgotten):
        raise RefusedError(RefusalReason.TAG_NOT_KNOWN)
    return _without_tags(table, forgotten, table.tags.lesson)


def _without_tags(table: Table, forgotten: tuple[str, ...], lesson: Lesson | None) -> Table:
    known = {tag: meaning for tag, meaning in table.tags.known.items() if tag not in forgotten}
    if lesson is not None:
        learned = tuple(tag for tag in lesson.learned if tag in known)
        lesson = replace(lesson, learned=learned, last=None)
    return replace(table, tags=replace(table.tags, known=known, lesson=lesson))
