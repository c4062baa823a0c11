"""Documents of each layout that ships, made once for all tests."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hardware.layout.model import Layout, read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.template import a4_pdf, template_svg, whole_pdf
from hardware.papers.wiring import power_circuit


@dataclass(frozen=True)
class Documents:
    """A layout and its documents."""

    layout: Layout
    template: str
    whole: bytes
    a4: bytes
    circuit: str


@pytest.fixture(scope="session", params=ORDER)
def documents(request: pytest.FixtureRequest) -> Documents:
    layout = read_layout(request.param)
    return Documents(layout, template_svg(layout), whole_pdf(layout), a4_pdf(layout), power_circuit(layout))


@pytest.fixture(params=ORDER)
def layout(request: pytest.FixtureRequest) -> Layout:
    return read_layout(request.param)
