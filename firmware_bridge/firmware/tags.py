"""Framing of tag readers: bytes in, tags out; no pins and no clock.

RDM6300 and ID-12LA send a tag between the bytes 2 and 3, repeatedly while it is in range. The bytes between
them are sent to the host, which verifies the checksum.
"""

from firmware_bridge.firmware.session import ticks_since

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
