"""The board as the control, in Chromium: by tapping, dragging and keys, on a real table and a fake one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import FloatRect, Page, Route, ViewportSize, expect

from tests.harness.fixtures import StartTable
from tests.harness.pages import page_of, wait_until_shown
from tests.harness.running import RunningTable
from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Browser
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.security import SEAT_COOKIE, claim_of, new_secret

SECRET = new_secret()
"""The secret of the phone at seat 1."""

pytestmark = pytest.mark.system

SMALL = (360, 640)
SIZES = (SMALL, (390, 844), (1024, 768), (1440, 900))

OBSERVE_SHIFTS = """() => {
    window.shifts = [];
    const note = (list) => {
        for (const { startTime, value, hadRecentInput } of list.getEntries()) {
            if (!hadRecentInput) shifts.push([startTime, value]);
        }
    };
    new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
}"""
WINDOW = 5000
"""Milliseconds of the windows in which layout shifts are added up."""

HIDDEN_BELOW = "document.documentElement.scrollHeight - innerHeight"
STICKS_OUT = "document.documentElement.scrollWidth - innerWidth"


def worst_shift(page: Page) -> float:
    """Return the largest sum of layout shifts in any 5 seconds."""
    shifts = page.evaluate("shifts")
    return max(
        (sum(value for at, value in shifts if start <= at < start + WINDOW) for start, _ in shifts), default=0
    )


def game_of_two(start: StartTable) -> RunningTable:
    """Start a table at which two people have just begun a standard game."""
    table = start("--port", "0")
    for button in ("seat.1.line.1", "seat.2.line.1", "ok", "seat.1.line.1"):
        assert table.browser.press(button).json["taken"]
    return table


def news_after(table: RunningTable, page: Page, before: Message) -> Message:
    """Wait until the page shows a later state than `before`, and return it."""
    state = before
    while state["version"] == before["version"]:
        page.wait_for_timeout(20)
        state = wait_until_shown(table, page)
    return state


def box_of(page: Page, selector: str) -> FloatRect:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


# --- Whole rounds on a real table ------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_round_is_played_by_tapping_alone_and_nothing_moves(
    start: StartTable, chromium: Chromium, size: tuple[int, int]
) -> None:
    table = game_of_two(start)
    with page_of(chromium, table.browser.origin, size) as page:
        page.evaluate(OBSERVE_SHIFTS)
        state = wait_until_shown(table, page)
        taps = 0
        while state["round"] == 1:
            if state["stage"] != "offer":
                if (skip := page.locator(".act.main:visible")).count():
                    skip.click()
            elif state["choice"] is None:
                tile = page.locator("button.take:visible").first
                tile.click()
                expect(page.locator(".take.lifted").first).to_be_visible()
                taps += 1
            else:
                page.locator(".put:enabled:visible").first.click()
                taps += 1
            assert page.evaluate(STICKS_OUT) <= 0
            assert page.evaluate(HIDDEN_BELOW) <= 0
            state = news_after(table, page, state)
        assert taps >= 8  # two a draft
        assert worst_shift(page) < 0.1


def test_a_round_is_played_by_keys_alone(start: StartTable, chromium: Chromium) -> None:
    table = game_of_two(start)
    with page_of(chromium, table.browser.origin, (1024, 768)) as page:
        state = wait_until_shown(table, page)
        while state["round"] == 1:
            if state["stage"] != "offer":
                page.keyboard.press("Enter")
            elif state["choice"] is None:
                source = next((at for at, tiles in enumerate(state["displays"], 1) if tiles), 0)
                page.keyboard.press(str(source))
            else:
                line = state["choice"]["lines"][0]
                page.keyboard.press(str(line) if line else "f")
            state = news_after(table, page, state)


def test_keys_take_back_and_undo(start: StartTable, chromium: Chromium) -> None:
    table = game_of_two(start)
    with page_of(chromium, table.browser.origin, (1024, 768)) as page:
        state = wait_until_shown(table, page)
        page.keyboard.press("2")
        state = news_after(table, page, state)
        first = state["choice"]["colour"]
        if len(set(state["displays"][1])) > 1:
            page.keyboard.press("ArrowRight")
            state = news_after(table, page, state)
            assert state["choice"]["colour"] != first
        page.keyboard.press("Escape")
        state = news_after(table, page, state)
        assert state["choice"] is None
        page.keyboard.press("1")
        state = news_after(table, page, state)
        page.keyboard.press("F")
        state = news_after(table, page, state)
        assert len(state["moves"]) == 1
        page.keyboard.press("u")
        state = news_after(table, page, state)
        assert not state["moves"]
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_tiles_are_dragged_to_a_line(start: StartTable, chromium: Chromium) -> None:
    table = game_of_two(start)
    with page_of(chromium, table.browser.origin, SMALL) as page:
        state = wait_until_shown(table, page)
        tile, line = box_of(page, "button.take"), box_of(page, ".front [data-line='4']")
        page.mouse.move(tile["x"] + 9, tile["y"] + 9)
        page.mouse.down()
        page.mouse.move(tile["x"] + 40, tile["y"] + 60, steps=4)
        expect(page.locator(".dragged .tile").first).to_be_visible()
        page.mouse.move(line["x"] + 60, line["y"] + 20, steps=6)
        expect(page.locator(".front .row.over")).to_have_attribute("data-line", "4")
        page.mouse.up()
        expect(page.locator(".dragged")).to_have_count(0)
        while not state["moves"]:
            state = news_after(table, page, state)
        assert state["moves"][0]["line"] == 4


def test_tiles_that_are_dropped_beside_the_board_go_back(start: StartTable, chromium: Chromium) -> None:
    table = game_of_two(start)
    with page_of(chromium, table.browser.origin, SMALL) as page:
        wait_until_shown(table, page)
        tile = box_of(page, "button.take")
        page.mouse.move(tile["x"] + 9, tile["y"] + 9)
        page.mouse.down()
        page.mouse.move(180, 20, steps=6)
        page.mouse.up()
        expect(page.locator(".lifted")).to_have_count(0)
        state = wait_until_shown(table, page)
        assert not state["moves"]


# --- One moment, on a fake table -------------------------------------------------------------------------


def moment(version: int = 1, **given: Any) -> Message:
    """Ana is to take tiles; the table says what each choice would bring."""
    scene = scenes.offer(version, **given)
    scene["seats"][0] |= {"claimed": True, "claim": claim_of(SECRET)}
    target = {"fills": False, "points": 0, "cost": 0, "sends": "", "floor": 0}
    scene["offers"] = {
        "3k": [
            {**target, "line": 2, "token": "3k2", "placed": 2, "fills": True, "points": 3},
            {**target, "line": 4, "token": "3k4", "placed": 1, "floor": 1, "fills": True, "points": 2},
            {**target, "line": 0, "token": "3kf", "floor": 2, "cost": 4},
        ],
        "3w": [{**target, "line": 3, "token": "3w3", "placed": 2}],
    }
    return scene


@pytest.fixture
def page(chromium: Chromium, browser: Browser, daemon: FakeDaemon) -> Iterator[Page]:
    daemon.play(moment())
    browser.until_version(1)
    context = chromium.new_context(
        viewport=ViewportSize(width=360, height=640), locale="en-GB", has_touch=True
    )
    context.add_cookies([{"name": SEAT_COOKIE, "value": SECRET, "url": browser.origin}])
    page = context.new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    page.goto(browser.origin)
    yield page
    context.close()


def test_bug_fixed_a_tile_on_the_wall_moved_its_row(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: the tile was inserted before the squares, and pushed all of them along."""
    row = "[...document.querySelectorAll('.front [data-line=\"4\"] .wall > *')]"
    assert page.evaluate(f"{row}.map((square, place) => square.place = place)") == [0, 1, 2, 3, 4]
    scene = moment(2)
    wall = scene["seats"][0]["wall"]
    scene["seats"][0]["wall"] = [*wall[:3], "r....", wall[4]]
    daemon.play(scene)
    expect(page.locator(".front [data-line='4'] .wall > svg").first).to_be_visible()
    assert page.evaluate(f"{row}.slice(1).map((square) => square.place)") == [1, 2, 3, 4]


