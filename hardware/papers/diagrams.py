"""Wiring diagrams: WireViz draws them from their YAML; each picture remembers what it was drawn from."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

WIDEST: Final = 1800
"""Pixels of a picture's longer side: legible, and still small."""
COLOURS: Final = 96
SOURCE: Final = "source"
"""The text in a picture with the check of its YAML."""


def check_of(source: Path) -> str:
    """Return a check of a file's text, the same whatever its ends of lines."""
    return sha256(source.read_text("utf-8").encode()).hexdigest()[:16]


def draw_diagram(source: Path) -> None:
    """Draw a YAML file as a PNG beside it; needs graphviz. Raises whatever WireViz raises for bad YAML."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    from wireviz.wireviz import parse

    picture = Image.open(BytesIO(parse(source, return_types="png"))).convert("RGB")
    picture.thumbnail((WIDEST, WIDEST), Image.Resampling.LANCZOS)
    said = PngInfo()
    said.add_text(SOURCE, check_of(source))
    small = picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(source.with_suffix(".png"), optimize=True, pnginfo=said)


def drawn_from(picture: Path) -> str:
    """Return the check of the YAML that a picture was drawn from, empty if it does not say."""
    from PIL import Image

    with Image.open(picture) as opened:
        return str(opened.info.get(SOURCE, ""))
