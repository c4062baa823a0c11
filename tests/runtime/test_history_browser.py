"""Past games in a real browser: on a phone, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from device.records.record import read
from device.records.review import real_choices
from device.rules.events import Chance, Event
from tests.harness.pages import DESKTOP, PATIENCE, PHONE, page_of
from tests.harness.running import RunningTable
from tests.harness.stored_games import PLACES, STANDARD, greedy_game, store_games, store_grades

OLD_GAMES = 18
OPEN_ALL = "document.querySelectorAll('.rounds details').forEach((round) => { round.open = true; })"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    """A table with 24 games: old ones that were stopped, and one of each mode that is graded.

    In each of these one player's third choice was bad.
    """
    data = tmp_path_factory.mktemp("table") / "data"
    data.mkdir()
    path = data / "azul-table.db"
    plays = [greedy_game(chosen) for chosen in PLACES]
    store_games(path, [greedy_game(STANDARD, most=9)] * OLD_GAMES + plays)
    for at, play in enumerate(plays, start=OLD_GAMES + 1):
        grades: dict[int, tuple[float, Event]]
        grades = {n: (0.0, event) for n, event in enumerate(play.events) if not isinstance(event, Chance)}
        bad = list(real_choices(play.setup, play.events))[2]
        grades[bad.number] = (7.7, bad.event)
        store_grades(path, at, grades)
    with RunningTable(data) as table:
        yield table.ready()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize(("size", "games"), [(PHONE, len(PLACES)), (DESKTOP, 1)], ids=["phone", "desktop"])
def test_the_way_from_the_phone_page_to_a_costly_move(
    chromium: Browser, table: RunningTable, size: tuple[int, int], games: int
) -> None:
    with page_of(chromium, f"{table.browser.origin}/", size, expected="ERR_ABORTED") as page:
        page.locator("#menu > summary").click()
        page.get_by_role("link", name="The games of this table").click()
        expect(page.locator(".games > li")).to_have_count(20)
        assert fits(page)
        page.get_by_role("link", name="Older games").click()
        expect(page.locator(".games > li")).to_have_count(4)
        page.get_by_role("link", name="The newest games").click()
        expect(page.locator(".games > li")).to_have_count(20)
        for number in range(24, 24 - games, -1):
            page.goto(f"{table.browser.origin}/history/{number}")
            expect(page.locator(".reviews .title")).to_have_text("Round 1: 8 points")
            page.get_by_text("Show the position").click()
            expect(page.locator(".reviews .position .wall").first).to_be_visible()
            page.locator(".rounds summary").first.click()
            page.evaluate(OPEN_ALL)
            expect(page.locator(".lost-points")).to_have_text("\N{MINUS SIGN}8")
            assert fits(page), number


def test_a_record_is_downloaded_as_a_valid_file(
    chromium: Browser, table: RunningTable, tmp_path: Path
) -> None:
    with page_of(chromium, f"{table.browser.origin}/history/{OLD_GAMES + 1}") as page:
        with page.expect_download() as kept:
            page.get_by_role("link", name="Keep the game as a file").click()
        assert kept.value.suggested_filename == f"azul-game-{OLD_GAMES + 1}.jsonl"
        kept.value.save_as(tmp_path / "kept.jsonl")
    (record,) = read((tmp_path / "kept.jsonl").read_bytes().splitlines(keepends=True))
    assert record.events == greedy_game(STANDARD).events


def test_everything_is_there_without_scripts(chromium: Browser, table: RunningTable) -> None:
    context = chromium.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]}, locale="de-DE", java_script_enabled=False
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{table.browser.origin}/history")
    page.locator(".games a").first.click()
    page.get_by_text("Die Stellung zeigen").click()
    expect(page.locator(".reviews .position .wall").first).to_be_visible()
    page.get_by_role("link", name="Alle Spiele").click()
    expect(page.get_by_role("heading", name="Die Spiele dieses Tisches")).to_be_visible()
    context.close()
