"""Drilling template of a table at 1:1, as SVG, as a PDF of one sheet, and as a PDF of A4 pages.

From the layout follow the holes (`holes`), from these the marks on the sheet (`template`), which are drawn as
PDF (`whole_pdf`, `a4_pdf`) or SVG (`template_svg`). The positions are those of the twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from itertools import count, product
from math import ceil, cos, hypot, pi, radians, sin
from string import ascii_uppercase
from typing import Any, Final, Literal
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from hardware.api import OK, SHARED, HardwareError
from hardware.layout.checks import CONTROLLERS
from hardware.layout.model import Layout, Outline, PlacedButton, PlacedLight, Reader

# --- Holes -----------------------------------------------------------------------------------------------
# A layout gives the diameter of each light's window and of each button's rim. Defaults for the rest are here:
# the bore of a button, the bore for the light itself in the lower plate, the pocket of a reader.

LIGHT_BORE: Final = 12.0
"""The usual bore for a light in a plastic cap, which clamps itself in the lower plate."""
BUTTON_BORES: Final = (12.0, 16.0, 19.0, 22.0, 24.0, 30.0)
"""Bores of common buttons; the rim of a button is at least RIM wider than its bore."""
RIM: Final = 4.0
POCKET: Final = 60.0
"""A round pocket for the antenna of a reader, milled from below."""
APART: Final = 4.0
"""The least distance between a pocket and a hole, or the edge."""


class Hole(Struct, frozen=True):
    """The hole of a light, button or reader of this name; its middle and diameters are in millimetres.

    `outer` is the window of a light, the rim of a button, or the pocket of a reader; `bore` is the smaller
    hole in it, if any. `label` and `wire` are printed beside it.
    """

    name: str
    kind: Literal["light", "button", "reader"]
    x: float
    y: float
    outer: float
    bore: float | None
    label: str
    wire: str


@lru_cache(maxsize=4)
def holes(layout: Layout) -> tuple[Hole, ...]:
    """Return the holes of lights, buttons and readers. Raises HardwareError if a pocket has no room."""
    drilled = [*map(_light, layout.lights), *(_button(layout, button) for button in layout.buttons)]
    for reader in layout.readers:
        drilled.append(_pocket(layout, reader, drilled))
    return tuple(drilled)


def button_bore(rim: float) -> float:
    """Return the largest common bore that a rim of this diameter covers; else the rim itself."""
    return max((bore for bore in BUTTON_BORES if bore + RIM <= rim), default=rim)


def _light(light: PlacedLight) -> Hole:
    bore = LIGHT_BORE if light.size > LIGHT_BORE else None
    return Hole(
        light.name, "light", light.x, light.y, light.size, bore, short_name(light.name), f"{light.pixel}"
    )


def _button(layout: Layout, button: PlacedButton) -> Hole:
    if isinstance(button.switch, int):
        wire = CONTROLLERS[layout.controller].name(button.switch)
    else:
        wire = "row {}, column {}".format(*button.switch)
    bore = button_bore(button.size)
    return Hole(button.name, "button", button.x, button.y, button.size, bore, short_name(button.name), wire)


def short_name(name: str) -> str:
    """Return a name without its seat, display or centre: `wall.3.4` for `seat.1.wall.3.4`."""
    words = name.split(".")
    numbered = {"seat": 2, "display": 2, "centre": 1}.get(words[0], 0)
    return ".".join(words[numbered:]) or name


def _pocket(layout: Layout, reader: Reader, drilled: Iterable[Hole]) -> Hole:
    """Return the pocket of a reader, at the nearest free point to where its tags are laid."""
    home_x, home_y, turn = _home(layout, reader)
    others = [(hole.x, hole.y, hole.outer / 2 + POCKET / 2 + APART) for hole in drilled]
    edge = POCKET / 2 + APART
    for x, y in _spiral(home_x, home_y, turn, layout.width + layout.height):
        on_table = edge <= x <= layout.width - edge and edge <= y <= layout.height - edge
        if on_table and all(hypot(x - it_x, y - it_y) >= apart for it_x, it_y, apart in others):
            wire = reader.wire
            if isinstance(wire, int):
                wire = CONTROLLERS[layout.controller].name(wire)
            name = f"reader.{reader.name}"
            return Hole(name, "reader", x, y, POCKET, None, f"reader {reader.name}", wire)
    raise HardwareError(f"{layout.name}: there is no room of {POCKET:g} mm for the reader {reader.name}")


def _home(layout: Layout, reader: Reader) -> tuple[float, float, float]:
    """Return x and y of where tags are laid, and the turn of the board, display or centre there.

    Tags are laid at a seat's turn light, on a display or the centre, or beside `ok`. The turn tells on which
    side the player sits, which is preferred.
    """
    wanted = (OK if reader.name == SHARED else reader.name, f"{reader.name}.turn")
    turn = next((outline.turn for outline in layout.outlines if outline.name == reader.name), 0.0)
    placed: list[PlacedLight | PlacedButton] = [*layout.lights, *layout.buttons]
    x, y = next((it.x, it.y) for it in placed if it.name in wanted)
    return x, y, turn


def _spiral(x: float, y: float, turn: float, furthest: float) -> Iterator[tuple[float, float]]:
    """Yield points around a point in whole millimetres, in growing circles from the direction `turn` on."""
    x, y = round(x), round(y)
    for radius in count():
        if radius > furthest:
            return
        half = max(1, radius)
        for step in range(2 * half):
            aside = (step + 1) // 2 * (1 if step % 2 else -1)
            angle = radians(turn) + pi * aside / half
            yield x - round(radius * sin(angle)), y + round(radius * cos(angle))


# --- Marks on the sheet, in millimetres: x to the right, y downwards -------------------------------------

Style = Literal["cut", "window", "pocket", "cross", "outline", "edge", "mark"]
"""Meaning of a line: to be cut, the window of a light or the rim of a button, a pocket from below, the middle
of a hole, the outline of a board or display (not cut), the edge of the table, an aid for printing."""

STYLES: Final[dict[Style, tuple[str, float, tuple[float, ...]]]] = {
    "cut": ("#d00", 0.25, ()),
    "window": ("#06c", 0.15, (1.2, 0.8)),
    "pocket": ("#070", 0.25, (3, 1.5)),
    "cross": ("#000", 0.15, ()),
    "outline": ("#777", 0.2, ()),
    "edge": ("#d00", 0.4, ()),
    "mark": ("#000", 0.25, ()),
}
"""Colour, width and dashes of each style."""
CIRCLES: Final[dict[str, tuple[Style, Style]]] = {
    "light": ("cut", "window"),
    "button": ("window", "cut"),
    "reader": ("pocket", "pocket"),
}
"""Styles of the outer and the inner circle of each kind of hole: holes through the top plate are cut."""
BORDER: Final = 20.0
"""Paper around the table on the whole sheet, for its title and a ruler."""
RULER: Final = 100.0
CROSS: Final = 1.6
SMALL, PLAIN, LARGE = 2.0, 3.0, 6.0
"""Heights of text."""
BELOW: Final = 3.8
ABOVE: Final = -2.3
"""Offsets of the texts below and above the middle of a hole."""


class Circle(Struct, frozen=True):
    """A circle by its middle and diameter; `name` is the name of its hole."""

    x: float
    y: float
    diameter: float
    style: Style
    name: str = ""


class Lines(Struct, frozen=True):
    """A line through points, open or closed."""

    points: tuple[tuple[float, float], ...]
    style: Style
    closed: bool = False


class Text(Struct, frozen=True):
    """A line of text, centred at x or beginning there; turned clockwise by `turn` degrees."""

    x: float
    y: float
    height: float
    words: str
    turn: float = 0.0
    centred: bool = True


Mark = Circle | Lines | Text


def left_text(x: float, y: float, height: float, words: str) -> Text:
    """Return a line of text that begins at x."""
    return Text(x, y, height, words, centred=False)


def template(layout: Layout) -> list[Mark]:
    """Return the marks on the table itself. Raises HardwareError if a reader has no room."""
    marks: list[Mark] = [_box(0.0, 0.0, layout.width, layout.height, "edge")]
    for outline in layout.outlines:
        marks += _outline(outline)
    for hole in holes(layout):
        marks += _hole(hole)
    return marks


def whole_sheet(layout: Layout) -> list[Mark]:
    """Return the template with a title and a ruler in the border around it."""
    return [
        *template(layout),
        left_text(0, -8, LARGE, f"azul-table: {layout.title} ({layout.width:g} x {layout.height:g} mm)"),
        *ruler(0, layout.height + 8),
        left_text(RULER + 8, layout.height + 12, PLAIN, "Print at 100 %: this ruler is 100 mm long."),
    ]


def ruler(x: float, y: float) -> list[Mark]:
    """Return a ruler of 100 mm from this point to the right."""
    ticks: list[Mark] = [
        Lines(((x + at, y), (x + at, y + (6 if at % 50 == 0 else 4 if at % 10 == 0 else 2))), "mark")
        for at in range(0, int(RULER) + 1, 2)
    ]
    numbers = [Text(x + at, y - 1, PLAIN, f"{at}") for at in range(0, int(RULER) + 1, 50)]
    return [Lines(((x, y), (x + RULER, y)), "mark"), *ticks, *numbers]


def _outline(outline: Outline) -> list[Mark]:
    top = -outline.height / 2 + PLAIN + 2
    name = Text(*_turned(outline, 0, top), PLAIN, outline.name, outline.turn)
    if outline.shape == "circle":
        return [Circle(outline.x, outline.y, outline.width, "outline"), name]
    half_width, half_height = outline.width / 2, outline.height / 2
    corners = (
        (-half_width, -half_height),
        (half_width, -half_height),
        (half_width, half_height),
        (-half_width, half_height),
    )
    return [Lines(tuple(_turned(outline, *corner) for corner in corners), "outline", closed=True), name]


def _turned(outline: Outline, x: float, y: float) -> tuple[float, float]:
    angle = radians(outline.turn)
    return outline.x + x * cos(angle) - y * sin(angle), outline.y + x * sin(angle) + y * cos(angle)


def _hole(hole: Hole) -> list[Mark]:
    words = [Text(hole.x, hole.y + BELOW, SMALL, hole.label), Text(hole.x, hole.y + ABOVE, SMALL, hole.wire)]
    outer, inner = CIRCLES[hole.kind]
    circles = [Circle(hole.x, hole.y, hole.outer, outer, hole.name)]
    if hole.bore is not None and hole.bore < hole.outer:
        circles.append(Circle(hole.x, hole.y, hole.bore, inner))
    return [*circles, *_cross(hole.x, hole.y, CROSS, "cross"), *words]


def _cross(x: float, y: float, arm: float, style: Style) -> list[Mark]:
    return [Lines(((x - arm, y), (x + arm, y)), style), Lines(((x, y - arm), (x, y + arm)), style)]


# --- PDF -------------------------------------------------------------------------------------------------

POINT: Final = 72 / 25.4
"""PDF points per millimetre."""
A4: Final = (210.0, 297.0)
MARGIN: Final = 10.0
"""The margin that printers leave white."""
STEP: Final = (180.0, 250.0)
OVERLAP: Final = 5.0
"""Millimetres that a page shows beyond its STEP on every side, with the neighbours' crosses."""
PAGE: Final = (STEP[0] + 2 * OVERLAP, STEP[1] + 2 * OVERLAP)
"""The area of the table that a page shows."""
ARM: Final = 4.0
"""Half of the length of a registration cross."""


