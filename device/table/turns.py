"""Turns of people: selecting a source, drafting to a line, other choices by button, undo."""

from collections.abc import Iterable
from dataclasses import replace

from device.rules.board import FLOOR, LINES
from device.rules.events import Choice, Draft, Event, Remove, Scoring, Swap, Tile
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.tiles import NO_TILES, Colour
from device.table.buttons import OK, place_and_line_of, seat_button
from device.table.game import (
    Play,
    Selection,
    advance,
    before_each_choice,
    next_selection,
    seat_of,
    sources_with,
)
from device.table.score_animation import ScoreAnimation
from device.table.state import CurrentGame, Question, RefusalReason, RefusedError, Stage, Table

# --- Choices by button ---
#
# The column of a tile on a gray wall: the line button with the column's number, of its board.
# The square of solo's scoring tile: the action board's line button of the square's row.
# The swap of a penalty tile with the next: the action board's line button of its position, the floor for 6.
# The removal of a penalty tile: the same, the player board's floor for 7; `ok` removes none.


def choices(play: Play) -> dict[str, Event]:
    """Return the choices other than drafts that are legal now, by button; empty in an offer."""
    if not play.asks_choice:
        return {}
    return {button_of(play, event): event for event in play.state.legal()}


def button_of(play: Play, event: Event) -> str:
    """Return the button that makes a choice other than a draft. Raises ValueError for any other event."""
    match event:
        case Tile(seat, _row, column):
            return seat_button(play.places[seat], column)
        case Scoring(row, _column):
            return seat_button(play.places[ACTION], row)
        case Swap(position):
            return _penalty_button(play, position)
        case Remove(position):
            return OK if position is None else _penalty_button(play, position)
        case _:
            raise ValueError(f"{event} is not made by one button")


def _penalty_button(play: Play, position: int) -> str:
    if position in LINES:
        return seat_button(play.places[ACTION], position)
    return seat_button(play.places[ACTION if position == len(LINES) + 1 else PLAYER], FLOOR)


def choosing_places(play: Play) -> tuple[int, ...]:
    """Return the places that have a choice other than a draft, opponents' too: several on gray walls (G3)."""
    found = (place_and_line_of(button) for button in choices(play))
    return tuple(sorted({place for place, _ in filter(None, found)}))


def forced_choice(play: Play) -> Event | None:
    """Return a tile whose column is the only legal one of its seat; None if there is none (G1)."""
    columns = [event for event in choices(play).values() if isinstance(event, Tile)]
    for event in columns:
        if sum(other.seat == event.seat for other in columns) == 1:
            return event
    return None


# --- Drafts and choices of people ---


def select_source(table: Table, source: int) -> Table:
    """Select a source's first colour, or the colour in hand; pressed again, its next. Raises RefusedError."""
    game = _game_to_draft(table)
    if game.colour_in_hand is not None:
        return select_colour(table, game.colour_in_hand, source)
    selection = next_selection(game.play, game.selection, source)
    if selection is None:
        raise RefusedError(_why_no_source(game.play, source))
    return replace(table, game=replace(game, selection=selection))


def _why_no_source(play: Play, source: int) -> RefusalReason:
    """Return why nothing can be drafted from a source: it is empty, or in solo another one comes first."""
    sources = play.state.sources
    empty = source >= len(sources) or sources[source] == NO_TILES
    return RefusalReason.SOURCE_EMPTY if empty else RefusalReason.NOT_THIS_DISPLAY


def _game_to_draft(table: Table) -> CurrentGame:
    """Return the game where a person is to draft; raises RefusedError elsewhere."""
    if table.game is None or table.acting_place is None:
        raise RefusedError(RefusalReason.NOT_NOW)
    if table.bots_turn:
        raise RefusedError(RefusalReason.BOTS_TURN)
    return table.game


def select_colour(table: Table, colour: Colour, source: int | None) -> Table:
    """Select the colour of a tile that was shown, at a display's reader or, with None, anywhere else.

    Without a source the selected one is meant; where it has none of the colour, the colour is kept in hand
    until a source is chosen. Raises RefusedError.
    """
    game = _game_to_draft(table)
    holding = sources_with(game.play, colour)
    if source is None and game.selection is not None and game.selection.source in holding:
        source = game.selection.source
    if source is None and holding:
        return replace(table, game=replace(game, selection=None, colour_in_hand=colour))
    if source is None or source not in holding:
        raise RefusedError(RefusalReason.COLOUR_NOT_THERE)
    return replace(table, game=replace(game, selection=Selection(source, colour), colour_in_hand=None))


