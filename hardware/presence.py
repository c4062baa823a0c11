"""Tags that come and go at one reader: reads in, arrivals and leavings out; times come with the reads.

A tag at rest is read again and again, and one read in sixteen misses it. So a tag has come when it is read
for the first time, and is gone when it was not read for LEAVES seconds. Tags that lie side by side are read
in turns: each of them is there for itself.
"""

from __future__ import annotations

from typing import Final

from hardware.api import TagArrived, TagLeft

LEAVES: Final = 1.2
"""Seconds without a read after which a tag is gone. An RDM6300 reads some ten times a second. An ID-12LA
tells a tag only as it comes: that is taken for gone after the same time, and may come anew."""


class Presence:
    """The tags that lie on one reader. Times are in seconds and never go back."""

    def __init__(self, reader: str, leaves: float = LEAVES) -> None:
        self._reader = reader
        self._leaves = leaves
        self._read: dict[str, float] = {}
        self._lost = False

    def seen(self, tag: str, at: float) -> list[TagArrived | TagLeft]:
        """Take in that a tag was read at this time; return what follows, oldest first."""
        events = self.passed(at)
        new = tag not in self._read
        self._read.pop(tag, None)
        self._read[tag] = at  # behind the others: they are in the order of their last read
        return [*events, TagArrived(self._reader, tag, at)] if new else events

    def passed(self, at: float) -> list[TagArrived | TagLeft]:
        """Take in that this time was reached; return the tags that are gone, the longest gone first."""
        if self._lost:
            self._lost = False
            self._read = dict.fromkeys(self._read, at)
        gone = [tag for tag, read in self._read.items() if at - read >= self._leaves]
        return [TagLeft(self._reader, tag, self._read.pop(tag) + self._leaves) for tag in gone]

    def lost(self) -> None:
        """Take in that the reader is lost, until the next call: what lies there then did not come anew."""
        self._lost = True
