"""Fixtures: a fake daemon, the pages in this process, and the pages in a process of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.web_ui import scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.app import create_app
from web_ui.latest import Frame, Latest, Presence, View
from web_ui.table_link import TableLink

StartPages = Callable[..., "PagesProcess"]

LEASE_CHECK = 0.05
"""Seconds after which the link of the tests looks whether frames are still wanted."""


@pytest.fixture
def socket_path() -> Iterator[Path]:
    """A path short enough for a Unix socket, in a folder that user nobody can read."""
    folder = Path(tempfile.mkdtemp(prefix="azul-"))
    folder.chmod(0o755)
    yield folder / "table.sock"
    shutil.rmtree(folder)


@pytest.fixture
def daemon(socket_path: Path) -> Iterator[FakeDaemon]:
    """A fake daemon whose lights are off."""
    fake = FakeDaemon(socket_path, scenes.layout())
    fake.colours = scenes.dark(fake.layout)
    yield fake
    fake.stop()


@pytest.fixture
def link(socket_path: Path) -> Iterator[TableLink]:
    table_link = TableLink(socket_path, Latest(), lease_check=LEASE_CHECK)
    table_link.start()
    yield table_link
    table_link.close()


@pytest.fixture
def client(link: TableLink) -> FlaskClient:
    """A client of the pages in this process."""
    return create_app(link).test_client()


@pytest.fixture
def client_without_time(link: TableLink) -> FlaskClient:
    """A client of the pages whose rate limits are never refilled, however slow the requests are."""
    return create_app(link, clock=lambda: 0.0).test_client()


def show(daemon: FakeDaemon, link: TableLink, scene: Message) -> None:
    """Send a scene, and wait until the pages have it."""
    daemon.play(scene)
    until(link, scene["version"])


def until(link: TableLink, version: int) -> View:
    """Wait for the snapshot of a version and return its view; fail after TIMEOUT."""
    view = link.latest.view
    while json.loads(view.raw or b"{}").get("version") != version or view.presence is not Presence.HERE:
        view = newer(link, view)
    return view


def until_presence(link: TableLink, presence: Presence) -> View:
    """Wait for a presence and return the view."""
    view = link.latest.view
    while view.presence is not presence:
        view = newer(link, view)
    return view


def until_frame(link: TableLink, after: Frame) -> Frame:
    """Wait for the next frame; skip views."""
    view, frame = link.latest.view, after
    while frame.number == after.number:
        link.latest.want_frames(TIMEOUT)
        fresh, frame = link.latest.wait_for_frame(view.number, after.number, TIMEOUT)
        assert (fresh.number, frame.number) != (view.number, after.number), "no frame came"
        view = fresh
    return frame


def newer(link: TableLink, view: View) -> View:
    fresh = link.latest.wait_for_view(view.number, TIMEOUT)
    assert fresh.number > view.number, "no news from the table"
    return fresh


class PagesProcess:
    """The web process, started as the daemon starts it."""

    def __init__(self, path: Path, *options: str, pass_fds: tuple[int, ...] = ()) -> None:
        command = [sys.executable, "-P", "-m", "web_ui", "--socket", str(path), "--follow-parent", *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=pass_fds
        )

    def address(self) -> Browser:
        """Return a browser for these pages, once the process has printed its address."""
        assert self.process.stdout is not None
        printed = self.process.stdout.readline().decode().strip()
        return Browser(int(printed.rstrip("/").rpartition(":")[2]))

    def wait(self) -> int:
        return self.process.wait(TIMEOUT)

    def __enter__(self) -> PagesProcess:
        return self

    def __exit__(self, *fault: object) -> None:
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)


@pytest.fixture
def start_pages(daemon: FakeDaemon) -> Iterator[StartPages]:
    """Start the web process of the fake daemon with some options."""
    with ExitStack() as started:

        def start(*options: str, pass_fds: tuple[int, ...] = ()) -> PagesProcess:
            return started.enter_context(PagesProcess(daemon.path, *options, pass_fds=pass_fds))

        yield start


@pytest.fixture
def browser(start_pages: StartPages) -> Browser:
    """A browser for pages in a process of their own."""
    return start_pages("--port", "0").address()
