"""Learning of the weights of `evaluation` from games of self-play, one ply deep.

`python -m device.bots.training` runs it; compiled, it plays thousands of games a second. Compiled with the
types of `learner.pxd`.
"""

from device.bots.core import constants
from device.bots.core.evaluation import Evaluation, stage_of
from device.bots.core.multiplayer_tree import MultiplayerTree
from device.bots.core.position import Position

OVER = constants.OVER
TILING = constants.TILING


class Learner:
    """Self-play games and the gradient steps on the weights."""

    def __init__(self, position: Position, evaluation: Evaluation) -> None:
        self.position = position
        self.evaluation = evaluation
        self.tree = MultiplayerTree(evaluation, float)  # no time limit: playout moves only
        self.tree.position = position
        self.squared_error = 0.0
        self.samples = 0
        self.outcome_percent = 100  # the rest of the target is the expectation a round later
        self.sample_count = 0
        self.sample_stage = [0] * 400
        self.sample_features = [0] * 7600
        self.sample_score = [0] * 400
        self.sample_player = [0] * 400
        self.targets = [0] * 4

    def choose(self, chance: int) -> int:
        """Return the best draft one ply deep, or a random one with a probability of `chance` in 1,000."""
        if self.position.below(1000) < chance:
            return self.position.random_draft()
        return self.tree.playout_move(64)

    def record_samples(self) -> None:
        """Store the features of all boards at the end of a round."""
        evaluation = self.evaluation
        position = self.position
        rounds_to_row = 4
        for player in range(position.players):
            slot = evaluation.evaluate_board(position, player)
            if evaluation.rounds_to_row[slot] < rounds_to_row:
                rounds_to_row = evaluation.rounds_to_row[slot]
        if not rounds_to_row or self.sample_count > 390:
            return
        for player in range(position.players):
            evaluation.tile(player, position.lines[player], position.floor[player] >> 25)
            evaluation.extract_features()
            self.sample_stage[self.sample_count] = stage_of(position.round, rounds_to_row)
            self.sample_score[self.sample_count] = evaluation.tiled_score
            self.sample_player[self.sample_count] = player
            for each in range(19):
                self.sample_features[19 * self.sample_count + each] = evaluation.features[each]
            self.sample_count += 1

    def play_game(self, chance: int, rate: int) -> None:
        """Play a game and learn from it; `rate` is the learning rate in thousandths of each error."""
        position = self.position
        position.clear(position.below(position.players))
        self.sample_count = 0
        while position.phase != OVER and position.round < 60:
            position.deal()
            self.evaluation.start(position)
            while position.holders:
                position.play(self.choose(chance))
            self.record_samples()
            while position.phase == TILING:
                position.advance_tiling()
                if position.phase == TILING:
                    self.tile_gray_wall()
        self.learn(rate)

    def tile_gray_wall(self) -> None:
        """Place the next tile of a gray wall in the column that `evaluation` assumes."""
        position = self.position
        evaluation = self.evaluation
        for player in range(position.players):
            if position.full[player]:
                row = position.next_row(player)
                evaluation.tiled_wall = position.wall[player]
                evaluation.tiled_columns = position.columns_of_colours[player]
                colour = position.lines[player] >> 6 * row + 3 & 7
                position.tile(player, row, evaluation.best_column(row, colour))
                return

    def learn(self, rate: int) -> None:
        """Adjust the weights by the stored samples, the last first.

        The target of a sample is a mixture of the outcome of the game (`outcome_percent`) and of the
        expectation a round later, which depends less on luck.
        """
        evaluation = self.evaluation
        for player in range(self.position.players):
            self.targets[player] = 10_000 * self.position.score[player]
        for each in range(self.sample_count - 1, -1, -1):
            stage = self.sample_stage[each]
            player = self.sample_player[each]
            for part in range(19):
                evaluation.features[part] = self.sample_features[19 * each + part]
            expected = 10_000 * self.sample_score[each] + evaluation.expected_points(stage)
            error = self.targets[player] - expected
            off = (10_000 * self.position.score[player] - expected) / 10_000
            self.squared_error += off * off
            self.samples += 1
            evaluation.adjust_weights(stage, error * rate // 19_000)
            self.targets[player] = expected + error * self.outcome_percent // 100
