"""Latency from a button of the Pico to its lights, frames a second, and the effect of a bad line.

The first three figures are measured with a simulated Pico: the firmware in MicroPython under Node.js, a
terminal, the link, the driver, and the time of the strips' own wire. They are not a chip's. The last needs no
Pico: both sides of the protocol talk over a line that damages one frame in a thousand, in simulated time.
"""

import random
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Final

from device.bench.figure import BenchError, Figure
from firmware_bridge.loopback import Loopback, RandomDamage
from firmware_bridge.protocol import Stage, SwitchChanged
from hardware.api import HardwareEvent, LightFrame
from hardware.drivers.pico import wiring
from hardware.drivers.simulated_pico import SimulatedPicoTable
from hardware.layout.model import Layout, read_layout

LAYOUT: Final = "full"
MOST_INPUT: Final = 25.0
"""Milliseconds from the edge at the button to the last byte on the strips, 99th percentile."""
LEAST_FRAMES: Final = 50.0
MOST_BACK: Final = 2.0
WHOSE: Final = "simulated Pico under Node, not a chip"
RARELY: Final = 1000
DEADLINE: Final = 10.0  # seconds after which a step of a measurement fails
OFF: Final = 0.06  # seconds between two presses; a shorter time is taken for contact bounce


@contextmanager
def simulated(put: Callable[[HardwareEvent], None], deadline: float) -> Iterator[SimulatedPicoTable]:
    """Yield a table on a simulated Pico that shows its first frame within `deadline` seconds."""
    with tempfile.TemporaryDirectory(prefix="azul-bench-") as folder:
        table = SimulatedPicoTable(read_layout(LAYOUT), Path(folder))
        try:
            table.start(put)
            first = full_frame(table.layout, 0)
            table.show(first)
            _wait(table, lambda: table.shows(first), "the first frame", deadline)
            yield table
        finally:
            table.close()


def measure(seconds: float, frames: int) -> Iterator[Figure]:
    """Yield the figures of the line: frames a second, its return, and damage. Raises BenchError."""
    yield frames_a_second(seconds)
    yield back_again(5)
    yield from on_a_bad_line(frames)


def full_frame(layout: Layout, number: int) -> LightFrame:
    """Return a frame that differs in every light from the frames with the neighbouring numbers."""
    level = 40 + number * 37 % 200
    return LightFrame({light.name: (level, (level + at) % 256, 9) for at, light in enumerate(layout.lights)})


def input_to_light(presses: int, deadline: float = DEADLINE) -> Figure:
    """Measure milliseconds from a button's edge to the last byte of a new frame on the strips.

    Each step may take `deadline` seconds. Raises BenchError.
    """
    inbox: SimpleQueue[HardwareEvent] = SimpleQueue()
    with simulated(inbox.put, deadline) as table:
        edges: list[float] = []
        table.pico.on_switch = lambda _pins, closed, at: edges.append(at) if closed else None
        waits = []
        for number in range(1, presses + 1):
            frame = full_frame(table.layout, number)
            table.press("ok")
            inbox.get(timeout=deadline)  # in this thread, as the table's loop does
            table.show(frame)
            _wait(table, lambda: table.shows(frame), "a frame", deadline)  # noqa: B023 - waited for here
            waits.append(max(table.pico.shown_at.values()) - edges[-1])
            _wait(table, lambda: not table.pico.closed, "the finger to leave", deadline)
            threading.Event().wait(OFF)
    name = f"button edge to light bytes, 338 lights, 99th percentile ({WHOSE})"
    longest = sorted(waits)[int(0.99 * (len(waits) - 1))]
    return Figure(name, 1000 * longest, "ms", MOST_INPUT, at_least=False)


