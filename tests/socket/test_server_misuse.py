"""The socket server with clients that misbehave, and its start and end."""

from __future__ import annotations

import gc
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from device.socket import messages
from device.socket.messages import Answer, ClientMessage, FrameMessage
from device.socket.server import MOST_ANSWERS, MOST_CLIENTS, MOST_WAITING, Request, SocketServer
from hardware.api import HardwareError
from tests.harness.client import Client
from tests.harness.local_table import LocalTable
from tests.harness.sampling import some
from tests.harness.waiting import DEADLINE, until

PROMPT = 5.0
"""Seconds that an answer may take at most while another client misbehaves; a few milliseconds are usual."""


@pytest.fixture
def server(local_table: LocalTable) -> SocketServer:
    """The server of a table in this process."""
    assert local_table.server is not None
    return local_table.server


def message_of(request: Request) -> ClientMessage:
    """The message that a client sent."""
    assert isinstance(request.message, ClientMessage)
    return request.message


def id_of(request: Request) -> int | None:
    return message_of(request).id


def taken(request: Request) -> Answer:
    return messages.taken(message_of(request))


# --- Backpressure and limits ---


@pytest.mark.slow
def test_a_flood_of_presses_is_answered_press_by_press(
    local_table: LocalTable, socket_path: Path, client: Client
) -> None:
    buttons = ["seat.1.floor", "display.3", "undo", "nonsense"]
    flood = [{"type": "press", "button": buttons[number % 4], "id": number} for number in range(10_000)]
    with Client(socket_path) as flooding:
        sending = threading.Thread(target=flooding.send, args=flood)
        sending.start()
        began = time.monotonic()
        assert client.press("seat.2.floor")["taken"], "other clients are served"
        assert time.monotonic() - began < PROMPT
        answers = flooding.answers(len(flood))
        sending.join(DEADLINE)
    assert sorted(answer["id"] for answer in answers) == list(range(len(flood)))
    why = {answer["id"]: answer.get("why") for answer in answers}
    nonsense = {number for number in why if number % 4 == 3}
    assert {why[number] for number in nonsense} <= {"unknown_button", "too_many_presses"}
    assert all(why[number] != "unknown_button" for number in why.keys() - nonsense)
    refused = {answer["why"] for answer in answers if not answer["taken"]}
    assert {"unknown_button", "seat_taken"} & refused
    assert refused <= {"unknown_button", "seat_taken", "not_now", "nothing_to_undo", "too_many_presses"}
    assert local_table.snapshot["stage"] == "seating"


def test_more_messages_than_may_wait_for_an_answer_are_refused(socket_path: Path) -> None:
    """Once an answer was sent, the next message is taken again."""
    requests: list[Request] = []
    server = SocketServer(socket_path, {}, requests.append)
    server.start()
    with Client(socket_path) as client:
        client.send(*({"type": "press", "button": "ok", "id": number} for number in range(MOST_WAITING + 1)))
        assert client.answer() == {
            "type": "answer",
            "taken": False,
            "id": MOST_WAITING,
            "why": "too_many_presses",
        }
        assert [id_of(request) for request in requests] == list(range(MOST_WAITING))
        requests[0].answer(taken(requests[0]))
        assert client.answer() == {"type": "answer", "taken": True, "id": 0}
        client.send({"type": "press", "button": "ok", "id": -1})
        until(lambda: id_of(requests[-1]) == -1, "the next message")
    server.close()


def test_a_client_that_does_not_read_its_answers_is_not_read_from(
    server: SocketServer, socket_path: Path, client: Client
) -> None:
    def most_answers() -> int:
        return max((len(each.answers) for each in server.clients), default=0)

    with Client(socket_path) as flooding:
        flood = b'{"type":"press","button":"nonsense"}\n' * 100_000
        sending = threading.Thread(target=flooding.send_until_closed, args=(flood,))
        sending.start()
        until(lambda: most_answers() > 50, "unread answers")
        for _ in range(50):
            began = time.monotonic()
            client.press("seat.1.floor")
            assert time.monotonic() - began < PROMPT
            assert most_answers() <= MOST_ANSWERS + MOST_WAITING
    sending.join(DEADLINE)
    assert not sending.is_alive()
    until(lambda: len(server.clients) == 1, "the end of the flood")


def test_a_subscriber_that_never_reads_slows_nobody(
    server: SocketServer, socket_path: Path, client: Client
) -> None:
    """The others are served promptly, and what is kept for the slow ones is bounded."""

    def unread() -> list[int]:
        """Return the bytes that wait for each client, beyond what its socket holds."""
        return [each.writer.transport.get_write_buffer_size() for each in server.clients]

    def slow() -> int:
        return sum(size > 0 for size in unread())

    client.subscribe(frames=True)
    with ExitStack() as slow_clients:
        for _ in range(5):
            slow_clients.enter_context(Client(socket_path)).send({"type": "subscribe", "frames": True})
        until(lambda: len(server.clients) == 6, "the slow subscribers")
        frame = messages.encode(FrameMessage("00" * 3 * 338))
        number = 0
        while number < 20_000 or slow() < 5:
            number += 500
            for _ in range(500):
                server.publish_frame(frame)
            began = time.monotonic()
            client.press("centre")
            assert time.monotonic() - began < PROMPT
        before = client.subscribe()["version"]
        began = time.monotonic()
        client.take("seat.1.floor")
        client.until(lambda shown: shown["version"] > before)
        assert time.monotonic() - began < PROMPT
        assert max(unread()) < 300_000
        assert slow() >= 5