class PdfPages:
    """PDF pages on which marks are drawn in millimetres, y downwards; equal marks give equal bytes."""

    def __init__(self, title: str, layout: Layout) -> None:
        from reportlab.pdfgen.canvas import Canvas

        self._bytes = BytesIO()
        self._canvas: Any = Canvas(self._bytes, invariant=1, pageCompression=1)
        self._canvas.setTitle(f"{layout.title}: {title}")
        self._canvas.setSubject(template_checksum(layout))
        self._height = 0.0

    def page(self, width: float, height: float) -> None:
        """Begin a page of this size."""
        if self._height:
            self._canvas.showPage()
        self._height = height
        self._canvas.setPageSize((width * POINT, height * POINT))

    def draw(self, marks: list[Mark], x: float = 0.0, y: float = 0.0) -> None:
        """Draw marks with their origin at this point of the page."""
        canvas = self._canvas
        canvas.saveState()
        canvas.translate(x * POINT, (self._height - y) * POINT)
        canvas.scale(POINT, POINT)
        for mark in marks:
            self._draw(mark)
        canvas.restoreState()

    def window(self, marks: list[Mark], at: tuple[float, float]) -> None:
        """Draw the part of the marks that PAGE shows from this point on, within the margins."""
        canvas = self._canvas
        canvas.saveState()
        path = canvas.beginPath()
        bottom = self._height - MARGIN - PAGE[1]
        path.rect(MARGIN * POINT, bottom * POINT, PAGE[0] * POINT, PAGE[1] * POINT)
        canvas.clipPath(path, stroke=0)
        self.draw([mark for mark in marks if _is_visible(mark, at)], MARGIN - at[0], MARGIN - at[1])
        canvas.restoreState()

    def to_bytes(self) -> bytes:
        """Return the PDF."""
        self._canvas.showPage()
        self._canvas.save()
        return self._bytes.getvalue()

    def _draw(self, mark: Mark) -> None:
        canvas = self._canvas
        match mark:
            case Circle(x, y, diameter, style):
                self._set_style(style)
                canvas.circle(x, -y, diameter / 2)
            case Lines(points, style, closed):
                self._set_style(style)
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

    def _set_style(self, style: Style) -> None:
        colour, width, dashes = STYLES[style]
        self._canvas.setStrokeColorRGB(*(int(digit, 16) / 15 for digit in colour[1:]))
        self._canvas.setLineWidth(width)
        self._canvas.setDash(list(dashes))


