"""Frames: encoding round-trips, damage is detected."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import wire

kinds = st.integers(0, 255)
numbers = st.integers(0, 0xFFFF)
payloads = st.binary(max_size=wire.MAX_PAYLOAD)


@given(kinds, numbers, payloads)
def test_frames_round_trip(kind: int, number: int, payload: bytes) -> None:
    line = wire.pack(kind, number, payload)
    assert wire.unpack(line) == (kind, number, payload)
    assert len(line) <= wire.MAX_LINE
    assert line.endswith(wire.END) and line.count(wire.END) == 1


@given(kinds, numbers, payloads)
def test_frames_contain_no_control_characters(kind: int, number: int, payload: bytes) -> None:
    """Ctrl-C (3) in a frame would stop the firmware, Ctrl-D (4) would restart MicroPython."""
    assert min(wire.pack(kind, number, payload)[:-1]) >= ord("+")


def test_payloads_are_limited() -> None:
    assert len(wire.pack(1, 0, bytes(wire.MAX_PAYLOAD))) == wire.MAX_LINE
    with pytest.raises(ValueError, match="601 bytes"):
        wire.pack(1, 0, bytes(wire.MAX_PAYLOAD + 1))


@given(payloads, st.data())
def test_a_flipped_bit_is_detected(payload: bytes, data: st.DataObject) -> None:
    line = wire.pack(7, 99, payload)
    bit = data.draw(st.integers(0, 8 * len(line) - 1))
    flipped = bytearray(line)
    flipped[bit // 8] ^= 1 << bit % 8
    pieces = wire.LineSplitter().feed(bytes(flipped))
    for piece in pieces:
        with suppress(wire.WireError):
            assert wire.unpack(piece) == (7, 99, payload)  # a bit that base64 leaves open: nothing is damaged


@given(payloads, st.data())
def test_half_a_frame_is_rejected(payload: bytes, data: st.DataObject) -> None:
    line = wire.pack(7, 99, payload)
    half = line[: data.draw(st.integers(0, len(line) - 5))]
    with pytest.raises(wire.WireError):
        wire.unpack(half + wire.END)


@given(st.binary(max_size=2000))
def test_noise_is_rejected(noise: bytes) -> None:
    for line in wire.LineSplitter().feed(noise + wire.END):
        with pytest.raises(wire.WireError):
            wire.unpack(line)


@given(payloads, st.binary(max_size=40))
def test_a_frame_after_text_without_a_newline_is_found(payload: bytes, noise: bytes) -> None:
    line = noise.replace(wire.END, b"") + wire.pack(7, 99, payload)
    assert wire.unpack(line) == (7, 99, payload)


@given(payloads)
def test_another_version_is_distinguished_from_damage(payload: bytes) -> None:
    old, wire.VERSION = wire.VERSION, 9
    try:
        line = wire.pack(7, 99, payload)
    finally:
        wire.VERSION = old
    with pytest.raises(wire.FrameVersionError) as caught:
        wire.unpack(line)
    assert caught.value.version == 9


@given(st.lists(payloads, max_size=8), st.integers(1, 50))
def test_frames_are_found_in_a_stream_cut_anywhere(sent: list[bytes], step: int) -> None:
    stream = b"".join(wire.pack(1, number, payload) for number, payload in enumerate(sent))
    lines = wire.LineSplitter()
    received = [line for at in range(0, len(stream), step) for line in lines.feed(stream[at : at + step])]
    assert [wire.unpack(line) for line in received] == [(1, *it) for it in enumerate(sent)]


def test_an_endless_line_uses_no_memory() -> None:
    lines = wire.LineSplitter()
    pieces = [piece for _ in range(1000) for piece in lines.feed(b"x" * 100)]
    assert max(map(len, pieces)) <= wire.MAX_LINE + 100
    assert 100_000 - sum(map(len, pieces)) <= wire.MAX_LINE  # all but this is returned
    assert lines.feed(b"\n" + wire.pack(1, 2, b"three"))[-1] == wire.pack(1, 2, b"three")


def test_reopening_the_port_discards_half_a_line() -> None:
    lines = wire.LineSplitter()
    lines.feed(b"~half of a fr")
    lines.clear()
    assert [wire.unpack(line) for line in lines.feed(wire.pack(1, 2, b"x"))] == [(1, 2, b"x")]


def test_sequence_numbers_wrap() -> None:
    order = wire.SequenceNumbers(0xFFFE)
    assert [order.next() for _ in range(4)] == [0xFFFE, 0xFFFF, 0, 1]


def test_repeated_and_late_frames_are_detected_and_lost_ones_counted() -> None:
    order = wire.SequenceNumbers()
    assert [order.is_new(number) for number in (7, 8, 8, 7, 11, 9, 12)] == [
        True, True, False, False, True, False, True,
    ]  # fmt: skip
    assert order.lost == 2


def test_wrapping_counts_no_loss() -> None:
    order = wire.SequenceNumbers()
    assert all(order.is_new(number & 0xFFFF) for number in range(0xFFF0, 0x1FFFF))
    assert order.lost == 0


def test_after_forget_any_number_is_accepted() -> None:
    """The numbers of a host that sent Hello for hours are far ahead; that is no late frame."""
    order = wire.SequenceNumbers()
    assert order.is_new(5)
    assert not order.is_new(5 + 0x9000)
    order.forget()
    assert order.is_new(5 + 0x9000)


def test_number_0_is_repeated_like_any_other() -> None:
    order = wire.SequenceNumbers()
    order.begin(0)
    assert not order.is_new(0)
    assert not order.is_new(0xFFFF)
    assert order.is_new(1)
