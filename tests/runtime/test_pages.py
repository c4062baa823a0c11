"""The pages of a running table: states, presses, streams and restarts."""

from __future__ import annotations

import json
import os
import signal

import pytest

from tests.harness.fixtures import StartTable
from tests.harness.pages import advance_scoring, wait_until_shown
from tests.harness.player import next_button
from tests.harness.reference_table import game_part
from tests.harness.running import RunningTable, is_running
from tests.harness.waiting import until


@pytest.fixture
def table(start: StartTable) -> RunningTable:
    table = start()
    here(table)
    return table


def here(table: RunningTable) -> None:
    """Wait until the pages have the table's state."""

    def state() -> bool:
        try:
            return table.browser.ask("/state").status == 200
        except OSError:
            return False

    until(state, "the table on its pages")


def test_every_page_is_answered(table: RunningTable) -> None:
    browser = table.browser
    assert "<svg" in browser.ask("/table").text
    assert 'data-button="display.3"' in browser.ask("/table").text
    assert browser.ask("/").status == 200
    assert game_part(browser.ask("/state").json) == game_part(table.snapshot())
    for page in ("phone", "table"):
        regions = browser.ask(f"/regions?page={page}")
        assert regions.status == 200
        assert browser.ask(f"/regions?page={page}", headers={"If-None-Match": "W/none"}).status == 200
        with browser.stream(page) as stream:
            assert stream.status == 200
            assert stream.next("hello").data["build"]
    assert browser.ask("/nothing").status == 404


def test_an_etag_avoids_sending_a_known_state(table: RunningTable) -> None:
    first = table.browser.ask("/state")
    known = {"If-None-Match": first.headers["ETag"]}
    assert table.browser.ask("/state", headers=known).status == 304
    with table.client() as client:
        client.take("seat.1.floor")
    until(lambda: table.browser.ask("/state", headers=known).status == 200, "news")


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


def test_a_malformed_press_is_refused_and_the_table_goes_on(table: RunningTable) -> None:
    headers = {"Content-Type": "application/json", "Origin": table.browser.origin}
    before = table.snapshot()
    for body, status in MALFORMED:
        reply = table.browser.ask("/action", method="POST", body=body, headers=headers)
        assert reply.status == status, body[:50]
        assert len(json.loads(reply.body)["error"].split()) > 3
    assert game_part(table.snapshot()) == game_part(before)
    assert table.browser.press("seat.1.floor").json == {"taken": True}
    assert table.err == ""


def test_a_press_from_another_site_is_refused(table: RunningTable) -> None:
    for headers in (
        {"Content-Type": "application/json", "Origin": "http://evil.example"},
        {"Content-Type": "application/json", "Host": "evil.example"},
        {"Content-Type": "text/plain", "Origin": table.browser.origin},
    ):
        reply = table.browser.ask(
            "/action", method="POST", body=b'{"type":"press","button":"seat.1.floor"}', headers=headers
        )
        assert reply.status in (403, 415)
    assert not table.snapshot()["seats"][0]["taken"]


def test_frames_are_streamed_to_a_viewer(table: RunningTable) -> None:
    with table.browser.stream("table") as stream:
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


def test_a_whole_game_played_by_requests_ends_with_its_result(table: RunningTable) -> None:
    """The requests are those of a browser."""
    while button := next_button(state := wait_until_shown(table)):
        if state["stage"] == "scoring":
            advance_scoring(table, state)
        else:
            assert table.browser.press(button).json == {"taken": True}, button
    assert state["stage"] == "over"
    scores = [player["score"] for player in state["result"]["scores"]]
    assert scores == [state["seats"][0]["score"], state["seats"][2]["score"]]
