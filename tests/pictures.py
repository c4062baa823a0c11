"""`make pictures`: the pictures of the README, from tables in play and the layouts as they are drawn.

Some of them alone: `python -m tests.pictures indicators hands`.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from device.bots.search import grade_all
from device.bots.workers import WorkerPool, cores
from device.records.review import real_choices
from tests.harness.pages import ARGUMENTS, CHROMIUM
from tests.harness.stored_games import STANDARD, greedy_game, store_games, store_grades
from tests.harness.waiting import until
from tests.web_ui.browsing import Browser as Asking

PICTURES = Path("web_ui/pictures")
DRAWN = Path("hardware/layouts")
ICON = Path("web_ui/static/icon.svg")
ICON_SIZES = (192, 512)  # pixels: what browsers put on the home screen
LAYOUTS = ("full", "duo")
PLAYED = ("lobby", "twin", "hardware", "phone")
SMALLEST = ("indicators", "hands")

DESKTOP = (1440, 900)
PHONE = (390, 844)
MOST_BYTES = 150_000
QUALITIES = range(85, 30, -5)

NAMES = ("Ana", "Rui", "Inês", "Tomé")
ROUND = 3
FULL_DISPLAYS = 5
"""Of nine: so many are full where the pictures are taken."""

AT_REST = 3000
"""Milliseconds after which the lights of the last move have come to rest."""


def main() -> None:
    """Take every picture, or those that are named."""
    wanted = set(sys.argv[1:]) or {*LAYOUTS, *PLAYED, *SMALLEST, "history", "icons"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in LAYOUTS:
            if name in wanted:
                _take_layout(browser, name)
        if wanted.intersection(PLAYED):
            _take_game(browser)
        if wanted.intersection(SMALLEST):
            _take_smallest(browser)
        if "history" in wanted:
            _take_history(browser)
        if "icons" in wanted:
            _take_icons(browser)
        browser.close()


def _take_icons(browser: Browser) -> None:
    """Draw the icon of the home screen in each size."""
    for size in ICON_SIZES:
        page = browser.new_page(viewport={"width": size, "height": size})
        page.set_content(f"<style>*{{margin:0;display:block}}</style>{ICON.read_text()}")
        page.screenshot(path=ICON.with_name(f"icon-{size}.png"), type="png", omit_background=True)


def _take_layout(browser: Browser, name: str) -> None:
    """Take a layout as it is drawn."""
    with _table(name) as address:
        page = _open(browser, f"{address}/table?face=hardware", (700, 1700))  # the whole table below the head
        _take(page.locator("svg.table"), DRAWN / f"{name}.jpg")


def _take_game(browser: Browser) -> None:
    """Take a phone before a game, and in play both faces of the twin and the phone whose turn it is."""
    with _table("full") as address:
        for seat, name in enumerate(NAMES[:2], start=1):
            _act(address, type="sit", seat=seat, name=name)
        _act(address, type="sit", seat=3, bot="calm")
        _take(_open(browser, address, PHONE, seat=2), PICTURES / "lobby.jpg")
        _play(address)
        seat = _state(address)["ask"]["seat"]
        faces = {
            face: _open(browser, f"{address}/table?face={face}", DESKTOP) for face in ("play", "hardware")
        }
        phone = _open(browser, address, PHONE, seat=seat)
        phone.locator(f'button[data-take="{_best(_state(address))[:2]}"]').click()
        for page in (phone, faces["play"]):
            page.locator(".put:enabled").first.wait_for()
        _take(phone, PICTURES / "phone.jpg")
        _take(faces["play"], PICTURES / "twin.jpg")
        faces["hardware"].wait_for_timeout(AT_REST)
        _take(faces["hardware"], PICTURES / "hardware.jpg")


def _take_smallest(browser: Browser) -> None:
    """Take the smallest table in play, and the phone whose turn it is after a press of a display's button."""
    with _table("indicators") as address:
        _play(address)
        state = _state(address)
        page = _open(browser, f"{address}/table?face=hardware", (1340, 860))
        phone = _open(browser, address, PHONE, seat=state["ask"]["seat"], dark=True)
        source = _best(state)[0]
        _act(address, type="press", button=f"display.{source}" if source != "0" else "centre")
        phone.locator(".put:enabled").first.wait_for()
        _take(phone, PICTURES / "hands.jpg")
        page.wait_for_timeout(AT_REST)
        _take(page.locator(".top"), DRAWN / "indicators.jpg")


