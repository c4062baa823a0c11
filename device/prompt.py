"""What the table waits for, and which buttons mean something now: the lights and the pages show the same."""

from dataclasses import dataclass, field

from device.rules.board import FLOOR, LINES, open_lines
from device.rules.standard import DISPLAYS
from device.rules.tiles import NO_TILES, letter
from device.table import Stage, Table, modes, seat_button, source_button


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing asked for: a key of the pages' words, and the values its sentence needs."""

    say: str
    values: dict[str, str | int | None] = field(default_factory=dict)


def prompt(table: Table) -> Prompt:
    """The one thing that the table waits for."""
    if table.fault is not None:
        fault = table.fault
        return Prompt("start_beside", {"why": fault.why, "path": fault.path, "new_path": fault.beside})
    if table.question is not None:
        return Prompt(table.question.value)
    match table.stage:
        case Stage.CHOOSING:
            return Prompt("who_first", {"mode": table.mode})
        case Stage.SCORING:
            return _scoring(table)
        case Stage.OVER:
            return Prompt("game_over")
        case Stage.OFFER:
            return _drafting(table)
        case _:
            return Prompt("seats_ready" if _enough_seats(table) else "take_seat")


def _scoring(table: Table) -> Prompt:
    assert table.play is not None
    assert table.ceremony is not None
    account = table.play.state.account
    shown = table.ceremony.shown
    if account is None or not shown:
        return Prompt("scoring_begins")
    place = table.play.places[account.steps[shown - 1].seat]
    return Prompt("scoring", _who(table, place))


def _drafting(table: Table) -> Prompt:
    place = table.acting_place
    if table.play is None or place is None:
        return Prompt("dealing")
    who = _who(table, place)
    if table.selection is None:
        return Prompt("draft", who)
    source, colour = table.selection.source, table.selection.colour
    count = table.play.state.sources[source][colour]
    return Prompt("place", who | {"source": source, "colour": letter(colour), "count": count})


def _who(table: Table, place: int) -> dict[str, str | int | None]:
    return {"seat": place, "name": table.names[place - 1] or None}


def live_buttons(table: Table) -> tuple[str, ...]:
    """The buttons that mean something now; every other press is refused."""
    if table.fault is not None:
        return ("ok",)
    live = _live_in_stage(table)
    return (*live, "ok") if table.question is not None and "ok" not in live else live


def _live_in_stage(table: Table) -> tuple[str, ...]:
    match table.stage:
        case Stage.SEATING:
            free = [place for place in range(1, table.places + 1) if place not in table.taken]
            ok = ("ok",) if _enough_seats(table) else ()
            return (*_seat_buttons(free), *ok, *(("undo",) if table.taken else ()))
        case Stage.CHOOSING:
            offered = range(1, len(modes(len(table.taken))) + 1)
            return (*map(source_button, offered), "centre", *_seat_buttons(table.taken), "undo")
        case Stage.OFFER:
            return (*map(source_button, sources_with_tiles(table)), *_live_lines(table), "undo")
        case _:
            return ("ok", "undo")


def _enough_seats(table: Table) -> bool:
    players = len(table.taken)
    return bool(modes(players)) and DISPLAYS[players] <= table.displays


def _seat_buttons(places: list[int] | tuple[int, ...]) -> list[str]:
    return [seat_button(place, line) for place in places for line in (*LINES, FLOOR)]


def sources_with_tiles(table: Table) -> tuple[int, ...]:
    """The sources that can be drafted from now; none where nobody has the turn."""
    if table.play is None or table.acting_place is None:
        return ()
    return tuple(source for source, tiles in enumerate(table.play.state.sources) if tiles != NO_TILES)


def lines_for_selection(table: Table) -> tuple[int, ...]:
    """The lines that take the selected tiles, the floor (0) last; none while nothing is selected."""
    if table.play is None or table.selection is None or table.acting_place is None:
        return ()
    board = table.play.state.boards[table.play.places.index(table.acting_place)]
    return (*open_lines(board, table.selection.colour), FLOOR)


def _live_lines(table: Table) -> list[str]:
    place = table.acting_place
    return [] if place is None else [seat_button(place, line) for line in lines_for_selection(table)]
