"""The twin and the phone page in a real browser: beginning and end of games, names, restarts, hints."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from device.rules import game as rules
from device.rules.notation import event_of
from device.rules.scoring import Outcome
from tests.harness.fixtures import StartTable
from tests.harness.pages import DESKTOP, PATIENCE, PHONE, advance_scoring, page_of, wait_until_shown
from tests.harness.player import next_button
from tests.harness.running import RunningTable
from tests.harness.stored_games import STANDARD, store_games
from tests.runtime.last_turns import unfinished_game

NOTE_TURNS = """() => {
    const turn = document.querySelector("[data-region=turn]");
    window.turns = [];
    const note = () => turns.push(turn.textContent);
    new MutationObserver(note).observe(turn, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    table = start()
    wait_until_shown(table)
    return table


def play(table: RunningTable, page: Page, press: Callable[[str], None], presses: int = 10_000) -> None:
    """Press the next buttons of the game on a page, and check that the table takes them."""
    for _ in range(presses):
        state = wait_until_shown(table, page)
        button = next_button(state)
        if button is None:
            break
        if state["stage"] == "scoring":
            advance_scoring(table, state)
            continue
        assert button in state["live"]
        with page.expect_response("**/action") as answered:
            press(button)
        assert answered.value.json() == {"taken": True}, button
    wait_until_shown(table, page)


def stored_outcome(path: Path) -> Outcome:
    """Return the outcome of the stored game, computed by the rules."""
    with closing(sqlite3.connect(path)) as connection:
        ((setup,),) = connection.execute("SELECT setup FROM games").fetchall()
        events = connection.execute("SELECT event FROM events ORDER BY number").fetchall()
    state = rules.setup(msgspec.json.decode(setup, type=rules.Setup))
    for (text,) in events:
        state = state.apply(event_of(text))
    outcome = state.outcome()
    assert isinstance(outcome, Outcome)
    return outcome


def standing(place: Locator) -> tuple[int, int]:
    """Return points and complete rows of a place on the podium."""
    points, rows = (place.locator(each).inner_text() for each in (".figure", ".complete"))
    return int(points), int(rows.split()[0])


def test_a_game_is_played_to_its_end_with_the_mouse(chromium: Browser, start: StartTable, data: Path) -> None:
    """The last turns are played on the twin; the scores are read on the phone page."""
    data.mkdir()
    store_games(data / "azul-table.db", [unfinished_game(STANDARD)], on_table=True)
    table = start()
    with (
        page_of(chromium, f"{table.browser.origin}/") as phone,
        page_of(chromium, f"{table.browser.origin}/table?face=hardware", DESKTOP) as twin,
    ):
        play(table, twin, lambda button: twin.locator(f'svg [data-button="{button}"].live').click())
        places = phone.locator(".podium > li")
        expect(phone.locator(".podium .winner").first).to_be_visible()
        found = {each.locator(".who").inner_text(): standing(each) for each in places.all()}
        winners = {each.inner_text() for each in phone.locator(".podium .winner .who").all()}
    outcome = stored_outcome(table.data / "azul-table.db")
    assert sorted(outcome.scores) != [0, 0]
    assert found == {
        name: (outcome.scores[seat], outcome.rows[seat]) for seat, name in enumerate(("Ana", "Rui"))
    }
    assert winners == {("Ana", "Rui")[seat] for seat in outcome.winners}
    assert table.err == ""


def test_some_turns_with_the_keyboard_only(chromium: Browser, table: RunningTable) -> None:
    with page_of(chromium, f"{table.browser.origin}/table?face=hardware", DESKTOP) as twin:
        focused = 'document.activeElement?.closest("svg [data-button]")?.dataset.button ?? ""'

        def press(button: str) -> None:
            for _ in range(60):
                if twin.evaluate(focused) == button:
                    twin.keyboard.press("Enter" if len(button) % 2 else "Space")
                    return
                twin.keyboard.press("Tab")
            raise AssertionError(f"Tab never came to {button}")

        twin.locator("body").click(position={"x": 2, "y": 2})
        play(table, twin, press, 8)
    assert table.snapshot()["moves"]


def test_the_page_reloads_after_the_table_was_killed(
    chromium: Browser, table: RunningTable, start: StartTable
) -> None:
    """The process of the pages ended with it; the page connects again without being reloaded."""
    context = chromium.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, locale="en-GB")
    phone = context.new_page()
    phone.set_default_timeout(PATIENCE)
    phone.goto(table.browser.origin)
    with table.client() as client:
        client.take("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor")
    phone.locator(".offer .display").first.wait_for()
    port = table.port
    table.kill()
    phone.locator("#lost, .turn.away").first.wait_for()
    again = start("--port", str(port))
    with again.client() as client:
        client.take("ok", "display.2", "seat.1.line.5")
    phone.locator(".moves li").first.wait_for(state="attached")  # on the panel of moves
    phone.locator("#lost").wait_for(state="hidden")
    context.close()


def test_a_hint_is_followed_and_an_opponent_answers(chromium: Browser, start: StartTable, data: Path) -> None:
    """The phone page marks what the hint advises, and shows the opponent's choice with its reason."""
    data.mkdir()
    (data / "settings.toml").write_text("pace = 'slow'\n")
    table = start()
    for button in ("seat.1.line.1", "seat.2.line.1", "seat.2.line.2", "ok", "seat.1.line.1"):
        assert table.browser.press(button).json == {"taken": True}, button
    with page_of(chromium, f"{table.browser.origin}/") as phone:
        turn = phone.locator("[data-region=turn]")
        wait_until_shown(table, phone)
        phone.get_by_role("button", name="Hint").click()
        expect(turn).to_contain_text("Hint for Seat 1: ")
        phone.locator("button.take.advised").click()
        phone.evaluate(NOTE_TURNS)
        phone.locator(".front .advised .put:enabled").click()
        expect(phone.locator(".moves")).to_contain_text("Greedy took ")
        expect(turn).to_contain_text("Seat 1's turn")
        assert "Greedy takes " in phone.evaluate("turns.join()"), "every turn is noted"
