"""Prompts and live buttons: what the table waits for, for the lights and for the snapshot."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from device.rules.board import FLOOR, open_lines
from device.rules.events import CENTRE, Draft, Remove, Scoring, Swap, Tile
from device.rules.game import SOLO
from device.rules.tiles import letter
from device.table import physical_tiles, tags
from device.table.buttons import OK, UNDO, seat_button, seat_buttons, source_button
from device.table.game import Play, Selection, sources_with
from device.table.opponents import bots_to_act, can_skip
from device.table.seating import menu, seat_items, why_not_enough
from device.table.state import CurrentGame, Question, Stage, Table
from device.table.tag_input import seats_for_a_card
from device.table.tags import ActionCard, PlayerCard, TileTag
from device.table.turns import choices_of_people, choosing_places

_CHOICES = {Tile: "choose_column", Scoring: "choose_square", Swap: "choose_swap", Remove: "choose_removal"}

Values = dict[str, str | int | None]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the table asks for: a key of the pages' words, and the values of its sentence."""

    key: str
    values: Values = field(default_factory=dict)


def prompt(table: Table) -> Prompt:
    """Return the one thing that the table waits for."""
    game = table.game
    if (fault := table.faults.store) is not None:
        return Prompt("start_beside", {"why": fault.why, "path": fault.path, "new_path": fault.beside})
    if table.tags.lesson is not None:
        return _teaching(table.tags.known, table.tags.lesson)
    if game is None:
        return _before_game(table)
    if game.question is not None:
        return _question_prompt(table, game, game.question)
    match table.stage:
        case Stage.SCORING:
            return _scoring(table, game)
        case Stage.OFFER | Stage.CHOICE if (bots := _opponents(table, game)) is not None:
            return bots
        case Stage.OFFER:
            return _drafting(table, game)
        case Stage.REPORTING:
            return _reporting(game)
        case Stage.CHOICE:
            return Prompt(_CHOICES[type(next(iter(choices_of_people(table).values())))])
        case _:
            return Prompt("game_over")


def _teaching(known: tags.Tags, lesson: tags.Lesson) -> Prompt:
    """Return what the next tag will mean; for tiles with the number of known tags of the colour."""
    match tags.next_meaning(lesson, known):
        case TileTag(colour):
            count = tags.tile_counts(known)[colour]
            return Prompt("learn_tiles", {"colour": letter(colour), "count": count})
        case PlayerCard(name):
            return Prompt("learn_player", {"name": name})
        case ActionCard(action):
            return Prompt("learn_action", {"action": action.value})
        case None:
            return Prompt("learn_done")


def _before_game(table: Table) -> Prompt:
    if table.stage is Stage.CHOOSING:
        mode = table.next_game.options.mode
        return Prompt("solo_start" if mode == SOLO else "who_first", {"mode": mode})
    if table.tags.card is not None:
        return Prompt("card_seat", {"name": table.tags.card.name})
    return Prompt("take_seat" if why_not_enough(table) else "seats_ready")


def _question_prompt(table: Table, game: CurrentGame, question: Question) -> Prompt:
    """Return a question; of an undo with the player who is asked, and the place whose phone asks."""
    if question is not Question.UNDO_ASKED or game.asked_of is None:
        return Prompt(question.value)
    by = game.asked_by or None
    asker: Values = {"by": by, "by_name": table.seats.name_at(by) if by is not None else None}
    return Prompt(question.value, _who(table, game.asked_of) | asker)


def _scoring(table: Table, game: CurrentGame) -> Prompt:
    if game.tiles_to_move:
        return _moving(table, game.play)
    assert game.animation is not None
    account, shown = game.play.state.account, game.animation.shown
    if account is None or not shown:
        return Prompt("scoring_begins")
    return Prompt("scoring", _who(table, game.play.places[account.steps[shown - 1].seat]))


def _drafting(table: Table, game: CurrentGame) -> Prompt:
    place = table.acting_place
    if place is None:
        return Prompt("dealing")
    selection, who = game.selection, _who(table, place)
    if selection is None and game.colour_in_hand is not None:
        return Prompt("choose_source", who | {"colour": letter(game.colour_in_hand)})
    if selection is None:
        return Prompt("draft", who)
    who |= _tiles(game.play, selection)
    if selection.tried is None:
        return Prompt("place", who)
    loses = game.play.state.loses_at_once(Draft(selection.source, selection.colour, selection.tried))
    return Prompt("place_again", who | {"line": selection.tried, "loses": loses})


def _opponents(table: Table, game: CurrentGame) -> Prompt | None:
    """Return what an opponent does, where nobody else has a choice; None elsewhere."""
    if game.tiles_to_move:
        return _moving(table, game.play)
    seats = bots_to_act(table)
    if not seats or choices_of_people(table):
        return None
    selection, who = game.selection, _who(table, game.play.places[seats[0]])
    if selection is None:
        shown = any(each.step for each in game.bot_choices)
        return Prompt("bot_chooses" if shown else "bot_thinks", who)
    who |= _tiles(game.play, selection)
    if selection.tried is None:
        return Prompt("bot_takes", who)
    return Prompt("bot_puts", who | {"line": selection.tried})


def _moving(table: Table, play: Play) -> Prompt:
    """Return the request to move an opponent's physical tiles; after a draft it names them."""
    if play.setup.mode == SOLO or not isinstance(play.events[-1], Draft):
        return Prompt("move_for_bot")
    move = play.moves[-1]
    tiles: Values = {"source": move.draft.source, "colour": letter(move.draft.colour), "count": move.tiles}
    return Prompt("move_for_bot", _who(table, play.places[move.seat]) | tiles | {"line": move.draft.line})


