"""Damaged records are either refused with a line, or still valid records."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.records.json_form import RecordError
from device.records.record import write
from tests.records.recorded import GOLDEN, encoded, records


def flip(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    """Change some bytes."""
    data = bytearray(b"".join(lines))
    for _ in range(draw(st.integers(1, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data).splitlines(keepends=True)


def drop(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    at = draw(st.integers(0, len(lines) - 1))
    return lines[:at] + lines[at + draw(st.integers(1, 3)) :]


def double(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    at = draw(st.integers(0, len(lines) - 1))
    return [*lines[: at + 1], *lines[at:]]


def swap(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    changed = list(lines)
    changed[one], changed[other] = changed[other], changed[one]
    return changed


def cut(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    data = b"".join(lines)
    return data[: draw(st.integers(0, len(data) - 1))].splitlines(keepends=True)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def another_value(lines: list[bytes], draw: st.DrawFn) -> list[bytes]:
    """Replace the value of one key by anything."""
    at = draw(st.integers(0, len(lines) - 1))
    line = json.loads(lines[at])
    target = draw(st.sampled_from([value for value in line.values() if isinstance(value, dict)] or [line]))
    target[draw(st.sampled_from(list(target)))] = draw(anything)
    return [*lines[:at], *encoded([line]), *lines[at + 1 :]]


DAMAGES = (flip, drop, double, swap, cut)


@st.composite
def damaged(draw: st.DrawFn) -> list[bytes]:
    lines = draw(st.sampled_from(GOLDEN)).read_bytes().splitlines(keepends=True)
    if draw(st.booleans()):
        return another_value(lines, draw)
    for _ in range(draw(st.integers(1, 2))):
        lines = draw(st.sampled_from(DAMAGES))(lines, draw) or [b"\n"]
    return lines


@settings(max_examples=10 * settings().max_examples)
@given(damaged())
def test_a_damaged_record_is_refused_or_still_a_record(lines: list[bytes]) -> None:
    try:
        found = records(lines)
    except RecordError as error:
        assert 1 <= error.line <= max(len(lines), 1)
        assert error.message.isprintable()
        assert len(error.message) < 400
        return
    for each in found:  # if a name was damaged, for example: what was read can be written and read again
        written = write(each.setup, each.events, stopped=each.stopped, forfeit=each.forfeit)
        (again,) = records(written.splitlines(keepends=True))
        assert (again.setup, again.state) == (each.setup, each.state)


@given(st.lists(st.binary(max_size=60).map(lambda line: line + b"\n"), max_size=4))
def test_noise_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(RecordError):
        records(lines)
