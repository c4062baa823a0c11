"""Frames on a serial line: one line of text each, checked. The same file runs on the host and on the Pico.

    ~ base64( version, kind, sequence (2 bytes), payload, CRC-32 of all before (4 bytes) ) newline

A line is what MicroPython reads from USB in one call, without a loop over bytes, and base64 keeps every byte
out of it that a terminal takes for a command: Ctrl-C still stops the firmware, and mpremote gets in. Whatever
else is on the line (a traceback, noise, half a frame) is told apart by the mark or by the check.

Numbers are little-endian. No name from `typing`, no dataclass, no f-string with a format: MicroPython has
fewer of them, and none is needed here.
"""

from binascii import a2b_base64, b2a_base64, crc32

VERSION = 1
MARK = b"~"
END = b"\n"
MOST_PAYLOAD = 600
"""Bytes in one frame: short enough that the Pico scans its buttons between two of them."""
LONGEST_LINE = 1 + (4 + MOST_PAYLOAD + 4 + 2) // 3 * 4 + 1


class WireError(ValueError):
    """A line that is no frame, or a payload that does not fit its kind; the message says why."""


class OtherVersionError(WireError):
    """A frame of another version of this format; `version` is its number."""

    def __init__(self, version: int) -> None:
        super().__init__("frame of version " + str(version))
        self.version = version


def pack(kind: int, sequence: int, payload: bytes) -> bytes:
    """Put a payload in a frame; at most MOST_PAYLOAD bytes, ValueError for more."""
    if len(payload) > MOST_PAYLOAD:
        raise ValueError("payload of " + str(len(payload)) + " bytes")
    body = bytes((VERSION, kind, sequence & 255, sequence >> 8 & 255)) + payload
    return MARK + b2a_base64(body + crc32(body).to_bytes(4, "little"))


def unpack(line: bytes) -> tuple[int, int, bytes]:
    """Take kind, sequence and payload out of a line; raises WireError if it is no frame without damage."""
    start = line.rfind(MARK)
    if start < 0:
        raise WireError("no frame")
    try:
        body = a2b_base64(line[start + 1 :])
    except ValueError as error:
        raise WireError("not base64") from error
    if len(body) < 8 or len(body) > MOST_PAYLOAD + 8:
        raise WireError("frame of " + str(len(body)) + " bytes")
    if crc32(body[:-4]) != int.from_bytes(body[-4:], "little"):
        raise WireError("check differs")
    if body[0] != VERSION:
        raise OtherVersionError(body[0])
    return body[1], body[2] | body[3] << 8, body[4:-4]


class Lines:
    """Cuts a stream of bytes into lines; one that is longer than any frame is given away in pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take in bytes and return the lines that they complete, each with its newline."""
        pieces = (self._rest + data).split(END)
        self._rest = pieces.pop()
        lines = [piece + END for piece in pieces]
        if len(self._rest) > LONGEST_LINE:
            lines.append(self._rest)
            self._rest = b""
        return lines

    def clear(self) -> None:
        """Forget the line that has begun: the port was opened anew."""
        self._rest = b""


class Order:
    """Numbers the frames that go and judges the numbers of those that come; `lost` counts the missing."""

    def __init__(self, first: int = 0) -> None:
        self._next = first & 0xFFFF
        self._last = -1
        self.lost = 0

    def next(self) -> int:
        """Return the number for the next frame to send."""
        number = self._next
        self._next = (number + 1) & 0xFFFF
        return number

    def begin(self, number: int) -> None:
        """Go on from this number of the peer's: it has just introduced itself."""
        self._last = number

    def forget(self) -> None:
        """Take any number as the next: the peer was out of sight."""
        self._last = -1

    def is_new(self, number: int) -> bool:
        """Tell whether a frame comes for the first time; if so it is the last one from now on."""
        if self._last >= 0:
            step = (number - self._last) & 0xFFFF
            if step == 0 or step >= 0x8000:
                return False
            self.lost += step - 1
        self._last = number
        return True
