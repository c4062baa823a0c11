"""The core as it was compiled and as Python: which of the two runs, and that they think the same."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from device.bots.core import alpha_beta, weights
from device.bots.engine import MODULES, engine, is_compiled, outdated

CORE = Path(weights.__file__).parent


def test_the_compiled_core_is_of_these_sources() -> None:
    assert not outdated(), engine()


@pytest.mark.system
@pytest.mark.parametrize("compiled", [MODULES, MODULES[1:]], ids=["older", "in part"])
def test_a_core_that_was_compiled_from_older_sources_is_left_alone(
    tmp_path: Path, compiled: Sequence[str]
) -> None:
    """As after `git pull` alone: the sources run, and `doctor` says what to do."""
    shutil.copytree(
        CORE.parents[1], tmp_path / "device", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    for name in compiled:
        old = tmp_path / f"device/bots/core/{name}{EXTENSION_SUFFIXES[0]}"
        old.write_bytes(b"of an older version")
        os.utime(old, (1_000_000_000, 1_000_000_000) if compiled is MODULES else None)
    program = "from device.bots.engine import engine; print(engine())"
    told = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "runs uncompiled" in told
    assert told.endswith("compiled from an older azul-table: install azul-table again\n")


def test_the_engine_says_which_it_is() -> None:
    assert ("uncompiled" in engine()) == (not is_compiled(alpha_beta))
    assert sorted(MODULES) == sorted(path.stem for path in CORE.glob("*.pxd"))


SAME = """
import json, sys
from device.bots.engine import is_compiled, stay_uncompiled
if "uncompiled" in sys.argv:
    stay_uncompiled()
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
def test_compiled_and_uncompiled_think_the_same() -> None:
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
