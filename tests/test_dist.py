"""Source archive and wheel: both are built, and the wheel runs in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.running import RunningTable
from tests.harness.waiting import DEADLINE
from tests.test_house import HOUSE, SETTINGS, files, inside
from web_ui.text.catalogues import catalogue_paths, checksum

pytestmark = pytest.mark.system


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command that must succeed and return its standard output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=5 * DEADLINE,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source archive and the wheel of `make dist`, built offline and without Cython."""
    checkout = tmp_path_factory.mktemp("checkout")
    for path in files():
        copy = checkout / inside(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    no_cython = checkout / "without" / "Cython.py"
    no_cython.parent.mkdir()
    no_cython.write_text("raise ImportError('compiling takes a minute')\n")
    build = (sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", "dist")
    run(*build, cwd=checkout, PYTHONPATH=str(no_cython.parent))
    return checkout / "dist"


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The command of the wheel in an empty environment; the dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    (wheel,) = dist.glob("*.whl")
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel, cwd=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    yield folder / "bin" / "azul-table"
    shutil.rmtree(folder)


def test_the_source_archive_holds_what_the_wheel_is_built_from(dist: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE"} <= names
    core = {str(inside(path)) for path in files() if path.suffix == ".pxd"}
    assert core
    assert core <= names
    assert not [name for name in names if name.startswith("tests")]


def test_the_wheel_holds_the_catalogues_compiled_from_their_sources(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        sources = [name for name in opened.namelist() if name.endswith("/pages.po")]
        assert len(sources) == len(catalogue_paths()) > 0
        for name in sources:
            assert checksum(opened.read(name)).encode() in opened.read(name.replace(".po", ".mo"))


def test_the_command_of_the_wheel_runs_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    place = run(
        installed.with_name("python"), "-P", "-c", "import device; print(device.__file__)", cwd=tmp_path
    )
    assert not Path(place.strip()).is_relative_to(HOUSE)
    assert run(installed, "--version", cwd=tmp_path) == f"azul-table {SETTINGS['project']['version']}\n"
    assert run(installed, "rules", "standard", cwd=tmp_path).startswith("The standard game\n")


def test_the_wheel_plays_on_a_simulated_table(installed: Path, tmp_path: Path) -> None:
    with RunningTable(tmp_path / "data", command=(installed,), cwd=tmp_path) as table:
        with table.ready().client() as client:
            client.subscribe()
            client.take("seat.1.floor")
        assert table.browser.ask("/").status == 200
        assert table.end() == 0
        assert table.err == ""
