"""The pages in a real Chromium: layout shifts, latency, bytes, the first view, noticed silence, memory."""

import http.client
import json
import os
import random
import signal
import socket
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from device.bench.figure import BenchError, Figure
from device.bench.proxy import FreezingProxy
from device.bench.table import StartedTable, percentile, started_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Json = dict[str, Any]

CHROMIUM: Final = "/usr/bin/chromium"
WALL: Final = "wall"
PAGES: Final = {
    "phone with a seat": "/?seat",
    "phone": "/",
    "twin, played": "/table?face=play",
    "twin, hardware": "/table?face=hardware",
    WALL: "/wall",
}
"""The pages by name; `?seat` stands for the cookie of a seat."""
OTHER_PAGES: Final = (
    *("/join", "/settings", "/tags", "/history", "/history/last", "/statistics", "/nothing"),
    *("/rules", "/rules/standard", "/rules/gray", "/rules/solo", "/rules/dtc"),
)
"""Pages that are looked at for accessibility only."""
SIZES: Final = ((360, 640), (390, 844), (1024, 768), (1440, 900))
TELEVISIONS: Final = ((1280, 720), (1920, 1080))
PHONES: Final = {10: 60.0, 60: 150.0}
"""Numbers of phones, and the most milliseconds from a press to the picture on one of them."""
LATENCY_MS: Final = 150
DOWNLOAD: Final = 1.6e6 / 8  # bytes a second
SLOWER: Final = 4  # times the processor
FIRST_VIEWS: Final = 7  # of which the median counts
WINDOW: Final = 5000.0  # milliseconds in which layout shifts add up
SETTLED: Final = 1.5  # seconds after which a loaded page has requested everything
QUIET: Final = 0.15  # seconds without an event after which a press is over
PATIENCE: Final = 60.0
STREAM_REQUEST: Final = b"GET /events?page=phone HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n"

NOTE_SHIFTS: Final = """
window.shifts = [];
new PerformanceObserver((list) => {
  const own = list.getEntries().filter((each) => !each.hadRecentInput);
  window.shifts.push(...own.map((each) => [each.startTime, each.value]));
}).observe({ type: "layout-shift", buffered: true });
"""
NOTE_PAINTS: Final = """
window.largest = 0;
new PerformanceObserver((list) => { for (const each of list.getEntries()) window.largest = each.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
"""
NOTE_PICTURES: Final = """
window.pictures = [];
const picture = () => window.pictures.push(performance.timeOrigin + performance.now());
const changed = new MutationObserver(() => requestAnimationFrame(() => setTimeout(picture)));
const everything = { subtree: true, childList: true, attributes: true, characterData: true };
addEventListener("DOMContentLoaded", () => changed.observe(document.body, everything));
"""
FIRST_PICTURE: Final = """() => new Promise((resolve) => {
  const look = () => window.pictures.length ? resolve(window.pictures[0]) : setTimeout(look, 5);
  look();
})"""
FEEDBACK: Final = """
(selector) => new Promise((resolve) => {
  const target = [...document.querySelectorAll(selector)].find((each) => each.getClientRects().length);
  if (!target) return resolve(-1);
  const began = performance.now();
  const changed = new MutationObserver(() => {
    changed.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  });
  changed.observe(document.body, { subtree: true, attributes: true, childList: true });
  target.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, isPrimary: true }));
  target.dispatchEvent(new PointerEvent("pointerup", { bubbles: true, isPrimary: true }));
  target.click();
  setTimeout(() => resolve(2000), 2000);
})
"""
CONNECTION: Final = """(wanted) => new Promise((resolve) => {
  const page = document.documentElement.dataset;
  const look = () => page.connection === wanted ? resolve() : setTimeout(look, 10);
  look();
})"""

STAMPED: Final = """() => new Promise((resolve) => {
  const look = () => document.documentElement.dataset.stamp ? resolve() : setTimeout(look, 10);
  look();
})"""


