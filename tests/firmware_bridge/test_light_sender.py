"""LightSender: frames as differences, verified by CRC-32; the latest frame wins."""

from __future__ import annotations

from binascii import crc32
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import Lights, Message, Show, Shown, stand_in
from firmware_bridge.payload import write_lights
from firmware_bridge.protocol import (
    MERGE_GAP,
    NEVER,
    REFRESH,
    RETRY,
    LightSender,
    changed_ranges,
    light_messages,
)


def frames(count: int) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from([0, 0, 0, 9]), min_size=count, max_size=count).map(bytes)


def applied(held: bytes | None, messages: list[Message], size: int) -> bytes:
    """Return the Pico's bytes after messages, and check that the last one, and only that, is Show."""
    data = bytearray(held or bytes(size))
    for message in messages:
        assert isinstance(message, Lights | Show)
        assert isinstance(message, Show) == (message is messages[-1])
        assert len(message.raw) <= size, "the Pico has room for as many bytes as its lights have"
        other = stand_in(message.raw)
        if message.raw:
            raw = message.raw.replace(b"\3", bytes((other,))) if other else message.raw
            assert b"\3" not in raw
            write_lights(data, raw, other, message.runs)
    assert isinstance(messages[-1], Show)
    assert messages[-1].check == crc32(data)
    return bytes(data)


@given(st.none() | frames(300), frames(300))
def test_the_messages_turn_the_held_bytes_into_the_frame(held: bytes | None, frame: bytes) -> None:
    assert applied(held, light_messages(held, frame, 1), 300) == frame


@given(st.binary(min_size=1000, max_size=3000))
def test_the_bytes_of_a_frame_may_have_any_value(frame: bytes) -> None:
    assert applied(None, light_messages(None, frame, 1), len(frame)) == frame


def test_a_whole_frame_is_one_message_unless_it_has_every_byte() -> None:
    almost, every = bytes(range(255)) * 4, bytes(range(256)) * 4
    assert light_messages(None, almost, 7) == [Show(7, crc32(almost), almost)]
    messages = light_messages(None, every, 7)
    assert len(messages) == 8
    assert applied(None, messages, len(every)) == every


def test_runs_with_every_byte_are_sent_in_pieces() -> None:
    held, frame = bytes(2000), bytes(range(256)) + bytes(1744)
    messages = light_messages(held, frame, 7)
    assert len(messages) > 1
    assert applied(held, messages, 2000) == frame


def test_equal_frames_need_no_bytes() -> None:
    assert changed_ranges(bytes(30), bytes(30)) == []
    assert light_messages(bytes(30), bytes(30), 7) == [Show(7, crc32(bytes(30)))]


def test_only_the_bytes_that_differ_are_sent() -> None:
    frame = bytearray(300)
    frame[151] = 1
    assert light_messages(bytes(300), bytes(frame), 7) == [
        Show(7, crc32(frame), pack("<2H", 151, 152) + b"\1", 1)
    ]


def test_many_runs_are_sent_as_the_whole_frame() -> None:
    frame = bytes((9, *bytes(MERGE_GAP))) * 20
    assert len(changed_ranges(bytes(260), frame)) == 20
    everywhere = bytes((9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) * 20
    for changed in (frame, everywhere):
        (show,) = light_messages(bytes(len(changed)), changed, 7)
        assert isinstance(show, Show)
        assert len(show.raw) <= len(changed)


def test_neighbouring_ranges_are_merged() -> None:
    near, far = bytearray(300), bytearray(300)
    near[0] = near[MERGE_GAP] = 1
    far[0] = far[MERGE_GAP + 1] = 1
    assert changed_ranges(bytes(300), bytes(near)) == [(0, MERGE_GAP + 1)]
    assert changed_ranges(bytes(300), bytes(far)) == [(0, 1), (MERGE_GAP + 1, MERGE_GAP + 2)]


A, B, C = b"aaa" * 4, b"bbb" * 4, b"ccc" * 4


def number_of(messages: list[Message]) -> int:
    assert isinstance(messages[-1], Show)
    return messages[-1].number


def test_nothing_is_sent_without_a_frame() -> None:
    sender = LightSender()
    assert sender.due(0) == []
    assert sender.next_time() == NEVER


def test_a_frame_is_sent_once_and_then_verified_periodically() -> None:
    sender = LightSender()
    sender.set_frame(A)
    first = sender.due(0)
    assert first == [Show(1, crc32(A), A)]
    assert sender.due(0.01) == []
    sender.handle_shown(Shown(1, differs=False), 0.02)
    assert sender.due(0.5) == []
    assert sender.next_time() == 0.02 + REFRESH
    assert sender.due(0.02 + REFRESH) == [Show(2, crc32(A))]


def test_the_latest_frame_replaces_unsent_ones() -> None:
    sender = LightSender()
    sender.set_frame(A)
    number = number_of(sender.due(0))
    sender.set_frame(B)
    sender.set_frame(C)
    assert sender.due(0.01) == []
    sender.handle_shown(Shown(number, differs=False), 0.02)
    assert sender.due(0.02) == [Show(2, crc32(C), C)]


def test_a_frame_with_a_wrong_crc_is_sent_as_a_whole() -> None:
    sender = LightSender()
    sender.set_frame(A)
    sender.handle_shown(Shown(number_of(sender.due(0)), differs=False), 0.01)
    changed = A[:6] + b"zzz" + A[9:]
    sender.set_frame(changed)
    number = number_of(sender.due(0.1))
    sender.handle_shown(Shown(number, differs=True), 0.11)
    assert sender.due(0.11) == [Show(number + 1, crc32(changed), changed)]


def test_a_missing_reply_is_requested_again_and_then_all_bytes_are_sent() -> None:
    sender = LightSender()
    sender.set_frame(A)
    number = number_of(sender.due(0))
    assert sender.due(RETRY) == [Show(number, crc32(A))]
    assert sender.due(2 * RETRY) == [Show(number, crc32(A))]
    again = sender.due(3 * RETRY)
    assert again == [Show(number + 1, crc32(A), A)]


def test_each_frame_is_requested_as_often_before_all_its_bytes_are_sent() -> None:
    sender = LightSender()
    sender.set_frame(A)
    for now in range(3):
        sender.due(now * RETRY)
    number = number_of(sender.due(3 * RETRY))
    for now in (4, 5):
        assert sender.due(now * RETRY) == [Show(number, crc32(A))], "only a request again"
    sender.handle_shown(Shown(number, differs=False), 5.5 * RETRY)
    sender.set_frame(B)
    number = number_of(sender.due(6 * RETRY))
    for now in (7, 8):
        assert sender.due(now * RETRY) == [Show(number, crc32(B))], "only a request again"
    assert sender.due(9 * RETRY) == [Show(number + 1, crc32(B), B)]


def test_a_late_reply_to_an_earlier_frame_is_ignored() -> None:
    sender = LightSender()
    sender.set_frame(A)
    sender.handle_shown(Shown(number_of(sender.due(0)), differs=False), 0.01)
    sender.set_frame(B)
    sender.due(0.1)
    sender.handle_shown(Shown(1, differs=False), 0.11)
    assert sender.due(0.12) == []


def test_a_restarted_pico_gets_the_whole_frame() -> None:
    sender = LightSender()
    sender.set_frame(A)
    sender.handle_shown(Shown(number_of(sender.due(0)), differs=False), 0.01)
    sender.restart()
    assert sender.due(0.02) == [Show(2, crc32(A), A)]
