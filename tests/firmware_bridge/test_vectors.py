"""The test vectors of `vectors.txt` on the host; test_micropython.py reads them on the Pico."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge import messages, wire
from firmware_bridge.dump import fields_json, kind_name

VECTORS = Path(firmware_bridge.__file__).with_name("vectors.txt")


def read_vectors() -> list[tuple[str, dict[str, object]]]:
    lines = [line for line in VECTORS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(frame, json.loads(expected)) for frame, expected in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("frame", "expected"), read_vectors())
def test_the_vectors_decode_as_written(frame: str, expected: dict[str, object]) -> None:
    text, _, following = frame.partition(" |")
    line = text.encode() + wire.END
    if "error" in expected:
        with pytest.raises(wire.WireError) as caught:
            wire.unpack(line)
        assert str(caught.value) == expected["error"]
        return
    kind, number, payload = wire.unpack(line)
    message = messages.decode(kind, payload, bytes.fromhex(following))
    expected = dict(expected)
    assert number == expected.pop("sequence")
    fields = json.loads(fields_json(message))
    assert {"kind": kind_name(type(message)), **fields} == expected
    again = messages.frame(message, number)
    assert (line + bytes.fromhex(following)).endswith(again)


def test_the_vectors_cover_every_kind_of_message() -> None:
    covered = {str(expected["kind"]) for _, expected in read_vectors() if "kind" in expected}
    kinds = {kind_name(kind) for kind in messages.Message.__args__}
    assert kinds - covered == {"unknown"}