def test_a_slow_subscriber_skips_to_the_latest(
    local_table: LocalTable, server: SocketServer, socket_path: Path
) -> None:
    with Client(socket_path) as slow:
        slow.subscribe(frames=True)
        for number in range(5000):
            server.publish_frame(messages.encode(FrameMessage(f"{number:06x}" * 338)))
        assert local_table.press("seat.1.floor").taken
        received = 0
        while not slow.snapshot["seats"][0]["taken"]:
            received += 1
            slow.read()
        assert received < 1000, "old frames are skipped"


@pytest.mark.usefixtures("local_table")
def test_a_client_too_many_gets_an_error_and_is_disconnected(socket_path: Path) -> None:
    with ExitStack() as clients:
        many = [clients.enter_context(Client(socket_path)) for _ in range(MOST_CLIENTS)]
        for each in many:
            assert each.press("nothing")["why"] == "unknown_button"
        for _ in range(3):
            with Client(socket_path) as late:
                assert late.read_to_end() == [
                    {"type": "error", "error": f"{MOST_CLIENTS} clients are connected already"}
                ]
        many[0].close()
        until(lambda: is_served(socket_path), "room for the next client")
        assert many[-1].press("nothing")["why"] == "unknown_button"


def is_served(socket_path: Path) -> bool:
    """Return whether a new client is served."""
    with Client(socket_path) as client, suppress(OSError):
        client.send({"type": "press", "button": "nothing"})
        return bool(client.answer()["type"] == "answer")
    return False


@pytest.mark.slow
def test_clients_that_vanish_leave_nothing_behind(
    local_table: LocalTable, server: SocketServer, socket_path: Path
) -> None:
    for number in range(150):
        # more may come at once than are served
        with Client(socket_path) as client, suppress(BrokenPipeError):
            match number % 3:
                case 0:
                    client.send(
                        {"type": "subscribe", "frames": True}, {"type": "press", "button": "seat.1.floor"}
                    )
                case 1:
                    client.send_bytes(b'{"type":"press","button":"seat')
                case _:
                    client.send(*({"type": "press", "button": "seat.1.floor"} for _ in range(50)))
    until(
        lambda: is_served(socket_path), "the end of the rush"
    )  # the server has accepted all earlier clients
    until(lambda: not server.clients, "the end of all connections")
    assert local_table.snapshot["seats"][0]["taken"], "a press of a client that left at once counts"
    assert not server.frames_wanted


def test_a_client_that_closed_its_sending_half_is_answered(client: Client) -> None:
    client.send(
        {"type": "press", "button": "seat.1.floor", "id": 1},
        {"type": "press", "button": "seat.1.floor", "id": 2},
    )
    client.end_writing()
    assert [message.get("why") for message in client.read_to_end()] == [None, "seat_taken"]


# --- Start and end ---


def test_a_socket_left_by_a_killed_table_is_replaced(socket_path: Path) -> None:
    socket_path.touch()
    server = SocketServer(socket_path, {}, lambda request: None)
    server.start()
    with Client(socket_path) as client:
        client.send_bytes(b"?\n")
        assert "error" in client.read()
    server.close()
    assert not socket_path.exists()


def test_a_socket_that_cant_be_made_is_an_error_with_its_path(short: Path) -> None:
    server = SocketServer(short / "missing" / "table.sock", {}, lambda request: None)
    with pytest.raises(
        HardwareError, match=r"missing/table\.sock: the table's socket can't be made: No such file"
    ):
        server.start()
    server.close()


def test_close_right_after_a_failed_start(short: Path) -> None:
    """Regression: the thread had closed its loop already when `close` stopped it."""
    for _ in range(100):
        server = SocketServer(short / "missing" / "table.sock", {}, lambda request: None)
        with pytest.raises(HardwareError):
            server.start()
        server.close()


def test_clients_that_connect_during_close_leave_nothing_behind(
    socket_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Regression: the pages reconnect at once, and asyncio logged `Task was destroyed`."""
    for _ in some(range(50), 20):
        server = SocketServer(socket_path, {}, lambda request: None)
        server.start()
        callers = [threading.Thread(target=reconnect, args=(socket_path,)) for _ in range(3)]
        for caller in callers:
            caller.start()
        server.close()
        for caller in callers:
            caller.join(DEADLINE)
        assert not any(caller.is_alive() for caller in callers)
    gc.collect()
    assert caplog.messages == []


def reconnect(path: Path) -> None:
    """Connect and leave until the server is gone."""
    with suppress(OSError):
        while True:
            with Client(path) as client, suppress(BrokenPipeError):
                client.send({"type": "subscribe"})


def test_close_does_not_wait_for_answers(socket_path: Path) -> None:
    """The table's loop may end before it answers."""
    asked: list[Request] = []
    server = SocketServer(socket_path, {}, asked.append)
    server.start()
    with Client(socket_path) as client, Client(socket_path) as half_closed, Client(socket_path) as slow:
        slow.send({"type": "subscribe", "frames": True})
        server.publish_frame(b"0" * 10_000_000 + b"\n")
        client.send({"type": "press", "button": "ok"})
        half_closed.send({"type": "press", "button": "ok"})
        half_closed.end_writing()
        until(lambda: len(asked) == 2, "the presses")
        closing = threading.Thread(target=server.close, daemon=True)
        closing.start()
        closing.join(DEADLINE)
        assert not closing.is_alive()
        assert client.read_to_end() == []
    for request in asked:
        request.answer(taken(request))  # too late, but not an error
