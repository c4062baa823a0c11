"""The saved state of a table: a JSON value with everything but its game, which is saved as events.

`to_saved_table` takes it from a table, `from_saved_table` makes a table of it again. Field names are the keys
in the database: those of today's files must stay.
"""

from dataclasses import replace

import msgspec

from device.rules.board import FLOOR, open_lines
from device.rules.events import Draft
from device.rules.game import MODES
from device.rules.notation import event_of, text_of
from device.rules.solo.game import LEVELS, WALLS
from device.rules.tiles import Colour, add, colour_of, count, letter
from device.table.claims import end_stale_claims
from device.table.game import LONGEST_NAME, Play, Selection, sources_with
from device.table.lessons import is_known
from device.table.physical_tiles import slots
from device.table.preferences import applied
from device.table.score_animation import ScoreAnimation
from device.table.seating import why_not_enough
from device.table.state import (
    CurrentGame,
    FirstGame,
    GameOptions,
    NextGame,
    Opponents,
    Preferences,
    Question,
    ReportedTile,
    Seats,
    StandIn,
    Table,
)


class SavedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The saved state of a table without its game."""

    names: tuple[str, ...] = ()  # by place
    taken: tuple[int, ...] = ()  # places
    choosing: bool = False
    wishes: GameOptions = GameOptions()
    selection: str | None = None  # as a draft to the floor, such as `3bf`
    tried: int | None = None  # the line on which a solo player tried the selection
    in_hand: str | None = None  # the letter of a tile that was shown before its source was chosen
    told: tuple[tuple[str, str | None], ...] = ()  # reported physical tiles: letter and tag
    steps_shown: int | None = None  # of the score animation
    bots: tuple[str, ...] = ()  # by place
    preferences: Preferences | msgspec.UnsetType = msgspec.UNSET  # left out while nobody chose any
    stand_ins: tuple[StandIn, ...] = ()  # only those that stay to the end of the game
    first_game: FirstGame | msgspec.UnsetType = msgspec.UNSET  # what was explained of it
    claims: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # by place: the hash of a phone's secret


class LargerTableError(ValueError):
    """The saved table has more seats or displays than this one."""


def to_saved_table(table: Table) -> SavedTable:
    """Return the part of a table that is saved, apart from its game."""
    game = table.game
    selection = None if game is None or table.bots_turn else game.selection  # an opponent is asked again
    in_hand = game.colour_in_hand if game is not None else None
    reported = game.reported_tiles if game is not None else ()
    animation = game.animation if game is not None else None
    return SavedTable(
        names=table.seats.names,
        taken=table.seats.taken,
        choosing=table.next_game.choosing,
        wishes=table.next_game.options,
        selection=text_of(Draft(selection.source, selection.colour, FLOOR)) if selection else None,
        tried=selection.tried if selection else None,
        in_hand=letter(in_hand) if in_hand is not None else None,
        told=tuple((letter(tile.colour), tile.tag) for tile in reported),
        steps_shown=animation.shown if animation else None,
        bots=table.seats.bots,
        preferences=msgspec.UNSET if table.preferences == Preferences() else table.preferences,
        stand_ins=tuple(each for each in table.opponents.stand_ins if each.for_good),
        first_game=table.first_game or msgspec.UNSET,
        claims=table.seats.claims or msgspec.UNSET,
    )


def from_saved_table(saved: SavedTable, play: Play | None, blank: Table, now: float) -> Table:
    """Restore a table onto a blank one, with its game if it has one; a running game asks for "your board".

    `now` is when the step of the score animation that was on show begins again. Raises ValueError if the
    saved state is impossible, LargerTableError if the blank table is too small for it.
    """
    places, displays = blank.settings.places, blank.settings.displays
    seats = (*saved.taken, *(play.places if play is not None else ()))
    if any((*saved.names[places:], *saved.bots[places:])) or any(place > places for place in seats):
        raise LargerTableError(f"it has a player at a seat beyond the {places} of this table")
    if play is not None and len(play.state.sources) - 1 > displays:
        raise LargerTableError(f"its game needs more than the {displays} displays of this table")
    options = saved.wishes
    if options.mode not in MODES or options.level not in LEVELS or options.wall not in WALLS:
        raise ValueError("the options of its game can't be read")
    first_game = None if saved.first_game is msgspec.UNSET else saved.first_game
    if first_game is not None and not is_known(first_game):
        raise ValueError("the steps that it explained can't be read")
    if any(len(name) > LONGEST_NAME for name in (*saved.names, *saved.bots)):
        raise ValueError("its names can't be read")
    if len(set(saved.taken)) != len(saved.taken) or any(place < 1 for place in seats):
        raise ValueError("its seats can't be read")
    names, bots = ((*each[:places], *("",) * (places - len(each))) for each in (saved.names, saved.bots))
    preferences = Preferences() if saved.preferences is msgspec.UNSET else saved.preferences
    table = replace(
        blank,
        settings=applied(blank.settings, preferences),
        preferences=preferences,
        seats=end_stale_claims(Seats(names, bots, _taken(saved, play), (saved.claims or ())[:places])),
        next_game=NextGame(options, saved.choosing),
        opponents=Opponents(stand_ins=saved.stand_ins),
        first_game=first_game,
    )
    if play is None:
        return replace(table, next_game=NextGame(options)) if why_not_enough(table) else table
    game = CurrentGame(
        play,
        selection=_selection(saved, play),
        colour_in_hand=_colour_in_hand(saved, play),
        reported_tiles=_reported_tiles(saved, play) if blank.settings.physical_tiles else (),
        animation=_score_animation(saved, play, now),
        question=None if play.over else Question.YOUR_BOARD,
    )
    return replace(table, game=game)


def _taken(saved: SavedTable, play: Play | None) -> tuple[int, ...]:
    """Return the places that are taken; those of a game's players if none is saved."""
    if saved.taken or play is None:
        return saved.taken
    owners = (play.places[play.state.player_of(seat)] for seat in range(len(play.places)))
    return tuple(dict.fromkeys(owners))


