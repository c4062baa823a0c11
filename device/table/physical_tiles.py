"""Physical tiles: people draw the box's tiles from its bag and report them to the table one by one.

The reported tiles become the next chance event; a tile that can't be drawn now is refused.
"""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.events import Chance, Deal, Draw, Penalty, ScoringColour
from device.rules.tiles import NO_TILES, Colour, Counts, count, without
from device.table import turns
from device.table.game import Play
from device.table.state import CurrentGame, RefusalReason, RefusedError, ReportedTile, Table


@dataclass(frozen=True, slots=True)
class Slot:
    """The space for a drawn tile: position `at` (from 1) on a display, in PENALTY_ROW or NOWHERE."""

    display: int
    at: int


PENALTY_ROW: Final = 0
NOWHERE: Final = -1  # the tile only gives the scoring tile its colour, and goes back into the bag


def slots(play: Play) -> list[Slot]:
    """Return the spaces that the next chance event fills, in order; empty if none is due."""
    state = play.state
    if state.chance_due is ScoringColour:
        return [Slot(NOWHERE, 1)]
    if state.chance_due is not Deal:
        return [Slot(PENALTY_ROW, at) for at in state.penalty_spaces_due]
    sizes = enumerate(state.display_sizes, start=1)
    spaces = [Slot(display, at + 1) for display, size in sizes for at in range(size)]
    return spaces[: sum(state.bag) + sum(state.refill)]


def next_slot(game: CurrentGame) -> Slot | None:
    """Return where the next reported tile goes; None when no tile is due."""
    due = slots(game.play)
    return due[len(game.reported_tiles)] if len(game.reported_tiles) < len(due) else None


def in_bag(game: CurrentGame) -> Counts:
    """Return the tiles in the bag without those reported; the lid is poured in when it runs empty (R4)."""
    state = game.play.state
    reported = count(tile.colour for tile in game.reported_tiles)
    if sum(reported) < sum(state.bag):
        return without(state.bag, reported)
    return without(state.refill, without(reported, state.bag))


def lid_is_poured(game: CurrentGame) -> bool:
    """Return whether the reported tiles have emptied the bag, so that the lid is in it now (R4)."""
    state = game.play.state
    poured = state.refill != NO_TILES and len(game.reported_tiles) >= sum(state.bag)
    return poured and next_slot(game) is not None


def lid_is_due(game: CurrentGame) -> bool:
    """Return whether the bag has just run empty with tiles still due: the lid goes into it now (R4)."""
    return lid_is_poured(game) and len(game.reported_tiles) == sum(game.play.state.bag)


def report_tile(table: Table, colour: Colour, tag: str | None, at: float) -> Table:
    """Note the next drawn tile; the last one completes the chance event.

    Raises RefusedError, and IllegalEventError if the event can't have been drawn.
    """
    game = table.game
    assert game is not None
    if tag is not None and any(tile.tag == tag for tile in game.reported_tiles):
        raise RefusedError(RefusalReason.TILE_REPORTED_ALREADY)
    if not in_bag(game)[colour]:
        in_lid = game.play.state.refill[colour]
        raise RefusedError(RefusalReason.TILE_IN_LID if in_lid else RefusalReason.TILE_NOT_LEFT)
    reported = (*game.reported_tiles, ReportedTile(colour, tag))
    if len(reported) < len(slots(game.play)):
        return replace(table, game=replace(game, reported_tiles=reported))
    return turns.apply_event(table, _event(game.play, [tile.colour for tile in reported]), at)


def _event(play: Play, colours: list[Colour]) -> Chance:
    """Return the chance event that the reported tiles make."""
    due = play.state.chance_due
    if due is Penalty:
        return Penalty(tuple(colours))
    if due is ScoringColour or due is Draw:
        return due(colours[0])
    displays: list[list[Colour]] = [[] for _ in play.state.sources[1:]]
    for slot, colour in zip(slots(play), colours, strict=True):
        displays[slot.display - 1].append(colour)
    return Deal(tuple(map(count, displays)))
