"""Recorded solo games: they verify, and all their choices were legal."""

from pathlib import Path

import pytest

from device.records import record
from device.rules import game
from device.rules.events import Choice
from device.rules.solo.game import SoloState
from device.rules.tiles import ALL_TILES
from tests.harness.sampling import some
from tests.rules.positions import all_tiles

RECORDS = Path(__file__).parents[3] / "shared" / "records"
FILES = sorted(RECORDS.glob("solo-*.jsonl"))

pytestmark = pytest.mark.skipif(not FILES, reason=f"no recorded games in {RECORDS}")


@pytest.mark.parametrize("path", some(FILES), ids=lambda path: path.stem)
def test_recorded_choices_were_legal(path: Path) -> None:
    with path.open("rb") as lines:
        games = some(record.read(lines), 30)
    assert games
    for each in games:
        state = game.setup(each.setup)
        for event in each.events:
            assert isinstance(state, SoloState)
            assert isinstance(event, Choice) == (event in state.legal())
            state = state.apply(event)
            assert all_tiles(state) == ALL_TILES
        assert state == each.state
    written = b"".join(record.write(each.setup, each.events) for each in games)
    assert path.read_bytes().startswith(written)
