"""Phones in the network of a running table: its address, their access, and the rate limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.pages import advance_scoring, page_of, wait_until_shown
from tests.harness.player import acting_seat, next_button
from tests.harness.running import RunningTable
from tests.harness.stored_games import STANDARD, store_games
from tests.harness.waiting import until
from tests.runtime.last_turns import unfinished_game
from tests.web_ui.browsing import Browser

EVERYBODY = ("--port", "0", "--host", "0.0.0.0")


def phone(table: RunningTable) -> Browser:
    """Return a browser that connects from the network; skip the test if this machine has none."""
    address = table.out.splitlines()[1].split("//")[1].split(":")[0]
    if address.startswith("127.") or not address.replace(".", "").isdecimal():
        pytest.skip("this machine has no address in a network")
    return Browser(table.port, address)


def known(browser: Browser) -> Browser:
    """Return the same browser, once the pages have the table's state."""
    until(lambda: browser.ask("/state").status == 200, "the table's state")
    return browser


def test_phones_may_only_look_where_the_option_says_so(start: StartTable) -> None:
    table = start(*EVERYBODY, "--phones", "look")
    nothing = {"press": [], "tell": False, "hint": False, "learn": False, "seats": False}
    assert table.snapshot()["phones"] == nothing
    reply = known(phone(table)).press("seat.1.floor")
    assert (reply.status, list(reply.json)) == (403, ["error"])
    assert not table.snapshot()["seats"][0]["taken"]


@pytest.mark.parametrize("options", [(), ("--phones", "play")], ids=["default", "play"])
def test_phones_may_play_on_a_simulated_table(start: StartTable, options: tuple[str, ...]) -> None:
    table = start(*EVERYBODY, *options)
    mine = known(phone(table))
    assert mine.press("seat.1.floor").json == {"taken": True}
    assert mine.post("/action", {"type": "name", "seat": 1, "name": "Ana"}).json == {"taken": True}
    assert mine.press("seat.5.floor").status == 403
    assert (table.snapshot()["seats"][0]["taken"], table.snapshot()["seats"][0]["name"]) == (True, "Ana")


def test_the_option_overrides_the_settings_for_phones(start: StartTable, data: Path) -> None:
    data.mkdir()
    (data / "settings.toml").write_text("phones = 'look'\n")
    with start(*EVERYBODY) as table:
        assert known(phone(table)).press("seat.1.floor").status == 403
    with start(*EVERYBODY, "--phones", "play") as table:
        assert known(phone(table)).press("seat.1.floor").json == {"taken": True}


def test_a_flood_from_a_phone_is_rate_limited(start: StartTable) -> None:
    table = start(*EVERYBODY, "--phones", "play")
    mine = known(phone(table))
    statuses: list[int] = []

    def pour() -> bool:
        with ThreadPoolExecutor(30) as hands:  # of what one machine may have in connections
            statuses.extend(hands.map(press_once, range(30)))
        return 429 in statuses

    def press_once(_number: int) -> int:
        return mine.press("seat.1.floor").status

    until(pour, "an answer that this is too fast")
    assert set(statuses) == {200, 429}
    assert table.browser.press("seat.2.floor").json == {"taken": True}
    assert table.err == ""


def test_two_phones_play_a_game_to_its_end(chromium: Chromium, start: StartTable, data: Path) -> None:
    """Each at its own seat. Both have the same address here, so they may exceed the rate limit."""
    data.mkdir()
    store_games(data / "azul-table.db", [unfinished_game(STANDARD)], on_table=True)
    table = start(*EVERYBODY, "--phones", "play")
    origin = known(phone(table)).origin
    with ExitStack() as opened:
        phones = {
            seat: opened.enter_context(page_of(chromium, f"{origin}/", expected="429|ERR_ABORTED"))
            for seat in (1, 3)
        }
        for seat, page in phones.items():
            page.goto(f"{origin}/join")
            page.locator(f'button[name=seat][value="{seat}"]').click()
            page.wait_for_url(f"{origin}/")
            expect(page.locator("html")).to_have_attribute("data-seat", str(seat))
        while (button := next_button(state := wait_until_shown(table, *phones.values()))) is not None:
            if state["stage"] == "scoring":
                advance_scoring(table, state)
            else:
                press(phones[whose(button, state)], button)
        for page in phones.values():
            expect(page.locator(".podium > li")).to_have_count(2)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert state["result"]["scores"]
    assert table.err == ""


def whose(button: str, state: Message) -> int:
    """Return the seat whose phone presses a button."""
    if button.startswith("seat."):
        return int(button.split(".")[1])
    return acting_seat(state) if state["stage"] == "offer" else 3


def press(page: Page, button: str) -> None:
    """Press a button, whatever the page has for it, again if the rate limit refused it."""
    send = """button => fetch("/action", {method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({type: "press", button})})
              .then(async answer => [answer.status, await answer.json()])"""
    status = 429
    while status == 429:
        status, answer = page.evaluate(send, button)
    assert answer == {"taken": True}, button
