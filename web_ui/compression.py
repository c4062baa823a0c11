"""gzip: of whole responses, and of event streams that share compressed messages.

A gzip stream is a header and deflate blocks. A block that was compressed on its own and ends at a byte
boundary (`Z_FULL_FLUSH`) can be put into any stream. Therefore a message is compressed once and sent to all
viewers; their streams differ only in which messages they contain. Short messages are sent as stored blocks.
"""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Callable, Hashable

from werkzeug.wrappers import Request, Response

WORTH_COMPRESSING = 1024
"""Bytes from which a response or a message is compressed."""

COMPRESSIBLE = ("text/", "application/json", "application/manifest+json", "image/svg+xml")
"""Beginnings of the content types that become smaller; pictures such as PNG do not."""

STREAM_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The header of a gzip stream: deflate, no name, no time, unknown system."""

_LEVEL = 6
_LONGEST_STORED = 65_535


def accepts_gzip(request: Request) -> bool:
    """Return whether a client accepts gzip (Accept-Encoding with a quality above 0)."""
    return request.accept_encodings.quality("gzip") > 0


def compress_response(content: bytes, level: int = _LEVEL) -> bytes:
    """Compress a whole body; equal bodies give equal bytes."""
    return gzip.compress(content, level, mtime=0)


def compress_message(message: bytes) -> bytes:
    """Return a message as complete deflate blocks that end at a byte boundary."""
    if len(message) < WORTH_COMPRESSING:
        return b"\x00" + _stored_header(len(message)) + message
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(message) + compressor.flush(zlib.Z_FULL_FLUSH)


def _stored_header(length: int) -> bytes:
    """Return the length of a stored block and its complement (RFC 1951, 3.2.4)."""
    return length.to_bytes(2, "little") + (length ^ _LONGEST_STORED).to_bytes(2, "little")


class Kept:
    """The results for the latest keys; each is made once, also when many threads want it. Thread-safe."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._results: dict[Hashable, bytes] = {}

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Return the result for a key, made by `make` if it is not kept; the one unused for longest goes."""
        with self._lock:
            result = self._results.pop(key, None)
            if result is None:
                result = make()
            self._results[key] = result
            while len(self._results) > self._count:
                del self._results[next(iter(self._results))]
            return result


def compress_late(request: Request, response: Response) -> None:
    """Compress a response that is not compressed yet, if it is long and the client accepts it."""
    if (
        response.is_streamed
        or "Content-Encoding" in response.headers
        or not response.content_type.startswith(COMPRESSIBLE)
        or not accepts_gzip(request)
    ):
        return
    body = response.get_data()
    if len(body) >= WORTH_COMPRESSING:
        response.set_data(compress_response(body))
        response.headers["Content-Encoding"] = "gzip"
