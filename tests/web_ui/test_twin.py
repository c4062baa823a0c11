"""The twin's two faces and the wall in Chromium: layout, lights, dead buttons, keys and reduced motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from tests.web_ui import real_tables, scenes
from tests.web_ui.browsing import Browser, Text
from tests.web_ui.conftest import StartPages, show
from tests.web_ui.fake_daemon import TIMEOUT, FakeDaemon, Message
from web_ui.table_link import TableLink

PATIENCE = 1000 * TIMEOUT
"""Milliseconds."""
FAR = {"environ_base": {"REMOTE_ADDR": "192.168.1.20"}}
HARDWARE = "/table?face=hardware"
OVERFLOWS = """() => {
    const sticksOut = (part, frame) => {
        const [inner, outer] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
        return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom;
    };
    const parts = [...document.querySelectorAll(".board .line, .board .wall, .board .floor, .board .score")];
    const heads = [...document.querySelectorAll(".wall-head, .owner .score")];
    return [
        ...parts.filter((part) => sticksOut(part, part.closest(".board"))),
        ...heads.filter((part) => part.scrollWidth > part.clientWidth + 1),
    ].map((part) => `${part.className} ${part.textContent.trim().slice(0, 20)}`);
}"""
SMALLEST_TILE = """() => {
    const tiles = [...document.querySelectorAll(".play-face .line :is(.tile, .space)")];
    return Math.min(...tiles.map((tile) => tile.getBoundingClientRect().width));
}"""

Open = Callable[..., Page]


# --- Without a browser -----------------------------------------------------------------------------------


def page_of(client: FlaskClient, path: str, **given: Any) -> str:
    page = Text(client.get(path, **given).text)
    (name,) = page.values("data-page")
    return name


def test_the_twin_opens_with_the_face_that_was_looked_at_last(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer())
    assert page_of(client, "/table") == "play"
    assert page_of(client, HARDWARE) == "table"
    assert page_of(client, "/table") == "table"
    assert page_of(client, "/table?face=nonsense") == "table"
    assert page_of(client, "/table?face=play") == "play"
    assert page_of(client, "/table") == "play"


def test_from_another_machine_the_play_face_has_the_controls_that_phones_have(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.chosen())
    assert "data-take" not in client.get("/table", **FAR).text
    live = scenes.chosen()["live"]
    show(daemon, link, scenes.chosen(12, phones={"press": live}))
    assert "data-take" in client.get("/table", **FAR).text
    assert "data-take" in client.get("/table").text


def test_the_wall_has_no_controls_for_anybody(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    for version, scene in enumerate((scenes.seating(), scenes.chosen(), scenes.over()), 1):
        everything = {"press": scene["live"], "tell": True, "hint": True, "learn": True}
        show(daemon, link, {**scene, "version": version, "phones": everything})
        for given in ({}, FAR):
            page = Text(client.get("/wall", **given).text)
            assert not {"input", "form"} & {tag for tag, _ in page.elements}
            named = {name for _, each in page.elements for name in each}
            assert not {"data-action", "data-button", "data-choose", "data-take"} & named


def test_the_wall_shows_boards_scores_turn_and_moves(
    daemon: FakeDaemon, link: TableLink, client: FlaskClient
) -> None:
    show(daemon, link, scenes.offer(join={"addresses": ["http://table.local:8080/"]}))
    page = Text(client.get("/wall").text)
    assert "Ana" in str(page)
    assert "Line 1" in " ".join(page.values("aria-label"))
    assert "took" in str(page)
    assert any(source.startswith("/join.svg") for source in page.values("src"))


# --- In Chromium -----------------------------------------------------------------------------------------


@pytest.fixture
def browser(daemon: FakeDaemon, start_pages: StartPages) -> Browser:
    return start_pages("--port", "0").address()


@pytest.fixture
def open_page(chromium: Chromium, browser: Browser, daemon: FakeDaemon) -> Iterator[Open]:
    """Open a page with a scene; script errors fail the test."""
    with ExitStack() as opened:

        def open_one(path: str, scene: Message, size: tuple[int, int], **given: Any) -> Page:
            daemon.play(scene)
            browser.until_version(scene["version"])
            return opened.enter_context(_opened(chromium, browser.origin + path, size, **given))

        yield open_one


@contextmanager
def _opened(chromium: Chromium, address: str, size: tuple[int, int], **given: Any) -> Iterator[Page]:
    faults: list[str] = []
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-GB", **given)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(address)
    yield page
    context.close()
    assert not faults


SIZES = [((1440, 900), 40.0), ((1024, 768), 28.0)]


@pytest.mark.system
@pytest.mark.parametrize(("size", "tile"), SIZES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_boards_of_the_seats_taken_are_large_and_fit(
    open_page: Open, size: tuple[int, int], tile: float, seats: int
) -> None:
    taken = [scenes.seat(number, taken=number <= seats) for number in range(1, 5)]
    players = [
        {**known, "taken": seat["taken"]} for known, seat in zip(scenes.offer()["seats"], taken, strict=True)
    ]
    page = open_page("/table", scenes.offer(seats=players), size)
    boards = page.locator(".play-face .board")
    expect(boards).to_have_count(seats)
    assert page.evaluate(SMALLEST_TILE) >= tile
    assert page.evaluate("document.documentElement.scrollHeight") == size[1], "nothing to scroll"
    assert page.evaluate(OVERFLOWS) == []
    frames = [board.bounding_box() for board in boards.all()]
    desk = page.locator(".desk").bounding_box()
    assert desk is not None
    for number, frame in enumerate(frames):
        assert frame is not None
        for other in [*frames[:number], desk]:
            assert other is not None
            apart = (
                frame["x"] >= other["x"] + other["width"] - 1
                or other["x"] >= frame["x"] + frame["width"] - 1
                or frame["y"] >= other["y"] + other["height"] - 1
                or other["y"] >= frame["y"] + frame["height"] - 1
            )
            assert apart, "no two lie over each other"


@pytest.mark.system
def test_displays_do_not_lie_over_each_other_or_the_centre(open_page: Open) -> None:
    for size, _ in SIZES:
        page = open_page("/table", scenes.offer(), size)
        boxes = page.locator(".play-face .display .plate").all()
        spots = [box.bounding_box() for box in boxes]
        assert len(spots) == 9
        for number, one in enumerate(spots):
            for two in spots[:number]:
                assert one is not None
                assert two is not None
                gap = ((one["x"] - two["x"]) ** 2 + (one["y"] - two["y"]) ** 2) ** 0.5
                assert gap >= one["width"] - 2


@pytest.mark.system
@pytest.mark.parametrize(("size", "scheme"), [((1280, 720), "light"), ((1920, 1080), "dark")])
def test_the_wall_fits_a_television(open_page: Open, size: tuple[int, int], scheme: Any) -> None:
    for version, scene in enumerate((scenes.offer(), scenes.scoring(), scenes.over(), scenes.seating()), 1):
        page = open_page("/wall", {**scene, "version": version}, size, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.evaluate(OVERFLOWS) == []
    letters = "[...document.querySelectorAll('h1, .owner h2, .owner .score, .moves li span')]"
    smallest = f"Math.min(...{letters}.map((text) => parseFloat(getComputedStyle(text).fontSize)))"
    page = open_page("/wall", scenes.offer(9), size)
    assert page.evaluate(smallest) >= size[1] / 40, "readable from four metres"


@pytest.mark.system
def test_the_wall_dims_and_drifts_unless_something_changes(open_page: Open, daemon: FakeDaemon) -> None:
    page = open_page("/wall", scenes.offer(1), (1280, 720))
    page.clock.install()
    page.reload()
    screen = page.locator("#screen")
    expect(screen).not_to_have_class("screen dim")
    page.clock.run_for(5 * 60_000)
    expect(screen).to_have_class("screen dim")
    assert screen.evaluate("(screen) => screen.style.translate") not in ("", "0px 0px")
    daemon.play(scenes.chosen(2))
    expect(screen).to_have_class("screen")


@pytest.mark.system
def test_with_reduced_motion_the_wall_dims_and_stays_in_its_place(open_page: Open) -> None:
    page = open_page("/wall", scenes.offer(1), (1280, 720), reduced_motion="reduce")
    page.clock.install()
    page.reload()
    page.clock.run_for(5 * 60_000)
    screen = page.locator("#screen")
    expect(screen).to_have_class("screen dim")
    assert screen.evaluate("(screen) => getComputedStyle(screen).translate") == "none"


@pytest.mark.system
def test_drawn_buttons_that_are_dead_are_no_stops_of_the_keyboard(
    open_page: Open, daemon: FakeDaemon
) -> None:
    """Each of 37 was one."""
    page = open_page(HARDWARE, scenes.chosen(1), (1280, 900))
    live = page.locator("svg [data-button][tabindex='0']")
    expect(live).to_have_count(len(scenes.chosen()["live"]))
    expect(page.locator("svg [aria-disabled='false']")).to_have_count(len(scenes.chosen()["live"]))
    dead = page.locator("svg [aria-disabled='true']").first
    expect(dead).not_to_have_attribute("tabindex", "0")
    live.first.press("Enter")
    pressed = daemon.asked.get(timeout=TIMEOUT)
    assert (pressed["type"], pressed["physical"]) == ("press", True)


@pytest.mark.system
def test_what_has_no_power_is_dark_and_dead_in_the_drawing(open_page: Open, daemon: FakeDaemon) -> None:
    scene = scenes.chosen(1)
    daemon.shine(scenes.lit(daemon.layout, scene))
    page = open_page(HARDWARE, scene, (1280, 900))
    lens = page.locator("[data-light='display.1.1']")
    expect(lens).to_have_attribute("fill", scenes.PALETTE["b"]["rgb"])
    on = [{"part": "lights", "fault": "unplug"}, {"part": "buttons", "fault": "unplug"}]
    faults = {"can": {"lights": ["unplug"], "buttons": ["unplug"]}, "on": on}
    daemon.play({**scenes.chosen(2), "simulated": {"drawer": None, "faults": faults}})
    expect(lens).to_have_css("fill", "rgb(7, 12, 23)")
    button = page.locator("svg [data-button='seat.1.floor']")
    expect(button).to_have_class("button floor dead")
    button.click(force=True)
    page.locator("#bench summary").click()
    page.get_by_role("switch", name="Lights: cable pulled").click()
    assert daemon.asked.get(timeout=TIMEOUT)["type"] == "fault", "the press went nowhere"


@pytest.mark.system
def test_a_tool_of_the_workshop_breaks_the_drawn_button_that_is_clicked(
    open_page: Open, daemon: FakeDaemon
) -> None:
    faults = {"can": {"button": ["bounce", "hang"]}, "on": []}
    scene = {**scenes.offer(1), "simulated": {"drawer": None, "faults": faults}}
    page = open_page(HARDWARE, scene, (1280, 900))
    page.locator("#bench summary").click()
    page.get_by_text("stays pressed").click()
    page.locator("svg [data-button='display.3']").click()
    sent = daemon.asked.get(timeout=TIMEOUT)
    assert (sent["part"], sent["fault"], sent["on"]) == ("button.display.3", "hang", True)


@pytest.mark.system
def test_with_reduced_motion_a_light_of_the_twin_does_not_pulse(open_page: Open, daemon: FakeDaemon) -> None:
    """The drawing pulsed whatever the system was set to."""
    bright, dim = ("0000ff", "000033")
    lights = len(daemon.layout["lights"])
    daemon.shine(bright * lights)
    page = open_page(HARDWARE, scenes.offer(1), (1280, 900), reduced_motion="reduce")
    lens = page.locator("[data-light='status']")
    expect(lens).to_have_attribute("fill", f"#{bright}")
    seen = """(lens) => {
        window.seen = new Set();
        new MutationObserver(() => seen.add(lens.getAttribute("fill"))).observe(lens, { attributes: true });
    }"""
    lens.evaluate(seen)
    witness = page.locator("[data-light='display.1.1']")
    for colour in (dim, bright, dim, bright):
        other = "00ff00" if colour == bright else "00ff01"
        names = [light["name"] for light in daemon.layout["lights"]]
        daemon.shine("".join(other if name == "display.1.1" else colour for name in names))
        page.wait_for_timeout(120)  # frames come one by one
    expect(witness).to_have_attribute("fill", "#00ff00")
    assert page.evaluate("[...seen].filter((fill) => fill !== '#0000ff')") == []


@pytest.mark.system
def test_the_keyboard_plays_on_the_twin(open_page: Open, daemon: FakeDaemon) -> None:
    game = real_tables.whole_game(real_tables.STANDARD, 3)
    scene = next(each for each in game if each["ask"]["say"] == "draft")
    page = open_page("/table", {**scene, "version": 5}, (1440, 900))
    expect(page.locator("fieldset.hands").first).to_be_enabled()
    page.keyboard.press("1")
    lifted = daemon.asked.get(timeout=TIMEOUT)
    assert (lifted["type"], lifted["source"]) == ("select", 1)
    page.keyboard.press("f")
    placed = daemon.asked.get(timeout=TIMEOUT)
    assert (placed["type"], placed["choice"]) == ("choose", f"1{lifted['colour']}f")
