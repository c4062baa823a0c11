"""The pages in Chromium: layout, clicks, keys, event streams and polling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import APIResponse, ConsoleMessage, Error, Page, Route, ViewportSize, expect
from playwright.sync_api import Browser as Chromium

from device.rules.tiles import Colour
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.conftest import PagesProcess, StartPages
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message, take_all
from tests.web_ui.test_settings_page import NOW
from web_ui.text.rulebook import MODES

PHONE: ViewportSize = {"width": 360, "height": 740}
PATIENCE = 1000 * TIMEOUT
"""Milliseconds."""

NOTE_HEADINGS = """() => {
    window.headings = [];
    const note = () => headings.push(document.querySelector("h1").textContent);
    const everything = { subtree: true, childList: true, characterData: true };
    new MutationObserver(note).observe(document.body, everything);
}"""
STICKS_OUT = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


# --- One process of the pages and one tab for most tests of this module -----------------------------------


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[FakeDaemon]:
    with TemporaryDirectory(prefix="azul-") as folder:
        Path(folder).chmod(0o755)  # the pages run as another user
        daemon = FakeDaemon(Path(folder, "table.sock"), scenes.layout())
        yield daemon
        daemon.stop()


@pytest.fixture(scope="module")
def shared_browser(shared_daemon: FakeDaemon) -> Iterator[Browser]:
    with PagesProcess(shared_daemon.path, "--port", "0") as pages:
        yield pages.address()


@pytest.fixture
def daemon(shared_daemon: FakeDaemon) -> FakeDaemon:
    """The fake daemon, without the answers and the lights of the test before."""
    shared_daemon.answer = take_all
    shared_daemon.asked = Queue()
    shared_daemon.colours = scenes.dark(shared_daemon.layout)
    return shared_daemon


@pytest.fixture
def browser(shared_browser: Browser, daemon: FakeDaemon) -> Browser:
    """A browser for the pages, which know a scene that no test plays."""
    begin(daemon, shared_browser, scenes.seating(NO_TEST))
    return shared_browser


NO_TEST = 1_000_000
"""The version of a snapshot between two tests."""


@pytest.fixture(scope="module")
def tab(chromium: Chromium) -> Iterator[Page]:
    context = chromium.new_context(viewport=PHONE, locale="en-GB", color_scheme="dark")
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    yield opened
    context.close()


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """A page that fails the test on any error of its scripts."""
    faults: list[str] = []

    def note_error(fault: Error) -> None:
        faults.append(str(fault))

    def note_message(entry: ConsoleMessage) -> None:
        if entry.type == "error":
            faults.append(entry.text)

    tab.on("pageerror", note_error)
    tab.on("console", note_message)
    yield tab
    tab.remove_listener("pageerror", note_error)
    tab.remove_listener("console", note_message)
    tab.unroute_all()
    tab.goto("about:blank")
    assert not faults


def new_page(chromium: Chromium, locale: str = "en-GB") -> Page:
    """A page that may log some errors."""
    page = chromium.new_page(viewport=PHONE, locale=locale)
    page.set_default_timeout(PATIENCE)
    return page


def begin(daemon: FakeDaemon, browser: Browser, scene: Message) -> None:
    """Play a scene, and go on when the pages know it.

    A page that was loaded before loads itself again, and hands that press meanwhile press nothing.
    """
    daemon.play(scene)
    browser.until_version(scene["version"])


def test_the_phone_page_follows_the_game(daemon: FakeDaemon, browser: Browser, page: Page) -> None:
    begin(daemon, browser, scenes.seating(1))
    page.goto(browser.origin)
    expect(page.get_by_role("heading", level=1)).to_have_text("Everybody here?")
    moments = (
        (scenes.offer(2), "Ana, take tiles"),
        (scenes.refused(3), "That line is full."),
        (scenes.scoring(4), "Scoring"),
        (scenes.over(5), "Ana wins"),
    )
    for scene, sentence in moments:
        daemon.play(scene)
        expect(page.locator("[data-region=turn]")).to_contain_text(sentence)
        assert page.evaluate(STICKS_OUT) == 0


def test_an_open_page_follows_the_language_of_the_settings(
    daemon: FakeDaemon, browser: Browser, page: Page
) -> None:
    begin(daemon, browser, {**scenes.offer(1), "settings": {**NOW, "language": None}})
    page.goto(browser.origin)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    daemon.play({**scenes.offer(2), "settings": {**NOW, "language": "de"}})
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ana ist dran")


def test_the_twin_shows_the_lights_and_takes_clicks_and_keys(
    daemon: FakeDaemon, browser: Browser, page: Page
) -> None:
    daemon.shine(scenes.dark(daemon.layout))
    begin(daemon, browser, scenes.offer(1))
    page.goto(f"{browser.origin}/table?face=hardware")
    light = page.locator("[data-light='display.3.1']")
    expect(light).to_have_attribute("fill", "#000000")
    daemon.play(scenes.chosen(2))
    daemon.shine(scenes.lit(daemon.layout, scenes.chosen(2)))
    expect(light).to_have_attribute("fill", scenes.PALETTE["k"]["rgb"])
    expect(page.locator("svg [data-button='seat.1.line.4']")).to_have_class("button line live")
    assert page.evaluate(STICKS_OUT) == 0
    page.locator("svg [data-button='display.1']").click()
    page.locator("svg [data-button='seat.1.line.4']").click()
    page.locator("svg [data-button='seat.1.floor']").press("Enter")
    page.get_by_role("button", name="undo").first.press(" ")
    pressed = [daemon.asked.get(timeout=TIMEOUT)["button"] for _ in range(4)]
    assert pressed == ["display.1", "seat.1.line.4", "seat.1.floor", "undo"]


def test_a_twin_opened_before_the_table_is_there_draws_it_later_and_notices_its_end(
    socket_path: Path, chromium: Chromium
) -> None:
    with PagesProcess(socket_path, "--port", "0") as pages:
        page = new_page(chromium)
        page.goto(f"{pages.address().origin}/table?face=hardware")
        expect(page.get_by_role("heading", level=1)).to_have_text("One moment…")
        daemon = FakeDaemon(socket_path, scenes.layout())
        daemon.play(scenes.offer(1))
        expect(page.locator("svg [data-button='display.1']")).to_have_attribute("aria-label", "Display 1")
        daemon.stop()
        expect(page.locator("[data-region=turn]")).to_contain_text("this page comes back by itself")
        page.close()


def test_a_page_shows_why_a_press_was_refused_and_keeps_the_focus(
    daemon: FakeDaemon, browser: Browser, page: Page
) -> None:
    begin(daemon, browser, scenes.chosen(1))
    daemon.answer = lambda question: {"taken": False, "why": "line_full"}
    page.goto(browser.origin)
    hand = page.locator("button[data-button='undo']")
    hand.press("Enter")
    expect(page.locator("#answer")).to_have_text("That line is full.")
    daemon.play(scenes.refused(2))
    expect(page.locator("[data-region=turn] .refusal")).to_have_text("That line is full.")
    expect(hand).to_be_focused()


def test_a_refusal_that_news_repeats_is_shown_once(daemon: FakeDaemon, browser: Browser, page: Page) -> None:
    begin(daemon, browser, scenes.chosen(1))
    daemon.answer = lambda question: {"taken": False, "why": "line_full"}
    page.goto(browser.origin)
    page.locator("button[data-button='undo']").click()
    expect(page.locator("#answer")).to_have_text("That line is full.")
    daemon.play(scenes.refused(2))
    expect(page.locator("[data-region=turn] .refusal")).to_have_text("That line is full.")
    expect(page.locator("#answer")).to_be_hidden()


def test_a_press_that_can_not_be_sent_shows_one_message(
    daemon: FakeDaemon, browser: Browser, chromium: Chromium
) -> None:
    begin(daemon, browser, scenes.chosen(1))
    page = new_page(chromium)
    page.goto(browser.origin)
    page.route("**/action", lambda route: route.abort())
    daemon.play(scenes.refused(2))
    expect(page.locator("[data-region=turn] .refusal")).to_have_text("That line is full.")
    page.locator("button[data-button='undo']").click()
    expect(page.locator("#answer")).to_contain_text("this page has stopped waiting")
    expect(page.locator("#lost")).to_be_hidden()
    page.close()


def test_without_a_free_stream_a_page_polls(
    daemon: FakeDaemon, start_pages: StartPages, chromium: Chromium
) -> None:
    browser = start_pages("--port", "0", "--streams", "1").address()
    daemon.play(scenes.seating(1))
    with browser.stream():
        page = new_page(chromium, "de")
        page.goto(browser.origin)
        daemon.play(scenes.offer(2))
        expect(page.get_by_role("heading", level=1)).to_have_text("Ana ist dran")
        page.close()


def test_an_overtaken_polling_response_is_ignored(
    daemon: FakeDaemon, start_pages: StartPages, chromium: Chromium
) -> None:
    browser = start_pages("--port", "0", "--streams", "1").address()
    daemon.play(scenes.seating(1))
    with browser.stream() as only:
        while "Everybody here?" not in only.next("news").data["regions"].get("turn", ""):
            continue
        page = new_page(chromium)
        page.add_init_script("delete window.SharedWorker")  # requests of a worker can't be routed
        held: list[tuple[Route, APIResponse]] = []

        def hold_the_first(route: Route) -> None:
            if held:
                route.continue_()
            else:
                held.append((route, route.fetch()))
                daemon.play(scenes.offer(2))

        page.route("**/regions?*", hold_the_first)
        page.goto(browser.origin)
        expect(page.get_by_role("heading", level=1)).to_have_text("Ana's turn")
        page.evaluate(NOTE_HEADINGS)
        (route, late), *_ = held
        route.fulfill(response=late)
        daemon.play(scenes.refused(3))
        expect(page.get_by_text("That line is full.")).to_be_visible()
        assert page.evaluate('headings.every((heading) => heading === "Ana\'s turn")')
        page.close()


def test_without_scripts_the_page_is_complete_and_reloads(
    daemon: FakeDaemon, browser: Browser, chromium: Chromium
) -> None:
    begin(daemon, browser, scenes.offer(1))
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(browser.origin)
    expect(page.locator("noscript p")).to_contain_text("because scripts are off here")
    daemon.play(scenes.refused(2))
    expect(page.get_by_text("That line is full.")).to_be_visible()
    context.close()


def test_the_phone_page_reports_tiles_and_takes_one_back(
    daemon: FakeDaemon, browser: Browser, page: Page
) -> None:
    begin(daemon, browser, real_tables.reporting("bb", 1))
    page.goto(browser.origin)
    page.get_by_role("button", name="Red", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    assert daemon.asked.get(timeout=TIMEOUT)["colour"] == "r"
    assert daemon.asked.get(timeout=TIMEOUT)["button"] == "undo"
    daemon.answer = lambda question: {"taken": False, "why": "tile_not_left"}
    page.get_by_role("button", name="Blue").click()
    expect(page.locator("#answer")).to_contain_text("look for a tile that was reported wrong")
    assert page.evaluate(STICKS_OUT) == 0


def test_the_drawer_shows_tags_to_the_reader_and_marks_them(
    daemon: FakeDaemon, browser: Browser, page: Page
) -> None:
    begin(daemon, browser, real_tables.reporting("b", 1))
    page.goto(f"{browser.origin}/table?face=hardware")
    expect(page.locator(".tags .used")).to_have_count(1)
    page.locator("#bench > summary").click()
    assert page.evaluate(STICKS_OUT) == 0
    smallest = "Math.min(...[...document.querySelectorAll('[data-tag]')].map((tag) => tag.offsetWidth))"
    assert page.evaluate(smallest) >= 24
    page.get_by_role("button", name="White 20").click()
    assert daemon.asked.get(timeout=TIMEOUT) == {
        "type": "tag",
        "reader": "shared",
        "tag": real_tables.drawer_tag(Colour.WHITE, 20),
    }
    page.get_by_role("button", name="Draw one blindly").click()
    drawn = daemon.asked.get(timeout=TIMEOUT)["tag"]
    assert drawn != real_tables.drawer_tag(Colour.BLUE, 1)
    daemon.play(real_tables.reporting("bw", 2))
    tag = real_tables.drawer_tag(Colour.WHITE, 1)
    expect(page.locator(f"[data-tag='{tag}']")).to_have_attribute("aria-pressed", "true")


def test_no_page_scrolls_sideways(daemon: FakeDaemon, browser: Browser, chromium: Chromium) -> None:
    opened = new_page(chromium, "de")  # the longer words
    moments = [
        real_tables.at_columns(),
        real_tables.until(real_tables.solo(), "choose_square"),
        real_tables.until(real_tables.solo(), "choose_swap", 1),
        real_tables.until(real_tables.solo(), "choose_removal", 6),
        real_tables.until(real_tables.solo(), "place_again", 1),
        real_tables.until(real_tables.solo(), "game_over", 1),
    ]
    for number, moment in enumerate(moments, 1):
        begin(daemon, browser, {**moment, "version": number})
        for path in ("/", "/table"):
            opened.goto(browser.origin + path)
            assert opened.evaluate(STICKS_OUT) == 0, (path, moment["ask"])
    for mode in MODES:
        opened.goto(f"{browser.origin}/rules/{mode}")
        assert opened.evaluate(STICKS_OUT) == 0
    opened.close()
