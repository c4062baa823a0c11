"""Alpha-beta search for two players, with iterative deepening to the end of the round.

Principal variation search with a transposition table, move ordering and late move reductions. A round has no
chance events, so the search is exact if it reaches the end of the round, where `evaluation` values both
boards. A board's value changes with its own player's drafts only, so the last ply is looked up instead of
being played. Values are hundredths of a point of the expected final margin, for the player to move. Compiled
with the types of `alpha_beta.pxd`.
"""

from array import array
from collections.abc import Callable

from device.bots.core import constants
from device.bots.core.evaluation import Evaluation
from device.bots.core.position import Position
from device.bots.core.timed_search import TimedSearch

try:
    import cython
except ImportError:
    from device.bots.core.timed_search import no_cython as cython

MINUS_INFINITY = constants.MINUS_INFINITY

WIN_BONUS = 600  # value of winning the game, in addition to the margin
EASY_DEPTH = 7
EASY_MARGIN = 800
"""A draft that is better than all others by this much at EASY_DEPTH is played without searching deeper."""
TABLE_SIZE = 1 << 18
HASH_MASK = (1 << 63) - 1
HASH_FACTOR = 0x2545F4914F6CDD1D
SECOND_HASH_FACTOR = 0x1B03738712FAD5C9
EXACT = 0
LOWER_BOUND = 1
UPPER_BOUND = 2
"""How a value in the transposition table relates to the true value."""
FULL_DEPTH = 60  # depth of a value that no deeper search can change


