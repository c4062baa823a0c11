"""Base class of the searches: the time limit, and the moves that the search is restricted to.

A search counts its work in steps and reads the clock about every two milliseconds. Compiled with the types of
`timed_search.pxd`.
"""

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace

no_cython = SimpleNamespace(nogil=nullcontext())
"""Stands in for the module `cython` where the core runs as Python and Cython is not installed."""

LONGEST_GAP = 1000.0  # seconds; a longer gap means that the clock was put forward to end the search
CHECK_INTERVAL = 0.002  # approximate seconds between two reads of the clock


class TimedSearch:
    """A search with a time limit; only one thread at a time may use it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.started = self.deadline = self.last_check = 0.0
        self.longest_gap = 0.0  # seconds, between two reads of the clock
        self.steps = self.next_check = self.stride = 0
        self.stopped = 0
        self.only = self.excluded = -1

    def start(self, seconds: float, only: int, excluded: int) -> None:
        """Start the time limit; search the move `only`, or all but `excluded`, unless these are -1."""
        self.started = self.last_check = self.clock()
        self.deadline = self.started + seconds
        # On a busy machine other processes run between two reads of the clock: expect gaps as
        # long as the last ones, but use at least half of the time.
        self.longest_gap = 0.9 * self.longest_gap if self.longest_gap < LONGEST_GAP else 0.0
        if self.longest_gap > seconds / 2:
            self.longest_gap = seconds / 2 if seconds > 0 else 0.0
        self.steps = self.stopped = 0
        self.next_check = self.stride = 1
        self.only = only
        self.excluded = excluded

    def is_allowed(self, move: int) -> bool:
        """Return whether a move is among those that the search is restricted to."""
        return move != self.excluded and self.only in (-1, move)

    def count_step(self) -> None:
        """Count one step of work; read the clock when that is due."""
        self.steps += 1
        if self.steps >= self.next_check and not self.stopped:
            self.check_clock()

    def check_clock(self) -> None:
        """Stop at the deadline, when the next read would be too late, or when the result is decided."""
        now = self.clock()
        if now - self.last_check > self.longest_gap:
            self.longest_gap = now - self.last_check
        self.last_check = now
        if now + self.longest_gap >= self.deadline or self.is_decided():
            self.stopped = 1
        # Double the number of steps between two reads until they take CHECK_INTERVAL.
        if now - self.started < CHECK_INTERVAL:
            self.stride = self.steps
        self.next_check = self.steps + self.stride

    def is_decided(self) -> bool:
        """Return whether more time can't change the best move."""
        return False
