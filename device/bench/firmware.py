"""How long the Pico's firmware computes: for a frame of light, and for a round of its loop at rest.

MicroPython for WebAssembly runs the firmware under Node.js; its figures are not a chip's, which is 4 to 5
times slower. Two versions are compared in the same MicroPython in turns, each with what the host of its own
source tree sends. Nothing waits: what the host sends lies in memory, the measurement advances the firmware's
clock by a millisecond a round, and strips and pins do nothing.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from device.bench.bridge import LAYOUT, WHOSE
from device.bench.figure import BenchError, Figure
from firmware_bridge.simulator.process import PICO, SimulatedPico, SimulatorError
from hardware.drivers.pico import wiring
from hardware.layout.model import read_layout

FRAMES: Final = 800
"""Frames of each load in a run."""
BATCH: Final = 100
"""Frames that are timed as one; the fastest batch counts, as other programs only add time."""
TURNS: Final = 5
CHANGED: Final = 60
TIMEOUT: Final = 120.0
HERE: Final = Path(__file__).parents[2]
MOST_FRAME: Final = 0.5
MOST_ROUND: Final = 40.0
LEAST_FASTER: Final = 1.6
LEAST_ROUNDS: Final = 3.0

HOST: Final = """
import json, random, sys
from pathlib import Path
from firmware_bridge.installer import copy_firmware
from firmware_bridge.loopback import Loopback
from firmware_bridge.protocol import Stage
from firmware_bridge.wiring import WiredChain, Wiring

flash, frames, changed, (chains, *pins) = Path(sys.argv[1]), *map(json.loads, sys.argv[2:])
copy_firmware(flash)
loopback = Loopback(Wiring(tuple(WiredChain(*chain) for chain in chains), *pins))
chance, sent, send = random.Random(1), [], loopback.connection.send

def record(message):
    sent.append(send(message))
    return sent[-1]

def taken():
    data = b"".join(sent)
    sent.clear()
    return data

loopback.connection.send = record
while loopback.connection.stage is not Stage.READY:
    loopback.step()
loads = {"handshake": [taken()], "full": [], "part": []}
frame = bytearray(len(loopback.board.lights))
for load in ("full", "part"):
    for _ in range(frames):
        lights = len(frame) // 3
        for light in range(lights) if load == "full" else chance.sample(range(lights), changed):
            frame[3 * light : 3 * light + 3] = chance.randbytes(3)
        loopback.connection.show(bytes(frame))
        shown = len(loopback.board.shown)
        while len(loopback.board.shown) == shown:
            loopback.step()
        loopback.step(0.02)
        loads[load].append(taken())
(flash / "sent.bin").write_bytes(b"".join(b"".join(each) for each in loads.values()))
sizes = {load: [len(it) for it in each] for load, each in loads.items()}
(flash / "sizes.json").write_text(json.dumps(sizes))
"""
"""Runs in a source tree: copies its firmware, and writes what its host sends for frames of random bytes."""

PICO_MAIN: Final = """
import gc, json, machine, rp2, sys, time
from io import BytesIO
from stand_in_for_pico import CollectGarbage
from firmware_bridge.firmware import chip

def nothing(*_given, **_named):
    return None

class Clock:
    now = 1000

class Line:
    POLLIN = 1
    sent = 0
    def register(self, *_given):
        pass
    def ipoll(self, _milliseconds):
        return READY if stream.tell() < Line.sent else ()
    def poll(self):
        return self

class Uart:
    def __init__(self, *_given, **_named):
        pass
    def any(self):
        return 0

class Channel:
    count = 64
    config = dict
    def pack_ctrl(self, **_named):
        return 0
    def active(self):
        return False

class Output:
    write = nothing

class Input:
    pass

READY = ((),)
with open("/sent.bin", "rb") as file:
    stream = BytesIO(file.read())
with open("/sizes.json") as file:
    sizes = json.loads(file.read())
Input.buffer = stream
Output.buffer = Output
sys.stdin, sys.stdout = Input, Output
chip.select = Line()
chip.every = nothing
chip.ticks_ms = lambda: Clock.now
chip.ticks_us = lambda: Clock.now * 1000
machine.WDT.feed = machine.Pin.low = machine.Pin.high = nothing
machine.UART = Uart
machine.mem32 = {0xD0000004: 0x3FFFFFFF}
rp2.DMA = Channel
from firmware_bridge.firmware.app import App

firmware = App()
step = firmware.step

def replay(frames):
    rounds = 0
    for size in frames:
        Line.sent += size
        while stream.tell() < Line.sent:
            step()
            rounds += 1
            Clock.now += 1
        Clock.now += 9
    return rounds

def rest(rounds):
    for _ in range(rounds):
        step()
        Clock.now += 1
    return rounds