def measure(seconds: float, axe: Path | None = None) -> Iterator[Figure]:
    """Yield every figure of the pages; games take about `seconds` on each size. Raises BenchError."""
    with (
        _chromium() as browser,
        tempfile.TemporaryDirectory() as folder,
        started_table(Path(folder)) as table,
    ):
        yield from _first_views(browser, table)
        yield from _layout_shifts(browser, table, seconds)
        yield from _bytes_of_presses(table)
        yield from _latencies(browser, table, seconds)
        yield _feedback(browser, table)
        if axe is not None:
            yield from _accessibility(browser, table, axe.read_text())
        yield from _silences(browser, table)


@contextmanager
def _chromium() -> Iterator["Browser"]:
    """Start Chromium. Raises BenchError without it or without Playwright, which drives it."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise BenchError(
            "the pages are measured in Chromium by Playwright, which is not installed here: it comes with the"
            " extra `test` (`make test-setup`)"
        ) from error
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM,
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
        except Error as error:
            raise BenchError(
                f"Chromium does not start: {error}. Is the package chromium installed?"
            ) from error
        yield browser
        browser.close()


# --- Playing ---------------------------------------------------------------------------------------------


class _Player:
    """Plays games for two at the table through its pages, at random but the same each time."""

    def __init__(self, port: int, seed: int = 1) -> None:
        self.port = port
        self._random = random.Random(seed)

    def ask(self, path: str, action: Json | None = None) -> Json:
        """Request a path, or post an action, and return the JSON of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        body = None if action is None else json.dumps(action)
        headers = {} if action is None else {"Content-Type": "application/json"}
        connection.request("GET" if action is None else "POST", path, body, headers)
        answer: Json = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def does(self, **action: object) -> bool:
        """Post an action; return whether the table took it."""
        return bool(self.ask("/action", action).get("taken"))

    def do(self, **action: object) -> None:
        """Post an action. Raises BenchError if the table refuses it."""
        if not self.does(**action):
            raise BenchError(f"the table refused {action} at {self.state()['ask']}")

    def state(self) -> Json:
        """Return the snapshot."""
        return self.ask("/state")

    def begin(self) -> None:
        """Begin a game of two, whatever was played before."""
        for _ in range(200):
            match self.state()["stage"]:
                case "over":
                    self.do(type="again")
                    return
                case "offer" | "choice" | "scoring":
                    if not any(True for _ in self.actions()):
                        return
                case _:
                    self.do(type="sit", seat=1, bot="", name="Ana")
                    self.do(type="sit", seat=2, bot="", name="Rui")
                    self.do(type="options", mode="standard")
                    self.do(type="start", first=1)
                    return

    def actions(self) -> Iterator[Json]:
        """Yield the next actions to play: none when the game is over, `wait` while the table is busy."""
        state = self.state()
        if state["stage"] == "over":
            return
        offers = state.get("offers") or {}
        if state["stage"] == "scoring":
            yield {"type": "press", "button": "ok"}
        elif offers:
            taken = self._random.choice(sorted(offers))
            yield {"type": "select", "source": int(taken[:-1]), "colour": taken[-1]}
            targets = offers[taken]
            best = min(target.get("floor", 0) for target in targets)
            good = [target for target in targets if target.get("floor", 0) == best]
            yield {"type": "choose", "choice": self._random.choice(good)["token"]}
        elif state["choosing"]:
            yield {"type": "choose", "choice": self._random.choice(state["choosing"])["token"]}
        else:
            yield {"type": "wait"}

    def play(self, after: Callable[[], None] = lambda: None, until: float = float("inf")) -> None:
        """Play to the end of the game, or until a time; call `after` after each action."""
        while time.monotonic() < until:
            any_left = False
            for action in self.actions():
                any_left = True
                if action["type"] != "wait":
                    self.ask("/action", action)
                after()
            if not any_left:
                return


def _start_game(table: StartedTable) -> _Player:
    player = _Player(table.port)
    player.begin()
    return player


