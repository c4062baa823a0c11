"""Switches that bounce, as presses and releases: scans in, events out; no pins and no clock.

A switch is closed when two scans in a row find it so, which is told at once: a finger is faster answered than
a contact is still. It is open again when it was found open for STILL milliseconds without a break; whatever
it did before that was bouncing. One that closes more than MOST_PRESSES times in a second is no finger, nor is
one that changes for RESTLESS milliseconds without ever being still: it is muted until it has kept still for
CALM milliseconds.
"""

from firmware_bridge import payload
from firmware_bridge.firmware.session import since

STILL = 25
MOST_PRESSES = 12
SECOND = 1000
RESTLESS = 400
CALM = 2000


class Switch:
    """One switch; `moved` is when it was first found to be other than `closed` says, -1 if it is not.

    `changed` is when a scan last found it other than the one before, `restless` since when it is never still.
    """

    def __init__(self) -> None:
        self.closed = False
        self.moved = -1
        self.presses: list[int] = []
        self.muted = False
        self.changed = 0
        self.restless = 0


class Switches:
    """All switches of a table in lines (rows of the matrix, and the row of those with a pin of their own).

    `lines` has for each line the masks of its switches in the word of pins that a scan reads. Switches are
    numbered from 0, line by line.
    """

    def __init__(self, lines: list[list[int]]) -> None:
        self._lines = lines
        self._firsts = []
        first = 0
        for masks in lines:
            self._firsts.append(first)
            first += len(masks)
        self._switches = [Switch() for _ in range(first)]
        self._quiet = [0] * len(lines)
        self._busy = [False] * len(lines)

    def begin(self, line: int, word: int) -> None:
        """Take what a scan finds as it is: what is closed at the start was not pressed."""
        self._quiet[line] = word
        for number, mask in enumerate(self._lines[line], self._firsts[line]):
            self._switches[number].closed = bool(word & mask)

    def scan(self, line: int, word: int, now: int) -> list[tuple[int, int, int]]:
        """Take in a scan: bits of closed switches. Return events as kind, switch and time."""
        if word == self._quiet[line] and not self._busy[line]:
            return []
        events: list[tuple[int, int, int]] = []
        busy = False
        for number, mask in enumerate(self._lines[line], self._firsts[line]):
            if self._follow(number, bool(word & mask), now, events):
                busy = True
        self._quiet[line] = word
        self._busy[line] = busy
        return events

    def closed(self) -> bytes:
        """Return the closed switches: bit 0 of the first byte is switch 0."""
        bits = bytearray((len(self._switches) + 7) // 8)
        for number, switch in enumerate(self._switches):
            if switch.closed:
                bits[number // 8] |= 1 << number % 8
        return bytes(bits)

    def _follow(self, number: int, closed: bool, now: int, events: list[tuple[int, int, int]]) -> bool:  # noqa: FBT001
        """Take in what a scan says of one switch; True while it must be looked at again."""
        switch = self._switches[number]
        if closed == switch.closed:
            if switch.moved >= 0:
                switch.moved = -1
                self._change(number, switch, now, events)
            return self._unmute(number, switch, now, events)
        if switch.moved < 0:
            switch.moved = now
            self._change(number, switch, now, events)
            return True
        if not closed and since(now, switch.moved) < STILL:
            return True
        switch.closed = closed
        at, switch.moved = switch.moved, -1
        if closed:
            self._count(number, switch, at, events)
        if not switch.muted:
            events.append((payload.CLOSED if closed else payload.OPENED, number, at))
        return switch.muted

    def _change(self, number: int, switch: Switch, now: int, events: list[tuple[int, int, int]]) -> None:
        """Take in that a scan found another than the one before; mute a switch that is never still."""
        if since(now, switch.changed) >= STILL:
            switch.restless = now
        switch.changed = now
        if since(now, switch.restless) > RESTLESS:
            self._mute(number, switch, now, events)

    def _count(self, number: int, switch: Switch, at: int, events: list[tuple[int, int, int]]) -> None:
        """Count a press; mute a switch that was pressed too often."""
        switch.presses = [press for press in switch.presses if since(at, press) < SECOND]
        switch.presses.append(at)
        if len(switch.presses) > MOST_PRESSES:
            self._mute(number, switch, at, events)

    def _mute(self, number: int, switch: Switch, at: int, events: list[tuple[int, int, int]]) -> None:
        if not switch.muted:
            switch.muted = True
            events.append((payload.MUTED, number, at))

    def _unmute(self, number: int, switch: Switch, now: int, events: list[tuple[int, int, int]]) -> bool:
        """Listen again to a muted switch that has kept still; True while it has not."""
        if not switch.muted:
            return False
        if since(now, switch.changed) < CALM:
            return True
        switch.muted = False
        switch.presses = []
        events.append((payload.UNMUTED, number, now))
        return False
