"""Laws that hold at every step of every game, in every mode, checked over the sample of random games."""

import copy
import json
import pickle
from collections.abc import Iterator
from dataclasses import fields
from random import Random

import pytest

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
from device.rules.scoring import Item
from device.rules.solo import game as solo_game
from device.rules.solo import scoring as solo_scoring
from device.rules.solo.game import SoloState
from device.rules.solo.scoring import Ending
from device.rules.tiles import ALL_TILES, COLOURS, NO_TILES, count
from tests.harness.sampling import some
from tests.rules.games import Step, careful, mostly_floor, never_full, play, sample, setups
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
"""Choices that no text can express."""


NAMES = {
    name: value
    for module in (tiles, events, board, scoring, solo_scoring)
    for name, value in vars(module).items()
}
"""The names in a repr; each mode adds those of its own state."""


NO_EVENT = (b'{"record"', b'{"scores"', b'{"result"')
"""The beginnings of the lines of a record that hold no event."""


def steps(mode: str) -> Iterator[Step]:
    for played in sample(mode):
        yield from played.steps


def some_steps(mode: str, every: int) -> Iterator[Step]:
    """Every n-th step of each game, from another first one in each."""
    for number, played in enumerate(sample(mode)):
        yield from played.steps[number % every :: every]


@every_mode
def test_100_tiles_at_every_step(mode: str) -> None:
    for step in steps(mode):
        assert all_tiles(step.after) == ALL_TILES
        assert min(map(min, (step.after.bag, step.after.lid, *step.after.sources))) >= 0


@every_mode
def test_boards_stay_possible(mode: str) -> None:
    for step in steps(mode):
        markers = 0
        for each in step.after.boards:
            assert each.score >= 0 or (mode == game.SOLO and step.after.over)
            assert len(each.floor) <= 7
            assert all(0 <= held <= line for line, held in enumerate(each.held, start=1))
            assert all((held == 0) == (of is None) for held, of in zip(each.held, each.colours, strict=True))
            for across in (*each.wall, *zip(*each.wall, strict=True)):
                placed = [tile for tile in across if tile is not None]
                assert len(set(placed)) == len(placed), "a colour twice in a row or a column"
            markers += sum(tile is tiles.MARKER for tile in each.floor)
        assert markers <= (mode != game.SOLO)


@every_mode
def test_exactly_the_legal_choices_can_be_applied(mode: str) -> None:
    for step in some([*some_steps(mode, 13)]):
        state = step.before
        untouched = copy.deepcopy(state)
        legal = set(state.legal())
        assert len(legal) == len(state.legal())
        for choice in WRITABLE + ABSURD:
            if choice in legal:
                assert state.apply(choice) != state
            else:
                with pytest.raises(IllegalEventError):
                    state.apply(choice)
        assert state == untouched
        assert hash(state) == hash(untouched)


@every_mode
def test_either_chance_or_somebody_is_next_until_the_game_is_over(mode: str) -> None:
    for step in steps(mode):
        chance = isinstance(step.event, Chance)
        assert step.before.chance_due is (type(step.event) if chance else None)
        assert bool(step.before.to_act()) == bool(step.before.legal()) == (not chance)
        assert step.before.in_offer == isinstance(step.event, Draft)
        assert step.before.outcome() is None
        assert step.after.over == (step.after.outcome() is not None)


@every_mode
def test_an_event_that_is_not_due_is_refused(mode: str) -> None:
    for number, played in enumerate(sample(mode)):
        others = {type(step.event): step.event for step in played.steps}
        for step in some(played.steps[number % 5 :: 5]):
            for kind, event in others.items():
                if kind is not type(step.event):
                    with pytest.raises(IllegalEventError):
                        step.before.apply(event)


@every_mode
def test_events_and_states_round_trip_through_text_repr_and_pickle(mode: str) -> None:
    for step in steps(mode):
        assert event_of(text_of(step.event)) == step.event
    names = NAMES | vars(solo_game if mode == game.SOLO else standard)
    for step in some_steps(mode, 31):
        assert eval(repr(step.event), NAMES) == step.event
        assert eval(repr(step.after), names) == step.after
        assert pickle.loads(pickle.dumps(step.after)) == step.after


