"""Parts of the table that are lost: noted beside the game, which never changes for them."""

from dataclasses import replace

from device.appliance import Table
from hardware.api import Loss, PartBack, PartLost


def note(table: Table, event: PartLost | PartBack) -> Table:
    """The table with a part lost or back; a part that is lost for another reason now is lost since before."""
    before = next((lost for lost in table.lost if lost.part == event.part), None)
    if isinstance(event, PartBack):
        if before is None:
            return table
        return replace(table, lost=tuple(lost for lost in table.lost if lost is not before))
    if before is None:
        return replace(table, lost=(*table.lost, event))
    if (before.why, event.why) == (Loss.UNPLUGGED, Loss.ABSENT):
        return table  # what was pulled out is not there: nothing new, and the first says more
    now = replace(event, at=before.at)
    if now == before:
        return table
    return replace(table, lost=tuple(now if lost is before else lost for lost in table.lost))
