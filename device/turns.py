"""During the game: choosing a source and a line, the other choices, undo, and what follows from an event."""

from collections.abc import Iterable
from dataclasses import replace

from device.appliance import Movement, Question, RefusedError, Table, Why
from device.buttons import place_and_line_of
from device.ceremony import Ceremony
from device.choices import choices, forced_choice
from device.play import (
    Play,
    Selection,
    advance,
    can_take_back,
    next_selection,
    sent_to_penalty_row,
    sources_to_draft,
    take_back,
)
from device.rules import game as rules
from device.rules.board import FLOOR
from device.rules.errors import IllegalEventError
from device.rules.events import Draft, Event, Tile
from device.rules.tiles import NO_TILES, Colour


def select_source(table: Table, source: int) -> Table:
    """Choose a source's first colour; pressed again, its next."""
    if table.play is None or table.acting_place is None:
        raise RefusedError(Why.NOT_NOW)
    selection = next_selection(table.play, table.selection, source)
    if selection is None:
        raise RefusedError(_why_nothing_from(table.play, source))
    return replace(table, selection=selection)


def _why_nothing_from(play: Play, source: int) -> Why:
    sources = play.state.sources
    empty = source >= len(sources) or sources[source] == NO_TILES
    return Why.SOURCE_EMPTY if empty else Why.NOT_THIS_DISPLAY


def select_colour(table: Table, colour: Colour, source: int | None) -> Table:
    """Choose a colour by showing a tile of it: of a display at its reader, else of the chosen source."""
    if table.play is None or table.acting_place is None:
        raise RefusedError(Why.NOT_NOW)
    if source is None:
        if table.selection is None:
            raise RefusedError(Why.CHOOSE_SOURCE_FIRST)
        source = table.selection.source
    if source not in sources_to_draft(table.play.state) or not table.play.state.sources[source][colour]:
        raise RefusedError(Why.SOURCE_EMPTY)
    return replace(table, selection=Selection(source, colour))


def draft_to(table: Table, place: int, line: int, at: float) -> Table:
    """Make the draft with the selected tiles.

    In solo a line that would send tiles to the penalty row is tried first: the table shows what it sends,
    and the same press again makes the draft.
    """
    if place != table.acting_place or table.play is None:
        raise RefusedError(Why.NOT_YOUR_TURN)
    selection = table.selection
    if selection is None:
        raise RefusedError(Why.CHOOSE_SOURCE_FIRST)
    draft = Draft(selection.source, selection.colour, line)
    try:
        if selection.tried != line and sent_to_penalty_row(table.play.state, draft):
            return replace(table, selection=replace(selection, tried=line))
        return happen(table, draft, at)
    except IllegalEventError as illegal:
        raise RefusedError(illegal.why) from illegal


def choose_by(table: Table, button: str, at: float) -> Table:
    """Make the choice that a button stands for: a gray wall's column, or one of solo's."""
    assert table.play is not None
    allowed = choices(table.play)
    if button not in allowed:
        raise RefusedError(_why_no_choice(table.play, allowed.values(), button))
    return happen(table, allowed[button], at)


def _why_no_choice(play: Play, allowed: Iterable[Event], button: str) -> Why:
    found = place_and_line_of(button)
    seat = play.seat_at(found[0]) if found is not None and found[1] != FLOOR else None
    asked = any(isinstance(event, Tile) and event.seat == seat for event in allowed)
    return Why.COLUMN_TAKEN if asked else Why.NOT_NOW


def happen(table: Table, event: Event, at: float) -> Table:
    """Apply an event of the game; the end of a round begins its scoring ceremony."""
    before = table.play
    assert before is not None
    after = advance(before, event)
    while not table.confirm_columns and (forced := forced_choice(after)) is not None:
        after = advance(after, forced)
    return replace(
        table,
        play=after,
        selection=None,
        ceremony=Ceremony(0, at) if _closed_round(before, after) else None,
        movement=Movement(before, at),
    )


def _closed_round(before: Play, after: Play) -> bool:
    return rules.closing_scores(before.state, after.state) is not None


def undo(table: Table, at: float) -> Table:
    """Step back one choice, as far as the start of the round; there, ask whether to stop the game."""
    if table.play is None:
        raise RefusedError(Why.NOTHING_TO_UNDO)
    if table.selection is not None:
        return replace(table, selection=None)
    if not can_take_back(table.play):
        return replace(table, question=Question.STOP_GAME)
    back = take_back(table.play)
    while not table.confirm_columns and forced_choice(back) is not None:
        back = take_back(back)
    return replace(table, play=back, told=(), ceremony=None, movement=Movement(table.play, at))
