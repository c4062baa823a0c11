"""The drilling template as one SVG at 1:1, for a laser, a mill or a plotter."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape, quoteattr

from hardware.layout import Layout
from hardware.papers.sheet import BORDER, Circle, Lines, Mark, Style, Text, whole_sheet

STYLES: Final[dict[Style, str]] = {
    "cut": "stroke: #d00; stroke-width: 0.25",
    "window": "stroke: #06c; stroke-width: 0.15; stroke-dasharray: 1.2 0.8",
    "pocket": "stroke: #070; stroke-width: 0.25; stroke-dasharray: 3 1.5",
    "cross": "stroke: #000; stroke-width: 0.15",
    "outline": "stroke: #777; stroke-width: 0.2",
    "edge": "stroke: #d00; stroke-width: 0.4",
    "mark": "stroke: #000; stroke-width: 0.25",
}


def template_svg(layout: Layout) -> str:
    """Return the whole sheet as SVG whose units are millimetres; raises HardwareError."""
    width, height = layout.width + 2 * BORDER, layout.height + 2 * BORDER
    styles = " ".join(f".{style} {{ {css} }}" for style, css in STYLES.items())
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
            f'viewBox="{-BORDER:g} {-BORDER:g} {width:g} {height:g}">',
            f"<title>{escape(layout.title)}: drilling template at 1:1</title>",
            f"<style>circle, path {{ fill: none }} text {{ font-family: Helvetica, Arial, sans-serif }} "
            f"{styles}</style>",
            f'<rect x="{-BORDER:g}" y="{-BORDER:g}" width="{width:g}" height="{height:g}" fill="#fff"/>',
            *map(_element, whole_sheet(layout)),
            "</svg>\n",
        ]
    )


def _element(mark: Mark) -> str:
    match mark:
        case Circle(x, y, diameter, style, name):
            named = f" id={quoteattr(name)}" if name else ""
            return f'<circle class="{style}"{named} cx="{_mm(x)}" cy="{_mm(y)}" r="{_mm(diameter / 2)}"/>'
        case Lines(points, style, closed):
            path = "M" + "L".join(f"{_mm(x)} {_mm(y)}" for x, y in points) + ("Z" if closed else "")
            return f'<path class="{style}" d="{path}"/>'
        case Text(x, y, height, words, turn, centred):
            anchor = ' text-anchor="middle"' if centred else ""
            turned = f' transform="rotate({turn:g} {_mm(x)} {_mm(y)})"' if turn else ""
            place = f'x="{_mm(x)}" y="{_mm(y)}" font-size="{height:g}"'
            return f"<text {place}{anchor}{turned}>{escape(words)}</text>"


def _mm(value: float) -> str:
    return f"{round(value, 2):g}"
