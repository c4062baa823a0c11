"""The tags page in a real browser, with a running table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from tests.harness.client import Client
from tests.harness.fixtures import StartTable
from tests.harness.pages import page_of
from tests.harness.running import RunningTable
from tests.harness.waiting import until

LEAVES = r"/(events|static|learn).*ERR_ABORTED"
"""What a browser says of what was under way when a page was left."""


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    """A running table that knows no tag."""
    table = start()
    with table.client() as client:
        cards = client.subscribe()["tags"]["cards"]
        client.send({"type": "forget", "tags": [card["tag"] for card in cards]})
        assert client.answer()["taken"]
    until(lambda: table.browser.ask("/state").status == 200, "pages that know the table")
    return table


@contextmanager
def tags_page(chromium: Chromium, table: RunningTable) -> Iterator[Page]:
    origin = table.browser.origin
    with page_of(chromium, f"{origin}/tags", expected=LEAVES) as page:
        yield page
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def lay(client: Client, *tags: str) -> None:
    for tag in tags:
        client.send({"type": "tag", "reader": "shared", "tag": tag})
        client.answer()


def number(first: int, beyond: int) -> list[str]:
    return [f"{at:08X}" for at in range(first, beyond)]


def test_100_tiles_are_taught_in_one_lesson(chromium: Chromium, table: RunningTable) -> None:
    with tags_page(chromium, table) as page, table.client() as client:
        page.get_by_role("button", name="Learn the tiles").click()
        expect(page.locator("h1")).to_have_text("Learning tags")
        lay(client, *number(0, 17))
        bar = page.locator('.bars li[data-key="b"]')
        expect(bar).to_contain_text("17 of 20")
        expect(bar).to_contain_text("3 to go")
        expect(page.locator(".outcome")).to_have_text("Learned: Blue, tile 17.")
        lay(client, number(6, 7)[0])
        expect(page.locator(".lesson .refusal")).to_have_text("That tag is known already: Blue, tile 7.")
        page.get_by_role("button", name="Take the last one back").click()
        expect(bar).to_contain_text("16 of 20")
        page.get_by_role("button", name="Stop for now").click()
        expect(page.locator("h1")).to_have_text("Tags and cards")
        page.reload()
        page.get_by_role("button", name="Go on learning").click()
        expect(page.locator(".lesson")).to_be_visible()
        lay(client, *number(16, 100))
        expect(page.locator(".bars .all")).to_contain_text("100 of 100")
        expect(page.locator("h1")).to_have_text("Learned")
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("button", name="Done")).to_have_count(0)
        expect(page.get_by_role("button", name="earn")).to_have_count(4)
    assert table.snapshot()["tags"]["tiles"] == dict.fromkeys("byrkw", 20)


def test_cards_are_taught_and_forgotten(chromium: Chromium, table: RunningTable) -> None:
    with tags_page(chromium, table) as page, table.client() as client:
        page.get_by_label("Name of a player").fill("Inês")
        page.keyboard.press("Enter")
        expect(page.locator(".ask")).to_have_text("Lay the card of Inês on a reader.")
        lay(client, "AA")
        page.get_by_role("button", name="Done").click()
        expect(page.locator(".cards .what").first).to_have_text("Inês")
        expect(page.get_by_label("Name of a player")).to_have_value("")
        page.get_by_role("button", name="Learn the card for “new game”").click()
        expect(page.locator(".ask")).to_have_text("Lay the card for “new game” on a reader.")
        lay(client, "BB")
        page.get_by_role("button", name="Done").click()
        assert [card["value"] for card in table.snapshot()["tags"]["cards"]] == ["Inês", "new_game"]
        page.get_by_role("button", name="Forget the card: Inês").click()
        expect(page.get_by_role("button", name="Forget the card: Inês")).to_have_count(0)
        lay(client, "AA")
        client.subscribe()
        client.until(lambda snapshot: (snapshot["refusal"] or {}).get("say") == "unknown_tag")


def test_a_wrong_tile_is_forgotten_in_the_list(chromium: Chromium, table: RunningTable) -> None:
    with tags_page(chromium, table) as page, table.client() as client:
        client.send({"type": "teach_tiles", "colour": "b"})
        assert client.answer()["taken"]
        lay(client, "AA", "BB", "AA")
        page.get_by_role("button", name="Forget what it means").click()
        expect(page.locator('.bars li[data-key="b"]')).to_contain_text("1 of 20")
        page.get_by_role("button", name="Stop for now").click()
        page.get_by_text("Forget tiles").click()
        page.get_by_role("button", name="Blue: forget 1").click()
        expect(page.get_by_text("Forget tiles")).to_have_count(0)
    assert table.snapshot()["tags"]["tiles"]["b"] == 0


def test_two_phones_show_the_same_lesson_and_one_may_leave(chromium: Chromium, table: RunningTable) -> None:
    with tags_page(chromium, table) as mine, table.client() as client:
        with tags_page(chromium, table) as theirs:
            theirs.get_by_role("button", name="Learn the tiles").click()
            expect(mine.locator("h1")).to_have_text("Learning tags")
            lay(client, "AA")
            expect(mine.locator(".outcome")).to_have_text("Learned: Blue, tile 1.")
            expect(theirs.locator(".outcome")).to_have_text("Learned: Blue, tile 1.")
        lay(client, "BB")
        expect(mine.locator(".outcome")).to_have_text("Learned: Blue, tile 2.")
        mine.get_by_role("button", name="Stop for now").click()
        until(lambda: table.snapshot()["stage"] == "seating", "the end of the lesson")


def test_the_phone_page_links_to_the_tags_page(chromium: Chromium, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/", expected=LEAVES) as page:
        page.locator("#menu > summary").click()
        page.get_by_role("link", name="Tags and cards").click()
        expect(page.locator("h1")).to_have_text("Tags and cards")
