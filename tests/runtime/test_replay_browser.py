"""Replay and statistics in a real browser: keys, bar, buttons and curve, at the table and on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from device.records.review import real_choices
from device.rules.events import Chance, Event
from tests.harness.pages import PATIENCE, page_of
from tests.harness.running import RunningTable
from tests.harness.stored_games import FOUR, GRAY, SOLO, STANDARD, greedy_game, store_games, store_grades
from tests.harness.waiting import until

SIZES = [(360, 640), (1024, 768), (1440, 900)]
GAMES = [STANDARD, FOUR, GRAY, SOLO]
STEPS = len(greedy_game(STANDARD).events)
SHIFTS = """() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifts += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
}"""
"""Adds up all layout shifts, also those right after an input."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    """A table with a graded game of some modes; in each, one player's third choice was bad."""
    data = tmp_path_factory.mktemp("table") / "data"
    data.mkdir()
    plays = [greedy_game(chosen) for chosen in GAMES]
    store_games(data / "azul-table.db", plays)
    for number, play in enumerate(plays, start=1):
        grades: dict[int, tuple[float, Event]]
        grades = {at: (0.0, event) for at, event in enumerate(play.events) if not isinstance(event, Chance)}
        bad = list(real_choices(play.setup, play.events))[2]
        grades[bad.number] = (7.7, bad.event)
        store_grades(data / "azul-table.db", number, grades)
    with RunningTable(data) as table:
        yield table.ready()


def ready(page: Page) -> None:
    """Wait until the replay has all positions."""
    expect(page.locator("html")).to_have_attribute("data-replay", "ready")


def step_of(page: Page) -> int:
    return int(page.locator("[data-step-number]").inner_text().split("/")[0])


def parts(page: Page) -> list[str]:
    found = page.locator("[data-part]").evaluate_all("all => all.map((each) => each.innerHTML)")
    return [str(each) for each in found]


