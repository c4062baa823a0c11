"""The search for two players: alpha-beta, deeper and deeper, to the end of the round.

Within a round everything is open, so the search is exact to its end if it gets there; what the boards are
worth then comes from `value`. A board's worth changes only with its own player's drafts, so a node's last ply
is looked up, not played. Worths are hundredths of a point of the expected final margin, for the player to
move. Compiled with the types of `duel.pxd`, and then it runs without the interpreter's lock.
"""

from array import array
from collections.abc import Callable

from device.bots.position import Position
from device.bots.value import Value

try:
    import cython
except ImportError:
    from device.bots import without_cython as cython

WORST = -10_000_000
LONGEST_PAUSE = 1000.0
"""Seconds."""
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


class Duel:
    """A search of its own, with its table of positions; one thread at a time may use it."""

    def __init__(self, value: Value, clock: Callable[[], float]) -> None:
        self.position = Position(2)
        self.value = value
        self.clock = clock
        self.start = self.deadline = self.looked = 0.0
        self.pause = 0.0  # the longest time between two looks at the clock
        self.nodes = self.next_look = self.stride = 0
        self.stopped = self.cut_short = self.worth = self.depth = 0
        self.tempo = 200  # what it is worth to have the next draft
        self.starting = [0, 240, 150, 100, 50]  # what starting the next round is worth, by rounds to go
        self.dealt = [0] * 10  # the displays that the kept worths are about
        self.generation = 0
        self.keys = array("q", bytes(8 * SLOTS))
        self.found = array("i", bytes(4 * SLOTS))
        self.entries = array("i", bytes(4 * SLOTS))
        self.theirs = [0] * 5  # the other's board, by rounds to go
        self.moves = [0] * 20480
        self.worths = [0] * 20480
        self.order = [0] * 20480

    def think(
        self, position: Position, seconds: float, only: int = -1, without: int = -1, most_depth: int = 99
    ) -> int:
        """The best draft found in so many seconds.

        `worth` and `depth` then tell what it is worth and how deep the search went. With `only` or `without`,
        of that draft alone or of the others.
        """
        self.start = self.looked = self.clock()
        self.deadline = self.start + seconds
        # On a busy machine others run between two looks, now as a while ago; but most of the time is used,
        # and a clock that was put forward to end a search tells nothing.
        self.pause = 0.9 * self.pause if self.pause < LONGEST_PAUSE else 0.0
        if self.pause > seconds / 2:
            self.pause = seconds / 2 if seconds > 0 else 0.0
        if not self.knows(position):
            self.value.begin(position)
            self.generation += 1
            for source in range(10):
                self.dealt[source] = position.sources[source]
        self.position.copy_from(position)
        self.nodes = 0
        self.next_look = 1
        self.stride = 1
        self.stopped = 0
        number = self.generate(0)
        kept = 0
        for each in range(number):
            move = self.moves[each]
            if move != without and only in (-1, move):
                self.moves[kept] = move
                self.worths[kept] = self.worths[each]
                self.order[kept] = self.order[each]
                kept += 1
        assert kept, "there is no draft to choose from"
        self.moves[255] = kept
        with cython.nogil:
            best = self.run(most_depth)
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

    def run(self, most_depth: int) -> int:  # noqa: C901 - a call costs much where this runs uncompiled
        """Search the root's drafts deeper and deeper; the best comes first."""
        number = self.moves[255]
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
                move = self.moves[each]
                player = self.position.turn
                self.position.make(move)
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
                move = best
                worth = self.worths[leader]
                for each in range(leader, 0, -1):
                    self.moves[each] = self.moves[each - 1]
                    self.worths[each] = self.worths[each - 1]
                self.moves[0] = move
                self.worths[0] = worth
            if self.stopped or not self.cut_short or (number == 1 and depth > 7):
                break
            if number > 1 and depth == EASY_DEPTH and self.is_easy(number):
                break
        return best

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

    def search(self, depth: int, alpha: int, beta: int, ply: int) -> int:  # noqa: C901 - as above
        """The worth for the player to move, exact between alpha and beta."""
        self.nodes += 1
        if self.nodes >= self.next_look:
            self.look_at_clock()
        if self.stopped:
            return 0
        key = self.key()
        slot = key & SLOTS - 1
        known = -1
        if self.keys[slot] == key:
            entry = self.entries[slot]
            known = entry & 511
            if entry >> 11 >= depth:
                worth = self.found[slot]
                bound = entry >> 9 & 3
                if (
                    bound == EXACT
                    or (bound == AT_LEAST and worth >= beta)
                    or (bound == AT_MOST and worth <= alpha)
                ):
                    if entry >> 11 < 60:
                        self.cut_short = 1
                    return worth
        first = 256 * ply
        last = first + self.generate(ply)
        player = self.position.turn
        floor = alpha
        best = WORST
        best_move = 0
        holders = self.position.holders
        if not holders & holders - 1:  # one source and one colour are left: every draft ends the round
            depth = 60
            for each in range(first, last):
                self.position.make(self.moves[each])
                worth = self.ended(self.worths[each], player)
                self.position.unmake()
                if worth > best:
                    best = worth
                    best_move = self.moves[each]
        elif depth <= 1:
            self.cut_short = 1
            for each in range(first, last):
                if self.worths[each] > best:
                    best = self.worths[each]
                    best_move = self.moves[each]
            best -= self.tempo
        else:
            if known >= 0:
                for each in range(first, last):
                    if self.moves[each] == known:
                        self.order[each] = 100_000_000
            for each in range(first, last):
                self.pick(each, last)
                self.position.make(self.moves[each])
                if not self.position.holders:
                    worth = self.ended(self.worths[each], player)
                elif each == first:
                    worth = -self.search(depth - 1, -beta, -alpha, ply + 1)
                else:
                    less = 0
                    if depth > 2 and each > first + 2:
                        less = 1
                        if each > first + 9:
                            less = 2
                            if depth > 4 and each > first + 24:
                                less = 3
                    worth = -self.search(depth - 1 - less, -alpha - 1, -alpha, ply + 1)
                    if worth > alpha and (less or worth < beta):
                        worth = -self.search(depth - 1, -beta, -alpha, ply + 1)
                self.position.unmake()
                if self.stopped > 0:
                    return 0
                if worth > best:
                    best = worth
                    best_move = self.moves[each]
                    if worth > alpha:
                        alpha = worth
                        if worth >= beta:
                            break
        bound = EXACT
        if best <= floor:
            bound = AT_MOST
        elif best >= beta:
            bound = AT_LEAST
        self.keys[slot] = key
        self.found[slot] = best
        self.entries[slot] = (4 * depth + bound) * 512 + best_move
        return best

    def generate(self, ply: int) -> int:  # noqa: C901 - as above
        """Note a ply's drafts, with the worth of each if the round ended with it; how many they are."""
        player = self.position.turn
        slot = self.value.assess(
            1 - player, self.position.lines[1 - player], self.position.floor[1 - player] >> 25
        )
        self.theirs[0] = self.value.closed[slot]
        for lasts in range(1, 5):
            self.theirs[lasts] = self.value.ahead[4 * slot + lasts - 1]
        needs = self.value.needs[slot]
        marker = self.position.marker
        at = 256 * ply
        number_before = self.position.floor[player] >> 25
        for source in range(self.position.displays + 1):
            tiles = self.position.sources[source]
            if not tiles:
                continue
            floor_before = number_before
            starts = 0
            if marker >= 0:
                starts = 1 if marker == player else -1
            elif not source:
                starts = 1
            if source:
                same = 0
                for other in range(1, source):
                    if self.position.sources[other] == tiles:
                        same = 1
                if same:
                    continue
            elif self.position.marker < 0 and floor_before < 7:
                floor_before += 1
            for colour in range(5):
                number = tiles >> 5 * colour & 31
                if not number:
                    continue
                open_now = self.position.open[player] >> 6 * colour & 63
                for line in range(6):
                    if not open_now >> line & 1:
                        continue
                    lines = self.position.lines[player]
                    falling = number
                    if line:
                        shift = 6 * line - 6
                        held = (lines >> shift & 7) + number
                        falling = held - line
                        if falling >= 0:
                            held = line
                        else:
                            falling = 0
                        lines = lines & ~(63 << shift) | (8 * colour + held) << shift
                    floor = floor_before + falling
                    mine = self.value.assess(player, lines, floor if floor < 7 else 7)
                    worth = self.margin(mine, needs, starts)
                    self.moves[at] = 32 * source + 6 * colour + line
                    self.worths[at] = worth
                    self.order[at] = worth
                    at += 1
        return at - 256 * ply

    def margin(self, mine: int, needs: int, starts: int) -> int:
        """What the own board, by its place in `value`, is worth more than the other's, kept in `theirs`."""
        lasts = self.value.needs[mine]
        if needs < lasts:
            lasts = needs
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

    def pick(self, first: int, last: int) -> int:
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
        return best

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

    def look_at_clock(self) -> None:
        """Stop when time is up, or would be by the next look; look again in about two milliseconds."""
        now = self.clock()
        if now - self.looked > self.pause:
            self.pause = now - self.looked
        self.looked = now
        if now + self.pause >= self.deadline:
            self.stopped = 1
        # Twice as many nodes again, until that would take longer than two milliseconds.
        if now - self.start < 0.002:
            self.next_look = 2 * self.nodes
            self.stride = self.nodes
        else:
            self.next_look = self.nodes + self.stride
