"""What the twin's hands can do now: the live buttons in groups, and what every drawn button is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from web_ui.latest import Presence, View
from web_ui.messages import Seat, Snapshot
from web_ui.sentences import Speaker
from web_ui.views import in_order
from web_ui.words import Words

ONE_BUTTON_A_SEAT = ("take_seat", "seats_ready", "who_first")
"""What is asked for where any button of a seat means the same."""

COLUMNS = "choose_column"
"""What is asked for on gray walls: there the lines' buttons 1 to 5 choose a column."""


@dataclass(frozen=True, slots=True)
class HandButton:
    """A big button: the named button it presses, what stands on it, and what a screen reader says."""

    button: str
    text: str
    spoken: str
    tiles: str = ""
    chosen: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class HandGroup:
    """Buttons that belong together, under their title."""

    title: str
    buttons: tuple[HandButton, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class NameField:
    """A form field for the name of a player who sits."""

    seat: int
    label: str
    name: str


@dataclass(frozen=True, slots=True)
class NamesView:
    """The form that names the players, while they sit down."""

    fields: tuple[NameField, ...]


def groups(speaker: Speaker) -> tuple[HandGroup, ...]:
    """The live buttons in groups, in the order in which a turn needs them."""
    words, snapshot = speaker.words, speaker.snapshot
    all_groups: list[HandGroup] = []
    if snapshot.stage == "choosing":
        all_groups.extend(_menu(speaker))
    else:
        all_groups.append(HandGroup(words.say("twin.take"), tuple(_sources(speaker)), "sources"))
    if snapshot.ask.get("say") in ONE_BUTTON_A_SEAT:
        title = words.say("twin.first" if snapshot.ask.get("say") == "who_first" else "twin.seats")
        all_groups.append(HandGroup(title, tuple(_seats(speaker)), "seats"))
    else:
        all_groups.extend(_boards(speaker))
    all_groups.append(HandGroup(words.say("twin.table"), tuple(_table(speaker)), "table"))
    return tuple(group for group in all_groups if group.buttons)


def _sources(speaker: Speaker) -> Iterator[HandButton]:
    words, snapshot = speaker.words, speaker.snapshot
    choice = snapshot.choice
    for button in sorted(snapshot.live, key="centre".__eq__):  # the centre comes after the displays
        match button.split("."):
            case ["display", number] if number.isdecimal():
                source = int(number)
                tiles = snapshot.displays[source - 1] if 0 < source <= len(snapshot.displays) else ""
                text = number
                label = words.say("offer.display", number=number)
            case ["centre"]:
                source = 0
                tiles = snapshot.centre + ("m" if snapshot.marker_in_centre else "")
                text = label = words.say("offer.centre")
            case _:
                continue
        chosen = choice.colour if choice is not None and choice.source == source else ""
        spoken = words.say("offer.holds", source=label, tiles=speaker.tiles(tiles)) if tiles else label
        if chosen:
            given = {"source": label, "tiles": speaker.tiles(tiles), "chosen": speaker.colour(chosen)}
            spoken = words.say("offer.chosen", **given)
        kind = "display" if source else "centre"
        yield HandButton(button, text, spoken, in_order(tiles, snapshot), chosen, kind)


def _menu(speaker: Speaker) -> Iterator[HandGroup]:
    words, items = speaker.words, speaker.menu()
    for group in dict.fromkeys(item.group for item in items):
        buttons = []
        for item in items:
            if item.group == group and item.button in speaker.snapshot.live:
                name = words.say(f"menu.{group}.{item.value}")
                kind = "choice chosen" if item.chosen else "choice"
                buttons.append(HandButton(item.button, name, name, kind=kind))
        yield HandGroup(words.say(f"menu_title.{group}"), tuple(buttons), "menu")


def _seats(speaker: Speaker) -> Iterator[HandButton]:
    """One button for each seat where any of its buttons means the same."""
    words, snapshot = speaker.words, speaker.snapshot
    for seat in snapshot.seats:
        button = next((name for name in snapshot.live if name.startswith(f"seat.{seat.seat}.")), None)
        if button is not None:
            seat_name = words.say("player.seat", seat=seat.seat)
            text = speaker.who(seat.seat, seat.name) if seat.taken else seat_name
            yield HandButton(button, text, text, kind="seat")
    if snapshot.stage == "choosing" and "centre" in snapshot.live:
        name = words.say("twin.draw_first")
        yield HandButton("centre", name, name, kind="seat")


def _boards(speaker: Speaker) -> Iterator[HandGroup]:
    """The lines and the floor of each seat that has live ones."""
    words, snapshot = speaker.words, speaker.snapshot
    parts = [name.split(".") for name in snapshot.live if name.startswith("seat.")]
    many = len({seat for _, seat, *_ in parts}) > 1
    for seat in snapshot.seats:
        buttons = tuple(_board_button(speaker, seat, part) for part in parts if part[1] == str(seat.seat))
        named = many or snapshot.ask.get("say") == COLUMNS
        title = speaker.who(seat.seat, seat.name) if named else words.say("twin.put")
        yield HandGroup(title, buttons, "lines")


def _board_button(speaker: Speaker, seat: Seat, part: list[str]) -> HandButton:
    """A line of a seat, or its floor; where columns are asked for, a line's button means a column."""
    words, name = speaker.words, ".".join(part)
    match part[2:]:
        case ["line", column] if speaker.snapshot.ask.get("say") == COLUMNS:
            text = words.say("twin.column", column=column)
            return HandButton(name, text, f"{speaker.who(seat.seat, seat.name)}: {text}", kind="line")
        case ["line", line]:
            held = dict(enumerate(map(str, seat.lines), 1)).get(int(line) if line.isdecimal() else 0, "")
            return HandButton(
                name, words.say("twin.line", line=line), speaker.button(name), held, kind="line"
            )
        case _:
            return HandButton(name, words.say("twin.floor"), speaker.button(name), kind="floor")


def _table(speaker: Speaker) -> Iterator[HandButton]:
    for name in ("ok", "undo"):
        if name in speaker.snapshot.live:
            text = speaker.words.say(f"twin.{name}")
            yield HandButton(name, text, text, kind=name)


def names(speaker: Speaker) -> NamesView | None:
    """The form for the names; None when a game is on or nobody sits."""
    words, snapshot = speaker.words, speaker.snapshot
    if snapshot.stage not in ("seating", "choosing"):
        return None
    fields = tuple(
        NameField(seat.seat, _name_label(words, seat.seat), seat.name or "")
        for seat in snapshot.seats
        if seat.taken
    )
    return NamesView(fields) if fields else None


def _name_label(words: Words, seat: int) -> str:
    return words.say("twin.name_of", who=words.say("player.seat", seat=seat))


def drawing_state(speaker: Speaker | None, view: View) -> dict[str, object]:
    """What the drawing must know beside the lights: live buttons, labels, names, printed wall, colours."""
    if speaker is None:
        return {"live": [], "labels": {}, "names": {}, "patterns": {}, "palette": {}}
    snapshot: Snapshot = speaker.snapshot
    buttons = view.layout.buttons if view.layout is not None else ()
    return {
        "live": list(snapshot.live) if view.presence is Presence.HERE else [],
        "labels": {button.name: speaker.button(button.name) for button in buttons},
        "names": {str(seat.seat): speaker.who(seat.seat, seat.name) for seat in snapshot.seats if seat.taken},
        "patterns": {str(seat.seat): speaker.pattern(seat) for seat in snapshot.seats},
        "palette": {letter: colour.rgb.lower() for letter, colour in snapshot.palette.items()},
    }
