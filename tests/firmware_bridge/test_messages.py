"""Messages: encoding round-trips, short payloads are rejected, unknown fields are ignored."""

from __future__ import annotations

from contextlib import suppress
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import payload
from firmware_bridge.messages import (
    Acknowledge,
    Alive,
    Configured,
    Events,
    FrameSplitter,
    Heartbeat,
    Hello,
    Identity,
    InputEvent,
    Inputs,
    Lights,
    Log,
    Message,
    QueryInputs,
    Show,
    Shown,
    Unknown,
    decode,
    encode,
    frame,
    stand_in,
)
from firmware_bridge.wire import WireError, unpack
from firmware_bridge.wiring import WiredChain, Wiring

small, middle, large = st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 0xFFFFFFFF)
words = st.text(st.characters(codec="utf-8"), max_size=40)

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Hello, small, large, words),
    st.builds(Lights, st.binary(max_size=50), middle),
    st.builds(Show, middle, large, st.binary(max_size=50), middle),
    st.builds(Acknowledge, large),
    st.just(QueryInputs()),
    st.builds(Heartbeat, large),
    st.builds(Identity, small, small, large, large, large, large, small, small, words, words),
    st.builds(Configured, large, words),
    st.builds(Shown, middle, st.booleans()),
    st.builds(
        Events,
        large,
        large,
        st.lists(st.builds(InputEvent, small, middle, st.binary(max_size=20)), max_size=5).map(tuple),
    ),
    st.builds(Inputs, st.binary(max_size=5)),
    st.builds(Alive, large, large, large, middle, middle),
    st.builds(Log, small, words),
    st.builds(Unknown, st.integers(0x49, 0xFF), st.binary(max_size=20)),
)


@given(messages)
def test_encoding_and_decoding_round_trip(message: Message) -> None:
    ((line, raw),) = FrameSplitter().feed(frame(message, 7))
    kind, number, body = unpack(line)
    assert (number, decode(kind, body, raw)) == (7, message)


OPEN_ENDED = (Hello, Configured, Inputs, Log, Unknown, Events)
"""Messages with an open end: appended bytes would be part of it."""


@given(messages, st.binary(min_size=1, max_size=9))
def test_appended_fields_are_ignored(message: Message, more: bytes) -> None:
    kind, body = encode(message)
    if not isinstance(message, OPEN_ENDED):
        raw = getattr(message, "raw", b"")
        encoded = raw.replace(b"\3", bytes((stand_in(raw),))) if stand_in(raw) else raw
        assert decode(kind, body + more, encoded) == message


@given(small, st.binary(max_size=40))
def test_any_payload_is_a_message_or_a_wire_error(kind: int, body: bytes) -> None:
    with suppress(WireError):
        decode(kind, body)


@given(messages, st.data())
def test_a_payload_cut_short_is_a_message_or_a_wire_error(message: Message, data: st.DataObject) -> None:
    kind, body = encode(message)
    cut = body[: data.draw(st.integers(0, len(body)))]
    with suppress(WireError):
        decode(kind, cut)


def test_no_byte_of_light_is_ctrl_c() -> None:
    """Bytes of light are not encoded; Ctrl-C (3) among them would stop the firmware."""
    raw = bytes(range(255)) * 3
    for message in (Lights(raw), Show(1, 2, raw)):
        sent = frame(message, 0)
        assert b"\3" not in sent
        ((line, received),) = FrameSplitter().feed(sent)
        kind, _, body = unpack(line)
        assert decode(kind, body, received) == message


def test_bytes_that_leave_none_for_ctrl_c_are_refused() -> None:
    with pytest.raises(ValueError, match="no byte is left"):
        frame(Lights(bytes(range(256))), 0)


def written(lights: bytes, raw: bytes, stand_in: int = 0, runs: int = 0) -> bytes:
    """Return `lights` after the Pico has written the bytes of a message."""
    data = bytearray(lights)
    payload.write_lights(data, memoryview(raw), stand_in, runs)
    return bytes(data)


@given(st.binary(min_size=1, max_size=60))
def test_a_whole_frame_replaces_all_lights(raw: bytes) -> None:
    assert written(bytes(len(raw)), raw) == raw


