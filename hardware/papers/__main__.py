"""Command `python -m hardware.papers`: writes the documents of the layouts that ship, or of your own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hardware.api import HardwareError
from hardware.layout.model import Layout, read_layout
from hardware.papers.parts import update_guide
from hardware.papers.template import a4_pdf, template_svg, whole_pdf
from hardware.papers.wiring import crossing_circuit, divider_circuit, draw_diagram, power_circuit

WIRING: Final = Path(__file__).parents[1] / "wiring"
ORDER: Final = ("full", "duo", "indicators")
"""The layouts with documents in WIRING, the largest first."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all documents, or those of one layout into a folder."""
    parser = argparse.ArgumentParser(prog="python -m hardware.papers", description=__doc__)
    parser.add_argument("layout", nargs="?", metavar="NAME|FILE", help="a layout of your own")
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="FOLDER", help="the folder for its documents"
    )
    given = parser.parse_args(arguments)
    try:
        if given.layout is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            write_papers(read_layout(given.layout), given.out)
        else:
            write_all()
    except (HardwareError, OSError) as error:
        parser.exit(1, f"{error}\n")


def write_papers(layout: Layout, folder: Path) -> None:
    """Write the template and the power circuit of a layout. Raises HardwareError, or OSError."""
    (folder / f"{layout.name}-template.svg").write_text(template_svg(layout), "utf-8")
    (folder / f"{layout.name}-template.pdf").write_bytes(whole_pdf(layout))
    (folder / f"{layout.name}-template-a4.pdf").write_bytes(a4_pdf(layout))
    (folder / f"{layout.name}-circuit.svg").write_text(power_circuit(layout), "utf-8")


def write_all() -> None:
    """Write all generated files in `hardware/wiring`. Raises HardwareError, or OSError."""
    layouts = [read_layout(name) for name in ORDER]
    for layout in layouts:
        write_papers(layout, WIRING)
    (WIRING / "crossing.svg").write_text(crossing_circuit(), "utf-8")
    (WIRING / "divider.svg").write_text(divider_circuit(), "utf-8")
    guide = WIRING / "README.md"
    guide.write_text(update_guide(guide.read_text("utf-8"), layouts), "utf-8")
    for source in sorted(WIRING.glob("*.yaml")):
        draw_diagram(source)


if __name__ == "__main__":
    main()
