"""Laws that hold at every step of every game, in every mode."""

import copy
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.records.json_form import RecordError, event_json
from device.records.record import read
from device.rules import board, events, game, scoring, standard, tiles
from device.rules.errors import IllegalEventError
from device.rules.events import (
    Chance,
    Choice,
    Deal,
    Draft,
    Draw,
    Event,
    Penalty,
    Remove,
    Scoring,
    ScoringColour,
    Swap,
    Tile,
)
from device.rules.notation import event_of, text_of
from device.rules.solo import game as solo_game
from device.rules.solo import scoring as solo_scoring
from device.rules.solo.game import SoloState
from device.rules.tiles import ALL_TILES, COLOURS, NO_TILES, count
from tests.rules.games import Game, games, mostly_floor, never_full, play
from tests.rules.positions import all_tiles
from tests.rules.referee import referee

every_mode = pytest.mark.parametrize("mode", game.MODES)
modes_for_several = pytest.mark.parametrize("mode", [mode for mode in game.MODES if mode != game.SOLO])

WRITABLE: list[Choice] = [
    *(Draft(source, colour, line) for source in range(10) for colour in COLOURS for line in range(6)),
    *(Tile(seat, row, column) for seat in range(4) for row in range(1, 6) for column in range(1, 6)),
    *(Scoring(row, column) for row in range(1, 6) for column in range(1, 6)),
    *(Swap(position) for position in range(1, 7)),
    *(Remove(position) for position in (None, *range(1, 8))),
]
"""Every choice that has a text."""

ABSURD: list[Choice] = [
    *(Draft(source, COLOURS[0], line) for source in (-1, 1, 10) for line in (-5, -1, 6, 99)),
    *(Tile(seat, row, column) for seat in (-1, 0, 9) for row in (-1, 0, 6) for column in (-1, 0, 6)),
    *(Scoring(row, column) for row in (0, 6) for column in (-1, 3, 6)),
    *(Swap(position) for position in (-1, 0, 7)),
    *(Remove(position) for position in (-1, 0, 8)),
]
"""Choices that no text spells, from a program gone wrong."""


NAMES = {
    name: value
    for module in (tiles, events, board, scoring, solo_scoring)
    for name, value in vars(module).items()
}
"""What a repr is made of; each mode has a State of its own."""


NO_EVENT = (b'{"record"', b'{"scores"', b'{"result"')
"""How the lines of a record begin that hold no event."""


def given_game(mode: str, data: st.DataObject) -> Game:
    return data.draw(games(mode))


@every_mode
@given(data=st.data())
def test_100_tiles_at_every_step(mode: str, data: st.DataObject) -> None:
    for step in given_game(mode, data).steps:
        assert all_tiles(step.after) == ALL_TILES
        assert min(map(min, (step.after.bag, step.after.lid, *step.after.sources))) >= 0


@modes_for_several
@given(data=st.data())
def test_boards_stay_possible(mode: str, data: st.DataObject) -> None:
    for step in given_game(mode, data).steps:
        markers = 0
        for each in step.after.boards:
            assert each.score >= 0
            assert len(each.floor) <= 7
            assert all(0 <= held <= line for line, held in enumerate(each.held, start=1))
            assert all((held == 0) == (of is None) for held, of in zip(each.held, each.colours, strict=True))
            for across in (*each.wall, *zip(*each.wall, strict=True)):
                placed = [tile for tile in across if tile is not None]
                assert len(set(placed)) == len(placed), "a colour twice in a row or a column"
            markers += sum(tile is tiles.MARKER for tile in each.floor)
        assert markers <= 1


@every_mode
@given(data=st.data())
def test_everything_legal_applies_and_nothing_else(mode: str, data: st.DataObject) -> None:
    steps = given_game(mode, data).steps
    for step in steps[data.draw(st.integers(0, 6)) :: 7]:
        state = step.before
        untouched = copy.deepcopy(state)
        legal = state.legal()
        assert len(set(legal)) == len(legal)
        assert bool(legal) == bool(state.to_act())
        for choice in WRITABLE + ABSURD:
            if choice in legal:
                assert state.apply(choice) != state
            else:
                with pytest.raises(IllegalEventError):
                    state.apply(choice)
        assert state == untouched


@every_mode
@given(data=st.data())
def test_chance_and_choices_never_take_each_others_place(mode: str, data: st.DataObject) -> None:
    for step in given_game(mode, data).steps:
        assert isinstance(step.event, Chance) == (step.before.chance_due is not None)
        if isinstance(step.event, Chance):
            assert step.before.legal() == []


