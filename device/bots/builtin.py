"""The bots that come with the table, by name, each thinking within a budget of time."""

import time
from collections.abc import Callable
from typing import Final

from device.bots.calm import play_calm
from device.bots.simple import Below, Bot, play_greedy, play_random
from device.rules import game
from device.rules.events import Event
from device.rules.game import Setup, State

Thinker = Callable[[State, Below, float], Event]
"""Chooses for the first seat that has to act; the number is the seconds that it may think."""

QUICK: Final[dict[str, Bot]] = {"random": play_random, "calm": play_calm, "greedy": play_greedy}
"""Those that need no time."""

NAMES: Final = (*QUICK, "strong", "master")
"""From the weakest to the best."""


def thinker(name: str, setup: Setup | None = None) -> Thinker:
    """A bot of one of NAMES, for one game: it may remember what it thought.

    It is ready for games like `setup`; another one's first choice waits for its weights.
    """
    if name in QUICK:
        bot = QUICK[name]
        return lambda state, below, _: bot(state, below)
    from device.bots.mind import STRENGTHS, Mind  # only now: their tables take a moment

    mind = Mind(STRENGTHS[name], time.monotonic)
    if setup is not None:
        mind.prepare(game.setup(setup))
    return lambda state, _, seconds: mind.think(state, seconds)
