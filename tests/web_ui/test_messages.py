"""What the socket says is read without trust: anything at all may come, and only MessageError goes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.web_ui import scenes
from web_ui.messages import (
    SCHEMA,
    Lines,
    MessageError,
    NewerSchemaError,
    SnapshotMessage,
    known_step,
    read_action,
    read_message,
    read_snapshot,
)

SCENES = [
    scenes.snapshot(),
    scenes.seating(),
    scenes.offer(),
    scenes.refused(),
    scenes.scoring(),
    scenes.over(),
]


@pytest.mark.parametrize("scene", SCENES)
def test_snapshots_are_read(scene: scenes.Message) -> None:
    message = read_message(json.dumps({"type": "snapshot", "snapshot": scene}).encode())
    assert isinstance(message, SnapshotMessage)
    snapshot = read_snapshot(message.snapshot)
    assert snapshot.stage == scene["stage"]
    assert [seat.name for seat in snapshot.seats] == [seat["name"] for seat in scene["seats"]]


def test_what_is_unknown_is_passed_over() -> None:
    snapshot = read_snapshot(json.dumps({**scenes.offer(), "weather": [1]}).encode())
    assert snapshot.round == 2


def test_a_table_may_say_less() -> None:
    snapshot = read_snapshot(b'{"schema":1,"stage":"offer","ask":{"say":"draft"}}')
    assert (snapshot.seats, snapshot.menu, snapshot.result) == ((), (), None)


def test_a_newer_schema_is_told_before_anything_else_is_looked_at() -> None:
    with pytest.raises(NewerSchemaError):
        read_snapshot(b'{"schema":%d,"stage":{"anything":[]}}' % (SCHEMA + 1))


def test_a_step_of_an_unknown_form_keeps_its_points() -> None:
    step = known_step({"step": "removed", "seat": 2, "tiles": ["b"], "points": -3, "score": 4})
    assert (step.step, step.seat, step.points, step.score) == ("other", 2, -3, 4)


@given(some.one_of(some.binary(), some.text().map(str.encode)))
def test_anything_else_is_a_message_error(line: bytes) -> None:
    for read in (read_message, read_action, read_snapshot):
        try:
            read(line)
        except MessageError:
            continue


json_values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=8,
)


@given(key=some.sampled_from(sorted(scenes.offer())), value=json_values)
def test_any_value_anywhere_is_read_or_a_message_error(key: str, value: object) -> None:
    try:
        read_snapshot(json.dumps({**scenes.over(), key: value}).encode())
    except MessageError:
        return


@given(some.lists(some.binary().map(lambda line: line.replace(b"\n", b""))), some.lists(some.integers(1, 7)))
def test_lines_are_the_same_however_they_arrive(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    reader, got = Lines(), []
    for cut in cuts:
        got += reader.feed(data[:cut])
        data = data[cut:]
    assert got + reader.feed(data) == lines


def test_a_huge_line_is_passed_over_and_not_kept() -> None:
    reader = Lines(limit=10)
    assert reader.feed(b"short\n" + b"x" * 11) == [b"short"]
    assert reader.feed(b"x" * 1000) == []
    assert reader.feed(b"x\nnext\n") == [b"next"]
    assert reader.feed(b"y" * 11 + b"\nlast\n") == [b"last"]
    assert reader.dropped == 2
