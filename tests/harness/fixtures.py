"""Fixtures: running tables, tables in this process, clients, and Chromium."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.harness.client import Client
from tests.harness.local_table import LocalTable
from tests.harness.pages import ARGUMENTS, CHROMIUM, PATIENCE
from tests.harness.running import RunningTable

StartTable = Callable[..., RunningTable]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def start(data: Path) -> Iterator[StartTable]:
    """Start `azul-table play` on the data folder or another; every table ends with the test."""
    with ExitStack() as started:

        def start_table(*options: str, folder: Path = data, **settings: Any) -> RunningTable:
            return started.enter_context(RunningTable(folder, *options, **settings)).ready()

        yield start_table


@pytest.fixture
def socket_path(short: Path) -> Path:
    return short / "table.sock"


@pytest.fixture
def local_table(short: Path, socket_path: Path) -> Iterator[LocalTable]:
    """A table in this process with a socket server."""
    with LocalTable(short / "azul-table.db", socket=socket_path) as local_table:
        yield local_table


@pytest.fixture
def client(local_table: LocalTable, socket_path: Path) -> Iterator[Client]:
    with Client(socket_path) as client:
        yield client


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path for Unix sockets that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="azul-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, whose `expect` waits as long as the other waits of the tests."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE)
    yield browser
    browser.close()
