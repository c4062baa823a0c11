"""What the twin's hands can do now: the live buttons in groups, and what every drawn button is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from web_ui.latest import Presence, View
from web_ui.messages import Choosing, Hint, Seat, SimulatedCard, Snapshot
from web_ui.text.sentences import ACTION, SnapshotFormatter
from web_ui.text.words import Words
from web_ui.views.phone import BEFORE_THE_GAME, source

# --- What lies beside simulated readers: the drawer of tagged tiles, and the cards -----------------------


@dataclass(frozen=True, slots=True)
class DrawerView:
    """The tagged tiles, colour by colour: the letter, the name, and the tags.

    `told` are those that lie on the table or are known; empty where the page marks them by itself. `blind`:
    one can be drawn without looking.
    """

    colours: tuple[tuple[str, str, tuple[str, ...]], ...]
    used: tuple[str, ...]
    blind: bool


@dataclass(frozen=True, slots=True)
class CardInHand:
    """A card: its tag, what is written on it, and whether it is a player's, an action's or blank."""

    tag: str
    text: str
    kind: str


def tiles(formatter: SnapshotFormatter, *, marked: bool = False) -> DrawerView | None:
    """The drawer; None while no tile is to be told or learned, and on a real table."""
    snapshot = formatter.snapshot
    if snapshot.simulated is None or snapshot.simulated.drawer is None:
        return None
    tags = snapshot.simulated.drawer
    return DrawerView(
        tuple((letter, formatter.colour_title(letter), tags[letter]) for letter in tags),
        told_tags(snapshot) if marked else (),
        blind=snapshot.learning is None,
    )


def told_tags(snapshot: Snapshot) -> tuple[str, ...]:
    """The drawer's tiles that lie on the table already, or are known while tiles are learned."""
    if snapshot.learning is not None:
        return snapshot.simulated.known if snapshot.simulated is not None else ()
    return tuple(tile.tag for tile in snapshot.resin.told if tile.tag) if snapshot.resin is not None else ()


def cards(formatter: SnapshotFormatter) -> tuple[CardInHand, ...]:
    """The cards beside simulated readers; none on a real table."""
    simulated = formatter.snapshot.simulated
    return tuple(_card(formatter, card) for card in simulated.cards) if simulated is not None else ()


def _card(formatter: SnapshotFormatter, card: SimulatedCard) -> CardInHand:
    match card.kind:
        case "player":
            return CardInHand(card.tag, str(card.value), "player")
        case "action":
            return CardInHand(
                card.tag, formatter.words.text_or(f"action.{card.value}", "action.other"), "action"
            )
        case _:
            return CardInHand(card.tag, formatter.words.text("resin.blank_card"), "blank")


# ----------------------------------------------------------------------------------------------------------

ONE_BUTTON_A_SEAT = ("take_seat", "seats_ready", "card_seat", "who_first", "solo_start")
"""What is asked for where any button of a seat means the same."""

TELLING = "telling"
"""The stage in which tiles of resin are told."""


@dataclass(frozen=True, slots=True)
class HandButton:
    """A big button: the named button it presses, what stands on it, and what a screen reader says.

    Sends: the tiles that it would send to the solo game's penalty row. Hint: instead of pressing it asks for
    a hint, for this seat, or for all who are to choose (0).
    """

    button: str
    text: str
    spoken: str
    tiles: str = ""
    chosen: str = ""
    kind: str = ""
    sends: str = ""
    hint: str = ""


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


@dataclass(frozen=True, slots=True)
class TellView:
    """Five buttons to tell a tile of resin that was drawn: letter, name, and how many the bag holds."""

    tiles: tuple[tuple[str, str, int], ...]
    can_take_back: bool


@dataclass(frozen=True, slots=True)
class PlugView:
    """Whether the simulated Pico is plugged in."""

    plugged: bool


def groups(formatter: SnapshotFormatter) -> tuple[HandGroup, ...]:
    """The live buttons in groups, in the order in which a turn needs them."""
    words, snapshot = formatter.words, formatter.snapshot
    all_groups: list[HandGroup] = []
    if snapshot.stage == "choosing":
        all_groups.extend(_menu(formatter))
    else:
        all_groups.append(HandGroup(words.text("twin.take"), tuple(_sources(formatter)), "sources"))
    if snapshot.ask.get("say") in ONE_BUTTON_A_SEAT:
        all_groups.append(HandGroup(_seats_title(formatter), tuple(_seats(formatter)), "seats"))
        all_groups.extend(_opponents(formatter))
    elif snapshot.choosing:
        all_groups.extend(_choosing(formatter))
    else:
        all_groups.extend(_boards(formatter))
    all_groups.append(HandGroup(words.text("twin.table"), tuple(_table(formatter)), "table"))
    return tuple(group for group in all_groups if group.buttons)


