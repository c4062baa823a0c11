"""Pages of a running table in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page

from tests.harness.client import Message
from tests.harness.running import RunningTable
from tests.harness.waiting import DEADLINE, until
from tests.web_ui.browsing import Browser as Asking
from tests.web_ui.browsing import Reply

CHROMIUM: Final = "/usr/bin/chromium"
ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE: Final = 1000 * DEADLINE
"""Milliseconds."""
DESKTOP: Final = (1280, 900)
PHONE: Final = (360, 740)


@contextmanager
def page_of(
    chromium: Browser,
    address: str,
    size: tuple[int, int] = PHONE,
    expected: str = "",
    *,
    locale: str = "en-GB",
) -> Iterator[Page]:
    """Open a page; errors and warnings fail the test unless they match a pattern.

    It is opened once the pages have a snapshot: before that, the page reloads itself.
    """
    here = urlsplit(address)
    pages = Asking(here.port or 80, here.hostname or "")
    until(lambda: pages.ask("/state").status == 200, "the table on its pages")
    complaints: list[str] = []
    context = chromium.new_context(
        viewport={"width": size[0], "height": size[1]}, locale=locale, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on(
        "console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"{request.url}: {request.failure}"))
    page.on(
        "response",
        lambda answer: complaints.append(f"{answer.url}: {answer.status}") if answer.status >= 400 else None,
    )
    page.goto(address)
    yield page
    page.wait_for_load_state("load")
    unexpected = [each for each in complaints if not expected or not re.search(expected, each)]
    assert not unexpected, unexpected
    context.close()


SHOWN: Final = """([epoch, number, patience]) => new Promise((resolve) => {
    const end = Date.now() + patience;
    const look = () => {
        const [of, shown] = (document.documentElement.dataset.stamp ?? "").split(".");
        if (of === epoch && Number(shown) >= number) resolve(true);
        else if (Date.now() > end) resolve(false);
        else setTimeout(look, 10);
    };
    look();
})"""
"""Wait in the page until it shows a view of the process of the pages, or a newer one."""


def wait_until_shown(table: RunningTable, *pages: Page) -> Message:
    """Wait until pages show the present snapshot or a newer one; return its state.

    A press on a page that is about to change may hit a control that is gone.
    """
    version = table.snapshot()["version"]
    reply = until(lambda: _state(table, version), "the table's state on its pages")
    epoch, _, number = reply.headers["ETag"].strip('"').rpartition(".")
    for page in pages:
        until(partial(_shows, page, epoch, int(number)), "a page that shows the table's state")
    state: Message = reply.json
    return state


def _shows(page: Page, epoch: str, number: int) -> bool:
    try:
        return bool(page.evaluate(SHOWN, [epoch, number, PATIENCE]))
    except Error:  # the page has loaded itself again
        return False


def _state(table: RunningTable, version: int) -> Reply | None:
    reply = table.browser.ask("/state")
    return reply if reply.status == 200 and reply.json["version"] >= version else None


def advance_scoring(table: RunningTable, state: Message) -> None:
    """Skip a step of a score animation; wait for the last steps of a game instead.

    After those, `ok` begins another game.
    """
    if all(step["step"] != "bonus" for step in state["account"]["steps"]):
        table.browser.press("ok")
    else:
        until(lambda: table.snapshot()["version"] > state["version"], "the next step of the scoring")
