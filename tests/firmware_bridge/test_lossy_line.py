"""The real firmware in MicroPython and the real link, with a proxy between them that damages frames."""

from __future__ import annotations

import os
import pty
import random
import select
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
import serial

from firmware_bridge.link import Link, Lost
from firmware_bridge.loopback import RandomDamage
from firmware_bridge.messages import FrameSplitter
from firmware_bridge.protocol import Connection, Event, Ready, SwitchChanged
from firmware_bridge.simulator.process import SimulatedPico
from tests.firmware_bridge.wirings import SMALL
from tests.harness.waiting import DEADLINE, until

pytestmark = pytest.mark.system

RARELY = 30
"""One frame in this many is damaged."""
SWITCHES = [(6, 8), (6, 9), (7, 8), (7, 9), (10,)]
PRESSES = 60


@contextmanager
def lossy_line(port: str, damages: tuple[RandomDamage, RandomDamage]) -> Iterator[str]:
    """Return a port that forwards to another one and damages frames in both directions."""
    master, terminal = pty.openpty()
    tty.setraw(terminal)
    ends = threading.Event()
    with serial.Serial(port, timeout=0.05) as pico:

        def carry(damage: RandomDamage, read: int, write: int) -> None:
            frames = FrameSplitter()
            while not ends.is_set():
                select.select([read], [], [], 0.05)
                with suppress(OSError):
                    for line, raw in frames.feed(os.read(read, 4096) or b""):
                        # no Ctrl-C in noise: it would stop the firmware
                        os.write(write, damage(line + raw).replace(b"\x03", b"?"))

        os.set_blocking(master, False)
        carriers = [
            threading.Thread(target=carry, args=(damages[0], master, pico.fileno()), daemon=True),
            threading.Thread(target=carry, args=(damages[1], pico.fileno(), master), daemon=True),
        ]
        for carrier in carriers:
            carrier.start()
        try:
            yield os.ttyname(terminal)
        finally:
            ends.set()
            for carrier in carriers:
                carrier.join()
            os.close(master)
            os.close(terminal)


def test_on_a_lossy_line_every_press_counts_once_and_no_wrong_frame_is_shown(
    patient: SimulatedPico,
) -> None:
    pico = patient
    damages = RandomDamage(random.Random(1), RARELY), RandomDamage(random.Random(2), RARELY)
    events: list[Event | Lost] = []
    chance = random.Random(3)
    frame, wanted = bytearray(SMALL.light_bytes), {bytes(SMALL.light_bytes)}
    shown: list[dict[int, bytes]] = []

    def came(changes: int) -> Callable[[], bool]:
        return lambda: sum(isinstance(it, SwitchChanged) for it in events) == changes

    pico.on_strip = lambda pin, data, _at: shown.append({pin: data})
    with lossy_line(pico.port, damages) as port:
        link = Link(Connection(SMALL, session=9, silence=DEADLINE), lambda: port, events.append)
        link.start()
        try:
            until(lambda: [it for it in events if isinstance(it, Ready)], "the Pico")
            for number in range(PRESSES):
                pico.press(*SWITCHES[number % 5], seconds=0.02)
                for _ in range(4):
                    frame[chance.randrange(len(frame))] = chance.randrange(256)
                    wanted.add(bytes(frame))
                    link.show(bytes(frame))
                    threading.Event().wait(0.01)
                until(came(changes=2 * number + 2), "the press")
            last = {2: bytes(frame[:15]), 3: bytes(frame[15:])}
            until(lambda: pico.strips == last, "the last frame")
        finally:
            link.close()
    pressed = [it.switch for it in events if isinstance(it, SwitchChanged) and it.closed]
    assert pressed == [number % 5 for number in range(PRESSES)]
    parts = {(2, each[:15]) for each in wanted} | {(3, each[15:]) for each in wanted}
    assert [it for it in shown if not it.items() <= parts] == []
    assert sum(damage.damaged for damage in damages) > 10
    assert pico.resets == []
    assert not any(isinstance(it, Lost) for it in events)