@every_mode
def test_scores_close_exactly_the_rounds(mode: str) -> None:
    """Scores close a round that was tiled; they are those of the boards while the game goes on."""
    for step in steps(mode):
        scores = step.after.closing_scores()
        in_round = bool(step.after.to_act()) or step.after.chance_due not in (None, Deal)
        lost = isinstance(step.after, SoloState) and step.after.ending is Ending.EIGHTH_TILE
        assert (scores is None) == (in_round or lost)
        if scores is not None and not step.after.over:
            assert scores == tuple(each.score for each in step.after.boards)[: len(scores)]


@every_mode
def test_the_account_adds_up_to_the_boards_and_the_scores(mode: str) -> None:
    for step in steps(mode):
        found = step.after.account
        if found is None or step.after.closing_scores() is None:
            continue
        assert found.round == step.after.round
        assert found.boards_after(len(found.steps)) == step.after.boards
        scores = [each.score for each in found.boards]
        for each in found.steps:
            scores[each.seat] += points_of(each.item)
            assert each.item.board.score == scores[each.seat]
        assert scores == [each.score for each in step.after.boards]


def points_of(item: Item) -> int:
    points = {each.name: getattr(item, each.name) for each in fields(item)}["points"]
    assert isinstance(points, int)
    return points


@every_mode
def test_a_record_replays_to_the_same_game(mode: str) -> None:
    for played in sample(mode):
        (found,) = read(played.lines())
        assert found.setup == played.setup
        assert found.stopped == played.stopped
        assert found.rounds == played.last.round
        assert found.state == (played.last.stop() if played.stopped else played.last)
        assert sorted(map(text_of, found.events)) == sorted(map(text_of, played.events))


@modes_for_several
def test_the_referee_agrees(mode: str) -> None:
    for played in sample(mode):
        referee([json.loads(line) for line in played.lines()])


def refused_by_the_reader(lines: list[bytes], event: Event) -> bool:
    """Return whether a record that goes on with an event is refused at the line of that event."""
    line = json.dumps(event_json(event)).encode() + b"\n"
    with pytest.raises(RecordError) as caught:
        list(read([*lines, line]))
    assert caught.value.line >= len(lines) + (1 if "file ends" not in caught.value.message else 0)
    return "file ends" not in caught.value.message


@every_mode
def test_the_reader_accepts_exactly_the_legal_choices(mode: str) -> None:
    for number, played in some(enumerate(sample(mode)), 10):
        chance = Random(number)
        lines = played.lines()
        (found,) = read(lines)
        at = chance.randrange(len(found.events) // (1 + number % 2))
        state = game.setup(found.setup)
        for event in found.events[:at]:
            state = state.apply(event)
        events = [index for index, line in enumerate(lines) if not line.startswith(NO_EVENT)]
        before = lines[: events[at]]
        legal = state.legal()
        seat = min(state.to_act(), default=0)
        others = [choice for choice in WRITABLE if choice not in set(legal)]
        for choice in [*chance.sample(legal, min(10, len(legal))), *chance.sample(others, 10)]:
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
def test_a_chance_event_never_makes_a_tile(mode: str) -> None:
    """Changed deals are accepted only if the bag and the lid could have given them."""
    for number, played in enumerate(sample(mode)):
        chance = Random(number)
        for step in played.steps:
            if isinstance(step.event, Chance):
                try:
                    state = step.before.apply(damaged(step.event, chance))
                except IllegalEventError:
                    continue
                assert all_tiles(state) == ALL_TILES
                assert min(map(min, (state.bag, state.lid, *state.sources))) >= 0
                sizes = zip(state.sources[1:], step.before.display_sizes, strict=True)
                assert all(sum(display) <= size for display, size in sizes)


def test_the_styles_reach_the_rare_positions() -> None:
    """Random games would prove little if none of them emptied the bag, filled a floor or came to an end."""
    four = game.Setup("standard", ("a", "b", "c", "d"))
    hoarded = list(play(four, never_full, Random(2)))
    assert any(
        step.before.lid != NO_TILES == step.after.lid for step in hoarded if isinstance(step.event, Deal)
    )
    assert any(len(step.after.boards[0].floor) == 7 for step in play(four, mostly_floor, Random(1)))
    solo = [list(play(chosen, careful, Random(3))) for chosen in setups(game.SOLO)]
    assert any(step.after.round >= 4 for steps in solo for step in steps)