def black(page: Page) -> Any:
    return page.get_by_role("button", name="Take 2 black from display 3")


def test_everything_fits_on_a_small_phone(page: Page) -> None:
    assert page.evaluate(HIDDEN_BELOW) <= 0
    for line in range(6):
        assert box_of(page, f".front [data-line='{line}']")["height"] >= 44
    bar = box_of(page, ".bar")["y"]
    floor = box_of(page, ".front .floor")
    assert floor["y"] + floor["height"] <= bar
    header = box_of(page, ".top-bar")
    assert box_of(page, "[data-source='1'] .plate")["y"] >= header["height"]
    for number in range(10):
        assert box_of(page, f"[data-source='{number}'] .plate")["height"] >= 44


def test_tiles_lift_before_the_table_answers(page: Page, daemon: FakeDaemon) -> None:
    held: list[Route] = []
    page.route("**/action", lambda route: held.append(route))  # noqa: PLW0108
    black(page).tap()
    expect(page.locator("[data-take='3k'].lifted")).to_have_count(2)
    expect(page.locator(".front .target")).to_have_count(3)
    second, fourth = page.locator(".front [data-line='2']"), page.locator(".front [data-line='4']")
    expect(second.locator(".gain")).to_have_text("+3")
    expect(fourth.locator(".gain")).to_have_text("+2↓1")
    expect(fourth.locator(".line .coming-tile")).to_have_count(1)
    expect(page.locator(".front .floor .gain")).to_have_text("\N{MINUS SIGN}4")
    expect(page.locator(".front [data-line='3'] .put")).to_be_disabled()
    assert daemon.asked.empty()


