"""Phones that join a running table: seats of their own, attempts to play for others, and asking for undo."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from device.runtime.assembly import phones_play
from device.runtime.network import addresses_of, mdns_name, own_addresses, url
from device.runtime.pin import AUTO, FILE, open_pin
from hardware.layout.model import read_layout
from tests.harness.client import Message
from tests.harness.fixtures import StartTable
from tests.harness.pages import page_of
from tests.harness.running import RunningTable
from tests.harness.waiting import until
from tests.runtime.test_phones import EVERYBODY, known, phone

YOUR_TURN = "\N{BLACK CIRCLE} Your turn \N{EN DASH} Azul"

# --- Who may play by default ---


@pytest.mark.parametrize(
    ("layout", "setting", "simulate", "may"),
    [
        ("full", "auto", None, False),
        ("full", "auto", "table", True),
        ("full", "auto", "pico", True),
        ("indicators", "auto", None, True),
        ("full", "look", "table", False),
        ("indicators", "look", None, False),
        ("full", "play", None, True),
    ],
)
def test_phones_play_by_default_where_nobody_presses_anything_else(
    layout: str, setting: str, simulate: str | None, *, may: bool
) -> None:
    assert phones_play(read_layout(layout), setting, simulate) is may


# --- Addresses ---


def test_the_address_in_the_network_comes_first() -> None:
    found = addresses_of("0.0.0.0", 8080, lambda: ["192.168.1.5", "10.0.0.2"])
    assert found.urls[0] == "http://192.168.1.5:8080/"
    assert "http://10.0.0.2:8080/" not in found.urls
    assert not found.here_only


def test_pages_on_this_machine_only_have_no_address_for_phones() -> None:
    for host in ("127.0.0.1", "::1", "127.1.2.3"):
        assert addresses_of(host, 8080) == addresses_of("127.0.0.1", 80)
        assert addresses_of(host, 8080).here_only


def test_pages_on_one_address_have_that() -> None:
    assert addresses_of("192.168.1.5", 80).urls == ("http://192.168.1.5/",)
    assert addresses_of("fd00::5", 8080).urls == ("http://[fd00::5]:8080/",)


def test_a_machine_without_a_network_has_no_address() -> None:
    assert not [
        each for each in addresses_of("0.0.0.0", 8080, list).urls if not each.endswith(".local:8080/")
    ]


def test_no_address_is_a_loopback_address() -> None:
    assert not [address for address in own_addresses() if address.startswith("127.")]


def test_the_mdns_name_is_known_while_avahi_runs(tmp_path: Path) -> None:
    assert mdns_name(tmp_path / "none") == []
    assert all(name.endswith(".local") for name in mdns_name(tmp_path))
    assert url("table.local", 80) == "http://table.local/"


# --- The PIN ---


def test_a_pin_stays_the_same_over_a_restart(tmp_path: Path) -> None:
    first = open_pin(AUTO, tmp_path)
    assert first.pin.isdecimal()
    assert (len(first.pin), len(first.secret)) == (6, 64)
    assert open_pin(AUTO, tmp_path) == first
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_pin_of_the_settings_keeps_its_key(tmp_path: Path) -> None:
    first = open_pin("1234", tmp_path)
    assert first.pin == "1234"
    assert open_pin("1234", tmp_path) == first
    changed = open_pin("5678", tmp_path)
    assert (changed.pin, changed.secret) == ("5678", first.secret), "its cookies differ by the PIN"


def test_without_a_pin_nothing_is_written(tmp_path: Path) -> None:
    assert (open_pin("", tmp_path).pin, list(tmp_path.iterdir())) == ("", [])


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"pin": 1, "secret": 2}', "\x00"])
def test_a_damaged_file_of_the_pin_is_written_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    found = open_pin(AUTO, tmp_path)
    assert open_pin(AUTO, tmp_path) == found


# --- A running table ---


def join(page: Page, origin: str, seat: int, name: str) -> None:
    """Pick a seat and a name on the page, as a phone that has scanned the code."""
    page.goto(f"{origin}/join")
    page.locator("[name=name]").fill(name)
    page.locator(f'button[name=seat][value="{seat}"]').click()
    page.wait_for_url(f"{origin}/")
    assert page.locator("html").get_attribute("data-seat") == str(seat)


def act(page: Page, action: Message) -> Message:
    """Send an action from a page, whatever its controls are; again if it was above the rate limit."""
    sent = """action => fetch("/action", {method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify(action)}).then(answer => answer.status === 429 ? null : answer.json())"""

    def answer() -> Message | None:
        answered: Message | None = page.evaluate(sent, action)
        return answered

    return until(answer, "an answer below the rate limit")


def a_draft(table: RunningTable) -> str:
    """Return the notation of the first draft on offer."""
    state = table.snapshot()
    return str(next(iter(state["offers"].values()))[0]["token"])


@pytest.mark.system
def test_phones_join_and_none_plays_for_another(chromium: Chromium, start: StartTable) -> None:
    table = start(*EVERYBODY)
    origin = known(phone(table)).origin
    with ExitStack() as opened:
        ana, rui, eve = (
            opened.enter_context(page_of(chromium, f"{origin}/join", expected="40[039]|429|ERR_ABORTED"))
            for _ in range(3)
        )
        join(ana, origin, 1, "Ana")
        join(rui, origin, 3, "Rui")
        expect(eve.locator('button[name=seat][value="1"]')).to_have_count(0)
        assert act(eve, {"type": "claim", "seat": 1, "name": "Eve"})["why"] == "seat_claimed"
        for action in (
            {"type": "name", "seat": 1, "name": "Silly"},
            {"type": "leave", "seat": 1},
            {"type": "sit", "seat": 1, "bot": "greedy"},
            {"type": "release", "seat": 1},
        ):
            assert act(rui, action)["why"] == act(eve, action)["why"] == "seat_claimed", action
        assert act(eve, {"type": "start", "first": 1})["why"] == "only_watching"
        assert act(rui, {"type": "start", "first": 1})["taken"]
        until(lambda: table.snapshot()["stage"] == "offer", "the first round")
        expect(ana).to_have_title(YOUR_TURN)
        draft = a_draft(table)
        for other in (rui, eve):
            assert act(other, {"type": "choose", "choice": draft})["why"] == "seat_claimed"
            assert not act(other, {"type": "press", "button": "display.1"})["taken"]
        assert act(ana, {"type": "choose", "choice": draft})["taken"]
        expect(rui).to_have_title(YOUR_TURN)
        expect(ana).not_to_have_title(YOUR_TURN)

        assert act(rui, {"type": "press", "button": "undo"})["taken"]
        assert table.snapshot()["ask"]["say"] == "undo_asked"
        assert len(table.snapshot()["moves"]) == 1
        assert act(rui, {"type": "press", "button": "ok"})["why"] == "others_answer"
        assert act(ana, {"type": "press", "button": "ok"})["taken"]
        assert table.snapshot()["moves"] == []
    assert table.err == ""


@pytest.mark.system
def test_a_seat_stays_with_its_phone_until_the_table_gives_it_away(
    chromium: Chromium, start: StartTable, data: Path
) -> None:
    table = start(*EVERYBODY)
    port = str(table.port)
    origin = known(phone(table)).origin
    with page_of(chromium, f"{origin}/join", expected="ERR_|Failed|503|40|429") as ana:
        join(ana, origin, 2, "Ana")
        table.end()
        table = start("--port", port, *EVERYBODY[2:])
        known(phone(table))
        ana.goto(f"{origin}/")
        expect(ana.locator("html")).to_have_attribute("data-seat", "2")
        assert table.snapshot()["seats"][1]["claimed"]
        reply = table.browser.post("/action", {"type": "release", "seat": 2})
        assert reply.json == {"taken": True}
        expect(ana.locator("html")).to_have_attribute("data-seat", "0")
        assert act(ana, {"type": "claim", "seat": 2})["taken"], "it is free for everybody now"


@pytest.mark.system
def test_with_a_pin_a_phone_joins_in_one_step_too(chromium: Chromium, start: StartTable, data: Path) -> None:
    data.mkdir()
    (data / "settings.toml").write_text('pin = "4711"\n')
    table = start(*EVERYBODY)
    origin = known(phone(table)).origin
    with page_of(chromium, f"{origin}/join", expected="403|ERR_ABORTED") as ana:
        assert "PIN" in act(ana, {"type": "claim", "seat": 2})["error"]
        ana.locator("[name=pin]").fill("1111")
        ana.locator('button[name=seat][value="2"]').click()
        expect(ana.locator("#answer")).to_have_text("That is not the PIN.")
        ana.locator("[name=pin]").fill("4711")
        ana.locator('button[name=seat][value="2"]').click()
        ana.wait_for_url(f"{origin}/")
        expect(ana.locator("html")).to_have_attribute("data-seat", "2")
        assert act(ana, {"type": "sit", "seat": 3, "bot": "calm"})["taken"]
    assert "4711" not in json.dumps(table.browser.ask("/state").json)
