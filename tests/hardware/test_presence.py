"""Presence of tags on a reader: arrivals and departures from repeated and missed reads."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hardware.api import TagArrived, TagLeft
from hardware.drivers.rfid import LEAVES, Presence

Reads = list[tuple[str, float]]


def run(reads: Reads, end: float = 10_000.0) -> list[TagArrived | TagLeft]:
    presence = Presence("shared")
    events = [event for tag, at in reads for event in presence.seen(tag, at)]
    return [*events, *presence.passed(end)]


def test_a_tag_at_rest_arrives_once_and_leaves_once() -> None:
    reads = [("A", n * 0.1) for n in range(100)]
    assert run(reads) == [TagArrived("shared", "A", 0.0), TagLeft("shared", "A", 9.9 + LEAVES)]


def test_missed_reads_are_not_a_departure() -> None:
    """Here half of the reads are missed, and ten in succession; in practice one in sixteen."""
    reads = [("A", n * 0.1) for n in range(0, 100, 2) if not 40 <= n < 50]
    assert [type(event) for event in run(reads)] == [TagArrived, TagLeft]


def test_a_tag_that_was_away_for_longer_arrives_again() -> None:
    assert run([("A", 0.0), ("A", LEAVES + 0.1)])[:3] == [
        TagArrived("shared", "A", 0.0),
        TagLeft("shared", "A", LEAVES),
        TagArrived("shared", "A", LEAVES + 0.1),
    ]


def test_tags_that_are_read_alternately_arrive_once_each() -> None:
    reads = [("AB"[n % 2], n * 0.1) for n in range(100)]
    assert [type(event) for event in run(reads)] == [TagArrived, TagArrived, TagLeft, TagLeft]


def test_tags_shown_one_after_another_arrive_at_once() -> None:
    reads = [(f"tile-{n}", n * 0.3) for n in range(100)]
    arrived = [event for event in run(reads) if isinstance(event, TagArrived)]
    assert [(event.tag, event.at) for event in arrived] == reads


def test_tags_leave_in_the_order_in_which_they_were_read_last() -> None:
    left = run([("A", 0.0), ("B", 0.1), ("A", 0.2)])[2:]
    assert [(event.tag, event.at) for event in left] == [("B", 0.1 + LEAVES), ("A", 0.2 + LEAVES)]


def test_a_tag_that_lay_on_a_lost_reader_does_not_arrive_again() -> None:
    """A card that was left on its reader acted again whenever the reader or the Pico restarted."""
    presence = Presence("shared")
    presence.seen("A", 1.0)
    presence.seen("B", 1.1)
    presence.lost()
    assert presence.seen("A", 101.0) == []
    assert presence.seen("C", 101.0 + LEAVES) == [
        TagLeft("shared", "B", 101.0 + LEAVES),
        TagLeft("shared", "A", 101.0 + LEAVES),
        TagArrived("shared", "C", 101.0 + LEAVES),
    ]
    assert presence.seen("A", 103.0) == [TagArrived("shared", "A", 103.0)]


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.floats(0, 3)), max_size=60).map(
        lambda steps: [(tag, sum(gap for _, gap in steps[: n + 1])) for n, (tag, _) in enumerate(steps)]
    )
)
def test_each_tag_arrives_and_leaves_alternately_and_is_present_while_it_is_read(reads: Reads) -> None:
    events = run(reads)
    for tag in "ABC":
        own = [event for event in events if event.tag == tag]
        assert [type(event) for event in own] == [TagArrived, TagLeft] * (len(own) // 2)
        assert [event.at for event in own] == sorted(event.at for event in own)
        spans = list(zip(own[::2], own[1::2], strict=True))
        for read, at in reads:
            if read == tag:
                assert any(came.at <= at <= left.at for came, left in spans)
        for (_, left), (came, _) in pairwise(spans):
            assert came.at >= left.at
