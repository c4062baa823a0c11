"""The compiled core: when it is used, and that it computes the same as the sources."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from device.bots.compiled_core import (
    CHECKSUM,
    FOLDER,
    MODULES,
    checksum,
    description,
    is_compiled,
    is_outdated,
)
from device.bots.core import alpha_beta


def build(folder: Path, names: Sequence[str] = MODULES) -> None:
    """Copy the sources, and write a stand-in for each compiled module and the checksum of these sources."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.so", "*.sha256", "__pycache__"))
    for name in names:
        (folder / f"{name}{EXTENSION_SUFFIXES[0]}").write_bytes(b"compiled")
    (folder / CHECKSUM).write_text(checksum(folder))


def test_the_compiled_core_is_built_from_these_sources() -> None:
    assert not is_outdated(), description()


def test_a_core_built_from_the_present_sources_is_used_whatever_the_file_times(tmp_path: Path) -> None:
    """`pip install` writes the sources after the compiled modules."""
    build(tmp_path / "core")
    for compiled in (tmp_path / "core").glob("*.so"):
        os.utime(compiled, (1_000_000_000, 1_000_000_000))
    assert not is_outdated(tmp_path / "core")


def test_sources_without_compiled_modules_are_not_outdated(tmp_path: Path) -> None:
    build(tmp_path / "core", [])
    assert not is_outdated(tmp_path / "core")


@pytest.mark.parametrize("changed", ["uct.py", "uct.pxd"])
def test_a_core_built_from_other_sources_is_outdated(changed: str, tmp_path: Path) -> None:
    build(tmp_path / "core")
    with (tmp_path / "core" / changed).open("a") as source:
        source.write("# changed\n")
    assert is_outdated(tmp_path / "core")


def test_a_core_that_is_compiled_in_part_is_outdated(tmp_path: Path) -> None:
    build(tmp_path / "core", MODULES[1:])
    assert is_outdated(tmp_path / "core")


def test_a_core_without_a_checksum_is_outdated(tmp_path: Path) -> None:
    """A version before 0.2.0 compiled it."""
    build(tmp_path / "core")
    (tmp_path / "core" / CHECKSUM).unlink()
    assert is_outdated(tmp_path / "core")


@pytest.mark.system
def test_an_outdated_core_runs_from_its_sources(tmp_path: Path) -> None:
    """As after `git pull` alone; `doctor` says what to do."""
    ignored = shutil.ignore_patterns("*.so", "*.sha256", "__pycache__", "core")
    shutil.copytree(FOLDER.parents[1], tmp_path / "device", ignore=ignored)
    build(tmp_path / "device" / "bots" / "core")
    (tmp_path / "device" / "bots" / "core" / CHECKSUM).write_text("of other sources")
    program = "from device.bots.compiled_core import description; print(description())"
    printed = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "runs uncompiled" in printed
    assert printed.endswith("compiled from an older azul-table: install azul-table again\n")


def test_the_description_says_which_core_runs() -> None:
    assert ("uncompiled" in description()) == (not is_compiled(alpha_beta))


SAME = """
import json, sys
from device.bots.compiled_core import is_compiled, use_sources
if "uncompiled" in sys.argv:
    use_sources()
from device.bots.core import weights
from device.bots.core.solo_tree import SoloTree
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.position import Position
from device.bots.core.multiplayer_tree import MultiplayerTree
from device.bots.core.solo_position import SoloPosition
from device.bots.core.evaluation import Evaluation
import device.bots.core.alpha_beta

class Ticks:
    reads = 0
    def __call__(self):
        self.reads += 1
        return self.reads / 1000

found = []
for players, kind in ((2, AlphaBeta), (3, MultiplayerTree)):
    search = kind(Evaluation(weights.read(f"standard-{players}")), Ticks())
    position = Position(players, seed=5)
    for _ in range(3):
        position.deal()
        while position.holders:
            move = search.best_move(position, 0.006)
            found.append([move, search.value, search.steps])
            position.play(move)
        position.advance_tiling()
alone = SoloTree(weights.read("solo-coloured"), Ticks())
game = SoloPosition(seed=5)
for _ in range(25):
    if game.phase in (0, 4, 5, 7):
        game.draw_chance()
    elif game.phase != 3:
        move = alone.best_move(game, 0.006)
        found.append([move, alone.value, alone.steps])
        game.play(move)
print(json.dumps([is_compiled(device.bots.core.alpha_beta), found]))
"""


@pytest.mark.system
def test_compiled_core_and_sources_compute_the_same() -> None:
    ran = [
        subprocess.run(
            [sys.executable, "-c", SAME, engine_wanted], capture_output=True, text=True, check=True
        ).stdout
        for engine_wanted in ("uncompiled", "any")
    ]
    (first_compiled, first), (second_compiled, second) = (json.loads(each) for each in ran)
    assert not first_compiled
    assert second_compiled == is_compiled(alpha_beta)
    assert first == second
