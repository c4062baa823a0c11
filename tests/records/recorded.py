"""Helpers for the tests of records: golden files, their lines as JSON, and the first error of a record."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from device.records.json_form import RecordError
from device.records.record import Record, read

PROJECT = Path(__file__).parents[2]
GOLDEN = sorted((PROJECT / "tests" / "golden").glob("*.jsonl"))
SHARED = sorted((PROJECT.parent / "shared" / "records").glob("*.jsonl"))

Line = dict[str, Any]


def lines_of(name: str) -> list[bytes]:
    return (PROJECT / "tests" / "golden" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def game_of(name: str) -> list[Line]:
    """Return the lines of the first game of a golden file, as JSON."""
    lines = [json.loads(line) for line in lines_of(name)]
    return lines[: next(at for at, line in enumerate(lines) if "result" in line) + 1]


def encoded(lines: list[Line]) -> list[bytes]:
    return [json.dumps(line).encode() + b"\n" for line in lines]


def records(lines: Sequence[bytes | Line]) -> list[Record]:
    return list(read([line if isinstance(line, bytes) else encoded([line])[0] for line in lines]))


def fault(lines: Sequence[bytes | Line]) -> tuple[int, str]:
    """Return the line and the message of the first error."""
    with pytest.raises(RecordError) as caught:
        records(lines)
    assert str(caught.value) == f"line {caught.value.line}: {caught.value.message}"
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 250
    return caught.value.line, caught.value.message


def index_of(lines: list[Line], key: str, nth: int = 0) -> int:
    """Return the index of the n-th line with a key."""
    return [at for at, line in enumerate(lines) if key in line][nth]
