"""UCT search for three and four players, to the end of the round.

Every player maximizes the value of the own board minus a share of that of the best other board (a max-n
search). Playouts choose drafts one ply deep, with some noise. Values are hundredths of a point. Compiled with
the types of `multiplayer_tree.pxd`.
"""

from collections.abc import Callable

from device.bots.core import constants
from device.bots.core.evaluation import Evaluation
from device.bots.core.position import Position
from device.bots.core.uct import UctTree

try:
    import cython
except ImportError:
    from device.bots.core.timed_search import no_cython as cython

MINUS_INFINITY = constants.MINUS_INFINITY

WIN_BONUS = 600  # value of winning the game, in addition to the margin
NODES = 400_000
MAX_CHILDREN = 60  # maximum number of children of a node, except for the root


class MultiplayerTree(UctTree):
    """A UCT search for three or four players, with its tree."""

    def __init__(self, evaluation: Evaluation, clock: Callable[[], float]) -> None:
        super().__init__(clock, NODES)
        self.position = Position(2)
        self.evaluation = evaluation
        self.start_bonus = 100  # value of starting the next round
        self.opponent_share = 40  # percent of the best other board that counts against the own
        self.best_final = 0  # value of the best other board if the game ends
        self.best_other = [0] * 5
        self.results = [0] * 4
        self.movers = [0] * 100

    def best_move(self, position: Position, seconds: float, only: int = -1, excluded: int = -1) -> int:
        """Return the best draft found in so many seconds; set `value`, and `depth` to its visits.

        With `only` or `excluded`, consider that draft alone or all others.
        """
        self.start(seconds, only, excluded)
        self.position.copy_from(position)
        self.position.random_state = 12345
        self.evaluation.start(position)
        self.reset()
        self.expand(0)
        self.prune_root()
        with cython.nogil:
            self.run()
        return self.most_visited()

    def run(self) -> None:
        """Run playouts until the time is up."""
        while not self.stopped:
            node = 0
            length = 0
            while self.position.holders and self.children[node]:
                node = self.select_child(node)
                length += 1
                self.path[length] = node
                self.movers[length] = self.position.turn
                self.position.make(self.node_move[node])
                if self.position.holders and self.visits[node] and not self.children[node]:
                    self.expand(node)
            made = length
            while self.position.holders and not self.stopped:
                self.position.make(self.playout_move(self.noise))
                made += 1
            if not self.position.holders:  # else the time was up during the playout: no result
                for player in range(self.position.players):
                    self.results[player] = self.value_of_round_end(player)
                self.visits[0] += 1
                for step in range(1, length + 1):
                    self.visits[self.path[step]] += 1
                    self.value_sums[self.path[step]] += self.results[self.movers[step]]
            for _ in range(made):
                self.position.unmake()
            self.playouts += 1
            self.count_step()

    def expand(self, node: int) -> None:
        """Add the children of a node."""
        number = self.generate_moves()
        self.add_children(node, number, MAX_CHILDREN if node else number)

    def value_of_round_end(self, player: int) -> int:
        """Return the value of the end of the round for a player."""
        rounds_left = self.evaluate_others(player)
        slot = self.evaluation.evaluate_board(self.position, player)
        if self.evaluation.rounds_to_row[slot] < rounds_left:
            rounds_left = self.evaluation.rounds_to_row[slot]
        if rounds_left:
            value = self.evaluation.expected_values[4 * slot + rounds_left - 1] - self.best_other[rounds_left]
            return value + self.start_bonus if self.position.marker == player else value
        value = self.evaluation.final_values[slot] - self.best_other[0]
        if self.evaluation.final_values[slot] > self.best_final:
            return value + WIN_BONUS
        return value

    def evaluate_others(self, player: int) -> int:
        """Store in `best_other` the share of the best other board by rounds left; return the rounds left."""
        rounds_to_row = 4
        for rounds_left in range(5):
            self.best_other[rounds_left] = MINUS_INFINITY
        for other in range(self.position.players):
            if other != player:
                slot = self.evaluation.evaluate_board(self.position, other)
                if self.evaluation.rounds_to_row[slot] < rounds_to_row:
                    rounds_to_row = self.evaluation.rounds_to_row[slot]
                for rounds_left in range(5):
                    value = (
                        self.evaluation.expected_values[4 * slot + rounds_left - 1]
                        if rounds_left
                        else self.evaluation.final_values[slot]
                    )
                    if value > self.best_other[rounds_left]:
                        self.best_other[rounds_left] = value
        self.best_final = self.best_other[0]
        for rounds_left in range(5):
            self.best_other[rounds_left] = self.best_other[rounds_left] * self.opponent_share // 100
        return rounds_to_row

    def playout_move(self, noise: int) -> int:
        """Return the draft that is best one ply deep, after adding noise below `noise` to each value."""
        number = self.generate_moves()
        if noise:
            for each in range(number):
                self.values[each] += self.position.below(noise)
        return self.moves[self.best_index(0, number)]

    def generate_moves(self) -> int:
        """Generate the drafts of the player to move with their static evaluation; return their number."""
        rounds_to_row = self.evaluate_others(self.position.turn)
        number = 0
        for source in range(self.position.displays + 1):
            if self.position.sources[source]:
                self.count_step()
                number = self.generate_from(source, rounds_to_row, number)
        return number

    def generate_from(self, source: int, rounds_to_row: int, at: int) -> int:
        """Generate the drafts from a source, stored from index `at` on; return the index after the last."""
        player = self.position.turn
        tiles = self.position.sources[source]
        floor = self.position.floor[player] >> 25
        if not source and self.position.marker < 0 and floor < 7:  # R6
            floor += 1
        for colour in range(5):
            number = tiles >> 5 * colour & 31
            if not number:
                continue
            lines = self.position.open[player] >> 6 * colour & 63
            for line in range(6):
                if not lines >> line & 1:
                    continue
                slot = self.evaluation.evaluate_draft(self.position, player, colour, number, line, floor)
                rounds_left = self.evaluation.rounds_to_row[slot]
                if rounds_to_row < rounds_left:
                    rounds_left = rounds_to_row
                value = self.evaluation.final_values[slot]
                if rounds_left:
                    value = self.evaluation.expected_values[4 * slot + rounds_left - 1]
                self.moves[at] = 32 * source + 6 * colour + line
                self.values[at] = value - self.best_other[rounds_left]
                at += 1
        return at
