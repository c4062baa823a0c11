"""Speed of the rules (finding and applying legal drafts), and of the verification of records."""

from collections.abc import Callable
from typing import Final

from device.bench.figure import Figure
from device.bots.selfplay import ROUNDS, play
from device.bots.simple import Below, play_greedy, play_random
from device.records import record
from device.rules import game
from device.rules.events import Draft
from device.rules.game import Setup

Clock = Callable[[], float]

STANDARD_GOAL: Final = 36_000
GOALS: Final = {"gray": STANDARD_GOAL / 2, "solo": STANDARD_GOAL / 2}
"""Drafts a second in modes with more than drafts."""

RECORDED: Final = 10  # number of different games for the verification of records


def drafting(chosen: Setup, seconds: float, clock: Clock, below: Below) -> Figure:
    """Measure drafts a second, in random games for so many seconds and to the end of the last game."""
    drafts = 0
    start = clock()
    while not drafts or clock() - start < seconds:
        drafts += _random_game(chosen, below)
    rate = drafts / (clock() - start)
    name = f"rules, random {chosen.mode} games of {len(chosen.players)}"
    return Figure(name, rate, "drafts a second", GOALS.get(chosen.mode, STANDARD_GOAL))


def verifying(chosen: Setup, seconds: float, clock: Clock, below: Below) -> Figure:
    """Measure the seconds to verify 1,000 recorded games, by reading some games repeatedly."""
    bots = [play_greedy] * len(chosen.players)
    lines = [
        line for _ in range(RECORDED) for line in play(chosen, bots, below).written.splitlines(keepends=True)
    ]
    games = 0
    start = clock()
    while not games or clock() - start < seconds:
        games += sum(1 for _ in record.read(lines))
    name = f"records, 1,000 {chosen.mode} games of {len(chosen.players)} verified"
    return Figure(name, (clock() - start) / games * 1000, "s", 10, at_least=False)


def _random_game(chosen: Setup, below: Below) -> int:
    """Play a random game; return its number of drafts."""
    drafts = 0
    state = game.setup(chosen)
    while not state.over and state.round <= ROUNDS:
        event = state.chance(below) if state.chance_due else play_random(state, below)
        drafts += isinstance(event, Draft)
        state = state.apply(event)
    return drafts