@contextmanager
def _context(
    browser: "Browser", name: str, port: int, size: tuple[int, int], **more: Any
) -> Iterator["BrowserContext"]:
    """Open a fresh browser, with a seat where the page needs one."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-GB", **more)
    context.set_default_timeout(PATIENCE * 1000)
    if "?seat" in PAGES.get(name, ""):
        _claim_seat(context, f"http://127.0.0.1:{port}")
    yield context
    context.close()


def _claim_seat(context: "BrowserContext", origin: str) -> None:
    """Let seat 1 belong to this browser, taken over from the one before."""
    headers = {"Origin": origin, "Content-Type": "application/json"}
    for action in ({"type": "release", "seat": 1}, {"type": "claim", "seat": 1, "name": "Ana"}):
        answer = context.request.post(f"{origin}/action", headers=headers, data=json.dumps(action)).json()
    if not answer.get("taken"):
        raise BenchError(f"no browser may claim seat 1: {answer}")


def _address(name: str, port: int) -> str:
    return f"http://127.0.0.1:{port}{PAGES[name].removesuffix('?seat')}"


def _sizes(name: str) -> tuple[tuple[int, int], ...]:
    return TELEVISIONS if name == WALL else SIZES


# --- Bytes and the first view ----------------------------------------------------------------------------


def _first_views(browser: "Browser", table: StartedTable) -> Iterator[Figure]:
    """Load each page cold: its bytes on the wire, and its first view on a slow line and processor."""
    _start_game(table)
    for name in PAGES:
        size = _sizes(name)[0]
        with FreezingProxy(table.port) as proxy, _context(browser, name, proxy.port, size) as context:
            context.add_init_script("delete window.SharedWorker")  # so that its stream counts, too
            page = context.new_page()
            page.goto(_address(name, proxy.port))
            page.wait_for_timeout(SETTLED * 1000)
            goal = 100 if name.startswith("twin") else 60
            yield Figure(
                f"pages, {name}, bytes on the wire cold", proxy.received / 1000, "kB", goal, at_least=False
            )
        views = [_first_view(browser, name, table.port) for _ in range(FIRST_VIEWS)]
        for what, times in zip(
            ("first view", "largest element shown"), zip(*views, strict=True), strict=True
        ):
            about = f"pages, {name}, {what}, 1.6 Mbit/s, {LATENCY_MS} ms, processor {SLOWER} times slower"
            yield Figure(about, median(times) / 1000, "s", 1.0, at_least=False)


def _first_view(browser: "Browser", name: str, port: int) -> tuple[float, float]:
    """Load a page cold on a slow line and processor; return when it painted first and largest, in ms."""
    with _context(browser, name, port, _sizes(name)[0]) as context:
        page = context.new_page()
        page.add_init_script(NOTE_PAINTS)
        _slow_down(context, page)
        page.goto(_address(name, port))
        page.wait_for_timeout(SETTLED * 1000)
        first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        return first, page.evaluate("window.largest")


def _slow_down(context: "BrowserContext", page: "Page") -> None:
    control = context.new_cdp_session(page)
    control.send("Network.enable")
    line = {
        "offline": False,
        "latency": LATENCY_MS,
        "downloadThroughput": DOWNLOAD,
        "uploadThroughput": DOWNLOAD,
    }
    control.send("Network.emulateNetworkConditions", line)
    control.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def _bytes_of_presses(table: StartedTable) -> Iterator[Figure]:
    """Play a game and count what one phone is sent for each press, heartbeats left out."""
    player = _start_game(table)
    sizes: list[int] = []
    with _Stream(table.port, "Cookie: seat=1\r\n") as stream:
        stream.until_quiet()
        player.play(lambda: sizes.append(stream.until_quiet()))
    sent = [size for size in sizes if size]
    yield Figure(
        "pages, bytes for a press and phone, mean", sum(sent) / len(sent) / 1000, "kB", 3, at_least=False
    )
    yield Figure("pages, bytes for a press and phone, most", max(sent) / 1000, "kB", 3, at_least=False)


class _Stream:
    """The event stream of one phone: compressed, its events told apart."""

    def __init__(self, port: int, headers: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.sendall(STREAM_REQUEST + headers.encode() + b"\r\n")
        self._unpack = zlib.decompressobj(31)
        self._begun = False

    def until_quiet(self) -> int:
        """Read until no event but heartbeats has come for a moment; return the bytes of the others."""
        number, deadline = 0, time.monotonic() + QUIET
        while (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                data = self._socket.recv(65_536)
            except TimeoutError:
                break
            if b"event: news" in self._text_of(data):
                number += len(data)
                deadline = time.monotonic() + QUIET
        return number

    def _text_of(self, data: bytes) -> bytes:
        """Return the text of HTTP chunks; each message of the pages arrives as a chunk of its own."""
        if not self._begun:
            self._begun = True
            _, _, data = data.partition(b"\r\n\r\n")
        text = b""
        while data:
            length, _, rest = data.partition(b"\r\n")
            size = int(length, 16)
            while len(rest) < size + 2:
                rest += self._socket.recv(65_536)
            text += self._unpack.decompress(rest[:size])
            data = rest[size + 2 :]
        return text

    def __enter__(self) -> "_Stream":
        return self

    def __exit__(self, *fault: object) -> None:
        self._socket.close()


# --- Layout shifts and latency -----------------------------------------------------------------------------


def _layout_shifts(browser: "Browser", table: StartedTable, seconds: float) -> Iterator[Figure]:
    """Play on while each page is open at each size; find the 5 s in which most of it moved."""
    for width, height in (*SIZES, *TELEVISIONS):
        player = _start_game(table)
        with ExitStack() as opened:
            pages = {}
            for name in PAGES:
                if (width, height) not in _sizes(name):
                    continue
                context = opened.enter_context(_context(browser, name, table.port, (width, height)))
                pages[name] = context.new_page()
                pages[name].add_init_script(NOTE_SHIFTS)
                pages[name].goto(_address(name, table.port))
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                player.play(lambda: time.sleep(QUIET), until)
                if player.state()["stage"] == "over":
                    time.sleep(SETTLED)
                    player.begin()
            for name, page in pages.items():
                worst = _worst_window(page.evaluate("window.shifts"))
                yield Figure(
                    f"pages, {name}, {width} x {height}, layout shift", worst, "CLS", 0.1, at_least=False
                )


def _worst_window(shifts: list[list[float]]) -> float:
    """Return the largest sum of shifts, given as time and value, in any window."""
    sums = (sum(value for at, value in shifts if began <= at < began + WINDOW) for began, _ in shifts)
    return max(sums, default=0.0)


def _latencies(browser: "Browser", table: StartedTable, seconds: float) -> Iterator[Figure]:
    """Measure from a press on one phone to the picture on another, while many watch."""
    for number, goal in PHONES.items():
        player = _start_game(table)
        with _viewers(table.port, number - 1), _context(browser, "phone", table.port, SIZES[1]) as context:
            page = context.new_page()
            page.add_init_script(NOTE_PICTURES)
            page.goto(_address("phone", table.port))
            page.wait_for_timeout(SETTLED * 1000)
            taken = list(_press_and_look(page, player, seconds))
            name = f"pages, press to the picture on another phone, {number} phones, p99"
            yield Figure(name, percentile(taken, 0.99), "ms", goal, at_least=False)
            name = f"pages, memory of daemon and pages, {number} phones"
            yield Figure(name, table.megabytes(), "MB", 90, at_least=False)


def _press_and_look(page: "Page", player: _Player, seconds: float) -> Iterator[float]:
    """Take tiles in hand, one after another; yield the milliseconds until the page shows each."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        offers = sorted(player.state().get("offers") or {})
        if len(offers) < 2:
            player.play(until=time.monotonic() + 0.5)
            if player.state()["stage"] == "over":
                player.begin()
            continue
        for taken in offers[:8]:
            page.wait_for_timeout(100)
            page.evaluate("window.pictures.length = 0")
            pressed = time.time() * 1000
            if not player.does(type="select", source=int(taken[:-1]), colour=taken[-1]):
                break  # the pages' state was older than the table's
            yield page.evaluate(FIRST_PICTURE) - pressed
        player.play(until=time.monotonic() + 0.5)


