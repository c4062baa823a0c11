"""The socket server: subscriptions, messages, answers and their order."""

from __future__ import annotations

import json
import re
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.socket import messages
from device.socket.messages import LONGEST_LINE, FrameMessage, SnapshotMessage
from device.socket.server import SocketServer
from device.socket.snapshot import SCHEMA
from hardware.layout.model import layout_json, read_layout
from tests.harness.client import Client, Message
from tests.harness.local_table import LocalTable
from tests.harness.waiting import DEADLINE, until

# --- Subscriptions ---


def test_a_subscriber_gets_the_layout_then_the_snapshot(client: Client) -> None:
    client.send({"type": "subscribe", "frames": False})
    first, second = client.read(), client.read()
    assert first == json.loads(json.dumps({"type": "layout", "layout": layout_json(read_layout("full"))}))
    assert set(second) == {"type", "snapshot"}
    assert second["snapshot"]["schema"] == SCHEMA
    assert second["snapshot"]["stage"] == "seating"
    assert len(first["layout"]["lights"]) == 338
    assert len(first["layout"]["buttons"]) == 36


def test_frames_hold_every_light_in_the_order_of_the_layout(client: Client, local_table: LocalTable) -> None:
    client.subscribe(frames=True)
    client.take("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor")
    local_table.until("offer")
    names = [light["name"] for light in client.layout["lights"]]
    for _ in range(3):
        frame = client.next_frame()
        assert len(frame) == 6 * len(names)
    colours = {name: frame[6 * at : 6 * at + 6] for at, name in enumerate(names)}
    assert colours["seat.3.turn"] == "000000"
    assert all(colours[f"display.{display}.1"] == "000000" for display in range(6, 10))

    def shown() -> bool:
        frame = client.next_frame()
        lights = local_table.hardware.frame
        return frame == "".join(bytes(lights.colour(name)).hex() for name in names)

    until(shown, "the frame that the hardware shows")


def test_frames_are_sent_only_to_those_who_subscribe_to_them(client: Client, socket_path: Path) -> None:
    client.subscribe()
    with Client(socket_path) as other:
        other.subscribe(frames=True)
        for _ in range(5):
            other.next_frame()
    client.take("seat.1.floor")
    client.until(lambda shown: bool(shown["seats"][0]["taken"]))
    assert not client.frame
    client.send({"type": "subscribe", "frames": True})
    assert client.next_frame()


def test_a_new_subscriber_gets_no_old_frame(socket_path: Path) -> None:
    """Without subscribers of frames none are published, so that the last one may be old."""
    server = SocketServer(socket_path, {}, lambda _request: None)
    server.start()
    server.publish_frame(messages.encode(FrameMessage("0a0a0a")))
    with Client(socket_path) as client:
        client.send({"type": "subscribe", "frames": True})
        assert client.read()["type"] == "layout"
        server.publish_frame(messages.encode(FrameMessage("0b0b0b")))
        assert client.next_frame() == "0b0b0b"
    server.close()


def test_a_new_subscriber_gets_only_the_latest_snapshot(socket_path: Path) -> None:
    server = SocketServer(socket_path, {}, lambda _request: None)
    server.start()
    for version in (1, 2, 3):
        server.publish_snapshot(messages.encode(SnapshotMessage({"version": version})))
    with Client(socket_path) as client:
        assert client.subscribe()["version"] == 3
        server.publish_snapshot(messages.encode(SnapshotMessage({"version": 4})))
        assert client.read()["snapshot"] == {"version": 4}
    server.close()


def test_frames_end_with_a_subscription_without_them(socket_path: Path) -> None:
    server = SocketServer(socket_path, {}, lambda _request: None)
    server.start()
    with Client(socket_path) as client:
        client.send({"type": "subscribe", "frames": True})
        assert client.read()["type"] == "layout"
        assert server.frames_wanted
        client.send({"type": "subscribe", "frames": False})
        until(lambda: not server.frames_wanted, "the end of the frames")
        server.publish_frame(messages.encode(FrameMessage("0a0a0a")))
        server.publish_snapshot(messages.encode(SnapshotMessage({"version": 1})))
        assert client.read()["type"] == "snapshot"
    server.close()