def _selection(saved: SavedTable, play: Play) -> Selection | None:
    if saved.selection is None:
        return None
    draft, state = event_of(saved.selection), play.state
    if isinstance(draft, Draft) and draft.source in state.sources_to_draft():
        lines = (None, FLOOR, *open_lines(state.boards[state.turn], draft.colour))
        if state.sources[draft.source][draft.colour] and saved.tried in lines:
            return Selection(draft.source, draft.colour, saved.tried)
    raise ValueError(f"its selection {saved.selection} can't be made")


def _colour_in_hand(saved: SavedTable, play: Play) -> Colour | None:
    if saved.in_hand is None:
        return None
    colour = colour_of(saved.in_hand)
    if not sources_with(play, colour):
        raise ValueError(f"the tile in hand, {saved.in_hand}, can't be taken")
    return colour


def _reported_tiles(saved: SavedTable, play: Play) -> tuple[ReportedTile, ...]:
    tiles = tuple(ReportedTile(colour_of(text), tag) for text, tag in saved.told)
    left = add(play.state.bag, play.state.lid)
    counts = count(tile.colour for tile in tiles)
    too_many = any(reported > there for reported, there in zip(counts, left, strict=True))
    if tiles and (too_many or len(tiles) >= len(slots(play))):
        raise ValueError("its reported tiles can't be drawn")
    return tiles


def _score_animation(saved: SavedTable, play: Play, now: float) -> ScoreAnimation | None:
    if saved.steps_shown is None:
        return None
    account = play.state.account
    if account is None or not 0 <= saved.steps_shown <= len(account.steps):
        raise ValueError("its scoring can't be read")
    return ScoreAnimation(saved.steps_shown, now)
