"""What the table waits for, and which buttons mean something now: the lights and the pages show the same."""

from dataclasses import dataclass, field

from device.rules.board import FLOOR, open_lines
from device.rules.events import CENTRE, Draft, Event, Remove, Scoring, Swap
from device.rules.game import SOLO
from device.rules.tiles import letter
from device.table import physical_tiles, tags
from device.table.buttons import OK, UNDO, place_and_line_of, seat_button, seat_buttons, source_button
from device.table.game import Play, Selection, sources_with
from device.table.opponents import bots_to_act, can_skip
from device.table.seating import menu, seat_items, why_not_enough
from device.table.state import Stage, Table
from device.table.tag_input import seats_for_a_card
from device.table.tags import ActionCard, PlayerCard, TileTag
from device.table.turns import choices, choices_of_people

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
    if table.lesson is not None:
        return _learning(table, table.lesson)
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
        case Stage.OFFER | Stage.CHOICE if (bots := _opponents(table)) is not None:
            return bots
        case Stage.OFFER:
            return _drafting(table)
        case Stage.REPORTING:
            return _telling(table)
        case Stage.CHOICE:
            return _choosing(table)
        case Stage.SEATING if table.card is not None:
            return Prompt("card_seat", {"name": table.card.name})
        case _:
            return Prompt("take_seat" if why_not_enough(table) else "seats_ready")


def _learning(table: Table, lesson: tags.Lesson) -> Prompt:
    """What the next tag will mean; of tiles, how many of the colour are known already."""
    match tags.next_meaning(lesson, table.tags):
        case TileTag(colour):
            known = tags.tile_counts(table.tags)[colour]
            return Prompt("learn_tiles", {"colour": letter(colour), "count": known})
        case PlayerCard(name):
            return Prompt("learn_player", {"name": name})
        case ActionCard(action):
            return Prompt("learn_action", {"action": action.value})
        case None:
            return Prompt("learn_done")


def _scoring(table: Table) -> Prompt:
    assert table.play is not None
    assert table.ceremony is not None
    if table.hands_due:
        return _moving(table)
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
    if selection is None and table.colour_in_hand is not None:
        return Prompt("choose_source", who | {"colour": letter(table.colour_in_hand)})
    if selection is None:
        return Prompt("draft", who)
    tiles = _tiles(table.play, selection)
    if selection.tried is None:
        return Prompt("place", who | tiles)
    draft = Draft(selection.source, selection.colour, selection.tried)
    return Prompt(
        "place_again", who | tiles | {"line": selection.tried, "loses": table.play.state.loses_at_once(draft)}
    )


def _opponents(table: Table) -> Prompt | None:
    """What an opponent does, where all wait for it; with tiles of resin, that people move its tiles."""
    if table.hands_due:
        return _moving(table)
    seats = bots_to_act(table)
    if table.play is None or not seats or choices_of_people(table):
        return None
    who = _who(table, table.play.places[seats[0]])
    chosen = table.selection
    if chosen is None:
        shown = any(each.step for each in table.chosen)
        return Prompt("bot_chooses" if shown else "bot_thinks", who)
    tiles = _tiles(table.play, chosen)
    if chosen.tried is None:
        return Prompt("bot_takes", who | tiles)
    return Prompt("bot_puts", who | tiles | {"line": chosen.tried})


def _moving(table: Table) -> Prompt:
    """That people move an opponent's tiles of resin; which, where it has drafted them to its board."""
    play = table.play
    assert play is not None
    if play.setup.mode == SOLO or not isinstance(play.events[-1], Draft):
        return Prompt("move_for_bot")
    move = play.moves[-1]
    tiles: Values = {"source": move.draft.source, "colour": letter(move.draft.colour), "count": move.tiles}
    return Prompt("move_for_bot", _who(table, play.places[move.seat]) | tiles | {"line": move.draft.line})


