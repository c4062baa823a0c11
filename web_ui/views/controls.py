"""Controls of the phone page and the twin: what a viewer may do, the bar, names, reports, seats.

At the table every live button can be pressed; on the phone page those that the snapshot allows
phones, and of these those of the phone's own seat.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from web_ui.messages import Seat
from web_ui.text.sentences import ACTION, SnapshotFormatter
from web_ui.views.boards import NO_HANDS, Hands
from web_ui.views.lobby import QUESTIONS
from web_ui.views.phone import BEFORE_THE_GAME, NO_SEAT, REPORTING, WALL, Viewer

LEAVE_PENALTY = "remove none"
"""The notation of leaving all penalty tiles where they are."""

ANY_SEAT = ("who_first",)
"""Prompts that a phone at any seat may answer with the button of any other seat."""

# --- In a game -------------------------------------------------------------------------------------------


def hands(formatter: SnapshotFormatter, viewer: Viewer) -> Hands:
    """Return what the viewer may do with the offer and the boards."""
    if viewer.page == WALL:
        return NO_HANDS
    if viewer.limited:
        formatter = _restricted_to_phone(formatter, viewer)
    snapshot = formatter.snapshot
    tokens = frozenset(each.token for each in snapshot.choosing if each.token)
    return Hands(frozenset(snapshot.live), tokens)


class BarView(Struct, frozen=True):
    """The buttons of the bar of actions: dead ones are shown, so that nothing moves.

    `hint` is the seat that may ask for a hint (0: all that are to choose), None where nobody may. `ok` is the
    text of the button `ok`, empty while it does nothing, or while the page has buttons that say what it does:
    in a question and at the end of a game. `leave` is the text of the one that leaves the penalty tiles.
    """

    undo: bool
    hint: int | None
    ok: str
    leave: str = ""


def bar(formatter: SnapshotFormatter, viewer: Viewer) -> BarView | None:
    """Return the bar of actions; None before a game, and for a phone that may only look."""
    phones = formatter.snapshot.phones
    if formatter.snapshot.stage in BEFORE_THE_GAME:
        return None
    if viewer.limited:
        if not (viewer.at_table or phones.press or phones.hint):
            return None
        formatter = _restricted_to_phone(formatter, viewer)
    text, snapshot = formatter.words.text, formatter.snapshot
    leave = any(each.token == LEAVE_PENALTY for each in snapshot.choosing)
    skips = snapshot.stage == "scoring" or formatter.prompt.startswith("bot_")
    ok = text("bar.skip" if skips and snapshot.resin is None else "bar.ok")
    seats = snapshot.hint.seats
    asks = formatter.prompt in QUESTIONS
    takes_ok = not (leave or asks or snapshot.result is not None)
    return BarView(
        undo="undo" in snapshot.live and not asks,
        hint=(seats[0] if len(seats) == 1 else 0) if seats else None,
        ok=ok if "ok" in snapshot.live and takes_ok else "",
        leave=text("twin.leave") if leave else "",
    )


def _restricted_to_phone(formatter: SnapshotFormatter, viewer: Viewer) -> SnapshotFormatter:
    """Return the snapshot with only those buttons live that a phone page may press.

    On the table's own computer these are all of its seat.
    """
    snapshot, seat = formatter.snapshot, viewer.seat
    pressed = snapshot.live if viewer.at_table else snapshot.phones.press
    choosing = snapshot.choosing if viewer.at_table else ()
    allowed = {
        name
        for name in (*pressed, *(each.button for each in choosing))
        if _belongs_to(formatter, name, viewer)
    }
    hints = snapshot.hint.seats if viewer.at_table or snapshot.phones.hint else ()
    hints = tuple(each for each in hints if seat in (NO_SEAT, each) or formatter.solo)
    restricted = msgspec.structs.replace(
        snapshot,
        live=tuple(name for name in snapshot.live if name in allowed),
        hint=msgspec.structs.replace(snapshot.hint, seats=hints),
        choosing=tuple(each for each in snapshot.choosing if each.button in allowed),
    )
    return SnapshotFormatter(formatter.words, restricted)


def _belongs_to(formatter: SnapshotFormatter, button: str, viewer: Viewer) -> bool:
    """Return whether a page presses this button: of its board, of the table, in its turn also of the sources.

    A phone without a seat has those of people without a phone; the table refuses it all others. A player who
    plays alone has both boards. While tiles are in hand, `undo` puts them back: it is their player's.
    """
    seat, seats = viewer.seat, formatter.snapshot.seats
    others = {each.seat for each in seats if each.claimed and each.seat != seat and not viewer.at_table}
    match button.split("."):
        case ["seat", number, *_] if formatter.prompt not in ANY_SEAT:
            if formatter.solo:
                return not others
            return seat in (NO_SEAT, int(number)) and int(number) not in others
        case ["ok" | "undo"] if formatter.prompt == "undo_asked" and not viewer.at_table:
            asked, asker = formatter.snapshot.ask.get("seat"), formatter.snapshot.ask.get("by") or NO_SEAT
            return asked not in others or (button == "undo" and seat == asker)
        case ["undo"] if formatter.prompt == "place":
            return _drafts(formatter, seat, others)
        case ["display" | "centre", *_]:
            return _drafts(formatter, seat, others)
        case _:
            people = {each.seat for each in seats if each.taken and not each.bot and each.role != ACTION}
            return seat != NO_SEAT or not people or bool(people - others)


def _drafts(formatter: SnapshotFormatter, seat: int, others: set[int]) -> bool:
    """Return whether the sources are those of this seat now; `others` are the seats of other phones."""
    if formatter.solo:
        return not others
    acting = {each.seat for each in formatter.snapshot.seats if each.acting}
    return not acting or seat in acting or (seat == NO_SEAT and not acting & others)


# --- Forms -----------------------------------------------------------------------------------------------


class NameField(Struct, frozen=True):
    """A form field for the name of a player who sits."""

    seat: int
    label: str
    name: str


def names(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[NameField, ...]:
    """Return the form for the names that this viewer may give; it is empty during a game."""
    text, snapshot = formatter.words.text, formatter.snapshot
    if snapshot.stage not in BEFORE_THE_GAME:
        return ()
    return tuple(
        NameField(seat.seat, text("twin.name_of", who=text("player.seat", seat=seat.seat)), seat.name or "")
        for seat in snapshot.seats
        if seat.taken and not seat.bot and (not viewer.limited or _may_name(formatter, viewer, seat))
    )


def _may_name(formatter: SnapshotFormatter, viewer: Viewer, seat: Seat) -> bool:
    if viewer.seat == NO_SEAT and seat.claimed and not viewer.at_table:
        return False
    press = formatter.snapshot.phones.press
    return viewer.seat in (NO_SEAT, seat.seat) and f"seat.{seat.seat}.floor" in press


class ReportView(Struct, frozen=True):
    """Five buttons that report the colour of a drawn physical tile: letter, name, tiles left in the bag."""

    tiles: tuple[tuple[str, str, int], ...]
    can_take_back: bool


def report(formatter: SnapshotFormatter, viewer: Viewer) -> ReportView | None:
    """Return the buttons that report physical tiles; None if this viewer has none to report."""
    snapshot = formatter.snapshot
    resin, phones = snapshot.resin, snapshot.phones
    if resin is None or snapshot.stage != REPORTING or not (viewer.at_table or phones.tell):
        return None
    letters = snapshot.palette
    tiles = tuple((letter, formatter.colour_title(letter), resin.bag.count(letter)) for letter in letters)
    return ReportView(tiles, bool(resin.told) and (viewer.at_table or "undo" in phones.press))


class SeatOption(Struct, frozen=True):
    """A seat that this phone can play at (or no seat): the text of its button, and its player."""

    seat: int
    label: str
    name: str
    chosen: bool


def seat_choice(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[SeatOption, ...]:
    """Return the seats to choose from, at last none; empty if a phone can do nothing that belongs to one."""
    text, snapshot = formatter.words.text, formatter.snapshot
    phones, seat = snapshot.phones, viewer.seat
    if formatter.solo or not (phones.hint or any(name.startswith("seat.") for name in phones.press)):
        return ()
    options = [
        SeatOption(
            each.seat,
            str(each.seat),
            formatter.player(each.seat, each.name) if each.taken else text("player.free"),
            each.seat == seat,
        )
        for each in snapshot.seats
        if each.role != ACTION
        and each.bot is None  # an opponent has no phone
        and (not each.claimed or each.seat == seat)  # nor has another phone's player a second one
        and (each.taken or each.seat == seat or snapshot.stage in BEFORE_THE_GAME)
    ]
    everybody = SeatOption(NO_SEAT, text("phone.all"), text("phone.shared"), seat == NO_SEAT)
    return (*options, everybody)