def _is_visible(mark: Mark, at: tuple[float, float]) -> bool:
    """Return whether a mark can be visible in a PAGE from this point on."""
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


def template_checksum(layout: Layout) -> str:
    """Return a checksum of all marks, which the PDFs carry as their subject."""
    return sha256(repr(template(layout)).encode()).hexdigest()[:16]


def whole_pdf(layout: Layout) -> bytes:
    """Return the whole sheet as a PDF of one page. Raises HardwareError if a reader has no room."""
    pages = PdfPages("drilling template at 1:1", layout)
    pages.page(layout.width + 2 * BORDER, layout.height + 2 * BORDER)
    pages.draw(whole_sheet(layout), BORDER, BORDER)
    return pages.to_bytes()


def a4_pages(layout: Layout) -> list[tuple[str, tuple[float, float]]]:
    """Return the names of the A4 pages, row by row, and the point of the table at the upper left of each."""
    rows, columns = ceil(layout.height / STEP[1]), ceil(layout.width / STEP[0])
    return [
        (f"{ascii_uppercase[row]}{column + 1}", (column * STEP[0], row * STEP[1]))
        for row, column in product(range(rows), range(columns))
    ]


def a4_pdf(layout: Layout) -> bytes:
    """Return a PDF of A4 pages: an overview, then the table in pages with crosses and a ruler.

    Raises HardwareError if a reader has no room.
    """
    pages = PdfPages("drilling template at 1:1 on A4", layout)
    marks = [*template(layout), *_crosses(layout)]
    pages.page(*A4)
    pages.draw(_overview(layout))
    for name, at in a4_pages(layout):
        pages.page(*A4)
        pages.window(marks, (at[0] - OVERLAP, at[1] - OVERLAP))
        pages.draw([*_numbers(*at), *_foot(layout, name)])
    return pages.to_bytes()