def _sources(formatter: SnapshotFormatter) -> Iterator[HandButton]:
    snapshot = formatter.snapshot
    for button in sorted(snapshot.live, key="centre".__eq__):  # the centre comes after the displays
        match button.split("."):
            case ["display", number] if number.isdecimal():
                at, kind = int(number), "display"
                tiles = snapshot.displays[at - 1] if 0 < at <= len(snapshot.displays) else ""
            case ["centre"]:
                at, kind = 0, "centre"
                tiles = snapshot.centre + ("m" if snapshot.marker_in_centre else "")
            case _:
                continue
        shown = source(formatter, at, tiles)
        spoken = shown.spoken if tiles else shown.label
        yield HandButton(button, str(at or shown.label), spoken, shown.tiles, shown.chosen, kind)


def _menu(formatter: SnapshotFormatter) -> Iterator[HandGroup]:
    words, items = formatter.words, formatter.snapshot.menu
    for group in dict.fromkeys(item.group for item in items):
        buttons = []
        for item in items:
            if item.group == group and item.button in formatter.snapshot.live:
                name = words.text(f"menu.{group}.{item.value}")
                kind = "choice chosen" if item.chosen else "choice"
                buttons.append(HandButton(item.button, name, name, kind=kind))
        yield HandGroup(words.text(f"menu_title.{group}"), tuple(buttons), "menu")


def _seats_title(formatter: SnapshotFormatter) -> str:
    key = {"who_first": "first", "solo_start": "start"}.get(str(formatter.snapshot.ask.get("say")), "seats")
    return formatter.words.text(f"twin.{key}")


def _seats(formatter: SnapshotFormatter) -> Iterator[HandButton]:
    """One button for each seat where any of its buttons means the same."""
    words, snapshot = formatter.words, formatter.snapshot
    alone = snapshot.ask.get("say") == "solo_start"
    sitting = snapshot.stage == "seating"
    for seat in snapshot.seats:
        button = next((name for name in snapshot.live if name.startswith(f"seat.{seat.seat}.")), None)
        if button is not None and not (sitting and seat.taken):
            seat_name = words.text("player.seat", seat=seat.seat)
            text = formatter.who(seat.seat, seat.name) if seat.taken else seat_name
            if alone:
                text = words.text("twin.begin")
            yield HandButton(button, text, text, kind="seat")
    if snapshot.stage == "choosing" and "centre" in snapshot.live and not alone:
        name = words.text("twin.draw_first")
        yield HandButton("centre", name, name, kind="seat")


def _opponents(formatter: SnapshotFormatter) -> Iterator[HandGroup]:
    """For each taken seat, who could have it instead."""
    words, snapshot = formatter.words, formatter.snapshot
    for seat in snapshot.seats:
        buttons = []
        for item in snapshot.opponents:
            if item.place == seat.seat and item.button in snapshot.live:
                name = formatter.opponent(item.bot) if item.bot else words.text("twin.person")
                spoken = words.text("player.opponent", who=name, what=formatter.strength(item.bot))
                buttons.append(HandButton(item.button, name, spoken if item.bot else name, kind="choice"))
        title = words.text("twin.give", who=formatter.who(seat.seat, seat.name))
        yield HandGroup(title, tuple(buttons), "choices")


def _choosing(formatter: SnapshotFormatter) -> Iterator[HandGroup]:
    """The choices that are no drafts, seat by seat where several choose at once."""
    words, all_due = formatter.words, formatter.snapshot.choosing
    for seat, kind in dict.fromkeys((each.seat, each.kind) for each in all_due):
        due = [each for each in all_due if (each.seat, each.kind) == (seat, kind)]
        buttons = tuple(_choice_button(formatter, each) for each in due)
        match kind:
            case "column":
                given = {"who": formatter.who(seat), "due": formatter.column_due(due[0])}
                title = words.text("twin.column_of", **given)
            case "square":
                title = words.text("twin.square_title")
            case _:
                title = words.text("twin.swap_title")
        yield HandGroup(title, buttons, "choices narrow" if kind == "column" else "choices")