def _reporting(game: CurrentGame) -> Prompt:
    """Return where the next drawn tile goes, and whether the lid goes into the bag before it is drawn."""
    slot = physical_tiles.next_slot(game)
    assert slot is not None
    bag = sum(physical_tiles.in_bag(game))
    if slot.display == physical_tiles.NOWHERE:
        return Prompt("tell_scoring_colour", {"bag": bag})
    if slot.display == physical_tiles.PENALTY_ROW:
        return Prompt("tell_penalty", {"at": slot.at, "bag": bag})
    key = "tell_after_lid" if physical_tiles.lid_is_due(game) else "tell_tile"
    return Prompt(key, {"display": slot.display, "at": slot.at, "bag": bag})


def _who(table: Table, place: int) -> Values:
    return {"seat": place, "name": table.seats.name_at(place)}


def _tiles(play: Play, chosen: Selection) -> Values:
    count = play.state.sources[chosen.source][chosen.colour]
    return {"source": chosen.source, "colour": letter(chosen.colour), "count": count}


# --- Questions ---


def asked(table: Table) -> str:
    """Return a text that identifies the question that the table asks now; no other question has the same.

    A question that is asked again, such as a draft that was taken back, has another text.
    """
    return f"{table.questions:x}"


def same_question(before: Table, after: Table) -> bool:
    """Return whether two states of a table, one after the other, ask the same question.

    A selection, a name, a step of an animation, an opponent that thinks and a hint change no question. While
    several seats choose columns, those of others do not either (G3). Before a game all is one question.
    """
    if _question(before) != _question(after):
        return False
    if before.play is None or after.play is None:
        return before.play is after.play
    return _same_position(before.play, after.play)


def _question(table: Table) -> tuple[object, ...]:
    """Return what a question consists of, apart from the position of the game."""
    game, lesson = table.game, table.tags.lesson
    if table.faults.store is not None:
        return (table.faults.store,)
    if lesson is not None:
        return lesson.subject, lesson.learned
    if game is None or game.question is not None:
        return (game.question if game is not None else None,)
    # with physical tiles people move the tiles of each step, and confirm it
    step = game.animation.shown if game.animation is not None and table.settings.physical_tiles else None
    return table.stage, len(game.reported_tiles), game.tiles_to_move, step


def _same_position(before: Play, after: Play) -> bool:
    if before.state.simultaneous and after.state.simultaneous:
        return after.events[: len(before.events)] == before.events
    return before is after or before.events == after.events


# --- Live buttons ---


def live_buttons(table: Table) -> tuple[str, ...]:
    """Return the buttons that do something now; every other press is refused."""
    if table.faults.store is not None:
        return (OK,)
    if table.tags.lesson is not None:
        return (OK, UNDO) if table.tags.lesson.learned else (OK,)
    if table.game is None:
        return _live_before_game(table)
    live = _live_in_game(table)
    return (*live, OK) if table.game.question is not None and OK not in live else live


def _live_before_game(table: Table) -> tuple[str, ...]:
    taken = table.seats.taken
    if table.stage is Stage.CHOOSING:
        items = [item.button for item in menu(table)]
        return (*dict.fromkeys((*items, source_button(CENTRE))), *_buttons_of(taken), UNDO)
    ok = () if why_not_enough(table) else (OK,)
    if table.tags.card is not None:
        return (*_buttons_of(seats_for_a_card(table)), *ok, UNDO)
    free = [place for place in range(1, table.settings.places + 1) if place not in taken]
    given = [item.button for item in seat_items(table) if not item.chosen]
    return (*_buttons_of(free), *given, *ok, *((UNDO,) if taken else ()))


def _live_in_game(table: Table) -> tuple[str, ...]:
    skip = (OK,) if can_skip(table) else ()
    match table.stage:
        case Stage.OFFER:
            lines = () if table.bots_turn else lines_for_selection(table)
            live = [seat_button(place, line) for place in acting_places(table) for line in lines]
            return (*map(source_button, sources_on_offer(table)), *live, *skip, UNDO)
        case Stage.REPORTING:
            return (UNDO,)
        case Stage.CHOICE:
            due = choices_of_people(table)
            return (*due, *(button for button in skip if button not in due), UNDO)
        case _:
            return (OK, UNDO)


def _buttons_of(places: Iterable[int]) -> list[str]:
    return [button for place in places for button in seat_buttons(place)]


def acting_places(table: Table) -> tuple[int, ...]:
    """Return the places that have a choice now, opponents' too: one in an offer, several on gray (G3)."""
    if table.acting_place is not None:
        return (table.acting_place,)
    if table.play is None or table.stage is not Stage.CHOICE:
        return ()
    return choosing_places(table.play)


def sources_on_offer(table: Table) -> tuple[int, ...]:
    """Return the sources that a person can draft from now."""
    if table.game is None or table.acting_place is None or table.bots_turn:
        return ()
    if table.game.colour_in_hand is not None:
        return sources_with(table.game.play, table.game.colour_in_hand)
    return table.game.play.state.sources_to_draft()


def lines_for_selection(table: Table) -> tuple[int, ...]:
    """Return the lines that take the selected tiles, the floor (0) last; none while nothing is selected.

    For an opponent's selection it is the line that it chose, once that is shown.
    """
    place, game = table.acting_place, table.game
    if game is None or game.selection is None or place is None:
        return ()
    if table.bots_turn:
        return () if game.selection.tried is None else (game.selection.tried,)
    board = game.play.state.boards[game.play.places.index(place)]
    return (*open_lines(board, game.selection.colour), FLOOR)