def _crosses(layout: Layout) -> list[Mark]:
    """Return a registration cross at every corner of the pages; neighbours show the same ones."""
    marks: list[Mark] = []
    rows, columns = ceil(layout.height / STEP[1]), ceil(layout.width / STEP[0])
    for row, column in product(range(rows + 1), range(columns + 1)):
        x, y = column * STEP[0], row * STEP[1]
        marks += [*_cross(x, y, ARM, "mark"), Circle(x, y, ARM, "mark")]
    return marks


def _numbers(x: float, y: float) -> list[Mark]:
    """Return the positions of a page's crosses on the table, as texts in its margins."""
    left, top = MARGIN + OVERLAP, MARGIN + OVERLAP
    return [
        Text(left, MARGIN - 1.5, SMALL, f"x {x:g}"),
        Text(left + STEP[0], MARGIN - 1.5, SMALL, f"x {x + STEP[0]:g}"),
        Text(MARGIN - 1.5, top, SMALL, f"y {y:g}", -90),
        Text(MARGIN - 1.5, top + STEP[1], SMALL, f"y {y + STEP[1]:g}", -90),
    ]


def _foot(layout: Layout, name: str) -> list[Mark]:
    """Return the footer of a page: its name, a hint, and a ruler."""
    y = MARGIN + PAGE[1]
    return [
        *ruler(MARGIN + 2, y + 8),
        left_text(MARGIN + 112, y + 7, LARGE, name),
        left_text(MARGIN + 126, y + 7, PLAIN, f"{layout.name}: cross on cross"),
        left_text(MARGIN + 126, y + 12, PLAIN, "100 %: the ruler is 100 mm"),
    ]


