"""`azul-table play --simulate pico`: the product, with its firmware in a real MicroPython behind a real line.

Presses close contacts of the Pico, and what its strips get is what the twin shows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import pytest

from device.lights.palettes import PALETTES
from device.runtime.assembly import open_table_hardware
from device.runtime.loop import Inbox, Stop, TableLoop
from hardware.api import LightFrame
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import read_layout
from hardware.pixels import FrameEncoder, is_near
from tests.harness.client import Client, Message
from tests.harness.local_table import RecordingPublisher
from tests.harness.player import next_button
from tests.harness.recorded_play import FOLDER
from tests.harness.running import RunningTable
from tests.harness.stored_games import STANDARD, store_games
from tests.harness.waiting import DEADLINE, until
from tests.runtime.last_turns import unfinished_game

pytestmark = pytest.mark.system

HOUSE = Path(__file__).parents[2]
FULL = read_layout("full")
MOST_PRESSES = 600


class Watched:
    """A running table with a simulated Pico whose strips are recorded."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.strips = folder / "strips"
        self.strips.mkdir()
        self.running = RunningTable(
            folder / "data",
            *("--port", "0", *options),
            simulate="pico",
            cwd=HOUSE,
            command=(sys.executable, "-m", "tests.harness.recorded_play"),
            surroundings={FOLDER: str(self.strips)},
        )
        self._bytes = FrameEncoder(FULL)

    def begin(self) -> Client:
        """Wait for the table; return a client that is subscribed to everything."""
        self.running.ready()
        client = self.running.client()
        client.subscribe(frames=True)
        return client

    def shown(self) -> bytes:
        """Return the last bytes of all strips."""
        files = [self.strips / str(chain.pin) for chain in FULL.chains]
        return b"".join(file.read_bytes() if file.exists() else b"" for file in files)

    def wanted(self, frame: str) -> bytes:
        """Return the bytes of the strips for a frame of the twin."""
        dots = bytes.fromhex(frame)
        names = [light.name for light in FULL.lights]
        lit = {
            name: (dots[at], dots[at + 1], dots[at + 2])
            for name, at in zip(names, range(0, len(dots), 3), strict=True)
        }
        return self._bytes.encode(LightFrame(lit))

    def await_lights(self, client: Client, what: str) -> None:
        """Wait until the strips show a frame that the twin gets from now on, but for dithering."""
        client.next_frame()
        client.frames.clear()
        until(lambda: self._shows_one_of(client), what)

    def _shows_one_of(self, client: Client) -> bool:
        client.drain()
        shown = self.shown()
        return any(is_near(shown, self.wanted(frame)) for frame in client.frames)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    made: list[Watched] = []

    def make(*options: str) -> Watched:
        made.append(Watched(tmp_path, *options))
        return made[-1]

    yield make
    for each in made:
        with each.running:
            pass


def game_of(snapshot: Message) -> Message:
    """Return the part of a snapshot that is the game."""
    keys = ("stage", "round", "seats", "displays", "centre", "moves", "choice", "account", "result")
    return {key: snapshot[key] for key in keys}


def press(client: Client, button: str) -> Message:
    """Press a button, and wait for its effect; a score animation also advances by itself."""
    before = client.snapshot
    client.take(button)
    if before["stage"] == "scoring":
        return client.until(lambda snapshot: snapshot["stage"] != "scoring")
    return client.until(lambda snapshot: snapshot["version"] != before["version"])


def test_a_game_is_played_to_its_end_with_the_pico_unplugged_in_between(
    watched: Callable[..., Watched], data: Path
) -> None:
    data.mkdir()
    store_games(data / "azul-table.db", [unfinished_game(STANDARD)], on_table=True)
    table = watched()
    with table.begin() as client:
        table.await_lights(client, "the first lights")
        presses = 0
        while (button := next_button(client.snapshot)) is not None:
            presses += 1
            assert presses < MOST_PRESSES
            press(client, button)
            if presses in (2, 5):
                pull_and_plug(table, client)
        assert client.snapshot["result"]["scores"]
        assert client.snapshot["faults"] == []
        table.await_lights(client, "the lights of the end")
    assert table.running.end() == 0
    lines = table.running.err.splitlines()
    assert all(re.match("(Lost: pico: .|Back: pico$)", line) for line in lines), lines
    # On a busy machine the Pico is away for long enough that why it is lost changes, which is said.
    assert [said for said, _ in groupby(line[:4] for line in lines)] == ["Lost", "Back"] * 2


def plug(client: Client, *, plugged: bool) -> None:
    set_fault(client, "pico", "unplug", on=not plugged)


def set_fault(client: Client, part: str, fault: str, *, on: bool = True) -> None:
    client.send({"type": "fault", "part": part, "fault": fault, "on": on})
    assert client.answer()["taken"]


