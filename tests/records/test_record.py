"""Records: reading and writing whole games."""

import json
from pathlib import Path

import pytest

from device.records.json_form import Forfeit, RecordError
from device.records.record import read, write
from device.rules import game
from device.rules.errors import RulesError
from device.rules.events import Tile
from device.rules.game import Setup
from device.rules.notation import event_of
from device.rules.scoring import Outcome
from tests.harness.sampling import some
from tests.records.recorded import GOLDEN, SHARED, game_of, lines_of, records
from tests.rules.games import sample
from tests.rules.referee import referee

# --- Whole records ---------------------------------------------------------------------------------------


def assert_verifies(path: Path) -> None:
    data = path.read_bytes()
    starts = [at for at, line in enumerate(data.splitlines(), start=1) if line.startswith(b'{"record"')]
    found = some(read(data.splitlines(keepends=True)), 30)
    assert found
    again = [write(each.setup, each.events, stopped=each.stopped, forfeit=each.forfeit) for each in found]
    assert data.startswith(b"".join(again))
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    assert [each.line for each in found] == starts[: len(found)]
    if len(found) == len(starts):
        assert b"".join(again) == data
    for each, lines in zip(found, again, strict=True):
        if each.setup.mode != game.SOLO and each.forfeit is None:
            referee([json.loads(line) for line in lines.splitlines()])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_verify_and_are_written_again_byte_for_byte(path: Path) -> None:
    assert_verifies(path)


@pytest.mark.skipif(not SHARED, reason="the folder ../shared/records is not here")
@pytest.mark.parametrize("path", some(SHARED), ids=lambda path: path.stem)
def test_shared_records_verify_and_are_written_again_byte_for_byte(path: Path) -> None:
    assert_verifies(path)


def test_a_record_has_the_setup_and_the_outcome_of_its_game() -> None:
    first, second = records(lines_of("standard-2"))
    assert (first.number, first.line) == (1, 1)
    assert (second.number, second.line) == (2, len(game_of("standard-2")) + 1)
    assert first.setup == Setup("standard", ("random 1", "greedy 2"), first.setup.first)
    assert first.rounds == 5
    assert (first.stopped, first.forfeit) == (False, None)
    assert first.outcome == first.state.outcome()
    assert first.outcome is not None


def test_blank_lines_and_windows_line_ends_are_ignored() -> None:
    lines = [piece for line in lines_of("standard-2") for piece in (line[:-1] + b"\r\n", b"\r\n", b" \t\n")]
    assert [each.line for each in records([b"\n", *lines])] == [2, 3 * len(game_of("standard-2")) + 2]


def test_keys_may_stand_in_any_order_and_with_spaces() -> None:
    lines = [json.loads(line) for line in lines_of("forfeit")]
    turned = [dict(reversed(line.items())) for line in lines]
    assert (
        len(
            records(
                [json.dumps(line, indent=None, separators=(" , ", " : ")).encode() + b"\n" for line in turned]
            )
        )
        == 2
    )


def test_a_complete_last_line_needs_no_line_feed() -> None:
    lines = lines_of("standard-stopped")
    assert len(records([*lines[:-1], lines[-1].rstrip(b"\n")])) == 1


def test_names_may_be_any_text() -> None:
    lines = game_of("standard-stopped")
    names = ["", 'Zoë \N{LINE SEPARATOR} \x07" 李 \N{PERFORMING ARTS}']
    (found,) = records([lines[0] | {"players": names}, *lines[1:]])
    assert list(found.setup.players) == names
    written = write(found.setup, found.events, stopped=True)
    assert records(written.splitlines(keepends=True)) == [found]


def test_games_before_an_error_are_read() -> None:
    lines = lines_of("standard-2")
    reading = read([*lines[:-1], b'{"result":1}\n'])
    assert next(reading).number == 1
    with pytest.raises(RecordError):
        next(reading)


# --- Writing ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_g3_placements_are_written_in_seat_order() -> None:
    for played in sample("gray"):
        for round_of_tiles in rounds_of_tiles(records(played.lines())[0].events):
            assert [tile.seat for tile in round_of_tiles] == sorted(tile.seat for tile in round_of_tiles)


def rounds_of_tiles(events: tuple[object, ...]) -> list[list[Tile]]:
    found: list[list[Tile]] = [[]]
    for event in events:
        if isinstance(event, Tile):
            found[-1].append(event)
        elif found[-1]:
            found.append([])
    return found


def test_an_unfinished_game_is_not_written() -> None:
    lines = game_of("standard-2")
    (found,) = records(lines)
    for kept in (0, 1, 30):
        with pytest.raises(RulesError, match="the game is not over"):
            write(found.setup, found.events[:kept])
        with pytest.raises(RulesError, match="the game is not over"):
            write(found.setup, found.events[:kept], stopped=True)


def test_a_game_that_goes_on_after_a_round_is_written_only_as_stopped() -> None:
    (found,) = records(game_of("standard-stopped"))
    with pytest.raises(RulesError, match="the game is not over"):
        write(found.setup, found.events)


def test_a_finished_game_is_not_forfeited() -> None:
    (found,) = records(game_of("standard-stopped"))
    written = write(found.setup, found.events, forfeit=Forfeit(0, "crash"))
    assert b'"scores":[-50,0]' in written
    finished = records(lines_of("standard-2"))[0]
    with pytest.raises(RulesError, match="can't be forfeited"):
        write(finished.setup, finished.events, forfeit=Forfeit(0, "crash"))


def test_g3_a_placement_before_that_of_an_earlier_seat_is_not_written() -> None:
    """Forfeited while a seat before it still chooses, a placement could be read as that seat's."""
    setup = Setup("gray", ("Ana", "Rui"))
    texts = ["deal bbbb yyyy rrrr kkkk wwww", "1b4", "2y4", "3r3", "4k3", "5wf", "tile 1 3 1"]
    with pytest.raises(RulesError, match="an earlier seat still has a tile to place"):
        write(setup, [event_of(text) for text in texts], forfeit=Forfeit(0, "time"))
    fine = [event_of(text) for text in [*texts[:-1], "tile 0 3 1"]]
    (found,) = records(write(setup, fine, forfeit=Forfeit(1, "time")).splitlines(keepends=True))
    assert isinstance(found.outcome, Outcome)
    assert found.outcome.scores == (1, -50)