def _choice_button(formatter: SnapshotFormatter, each: Choosing) -> HandButton:
    words, ordinal = formatter.words, formatter.ordinal
    tiles = _penalty_row(formatter)
    match each.kind:
        case "column":
            text = words.text("twin.column", column=each.column)
            spoken = f"{formatter.who(each.seat)}: {text}"
            return HandButton(each.button, text, spoken, kind="choice")
        case "square":
            text = words.text("twin.square", row=each.row, column=each.column)
            return HandButton(each.button, text, text, each.colour, kind="choice")
        case "swap" if each.position is not None:
            pair = tiles[each.position - 1 : each.position + 1]
            places = {"first": ordinal(each.position), "second": ordinal(each.position + 1)}
            colours = dict(zip(("colour", "other"), map(formatter.colour, pair), strict=False))
            spoken = words.text("twin.swap_of", **places, **colours)
            return HandButton(each.button, words.text("twin.swap", **places), spoken, pair, kind="choice")
        case "remove" if each.position is not None:
            tile = tiles[each.position - 1 : each.position]
            given = {"position": ordinal(each.position), "colour": formatter.colour(tile)}
            text = words.text("twin.remove", **given)
            return HandButton(each.button, text, text, tile, kind="choice")
        case _:
            text = words.text("twin.leave" if each.button == "ok" else "twin.other")
            return HandButton(each.button, text, text, kind="choice")


def _penalty_row(formatter: SnapshotFormatter) -> str:
    return next((seat.floor for seat in formatter.snapshot.seats if seat.role == ACTION), "")


def _boards(formatter: SnapshotFormatter) -> Iterator[HandGroup]:
    """The lines and the floor of each seat that has live ones."""
    words, snapshot = formatter.words, formatter.snapshot
    parts = [name.split(".") for name in snapshot.live if name.startswith("seat.")]
    many = len({seat for _, seat, *_ in parts}) > 1
    for seat in snapshot.seats:
        buttons = tuple(_board_button(formatter, seat, part) for part in parts if part[1] == str(seat.seat))
        title = formatter.who(seat.seat, seat.name) if many else words.text("twin.put")
        yield HandGroup(title, buttons, "lines")


def _board_button(formatter: SnapshotFormatter, seat: Seat, part: list[str]) -> HandButton:
    """A line of a seat, or its floor; in solo with what it would send to the penalty row."""
    words, name = formatter.words, ".".join(part)
    match part[2:]:
        case ["line", line]:
            held = dict(enumerate(map(str, seat.lines), 1)).get(int(line) if line.isdecimal() else 0, "")
            plain = HandButton(
                name, words.text("twin.line", line=line), formatter.button(name), held, kind="line"
            )
            return _with_penalty(formatter, plain, line)
        case _:
            text = words.text("twin.fall" if formatter.solo else "twin.floor")
            plain = HandButton(name, text, formatter.button(name), kind="floor")
            return _with_penalty(formatter, plain, "0")


def _with_penalty(formatter: SnapshotFormatter, plain: HandButton, line: str) -> HandButton:
    choice = formatter.snapshot.choice
    sends = choice.sends.get(line, "") if choice is not None else ""
    if choice is None or not sends:
        return plain
    spoken = formatter.words.text("twin.sends", button=plain.spoken, sent=formatter.tiles(sends))
    kind = plain.kind
    if str(choice.tried) == line:
        spoken, kind = formatter.words.text("twin.tried", button=spoken), f"{kind} chosen"
    return replace(plain, spoken=spoken, sends=sends, kind=kind)


def hint_button(formatter: SnapshotFormatter) -> HandButton | None:
    """A button that asks for a hint: for the one seat that may ask here, or for all of several."""
    seats = formatter.snapshot.hint.seats
    if not seats:
        return None
    text = formatter.words.text("hint.ask")
    return HandButton("", text, text, kind="hint", hint=str(seats[0] if len(seats) == 1 else 0))


def _table(formatter: SnapshotFormatter) -> Iterator[HandButton]:
    if (asking := hint_button(formatter)) is not None:
        yield asking
    taken = {each.button for each in formatter.snapshot.choosing}
    for name in ("ok", "undo"):
        if name in formatter.snapshot.live and name not in taken:
            text = formatter.words.text(f"twin.{name}")
            yield HandButton(name, text, text, kind=name)


def tell(formatter: SnapshotFormatter) -> TellView | None:
    """The buttons that tell which tile of resin was drawn; None while none is to be told."""
    snapshot = formatter.snapshot
    resin = snapshot.resin
    if resin is None or snapshot.stage != TELLING:
        return None
    letters = snapshot.palette
    tiles = tuple((letter, formatter.colour_title(letter), resin.bag.count(letter)) for letter in letters)
    return TellView(tiles, bool(resin.told))


def plug(formatter: SnapshotFormatter) -> PlugView | None:
    """The plug of a simulated Pico; None where there is none."""
    simulated = formatter.snapshot.simulated
    if simulated is None or simulated.plugged is None:
        return None
    return PlugView(simulated.plugged)


