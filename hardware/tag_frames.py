"""What RDM6300 and ID-12LA readers send, as tags: bytes in, tags out; no port.

Both send `02`, ten hex digits (a version and four bytes of the tag), two hex digits of the XOR of those five
bytes, and `03`; the ID-12LA puts CR LF before the `03`. Nothing raises: what is no frame is counted and
skipped, up to the next `02`.
"""

from __future__ import annotations

import re
from typing import Final

START: Final = 0x02
END: Final = 0x03
DIGITS: Final = 10
_LONGEST: Final = DIGITS + 4
_BODY: Final = re.compile(rb"([0-9A-F]{10})([0-9A-F]{2})(?:\r\n)?")


class TagFrames:
    """Turns the bytes of a reader into tags, ten hex digits each, however the bytes are cut."""

    def __init__(self) -> None:
        self.good = 0
        """Frames that were tags."""
        self.damaged = 0
        """Frames that were begun but were no tags."""
        self.noise = 0
        """Bytes outside of any frame."""
        self._frame: bytearray | None = None

    def receive(self, data: bytes) -> list[str]:
        """Take in what arrived; return the tags that it completes, in order."""
        tags = []
        for byte in data:
            if byte == START:
                self.damaged += self._frame is not None
                self._frame = bytearray()
            elif self._frame is None:
                self.noise += 1
            elif byte == END:
                tag = tag_of(bytes(self._frame))
                self._frame = None
                if tag is None:
                    self.damaged += 1
                else:
                    self.good += 1
                    tags.append(tag)
            elif len(self._frame) == _LONGEST:
                self.damaged += 1
                self._frame = None
            else:
                self._frame.append(byte)
        return tags


def tag_of(body: bytes) -> str | None:
    """Return the tag in what stands between `02` and `03`; None if it is none, or its check is wrong."""
    found = _BODY.fullmatch(body)
    if found is None:
        return None
    check = 0
    for byte in bytes.fromhex((found[1] + found[2]).decode("ascii")):
        check ^= byte  # over the bytes and their check itself: nothing is left
    return found[1].decode("ascii") if check == 0 else None


def frame_of(tag: str, *, line_end: bool = False) -> bytes:
    """Return the frame that says this tag, as a reader sends it; `line_end` as an ID-12LA."""
    check = 0
    for byte in bytes.fromhex(tag):
        check ^= byte
    body = f"{tag}{check:02X}" + ("\r\n" if line_end else "")
    return bytes((START, *body.encode("ascii"), END))
