"""Learn the weights of `value.py` again, from games that the searches play against themselves.

`python -m device.bots.training standard|gray PLAYERS [--games N] [--deep N] [--seed S]`, or
`... solo-coloured|solo-gray 1 [--games N] [--seed S]`. First from so many games played one move deep, from
nothing; without any, the kept weights are learned on. Then, for two players, from `--deep` games searched
some moves deep. Compiled, 200,000 of the first take half a minute on one core, and 1,000 of the others a
minute. The same seed and the same kept weights give the same bytes on any machine.
"""

import argparse
import sys
import time
from array import array
from pathlib import Path

from device.bots.core import constants, weights
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.evaluation import Evaluation
from device.bots.core.learner import Learner
from device.bots.core.position import Position
from device.bots.core.solo_position import SoloPosition
from device.bots.core.solo_tree import SoloTree

BATCHES = 20
FOLDER = Path(__file__).with_name("weights")
EXPLORING = 20
"""How many of 1,000 moves are random, so that the weights see more than the best play."""
DEPTH = 3
SOLO_PLAYOUTS = 40
"""For each solo choice."""
OUTCOME = 40
"""Percent of what deep games teach that is how they ended; the rest is what was expected a round later."""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def untrained() -> "array[int]":
    """Weights that expect nothing."""
    return array("i", bytes(4 * constants.STAGES * constants.FEATURES))


def train(name: str, teacher: Learner, duel: AlphaBeta | None, games: int, rates: tuple[int, int]) -> None:
    """Learn from so many games, ever more slowly; tells how far off the weights are, and writes them."""
    for batch in range(BATCHES):
        rate = rates[1] + round((rates[0] - rates[1]) * (1 - batch / BATCHES) ** 1.5)
        teacher.squared_error = 0.0
        teacher.samples = 0
        points = rounds = 0
        start = time.perf_counter()
        for _ in range(games // BATCHES):
            if duel is None:
                teacher.play_game(EXPLORING, rate)
            else:
                deep_game(teacher, duel, rate)
            points += sum(teacher.position.score)
            rounds += teacher.position.round
        seconds = time.perf_counter() - start
        off = (teacher.squared_error / max(1, teacher.samples)) ** 0.5
        each = points / (games // BATCHES) / teacher.position.players
        _say(
            f"{batch + 1}/{BATCHES}: off by {off:.2f} points; {seconds:.0f} s;"
            f" {each:.1f} points in {rounds / (games // BATCHES):.2f} rounds"
        )
        weights.write(FOLDER, name, teacher.evaluation.weights)


def deep_game(teacher: Learner, duel: AlphaBeta, rate: int) -> None:
    """Play a game with a search, and learn from it."""
    position = teacher.position
    position.clear(position.below(2))
    teacher.sample_count = 0
    while position.phase != constants.OVER and position.round < 60:
        position.deal()
        while position.holders:
            if position.below(1000) < EXPLORING:
                position.play(position.random_draft())
            else:
                position.play(duel.best_move(position, 1.0, max_depth=DEPTH))
        teacher.evaluation.start(position)
        teacher.record_samples()
        while position.phase == constants.TILING:
            position.advance_tiling()
            if position.phase == constants.TILING:
                teacher.tile_gray_wall()
    teacher.learn(rate)


def untrained_alone() -> "array[int]":
    """Weights of the solo game that know no more than that penalty tiles are bad."""
    boards = constants.STAGES * constants.FEATURES
    beginning = array("i", bytes(4 * (boards + constants.STAGES * constants.SOLO_FEATURES)))
    for stage in range(constants.STAGES):
        for tiles, lost in enumerate((0, 8, 17, 27, 38, 52, 75, 110)):
            beginning[boards + stage * constants.SOLO_FEATURES + constants.PENALTY_PATTERNS + tiles] = (
                10_000 * (40 - lost)
            )
    return beginning


def train_alone(wall: str, games: int, seed: int) -> "array[int]":
    """Weights of the solo game, learned from games of its three levels, searched a little."""
    alone = SoloTree(untrained_alone(), float)  # a clock that stands still
    alone.max_playouts = SOLO_PLAYOUTS
    game = SoloPosition(gray=wall == "gray", seed=seed)
    for batch in range(BATCHES):
        rate = 10 + round(140 * (1 - batch / BATCHES) ** 1.5)
        alone.squared_error = 0.0
        alone.samples = 0
        points = won = 0
        start = time.perf_counter()
        for number in range(games // BATCHES):
            solo_game(alone, game, number % 3)
            alone.learn(game, rate)
            if number % 3 == 0:
                points += game.score
                won += game.ending > constants.NO_POINTS and game.score >= 60
        off = (alone.squared_error / max(1, alone.samples)) ** 0.5
        easy = (games // BATCHES + 2) // 3
        _say(
            f"{batch + 1}/{BATCHES}: off by {off:.2f} points; {time.perf_counter() - start:.0f} s;"
            f" easy games: {points / easy:.1f} points, {won / easy:.1%} won"
        )
    return array("i", [*alone.evaluation.weights, *alone.weights])


def solo_game(alone: SoloTree, game: SoloPosition, level: int) -> None:
    """Play a solo game, and note it."""
    game.clear(*((5, 20), (6, 20), (7, 15))[level])
    while game.phase != constants.OVER:
        if game.phase in (constants.DEAL, constants.PENALTY, constants.COLOUR, constants.DRAW):
            if game.phase == constants.DEAL and game.round:
                alone.record_sample(game)
            game.draw_chance()
        elif game.phase == constants.OFFER and game.below(1000) < EXPLORING:
            game.play(game.random_choice())
        else:
            game.play(alone.best_move(game, 1.0))


def main() -> None:
    """Train and write the file."""
    asked = argparse.ArgumentParser(prog="python -m device.bots.training", description="Learn weights again.")
    asked.add_argument("mode", choices=("standard", "gray", "solo-coloured", "solo-gray"))
    asked.add_argument("players", type=int, choices=(1, 2, 3, 4))
    asked.add_argument("--games", type=int, default=200_000)
    asked.add_argument("--deep", type=int, default=0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    if given.mode.startswith("solo-"):
        wall = given.mode.removeprefix("solo-")
        weights.write(FOLDER, given.mode, train_alone(wall, given.games, given.seed))
        return
    name = f"{given.mode}-{given.players}"
    value = Evaluation(untrained() if given.games else weights.read(name))
    teacher = Learner(Position(given.players, gray=given.mode == "gray", seed=given.seed), value)
    if given.games:
        train(name, teacher, None, given.games, (400, 10))
    if given.deep and given.players == 2:
        teacher.outcome_percent = OUTCOME
        train(name, teacher, AlphaBeta(value, float), given.deep, (60, 5))


if __name__ == "__main__":
    main()
