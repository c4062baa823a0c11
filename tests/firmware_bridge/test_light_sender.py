"""LightSender: frames as differences, verified by CRC-32; the latest frame wins."""

from __future__ import annotations

from binascii import crc32

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import Lights, Message, Run, Show, Shown, encode
from firmware_bridge.protocol import (
    MERGE_GAP,
    NEVER,
    REFRESH,
    RETRY,
    LightSender,
    changed_ranges,
    light_messages,
)
from firmware_bridge.wire import MAX_PAYLOAD


def frames(count: int) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from([0, 0, 0, 9]), min_size=count, max_size=count).map(bytes)


def applied(held: bytes | None, messages: list[Message], size: int) -> bytes:
    data = bytearray(held or bytes(size))
    for message in messages:
        assert isinstance(message, Lights)
        assert len(encode(message)[1]) <= MAX_PAYLOAD
        for run in message.runs:
            data[run.offset : run.offset + len(run.data)] = run.data
    return bytes(data)


@given(st.none() | frames(300), frames(300))
def test_the_messages_turn_the_held_bytes_into_the_frame(held: bytes | None, frame: bytes) -> None:
    assert applied(held, light_messages(held, frame), 300) == frame


@given(st.binary(min_size=3000, max_size=3000))
def test_a_frame_of_a_thousand_lights_fits_in_several_messages(frame: bytes) -> None:
    assert applied(None, light_messages(None, frame), 3000) == frame


def test_equal_frames_need_no_message() -> None:
    assert changed_ranges(bytes(30), bytes(30)) == []
    assert light_messages(bytes(30), bytes(30)) == []


def test_one_light_is_three_bytes() -> None:
    frame = bytearray(300)
    frame[151] = 1
    assert light_messages(bytes(300), bytes(frame)) == [Lights((Run(150, b"\0\1\0"),))]


def test_neighbouring_ranges_are_merged() -> None:
    near, far = bytearray(300), bytearray(300)
    near[0] = near[3 + MERGE_GAP - 3] = 1
    far[0] = far[3 + MERGE_GAP] = 1
    assert changed_ranges(bytes(300), bytes(near)) == [(0, MERGE_GAP + 3)]
    assert changed_ranges(bytes(300), bytes(far)) == [(0, 3), (MERGE_GAP + 3, MERGE_GAP + 6)]


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
    assert first == [Lights((Run(0, A),)), Show(1, crc32(A))]
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
    assert sender.due(0.02) == [Lights((Run(0, C),)), Show(2, crc32(C))]


def test_a_frame_with_a_wrong_crc_is_sent_as_a_whole() -> None:
    sender = LightSender()
    sender.set_frame(A)
    sender.handle_shown(Shown(number_of(sender.due(0)), differs=False), 0.01)
    changed = A[:6] + b"zzz" + A[9:]
    sender.set_frame(changed)
    number = number_of(sender.due(0.1))
    sender.handle_shown(Shown(number, differs=True), 0.11)
    assert sender.due(0.11)[0] == Lights((Run(0, changed),))


def test_a_missing_reply_is_requested_again_and_then_all_bytes_are_sent() -> None:
    sender = LightSender()
    sender.set_frame(A)
    number = number_of(sender.due(0))
    assert sender.due(RETRY) == [Show(number, crc32(A))]
    assert sender.due(2 * RETRY) == [Show(number, crc32(A))]
    again = sender.due(3 * RETRY)
    assert again == [Lights((Run(0, A),)), Show(number + 1, crc32(A))]


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
    assert sender.due(9 * RETRY)[0] == Lights((Run(0, B),))


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
    assert sender.due(0.02)[0] == Lights((Run(0, A),))
