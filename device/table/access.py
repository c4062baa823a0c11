"""What a table has to touch and to see, and what phones in the network may do for it.

Phones may press what the table has no working switch for, or everything where its maker says so.

Looking is for everybody; the pages' process keeps strangers out (`web_ui/security.py`) and lets through what
is allowed here.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from device.table.buttons import all_buttons
from hardware.api import BUTTONS, PICO, SHARED, button_part, reader_part


@dataclass(frozen=True, slots=True)
class Equipment:
    """What of a table there is to touch and to see, and what its maker lets phones do.

    `buttons` are those with a switch, None for all of them; `readers` are the names of its tag readers;
    `single` are the sources that have one light instead of one for each tile.
    """

    buttons: frozenset[str] | None = None
    readers: frozenset[str] = frozenset()
    on_pico: bool = False  # the switches are the Pico's: lost with it
    phones_play: bool = False  # phones may press whatever a hand may
    boards: bool = True  # the seats' boards lie on the table; else they are on the players' phones
    single: tuple[int, ...] = ()


FULL_EQUIPMENT: Final = Equipment(readers=frozenset({SHARED}))
"""A table that lacks nothing."""


def pressable_by_phones(
    places: int, displays: int, fittings: Equipment, lost: Collection[str] = ()
) -> tuple[str, ...]:
    """The buttons that a phone in the network may press: those without a working switch, or all.

    `lost` names the parts that do not work now (`hardware.api`: buttons, pico, button.NAME).
    """
    everything = all_buttons(places, displays)
    all_lost = BUTTONS in lost or (fittings.on_pico and PICO in lost)
    if fittings.phones_play or all_lost:
        return everything
    switches = frozenset(everything) if fittings.buttons is None else fittings.buttons
    return tuple(name for name in everything if name not in switches or button_part(name) in lost)


def seats_by_pages(fittings: Equipment) -> bool:
    """Whether the seats have no buttons of their own, so that people use those on the pages."""
    return fittings.buttons is not None and not any(name.startswith("seat.") for name in fittings.buttons)


def may_report_tiles(fittings: Equipment, lost: Collection[str] = ()) -> bool:
    """Whether a phone may tell tiles of resin: it may play, or no reader works."""
    by_pico = fittings.on_pico and PICO in lost
    working = () if by_pico else [name for name in fittings.readers if reader_part(name) not in lost]
    return fittings.phones_play or not working
