"""The Play face of the twin of a running table: taps, tiles that fly, and scoring steps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.pages import PATIENCE, wait_until_shown
from tests.harness.player import best_draft
from tests.harness.running import RunningTable
from tests.harness.waiting import until

pytestmark = pytest.mark.system

LONGEST_FLIGHT = 400  # milliseconds
RECORD_FLIGHTS = """
    window.flown = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, timing) {
        if (this.matches(".flight")) {
            const letter = this.firstElementChild.getAttribute("href");
            flown.push({ to: frames.at(-1).transform, letter, duration: timing.duration });
        }
        return animate.call(this, frames, timing);
    };
"""
PLACES = """() => {
    const tiles = [...document.querySelectorAll(".offer .tile, .board .tile:not(.printed, .coming-tile)")];
    return tiles.map((tile) => ({
        letter: tile.firstElementChild.getAttribute("href"),
        x: tile.getBoundingClientRect().x,
        y: tile.getBoundingClientRect().y,
    }));
}"""


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    table = start()
    with table.client() as client:
        for seat, name in ((1, "Ana"), (3, "Rui")):
            client.send({"type": "sit", "seat": seat, "name": name})
            assert client.answer()["taken"]
        client.send({"type": "start", "first": 1})
        assert client.answer()["taken"]
    wait_until_shown(table)
    return table


def open_twin(chromium: Browser, table: RunningTable, **given: str) -> Page:
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB", **given)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    context.add_init_script(RECORD_FLIGHTS)
    page = context.new_page()
    page.goto(f"{table.browser.origin}/table")
    expect(page.locator("fieldset.hands").first).to_be_enabled()
    return page


def tap_best(page: Page, state: Message) -> None:
    """Tap the tiles and the line of a good draft."""
    source, colour, line = best_draft(state)
    page.locator(f"button[data-take='{source}{colour}']").click()
    with page.expect_response(
        lambda reply: "/action" in reply.url and "choose" in (reply.request.post_data or "")
    ) as answered:
        page.locator(f"[data-acting] .put[data-line='{line}']:enabled").click()
    assert answered.value.json()["taken"]


def test_every_seat_is_played_by_tapping_and_tiles_fly_to_their_places(
    chromium: Browser, table: RunningTable
) -> None:
    page = open_twin(chromium, table)
    acted = []
    for _ in range(3):
        state = wait_until_shown(table, page)
        acted.append(next(seat["seat"] for seat in state["seats"] if seat["acting"]))
        page.evaluate("flown.length = 0")
        tap_best(page, state)
        until(lambda: page.evaluate("flown.length > 0"), "a flight")
        wait_until_shown(table, page)
        until(lambda: page.evaluate("!document.querySelector('.flight')"), "the end of the flights")
        flown, places = page.evaluate("flown"), page.evaluate(PLACES)
        for flight in flown:
            assert flight["duration"] <= LONGEST_FLIGHT
            x, y = map(float, re.findall(r"-?[\d.]+", flight["to"])[:2])
            near = [each for each in places if abs(each["x"] - x) < 2 and abs(each["y"] - y) < 2]
            assert [each["letter"] for each in near] == [flight["letter"]], "it ends where the table says"
    assert acted == [1, 3, 1]
    page.context.close()


def test_with_reduced_motion_no_tile_flies(chromium: Browser, table: RunningTable) -> None:
    page = open_twin(chromium, table, reduced_motion="reduce")
    tap_best(page, wait_until_shown(table, page))
    state = wait_until_shown(table, page)
    (move,) = state["moves"]
    row = "floor" if not move["line"] else f"row[data-line='{move['line']}'] .line"
    expect(page.locator(f"[data-board='1'] .{row} .tile:not(.coming-tile)").first).to_be_visible()
    assert page.evaluate("flown") == []
    page.context.close()


def test_scoring_is_shown_step_by_step_with_its_points(chromium: Browser, table: RunningTable) -> None:
    page = open_twin(chromium, table)
    page.evaluate(
        """() => {
            window.points = [];
            new MutationObserver((changes) => {
                for (const { addedNodes } of changes) {
                    for (const node of addedNodes)
                        if (node.matches(".gained")) points.push(node.textContent);
                }
            }).observe(document.body, { childList: true });
        }"""
    )
    with table.client() as client:
        client.subscribe()
        while client.snapshot["stage"] == "offer":
            source, colour, line = best_draft(client.snapshot)
            moves = len(client.snapshot["moves"]), client.snapshot["moves"][-1:]
            client.send({"type": "choose", "choice": f"{source}{colour}{line or 'f'}"})
            assert client.answer()["taken"]
            client.until(lambda it: (len(it["moves"]), it["moves"][-1:]) != moves)  # noqa: B023
        until(lambda: page.evaluate("points.length > 0"), "the points of a step")
        shown = client.until(lambda it: it["account"] is not None and bool(it["account"]["steps"]))
    assert page.evaluate("points[0]") == f"+{shown['account']['steps'][0]['points']}"
    page.context.close()
