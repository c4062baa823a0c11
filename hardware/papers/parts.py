"""Shopping list of a table, and the generated tables of the maker's guide: parts, power, feeds.

`shopping_list` computes the parts from the layout; `update_guide` replaces the tables in the text of the
guide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import ceil
from typing import Final

from msgspec import Struct

from hardware.api import LightFrame
from hardware.layout.model import Layout
from hardware.papers.power_feeds import (
    FUSES,
    MAX_LIGHTS,
    SHIFTER_FUSE,
    Feed,
    data_source,
    fed_by_pi,
    feeds,
    full_white_amperes,
    main_fuse,
    shifters,
    supply_amperes,
    voltage_drop,
    wire_length,
)
from hardware.papers.template import BUTTON_BORES, button_bore
from hardware.pixels import FULL
from hardware.power import CurrentLimiter

# --- Shopping list ---------------------------------------------------------------------------------------

SPARE: Final = 1.2
"""Factor of bought to computed wire, because wires never run straight."""
THIN: Final = 0.25
"""Square millimetres of data wires."""
TILES: Final = 100
ACTIONS: Final = 3
"""Tags of the tiles of the box, and of the cards for undo, ok and a new game."""
PICO_AMPERES: Final = 0.1
READER_AMPERES: Final = 0.05
PI_SPARE_AMPERES: Final = 1.2
"""Amperes that a Raspberry Pi 4 with its supply of 3 A can deliver at its USB ports and 5 V pins."""


class Item(Struct, frozen=True):
    """A part to buy: its number or amount, and a note about substitutes and mistakes."""

    part: str
    number: int
    of: str = ""
    note: str = ""

    @property
    def amount(self) -> str:
        """The number with its unit or kind: `10 of 3 A`."""
        return f"{self.number} {self.of}".rstrip()


def shopping_list(layout: Layout) -> list[Item]:
    """Return all parts in the order in which they are needed, with the number 0 for unneeded ones.

    The parts are the same for every layout. Raises HardwareError if the lights are not for 5 V.
    """
    return [
        *_boards(layout),
        *_power(layout),
        *_lights(layout),
        *_buttons_and_readers(layout),
        *_wire(layout),
    ]


def _boards(layout: Layout) -> list[Item]:
    pico = int(layout.controller == "pico")
    return [
        Item(
            "Raspberry Pi 4 or 5, 2 GB",
            1,
            note="Or a Pi 3 or Zero 2. 64-bit, because libraries are missing for 32-bit systems.",
        ),
        Item(
            "its own power supply (USB-C)",
            1,
            note="Don't feed the Pi from the lights' supply. Micro-USB for a Pi 3 or Zero 2.",
        ),
        Item("microSD card, 16 GB", 1, note="Buy a new one: worn cards lose data."),
        Item("Raspberry Pi Pico with pins", pico, note="Or a Pico 2."),
        Item(
            "USB cable for the Pico",
            pico,
            note="One that carries data: many only charge. A Zero 2 needs an OTG adaptor.",
        ),
    ]


def _power(layout: Layout) -> list[Item]:
    every = feeds(layout)
    apart = int(not fed_by_pi(layout))
    stronger = "Not a stronger one: it protects the wire."
    return [
        Item(
            "power supply of the lights, 5 V",
            apart,
            f"of {supply_amperes(layout):g} A",
            "Or more. Enclosed, with a safety mark (CE, UL). Not 12 V: that destroys all lights at once.",
        ),
        Item("main fuse, its holder for a wire", 1, f"of {main_fuse(layout):g} A", stronger),
        Item(
            "block for blade fuses", apart, f"with {len(every) + 1} ways", "Or more ways, or two small ones."
        ),
        Item("blade fuses of the feeds", apart * len(every), _kinds(every), stronger),
        Item("blade fuse of the level shifters", apart, f"of {SHIFTER_FUSE:g} A", stronger),
        Item("bar for 0 V", apart, f"with {len(every) + shifters(layout) + 2} screws", "Any brass bar."),
    ]


def _kinds(every: tuple[Feed, ...]) -> str:
    """Return the kinds of fuses as text: `of 3 A`, or the number of each kind if there are several."""
    kinds = sorted(Counter(feed.fuse for feed in every).items())
    if len(kinds) == 1:
        return f"of {kinds[0][0]:g} A"
    return "(" + ", ".join(f"{number} of {fuse:g} A" for fuse, number in kinds) + ")"


def _lights(layout: Layout) -> list[Item]:
    chains = len(layout.chains)
    return [
        Item(
            "lights, WS2812 for 5 V",
            len(layout.lights),
            note="Capped ones of 12 mm on wires (WS2811, 5 V), or single WS2812B or SK6812 on boards. Many "
            'capped ones need `order = "RGB"`, SK6812 with white `order = "GRBW"`. Not WS2815 or 12 V ones.',
        ),
        Item(
            "74AHCT125 in DIP-14",
            shifters(layout),
            note="Or 74HCT125. A 74HC125 does not accept 3.3 V; boards with BSS138 are too slow.",
        ),
        Item("ceramic capacitor 100 nF", shifters(layout), note="At pins 7 and 14 of each 74AHCT125."),
        Item("resistor 330 ohm", chains, note="300 to 500 ohm."),
        Item("capacitor 1000 µF, 10 V", chains, note="Its stripe is 0 V; with reversed polarity it bursts."),
    ]


def _buttons_and_readers(layout: Layout) -> list[Item]:
    bores = Counter(button_bore(button.size) for button in layout.buttons)
    readers = len(layout.readers)
    crossed = sum(not isinstance(button.switch, int) for button in layout.buttons)
    return [
        *(
            Item(
                f"push button for a hole of {bore:g} mm",
                bores[bore],
                note="Closes while pressed; any that fits.",
            )
            for bore in BUTTON_BORES
        ),
        Item("diode 1N4148", crossed, note="Or 1N914, BAT85. If it is reversed, its button does not work."),
        Item(
            "reader RDM6300 with its antenna, 125 kHz",
            readers,
            note="Or ID-12LA (3.3 V, no divider); on a Pi also PN532 for 13.56 MHz tags, set to UART.",
        ),
        Item("resistor 1 kOhm", readers, note="For the RDM6300, whose 5 V would damage the pin."),
        Item("resistor 2 kOhm", readers, note="Or 1.8 kOhm."),
        Item(
            "tags, EM4100 125 kHz",
            TILES + layout.seats + ACTIONS if readers else 0,
            note="One for each tile, seat and action; not needed to play by buttons. "
            "Their kind must be that of the readers.",
        ),
    ]


def _wire(layout: Layout) -> list[Item]:
    """Return the metres of stranded wire; of power wires red and black together."""
    every = feeds(layout)
    thin = len(layout.chains) + _button_wires(layout) + 3 * len(layout.readers)
    main = f"m of {FUSES[main_fuse(layout)]:g} mm²"
    feed = f"m of {max(feed.wire for feed in every):g} mm²"
    return [
        Item("main wire", 2, main, "Red and black; short."),
        Item("wire of the feeds", ceil(2 * len(every) * wire_length(layout) * SPARE), feed, "Red and black."),
        Item(
            "wire for data, buttons, readers",
            ceil(thin * wire_length(layout) * SPARE),
            f"m of {THIN:g} mm²",
            "Ribbon or network cable works.",
        ),
    ]


def _button_wires(layout: Layout) -> int:
    if layout.matrix is None:
        return len(layout.buttons) + layout.seats + 1
    rows = Counter(button.switch[0] for button in layout.buttons if not isinstance(button.switch, int))
    return sum(number + 1 for number in rows.values())


# --- Tables of the maker's guide -------------------------------------------------------------------------

Rows = list[list[str]]


def update_guide(text: str, layouts: Sequence[Layout]) -> str:
    """Return the text of a guide with every table between `<!-- NAME -->` and `<!-- end -->` replaced.

    Raises ValueError if a table has no place in the text.
    """
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"the guide has no place for the table {name!r}: <!-- {name} --> ... {end}")
        table = "".join("| " + " | ".join(row) + " |\n" for row in make(layouts))
        text = before + begin + table + end + after
    return text


def parts_table(layouts: Sequence[Layout]) -> Rows:
    """Return the table of parts: one row for each part, with its amount for every layout."""
    rows = _head("part", layouts, "alternatives, mistakes")
    for items in zip(*map(shopping_list, layouts), strict=True):
        if any(item.number for item in items):
            rows.append(
                [items[0].part, *(item.amount if item.number else "" for item in items), items[0].note]
            )
    return rows


def _dimmed_amperes(layout: Layout) -> float:
    """Return the current in amperes of full white within the current limit."""
    limiter = CurrentLimiter(layout)
    white = LightFrame({light.name: (FULL, FULL, FULL) for light in layout.lights})
    return limiter.milliamperes(limiter.limit(white)) / 1000


def power_table(layouts: Sequence[Layout]) -> Rows:
    """Return the table of currents, with the fuses and wires that follow from them."""
    rows = _head("", layouts)
    sums: dict[str, Callable[[Layout], str]] = {
        "lights": lambda layout: f"{len(layout.lights)}",
        "all of them dark": lambda layout: f"{layout.supply.dark / 1000:.2f} A",
        "all of them at full white": lambda layout: f"{full_white_amperes(layout):.1f} A",
        "current limit of the table (`[supply]`)": lambda layout: f"{layout.supply.amperes:g} A",
        "all of them at full white, as the table dims it": lambda layout: f"{_dimmed_amperes(layout):.1f} A",
        "power supply, with a margin of a quarter": lambda layout: (
            "the Pi's own" if fed_by_pi(layout) else f"{supply_amperes(layout):g} A"
        ),
        "main fuse": lambda layout: f"{main_fuse(layout):g} A",
        "main wire": lambda layout: f"{FUSES[main_fuse(layout)]:g} mm²",
        f"feeds, each for {MAX_LIGHTS} lights at most": lambda layout: f"{len(feeds(layout))}",
        "voltage drop of the longest feed at full white": _lost,
        "load of the Pi's own supply": lambda layout: (
            f"{amperes_from_pi(layout):.2f} A of {PI_SPARE_AMPERES:g}"
        ),
    }
    return rows + [[name, *(make(layout) for layout in layouts)] for name, make in sums.items()]


def _lost(layout: Layout) -> str:
    lost = max(voltage_drop(feed.amperes, wire_length(layout), feed.wire) for feed in feeds(layout))
    return f"{lost:.2f} V in {wire_length(layout):.2g} m"


def amperes_from_pi(layout: Layout) -> float:
    """Return the amperes that readers, the Pico and lights on its pins take from the Pi's own supply."""
    pico = PICO_AMPERES if layout.controller == "pico" else 0.0
    lights = layout.supply.amperes if fed_by_pi(layout) else 0.0
    return pico + lights + READER_AMPERES * len(layout.readers)


def feeds_table(layouts: Sequence[Layout]) -> Rows:
    """Return the table of feeds: for each feed where it enters the chain, its fuse and its wire."""
    rows = [["layout", "chain, its data pin", "feed", "enters at", "lights", "at full white", "fuse", "wire"]]
    rows.append(["---"] * len(rows[0]))
    for layout in layouts:
        pins = {it.name: data_source(layout, it) for it in layout.chains}
        for number, feed in enumerate(feeds(layout), 1):
            rows.append(
                [
                    layout.name,
                    f"{feed.chain}, {pins[feed.chain]}",
                    "" if fed_by_pi(layout) else f"F{number}",
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