def measurements():
    found = {}
    for load in ("handshake", "full", "part", "rest"):
        found[load] = []
        for at in range(0, FRAMES, BATCH):
            before, start = gc.mem_alloc(), time.ticks_us()
            rounds = rest(20 * BATCH) if load == "rest" else replay(sizes[load][at : at + BATCH])
            found[load].append((time.ticks_diff(time.ticks_us(), start), rounds, gc.mem_alloc() - before))
            yield
    with open("/found.json", "w") as file:
        file.write(json.dumps(found))

class Measurement:
    def __init__(self):
        self.batches = measurements()
    def run(self):
        for _ in self.batches:
            raise CollectGarbage

app = Measurement()
app.run()
"""
"""Replaces main.py: replays what the host has sent, and writes microseconds, rounds and bytes of garbage.

Garbage is collected between two batches, as this MicroPython can't do it within one.
"""


class Work:
    """What a version of the firmware has needed in the fastest batch of each load.

    `full` and `part` are milliseconds for a frame, of new bytes for all lights, and of CHANGED changed ones;
    `rounds` is how many rounds a second the loop makes under full frames one after another; `rest` is
    microseconds for a round without input.
    """

    def __init__(self, found: dict[str, list[tuple[int, int, int]]]) -> None:
        microseconds = {load: min(time for time, _, _ in batches) for load, batches in found.items()}
        self.full = microseconds["full"] / BATCH / 1000
        self.part = microseconds["part"] / BATCH / 1000
        self.rounds = max(1e6 * rounds / time for time, rounds, _ in found["full"])
        self.rest = microseconds["rest"] / found["rest"][0][1]

    def best(self, other: "Work") -> "Work":
        """Take over what the other has done faster; return self."""
        for name in ("full", "part", "rest"):
            setattr(self, name, min(getattr(self, name), getattr(other, name)))
        self.rounds = max(self.rounds, other.rounds)
        return self


def measure(trees: Sequence[Path] = (HERE,), turns: int = TURNS) -> Iterator[Figure]:
    """Yield what the firmware of this source tree needs, and how it compares with an earlier one's tree.

    The trees are measured in turns. Raises BenchError.
    """
    done = [run(tree) for tree in trees]
    for _ in range(turns - 1):
        done = [before.best(run(tree)) for before, tree in zip(done, trees, strict=True)]
    now = done[-1]
    yield Figure(f"change of 338 lights, computing ({WHOSE})", now.full, "ms", MOST_FRAME, at_least=False)
    yield Figure(
        f"change of {CHANGED} lights, computing ({WHOSE})", now.part, "ms", MOST_FRAME, at_least=False
    )
    yield Figure(f"a round at rest, computing ({WHOSE})", now.rest, "µs", MOST_ROUND, at_least=False)
    if len(done) > 1:
        old = done[0]
        than = f"times those of {trees[0]}, {WHOSE}"
        yield Figure("full changes a second", old.full / now.full, than, LEAST_FASTER)
        yield Figure(f"changes of {CHANGED} lights a second", old.part / now.part, than, 1.0)
        yield Figure("rounds a second under full changes", now.rounds / old.rounds, than, LEAST_ROUNDS)
        yield Figure("rounds a second at rest", old.rest / now.rest, than, LEAST_ROUNDS)


def run(tree: Path, frames: int = FRAMES) -> Work:
    """Run the firmware of a source tree once. Raises BenchError."""
    wired = wiring(read_layout(LAYOUT))
    chains = [(chain.pin, chain.lights) for chain in wired.chains]
    pins = (chains, wired.rows, wired.columns, wired.buttons, wired.readers, wired.status)
    with tempfile.TemporaryDirectory(prefix="azul-bench-") as folder:
        try:
            pico = SimulatedPico(Path(folder), firmware=False)
        except SimulatorError as error:
            raise BenchError(str(error)) from error
        sent = [sys.executable, "-c", HOST, str(pico.flash), *map(json.dumps, (frames, CHANGED, pins))]
        host = subprocess.run(sent, cwd=tree, capture_output=True, text=True, check=False)
        if host.returncode != 0:
            raise BenchError(f"{tree} is no source tree of this program: {host.stderr.strip()[-300:]}")
        (pico.flash / "main.py").write_text(f"FRAMES, BATCH = {frames}, {BATCH}\n{PICO_MAIN}")
        pico.plug()
        try:
            pico.wait_until(lambda: pico.at_prompt, TIMEOUT)
        finally:
            pico.unplug()
        try:
            found: dict[str, Any] = json.loads((pico.flash / "found.json").read_text("utf-8"))
        except OSError:
            raise BenchError(f"the firmware of {tree} did not run to its end on {PICO}") from None
    return Work(found)
