"""What the table waits for, and which buttons mean something now: the lights and the pages show the same."""

from dataclasses import dataclass, field

from device import resin
from device.appliance import Stage, Table
from device.buttons import OK, UNDO, place_and_line_of, seat_button, seat_buttons, source_button
from device.choices import choices
from device.play import sources_to_draft
from device.rules.board import FLOOR, open_lines
from device.rules.events import CENTRE, Event, Remove, Scoring, Swap
from device.rules.game import SOLO
from device.rules.tiles import letter
from device.seating import menu, why_not_enough

Values = dict[str, str | int | None]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing asked for: a key of the pages' words, and the values its sentence needs."""

    say: str
    values: Values = field(default_factory=dict)


def prompt(table: Table) -> Prompt:
    """The one thing that the table waits for."""
    if table.fault is not None:
        fault = table.fault
        return Prompt("start_beside", {"why": fault.why, "path": fault.path, "new_path": fault.beside})
    if table.question is not None:
        return Prompt(table.question.value)
    match table.stage:
        case Stage.CHOOSING:
            solo = table.wishes.mode == SOLO
            return Prompt("solo_start" if solo else "who_first", {"mode": table.wishes.mode})
        case Stage.SCORING:
            return _scoring(table)
        case Stage.OVER:
            return Prompt("game_over")
        case Stage.OFFER:
            return _drafting(table)
        case Stage.TELLING:
            return _telling(table)
        case Stage.CHOICE:
            return _choosing(table)
        case _:
            return Prompt("take_seat" if why_not_enough(table) else "seats_ready")


def _scoring(table: Table) -> Prompt:
    assert table.play is not None
    assert table.ceremony is not None
    account = table.play.state.account
    shown = table.ceremony.shown
    if account is None or not shown:
        return Prompt("scoring_begins")
    return Prompt("scoring", _who(table, table.play.places[account.steps[shown - 1].seat]))


def _drafting(table: Table) -> Prompt:
    place = table.acting_place
    if table.play is None or place is None:
        return Prompt("dealing")
    selection = table.selection
    who = _who(table, place)
    if selection is None:
        return Prompt("draft", who)
    count = table.play.state.sources[selection.source][selection.colour]
    tiles: Values = {"source": selection.source, "colour": letter(selection.colour), "count": count}
    if selection.tried is None:
        return Prompt("place", who | tiles)
    return Prompt("place_again", who | tiles | {"line": selection.tried})


def _telling(table: Table) -> Prompt:
    """Where the next drawn tile goes; when the bag has run empty, that the lid is poured into it first."""
    slot = resin.next_slot(table)
    assert slot is not None
    bag = sum(resin.in_bag(table))
    if slot.display == resin.NOWHERE:
        return Prompt("tell_scoring_colour", {"bag": bag})
    if slot.display == resin.PENALTY_ROW:
        return Prompt("tell_penalty", {"at": slot.at, "bag": bag})
    say = "tell_after_lid" if resin.lid_is_due(table) else "tell_tile"
    return Prompt(say, {"display": slot.display, "at": slot.at, "bag": bag})


def _choosing(table: Table) -> Prompt:
    """What the choices are about; several seats at once are asked together (G3)."""
    assert table.play is not None
    events = list(choices(table.play).values())
    return Prompt(_choice_key(events[0]))


def _choice_key(event: Event) -> str:
    match event:
        case Scoring():
            return "choose_square"
        case Swap():
            return "choose_swap"
        case Remove():
            return "choose_removal"
        case _:
            return "choose_column"


def _who(table: Table, place: int) -> Values:
    return {"seat": place, "name": table.names[place - 1] or None}


def live_buttons(table: Table) -> tuple[str, ...]:
    """The buttons that mean something now; every other press is refused."""
    if table.fault is not None:
        return (OK,)
    live = _live_in_stage(table)
    return (*live, OK) if table.question is not None and OK not in live else live


def _live_in_stage(table: Table) -> tuple[str, ...]:
    match table.stage:
        case Stage.SEATING:
            free = [place for place in range(1, table.places + 1) if place not in table.taken]
            ok = () if why_not_enough(table) else (OK,)
            return (*_buttons_of(free), *ok, *((UNDO,) if table.taken else ()))
        case Stage.CHOOSING:
            items = [item.button for item in menu(table)]
            return (*items, source_button(CENTRE), *_buttons_of(table.taken), UNDO)
        case Stage.OFFER:
            return (*map(source_button, sources_on_offer(table)), *_live_lines(table), UNDO)
        case Stage.TELLING:
            return (UNDO,)
        case Stage.CHOICE:
            assert table.play is not None
            return (*choices(table.play), UNDO)
        case _:
            return (OK, UNDO)


def _buttons_of(places: list[int] | tuple[int, ...]) -> list[str]:
    return [button for place in places for button in seat_buttons(place)]


def acting_places(table: Table) -> tuple[int, ...]:
    """The places that have a choice now: one in an offer, several at once on gray walls (G3)."""
    if table.acting_place is not None:
        return (table.acting_place,)
    if table.play is None or table.stage is not Stage.CHOICE:
        return ()
    found = (place_and_line_of(button) for button in choices(table.play))
    return tuple(sorted({place for place, _ in filter(None, found)}))


def sources_on_offer(table: Table) -> tuple[int, ...]:
    """The sources that can be drafted from now; none where nothing is drafted."""
    if table.play is None or table.acting_place is None:
        return ()
    return sources_to_draft(table.play.state)


def lines_for_selection(table: Table) -> tuple[int, ...]:
    """The lines that take the selected tiles, the floor (0) last; none while nothing is selected."""
    if table.play is None or table.selection is None or table.acting_place is None:
        return ()
    board = table.play.state.boards[table.play.places.index(table.acting_place)]
    return (*open_lines(board, table.selection.colour), FLOOR)


def _live_lines(table: Table) -> list[str]:
    place = table.acting_place
    return [] if place is None else [seat_button(place, line) for line in lines_for_selection(table)]