def _overview(layout: Layout) -> list[Mark]:
    """Return the first page: the arrangement of the pages, and the meaning of the lines."""
    scale = min(170 / layout.width, 150 / layout.height)
    left, top = 20.0, 105.0
    marks: list[Mark] = [
        left_text(left, 24, LARGE, f"azul-table: {layout.title}"),
        *(left_text(left, 34 + 6 * line, PLAIN + 0.5, words) for line, words in enumerate(HELP)),
    ]
    for outline in layout.outlines:
        x, y = left + outline.x * scale, top + outline.y * scale
        if outline.shape == "circle":
            marks.append(Circle(x, y, outline.width * scale, "outline"))
        else:
            upright = round(outline.turn / 90) % 2 == 1
            width, height = (outline.height, outline.width) if upright else (outline.width, outline.height)
            marks.append(_box(x - width * scale / 2, y - height * scale / 2, width * scale, height * scale))
    for name, (x, y) in a4_pages(layout):
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
"""The text of the first page."""


# --- SVG, for a laser, a mill or a plotter ---------------------------------------------------------------


def template_svg(layout: Layout) -> str:
    """Return the whole sheet as SVG in millimetres. Raises HardwareError if a reader has no room."""
    width, height = layout.width + 2 * BORDER, layout.height + 2 * BORDER
    styles = " ".join(f".{style} {{ {_css(style)} }}" for style in STYLES)
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


def _css(style: Style) -> str:
    colour, width, dashes = STYLES[style]
    dashed = f"; stroke-dasharray: {' '.join(f'{dash:g}' for dash in dashes)}" if dashes else ""
    return f"stroke: {colour}; stroke-width: {width:g}{dashed}"


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
