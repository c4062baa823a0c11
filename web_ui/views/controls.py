"""Controls of the phone page and the twin: buttons, names of players, the report of physical tiles, seats.

On the twin every live button of the table can be pressed; on the phone page those that the snapshot allows
phones, and of these those of the phone's own seat.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from web_ui.messages import Choosing, Seat, Simulated
from web_ui.text.sentences import ACTION, MARKER, SnapshotFormatter
from web_ui.views.phone import BEFORE_THE_GAME, NO_SEAT, PHONE, REPORTING, Viewer, source

ONE_BUTTON_PER_SEAT = ("take_seat", "seats_ready", "card_seat", "who_first", "solo_start")
"""Prompts for which all buttons of a seat mean the same."""

ANY_SEAT = ("who_first",)
"""Prompts that a phone at any seat may answer with the button of any other seat."""

# --- Groups of buttons -----------------------------------------------------------------------------------


class Control(Struct, frozen=True):
    """A large button: the button of the table that it presses, its text, and its label for screen readers.

    `tiles` are the tiles that it stands for, `chosen` the colour among them that is in hand, `sends` the
    tiles that it would send to the solo game's penalty row. With `hint` it asks for a hint instead of
    pressing a button: for this seat, or for all who are to choose (0).
    """

    button: str
    text: str
    spoken: str
    tiles: str = ""
    chosen: str = ""
    kind: str = ""
    sends: str = ""
    hint: str = ""


class ControlGroup(Struct, frozen=True):
    """Controls under a title; `kind` is their CSS class."""

    title: str
    buttons: tuple[Control, ...]
    kind: str


def groups(formatter: SnapshotFormatter, viewer: Viewer) -> tuple[ControlGroup, ...]:
    """Return the live buttons that the viewer may press, grouped in the order of a turn."""
    if viewer.page == PHONE:
        formatter = _restricted_to_phone(formatter, viewer.seat)
    text, snapshot = formatter.words.text, formatter.snapshot
    found: list[ControlGroup] = []
    if snapshot.stage == "choosing":
        found.extend(_menu(formatter))
    else:
        found.append(ControlGroup(text("twin.take"), tuple(_sources(formatter)), "sources"))
    if formatter.prompt in ONE_BUTTON_PER_SEAT:
        key = {"who_first": "first", "solo_start": "start"}.get(formatter.prompt, "seats")
        found.append(ControlGroup(text(f"twin.{key}"), tuple(_seats(formatter)), "seats"))
        found.extend(_opponents(formatter))
    elif snapshot.choosing:
        found.extend(_choices(formatter))
    else:
        found.extend(_boards(formatter))
    found.append(ControlGroup(text("twin.table"), tuple(_table(formatter)), "table"))
    return tuple(group for group in found if group.buttons)


def _restricted_to_phone(formatter: SnapshotFormatter, seat: int) -> SnapshotFormatter:
    """Return the snapshot with only those buttons live that a phone at this seat may press."""
    snapshot = formatter.snapshot
    allowed = {name for name in snapshot.phones.press if _belongs_to(formatter, name, seat)}
    hints = snapshot.hint.seats if snapshot.phones.hint else ()
    hints = tuple(each for each in hints if seat in (NO_SEAT, each))
    restricted = msgspec.structs.replace(
        snapshot,
        live=tuple(name for name in snapshot.live if name in allowed),
        hint=msgspec.structs.replace(snapshot.hint, seats=hints),
        choosing=tuple(each for each in snapshot.choosing if each.button in allowed),
    )
    return SnapshotFormatter(formatter.words, restricted)


def _belongs_to(formatter: SnapshotFormatter, button: str, seat: int) -> bool:
    """Return whether a seat presses this button: of its board, of the table, in its turn also of the sources.

    A player who plays alone has both boards.
    """
    if seat == NO_SEAT or formatter.solo or formatter.prompt in ANY_SEAT:
        return True
    match button.split("."):
        case ["seat", number, *_]:
            return number == str(seat)
        case ["display" | "centre", *_]:
            acting = [each.seat for each in formatter.snapshot.seats if each.acting]
            return not acting or seat in acting
        case _:
            return True


def _sources(formatter: SnapshotFormatter) -> Iterator[Control]:
    snapshot = formatter.snapshot
    for button in sorted(snapshot.live, key="centre".__eq__):  # the centre comes after the displays
        match button.split("."):
            case ["display", number] if number.isdecimal():
                at, kind = int(number), "display"
                tiles = snapshot.displays[at - 1] if 0 < at <= len(snapshot.displays) else ""
            case ["centre"]:
                at, kind = 0, "centre"
                tiles = snapshot.centre + (MARKER if snapshot.marker_in_centre else "")
            case _:
                continue
        view = source(formatter, at, tiles)
        spoken = view.spoken if tiles else view.label
        yield Control(button, str(at or view.label), spoken, view.tiles, view.chosen, kind)


def _menu(formatter: SnapshotFormatter) -> Iterator[ControlGroup]:
    text, items = formatter.words.text, formatter.snapshot.menu
    for group in dict.fromkeys(item.group for item in items):
        buttons = []
        for item in items:
            if item.group == group and item.button in formatter.snapshot.live:
                name = text(f"menu.{group}.{item.value}")
                kind = "choice chosen" if item.chosen else "choice"
                buttons.append(Control(item.button, name, name, kind=kind))
        yield ControlGroup(text(f"menu_title.{group}"), tuple(buttons), "menu")


def _seats(formatter: SnapshotFormatter) -> Iterator[Control]:
    """Yield one button for each seat; any of its buttons means the same."""
    text, snapshot = formatter.words.text, formatter.snapshot
    alone = formatter.prompt == "solo_start"
    sitting = snapshot.stage == "seating"
    for seat in snapshot.seats:
        button = next((name for name in snapshot.live if name.startswith(f"seat.{seat.seat}.")), None)
        if button is None or (sitting and seat.taken):
            continue
        if alone:
            name = text("twin.begin")
        else:
            taken = formatter.player(seat.seat, seat.name)
            name = taken if seat.taken else text("player.seat", seat=seat.seat)
        yield Control(button, name, name, kind="seat")
    if snapshot.stage == "choosing" and "centre" in snapshot.live and not alone:
        name = text("twin.draw_first")
        yield Control("centre", name, name, kind="seat")


def _opponents(formatter: SnapshotFormatter) -> Iterator[ControlGroup]:
    """Yield for each taken seat the opponents that it can be given to."""
    text, snapshot = formatter.words.text, formatter.snapshot
    for seat in snapshot.seats:
        buttons = []
        for item in snapshot.opponents:
            if item.place == seat.seat and item.button in snapshot.live:
                name = formatter.opponent(item.bot) if item.bot else text("twin.person")
                spoken = text("player.opponent", who=name, what=formatter.strength(item.bot))
                buttons.append(Control(item.button, name, spoken if item.bot else name, kind="choice"))
        title = text("twin.give", who=formatter.player(seat.seat, seat.name))
        yield ControlGroup(title, tuple(buttons), "choices")


def _choices(formatter: SnapshotFormatter) -> Iterator[ControlGroup]:
    """Yield the choices that are no drafts, seat by seat if several choose at once."""
    text, choosing = formatter.words.text, formatter.snapshot.choosing
    for seat, kind in dict.fromkeys((each.seat, each.kind) for each in choosing):
        due = [each for each in choosing if (each.seat, each.kind) == (seat, kind)]
        buttons = tuple(_choice(formatter, each) for each in due)
        match kind:
            case "column":
                title = text("twin.column_of", who=formatter.player(seat), due=formatter.column_due(due[0]))
            case "square":
                title = text("twin.square_title")
            case _:
                title = text("twin.swap_title")
        yield ControlGroup(title, buttons, "choices narrow" if kind == "column" else "choices")


def _choice(formatter: SnapshotFormatter, each: Choosing) -> Control:
    text, ordinal = formatter.words.text, formatter.ordinal
    penalty_row = next((seat.floor for seat in formatter.snapshot.seats if seat.role == ACTION), "")
    spoken, tiles = "", ""
    match each.kind:
        case "column":
            name = text("twin.column", column=each.column)
            spoken = f"{formatter.player(each.seat)}: {name}"
        case "square":
            name, tiles = text("twin.square", row=each.row, column=each.column), each.colour
        case "swap" if each.position is not None:
            tiles = penalty_row[each.position - 1 : each.position + 1]
            places = {"first": ordinal(each.position), "second": ordinal(each.position + 1)}
            colours = dict(zip(("colour", "other"), map(formatter.colour, tiles), strict=False))
            name, spoken = text("twin.swap", **places), text("twin.swap_of", **places, **colours)
        case "remove" if each.position is not None:
            tiles = penalty_row[each.position - 1 : each.position]
            name = text("twin.remove", position=ordinal(each.position), colour=formatter.colour(tiles))
        case _:
            name = text("twin.leave" if each.button == "ok" else "twin.other")
    return Control(each.button, name, spoken or name, tiles, kind="choice")


def _boards(formatter: SnapshotFormatter) -> Iterator[ControlGroup]:
    """Yield the live lines and floors, seat by seat."""
    snapshot = formatter.snapshot
    live = [name.split(".") for name in snapshot.live if name.startswith("seat.")]
    many = len({seat for _, seat, *_ in live}) > 1
    for seat in snapshot.seats:
        buttons = tuple(_line(formatter, seat, parts) for parts in live if parts[1] == str(seat.seat))
        title = formatter.player(seat.seat, seat.name) if many else formatter.words.text("twin.put")
        yield ControlGroup(title, buttons, "lines")


def _line(formatter: SnapshotFormatter, seat: Seat, parts: list[str]) -> Control:
    """Return a line of a seat, or its floor; in solo with the tiles that it sends to the penalty row."""
    text, button = formatter.words.text, ".".join(parts)
    match parts[2:]:
        case ["line", line]:
            held = dict(enumerate(seat.lines, 1)).get(int(line) if line.isdecimal() else 0, "")
            name, kind = text("twin.line", line=line), "line"
        case _:
            line, held, kind = "0", "", "floor"
            name = text("twin.fall" if formatter.solo else "twin.floor")
    spoken, sends, choice = formatter.button(button), formatter.sent_by(line), formatter.snapshot.choice
    if choice is not None and sends:
        spoken = text("twin.sends", button=spoken, sent=formatter.tiles(sends))
        if str(choice.tried) == line:
            spoken, kind = text("twin.tried", button=spoken), f"{kind} chosen"
    return Control(button, name, spoken, held, kind=kind, sends=sends)


def _table(formatter: SnapshotFormatter) -> Iterator[Control]:
    """Yield the button for a hint (for the one seat that may ask here, or for all), `ok` and `undo`."""
    text, snapshot = formatter.words.text, formatter.snapshot
    if seats := snapshot.hint.seats:
        name = text("hint.ask")
        yield Control("", name, name, kind="hint", hint=str(seats[0] if len(seats) == 1 else 0))
    taken = {each.button for each in snapshot.choosing}
    for button in ("ok", "undo"):
        if button in snapshot.live and button not in taken:
            name = text(f"twin.{button}")
            yield Control(button, name, name, kind=button)


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
        if seat.taken and not seat.bot and (viewer.page != PHONE or _may_name(formatter, viewer, seat.seat))
    )


def _may_name(formatter: SnapshotFormatter, viewer: Viewer, seat: int) -> bool:
    return viewer.seat in (NO_SEAT, seat) and f"seat.{seat}.floor" in formatter.snapshot.phones.press


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


def plug(formatter: SnapshotFormatter, _viewer: Viewer) -> Simulated | None:
    """Return the simulated parts if a Pico is one of them."""
    simulated = formatter.snapshot.simulated
    return simulated if simulated is not None and simulated.plugged is not None else None


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
