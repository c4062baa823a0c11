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

from device.bots.core import duel, weights
from device.bots.engine import MODULES, engine, is_compiled, outdated

BOTS = Path(weights.__file__).parent


def test_the_compiled_core_is_of_these_sources() -> None:
    assert not outdated(), engine()


@pytest.mark.parametrize("compiled", [MODULES, MODULES[1:]], ids=["older", "in part"])
def test_a_core_that_was_compiled_from_older_sources_is_left_alone(
    tmp_path: Path, compiled: Sequence[str]
) -> None:
    """As after `git pull` alone: the sources run, and `doctor` says what to do."""
    device = BOTS.parent
    shutil.copytree(device, tmp_path / "device", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in compiled:
        old = tmp_path / f"device/bots/{name}{EXTENSION_SUFFIXES[0]}"
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
    assert ("uncompiled" in engine()) == (not is_compiled(duel))
    assert sorted(MODULES) == sorted(path.stem for path in BOTS.glob("*.pxd"))


SAME = """
import json, sys
from device.bots.engine import is_compiled, stay_uncompiled
if "uncompiled" in sys.argv:
    stay_uncompiled()
from device.bots import weights
from device.bots.core.alone import Alone
from device.bots.core.duel import Duel
from device.bots.core.position import Position
from device.bots.core.several import Several
from device.bots.core.solo_chance import chance
from device.bots.core.solo_position import SoloPosition
from device.bots.core.value import Value
import device.bots.core.duel

class Ticks:
    reads = 0
    def __call__(self):
        self.reads += 1
        return self.reads / 1000

found = []
for players, kind in ((2, Duel), (3, Several)):
    search = kind(Value(weights.read(f"standard-{players}")), Ticks())
    position = Position(players, seed=5)
    for _ in range(3):
        position.deal()
        while position.holders:
            move = search.think(position, 0.006)
            found.append([move, search.worth, search.steps])
            position.play(move)
        position.go_on()
alone = Alone(weights.read("solo-coloured"), Ticks())
game = SoloPosition(seed=5)
for _ in range(25):
    if game.phase in (0, 4, 5, 7):
        chance(game)
    elif game.phase != 3:
        move = alone.think(game, 0.006)
        found.append([move, alone.worth, alone.steps])
        game.play(move)
print(json.dumps([is_compiled(device.bots.core.duel), found]))
"""


def test_compiled_and_uncompiled_think_the_same() -> None:
    ran = [
        subprocess.run(
            [sys.executable, "-c", SAME, engine_wanted], capture_output=True, text=True, check=True
        ).stdout
        for engine_wanted in ("uncompiled", "any")
    ]
    (first_compiled, first), (second_compiled, second) = (json.loads(each) for each in ran)
    assert not first_compiled
    assert second_compiled == is_compiled(duel)
    assert first == second
