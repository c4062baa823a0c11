"""The socket: what clients are told, what they may say, and how they are answered."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.socket import messages
from device.socket.messages import LONGEST_LINE
from hardware.layout.model import layout_json, read_layout
from tests.harness.client import Client, Message
from tests.harness.local_table import LocalTable
from tests.harness.waiting import DEADLINE, until

# --- What is told ----------------------------------------------------------------------------------------


def test_a_subscriber_is_told_the_layout_then_the_snapshot(client: Client) -> None:
    client.send({"subscribe": {"frames": False}})
    first, second = client.read(), client.read()
    assert first == json.loads(json.dumps({"layout": layout_json(read_layout("full"))}))
    assert set(second) == {"snapshot"}
    assert second["snapshot"]["schema"] == 1
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


def test_frames_come_only_to_those_who_ask(client: Client, socket_path: Path) -> None:
    client.subscribe()
    with Client(socket_path) as other:
        other.subscribe(frames=True)
        for _ in range(5):
            other.next_frame()
    client.take("seat.1.floor")
    client.until(lambda shown: bool(shown["seats"][0]["taken"]))
    assert not client.frame
    client.send({"subscribe": {"frames": True}})
    assert client.next_frame()


def test_the_layout_is_told_once(client: Client) -> None:
    client.subscribe()
    client.send({"subscribe": {"frames": True}}, {"subscribe": {"frames": True}})
    for _ in range(5):
        assert "layout" not in client.read()


def test_a_snapshot_comes_with_every_change_and_its_version_grows(client: Client) -> None:
    version = client.subscribe()["version"]
    for number, seat in enumerate((2, 4, 1), start=1):
        client.take(f"seat.{seat}.line.1")
        shown = client.until(lambda shown, number=number: taken_seats(shown) == number)  # type: ignore[misc]
        assert shown["version"] > version
        version = shown["version"]


def taken_seats(shown: Message) -> int:
    return sum(seat["taken"] for seat in shown["seats"])


def test_without_a_subscription_nothing_but_answers_is_told(client: Client) -> None:
    assert client.press("seat.1.floor") == {"press": "seat.1.floor", "id": 1, "taken": True}
    client.end_writing()
    assert client.read_to_end() == []


# --- What is answered ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [None, 0, 7, -1, 2**53, 2**63 - 1, -(2**63), 10**30])
def test_an_id_comes_back(client: Client, number: int | None) -> None:
    client.send({"press": "centre", "id": number})
    expected = {"press": "centre", "taken": False, "why": "not_now"}
    assert client.answer() == expected | ({} if number is None else {"id": number})


@pytest.mark.parametrize(
    "said",
    [
        {"hint": {"seat": 2}},
        {"tile": "b"},
        {"tag": {"reader": "shared", "tag": "04A21B7C"}},
        {"learn": {"back": True}},
        {"forget": ["04A21B7C"]},
        {"plug": False},
    ],
    ids=lambda said: next(iter(said)),
)
def test_what_was_said_comes_back_in_the_answer(client: Client, said: Message) -> None:
    client.send(said)
    (answer,) = client.answers(1)
    assert {key: answer[key] for key in said} == said


def test_a_name_is_answered_like_a_press(client: Client) -> None:
    client.send({"name": {"seat": 2, "name": "Zoë"}, "id": 4})
    assert client.answer() == {"name": {"seat": 2, "name": "Zoë"}, "id": 4, "taken": True}
    client.send({"name": {"seat": 9, "name": "Zoë"}}, {"name": {"seat": 1, "name": "A" * 21}})
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
    b'{"press":',
    b'{"press":"ok"',
    b'{"press":"ok"}}',
    b'{"press":"ok"} {"press":"ok"}',
    b'{"press":null}',
    b'{"press":7}',
    b'{"press":["ok"]}',
    b'{"press":"ok","id":"7"}',
    b'{"press":"ok","id":1.5}',
    b'{"press":"ok","id":NaN}',
    b'{"press":"ok","name":{"seat":1,"name":"Ana"}}',
    b'{"press":"ok","subscribe":{}}',
    b'{"press":"ok","force":true}',
    b'{"subscribe":true}',
    b'{"subscribe":{"frames":1}}',
    b'{"subscribe":{"frames":true,"all":true}}',
    b'{"name":{"seat":"1","name":"Ana"}}',
    b'{"name":{"seat":1}}',
    b'{"name":{"seat":1,"name":null}}',
    b'{"pres\xff":"ok"}',
    b'{"press":"\xff"}',
    b'{"press":"\\ud800"}',
    b"\xef\xbb\xbf{}",
    '{"press":"ok"}'.encode("utf-16"),
    b"\0" * 1000,
    bytes(byte for byte in range(256) if byte != 0x0A),
    b"[" * 60_000,
    b'{"press":' * 6000,
    b'{"press":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    b'{"id":' + b"9" * 60_000 + b"}",
]


def test_what_is_no_message_is_named_and_the_next_is_answered(client: Client) -> None:
    for line in NO_MESSAGES:
        client.send_bytes(line.replace(b"\n", b"") + b"\n")
        answer = client.read()
        assert set(answer) == {"error"}, (line[:80], answer)
        assert len(answer["error"].split()) >= 4, "a sentence"
        assert len(answer["error"]) < 300
    assert client.press("centre")["why"] == "not_now"


said = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
keys = st.sampled_from(["subscribe", "press", "name", "id", "tile", "tag", "seat", "frames"]) | st.text(
    max_size=5
)
lines = st.dictionaries(keys, said, max_size=4).map(lambda message: json.dumps(message).encode()) | st.binary(
    max_size=200
)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(line=lines)
def test_every_line_gets_exactly_one_reply(client: Client, line: bytes) -> None:
    line = line.replace(b"\n", b"?")
    try:
        message = messages.read(line + b"\n")
    except messages.MessageError:
        message = None
    client.send_bytes(line + b'\n{"press":"last","id":77}\n')
    replies = [client.answer()]
    while replies[-1] != {"press": "last", "id": 77, "taken": False, "why": "unknown_button"}:
        replies.append(client.answer())
    silent = message is not None and message.subscribe is not None
    assert len(replies) == (1 if silent else 2)


def test_a_line_may_have_65536_bytes_and_no_more(local_table: LocalTable, socket_path: Path) -> None:
    for length, wanted in ((LONGEST_LINE, {"press"}), (LONGEST_LINE + 1, {"error"})):
        with Client(socket_path) as client:
            line = b'{"press":"' + b"A" * (length - 12) + b'"}'
            assert len(line) == length
            client.send_bytes(line + b"\n")
            assert wanted <= set(client.answer())


def test_after_an_oversized_line_the_connection_is_closed(local_table: LocalTable, socket_path: Path) -> None:
    for ending in (b"\n", b"", b"\n" + b'{"press":"seat.1.floor"}\n' * 1000):
        with Client(socket_path) as client:
            sending = threading.Thread(target=client.pour, args=(b"A" * 5_000_000 + ending,))
            sending.start()
            replies = client.read_to_end()
            sending.join(DEADLINE)
            assert replies == [{"error": f"a line has at most {LONGEST_LINE} bytes"}]
    assert not local_table.snapshot["seats"][0]["taken"]


def test_a_message_in_pieces_is_one_message(client: Client) -> None:
    for byte in '{"press":"séat.1.floor","id":3}\n{"press":"seat.1.floor","id":4}\n'.encode():
        client.send_bytes(bytes([byte]))
    first, second = client.answers(2)
    assert (first["id"], first["why"]) == (3, "unknown_button")
    assert second == {"press": "seat.1.floor", "id": 4, "taken": True}


def test_half_a_line_is_no_press(local_table: LocalTable, socket_path: Path) -> None:
    with Client(socket_path) as client:
        client.send_bytes(b'{"press":"seat.1.floor"}')
        client.end_writing()
        assert client.read_to_end() == []
    assert not local_table.snapshot["seats"][0]["taken"]


# --- Order -----------------------------------------------------------------------------------------------


def test_two_presses_at_once_are_taken_in_their_order(client: Client, local_table: LocalTable) -> None:
    client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
    local_table.until("offer")
    first, second = 1, 2
    for _ in range(20):
        client.send({"press": f"display.{second}"}, {"press": f"display.{first}"}, {"press": "undo"})
        assert [answer["taken"] for answer in client.answers(3)] == [True] * 3
        assert local_table.snapshot["choice"] is None
        client.send({"press": f"display.{first}"}, {"press": f"display.{second}"})
        client.answers(2)
        shown = local_table.snapshot
        assert shown["choice"]["source"] == second


def test_the_answers_have_the_order_of_the_presses(client: Client) -> None:
    client.send(
        *({"press": ("seat.1.floor", "nonsense", "ok")[number % 3], "id": number} for number in range(90))
    )
    assert [answer["id"] for answer in client.answers(90)] == list(range(90))


def test_two_hands_at_one_seat_in_the_same_moment(local_table: LocalTable, socket_path: Path) -> None:
    """One is taken, the other refused, whoever was first."""
    with ExitStack() as clients:
        hands = [clients.enter_context(Client(socket_path)) for _ in range(8)]
        for hand in hands:
            hand.send({"press": "seat.1.floor"})
        answers = [hand.answer() for hand in hands]
    assert sorted(answer.get("why", "") for answer in answers) == ["", *["seat_taken"] * 7]
