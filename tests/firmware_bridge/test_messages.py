"""Messages: encoding round-trips, short payloads are rejected, unknown fields are ignored."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import payload
from firmware_bridge.messages import (
    Acknowledge,
    Alive,
    Configured,
    Events,
    Heartbeat,
    Hello,
    Identity,
    InputEvent,
    Inputs,
    Lights,
    Log,
    Message,
    QueryInputs,
    Run,
    Show,
    Shown,
    Unknown,
    decode,
    encode,
)
from firmware_bridge.wire import WireError
from firmware_bridge.wiring import WiredChain, Wiring

small, middle, large = st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 0xFFFFFFFF)
words = st.text(st.characters(codec="utf-8"), max_size=40)

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Hello, small, large, words),
    st.builds(Lights, st.lists(st.builds(Run, middle, st.binary(max_size=50)), max_size=5).map(tuple)),
    st.builds(Show, middle, large),
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
    assert decode(*encode(message)) == message


OPEN_ENDED = (Hello, Configured, Inputs, Log, Unknown, Lights, Events)
"""Messages with an open end: appended bytes would be part of it."""


@given(messages, st.binary(min_size=1, max_size=9))
def test_appended_fields_are_ignored(message: Message, more: bytes) -> None:
    kind, body = encode(message)
    if not isinstance(message, OPEN_ENDED):
        assert decode(kind, body + more) == message


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


def test_a_run_of_lights_that_is_cut_short_is_refused() -> None:
    kind, body = encode(Lights((Run(0, b"abc"), Run(30, b"defghi"))))
    for cut in (body[:-1], body[:-6], body[:-8]):
        with pytest.raises(WireError):
            decode(kind, cut)


pins = st.integers(0, 29)


@given(
    st.lists(st.tuples(pins, st.integers(1, 500)), max_size=8),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=6),
    st.lists(pins, max_size=5),
    st.none() | st.integers(0, 20),
)
def test_a_wiring_round_trips(
    chains: list[tuple[int, int]],
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
        payload.NO_STATUS if status is None else 3 * status,
    )
    assert wired.check != 0


def test_a_wiring_of_another_format_is_refused() -> None:
    encoded = Wiring((WiredChain(2, 3),)).encode()
    with pytest.raises(WireError, match="format 9"):
        payload.read_wiring(b"\x09" + encoded[1:])


def test_more_lights_than_a_frame_can_address_are_refused() -> None:
    with pytest.raises(ValueError, match="21846 lights are more than the 21845 possible"):
        Wiring((WiredChain(2, 21_846),)).encode()


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
