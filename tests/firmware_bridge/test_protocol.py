"""The host alone, with a Pico that is made up: other versions, strangers, echoes, words."""

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
    LogLine,
    Noise,
    Ready,
    Refusal,
    Refused,
    Restarted,
    Silent,
    Stage,
)
from tests.firmware_bridge.wirings import SMALL


def said(connection: Connection, message: Message, number: int = 0) -> None:
    """Let a Pico that is none of ours say something to the host."""
    kind, body = encode(message)
    connection.receive_data(wire.pack(kind, number, body), 0)


def heard(connection: Connection) -> list[object]:
    events: list[object] = []
    while (event := connection.next_event()) is not None:
        events.append(event)
    return events


STRANGER = Identity(1, 1, 500, 1, 0, 0, 8, 2, "1.0.0", "somebody")


def alone() -> Connection:
    """A host that talks with a Pico we make up."""
    connection = Connection(SMALL, session=STRANGER.session)
    connection.opened(0)
    return connection


@pytest.mark.parametrize(
    ("oldest", "newest", "why"),
    [(payload.PROTOCOL + 1, payload.PROTOCOL + 3, Refusal.NEWER), (0, payload.PROTOCOL - 1, Refusal.OLDER)],
)
def test_a_firmware_of_another_time_is_refused(oldest: int, newest: int, why: Refusal) -> None:
    connection = alone()
    identity = Identity(oldest, newest, 500, 1, 0, 0, 8, 2, "9.9", "somebody")
    said(connection, identity)
    assert heard(connection) == [Refused(why, identity)]
    assert connection.data_to_send(1) == b""
    said(connection, identity, 1)
    assert heard(connection) == []
    connection.opened(0)
    assert connection.stage is Stage.GREETING


@pytest.mark.parametrize("body", ["0203f401000001000000", "0203f40100000100000007ff"])
def test_an_introduction_in_the_words_of_another_protocol_is_refused_as_such(body: str) -> None:
    """Once, it was taken for noise: of an introduction only the fields up to the session never change."""
    connection = alone()
    connection.receive_data(wire.pack(payload.IDENTITY, 0, bytes.fromhex(body)), 0)
    (refused,) = heard(connection)
    assert isinstance(refused, Refused) and refused.reason is Refusal.NEWER
    assert refused.identity is not None and refused.identity.boot == 500


def test_a_newer_firmware_that_still_speaks_our_protocol_is_welcome() -> None:
    connection = alone()
    said(connection, Identity(1, payload.PROTOCOL + 5, 500, 1, 0, 0, 8, 2, "9.9", "somebody"))
    assert connection.stage is Stage.CONFIGURING


@pytest.mark.parametrize(("version", "why"), [(0, Refusal.OLDER), (2, Refusal.NEWER)])
def test_frames_of_another_version_are_refused_once(
    version: int, why: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = alone()
    with monkeypatch.context() as patch:
        patch.setattr(wire, "VERSION", version)
        line = wire.pack(payload.IDENTITY, 0, b"")
    connection.receive_data(line + line, 0)
    assert heard(connection) == [Refused(why, None)]


def test_a_wiring_that_the_pico_cant_use_is_refused_in_its_words() -> None:
    connection = alone()
    said(connection, STRANGER)
    said(connection, Configured(SMALL.check, "there is no pin GP29"), 1)
    assert heard(connection) == [Refused(Refusal.WIRING, STRANGER, "there is no pin GP29")]


def test_an_answer_to_an_earlier_wiring_is_not_ours() -> None:
    connection = alone()
    said(connection, STRANGER)
    said(connection, Configured(SMALL.check ^ 1, "no"), 1)
    assert heard(connection) == []
    assert connection.stage is Stage.CONFIGURING


def ready_with_stranger() -> Connection:
    connection = alone()
    said(connection, STRANGER)
    said(connection, Configured(SMALL.check, ""), 1)
    said(connection, Inputs(b"\0"), 2)
    assert isinstance(heard(connection)[0], Ready)
    return connection


def test_unknown_messages_are_left_alone() -> None:
    connection = ready_with_stranger()
    said(connection, Unknown(0x7F, b"new"), 3)
    assert heard(connection) == []
    assert connection.counts.unknown == 1


def test_events_of_another_boot_are_not_taken() -> None:
    connection = ready_with_stranger()
    said(connection, Events(499, 0, (InputEvent(payload.CLOSED, 0, b"\1"),)), 3)
    assert heard(connection) == []


def test_a_late_greeting_of_an_earlier_boot_is_known_as_such() -> None:
    connection = ready_with_stranger()
    said(connection, Identity(1, 1, 501, 0, 0, 0, 8, 2, "1.0.0", "somebody"), 3)
    assert [type(event) for event in heard(connection)] == [Restarted]
    said(connection, STRANGER, 4)
    assert heard(connection) == []
    assert connection.counts.repeated == 1


def test_repeated_frames_are_not_heard_twice() -> None:
    connection = ready_with_stranger()
    for _ in range(3):
        said(connection, Log(1, "once"), 3)
    assert heard(connection) == [LogLine(1, "once")]


def test_words_on_the_line_are_kept_as_such() -> None:
    connection = alone()
    connection.receive_data(b"Traceback:\r\n>>> \xff\xfe\n~half\n\r\n", 0)
    assert heard(connection) == [Noise("Traceback:"), Noise(">>> \ufffd\ufffd")]
    assert connection.counts.damaged == 1


def test_an_echo_is_no_answer() -> None:
    """Bug avoided: a prompt repeats every greeting, which looked like somebody was there."""
    connection = alone()
    for tenth in range(40):
        connection.receive_data(connection.data_to_send(tenth / 10), tenth / 10)
    assert heard(connection) == [Silent()]
