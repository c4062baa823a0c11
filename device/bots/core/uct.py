"""UCT (upper confidence bounds applied to trees), the base class of two searches.

A leaf is evaluated by a playout to the end of the round. The value of a move is the mean over its playouts;
the most visited move is the best. Compiled with the types of `uct.pxd`.
"""

from array import array
from collections.abc import Callable

from device.bots.core.timed_search import TimedSearch


class UctTree(TimedSearch):
    """A search tree in arrays; the children of a node are adjacent, best prior value first."""

    def __init__(self, clock: Callable[[], float], capacity: int) -> None:
        super().__init__(clock)
        self.playouts = self.value = self.depth = self.used = self.prior = 0
        self.capacity = capacity  # in nodes
        self.noise = 300  # of the values in a playout, at most
        self.exploration = 600.0  # weight of the bonus for moves with few visits
        self.moves = [0] * 256  # generated last
        self.values = [0] * 256
        self.path = [0] * 100  # nodes from the root to a leaf
        self.first_child = array("i", bytes(4 * capacity))
        self.children = array("i", bytes(4 * capacity))
        self.node_move = array("i", bytes(4 * capacity))
        self.visits = array("i", bytes(4 * capacity))
        self.value_sums = array("q", bytes(8 * capacity))

    def reset(self) -> None:
        """Empty the tree except for its root."""
        self.playouts = 0
        self.used = 1
        self.children[0] = self.visits[0] = 0
        self.value_sums[0] = 0

    def add_children(self, node: int, generated: int, max_children: int) -> None:
        """Add the best of the generated moves as children of a node; do nothing if the tree is full."""
        number = generated if generated < max_children else max_children
        if self.used + number > self.capacity:
            return
        self.first_child[node] = self.used
        self.children[node] = number
        for each in range(number):
            best = self.best_index(each, generated)
            move = self.moves[best]
            value = self.values[best]
            self.moves[best] = self.moves[each]
            self.values[best] = self.values[each]
            self.moves[each] = move
            self.values[each] = value
            self.node_move[self.used] = move
            self.visits[self.used] = 0
            self.value_sums[self.used] = 0
            self.children[self.used] = 0
            self.used += 1
        if not node:
            self.prior = self.values[0]

    def best_index(self, first: int, last: int) -> int:
        """Return the index of the generated move with the highest value, from `first` to `last` - 1."""
        best = first
        for each in range(first + 1, last):
            if self.values[each] > self.values[best]:
                best = each
        return best

    def prune_root(self) -> None:
        """Remove the root moves that the search is restricted from."""
        kept = 1
        for child in range(1, self.children[0] + 1):
            if self.is_allowed(self.node_move[child]):
                self.node_move[kept] = self.node_move[child]
                kept += 1
        self.children[0] = kept - 1
        assert self.children[0], "there is no move to choose from"

    def select_child(self, node: int) -> int:
        """Return the child to visit next: the one with the highest upper confidence bound."""
        tried = self.visits[node] + 1
        # Progressive widening: consider more children the more often the node was visited.
        number = 3
        while number * number < 2 * tried:
            number += 1
        if number > self.children[node]:
            number = self.children[node]
        first = self.first_child[node]
        log_visits = 0.0  # approximate
        while tried:
            tried >>= 1
            log_visits += 0.7
        best = first
        most = -1e9
        for child in range(first, first + number):
            visits = self.visits[child]
            if not visits:
                return child
            bound = self.value_sums[child] / (visits + 0.0) + self.exploration * (log_visits / visits) ** 0.5
            if bound > most:
                most = bound
                best = child
        return best

    def most_visited(self) -> int:
        """Return the most visited root move; set `value` to its mean value and `depth` to its visits."""
        first = self.first_child[0]
        best = first
        for child in range(first, first + self.children[0]):
            if self.visits[child] > self.visits[best]:
                best = child
        self.depth = self.visits[best]
        self.value = self.value_sums[best] // self.depth if self.depth else self.prior
        return self.node_move[best]

    def is_decided(self) -> bool:
        """Return whether no other root move can be visited as often as the leader in the time left."""
        if self.playouts < 100:
            return False
        playouts_left = 1e9
        if self.last_check > self.started:
            playouts_left = (
                self.playouts / (self.last_check - self.started) * (self.deadline - self.last_check)
            )
        most = 0
        second = 0
        first = self.first_child[0]
        for child in range(first, first + self.children[0]):
            if self.visits[child] > most:
                second = most
                most = self.visits[child]
            elif self.visits[child] > second:
                second = self.visits[child]
        return most - second > playouts_left
