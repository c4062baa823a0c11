"""Inputs: debouncing of switches and framing of tags, without pins and without a clock."""

from firmware_bridge import payload
from firmware_bridge.firmware.session import ticks_since

# --- Switches: scans in, press and release events out -----------------------------------------------------
# A switch counts as closed after two equal scans; this is reported at once, because fast feedback matters.
# It counts as open after it was open for STABLE milliseconds without interruption; shorter openings are
# bouncing. A switch that closes more than MAX_PRESSES times a second, or changes for MAX_UNSTABLE
# milliseconds without being stable, is muted until it has been stable for UNMUTE_AFTER milliseconds.

STABLE = 25
MAX_PRESSES = 12
SECOND = 1000
MAX_UNSTABLE = 400
UNMUTE_AFTER = 2000


class Switch:
    """One switch; `moved` is the time since which it differs from `closed`, -1 if it does not.

    `changed` is the time of the last change between two scans, `restless` the time since which it is
    unstable.
    """

    def __init__(self) -> None:
        self.closed = False
        self.moved = -1
        self.presses: list[int] = []
        self.muted = False
        self.changed = 0
        self.restless = 0


class Switches:
    """All switches of a table in lines: the rows of the matrix, then the buttons outside the matrix.

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
        """Set the initial state from a scan: switches closed at the start are not presses."""
        self._quiet[line] = word
        for number, mask in enumerate(self._lines[line], self._firsts[line]):
            self._switches[number].closed = bool(word & mask)

    def scan(self, line: int, word: int, now: int) -> list[tuple[int, int, int]]:
        """Process a scan (mask of closed switches) of a line; return events as kind, switch and time."""
        if word == self._quiet[line] and not self._busy[line]:
            return []
        events: list[tuple[int, int, int]] = []
        busy = False
        for number, mask in enumerate(self._lines[line], self._firsts[line]):
            if self._update(number, bool(word & mask), now, events):
                busy = True
        self._quiet[line] = word
        self._busy[line] = busy
        return events

    def are_stable(self) -> bool:
        """Return whether no switch needs another scan while its line stays as it is."""
        return not any(self._busy)

    def closed(self) -> bytes:
        """Return the closed switches: bit 0 of the first byte is switch 0."""
        bits = bytearray((len(self._switches) + 7) // 8)
        for number, switch in enumerate(self._switches):
            if switch.closed:
                bits[number // 8] |= 1 << number % 8
        return bytes(bits)

    def _update(self, number: int, closed: bool, now: int, events: list[tuple[int, int, int]]) -> bool:  # noqa: FBT001
        """Update one switch; return True while it must be scanned again."""
        switch = self._switches[number]
        if closed == switch.closed:
            if switch.moved >= 0:
                switch.moved = -1
                self._note_change(number, switch, now, events)
            return self._unmute(number, switch, now, events)
        if switch.moved < 0:
            switch.moved = now
            self._note_change(number, switch, now, events)
            return True
        if not closed and ticks_since(now, switch.moved) < STABLE:
            return True
        switch.closed = closed
        at, switch.moved = switch.moved, -1
        if closed:
            self._count_press(number, switch, at, events)
        if not switch.muted:
            events.append((payload.CLOSED if closed else payload.OPENED, number, at))
        return switch.muted

    def _note_change(self, number: int, switch: Switch, now: int, events: list[tuple[int, int, int]]) -> None:
        """Note a change between two scans; mute a switch that stays unstable."""
        if ticks_since(now, switch.changed) >= STABLE:
            switch.restless = now
        switch.changed = now
        if ticks_since(now, switch.restless) > MAX_UNSTABLE:
            self._mute(number, switch, now, events)

    def _count_press(self, number: int, switch: Switch, at: int, events: list[tuple[int, int, int]]) -> None:
        """Count a press; mute a switch with too many presses."""
        switch.presses = [press for press in switch.presses if ticks_since(at, press) < SECOND]
        switch.presses.append(at)
        if len(switch.presses) > MAX_PRESSES:
            self._mute(number, switch, at, events)

    def _mute(self, number: int, switch: Switch, at: int, events: list[tuple[int, int, int]]) -> None:
        if not switch.muted:
            switch.muted = True
            events.append((payload.MUTED, number, at))

    def _unmute(self, number: int, switch: Switch, now: int, events: list[tuple[int, int, int]]) -> bool:
        """Unmute a switch that has been stable for UNMUTE_AFTER; return True while it is muted."""
        if not switch.muted:
            return False
        if ticks_since(now, switch.changed) < UNMUTE_AFTER:
            return True
        switch.muted = False
        switch.presses = []
        events.append((payload.UNMUTED, number, now))
        return False


# --- Tags: bytes of readers in, tags out ------------------------------------------------------------------
# RDM6300 and ID-12LA send a tag between the bytes 2 and 3, repeatedly while it is in range. The bytes between
# them are sent to the host, which verifies the checksum.

START, END = b"\x02", b"\x03"
MAX_TAG = 32
REPEAT_WINDOW = 200
"""Milliseconds in which the same tag of the same reader is reported once."""


class Tags:
    """The frame parser of one reader."""

    def __init__(self) -> None:
        self._rest = b""
        self._last = b""
        self._last_at = 0

    def feed(self, data: bytes, now: int) -> list[bytes]:
        """Add bytes received at `now`; return the complete tags, without repetitions."""
        rest = self._rest + data
        tags = []
        end = rest.find(END)
        while end >= 0:
            start = rest.rfind(START, 0, end)
            if start >= 0 and end - start - 1 <= MAX_TAG:
                tags.append(rest[start + 1 : end])
            rest = rest[end + 1 :]
            end = rest.find(END)
        start = rest.rfind(START)
        self._rest = rest[start:] if start >= 0 and len(rest) - start <= MAX_TAG else b""
        return [tag for tag in tags if self._is_new(tag, now)]

    def _is_new(self, tag: bytes, now: int) -> bool:
        if tag == self._last and ticks_since(now, self._last_at) < REPEAT_WINDOW:
            return False
        self._last = tag
        self._last_at = now
        return True
