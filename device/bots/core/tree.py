"""A search that grows a tree where it pays, as `several` and `alone` do.

What a leaf comes to is told by playing on to the end of the round; a choice is worth the mean of what came of
it, and the one that was tried most is the best. Compiled with the types of `tree.pxd`.
"""

from array import array
from collections.abc import Callable

from device.bots.core.search import Search


class Tree(Search):
    """The tree, node by node; the children of a node lie side by side, the most promising first."""

    def __init__(self, clock: Callable[[], float], room: int) -> None:
        super().__init__(clock)
        self.playouts = self.worth = self.depth = self.used = self.promise = 0
        self.room = room  # for so many nodes
        self.noise = 300  # how far the choices of a playout may be off
        self.curiosity = 600.0  # how much a choice may seem worse and still be looked at
        self.moves = [0] * 256  # the choices noted last
        self.worths = [0] * 256
        self.path = [0] * 100  # the nodes from the root to a leaf
        self.first_child = array("i", bytes(4 * room))
        self.children = array("i", bytes(4 * room))
        self.draft = array("i", bytes(4 * room))
        self.visits = array("i", bytes(4 * room))
        self.sums = array("q", bytes(8 * room))

    def plant(self) -> None:
        """Begin a new tree with nothing but its root."""
        self.playouts = 0
        self.used = 1
        self.children[0] = self.visits[0] = 0
        self.sums[0] = 0

    def grow(self, node: int, noted: int, most: int) -> None:
        """Give a node children, the most promising of the choices noted, if there is room."""
        number = noted if noted < most else most
        if self.used + number > self.room:
            return
        self.first_child[node] = self.used
        self.children[node] = number
        for each in range(number):
            best = self.most_promising(each, noted)
            move = self.moves[best]
            worth = self.worths[best]
            self.moves[best] = self.moves[each]
            self.worths[best] = self.worths[each]
            self.moves[each] = move
            self.worths[each] = worth
            self.draft[self.used] = move
            self.visits[self.used] = 0
            self.sums[self.used] = 0
            self.children[self.used] = 0
            self.used += 1
        if not node:
            self.promise = self.worths[0]

    def most_promising(self, first: int, last: int) -> int:
        """Which of the choices noted there is worth most."""
        best = first
        for each in range(first + 1, last):
            if self.worths[each] > self.worths[best]:
                best = each
        return best

    def prune(self) -> None:
        """Leave the root only the choices that are asked about."""
        kept = 1
        for child in range(1, self.children[0] + 1):
            if self.is_asked(self.draft[child]):
                self.draft[kept] = self.draft[child]
                kept += 1
        self.children[0] = kept - 1
        assert self.children[0], "there is nothing to choose from"

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

    def found(self) -> int:
        """The choice that was tried most; `worth` then tells what it is worth, `depth` how often."""
        first = self.first_child[0]
        best = first
        for child in range(first, first + self.children[0]):
            if self.visits[child] > self.visits[best]:
                best = child
        self.depth = self.visits[best]
        self.worth = self.sums[best] // self.depth if self.depth else self.promise
        return self.draft[best]

    def is_settled(self) -> bool:
        """Whether no other child of the root can be tried as often any more as the leader was."""
        if self.playouts < 100:
            return False
        to_come = 1e9
        if self.looked > self.start:
            to_come = self.playouts / (self.looked - self.start) * (self.deadline - self.looked)
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
