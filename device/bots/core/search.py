"""What all searches share: how long they may think, and about what.

Work is counted in steps, and every two milliseconds or so the clock is looked at. Compiled with the types of
`search.pxd`.
"""

from collections.abc import Callable

LONGEST_PAUSE = 1000.0
"""Seconds."""
NEXT = 0.002
"""Seconds from one look at the clock to the next, about."""


class Search:
    """A search that keeps its time; one thread at a time may use it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.start = self.deadline = self.looked = 0.0
        self.pause = 0.0  # the longest time between two looks at the clock
        self.steps = self.next_look = self.stride = 0
        self.stopped = 0
        self.only = self.without = -1

    def begin(self, seconds: float, only: int, without: int) -> None:
        """Think for so many seconds from now; about one choice alone or all but one, unless that is -1."""
        self.start = self.looked = self.clock()
        self.deadline = self.start + seconds
        # On a busy machine others run between two looks, now as a while ago; but most of the time is used,
        # and a clock that was put forward to end a search tells nothing.
        self.pause = 0.9 * self.pause if self.pause < LONGEST_PAUSE else 0.0
        if self.pause > seconds / 2:
            self.pause = seconds / 2 if seconds > 0 else 0.0
        self.steps = self.stopped = 0
        self.next_look = self.stride = 1
        self.only = only
        self.without = without

    def is_asked(self, move: int) -> bool:
        """Whether a choice is one of those to think about."""
        return move != self.without and self.only in (-1, move)

    def step(self) -> None:
        """Count a step of the work, and look at the clock when it is time to."""
        self.steps += 1
        if self.steps >= self.next_look and not self.stopped:
            self.look_at_clock()

    def look_at_clock(self) -> None:
        """Stop when time is up, or would be by the next look, or when more of it would change nothing."""
        now = self.clock()
        if now - self.looked > self.pause:
            self.pause = now - self.looked
        self.looked = now
        if now + self.pause >= self.deadline or self.is_settled():
            self.stopped = 1
        # Twice as many steps again, until that would take too long.
        if now - self.start < NEXT:
            self.stride = self.steps
        self.next_look = self.steps + self.stride

    def is_settled(self) -> bool:
        """Whether the best choice can't change any more, as the clock was just looked at."""
        return False