class AlphaBeta(TimedSearch):
    """An alpha-beta searcher with a transposition table, which is kept from one search to the next.

    The drafts of ply n (0 at the root) are stored in `moves`, `values` and `order` from index 256 * n on.
    """

    def __init__(self, evaluation: Evaluation, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.position = Position(2)
        self.evaluation = evaluation
        self.depth_limited = self.value = self.depth = self.best = 0
        self.tempo = 200  # value of having the next draft
        self.start_bonus = [0, 240, 150, 100, 50]  # value of starting the next round, by rounds left
        self.dealt = [0] * 10  # displays of the round that the transposition table is about
        self.generation = 0
        self.table_keys = array("q", bytes(8 * TABLE_SIZE))
        self.table_values = array("i", bytes(4 * TABLE_SIZE))
        self.table_entries = array("i", bytes(4 * TABLE_SIZE))
        self.rounds_to_row = 0  # until the opponent's board can have a complete row
        self.opponent_values = [0] * 5  # value of the opponent's board, by rounds left
        self.moves = [0] * 20480
        self.values = [0] * 20480
        self.order = [0] * 20480

    def best_move(
        self, position: Position, seconds: float, only: int = -1, excluded: int = -1, max_depth: int = 99
    ) -> int:
        """Return the best draft found in so many seconds; set its `value`, and the `depth` reached.

        With `only` or `excluded`, consider that draft alone or all others.
        """
        self.start(seconds, only, excluded)
        if not self.is_same_round(position):
            self.evaluation.start(position)
            self.generation += 1
            for source in range(10):
                self.dealt[source] = position.sources[source]
        self.position.copy_from(position)
        number = self.generate_moves(0)
        kept = 0
        for each in range(number):
            if self.is_allowed(self.moves[each]):
                self.moves[kept] = self.moves[each]
                self.values[kept] = self.values[each]
                self.order[kept] = self.order[each]
                kept += 1
        assert kept, "there is no draft to choose from"
        with cython.nogil:
            self.run(kept, max_depth)
        return self.best

    def is_same_round(self, position: Position) -> bool:
        """Return whether the transposition table is about this round, and so can be kept."""
        if self.position.round != position.round or self.position.starter != position.starter:
            return False
        for player in range(2):
            if self.position.wall[player] != position.wall[player]:
                return False
            if self.position.row_colours[player] != position.row_colours[player]:
                return False
            if self.position.columns_of_colours[player] != position.columns_of_colours[player]:
                return False
            if self.position.score[player] != position.score[player]:
                return False
        for source in range(1, 10):
            if position.sources[source] not in (0, self.dealt[source]):
                return False
        return self.position.gray == position.gray

    def run(self, number: int, max_depth: int) -> None:
        """Search the root drafts with iterative deepening; leave the best draft in `best`."""
        for first in range(number):
            self.select_move(first, number)
        self.best = self.moves[0]
        self.value = self.values[0]
        self.depth = 0
        for depth in range(1, max_depth + 1):
            self.depth_limited = 0
            alpha = MINUS_INFINITY
            leader = 0
            for each in range(number):
                value = self.search_root_move(each, depth, alpha)
                if self.stopped:
                    break
                if value > alpha:
                    alpha = value
                    leader = each
            if alpha > MINUS_INFINITY:
                self.best = self.moves[leader]
                self.value = alpha
                if not self.stopped:
                    self.depth = depth
                self.move_to_front(leader)
            if self.stopped or not self.depth_limited or (number == 1 and depth > 7):
                break
            if number > 1 and depth == EASY_DEPTH and self.is_easy_choice(number):
                break

    def search_root_move(self, each: int, depth: int, alpha: int) -> int:
        """Return the value of a root draft, exact above alpha."""
        player = self.position.turn
        self.position.make(self.moves[each])
        if not self.position.holders:
            value = self.value_of_round_end(self.values[each], player)
        elif depth == 1:
            value = self.values[each] - self.tempo
            self.depth_limited = 1
        elif each == 0:
            value = -self.search(depth - 1, MINUS_INFINITY, -alpha, 1)
        else:
            value = -self.search(depth - 1, -alpha - 1, -alpha, 1)
            if value > alpha and not self.stopped:
                value = -self.search(depth - 1, MINUS_INFINITY, -alpha, 1)
        self.position.unmake()
        return value

    def move_to_front(self, leader: int) -> None:
        """Move a root draft to the front; the others keep their order."""
        move = self.moves[leader]
        value = self.values[leader]
        for each in range(leader, 0, -1):
            self.moves[each] = self.moves[each - 1]
            self.values[each] = self.values[each - 1]
        self.moves[0] = move
        self.values[0] = value

    def is_easy_choice(self, number: int) -> bool:
        """Return whether every other root draft is worse by at least EASY_MARGIN."""
        margin = self.value - EASY_MARGIN
        for each in range(1, number):
            self.position.make(self.moves[each])
            if self.position.holders:
                value = -self.search(EASY_DEPTH - 1, -margin - 1, -margin, 1)
            else:
                value = self.value_of_round_end(self.values[each], 1 - self.position.turn)
            self.position.unmake()
            if self.stopped or value > margin:
                return False
        return True

    def search(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value for the player to move, exact between alpha and beta."""
        self.count_step()
        if self.stopped:
            return 0
        hash_key = self.hash_key()
        slot = hash_key & TABLE_SIZE - 1
        known = -1
        if self.table_keys[slot] == hash_key:
            known = self.table_entries[slot] & 511
            if self.is_answered_by_table(slot, depth, alpha, beta):
                return self.table_values[slot]
        first = 256 * ply
        last = first + self.generate_moves(ply)
        holders = self.position.holders
        if not holders & holders - 1:  # one colour in one source is left: every draft ends the round
            depth = FULL_DEPTH
            best = self.best_round_end(first, last)
        elif depth <= 1:
            best = self.best_by_evaluation(first, last)
        else:
            best = self.search_moves(first, last, known, depth, alpha, beta)
            if best < 0:
                return 0
        value = self.values[best]
        bound = EXACT
        if value <= alpha:
            bound = UPPER_BOUND
        elif value >= beta:
            bound = LOWER_BOUND
        self.table_keys[slot] = hash_key
        self.table_values[slot] = value
        self.table_entries[slot] = (4 * depth + bound) * 512 + self.moves[best]
        return value

    def is_answered_by_table(self, slot: int, depth: int, alpha: int, beta: int) -> bool:
        """Return whether a table entry is deep and exact enough to be used as the result."""
        kept_depth = self.table_entries[slot] >> 11
        if kept_depth < depth:
            return False
        bound = self.table_entries[slot] >> 9 & 3
        if bound == LOWER_BOUND and self.table_values[slot] < beta:
            return False
        if bound == UPPER_BOUND and self.table_values[slot] > alpha:
            return False
        if kept_depth < FULL_DEPTH:
            self.depth_limited = 1
        return True

    def best_round_end(self, first: int, last: int) -> int:
        """Return the index of the best draft of a ply whose drafts all end the round."""
        player = self.position.turn
        best = first
        for each in range(first, last):
            self.position.make(self.moves[each])
            self.values[each] = self.value_of_round_end(self.values[each], player)
            self.position.unmake()
            if self.values[each] > self.values[best]:
                best = each
        return best

    def best_by_evaluation(self, first: int, last: int) -> int:
        """Return the index of the best draft of a ply by static evaluation (depth 1)."""
        self.depth_limited = 1
        best = first
        for each in range(first, last):
            if self.values[each] > self.values[best]:
                best = each
        self.values[best] -= self.tempo
        return best

    def search_moves(self, first: int, last: int, known: int, depth: int, alpha: int, beta: int) -> int:
        """Return the index of the best draft of a ply by searching each, the table's draft first.

        Return -1 if the search was stopped.
        """
        player = self.position.turn
        if known >= 0:
            for each in range(first, last):
                if self.moves[each] == known:
                    self.order[each] = 100_000_000
        best = first
        most = MINUS_INFINITY
        for each in range(first, last):
            self.select_move(each, last)
            self.position.make(self.moves[each])
            if not self.position.holders:
                value = self.value_of_round_end(self.values[each], player)
            else:
                value = self.search_move(each - first, depth, alpha, beta, (first >> 8) + 1)
            self.position.unmake()
            if self.stopped:
                return -1
            self.values[each] = value
            if value > most:
                most = value
                best = each
                if value > alpha:
                    alpha = value
                    if value >= beta:
                        break
        return best

    def search_move(self, nth: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of the draft just made, the n-th of its ply, exact between alpha and beta.

        All but the first are searched with a null window and, the later they come, with reduced depth; those
        that then seem better are searched again.
        """
        if not nth:
            return -self.search(depth - 1, -beta, -alpha, ply)
        reduction = 0
        if depth > 2 and nth > 2:
            reduction = 1
            if nth > 9:
                reduction = 2
                if depth > 4 and nth > 24:
                    reduction = 3
        value = -self.search(depth - 1 - reduction, -alpha - 1, -alpha, ply)
        if value > alpha and (reduction or value < beta):
            value = -self.search(depth - 1, -beta, -alpha, ply)
        return value

    def generate_moves(self, ply: int) -> int:
        """Generate the drafts of a ply with their static evaluation; return their number."""
        self.evaluate_opponent(1 - self.position.turn)
        first = 256 * ply
        at = first
        for source in range(self.position.displays + 1):
            if self.position.sources[source] and not self.is_duplicate(source):
                at = self.generate_from(source, at)
        return at - first

    def evaluate_opponent(self, player: int) -> None:
        """Store in `rounds_to_row` and `opponent_values` the evaluation of the other board."""
        slot = self.evaluation.evaluate_board(self.position, player)
        self.rounds_to_row = self.evaluation.rounds_to_row[slot]
        self.opponent_values[0] = self.evaluation.final_values[slot]
        for rounds_left in range(1, 5):
            self.opponent_values[rounds_left] = self.evaluation.expected_values[4 * slot + rounds_left - 1]

    def is_duplicate(self, source: int) -> bool:
        """Return whether an earlier display holds the same tiles."""
        for other in range(1, source):
            if self.position.sources[other] == self.position.sources[source]:
                return True
        return False

    def generate_from(self, source: int, at: int) -> int:
        """Generate the drafts from a source, stored from index `at` on; return the index after the last."""
        player = self.position.turn
        tiles = self.position.sources[source]
        marker = self.position.marker
        floor = self.position.floor[player] >> 25
        starts = 0  # 1: this player starts the next round; -1: the opponent
        if marker >= 0:
            starts = 1 if marker == player else -1
        elif not source:
            starts = 1
            if floor < 7:  # R6
                floor += 1
        for colour in range(5):
            number = tiles >> 5 * colour & 31
            if not number:
                continue
            lines = self.position.open[player] >> 6 * colour & 63
            for line in range(6):
                if lines >> line & 1:
                    slot = self.evaluation.evaluate_draft(self.position, player, colour, number, line, floor)
                    value = self.margin(slot, starts)
                    self.moves[at] = 32 * source + 6 * colour + line
                    self.values[at] = value
                    self.order[at] = value
                    at += 1
        return at

    def margin(self, slot: int, starts: int) -> int:
        """Return the own board's value, in a slot of `evaluation`, minus the opponent's."""
        rounds_left = self.evaluation.rounds_to_row[slot]
        if self.rounds_to_row < rounds_left:
            rounds_left = self.rounds_to_row
        if rounds_left > 4:
            rounds_left = 4
        if rounds_left:
            return (
                self.evaluation.expected_values[4 * slot + rounds_left - 1]
                - self.opponent_values[rounds_left]
                + starts * self.start_bonus[rounds_left]
            )
        value = self.evaluation.final_values[slot] - self.opponent_values[0]
        if value > 0:
            return value + WIN_BONUS
        return value - WIN_BONUS if value < 0 else 0

    def value_of_round_end(self, value: int, player: int) -> int:
        """Return the value of the end of a round for a player, given that of the last draft."""
        if self.position.marker >= 0:
            return value
        # Nobody took from the centre: the same player starts the next round (R12).
        rounds_left = 4
        for each in range(2):
            rounds_to_row = self.evaluation.rounds_to_row[self.evaluation.evaluate_board(self.position, each)]
            if rounds_to_row < rounds_left:
                rounds_left = rounds_to_row
        bonus = self.start_bonus[rounds_left]
        return value + (bonus if self.position.starter == player else -bonus)

    def select_move(self, first: int, last: int) -> None:
        """Swap the most promising of these drafts to index `first`."""
        best = first
        for each in range(first + 1, last):
            if self.order[each] > self.order[best]:
                best = each
        move = self.moves[best]
        value = self.values[best]
        order = self.order[best]
        self.moves[best] = self.moves[first]
        self.values[best] = self.values[first]
        self.order[best] = self.order[first]
        self.moves[first] = move
        self.values[first] = value
        self.order[first] = order

    def hash_key(self) -> int:
        """Return a hash of the position that is unique within its round, as far as 63 bits allow."""
        holders = self.position.holders
        displays = (holders | holders >> 10 | holders >> 20 | holders >> 30 | holders >> 40) & 1022
        floors = (self.position.floor[0] >> 25) * 8 + (self.position.floor[1] >> 25)
        rest = ((displays * 32 + floors) * 4 + self.position.marker + 1) * 2 + self.position.turn
        hash_key = self.position.lines[1]
        hash_key = (hash_key << 30) + self.position.lines[0]
        hash_key = (hash_key * HASH_FACTOR) & HASH_MASK
        hash_key = (hash_key ^ hash_key >> 31) + (rest << 25) + self.position.sources[0]
        hash_key = (hash_key * SECOND_HASH_FACTOR) & HASH_MASK
        hash_key = (hash_key ^ hash_key >> 29) + self.generation
        hash_key = (hash_key * HASH_FACTOR) & HASH_MASK
        return hash_key ^ hash_key >> 32
