"""Tiles of resin: people draw, and tell the table tile by tile; a tile that can't be is refused at once."""

from dataclasses import dataclass, replace
from typing import Final

from device.rules import standard
from device.rules.dealing import DISPLAY_TILES
from device.rules.errors import IllegalEventError
from device.rules.events import Chance, Deal, Draw, Penalty, ScoringColour
from device.rules.solo.state import State as SoloState
from device.rules.solo.state import display_sizes
from device.rules.standard import Phase
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
    match state.phase:
        case Phase.DEAL:
            return _display_slots(state)
        case Phase.PENALTY if isinstance(state, SoloState):
            return [Slot(PENALTY_ROW, at + 1) for at in range(state.level.penalty_tiles)]
        case Phase.DRAW if isinstance(state, SoloState):
            return [Slot(PENALTY_ROW, max(1, len(state.boards[1].floor)))]
        case Phase.COLOUR:
            return [Slot(NOWHERE, 1)]
        case _:
            return []


def _display_slots(state: standard.State | SoloState) -> list[Slot]:
    if isinstance(state, SoloState):
        sizes = display_sizes(state)
    else:
        sizes = [DISPLAY_TILES] * (len(state.sources) - 1)
    filled = [Slot(display, at + 1) for display, size in enumerate(sizes, start=1) for at in range(size)]
    return filled[: sum(state.bag) + sum(state.lid)]


def next_slot(table: Table) -> Slot | None:
    """Where the next tile told goes."""
    due = slots(table.play) if table.play is not None else []
    return due[len(table.told)] if len(table.told) < len(due) else None


def in_bag(table: Table) -> Counts:
    """What the bag holds without the tiles told so far; the lid goes in when it runs empty (R4)."""
    assert table.play is not None
    state = table.play.state
    told = count(tile.colour for tile in table.told)
    if sum(told) < sum(state.bag) or isinstance(state, SoloState):
        return without(state.bag, told)
    return without(state.lid, without(told, state.bag))


def lid_is_poured(table: Table) -> bool:
    """Whether the tiles told so far have emptied the bag, so that the lid is in it now (R4)."""
    assert table.play is not None
    state = table.play.state
    return (
        isinstance(state, standard.State)
        and state.phase is Phase.DEAL
        and len(table.told) >= sum(state.bag)
        and next_slot(table) is not None
    )


def lid_is_due(table: Table) -> bool:
    """Whether the bag has just run empty with tiles still due: the lid goes into it now (R4)."""
    if table.play is None or not isinstance(table.play.state, standard.State):
        return False
    state = table.play.state
    return lid_is_poured(table) and len(table.told) == sum(state.bag) and state.lid != NO_TILES


def report_tile(table: Table, colour: Colour, tag: str | None, at: float) -> Table:
    """Take in the next drawn tile; the last one completes the deal. Raises RefusedError."""
    assert table.play is not None
    if tag is not None and any(tile.tag == tag for tile in table.told):
        raise RefusedError(RefusalReason.TILE_REPORTED_ALREADY)
    if not in_bag(table)[colour]:
        in_lid = isinstance(table.play.state, standard.State) and table.play.state.lid[colour]
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
    match play.state.phase:
        case Phase.PENALTY:
            return Penalty(tuple(colours))
        case Phase.COLOUR:
            return ScoringColour(colours[0])
        case Phase.DRAW:
            return Draw(colours[0])
        case _:
            displays: list[list[Colour]] = [[] for _ in play.state.sources[1:]]
            for slot, colour in zip(slots(play), colours, strict=True):
                displays[slot.display - 1].append(colour)
            return Deal(tuple(map(count, displays)))


def take_back_tile(table: Table) -> Table:
    """A wrong tile told is taken back: the last one."""
    return replace(table, told=table.told[:-1])
