"""Documents of each layout that ships, made once for all tests."""

from __future__ import annotations

from functools import cached_property

import pytest

from hardware.layout.model import Layout, read_layout
from hardware.papers.__main__ import ORDER
from hardware.papers.template import a4_pdf, template_svg, whole_pdf
from hardware.papers.wiring import power_circuit
from tests.harness.sampling import some


class Documents:
    """A layout and its documents, each made when a test first asks for it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    @cached_property
    def template(self) -> str:
        return template_svg(self.layout)

    @cached_property
    def whole(self) -> bytes:
        return whole_pdf(self.layout)

    @cached_property
    def a4(self) -> bytes:
        return a4_pdf(self.layout)

    @cached_property
    def circuit(self) -> str:
        return power_circuit(self.layout)


@pytest.fixture(scope="session", params=some(ORDER))
def documents(request: pytest.FixtureRequest) -> Documents:
    return Documents(read_layout(request.param))


@pytest.fixture(params=ORDER)
def layout(request: pytest.FixtureRequest) -> Layout:
    return read_layout(request.param)
