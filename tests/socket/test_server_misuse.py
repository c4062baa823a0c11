"""The socket: that no client can hurt the table or the others, and how it begins and ends."""

from __future__ import annotations

import gc
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from device.socket import messages
from device.socket.messages import FrameMessage
from device.socket.server import MOST_ANSWERS, MOST_CLIENTS, MOST_WAITING, Request, SocketServer
from hardware.api import HardwareError
from tests.harness.client import Client
from tests.harness.local_table import LocalTable
from tests.harness.waiting import DEADLINE, until

PROMPT = 5.0
"""Seconds that an answer may take at most while somebody else misbehaves; some milliseconds are usual."""


def test_a_flood_of_presses_is_answered_press_by_press(
    local_table: LocalTable, socket_path: Path, client: Client
) -> None:
    buttons = ["seat.1.floor", "display.3", "undo", "nonsense"]
    flood = [{"type": "press", "button": buttons[number % 4], "id": number} for number in range(10_000)]
    with Client(socket_path) as flooding:
        sending = threading.Thread(target=flooding.send, args=flood)
        sending.start()
        began = time.monotonic()
        assert client.press("seat.2.floor")["taken"], "the others go on"
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


def test_a_flood_that_nobody_reads_the_answers_of_is_bounded(
    local_table: LocalTable, socket_path: Path, client: Client
) -> None:
    assert local_table.server is not None
    with Client(socket_path) as flooding:
        sending = threading.Thread(
            target=flooding.pour, args=(b'{"type":"press","button":"nonsense"}\n' * 100_000,)
        )
        sending.start()
        until(lambda: most_answers(local_table) > 50, "a pile of answers")
        for _ in range(50):
            began = time.monotonic()
            client.press("seat.1.floor")
            assert time.monotonic() - began < PROMPT
            assert most_answers(local_table) <= MOST_ANSWERS + MOST_WAITING
    sending.join(DEADLINE)
    assert not sending.is_alive()
    until(
        lambda: local_table.server is not None and len(local_table.server._clients) == 1,
        "the end of the flood",
    )


def most_answers(local_table: LocalTable) -> int:
    assert local_table.server is not None
    return max((len(client.answers) for client in tuple(local_table.server._clients)), default=0)


def test_a_subscriber_who_never_reads_costs_nothing(
    local_table: LocalTable, socket_path: Path, client: Client
) -> None:
    """The loop goes on, the others are told promptly, and what waits for the sleeper is bounded."""
    assert local_table.server is not None
    client.subscribe(frames=True)
    with ExitStack() as sleepers:
        for _ in range(5):
            sleepers.enter_context(Client(socket_path)).send({"type": "subscribe", "frames": True})
        until(
            lambda: local_table.server is not None and len(local_table.server._clients) == 6, "the sleepers"
        )
        frame = messages.encode(FrameMessage("00" * 3 * 338))
        number = 0
        while number < 20_000 or sleeping(local_table) < 5:
            number += 500
            for _ in range(500):
                local_table.server.publish_frame(frame)
            began = time.monotonic()
            client.press("centre")
            assert time.monotonic() - began < PROMPT
        before = client.subscribe()["version"]
        began = time.monotonic()
        client.take("seat.1.floor")
        client.until(lambda shown: shown["version"] > before)
        assert time.monotonic() - began < PROMPT
        assert max(unread(local_table)) < 300_000
        assert sleeping(local_table) >= 5, "they did sleep"


def unread(local_table: LocalTable) -> list[int]:
    """The bytes that wait for each client, beyond what its socket holds."""
    assert local_table.server is not None
    return [each.writer.transport.get_write_buffer_size() for each in tuple(local_table.server._clients)]


def sleeping(local_table: LocalTable) -> int:
    return sum(size > 0 for size in unread(local_table))


def test_one_who_wakes_up_is_told_the_latest_only(local_table: LocalTable, socket_path: Path) -> None:
    assert local_table.server is not None
    with Client(socket_path) as sleeper:
        sleeper.subscribe(frames=True)
        frames = [messages.encode(FrameMessage(f"{number:06x}" * 338)) for number in range(5000)]
        for frame in frames:
            local_table.server.publish_frame(frame)
        assert local_table.press("seat.1.floor").taken
        told = 0
        while not sleeper.snapshot["seats"][0]["taken"]:
            told += 1
            sleeper.read()
        assert told < 1000, "what was old was skipped"


