"""Strength of the bots: matches between them with the same deals for both seats, and solo games."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from device.bench.figure import Figure
from device.bots.dtc.tournament import win_share
from device.bots.search import TimedBot, make_bot
from device.rules import game
from device.rules.game import Setup
from device.rules.scoring import Outcome
from device.rules.solo.scoring import SoloOutcome, Victory

ROUNDS: Final = 200
"""Limit of rounds (R17)."""
NAMES: Final = ("Ana", "Rui", "Eva", "Ida")

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot, and its seconds for a move."""

    name: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.name} at {self.seconds:g} s" if self.seconds else self.name

    def bot(self, clock: Clock) -> TimedBot:
        """Return the bot with a clock; the process clock is independent of other programs on the machine."""
        bot = make_bot(self.name, clock=clock)
        return lambda state, below, _: bot(state, below, self.seconds)


RANDOM: Final = Contender("random")
GREEDY: Final = Contender("greedy")
STRONG: Final = Contender("strong", 0.1)
MASTER: Final = Contender("master", 1.0)
WIN_GOAL: Final = 0.8
SOLO_GOAL: Final = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """The games of a figure, each with a seed of its own; two games share a seed in a match of two."""

    games: int
    play: Callable[[int, Clock, int], Figure]


MATCHES: Final[dict[str, Match]] = {
    "greedy": Match(400, lambda games, clock, seed: against_one(GREEDY, RANDOM, games, clock, seed, 0.99)),
    "strong": Match(400, lambda games, clock, seed: against_one(STRONG, GREEDY, games, clock, seed, 0.97)),
    "master": Match(200, lambda games, clock, seed: against_one(MASTER, STRONG, games, clock, seed, 0.65)),
    "gray": Match(
        40, lambda games, clock, seed: against_one(STRONG, GREEDY, games, clock, seed, WIN_GOAL, "gray")
    ),
    "three": Match(60, lambda games, clock, seed: against_many(MASTER, GREEDY, 3, games, clock, seed)),
    "four": Match(60, lambda games, clock, seed: against_many(MASTER, GREEDY, 4, games, clock, seed)),
    "solo-0.1": Match(40, lambda games, clock, seed: solo(Contender("master", 0.1), games, clock, seed)),
    "solo": Match(40, lambda games, clock, seed: solo(MASTER, games, clock, seed)),
    "solo-10": Match(10, lambda games, clock, seed: solo(Contender("master", 10.0), games, clock, seed)),
}
"""Figures of strength by name; solo is the easy game on a coloured wall."""


def measure(clock: Clock, part: float = 1.0, names: Sequence[str] = (), seed: int = 1) -> Iterator[Figure]:
    """Yield the named figures of strength, or all, from a part of the number of games that they need."""
    for name in names or MATCHES:
        match = MATCHES[name]
        yield match.play(max(4, round(match.games * part)), clock, seed)


def against_one(
    first: Contender,
    second: Contender,
    games: int,
    clock: Clock,
    seed: int,
    goal: float = 0.5,
    mode: str = "standard",
) -> Figure:
    """Measure the share of games that the first wins, ties as a half; both seats for each deal."""
    bots = (first.bot(clock), second.bot(clock))
    won = 0.0
    for number in range(games):
        seat = number % 2
        order = bots if seat == 0 else bots[::-1]
        won += _victory(played(Setup(mode, NAMES[:2]), order, seed + number // 2), seat)
    name = f"bots, {mode}, {first} against {second}, {games} games"
    return Figure(name, won / games, _won(won, games), goal, at_least=True)


def against_many(
    first: Contender,
    others: Contender,
    players: int,
    games: int,
    clock: Clock,
    seed: int,
    mode: str = "standard",
) -> Figure:
    """Measure the share of games that the first wins at a table of others, in every seat in turn."""
    bot, other = first.bot(clock), others.bot(clock)
    won = 0.0
    for number in range(games):
        seat = number % players
        bots = [bot if each == seat else other for each in range(players)]
        outcome = played(Setup(mode, NAMES[:players]), bots, seed + number // players)
        won += _victory(outcome, seat)
    name = f"bots, {mode} of {players}, {first} against {others}s, {games} games"
    return Figure(name, won / games, _won(won, games), WIN_GOAL, at_least=True)


def solo(
    player: Contender, games: int, clock: Clock, seed: int, level: str = "easy", wall: str = "coloured"
) -> Figure:
    """Measure the share of solo games that a bot wins (S14)."""
    bot = player.bot(clock)
    won = 0
    for number in range(games):
        outcome = played(Setup("solo", NAMES[:1], 0, level, wall), [bot], seed + number)
        assert isinstance(outcome, SoloOutcome)
        won += outcome.victory is not Victory.LOSS
    name = f"bots, solo {level} on a {wall} wall, {player}, {games} games"
    return Figure(name, won / games, _won(won, games), SOLO_GOAL, at_least=True)


def played(chosen: Setup, bots: Sequence[TimedBot], seed: int) -> Outcome | SoloOutcome:
    """Return the outcome of a game between bots, one a seat; the seed fixes the deals."""
    deals, choices = random.Random(seed), random.Random(seed)
    state = game.setup(chosen)
    while not state.over:
        if not state.chance_due:
            event = bots[state.to_act()[0]](state, choices.randrange, 0.0)
        elif state.round == ROUNDS and chosen.mode != game.SOLO:
            state = state.stop()
            continue
        else:
            event = state.chance(deals.randrange)
        state = state.apply(event)
    outcome = state.outcome()
    assert outcome is not None
    return outcome


def _won(won: float, games: int) -> str:
    least, most = win_share(won, games)
    return f"of the games won, {least:.2f} to {most:.2f} 19 times in 20"


def _victory(outcome: Outcome | SoloOutcome, seat: int) -> float:
    assert isinstance(outcome, Outcome)
    return (seat in outcome.winners) / len(outcome.winners)
