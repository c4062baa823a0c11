"""Solo games in the middle of a round, built from texts for the tests of single rules."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from device.rules import game
from device.rules.board import Board
from device.rules.events import Event
from device.rules.notation import event_of
from device.rules.scoring import Account, Item
from device.rules.solo.game import EASY, Phase, SoloState
from device.rules.solo.penalty_row import ACTION
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
        boards,
        sources,
        ACTION,
        round=1,
        bag=without(ALL_TILES, elsewhere),
        lid=lid,
        gray=gray,
        phase=Phase.OFFER,
        scoring_tile=scoring_tile,
    )


def bag_of(state: SoloState, bag: str) -> SoloState:
    """The same position with just these tiles in the bag; the others are out of play."""
    tiles = count(colour_of(letter) for letter in bag)
    return replace(state, bag=tiles, lid=add(state.lid, without(state.bag, tiles)))


def after(state: game.State, *texts: str) -> SoloState:
    """Return the game after events, given by their texts."""
    for text in texts:
        state = state.apply(event_of(text))
    assert isinstance(state, SoloState)
    return state


def account(state: SoloState) -> Account:
    """The account of the round just scored."""
    assert state.account is not None
    return state.account


def items(state: SoloState) -> list[Item]:
    """The items of the account of the round just scored, in order."""
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
