"""Lights: the time to compute a frame, and how smoothly, at which cost, a waiting game's lights move."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from typing import Final

from device.bench.figure import BenchError, Figure
from device.lights.palettes import BOX
from device.lights.view import view
from device.runtime.loop import Inbox, Stop, TableLoop
from device.table.prompts import live_buttons
from device.table.state import ChanceDrawn, Stage, Table, TableSettings, needed_draw, new_table
from device.table.update import update
from hardware.api import LIGHTS, ButtonPressed, LightFrame, Lights
from hardware.drivers.neopixel import NeoPixelLights
from hardware.drivers.simulated import SimulatedTable
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.drivers.spi import SPEED, encode
from hardware.layout.file import LightsDriver
from hardware.layout.model import Chain, Layout, read_layout
from hardware.power import CurrentLimiter

GOAL: Final = 1.0  # milliseconds for a frame, median
STEP: Final = 0.05  # seconds of game time between two frames
SMOOTH: Final = 40.0  # frames a second: below that the eye sees steps
CHEAP: Final = 2.5  # percent of a core for the loop while lights move
DEADLINE: Final = 10.0  # seconds until a table must have started
SETTLING: Final = 3.0  # seconds after which nothing but rhythms is shown


def measure(seconds: float, below: Callable[[int], int]) -> Iterator[Figure]:
    """Yield all figures of the lights, for so many seconds each. Raises BenchError and HardwareError."""
    yield frame_time(read_layout("full"), seconds, time.perf_counter, below)
    yield from movement_on_a_simulated_table(seconds)
    yield from movement_by_spi(seconds)
    yield from movement_on_a_simulated_pico(seconds)


def frame_time(
    layout: Layout, seconds: float, clock: Callable[[], float], below: Callable[[int], int]
) -> Figure:
    """Measure the time for every frame of random games at a full table, for so many seconds."""
    names = [light.name for light in layout.lights]
    limiter, taken = CurrentLimiter(layout), []
    start = clock()
    while clock() - start < seconds:
        for table, now in _random_game(layout, below):
            began = clock()
            lit = view(table, now, BOX).lit
            limiter.limit(LightFrame({name: lit[name] for name in names if name in lit}))
            taken.append(clock() - began)
    name = f"lights, a frame of {len(names)}, median"
    return Figure(name, median(taken) * 1000, "ms", GOAL, at_least=False)


# --- Movement: a game waits for a draft, and its tiles pulse ---------------------------------------------


class _Shown:
    """Counts the different frames that reach the lights."""

    def __init__(self) -> None:
        self.frames = 0
        self._last = b""

    def see(self, data: bytes) -> None:
        """Count a frame, if it differs from the one before."""
        if data != self._last:
            self._last = data
            self.frames += 1


def movement_on_a_simulated_table(seconds: float) -> Iterator[Figure]:
    """Yield the figures of the layout full on the simulated table, whose frames the twin shows."""
    table = SimulatedTable(read_layout("full"))
    yield from _movement("the simulated table", table.layout, table, lambda: table.frames_shown, seconds, ())


def movement_by_spi(seconds: float) -> Iterator[Figure]:
    """Yield the figures of the layout duo, sent by SPI to a device that only takes the time of the wire."""
    layout, shown = read_layout("duo"), _Shown()

    class Wire:
        """A strip without lights."""

        def send(self, pixels: bytes) -> None:
            """Wait as long as the kernel would, which leaves the processor free meanwhile."""
            shown.see(pixels)
            time.sleep(8 * len(encode(pixels)) / SPEED)

        def close(self) -> None: ...

    def opener(_chain: Chain, _driver: LightsDriver, _stopping: Callable[[], bool]) -> Wire:
        return Wire()

    lights = NeoPixelLights(layout, lambda _event: None, opener)
    try:
        yield from _movement("duo by SPI", layout, lights, lambda: shown.frames, seconds, (LIGHTS,))
    finally:
        lights.close()


def movement_on_a_simulated_pico(seconds: float) -> Iterator[Figure]:
    """Yield the figures of the layout full on a simulated Pico. Raises HardwareError."""
    layout, shown = read_layout("full"), _Shown()
    middle = layout.chains[-1].pin
    with tempfile.TemporaryDirectory(prefix="azul-bench-") as folder:
        table = SimulatedPicoTable(layout, Path(folder))
        table.pico.on_strip = lambda pin, data, _at: shown.see(data) if pin == middle else None
        try:
            threads = ("bridge-link",)
            yield from _movement("a simulated Pico", layout, table, lambda: shown.frames, seconds, threads)
        finally:
            table.close()


def _movement(
    where: str,
    layout: Layout,
    lights: Lights,
    frames: Callable[[], int],
    seconds: float,
    threads: tuple[str, ...],
) -> Iterator[Figure]:
    """Yield frames a second, and the processor time of the loop and of the driver's threads meanwhile."""
    with _waiting_game(layout, lights) as loop:
        drivers = [thread for thread in threading.enumerate() if thread.name in threads]
        clocks = [time.pthread_getcpuclockid(thread.ident or 0) for thread in (loop, *drivers)]
        began, before, used = time.monotonic(), frames(), [time.clock_gettime(clock) for clock in clocks]
        time.sleep(seconds)
        passed = time.monotonic() - began
        rate = (frames() - before) / passed
        busy = [time.clock_gettime(clock) - start for clock, start in zip(clocks, used, strict=True)]
        spent = [100 * seconds / passed for seconds in busy]
    yield Figure(f"lights, {where}: frames while tiles pulse", rate, "a second", SMOOTH)
    name = f"lights, {where}: processor of the loop"
    yield Figure(name, spent[0], "% of a core", CHEAP, at_least=False)
    if drivers:
        name = f"lights, {where}: processor of loop and driver"
        yield Figure(name, sum(spent), "% of a core", 2 * CHEAP, at_least=False)


