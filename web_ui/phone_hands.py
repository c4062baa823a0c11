"""What a phone's hands can do now: of all live buttons those that phones may press, of its own seat first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from web_ui import hands
from web_ui.hands import HandGroup, NamesView, TellView
from web_ui.messages import Snapshot
from web_ui.opponent_messages import Hint
from web_ui.sentences import ACTION, Speaker
from web_ui.views import BEFORE_THE_GAME

NO_SEAT = 0
"""The seat of a phone that is nobody's in particular: it may be everybody's hands."""

ANY_SEAT = ("who_first",)
"""What is asked for where a seat's button is no board's business: anybody may say it."""


@dataclass(frozen=True, slots=True)
class SeatOption:
    """A seat that somebody may play at with this phone: what stands on its button, and who sits there."""

    seat: int
    label: str
    name: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """At which seat this phone plays; the last option is none in particular."""

    options: tuple[SeatOption, ...]


def groups(speaker: Speaker, seat: int) -> tuple[HandGroup, ...]:
    """The live buttons that a phone at this seat may press, in groups, as the twin has them."""
    return hands.groups(Speaker(speaker.words, _within_reach(speaker, seat)))


def _within_reach(speaker: Speaker, seat: int) -> Snapshot:
    """The snapshot with no more live in it than this phone may press."""
    snapshot = speaker.snapshot
    allowed = {name for name in snapshot.phones.press if _is_mine(speaker, name, seat)}
    return msgspec.structs.replace(
        snapshot,
        live=tuple(name for name in snapshot.live if name in allowed),
        hint=_own_hints(snapshot, seat),
        choosing=tuple(each for each in snapshot.choosing if each.button in allowed),
    )


def _own_hints(snapshot: Snapshot, seat: int) -> Hint:
    """The hints that this phone may ask for: its own player's."""
    seats = tuple(each for each in snapshot.hint.seats if snapshot.phones.hint and seat in (NO_SEAT, each))
    return msgspec.structs.replace(snapshot.hint, seats=seats)


def _is_mine(speaker: Speaker, button: str, seat: int) -> bool:
    """Whether a button is this seat's business: its own board's, the table's, in its turn also the sources'.

    Who plays alone has both boards.
    """
    snapshot = speaker.snapshot
    if seat == NO_SEAT or speaker.solo or snapshot.ask.get("say") in ANY_SEAT:
        return True
    match button.split("."):
        case ["seat", number, *_]:
            return number == str(seat)
        case ["display" | "centre", *_]:
            acting = [each.seat for each in snapshot.seats if each.acting]
            return not acting or seat in acting
        case _:
            return True


def names(speaker: Speaker, seat: int) -> NamesView | None:
    """The form for the names that this phone may give: its own player's."""
    snapshot = speaker.snapshot
    form = hands.names(speaker)
    fields = tuple(
        field
        for field in (form.fields if form is not None else ())
        if seat in (NO_SEAT, field.seat) and f"seat.{field.seat}.floor" in snapshot.phones.press
    )
    return NamesView(fields) if fields else None


def tell(speaker: Speaker, *, at_table: bool) -> TellView | None:
    """The buttons that tell a tile of resin, where this page may."""
    phones, form = speaker.snapshot.phones, hands.tell(speaker)
    if form is None or at_table:
        return form
    return replace(form, can_take_back=form.can_take_back and "undo" in phones.press) if phones.tell else None


def seat_choice(speaker: Speaker, seat: int) -> SeatChoice | None:
    """The seats to choose from; None where a phone has nothing to do that is one seat's business."""
    words, snapshot = speaker.words, speaker.snapshot
    phones = snapshot.phones
    if speaker.solo or not (phones.hint or any(name.startswith("seat.") for name in phones.press)):
        return None
    options = [
        SeatOption(
            each.seat,
            str(each.seat),
            speaker.who(each.seat, each.name) if each.taken else words.say("player.free"),
            each.seat == seat,
        )
        for each in snapshot.seats
        if each.role != ACTION
        and each.bot is None  # an opponent has no phone
        and (each.taken or each.seat == seat or snapshot.stage in BEFORE_THE_GAME)
    ]
    everybody = SeatOption(NO_SEAT, words.say("phone.all"), words.say("phone.shared"), seat == NO_SEAT)
    return SeatChoice((*options, everybody))