@contextmanager
def _viewers(port: int, number: int) -> Iterator[None]:
    """Keep so many event streams open and read them."""
    with ExitStack() as opened:
        for _ in range(number):
            viewer = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            viewer.sendall(STREAM_REQUEST + b"\r\n")
            threading.Thread(target=_drain, args=(viewer,), daemon=True).start()
        yield


def _drain(viewer: socket.socket) -> None:
    with suppress(OSError):
        while viewer.recv(65_536):
            continue


def _feedback(browser: "Browser", table: StartedTable) -> Figure:
    """Measure from a tap on tiles to the picture on the same phone."""
    _start_game(table)
    taken: list[float] = []
    with _context(browser, "phone", table.port, SIZES[1]) as context:
        page = context.new_page()
        page.goto(_address("phone", table.port))
        for _ in range(20):
            page.wait_for_timeout(400)
            taken.append(page.evaluate(FEEDBACK, "main [data-take], main button[data-button]"))
    if min(taken) < 0:
        raise BenchError("the phone page has nothing to tap while a person is to draft")
    return Figure("pages, own feedback to a tap, worst of 20", max(taken), "ms", 50, at_least=False)


# --- Accessibility -----------------------------------------------------------------------------------------


def _accessibility(browser: "Browser", table: StartedTable, axe: str) -> Iterator[Figure]:
    """Count what axe-core finds on each page, theme and size; on other pages in the outermost sizes."""
    _start_game(table)
    looks = [(name, _address(name, table.port), _sizes(name)) for name in PAGES]
    looks += [(path, f"http://127.0.0.1:{table.port}{path}", (SIZES[0], SIZES[-1])) for path in OTHER_PAGES]
    for name, address, sizes in looks:
        for theme in ("light", "dark"):
            for size in sizes:
                more = {"color_scheme": theme, "bypass_csp": True}
                with _context(browser, name, table.port, size, **more) as context:
                    page = context.new_page()
                    page.goto(address)
                    page.evaluate(axe)
                    found = page.evaluate(
                        "axe.run().then(({ violations }) => violations.map(({ id }) => id))"
                    )
                    what = f" ({', '.join(found)})" if found else ""
                    about = f"pages, {name}, {theme}, {size[0]} x {size[1]}, found by axe{what}"
                    yield Figure(about, len(found), "rules", 0, at_least=False)


