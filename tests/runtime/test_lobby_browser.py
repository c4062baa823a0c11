"""Before and after a game in a real browser: the lobby, questions as dialogs, the end and another game."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.harness.client import Client
from tests.harness.fixtures import StartTable
from tests.harness.pages import advance_scoring, page_of, wait_until_shown
from tests.harness.running import RunningTable

SMALL = (360, 640)
GOOD = 0.1
"""The largest layout shift of a good page."""

WATCH_SHIFTS = """() => {
    window.shifted = 0;
    const add = (list) => list.getEntries().forEach((at) => (shifted += at.hadRecentInput ? 0 : at.value));
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}"""
FOCUSED = "document.activeElement?.closest('[data-key]')?.dataset.key ?? ''"


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    table = start("--port", "0", "--phones", "play")
    wait_until_shown(table)
    return table


def connected(page: Page) -> Page:
    """Wait until a page follows the table: before that nothing can be pressed."""
    expect(page.locator("html")).to_have_attribute("data-connection", "live")
    return page


def test_two_taps_lead_from_the_first_page_to_a_game(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/", SMALL, expected="aborted|ERR_ABORTED") as phone:
        connected(phone).evaluate(WATCH_SHIFTS)
        assert phone.evaluate("document.documentElement.scrollHeight <= innerHeight"), "it fits"
        phone.get_by_role("button", name="Play against").click()
        assert phone.evaluate("shifted") < GOOD
        phone.get_by_role("dialog").get_by_role("button", name="Calm").click()
        phone.locator(".offer .display").first.wait_for()
        expect(phone.locator("html")).to_have_attribute("data-seat", "1")
    seats = table.snapshot()["seats"]
    assert [seat["bot"] for seat in seats if seat["taken"]] == [None, "calm"]
    assert [seat["claimed"] for seat in seats][:1] == [True], "the seat is this phone's"


STICKING_OUT = """() => [...document.querySelectorAll(".mode > *")].filter((part) => {
    const [own, card] = [part, part.parentNode].map((each) => each.getBoundingClientRect());
    return own.left < card.left || own.right > card.right || own.bottom > card.bottom;
}).length"""
"""The number of parts that stick out of the card of their mode."""


def test_what_a_mode_is_stays_in_its_card(chromium: Browser, table: RunningTable) -> None:
    """Bug fixed: it had the width of a line of a board, and lay over the next card."""
    with page_of(chromium, f"{table.browser.origin}/", SMALL) as phone:
        expect(phone.locator(".mode .about")).to_have_count(4)
        assert phone.evaluate(STICKING_OUT) == 0


def test_the_lobby_works_by_keyboard_alone(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/", SMALL, expected="aborted|ERR_ABORTED") as phone:
        connected(phone)

        def tab_to(key: str) -> None:
            for _ in range(40):
                if phone.evaluate(FOCUSED) == key:
                    return
                phone.keyboard.press("Tab")
            raise AssertionError(f"Tab never came to {key}")

        tab_to("spot 2")
        phone.keyboard.press("Enter")
        dialog = phone.get_by_role("dialog")
        dialog.get_by_label("Name").fill("Ana")
        phone.keyboard.press("Enter")
        expect(phone.locator(".spot.mine .name")).to_have_text("Ana")
        connected(phone)
        tab_to("spot 4")
        phone.keyboard.press("Enter")
        phone.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert phone.evaluate(FOCUSED) == "spot 4", "the focus is back"
        phone.keyboard.press("Enter")
        dialog.wait_for()
        tab_to("strong")
        phone.keyboard.press("Space")
        expect(phone.locator(".spot.bot .name")).to_have_text("Strong")
        tab_to("start")
        phone.keyboard.press("Enter")
        phone.locator(".offer .display").first.wait_for()


def test_a_seat_is_freed_and_others_see_it(chromium: Browser, table: RunningTable) -> None:
    with (
        page_of(chromium, f"{table.browser.origin}/", SMALL) as one,
        page_of(chromium, f"{table.browser.origin}/", SMALL) as other,
    ):
        connected(one).locator(".spot.s").click()
        one.get_by_role("dialog").get_by_role("button", name="Somebody else").click()
        expect(other.locator(".spot.person")).to_have_count(1)
        connected(other).locator(".spot.person").click()
        other.get_by_role("dialog").get_by_role("button", name="Leave the seat free").click()
        expect(one.locator(".spot.free")).to_have_count(4)


def test_a_question_is_a_dialog_that_others_can_answer(chromium: Browser, table: RunningTable) -> None:
    with table.client() as client:
        client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor", "undo")
    with (
        page_of(chromium, f"{table.browser.origin}/", SMALL) as one,
        page_of(chromium, f"{table.browser.origin}/", SMALL) as other,
    ):
        question = connected(one).get_by_role("alertdialog")
        expect(question).to_contain_text("Stop this game?")
        expect(question.get_by_role("button")).to_have_count(2)
        assert one.evaluate("document.activeElement.textContent") == "Play on", (
            "what can't be undone is not first"
        )
        assert one.evaluate("document.querySelector('[role=alertdialog]').matches(':modal')")
        expect(other.get_by_role("alertdialog")).to_be_visible()
        connected(other).keyboard.press("Escape")
        expect(one.get_by_role("alertdialog")).to_have_count(0)
        assert table.snapshot()["ask"]["say"] == "draft"


def test_a_first_game_is_explained_and_the_explanation_can_be_closed(
    chromium: Browser, table: RunningTable
) -> None:
    with page_of(chromium, f"{table.browser.origin}/", SMALL) as phone:
        connected(phone).get_by_role("switch", name="Explain").click()
        expect(phone.get_by_role("switch", name="Explain")).to_be_checked()
        with table.client() as client:
            client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
        card = phone.locator(".lesson-step")
        expect(card).to_contain_text("Take all tiles of one colour")
        card.get_by_role("button", name="Got it").click()
        expect(card).to_have_count(0)
        assert table.snapshot()["explaining"] is True


def play_to_the_end(table: RunningTable, client: Client) -> None:
    """Play a game of two people that fills lines where it can."""
    for seat, name in ((1, "Ana"), (3, "Rui")):
        client.send({"type": "sit", "seat": seat, "bot": "", "name": name})
    client.send({"type": "start", "first": 1})
    assert all(client.answer()["taken"] for _ in range(3))
    while (state := table.snapshot())["stage"] != "over":
        offers = [target for targets in state["offers"].values() for target in targets]
        if state["stage"] == "scoring":
            advance_scoring(table, state)
        elif offers:
            best = max(offers, key=lambda each: (each.get("fills", False), -each.get("floor", 0)))
            client.send({"type": "choose", "choice": best["token"]})
            assert client.answer()["taken"]


def test_the_end_says_who_won_and_again_is_one_tap(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/", SMALL) as phone, table.client() as client:
        play_to_the_end(table, client)
        result = table.snapshot()["result"]
        expect(phone.locator(".podium > li")).to_have_count(2)
        for seat in result["scores"]:
            who = phone.locator(".podium > li", has_text=seat["name"])
            expect(who.locator(".figure")).to_have_text(str(seat["score"]))
        connected(phone).get_by_role("button", name="Again").click()
        phone.locator(".offer .display").first.wait_for()
    again = table.snapshot()
    assert [seat["name"] for seat in again["seats"] if seat["taken"]] == ["Ana", "Rui"]
    assert again["round"] == 1


def test_without_scripts_the_lobby_says_who_sits_and_offers_nothing(
    chromium: Browser, table: RunningTable
) -> None:
    with table.client() as client:
        client.take("seat.1.floor")
    wait_until_shown(table)
    context = chromium.new_context(viewport={"width": 360, "height": 640}, java_script_enabled=False)
    phone = context.new_page()
    phone.goto(f"{table.browser.origin}/")
    assert phone.locator(".spot.person").count() == 1
    assert not phone.locator(".begin").is_visible()
    assert not phone.locator(".switches").is_visible()
    assert phone.locator(".unscripted").is_visible()
    context.close()
