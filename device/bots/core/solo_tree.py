"""UCT search for the solo game: a tree of the round's picks.

A leaf is evaluated by a playout with some noise to the end of the round, where learned weights evaluate the
boards as in `evaluation`. Values are hundredths of a point of the final score. Compiled with the types of
`solo_tree.pxd`.
"""

from array import array
from collections.abc import Callable

from device.bots.core import constants
from device.bots.core.evaluation import Evaluation
from device.bots.core.solo_position import SoloPosition
from device.bots.core.uct import UctTree

try:
    import cython
except ImportError:
    from device.bots.core.timed_search import no_cython as cython

ACTION_ROW_PATTERNS = constants.ACTION_ROW_PATTERNS
BAG_PATTERNS = constants.BAG_PATTERNS
DRAW = constants.DRAW
EIGHTH_TILE = constants.EIGHTH_TILE
FEATURES = constants.FEATURES
MINUS_INFINITY = constants.MINUS_INFINITY
NO_POINTS = constants.NO_POINTS
NTH_BIT = constants.NTH_BIT
OFFER = constants.OFFER
OVER = constants.OVER
PENALTY_PATTERNS = constants.PENALTY_PATTERNS
POPCOUNT = constants.POPCOUNT
REMOVE = constants.REMOVE
SCORING_TILE_PATTERNS = constants.SCORING_TILE_PATTERNS
SOLO_FEATURES = constants.SOLO_FEATURES
STAGES = constants.STAGES
SWAP = constants.SWAP
TILING = constants.TILING

LOSS_VALUE = -6000
"""Value of a game lost by S7 or S10, below that of any game that reaches its end (-55 or more by S13)."""
WIN_BONUS = 2000  # value of a victory in addition to its points (S14)
NODES = 200_000