def test_runs_replace_some_lights_and_the_stand_in_is_ctrl_c() -> None:
    raw = pack("<4H", 1, 6, 3, 8) + b"ab\xffd"
    assert written(b"........", raw, 255, 2) == b".ab...\3d"


@given(st.binary(max_size=40), st.integers(0, 12), st.integers(0, 255))
def test_damaged_runs_are_refused_or_leave_as_many_lights(raw: bytes, runs: int, stand_in: int) -> None:
    with suppress(WireError):
        assert len(written(bytes(9), raw, stand_in, runs)) == 9


@pytest.mark.parametrize("table", [(0, 4), (8, 10), (9, 8), (3, 3)])
def test_runs_beyond_the_lights_or_the_bytes_are_refused(table: tuple[int, int]) -> None:
    with pytest.raises(WireError, match="do not fit"):
        written(bytes(9), pack("<2H", *table) + b"ab", 0, 1)


def test_the_frame_of_another_wiring_is_refused() -> None:
    with pytest.raises(WireError, match="3 bytes, not 9"):
        written(bytes(9), b"abc")


pins = st.integers(0, 29)


@given(
    st.lists(st.tuples(pins, st.integers(3, 500), st.integers(3, 4)), min_size=1, max_size=8),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=5),
    st.none() | st.integers(0, 2),
)
def test_a_wiring_round_trips(
    chains: list[tuple[int, int, int]],
    rows: list[int],
    columns: list[int],
    buttons: list[int],
    readers: list[int],
    status: int | None,
) -> None:
    wired = Wiring(
        tuple(WiredChain(*chain) for chain in chains),
        tuple(rows),
        tuple(columns),
        tuple(buttons),
        tuple(readers),
        status,
    )
    assert payload.read_wiring(wired.encode()) == (
        chains,
        rows,
        columns,
        buttons,
        [(pin, 9600) for pin in readers],
        payload.NO_STATUS if status is None else chains[0][2] * status,
    )
    assert wired.check != 0


def test_a_wiring_of_another_format_is_refused() -> None:
    encoded = Wiring((WiredChain(2, 3),)).encode()
    with pytest.raises(WireError, match="format 9"):
        payload.read_wiring(b"\x09" + encoded[1:])


def test_more_lights_than_a_frame_can_address_are_refused() -> None:
    with pytest.raises(ValueError, match="the lights need 65538 bytes; 65535 are possible"):
        Wiring((WiredChain(2, 21_846),)).encode()


def test_lights_of_three_and_four_bytes_lie_one_after_another() -> None:
    mixed = Wiring((WiredChain(2, 2), WiredChain(3, 3, channels=4), WiredChain(4, 1)), status=5)
    assert [mixed.light_offset(light) for light in range(6)] == [0, 3, 6, 10, 14, 18]
    assert mixed.light_bytes == 21
    chains, *_, status = payload.read_wiring(mixed.encode())
    assert chains == [(2, 2, 3), (3, 3, 4), (4, 1, 3)]
    assert status == 18
    with pytest.raises(ValueError, match="light 6 is on no chain"):
        mixed.light_offset(6)


def test_switches_are_numbered_row_by_row_and_then_by_pin() -> None:
    wired = Wiring((), rows=(6, 7), columns=(8, 9, 10), buttons=(20, 21))
    assert [wired.matrix_switch(0, 0), wired.matrix_switch(0, 2), wired.matrix_switch(1, 0)] == [0, 2, 3]
    assert [wired.button(20), wired.button(21)] == [6, 7]


def test_an_age_is_capped() -> None:
    kind, body = (
        payload.EVENTS,
        payload.build(payload.EVENTS, 1, 0) + payload.event(payload.CLOSED, 10**6, b"\0"),
    )
    assert decode(kind, body) == Events(1, 0, (InputEvent(payload.CLOSED, payload.MAX_AGE, b"\0"),))


def test_inputs_list_the_closed_switches() -> None:
    assert Inputs(b"\x05\x80").closed == {0, 2, 15}
