"""Drilling template: the table at 1:1 as SVG, as PDF of one sheet, and as PDF of A4 pages."""

from __future__ import annotations

import re
from itertools import combinations
from math import hypot
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from hardware.api import HardwareError
from hardware.layout.model import Layout, PlacedButton, PlacedLight, Reader, read_layout
from hardware.papers.__main__ import main
from hardware.papers.power_feeds import feeds
from hardware.papers.template import (
    A4,
    APART,
    BORDER,
    PAGE,
    POCKET,
    POINT,
    STEP,
    Circle,
    Lines,
    a4_pages,
    a4_pdf,
    button_bore,
    holes,
    ruler,
    short_name,
    template,
    template_checksum,
    template_svg,
    whole_pdf,
)

from .conftest import Documents
from .wires import WIRING

SVG = "{http://www.w3.org/2000/svg}"


def circles(svg: str) -> dict[str, tuple[float, float, float]]:
    """Return the named circles of a template: middle and diameter."""
    found = ET.fromstring(svg).iter(f"{SVG}circle")
    return {
        it.attrib["id"]: (float(it.attrib["cx"]), float(it.attrib["cy"]), 2 * float(it.attrib["r"]))
        for it in found
        if "id" in it.attrib
    }


def page_sizes(pdf: bytes) -> list[tuple[float, float]]:
    """Return the sizes of all pages in millimetres."""
    boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    return [(float(width) / POINT, float(height) / POINT) for width, height in boxes]


def apart(found: dict[str, tuple[float, float, float]], one: str, other: str) -> float:
    return hypot(found[one][0] - found[other][0], found[one][1] - found[other][1])


@pytest.mark.slow
def test_a_unit_of_the_svg_is_a_millimetre(documents: Documents) -> None:
    layout = documents.layout
    root = ET.fromstring(documents.template)
    width, height = layout.width + 2 * BORDER, layout.height + 2 * BORDER
    assert (root.attrib["width"], root.attrib["height"]) == (f"{width:g}mm", f"{height:g}mm")
    assert root.attrib["viewBox"] == f"{-BORDER:g} {-BORDER:g} {width:g} {height:g}"


def test_every_light_button_and_reader_has_its_hole(documents: Documents) -> None:
    layout = documents.layout
    found = circles(documents.template)
    placed: list[PlacedLight | PlacedButton] = [*layout.lights, *layout.buttons]
    for it in placed:
        assert found[it.name] == pytest.approx((it.x, it.y, it.size), abs=0.01)
    names = {it.name for it in placed}
    assert found.keys() == names | {f"reader.{reader.name}" for reader in layout.readers}


def test_distances_on_the_full_template() -> None:
    found = circles(template_svg(read_layout("full")))
    assert apart(found, "seat.1.wall.1.1", "seat.1.wall.1.2") == pytest.approx(30, abs=0.02)
    assert apart(found, "seat.2.wall.1.1", "seat.2.wall.5.1") == pytest.approx(120, abs=0.02)
    assert apart(found, "seat.3.tens.0", "seat.3.tens.9") == pytest.approx(9 * 22, abs=0.02)
    assert apart(found, "seat.4.line.1", "seat.4.line.1.1") == pytest.approx(35, abs=0.02)
    assert found["status"] == pytest.approx((852, 786, 24))
    assert found["ok"] == pytest.approx((852, 848, 44))
    assert found["seat.1.turn"] == pytest.approx((500 - 156, 846 - 111, 28))
    assert found["seat.3.turn"] == pytest.approx((500 + 156, 154 + 111, 28))


def test_distances_on_the_duo_template() -> None:
    found = circles(template_svg(read_layout("duo")))
    assert apart(found, "ok", "undo") == pytest.approx(639 - 592, abs=0.02)
    assert apart(found, "seat.1.floor.1", "seat.1.floor.7") == pytest.approx(180, abs=0.02)
    assert apart(found, "centre.1", "centre.4") == pytest.approx(72, abs=0.02)


@pytest.mark.slow
def test_the_whole_sheet_is_the_table_with_its_border(documents: Documents) -> None:
    layout = documents.layout
    ((width, height),) = page_sizes(documents.whole)
    assert width == pytest.approx(layout.width + 2 * BORDER, abs=0.01)
    assert height == pytest.approx(layout.height + 2 * BORDER, abs=0.01)


@pytest.mark.slow
def test_a4_pages_and_an_overview_cover_the_table(documents: Documents) -> None:
    layout = documents.layout
    sizes = page_sizes(documents.a4)
    assert len(sizes) == len(a4_pages(layout)) + 1
    assert all(size == pytest.approx(A4, abs=0.01) for size in sizes)
    for hole in holes(layout):
        seen = [
            at
            for _, at in a4_pages(layout)
            if 0 <= hole.x - at[0] < STEP[0] and 0 <= hole.y - at[1] < STEP[1]
        ]
        assert len(seen) == 1, hole.name


def test_a_page_has_room_for_its_content() -> None:
    assert all(shown + 20 <= paper for shown, paper in zip(PAGE, A4, strict=True))