def test_beats_are_sent_to_subscribers_only(socket_path: Path) -> None:
    server = SocketServer(socket_path, {}, lambda _request: None)
    server.start()
    with Client(socket_path) as client, Client(socket_path) as other:
        client.send({"type": "subscribe"})
        assert client.read()["type"] == "layout"
        assert server.subscribed
        for version in (1, 2):
            server.publish_beat()
            server.publish_snapshot(messages.encode(SnapshotMessage({"version": version})))
            until(lambda version=version: client_has(client, version), "the snapshot")  # type: ignore[misc]
        server.publish_beat()
        server.close()
        client.read_to_end()
        assert client.beats
        assert other.read_to_end() == []
        assert other.beats == 0


def client_has(client: Client, version: int) -> bool:
    client.drain()
    return client.snapshot.get("version") == version


def test_the_layout_is_sent_once(client: Client) -> None:
    client.subscribe()
    client.send({"type": "subscribe", "frames": True}, {"type": "subscribe", "frames": True})
    for _ in range(5):
        assert client.read()["type"] != "layout"


def test_every_change_sends_a_snapshot_with_a_greater_version(client: Client) -> None:
    version = client.subscribe()["version"]
    for number, seat in enumerate((2, 4, 1), start=1):
        client.take(f"seat.{seat}.line.1")
        shown = client.until(lambda shown, number=number: taken_seats(shown) == number)  # type: ignore[misc]
        assert shown["version"] > version
        version = shown["version"]


def taken_seats(shown: Message) -> int:
    return sum(seat["taken"] for seat in shown["seats"])


def test_without_a_subscription_only_answers_are_sent(client: Client) -> None:
    assert client.press("seat.1.floor") == {"type": "answer", "id": 1, "taken": True}
    client.end_writing()
    assert client.read_to_end() == []


# --- Messages and answers ---


@pytest.mark.parametrize("number", [None, 0, 7, -1, 2**53, 2**63 - 1, -(2**63), 10**30])
def test_an_id_comes_back(client: Client, number: int | None) -> None:
    client.send({"type": "press", "button": "centre", "id": number})
    expected = {"type": "answer", "taken": False, "why": "not_now"}
    assert client.answer() == expected | ({} if number is None else {"id": number})


def test_a_name_is_saved_or_refused(client: Client) -> None:
    client.send({"type": "name", "seat": 2, "name": "Zoë", "id": 4})
    assert client.answer() == {"type": "answer", "id": 4, "taken": True}
    client.send({"type": "name", "seat": 9, "name": "Zoë"}, {"type": "name", "seat": 1, "name": "A" * 21})
    assert [answer["why"] for answer in client.answers(2)] == ["seat_empty", "name_too_long"]
    client.subscribe()
    client.until(lambda shown: shown["seats"][1]["name"] == "Zoë")


@pytest.mark.parametrize(
    "button", ["", "display.10", "seat.5.floor", "DISPLAY.1", "status", "ok ", "\0", "🐟" * 100]
)
def test_an_unknown_button_is_refused(client: Client, button: str) -> None:
    assert client.press(button)["why"] == "unknown_button"


