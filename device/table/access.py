"""Equipment of a table (buttons, readers, boards), and what phones in the network may do."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from device.table.buttons import all_buttons
from hardware.api import BUTTONS, PICO, SHARED, button_part, reader_part


@dataclass(frozen=True, slots=True)
class Equipment:
    """The inputs and lights that a table has, and whether phones may play."""

    buttons: frozenset[str] | None = None  # names of those with a switch, None for all
    readers: frozenset[str] = frozenset()  # names of the tag readers
    on_pico: bool = False  # the switches and readers are the Pico's, and lost with it
    phones_play: bool = False  # phones may press every button
    boards: bool = True  # boards lie on the table; else they are on the players' phones
    single: tuple[int, ...] = ()  # sources that have one light instead of one for each tile


FULL_EQUIPMENT: Final = Equipment(readers=frozenset({SHARED}))
"""A table with every switch and light, and one shared reader."""


def pressable_by_phones(
    places: int, displays: int, equipment: Equipment, lost: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the buttons that a phone may press: those without a working switch, or all.

    `lost` has the names of parts that do not work now (`hardware.api`: buttons, pico, button.NAME).
    """
    everything = all_buttons(places, displays)
    if equipment.phones_play or BUTTONS in lost or (equipment.on_pico and PICO in lost):
        return everything
    switches = frozenset(everything) if equipment.buttons is None else equipment.buttons
    return tuple(name for name in everything if name not in switches or button_part(name) in lost)


def seats_by_pages(equipment: Equipment) -> bool:
    """Return whether the seats have no buttons, so that people press them on the pages."""
    buttons = equipment.buttons
    return buttons is not None and not any(name.startswith("seat.") for name in buttons)


def may_report_tiles(equipment: Equipment, lost: Collection[str] = ()) -> bool:
    """Return whether a phone may report physical tiles: it may play, or no reader works."""
    if equipment.phones_play or (equipment.on_pico and PICO in lost):
        return True
    return all(reader_part(name) in lost for name in equipment.readers)
