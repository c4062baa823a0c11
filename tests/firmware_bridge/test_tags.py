"""Framing of tag readers on the Pico."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.firmware.tags import MAX_TAG, REPEAT_WINDOW, Tags

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
    told = [time for time in range(0, 1000, 65) if tags.feed(RDM6300, time)]
    assert told == [0, 260, 520, 780]
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
def test_noise_uses_no_memory(pieces: list[bytes]) -> None:
    tags = Tags()
    for piece in pieces:
        for tag in tags.feed(piece, 0):
            assert len(tag) <= MAX_TAG
        assert len(tags._rest) <= MAX_TAG + 1
