"""Decodes a captured stream of the bridge: `python -m firmware_bridge.dump FILE` (- is standard input).

A stream is either the bytes of one direction as they were on the line, or what `Link` records: lines that
begin with the time in seconds and `>` (from the host) or `<` (from the Pico). Each frame is printed as one
line: time and direction if known, its number, its kind, and its fields as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final

from firmware_bridge import wire
from firmware_bridge.messages import Message, decode

_RECORDED: Final = re.compile(rb"(\d+\.\d+ [<>]) ")


def described(message: Message) -> dict[str, Any]:
    """A message as JSON: its kind by name, then its fields; bytes are hexadecimal digits."""
    return {"kind": type(message).__name__.lower(), **_fields(message)}


def dump(lines: Iterable[bytes]) -> Iterator[str]:
    """Decode lines of a stream; what is no frame is shown as it is, with the reason."""
    for line in lines:
        recorded = _RECORDED.match(line)
        head, rest = (recorded[1].decode() + " ", line[recorded.end() :]) if recorded else ("", line)
        if not rest.strip():
            continue
        try:
            kind, number, payload = wire.unpack(rest)
            told = described(decode(kind, payload))
            name = told.pop("kind")
            yield f"{head}{number:5} {name} {json.dumps(told)}"
        except wire.WireError as error:
            yield f"{head}    - {error}: {rest.rstrip(wire.END)!r}"


def record(time: float, direction: str, data: bytes) -> bytes:
    """Return what the recording of a link says of bytes that were sent (>) or received (<)."""
    head = f"{time:.6f} {direction} ".encode()
    return b"".join(head + line.rstrip(wire.END) + wire.END for line in data.split(wire.END) if line)


def _fields(value: object) -> dict[str, Any]:
    assert is_dataclass(value)
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return _fields(value) if is_dataclass(value) else value


def main() -> None:
    """Decode the file that is named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with sys.stdin.buffer if sys.argv[1] == "-" else open(sys.argv[1], "rb") as stream:  # noqa: PTH123
        for line in dump(stream):
            print(line)  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