def test_the_tile_that_would_reach_the_wall_is_shown_there(page: Page) -> None:
    """Bug fixed: when printed colours were drawn with other shapes, the preview on the wall was lost."""
    black(page).tap()
    full = page.locator(".front .filling")
    expect(full).to_have_count(2)
    expect(full.locator(".wall .coming-tile.on-wall use[href='#tile-k']")).to_have_count(2)


def test_only_what_goes_to_the_penalty_row_is_shown_there(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: all tiles that fall were shown in the penalty row, into which only one of them goes."""
    scene = real_tables.until(real_tables.solo(), "draft")
    daemon.play({**scene, "version": 2})
    page.locator(".front .penalty").wait_for()
    taken, floor = next(
        (taken, each)
        for taken, targets in scene["offers"].items()
        for each in targets
        if each["line"] == 0 and each["floor"] > 1
    )
    page.locator(f"button[data-take='{taken}']").tap()
    expect(page.locator(".front .penalty .step .coming-tile")).to_have_count(len(floor["sends"]))
    expect(page.locator(".front .penalty .gain .sent")).to_have_count(0)


def test_a_line_gets_the_tiles_in_hand(page: Page, daemon: FakeDaemon) -> None:
    black(page).tap()
    page.locator(".front [data-line='2'] .put").tap()
    sent = [daemon.asked.get(timeout=TIMEOUT) for _ in range(2)]
    assert [each["type"] for each in sent] == ["select", "choose"]
    assert (sent[0]["source"], sent[0]["colour"], sent[1]["choice"]) == (3, "k", "3k2")


def test_what_the_table_refuses_goes_back(page: Page, daemon: FakeDaemon) -> None:
    daemon.answer = lambda question: {"taken": False, "why": "not_your_turn"}
    black(page).tap()
    expect(page.locator("#answer")).to_have_text("It is not that player's turn.")
    expect(page.locator(".lifted")).to_have_count(0)
    expect(page.locator(".coming-tile")).to_have_count(0)


def test_a_refusal_does_not_cover_the_floor_for_long(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: it lay over the floor and the last line of a phone until the next action."""
    daemon.answer = lambda question: {"taken": False, "why": "not_your_turn"}
    black(page).tap()
    expect(page.locator("#answer")).to_be_visible()
    expect(page.locator("#answer")).to_be_hidden(timeout=1000 * TIMEOUT)


def test_a_second_tap_and_escape_put_tiles_back(page: Page, daemon: FakeDaemon) -> None:
    black(page).tap()
    black(page).tap()
    expect(page.locator(".lifted")).to_have_count(0)
    page.get_by_role("button", name="Take 2 white from display 3").tap()
    expect(page.locator("[data-take='3w'].lifted")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator(".lifted")).to_have_count(0)
    sent = [daemon.asked.get(timeout=TIMEOUT) for _ in range(4)]
    assert [each.get("colour") for each in sent] == ["k", None, "w", None]


def test_the_hand_stays_through_news(page: Page, daemon: FakeDaemon) -> None:
    black(page).tap()
    expect(page.locator("[data-take='3k'].lifted")).to_have_count(2)
    chosen = {**moment(2), "choice": scenes.chosen()["choice"], "ask": scenes.chosen()["ask"]}
    daemon.play(chosen)
    expect(page.locator(".top-bar .eyebrow")).to_contain_text("put 2 black")
    expect(page.locator("[data-take='3k'].lifted")).to_have_count(2)
    expect(page.locator(".front .target")).to_have_count(3)


def test_the_last_step_of_a_first_game_lies_over_the_result(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: the result covered it on phones."""
    daemon.play({**scenes.over(2), "explaining": True, "lesson_step": {"key": "over"}})
    page.get_by_role("button", name="Got it").tap()
    assert daemon.asked.get(timeout=TIMEOUT)["type"] == "lesson_seen"


def test_nothing_moves_when_a_step_is_explained(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: on the twin the boards and the offer grew when the card was closed."""
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{page.url}table?face=play")
    parts = (".offer", "[data-board='1']", "[data-board='1'] .floor")
    before = [box_of(page, part) for part in parts]
    daemon.play({**moment(2), "explaining": True, "lesson_step": {"key": "draft", "seat": 1}})
    page.locator(".lesson-step").wait_for()
    assert [box_of(page, part) for part in parts] == before


def test_a_players_name_keeps_its_room_when_tiles_fall(page: Page, daemon: FakeDaemon) -> None:
    """Bug fixed: the name beside the floor of a phone moved when the first tile fell."""
    before = box_of(page, ".front .owner h2")
    fallen = moment(2)
    fallen["seats"][0]["floor"] = "b"
    daemon.play(fallen)
    expect(page.locator(".front .floor .cost")).to_be_visible()
    assert box_of(page, ".front .owner h2") == before


@pytest.mark.parametrize("claims", [1, 2, 4])
@pytest.mark.parametrize("size", [(960, 760), (1024, 768), (1440, 900)], ids=str)
def test_the_invitation_covers_nothing_of_the_lobby(
    page: Page, daemon: FakeDaemon, size: tuple[int, int], claims: int
) -> None:
    """Bug fixed: with the buttons that give seats to other phones it lay over the switches."""
    scene = scenes.choosing(2)
    join = {"addresses": ["http://azul-table.local:8080/"], "here_only": False, "pin": "", "secret": ""}
    seats = [
        {**seat, "taken": True, "name": "Bartholomew", "claimed": seat["seat"] <= claims}
        for seat in scene["seats"]
    ]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{page.url}table?face=play")
    daemon.play({**scene, "join": join, "seats": seats})
    expect(page.locator(".invitation button")).to_have_count(claims)
    invitation, choosing = box_of(page, ".invitation"), box_of(page, ".choosing .switches")
    assert choosing["y"] + choosing["height"] <= invitation["y"]
    assert invitation["y"] + invitation["height"] <= size[1]


@pytest.mark.parametrize("size", [(1024, 768), (1440, 900)], ids=str)
def test_the_numbers_of_physical_tiles_lie_beside_the_boards(
    page: Page, daemon: FakeDaemon, size: tuple[int, int]
) -> None:
    """Bug fixed: on the twin they lay over the lines and the floor of the last board."""
    game = real_tables.whole_game(real_tables.STANDARD, 1, with_resin=True)
    daemon.play({**next(scene for scene in game if scene["stage"] == "offer"), "version": 2})
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{page.url}table?face=play")
    page.locator(".counts").wait_for()
    counts, bar = box_of(page, ".counts"), box_of(page, ".bar")
    for seat in (1, 2):
        board = box_of(page, f"[data-board='{seat}']")
        assert board["y"] + board["height"] <= counts["y"]
    assert counts["y"] + counts["height"] <= bar["y"]


def test_dead_parts_can_not_be_focused(page: Page) -> None:
    dead = page.locator(".put:disabled")
    expect(dead).to_have_count(6)
    focusable = (
        "[...document.querySelectorAll('.put')].filter((put) => (put.focus(), put.matches(':focus'))).length"
    )
    assert page.evaluate(focusable) == 0


def test_without_scripts_nothing_can_be_pressed_and_all_is_shown(
    chromium: Chromium, browser: Browser, daemon: FakeDaemon
) -> None:
    daemon.play(moment())
    browser.until_version(1)
    context = chromium.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(browser.origin)
    assert page.locator("main button:enabled, .bar button:enabled").count() == 0
    expect(page.get_by_role("heading", name="Last moves")).to_be_visible()
    expect(page.get_by_role("heading", name="Rui").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("path", ["", "table?face=play", "table?face=hardware", "tags", "settings"])
def test_without_scripts_nothing_looks_alive_and_each_page_says_so(
    chromium: Chromium, browser: Browser, daemon: FakeDaemon, path: str
) -> None:
    """Bug fixed: the end of a game, the settings and the tags showed buttons that did nothing."""
    daemon.play(scenes.over(1, phones={"press": [], "tell": False, "hint": False, "learn": True}))
    browser.until_version(1)
    context = chromium.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"{browser.origin}/{path}")
    shown = [button for button in page.locator("main button").all() if button.is_visible()]
    assert path == "settings" or not shown, [button.inner_text() for button in shown]
    assert all(button.evaluate("each => getComputedStyle(each).opacity") != "1" for button in shown)
    assert any("scripts" in note.inner_text() for note in page.locator("noscript").all() if note.is_visible())
    context.close()


def test_a_theme_chosen_by_hand_stays(page: Page) -> None:
    page.get_by_label("Menu", exact=True).first.click()
    page.get_by_text("Dark", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{page.url}rules")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_panels_slide_over_and_escape_closes_them(page: Page) -> None:
    page.get_by_role("link", name="Moves").click()
    expect(page.get_by_role("heading", name="Last moves")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Last moves")).to_be_hidden()
    page.get_by_role("link", name="Others").click()
    expect(page.locator(".others .board")).to_have_count(3)
