"""Nothing on a page is stale: dead networks, hung tables and stopped pages are shown; no action is late."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import BrowserContext, Page, expect

from device.bench.proxy import FreezingProxy
from tests.harness.fixtures import StartTable
from tests.harness.running import RunningTable
from tests.harness.waiting import until
from tests.web_ui import scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.conftest import PagesProcess, StartPages
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon

PATIENCE = 1000 * TIMEOUT
"""Milliseconds."""
TURN = "[data-region=turn]"
KNOWS_THE_TIME = """() => {
    const script = document.querySelector("[rel=modulepreload][href$='/live.js']").href;
    return import(script).then((live) => live.serverTime(0));
}"""
"""Waits for the first heartbeat: before that, a press waits in the page."""
NO_WORKER = "delete window.SharedWorker"


@contextmanager
def frozen(process: int) -> Iterator[None]:
    """Stop a process, and let it go on."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


@pytest.fixture
def context(chromium: Chromium) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(params=[True, False], ids=["worker", "no-worker"])
def either_context(context: BrowserContext, request: pytest.FixtureRequest) -> BrowserContext:
    """A browser with SharedWorker, and one without, as on Android."""
    if not request.param:
        context.add_init_script(NO_WORKER)
    return context


@pytest.fixture
def proxy(daemon: FakeDaemon, browser: Browser) -> Iterator[FreezingProxy]:
    """A proxy to pages that show an offer."""
    daemon.play(scenes.offer(1, asked="q1"))
    browser.until_version(1)
    with FreezingProxy(browser.port) as proxy:
        yield proxy


