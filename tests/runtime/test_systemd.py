"""The service manager: notifications over a real socket, and socket activation."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.runtime.systemd import PINGS, ServiceManager
from tests.harness.running import COMMAND, RunningTable
from tests.harness.waiting import DEADLINE, until
from tests.web_ui.browsing import Browser

OWN = 4711


@pytest.fixture
def line(tmp_path: Path) -> Iterator[socket.socket]:
    """Return the socket on which a service manager listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(str(tmp_path / "notify"))
        bound.settimeout(DEADLINE)
        yield bound


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def heard(line: socket.socket) -> list[str]:
    """Return all notifications so far."""
    line.settimeout(0)
    words = []
    try:
        while True:
            words.append(line.recv(1000).decode())
    except BlockingIOError:
        return words
    finally:
        line.settimeout(DEADLINE)


def manager(line: socket.socket, clock: Clock, environment: dict[str, str]) -> ServiceManager:
    return ServiceManager({"NOTIFY_SOCKET": line.getsockname(), **environment}, OWN, clock)


def test_ready_and_stopping_are_notified(line: socket.socket) -> None:
    service = manager(line, Clock(), {})
    service.ready()
    service.stopping()
    assert heard(line) == ["READY=1", "STOPPING=1"]


def test_the_watchdog_is_notified_several_times_in_its_interval(line: socket.socket) -> None:
    clock = Clock()
    service = manager(line, clock, {"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(OWN)})
    rounds = 0
    while clock.now < 112.0:
        service.alive()
        clock.now += 0.05
        rounds += 1
    assert rounds >= 240
    assert len(heard(line)) in range(4 * PINGS - 2, 4 * PINGS + 1)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": ""},
    ],
)
def test_no_watchdog_notifications_for_another_process_or_none(
    line: socket.socket, environment: dict[str, str]
) -> None:
    service = manager(line, Clock(), environment)
    service.alive()
    service.ready()
    assert heard(line) == ["READY=1"]


def test_an_abstract_socket_address_is_used() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(f"\0azul-table-test-{os.getpid()}")
        bound.settimeout(DEADLINE)
        ServiceManager({"NOTIFY_SOCKET": f"@azul-table-test-{os.getpid()}"}, OWN).ready()
        assert bound.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["", "/nobody/is/here", "vsock:2:1234", "@nobody-is-here"])
def test_a_missing_service_manager_is_ignored(address: str) -> None:
    environment = {"NOTIFY_SOCKET": address} if address else {}
    service = ServiceManager(environment, OWN)
    service.ready()
    service.alive()
    service.stopping()
    assert service.port() is None


@pytest.mark.slow
def test_a_service_manager_that_does_not_read_is_not_waited_for(line: socket.socket) -> None:
    service = manager(line, Clock(), {})
    for _ in range(10_000):
        service.ready()
    assert set(heard(line)) == {"READY=1"}


def test_the_variables_are_removed_from_the_environment(line: socket.socket) -> None:
    environment = {
        "NOTIFY_SOCKET": line.getsockname(),
        "WATCHDOG_USEC": "1",
        "WATCHDOG_PID": str(OWN),
        "LISTEN_FDS": "2",
        "LISTEN_PID": str(OWN),
        "LISTEN_FDNAMES": "a:b",
        "HOME": "/",
    }
    ServiceManager(environment, OWN)
    assert environment == {"HOME": "/"}


@pytest.mark.parametrize(
    "environment", [{"LISTEN_FDS": "1", "LISTEN_PID": "1"}, {"LISTEN_FDS": "2", "LISTEN_PID": str(OWN)}]
)
def test_sockets_of_another_process_are_not_taken(environment: dict[str, str]) -> None:
    assert ServiceManager(environment, OWN).port() is None


@pytest.mark.system
def test_a_running_table_sends_all_notifications(
    tmp_path: Path, line: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", line.getsockname())
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    with RunningTable(tmp_path / "data") as table:
        assert line.recv(100) == b"READY=1"
        until(lambda: table.snapshot()["stage"] == "seating", "the table")
        assert [line.recv(100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        heard(line)  # what is not heard fills the line, and then the last word is lost
        table.process.send_signal(signal.SIGTERM)
        while (word := line.recv(100)) == b"WATCHDOG=1":
            continue
        assert word == b"STOPPING=1"
        assert table.process.wait(DEADLINE) == 0


@pytest.mark.system
def test_a_killed_table_sends_nothing_more(
    tmp_path: Path, line: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", line.getsockname())
    with RunningTable(tmp_path / "data") as table:
        assert line.recv(100) == b"READY=1"
        table.process.kill()
        table.process.wait(DEADLINE)
        assert heard(line) == []


@pytest.mark.system
def test_a_table_uses_the_socket_that_it_is_handed(tmp_path: Path) -> None:
    """It opens no port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        script = f'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&{listening.fileno()}'
        command = [str(COMMAND), "play", "--data", str(tmp_path / "data")]
        with (tmp_path / "out").open("wb") as out:
            table = subprocess.Popen(
                ["/bin/bash", "-c", script, "table", *command],
                stdout=out,
                stderr=out,
                pass_fds=(listening.fileno(),),
            )
        try:
            until(lambda: "For phones" in (tmp_path / "out").read_text(), "the table's addresses")
            assert f":{port}/table" in (tmp_path / "out").read_text()
            assert Browser(port).ask("/").status == 200
        finally:
            table.terminate()
            assert table.wait(DEADLINE) == 0