def _telling(table: Table) -> Prompt:
    """Where the next drawn tile goes; when the bag has run empty, that the lid is poured into it first."""
    slot = physical_tiles.next_slot(table)
    assert slot is not None
    bag = sum(physical_tiles.in_bag(table))
    if slot.display == physical_tiles.NOWHERE:
        return Prompt("tell_scoring_colour", {"bag": bag})
    if slot.display == physical_tiles.PENALTY_ROW:
        return Prompt("tell_penalty", {"at": slot.at, "bag": bag})
    say = "tell_after_lid" if physical_tiles.lid_is_due(table) else "tell_tile"
    return Prompt(say, {"display": slot.display, "at": slot.at, "bag": bag})


def _choosing(table: Table) -> Prompt:
    """What the choices are about; several seats at once are asked together (G3)."""
    events = list(choices_of_people(table).values())
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
    return {"seat": place, "name": table.known_as(place)}


def _tiles(play: Play, chosen: Selection) -> Values:
    count = play.state.sources[chosen.source][chosen.colour]
    return {"source": chosen.source, "colour": letter(chosen.colour), "count": count}


def live_buttons(table: Table) -> tuple[str, ...]:
    """The buttons that mean something now; every other press is refused."""
    if table.fault is not None:
        return (OK,)
    if table.lesson is not None:
        return (OK, UNDO) if table.lesson.learned else (OK,)
    live = _live_in_stage(table)
    return (*live, OK) if table.question is not None and OK not in live else live


def _live_in_stage(table: Table) -> tuple[str, ...]:
    match table.stage:
        case Stage.SEATING:
            free = [place for place in range(1, table.places + 1) if place not in table.taken]
            given = [item.button for item in seat_items(table) if not item.chosen]
            ok = () if why_not_enough(table) else (OK,)
            if table.card is not None:
                return (*_buttons_of(seats_for_a_card(table)), *ok, UNDO)
            return (*_buttons_of(free), *given, *ok, *((UNDO,) if table.taken else ()))
        case Stage.CHOOSING:
            items = [item.button for item in menu(table)]
            return (*dict.fromkeys((*items, source_button(CENTRE))), *_buttons_of(table.taken), UNDO)
        case Stage.OFFER:
            sources = map(source_button, sources_on_offer(table))
            return (*sources, *_live_lines(table), *_skipping(table), UNDO)
        case Stage.REPORTING:
            return (UNDO,)
        case Stage.CHOICE:
            due = choices_of_people(table)
            return (*due, *(button for button in _skipping(table) if button not in due), UNDO)
        case _:
            return (OK, UNDO)


def _skipping(table: Table) -> tuple[str, ...]:
    return (OK,) if can_skip(table) else ()


def _buttons_of(places: list[int] | tuple[int, ...]) -> list[str]:
    return [button for place in places for button in seat_buttons(place)]


def acting_places(table: Table) -> tuple[int, ...]:
    """The places that have a choice now, opponents' too: in an offer one, on gray walls several (G3)."""
    if table.acting_place is not None:
        return (table.acting_place,)
    if table.play is None or table.stage is not Stage.CHOICE:
        return ()
    found = (place_and_line_of(button) for button in choices(table.play))
    return tuple(sorted({place for place, _ in filter(None, found)}))


def sources_on_offer(table: Table) -> tuple[int, ...]:
    """The sources that people can draft from now; none where nothing is drafted."""
    if table.play is None or table.acting_place is None or table.bots_turn:
        return ()
    if table.colour_in_hand is not None:
        return sources_with(table.play, table.colour_in_hand)
    return table.play.state.sources_to_draft()


def lines_for_selection(table: Table) -> tuple[int, ...]:
    """The lines that take the selected tiles, the floor (0) last; none while nothing is selected.

    Of an opponent the one that it has chosen, once that is shown.
    """
    if table.play is None or table.selection is None or table.acting_place is None:
        return ()
    if table.bots_turn:
        return () if table.selection.tried is None else (table.selection.tried,)
    board = table.play.state.boards[table.play.places.index(table.acting_place)]
    return (*open_lines(board, table.selection.colour), FLOOR)


def _live_lines(table: Table) -> list[str]:
    place = table.acting_place
    if place is None or table.bots_turn:
        return []
    return [seat_button(place, line) for line in lines_for_selection(table)]
