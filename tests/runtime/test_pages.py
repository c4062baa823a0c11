"""The pages of a running table: states, presses, streams and restarts."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.fixtures import StartTable
from tests.harness.pages import advance_scoring, wait_until_shown
from tests.harness.player import next_button
from tests.harness.reference_table import game_part
from tests.harness.running import RunningTable, is_running
from tests.harness.stored_games import STANDARD, store_games
from tests.harness.waiting import until
from tests.runtime.last_turns import unfinished_game

pytestmark = pytest.mark.system


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    table = start()
    here(table)
    return table


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    """One table for the tests that only take seats, and change nothing else."""
    with RunningTable(tmp_path_factory.mktemp("running") / "data") as table:
        here(table.ready())
        yield table


@pytest.fixture
def shared(running: RunningTable) -> Iterator[RunningTable]:
    """The table, with all seats free, which its pages know."""
    yield running
    with running.client() as client:
        client.subscribe()
        while any(seat["taken"] for seat in running.snapshot()["seats"]):
            client.take("undo")
    wait_until_shown(running)


def here(table: RunningTable) -> None:
    """Wait until the pages have the table's state."""

    def state() -> bool:
        try:
            return table.browser.ask("/state").status == 200
        except OSError:
            return False

    until(state, "the table on its pages")


def test_every_page_is_answered(shared: RunningTable) -> None:
    browser = shared.browser
    assert "<svg" in browser.ask("/table?face=hardware").text
    assert 'data-button="display.3"' in browser.ask("/table?face=hardware").text
    assert browser.ask("/").status == 200
    snapshot = game_part(shared.snapshot())
    for seat in snapshot["seats"]:
        del seat["claim"]  # a phone's: nobody else is told
    assert game_part(browser.ask("/state").json) == snapshot
    for page in ("phone", "table"):
        regions = browser.ask(f"/regions?page={page}")
        assert regions.status == 200
        assert browser.ask(f"/regions?page={page}", headers={"If-None-Match": "W/none"}).status == 200
        with browser.stream(page) as stream:
            assert stream.status == 200
            assert stream.next("hello").data["build"]
    assert browser.ask("/nothing").status == 404


def test_an_etag_avoids_sending_a_known_state(shared: RunningTable) -> None:
    first = shared.browser.ask("/state")
    known = {"If-None-Match": first.headers["ETag"]}
    assert shared.browser.ask("/state", headers=known).status == 304
    with shared.client() as client:
        client.take("seat.1.floor")
    until(lambda: shared.browser.ask("/state", headers=known).status == 200, "news")


def test_a_press_on_a_page_reaches_the_table(table: RunningTable) -> None:
    with table.client() as client, table.browser.stream() as stream:
        client.subscribe()
        stream.next("news")
        assert table.browser.press("seat.4.floor").json == {"taken": True}
        client.until(lambda shown: bool(shown["seats"][3]["taken"]))
        stream.next("news")
        refused = table.browser.press("seat.4.floor").json
        assert refused["taken"] is False
        assert refused["why"] == "seat_taken"
        assert len(refused["say"].split()) > 2
        client.until(lambda shown: shown["refusal"] is not None and shown["refusal"]["say"] == "seat_taken")
        assert table.browser.post("/action", {"type": "name", "seat": 4, "name": "Ana"}).json == {
            "taken": True
        }
        client.until(lambda shown: shown["seats"][3]["name"] == "Ana")


MALFORMED = [
    (b"", 400),
    (b"{", 400),
    (b"[]", 400),
    (b'{"type":"press","button":7}', 400),
    (b'{"type":"press","button":"\xff"}', 400),
    (b'{"type":"press","button":' + b"[" * 4000, 400),
    (b'{"type":"press","button":"display.10"}', 404),
    (b'{"type":"press","button":"' + b"A" * 5000 + b'"}', 413),
]


def test_a_malformed_press_is_refused_and_the_table_goes_on(shared: RunningTable) -> None:
    headers = {"Content-Type": "application/json", "Origin": shared.browser.origin}
    before = shared.snapshot()
    for body, status in MALFORMED:
        reply = shared.browser.ask("/action", method="POST", body=body, headers=headers)
        assert reply.status == status, body[:50]
        assert len(json.loads(reply.body)["error"].split()) > 3
    assert game_part(shared.snapshot()) == game_part(before)
    assert shared.browser.press("seat.1.floor").json == {"taken": True}
    assert shared.err == ""


def test_a_press_from_another_site_is_refused(shared: RunningTable) -> None:
    for headers in (
        {"Content-Type": "application/json", "Origin": "http://evil.example"},
        {"Content-Type": "application/json", "Host": "evil.example"},
        {"Content-Type": "text/plain", "Origin": shared.browser.origin},
    ):
        reply = shared.browser.ask(
            "/action", method="POST", body=b'{"type":"press","button":"seat.1.floor"}', headers=headers
        )
        assert reply.status in (403, 415)
    assert not shared.snapshot()["seats"][0]["taken"]


def test_frames_are_streamed_to_a_viewer(shared: RunningTable) -> None:
    with shared.browser.stream("table") as stream:
        first = stream.next("lights").data["all"]
        assert len(first) == 6 * 338
        stream.next("lights")


def test_the_pages_show_a_killed_table_again_after_its_restart(
    table: RunningTable, start: StartTable
) -> None:
    for button in ("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor", "display.1"):
        assert table.browser.press(button).json == {"taken": True}
    with table.browser.stream() as stream:
        stamp = stream.next("news").stamp
        port = table.port
        table.kill()
        assert stream.at_end(), "the browser notices, and asks again"
    table = start("--port", str(port))
    here(table)
    state = table.browser.ask("/state").json
    assert state["choice"]["source"] == 1
    assert state["ask"]["say"] == "your_board"
    with table.browser.stream(have=stamp) as stream:
        assert stream.next("news").data["regions"], "all of it, for one who knows only the pages before"
    assert table.browser.press("ok").json == {"taken": True}


def test_killed_pages_are_restarted_and_the_game_goes_on(table: RunningTable) -> None:
    with table.client() as client:
        client.subscribe()
        client.take("seat.1.floor")
        first = table.pages()
        os.kill(first, signal.SIGKILL)
        until(lambda: not is_running(first), "the end of the pages")
        client.take("seat.2.floor")
        assert until(lambda: table.pages() != first, "other pages")
        here(table)
        assert table.browser.press("seat.3.floor").json == {"taken": True}
        client.until(lambda shown: [seat["taken"] for seat in shown["seats"]] == [True, True, True, False])
    assert table.err.splitlines() == ["The pages ended (status -9); they start again in 0.5 s."]
    assert table.end() == 0


def test_the_table_ends_while_its_pages_wait_for_their_restart(table: RunningTable) -> None:
    os.kill(table.pages(), signal.SIGKILL)
    until(lambda: "start again" in table.err, "the note about the pages")
    assert table.end() == 0


def test_a_game_is_played_to_its_end_by_requests(start: StartTable, data: Path) -> None:
    """The requests are those of a browser."""
    data.mkdir()
    store_games(data / "azul-table.db", [unfinished_game(STANDARD)], on_table=True)
    table = start()
    while button := next_button(state := wait_until_shown(table)):
        if state["stage"] == "scoring":
            advance_scoring(table, state)
        else:
            assert table.browser.press(button).json == {"taken": True}, button
    assert state["stage"] == "over"
    scores = [player["score"] for player in state["result"]["scores"]]
    assert scores == [state["seats"][0]["score"], state["seats"][2]["score"]]