def lost_parts(snapshot: Message) -> list[tuple[str, str]]:
    return [(fault["part"], fault["why"]) for fault in snapshot["faults"]]


def pull_and_plug(table: Watched, client: Client) -> None:
    """Unplug the Pico, play on without it, and plug it in again: this makes no move."""
    plug(client, plugged=False)
    lost = client.until(lambda snapshot: bool(snapshot["faults"]))
    assert [(fault["part"], fault["why"]) for fault in lost["faults"]] == [("pico", "unplugged")]
    assert lost["simulated"]["faults"]["on"] == [{"part": "pico", "fault": "unplug"}]
    assert len(lost["phones"]["press"]) == len(FULL.buttons), "phones stand in for all its buttons"
    for _ in range(3):
        button = next_button(client.snapshot)
        assert button is not None
        press(client, button)
    if client.snapshot["stage"] == "scoring":  # which goes on by itself
        press(client, "ok")
    game = game_of(client.snapshot)
    plug(client, plugged=True)
    back = client.until(lambda snapshot: not snapshot["faults"])
    table.await_lights(client, "the lights of the Pico that is back")
    assert game_of(back) == game, "no move comes out of a reset"


def test_the_traceback_of_the_firmware_is_logged(watched: Callable[..., Watched], tmp_path: Path) -> None:
    """The Pico's log was read, but not written anywhere."""
    table = watched()
    with table.begin() as client:
        plug(client, plugged=False)  # it writes its files while it runs
        client.until(lambda snapshot: bool(snapshot["faults"]))
        (switches,) = tmp_path.rglob("flash/firmware_bridge/firmware/inputs.py")
        head = "def closed(self) -> bytes:\n"
        switches.write_text(switches.read_text().replace(head, f"{head}        no_such_name\n"))
        plug(client, plugged=True)
        until(lambda: "pico: NameError" in table.running.err, "the last words of the firmware")


def test_a_tag_goes_through_the_picos_reader(watched: Callable[..., Watched]) -> None:
    table = watched("--tiles", "resin")
    with table.begin() as client:
        while client.snapshot["stage"] != "telling":
            press(client, str(next_button(client.snapshot)))
        drawer = client.snapshot["simulated"]["drawer"]
        assert [len(tags) for tags in drawer.values()] == [20] * 5
        for letter in "bkr":
            client.send({"type": "tag", "reader": "shared", "tag": drawer[letter][6]})
            assert client.answer()["taken"], "it is on its way"
        reported = client.until(lambda snapshot: len(snapshot["resin"]["told"]) == 3)["resin"]["told"]
        assert [tile["colour"] for tile in reported] == list("bkr")
        assert [tile["tag"] for tile in reported] == [drawer[letter][6] for letter in "bkr"]


def test_very_fast_presses_keep_their_order(watched: Callable[..., Watched]) -> None:
    table = watched()
    with table.begin() as client:
        for button in ("seat.1.floor", "seat.3.floor", "ok", "seat.1.floor"):
            press(client, button)
        client.until(lambda snapshot: snapshot["stage"] == "offer")
        snapshot = client.snapshot
        display = next(at for at, tiles in enumerate(snapshot["displays"], 1) if len(set(tiles)) > 1)
        first, second, *_ = [letter for letter in "byrkw" if letter in snapshot["displays"][display - 1]]
        client.take(f"display.{display}", f"display.{display}", "seat.1.line.5")
        moved = client.until(lambda snapshot: bool(snapshot["moves"]))["moves"][-1]
        assert (moved["source"], moved["colour"], moved["line"]) == (display, second, 5)
        assert first != second


# --- Faults that hands make -------------------------------------------------------------------------------


def test_a_frozen_pico_is_noticed_and_comes_back(watched: Callable[..., Watched]) -> None:
    table = watched()
    with table.begin() as client:
        set_fault(client, "pico", "freeze")
        lost = client.until(lambda snapshot: bool(snapshot["faults"]))
        assert lost_parts(lost) == [("pico", "silent")]
        press(client, "seat.1.floor")
        client.send({"type": "press", "button": "seat.3.floor", "physical": True})
        assert client.answer()["why"] == "dead_part"
        set_fault(client, "pico", "freeze", on=False)
        back = client.until(lambda snapshot: not snapshot["faults"])
        assert [seat["taken"] for seat in back["seats"]] == [True, False, False, False]
        table.await_lights(client, "the lights after the freeze")


