"""The tables of the maker's guide, renewed in its text: parts, power, feeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hardware.layout import Layout
from hardware.papers.feeding import (
    FUSES,
    MOST_LIGHTS,
    all_white,
    drop,
    feeds,
    main_fuse,
    on_the_pi,
    reach,
    supply_amperes,
)
from hardware.papers.shopping import (
    PI_GIVES,
    PICO_AMPERES,
    READER_AMPERES,
    shopping_list,
)
from hardware.pin_checks import CONTROLLERS

Rows = list[list[str]]


def renewed(text: str, layouts: Sequence[Layout]) -> str:
    """Return a guide's text with every table between `<!-- NAME -->` and `<!-- end -->` as it is now.

    Raises ValueError where a table has no place in the text.
    """
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"the guide has no place for its table {name!r}: <!-- {name} --> ... {end}")
        table = "".join("| " + " | ".join(row) + " |\n" for row in make(layouts))
        text = before + begin + table + end + after
    return text


def parts_table(layouts: Sequence[Layout]) -> Rows:
    """Return a row for each part, with how much of it every layout needs."""
    rows = _head("part", layouts, "what may take its place, what goes wrong")
    for items in zip(*map(shopping_list, layouts), strict=True):
        if any(item.number for item in items):
            rows.append(
                [items[0].part, *(item.amount if item.number else "" for item in items), items[0].note]
            )
    return rows


def power_table(layouts: Sequence[Layout]) -> Rows:
    """Return the sum of what is asked for, and the fuses and wires that follow from it."""
    rows = _head("", layouts)
    sums: dict[str, Callable[[Layout], str]] = {
        "lights": lambda layout: f"{len(layout.lights)}",
        "all of them dark": lambda layout: f"{layout.supply.dark / 1000:.2f} A",
        "all of them at full white": lambda layout: f"{all_white(layout):.1f} A",
        "what the table asks for at most (`[supply]`)": lambda layout: f"{layout.supply.amperes:g} A",
        "power supply, with a margin of a quarter": _supply,
        "main fuse": lambda layout: f"{main_fuse(layout):g} A",
        "main wire": lambda layout: f"{FUSES[main_fuse(layout)]:g} mm²",
        f"feeds, each for {MOST_LIGHTS} lights at most": lambda layout: f"{len(feeds(layout))}",
        "lost on the longest feed at full white": _lost,
        "taken from the Pi's own supply": _from_pi,
    }
    return rows + [[name, *(make(layout) for layout in layouts)] for name, make in sums.items()]


def _supply(layout: Layout) -> str:
    return "the Pi's own" if on_the_pi(layout) else f"{supply_amperes(layout):g} A"


def _lost(layout: Layout) -> str:
    lost = max(drop(feed.amperes, reach(layout), feed.wire) for feed in feeds(layout))
    return f"{lost:.2f} V in {reach(layout):.2g} m"


def _from_pi(layout: Layout) -> str:
    return f"{from_pi(layout):.2f} A of {PI_GIVES:g}"


def from_pi(layout: Layout) -> float:
    """Return the amperes that readers, the Pico and lights on its pins take from the Pi's own supply."""
    pico = PICO_AMPERES if layout.controller == "pico" else 0.0
    lights = layout.supply.amperes if on_the_pi(layout) else 0.0
    return pico + lights + READER_AMPERES * len(layout.readers)


def feeds_table(layouts: Sequence[Layout]) -> Rows:
    """Return every feed of every layout: its fuse, its wire, and where it enters the chain."""
    rows = [["layout", "chain, its data pin", "feed", "enters at", "lights", "at full white", "fuse", "wire"]]
    rows.append(["---"] * len(rows[0]))
    for layout in layouts:
        pins = {it.name: CONTROLLERS[layout.controller].name(it.pin) for it in layout.chains}
        for number, feed in enumerate(feeds(layout), 1):
            rows.append(
                [
                    layout.name,
                    f"{feed.chain}, {pins[feed.chain]}",
                    "" if on_the_pi(layout) else f"F{number}",
                    f"light {feed.pixel} (`{feed.light}`)",
                    f"{feed.lights}",
                    f"{feed.amperes:.1f} A",
                    f"{feed.fuse:g} A",
                    f"{feed.wire:g} mm²",
                ]
            )
    return rows


def _head(first: str, layouts: Sequence[Layout], *last: str) -> Rows:
    names = [f"`{layout.name}`" for layout in layouts]
    return [[first, *names, *last], ["---", *["---:"] * len(names), *["---"] * len(last)]]


TABLES: Final[dict[str, Callable[[Sequence[Layout]], Rows]]] = {
    "parts": parts_table,
    "power": power_table,
    "feeds": feeds_table,
}