def draft_to(table: Table, place: int, line: int, at: float) -> Table:
    """Make the draft with the selected tiles. Raises RefusedError, IllegalEventError.

    In solo a line that would send tiles to the penalty row is only tried first: the table shows what it
    sends, and the same press again makes the draft.
    """
    game = table.game
    if game is None or place != table.acting_place:
        raise RefusedError(RefusalReason.NOT_YOUR_TURN)
    if table.bots_turn:
        raise RefusedError(RefusalReason.BOTS_TURN)
    selection = game.selection
    if selection is None:
        raise RefusedError(RefusalReason.CHOOSE_SOURCE_FIRST)
    draft = Draft(selection.source, selection.colour, line)
    if selection.tried != line and game.play.state.sent_to_penalty_row(draft):
        return replace(table, game=replace(game, selection=replace(selection, tried=line)))
    return apply_event(table, draft, at)


def select_tiles(table: Table, tiles: tuple[int, Colour] | None) -> Table:
    """Take the tiles of a colour from a source in hand instead of others; None puts them back.

    Raises RefusedError.
    """
    game = _game_to_draft(table)
    if tiles is None:
        return replace(table, game=replace(game, selection=None, colour_in_hand=None))
    source, colour = tiles
    if source not in game.play.state.sources_to_draft():
        raise RefusedError(_why_no_source(game.play, source))
    return select_colour(table, colour, source)


def choose(table: Table, choice: Choice, at: float) -> Table:
    """Make a choice of a person; a draft needs no selection. Raises RefusedError, IllegalEventError."""
    if isinstance(choice, Draft):
        _game_to_draft(table)
        return apply_event(table, choice, at)
    if table.game is None or table.stage is not Stage.CHOICE:
        raise RefusedError(RefusalReason.NOT_NOW)
    state = table.game.play.state
    legal = state.legal()
    if choice in legal and table.bot_of(seat_of(state, choice)):
        raise RefusedError(RefusalReason.BOTS_TURN)
    if not any(isinstance(each, type(choice)) for each in legal):
        raise RefusedError(RefusalReason.NOT_NOW)
    return apply_event(table, choice, at)


def make_choice(table: Table, button: str, at: float) -> Table:
    """Make the choice of a button: a gray wall's column, or one of solo's. Raises RefusedError."""
    allowed = choices_of_people(table)
    if button not in allowed:
        raise RefusedError(_why_no_choice(table, allowed.values(), button))
    return apply_event(table, allowed[button], at)


def _why_no_choice(table: Table, allowed: Iterable[Event], button: str) -> RefusalReason:
    assert table.play is not None
    if button in choices(table.play):
        return RefusalReason.BOTS_TURN
    found = place_and_line_of(button)
    seat = table.play.seat_at(found[0]) if found is not None and found[1] != FLOOR else None
    asked = any(isinstance(event, Tile) and event.seat == seat for event in allowed)
    return RefusalReason.COLUMN_TAKEN if asked else RefusalReason.NOT_NOW


def choices_of_people(table: Table) -> dict[str, Event]:
    """Return the choices other than drafts that people have now, by button."""
    play = table.play
    if play is None:
        return {}
    due = choices(play)
    return {button: event for button, event in due.items() if not table.bot_of(seat_of(play.state, event))}


def apply_event(table: Table, event: Event, at: float) -> Table:
    """Apply an event of the game; the end of a round starts its score animation.

    Raises IllegalEventError if the event is not legal now.
    """
    game = table.game
    assert game is not None
    after = advance(game.play, event)
    while not table.settings.confirm_columns and (forced := forced_choice(after)) is not None:
        after = advance(after, forced)
    animation = ScoreAnimation(0, at) if after.state.closing_scores() is not None else None
    return replace(table, game=game.at_position(after, at, animation))


def undo(table: Table, at: float) -> Table:
    """Go back to the last choice of a person in this round; at its start, ask whether to stop the game.

    Choices that opponents made since then are undone, too.
    """
    game = table.game
    assert game is not None
    if (game.selection is not None and not table.bots_turn) or game.colour_in_hand is not None:
        return replace(table, game=replace(game, selection=None, colour_in_hand=None))
    for back in before_each_choice(game.play, lambda seat: not table.bot_of(seat)):
        if table.settings.confirm_columns or forced_choice(back) is None:
            return replace(table, game=game.at_position(back, at))
    return replace(table, game=replace(game, question=Question.STOP_GAME))
