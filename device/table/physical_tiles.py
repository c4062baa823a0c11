"""Tiles of resin: people draw, and tell the table tile by tile; a tile that can't be is refused at once."""

from dataclasses import dataclass, replace
from typing import Final

from device.rules.errors import IllegalEventError
from device.rules.events import Chance, Deal, Draw, Penalty, ScoringColour
from device.rules.tiles import NO_TILES, Colour, Counts, count, without
from device.table import turns
from device.table.game import Play
from device.table.state import RefusalReason, RefusedError, ReportedTile, Table


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the next tile goes: a place (from 1) on a display, or in the penalty row as display 0.

    Display -1 is nowhere: the tile that gives the scoring tile its colour goes back into the bag.
    """

    display: int
    at: int


PENALTY_ROW: Final = 0
NOWHERE: Final = -1


def slots(play: Play) -> list[Slot]:
    """Every place that is to be filled by the chance event that is due, in order; empty when none is."""
    state = play.state
    if state.chance_due is ScoringColour:
        return [Slot(NOWHERE, 1)]
    if state.chance_due is not Deal:
        return [Slot(PENALTY_ROW, at) for at in state.penalty_spaces_due]
    sizes = enumerate(state.display_sizes, start=1)
    return [Slot(display, at + 1) for display, size in sizes for at in range(size)][
        : sum(state.bag) + sum(state.refill)
    ]


def next_slot(table: Table) -> Slot | None:
    """Where the next tile told goes."""
    due = slots(table.play) if table.play is not None else []
    return due[len(table.told)] if len(table.told) < len(due) else None


def in_bag(table: Table) -> Counts:
    """What the bag holds without the tiles told so far; the lid goes in when it runs empty (R4)."""
    assert table.play is not None
    state = table.play.state
    told = count(tile.colour for tile in table.told)
    if sum(told) < sum(state.bag):
        return without(state.bag, told)
    return without(state.refill, without(told, state.bag))


def lid_is_poured(table: Table) -> bool:
    """Whether the tiles told so far have emptied the bag, so that the lid is in it now (R4)."""
    assert table.play is not None
    state = table.play.state
    poured = state.refill != NO_TILES and len(table.told) >= sum(state.bag)
    return poured and next_slot(table) is not None


def lid_is_due(table: Table) -> bool:
    """Whether the bag has just run empty with tiles still due: the lid goes into it now (R4)."""
    if table.play is None:
        return False
    return lid_is_poured(table) and len(table.told) == sum(table.play.state.bag)


def report_tile(table: Table, colour: Colour, tag: str | None, at: float) -> Table:
    """Take in the next drawn tile; the last one completes the deal. Raises RefusedError."""
    assert table.play is not None
    if tag is not None and any(tile.tag == tag for tile in table.told):
        raise RefusedError(RefusalReason.TILE_REPORTED_ALREADY)
    if not in_bag(table)[colour]:
        in_lid = table.play.state.refill[colour]
        raise RefusedError(RefusalReason.TILE_IN_LID if in_lid else RefusalReason.TILE_NOT_LEFT)
    told = (*table.told, ReportedTile(colour, tag))
    if len(told) < len(slots(table.play)):
        return replace(table, told=told)
    try:
        event = _event(table.play, [tile.colour for tile in told])
        return replace(turns.apply_event(table, event, at), told=())
    except IllegalEventError as illegal:
        raise RefusedError(illegal.why) from illegal


def _event(play: Play, colours: list[Colour]) -> Chance:
    """The chance event that the told tiles make."""
    due = play.state.chance_due
    if due is Penalty:
        return Penalty(tuple(colours))
    if due is ScoringColour:
        return ScoringColour(colours[0])
    if due is Draw:
        return Draw(colours[0])
    displays: list[list[Colour]] = [[] for _ in play.state.sources[1:]]
    for slot, colour in zip(slots(play), colours, strict=True):
        displays[slot.display - 1].append(colour)
    return Deal(tuple(map(count, displays)))


def take_back_tile(table: Table) -> Table:
    """A wrong tile told is taken back: the last one."""
    return replace(table, told=table.told[:-1])
