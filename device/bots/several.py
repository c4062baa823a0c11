"""The search for three and four players: a tree that grows where it pays, to the end of the round.

Everybody plays for the own board, and a little against the best other one. What a leaf comes to is found by
playing the round to its end one move deep, with some noise, for nobody plays just as another expects. Worths
are hundredths of a point. Compiled with the types of `several.pxd`, and then it runs without the
interpreter's lock.
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
NODES = 400_000


class Several:
    """A search of its own, with its tree; one thread at a time may use it."""

    def __init__(self, value: Value, clock: Callable[[], float]) -> None:
        self.position = Position(2)
        self.value = value
        self.clock = clock
        self.start = self.deadline = self.looked = 0.0
        self.pause = 0.0  # the longest time between two looks at the clock
        self.nodes = self.looks = self.next_look = self.stride = self.promise = 0
        self.stopped = self.worth = self.depth = self.used = self.most = 0
        self.starting = 100  # what it is worth to start the next round
        self.share = 40  # how much the best other board counts against the own one, in percent
        self.noise = 300  # how far the drafts of a playout may be off
        self.curiosity = 600.0  # how much a draft may seem worse and still be looked at
        self.others = [0] * 5
        self.results = [0] * 4
        self.path = [0] * 100
        self.drafters = [0] * 100
        self.moves = [0] * 256
        self.worths = [0] * 256
        # The tree, node by node; the children of a node lie side by side, the most promising first.
        self.first_child = array("i", bytes(4 * NODES))
        self.children = array("i", bytes(4 * NODES))
        self.draft = array("i", bytes(4 * NODES))
        self.visits = array("i", bytes(4 * NODES))
        self.sums = array("q", bytes(8 * NODES))

    def think(self, position: Position, seconds: float, only: int = -1, without: int = -1) -> int:
        """The best draft found in so many seconds.

        `worth` then tells what it is worth, `depth` how often it was tried. With `only` or `without`, of that
        draft alone or of the others.
        """
        self.start = self.looked = self.clock()
        self.deadline = self.start + seconds
        # On a busy machine others run between two looks, now as a while ago; but most of the time is used,
        # and a clock that was put forward to end a search tells nothing.
        self.pause = 0.9 * self.pause if self.pause < LONGEST_PAUSE else 0.0
        if self.pause > seconds / 2:
            self.pause = seconds / 2 if seconds > 0 else 0.0
        self.position.copy_from(position)
        self.position.dice = 12345
        self.value.begin(position)
        self.nodes = 0
        self.looks = 0
        self.next_look = 1
        self.stride = 1
        self.stopped = 0
        self.used = 1
        self.children[0] = self.visits[0] = 0
        self.sums[0] = 0
        self.expand(0)
        kept = 1
        for child in range(1, self.children[0] + 1):
            move = self.draft[child]
            if move != without and only in (-1, move):
                self.draft[kept] = move
                kept += 1
        self.children[0] = kept - 1
        assert self.children[0], "there is no draft to choose from"
        with cython.nogil:
            self.run()
        best = self.best_child()
        self.depth = self.visits[best]
        self.worth = self.sums[best] // self.depth if self.depth else self.promise
        return self.draft[best]

    def run(self) -> None:
        """Grow the tree until the time is up."""
        while not self.stopped:
            node = 0
            length = 0
            self.path[0] = 0
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
            self.nodes += 1
            self.step()

    def expand(self, node: int) -> None:
        """Give a node its children, the most promising first, if there is room."""
        end = self.generate()
        number = end
        if number > 60 and node:
            number = 60
        if self.used + number > NODES:
            return
        self.first_child[node] = self.used
        self.children[node] = number
        for each in range(number):
            self.pick(each, end)
            self.draft[self.used] = self.moves[each]
            self.visits[self.used] = 0
            self.sums[self.used] = 0
            self.children[self.used] = 0
            self.used += 1
        if not node:
            self.promise = self.worths[0]

    def choose(self, node: int) -> int:
        """The child to try next: what it came to so far, and a bonus for what was tried little."""
        tried = self.visits[node] + 1
        number = 3
        while number * number < 2 * tried:
            number += 1
        if number > self.children[node]:
            number = self.children[node]
        first = self.first_child[node]
        spread = 0.0  # the logarithm of the tries, nearly
        while tried:
            tried >>= 1
            spread += 0.7
        best = first
        most = -1e9
        for child in range(first, first + number):
            visits = self.visits[child]
            if not visits:
                return child
            promise = self.sums[child] / (visits + 0.0) + self.curiosity * (spread / visits) ** 0.5
            if promise > most:
                most = promise
                best = child
        return best

    def best_child(self) -> int:
        """The child of the root that was tried most."""
        first = self.first_child[0]
        best = first
        for child in range(first, first + self.children[0]):
            if self.visits[child] > self.visits[best]:
                best = child
        return best

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
        best = 0
        for each in range(1, number):
            if self.worths[each] > self.worths[best]:
                best = each
        return self.moves[best]

    def generate(self) -> int:
        """Note the drafts of the player to move, with the worth of each if the round ended; how many."""
        player = self.position.turn
        needs = self.look_at_others(player)
        at = 0
        number_before = self.position.floor[player] >> 25
        for source in range(self.position.displays + 1):
            tiles = self.position.sources[source]
            if not tiles:
                continue
            self.step()
            floor_before = number_before
            if source == 0 and self.position.marker < 0 and floor_before < 7:
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
                    slot = self.value.assess(player, lines, floor if floor < 7 else 7)
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

    def pick(self, first: int, last: int) -> int:
        """Bring the most promising of these drafts to the first place; which place that is."""
        best = first
        for each in range(first + 1, last):
            if self.worths[each] > self.worths[best]:
                best = each
        move = self.moves[best]
        worth = self.worths[best]
        self.moves[best] = self.moves[first]
        self.worths[best] = self.worths[first]
        self.moves[first] = move
        self.worths[first] = worth
        return first

    def step(self) -> None:
        """Count a step of the work, and look at the clock when it is time to."""
        self.looks += 1
        if self.looks >= self.next_look and not self.stopped:
            self.look_at_clock()

    def is_settled(self, now: float) -> bool:
        """Whether no other child of the root can be tried as often any more as the leader was."""
        if self.nodes < 100:
            return False
        to_come = self.nodes / (now - self.start) * (self.deadline - now) if now > self.start else 1e9
        most = 0
        second = 0
        first = self.first_child[0]
        for child in range(first, first + self.children[0]):
            if self.visits[child] > most:
                second = most
                most = self.visits[child]
            elif self.visits[child] > second:
                second = self.visits[child]
        return most - second > to_come

    def look_at_clock(self) -> None:
        """Stop when time is up, or would be by the next look; look again in about two milliseconds."""
        now = self.clock()
        if now - self.looked > self.pause:
            self.pause = now - self.looked
        self.looked = now
        if now + self.pause >= self.deadline or self.is_settled(now):
            self.stopped = 1
        # Twice as many steps again, until that would take longer than two milliseconds.
        if now - self.start < 0.002:
            self.next_look = 2 * self.looks
            self.stride = self.looks
        else:
            self.next_look = self.looks + self.stride
