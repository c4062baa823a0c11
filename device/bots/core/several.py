"""The search for three and four players: a tree that grows where it pays, to the end of the round.

Everybody plays for the own board, and a little against the best other one. What a leaf comes to is found by
playing the round to its end one move deep, with some noise, for nobody plays just as another expects. Worths
are hundredths of a point. Compiled with the types of `several.pxd`, and then it runs without the
interpreter's lock.
"""

from collections.abc import Callable

from device.bots.core import tables
from device.bots.core.position import Position
from device.bots.core.tree import Tree
from device.bots.core.value import Value

try:
    import cython
except ImportError:
    from device.bots.core import without_cython as cython

WORST = tables.WORST
WON = 600
"""What winning is worth beside its margin."""
NODES = 400_000
MOST = 60
"""Children of a node, but for the root."""


class Several(Tree):
    """A search of its own, with its tree."""

    def __init__(self, value: Value, clock: Callable[[], float]) -> None:
        super().__init__(clock, NODES)
        self.position = Position(2)
        self.value = value
        self.starting = 100  # what it is worth to start the next round
        self.share = 40  # how much the best other board counts against the own one, in percent
        self.most = 0  # what the best other board is worth if the game ends
        self.others = [0] * 5
        self.results = [0] * 4
        self.drafters = [0] * 100

    def think(self, position: Position, seconds: float, only: int = -1, without: int = -1) -> int:
        """The best draft found in so many seconds; with `only` or `without`, of that alone or of the others.

        `worth` then tells what it is worth, `depth` how often it was tried.
        """
        self.begin(seconds, only, without)
        self.position.copy_from(position)
        self.position.dice = 12345
        self.value.begin(position)
        self.plant()
        self.expand(0)
        self.prune()
        with cython.nogil:
            self.run()
        return self.found()

    def run(self) -> None:
        """Grow the tree until the time is up."""
        while not self.stopped:
            node = 0
            length = 0
            while self.position.holders and self.children[node]:
                node = self.choose(node)
                length += 1
                self.path[length] = node
                self.drafters[length] = self.position.turn
                self.position.make(self.draft[node])
                if self.position.holders and self.visits[node] and not self.children[node]:
                    self.expand(node)
            made = length
            while self.position.holders and not self.stopped:
                self.position.make(self.reply(self.noise))
                made += 1
            if not self.position.holders:  # else time was up on the way, and nothing is known
                for player in range(self.position.players):
                    self.results[player] = self.standing(player)
                self.visits[0] += 1
                for step in range(1, length + 1):
                    self.visits[self.path[step]] += 1
                    self.sums[self.path[step]] += self.results[self.drafters[step]]
            for _ in range(made):
                self.position.unmake()
            self.playouts += 1
            self.step()

    def expand(self, node: int) -> None:
        """Give a node its children."""
        number = self.generate()
        self.grow(node, number, MOST if node else number)

    def standing(self, player: int) -> int:
        """What the end of the round is worth for a player."""
        lasts = self.look_at_others(player)
        slot = self.value.assess(player, self.position.lines[player], self.position.floor[player] >> 25)
        if self.value.needs[slot] < lasts:
            lasts = self.value.needs[slot]
        if lasts:
            worth = self.value.ahead[4 * slot + lasts - 1] - self.others[lasts]
            return worth + self.starting if self.position.marker == player else worth
        worth = self.value.closed[slot] - self.others[0]
        if self.value.closed[slot] > self.most:
            return worth + WON
        return worth

    def look_at_others(self, player: int) -> int:
        """Note in `others` how much the best other board counts, by rounds to go; how many those are."""
        needs = 4
        for lasts in range(5):
            self.others[lasts] = WORST
        for other in range(self.position.players):
            if other != player:
                slot = self.value.assess(other, self.position.lines[other], self.position.floor[other] >> 25)
                if self.value.needs[slot] < needs:
                    needs = self.value.needs[slot]
                for lasts in range(5):
                    worth = self.value.ahead[4 * slot + lasts - 1] if lasts else self.value.closed[slot]
                    if worth > self.others[lasts]:
                        self.others[lasts] = worth
        self.most = self.others[0]
        for lasts in range(5):
            self.others[lasts] = self.others[lasts] * self.share // 100
        return needs

    def reply(self, noise: int) -> int:
        """The best draft if the round ended with it, give or take some noise."""
        number = self.generate()
        if noise:
            for each in range(number):
                self.worths[each] += self.position.below(noise)
        return self.moves[self.most_promising(0, number)]

    def generate(self) -> int:
        """Note the drafts of the player to move, with the worth of each if the round ended; how many."""
        needs = self.look_at_others(self.position.turn)
        number = 0
        for source in range(self.position.displays + 1):
            if self.position.sources[source]:
                self.step()
                number = self.generate_from(source, needs, number)
        return number

    def generate_from(self, source: int, needs: int, at: int) -> int:
        """Note a source's drafts from a place on; the place behind them."""
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
                slot = self.value.after(self.position, player, colour, number, line, floor)
                lasts = self.value.needs[slot]
                if needs < lasts:
                    lasts = needs
                worth = self.value.closed[slot]
                if lasts:
                    worth = self.value.ahead[4 * slot + lasts - 1]
                self.moves[at] = 32 * source + 6 * colour + line
                self.worths[at] = worth - self.others[lasts]
                at += 1
        return at