# --- Silence -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Outage:
    """Something that stops and returns, and what a page shows meanwhile."""

    name: str
    shown: str
    stop: Callable[[], object]
    resume: Callable[[], object]


def _silences(browser: "Browser", table: StartedTable) -> Iterator[Figure]:
    """Measure how soon a page shows that something does not answer, and that it does again."""
    daemon, pages = table.processes()[:2]
    with FreezingProxy(table.port) as proxy, _context(browser, "phone", proxy.port, SIZES[1]) as context:
        page = context.new_page()
        page.goto(_address("phone", proxy.port))
        outages = (
            _Outage("a network that freezes", "lost", proxy.freeze, proxy.thaw),
            _Outage("a network that loses all connections", "lost", proxy.freeze, proxy.replace),
            _Outage("stopped pages", "lost", _signal(pages, signal.SIGSTOP), _signal(pages, signal.SIGCONT)),
            _Outage(
                "a stopped table", "hung", _signal(daemon, signal.SIGSTOP), _signal(daemon, signal.SIGCONT)
            ),
        )
        for outage in outages:
            page.evaluate(CONNECTION, "live")
            page.wait_for_timeout(SETTLED * 1000)
            outage.stop()
            shown = _seconds_until(page, outage.shown)
            page.wait_for_timeout(SETTLED * 1000)
            outage.resume()
            over = _seconds_until(page, "live")
            yield Figure(f"pages, {outage.name}: shown after", shown, "s", 5, at_least=False)
            yield Figure(f"pages, {outage.name}: over after its return", over, "s", 1, at_least=False)
        page.evaluate("document.documentElement.dataset.stamp = ''")
        _signal(pages, signal.SIGKILL)()
        began = time.monotonic()
        page.evaluate(STAMPED)
        again = time.monotonic() - began
        yield Figure("pages, killed: up to date again", again, "s", 5, at_least=False)


def _signal(process: int, number: signal.Signals) -> Callable[[], object]:
    return lambda: os.kill(process, number)


def _seconds_until(page: "Page", connection: str) -> float:
    began = time.monotonic()
    page.evaluate(CONNECTION, connection)
    return time.monotonic() - began
