"""Wiring diagrams by WireViz, and circuits by schemdraw.

`draw_diagram` draws a YAML file of `hardware/wiring` as PNG. `power_circuit`, `crossing_circuit` and
`divider_circuit` return SVG.
"""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Layout, Output
from hardware.papers.power_feeds import (
    SHIFTER_FUSE,
    Feed,
    data_source,
    fed_by_pi,
    feeds,
    full_white_amperes,
    main_fuse,
    supply_amperes,
)

# --- Wiring diagrams -------------------------------------------------------------------------------------

WIDEST: Final = 1800
"""Pixels of the longer side of a picture: legible and still a small file."""
COLOURS: Final = 96
SOURCE: Final = "source"
"""The key of the PNG text with the checksum of the YAML file."""


def source_checksum(source: Path) -> str:
    """Return a checksum of a file's text, independent of its line endings."""
    return sha256(source.read_text("utf-8").encode()).hexdigest()[:16]


def draw_diagram(source: Path) -> None:
    """Draw a YAML file as a PNG next to it; needs graphviz. Raises what WireViz raises for invalid YAML."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    from wireviz.wireviz import parse

    picture = Image.open(BytesIO(parse(source, return_types="png"))).convert("RGB")
    picture.thumbnail((WIDEST, WIDEST), Image.Resampling.LANCZOS)
    metadata = PngInfo()
    metadata.add_text(SOURCE, source_checksum(source))
    small = picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(source.with_suffix(".png"), optimize=True, pnginfo=metadata)


def source_of(picture: Path) -> str:
    """Return the checksum of the YAML file that a picture was drawn from, "" if it has none."""
    from PIL import Image

    with Image.open(picture) as opened:
        return str(opened.info.get(SOURCE, ""))


# --- Circuits --------------------------------------------------------------------------------------------

Point = tuple[float, float]

RED: Final = "#c00000"
BLUE: Final = "#0055aa"
PLUS, DATA, MINUS = 9.0, 4.4, 0.0
"""Heights of the 5 V, data and 0 V lines in the drawing."""
LIFT: Final = 0.25
"""Offset by which schemdraw draws a label too high."""


class Circuit:
    """A circuit diagram of elements at points."""

    def __init__(self) -> None:
        import schemdraw
        from schemdraw import elements

        schemdraw.use("svg")
        self._drawing = schemdraw.Drawing(
            show=False, fontsize=12, lw=1.5, font="Arial, Helvetica, sans-serif"
        )
        self._elements: Any = elements

    def part(
        self, name: str, start: Point, end: Point, words: str = "", place: str = "top", **looks: str
    ) -> None:
        """Draw an element of schemdraw between two points, with a label."""
        element = getattr(self._elements, name)(**looks).endpoints(start, end)
        self._drawing.add(element.label(words, loc=place) if words else element)

    def line(self, *points: Point, color: str = "black") -> None:
        """Draw a wire through points."""
        for start, end in pairwise(points):
            self.part("Line", start, end, color=color)

    def dot(self, *points: Point) -> None:
        """Mark points where wires meet."""
        for point in points:
            self._drawing.add(self._elements.Dot().at(point))

    def words(self, at: Point, words: str, size: float = 12, align: str = "left") -> None:
        """Write lines of text from a point on."""
        self._label(at, words, halign=align, valign="top", fontsize=size)

    def box(self, corner: Point, opposite: Point, words: str = "", at: Point | None = None) -> None:
        """Draw a box between two corners, with a label at its middle or at a point."""
        (left, bottom), (right, top) = corner, opposite
        self.line(corner, (right, bottom), opposite, (left, top), corner)
        middle = ((left + right) / 2, (bottom + top) / 2)
        if words:
            self._label(at or middle, words, halign="center", valign="center")

    def _label(self, at: Point, words: str, **looks: Any) -> None:
        """Write a label upright and exactly at the point, neither of which schemdraw does by default."""
        label = self._elements.Label().at((at[0], at[1] - LIFT)).theta(0)
        self._drawing.add(label.label(words, ofst=0, **looks))

    def ground(self, at: Point) -> None:
        """Draw the ground symbol below a point."""
        self._drawing.add(self._elements.Ground().at(at).right())

    def svg(self, title: str) -> str:
        """Return the diagram as SVG on a white background."""
        drawn = self._drawing.get_imagedata("svg").decode("utf-8")
        head, _, rest = drawn.partition(">")
        return f'{head} style="background: #fff"><title>{title}</title>{rest}'.rstrip() + "\n"


def power_circuit(layout: Layout) -> str:
    """Return the circuit of one chain as SVG, with notes about the others.

    Raises HardwareError if the lights are not for 5 V.
    """
    every = feeds(layout)
    chain = layout.chains[0]
    mine = [(number, feed) for number, feed in enumerate(every, 1) if feed.chain == chain.name]
    if fed_by_pi(layout):
        return _fed_by_pi(layout)
    circuit = Circuit()
    right = 11.0 + 4.2 * len(mine)
    _supply(circuit, layout)
    circuit.line((6, PLUS), (right - 3.2, PLUS), color=RED)
    circuit.line((1.2, MINUS), (right - 3.2, MINUS))
    circuit.ground((1.2, MINUS))
    circuit.words((1.8, -0.6), "0 V: one bar for all", 11)
    _data(circuit, layout, len(every))
    for place, (number, feed) in enumerate(mine):
        _feed(circuit, 12.0 + 4.2 * place, number, feed, capacitor=place == 0)
    circuit.box(
        (11.0, 3.5),
        (right, 5.3),
        f"chain {chain.name}: {chain.pixels} lights",
        (11.0 + (right - 11) / 2, 4.4),
    )
    circuit.words((0, -1.4), "\n".join(_notes(layout, every)), 11)
    return circuit.svg(f"{layout.title}: power of the lights")


def _fed_by_pi(layout: Layout) -> str:
    """Return the circuit of lights that are fed by the Pi, through the main fuse."""
    circuit, (chain,), (feed,) = Circuit(), layout.chains, feeds(layout)
    circuit.box((3.0, 2.6), (5.4, 5.4), "Raspberry Pi", (4.2, 3.6))
    circuit.words((5.25, DATA + 0.2), CONTROLLERS["pi"].name(chain.pin), 11, "right")
    circuit.words((4.2, 5.3), "5 V", 11, "center")
    circuit.words((4.2, 3.1), "GND", 11, "center")
    circuit.line((4.2, 5.4), (4.2, PLUS), color=RED)
    circuit.part("Fuse", (4.2, PLUS), (6.9, PLUS), f"main fuse {main_fuse(layout):g} A", color=RED)
    circuit.line((6.9, PLUS), (12.0, PLUS), (12.0, 5.3), color=RED)
    circuit.line((4.2, 2.6), (4.2, MINUS), (12.0, MINUS), (12.0, 3.5))
    _gate(circuit, PLUS)
    circuit.dot((6.9, PLUS))
    _capacitor(circuit, 12.0)
    circuit.words((12.15, 5.9), f"5 V at light {feed.pixel}", 11)
    circuit.words((12.15, 3.3), f"0 V at light {feed.pixel}", 11)
    circuit.box((11.0, 3.5), (15.2, 5.3), f"chain {chain.name}: {chain.pixels} lights", (13.1, 4.4))
    circuit.words((3.0, -1.0), "\n".join(_notes(layout, (feed,))), 11)
    return circuit.svg(f"{layout.title}: power of the lights")


def _supply(circuit: Circuit, layout: Layout) -> None:
    rated = supply_amperes(layout)
    circuit.box((0, 2.6), (2.4, 5.4), f"supply\n{layout.supply.volts:g} V\n{rated:g} A\nor more")
    circuit.line((1.2, 5.4), (1.2, PLUS), (2, PLUS), color=RED)
    circuit.part("Fuse", (2, PLUS), (5, PLUS), f"main fuse {main_fuse(layout):g} A", color=RED)
    circuit.line((5, PLUS), (6, PLUS), color=RED)
    circuit.line((1.2, 2.6), (1.2, MINUS))


def _data(circuit: Circuit, layout: Layout, number: int) -> None:
    """Draw the board, its level shifter and the resistor of the first chain."""
    board = "Pico" if layout.controller == "pico" else "Raspberry Pi"
    pin = data_source(layout, layout.chains[0])
    if isinstance(layout.chains[0].wire, Output):
        board, pin = f"controller\n{pin}", "data"
    circuit.box((3.0, 2.6), (5.4, 5.4), board, (4.2, 5.1))
    circuit.words((5.25, DATA + 0.2), pin, 11, "right")
    circuit.words((4.2, 3.1), "GND", 11, "center")
    circuit.line((4.2, 2.6), (4.2, MINUS))
    circuit.dot((4.2, MINUS))
    circuit.part("Fuse", (6.9, PLUS), (6.9, 6.8), f"F{number + 1}\n{SHIFTER_FUSE:g} A", "bottom", color=RED)
    circuit.dot((6.9, PLUS))
    _gate(circuit, 6.8)


def _gate(circuit: Circuit, fed_at: float) -> None:
    """Draw the level shifter between board and chain, fed with 5 V from this height."""
    circuit.line((5.4, DATA), (6.4, DATA), color=BLUE)
    circuit.line((6.4, DATA + 0.6), (7.6, DATA), (6.4, DATA - 0.6), (6.4, DATA + 0.6))
    circuit.line((6.9, DATA + 0.35), (6.9, fed_at), color=RED)
    circuit.line((6.9, DATA - 0.35), (6.9, MINUS))
    circuit.dot((6.9, MINUS))
    circuit.words((7.05, 3.6), "74AHCT125", 11)
    circuit.line((7.6, DATA), (8.2, DATA), color=BLUE)
    circuit.part("Resistor", (8.2, DATA), (10.6, DATA), "330 ohm", color=BLUE)
    circuit.line((10.6, DATA), (11.0, DATA), color=BLUE)


def _feed(circuit: Circuit, x: float, number: int, feed: Feed, *, capacitor: bool) -> None:
    circuit.dot((x, PLUS))
    circuit.part("Fuse", (x, PLUS), (x, 6.8), f"F{number}\n{feed.fuse:g} A", "bottom", color=RED)
    circuit.line((x, 6.8), (x, 5.3), color=RED)
    circuit.line((x, 3.5), (x, MINUS))
    circuit.dot((x, MINUS))
    circuit.words((x + 0.15, 5.9), f"5 V at light {feed.pixel}", 11)
    circuit.words((x + 0.15, 3.3), f"0 V at light {feed.pixel}", 11)
    if capacitor:
        _capacitor(circuit, x)


def _capacitor(circuit: Circuit, x: float) -> None:
    circuit.dot((x, 6.5))
    circuit.part("Capacitor2", (x, 6.5), (x + 2.4, 6.5), "1000 uF")
    circuit.ground((x + 2.4, 6.5))


def _notes(layout: Layout, every: tuple[Feed, ...]) -> list[str]:
    """Return the text below the circuit: the total current, and every chain with its pin and feeds."""
    lines = [
        f"All {len(layout.lights)} lights at full white: {full_white_amperes(layout):.1f} A. "
        f"The table dims every frame to {layout.supply.amperes:g} A at most."
    ]
    if fed_by_pi(layout):
        return lines
    lines.append("Between two feeds of a chain cut the 5 V wire; data and 0 V run through.")
    for chain in layout.chains:
        lines.append(f"{chain.name}, data from {data_source(layout, chain)}:")
        lines += [
            f"- F{number} {feed.fuse:g} A: {feed.lights} lights from light {feed.pixel} ({feed.light}), "
            f"{feed.amperes:.1f} A, wire {feed.wire:g} mm²"
            for number, feed in enumerate(every, 1)
            if feed.chain == chain.name
        ]
    return lines


def crossing_circuit() -> str:
    """Return the circuit of one crossing of a button matrix as SVG: column, button, diode, row."""
    circuit = Circuit()
    circuit.line((0, 4), (9, 4))
    circuit.words((-0.3, 3.95), "column\n(pulled up)", 12, "right")
    circuit.line((0, 0), (9, 0))
    circuit.words((-0.3, 0.2), "row\n(drawn low)", 12, "right")
    for x, label in ((2.5, "button"), (6.5, "the next button of the row\nhas a column of its own")):
        column = 4.0
        if x > 3:
            circuit.line((x, 3), (x, 3.4))
            circuit.words((x + 0.3, 3.6), "to the next column", 11)
        else:
            circuit.line((x, column), (x, 3))
            circuit.dot((x, column))
        circuit.part("Button", (x, 3), (x, 1.6))
        circuit.part("Diode", (x, 1.6), (x, 0))
        circuit.dot((x, 0))
        circuit.words((x + 0.7, 2.6), label, 11)
        circuit.words((x + 0.5, 0.95), "1N4148\nstripe to the row", 11)
    return circuit.svg("One crossing of the buttons' matrix")


def divider_circuit() -> str:
    """Return the circuit of the voltage divider of a reader as SVG."""
    circuit = Circuit()
    circuit.words((-1.2, 3.2), "reader TX\n(5 V)", 12, "right")
    circuit.part("Resistor", (0, 3), (3.5, 3), "1 kOhm")
    circuit.line((-1, 3), (0, 3))
    circuit.line((3.5, 3), (5.5, 3))
    circuit.dot((3.5, 3))
    circuit.words((5.7, 3.2), "pin that receives\n(3.3 V)", 12)
    circuit.part("Resistor", (3.5, 3), (3.5, 0), "2 kOhm", "bottom")
    circuit.line((-1, 0), (5.5, 0))
    circuit.dot((3.5, 0))
    circuit.words((5.7, 0.2), "GND", 12)
    circuit.words((-1.2, 0.2), "reader GND", 12, "right")
    return circuit.svg("From a reader's 5 V to a pin's 3.3 V")