def names(formatter: SnapshotFormatter) -> NamesView | None:
    """The form for the names; None when a game is on or nobody sits."""
    words, snapshot = formatter.words, formatter.snapshot
    if snapshot.stage not in BEFORE_THE_GAME:
        return None
    fields = tuple(
        NameField(seat.seat, _name_label(words, seat.seat), seat.name or "")
        for seat in snapshot.seats
        if seat.taken and not seat.bot
    )
    return NamesView(fields) if fields else None


def _name_label(words: Words, seat: int) -> str:
    return words.text("twin.name_of", who=words.text("player.seat", seat=seat))


def drawing_state(formatter: SnapshotFormatter | None, view: View) -> dict[str, object]:
    """What the drawing must know beside the lights: live buttons, labels, names, printed wall and so on."""
    if formatter is None:
        return {
            "live": [],
            "labels": {},
            "names": {},
            "patterns": {},
            "palette": {},
            "scoring": "",
            "used": [],
        }
    snapshot: Snapshot = formatter.snapshot
    buttons = view.layout.buttons if view.layout is not None else ()
    action = next((seat.seat for seat in snapshot.seats if seat.role == ACTION), 0)
    scoring = [action, *snapshot.scoring_tile] if snapshot.scoring_tile is not None else []
    return {
        "live": list(snapshot.live) if view.presence is Presence.HERE else [],
        "labels": {button.name: formatter.button(button.name) for button in buttons},
        "names": {
            str(seat.seat): formatter.who(seat.seat, seat.name) for seat in snapshot.seats if seat.taken
        },
        "patterns": {str(seat.seat): seat.pattern for seat in snapshot.seats},
        "palette": {letter: colour.rgb.lower() for letter, colour in snapshot.palette.items()},
        "scoring": ".".join(map(str, scoring)),
        "used": list(told_tags(snapshot)),
    }


# --- What a phone's hands can do now: of all live buttons those that phones may press ---

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


def phone_groups(formatter: SnapshotFormatter, seat: int) -> tuple[HandGroup, ...]:
    """The live buttons that a phone at this seat may press, in groups, as the twin has them."""
    return groups(SnapshotFormatter(formatter.words, _within_reach(formatter, seat)))


def _within_reach(formatter: SnapshotFormatter, seat: int) -> Snapshot:
    """The snapshot with no more live in it than this phone may press."""
    snapshot = formatter.snapshot
    allowed = {name for name in snapshot.phones.press if _is_mine(formatter, name, seat)}
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


def _is_mine(formatter: SnapshotFormatter, button: str, seat: int) -> bool:
    """Whether a button is this seat's business: its own board's, the table's, in its turn also the sources'.

    Who plays alone has both boards.
    """
    snapshot = formatter.snapshot
    if seat == NO_SEAT or formatter.solo or snapshot.ask.get("say") in ANY_SEAT:
        return True
    match button.split("."):
        case ["seat", number, *_]:
            return number == str(seat)
        case ["display" | "centre", *_]:
            acting = [each.seat for each in snapshot.seats if each.acting]
            return not acting or seat in acting
        case _:
            return True


def phone_names(formatter: SnapshotFormatter, seat: int) -> NamesView | None:
    """The form for the names that this phone may give: its own player's."""
    snapshot = formatter.snapshot
    form = names(formatter)
    fields = tuple(
        field
        for field in (form.fields if form is not None else ())
        if seat in (NO_SEAT, field.seat) and f"seat.{field.seat}.floor" in snapshot.phones.press
    )
    return NamesView(fields) if fields else None


def tell_phone(formatter: SnapshotFormatter, *, at_table: bool) -> TellView | None:
    """The buttons that tell a tile of resin, where this page may."""
    phones, form = formatter.snapshot.phones, tell(formatter)
    if form is None or at_table:
        return form
    return replace(form, can_take_back=form.can_take_back and "undo" in phones.press) if phones.tell else None


def seat_choice(formatter: SnapshotFormatter, seat: int) -> SeatChoice | None:
    """The seats to choose from; None where a phone has nothing to do that is one seat's business."""
    words, snapshot = formatter.words, formatter.snapshot
    phones = snapshot.phones
    if formatter.solo or not (phones.hint or any(name.startswith("seat.") for name in phones.press)):
        return None
    options = [
        SeatOption(
            each.seat,
            str(each.seat),
            formatter.who(each.seat, each.name) if each.taken else words.text("player.free"),
            each.seat == seat,
        )
        for each in snapshot.seats
        if each.role != ACTION
        and each.bot is None  # an opponent has no phone
        and (each.taken or each.seat == seat or snapshot.stage in BEFORE_THE_GAME)
    ]
    everybody = SeatOption(NO_SEAT, words.text("phone.all"), words.text("phone.shared"), seat == NO_SEAT)
    return SeatChoice((*options, everybody))