def test_the_ruler_is_100_mm() -> None:
    (line, *_) = (mark for mark in ruler(7, 3) if isinstance(mark, Lines))
    assert line.points == ((7, 3), (107, 3))


@pytest.mark.slow
def test_equal_layouts_give_equal_documents(documents: Documents) -> None:
    """They hold no time and nothing random."""
    layout = documents.layout
    assert template_svg(layout) == documents.template
    assert whole_pdf(layout) == documents.whole
    assert a4_pdf(layout) == documents.a4


def test_the_committed_documents_are_up_to_date(documents: Documents) -> None:
    """If not: `make diagrams`."""
    layout = documents.layout
    assert (WIRING / f"{layout.name}-template.svg").read_text("utf-8") == documents.template
    for name in (f"{layout.name}-template.pdf", f"{layout.name}-template-a4.pdf"):
        assert f"/Subject ({template_checksum(layout)})".encode() in (WIRING / name).read_bytes()


def test_no_pocket_touches_a_hole_or_the_edge(layout: Layout) -> None:
    found = holes(layout)
    for one, other in combinations(found, 2):
        if "reader" in (one.kind, other.kind):
            between = hypot(one.x - other.x, one.y - other.y) - one.outer / 2 - other.outer / 2
            assert between >= APART - 0.01, (one.name, other.name)
    for hole in found:
        if hole.kind == "reader":
            assert POCKET / 2 <= hole.x <= layout.width - POCKET / 2
            assert POCKET / 2 <= hole.y <= layout.height - POCKET / 2


def test_the_pocket_of_a_seats_reader_is_on_its_board() -> None:
    layout = read_layout("full")
    boards = {outline.name: outline for outline in layout.outlines}
    for hole in holes(layout):
        if hole.name.startswith("reader.seat"):
            board = boards[hole.name.removeprefix("reader.")]
            upright = round(board.turn / 90) % 2 == 1
            width, height = (board.height, board.width) if upright else (board.width, board.height)
            assert abs(hole.x - board.x) + POCKET / 2 <= width / 2, hole.name
            assert abs(hole.y - board.y) + POCKET / 2 <= height / 2, hole.name


def test_a_table_without_room_for_a_reader_is_an_error() -> None:
    layout = read_layout("duo")
    crowded = replace(layout, width=50.0, height=50.0)
    with pytest.raises(HardwareError, match="no room of 60 mm for the reader shared"):
        holes(crowded)


def test_a_reader_on_a_port_is_named_by_it() -> None:
    layout = replace(read_layout("duo"), readers=(Reader("shared", "/dev/ttyUSB0"),))
    (pocket,) = (hole for hole in holes(layout) if hole.kind == "reader")
    assert pocket.wire == "/dev/ttyUSB0"


@pytest.mark.parametrize(("rim", "bore"), [(28, 24), (34, 30), (44, 30), (33.9, 24), (16, 12), (10, 10)])
def test_a_rim_covers_the_largest_usual_bore(rim: float, bore: float) -> None:
    assert button_bore(rim) == bore


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("seat.1.wall.3.4", "wall.3.4"),
        ("seat.2.line.5", "line.5"),
        ("display.5.5", "5"),
        ("display.5", "display.5"),
        ("centre", "centre"),
        ("centre.12", "12"),
        ("ok", "ok"),
    ],
)
def test_a_label_omits_the_component(name: str, label: str) -> None:
    assert short_name(name) == label


@pytest.mark.slow
def test_documents_of_a_custom_layout(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    text = Path(__file__).parents[3].joinpath("hardware/layouts/duo.toml").read_text("utf-8")
    own.write_text(text.replace("x = 402\ny = 592\nsize = 40", "x = 400\ny = 592\nsize = 40"), "utf-8")
    main([str(own), "--out", str(tmp_path / "papers")])
    assert circles((tmp_path / "papers/mine-template.svg").read_text("utf-8"))["ok"] == (400, 592, 40)
    assert {path.name for path in (tmp_path / "papers").iterdir()} == {
        "mine-template.svg",
        "mine-template.pdf",
        "mine-template-a4.pdf",
        "mine-circuit.svg",
    }


def test_documents_of_an_unknown_layout_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nothing", "--out", str(tmp_path)])
    assert ended.value.code == 1
    assert "there is no layout 'nothing'" in capsys.readouterr().err


def test_lights_for_12_volts_are_an_error() -> None:
    layout: Layout = read_layout("duo")
    twelve = replace(layout, supply=replace(layout.supply, volts=12.0))
    with pytest.raises(HardwareError, match="only lights for 5 V are supported, not for 12"):
        feeds(twelve)


def test_every_hole_has_one_named_circle() -> None:
    """The outer circle has the name of the hole, the bore has none."""
    named = [mark for mark in template(read_layout("duo")) if isinstance(mark, Circle) and mark.name]
    assert len(named) == len({mark.name for mark in named}) == len(holes(read_layout("duo")))