def test_more_clients_than_there_is_room_for_are_told_so(local_table: LocalTable, socket_path: Path) -> None:
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
        until(lambda: is_served(socket_path), "a place for the next one")
        assert many[-1].press("nothing")["why"] == "unknown_button"


def is_served(socket_path: Path) -> bool:
    """Whether there is a place for one more client."""
    with Client(socket_path) as client, suppress(OSError):
        client.send({"type": "press", "button": "nothing"})
        return bool(client.answer()["type"] == "answer")
    return False


def test_clients_who_vanish_leave_nothing_behind(local_table: LocalTable, socket_path: Path) -> None:
    assert local_table.server is not None
    server = local_table.server
    for number in range(150):
        with (
            Client(socket_path) as client,
            suppress(BrokenPipeError),
        ):  # more may come at once than there is room for
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
        lambda: is_served(socket_path), "an end of the rush"
    )  # all who came before are known to the server by now
    until(lambda: not server._clients and not server._connections, "all to be gone and forgotten")
    assert local_table.snapshot["seats"][0]["taken"], "a press of one who left at once counts"
    assert not server.frames_wanted


def test_one_who_only_stopped_writing_is_still_answered(client: Client) -> None:
    client.send(
        {"type": "press", "button": "seat.1.floor", "id": 1},
        {"type": "press", "button": "seat.1.floor", "id": 2},
    )
    client.end_writing()
    assert [message.get("why") for message in client.read_to_end()] == [None, "seat_taken"]


# --- Beginning and end -----------------------------------------------------------------------------------


def test_a_socket_left_by_a_killed_table_is_replaced(socket_path: Path) -> None:
    socket_path.touch()
    server = SocketServer(socket_path, {}, lambda request: None)
    server.start()
    with Client(socket_path) as client:
        client.send_bytes(b"?\n")
        assert "error" in client.read()
    server.close()
    assert not socket_path.exists()


def test_a_path_that_cant_be_had_is_named(short: Path) -> None:
    server = SocketServer(short / "missing" / "table.sock", {}, lambda request: None)
    with pytest.raises(
        HardwareError, match=r"missing/table\.sock: the table's socket can't be made: No such file"
    ):
        server.start()
    server.close()


def test_it_closes_just_when_it_could_not_begin(short: Path) -> None:
    """Its thread had closed its loop, and was told to stop it."""
    for _ in range(100):
        server = SocketServer(short / "missing" / "table.sock", {}, lambda request: None)
        with pytest.raises(HardwareError):
            server.start()
        server.close()


def test_who_comes_just_when_it_ends_leaves_nothing_behind(
    socket_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The pages call again when the table hangs up: `Task was destroyed` was its last word then."""
    for _ in range(20):
        server = SocketServer(socket_path, {}, lambda request: None)
        server.start()
        guests = [threading.Thread(target=call_again, args=(socket_path,)) for _ in range(3)]
        for guest in guests:
            guest.start()
        server.close()
        for guest in guests:
            guest.join(DEADLINE)
        assert not any(guest.is_alive() for guest in guests)
    gc.collect()
    assert caplog.messages == []


def call_again(path: Path) -> None:
    """Come and go until nobody is there any more."""
    with suppress(OSError):
        while True:
            with Client(path) as client, suppress(BrokenPipeError):
                client.send({"type": "subscribe"})


def test_it_closes_though_presses_were_never_answered(socket_path: Path) -> None:
    """The loop may have ended before it came to them."""
    asked: list[Request] = []
    server = SocketServer(socket_path, {}, asked.append)
    server.start()
    with Client(socket_path) as client, Client(socket_path) as half_closed, Client(socket_path) as sleeper:
        sleeper.send({"type": "subscribe", "frames": True})
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
        request.answer(messages.taken(request.message))  # too late, and no fault
