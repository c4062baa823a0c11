"""The vendors' libraries: which versions fit, and the line that installs one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hardware.diagnostics.doctor import Status, examine
from hardware.drivers import raspberry_pi
from hardware.drivers.raspberry_pi import Library
from hardware.layout.model import Layout

from .fake_pi import FakePi


@pytest.fixture
def pi(tmp_path: Path) -> FakePi:
    return FakePi(tmp_path)


def mend(layout: Layout, pi: FakePi) -> str:
    """Return what mends the one fault that there is."""
    (fault,) = (finding for finding in examine(layout, pi.machine) if finding.state is Status.FAULT)
    assert fault.part == "libraries"
    return fault.remedy


def test_the_bounds_are_those_of_the_project_file() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    written = {}
    for requirement in project["project"]["optional-dependencies"]["pi"]:
        found = re.fullmatch(r"([\w-]+)(>=[^;]+?)\s*(?:;.*)?", requirement)
        assert found is not None
        written[found[1]] = found[2]
    assert written == {library.name: library.bounds for library in raspberry_pi.ALL}


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("2.2.2", True),
        ("2.2.1", False),
        ("2.10", True),
        ("3.0", False),
        ("2.2.2.post1", True),
        ("what", False),
    ],
)
def test_versions_that_fit(version: str, fits: bool) -> None:  # noqa: FBT001
    assert Library("gpiod", (2, 2, 2), (3,)).accepts(version) is fits


def test_what_is_installed_here() -> None:
    assert raspberry_pi.installed_version("gpiozero") is not None
    assert raspberry_pi.installed_version("azul-table-of-stone") is None


def test_a_library_is_installed_where_this_program_runs(duo: Layout, pi: FakePi) -> None:
    """Bug mended: `pip install` alone is the system's, which refuses, or helps another Python."""
    del pi.versions["gpiozero"]
    assert mend(duo, pi) == ("sudo /opt/azul-table/bin/python3 -m pip install 'gpiozero>=2.0.1,<3'")


def test_a_library_that_has_no_final_version_is_asked_for_by_its_candidate(
    duo: Layout, tmp_path: Path
) -> None:
    """Bug mended: pip finds no version of what a Pi 5 sends lights with, unless the bound names one."""
    pi = FakePi(tmp_path, 5)
    del pi.versions["adafruit-blinka-raspberry-pi5-neopixel"]
    assert "-m pip install 'adafruit-blinka-raspberry-pi5-neopixel>=1.0.0rc2,<2'" in mend(duo, pi)


def test_a_new_python_builds_lgpio_from_its_source(duo: Layout, pi: FakePi) -> None:
    del pi.versions["lgpio"]
    assert "apt" not in mend(duo, pi)
    pi.python = (3, 13)
    assert "sudo apt install gcc python3-dev swig liblgpio-dev && " in mend(duo, pi)
