"""The web process: sockets, privileges, signals, options."""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.web_ui import scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.conftest import StartPages
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon
from web_ui.__main__ import main
from web_ui.server import PrivilegesError, drop_privileges

IMPORTS_NOTHING_LATE = """
import sys
from pathlib import Path
from tests.web_ui.fake_daemon import FakeDaemon
from web_ui.app import create_app, warm_up
from web_ui.latest import Latest
from web_ui.table_link import TableLink
from waitress.server import create_server

link = TableLink(Path(sys.argv[1]), Latest())
app = create_app(link)
warm_up(app)
before = set(sys.modules)

from tests.web_ui import scenes
client = app.test_client()
link.start()
view = link.latest.view
while view.snapshot is None:
    view = link.latest.wait_for_view(view.number, 10)
tests_own = set(sys.modules)
post = {"method": "POST", "headers": {"Content-Type": "application/json", "Accept-Language": "de"}}
for path, given in (
    ("/", {}), ("/table", {"headers": {"If-None-Match": "*"}}), ("/state", {}),
    ("/regions?page=table", {}),
    ("/nothing", {}), ("/action", {**post, "data": "{"}),
    ("/action", {**post, "data": '{"type":"press","button":"ok"}'}),
    ("/action", {**post, "data": "x" * 5000}),
    ("/action", {**post, "data": '{"type":"name","seat":1,"name":"Ana"}'}), ("/", post),
):
    client.open(path, **given).close()
client.get("/events?page=table", buffered=False).close()
late = set(sys.modules) - tests_own
link.close()
sys.exit(f"imported late: {sorted(late)}" if late else 0)
"""


def test_it_serves_on_an_inherited_socket(daemon: FakeDaemon, start_pages: StartPages) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        start_pages("--listen-fd", str(number), pass_fds=(number,))
        assert Browser(listening.getsockname()[1]).ask("/").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_open_streams(start_pages: StartPages, number: int) -> None:
    pages = start_pages("--port", "0", "--streams", "3")
    browser = pages.address()
    with browser.stream() as phone, browser.stream("table") as twin:
        phone.next("news")
        twin.next("news")
        pages.process.send_signal(number)
        assert pages.wait() == 0
        assert phone.at_end()
        assert twin.at_end()
    assert pages.process.stderr is not None
    assert pages.process.stderr.read() == b""


def test_it_ends_with_its_parent(start_pages: StartPages) -> None:
    pages = start_pages("--port", "0")
    browser = pages.address()
    with browser.stream() as stream:
        stream.next("hello")
        assert pages.process.stdin is not None
        pages.process.stdin.close()
        assert pages.wait() == 0
        pages.process.stdin = None


def test_it_warms_up_without_a_query_and_drops_its_privileges(
    daemon: FakeDaemon, start_pages: StartPages
) -> None:
    pages = start_pages("--port", "0")
    browser = pages.address()
    daemon.play(scenes.offer())
    assert browser.ask("/").status == 200
    with open(f"/proc/{pages.process.pid}/status", encoding="ascii") as file:  # noqa: PTH123
        status = {name: value.split() for name, _, value in (line.partition(":") for line in file)}
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.geteuid()
    assert status["Uid"] == [str(user)] * 4
    assert status["NoNewPrivs"] == ["1"]
    if os.geteuid() == 0:
        assert status["Groups"] == []
        assert status["CapEff"] == ["0" * 16]
    assert daemon.asked.empty(), "bug fixed: warming up queried past games, and waited for the answer"
    assert browser.press("ok").json == {"taken": True}, "the table can still be reached"


@pytest.mark.system
def test_nothing_is_imported_after_privileges_are_dropped(daemon: FakeDaemon) -> None:
    daemon.play(scenes.offer())
    command = [sys.executable, "-c", IMPORTS_NOTHING_LATE, str(daemon.path)]
    subprocess.run(command, check=True, timeout=TIMEOUT, env={**os.environ, "PYTHONPATH": "."})


def test_a_user_that_can_not_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(PrivilegesError, match="no user 'nobody-at-all' here"):
        drop_privileges("nobody-at-all")
    with pytest.raises(PrivilegesError, match="is root"):
        drop_privileges("root")


@pytest.fixture
def signals() -> Iterator[None]:
    """Restore the signals that `main` blocks."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        ((), 2, "--socket"),
        (("--socket", "/tmp/x", "--listen-fd", "3", "--port", "1"), 2, "--listen-fd can't be used with"),
        (("--socket", "/tmp/x", "--port", "70000"), 2, "--port must be 0 to 65535"),
        (("--socket", "/tmp/x", "--streams", "0"), 2, "--streams must be at least 1"),
        (("--socket", "/tmp/x", "--listen-fd", "999"), 1, "can't listen"),
        (("--socket", "/tmp/x", "--host", "203.0.113.9"), 1, "can't listen"),
        (("--socket", "/tmp/x", "--host", "küche..local"), 1, "can't listen"),
    ],
)
def test_invalid_options_are_reported(
    options: tuple[str, ...], status: int, says: str, signals: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(options))
    printed = capsys.readouterr()
    code = ended.value.code
    message = code if isinstance(code, str) else printed.err  # a text is printed, and means status 1
    assert (1 if isinstance(code, str) else code) == status
    assert says in message
    assert printed.out == ""
