"""The page of settings in a real browser, with a running table."""

from __future__ import annotations

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect

from tests.harness.fixtures import StartTable
from tests.harness.pages import page_of
from tests.harness.waiting import until

LEAVES = r"/(events|static|settings).*ERR_ABORTED"
"""What a browser says of what was under way when a page was left."""


def test_what_is_chosen_takes_effect_at_once_and_stays(chromium: Chromium, start: StartTable) -> None:
    table = start()
    until(lambda: table.browser.ask("/state").status == 200, "pages that know the table")
    address = f"{table.browser.origin}/settings"
    with page_of(chromium, address, expected=LEAVES) as page, table.client() as client:
        client.subscribe(frames=True)
        page.get_by_role("button", name="Easy to tell apart").click()
        client.until(lambda shown: shown["settings"]["palette"] == "distinct")
        expect(page.get_by_role("button", name="Easy to tell apart")).to_have_attribute(
            "aria-pressed", "true"
        )
        names = [light["name"] for light in client.layout["lights"]]
        first = [names.index(f"display.{display}.1") for display in range(1, 6)]
        until(
            lambda: all(client.next_frame()[6 * at : 6 * at + 6] != "000000" for at in first),
            "the palette on five displays",
        )
        page.get_by_label("Brightness").fill("40")
        client.until(lambda shown: shown["settings"]["brightness"] == 0.4)
        page.get_by_role("switch", name="Sounds").click()
        expect(page.get_by_role("switch", name="Sounds")).to_have_attribute("aria-checked", "false")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.get_by_role("button", name="Deutsch").click()
        client.until(lambda shown: shown["settings"]["language"] == "de")
        expect(page.locator("h1")).to_have_text("Einstellungen")
    with page_of(chromium, address, expected=LEAVES) as page:
        expect(page.locator("h1")).to_have_text("Einstellungen")
        expect(page.get_by_label("Helligkeit")).to_have_value("40")
