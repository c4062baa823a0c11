"""Solo games in the middle, and whole random ones, for the tests of the solo game's rules."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from device.rules import game
from device.rules.board import Board
from device.rules.events import Draft, Event, Remove
from device.rules.game import Setup
from device.rules.notation import event_of
from device.rules.scoring import Account, Item
from device.rules.solo import game as solo
from device.rules.solo.game import EASY, Phase, SoloState
from device.rules.solo.penalty_row import ACTION, PLAYER
from device.rules.tiles import (
    ALL_TILES,
    NO_TILES,
    Counts,
    add,
    colour_of,
    count,
    counts_of,
    total,
    without,
)
from tests.rules.positions import board, tiles_on


def offer(
    displays: Mapping[int, str],
    player: Board | None = None,
    action: Board | None = None,
    *,
    gray: bool = False,
    scoring_tile: tuple[int, int] | None = None,
    lid: Counts = NO_TILES,
) -> SoloState:
    """A game in round 1 before an action pick; every tile that is not mentioned is in the bag."""
    sources = tuple(counts_of(displays.get(source, "")) for source in range(6))
    boards = (player or board(score=EASY.score), action or board())
    elsewhere = add(add(total(sources), total(map(tiles_on, boards))), lid)
    return SoloState(
        EASY,
        gray,
        Phase.OFFER,
        boards,
        sources,
        scoring_tile=scoring_tile,
        round=1,
        bag=without(ALL_TILES, elsewhere),
        lid=lid,
    )


def bag_of(state: SoloState, bag: str) -> SoloState:
    """The same position with just these tiles in the bag; the others are out of play."""
    tiles = count(colour_of(letter) for letter in bag)
    return replace(state, bag=tiles, lid=add(state.lid, without(state.bag, tiles)))


def after(state: game.State, *texts: str) -> SoloState:
    """The game after events given by their texts."""
    for text in texts:
        state = state.apply(event_of(text))
    assert isinstance(state, SoloState)
    return state


def account(state: SoloState) -> Account:
    """The account of the round just scored."""
    assert state.account is not None
    return state.account


def parts(state: SoloState) -> list[Item]:
    """What the account of the round just scored holds, in order."""
    return [step.item for step in account(state).steps]


def penalty(state: SoloState) -> str:
    """The penalty row's letters."""
    return "".join("byrkw"[tile] for tile in state.boards[ACTION].floor if isinstance(tile, int))


def finished(state: SoloState, rng: Random) -> SoloState:
    """The game at the end of this round, or of the game, by random choices."""
    while state.phase not in (Phase.DEAL, Phase.OVER):
        event: Event = state.chance(rng.randrange) if state.chance_due else rng.choice(state.legal())
        state = state.apply(event)
    return state


def careful(state: SoloState, rng: Random) -> Event:
    """A choice that keeps the penalty row short: such games go on for more rounds than random ones."""
    choices = state.legal()
    if isinstance(choices[0], Remove):
        return choices[0]
    if not isinstance(choices[0], Draft):
        return rng.choice(choices)
    return min(choices, key=lambda choice: (_cost(state, choice), rng.random()))


def _cost(state: SoloState, choice: Event) -> tuple[int, int]:
    assert isinstance(choice, Draft)
    pick = solo.preview(state, choice)
    before, now = state.boards[state.turn], pick.boards[state.turn]
    fills = choice.line > 0 and now.line_is_full(choice.line)
    goes_on = choice.line > 0 and before.held[choice.line - 1] > 0
    return len(pick.sent), -2 * fills - goes_on + len(pick.boards[PLAYER].floor)


def play(level: str, wall: str, rng: Random, care: float) -> Iterator[tuple[SoloState, Event, SoloState]]:
    """A whole game, step by step: the state before, the event, the state after.

    `care` from 0 to 1 is how often a choice is a careful one.
    """
    state = game.setup(Setup("solo", ("Ana",), level=level, wall=wall))
    assert isinstance(state, SoloState)
    while not state.over:
        if state.chance_due:
            event: Event = state.chance(rng.randrange)
        elif rng.random() < care:
            event = careful(state, rng)
        else:
            event = rng.choice(state.legal())
        before, state = state, state.apply(event)
        yield before, event, state