class _Nobody:
    """A server without subscribers."""

    frames_wanted = False
    subscribed = False

    def publish_beat(self) -> None: ...

    def publish_snapshot(self, line: bytes) -> None: ...

    def publish_frame(self, line: bytes) -> None: ...


@contextmanager
def _waiting_game(layout: Layout, lights: Lights) -> Iterator[threading.Thread]:
    """Run a loop in a thread, in which a game of all seats waits for the first draft. Raises BenchError."""
    inbox: Inbox = SimpleQueue()
    ready = threading.Event()
    with tempfile.TemporaryDirectory(prefix="azul-bench-") as folder:

        def run() -> None:
            TableLoop(layout, Path(folder) / "bench.db", BOX, inbox, lights, _Nobody()).run(ready.set)

        loop = threading.Thread(target=run)
        loop.start()
        try:
            if not ready.wait(DEADLINE):
                raise BenchError("the table did not start")
            for button in start_presses(layout.seats):
                inbox.put(ButtonPressed(button, time.monotonic()))
            time.sleep(SETTLING)
            yield loop
        finally:
            inbox.put(Stop())
            loop.join()


def start_presses(seats: int) -> tuple[str, ...]:
    """Return the presses that start a game of so many."""
    return (*(f"seat.{place}.floor" for place in range(1, seats + 1)), "ok", "seat.1.floor")


# --- Random games ----------------------------------------------------------------------------------------


def _random_game(layout: Layout, below: Callable[[int], int]) -> "list[tuple[Table, float]]":
    """Return the states, with their times, of a game in which players press random live buttons."""
    table = new_table(TableSettings(layout.seats, layout.displays))
    times = count(1)
    moments = []
    for button in start_presses(layout.seats):
        table = update(table, ButtonPressed(button, next(times) * STEP))
    while table.stage is not Stage.OVER:
        now = next(times) * STEP
        if needed_draw(table):
            assert table.play is not None
            table = update(table, ChanceDrawn(table.play.state.chance(below), now))
        else:
            live = [button for button in live_buttons(table) if button != "undo"]
            table = update(table, ButtonPressed(live[below(len(live))], now))
        moments.append((table, now))
    return moments
