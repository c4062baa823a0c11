"""The workshop of the Hardware face: faults that a viewer at the table gives to its simulated parts."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from web_ui.messages import PartFault, SetFault
from web_ui.text.sentences import SnapshotFormatter
from web_ui.views.phone import Viewer

BUTTON = "button"
"""The part that stands for every single button."""

MOMENTARY = ("restart",)
"""Faults that happen once and end by themselves."""


class FaultView(Struct, frozen=True):
    """A fault: its name, whether it is on, and the action that switches it; `momentary`: it only happens."""

    name: str
    on: bool
    action: SetFault
    momentary: bool = False


class PartView(Struct, frozen=True):
    """A simulated part and its faults."""

    name: str
    faults: tuple[FaultView, ...]


class WorkshopView(Struct, frozen=True):
    """All faults of parts; what a click on a drawn button can do (kind, name); the broken buttons."""

    parts: tuple[PartView, ...]
    tools: tuple[tuple[str, str], ...]
    broken: tuple[FaultView, ...]


def workshop(formatter: SnapshotFormatter, viewer: Viewer) -> WorkshopView | None:
    """Return the faults that simulated parts can have; None for a real table and away from the table."""
    simulated = formatter.snapshot.simulated
    if simulated is None or not viewer.at_table or not simulated.faults.can:
        return None
    can, text = simulated.faults.can, formatter.words.text
    parts = tuple(
        PartView(_part_name(formatter, part), tuple(_faults(formatter, part, kinds)))
        for part, kinds in can.items()
        if part != BUTTON
    )
    tools = [("press", text("workshop.press"))] if BUTTON in can else []
    tools += [(kind, text_of_fault(formatter, kind)) for kind in can.get(BUTTON, ())]
    return WorkshopView(parts, tuple(tools), tuple(_broken(formatter, simulated.faults.on)))


def _faults(formatter: SnapshotFormatter, part: str, kinds: tuple[str, ...]) -> Iterator[FaultView]:
    simulated = formatter.snapshot.simulated
    present = simulated.faults.on if simulated is not None else ()
    for kind in kinds:
        on = PartFault(part, kind) in present
        name = text_of_fault(formatter, kind)
        yield FaultView(name, on, SetFault(part, kind, on=not on), kind in MOMENTARY)


def _broken(formatter: SnapshotFormatter, present: tuple[PartFault, ...]) -> Iterator[FaultView]:
    for fault in present:
        kind, _, button = fault.part.partition(".")
        if kind == BUTTON:
            what = text_of_fault(formatter, fault.fault)
            name = formatter.words.text("workshop.broken", button=formatter.button(button), fault=what)
            yield FaultView(name, on=True, action=SetFault(fault.part, fault.fault, on=False))


def text_of_fault(formatter: SnapshotFormatter, kind: str) -> str:
    """Return the name of a kind of faults."""
    return formatter.words.text_or(f"fault.{kind}", "fault.other", kind=kind)


def _part_name(formatter: SnapshotFormatter, part: str) -> str:
    kind, _, name = part.partition(".")
    if kind != "reader":
        return formatter.words.text_or(f"workshop.{kind}", "workshop.other", part=part)
    where = formatter.words.text_or(
        f"reader.{name.partition('.')[0]}", "reader.other", number=name.partition(".")[2], name=name
    )
    return formatter.words.text("workshop.reader", reader=where)
