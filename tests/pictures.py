"""`make pictures`: the pictures of the README, from the twin in play and the layouts as they are drawn.

Some of them alone: `python -m tests.pictures indicators hands`.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from device.bots.search import grade_all
from device.bots.workers import WorkerPool, cores
from device.records.review import real_choices
from tests.harness.pages import ARGUMENTS, CHROMIUM
from tests.harness.stored_games import STANDARD, greedy_game, store_games, store_grades

TWIN = Path("web_ui/pictures/twin.jpg")
PHONE = Path("web_ui/pictures/phone.jpg")
HANDS = Path("web_ui/pictures/hands.jpg")
INDICATORS = Path("hardware/layouts/indicators.jpg")
HISTORY = Path("web_ui/pictures/history.jpg")
ICON = Path("web_ui/static/icon.svg")
ICON_SIZES = (192, 512)  # pixels: what browsers put on the home screen
LAYOUTS = {name: Path(f"hardware/layouts/{name}.jpg") for name in ("full", "duo")}
DRAFTS = 45
PATIENCE = 1.0


def main() -> None:
    """Take every picture, or those that are named."""
    wanted = set(sys.argv[1:]) or {*LAYOUTS, "twin", "phone", "indicators", "hands", "history", "icons"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in LAYOUTS.keys() & wanted:
            _take_layout(browser, name)
        if wanted & {"twin", "phone"}:
            _take_game(browser)
        if wanted & {"indicators", "hands"}:
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
        page = browser.new_page(viewport={"width": 700, "height": 900})
        page.goto(f"{address}/table?face=hardware")
        page.locator("svg.table").screenshot(path=LAYOUTS[name], type="jpeg", quality=85)


def _take_game(browser: Browser) -> None:
    """Take the twin and the phone page in play."""
    with _table("full") as address:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/table?face=hardware")
        _play(page, address)
        page.screenshot(path=TWIN, type="jpeg", quality=85)
        phone = browser.new_page(viewport={"width": 390, "height": 844})
        phone.goto(address)
        phone.screenshot(path=PHONE, type="jpeg", quality=85)


def _take_smallest(browser: Browser) -> None:
    """Take the smallest table in play, and the phone of the player whose turn it is."""
    with _table("indicators") as address:
        page = browser.new_page(viewport={"width": 1340, "height": 860})
        page.goto(f"{address}/table?face=hardware")
        _play(page, address)
        page.locator(".top").screenshot(path=INDICATORS, type="jpeg", quality=85)
        seat = next(each["seat"] for each in _state(address)["seats"] if each["acting"])
        phone = browser.new_page(viewport={"width": 390, "height": 844})
        phone.context.add_cookies([{"name": "seat", "value": str(seat), "url": address}])
        phone.goto(address)
        phone.screenshot(path=HANDS, type="jpeg", quality=85)


def _take_history(browser: Browser) -> None:
    """Take the costliest move of a past game, on a phone."""
    with _table("full", _graded_game) as address:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{address}/history/1")
        page.locator(".reviews summary").first.click()
        page.locator(".reviews").evaluate("part => scrollTo(0, part.offsetTop - 12)")
        page.screenshot(path=HISTORY, type="jpeg", quality=85)


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


@contextmanager
def _table(layout: str, prepare: Callable[[Path], None] = lambda _: None) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as data:
        prepare(Path(data))
        command = [
            sys.executable,
            "-P",
            "-m",
            "device",
            "play",
            "--simulate",
            "table",
            "--layout",
            layout,
            "--port",
            "0",
            "--data",
            data,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"(http\S+)/table", process.stdout.readline())
        assert found is not None
        try:
            yield found[1]
        finally:
            process.terminate()
            process.communicate()


def _play(page: Page, address: str) -> None:
    """Play a game of four with names for some rounds, up to a choice that is half made."""
    for place, name in enumerate(("Ana", "Rui", "Inês", "Tomé"), start=1):
        _press(page, f"seat.{place}.floor")
        page.request.post(
            f"{address}/action",
            data={"type": "name", "seat": place, "name": name},
            headers={"Origin": address},
        )
    _press(page, "ok")
    _press(page, "seat.1.floor")
    drafted = 0
    while drafted < DRAFTS or not any(name.startswith("display") for name in _state(address)["live"]):
        state = _state(address)
        if state["stage"] == "scoring":
            _press(page, "ok")
            continue
        _draft(page, address, state)
        drafted += 1
    for name in _state(address)["live"]:
        if name.startswith("display"):
            _press(page, name)
            if len(_state(address)["choice"]["lines"]) > 2:
                break
    page.wait_for_timeout(1500)


def _draft(page: Page, address: str, state: dict[str, Any]) -> None:
    """Choose the draft that fills a line best: the picture should show walls, not floors."""
    sources = [name for name in state["live"] if name == "centre" or name.startswith("display")]
    best = None
    for source in sources:
        _press(page, source)
        chosen = _state(address)
        seat = next(each for each in chosen["seats"] if each["acting"])
        count = chosen["choice"]["count"]
        for line in chosen["choice"]["lines"]:
            room = line - len(seat["lines"][line - 1]) if line else 0
            worth = -count if not line else count - 3 * max(0, count - room) + 2 * (count == room)
            if best is None or worth > best[0]:
                best = (worth, source, line)
    assert best is not None
    _, source, line = best
    if _state(address)["choice"]["source"] != (0 if source == "centre" else int(source.split(".")[1])):
        _press(page, source)
    seat = next(each["seat"] for each in state["seats"] if each["acting"])
    _press(page, f"seat.{seat}.line.{line}" if line else f"seat.{seat}.floor")


def _press(page: Page, button: str) -> None:
    """Press, and wait until the pages show the result."""
    address = page.url.removesuffix("/table")
    before = _state(address)["version"]
    page.request.post(
        f"{address}/action", data={"type": "press", "button": button}, headers={"Origin": address}
    )
    deadline = time.monotonic() + PATIENCE
    while _state(address)["version"] == before and time.monotonic() < deadline:
        pass


def _state(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/state") as answer:
        state: dict[str, Any] = json.load(answer)
    return state


if __name__ == "__main__":
    main()
