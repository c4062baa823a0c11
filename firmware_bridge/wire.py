"""Frames of the serial protocol: one line of text each, with a CRC-32. Runs on the host and on the Pico.

    ~ base64( version, kind, sequence (2 bytes), payload, CRC-32 of all before (4 bytes) ) newline

MicroPython can read a line from USB in one call, without a loop over bytes. Base64 keeps control characters
out of a frame, so that Ctrl-C still stops the firmware and mpremote can connect. Anything else on a line (a
traceback, noise, half a frame) is recognized by the missing mark or by the CRC.

Numbers are little-endian. No name from `typing`, no dataclass, no f-string with a format: MicroPython does
not have all of them.
"""

from binascii import a2b_base64, b2a_base64, crc32

VERSION = 1
MARK = b"~"
END = b"\n"
MAX_PAYLOAD = 600
"""Bytes in one frame: short enough that the Pico scans its buttons between two frames."""
CHECKED = 0x2144DF1C
"""The CRC-32 of any bytes that are followed by their own CRC-32."""
MAX_LINE = 1 + (4 + MAX_PAYLOAD + 4 + 2) // 3 * 4 + 1


class WireError(ValueError):
    """A line is no frame, or a payload is too short for its kind; the message says why."""


class FrameVersionError(WireError):
    """A frame of another version of the frame format; `version` is its number."""

    def __init__(self, version: int) -> None:
        super().__init__("frame of version " + str(version))
        self.version = version


def pack(kind: int, sequence: int, payload: bytes) -> bytes:
    """Encode a payload as a frame. Raises ValueError for more than MAX_PAYLOAD bytes."""
    if len(payload) > MAX_PAYLOAD:
        raise ValueError("payload of " + str(len(payload)) + " bytes")
    body = bytes((VERSION, kind, sequence & 255, sequence >> 8 & 255)) + payload
    return MARK + b2a_base64(body + crc32(body).to_bytes(4, "little"))


def unpack(line: bytes) -> tuple[int, int, bytes]:
    """Decode a frame into kind, sequence number and payload.

    Raises WireError if the line is no frame or a damaged one, FrameVersionError for another format.
    """
    start = line.rfind(MARK)
    if start < 0:
        raise WireError("no frame")
    try:
        body = a2b_base64(line[start + 1 :] if start else line)  # which skips the mark
    except ValueError as error:
        raise WireError("not base64") from error
    if len(body) < 8 or len(body) > MAX_PAYLOAD + 8:
        raise WireError("frame of " + str(len(body)) + " bytes")
    if crc32(body) != CHECKED:
        raise WireError("check differs")
    if body[0] != VERSION:
        raise FrameVersionError(body[0])
    return body[1], body[2] | body[3] << 8, body[4:-4]


def before_hello(light_bytes: int) -> bytes:
    """Return blanks that complete half a frame of light, and end the line that they are otherwise."""
    return b" " * light_bytes + END


class LineSplitter:
    """Split a stream of bytes into lines; a line longer than any frame is returned in pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Add bytes and return the completed lines, each with its newline."""
        pieces = (self._rest + data).split(END)
        self._rest = pieces.pop()
        lines = [piece + END for piece in pieces]
        if len(self._rest) > MAX_LINE:
            lines.append(self._rest)
            self._rest = b""
        return lines

    def clear(self) -> None:
        """Discard the incomplete line, because the port was reopened."""
        self._rest = b""


class SequenceNumbers:
    """Count the sequence numbers of sent frames and check those of received ones; `lost` counts gaps."""

    def __init__(self, first: int = 0) -> None:
        self._next = first & 0xFFFF
        self._last = -1
        self.lost = 0

    def next(self) -> int:
        """Return the sequence number of the next frame to send."""
        number = self._next
        self._next = (number + 1) & 0xFFFF
        return number

    def begin(self, number: int) -> None:
        """Continue from this number of the peer, which has just introduced itself."""
        self._last = number

    def forget(self) -> None:
        """Accept any number as the next, because the connection was interrupted."""
        self._last = -1

    def is_new(self, number: int) -> bool:
        """Return False for a repeated or late frame; otherwise remember its number as the last one."""
        if self._last >= 0:
            step = (number - self._last) & 0xFFFF
            if step == 0 or step >= 0x8000:
                return False
            self.lost += step - 1
        self._last = number
        return True
