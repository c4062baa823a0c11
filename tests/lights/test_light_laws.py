"""Laws of every frame: known lights only, channels 0 to 255, the current limit, the flash limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights.animation import FRAMES_A_SECOND
from device.lights.flash_limiter import FlashLimiter, limit_flashes
from device.lights.palettes import BOX, DISTINCT, palette_for
from device.lights.view import view
from device.runtime.loop import Inbox, Stop, TableLoop
from hardware.api import ButtonPressed, LightFrame
from hardware.drivers.simulated import SimulatedTable
from hardware.layout.model import Layout
from hardware.power import CurrentLimiter
from tests.harness.sampling import some
from tests.table.simulator import BUTTONS, DUO, FULL, Simulator, dealt, empty_table, playing
from tests.table.walks import SETUPS, Start, Walk, moments, walks, whole_games

LIGHTS = {layout.name: frozenset(light.name for light in layout.lights) for layout in (FULL, DUO)}
LIMITERS = {layout.name: CurrentLimiter(layout) for layout in (FULL, DUO)}


def frame_of(sim: Simulator, late: float = 0.0) -> LightFrame:
    """Return what the lights show so many seconds from now."""
    return view(sim.table, sim.now + late, BOX)


def filtered(frame: LightFrame, layout: Layout) -> LightFrame:
    """Return a frame without the lights that a layout does not have, as the loop sends it."""
    return LightFrame({name: light for name, light in frame.lit.items() if name in LIGHTS[layout.name]})


# --- Every frame ---


@given(walks, st.floats(0, 3))
def test_every_frame_keeps_the_laws(walk: Walk, late: float) -> None:
    table = SimulatedTable(DUO)
    for sim in moments(walk):
        frame = frame_of(sim, late)
        assert frame.lit.keys() <= LIGHTS["full"], "it names only lights of the full table"
        for light in frame.lit.values():
            assert len(light) == 3
            assert all(type(channel) is int and 0 <= channel <= 255 for channel in light)
        for layout in (FULL, DUO):
            limiter = LIMITERS[layout.name]
            shown = limiter.limit(filtered(frame, layout))
            assert limiter.milliamperes(shown) <= layout.supply.budget
        table.show(filtered(frame, DUO))


def test_a_frame_over_the_budget_is_dimmed_as_a_whole() -> None:
    """All lights of a full table need more current than the supply gives."""
    white = LightFrame({light.name: (255, 255, 255) for light in FULL.lights})
    limiter = LIMITERS["full"]
    assert limiter.milliamperes(white) > FULL.supply.budget
    shown = limiter.limit(white)
    assert len(set(shown.lit.values())) == 1
    assert FULL.supply.budget * 0.98 < limiter.milliamperes(shown) <= FULL.supply.budget


@pytest.mark.parametrize("start", some(whole_games()), ids=str)
def test_games_for_one_or_two_need_only_the_lights_of_duo(start: Start) -> None:
    sim = start.simulator()
    if len(sim.play.setup.players) > DUO.seats:
        assert not frame_of(sim).lit.keys() <= LIGHTS["duo"]
    else:
        assert frame_of(sim).lit.keys() <= LIGHTS["duo"]


@pytest.mark.parametrize("palette", [BOX, DISTINCT], ids=["box", "distinct"])
def test_bot_games_have_a_palette_of_their_own(palette: object) -> None:
    assert palette in (BOX, DISTINCT)
    words = [shade.word for shade in palette_for("dtc", BOX).shades]
    assert words == ["green", "orange", "blue", "yellow", "red"]
    assert palette_for("standard", BOX) is BOX
    assert palette_for("solo", DISTINCT) is DISTINCT


@pytest.mark.parametrize("palette", [BOX, DISTINCT, palette_for("dtc", BOX)], ids=["box", "distinct", "dtc"])
def test_five_colours_and_the_marker_can_be_told_apart(palette: object) -> None:
    lights = [*(shade.light for shade in palette.shades), palette.marker]  # type: ignore[attr-defined]
    for at, one in enumerate(lights):
        assert max(one) >= 64, "a black tile, too, needs a colour that a light can show"
        for other in lights[at + 1 :]:
            assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= 60


# --- Flashes ---


class Flashes:
    """Counts the flashes of each light within a second: rises above half, and rises by a quarter."""

    def __init__(self) -> None:
        self.worst = 0
        self.light = ""
        self._rises: dict[tuple[str, str], list[float]] = {}
        self._low: dict[str, int] = {}
        self._high: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def see(self, frame: LightFrame, now: float) -> None:
        """Count the rises of a frame."""
        for light in {*frame.lit, *self._before}:
            level, before = max(frame.colour(light)), self._before.get(light, 0)
            if before < 128 <= level:
                self._note("half", light, now)
            if self._swung(light, level):
                self._note("quarter", light, now)
            self._before[light] = level

    def _swung(self, light: str, level: int) -> bool:
        """Return whether a light has just risen by a quarter after falling by a quarter."""
        if light in self._high:  # on its way up, or there
            self._high[light] = max(self._high[light], level)
            if level <= self._high[light] - 64:
                del self._high[light]
                self._low[light] = level
            return False
        self._low[light] = min(self._low.get(light, 0), level)
        if level < self._low[light] + 64:
            return False
        self._high[light] = level
        return True

    def _note(self, kind: str, light: str, now: float) -> None:
        times = [at for at in self._rises.get((kind, light), []) if at > now - 1.0]
        self._rises[kind, light] = [*times, now]
        if len(times) + 1 > self.worst:
            self.worst, self.light = len(times) + 1, light


Press = Callable[[int], str | None]


def watched(sim: Simulator, press: Press, seconds: int) -> Flashes:
    """Count the flashes of a table for some seconds; `press` gives the button to press before each frame."""
    flashes = Flashes()
    shown = FlashLimiter()
    for at in range(seconds * FRAMES_A_SECOND):
        sim.wait(1 / FRAMES_A_SECOND)
        button = press(at)
        if button is not None:
            sim.press(button, after=0.0)
        shown = limit_flashes(shown, LIMITERS["full"].limit(frame_of(sim)), sim.now)
        flashes.see(shown.frame, sim.now)
    return flashes


def in_turn(every: int, *buttons: str) -> Press:
    """Press some buttons one after another, one in every so many frames."""
    return lambda at: buttons[at // every % len(buttons)] if at % every == 0 else None


DEAL = "bbyr kkww rryy bykw bbbb"


def at_last_scoring() -> Simulator:
    """Return a game whose last score animation has just begun."""
    return Start(SETUPS[0], 3, 0, to="over").simulator().press("undo")


SCENES: dict[str, tuple[Callable[[], Simulator], tuple[str, ...]]] = {
    "one display's colours": (lambda: dealt(DEAL), ("display.1",)),
    "two displays": (lambda: dealt(DEAL), ("display.1", "display.2")),
    "chosen and let go": (lambda: dealt(DEAL), ("display.5", "undo")),
    "drafted and undone": (lambda: dealt(DEAL), ("display.5", "seat.1.line.4", "undo")),
    "sat down and up": (empty_table, ("seat.1.floor", "undo")),
    "choosing and back": (lambda: empty_table().press("seat.1.floor", "seat.2.floor"), ("ok", "undo")),
    "modes": (
        lambda: empty_table().press("seat.1.floor", "seat.2.floor", "ok"),
        ("display.1", "display.2", "display.3"),
    ),
    "games stopped and begun": (playing, ("undo", "ok", "seat.1.floor")),
    "refused beside what is chosen": (lambda: dealt(DEAL).press("display.5"), ("seat.1.line.9", "ok")),
    "refused on an empty display": (lambda: dealt(DEAL), ("display.9",)),
    "solo, a line tried": (
        lambda: playing("solo").press("seat.2.line.2", "seat.2.line.3", "seat.2.line.4"),
        ("display.1", "seat.2.floor", "display.1", "undo"),
    ),
    "gray, columns and back": (
        lambda: Start(SETUPS[3], 2, 40, to="scoring").simulator().press("undo"),
        ("seat.1.line.1", "undo", "seat.1.line.2", "seat.2.line.3", "seat.2.line.4", "undo", "undo"),
    ),
    "undone after the end": (at_last_scoring, ("undo", "seat.1.floor", "seat.2.floor", "display.1")),
}


@pytest.mark.parametrize("every", some([1, 3, 7], 2))
@pytest.mark.parametrize("scene", SCENES)
def test_no_light_flashes_more_than_3_times_a_second_however_people_press(scene: str, every: int) -> None:
    """Photosensitive epilepsy: many presses once made lights flash up to 16 times a second."""
    start, buttons = SCENES[scene]
    flashes = watched(start(), in_turn(every, *buttons), seconds=4)
    assert 1 <= flashes.worst <= 3, flashes.light


@given(
    st.sampled_from([None, *SETUPS]),
    st.integers(0, 80),
    st.sampled_from(["", "scoring", "over"]),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_no_light_flashes_too_often_whatever_is_pressed(
    setup: object, events: int, to: str, every: int, random: object
) -> None:
    sim = Start(setup, 1, events, to=to).simulator()  # type: ignore[arg-type]
    few = random.sample(BUTTONS, 4)  # type: ignore[attr-defined]
    buttons = [random.choice([*few, "undo", "ok"]) for _ in range(400)]  # type: ignore[attr-defined]
    flashes = watched(sim, in_turn(every, *buttons), seconds=4)
    assert sim.pressed, "buttons were pressed"
    assert 1 <= flashes.worst <= 3, flashes.light


@pytest.mark.parametrize(
    ("start", "seconds"),
    [
        (Start(None, 0, 0), 6),
        *((Start(setup, 2, 30), 6) for setup in (SETUPS[2], SETUPS[5], SETUPS[7])),
        *((Start(setup, 2, 30, to="scoring"), 30) for setup in (SETUPS[2], SETUPS[5], SETUPS[7])),
        (Start(SETUPS[0], 2, 0, to="over"), 6),
    ],
    ids=str,
)
def test_by_itself_no_light_flashes_more_than_3_times_a_second(start: Start, seconds: int) -> None:
    """Without presses the frames keep the limit without the flash limiter."""
    sim = start.simulator()
    flashes = Flashes()
    for _ in range(seconds * FRAMES_A_SECOND):
        sim.wait(1 / FRAMES_A_SECOND)
        flashes.see(LIMITERS["full"].limit(frame_of(sim)), sim.now)
    assert 1 <= flashes.worst <= 3, flashes.light


# --- The loop ---


class FlashCounter:
    """Lights and clients in one: they count the flashes of every frame."""

    frames_wanted = False
    subscribed = False

    def __init__(self, clock: Callable[[], float]) -> None:
        self.flashes = Flashes()
        self.frames = 0
        self.clock = clock

    def show(self, frame: LightFrame) -> None:
        self.frames += 1
        self.flashes.see(frame, self.clock())
        assert LIMITERS["duo"].milliamperes(frame) <= DUO.supply.budget

    def close(self) -> None:
        """Nothing to close."""

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None:
        """Ignore a snapshot."""

    def publish_frame(self, line: bytes) -> None:
        pytest.fail("no frames were asked for")


class PressingClock:
    """A clock that goes on when it is read, and presses a button when the inbox is empty."""

    def __init__(self, inbox: Inbox, buttons: Iterator[str], until: float) -> None:
        self.now = 0.0
        self.inbox = inbox
        self.buttons = buttons
        self.until = until

    def __call__(self) -> float:
        self.now += 0.01
        if self.inbox.empty():
            over = self.now > self.until
            self.inbox.put(Stop() if over else ButtonPressed(next(self.buttons), self.now))
        return self.now


@pytest.mark.parametrize(
    "buttons", [("seat.1.floor", "undo"), ("seat.1.floor", "seat.2.floor", "undo", "undo")]
)
def test_the_loop_limits_flashes(tmp_path: Path, buttons: tuple[str, ...]) -> None:
    inbox: Inbox = SimpleQueue()
    clock = PressingClock(inbox, cycle(buttons), until=5.0)
    counter = FlashCounter(lambda: clock.now)
    daemon = TableLoop(DUO, tmp_path / "azul-table.db", BOX, inbox, counter, counter, clock=clock)
    daemon.run(ready=lambda: None)
    assert counter.frames > 25
    assert 1 <= counter.flashes.worst <= 3
