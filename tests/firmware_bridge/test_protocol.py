"""The host's state machine with a scripted Pico: other versions, other sessions, echoes, text."""

from __future__ import annotations

import pytest

from firmware_bridge import payload, wire
from firmware_bridge.messages import (
    Configured,
    Events,
    Identity,
    InputEvent,
    Inputs,
    Log,
    Message,
    Unknown,
    encode,
)
from firmware_bridge.protocol import (
    Connection,
    Noise,
    Ready,
    Refusal,
    Refused,
    Restarted,
    Silent,
    Stage,
)
from tests.firmware_bridge.wirings import SMALL


def receive(connection: Connection, message: Message, number: int = 0) -> None:
    """Send a message of the scripted Pico to the host."""
    kind, body = encode(message)
    connection.receive_data(wire.pack(kind, number, body), 0)


def events_of(connection: Connection) -> list[object]:
    events: list[object] = []
    while (event := connection.next_event()) is not None:
        events.append(event)
    return events


PROTOCOL = payload.PROTOCOL
STRANGER = Identity(PROTOCOL, PROTOCOL, 500, 1, 0, 0, 8, 2, "1.0.0", "somebody")


def opened_connection() -> Connection:
    """Return a host that has opened its port."""
    connection = Connection(SMALL, session=STRANGER.session)
    connection.opened(0)
    return connection


@pytest.mark.parametrize(
    ("oldest", "newest", "why"),
    [(payload.PROTOCOL + 1, payload.PROTOCOL + 3, Refusal.NEWER), (0, payload.PROTOCOL - 1, Refusal.OLDER)],
)
def test_an_unsupported_protocol_version_is_refused(oldest: int, newest: int, why: Refusal) -> None:
    connection = opened_connection()
    identity = Identity(oldest, newest, 500, 1, 0, 0, 8, 2, "9.9", "somebody")
    receive(connection, identity)
    assert events_of(connection) == [Refused(why)]
    assert connection.data_to_send(1) == b""
    receive(connection, identity, 1)
    assert events_of(connection) == []
    connection.opened(0)
    assert connection.stage is Stage.GREETING


@pytest.mark.parametrize("body", ["0304f401000001000000", "0304f40100000100000007ff"])
def test_a_short_identity_of_another_protocol_is_refused(body: str) -> None:
    """Bug fixed: it was taken for noise; only the fields up to the session id never change."""
    connection = opened_connection()
    connection.receive_data(wire.pack(payload.IDENTITY, 0, bytes.fromhex(body)), 0)
    assert events_of(connection) == [Refused(Refusal.NEWER)]


def test_a_newer_firmware_that_supports_this_protocol_is_accepted() -> None:
    connection = opened_connection()
    receive(connection, Identity(PROTOCOL, payload.PROTOCOL + 5, 500, 1, 0, 0, 8, 2, "9.9", "somebody"))
    assert connection.stage is Stage.CONFIGURING


@pytest.mark.parametrize(("version", "why"), [(0, Refusal.OLDER), (2, Refusal.NEWER)])
def test_a_frame_of_another_version_is_refused_once(
    version: int, why: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = opened_connection()
    with monkeypatch.context() as patch:
        patch.setattr(wire, "VERSION", version)
        line = wire.pack(payload.IDENTITY, 0, b"")
    connection.receive_data(line + line, 0)
    assert events_of(connection) == [Refused(why)]


def test_only_the_first_greeting_on_a_port_completes_half_a_frame() -> None:
    """Blanks may fill the memory of a prompt that waits for a command to end."""
    connection = opened_connection()
    blanks = b" " * SMALL.light_bytes + wire.END
    for _ in range(2):
        connection.opened(0)
        assert connection.data_to_send(0).startswith(blanks + b"\r~")
        assert connection.data_to_send(1).startswith(b"\r~")


def test_a_rejected_wiring_carries_the_message_of_the_pico() -> None:
    connection = opened_connection()
    receive(connection, STRANGER)
    receive(connection, Configured(SMALL.check, "there is no pin GP29"), 1)
    assert events_of(connection) == [Refused(Refusal.WIRING, "there is no pin GP29")]


def test_a_reply_to_an_earlier_wiring_is_ignored() -> None:
    connection = opened_connection()
    receive(connection, STRANGER)
    receive(connection, Configured(SMALL.check ^ 1, "no"), 1)
    assert events_of(connection) == []
    assert connection.stage is Stage.CONFIGURING


def ready_connection() -> Connection:
    connection = opened_connection()
    receive(connection, STRANGER)
    receive(connection, Configured(SMALL.check, ""), 1)
    receive(connection, Inputs(b"\0"), 2)
    assert isinstance(events_of(connection)[0], Ready)
    return connection


def test_a_frame_is_due_at_once_and_again_until_it_is_acknowledged() -> None:
    connection = ready_connection()
    connection.data_to_send(0)
    idle = connection.next_time()
    connection.show(bytes(range(SMALL.light_bytes)))
    assert connection.next_time() <= 0
    assert connection.data_to_send(0)
    again = connection.next_time()
    assert 0 < again < idle
    assert connection.data_to_send(again)


def test_unknown_messages_are_ignored() -> None:
    connection = ready_connection()
    receive(connection, Unknown(0x7F, b"new"), 3)
    assert events_of(connection) == []


def test_events_of_another_boot_are_ignored() -> None:
    connection = ready_connection()
    receive(connection, Events(499, 0, (InputEvent(payload.CLOSED, 0, b"\1"),)), 3)
    assert events_of(connection) == []


def test_a_late_identity_of_an_earlier_boot_is_ignored() -> None:
    connection = ready_connection()
    receive(connection, Identity(PROTOCOL, PROTOCOL, 501, 0, 0, 0, 8, 2, "1.0.0", "somebody"), 3)
    assert [type(event) for event in events_of(connection)] == [Restarted]
    receive(connection, STRANGER, 4)
    assert events_of(connection) == []


def test_after_reopening_the_port_a_pico_of_an_earlier_boot_is_greeted() -> None:
    connection = ready_connection()
    receive(connection, Identity(PROTOCOL, PROTOCOL, 501, 0, 0, 0, 8, 2, "1.0.0", "somebody"), 3)
    connection.closed()
    connection.opened(0)
    receive(connection, STRANGER, 4)
    assert connection.identity == STRANGER
    assert connection.stage is Stage.CONFIGURING


def test_after_reopening_the_port_any_sequence_number_is_accepted() -> None:
    """A Pico that has sent frames to a port that nobody read is far ahead; that is no repetition."""
    connection = ready_connection()
    connection.closed()
    connection.opened(0)
    receive(connection, STRANGER, 0xF000)
    assert connection.stage is Stage.CONFIGURING


def test_repeated_frames_are_processed_once() -> None:
    connection = ready_connection()
    for _ in range(3):
        receive(connection, Log(1, "once"), 3)
    assert events_of(connection) == [Log(1, "once")]


def test_text_on_the_line_is_reported_as_noise() -> None:
    connection = opened_connection()
    connection.receive_data(b"Traceback:\r\n>>> \xff\xfe\n~half\n\r\n", 0)
    assert events_of(connection) == [Noise("Traceback:"), Noise(">>> \ufffd\ufffd")]


def test_an_echo_is_no_reply() -> None:
    """A prompt echoes Hello, which must not look like a reply."""
    connection = opened_connection()
    for tenth in range(40):
        connection.receive_data(connection.data_to_send(tenth / 10), tenth / 10)
    assert events_of(connection) == [Silent()]