class SoloTree(UctTree):
    """A UCT search for the solo game, with its tree and the weights that it learns."""

    def __init__(self, weights: "array[int]", clock: Callable[[], float]) -> None:
        super().__init__(clock, NODES)
        boards = STAGES * FEATURES
        self.evaluation = Evaluation(weights[:boards])
        self.weights = weights[boards:]
        self.max_playouts = 1_000_000_000
        self.squared_error = 0.0
        self.samples = self.sample_count = 0
        self.position = SoloPosition()
        self.current = SoloPosition()
        self.trial = SoloPosition(seed=2)
        self.pair = SoloPosition(seed=3)
        self.features = [0] * 8  # weight indices: five action lines, penalty row, bag, scoring tile
        # At most 100 samples, one for each round. A sample has 27 weight indices: the 19 of
        # `Evaluation.features`, then the 8 of `features`.
        self.sample_stage = [0] * 100
        self.sample_features = [0] * 2700
        self.sample_score = [0] * 100

    def best_move(self, position: SoloPosition, seconds: float, only: int = -1, excluded: int = -1) -> int:
        """Return the best choice found in so many seconds; set `value`, and `depth` to its visits.

        With `only` or `excluded`, consider that choice alone or all others.
        """
        self.start(seconds, only, excluded)
        self.position.copy_from(position)
        self.current.copy_from(position)
        self.evaluation.gray = position.gray
        self.reset()
        self.expand(0)
        self.prune_root()
        with cython.nogil:
            self.run()
        return self.most_visited()

    def run(self) -> None:
        """Run playouts until the time is up or `max_playouts` is reached."""
        while not self.stopped and self.playouts < self.max_playouts:
            self.current.copy_from(self.position)
            node = 0
            length = 0
            while self.children[node]:
                node = self.select_child(node)
                length += 1
                self.path[length] = node
                self.current.play(self.node_move[node])
                if self.current.phase != OFFER:
                    break
                if self.visits[node] and not self.children[node]:
                    self.expand(node)
            while self.current.phase == OFFER and not self.stopped:
                self.current.play(self.playout_choice(self.noise))
            if self.current.phase == OFFER:
                return  # the time was up during the playout: no result
            self.finish_round(self.current)
            value = self.evaluate_round_end(self.current)
            self.visits[0] += 1
            for step in range(1, length + 1):
                self.visits[self.path[step]] += 1
                self.value_sums[self.path[step]] += value
            self.playouts += 1
            self.count_step()

    def expand(self, node: int) -> None:
        """Add the children of a node."""
        number = self.generate_moves(self.current, 0)
        self.add_children(node, number, number)

    def generate_moves(self, position: SoloPosition, noise: int) -> int:
        """Generate the choices with their static evaluation after the best reply; return their number."""
        number = self.generate_legal(position)
        actions = 0
        if position.phase == OFFER and position.turn:
            actions = 1
        for each in range(number):
            if self.stopped:
                self.values[each] = MINUS_INFINITY
                continue
            self.count_step()
            self.trial.copy_from(position)
            self.trial.play(self.moves[each])
            if actions and self.trial.phase == OFFER and self.trial.turn == 0:
                value = self.best_reply_value()
            else:
                self.finish_round(self.trial)
                value = self.evaluate_round_end(self.trial)
            self.values[each] = value
            if noise:
                self.values[each] += position.below(noise)
        return number

    def best_reply_value(self) -> int:
        """Return the value of the best player pick after the action pick in `trial`."""
        tiles = self.trial.sources[self.trial.display]
        mine = self.trial.open[0]
        best = MINUS_INFINITY
        for colour in range(5):
            if tiles >> 5 * colour & 31:
                lines = mine >> 6 * colour & 63
                for line in range(6):
                    if lines >> line & 1 and (not self.stopped or best == MINUS_INFINITY):
                        self.count_step()
                        self.pair.copy_from(self.trial)
                        self.pair.play(32 * self.trial.display + 6 * colour + line)
                        self.finish_round(self.pair)
                        value = self.evaluate_round_end(self.pair)
                        if value > best:
                            best = value
        return best

    def playout_choice(self, noise: int) -> int:
        """Return the best choice one ply deep, after adding noise below `noise` to each value."""
        number = self.generate_moves(self.current, noise)
        return self.moves[self.best_index(0, number)]

    def generate_legal(self, position: SoloPosition) -> int:
        """Generate the legal choices without values; return their number."""
        number = 0
        if position.phase == OFFER:
            tiles = position.sources[position.display]
            mine = position.open[position.turn]
            for colour in range(5):
                if tiles >> 5 * colour & 31:
                    for line in range(6):
                        if mine >> 6 * colour + line & 1:
                            self.moves[number] = 32 * position.display + 6 * colour + line
                            number += 1
        else:
            mask = position.choices()
            for choice in range(25):
                if mask >> choice & 1:
                    self.moves[number] = choice
                    number += 1
        return number

    def finish_round(self, position: SoloPosition) -> None:
        """Finish the round as if the displays were empty, with default choices and random draws."""
        if position.phase == OFFER:
            position.display = 0
            position.next_action_line()
        while position.phase in (DRAW, SWAP, REMOVE, TILING):
            if position.phase == DRAW:
                position.draw_chance()
            else:
                position.play(self.default_choice(position))

    def default_choice(self, position: SoloPosition) -> int:
        """Return a default choice: remove a tile if possible, swap the first two, tile the best column."""
        if position.phase == REMOVE:
            mask = position.choices()
            choice = 1
            while not mask >> choice & 1:
                choice += 1
            return choice
        if position.phase == SWAP:
            return 1
        row = NTH_BIT[10 * position.full[0]]
        self.evaluation.tiled_wall = position.wall[0]
        self.evaluation.tiled_columns = position.columns_of_colours
        return 5 * row + self.evaluation.best_column(row, position.lines[0] >> 6 * row + 3 & 7)

    def evaluate_round_end(self, position: SoloPosition) -> int:
        """Return the value of the end of a round."""
        if position.phase == OVER:
            if position.ending == EIGHTH_TILE:
                return LOSS_VALUE - 1  # going on is better, even if S10 is certain
            if position.ending == NO_POINTS:
                return LOSS_VALUE
            return 100 * position.score + (WIN_BONUS if position.score >= 60 else 0)
        self.extract_features(position)
        value = 100 * position.score + self.expected_points(self.stage(position)) // 100
        return value if value > LOSS_VALUE else LOSS_VALUE + 1

    def stage(self, position: SoloPosition) -> int:
        """Return the index of the weights, by round and by how soon a row can be complete."""
        most = 0
        for row in range(5):
            for board in range(2):
                number = POPCOUNT[position.wall[board] >> 5 * row & 31]
                if number > most:
                    most = number
        needs = 5 - most
        last = position.round if position.round < 6 else 6
        return 4 * (last - 1 if last else 0) + (needs if needs < 4 else 4) - 1

    def extract_features(self, position: SoloPosition) -> None:
        """Store in `features` the weight indices for both boards, the penalty row and the bag."""
        self.evaluation.tiled_wall = position.wall[0]
        self.evaluation.tiled_colours = position.row_colours[0]
        self.evaluation.tiled_columns = position.columns_of_colours
        self.evaluation.tiled_lines = position.lines[0]
        self.evaluation.gray = position.gray
        self.evaluation.extract_features()
        for row in range(5):
            squares = position.wall[1] >> 5 * row & 31
            held = position.lines[1] >> 6 * row & 7
            if held:
                held += 4 * (((position.lines[1] >> 6 * row + 3 & 7) + row) % 5)
            self.features[row] = ACTION_ROW_PATTERNS + 21 * (32 * row + squares) + held
        self.features[5] = PENALTY_PATTERNS + position.penalties
        bag = position.bag
        tiles = (bag & 31) + (bag >> 5 & 31) + (bag >> 10 & 31) + (bag >> 15 & 31) + (bag >> 20 & 31)
        tiles //= 20
        self.features[6] = BAG_PATTERNS + 6 * position.refilled + (tiles if tiles < 5 else 5)
        self.features[7] = SCORING_TILE_PATTERNS + 5
        square = position.scoring_square
        if square >= 0:
            wall = position.wall[1]
            beside = (wall >> square - 5 & 1) + (wall >> square - 1 & 1)
            self.features[7] = (
                SCORING_TILE_PATTERNS + beside + (wall >> square + 1 & 1) + (wall >> square + 5 & 1)
            )

    def expected_points(self, stage: int) -> int:
        """Return the points expected for the extracted features, in ten-thousandths."""
        points = self.evaluation.expected_points(stage)
        for each in range(8):
            points += self.weights[SOLO_FEATURES * stage + self.features[each]]
        return points

    # --- Learning ----------------------------------------------------------------------------------------

    def record_sample(self, position: SoloPosition) -> None:
        """Store the features of the boards at the start of a round."""
        if self.sample_count < 100:
            self.extract_features(position)
            self.sample_stage[self.sample_count] = self.stage(position)
            self.sample_score[self.sample_count] = position.score
            for each in range(19):
                self.sample_features[27 * self.sample_count + each] = self.evaluation.features[each]
            for each in range(8):
                self.sample_features[27 * self.sample_count + 19 + each] = self.features[each]
            self.sample_count += 1

    def learn(self, position: SoloPosition, rate: int) -> None:
        """Adjust the weights by the stored samples; `rate` is the learning rate in thousandths.

        Each of a sample's 27 weights takes an equal share of the step.
        """
        final = self.evaluate_round_end(position)
        for each in range(self.sample_count):
            stage = self.sample_stage[each]
            for part in range(19):
                self.evaluation.features[part] = self.sample_features[27 * each + part]
            for part in range(8):
                self.features[part] = self.sample_features[27 * each + 19 + part]
            error = 100 * (final - 100 * self.sample_score[each]) - self.expected_points(stage)
            self.squared_error += error / 10_000 * (error / 10_000)
            self.samples += 1
            step = error * rate // 27_000
            self.evaluation.adjust_weights(stage, step)
            for part in range(8):
                self.weights[SOLO_FEATURES * stage + self.features[part]] += step
        self.sample_count = 0