NO_MESSAGES = [
    b"",
    b" ",
    b"press",
    b"null",
    b"7",
    b'"press"',
    b"[]",
    b"{}",
    b'{"press":"ok"}',
    b'{"type":"pull"}',
    b'{"type":7}',
    b'{"type":null}',
    b'{"type":"press"}',
    b'{"type":"press","button":',
    b'{"type":"press","button":"ok"',
    b'{"type":"press","button":"ok"}}',
    b'{"type":"press","button":"ok"} {"type":"press","button":"ok"}',
    b'{"type":"press","button":null}',
    b'{"type":"press","button":7}',
    b'{"type":"press","button":["ok"]}',
    b'{"type":"press","button":"ok","id":"7"}',
    b'{"type":"press","button":"ok","id":1.5}',
    b'{"type":"press","button":"ok","id":NaN}',
    b'{"type":"press","button":"ok","seat":1}',
    b'{"type":"press","button":"ok","force":true}',
    b'{"type":"subscribe","frames":1}',
    b'{"type":"subscribe","frames":true,"all":true}',
    b'{"type":"name","seat":"1","name":"Ana"}',
    b'{"type":"name","seat":1}',
    b'{"type":"name","seat":1,"name":null}',
    b'{"type":"press","butto\xff":"ok"}',
    b'{"type":"press","button":"\xff"}',
    b'{"type":"press","button":"\\ud800"}',
    b"\xef\xbb\xbf{}",
    '{"type":"press","button":"ok"}'.encode("utf-16"),
    b"\0" * 1000,
    bytes(byte for byte in range(256) if byte != 0x0A),
    b"[" * 60_000,
    b'{"type":' * 6000,
    b'{"type":"press","button":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    b'{"type":"press","button":"ok","id":' + b"9" * 60_000 + b"}",
]


def test_a_line_that_is_no_message_gets_an_error_and_the_next_is_answered(client: Client) -> None:
    for line in NO_MESSAGES:
        client.send_bytes(line.replace(b"\n", b"") + b"\n")
        answer = client.read()
        assert answer["type"] == "error", (line[:80], answer)
        assert set(answer) == {"type", "error"}
        assert len(answer["error"].split()) >= 4, "a sentence"
        assert len(answer["error"]) < 300
    assert client.press("centre")["why"] == "not_now"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
types = st.sampled_from(["subscribe", "press", "name", "tile", "tag", "hint", "games", "fault"]) | values
keys = st.sampled_from(["button", "seat", "name", "id", "colour", "tag", "frames"]) | st.text(max_size=5)
messages_of_any_kind = st.tuples(types, st.dictionaries(keys, values, max_size=4))
lines = messages_of_any_kind.map(
    lambda message: json.dumps({"type": message[0], **message[1]}).encode()
) | st.binary(max_size=200)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=lines)
def test_every_line_gets_exactly_one_reply(client: Client, line: bytes) -> None:
    line = line.replace(b"\n", b"?")
    try:
        message = messages.decode(line + b"\n")
    except messages.MessageError:
        message = None
    client.send_bytes(line + b'\n{"type":"press","button":"last","id":77}\n')
    replies = [client.answer()]
    while replies[-1] != {"type": "answer", "id": 77, "taken": False, "why": "unknown_button"}:
        replies.append(client.answer())
    silent = isinstance(message, messages.Subscribe)
    assert len(replies) == (1 if silent else 2)


def test_a_line_may_have_65536_bytes_and_no_more(local_table: LocalTable, socket_path: Path) -> None:
    for length, wanted in ((LONGEST_LINE, "answer"), (LONGEST_LINE + 1, "error")):
        with Client(socket_path) as client:
            line = b'{"type":"press","button":"' + b"A" * (length - 28) + b'"}'
            assert len(line) == length
            client.send_bytes(line + b"\n")
            assert client.answer()["type"] == wanted


def test_after_an_oversized_line_the_connection_is_closed(local_table: LocalTable, socket_path: Path) -> None:
    for ending in (b"\n", b"", b"\n" + b'{"type":"press","button":"seat.1.floor"}\n' * 1000):
        with Client(socket_path) as client:
            sending = threading.Thread(target=client.send_until_closed, args=(b"A" * 5_000_000 + ending,))
            sending.start()
            replies = client.read_to_end()
            sending.join(DEADLINE)
            assert replies == [{"type": "error", "error": f"a line has at most {LONGEST_LINE} bytes"}]
    assert not local_table.snapshot["seats"][0]["taken"]


def test_a_message_in_pieces_is_one_message(client: Client) -> None:
    first_line = '{"type":"press","button":"séat.1.floor","id":3}\n'
    second_line = '{"type":"press","button":"seat.1.floor","id":4}\n'
    for byte in (first_line + second_line).encode():
        client.send_bytes(bytes([byte]))
    first, second = client.answers(2)
    assert (first["id"], first["why"]) == (3, "unknown_button")
    assert second == {"type": "answer", "id": 4, "taken": True}


def test_half_a_line_is_not_a_press(local_table: LocalTable, socket_path: Path) -> None:
    with Client(socket_path) as client:
        client.send_bytes(b'{"type":"press","button":"seat.1.floor"}')
        client.end_writing()
        assert client.read_to_end() == []
    assert not local_table.snapshot["seats"][0]["taken"]


