"""Layouts that ship, and changed copies of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.api import LayoutError
from hardware.layout import model as layout_module
from hardware.layout.model import Layout, read_layout

SHIPPED = Path(layout_module.__file__).parents[1] / "layouts"

Change = tuple[str, str, str]
"""The head of a table ("" for the whole file), a text in it, and its replacement."""
Faults = Callable[..., list[str]]


@pytest.fixture(scope="session")
def full() -> Layout:
    return read_layout("full")


@pytest.fixture(scope="session")
def duo() -> Layout:
    return read_layout("duo")


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    """Return a function that changes a shipped layout and returns its faults without the file's name."""

    def find(name: str, *changes: Change) -> list[str]:
        text = (SHIPPED / f"{name}.toml").read_text("utf-8")
        for change in changes:
            text = changed(text, *change)
        path = tmp_path / "damaged.toml"
        path.write_text(text, "utf-8")
        try:
            read_layout(str(path))
        except LayoutError as error:
            assert str(error) == "\n".join(error.faults)
            for fault in error.faults:
                assert fault.startswith(f"{path}: ") and "\n" not in fault
                assert "; " in fault, "a fault says what to do"
            return [fault.removeprefix(f"{path}: ") for fault in error.faults]
        return []

    return find


def changed(text: str, head: str, old: str, new: str) -> str:
    """Replace `old` once, in the table with this head."""
    start = text.index(f"{head}\n") if head and f"{head}\n" in text else text.index(head)
    end = text.find("\n[", start + 1) if head else len(text)
    end = len(text) if end < 0 else end
    part = text[start:end]
    assert part.count(old) >= 1, f"{old!r} is not in {head}"
    return text[:start] + part.replace(old, new, 1) + text[end:]