def text_of(page: Page) -> str:
    return page.locator("[data-text]").inner_text()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_nothing_moves_while_all_steps_are_shown(
    chromium: Browser, table: RunningTable, size: tuple[int, int]
) -> None:
    for number in range(1, len(GAMES) + 1) if size == SIZES[0] else (2,):
        with page_of(chromium, f"{table.browser.origin}/history/{number}?step=0", size) as page:
            ready(page)
            page.evaluate(SHIFTS)
            before = page.locator(".replay-bar").bounding_box()
            steps = len(greedy_game(GAMES[number - 1]).events)
            for step in range(1, steps + 1):
                page.keyboard.press("ArrowRight")
                assert step_of(page) == step
            assert page.locator(".replay-bar").bounding_box() == before
            page.wait_for_timeout(100)
            assert page.evaluate("window.shifts") < 0.1
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_keys_buttons_bar_and_curve_lead_to_the_same_steps(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/history/1?step=12", (360, 640)) as page:
        ready(page)
        at_12, text_12 = parts(page), text_of(page)
        page.keyboard.press("ArrowRight")
        assert (step_of(page), parts(page) != at_12) == (13, True)
        page.get_by_role("link", name="One step back").click()
        assert (step_of(page), parts(page), text_of(page)) == (12, at_12, text_12)
        page.keyboard.press("Home")
        assert step_of(page) == 0
        assert page.get_by_role("link", name="One step back").get_attribute("aria-disabled") == "true"
        page.keyboard.press("End")
        assert step_of(page) == STEPS
        page.get_by_role("link", name="To the start").click()
        page.get_by_role("link", name="One step forward").click()
        assert step_of(page) == 1
        page.get_by_role("slider").fill("12")
        assert (step_of(page), parts(page), text_of(page)) == (12, at_12, text_12)
        page.locator("svg.curve").click(position={"x": 1, "y": 40})
        assert step_of(page) == 0
        until(lambda: page.evaluate("location.search") == "?step=0", "the step in the address")


def test_dragging_the_bar_goes_through_the_game(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/history/1?step=0", (1024, 768)) as page:
        ready(page)
        bar = page.get_by_role("slider").bounding_box()
        assert bar is not None
        middle = bar["y"] + bar["height"] / 2
        page.mouse.move(bar["x"] + 8, middle)
        page.mouse.down()
        seen = set()
        for part in range(1, 11):
            page.mouse.move(bar["x"] + 8 + (bar["width"] - 16) * part / 10, middle)
            seen.add(step_of(page))
        page.mouse.up()
        assert len(seen) > 5
        assert step_of(page) == STEPS


def test_the_costliest_move_is_one_tap_away(chromium: Browser, table: RunningTable) -> None:
    play = greedy_game(STANDARD)
    bad = list(real_choices(play.setup, play.events))[2].number
    with page_of(chromium, f"{table.browser.origin}/history/1", (360, 640)) as page:
        ready(page)
        page.get_by_role("link", name="Go to this move").first.click()
        assert step_of(page) == bad
        page.keyboard.press("ArrowRight")
        assert "This lost 8 points." in text_of(page)


def test_a_replay_plays_by_itself_until_it_is_stopped(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/history/1?step={STEPS - 2}", (1024, 768)) as page:
        ready(page)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator("[data-step-number]")).to_have_text(f"{STEPS} / {STEPS}")
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_replay_without_scripts(chromium: Browser, table: RunningTable) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 640}, java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{table.browser.origin}/history/1?step=12")
    page.get_by_role("link", name="One step forward").click()
    expect(page.locator("[data-step-number]")).to_have_text(f"13 / {STEPS}")
    page.get_by_role("link", name="To the end").click()
    expect(page.locator("[data-step-number]")).to_have_text(f"{STEPS} / {STEPS}")
    page.get_by_role("button", name="Go to this step").click()
    expect(page.locator("[data-step-number]")).to_have_text(f"{STEPS} / {STEPS}")
    context.close()


def test_the_lights_follow_the_page_and_a_press_ends_it(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/history/1?step=12", (1024, 768)) as page:
        ready(page)
        page.get_by_role("button", name="Show it on the table").click()
        until(lambda: table.snapshot()["stage"] == "showing", "the position on the lights")
        page.keyboard.press("ArrowRight")
        until(lambda: table.snapshot()["ask"].get("step") == 13, "the next step on the lights")
        page.get_by_role("button", name="Show it on the table").click()
        until(lambda: table.snapshot()["stage"] == "seating", "the end of the showing")
        page.get_by_role("button", name="Show it on the table").click()
        until(lambda: table.snapshot()["stage"] == "showing", "the position on the lights")
        table.browser.press("ok")
        until(lambda: table.snapshot()["stage"] == "seating", "the end of the showing")


def test_actions_of_a_replay_have_an_id_and_a_time(chromium: Browser, table: RunningTable) -> None:
    """Bug fixed: the network could delay or repeat what a replay does at the table."""
    sent: list[dict[str, str]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/action"):
            sent.append(request.headers)

    address = f"{table.browser.origin}/history/1?step=12"
    with page_of(chromium, address, (1024, 768), expected="ERR_ABORTED") as page:
        page.on("request", note)
        ready(page)
        page.get_by_role("button", name="Show it on the table").click()
        until(lambda: table.snapshot()["stage"] == "showing", "the position on the lights")
        page.goto("about:blank")
        until(lambda: table.snapshot()["stage"] == "seating", "the end of the showing")
    epoch = table.browser.ask("/beat").text.partition(".")[0]
    assert len({headers["azul-action"] for headers in sent}) == len(sent) >= 1
    assert all(headers["azul-made"].startswith(f"{epoch}.") for headers in sent)


def test_a_game_for_practice_begins_in_the_shown_position(chromium: Browser, table: RunningTable) -> None:
    address = f"{table.browser.origin}/history/1?step=12"
    with page_of(chromium, address, (1024, 768), expected="ERR_ABORTED") as page:
        ready(page)
        page.keyboard.press("ArrowRight")
        page.get_by_label("I play").select_option("1")
        page.get_by_label("Against").select_option("calm")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/table")
        state = table.snapshot()
        assert (state["practice"], state["round"]) == (True, 2)
        assert [seat["bot"] for seat in state["seats"] if seat["taken"]] == [None, "calm"]
    with page_of(chromium, f"{table.browser.origin}/history/1?step=12", (1024, 768)) as page:
        ready(page)
        page.get_by_role("button", name="Start").click()
        expect(page.locator("#answer")).to_have_text("Not now.")
    table.browser.press("undo")
    until(lambda: table.snapshot()["ask"]["say"] == "stop_game", "the question whether to stop")
    table.browser.press("ok")
    with page_of(chromium, f"{table.browser.origin}/history", (360, 640)) as page:
        expect(page.locator(".games > li").first).to_contain_text("practice")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_statistics_fit_and_lead_to_the_players(
    chromium: Browser, table: RunningTable, size: tuple[int, int]
) -> None:
    with page_of(chromium, f"{table.browser.origin}/history", size) as page:
        page.get_by_role("link", name="Statistics").click()
        expect(page.get_by_role("heading", name="Statistics", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("link", name="Rui").first.click()
        expect(page.get_by_role("heading", name="Rui", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