def _take_history(browser: Browser) -> None:
    """Take the replay of a past game before its costliest move, with the curve of the scores."""
    with _table("full", _graded_game) as address:
        page = _open(browser, f"{address}/history/1", (900, 1100))
        page.locator("[data-auto]:enabled").wait_for()
        page.locator(".reviews [data-step]").first.click()
        page.locator(".replay").evaluate("part => scrollTo(0, part.offsetTop - 12)")
        _take(page, PICTURES / "history.jpg")


def _graded_game(data: Path) -> None:
    """Store a game between two with its grades."""
    play = greedy_game(STANDARD, seed=6)
    choices = list(real_choices(STANDARD, play.events))
    grades = {number: (0.0, event) for number, event in enumerate(play.events)}
    with WorkerPool(cores()) as executor:
        to_grade = [(choice.state, choice.representative) for choice in choices]
        found = grade_all(to_grade, 0.5, executor, cores())
        grades |= {choices[at].number: (grade.lost, grade.best) for at, grade in found}
    store_games(data / "azul-table.db", [play])
    store_grades(data / "azul-table.db", 1, grades)


# --- Pages -----------------------------------------------------------------------------------------------


def _open(
    browser: Browser, address: str, size: tuple[int, int], *, seat: int = 0, dark: bool = False
) -> Page:
    """Open a page, and wait until it is complete; a phone with a seat claims it first."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale="en-GB",
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    if seat:
        given = context.request.post(
            f"{address}/action", data={"type": "claim", "seat": seat}, headers={"Origin": address}
        )
        assert given.json()["taken"], given.text()
    page = context.new_page()
    page.goto(address)
    if page.locator("html[data-connection]").count():
        page.locator('html[data-connection="live"]').wait_for()
    return page


def _take(shown: Page | Locator, path: Path) -> None:
    """Take a picture, as good as its size allows."""
    for quality in QUALITIES:
        taken = shown.screenshot(type="jpeg", quality=quality)
        if len(taken) <= MOST_BYTES:
            break
    path.write_bytes(taken)


# --- A table and its game --------------------------------------------------------------------------------


@contextmanager
def _table(layout: str, prepare: Callable[[Path], None] = lambda _: None) -> Iterator[str]:
    """Run a simulated table; yield the address of its pages."""
    with tempfile.TemporaryDirectory() as data:
        prepare(Path(data))
        options = ("--simulate", "table", "--layout", layout, "--port", "0", "--data", data)
        command = [sys.executable, "-P", "-m", "device", "play", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"(http://(\S+):(\d+))/table", process.stdout.readline())
        assert found is not None
        pages = Asking(int(found[3]), found[2])
        try:
            until(lambda: pages.ask("/state").status == 200, "the table on its pages")
            yield found[1]
        finally:
            process.terminate()
            process.communicate()


def _play(address: str) -> None:
    """Play a game of four to the middle of a round in which everybody has chosen once."""
    for seat, name in zip(_state(address)["seats"], NAMES, strict=True):
        if seat["bot"] or seat["name"] != name:
            _act(address, type="sit", seat=seat["seat"], bot="", name=name)
    _act(address, type="start", first=1)
    while True:
        state = _state(address)
        if state["stage"] == "scoring":
            _act(address, type="press", button="ok")
        elif state["round"] == ROUND and sum(map(bool, state["displays"])) <= FULL_DISPLAYS:
            return
        else:
            _act(address, type="choose", choice=_best(state))


def _best(state: dict[str, Any]) -> str:
    """Return the draft that fills a line best: the pictures should show walls, not floors."""
    targets = [target for found in state["offers"].values() for target in found]

    def worth(target: dict[str, Any]) -> int:
        points: int = target.get("points") or 0
        placed: int = target.get("placed", 0)
        cost: int = target.get("cost", 0)
        return points + placed + 3 * bool(target.get("fills")) - 3 * cost

    best: str = max(targets, key=worth)["token"]
    return best


def _act(address: str, **action: object) -> None:
    """Do an action, and wait until the pages know its result."""
    before = _state(address)["version"]
    headers = {"Content-Type": "application/json", "Origin": address}
    request = urllib.request.Request(f"{address}/action", json.dumps(action).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["taken"], action
    until(lambda: _state(address)["version"] != before, f"the result of {action}")


def _state(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/state") as answer:
        state: dict[str, Any] = json.load(answer)
    return state


if __name__ == "__main__":
    main()
