"""The search for two players: alpha-beta, deeper and deeper, to the end of the round.

Within a round everything is open, so the search is exact to its end if it gets there; what the boards are
worth then comes from `value`. A board's worth changes only with its own player's drafts, so a node's last ply
is looked up, not played. Worths are hundredths of a point of the expected final margin, for the player to
move. Compiled with the types of `duel.pxd`, and then it runs without the interpreter's lock.
"""

from array import array
from collections.abc import Callable

from device.bots.core import tables
from device.bots.core.position import Position
from device.bots.core.search import Search
from device.bots.core.value import Value

try:
    import cython
except ImportError:
    from device.bots.core import without_cython as cython

WORST = tables.WORST
WON = 600
"""What winning is worth beside its margin."""
EASY_DEPTH = 7
EASY = 800
"""A draft that is so much better than all others, seven drafts deep, needs no more thought."""
SLOTS = 1 << 18
BITS = (1 << 63) - 1
MIX = 0x2545F4914F6CDD1D
STIR = 0x1B03738712FAD5C9
EXACT = 0
AT_LEAST = 1
AT_MOST = 2
"""What a kept worth is of the true one."""
TO_THE_END = 60
"""The depth of a worth that no deeper search could change."""


class Duel(Search):
    """A search of its own, with its table of positions.

    The drafts of ply n, the root's being 0, stand from 256 * n on in `moves`, with `worths` and `order`.
    """

    def __init__(self, value: Value, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.position = Position(2)
        self.value = value
        self.cut_short = self.worth = self.depth = 0
        self.tempo = 200  # what it is worth to have the next draft
        self.starting = [0, 240, 150, 100, 50]  # what starting the next round is worth, by rounds to go
        self.dealt = [0] * 10  # the displays that the kept worths are about
        self.generation = 0
        self.keys = array("q", bytes(8 * SLOTS))
        self.found = array("i", bytes(4 * SLOTS))
        self.entries = array("i", bytes(4 * SLOTS))
        self.needs = 0  # rounds until the other's board can have a complete row
        self.theirs = [0] * 5  # what the other's board is worth, by rounds to go
        self.moves = [0] * 20480
        self.worths = [0] * 20480
        self.order = [0] * 20480

    def think(
        self, position: Position, seconds: float, only: int = -1, without: int = -1, most_depth: int = 99
    ) -> int:
        """The best draft found in so many seconds; with `only` or `without`, of that alone or of the others.

        `worth` and `depth` then tell what it is worth and how deep the search went.
        """
        self.begin(seconds, only, without)
        if not self.knows(position):
            self.value.begin(position)
            self.generation += 1
            for source in range(10):
                self.dealt[source] = position.sources[source]
        self.position.copy_from(position)
        number = self.generate(0)
        kept = 0
        for each in range(number):
            if self.is_asked(self.moves[each]):
                self.moves[kept] = self.moves[each]
                self.worths[kept] = self.worths[each]
                self.order[kept] = self.order[each]
                kept += 1
        assert kept, "there is no draft to choose from"
        with cython.nogil:
            best = self.run(kept, most_depth)
        return best  # noqa: RET504 - not inside `nogil`

    def knows(self, position: Position) -> bool:
        """Whether the kept worths are of this round: then those that still can come true stay."""
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

    def run(self, number: int, most_depth: int) -> int:
        """Search the root's drafts deeper and deeper; the best comes first."""
        for first in range(number):
            self.pick(first, number)
        best = self.moves[0]
        self.worth = self.worths[0]
        self.depth = 0
        for depth in range(1, most_depth + 1):
            self.cut_short = 0
            alpha = WORST
            leader = 0
            for each in range(number):
                worth = self.worth_at_root(each, depth, alpha)
                if self.stopped:
                    break
                if worth > alpha:
                    alpha = worth
                    leader = each
            if alpha > WORST:
                best = self.moves[leader]
                self.worth = alpha
                if not self.stopped:
                    self.depth = depth
                self.bring_first(leader)
            if self.stopped or not self.cut_short or (number == 1 and depth > 7):
                break
            if number > 1 and depth == EASY_DEPTH and self.is_easy(number):
                break
        return best

    def worth_at_root(self, each: int, depth: int, alpha: int) -> int:
        """The worth of a draft of the root, exact above alpha."""
        player = self.position.turn
        self.position.make(self.moves[each])
        if not self.position.holders:
            worth = self.ended(self.worths[each], player)
        elif depth == 1:
            worth = self.worths[each] - self.tempo
            self.cut_short = 1
        elif each == 0:
            worth = -self.search(depth - 1, WORST, -alpha, 1)
        else:
            worth = -self.search(depth - 1, -alpha - 1, -alpha, 1)
            if worth > alpha and not self.stopped:
                worth = -self.search(depth - 1, WORST, -alpha, 1)
        self.position.unmake()
        return worth

    def bring_first(self, leader: int) -> None:
        """Bring a draft of the root to the first place; the others keep their order."""
        move = self.moves[leader]
        worth = self.worths[leader]
        for each in range(leader, 0, -1):
            self.moves[each] = self.moves[each - 1]
            self.worths[each] = self.worths[each - 1]
        self.moves[0] = move
        self.worths[0] = worth

    def is_easy(self, number: int) -> bool:
        """Whether every other draft of the root is so much worse that there is nothing to think about."""
        margin = self.worth - EASY
        for each in range(1, number):
            self.position.make(self.moves[each])
            if self.position.holders:
                worth = -self.search(EASY_DEPTH - 1, -margin - 1, -margin, 1)
            else:
                worth = self.ended(self.worths[each], 1 - self.position.turn)
            self.position.unmake()
            if self.stopped or worth > margin:
                return False
        return True

    def search(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The worth for the player to move, exact between alpha and beta."""
        self.step()
        if self.stopped:
            return 0
        key = self.key()
        slot = key & SLOTS - 1
        known = -1
        if self.keys[slot] == key:
            known = self.entries[slot] & 511
            if self.is_answered(slot, depth, alpha, beta):
                return self.found[slot]
        first = 256 * ply
        last = first + self.generate(ply)
        holders = self.position.holders
        if not holders & holders - 1:  # one source and one colour are left: every draft ends the round
            depth = TO_THE_END
            best = self.best_end(first, last)
        elif depth <= 1:
            best = self.best_by_sight(first, last)
        else:
            best = self.best_by_search(first, last, known, depth, alpha, beta)
            if best < 0:
                return 0
        worth = self.worths[best]
        bound = EXACT
        if worth <= alpha:
            bound = AT_MOST
        elif worth >= beta:
            bound = AT_LEAST
        self.keys[slot] = key
        self.found[slot] = worth
        self.entries[slot] = (4 * depth + bound) * 512 + self.moves[best]
        return worth

    def is_answered(self, slot: int, depth: int, alpha: int, beta: int) -> bool:
        """Whether what is kept there is as deep and as exact as it need be."""
        kept_depth = self.entries[slot] >> 11
        if kept_depth < depth:
            return False
        bound = self.entries[slot] >> 9 & 3
        if bound == AT_LEAST and self.found[slot] < beta:
            return False
        if bound == AT_MOST and self.found[slot] > alpha:
            return False
        if kept_depth < TO_THE_END:
            self.cut_short = 1
        return True

    def best_end(self, first: int, last: int) -> int:
        """Where the best of a ply's drafts stands, each of which ends the round."""
        player = self.position.turn
        best = first
        for each in range(first, last):
            self.position.make(self.moves[each])
            self.worths[each] = self.ended(self.worths[each], player)
            self.position.unmake()
            if self.worths[each] > self.worths[best]:
                best = each
        return best

    def best_by_sight(self, first: int, last: int) -> int:
        """Where the draft of a ply stands that is best if the round ends with it."""
        self.cut_short = 1
        best = first
        for each in range(first, last):
            if self.worths[each] > self.worths[best]:
                best = each
        self.worths[best] -= self.tempo
        return best

    def best_by_search(self, first: int, last: int, known: int, depth: int, alpha: int, beta: int) -> int:
        """Where the best draft of a ply stands by a search, the known one first; -1 if that was stopped."""
        player = self.position.turn
        if known >= 0:
            for each in range(first, last):
                if self.moves[each] == known:
                    self.order[each] = 100_000_000
        best = first
        most = WORST
        for each in range(first, last):
            self.pick(each, last)
            self.position.make(self.moves[each])
            if not self.position.holders:
                worth = self.ended(self.worths[each], player)
            else:
                worth = self.worth_of_draft(each - first, depth, alpha, beta, (first >> 8) + 1)
            self.position.unmake()
            if self.stopped:
                return -1
            self.worths[each] = worth
            if worth > most:
                most = worth
                best = each
                if worth > alpha:
                    alpha = worth
                    if worth >= beta:
                        break
        return best

    def worth_of_draft(self, nth: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The worth of the draft just made, the n-th of its ply, exact between alpha and beta.

        All but the first are only shown to be no better, the later the less deep, unless they seem better.
        """
        if not nth:
            return -self.search(depth - 1, -beta, -alpha, ply)
        less = 0
        if depth > 2 and nth > 2:
            less = 1
            if nth > 9:
                less = 2
                if depth > 4 and nth > 24:
                    less = 3
        worth = -self.search(depth - 1 - less, -alpha - 1, -alpha, ply)
        if worth > alpha and (less or worth < beta):
            worth = -self.search(depth - 1, -beta, -alpha, ply)
        return worth

    def generate(self, ply: int) -> int:
        """Note a ply's drafts, with the worth of each if the round ended with it; how many they are."""
        self.look_at_other(1 - self.position.turn)
        first = 256 * ply
        at = first
        for source in range(self.position.displays + 1):
            if self.position.sources[source] and not self.is_repeated(source):
                at = self.generate_from(source, at)
        return at - first

    def look_at_other(self, player: int) -> None:
        """Note in `needs` and `theirs` how far the other's board is and what it is worth."""
        slot = self.value.assess(player, self.position.lines[player], self.position.floor[player] >> 25)
        self.needs = self.value.needs[slot]
        self.theirs[0] = self.value.closed[slot]
        for lasts in range(1, 5):
            self.theirs[lasts] = self.value.ahead[4 * slot + lasts - 1]

    def is_repeated(self, source: int) -> bool:
        """Whether an earlier display holds the same tiles."""
        for other in range(1, source):
            if self.position.sources[other] == self.position.sources[source]:
                return True
        return False

    def generate_from(self, source: int, at: int) -> int:
        """Note a source's drafts from a place on; the place behind them."""
        player = self.position.turn
        tiles = self.position.sources[source]
        marker = self.position.marker
        floor = self.position.floor[player] >> 25
        starts = 0  # 1: this player will start the next round; -1: the other
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
                    mine = self.value.after(self.position, player, colour, number, line, floor)
                    worth = self.margin(mine, starts)
                    self.moves[at] = 32 * source + 6 * colour + line
                    self.worths[at] = worth
                    self.order[at] = worth
                    at += 1
        return at

    def margin(self, mine: int, starts: int) -> int:
        """What the own board, by its place in `value`, is worth more than the other's, kept in `theirs`."""
        lasts = self.value.needs[mine]
        if self.needs < lasts:
            lasts = self.needs
        if lasts > 4:
            lasts = 4
        if lasts:
            return self.value.ahead[4 * mine + lasts - 1] - self.theirs[lasts] + starts * self.starting[lasts]
        worth = self.value.closed[mine] - self.theirs[0]
        if worth > 0:
            return worth + WON
        return worth - WON if worth < 0 else 0

    def ended(self, worth: int, player: int) -> int:
        """The worth of a round's end for a player whose last draft was worth so much."""
        if self.position.marker >= 0:
            return worth
        # Nobody took from the centre: who started this round starts the next one, too (R12).
        lasts = 4
        for each in range(2):
            needs = self.value.needs[
                self.value.assess(each, self.position.lines[each], self.position.floor[each] >> 25)
            ]
            if needs < lasts:
                lasts = needs
        return worth + (self.starting[lasts] if self.position.starter == player else -self.starting[lasts])

    def pick(self, first: int, last: int) -> None:
        """Bring the most promising of these drafts to the first place."""
        best = first
        for each in range(first + 1, last):
            if self.order[each] > self.order[best]:
                best = each
        move = self.moves[best]
        worth = self.worths[best]
        order = self.order[best]
        self.moves[best] = self.moves[first]
        self.worths[best] = self.worths[first]
        self.order[best] = self.order[first]
        self.moves[first] = move
        self.worths[first] = worth
        self.order[first] = order

    def key(self) -> int:
        """What tells this position from all others of its round."""
        holders = self.position.holders
        displays = (holders | holders >> 10 | holders >> 20 | holders >> 30 | holders >> 40) & 1022
        floors = (self.position.floor[0] >> 25) * 8 + (self.position.floor[1] >> 25)
        rest = ((displays * 32 + floors) * 4 + self.position.marker + 1) * 2 + self.position.turn
        key = self.position.lines[1]
        key = (key << 30) + self.position.lines[0]
        key = (key * MIX) & BITS
        key = (key ^ key >> 31) + (rest << 25) + self.position.sources[0]
        key = (key * STIR) & BITS
        key = (key ^ key >> 29) + self.generation
        key = (key * MIX) & BITS
        return key ^ key >> 32