def test_forget_tiles_forgets_all_tiles_of_the_colour_and_nothing_else(client: Client) -> None:
    for colour, tag in (("r", "AA"), ("b", "BB"), ("r", "CC")):
        client.send(
            {"type": "teach_tiles", "colour": colour}, {"type": "tag", "reader": "shared", "tag": tag}
        )
        client.send({"type": "end_lesson"})
        assert all(answer["taken"] for answer in client.answers(3))
    client.send({"type": "forget_tiles", "colour": "r"}, {"type": "tags"})
    forgotten, known = client.answers(2)
    assert forgotten["taken"]
    tags = [tag["tag"] for tag in known["result"]]
    assert "BB" in tags
    assert not {"AA", "CC"} & set(tags)


# --- The documentation ---

EXAMPLE = re.compile(r"^\{.*\}$", re.MULTILINE)
FROM_CLIENT, FROM_TABLE = (
    Path(messages.__file__).with_name("SOCKET.md").read_text().split("## From the table")
)


def test_every_message_of_a_client_has_an_example_that_can_be_read() -> None:
    examples = {type(messages.decode(example.encode())) for example in EXAMPLE.findall(FROM_CLIENT)}
    assert examples == set(get_args(messages.Message))


def test_every_message_of_the_table_has_an_example_that_can_be_read() -> None:
    lines = [line.encode() for line in EXAMPLE.findall(FROM_TABLE)]
    examples = {type(messages.decode_server_message(line)) for line in lines}
    assert examples == set(get_args(messages.ServerMessage))


# --- Order ---


@pytest.mark.slow
def test_two_presses_at_once_are_taken_in_their_order(client: Client, local_table: LocalTable) -> None:
    client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
    local_table.until("offer")
    first, second = 1, 2
    for _ in range(20):
        client.send(
            {"type": "press", "button": f"display.{second}"},
            {"type": "press", "button": f"display.{first}"},
            {"type": "press", "button": "undo"},
        )
        assert [answer["taken"] for answer in client.answers(3)] == [True] * 3
        assert local_table.snapshot["choice"] is None
        client.send(
            {"type": "press", "button": f"display.{first}"}, {"type": "press", "button": f"display.{second}"}
        )
        client.answers(2)
        shown = local_table.snapshot
        assert shown["choice"]["source"] == second


def test_the_answers_have_the_order_of_the_presses(client: Client) -> None:
    client.send(
        *(
            {"type": "press", "button": ("seat.1.floor", "nonsense", "ok")[number % 3], "id": number}
            for number in range(90)
        )
    )
    assert [answer["id"] for answer in client.answers(90)] == list(range(90))


def test_one_of_many_presses_of_a_seat_at_once_is_taken(local_table: LocalTable, socket_path: Path) -> None:
    with ExitStack() as clients:
        many = [clients.enter_context(Client(socket_path)) for _ in range(8)]
        for each in many:
            each.send({"type": "press", "button": "seat.1.floor"})
        answers = [each.answer() for each in many]
    assert sorted(answer.get("why", "") for answer in answers) == ["", *["seat_taken"] * 7]


# --- Phones ---


def test_a_phone_is_refused_what_belongs_to_another_and_the_table_shows_no_refusal(
    client: Client, local_table: LocalTable
) -> None:
    client.send(
        {"type": "claim", "seat": 1, "claim": "a" * 64, "name": "Ana", "by": 0},
        {"type": "claim", "seat": 1, "claim": "b" * 64, "name": "Rui", "by": 0},
        {"type": "claim", "seat": 2, "claim": "b" * 64, "name": "Rui", "by": 0},
        {"type": "name", "seat": 1, "name": "Silly", "by": 2},
        {"type": "press", "button": "seat.1.line.1", "by": 2},
        {"type": "release", "seat": 1, "by": 2},
        {"type": "press", "button": "ok", "by": 0},
        {"type": "press", "button": "ok", "by": 2},
        {"type": "release", "seat": 1},
    )
    answers = client.answers(9)
    assert [answer.get("why") for answer in answers] == [
        *(None, "seat_claimed", None, "seat_claimed", "seat_claimed", "seat_claimed", "only_watching"),
        *(None, None),
    ]
    seats = local_table.snapshot["seats"]
    assert [(seat["name"], seat["claimed"]) for seat in seats[:2]] == [("Ana", False), ("Rui", True)]
