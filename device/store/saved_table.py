"""Where a table stands between two starts, as plain values; its game is kept as events beside it."""

from dataclasses import replace

import msgspec

from device.rules.board import FLOOR, open_lines
from device.rules.events import Draft
from device.rules.game import MODES
from device.rules.notation import event_of, text_of
from device.rules.solo.game import LEVELS, WALLS
from device.rules.tiles import Colour, add, colour_of, count, letter
from device.table.game import LONGEST_NAME, Play, Selection, sources_with
from device.table.physical_tiles import slots
from device.table.score_animation import ScoreAnimation
from device.table.seating import why_not_enough
from device.table.state import GameOptions, Question, ReportedTile, StandIn, Table


class SavedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table without its game."""

    names: tuple[str, ...] = ()
    taken: tuple[int, ...] = ()
    choosing: bool = False
    wishes: GameOptions = GameOptions()
    selection: str | None = None  # as a draft to the floor, such as `3bf`
    tried: int | None = None  # the line that it was tried on, in solo
    in_hand: str | None = None  # the letter of a tile shown before its source was chosen
    told: tuple[tuple[str, str | None], ...] = ()  # tiles of resin told so far: letter and tag
    steps_shown: int | None = None  # of the scoring ceremony
    bots: tuple[str, ...] = ()  # by place
    stand_ins: tuple[StandIn, ...] = ()  # those for good


class LargerTableError(ValueError):
    """What was kept needs more seats or displays than this table has."""


def to_saved_table(table: Table) -> SavedTable:
    """What is to be kept of a table, apart from its game."""
    chosen = None if table.bots_turn else table.selection  # an opponent chooses again
    return SavedTable(
        names=table.names,
        taken=table.taken,
        choosing=table.choosing,
        wishes=table.wishes,
        selection=text_of(Draft(chosen.source, chosen.colour, FLOOR)) if chosen else None,
        tried=chosen.tried if chosen else None,
        in_hand=letter(table.colour_in_hand) if table.colour_in_hand is not None else None,
        told=tuple((letter(tile.colour), tile.tag) for tile in table.told),
        steps_shown=table.ceremony.shown if table.ceremony else None,
        bots=table.bots,
        stand_ins=tuple(each for each in table.stand_ins if each.for_good),
    )


def from_saved_table(kept: SavedTable, play: Play | None, blank: Table, now: float) -> Table:
    """The table at the very choice where it was left; a game that goes on asks once if this is your board.

    Raises ValueError where what was kept makes no sense, LargerTableError where this table can't hold it.
    """
    places, displays = blank.places, blank.displays
    seats = (*kept.taken, *(play.places if play is not None else ()))
    if any((*kept.names[places:], *kept.bots[places:])) or any(place > places for place in seats):
        raise LargerTableError(f"it has a player at a seat beyond the {places} of this table")
    if play is not None and len(play.state.sources) - 1 > displays:
        raise LargerTableError(f"its game needs more than the {displays} displays of this table")
    if not _known(kept.wishes) or any(len(name) > LONGEST_NAME for name in (*kept.names, *kept.bots)):
        raise ValueError("its situation can't be read")
    if len(set(kept.taken)) != len(kept.taken) or any(place < 1 for place in seats):
        raise ValueError("its seats can't be read")
    names, bots = ((*each[:places], *("",) * (places - len(each))) for each in (kept.names, kept.bots))
    table = replace(
        blank, names=names, bots=bots, taken=kept.taken, choosing=kept.choosing, wishes=kept.wishes
    )
    table = replace(table, stand_ins=kept.stand_ins)
    if play is None:
        return replace(table, choosing=False) if why_not_enough(table) else table
    return replace(
        table,
        play=play,
        selection=_selection(kept, play),
        colour_in_hand=_in_hand(kept, play),
        told=_told(kept, play) if blank.resin else (),
        ceremony=None
        if kept.steps_shown is None
        else ScoreAnimation(_steps_shown(kept.steps_shown, play), now),
        question=None if play.over else Question.YOUR_BOARD,
    )


def _known(wishes: GameOptions) -> bool:
    return wishes.mode in MODES and wishes.level in LEVELS and wishes.wall in WALLS


def _selection(kept: SavedTable, play: Play) -> Selection | None:
    if kept.selection is None:
        return None
    draft = event_of(kept.selection)
    sources = play.state.sources_to_draft()
    if not isinstance(draft, Draft) or draft.source not in sources:
        raise ValueError(f"its half-made draft {kept.selection} can't be made")
    lines = (None, FLOOR, *open_lines(play.state.boards[play.state.turn], draft.colour))
    if not play.state.sources[draft.source][draft.colour] or kept.tried not in lines:
        raise ValueError(f"its half-made draft {kept.selection} can't be made")
    return Selection(draft.source, draft.colour, kept.tried)


def _in_hand(kept: SavedTable, play: Play) -> Colour | None:
    if kept.in_hand is None:
        return None
    colour = colour_of(kept.in_hand)
    if not sources_with(play, colour):
        raise ValueError(f"the tile in hand, {kept.in_hand}, can't be taken")
    return colour


def _told(kept: SavedTable, play: Play) -> tuple[ReportedTile, ...]:
    tiles = tuple(ReportedTile(colour_of(text), tag) for text, tag in kept.told)
    left = add(play.state.bag, play.state.lid)
    too_many = any(
        told > there for told, there in zip(count(tile.colour for tile in tiles), left, strict=True)
    )
    if tiles and (too_many or len(tiles) >= len(slots(play))):
        raise ValueError("the tiles that it was told can't be")
    return tiles


def _steps_shown(kept: int, play: Play) -> int:
    account = play.state.account
    if account is None or not 0 <= kept <= len(account.steps):
        raise ValueError("its scoring can't be read")
    return kept
