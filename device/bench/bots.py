"""Strength of the bots: matches between them with the same deals for both seats, and solo games."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from device.bench.figure import Figure
from device.bots.dtc.tournament import win_share
from device.bots.search import make_bot
from device.bots.selfplay import play
from device.bots.simple import Bot
from device.rules.game import Setup
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome, Victory

NAMES: Final = ("Ana", "Rui", "Eva", "Ida")

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot, and its seconds for a move."""

    name: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.name} at {self.seconds:g} s" if self.seconds else self.name

    def bot(self, clock: Clock) -> Bot:
        """Return the bot with a clock; the process clock is independent of other programs on the machine."""
        bot = make_bot(self.name, clock=clock)
        return lambda state, below: bot(state, below, self.seconds)


RANDOM: Final = Contender("random")
GREEDY: Final = Contender("greedy")
STRONG: Final = Contender("strong", 0.1)
MASTER: Final = Contender("master", 1.0)
SOLO_GOAL: Final = 0.5


def measure(clock: Clock, part: float = 1.0, names: Sequence[str] = (), seed: int = 1) -> Iterator[Figure]:
    """Yield the named figures of strength, or all, from a part of the number of games that they need."""
    for name in names or MATCHES:
        games, play_games = MATCHES[name]
        yield play_games(max(4, round(games * part)), clock, seed)


def against(
    first: Contender,
    other: Contender,
    games: int,
    clock: Clock,
    seed: int,
    *,
    players: int = 2,
    mode: str = "standard",
    goal: float = 0.8,
) -> Figure:
    """Measure the share of games that the first wins against others, ties shared.

    It has every seat in turn, with the same deals.
    """
    first_bot, other_bot = first.bot(clock), other.bot(clock)
    won = 0.0
    for number in range(games):
        seat = number % players
        bots = [first_bot if each == seat else other_bot for each in range(players)]
        outcome = _outcome(Setup(mode, NAMES[:players]), bots, seed + number // players)
        assert isinstance(outcome, Outcome)
        won += (seat in outcome.winners) / len(outcome.winners)
    match = (
        f"{mode}, {first} against {other}"
        if players == 2
        else f"{mode} of {players}, {first} against {other}s"
    )
    return Figure(f"bots, {match}, {games} games", won / games, _won(won, games), goal)


def solo(player: Contender, games: int, clock: Clock, seed: int) -> Figure:
    """Measure the share of easy solo games on a coloured wall that a bot wins (S14)."""
    bot = player.bot(clock)
    won = 0
    for number in range(games):
        outcome = _outcome(Setup("solo", NAMES[:1], 0, "easy", "coloured"), [bot], seed + number)
        assert isinstance(outcome, SoloOutcome)
        won += outcome.victory is not Victory.LOSS
    name = f"bots, solo easy on a coloured wall, {player}, {games} games"
    return Figure(name, won / games, _won(won, games), SOLO_GOAL)


MATCHES: Final[dict[str, tuple[int, Callable[[int, Clock, int], Figure]]]] = {
    "greedy": (400, partial(against, GREEDY, RANDOM, goal=0.99)),
    "strong": (400, partial(against, STRONG, GREEDY, goal=0.97)),
    "master": (200, partial(against, MASTER, STRONG, goal=0.65)),
    "gray": (40, partial(against, STRONG, GREEDY, mode="gray")),
    "three": (60, partial(against, MASTER, GREEDY, players=3)),
    "four": (60, partial(against, MASTER, GREEDY, players=4)),
    "solo-0.1": (40, partial(solo, Contender("master", 0.1))),
    "solo": (40, partial(solo, MASTER)),
    "solo-10": (10, partial(solo, Contender("master", 10.0))),
}
"""The figures of strength by name: how many games each needs, and the function that plays them."""


def _outcome(setup: Setup, bots: Sequence[Bot], seed: int) -> Outcome | SoloOutcome | None:
    """Return the outcome of a game between bots, one a seat; the seed fixes the deals, whatever they draw."""
    choices = random.Random(seed)

    def with_own_chance(bot: Bot) -> Bot:
        return lambda state, _: bot(state, choices.randrange)

    return play(setup, list(map(with_own_chance, bots)), random.Random(seed).randrange).record.outcome


def _won(won: float, games: int) -> str:
    least, most = win_share(won, games)
    return f"of the games won, {least:.2f} to {most:.2f} 19 times in 20"
