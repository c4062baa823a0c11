"""The drilling template as PDF at 1:1: the whole sheet, and A4 pages to be glued together."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from itertools import product
from math import ceil
from string import ascii_uppercase
from typing import Any, Final

from hardware.layout import Layout
from hardware.papers.sheet import (
    BORDER,
    LARGE,
    PLAIN,
    SMALL,
    Circle,
    Lines,
    Mark,
    Style,
    Text,
    beginning,
    ruler,
    template,
    whole_sheet,
)

POINT: Final = 72 / 25.4
"""Points of a PDF in a millimetre."""
A4: Final = (210.0, 297.0)
MARGIN: Final = 10.0
"""What printers leave white."""
STEP: Final = (180.0, 250.0)
OVERLAP: Final = 5.0
"""What a page shows beyond its step on every side, for its neighbours' crosses."""
PAGE: Final = (STEP[0] + 2 * OVERLAP, STEP[1] + 2 * OVERLAP)
"""What a page shows of the table in all."""
ARM: Final = 4.0
"""Half of a registration cross."""

LINES: Final[dict[Style, tuple[tuple[float, float, float], float, tuple[float, ...]]]] = {
    "cut": ((0.82, 0, 0), 0.25, ()),
    "window": ((0, 0.4, 0.8), 0.15, (1.2, 0.8)),
    "pocket": ((0, 0.45, 0), 0.25, (3, 1.5)),
    "cross": ((0, 0, 0), 0.15, ()),
    "outline": ((0.47, 0.47, 0.47), 0.2, ()),
    "edge": ((0.82, 0, 0), 0.4, ()),
    "mark": ((0, 0, 0), 0.25, ()),
}
"""Colour, width and dashes of each style."""


class Paper:
    """Pages of a PDF on which marks are drawn in millimetres, y downwards; the same marks, the same bytes."""

    def __init__(self, title: str, layout: Layout) -> None:
        from reportlab.pdfgen.canvas import Canvas

        self._bytes = BytesIO()
        self._canvas: Any = Canvas(self._bytes, invariant=1, pageCompression=1)
        self._canvas.setTitle(f"{layout.title}: {title}")
        self._canvas.setSubject(check_of(layout))
        self._height = 0.0

    def page(self, width: float, height: float) -> None:
        """Begin a page of this size."""
        if self._height:
            self._canvas.showPage()
        self._height = height
        self._canvas.setPageSize((width * POINT, height * POINT))

    def draw(self, marks: list[Mark], x: float = 0.0, y: float = 0.0) -> None:
        """Draw marks, their 0, 0 at this point of the page."""
        canvas = self._canvas
        canvas.saveState()
        canvas.translate(x * POINT, (self._height - y) * POINT)
        canvas.scale(POINT, POINT)
        for mark in marks:
            self._draw(mark)
        canvas.restoreState()

    def window(self, marks: list[Mark], at: tuple[float, float]) -> None:
        """Draw of marks what PAGE shows from this point on, within the margins of the page."""
        canvas = self._canvas
        canvas.saveState()
        path = canvas.beginPath()
        bottom = self._height - MARGIN - PAGE[1]
        path.rect(MARGIN * POINT, bottom * POINT, PAGE[0] * POINT, PAGE[1] * POINT)
        canvas.clipPath(path, stroke=0)
        self.draw([mark for mark in marks if _seen(mark, at)], MARGIN - at[0], MARGIN - at[1])
        canvas.restoreState()

    def done(self) -> bytes:
        """Return the PDF."""
        self._canvas.showPage()
        self._canvas.save()
        return self._bytes.getvalue()

    def _draw(self, mark: Mark) -> None:
        canvas = self._canvas
        match mark:
            case Circle(x, y, diameter, style):
                self._take(style)
                canvas.circle(x, -y, diameter / 2)
            case Lines(points, style, closed):
                self._take(style)
                path = canvas.beginPath()
                path.moveTo(points[0][0], -points[0][1])
                for x, y in points[1:]:
                    path.lineTo(x, -y)
                if closed:
                    path.close()
                canvas.drawPath(path)
            case Text(x, y, height, words, turn, centred):
                canvas.saveState()
                canvas.translate(x, -y)
                canvas.rotate(-turn)
                canvas.setFont("Helvetica", height)
                (canvas.drawCentredString if centred else canvas.drawString)(0, 0, words)
                canvas.restoreState()

    def _take(self, style: Style) -> None:
        colour, width, dashes = LINES[style]
        self._canvas.setStrokeColorRGB(*colour)
        self._canvas.setLineWidth(width)
        self._canvas.setDash(list(dashes))


def _seen(mark: Mark, at: tuple[float, float]) -> bool:
    """Tell whether a mark may show in a PAGE from this point on."""
    match mark:
        case Circle(x, y, diameter):
            left, right, top, bottom = x - diameter, x + diameter, y - diameter, y + diameter
        case Lines(points):
            across, down = zip(*points, strict=True)
            left, right, top, bottom = min(across), max(across), min(down), max(down)
        case Text(x, y, height, words):
            long = height * len(words)
            left, right, top, bottom = x - long, x + long, y - long, y + long
    return left <= at[0] + PAGE[0] and right >= at[0] and top <= at[1] + PAGE[1] and bottom >= at[1]


