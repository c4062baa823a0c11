"""Pages of a table in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, Page

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
DESKTOP: Final = (1280, 900)
PHONE: Final = (360, 740)


@contextmanager
def page_of(
    chromium: Browser, address: str, size: tuple[int, int] = PHONE, expected: str = ""
) -> Iterator[Page]:
    """A page whose every complaint fails the test, but for those of an expected pattern."""
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(60_000)
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