def frames_a_second(seconds: float, deadline: float = DEADLINE) -> Figure:
    """Measure frames a second, each with a change of every light.

    Each frame may take `deadline` seconds. Raises BenchError.
    """
    with simulated(lambda _event: None, deadline) as table:
        pin, last = table.layout.chains[-1].pin, b""
        shown = 0
        ready = threading.Event()

        def see(at_pin: int, data: bytes, _at: float) -> None:
            nonlocal shown, last
            if at_pin == pin and data != last:
                last = data
                shown += 1
                ready.set()

        table.pico.on_strip = see
        number, start = 0, monotonic()
        while monotonic() - start < seconds:
            number += 1
            ready.clear()
            table.show(full_frame(table.layout, number))
            if not ready.wait(deadline):
                raise BenchError("a frame never came to the strips")
        rate = shown / (monotonic() - start)
    return Figure(f"full change of 338 lights ({WHOSE})", rate, "frames a second", LEAST_FRAMES)


def back_again(times: int, deadline: float = DEADLINE) -> Figure:
    """Measure seconds from the Pico's return to the right lights on its strips, the longest of several.

    Each return may take `deadline` seconds. Raises BenchError.
    """
    waits = []
    with simulated(lambda _event: None, deadline) as table:
        for number in range(1, times + 1):
            table.pico.unplug()
            frame = full_frame(table.layout, number)
            table.show(frame)
            threading.Event().wait(1.0)
            start = monotonic()
            table.pico.plug()
            _wait(table, lambda: table.shows(frame), "the lights", deadline)  # noqa: B023 - waited for here
            waits.append(monotonic() - start)
    name = f"link and lights back after the Pico's return ({WHOSE})"
    return Figure(name, max(waits), "s", MOST_BACK, at_least=False)


def on_a_bad_line(frames: int) -> list[Figure]:
    """Count presses lost and duplicated, and wrong frames, when one frame in a thousand is damaged."""
    chance = random.Random(1)
    down, up = (RandomDamage(random.Random(chance.random()), RARELY) for _ in range(2))
    loopback = Loopback(wiring(read_layout(LAYOUT)), down=down, up=up)
    while loopback.connection.stage is not Stage.READY:
        loopback.run(0.01)
    frame = bytearray(len(loopback.board.lights))
    before, wanted, pressed, wrong = {bytes(frame)}, {bytes(frame)}, [], 0
    while down.frames + up.frames < frames:
        frame[chance.randrange(len(frame))] = chance.randrange(256)
        wanted.add(bytes(frame))
        loopback.connection.show(bytes(frame))
        switch = chance.randrange(36)
        closed = switch not in loopback.board.held
        pressed.append((switch, closed))
        loopback.press(switch, closed=closed)
        for _ in range(3):
            loopback.step(0.005)
        if len(wanted) > 1000:  # a frame sent before the last check may be shown only now
            wrong += sum(shown not in wanted and shown not in before for shown in loopback.board.shown)
            before, wanted, loopback.board.shown = wanted, {bytes(frame)}, []
    loopback.run(1)
    wrong += loopback.board.shown[-1] != bytes(frame)
    taken = [(event.switch, event.closed) for event in loopback.events if isinstance(event, SwitchChanged)]
    lost, doubled = compare_events(pressed, taken)
    line = f"of {down.frames + up.frames:,} frames, {down.damaged + up.damaged:,} damaged"
    return [
        Figure(f"{line}: events lost", lost, "", 0, at_least=False),
        Figure(f"{line}: events doubled", doubled, "", 0, at_least=False),
        Figure(f"{line}: wrong frames of light", wrong, "", 0, at_least=False),
    ]


def compare_events(sent: list[tuple[int, bool]], taken: list[tuple[int, bool]]) -> tuple[int, int]:
    """Return how many sent events are missing and how many are extra, in order."""
    at = lost = doubled = 0
    for event in taken:
        if at < len(sent) and event == sent[at]:
            at += 1
        elif event in sent[at : at + 100]:
            skipped = sent.index(event, at) - at
            lost += skipped
            at += skipped + 1
        else:
            doubled += 1
    return lost + len(sent) - at, doubled


def _wait(table: SimulatedPicoTable, true: Callable[[], bool], subject: str, deadline: float) -> None:
    if not table.pico.wait_until(true, deadline):
        raise BenchError(f"timed out after {deadline:g} s: {subject}")