def check_of(layout: Layout) -> str:
    """Return a check of all that is on the template, which its PDFs carry as their subject."""
    return sha256(repr(template(layout)).encode()).hexdigest()[:16]


def whole_pdf(layout: Layout) -> bytes:
    """Return the whole sheet as a PDF of one page; raises HardwareError."""
    paper = Paper("drilling template at 1:1", layout)
    paper.page(layout.width + 2 * BORDER, layout.height + 2 * BORDER)
    paper.draw(whole_sheet(layout), BORDER, BORDER)
    return paper.done()


def tiles(layout: Layout) -> list[tuple[str, tuple[float, float]]]:
    """Name the A4 pages, row by row, and the point of the table at the upper left of each."""
    rows, columns = ceil(layout.height / STEP[1]), ceil(layout.width / STEP[0])
    return [
        (f"{ascii_uppercase[row]}{column + 1}", (column * STEP[0], row * STEP[1]))
        for row, column in product(range(rows), range(columns))
    ]


def a4_pdf(layout: Layout) -> bytes:
    """Return A4 pages: an overview, then the tiles, each with registration marks and a ruler."""
    paper = Paper("drilling template at 1:1 on A4", layout)
    marks = [*template(layout), *_crosses(layout)]
    paper.page(*A4)
    paper.draw(_overview(layout))
    for name, at in tiles(layout):
        paper.page(*A4)
        paper.window(marks, (at[0] - OVERLAP, at[1] - OVERLAP))
        paper.draw([*_numbers(*at), *_foot(layout, name)])
    return paper.done()


def _crosses(layout: Layout) -> list[Mark]:
    """Return a cross at every corner of the tiles; neighbours show the same ones."""
    marks: list[Mark] = []
    rows, columns = ceil(layout.height / STEP[1]), ceil(layout.width / STEP[0])
    for row, column in product(range(rows + 1), range(columns + 1)):
        x, y = column * STEP[0], row * STEP[1]
        marks += [
            Lines(((x - ARM, y), (x + ARM, y)), "mark"),
            Lines(((x, y - ARM), (x, y + ARM)), "mark"),
            Circle(x, y, ARM, "mark"),
        ]
    return marks


def _numbers(x: float, y: float) -> list[Mark]:
    """Return, in the margins of a tile, where on the table its crosses lie."""
    left, top = MARGIN + OVERLAP, MARGIN + OVERLAP
    return [
        Text(left, MARGIN - 1.5, SMALL, f"x {x:g}"),
        Text(left + STEP[0], MARGIN - 1.5, SMALL, f"x {x + STEP[0]:g}"),
        Text(MARGIN - 1.5, top, SMALL, f"y {y:g}", -90),
        Text(MARGIN - 1.5, top + STEP[1], SMALL, f"y {y + STEP[1]:g}", -90),
    ]


def _foot(layout: Layout, name: str) -> list[Mark]:
    """Return what stands below a tile: its name, what to do, and a ruler."""
    y = MARGIN + PAGE[1]
    return [
        *ruler(MARGIN + 2, y + 8),
        beginning(MARGIN + 112, y + 7, LARGE, name),
        beginning(MARGIN + 126, y + 7, PLAIN, f"{layout.name}: cross on cross"),
        beginning(MARGIN + 126, y + 12, PLAIN, "100 %: the ruler is 100 mm"),
    ]


def _overview(layout: Layout) -> list[Mark]:
    """Return the first page: how the tiles lie, and what the lines mean."""
    scale = min(170 / layout.width, 150 / layout.height)
    left, top = 20.0, 105.0
    marks: list[Mark] = [
        beginning(left, 24, LARGE, f"azul-table: {layout.title}"),
        *(beginning(left, 34 + 6 * line, PLAIN + 0.5, words) for line, words in enumerate(HELP)),
    ]
    for outline in layout.outlines:
        x, y = left + outline.x * scale, top + outline.y * scale
        if outline.shape == "circle":
            marks.append(Circle(x, y, outline.width * scale, "outline"))
        else:
            upright = round(outline.turn / 90) % 2 == 1
            width, height = (outline.height, outline.width) if upright else (outline.width, outline.height)
            marks.append(_box(x - width * scale / 2, y - height * scale / 2, width * scale, height * scale))
    for name, (x, y) in tiles(layout):
        width = min(STEP[0], layout.width - x) * scale
        height = min(STEP[1], layout.height - y) * scale
        marks.append(_box(left + x * scale, top + y * scale, width, height, "edge"))
        marks.append(Text(left + x * scale + width / 2, top + y * scale + height / 2 + 2, LARGE, name))
    return [*marks, *ruler(left, 272)]


def _box(x: float, y: float, width: float, height: float, style: Style = "outline") -> Lines:
    return Lines(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), style, closed=True)


HELP: Final = (
    "Print all pages at 100 % (not: fit to page). The ruler on each page must be 100 mm long.",
    "Cut two sides of each page, lay the pages so that crosses of the same x and y meet; tape them.",
    "Red: drill or saw through the top plate. For lights that is the window.",
    "Blue, dashed: cut in the plate below only: a light's own bore, and room for a button's body (its rim).",
    "Green, dashed: a reader's antenna. Mill a pocket from below and leave 3 mm of wood.",
    "Grey: outlines of boards, displays and the centre; for the eye only.",
    "In each hole: its name below the middle; above it the pixel on its chain, or the button's pins.",
)
"""What the first page says."""
