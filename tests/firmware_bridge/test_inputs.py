"""Inputs on the Pico: one press is one event, chattering switches are muted, tags are framed."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import payload
from firmware_bridge.firmware.inputs import (
    MAX_PRESSES,
    MAX_TAG,
    MAX_UNSTABLE,
    REPEAT_WINDOW,
    STABLE,
    UNMUTE_AFTER,
    Switches,
    Tags,
)
from firmware_bridge.firmware.session import TICKS

Event = tuple[int, int, int]
MASK = 1 << 13
START = TICKS - 50
"""The millisecond counter wraps during every test."""


def watched(closed_from: list[tuple[int, int]], until: int, *, every: int = 1) -> list[Event]:
    """Scan one switch that is closed in these intervals of milliseconds; return events with times from 0."""
    switches = Switches([[1 << 12, MASK]])
    switches.begin(0, 0)
    events: list[Event] = []
    for time in range(0, until, every):
        word = MASK if any(start <= time < end for start, end in closed_from) else 0
        events.extend(switches.scan(0, word, (START + time) % TICKS))
    return [(kind, switch, (at - START) % TICKS) for kind, switch, at in events]


def kinds(events: list[Event]) -> list[int]:
    return [kind for kind, _, _ in events]


PRESS_AND_RELEASE = [payload.CLOSED, payload.OPENED]


def test_a_press_has_the_time_of_its_first_contact() -> None:
    assert watched([(100, 200)], 300) == [(payload.CLOSED, 1, 100), (payload.OPENED, 1, 200)]


def test_a_press_is_reported_at_the_second_scan() -> None:
    switches = Switches([[MASK]])
    switches.begin(0, 0)
    assert switches.scan(0, MASK, 10) == []
    assert switches.scan(0, MASK, 11) == [(payload.CLOSED, 0, 10)]


@pytest.mark.parametrize("bounce", [1, 5, 20])
def test_a_bounce_is_one_press(bounce: int) -> None:
    shaking = [(start, start + 1) for start in range(100, 100 + bounce, 2)]
    letting_go = [(start, start + 1) for start in range(200, 200 + bounce, 2)]
    events = watched([*shaking, (100 + bounce, 200), *letting_go], 400)
    assert kinds(events) == PRESS_AND_RELEASE


@given(st.lists(st.integers(1, STABLE - 3), max_size=12), st.lists(st.integers(1, STABLE - 3), max_size=12))
def test_bouncing_shorter_than_the_stable_time_is_one_press(closing: list[int], opening: list[int]) -> None:
    closed, time = [], 50
    for gap in closing:
        closed.append((time, time + 2))
        time += 2 + gap
    closed.append((time, time + 60))
    time += 60
    for gap in opening:
        time += gap
        closed.append((time, time + 2))
        time += 2
    assert kinds(watched(closed, time + 100)) == PRESS_AND_RELEASE


@pytest.mark.parametrize("every", [1, 2, 4, 7])
def test_a_press_of_15_milliseconds_counts(every: int) -> None:
    assert kinds(watched([(100, 115)], 300, every=every)) == PRESS_AND_RELEASE


def test_a_contact_seen_by_one_scan_is_ignored() -> None:
    assert watched([(100, 101)], 300) == []


def test_two_presses_are_two_events() -> None:
    assert kinds(watched([(100, 150), (200, 250)], 400)) == 2 * PRESS_AND_RELEASE


def test_a_held_switch_is_one_press() -> None:
    assert kinds(watched([(100, 5000)], 6000)) == PRESS_AND_RELEASE


def test_a_chattering_switch_is_muted_until_it_is_stable() -> None:
    chatter = [(start, start + 30) for start in range(100, 3100, 60)]
    events = watched([*chatter, (8000, 8100)], 9000)
    found = kinds(events)
    muted, unmuted = found.index(payload.MUTED), found.index(payload.UNMUTED)
    assert found[:muted] == MAX_PRESSES * PRESS_AND_RELEASE
    assert unmuted == muted + 1
    assert events[unmuted][2] == pytest.approx(3100 + UNMUTE_AFTER, abs=100)
    assert found[unmuted + 1 :] == PRESS_AND_RELEASE


@pytest.mark.slow
def test_an_unstable_switch_is_muted_until_it_is_stable() -> None:
    """Bug fixed: it changed too fast to be released, so that it was neither pressed again nor reported."""
    chatter = [(start, start + 3) for start in range(100, 3100, 8)]
    events = watched([*chatter, (8000, 8100)], 9000)
    assert kinds(events) == [payload.CLOSED, payload.MUTED, payload.UNMUTED, *PRESS_AND_RELEASE]
    assert events[1][2] == pytest.approx(100 + MAX_UNSTABLE, abs=10)
    assert events[2][2] == pytest.approx(3100 + UNMUTE_AFTER, abs=100)


def test_fast_presses_are_not_muted() -> None:
    presses = [(start, start + 50) for start in range(100, 3100, 100)]
    assert kinds(watched(presses, 4000)) == 30 * PRESS_AND_RELEASE


def test_a_switch_closed_at_the_start_is_no_press() -> None:
    switches = Switches([[1, 2], [4]])
    switches.begin(0, 2)
    switches.begin(1, 4)
    assert switches.closed() == b"\x06"
    assert [switches.scan(0, 2, time) for time in range(100)] == [[]] * 100
    events = [event for time in range(100, 200) for event in switches.scan(1, 0, time)]
    assert events == [(payload.OPENED, 2, 100)]
    assert switches.closed() == b"\x02"


def test_switches_are_numbered_line_by_line() -> None:
    switches = Switches([[1, 2], [1, 2], [], [64]])
    for line in range(4):
        switches.begin(line, 0)
    events = [event for time in range(3) for line in (1, 3) for event in switches.scan(line, 66, time)]
    assert {number for _, number, _ in events} == {3, 4}


def test_many_switches_at_once_are_all_reported() -> None:
    masks = [1 << pin for pin in range(12, 18)]
    switches = Switches([masks])
    switches.begin(0, 0)
    events = [event for time in range(3) for event in switches.scan(0, sum(masks), time)]
    assert [number for _, number, _ in events] == list(range(6))


# --- Tags --------------------------------------------------------------------------------------------------

RDM6300 = b"\x0262E3086CED08\x03"
ID_12LA = b"\x0262E3086CED08\r\n\x03"


def test_a_tag_is_framed_by_start_and_end_bytes() -> None:
    assert Tags().feed(RDM6300, 0) == [b"62E3086CED08"]
    assert Tags().feed(ID_12LA, 0) == [b"62E3086CED08\r\n"]


@given(st.integers(0, len(RDM6300)), st.integers(0, len(RDM6300)))
def test_a_tag_may_arrive_in_pieces(first: int, second: int) -> None:
    tags = Tags()
    first, second = sorted((first, second))
    found = []
    for piece in (RDM6300[:first], RDM6300[first:second], RDM6300[second:]):
        found += tags.feed(piece, 5)
    assert found == [b"62E3086CED08"]


def test_a_resting_tag_is_reported_periodically() -> None:
    tags = Tags()
    reported = [time for time in range(0, 1000, 65) if tags.feed(RDM6300, time)]
    assert reported == [0, 260, 520, 780]
    assert REPEAT_WINDOW <= 260


def test_another_tag_is_reported_at_once() -> None:
    tags = Tags()
    assert tags.feed(RDM6300, 0)
    assert tags.feed(b"\x02another\x03", 1) == [b"another"]
    assert tags.feed(RDM6300, 2)


@pytest.mark.parametrize(
    "noise",
    [b"rubbish", b"\x03\x03", b"\x0262E", b"\x02" + b"x" * (MAX_TAG + 1) + b"\x03", bytes(500), b"\x02" * 99],
)
def test_noise_before_a_tag_does_not_hide_it(noise: bytes) -> None:
    tags = Tags()
    tags.feed(noise, 0)
    assert tags.feed(RDM6300, 1)[-1:] == [b"62E3086CED08"]


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_noise_makes_no_longer_tag(pieces: list[bytes]) -> None:
    tags = Tags()
    for piece in pieces:
        for tag in tags.feed(piece, 0):
            assert len(tag) <= MAX_TAG


@pytest.mark.parametrize("noise", [b"x" * 100, b"\x02" + b"x" * 99, b"\x02" * 100])
def test_noise_uses_no_memory(noise: bytes) -> None:
    tags = Tags()
    tags.feed(noise, 0)
    tracemalloc.start()
    try:
        for time in range(1000):
            tags.feed(noise, time)
        assert tracemalloc.get_traced_memory()[0] < 10_000
    finally:
        tracemalloc.stop()
