"""Wires of a wiring diagram, as WireViz reads it, and the wires that a layout requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Layout
from hardware.papers.power_feeds import SHIFTER_FUSE, fed_by_pi, feeds

WIRING: Final = Path(__file__).parents[3] / "hardware" / "wiring"
BOARDS: Final = {"pi": "Pi", "pico": "Pico"}
CHANNELS: Final = ((2, 3), (5, 6), (9, 8), (12, 11))
"""Pins of a 74AHCT125: input and output of each of its gates, by its datasheet."""
ENABLES: Final = (1, 4, 10, 13)
SHIFTER_GROUND, SHIFTER_POWER = 7, 14

Wire = frozenset[str]
"""The two ends of a wire, each as `CONNECTOR LABEL`."""


@cache
def harness(name: str) -> Any:
    """Read a wiring diagram with WireViz, without graphviz."""
    from wireviz.wireviz import parse

    return parse(WIRING / f"{name}.yaml", return_types="harness")


def wires(harness: Any) -> Counter[Wire]:
    """Return every wire of a harness. Raises AssertionError for a wire with a loose end."""
    found: Counter[Wire] = Counter()
    for cable in harness.cables.values():
        used = set()
        for wire in cable.connections:
            ends = [(wire.from_name, wire.from_pin), (wire.to_name, wire.to_pin)]
            assert all(name is not None for name, _ in ends), f"a wire of {cable.name} has a loose end"
            found[frozenset(f"{name} {label(harness, name, pin)}" for name, pin in ends)] += 1
            used.add(wire.via_port)
        assert used == set(range(1, cable.wirecount + 1)), f"{cable.name} has a wire without use"
    return found


def label(harness: Any, connector: str, pin: Any) -> str:
    """Return the label of a pin."""
    it = harness.connectors[connector]
    return str(it.pinlabels[it.pins.index(pin)]) if it.pinlabels else str(pin)


def pins(harness: Any, connector: str) -> dict[int, str]:
    """Return the labels of a connector's pins by their positions."""
    it = harness.connectors[connector]
    return dict(zip(it.pins, it.pinlabels, strict=True))


def pair(one: str, other: str) -> Wire:
    return frozenset((one, other))


def data_wires(layout: Layout) -> Iterator[Wire]:
    """Yield the data wires from the board through the shifters to every chain, and the shifters' power."""
    board, name = BOARDS[layout.controller], CONTROLLERS[layout.controller].name
    labels = pins(harness(f"{layout.name}-data"), "Shifter 1")
    power = f"Fuses F{len(feeds(layout)) + 1} {SHIFTER_FUSE:g} A"
    if fed_by_pi(layout):
        power = "Main fuse out"
    else:
        yield pair(f"{board} GND", "Ground 0 V")
    for first in range(0, len(layout.chains), 4):
        shifter = f"Shifter {first // 4 + 1}"
        chains = layout.chains[first : first + 4]
        yield pair(power, f"{shifter} {labels[SHIFTER_POWER]}")
        for low in (SHIFTER_GROUND, *ENABLES, *(into for into, _ in CHANNELS[len(chains) :])):
            yield pair("Ground 0 V", f"{shifter} {labels[low]}")
        for chain, (into, out) in zip(chains, CHANNELS, strict=False):
            yield pair(f"{board} {name(chain.pin)}", f"{shifter} {labels[into]}")
            yield pair(f"{shifter} {labels[out]}", f"{chain.name} DIN")


def power_wires(layout: Layout) -> Iterator[Wire]:
    """Yield the wires from the supply through the fuses to every chain, and back to the bar of 0 V."""
    alone = fed_by_pi(layout)
    yield pair("Pi 5V" if alone else "Supply +5 V", "Main fuse in")
    yield pair("Pi GND" if alone else "Supply 0 V", "Ground 0 V")
    if not alone:
        yield pair("Main fuse out", "Fuses in")
    for number, feed in enumerate(feeds(layout), 1):
        fuse = "Main fuse out" if alone else f"Fuses F{number} {feed.fuse:g} A"
        yield pair(fuse, f"{feed.chain} 5 V at {feed.pixel}")
        yield pair("Ground 0 V", f"{feed.chain} 0 V at {feed.pixel}")


def button_wires(layout: Layout) -> Iterator[Wire]:
    """Yield the wires of each button from its column to its row, or from its pin to ground."""
    board, name = BOARDS[layout.controller], CONTROLLERS[layout.controller].name
    groups = set()
    for button in layout.buttons:
        if isinstance(button.switch, int):
            seat = button.name.split(".")
            group = f"Seat {seat[1]}" if seat[0] == "seat" else "Middle"
            yield pair(f"{board} {name(button.switch)}", f"{group} {button.name}")
            groups.add(pair(f"{board} GND", f"{group} GND"))
        else:
            assert layout.matrix is not None
            row, column = button.switch
            yield pair(f"{board} {name(layout.matrix.columns[column - 1])}", f"Row {row} {button.name}")
            groups.add(pair(f"{board} {name(layout.matrix.rows[row - 1])}", f"Row {row} row"))
    yield from groups


def reader_wires(layout: Layout) -> Iterator[Wire]:
    """Yield the wires of each reader through its voltage divider to its pin, with 5 V and ground."""
    board, name = BOARDS[layout.controller], CONTROLLERS[layout.controller].name
    five = {"pi": "5V", "pico": "VBUS"}[layout.controller]
    for reader in layout.readers:
        called = reader.name.replace("seat.", "seat ")
        yield pair(f"{board} {name(reader.pin)}", f"Divider {called} 3.3 V side")
        yield pair(f"{board} GND", f"Divider {called} GND")
        yield pair(f"Divider {called} 5 V side", f"Reader {called} TX")
        yield pair(f"{board} GND", f"Reader {called} GND")
        yield pair(f"{board} {five}", f"Reader {called} +5V")


# --- Pinouts ---

POWER_PINS: Final[Mapping[str, Mapping[int, str]]] = {
    "pi": {
        1: "3V3",
        2: "5V",
        4: "5V",
        17: "3V3",
        **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "GND"),
    },
    "pico": {
        30: "RUN",
        33: "AGND",
        35: "ADC_VREF",
        36: "3V3",
        37: "3V3_EN",
        39: "VSYS",
        40: "VBUS",
        **dict.fromkeys((3, 8, 13, 18, 23, 28, 38), "GND"),
    },
}
"""The pins of each controller that are not GPIO pins, by their position on the board."""

_PI: Final = dict(
    zip(
        range(28),
        (
            *(27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33),
            *(8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
        ),
        strict=True,
    )
)
_PICO: Final = dict(
    zip(
        (*range(23), 26, 27, 28),
        sorted(set(range(1, 41)) - POWER_PINS["pico"].keys()),
        strict=True,
    )
)
PIN_POSITIONS: Final[Mapping[str, Mapping[int, int]]] = {"pi": _PI, "pico": _PICO}
"""The position of each GPIO pin on the board, by its number."""
