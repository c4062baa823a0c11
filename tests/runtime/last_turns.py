"""Games that are nearly over, for tests of their end."""

from device.rules.game import Setup
from device.table.game import Play
from tests.harness.stored_games import greedy_game

SEED = 3
DRAFTS_LEFT = 5


def unfinished_game(setup: Setup) -> Play:
    """Return a game in its last round, which needs some ten presses to its end."""
    events = len(greedy_game(setup, SEED).events)
    return greedy_game(setup, SEED, events - DRAFTS_LEFT)
