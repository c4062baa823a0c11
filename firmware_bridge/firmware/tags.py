"""What readers send, cut into tags; no pins and no clock.

RDM6300 and ID-12LA send a tag between the bytes 2 and 3, again and again while it lies there. What stands
between them goes to the host as it is; its check is the host's business.
"""

from firmware_bridge.firmware.session import since

START, END = b"\x02", b"\x03"
LONGEST = 32
AGAIN = 200
"""Milliseconds in which the same tag of the same reader is told once."""


class Tags:
    """Cuts the bytes of one reader."""

    def __init__(self) -> None:
        self._rest = b""
        self._last = b""
        self._last_at = 0

    def feed(self, data: bytes, now: int) -> list[bytes]:
        """Take in bytes and return the tags in them, but none that was told just now."""
        rest = self._rest + data
        tags = []
        end = rest.find(END)
        while end >= 0:
            start = rest.rfind(START, 0, end)
            if start >= 0 and end - start - 1 <= LONGEST:
                tags.append(rest[start + 1 : end])
            rest = rest[end + 1 :]
            end = rest.find(END)
        start = rest.rfind(START)
        self._rest = rest[start:] if start >= 0 and len(rest) - start <= LONGEST else b""
        return [tag for tag in tags if self._is_news(tag, now)]

    def _is_news(self, tag: bytes, now: int) -> bool:
        if tag == self._last and since(now, self._last_at) < AGAIN:
            return False
        self._last = tag
        self._last_at = now
        return True