def open_page(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    expect_connection(page, "live")
    page.evaluate(KNOWS_THE_TIME)
    return page


def expect_connection(page: Page, connection: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-connection", connection)


def press(page: Page, button: str = "display.3") -> None:
    """Press a button of the twin; nothing waits for it to be pressable."""
    page.locator(f"svg [data-button='{button}']").dispatch_event("click")


def test_a_network_that_dies_silently_is_shown_and_blocks_presses(
    daemon: FakeDaemon, proxy: FreezingProxy, either_context: BrowserContext
) -> None:
    """Bug fixed: such a page showed the old turn for more than 90 s."""
    page = open_page(either_context, f"{proxy.origin}/table?face=hardware")
    proxy.freeze()
    expect_connection(page, "lost")
    expect(page.locator("#lost")).to_contain_text("Is this device still in the table's network?")
    press(page, "display.1")
    daemon.play(scenes.refused(2, asked="q2"))
    proxy.thaw()
    expect_connection(page, "live")
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator(TURN)).to_contain_text("That line is full.")
    press(page, "display.2")
    assert daemon.asked.get(timeout=TIMEOUT) == {
        "type": "press",
        "button": "display.2",
        "asked": "q2",
        "physical": True,
    }
    assert daemon.asked.empty()


def test_a_network_that_has_lost_all_connections_is_reached_by_new_ones(
    daemon: FakeDaemon, proxy: FreezingProxy, either_context: BrowserContext
) -> None:
    page = open_page(either_context, proxy.origin)
    proxy.freeze()
    expect_connection(page, "lost")
    daemon.play(scenes.refused(2))
    proxy.replace()
    expect_connection(page, "live")
    expect(page.locator("body")).to_contain_text("That line is full.")


def test_a_press_that_the_network_delayed_is_not_played(
    daemon: FakeDaemon, proxy: FreezingProxy, context: BrowserContext
) -> None:
    """Bug fixed: a press was played 40 s later, when the network came back."""
    page = open_page(context, f"{proxy.origin}/table?face=hardware")
    proxy.freeze()
    press(page, "display.1")
    expect(page.locator("#answer")).to_contain_text("this page has stopped waiting")
    proxy.thaw()
    assert "409" in proxy.response("HTTP/1.1 409"), "the press arrives, late"
    expect_connection(page, "live")
    press(page, "display.2")
    assert daemon.asked.get(timeout=TIMEOUT)["button"] == "display.2"
    assert daemon.asked.empty()


def test_stopped_pages_are_shown_and_play_no_old_press(
    daemon: FakeDaemon, start_pages: StartPages, context: BrowserContext
) -> None:
    pages = start_pages("--port", "0")
    browser = pages.address()
    daemon.play(scenes.offer(1))
    browser.until_version(1)
    with FreezingProxy(browser.port) as proxy:
        page = open_page(context, f"{proxy.origin}/table?face=hardware")
        with frozen(pages.process.pid):
            press(page, "display.1")
            expect(page.locator("#answer")).to_contain_text("this page has stopped waiting")
            expect_connection(page, "lost")
        proxy.response("HTTP/1.1 409")
        expect_connection(page, "live")
        press(page, "display.2")
        assert daemon.asked.get(timeout=TIMEOUT)["button"] == "display.2"
        assert daemon.asked.empty()


def test_pages_that_were_killed_come_back_and_play_no_press_for_the_earlier_process(
    daemon: FakeDaemon, start_pages: StartPages, context: BrowserContext
) -> None:
    first = start_pages("--port", "0")
    browser = first.address()
    daemon.play(scenes.offer(1))
    browser.until_version(1)
    page = open_page(context, f"{browser.origin}/table?face=hardware")
    made = browser.ask("/beat").text
    first.process.kill()
    first.process.wait(TIMEOUT)
    expect_connection(page, "lost")
    with PagesProcess(daemon.path, "--port", str(browser.port)) as second:
        second.address()
        expect_connection(page, "live")
        late = post(browser, "display.1", "an id", made)
        assert late == (409, "That came too late, so nothing was changed. Please try again.")
        press(page, "display.2")
        assert daemon.asked.get(timeout=TIMEOUT)["button"] == "display.2"
        assert daemon.asked.empty()


def post(browser: Browser, button: str, name: str, made: str = "") -> tuple[int, str]:
    """Post a press with an id and a time; return the status and the sentence."""
    headers = {"Content-Type": "application/json", "Azul-Action": name, "Azul-Made": made}
    body = b'{"type":"press","button":"%b"}' % button.encode()
    reply = browser.ask("/action", method="POST", body=body, headers=headers)
    return reply.status, reply.json.get("error", "")


def test_a_table_that_hangs_is_shown_until_it_answers(
    daemon: FakeDaemon, browser: Browser, either_context: BrowserContext
) -> None:
    daemon.play(scenes.offer(1))
    browser.until_version(1)
    page = open_page(either_context, f"{browser.origin}/")
    daemon.beating = False
    expect_connection(page, "hung")
    expect(page.locator(TURN)).to_contain_text("The table does not answer")
    expect(page.locator("#lost")).to_be_visible()
    expect(page.locator("#lost")).to_contain_text("switch the table off and on again")
    daemon.beating = True
    expect_connection(page, "live")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ana's turn")
    expect(page.locator("#lost")).to_be_hidden()


@pytest.fixture
def seated(start: StartTable) -> RunningTable:
    """A real table with a player at two places."""
    table = start()
    with table.client() as client:
        client.take("seat.1.floor", "seat.2.floor")
    until(lambda: table.browser.ask("/state").status == 200, "the table on its pages")
    return table


def test_a_stopped_table_is_shown_and_does_no_press_of_that_time(
    seated: RunningTable, context: BrowserContext
) -> None:
    page = open_page(context, f"{seated.browser.origin}/table?face=hardware")
    with frozen(seated.process.pid):
        assert post(seated.browser, "seat.3.floor", "one")[0] == 504
        expect_connection(page, "hung")
        press(page, "seat.4.floor")
    expect_connection(page, "live")
    with seated.client() as client:
        snapshot = client.subscribe()
        assert [seat["taken"] for seat in snapshot["seats"]] == [True, True, False, False]
        client.take("seat.3.floor")
    expect(page.locator("#lost")).to_be_hidden()


def test_a_repeated_press_is_done_once(seated: RunningTable) -> None:
    """It takes a seat, and would leave it again."""
    for _ in range(3):
        assert post(seated.browser, "seat.3.floor", "the same id") == (200, "")
    assert seated.snapshot()["seats"][2]["taken"]


def test_eight_tabs_share_a_stream(daemon: FakeDaemon, proxy: FreezingProxy, context: BrowserContext) -> None:
    """Bug fixed: a browser opens six connections, so that the seventh tab got nothing."""
    tabs = [open_page(context, proxy.origin) for _ in range(8)]
    daemon.play(scenes.refused(2))
    for tab in tabs:
        expect(tab.locator(TURN)).to_contain_text("That line is full.")
    assert proxy.streams() == 1
    tabs[0].close()
    daemon.play(scenes.over(3))
    for tab in tabs[1:]:
        expect(tab.locator(TURN)).to_contain_text("Ana wins")
        expect_connection(tab, "live")
    late = open_page(context, proxy.origin)
    daemon.play(scenes.offer(4))
    expect(late.get_by_role("heading", level=1)).to_have_text("Ana's turn")
    assert proxy.streams() == 0


def test_a_tab_whose_worker_dies_goes_on_by_itself(
    daemon: FakeDaemon, browser: Browser, chromium: Chromium, context: BrowserContext
) -> None:
    daemon.play(scenes.offer(1))
    browser.until_version(1)
    page = open_page(context, browser.origin)
    control = chromium.new_browser_cdp_session()
    targets = control.send("Target.getTargets")["targetInfos"]
    workers = [
        each["targetId"]
        for each in targets
        if f":{browser.port}/" in each["url"] and each["type"] == "shared_worker"
    ]
    assert len(workers) == 1
    control.send("Target.closeTarget", {"targetId": workers[0]})
    until(lambda: not is_listed(control.send("Target.getTargets"), workers[0]), "the end of the worker")
    daemon.play(scenes.refused(2))
    expect(page.locator(TURN)).to_contain_text("That line is full.")
    expect_connection(page, "live")


def is_listed(targets: dict[str, list[dict[str, str]]], target: str) -> bool:
    return any(each["targetId"] == target for each in targets["targetInfos"])


@pytest.mark.parametrize("path", ["/", "/table", "/tags"])
def test_every_live_page_shows_a_lost_connection(
    proxy: FreezingProxy, context: BrowserContext, path: str
) -> None:
    page = open_page(context, proxy.origin + path)
    proxy.freeze()
    expect_connection(page, "lost")
    expect(page.locator("#lost")).to_be_visible()
    proxy.thaw()
    expect_connection(page, "live")
    expect(page.locator("#lost")).to_be_hidden()
