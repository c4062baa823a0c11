"""Training of the learned weights by self-play: `python -m device.bots.training standard|gray PLAYERS`.

`[--games N] [--deep N] [--seed S]`; or `solo-coloured|solo-gray 1 [--games N] [--seed S]`. The weights start
at zero and learn from `--games` games one ply deep; with 0 games, the present weights are trained further.
For two players, `--deep` games by alpha-beta follow. Compiled, 200,000 of the first take half a minute on one
core, and 1,000 of the others a minute. The same seed and the same present weights give the same bytes on any
machine.
"""

import argparse
import time
from array import array
from concurrent.futures import Executor

import click

from device.bots.core import constants, weights
from device.bots.core.alpha_beta import AlphaBeta
from device.bots.core.evaluation import Evaluation
from device.bots.core.learner import Learner
from device.bots.core.position import Position
from device.bots.core.solo_position import SoloPosition
from device.bots.core.solo_tree import SoloTree
from device.bots.workers import InlineExecutor

BATCHES = 20
EXPLORATION = 20  # random moves in 1,000, so that the weights see more than the best play
DEPTH = 3
SOLO_PLAYOUTS = 40  # for each solo choice
OUTCOME_PERCENT = 40
"""Part of the target of deep games that is their outcome; the rest is the expectation a round later."""


def initial_weights() -> "array[int]":
    """Return weights of zero."""
    return array("i", bytes(4 * constants.STAGES * constants.FEATURES))


def initial_solo_weights() -> "array[int]":
    """Return weights of the solo game that are zero except for a penalty for penalty tiles."""
    boards = constants.STAGES * constants.FEATURES
    initial = array("i", bytes(4 * (boards + constants.STAGES * constants.SOLO_FEATURES)))
    for stage in range(constants.STAGES):
        for tiles, lost in enumerate((0, 8, 17, 27, 38, 52, 75, 110)):
            at = boards + stage * constants.SOLO_FEATURES + constants.PENALTY_PATTERNS + tiles
            initial[at] = 10_000 * (40 - lost)
    return initial


def train(mode: str, players: int, games: int, deep: int, seed: int) -> None:
    """Train the weights of a mode, and write their file."""
    name = f"{mode}-{players}"
    evaluation = Evaluation(initial_weights() if games else weights.read(name))
    learner = Learner(Position(players, gray=mode == "gray", seed=seed), evaluation)
    if games:
        _learn(name, learner, None, games, (400, 10))
    if deep and players == 2:
        learner.outcome_percent = OUTCOME_PERCENT
        _learn(name, learner, AlphaBeta(evaluation, float), deep, (60, 5))


def _learn(name: str, learner: Learner, search: AlphaBeta | None, games: int, rates: tuple[int, int]) -> None:
    """Learn from so many games at a falling learning rate; write the weights after each batch."""
    for batch in range(BATCHES):
        rate = rates[1] + round((rates[0] - rates[1]) * (1 - batch / BATCHES) ** 1.5)
        learner.squared_error = 0.0
        learner.samples = 0
        points = rounds = 0
        start = time.perf_counter()
        for _ in range(games // BATCHES):
            if search is None:
                learner.play_game(EXPLORATION, rate)
            else:
                _play_deep_game(learner, search, rate)
            points += sum(learner.position.score)
            rounds += learner.position.round
        seconds = time.perf_counter() - start
        error = (learner.squared_error / max(1, learner.samples)) ** 0.5
        each = points / (games // BATCHES) / learner.position.players
        click.echo(
            f"{batch + 1}/{BATCHES}: off by {error:.2f} points; {seconds:.0f} s;"
            f" {each:.1f} points in {rounds / (games // BATCHES):.2f} rounds"
        )
        weights.write(weights.FOLDER, name, learner.evaluation.weights)


def _play_deep_game(learner: Learner, search: AlphaBeta, rate: int) -> None:
    """Play a game by search, and learn from it."""
    position = learner.position
    position.clear(position.below(2))
    learner.sample_count = 0
    while position.phase != constants.OVER and position.round < 60:
        position.deal()
        while position.holders:
            if position.below(1000) < EXPLORATION:
                position.play(position.random_draft())
            else:
                position.play(search.best_move(position, 1.0, max_depth=DEPTH))
        learner.evaluation.start(position)
        learner.record_samples()
        while position.phase == constants.TILING:
            position.advance_tiling()
            if position.phase == constants.TILING:
                learner.tile_gray_wall()
    learner.learn(rate)


def train_solo(mode: str, games: int, seed: int) -> None:
    """Train the weights of a solo mode from games of its three levels, and write their file."""
    tree = SoloTree(initial_solo_weights(), float)  # a clock that stands still
    tree.max_playouts = SOLO_PLAYOUTS
    game = SoloPosition(gray=mode == "solo-gray", seed=seed)
    for batch in range(BATCHES):
        rate = 10 + round(140 * (1 - batch / BATCHES) ** 1.5)
        tree.squared_error = 0.0
        tree.samples = 0
        points = won = 0
        start = time.perf_counter()
        for number in range(games // BATCHES):
            _play_solo_game(tree, game, number % 3)
            tree.learn(game, rate)
            if number % 3 == 0:
                points += game.score
                won += game.ending > constants.NO_POINTS and game.score >= 60
        error = (tree.squared_error / max(1, tree.samples)) ** 0.5
        easy = (games // BATCHES + 2) // 3
        click.echo(
            f"{batch + 1}/{BATCHES}: off by {error:.2f} points; {time.perf_counter() - start:.0f} s;"
            f" easy games: {points / easy:.1f} points, {won / easy:.1%} won"
        )
    weights.write(weights.FOLDER, mode, array("i", [*tree.evaluation.weights, *tree.weights]))


def _play_solo_game(tree: SoloTree, game: SoloPosition, level: int) -> None:
    """Play a solo game by search, and record its samples."""
    game.clear(*((5, 20), (6, 20), (7, 15))[level])
    while game.phase != constants.OVER:
        if game.phase in (constants.DEAL, constants.PENALTY, constants.COLOUR, constants.DRAW):
            if game.phase == constants.DEAL and game.round:
                tree.record_sample(game)
            game.draw_chance()
        elif game.phase == constants.OFFER and game.below(1000) < EXPLORATION:
            game.play(game.random_choice())
        else:
            game.play(tree.best_move(game, 1.0))


def main(executor: Executor | None = None) -> None:
    """Train as the command line says, in an executor; by default in this process."""
    parser = argparse.ArgumentParser("python -m device.bots.training", description="Train weights again.")
    parser.add_argument("mode", choices=("standard", "gray", "solo-coloured", "solo-gray"))
    parser.add_argument("players", type=int, choices=(1, 2, 3, 4))
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--deep", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    run = executor or InlineExecutor()
    if given.mode.startswith("solo-"):
        run.submit(train_solo, given.mode, given.games, given.seed).result()
    else:
        run.submit(train, given.mode, given.players, given.games, given.deep, given.seed).result()


if __name__ == "__main__":
    main()
