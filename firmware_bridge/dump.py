"""Decode a captured stream of the serial protocol: `python -m firmware_bridge.dump FILE` (-: standard input).

A stream is either the raw bytes of one direction, or a recording of `Link`: lines that begin with the time in
seconds and `>` (from the host) or `<` (from the Pico), and end with `|` and, in hexadecimal digits, the bytes
that followed the line, if there were any. Each frame is printed as one line: time and direction if known, its
sequence number, its kind, and its fields as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import asdict

from firmware_bridge import wire
from firmware_bridge.messages import FrameSplitter, Message, decode

_RECORDED: Final = re.compile(rb"(\d+\.\d+ [<>]) (.*?)(?: \|([0-9a-f]+))?\n?", re.DOTALL)


def dump(lines: Iterable[bytes]) -> Iterator[str]:
    """Decode the lines of a stream; a line that is no frame is printed with the reason."""
    splitter = FrameSplitter()
    for piece in lines:
        if recorded := _RECORDED.fullmatch(piece):
            yield from _dump_frame(
                recorded[1].decode() + " ", recorded[2], bytes.fromhex((recorded[3] or b"").decode())
            )
        else:
            for line, raw in splitter.feed(piece):
                yield from _dump_frame("", line, raw)
    for line, raw in splitter.feed(wire.END):  # the last line may be cut short
        yield from _dump_frame("", line, raw)


def _dump_frame(head: str, line: bytes, raw: bytes) -> Iterator[str]:
    if not line.strip():
        return
    try:
        kind, number, payload = wire.unpack(line)
        message = decode(kind, payload, raw)
        yield f"{head}{number:5} {kind_name(type(message))} {fields_json(message)}"
    except wire.WireError as error:
        yield f"{head}    - {error}: {line.rstrip(wire.END)!r}"


def fields_json(message: Message) -> str:
    """Return the fields of a message as JSON, bytes as hex digits."""
    return json.dumps(asdict(message), default=lambda it: it.hex() if isinstance(it, bytes) else asdict(it))


def kind_name(message: type[Message]) -> str:
    """Return the name of a kind of message as in PROTOCOL.md, in lower case: query_inputs."""
    return re.sub(r"\B(?=[A-Z])", "_", message.__name__).lower()


def format_record(time: float, direction: str, data: bytes) -> bytes:
    """Format sent (>) or received (<) frames as lines of a recording; `time` is in seconds."""
    head = f"{time:.6f} {direction} ".encode()
    return b"".join(
        head + line.rstrip(wire.END) + (b" |" + raw.hex().encode() if raw else b"") + wire.END
        for line, raw in FrameSplitter().feed(data)
        if line.strip()
    )


def main() -> None:
    """Decode the file named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with sys.stdin.buffer if sys.argv[1] == "-" else open(sys.argv[1], "rb") as stream:  # noqa: PTH123
        for line in dump(stream):
            print(line)  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