@every_mode
@given(data=st.data())
def test_what_is_not_due_is_refused(mode: str, data: st.DataObject) -> None:
    steps = given_game(mode, data).steps
    others = {type(step.event): step.event for step in steps}
    for step in steps[data.draw(st.integers(0, 4)) :: 5]:
        for kind, event in others.items():
            if kind is not type(step.event):
                with pytest.raises(IllegalEventError):
                    step.before.apply(event)


@every_mode
@given(data=st.data())
def test_texts_and_reprs_give_back_events_and_states(mode: str, data: st.DataObject) -> None:
    played = given_game(mode, data)
    for event in played.events:
        assert event_of(text_of(event)) == event
        assert eval(repr(event), NAMES) == event
    names = NAMES | vars(solo_game if mode == game.SOLO else standard)
    for step in played.steps[:: data.draw(st.integers(10, 30))]:
        assert eval(repr(step.after), names) == step.after


@every_mode
@given(data=st.data())
def test_a_replayed_record_gives_the_same_game(mode: str, data: st.DataObject) -> None:
    played = given_game(mode, data)
    written = played.written()
    (found,) = read(written.splitlines(keepends=True))
    assert found.setup == played.setup
    assert found.stopped == played.stopped
    assert found.rounds == played.last.round
    assert found.state == (played.last.stop() if played.stopped else played.last)
    assert sorted(map(text_of, found.events)) == sorted(map(text_of, played.events))


@modes_for_several
@given(data=st.data())
def test_the_referee_agrees(mode: str, data: st.DataObject) -> None:
    referee([json.loads(line) for line in given_game(mode, data).lines()])


def refused_by_the_reader(lines: list[bytes], event: Event) -> bool:
    """Whether a record that goes on with an event is refused at that event's line."""
    line = json.dumps(event_json(event)).encode() + b"\n"
    with pytest.raises(RecordError) as caught:
        list(read([*lines, line]))
    assert caught.value.line >= len(lines) + (1 if "file ends" not in caught.value.message else 0)
    return "file ends" not in caught.value.message


@every_mode
@given(data=st.data())
def test_the_reader_refuses_what_is_not_legal_and_nothing_else(mode: str, data: st.DataObject) -> None:
    played = given_game(mode, data)
    lines = played.lines()
    (found,) = read(lines)
    at = data.draw(st.integers(0, len(found.events) - 1))
    state = game.setup(found.setup)
    for event in found.events[:at]:
        state = state.apply(event)
    events = [number for number, line in enumerate(lines) if not line.startswith(NO_EVENT)]
    before = lines[: events[at]]
    legal = state.legal()
    turn = state.to_act()
    seat = turn[0] if turn else 0
    chance = Random(data.draw(st.integers(0, 2**32)))
    others = [choice for choice in WRITABLE if choice not in legal]
    for choice in [*legal[:30], *chance.sample(others, 20)]:
        if not isinstance(choice, Tile) or choice.seat == seat:
            assert refused_by_the_reader(before, choice) == (choice not in legal)


def damaged(event: Chance, chance: Random) -> Chance:
    """A chance event with some of its tiles exchanged."""
    colour = chance.choice(COLOURS)
    match event:
        case Deal(displays):
            at = chance.randrange(len(displays))
            tiles = [colour for colour in COLOURS for _ in range(displays[at][colour])]
            tiles = [colour, *tiles[1:]] if chance.random() < 0.8 else [colour, *tiles][:5]
            return Deal((*displays[:at], count(tiles), *displays[at + 1 :]))
        case Penalty(row):
            return Penalty((colour, *row[1:]) if chance.random() < 0.8 else row[1:])
        case ScoringColour():
            return ScoringColour(colour)
        case Draw():
            return Draw(colour)


@every_mode
@given(data=st.data())
def test_chance_events_out_of_thin_air_are_refused(mode: str, data: st.DataObject) -> None:
    """Changed deals apply only where the bag and the lid can have given them: never a tile too many."""
    chance = Random(data.draw(st.integers(0, 2**32)))
    for step in given_game(mode, data).steps:
        if isinstance(step.event, Chance):
            try:
                state = step.before.apply(damaged(step.event, chance))
            except IllegalEventError:
                continue
            assert all_tiles(state) == ALL_TILES
            assert min(map(min, (state.bag, state.lid, *state.sources))) >= 0
            assert isinstance(state, SoloState) or all(sum(tiles) <= 4 for tiles in state.sources[1:])


def test_the_perverse_styles_reach_what_they_are_for() -> None:
    """Random games would prove little if none of them emptied the bag or filled a floor."""
    four = game.Setup("standard", ("a", "b", "c", "d"))
    hoarded = list(play(four, never_full, Random(2)))
    assert any(
        step.before.lid != NO_TILES == step.after.lid for step in hoarded if isinstance(step.event, Deal)
    )
    assert any(len(step.after.boards[0].floor) == 7 for step in play(four, mostly_floor, Random(1)))