@pytest.mark.parametrize(("part", "fault"), [("pico", "restart"), ("power", "brownout")])
def test_a_pico_that_restarts_changes_no_game(watched: Callable[..., Watched], part: str, fault: str) -> None:
    table = watched()
    with table.begin() as client:
        press(client, "seat.1.floor")
        set_fault(client, part, fault)
        client.until(lambda snapshot: "pico" in dict(lost_parts(snapshot)))
        if part == "power":
            assert "voltage" in dict(lost_parts(client.until(lambda it: len(it["faults"]) == 1))).values()
            set_fault(client, part, fault, on=False)
        back = client.until(lambda snapshot: not snapshot["faults"])
        assert [seat["taken"] for seat in back["seats"]] == [True, False, False, False]
        table.await_lights(client, "the lights after the restart")


def test_pulled_cables_of_a_pico_leave_lights_dark_and_buttons_and_readers_dead(
    watched: Callable[..., Watched],
) -> None:
    table = watched()
    with table.begin() as client:
        for part in ("buttons", "lights", "reader.shared"):
            set_fault(client, part, "unplug")
        client.send(
            {"type": "press", "button": "seat.3.floor", "physical": True},
            {"type": "tag", "reader": "shared", "tag": "A7CA000001"},
        )
        assert [answer.get("why") for answer in client.answers(2)] == ["dead_part", "dead_part"]
        press(client, "seat.1.floor")  # on a page
        assert [seat["taken"] for seat in client.snapshot["seats"]] == [True, False, False, False]
        assert client.snapshot["faults"] == [], "the Pico can't notice it"


def test_a_button_that_bounces_is_muted_and_one_that_hangs_is_one_press(
    watched: Callable[..., Watched],
) -> None:
    table = watched()
    with table.begin() as client:
        set_fault(client, "button.seat.1.line.1", "bounce")
        muted = client.until(lambda snapshot: bool(snapshot["faults"]))
        assert lost_parts(muted) == [("button.seat.1.line.1", "chattering")]
        set_fault(client, "button.seat.1.line.1", "bounce", on=False)
        client.until(lambda snapshot: not snapshot["faults"])
        set_fault(client, "button.seat.2.floor", "hang")
        client.until(lambda snapshot: snapshot["seats"][1]["taken"])
        client.send({"type": "press", "button": "seat.2.floor", "physical": True})
        assert client.answer()["why"] == "dead_part"
        set_fault(client, "button.seat.2.floor", "hang", on=False)
        client.send({"type": "press", "button": "seat.2.floor", "physical": True})
        assert client.answer()["taken"], "it works again"


# --- What was given --------------------------------------------------------------------------------------


def test_a_missing_micropython_is_reported_with_the_command_that_installs_it(tmp_path: Path) -> None:
    surroundings = {"AZUL_TABLE_MICROPYTHON": str(tmp_path / "nowhere.mjs")}
    with RunningTable(tmp_path / "data", simulate="pico", surroundings=surroundings) as table:
        assert table.wait() == 1
    assert "`make simulated-pico`" in table.err
    assert len(table.err.splitlines()) == 1
    assert table.out == ""


# --- In this process: what hands outside of the product do to its Pico -------------------------------------


@pytest.fixture
def opened(tmp_path: Path, short: Path) -> Iterator[tuple[SimulatedPicoTable, RecordingPublisher]]:
    """Run the loop in a thread, with the hardware that `play` opens."""
    inbox: Inbox = SimpleQueue()
    hardware, simulated = open_table_hardware(FULL, inbox, "pico", short / "pico")
    pico, audience = simulated.pico, RecordingPublisher(None)
    assert isinstance(pico, SimulatedPicoTable)

    def run_loop() -> None:
        store = tmp_path / "games.db"
        TableLoop(FULL, store, PALETTES["box"], inbox, hardware, audience, simulated=simulated).run(
            lambda: None
        )

    loop = Thread(target=run_loop, name="loop", daemon=True)
    loop.start()
    until(lambda: pico.driver.state.connected and audience.snapshot, "the Pico")
    yield pico, audience
    inbox.put(Stop())
    loop.join(DEADLINE)
    hardware.close()
    assert not loop.is_alive()


def test_a_chattering_button_is_reported_and_phones_may_press_it(
    opened: tuple[SimulatedPicoTable, RecordingPublisher],
) -> None:
    pico, audience = opened
    contacts: list[bool] = []
    pico.pico.on_switch = lambda _pins, closed, _at: contacts.append(closed)
    for number in range(1, 40):
        pico.press("undo", seconds=0.02)
        until(lambda: contacts == [True, False] * number, "a contact")  # noqa: B023 - waited for here

    def snapshot_with(*, faults: bool) -> Message | None:
        shown = audience.snapshot
        return shown if bool(shown["faults"]) is faults else None

    muted = until(lambda: snapshot_with(faults=True), "the mute")
    (fault,) = muted["faults"]
    assert (fault["part"], fault["why"]) == ("button.undo", "chattering")
    assert muted["phones"]["press"] == ["undo"]
    assert until(lambda: snapshot_with(faults=False), "the rest")["phones"]["press"] == []
